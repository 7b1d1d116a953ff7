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

"""Profiles of motions in time: their periods, their times, and a smooth way from 0 to 1."""

import numpy as np

from twolink_dynamics.array_types import FloatArray
from twolink_dynamics.errors import ParameterError
from twolink_dynamics.validation import number

__all__ = ['POINTS_PER_PERIOD', 'equidistant', 'period_and_cycles', 'smooth_step']

# Quintic segments through a sine at so many points a period are off by
# (2 pi / 60)^6 / 46080 = 3e-11 of its amplitude.
POINTS_PER_PERIOD = 60
# [s]; of what repeats, where nothing else is given.
PERIOD = 4.0


def period_and_cycles(period: float | None, cycles: float | None, duration: float | None,
                      ramps: float = 0.0) -> tuple[float, float]:
    """
    Return the period of a motion and how many there are, from what was given of three numbers.

    Parameters
    ----------
    period : float or None
        [s].
    cycles : float or None
    duration : float or None
        Of all [s].
    ramps : float
        How many periods the motion is longer than its cycles.

    Returns
    -------
    period, cycles : float
        4 s and 1 where nothing says otherwise. Without `cycles`, as many whole ones as come
        nearest to the duration with the period; the period then fits the duration exactly.

    Raises
    ------
    NonFiniteError, ParameterError
        If one is no number above 0, or all three are given.

    """
    about = PERIOD if period is None else number('period', period, above=0.0)
    count = 1.0 if cycles is None else number('cycles', cycles, above=0.0)
    if duration is None:
        return about, count
    if period is not None and cycles is not None:
        raise ParameterError('duration', duration, 'to be left out beside period and cycles')
    duration = number('duration', duration, above=0.0)
    if cycles is None:
        count = float(max(1, round(duration / about - ramps)))
    return duration / (count + ramps), count


def equidistant(duration: float, intervals: int) -> FloatArray:
    """Return equidistant times, to the nanosecond: a message then says just the same ones."""
    return np.round(np.linspace(0.0, duration, intervals + 1), 9)


def smooth_step(u: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return a smooth step from 0 at u = 0 to 1 at u = 1, and two derivatives and its integral."""
    u = np.clip(u, 0.0, 1.0)
    return (u ** 3 * (10.0 - 15.0 * u + 6.0 * u * u), 30.0 * u * u * (1.0 - u) ** 2,
            60.0 * u * (1.0 - u) * (1.0 - 2.0 * u), u ** 4 * (2.5 - 3.0 * u + u * u))
