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
Segments of a trajectory: the polynomial between two points, linear, cubic or quintic.

A segment is ``(t0, rate, joints)``: its begin [s], one over its duration [1/s], and for each joint
15 coefficients in ``u = (t - t0) rate``, lowest power first: 6 of the position, 5 of the velocity,
4 of the acceleration.

"""

from __future__ import annotations

import math
from typing import Any, List, Optional, Sequence, Tuple

import numpy as np

from twolink_dynamics.array_types import FloatArray, Vector
from twolink_dynamics.errors import TrajectoryError

__all__ = ['Row', 'Rows', 'Segment', 'SomeRows', 'make_segments', 'with_derived_velocities']

Row = Tuple[float, ...]
Rows = Sequence[Vector]
#: None where a point has none.
SomeRows = Sequence[Optional[Vector]]
Segment = Tuple[float, float, Sequence[Vector]]


def with_derived_velocities(times: Vector, q: Rows, qd: list[Row | None], qdd: SomeRows
                            ) -> list[Row | None]:
    """
    Return the velocities, with those derived that only accelerations came for.

    Between two points with accelerations there is exactly one cubic through both positions and
    both accelerations. A point's velocity is the slope of these cubics there, the mean of both if
    there are two (they agree if the points were taken from any cubic spline, such as a straight
    line, a parabola, or what a planner's spline gave). The accelerations given are kept.

    Parameters
    ----------
    times : sequence of float, length m
        [s].
    q : sequence of m sequences of n floats
    qd : list of m (tuple of n floats, or None)
    qdd : sequence of m (sequence of n floats, or None)

    Returns
    -------
    qd : list of (tuple of n floats, or None)

    """
    if None not in qd:
        return qd
    slopes: list[list[list[float]]] = [[] for _ in times]
    for k in range(len(times) - 1):
        begin, end = qdd[k], qdd[k + 1]
        if begin is None or end is None:
            continue
        T = times[k + 1] - times[k]
        chords = [(b - a) / T for a, b in zip(q[k], q[k + 1])]
        slopes[k].append([c - T * (2.0 * a + b) / 6.0 for c, a, b in zip(chords, begin, end)])
        slopes[k + 1].append([c + T * (a + 2.0 * b) / 6.0 for c, a, b in zip(chords, begin, end)])
    return [v if v is not None else tuple(sum(s) / len(s) for s in zip(*slope)) if slope else None
            for v, slope in zip(qd, slopes)]


def _coefficients(T: Any, q0: Any, q1: Any, v0: Any, v1: Any, a0: Any, a1: Any
                  ) -> tuple[Any, ...]:
    """Return the 6 coefficients in u = (t - t0)/T of a segment, of floats or of arrays."""
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


def _with_derivatives(T: Any, c: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return position, velocity and acceleration coefficients in u: 6 + 5 + 4 numbers."""
    r, rr = 1.0 / T, 1.0 / T / T
    return c + (c[1] * r, 2.0 * c[2] * r, 3.0 * c[3] * r, 4.0 * c[4] * r, 5.0 * c[5] * r,
                2.0 * c[2] * rr, 6.0 * c[3] * rr, 12.0 * c[4] * rr, 20.0 * c[5] * rr)


def make_segments(times: Vector, q: Rows, qd: SomeRows, qdd: SomeRows) -> list[Segment]:
    """
    Return the segments between points.

    Parameters
    ----------
    times : sequence of float, length m
        Strictly increasing [s].
    q : sequence of m sequences of n floats
    qd, qdd : sequence of m (sequence of n floats, or None)

    Returns
    -------
    segments : list of (t0, rate, joints), length m - 1

    Raises
    ------
    TrajectoryError
        If two points are too close for their numbers.

    """
    if all(rows.count(None) in (0, len(rows)) for rows in map(list, (qd, qdd))):
        return _alike_segments(times, *(
            None if rows[0] is None else np.array(rows) for rows in (q, qd, qdd)))
    return _different_segments(times, q, qd, qdd)


def _alike_segments(times: Vector, *rows: FloatArray | None) -> list[Segment]:
    """Return the segments of points that all have the same things given: all at once."""
    T = np.diff(np.array(times))
    ends = [end for row in rows
            for end in ((None, None) if row is None else (row[:-1], row[1:]))]
    with np.errstate(all='ignore'):
        columns = _with_derivatives(T[:, None], _coefficients(T[:, None], *ends))
        rates = 1.0 / T
    table = np.empty((*np.shape(columns[0]), len(columns)))
    for k, column in enumerate(columns):
        table[:, :, k] = column
    finite = np.isfinite(table).all(axis=(1, 2))
    if not finite.all():
        _refuse(times, int(np.argmin(finite)))
    return list(zip(times, rates.tolist(), table.tolist()))


def _refuse(times: Vector, k: int) -> None:
    raise TrajectoryError(
        f'{times[k + 1] - times[k]:g} s after the point before is too close for such numbers: the '
        'acceleration between them is not finite', point=k + 1)


def _different_segments(times: Vector, *points: SomeRows) -> list[Segment]:
    segments: List[Segment] = []
    none = (None,) * len(points[0][0] or ())
    for k, t0 in enumerate(times[:-1]):
        T = times[k + 1] - t0
        ends = [row if row is not None else none for rows in points for row in rows[k:k + 2]]
        try:
            joints = [_with_derivatives(T, _coefficients(T, *joint)) for joint in zip(*ends)]
            finite = all(math.isfinite(c) for joint in joints for c in joint)
        except (ZeroDivisionError, OverflowError):
            finite = False
        if not finite:
            _refuse(times, k)
        segments.append((t0, 1.0 / T, joints))
    return segments
