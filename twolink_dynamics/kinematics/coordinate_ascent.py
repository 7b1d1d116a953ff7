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
Coordinate ascent: the largest value that a function of the joints takes within their limits.

For functions that are, in each joint alone, of one of two simple shapes: ``A + B cos q + C sin q``
in a joint that turns, and a parabola in one that slides. Heights, gravity's efforts and squared
distances are such. One joint at a time is then brought to its best exactly, again and again, from
several starts: no joint alone can do better than what is returned. That the joints together
cannot is not proved.

"""

from __future__ import annotations

import math
from typing import Callable, Sequence

import numpy as np
import numpy.typing as npt

from twolink_dynamics.array_types import FloatArray
from twolink_dynamics.model.chain import Limits

__all__ = ['maximize']

# Where a joint without limits is held that slides: it would have no largest value.
HELD = 0.0
THIRD = 2.0 * math.pi / 3.0
SWEEPS = 60
# Relative gain of a sweep below which a start has arrived.
SETTLED = 1e-7


def maximize(function: Callable[[FloatArray], FloatArray], limits: Limits,
             prismatic: Sequence[bool], starts: int = 3, seed: int = 0
             ) -> tuple[FloatArray, FloatArray]:
    """
    Return the largest value of each component of a function, and where it takes it.

    Parameters
    ----------
    function : callable
        Of positions (N, n) into values (N, k).
    limits : Limits
        Those that allow no motion do not count; a prismatic joint without limits stays at zero.
    prismatic : sequence of bool, length n
    starts : int
        The first is the middle of the limits, the others are random.
    seed : int
        Of the random starts.

    Returns
    -------
    values : ndarray, shape (k,)
    q : ndarray, shape (k, n)

    """
    lower, upper = _box(limits, prismatic)
    rng = np.random.default_rng(seed)
    low = np.where(np.isfinite(lower), lower, -math.pi)
    high = np.where(np.isfinite(upper), upper, low + 2.0 * math.pi)
    points = rng.uniform(low, high, (starts, len(low)))
    points[0] = 0.5 * (low + high)
    k = function(points[:1]).shape[1]
    q = np.repeat(points, k, axis=0)         # rows: start by start, component by component
    component = np.tile(np.arange(k), starts)
    best = function(q)[np.arange(len(q)), component]
    active = np.arange(len(q))
    for _ in range(SWEEPS):
        def evaluate(at: FloatArray, rows: npt.NDArray[np.intp] = active) -> FloatArray:
            return function(at)[np.arange(len(rows)), component[rows]]

        moved = q[active]
        for j in reversed(range(len(low))):
            if upper[j] > lower[j]:
                moved[:, j] = (_best_slide if prismatic[j] else _best_turn)(
                    evaluate, moved, j, lower[j], upper[j])
        values = evaluate(moved)
        _leap(evaluate, q[active], moved, values, lower, upper)
        gain = values - best[active]
        q[active], best[active] = moved, values
        active = active[gain > SETTLED * np.maximum(np.abs(values), 1e-9)]
        if not len(active):
            break
    winner = best.reshape(starts, k).argmax(axis=0)
    rows = winner * k + np.arange(k)
    return best[rows], q[rows]


def _leap(evaluate: Callable[[FloatArray], FloatArray], start: FloatArray, moved: FloatArray,
          values: FloatArray, lower: FloatArray, upper: FloatArray) -> None:
    """
    Go on in the direction of a sweep, while that is better: in place.

    Long chains of parallel joints straighten a little in each sweep; this saves most of them.
    """
    step = moved - start
    turns = ~(np.isfinite(lower) | np.isfinite(upper))
    step[:, turns] = np.remainder(step[:, turns] + math.pi, 2.0 * math.pi) - math.pi
    for stride in (2.0, 6.0, 18.0):
        further = np.clip(start + stride * step, lower, upper)
        there = evaluate(further)
        better = there > values
        if not better.any():
            return
        moved[better], values[better] = further[better], there[better]


def _box(limits: Limits, prismatic: Sequence[bool]) -> tuple[FloatArray, FloatArray]:
    lower, upper = np.array(limits.lower), np.array(limits.upper)
    free = lower >= upper
    lower[free], upper[free] = -math.inf, math.inf
    for j in np.flatnonzero(prismatic):
        if not (math.isfinite(lower[j]) and math.isfinite(upper[j])):
            lower[j] = upper[j] = min(max(HELD, lower[j]), upper[j])
    return lower, upper


def _at(q: FloatArray, j: int, value: float) -> FloatArray:
    moved = q.copy()
    moved[:, j] = value
    return moved


def _best_turn(evaluate: Callable[[FloatArray], FloatArray], q: FloatArray, j: int, lower: float,
               upper: float) -> FloatArray:
    """Return the best positions of a turning joint."""
    first, second, third = (evaluate(_at(q, j, k * THIRD)) for k in range(3))
    b = (2.0 * first - second - third) / 3.0
    c = (second - third) / math.sqrt(3.0)
    mean = (first + second + third) / 3.0
    peak = np.arctan2(c, b)
    if math.isfinite(lower):  # the first peak above the lower limit
        peak = peak + 2.0 * math.pi * np.ceil((lower - peak) / (2.0 * math.pi))
    elif math.isfinite(upper):
        peak = peak - 2.0 * math.pi * np.ceil((peak - upper) / (2.0 * math.pi))
    options = [np.where((peak >= lower) & (peak <= upper), peak, q[:, j]), q[:, j]]
    options += [np.full(len(q), end) for end in (lower, upper) if math.isfinite(end)]
    values = [mean + b * np.cos(x) + c * np.sin(x) for x in options]
    return np.choose(np.argmax(values, axis=0), options)


def _best_slide(evaluate: Callable[[FloatArray], FloatArray], q: FloatArray, j: int, lower: float,
                upper: float) -> FloatArray:
    """Return the best positions of a sliding joint."""
    middle, half = 0.5 * (lower + upper), 0.5 * (upper - lower)
    low, mid, high = (evaluate(_at(q, j, x)) for x in (lower, middle, upper))
    bend, slope = 0.5 * (low + high) - mid, 0.5 * (high - low)
    top = np.where(bend < 0.0, np.clip(-slope / np.where(bend < 0.0, 2.0 * bend, 1.0), -1, 1), 1.0)
    options = [np.full(len(q), -1.0), np.full(len(q), 1.0), top]
    values = [mid + slope * x + bend * x * x for x in options]
    return middle + half * np.choose(np.argmax(values, axis=0), options)
