# Copyright 2026 The twolink_dynamics authors
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.

"""Adaptive control (Slotine and Li): the model is learnt as the arm moves (theory.md C3)."""

import math
from typing import Any, TYPE_CHECKING

import numpy as np

from twolink_dynamics.array_types import DesiredState, FloatArray, PerJoint, Vector
from twolink_dynamics.control.friction_compensation import COULOMB_VELOCITY, friction_coefficients
from twolink_dynamics.control.laws.passivity import Passivity, reference_motion
from twolink_dynamics.validation import number

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm

__all__ = ['Adaptive', 'parameter_scales']


def parameter_scales(arm: 'Arm', inertia: Vector) -> FloatArray:
    """
    Return how large each parameter of an arm may be thought to be.

    Parameters
    ----------
    arm : Arm
    inertia : sequence of float, length n
        Reflected inertias [kg m^2 or kg].

    Returns
    -------
    scales : ndarray, shape (12 n,)
        Of the inertial parameters: a body's mass (a tenth of the heaviest's at least) times its
        length, times that squared. Then of viscous and of Coulomb friction: the description's,
        and the effort that would stop the joint's inertia from 1 rad/s in half a second.

    """
    links, joints = arm.chain.links, arm.chain.joints
    ends = [joint.origin[:3, 3] for joint in joints[1:]] + [arm.chain.tip[:3, 3]]
    least = 0.1 * max(link.mass for link in links)
    scales = []
    for link, end in zip(links, ends):
        mass = max(link.mass, least)
        length = max(math.sqrt(end @ end), math.sqrt(link.com @ link.com), 1e-2)
        scales += [mass] + [mass * length] * 3 + [mass * length ** 2] * 6
    for own in friction_coefficients(arm):
        scales += [max(f, 2.0 * j) for f, j in zip(own, inertia)]
    return np.array(scales)


class Adaptive(Passivity):
    r"""
    Adaptive tracking: passivity-based control whose parameters are learnt (theory.md C3).

    .. math:: \tau = Y(q, \dot q, \dot q_r, \ddot q_r) \hat p - K s, \quad
              \dot{\hat p} = -\Gamma Y^T s

    The parameters are the arm's inertial ones, as in :meth:`Arm.regressor`, and each joint's
    viscous and Coulomb friction. Tracking converges though many of them cannot be told apart; the
    estimates need not.

    Parameters
    ----------
    arm : Arm
        Its parameters are the first estimates.
    kp, kd, natural_frequency, damping_ratio
        As of :class:`~twolink_dynamics.control.laws.passivity.Passivity`.
    friction : bool
        Whether the description's friction is the first estimate; else it is zero.
    adaptation : float
        How fast to learn, relative to each parameter's scale: 0 is not at all.
    bound : float
        Estimates stay within so many scales (:func:`parameter_scales`) of the first ones; masses
        and friction not below 0.

    Notes
    -----
    :meth:`reset` keeps the estimates, for they are about the arm and not about the motion;
    :meth:`forget` returns to the first ones. Adaptation stands still while efforts are limited.

    """

    name = 'adaptive'
    learns = True

    def __init__(self, arm: 'Arm', kp: PerJoint | None = None, kd: PerJoint | None = None,
                 ki: PerJoint | None = None, *, adaptation: float = 10.0, bound: float = 1.0,
                 **options: Any) -> None:
        super().__init__(arm, kp, kd, ki, **options)
        self.adaptation = number('adaptation', adaptation, 0.0)
        self.bound = number('bound', bound, 0.0)
        self._first = self._estimate = np.zeros(12 * self.n)

    def _arm_changed(self) -> None:
        super()._arm_changed()
        arm = self.arm
        self._armature = [float(joint.armature) for joint in arm.chain.joints]
        friction = self._friction or ((0.0,) * self.n, (0.0,) * self.n)
        # Another model changes the estimates by what it differs in: what was learnt stays.
        learnt = self._estimate - self._first
        self._first = np.concatenate([arm.inertial_parameters, *friction])
        self._scales = parameter_scales(arm, self._inertia)
        self._low = self._first - self.bound * self._scales
        self._high = self._first + self.bound * self._scales
        positive = [10 * k for k in range(self.n)] + list(range(10 * self.n, 12 * self.n))
        self._low[positive] = np.maximum(self._low[positive], 0.0)
        self._estimate = np.clip(self._first + learnt, self._low, self._high)

    def _gains_changed(self) -> None:
        super()._gains_changed()
        # Learning is as fast for a strong arm as for a weak one.
        self._Gamma = self.adaptation * self._scales ** 2 / max(sum(self._K) / self.n, 1e-12)

    @property
    def estimates(self) -> FloatArray:
        """The estimated parameters, an array (12 n,): inertial, viscous, Coulomb."""
        return self._estimate.copy()

    @property
    def bounds(self) -> tuple[FloatArray, FloatArray]:
        """The bounds of the estimates, two arrays (12 n,)."""
        return self._low.copy(), self._high.copy()

    def estimated_arm(self) -> 'Arm':
        """
        Return the arm of the present estimates.

        Returns
        -------
        arm : Arm
            Good for the motions that were made; its single masses may be no body's.

        """
        n = self.n
        return self.arm.with_parameters(self._estimate[:10 * n], unphysical='keep',
                                        damping=self._estimate[10 * n:11 * n],
                                        friction=self._estimate[11 * n:])

    def forget(self) -> None:
        """Return to the first estimates: those of the arm's description."""
        self._estimate = self._first.copy()

    def effort(self, t: float, q: Vector, qd: Vector, desired: DesiredState) -> Vector:
        """Return the efforts: see :meth:`Law.effort`."""
        qd_r, qdd_r = reference_motion(self._rates, q, qd, desired)
        s = [w - v for w, v in zip(qd, qd_r)]
        if not all(map(math.isfinite, (*q, *s, *qdd_r))):
            return [math.nan] * self.n
        Y = self._regressor(q, qd, qd_r, qdd_r, desired[1])
        tau = (Y @ self._estimate).tolist()
        tau = [x + j * a - k * e for x, j, a, k, e in
               zip(tau, self._armature, qdd_r, self._K, s)]
        dt = self._elapsed(t)
        if dt and not self.saturated and all(abs(x) <= h for x, h in zip(tau, self._limits)):
            self._estimate = np.clip(self._estimate - dt * self._Gamma * (np.array(s) @ Y),
                                     self._low, self._high)
        return tau

    def _regressor(self, q: Vector, qd: Vector, qd_r: Vector, qdd_r: Vector,
                   qd_d: Vector) -> FloatArray:
        """
        Return Y(q, qd, qd_r, qdd_r), shape (n, 12 n).

        The inertial part is the plain regressor, whose velocities enter quadratically, polarised
        as the efforts of :class:`Passivity` are: gravity is in all three, so it is in the sum
        once.

        """
        n = self.n
        u, v, zero = np.array(qd), np.array(qd_r), np.zeros(n)
        three = self.arm.regressor(q, np.array([0.5 * (u + v), 0.5 * (u - v), zero]),
                                   np.array([qdd_r, zero, zero]))
        Y = np.zeros((n, 12 * n))
        Y[:, :10 * n] = three[0] - three[1] + three[2]
        k = np.arange(n)
        Y[k, 10 * n + k] = qd
        Y[k, 11 * n + k] = [math.tanh(x / COULOMB_VELOCITY) for x in qd_d]
        return Y
