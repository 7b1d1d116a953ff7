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

"""The periodic loop keeps its schedule: shown on a clock that the test turns."""

import pytest

from twolink_dynamics.periodic import PeriodicLoop

PERIOD = 0.25           # powers of two, so that the schedule is exact
CATCH_UP = 1.0


class Clock:
    """A clock that moves only when somebody sleeps or works."""

    def __init__(self):
        self.now = 64.0

    def monotonic(self):
        return self.now

    def sleep(self, duration):
        assert duration > 0.0
        self.now += duration


def run(work, ticks, period=PERIOD):
    """Run a loop, `work(k)` seconds in tick k; return when each tick began, and the loop."""
    clock, began = Clock(), []

    def tick():
        began.append(clock.now - 64.0)
        clock.now += work(len(began) - 1)
        if len(began) == ticks:
            loop.stop()

    loop = PeriodicLoop(tick, period, CATCH_UP, clock=clock)
    loop._loop()            # on this thread: the clock is not for two
    return began, loop


def test_ticks_are_on_schedule_whatever_the_work():
    began, loop = run(lambda k: 0.125 if k % 2 else 0.0, 100)
    assert began == [PERIOD * k for k in range(100)]
    measured = loop.timing.take()
    assert measured['late_max'] == 0.0
    assert measured['slipped'] == 0.0


def test_a_short_delay_is_made_up_for_and_no_tick_is_lost():
    began, loop = run(lambda k: 1.0 if k == 3 else 0.0, 20)
    # Tick 3 begins at 0.75 and lasts until 1.75: ticks 4 to 7 follow at once, then all is in time.
    assert began == [0.0, 0.25, 0.5, 0.75] + [1.75] * 4 + [PERIOD * k for k in range(8, 20)]
    assert loop.timing.slipped == 0.0
    assert loop.timing.late == 0.75


def test_a_long_delay_is_let_slip_and_counted():
    began, loop = run(lambda k: 9.0 if k == 3 else 0.0, 8)
    # Until 9.75; tick 4 was due at 1.0.
    assert began == [0.0, 0.25, 0.5, 0.75, 9.75, 10.0, 10.25, 10.5]
    assert loop.timing.slipped == 8.75


def run_with_answers(answer, ticks):
    """Run a loop that was 1 s late after tick 3; something fresh comes `answer` s after a tick."""
    clock, began = Clock(), []

    def tick():
        began.append(clock.now - 64.0)
        if len(began) == 4:
            clock.now += 1.0
        if len(began) == ticks:
            loop.stop()

    def fresh(left):
        assert 0.0 < left <= PERIOD
        clock.now += min(left, max(0.0, began[-1] + 64.0 + answer - clock.now))

    loop = PeriodicLoop(tick, PERIOD, CATCH_UP, fresh, clock=clock)
    loop._loop()
    return began, loop


def test_a_delay_is_made_up_for_no_faster_than_answers_come():
    began, loop = run_with_answers(0.125, 20)
    # Tick 4 follows what tick 3 took; from then on two a period, until it is in time at 2.5.
    assert began[:4] == [0.0, 0.25, 0.5, 0.75]
    assert began[4:11] == [1.75 + 0.125 * k for k in range(7)]
    assert began[11:] == [PERIOD * k for k in range(11, 20)]
    assert loop.timing.slipped == 0.0


def test_without_answers_no_delay_is_made_up_for_and_no_tick_comes_early():
    began, loop = run_with_answers(9.0, 20)
    assert [b - a for a, b in zip(began[4:], began[5:])] == [PERIOD] * 15
    assert loop.timing.slipped == 0.0


def test_the_period_may_change_while_the_loop_runs():
    clock, began = Clock(), []

    def tick():
        began.append(clock.now - 64.0)
        if len(began) == 3:
            loop.period = 1.0
        if len(began) == 6:
            loop.stop()

    loop = PeriodicLoop(tick, PERIOD, CATCH_UP, clock=clock)
    loop._loop()
    assert began == [0.0, 0.25, 0.5, 0.5, 1.5, 2.5]


def test_a_loop_that_is_always_too_slow_goes_on_as_fast_as_it_can():
    began, loop = run(lambda k: 0.5, 40)
    assert [b - a for a, b in zip(began, began[1:])] == [0.5] * 39
    # Half of the time is missing: it slips in portions beyond the catch-up, none is forgotten.
    behind = began[-1] - 39 * PERIOD
    assert 0.0 <= behind - loop.timing.slipped <= CATCH_UP + PERIOD


def test_a_period_of_zero_never_sleeps():
    began, loop = run(lambda k: 0.125, 10, period=0.0)
    assert began == [0.125 * k for k in range(10)]
    assert loop.timing.slipped == 0.0


def test_the_rate_is_that_of_the_time_since_it_was_last_asked():
    clock = Clock()
    loop = PeriodicLoop(lambda: None, PERIOD, clock=clock)
    loop.timing.ticks = 8
    clock.now += 2.0
    assert loop.timing.take()['rate'] == 4.0
    clock.now += 1.0
    assert loop.timing.take()['rate'] == 0.0


def test_what_a_tick_raises_ends_the_loop_and_is_told():
    told = []

    def tick():
        raise ValueError('broken')

    loop = PeriodicLoop(tick, 0.001, on_error=told.append)
    loop.start()
    loop.stop()
    assert [str(error) for error in told] == ['broken']
    assert loop.error is told[0]


def test_a_slow_loop_is_stopped_without_waiting_for_its_period():
    loop = PeriodicLoop(lambda: None, 3600.0)
    loop.start()
    loop.stop()             # would last an hour
    assert loop.timing.ticks <= 1


def test_stopping_twice_or_before_the_start_is_no_fault():
    loop = PeriodicLoop(lambda: None, 0.001)
    loop.stop()
    loop.stop()
    assert loop.stopping
    with pytest.raises(RuntimeError):
        loop._thread.join()             # it never began
