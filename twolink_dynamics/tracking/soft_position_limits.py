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

"""Soft position limits: springs and dampers that push an arm back before its limits."""

from typing import TYPE_CHECKING

from twolink_dynamics.array_types import PerJoint, Vector
from twolink_dynamics.control.gains import reflected_inertia
from twolink_dynamics.validation import per_joint

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm

__all__ = ['SoftPositionLimits']


class SoftPositionLimits:
    """
    A spring and damper before every position limit: the arm is pushed back, not stopped hard.

    Parameters
    ----------
    arm : Arm
    margin : float or array_like, shape (n,)
        How far before a limit it begins [rad or m]; 0 for at the limit.
    natural_frequency : float
        Of the joint's reflected inertia on the spring [rad/s]; damped critically.

    Attributes
    ----------
    active : tuple of str
        The joints that were pushed back in the last call.

    Raises
    ------
    ShapeError, NonFiniteError, ParameterError
        If a number is negative, or there are not as many as joints.

    """

    def __init__(self, arm: 'Arm', margin: PerJoint = 0.05,
                 natural_frequency: float = 40.0) -> None:
        self.joint_names = arm.joint_names
        margin = per_joint('margin', margin, arm.n, low=0.0)
        w, *_ = per_joint('natural_frequency', natural_frequency, arm.n, low=0.0)
        ranges = [(float(a), float(b)) for a, b in zip(arm.limits.lower, arm.limits.upper)]
        # A joint whose range is less than its margins has them meet in the middle.
        margins = [min(m, 0.5 * (b - a)) for m, (a, b) in zip(margin, ranges)]
        self.lower = tuple(a + m for m, (a, _) in zip(margins, ranges))
        self.upper = tuple(b - m for m, (_, b) in zip(margins, ranges))
        self._springs = tuple((w * w * j, 2.0 * w * j) for j in reflected_inertia(arm))
        self.active: tuple[str, ...] = ()

    def effort(self, q: Vector, qd: Vector) -> list[float]:
        """
        Return what is to be added to a law's efforts.

        Parameters
        ----------
        q, qd : sequence of float, length n

        Returns
        -------
        tau : list of float, length n
            Zero within the soft limits; else towards them, and never pulling outwards.

        """
        tau = [0.0] * len(self.lower)
        active: tuple[str, ...] = ()
        for k, (x, v, low, high) in enumerate(zip(q, qd, self.lower, self.upper)):
            if low <= x <= high:
                continue
            active += (self.joint_names[k],)
            stiffness, damping = self._springs[k]
            if x > high:
                tau[k] = -max(0.0, stiffness * (x - high) + damping * v)
            elif x < low:
                tau[k] = max(0.0, stiffness * (low - x) - damping * v)
        self.active = active
        return tau
