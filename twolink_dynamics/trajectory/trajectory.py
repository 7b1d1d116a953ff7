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
Sampling of joint trajectories: linear, cubic and quintic segments between points.

The rules are those that clients of joint_trajectory_controller know: a segment is linear where
only positions are given, cubic where both ends have a velocity, quintic where both have a
velocity and an acceleration. Coefficients are made once; a sample is a bisection and a few
multiplications on Python floats, for it is taken in every cycle of a control loop.

"""

from bisect import bisect_right
import math

import numpy as np

from twolink_dynamics.errors import NonFiniteError, ParameterError, ShapeError, TrajectoryError

__all__ = ['Trajectory']


def _finite(name, values):
    bad = np.argwhere(~np.isfinite(values))
    if len(bad):
        index = tuple(int(i) for i in bad[0])
        raise NonFiniteError(name, index, float(values[index]))


def _as_array(name, values):
    try:
        return np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(name, values, 'numbers, as many in every row') from None


def _vector(name, values, n):
    """Return `values` as a tuple of `n` finite floats."""
    array = _as_array(name, values)
    if array.shape != (n,):
        raise ShapeError(name, f'({n},), one per joint', array.shape)
    _finite(name, array)
    return tuple(array.tolist())


def _rows(name, values, m, n):
    """Return m rows, each a tuple of n floats or None where the point has none."""
    if values is None:
        return [None] * m
    values = values if hasattr(values, '__len__') else list(values)
    if len(values) != m:
        raise ShapeError(name, f'({m}, {n}), one row per time', (len(values),))
    try:
        # A trajectory comes while the arm is under control: mostly every row is there and fine.
        array = np.array(values, dtype=np.float64)
        if array.shape == (m, n) and np.isfinite(array).all():
            return list(map(tuple, array.tolist()))
    except (TypeError, ValueError):
        pass
    rows = []
    for k, row in enumerate(values):
        missing = row is None or (hasattr(row, '__len__') and len(row) == 0)
        rows.append(None if missing else _vector(f'{name}[{k}]', row, n))
    return rows


def _without_velocities(times, q, qd, qdd):
    """
    Return the velocities, with those derived that only accelerations came for.

    Between two points with accelerations there is exactly one cubic through both positions and
    both accelerations. A point's velocity is the slope of these cubics there, the mean of both if
    there are two (they agree if the points were taken from any cubic spline, such as a straight
    line, a parabola, or what a planner's spline gave). The accelerations given are kept.

    """
    if None not in qd:
        return qd
    slopes = [[] for _ in times]
    for k in range(len(times) - 1):
        if qdd[k] is None or qdd[k + 1] is None:
            continue
        T = times[k + 1] - times[k]
        chords = [(b - a) / T for a, b in zip(q[k], q[k + 1])]
        slopes[k].append([c - T * (2.0 * a + b) / 6.0
                          for c, a, b in zip(chords, qdd[k], qdd[k + 1])])
        slopes[k + 1].append([c + T * (a + 2.0 * b) / 6.0
                              for c, a, b in zip(chords, qdd[k], qdd[k + 1])])
    return [v if v is not None else tuple(sum(s) / len(s) for s in zip(*slope)) if slope else None
            for v, slope in zip(qd, slopes)]


def _coefficients(T, q0, q1, v0, v1, a0, a1):
    """Return the 6 coefficients in u = (t - t0)/T of one joint's segment."""
    D = q1 - q0
    if v0 is None or v1 is None:
        return q0, D, 0.0, 0.0, 0.0, 0.0
    v0, v1 = v0 * T, v1 * T
    if a0 is None or a1 is None:
        return q0, v0, 3.0 * D - 2.0 * v0 - v1, -2.0 * D + v0 + v1, 0.0, 0.0
    a0, a1 = 0.5 * a0 * T * T, 0.5 * a1 * T * T
    return (q0, v0, a0,
            10.0 * D - 6.0 * v0 - 4.0 * v1 - 3.0 * a0 + a1,
            -15.0 * D + 8.0 * v0 + 7.0 * v1 + 3.0 * a0 - 2.0 * a1,
            6.0 * D - 3.0 * (v0 + v1) - a0 + a1)


def _with_derivatives(T, c):
    """Return position, velocity and acceleration coefficients in u: 6 + 5 + 4 numbers."""
    r, rr = 1.0 / T, 1.0 / T / T
    return c + (c[1] * r, 2.0 * c[2] * r, 3.0 * c[3] * r, 4.0 * c[4] * r, 5.0 * c[5] * r,
                2.0 * c[2] * rr, 6.0 * c[3] * rr, 12.0 * c[4] * rr, 20.0 * c[5] * rr)


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

    __slots__ = ('n', 'times', 'positions', 'velocities', 'accelerations', '_segments',
                 '_table', '_rest', '_end')

    def __init__(self, times, positions, velocities=None, accelerations=None):
        times, positions = _as_array('times', times), _as_array('positions', positions)
        if times.ndim != 1 or not len(times):
            raise ShapeError('times', '(m,) with m >= 1', times.shape)
        m = len(times)
        if positions.ndim != 2 or len(positions) != m or not positions.shape[1]:
            raise ShapeError('positions', f'({m}, n), one row per time, one column per joint',
                             positions.shape)
        _finite('times', times)
        _finite('positions', positions)
        increasing = np.diff(times) > 0.0
        if not increasing.all():
            k = 1 + int(np.argmin(increasing))
            raise TrajectoryError(
                f'times must increase strictly, got {times[k]:g} s after {times[k - 1]:g} s',
                point=k)
        self.n = positions.shape[1]
        self.times = tuple(times.tolist())
        self.positions = tuple(map(tuple, positions.tolist()))
        qd = _rows('velocities', velocities, m, self.n)
        qdd = _rows('accelerations', accelerations, m, self.n)
        self.accelerations = tuple(qdd)
        self.velocities = tuple(_without_velocities(self.times, self.positions, qd, qdd))
        zero = (0.0,) * self.n
        self._rest = ((self.positions[0], zero, zero), (self.positions[-1], zero, zero))
        self._end = (self.positions[-1], self.velocities[-1] or zero,
                     self.accelerations[-1] or zero)
        self._segments = self._make_segments()
        self._table = None

    def _make_segments(self):
        rows = [None if values[0] is None else np.array(values)
                for values in (self.velocities, self.accelerations)
                if values[0] is None or None not in values]
        alike = len(rows) == 2 and all(
            row is not None or values.count(None) == len(values)
            for row, values in zip(rows, (self.velocities, self.accelerations)))
        return self._alike_segments(*rows) if alike else self._different_segments()

    def _alike_segments(self, qd, qdd):
        """Return the segments of points that all have the same things given: all at once."""
        times, q = np.array(self.times), np.array(self.positions)
        T = np.diff(times)
        ends = [end for row in (q, qd, qdd)
                for end in ((None, None) if row is None else (row[:-1], row[1:]))]
        with np.errstate(all='ignore'):
            columns = _with_derivatives(T[:, None], _coefficients(T[:, None], *ends))
            rates = 1.0 / T
        table = np.empty((len(T), self.n, 15))
        for k, column in enumerate(columns):
            table[:, :, k] = column
        finite = np.isfinite(table).all(axis=(1, 2))
        if not finite.all():
            self._refuse(int(np.argmin(finite)))
        return list(zip(self.times, rates.tolist(), table.tolist()))

    def _refuse(self, k):
        T = self.times[k + 1] - self.times[k]
        raise TrajectoryError(
            f'{T:g} s after the point before is too close for such numbers: the '
            'acceleration between them is not finite', point=k + 1)

    def _different_segments(self):
        segments, none = [], (None,) * self.n
        for k in range(len(self.times) - 1):
            t0, T = self.times[k], self.times[k + 1] - self.times[k]
            ends = [row if row is not None else none
                    for rows in (self.positions, self.velocities, self.accelerations)
                    for row in rows[k:k + 2]]
            try:
                joints = tuple(_with_derivatives(T, _coefficients(T, *joint))
                               for joint in zip(*ends))
                finite = all(math.isfinite(c) for joint in joints for c in joint)
            except (ZeroDivisionError, OverflowError):
                finite = False
            if not finite:
                self._refuse(k)
            segments.append((t0, 1.0 / T, joints))
        return segments

    def __repr__(self):
        """Say how many points and joints, and when."""
        return (f'<Trajectory of {self.n} joints, {len(self.times)} points, '
                f'{self.start_time:g} s to {self.end_time:g} s>')

    @property
    def start_time(self):
        """The time of the first point [s]."""
        return self.times[0]

    @property
    def end_time(self):
        """The time of the last point [s]."""
        return self.times[-1]

    @property
    def duration(self):
        """From the first point to the last [s]."""
        return self.times[-1] - self.times[0]

    def sample(self, t):
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
            If `t` is NaN.

        """
        k = bisect_right(self.times, t) - 1
        if k < 0:
            return self._rest[0]
        if k >= len(self._segments):
            if t > self.times[-1]:
                return self._rest[1]
            if t != t:
                raise NonFiniteError('t', value=t)
            return self._end
        t0, r, joints = self._segments[k]
        u = (t - t0) * r
        q, qd, qdd = [], [], []
        for c0, c1, c2, c3, c4, c5, v0, v1, v2, v3, v4, a0, a1, a2, a3 in joints:
            q.append(c0 + u * (c1 + u * (c2 + u * (c3 + u * (c4 + u * c5)))))
            qd.append(v0 + u * (v1 + u * (v2 + u * (v3 + u * v4))))
            qdd.append(a0 + u * (a1 + u * (a2 + u * a3)))
        return tuple(q), tuple(qd), tuple(qdd)

    def sample_many(self, times):
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
        times = _as_array('times', times)
        if np.isnan(times).any():
            index = tuple(int(i) for i in np.argwhere(np.isnan(times))[0])
            raise NonFiniteError('times', index, math.nan)
        t = times.ravel()
        q, qd, qdd = (np.zeros((t.size, self.n)) for _ in range(3))
        q[:] = self.positions[-1]
        q[t < self.start_time] = self.positions[0]
        if self._segments:
            inside = (t >= self.start_time) & (t < self.end_time)
            q[inside], qd[inside], qdd[inside] = self._polynomials(t[inside])
        _, qd[t == self.end_time], qdd[t == self.end_time] = self._end
        shape = times.shape + (self.n,)
        return q.reshape(shape), qd.reshape(shape), qdd.reshape(shape)

    def _polynomials(self, t):
        if self._table is None:
            starts, rates, joints = zip(*self._segments)
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

    def shifted(self, offset):
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
        return Trajectory([t + offset for t in self.times], self.positions,
                          self.velocities, self.accelerations)

    def with_lead_in(self, t0, q, qd=None, qdd=None):
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
        if not math.isfinite(t0):
            raise NonFiniteError('t0', value=t0)
        k = bisect_right(self.times, t0)
        if k and self.times[k - 1] == t0:
            return self if k == 1 else Trajectory(
                self.times[k - 1:], self.positions[k - 1:], self.velocities[k - 1:],
                self.accelerations[k - 1:])
        if k == len(self.times):
            raise TrajectoryError(
                f'the trajectory ended at {self.end_time:g} s, before {t0:g} s', code=-3)
        return Trajectory((t0,) + self.times[k:], (_vector('q', q, self.n),) + self.positions[k:],
                          (qd,) + self.velocities[k:], (qdd,) + self.accelerations[k:])
