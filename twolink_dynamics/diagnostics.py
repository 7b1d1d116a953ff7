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

"""Diagnostics of a component: its status, the messages it rejected, the events it logs."""

from enum import IntEnum
import time
from typing import Any, Callable, NamedTuple

from twolink_dynamics.errors import TwoLinkError

__all__ = ['EventLog', 'Level', 'MessageError', 'Rejections', 'Status']


class Level(IntEnum):
    """How bad a status is, numbered as in diagnostic_msgs."""

    OK = 0
    WARN = 1
    ERROR = 2


class Status(NamedTuple):
    """
    How a component is.

    Attributes
    ----------
    level : Level
    text : str
    figures : dict of str to object
        What a user may want to see, by its name with the unit.

    """

    level: Level
    text: str
    figures: dict[str, Any]


class MessageError(TwoLinkError, ValueError):
    """
    A message that must not be used.

    Attributes
    ----------
    kind : str
        What is wrong, in two or three words that are the same for every such message.

    """

    def __init__(self, kind: str, problem: str) -> None:
        self.kind = kind
        super().__init__(f'{kind}: {problem}')


class Rejections:
    """
    Count what was rejected, and log each kind of fault the first time.

    Parameters
    ----------
    warn : callable
        Takes a text.

    Attributes
    ----------
    counts : dict of str to int
        By topic and kind.

    """

    def __init__(self, warn: Callable[[str], Any]) -> None:
        self._warn = warn
        self.counts: dict[str, int] = {}

    def add(self, topic: str, error: MessageError) -> None:
        """
        Count a message.

        Parameters
        ----------
        topic : str
        error : MessageError

        """
        key = f'{topic}, {error.kind}'
        count = self.counts[key] = self.counts.get(key, 0) + 1
        if count == 1:
            self._warn(f'rejected a message on {topic}: {error}; more of this kind are only '
                       'counted (see /diagnostics)')

    @property
    def total(self) -> int:
        """How many messages were rejected."""
        return sum(self.counts.values())


class EventLog:
    """
    Log events; one that comes again and again only once a second.

    Parameters
    ----------
    warn : callable
        Takes a text.
    clock : callable
        Returns the time [s].

    """

    def __init__(self, warn: Callable[[str], Any],
                 clock: Callable[[], float] = time.monotonic) -> None:
        self._warn, self._clock = warn, clock
        self._logged: dict[str, float] = {}

    def __call__(self, text: str) -> None:
        """
        Log an event.

        Parameters
        ----------
        text : str
            Events are of one kind if they begin alike, up to a colon or an "of".

        """
        kind, now = text.split(':')[0].split(' of ')[0][:40], self._clock()
        before = self._logged.get(kind)
        if before is None or now - before > 1.0:
            self._logged[kind] = now
            self._warn(text)
