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

"""Joint impedance: a spring and a damper between the arm and what is desired, for contact."""

import math
from typing import Any, Mapping, TYPE_CHECKING

from twolink_dynamics.array_types import DesiredState, PerJoint, Vector
from twolink_dynamics.control.joint_feedback import JointFeedback
from twolink_dynamics.validation import per_joint

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm

__all__ = ['JointImpedance']


class JointImpedance(JointFeedback):
    r"""
    Joint impedance: the surroundings feel a spring and a damper at every joint, as set.

    .. math:: \tau = M(q) \ddot q_d + C(q, \dot q) \dot q_d + G + F + K e + D \dot e

    An effort of the surroundings moves the arm by ``K^-1 tau``. The arm's own inertia is left as
    it is: with a true model ``M e'' + (C + D) e' + K e`` is minus the surroundings' effort,
    passive for any stiffness, and stable in contact with whatever is passive.

    Parameters
    ----------
    arm : Arm
    kp, kd, natural_frequency, damping_ratio, friction
        As of :class:`~twolink_dynamics.control.law.Law`: stiffness and damping are these gains
        times the reflected inertia, unless given. There is no integral: it would push harder and
        harder.
    stiffness : float or array_like, shape (n,), optional
        [N m/rad or N/m].
    damping : float or array_like, shape (n,), optional
        [N m s/rad or N s/m]; with a stiffness it is by default that of the damping ratio (1 if
        not given) for the reflected inertia.

    """

    name = 'joint_impedance'
    integrates = False

    def __init__(self, arm: 'Arm', kp: PerJoint | None = None, kd: PerJoint | None = None,
                 ki: PerJoint | None = None, *, stiffness: PerJoint | None = None,
                 damping: PerJoint | None = None, **options: Any) -> None:
        super().__init__(arm, kp, kd, ki, **options)
        self._given = _checked(self.n, stiffness, damping, {})

    def set_gains(self, kp: PerJoint | None = None, kd: PerJoint | None = None,
                  ki: PerJoint | None = None, *, stiffness: PerJoint | None = None,
                  damping: PerJoint | None = None, **options: Any) -> None:
        """Change some gains, stiffness or damping, keep the rest: see :meth:`Law.set_gains`."""
        with self._all_or_nothing():
            self._given = _checked(self.n, stiffness, damping, self._given)
            super().set_gains(kp, kd, ki, **options)

    def _gains_changed(self) -> None:
        super()._gains_changed()
        self._K, self._D, _ = self._scaled
        if 'stiffness' in self._given:
            self._K = self._given['stiffness']
            ratio = self._said.get('damping_ratio', (1.0,) * self.n)
            self._D = tuple(2.0 * z * math.sqrt(k * j)
                            for z, k, j in zip(ratio, self._K, self._inertia))
        self._D = self._given.get('damping', self._D)

    @property
    def stiffness(self) -> tuple[float, ...]:
        """The stiffness in force [N m/rad or N/m], a tuple of n floats."""
        return self._K

    @property
    def damping(self) -> tuple[float, ...]:
        """The damping in force [N m s/rad or N s/m], a tuple of n floats."""
        return self._D

    def effort(self, t: float, q: Vector, qd: Vector, desired: DesiredState) -> Vector:
        """Return the efforts: see :meth:`Law.effort`."""
        q_d, qd_d, qdd_d = desired
        # C(q, qd) qd_d by polarisation, as in the passivity law.
        middle = [0.5 * (w + v) for w, v in zip(qd, qd_d)]
        half = [0.5 * (w - v) for w, v in zip(qd, qd_d)]
        tau = [x - b + g + k * (a - y) - 2.0 * d * s for x, b, g, k, a, y, d, s in zip(
            self._model.inverse_dynamics(q, middle, qdd_d), self._model.bias(q, half),
            self._model.gravity_vector(q), self._K, q_d, q, self._D, half)]
        return self._with_friction(tau, qd, qd_d)


def _checked(n: int, stiffness: PerJoint | None, damping: PerJoint | None,
             before: Mapping[str, tuple[float, ...]]) -> dict[str, tuple[float, ...]]:
    """Return what is given of stiffness and damping, in place of what was before."""
    given = {'stiffness': stiffness, 'damping': damping}
    return {**before, **{name: per_joint(name, value, n, low=0.0)
                         for name, value in given.items() if value is not None}}
