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

"""PID of each joint for itself, without a model (theory.md H3)."""

from twolink_dynamics.array_types import DesiredState, Vector
from twolink_dynamics.control.joint_feedback import JointFeedback

__all__ = ['IndependentPID']


class IndependentPID(JointFeedback):
    """
    Each joint for itself, without a model: the baseline of theory.md H3.

    Gravity, inertia and coupling are disturbances to it. Without an integral the arm sags.

    Parameters
    ----------
    arm : Arm
    kp, kd, ki, natural_frequency, damping_ratio, friction
        As of :class:`~twolink_dynamics.control.law.Law`; `ki` is ``0.2 kp kd`` if not given, a
        fifth of what would be unstable.

    """

    name = 'independent_pid'
    integral_share = 0.2

    def effort(self, t: float, q: Vector, qd: Vector, desired: DesiredState) -> Vector:
        """Return the efforts: see :meth:`Law.effort`."""
        tau = self._feedback(t, (0.0,) * self.n, q, qd, desired)
        return self._with_friction(tau, qd, desired[1])
