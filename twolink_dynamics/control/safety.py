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

"""What stands between a law and an arm: efforts are finite and within the limits, or not sent."""

from math import isfinite

__all__ = ['all_finite', 'clamp_effort', 'first_non_finite']


def all_finite(*vectors):
    """
    Tell whether every number is finite.

    Parameters
    ----------
    *vectors : sequence of float

    Returns
    -------
    finite : bool

    """
    for vector in vectors:
        for value in vector:
            if not isfinite(value):
                return False
    return True


def first_non_finite(vector):
    """
    Return the index of the first number that is not finite, or None.

    Parameters
    ----------
    vector : sequence of float

    Returns
    -------
    index : int or None

    """
    return next((k for k, value in enumerate(vector) if not isfinite(value)), None)


def clamp_effort(tau, limit):
    """
    Return the efforts within their limits, and whether that changed any.

    Parameters
    ----------
    tau : sequence of float, length n
        Efforts [N m or N]. NaN is not for here: ask :func:`all_finite` before.
    limit : sequence of float, length n
        Largest magnitudes, not negative; infinite where there is none.

    Returns
    -------
    tau : list of float
    saturated : bool

    """
    clamped = [h if x > h else -h if x < -h else x for x, h in zip(tau, limit)]
    return clamped, clamped != list(tau)
