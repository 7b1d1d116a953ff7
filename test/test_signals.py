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

"""Signals that come while something starts arrive, whatever swallows what they raise."""

import os
import signal
import weakref

import pytest

from twolink_dynamics.signals import Interrupted, Signals


def handlers():
    """Return what answers the signals now."""
    return [signal.getsignal(n) for n in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)]


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_while_something_starts_a_signal_is_an_exception_and_later_a_mark(number):
    before = handlers()
    with Signals() as signals:
        with pytest.raises(Interrupted):
            os.kill(os.getpid(), number)
        assert (signals.came, signals.count, signals.number) == (True, 1, number)
        signals.starting = False
        os.kill(os.getpid(), number)
        assert signals.count == 2
    assert handlers() == before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_one_that_is_swallowed_comes_again_and_nothing_is_written_of_it(capfd):
    class Thing:
        pass

    def swallowing(_):
        os.kill(os.getpid(), signal.SIGINT)

    with Signals() as signals, pytest.raises(Interrupted):
        thing = Thing()
        kept = weakref.ref(thing, swallowing)
        del thing       # Python writes what a callback of this kind raises, and goes on
        assert kept() is None and signals.came
        while True:
            pass
    assert capfd.readouterr().err == ''
