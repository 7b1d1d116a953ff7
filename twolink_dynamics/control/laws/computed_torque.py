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

"""Computed torque: the model cancels the arm's dynamics (theory.md C1)."""

from twolink_dynamics.array_types import DesiredState, Vector
from twolink_dynamics.control.law import CompilableLaw, Law

__all__ = ['ComputedTorque']


class ComputedTorque(Law):
    r"""
    Computed torque: the model cancels the arm's dynamics, a linear law shapes the error.

    .. math:: \tau = M(q)(\ddot q_d + K_d \dot e + K_p e + K_i \int e) + C \dot q + G + F

    with :math:`e = q_d - q` (theory.md C1). With a true model each joint's error obeys
    ``e'' + kd e' + kp e = 0``. With a desired state that rests it holds the arm there.

    Parameters
    ----------
    arm : Arm
        Its ``scalar`` interface, ``n`` and effort limits are used.
    kp, kd, ki : float or array_like, shape (n,), optional
        Gains on position, velocity and integral [1/s^2, 1/s, 1/s^3]: 100, 20 and 0 if nothing else
        is said; stable for ``ki < kp kd``.
    natural_frequency, damping_ratio : float or array_like, shape (n,), optional
        In place of `kp` and `kd`: see :func:`~twolink_dynamics.control.gains.gains_of`.
    friction : bool
        Whether the joint friction of the arm's description is compensated: the viscous part at the
        actual velocity, the Coulomb part in the direction of the desired one (the sign of a
        measured velocity near zero would chatter).

    Raises
    ------
    ShapeError, NonFiniteError, ParameterError
        If a gain is not one number or one per joint, not finite, negative, or unstable.

    Notes
    -----
    The integral stands still while a joint's effort is beyond its limit (anti-windup). A change of
    `ki` makes no jump: it is the integral term that is kept, not the integral.

    """

    name = 'computed_torque'

    def _compilable(self) -> CompilableLaw | None:
        # Of this very class: whatever a subclass changes, its effort is asked for.
        if type(self) is not ComputedTorque or self._integrates or self._friction:
            return None
        return CompilableLaw(self.arm, self._kp, self._kd)

    def effort(self, t: float, q: Vector, qd: Vector, desired: DesiredState) -> Vector:
        """Return the efforts: see :meth:`Law.effort`."""
        kp, kd = self._kp, self._kd
        q_d, qd_d, qdd_d = desired
        qdd: Vector
        if self.n == 2:
            # Written out: a third of the time of the loop below, and most arms here have two.
            (p1, p2), (d1, d2), (i1, i2) = kp, kd, self._integral
            (x1, x2), (v1, v2), (a1, a2) = q_d, qd_d, qdd_d
            q1, q2 = q
            w1, w2 = qd
            qdd = (a1 + d1 * (v1 - w1) + p1 * (x1 - q1) + i1,
                   a2 + d2 * (v2 - w2) + p2 * (x2 - q2) + i2)
        else:
            qdd = [a + d * (v - w) + p * (x - y) + i for a, d, v, w, p, x, y, i in
                   zip(qdd_d, kd, qd_d, qd, kp, q_d, q, self._integral)]
        tau = self._with_friction(self._model.inverse_dynamics(q, qd, qdd), qd, qd_d)
        if self._integrates:
            self._integrate(t, q, q_d, tau)
        return tau

    def _integrate(self, t: float, q: Vector, q_d: Vector, tau: Vector) -> None:
        dt = self._elapsed(t)
        if not dt or self.saturated:
            return
        # Through M every joint's integral acts on every effort: one joint in saturation stops all.
        # The comparison is false for NaN, so a non-finite effort leaves the integral alone, too.
        if all(abs(x) < limit for x, limit in zip(tau, self._limits)):
            self._integral = [s + i * dt * (x_d - x) for s, i, x_d, x in
                              zip(self._integral, self._ki, q_d, q)]
