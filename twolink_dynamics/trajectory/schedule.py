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

"""What is desired of each joint over time: one motion after another, and over another."""

from __future__ import annotations

from bisect import bisect_right
import math
from typing import Any, NamedTuple, Sequence

from twolink_dynamics.array_types import DesiredState, Vector
from twolink_dynamics.errors import NonFiniteError, ShapeError, TrajectoryError
from twolink_dynamics.model.chain import Limits
from twolink_dynamics.trajectory.feasibility import check_reasonable
from twolink_dynamics.trajectory.segments import SomeRows
from twolink_dynamics.trajectory.trajectory import State, Trajectory
from twolink_dynamics.validation import check_array, number

__all__ = ['Schedule']

# Stamps are whole nanoseconds, and differences of seconds are not: a point that is due now would
# be missed, or led to within no time, by the last digit of a float.
DIGITS = 10


class _Source(NamedTuple):
    """A motion of some joints: where it is sampled before its first point, and after."""

    start: float
    lead: Trajectory | None
    trajectory: Trajectory
    joints: Sequence[int]
    columns: Sequence[int]

    def sample(self, t: float) -> State:
        t = round(t - self.start, DIGITS)
        lead = self.lead
        return (self.trajectory if lead is None or t >= lead.end_time else lead).sample(t)

    def without(self, joints: Sequence[int]) -> _Source | None:
        """Return this source for the joints that are left, or None."""
        left = [(j, c) for j, c in zip(self.joints, self.columns) if j not in joints]
        return self._replace(joints=tuple(j for j, _ in left),
                             columns=tuple(c for _, c in left)) if left else None


class Schedule:
    """
    What is desired of each joint over time, replaced part by part without a jump.

    The rules are those of joint_trajectory_controller: what is under way goes on until a new
    motion starts; a segment of the usual kind then leads from the desired state at that time to
    its first point; joints that a motion does not name keep their own, to its end and after.

    Parameters
    ----------
    q : sequence of float, length n
        Where the joints rest until the first motion.
    continuous : sequence of bool, length n, optional
        Which joints have no limits and go the short way: their motions are shifted by whole turns
        so that the first point is at most half a turn away.

    """

    def __init__(self, q: Vector, continuous: Sequence[bool] | None = None) -> None:
        row = check_array('q', q, (None,))
        if row.ndim != 1 or not row.size:
            raise ShapeError('q', '(n,)', row.shape)
        rest = Trajectory([0.0], [row])
        self.n = rest.n
        self._continuous = (False,) * self.n if continuous is None else tuple(continuous)
        if len(self._continuous) != self.n:
            raise ShapeError('continuous', f'({self.n},)', (len(self._continuous),))
        everything = tuple(range(self.n))
        self._begins = [-math.inf]
        self._pieces: list[tuple[_Source, ...]] = [
            (_Source(0.0, None, rest, everything, everything),)]

    def sample(self, t: float) -> State:
        """
        Return what is desired.

        Parameters
        ----------
        t : float
            [s].

        Returns
        -------
        q, qd, qdd : tuple of float, length n

        Raises
        ------
        NonFiniteError
            If `t` is NaN, or no number.

        """
        try:
            # Only a number has this difference, and no integer beyond any float.
            t = float(t - 0.0)
            piece = self._pieces[bisect_right(self._begins, t) - 1]
        except (TypeError, ValueError, OverflowError):
            raise NonFiniteError('t', value=t) from None
        if len(piece) == 1:     # all joints, in their order
            return piece[0].sample(t)
        rows = [[0.0] * self.n for _ in range(3)]
        for source in piece:
            for row, values in zip(rows, source.sample(t)):
                for j, c in zip(source.joints, source.columns):
                    row[j] = values[c]
        q, qd, qdd = map(tuple, rows)
        return q, qd, qdd

    def replace(self, trajectory: Trajectory, start: float, now: float | None = None,
                joints: Sequence[int] | None = None) -> float:
        """
        Let a motion take over when it starts.

        Parameters
        ----------
        trajectory : Trajectory
            Its times count from `start`.
        start : float
            [s].
        now : float, optional
            [s]; a motion that started before begins with what is left of it.
        joints : sequence of int, optional
            Which joints its columns are, all if not given.

        Returns
        -------
        begin : float
            When it takes over [s].

        Raises
        ------
        TrajectoryError
            If nothing is left of it (code -3), or its first point is too close to be reached
            (code -1); the schedule then stays as it was.
        ShapeError
            If it has not a column for each joint.

        """
        joints = tuple(range(self.n)) if joints is None else tuple(joints)
        if trajectory.n != len(joints) or len(set(joints)) != len(joints):
            raise ShapeError('trajectory', f'a column for each of {len(joints)} joints',
                             (trajectory.n,))
        start = number('start', start)
        begin = start if now is None else max(start, number('now', now))
        source = self._source(trajectory, start, begin, joints)
        at = bisect_right(self._begins, begin)
        before = self._pieces[at - 1]
        later = list(zip(self._begins[at:], self._pieces[at:]))
        if self._begins[at - 1] == begin:
            at -= 1
        del self._begins[at:], self._pieces[at:]
        for time, piece in [(begin, before)] + later:
            piece = self._with(piece, source)
            if len(piece) == 1 and self._pieces and self._pieces[-1] == piece:
                continue
            self._begins.append(time)
            self._pieces.append(piece)
        return begin

    @staticmethod
    def _with(piece: tuple[_Source, ...], source: _Source) -> tuple[_Source, ...]:
        """Return the sources of a time with another one put over them."""
        kept = [old.without(source.joints) for old in piece]
        return tuple(old for old in kept if old is not None) + (source,)

    def _source(self, trajectory: Trajectory, start: float, begin: float,
                joints: tuple[int, ...]) -> _Source:
        """Return a motion with the way from what is desired at its begin to its next point."""
        t = round(begin - start, DIGITS)
        k = bisect_right(trajectory.times, t)
        met = k and trajectory.times[k - 1] == t
        if k == len(trajectory.times) and not met:
            raise TrajectoryError(
                f'it ended {t - trajectory.end_time:.6g} s before it could begin', code=-3)
        k -= bool(met)
        q, qd, qdd = ([row[j] for j in joints] for row in self.sample(begin))
        turns = [round((a - b) / math.tau) * math.tau if self._continuous[j] else 0.0
                 for j, a, b in zip(joints, q, trajectory.positions[k])]
        if any(turns):
            trajectory = Trajectory(
                trajectory.times, [[x + w for x, w in zip(row, turns)]
                                   for row in trajectory.positions],
                trajectory.velocities, trajectory.accelerations)
        lead = None
        if not met:
            lead = Trajectory((t, trajectory.times[k]), (q, trajectory.positions[k]),
                              (qd, trajectory.velocities[k]), (qdd, trajectory.accelerations[k]))
            check_reasonable(lead)
        # Sorted, so that a single source has its columns in the order of the joints.
        order = sorted(range(len(joints)), key=joints.__getitem__)
        if list(order) != list(range(len(joints))):
            trajectory, lead = _columns(trajectory, order), lead and _columns(lead, order)
            joints = tuple(sorted(joints))
        return _Source(start, lead, trajectory, joints, tuple(range(len(joints))))

    def stop(self, t: float, state: DesiredState | None = None, duration: float = 0.3,
             limits: Limits | None = None) -> None:
        """
        Come to rest; every motion is dropped.

        Parameters
        ----------
        t : float
            [s].
        state : tuple of (q, qd, qdd), optional
            Where from; what is desired at `t` if not given.
        duration : float
            [s].
        limits : Limits, optional
            It ends within these positions, if it started within.

        """
        t, duration = number('t', t), number('duration', duration, above=0.0)
        q, qd, qdd = self.sample(t) if state is None else state
        everything = tuple(range(self.n))
        if not any(qd) and not any(qdd):
            stop = Trajectory([0.0], [q])
        else:
            # Half of the way that the speed would have gone: the gentlest symmetric stop.
            end = [x + 0.5 * duration * v for x, v in zip(q, qd)]
            if limits is not None:
                end = [min(max(e, min(x, low)), max(x, high)) for e, x, low, high in
                       zip(end, q, map(float, limits.lower), map(float, limits.upper))]
            zero = (0.0,) * self.n
            stop = Trajectory([0.0, duration], [q, end], [qd, zero], [qdd, zero])
        k = bisect_right(self._begins, t) - (t in self._begins)
        del self._begins[k:], self._pieces[k:]
        self._begins.append(t)
        self._pieces.append((_Source(t, None, stop, everything, everything),))

    def forget_before(self, t: float) -> None:
        """
        Drop what is over: samples before `t` are not asked for any more.

        Parameters
        ----------
        t : float
            [s].

        """
        k = bisect_right(self._begins, number('t', t)) - 1
        if k > 0:
            del self._begins[:k], self._pieces[:k]
            self._begins[0] = -math.inf

    @property
    def end_time(self) -> float:
        """When the last motion ends [s]; minus infinity if there is none."""
        ends = [source.start + source.trajectory.end_time
                for source in self._pieces[-1] if len(source.trajectory.times) > 1 or source.lead]
        return max(ends, default=-math.inf)


def _columns(trajectory: Trajectory, order: Sequence[int]) -> Trajectory:
    def rows(values: SomeRows) -> Any:
        return [None if row is None else [row[k] for k in order] for row in values]

    return Trajectory(trajectory.times, rows(trajectory.positions), rows(trajectory.velocities),
                      rows(trajectory.accelerations))
