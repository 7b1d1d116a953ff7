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
Whether the effort in force is stale, or only not repeated.

A controller that answers every state, or repeats its command at a rate, is missed when it falls
silent. A topic-based driver (topic_based_ros2_control) sends a command only while it differs by
more than 1e-5 from the efforts in joint_states, so its silence is in order as long as they are
equal. Who is who shows in what comes:

- An array is of no such driver. Its silence counts.
- Commands by name that carry the stamps of the last states are answers. So are, whatever their
  stamps, commands that come again and again although they have been in force for a while: such a
  driver would not send them. Once three in a row were such, silence counts.
- Otherwise silence counts from when the efforts published differ from the command, or when nobody
  publishes on the topic any more.

Time is that of the simulation: a pause makes nothing stale.

"""

from __future__ import annotations

from typing import Any, Callable

from twolink_dynamics.array_types import Vector

__all__ = ['CommandWatch']

# Of topic_based_ros2_control: the sum over the joints of what differs, in N m or N.
TRIGGER = 1e-5
# So long [ns] a driver may go on to send what is in force, for it hears of it late.
NEWS = 100000000
# So many commands in a row that a driver would not send show that the sender is none.
EVIDENCE = 3


class CommandWatch:
    """
    Watch over commands.

    Parameters
    ----------
    timeout : float
        [s]; 0: nothing is ever stale.
    action : str
        What is done about it: ``'hold'``, ``'zero'`` or ``'brake'``.
    has_sender : callable, optional
        Whether anybody may still send commands by name; asked at most every 0.1 s of silence. It
        stays with the original when the watch is copied. Without it there always is somebody.

    Attributes
    ----------
    heard_ns : int or None
        When the last command came, in simulated time [ns].
    stale : bool
    times, steps : int
        How often commands became stale, and for how many steps they were.

    """

    def __init__(self, timeout: float = 0.0, action: str = 'brake',
                 has_sender: Callable[[], bool] | None = None) -> None:
        self.action, self._has_sender = action, has_sender
        self.timeout = timeout
        self.times = self.steps = 0
        self.restart()

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy is made of."""
        return {**self.__dict__, '_has_sender': None}

    @property
    def timeout(self) -> float:
        """How old a command may be [s]; 0: as old as it likes."""
        return self._timeout_ns * 1e-9

    @timeout.setter
    def timeout(self, value: float) -> None:
        self._timeout_ns = round(value * 1e9)

    def restart(self) -> None:
        """Wait for the first command."""
        self.heard_ns: int | None = None
        self.stale, self._named = False, False
        self._tau: Vector = ()
        self._equal_since: int | None = None
        self._forget()

    def _forget(self) -> None:
        self._repeats, self._evidence, self._sender = False, 0, True
        self._asked_ns: int | None = None

    def heard(self, ns: int, tau: Vector, named: bool, answers: bool = False) -> None:
        """
        Take note of a command.

        Parameters
        ----------
        ns : int
            The present simulated time [ns].
        tau : sequence of float, length n
        named : bool
            Whether it came by name, as drivers send it.
        answers : bool
            Whether its stamp shows that it answers a state.

        """
        if self.stale:
            # Who begins now may be another.
            self._forget()
        same = sum([abs(x - y) for x, y in zip(tau, self._tau)]) <= TRIGGER if self._tau else False
        needless = same and self._equal_since is not None and ns - self._equal_since > NEWS
        self._evidence = self._evidence + 1 if answers or needless else 0
        self._repeats = self._repeats or self._evidence >= EVIDENCE
        self._named, self._tau = named, tau
        if not same:
            self._equal_since = None
        self._asked_ns = None
        self.heard_ns = ns

    def look(self, ns: int, effort: Vector) -> bool:
        """
        Tell whether the command is stale; to be called once per step.

        Parameters
        ----------
        ns : int
            The present simulated time [ns].
        effort : sequence of float, length n
            As published last.

        Returns
        -------
        stale : bool

        """
        heard = self.heard_ns
        if heard is None or not self._timeout_ns:
            self.stale = False
            return False
        if sum([abs(x - y) for x, y in zip(effort, self._tau)]) > TRIGGER:
            self._equal_since = None
        elif self._equal_since is None:
            self._equal_since = ns
        stale = ns - heard > self._timeout_ns and (self.stale or not self._may_be_silent(ns))
        if stale:
            self.times += not self.stale
            self.steps += 1
        self.stale = stale
        return stale

    def _may_be_silent(self, ns: int) -> bool:
        if not self._named or self._repeats:
            return False
        if self._equal_since is None:
            # A driver would have sent it again.
            return False
        if self._asked_ns is None or ns - self._asked_ns >= NEWS:
            self._asked_ns = ns
            self._sender = self._has_sender is None or self._has_sender()
        return self._sender
