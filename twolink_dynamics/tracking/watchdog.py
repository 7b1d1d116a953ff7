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

"""A watchdog over joint states: without them it holds, then leaves gravity only, then zero."""

from twolink_dynamics.array_types import Vector

from twolink_dynamics.errors import ParameterError

__all__ = ['LEVELS', 'Watchdog']

LEVELS = ('live', 'hold', 'gravity', 'zero')


class Watchdog:
    """
    A ladder of levels, by the time since the last valid state.

    Without states nothing can be controlled. For a moment the last effort is the best guess
    (`hold`). Then a moving arm's last effort is wrong, and what holds its weight where it was last
    seen is left (`gravity`). After a long time nothing is known of the arm, and nothing is done
    (`zero`). The time is that of any clock that goes on while states do not come.

    Parameters
    ----------
    hold, gravity, zero : float
        Times since the last valid state at which the levels begin [s], not decreasing; infinite
        for a level that is never reached.

    Raises
    ------
    ParameterError

    """

    _last: float | None
    _tau: Vector
    _gravity: Vector

    def __init__(self, hold: float = 0.02, gravity: float = 0.1, zero: float = 1.0) -> None:
        self.set_times(hold, gravity, zero)
        self.reset()

    def set_times(self, hold: float, gravity: float, zero: float) -> None:
        """
        Change the ladder.

        Parameters
        ----------
        hold, gravity, zero : float
            [s].

        Raises
        ------
        ParameterError

        """
        if not 0.0 < hold <= gravity <= zero:
            raise ParameterError('watchdog times', (hold, gravity, zero),
                                 '0 < hold <= gravity <= zero, in seconds')
        self.times = (float(hold), float(gravity), float(zero))

    def reset(self) -> None:
        """Wait for the first state; until then the level is `zero`: nothing is known."""
        self._last, self._tau, self._gravity = None, (), ()

    def feed(self, now: float, tau: Vector, gravity: Vector) -> None:
        """
        Take note of a valid state that was answered.

        Parameters
        ----------
        now : float
            [s].
        tau : sequence of float, length n
            The effort that answered it.
        gravity : sequence of float, length n
            The arm's gravity there, limited as efforts are.

        """
        self._last, self._tau, self._gravity = now, tau, gravity

    def level(self, now: float) -> str:
        """
        Return the level.

        Parameters
        ----------
        now : float
            [s]; a clock set back counts as no time.

        Returns
        -------
        level : str
            One of `LEVELS`.

        """
        if self._last is None:
            return 'zero'
        since = now - self._last
        if not since >= self.times[0]:
            return 'live'
        return LEVELS[1 + sum(since >= time for time in self.times[1:])]

    def effort(self, now: float) -> list[float] | None:
        """
        Return the effort of the ladder, without jumps between its levels.

        From `hold` on the last effort goes over to gravity, linearly, and has reached it at
        `gravity`;
        the second half of the way to `zero` takes gravity to zero. So the largest change per
        second is ``|tau - G| / (gravity - hold)`` and ``2 |G| / (zero - gravity)``.

        Parameters
        ----------
        now : float
            [s].

        Returns
        -------
        tau : list of float, length n, or None
            None before the first state.

        """
        if self._last is None:
            return None
        since = now - self._last
        hold, gravity, zero = self.times
        to_gravity = _passed(since, hold, gravity)
        to_zero = _passed(since, 0.5 * (gravity + zero), zero)
        return [(x + to_gravity * (g - x)) * (1.0 - to_zero)
                for x, g in zip(self._tau, self._gravity)]


def _passed(t: float, start: float, end: float) -> float:
    """Return how much of an interval is over, 0 to 1."""
    if not t > start:
        return 0.0
    return (t - start) / (end - start) if t < end < float('inf') else float(t >= end)
