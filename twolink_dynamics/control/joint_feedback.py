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

"""Joint feedback: the base of laws that feed each joint's error back to that joint alone."""

from twolink_dynamics.array_types import DesiredState, Vector
from twolink_dynamics.control.gains import reflected_inertia
from twolink_dynamics.control.law import Law

__all__ = ['JointFeedback']


class JointFeedback(Law):
    """
    A law that feeds each joint's error back to that joint alone.

    The gains are accelerations, as those of every law; each joint's reflected inertia, the
    largest over postures (theory.md H2), makes efforts of them. So one natural frequency means
    the same for all laws, and an error is damped as said, or more.

    The integral of a joint stands still while its effort is beyond its limit and the error drives
    it further.

    Notes
    -----
    Beside what every :class:`~twolink_dynamics.control.law.Law` has for its subclasses there are

    ``_inertia``
        The reflected inertias, n floats [kg m^2 or kg].
    ``_scaled``
        The gains times the inertias: three rows of n floats.
    :meth:`_feedback`
        Adds the feedback to efforts.

    """

    def _arm_changed(self) -> None:
        self._inertia = reflected_inertia(self.arm)

    def _gains_changed(self) -> None:
        self._scaled = [tuple(j * k for j, k in zip(self._inertia, row)) for row in self.gains]

    @property
    def inertia(self) -> tuple[float, ...]:
        """The inertia that makes efforts of the gains [kg m^2 or kg], a tuple of n floats."""
        return self._inertia

    def _feedback(self, t: float, tau: Vector, q: Vector, qd: Vector,
                  desired: DesiredState) -> Vector:
        """Return efforts with the feedback added."""
        kp, kd, ki = self._scaled
        q_d, qd_d, _ = desired
        tau = [x + p * (a - b) + d * (v - w) + i for x, p, a, b, d, v, w, i in
               zip(tau, kp, q_d, q, kd, qd_d, qd, self._integral)]
        if self._integrates:
            dt, total = self._elapsed(t), sum(tau)
            # A sum that is not finite is not equal to itself, less itself.
            if dt and not self.saturated and total - total == 0.0:
                self._integral = [
                    s + k * dt * (a - b) if abs(x) < h or x * (a - b) < 0.0 else s
                    for s, k, a, b, x, h in zip(self._integral, ki, q_d, q, tau, self._limits)]
        return tau
