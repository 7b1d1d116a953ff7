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

"""Time that counts steps, and what a stamp of it tells."""

from __future__ import annotations

__all__ = ['SECOND', 'SteppedClock']

#: A second of stamps [ns].
SECOND = 1000000000

# A state is one of the last for so long [ns].
RECENT = 100000000


class SteppedClock:
    """
    Simulated time, in whole steps from its start.

    Parameters
    ----------
    start_ns : int
        [ns]; 1 s: a clock of the simulator's own, by which others may stamp what they send.
    period_ns : int
        A step [ns].

    Attributes
    ----------
    start_ns, ns : int
        The stamps of the first and of the present state [ns].
    period_ns : int

    """

    def __init__(self, start_ns: int, period_ns: int) -> None:
        self.start_ns = self.ns = start_ns
        self.period_ns = period_ns
        self._valid_from = self._highest = start_ns

    def advance(self) -> None:
        """Go on by one step."""
        self.ns += self.period_ns

    def restart(self, from_start: bool) -> None:
        """
        Begin anew: what belongs to states from before is obsolete.

        Parameters
        ----------
        from_start : bool
            Whether from the first stamp; otherwise one step later than the present.

        """
        self._highest = max(self._highest, self.ns)
        self.ns = self._valid_from = self.start_ns if from_start else self.ns + self.period_ns

    def _is_of_a_state(self, stamp: int) -> bool:
        return (stamp - self.start_ns) % self.period_ns == 0

    def is_obsolete(self, stamp: int) -> bool:
        """
        Tell whether a stamp is that of a state from before the last :meth:`restart`.

        Parameters
        ----------
        stamp : int
            [ns].

        Returns
        -------
        obsolete : bool

        """
        return self._is_of_a_state(stamp) and (
            stamp < self._valid_from or self.ns < stamp <= self._highest)

    def is_recent(self, stamp: int) -> bool:
        """
        Tell whether a stamp is that of one of the last states, and not just what a clock said.

        Parameters
        ----------
        stamp : int
            [ns].

        Returns
        -------
        recent : bool
            False with a clock of the simulator's own, for then every node's clock says the stamps
            of states.

        """
        return (self.start_ns != SECOND and self._is_of_a_state(stamp)
                and 0 <= self.ns - stamp <= RECENT)
