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
What is desired of the joints over time, by the stamps of the joint states.

It is continuous: a motion begins from the desired state at its start, whatever was going on then;
a stop leads from the desired state to rest. The rules are those of
:class:`~twolink_dynamics.trajectory.schedule.Schedule`, on a clock of nanoseconds.

"""

from typing import NamedTuple, Sequence

from twolink_dynamics.trajectory.schedule import Schedule

__all__ = ['Motion', 'DesiredMotion']


class Motion(NamedTuple):
    """
    A trajectory and when it starts.

    Attributes
    ----------
    start : int
        [ns].
    trajectory : Trajectory
        Its times count from the start.
    joints : sequence of int, optional
        Which joints it moves; all if not given. The others go on with what they did.

    """

    start: int
    trajectory: object
    joints: Sequence = None


class DesiredMotion:
    """
    What is desired of the joints over time: the motion under way, and those to come.

    Parameters
    ----------
    n : int
    limits : Limits
        A stop ends within the position limits.
    continuous : sequence of bool, optional
        Which joints go the short way to a first point; none if not given.

    """

    def __init__(self, n, limits, continuous=None):
        self._zero, self._limits = (0.0,) * n, limits
        self.continuous = tuple(continuous or (False,) * n)
        self._schedule = Schedule(self._zero, self.continuous)
        self._origin, self._last_begin = None, 0

    def _seconds(self, ns):
        # Small numbers, for a float resolves the second of a wall clock only to 0.2 us.
        return 1e-9 * (ns - self._origin)

    def until_end(self, ns):
        """Return how long what is desired still moves [s], 0 at rest."""
        if self._origin is None:
            return 0.0
        return max(0.0, self._schedule.end_time - self._seconds(ns))

    def pending(self, ns):
        """Whether a motion is still to come."""
        return self._last_begin > ns

    def stop(self, ns, q, qd=None, qdd=None, duration=0.3):
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

    def follow(self, motion, now=None):
        """
        Follow a motion from its start on; until then what is under way goes on.

        Parameters
        ----------
        motion : Motion
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

    def at(self, ns):
        """
        Return what is desired.

        Parameters
        ----------
        ns : int
            When [ns]; not before the last stop.

        Returns
        -------
        q, qd, qdd : tuple of float, length n

        """
        return self._schedule.sample(1e-9 * (ns - self._origin))
