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
The fastest profile of speed along a path, under constraints that are linear in it.

Reachability analysis after Pham and Pham (2018): backward, which speeds at each place still let
the motion come to rest at the end; forward, the fastest of them. It needs no switching points and
has no trouble where the inertia along the path vanishes.

"""

from __future__ import annotations

import math
from typing import Sequence, Tuple

import numpy as np

from twolink_dynamics.array_types import FloatArray

__all__ = ['Row', 'fastest_profile']

#: alpha, beta and gamma of constraints ``alpha u + beta x <= gamma``.
Row = Tuple[FloatArray, FloatArray, FloatArray]

# A coefficient so much smaller than the others of its row is none: its quotient would be noise.
NOTHING = 1e-12


def fastest_profile(rows: Sequence[Row], largest: FloatArray,
                    step: float) -> tuple[FloatArray | None, int]:
    """
    Return the largest squared speeds from rest to rest.

    Parameters
    ----------
    rows : sequence of (alpha, beta, gamma), length N
        For each interval what must hold of acceleration u and squared speed x at its begin:
        ``alpha u + beta x <= gamma``, ndarrays of equal length. At its end the squared speed is
        ``x + 2 step u``.
    largest : ndarray, shape (N + 1,)
        The largest squared speed at each place; finite.
    step : float
        The way between two places.

    Returns
    -------
    x : ndarray, shape (N + 1,), or None
        Squared speeds, zero at both ends; None if there are none.
    stuck : int
        Where there are none, the first place seen from the end; else -1.

    """
    N = len(rows)
    low, high = np.zeros(N + 1), np.zeros(N + 1)
    for i in range(N - 1, -1, -1):
        bounds = _possible_speeds(rows[i], largest[i], low[i + 1], high[i + 1], step)
        if bounds is None:
            return None, i
        low[i], high[i] = bounds
    if low[0] > 1e-9 * max(high.max(), 1e-300):
        return None, 0
    x = np.zeros(N + 1)
    for i in range(N):
        u = _largest_acceleration(rows[i], x[i], low[i + 1], high[i + 1], step)
        x[i + 1] = min(max(x[i] + 2.0 * step * u, low[i + 1]), high[i + 1])
    return x, -1


def _with_next(row: Row, low: float, high: float, step: float) -> Row:
    """Return the constraints with those that lead to the next speeds."""
    alpha, beta, gamma = row
    return (np.concatenate([alpha, [2.0 * step, -2.0 * step]]),
            np.concatenate([beta, [1.0, -1.0]]), np.concatenate([gamma, [high, -low]]))


def _possible_speeds(row: Row, largest: float, low: float, high: float,
                     step: float) -> tuple[float, float] | None:
    """Return the smallest and largest x for which there is some u, or None."""
    alpha, beta, gamma = _with_next(row, low, high, step)
    size = np.abs(alpha)
    none = size <= NOTHING * size.max()
    up, down = (alpha > 0.0) & ~none, (alpha < 0.0) & ~none
    # An upper bound of u minus a lower one is not negative, for each pair: u is eliminated.
    slope_up, slope_down = beta[up] / alpha[up], beta[down] / alpha[down]
    at_up, at_down = gamma[up] / alpha[up], gamma[down] / alpha[down]
    slope = np.concatenate([(slope_up[:, None] - slope_down).ravel(), beta[none]])
    rest = np.concatenate([(at_up[:, None] - at_down).ravel(), gamma[none]])
    small = np.abs(slope) <= NOTHING
    if (rest[small] < -1e-9 * max(1.0, np.abs(rest).max())).any():
        return None
    with np.errstate(over='ignore'):
        bound = rest[~small] / slope[~small]
    positive = slope[~small] > 0.0
    most = min(largest, bound[positive].min(initial=math.inf))
    least = max(0.0, bound[~positive].max(initial=0.0))
    if least > most:
        # Rounding may leave nothing of an interval that is a point.
        if least - most > 1e-9 * max(least, largest * 1e-6):
            return None
        least = most = max(0.0, most)
    return least, most


def _largest_acceleration(row: Row, x: float, low: float, high: float, step: float) -> float:
    """Return the largest u that a speed allows."""
    alpha, beta, gamma = _with_next(row, low, high, step)
    size = np.abs(alpha)
    none = size <= NOTHING * size.max()
    up, down = (alpha > 0.0) & ~none, (alpha < 0.0) & ~none
    most = ((gamma[up] - beta[up] * x) / alpha[up]).min()
    least = ((gamma[down] - beta[down] * x) / alpha[down]).max()
    return most if most >= least else 0.5 * (most + least)
