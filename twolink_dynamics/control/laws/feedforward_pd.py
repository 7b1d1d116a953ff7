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

"""Feedforward of the desired motion, and PD (theory.md C2)."""

from twolink_dynamics.array_types import DesiredState, Vector
from twolink_dynamics.control.joint_feedback import JointFeedback

__all__ = ['FeedforwardPD']


class FeedforwardPD(JointFeedback):
    """
    Feedforward of the desired motion, and PD (theory.md C2).

    The model sees the desired state only: no measured number goes through it, so noise is not
    amplified by it, and the feedforward can be had beforehand.

    Parameters
    ----------
    arm : Arm
    kp, kd, ki, natural_frequency, damping_ratio, friction
        As of :class:`~twolink_dynamics.control.law.Law`.

    """

    name = 'feedforward_pd'

    def effort(self, t: float, q: Vector, qd: Vector, desired: DesiredState) -> Vector:
        """Return the efforts: see :meth:`Law.effort`."""
        tau = self._feedback(t, self._model.inverse_dynamics(*desired), q, qd, desired)
        return self._with_friction(tau, desired[1], desired[1])
