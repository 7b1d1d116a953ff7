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

"""The shutdown of a controller: clients get results, the arm rests, a last effort goes out."""

from math import inf
from typing import TYPE_CHECKING

from twolink_dynamics.tracking.effort_limits import clamp_effort

if TYPE_CHECKING:
    from twolink_dynamics.array_types import Vector
    from twolink_dynamics.tracking.controller import TrackingController

__all__ = ['LAST_EFFORTS', 'Shutdown']

#: What may be sent last, as a driver holds it when nobody is left to answer its states.
LAST_EFFORTS = ('gravity', 'hold', 'zero')


class Shutdown:
    """
    Bring a controller to its end.

    Parameters
    ----------
    controller : TrackingController

    Attributes
    ----------
    begun : bool

    """

    def __init__(self, controller: 'TrackingController') -> None:
        self._controller, self.begun = controller, False
        self._rest: int | None = None

    def begin(self) -> None:
        """End the goals, and bring the arm to rest within the controller's `stop_duration`."""
        self.begun = True
        self._controller.hold('ended: the controller shuts down')

    def done(self, now: float) -> bool:
        """
        Tell whether the arm rests, or no new states come.

        Parameters
        ----------
        now : float
            [s], of the clock of the controller's `update`.

        Returns
        -------
        done : bool
            What is no slower than the tolerance at a goal `stop_duration` after it was to rest
            does not come to rest.

        """
        controller = self._controller
        if controller.ns is None or controller.qd is None or not controller.enabled:
            return True
        if controller.watchdog.level(now) not in ('live', 'hold'):
            return True
        if controller.state in ('moving', 'stopping'):
            return False
        self._rest = controller.ns if self._rest is None else self._rest
        slow = controller.execution.stopped_velocity_tolerance or inf
        return (all(abs(speed) <= slow for speed in controller.qd)
                or controller.ns - self._rest > 1e9 * controller.stop_duration)

    def last_effort(self, kind: str) -> 'Vector | None':
        """
        Return the effort to leave to the driver.

        Parameters
        ----------
        kind : str
            One of `LAST_EFFORTS`: what the model says gravity takes, the last effort, or zero.

        Returns
        -------
        tau : sequence of float, length n, or None
            None if no state came, so that nothing was sent before either; zero of a disabled
            controller, and after a fault that leaves the arm none.

        """
        controller = self._controller
        if controller.tau is None or controller.q is None:
            return None
        if not controller.enabled or controller.latch.gives_nothing or kind == 'zero':
            return (0.0,) * controller.arm.n
        if kind == 'hold' and controller.latch.fault is None:
            return controller.tau
        gravity = controller.law.arm.scalar.gravity_vector(controller.q)
        return clamp_effort(gravity, [float(x) for x in controller.arm.limits.effort])[0]
