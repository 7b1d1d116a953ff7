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
Desired motion of the joints over time, by the stamps of the joint states.

It is continuous: a motion begins from the desired state at its start, whatever was under way then;
a stop leads from the desired state to rest. The rules are those of
:class:`~twolink_dynamics.trajectory.schedule.Schedule`, on a clock of nanoseconds.

"""

from typing import NamedTuple, Sequence, TYPE_CHECKING

from twolink_dynamics.array_types import DesiredState, Vector
from twolink_dynamics.trajectory.schedule import Schedule

if TYPE_CHECKING:
    from twolink_dynamics.model.chain import Limits
    from twolink_dynamics.trajectory.trajectory import Trajectory

__all__ = ['DesiredMotion', 'ScheduledMotion']


class ScheduledMotion(NamedTuple):
    """
    A trajectory and when it starts.

    Attributes
    ----------
    start : int
        [ns].
    trajectory : Trajectory
        Its times count from the start.
    joints : sequence of int, optional
        Which joints it moves; all if not given. The others go on with what they do.

    """

    start: int
    trajectory: 'Trajectory'
    joints: Sequence[int] | None = None


class DesiredMotion:
    """
    The desired motion of the joints: what is under way, and what is to come.

    Parameters
    ----------
    n : int
    limits : Limits
        A stop ends within the position limits.
    continuous : sequence of bool, optional
        Which joints go the short way to a first point; none if not given.

    """

    def __init__(self, n: int, limits: 'Limits',
                 continuous: Sequence[bool] | None = None) -> None:
        self._zero, self._limits = (0.0,) * n, limits
        self.continuous = tuple(continuous or (False,) * n)
        self._schedule = Schedule(self._zero, self.continuous)
        self._origin: int | None = None
        self._last_begin = 0

    def _seconds(self, ns: int) -> float:
        # Small numbers, for a float resolves the second of a wall clock only to 0.2 us.
        return 1e-9 * (ns - (self._origin or 0))

    def until_end(self, ns: int) -> float:
        """Return how long the desired motion still takes [s], 0 at rest."""
        if self._origin is None:
            return 0.0
        return max(0.0, self._schedule.end_time - self._seconds(ns))

    def pending(self, ns: int) -> bool:
        """Tell whether a motion is still to come."""
        return self._last_begin > ns

    def stop(self, ns: int, q: Vector, qd: Vector | None = None, qdd: Vector | None = None,
             duration: float = 0.3) -> None:
        """
        Come to rest from a state; every motion is dropped.

        Parameters
        ----------
        ns : int
            Now [ns].
        q, qd, qdd : sequence of float, length n
            The state; at rest if not given.
        duration : float
            [s].

        """
        if self._origin is None:
            self._origin = ns
        t = self._seconds(ns)
        self._schedule.stop(t, (q, qd or self._zero, qdd or self._zero), duration, self._limits)
        self._schedule.forget_before(t)
        self._last_begin = ns

    def follow(self, motion: ScheduledMotion, now: int | None = None) -> int:
        """
        Follow a motion from its start on; until then what is under way goes on.

        Parameters
        ----------
        motion : ScheduledMotion
        now : int, optional
            [ns]; a motion that started before begins with what is left of it.

        Returns
        -------
        begin : int
            When it begins [ns].

        Raises
        ------
        TrajectoryError
            If nothing is left of it (code -3); nothing has changed then.

        """
        begin = motion.start if now is None else max(motion.start, now)
        self._schedule.replace(motion.trajectory, self._seconds(motion.start),
                               self._seconds(begin), motion.joints)
        if now is not None:
            self._schedule.forget_before(self._seconds(now))
        self._last_begin = max(self._last_begin, begin)
        return begin

    def at(self, ns: int) -> DesiredState:
        """
        Return the desired state.

        Parameters
        ----------
        ns : int
            When [ns]; not before the last stop.

        Returns
        -------
        q, qd, qdd : tuple of float, length n

        """
        return self._schedule.sample(self._seconds(ns))
