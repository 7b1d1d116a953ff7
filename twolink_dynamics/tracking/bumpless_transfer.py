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

"""Bumpless transfer: the effort does not jump where a law, a model or a gain is replaced."""

from twolink_dynamics.array_types import Vector
from twolink_dynamics.validation import number

__all__ = ['BumplessTransfer']


class BumplessTransfer:
    """
    Spread the jump of an effort over a time.

    The difference to what was applied before is added to the new efforts, and fades out linearly.
    So from one call to the next the effort changes by what the law itself changes it, plus at most
    ``|difference| dt / duration``: that is the stated bound.

    Parameters
    ----------
    n : int
    duration : float
        How long a difference fades [s]; 0 lets it jump.

    Raises
    ------
    NonFiniteError, ParameterError
        If the duration is negative or not finite.

    """

    _difference: Vector | None
    _before: Vector | None

    def __init__(self, n: int, duration: float = 0.2) -> None:
        self.n, self.duration = n, number('duration', duration, low=0.0)
        self.reset()

    def reset(self) -> None:
        """Stop adding a difference."""
        self._difference = self._before = None
        self._start, self._expected = 0.0, False

    def change(self, before: Vector | None = None) -> None:
        """
        Say that the next effort may jump.

        Parameters
        ----------
        before : sequence of float, length n, optional
            What is applied up to now [N m or N]; what :meth:`apply` last returned, if not given.
            At the first start: the measured effort, or the arm's gravity.

        """
        if before is not None:
            self._before = list(before)
        self._expected = self._before is not None

    def apply(self, t: float, tau: Vector) -> Vector:
        """
        Return the efforts without the jump.

        Parameters
        ----------
        t : float
            [s]; a time that goes back ends the fading.
        tau : sequence of float, length n
            The new efforts. Numbers that are not finite are returned as they are.

        Returns
        -------
        tau : sequence of float, length n

        """
        if self._expected and self._before is not None:
            difference = [a - b for a, b in zip(self._before, tau)]
            if not all(d - d == 0.0 for d in difference):
                return tau
            self._difference, self._start, self._expected = difference, t, False
        if self._difference is not None:
            past = t - self._start
            if 0.0 <= past < self.duration:
                left = 1.0 - past / self.duration
                tau = [x + left * d for x, d in zip(tau, self._difference)]
            else:
                self._difference = None
        self._before = tau
        return tau
