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
Joint trajectories: points, and linear, cubic and quintic segments between them.

The rules are those that clients of joint_trajectory_controller know: a segment is linear where
only positions are given, cubic where both ends have a velocity, quintic where both have a
velocity and an acceleration. Coefficients are made once; a sample is a bisection and a few
multiplications on Python floats, for it is taken in every cycle of a control loop.

"""

from __future__ import annotations

from bisect import bisect_right
from typing import Any, Sized, Tuple

import numpy as np

from twolink_dynamics.array_types import ArrayLike, FloatArray, Vector
from twolink_dynamics.errors import NonFiniteError, ShapeError, TrajectoryError
from twolink_dynamics.trajectory.segments import (
    make_segments, Row, SomeRows, with_derived_velocities)
from twolink_dynamics.validation import check_array, number, vector

__all__ = ['Trajectory']

#: Position, velocity and acceleration, a float per joint.
State = Tuple[Row, Row, Row]


def _rows(name: str, values: Any, m: int, n: int) -> list[Row | None]:
    """Return m rows, each a tuple of n floats or None where the point has none."""
    if values is None:
        return [None] * m
    try:
        # A trajectory comes while the arm is under control: mostly every row is there and fine.
        array = check_array(name, values)
        if array.shape == (m, n):
            return list(map(tuple, array.tolist()))
    except NonFiniteError:
        pass
    rows = list(values) if np.iterable(values) else []
    if len(rows) != m:
        raise ShapeError(name, f'({m}, {n}), one row per time', (len(rows),))
    missing = [row is None or np.iterable(row) and isinstance(row, Sized) and not len(row)
               for row in rows]
    return [None if none else vector(f'{name}[{k}]', row, n)
            for k, (row, none) in enumerate(zip(rows, missing))]


class Trajectory:
    """
    Desired joint positions, velocities and accelerations over time.

    Before its first point it rests there, after its last point it rests there. In between, a
    segment is linear if only positions are given, cubic if both ends have a velocity, quintic if
    both have a velocity and an acceleration. Where points have accelerations but no velocities,
    the velocities are derived: see Notes.

    Parameters
    ----------
    times : array_like, shape (m,)
        Strictly increasing [s]. Keep them small (from the trajectory's start, not from 1970): a
        float resolves the second of a wall clock only to 0.2 us.
    positions : array_like, shape (m, n)
        [rad or m].
    velocities, accelerations : array_like, shape (m, n), or sequence of rows, optional
        [rad/s, rad/s^2 or m/s, m/s^2]. A row may be None, or empty, where a point has none.

    Attributes
    ----------
    n : int
        The number of joints.
    times : tuple of float, length m
    positions, velocities, accelerations : tuple of m tuples of n floats
        None where a point has none.
    segments : list of (t0, rate, joints)
        What is between the points, see :mod:`~twolink_dynamics.trajectory.segments`.

    Raises
    ------
    ShapeError
        If a shape does not fit, or there is no point.
    NonFiniteError
        If a number is NaN or infinite.
    TrajectoryError
        If the times do not increase, or two points are too close for their numbers.

    Notes
    -----
    Positions and accelerations determine one cubic per segment; its slopes give the velocities (at
    an inner point the mean of both sides), and the segment is then the quintic through all of
    them. So points of any cubic spline give back that spline, and no velocity jumps.

    Examples
    --------
    >>> move = Trajectory([0, 2], [[0.0], [1.0]], [[0.0], [0.0]])
    >>> move.sample(1.0)
    ((0.5,), (0.75,), (0.0,))

    """

    __slots__ = ('n', 'times', 'positions', 'velocities', 'accelerations', 'segments',
                 '_table', '_rest', '_end')

    def __init__(self, times: ArrayLike, positions: ArrayLike,
                 velocities: ArrayLike | SomeRows | None = None,
                 accelerations: ArrayLike | SomeRows | None = None) -> None:
        times, positions = check_array('times', times), check_array('positions', positions)
        if times.ndim != 1 or not len(times):
            raise ShapeError('times', '(m,) with m >= 1', times.shape)
        m = len(times)
        if positions.ndim != 2 or len(positions) != m or not positions.shape[1]:
            raise ShapeError('positions', f'({m}, n), one row per time, one column per joint',
                             positions.shape)
        increasing = np.diff(times) > 0.0
        if not increasing.all():
            k = 1 + int(np.argmin(increasing))
            raise TrajectoryError(
                f'times must increase strictly, got {times[k]:g} s after {times[k - 1]:g} s',
                point=k)
        self.n = int(positions.shape[1])
        self.times: tuple[float, ...] = tuple(times.tolist())
        self.positions: tuple[Row, ...] = tuple(map(tuple, positions.tolist()))
        qd = _rows('velocities', velocities, m, self.n)
        qdd = _rows('accelerations', accelerations, m, self.n)
        self.accelerations = tuple(qdd)
        self.velocities: tuple[Row | None, ...] = tuple(
            with_derived_velocities(self.times, self.positions, qd, qdd))
        zero = (0.0,) * self.n
        self._rest = ((self.positions[0], zero, zero), (self.positions[-1], zero, zero))
        self._end = (self.positions[-1], self.velocities[-1] or zero,
                     self.accelerations[-1] or zero)
        self.segments = make_segments(self.times, self.positions, self.velocities, qdd)
        self._table: tuple[Any, ...] | None = None

    def __repr__(self) -> str:
        """Say how many points and joints, and when."""
        return (f'<Trajectory of {self.n} joints, {len(self.times)} points, '
                f'{self.start_time:g} s to {self.end_time:g} s>')

    @property
    def start_time(self) -> float:
        """The time of the first point [s]."""
        return self.times[0]

    @property
    def end_time(self) -> float:
        """The time of the last point [s]."""
        return self.times[-1]

    @property
    def duration(self) -> float:
        """From the first point to the last [s]."""
        return self.times[-1] - self.times[0]

    def sample(self, t: float) -> State:
        """
        Return the desired state at one time, in O(log m).

        At a point where two segments meet, the later one counts; at the last point, what is
        given for it.

        Parameters
        ----------
        t : float
            Time [s].

        Returns
        -------
        q, qd, qdd : tuple of float, length n
            Position, velocity and acceleration; at rest before the first and after the last point.

        Raises
        ------
        NonFiniteError
            If `t` is NaN, or no number.

        """
        try:
            k = bisect_right(self.times, t) - 1
        except (TypeError, ValueError):
            raise NonFiniteError('t', value=t) from None
        if k < 0:
            return self._rest[0]
        if k >= len(self.segments):
            if t > self.times[-1]:
                return self._rest[1]
            if t != t:
                raise NonFiniteError('t', value=t)
            return self._end
        t0, r, joints = self.segments[k]
        u = (t - t0) * r
        q, qd, qdd = [], [], []
        for c0, c1, c2, c3, c4, c5, v0, v1, v2, v3, v4, a0, a1, a2, a3 in joints:
            q.append(c0 + u * (c1 + u * (c2 + u * (c3 + u * (c4 + u * c5)))))
            qd.append(v0 + u * (v1 + u * (v2 + u * (v3 + u * v4))))
            qdd.append(a0 + u * (a1 + u * (a2 + u * a3)))
        return tuple(q), tuple(qd), tuple(qdd)

    def sample_many(self, times: ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
        """
        Return the desired states at many times.

        Parameters
        ----------
        times : array_like, shape (...)
            Times [s], in any order.

        Returns
        -------
        q, qd, qdd : ndarray, shape (..., n)
            What :meth:`sample` gives at each.

        Raises
        ------
        NonFiniteError
            If a time is NaN.

        """
        times = check_array('times', times, infinite=True)
        t = times.ravel()
        q, qd, qdd = (np.zeros((t.size, self.n)) for _ in range(3))
        q[:] = self.positions[-1]
        q[t < self.start_time] = self.positions[0]
        if self.segments:
            inside = (t >= self.start_time) & (t < self.end_time)
            q[inside], qd[inside], qdd[inside] = self._polynomials(t[inside])
        _, qd[t == self.end_time], qdd[t == self.end_time] = self._end
        shape = times.shape + (self.n,)
        return q.reshape(shape), qd.reshape(shape), qdd.reshape(shape)

    def _polynomials(self, t: FloatArray) -> list[FloatArray]:
        if self._table is None:
            starts, rates, joints = zip(*self.segments)
            self._table = (np.array(self.times[1:-1]), np.array(starts), np.array(rates),
                           np.moveaxis(np.array(joints), -1, 0))
        inner, starts, rates, table = self._table
        k = np.searchsorted(inner, t, side='right')
        u = ((t - starts[k]) * rates[k])[:, None]
        results = []
        for first, last in ((0, 5), (6, 10), (11, 14)):
            value = table[last][k]
            for row in range(last - 1, first - 1, -1):
                value = table[row][k] + u * value
            results.append(value)
        return results

    def shifted(self, offset: float) -> Trajectory:
        """
        Return the same motion at another time.

        Parameters
        ----------
        offset : float
            Added to every time [s].

        Returns
        -------
        trajectory : Trajectory

        """
        offset = number('offset', offset)
        return Trajectory([t + offset for t in self.times], self.positions,
                          self.velocities, self.accelerations)

    def with_lead_in(self, t0: float, q: Vector, qd: Vector | None = None,
                     qdd: Vector | None = None) -> Trajectory:
        """
        Return this trajectory, begun at a given state.

        A segment of the usual rules leads from the state to the first point that is still to come.
        A point at exactly `t0` is not led to: the trajectory then starts with it, as it does in
        joint_trajectory_controller.

        Parameters
        ----------
        t0 : float
            When the state is [s].
        q : array_like, shape (n,)
            Position.
        qd, qdd : array_like, shape (n,), optional
            Velocity and acceleration; without a velocity the segment is linear, without an
            acceleration cubic at most.

        Returns
        -------
        trajectory : Trajectory
            Its first point is the state at `t0`, unless this has a point at `t0`.

        Raises
        ------
        TrajectoryError
            If no point is left at `t0` (code -3, OLD_HEADER_TIMESTAMP).

        """
        t0, q = number('t0', t0), vector('q', q, self.n)
        qd, qdd = (row if row is None else vector(name, row, self.n)
                   for name, row in (('qd', qd), ('qdd', qdd)))
        k = bisect_right(self.times, t0)
        if k and self.times[k - 1] == t0:
            return self if k == 1 else Trajectory(
                self.times[k - 1:], self.positions[k - 1:], self.velocities[k - 1:],
                self.accelerations[k - 1:])
        if k == len(self.times):
            raise TrajectoryError(
                f'the trajectory ended at {self.end_time:g} s, before {t0:g} s', code=-3)
        return Trajectory((t0,) + self.times[k:], (q,) + self.positions[k:],
                          (qd,) + self.velocities[k:], (qdd,) + self.accelerations[k:])
