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

"""
The trail of the tip, for RViz: where it was, and where it was desired.

Everything here is without ROS; :mod:`twolink_dynamics.nodes.trail_node` gives it messages.

"""

from collections import deque
from typing import Any

from twolink_dynamics.dynamics.arm_options import ARM_OPTIONS
from twolink_dynamics.options import Option
from twolink_dynamics.simulation.clock import SECOND

__all__ = ['TRAIL', 'Trail']

#: The parameters of the node.
TRAIL = ARM_OPTIONS + (
    Option('duration', 'float', 4.0, 'How long a point of the way is shown', 's',
           minimum=0.05, maximum=3600.0),
    Option('rate', 'float', 30.0, 'How often the way is sent, with one more point each time', 'Hz',
           minimum=0.1, maximum=1000.0),
    Option('width', 'float', 0.01, 'Of the line', 'm', minimum=1e-6, maximum=1e3),
)


class Trail:
    """
    The last points of a moving tip.

    Parameters
    ----------
    duration : float
        How old the oldest may be [s].

    Attributes
    ----------
    points : collections.deque
        Oldest first.

    """

    def __init__(self, duration: float) -> None:
        self._duration = round(duration * SECOND)
        self._stamps: deque[int] = deque()
        self.points: deque[Any] = deque()

    def add(self, ns: int, point: Any) -> None:
        """
        Add a point, and drop those that are too old.

        Parameters
        ----------
        ns : int
            When the tip was there [ns]. A time before the last one begins a new trail.
        point : object

        """
        stamps, points = self._stamps, self.points
        if stamps and ns <= stamps[-1]:
            if ns == stamps[-1]:
                return
            stamps.clear()
            points.clear()
        stamps.append(ns)
        points.append(point)
        while ns - stamps[0] > self._duration:
            stamps.popleft()
            points.popleft()
