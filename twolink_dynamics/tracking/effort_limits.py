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

"""Effort limits: what is sent to an arm is finite, within its limits, and changes no faster."""

from math import isfinite

from twolink_dynamics.array_types import FloatArray, PerJoint, Vector
from twolink_dynamics.validation import per_joint

__all__ = ['EffortLimiter', 'all_finite', 'clamp_effort']


def all_finite(*vectors: Vector) -> bool:
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


def clamp_effort(tau: Vector, limit: Vector) -> tuple[list[float], bool]:
    """
    Return the efforts within their limits, and whether that changed any.

    Parameters
    ----------
    tau : sequence of float, length n
        Efforts [N m or N]. NaN must be sorted out before, by :func:`all_finite`.
    limit : sequence of float, length n
        Largest magnitudes, not negative; infinite for unlimited.

    Returns
    -------
    tau : list of float
    saturated : bool

    """
    clamped = [h if x > h else -h if x < -h else x for x, h in zip(tau, limit)]
    return clamped, clamped != list(tau)


class EffortLimiter:
    """
    Keep efforts, and how fast they change, within limits.

    Parameters
    ----------
    limit : sequence of float, length n
        Largest magnitudes [N m or N]; infinite for unlimited.
    rate : float or array_like, shape (n,), optional
        Largest change per second [N m/s or N/s], above 0; unlimited if not given.

    Attributes
    ----------
    saturated : tuple of bool, length n
        Which efforts the last call changed: tell the law (``law.saturated = any(...)``), so that
        nothing winds up.

    """

    def __init__(self, limit: Vector | FloatArray, rate: PerJoint | None = None) -> None:
        self.limit = tuple(map(float, limit))
        self.n = len(self.limit)
        self.rate = None if rate is None else per_joint('rate', rate, self.n, above=0.0)
        self.reset()

    def reset(self, t: float | None = None, tau: Vector | None = None) -> None:
        """
        Begin anew.

        Parameters
        ----------
        t : float, optional
            Now [s].
        tau : sequence of float, length n, optional
            What is applied now, for the rate limit; without it the first effort may be any.

        """
        self._t, self._tau = t, tau
        self.saturated = (False,) * self.n

    def apply(self, t: float, tau: Vector) -> list[float]:
        """
        Return efforts that may be sent.

        Parameters
        ----------
        t : float
            [s]. With a rate limit the effort does not change while the time stands or goes back.
        tau : sequence of float, length n
            Finite.

        Returns
        -------
        tau : list of float, length n

        """
        limited, _ = clamp_effort(tau, self.limit)
        if self.rate is not None:
            if self._t is not None and self._tau is not None:
                dt = max(t - self._t, 0.0)
                limited = [min(max(x, b - r * dt), b + r * dt)
                           for x, b, r in zip(limited, self._tau, self.rate)]
                # What is no number was not sent: the rate counts from what was.
                limited = [x if isfinite(x) else y for x, y in zip(limited, tau)]
                self._tau = [x if isfinite(x) else b for x, b in zip(limited, self._tau)]
            elif all_finite(limited):
                self._tau = limited
            self._t = t
        self.saturated = tuple(x != y for x, y in zip(limited, tau))
        return limited
