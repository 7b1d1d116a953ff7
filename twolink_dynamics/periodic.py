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
A periodic loop on a thread, by absolute deadlines.

Timers of rclpy drop a tick they are late for; a schedule of absolute deadlines does not, so the
rate holds exactly while the machine keeps up on the average.

Catch-up rule: a loop that is late makes up for it step by step. A step that would follow the one
before sooner than half a period waits until there is something new to work with (`fresh` says so),
at most until a period after the one before. So a controller in the loop gets its time for each
answer, as when nothing is late, or no delay is made up for: a burst of steps would all hold one
old effort. A loop that is late by more than `max_catch_up` lets the whole delay slip: the schedule
goes on from now, and the slip is counted.

"""

import threading
import time
from typing import Any, Callable

__all__ = ['PeriodicLoop', 'Timing']

# A stop is noticed within this time [s] even in a slow loop.
LONGEST_SLEEP = 0.05


class Timing:
    """
    How a loop kept its time since :meth:`take` was last called.

    Attributes
    ----------
    ticks : int
    late : float
        The worst lateness of a tick [s].
    total_late : float
        Sum of latenesses [s].
    slipped : float
        Time let slip [s].

    """

    __slots__ = ('ticks', 'late', 'total_late', 'slipped', 'since', '_monotonic')

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self.ticks, self.late, self.total_late, self.slipped = 0, 0.0, 0.0, 0.0
        self._monotonic = monotonic
        self.since = monotonic()

    def take(self) -> dict[str, float]:
        """
        Return what was measured, and start anew.

        Returns
        -------
        measured : dict of str to float
            ``rate`` [Hz], ``late_mean``, ``late_max``, ``slipped`` [s].

        """
        now = self._monotonic()
        elapsed, ticks = now - self.since, self.ticks
        measured = {'rate': ticks / elapsed if elapsed > 0.0 else 0.0,
                    'late_mean': self.total_late / ticks if ticks else 0.0,
                    'late_max': self.late, 'slipped': self.slipped}
        self.ticks, self.late, self.total_late, self.slipped = 0, 0.0, 0.0, 0.0
        self.since = now
        return measured


class PeriodicLoop:
    """
    Call a function once per period, on a thread of its own, until stopped.

    Parameters
    ----------
    tick : callable
        Takes nothing. What it raises ends the loop and is kept in `error`.
    period : float
        [s]; 0: without a pause.
    max_catch_up : float
        See the rule above [s].
    fresh : callable, optional
        Takes a time [s]; waits so long, at most, for what the next tick needs.
    on_error : callable, optional
        Called with the exception, on the loop's thread.
    clock : module or object
        Has ``monotonic`` and ``sleep``.

    Attributes
    ----------
    timing : Timing
    period : float
        May be changed while the loop runs.
    error : BaseException or None

    """

    def __init__(self, tick: Callable[[], object], period: float, max_catch_up: float = 0.05,
                 fresh: Callable[[float], object] | None = None,
                 on_error: Callable[[BaseException], object] | None = None,
                 clock: Any = time) -> None:
        self._tick, self._max_catch_up, self._fresh = tick, max_catch_up, fresh
        self.period = period
        self._clock = clock
        self._on_error = on_error
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name='loop')
        self.timing = Timing(clock.monotonic)
        self.error: BaseException | None = None

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """End the loop and wait for its thread."""
        self._stopping.set()
        if self._thread.is_alive() and self._thread is not threading.current_thread():
            self._thread.join()

    @property
    def stopping(self) -> bool:
        """Whether the loop is to end; a tick that waits must ask."""
        return self._stopping.is_set()

    def _run(self) -> None:
        try:
            self._loop()
        except BaseException as error:      # noqa: B902 - the main thread must hear of anything
            self.error = error
            if self._on_error is not None:
                self._on_error(error)

    def _loop(self) -> None:
        tick, timing, fresh = self._tick, self.timing, self._fresh
        monotonic, sleep, stopping = (self._clock.monotonic, self._clock.sleep,
                                      self._stopping.is_set)
        period = self.period
        deadline = timing.since = monotonic()
        began = deadline - period
        while not stopping():
            if period != self.period:
                deadline, period = monotonic(), self.period
            now = monotonic()
            late = now - deadline
            if late < 0.0:
                sleep(min(-late, LONGEST_SLEEP))
                continue
            if period:
                if fresh is not None and now - began < 0.5 * period:
                    fresh(began + period - now)
                    now = monotonic()
                    late = now - deadline
                if late > self._max_catch_up + period:
                    timing.slipped += late
                    deadline += late
                    late = 0.0
                timing.total_late += late
                if late > timing.late:
                    timing.late = late
            timing.ticks += 1
            began = now
            tick()
            deadline += period
