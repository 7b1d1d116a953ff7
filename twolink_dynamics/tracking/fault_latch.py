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

"""A latch of faults: what passes is counted, what does not is held, with its effort."""

from typing import TYPE_CHECKING

from twolink_dynamics.array_types import Vector
from twolink_dynamics.control.gains import reflected_inertia
from twolink_dynamics.tracking.effort_limits import clamp_effort
from twolink_dynamics.tracking.faults import Fault, FAULTS

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm

__all__ = ['EFFORTS', 'FaultLatch']

#: What a latched fault may give the arm.
EFFORTS = ('gravity', 'damping', 'zero')
# [1/s]: the damping of a latched fault, on the reflected inertia. Stable behind delays of 50 ms.
DAMPING = 12.0
# The third event latches, unless two seconds passed without one.
RECURRENCES, FORGOTTEN = 3, 2.0


class FaultLatch:
    """
    Hold a fault until somebody who has seen it ends it.

    Parameters
    ----------
    arm : Arm

    Attributes
    ----------
    fault : Fault or None
        What is latched.
    text : str
        What happened, with the numbers.
    effort : str
        One of `EFFORTS`: what the arm gets, unless the fault itself says zero.

    """

    fault: Fault | None

    def __init__(self, arm: 'Arm') -> None:
        self.effort = 'damping'
        self._limits = tuple(map(float, arm.limits.effort))
        self._damping = tuple(DAMPING * float(j) for j in reflected_inertia(arm))
        self.clear()

    def clear(self) -> None:
        """End the fault, and forget what was counted."""
        self.fault, self.text = None, ''
        self._count, self._quiet = 0, 0.0

    def latch(self, name: str, text: str) -> None:
        """
        Hold a fault; the first one stays.

        Parameters
        ----------
        name : str
            One of :data:`~.faults.FAULTS`.
        text : str

        """
        if self.fault is None:
            self.fault, self.text = FAULTS[name], text

    def count(self) -> bool:
        """Count an event that passed, and tell whether it came too often."""
        self._count, self._quiet = self._count + 1, 0.0
        return self._count >= RECURRENCES

    def advance(self, dt: float) -> None:
        """
        Let time pass in which nothing happened.

        Parameters
        ----------
        dt : float
            Between two states [s].

        """
        self._quiet += dt
        if self._quiet >= FORGOTTEN:
            self._count = 0

    @property
    def gives_nothing(self) -> bool:
        """Whether the arm gets no effort."""
        return self.fault is not None and 'zero' in (self.effort, self.fault.effort)

    def efforts(self, arm: 'Arm', q: Vector, qd: Vector) -> list[float]:
        """
        Return what the arm gets while the fault is latched.

        Parameters
        ----------
        arm : Arm
            With its payload and its gravity.
        q, qd : sequence of float, length n

        Returns
        -------
        tau : list of float, length n

        """
        if self.gives_nothing:
            return [0.0] * len(self._limits)
        tau = arm.scalar.gravity_vector(q)
        if self.effort == 'damping':
            tau = [g - d * v for g, d, v in zip(tau, self._damping, qd)]
        return clamp_effort(tau, self._limits)[0]
