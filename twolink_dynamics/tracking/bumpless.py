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

"""No jump of the effort where something changes: start, hold, another law, model or gain."""

from twolink_dynamics.errors import ParameterError

__all__ = ['Bumpless']


class Bumpless:
    """
    Spread the jump of an effort over a time.

    The difference to what was applied before is added to what is asked for, and fades out
    linearly. So from one call to the next the effort changes by what the law itself changes it,
    plus at most ``|difference| dt / duration``: that is the stated bound.

    Parameters
    ----------
    n : int
    duration : float
        How long a difference fades [s]; 0 lets it jump.

    """

    def __init__(self, n, duration=0.2):
        if not duration >= 0.0:
            raise ParameterError('duration', duration, 'a time in seconds, 0 or more')
        self.n, self.duration = n, float(duration)
        self.reset()

    def reset(self):
        """Add nothing any more."""
        self._difference = self._start = self._before = None
        self._asked = False

    @property
    def fading(self):
        """Whether a difference is still being added."""
        return self._difference is not None or self._asked

    def change(self, before=None):
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
        self._asked = self._before is not None

    def apply(self, t, tau):
        """
        Return the efforts without the jump.

        Parameters
        ----------
        t : float
            [s]; a time that goes back ends the fading.
        tau : sequence of float, length n
            What is asked for. Numbers that are not finite are given back as they are.

        Returns
        -------
        tau : sequence of float, length n

        """
        if self._asked:
            difference = [a - b for a, b in zip(self._before, tau)]
            if not all(d - d == 0.0 for d in difference):
                return tau
            self._difference, self._start, self._asked = difference, t, False
        if self._difference is not None:
            past = t - self._start
            if 0.0 <= past < self.duration:
                left = 1.0 - past / self.duration
                tau = [x + left * d for x, d in zip(tau, self._difference)]
            else:
                self._difference = None
        self._before = tau
        return tau
