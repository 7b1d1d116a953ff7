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
The watchdog misses who falls silent, and not a topic-based driver that has nothing new to say.

No ROS is needed here. Time counts steps of a millisecond.

"""

import pytest

from twolink_dynamics.simulation.command_watch import CommandWatch, TRIGGER
from twolink_dynamics.simulation.simulated_robot import SimulatedRobot

STEP = 1000000
TIMEOUT = 20        # steps


class Loop:
    """A watch in a loop whose effort is the command, `lag` steps later."""

    def __init__(self, action='zero', sender=True, limit=1e9):
        self.sender, self.asked = sender, 0
        self.watch = CommandWatch(TIMEOUT * STEP * 1e-9, action, self._has_sender)
        self.ns, self.limit, self.command = 0, limit, (0.0, 0.0)
        self.effort = (0.0, 0.0)

    def _has_sender(self):
        self.asked += 1
        return self.sender

    def hear(self, tau, named=True, answers=False):
        self.command = tau
        self.watch.heard(self.ns, tau, named, answers)

    def step(self, count=1):
        """Return after how many steps the command was stale, or None."""
        for k in range(count):
            stale = self.watch.look(self.ns, self.effort)
            if stale:
                return k
            self.effort = tuple(max(-self.limit, min(x, self.limit)) for x in self.command)
            self.ns += STEP
        return None

    def drive(self, commands):
        """Play a topic-based driver: it sends while the effort is not the command."""
        sent = 0
        for tau in commands:
            if sum(abs(x - y) for x, y in zip(tau, self.effort)) > TRIGGER:
                self.hear(tau)
                sent += 1
            assert self.step() is None
        return sent


def test_before_the_first_command_nothing_is_stale():
    assert Loop().step(1000) is None


def test_without_a_timeout_nothing_is_stale():
    loop = Loop()
    loop.watch.timeout = 0.0
    loop.hear((1.0, 2.0), named=False)
    assert loop.step(1000) is None


def test_an_array_that_is_not_followed_by_another_is_stale_after_the_timeout():
    loop = Loop()
    loop.hear((1.0, 2.0), named=False)
    assert loop.step(1000) == TIMEOUT + 1
    assert (loop.watch.times, loop.watch.steps) == (1, 1)
    loop.step(10)
    loop.hear((1.0, 2.0), named=False)
    assert loop.step(TIMEOUT) is None
    assert loop.step(1000) is not None
    assert loop.watch.times == 2


def test_a_driver_that_does_not_repeat_an_unchanged_command_is_not_stale():
    loop = Loop()
    sent = loop.drive([(1.0, 2.0)] * 500 + [(1.0, 2.0 + 1e-6)] * 500 + [(3.0, 2.0)] * 1000)
    assert sent == 2
    assert loop.watch.times == 0


def test_a_driver_in_motion_that_rests_again_is_not_stale():
    loop = Loop()
    motion = [(0.01 * k, 1.0) for k in range(1000)]
    assert loop.drive(motion + motion[-1:] * 1000) == 1000


def test_a_driver_that_hears_late_of_what_is_in_force_is_still_a_driver():
    loop = Loop()
    for k in range(300):
        loop.hear((float(k), 0.0))
        # It hears of it 50 ms later, and repeats itself until then, every 10 ms.
        for _ in range(5):
            loop.step(10)
            loop.hear((float(k), 0.0))
    assert loop.step(1000) is None


def test_a_driver_whose_command_is_not_reached_and_not_repeated_is_stale():
    loop = Loop(limit=5.0)
    loop.hear((9.0, 0.0))
    assert loop.step(1000) == TIMEOUT + 1


def test_a_driver_that_is_gone_is_stale():
    loop = Loop()
    loop.drive([(1.0, 2.0)] * 500)
    loop.sender = False
    # It is asked for every 0.1 s.
    assert loop.step(1000) <= 100
    assert loop.asked < 8


def test_who_answers_states_is_missed_at_once():
    loop = Loop()
    for k in range(50):
        loop.hear((0.01 * k, 1.0), answers=True)
        assert loop.step() is None
    assert loop.step(1000) == TIMEOUT


def test_who_repeats_what_is_in_force_is_missed_when_silent():
    loop = Loop()
    for _ in range(200):
        loop.hear((1.0, 2.0))
        assert loop.step() is None
    assert loop.step(1000) == TIMEOUT


def test_after_a_silence_the_sender_may_be_another():
    loop = Loop()
    for _ in range(10):
        loop.hear((1.0, 2.0), answers=True)
        loop.step()
    assert loop.step(1000) == TIMEOUT
    loop.effort = (0.0, 0.0)
    loop.drive([(1.0, 2.0)] * 1000)


def stopped(arm, action):
    """Return an arm in motion whose commands became stale, and when [steps]."""
    sim = SimulatedRobot(arm, initial_position=(0.3, 0.5),
                         watch=CommandWatch(TIMEOUT * STEP * 1e-9, action))
    sim.command((9.0, 3.0))
    steps = 0
    while not sim.watch.stale:
        sim.step()
        steps += 1
    return sim, steps


def test_stale_efforts_are_held(arm):
    sim, steps = stopped(arm, 'hold')
    sim.step()
    assert tuple(sim.tau) == (9.0, 3.0)
    assert not sim.braked
    assert steps == TIMEOUT + 2


def test_stale_efforts_become_zero_until_the_next_command(arm):
    sim, _ = stopped(arm, 'zero')
    assert tuple(sim.tau) == (0.0, 0.0)
    sim.command((9.0, 3.0))
    sim.step()
    assert tuple(sim.tau) == (9.0, 3.0)


def test_brakes_stop_an_arm_in_motion_steadily_and_hold_it(arm):
    sim, _ = stopped(arm, 'brake')
    speeds, places = [], [tuple(sim.q)]
    assert sim.braked
    for _ in range(200):
        sim.step()
        speeds.append(max(map(abs, sim.qd)))
        places.append(tuple(sim.q))
    assert all(a >= b for a, b in zip(speeds, speeds[1:]))
    assert speeds[0] > 0.01 and speeds[98] == 0.0
    # It went on for half of the stopping time at the mean speed, not further, and then not at all.
    assert max(abs(a - b) for a, b in zip(places[0], places[-1])) <= 0.05 * speeds[0] * 1.02
    assert places[100] == places[-1]
    assert tuple(sim.tau) == (0.0, 0.0)
    sim.command((9.0, 3.0))
    sim.step()
    assert not sim.braked
    assert tuple(sim.q) != places[-1]


def test_brakes_do_not_carry_a_joint_beyond_its_stop(arm):
    upper = float(arm.limits.upper[0])
    sim = SimulatedRobot(arm, initial_position=(upper - 0.01, 0.0), initial_velocity=(5.0, 0.0),
                         watch=CommandWatch(1e-3, 'brake'))
    sim.command((0.0, 0.0))
    for _ in range(300):
        sim.step()
        assert sim.q[0] <= upper + 1e-9
    assert sim.braked
    assert tuple(sim.qd) == (0.0, 0.0)


@pytest.mark.parametrize('clock', [False, True])
def test_a_command_that_answers_a_state_from_before_a_reset_is_not_used(arm, clock):
    sim = SimulatedRobot(arm)
    for _ in range(50):
        sim.command((1.0, 1.0), True, sim.ns)
        sim.step()
    old = sim.ns
    sim.reset(clock)
    assert not sim.command((1.0, 1.0), True, old)
    assert not sim.command((1.0, 1.0), True, old - STEP)
    assert sim.braked
    # Of another clock, or of none: it cannot be known that it is old.
    assert sim.command((1.0, 1.0), True, sim.ns - 12345)
    sim.reset(clock)
    assert sim.command((1.0, 1.0), True, 0)
    sim.reset(clock)
    assert sim.command((1.0, 1.0), True, sim.ns)


def test_stamps_of_the_last_states_tell_a_controller_from_a_driver(arm):
    start = 1700000000123456789
    for offset, silence_counts in ((0, True), (777, False)):
        sim = SimulatedRobot(arm, start_ns=start, watch=CommandWatch(0.02, 'zero'))
        for k in range(50):
            sim.command((0.1 * k, 1.0), True, sim.ns + offset)
            sim.step()
        for _ in range(50):
            sim.step()
        assert sim.watch.stale == silence_counts
