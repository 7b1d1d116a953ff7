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

"""What generators of motions share: how time goes, and what an argument may be."""

import math

import numpy as np

from twolink_dynamics.errors import ParameterError, ShapeError

__all__ = [
    'POINTS_PER_PERIOD', 'equidistant', 'period_and_cycles', 'positive_number', 'smooth_step',
    'vector',
]

# Quintic segments through a sine at so many points a period are off by
# (2 pi / 60)^6 / 46080 = 3e-11 of its amplitude.
POINTS_PER_PERIOD = 60
# [s]; of what repeats, where nothing else is given.
PERIOD = 4.0


def positive_number(name, value):
    """Return a finite number above 0 as a float, or refuse it by its name."""
    if not (isinstance(value, (int, float)) and 0.0 < value < math.inf):
        raise ParameterError(name, value, 'a finite number above 0')
    return float(value)


def vector(name, value, n):
    """Return n finite floats, from one number or one per joint."""
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(name, value, 'numbers') from None
    if array.shape not in ((), (1,), (n,)):
        raise ShapeError(name, f'({n},)', array.shape)
    if not np.isfinite(array).all():
        raise ParameterError(name, value, 'finite numbers')
    return np.broadcast_to(array, (n,)).copy()


def period_and_cycles(period, cycles, duration, ramps=0.0):
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
    ParameterError
        If a number is not above 0, or all three are given.

    """
    most = PERIOD if period is None else positive_number('period', period)
    count = 1.0 if cycles is None else positive_number('cycles', cycles)
    if duration is None:
        return most, count
    if period is not None and cycles is not None:
        raise ParameterError('duration', duration, 'to be left out beside period and cycles')
    duration = positive_number('duration', duration)
    if cycles is None:
        count = max(1, round(duration / most - ramps))
    return duration / (count + ramps), count


def equidistant(duration, intervals):
    """Return equidistant times, to the nanosecond: a message then says just the same ones."""
    return np.round(np.linspace(0.0, duration, intervals + 1), 9)


def smooth_step(u):
    """Return a smooth step from 0 at u = 0 to 1 at u = 1, and two derivatives and its integral."""
    u = np.clip(u, 0.0, 1.0)
    return (u ** 3 * (10.0 - 15.0 * u + 6.0 * u * u), 30.0 * u * u * (1.0 - u) ** 2,
            60.0 * u * (1.0 - u) * (1.0 - 2.0 * u), u ** 4 * (2.5 - 3.0 * u + u * u))
