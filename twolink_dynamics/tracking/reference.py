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
The reference: a motion sent over and over, each time before the one under way ends.

Everything here is without ROS; :mod:`.reference_node` gives it messages. Its time is the stamps of
the joint states, as the controller's is, so that one motion starts at the very end of the other.

"""

from functools import partial
from typing import Any, TYPE_CHECKING

from twolink_dynamics.array_types import Vector
from twolink_dynamics.dynamics.arm_options import ARM_OPTIONS
from twolink_dynamics.options import named_values, Option
from twolink_dynamics.registry import find, names, options
from twolink_dynamics.simulation.clock import SECOND
from twolink_dynamics.trajectory.generators import make_motion
from twolink_dynamics.trajectory.trajectory import Trajectory

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm

__all__ = ['REFERENCE', 'Sender', 'motion_of']

#: The options of the reference.
REFERENCE = ARM_OPTIONS + (
    Option('trajectory', 'string', 'swing', 'The motion to send, such as a swing of the joints',
           choices=partial(names, 'motion')),
    Option('period', 'float', 4.0, 'One swing there and back, or one turn', 's',
           minimum=0.05, maximum=3600.0),
    Option('amplitude', 'floats', (0.6,), 'Swing: how far each joint goes to either side',
           'rad or m', minimum=-1e3, maximum=1e3, per_joint=True),
    Option('center', 'floats', None,
           'Swing: the middle posture, one number per joint; not set: 0, or next to it within '
           'limits. Circle: the centre in the base frame, 3 numbers; not set: within reach',
           'rad or m', minimum=-1e6, maximum=1e6),
    Option('radius', 'float', 0.0, 'Circle: its radius; 0: a fifth of the reach, or less', 'm',
           minimum=0.0, maximum=1e3),
    Option('cycles', 'int', 5, 'Periods in one trajectory, from rest to rest', minimum=1,
           maximum=1000),
    Option('motion_options', 'string', '',
           'What else the motion takes, or instead: NAME=VALUE, separated by spaces'),
    Option('approach', 'float', 2.0,
           'How long the way to the first point takes; longer if the arm is too slow for it', 's',
           minimum=0.1, maximum=3600.0),
    Option('count', 'int', 0, 'How many trajectories to send; 0: without end', minimum=0,
           maximum=1000000),
)

#: The next trajectory is sent this long before the one under way ends [s].
AHEAD = 0.5
#: A trajectory that does not continue another starts this long after it is sent [s].
DELAY = 0.05
#: An arm further than this from its way is not following [rad or m].
ASTRAY = 0.1
# The approach uses at most this share of the velocity limits; a quintic peaks at 15/8 of its mean.
SHARE_OF_SPEED = 0.5
PEAK_OF_QUINTIC = 1.875


def motion_of(values: Any, arm: 'Arm') -> Trajectory:
    """
    Return the motion that the parameters mean, from rest to rest.

    Parameters
    ----------
    values : object
        One attribute per option of `REFERENCE`.
    arm : Arm

    Returns
    -------
    motion : Trajectory

    Raises
    ------
    ParameterError
        If there is no such motion, or it has no such option.
    TwoLinkError
        If the arm cannot do it.

    """
    given = {
        'period': values.period, 'cycles': values.cycles, 'center': values.center,
        'radius': values.radius or None, 'amplitude': values.amplitude if len(
            values.amplitude) > 1 else values.amplitude[0]}
    own = named_values('motion_options', values.motion_options)
    if 'duration' in own:
        del given['period'], given['cycles']
    taken = options(find('motion', values.trajectory))
    common = {name: value for name, value in given.items() if name in taken and value is not None}
    return make_motion(values.trajectory, arm, **{**common, **own})


class Sender:
    """
    Say when to send the motion, with which stamp, and with which way to its first point.

    Parameters
    ----------
    arm : Arm
    motion : Trajectory
        From rest to rest.
    approach : float
        The least time for the way to its first point [s].
    count : int
        How often to send it; 0: without end.

    """

    def __init__(self, arm: 'Arm', motion: Trajectory, approach: float = 2.0,
                 count: int = 0) -> None:
        self._motion, self._approach, self._count = motion, approach, count
        self._speed = [float(v) for v in arm.limits.velocity]
        ends = zip(motion.positions[0], motion.positions[-1])
        self._closes = max(abs(a - b) for a, b in ends) < 1e-6
        self.sent = 0
        self.restart()

    def restart(self) -> None:
        """Begin again with the way to the first point."""
        self._running: tuple[int, Trajectory] | None = None

    @property
    def running(self) -> bool:
        """Whether a trajectory was sent and not given up."""
        return self._running is not None

    def due(self, ns: int) -> bool:
        """
        Tell whether something is to be sent.

        Parameters
        ----------
        ns : int
            The last state's stamp [ns].

        """
        if self._count and self.sent >= self._count:
            return False
        if self._running is None:
            return True
        start, trajectory = self._running
        return ns < start - SECOND or ns >= start + (trajectory.end_time - AHEAD) * 1e9

    def next(self, ns: int, q: Vector) -> tuple[int, Trajectory, bool]:  # noqa: A003
        """
        Return what to send now.

        Parameters
        ----------
        ns : int
            The last state's stamp [ns].
        q : sequence of float, length n
            The last state's position.

        Returns
        -------
        start : int
            The stamp of the trajectory [ns].
        trajectory : Trajectory
            Its times count from the start.
        continues : bool
            Whether it continues the one under way, without a way to the first point.

        """
        end = self._end_if_followed(ns, q) if self._closes else None
        if end is not None:
            start, trajectory = end, self._motion
        else:
            start = ns + round(DELAY * 1e9)
            way = max(self._approach, *(
                PEAK_OF_QUINTIC * abs(a - b) / (SHARE_OF_SPEED * v)
                for a, b, v in zip(q, self._motion.positions[0], self._speed)))
            trajectory = self._motion.shifted(way)
        self._running = start, trajectory
        self.sent += 1
        return start, trajectory, end is not None

    def _end_if_followed(self, ns: int, q: Vector) -> int | None:
        """Return when the trajectory under way ends [ns], if the arm follows it, or None."""
        if self._running is None:
            return None
        start, trajectory = self._running
        if not start <= ns <= start + trajectory.end_time * 1e9:
            return None
        desired = trajectory.sample(1e-9 * (ns - start))[0]
        on_course = all(abs(x - d) <= ASTRAY for x, d in zip(q, desired))
        return start + round(trajectory.end_time * 1e9) if on_course else None
