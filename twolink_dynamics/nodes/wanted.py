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
What is wanted of the joints over time: a motion under way, one to come, and the way between.

It is continuous: a motion begins from the state wanted at its start, whatever was going on then;
a stop leads from the state wanted to rest.

"""

from bisect import bisect_right
from typing import NamedTuple

from ..errors import TrajectoryError
from ..trajectory.sampling import Trajectory

__all__ = ['Motion', 'Wanted']


class Motion(NamedTuple):
    """
    A trajectory and when it starts.

    Attributes
    ----------
    start : int or None
        [ns]; None: at the first state to come.
    trajectory : Trajectory
        Its times count from the start.

    """

    start: int
    trajectory: Trajectory


class Wanted:
    """
    What is wanted of the joints over time: one motion under way, and at most one to come.

    Parameters
    ----------
    n : int
    limits : Limits
        A stop ends within the position limits.

    """

    def __init__(self, n, limits):
        self._zero = (0.0,) * n
        self._earliest = None
        self._lower, self._upper = (tuple(map(float, x)) for x in (limits.lower, limits.upper))
        self._current = self._next = self._lead = None

    @property
    def pending(self):
        """Whether a motion is still to come."""
        return self._next is not None

    def until_end(self, ns):
        """Return how long the motion under way still lasts [s], 0 at rest."""
        if self._current is None:
            return 0.0
        return max(0.0, self._current.trajectory.end_time - 1e-9 * (ns - self._current.start))

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
        self._next = self._lead = None
        if qd is None or not (any(qd) or any(qdd or ())):
            self._current = Motion(ns, Trajectory([0.0], [q]))
            return
        # Half of the way that the speed would have gone: the gentlest symmetric stop.
        end = [min(max(x + 0.5 * duration * v, min(x, low)), max(x, high))
               for x, v, low, high in zip(q, qd, self._lower, self._upper)]
        self._current = Motion(ns, Trajectory(
            [0.0, duration], [q, end], [qd, self._zero], [qdd or self._zero, self._zero]))

    def follow(self, motion, now=None):
        """
        Follow a motion from its start on; until then what is under way goes on.

        Parameters
        ----------
        motion : Motion
        now : int, optional
            [ns]; a motion that started before begins with what is left of it.

        """
        self._next, self._earliest = motion, now

    def at(self, ns):
        """
        Return what is wanted.

        Parameters
        ----------
        ns : int
            Now [ns]; not before the last call's, nor before a stop.

        Returns
        -------
        q, qd, qdd : tuple of float, length n

        Raises
        ------
        TrajectoryError
            If the motion to come is over before it began; it is dropped.

        """
        if self._next is not None and (self._next.start is None or ns >= self._next.start):
            self._begin(ns)
        return self._sample(ns)

    def foreseen(self, ns):
        """Return what will be wanted if nothing new comes (a motion to come does not count)."""
        return self._sample(ns)

    def _sample(self, ns):
        start, trajectory = self._current
        t = 1e-9 * (ns - start)
        lead = self._lead
        return (trajectory if lead is None or t >= lead.end_time else lead).sample(t)

    def _begin(self, ns):
        """Let the next motion take over, from the state wanted at its start or at its receipt."""
        (start, trajectory), self._next = self._next, None
        start = ns if start is None else start
        begin = max(start, self._current.start)
        if self._earliest is not None:
            begin = max(begin, self._earliest)
        t = 1e-9 * (begin - start)
        # The same as trajectory.with_lead_in(), which makes every segment anew: with a thousand
        # points that would take longer than a cycle of the loop.
        k = bisect_right(trajectory.times, t)
        if k and trajectory.times[k - 1] == t:
            lead = None
        elif k == len(trajectory.times):
            raise TrajectoryError(
                f'it ended {t - trajectory.end_time:.6g} s before it could begin', code=-3)
        else:
            q, qd, qdd = self._sample(begin)
            lead = Trajectory((t, trajectory.times[k]), (q, trajectory.positions[k]),
                              (qd, trajectory.velocities[k]), (qdd, trajectory.accelerations[k]))
        self._current, self._lead = Motion(start, trajectory), lead
