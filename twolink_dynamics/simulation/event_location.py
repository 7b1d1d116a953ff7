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

"""Finding when, within a step, something first happened."""

from __future__ import annotations

from functools import partial
from typing import Any, Callable, Sequence

__all__ = ['first_of']

# Bisection alone would need 50 for the last digit of a time.
ITERATIONS = 80
HALVINGS = 40
# Events nearer to each other than this part of the step are one.
TOGETHER = 1e-12


def first_of(events: Sequence[Any], h: float, margin: Callable[[Any, float], float],
             events_at: Callable[[float], Sequence[Any]]) -> tuple[list[Any], float]:
    """
    Return what happened first within a step, and when.

    Parameters
    ----------
    events : sequence
        What has happened at time `h`.
    h : float
        [s].
    margin : callable
        ``(event, time) -> float``: positive where the event has happened.
    events_at : callable
        ``(time) -> events`` that have happened then; an event may be undone before `h`.

    Returns
    -------
    events : list
        What happened at that time: usually one.
    time : float
        Within rounding the first at which the margins are positive; 0 if so from the start.

    """
    found = _first(events, h, margin)
    if found is None:  # what has happened cannot be measured: the state is not finite
        return list(events), h
    event, time = found
    while True:
        others = [other for other in events_at(time) if other != event]
        if not others or time == 0.0:
            return [event, *others], time
        earlier = _first(others, time, margin)
        if earlier is None or time - earlier[1] <= TOGETHER * h:
            return [event, *others], time
        event, time = earlier


def _first(events: Sequence[Any], h: float, margin: Callable[[Any, float], float]
           ) -> tuple[Any, float] | None:
    best: tuple[Any, float] | None = None
    for event in events:
        time = _root(partial(margin, event), h if best is None else best[1])
        if time is not None and (best is None or time < best[1]):
            best = event, time
    return best


def _root(g: Callable[[float], float], h: float) -> float | None:
    """Return the end of the bracket where g is positive, or None if it is not at h."""
    high, g_high = h, g(h)
    if not g_high > 0.0:
        return None
    low, g_low = 0.0, g(0.0)
    enough = 1e-14 * g_high
    for _ in range(HALVINGS):
        if g_low < 0.0:
            break
        # It begins on the edge, and leaves it: a rebound, or a joint that begins to slide.
        t = 0.5 * high
        value = g(t)
        if value > 0.0:
            high, g_high = t, value
        else:
            low, g_low = t, value
            if value == 0.0:
                return t
    else:
        return 0.0
    weight_low = weight_high = 1.0
    for _ in range(ITERATIONS):
        if g_high <= enough or high - low <= 1e-15 * h:
            break
        # Regula falsi; an end that stays is weighed less (the Illinois rule).
        a, b = weight_low * g_low, weight_high * g_high
        t = (low * b - high * a) / (b - a)
        if not low < t < high:
            t = 0.5 * (low + high)
            if not low < t < high:
                break
        value = g(t)
        if value > 0.0:
            high, g_high, weight_high = t, value, 1.0
            weight_low *= 0.5
        else:
            low, g_low, weight_low = t, value, 1.0
            if value == 0.0:
                return t
            weight_high *= 0.5
    return high
