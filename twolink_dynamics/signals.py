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

"""Signals that end a process: none is lost while it starts, none interrupts it later."""

import signal
import sys
import threading
from types import FrameType
from typing import Any

__all__ = ['Interrupted', 'Signals']

# [s]: a signal that did not end a start is raised again after this time.
AGAIN = 0.2


class Interrupted(BaseException):
    """
    A signal came while something starts.

    Not a KeyboardInterrupt: of one that passes through code made of text (a dataclass, compiled
    kernels) Python remembers that nobody caught it, and kills itself in the end.

    """


class Signals:
    """
    SIGINT and SIGTERM: an exception while something starts, from then on only a mark.

    An exception in the middle of a callback would leave half of it done, and rclpy's own handlers
    end the context under the feet of whoever is publishing. So the executor is left first, and
    the context ended after it. While something starts, compilers and libraries may swallow the
    exception: it comes again and again, until it arrives.

    Attributes
    ----------
    count, number : int
        How many signals came, and the last one.
    starting : bool
        Whether a signal is an exception; set to False by whoever is ready to look at `came`.

    """

    def __init__(self) -> None:
        self.count, self.number, self.starting = 0, 0, True
        self._before: dict[int, Any] = {}
        self._complain = sys.unraisablehook

    @property
    def came(self) -> bool:
        """Whether a signal came."""
        return self.count > 0

    def __enter__(self) -> 'Signals':
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM):
                self._before[number] = signal.signal(number, self._on_signal)
            sys.unraisablehook = self._on_swallowed
        return self

    def __exit__(self, *exception: object) -> None:
        self.starting = False
        if self._before:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            sys.unraisablehook = self._complain
        for number, handler in self._before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if number != signal.SIGALRM:
            self.count, self.number = self.count + 1, number
        if self.starting:
            signal.setitimer(signal.ITIMER_REAL, AGAIN)
            raise Interrupted

    def _on_swallowed(self, unraisable: Any) -> None:
        if not issubclass(unraisable.exc_type, Interrupted):
            self._complain(unraisable)
