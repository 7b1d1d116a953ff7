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
The fault drill: what can go wrong between an arm and its controller, and what comes of it.

In lockstep and simulated time, so that nothing depends on the machine; the table in
docs/hardware.md says the same in words. Where a bound of 0.05 rad stands, it is the one that the
arm is promised to keep while the controller lives and is enabled.

"""

from math import nan
from types import SimpleNamespace

import numpy as np
import pytest

from twolink_dynamics.diagnostics import MessageError
from twolink_dynamics.simulation.simulated_robot import SimulatedRobot
from twolink_dynamics.tracking.controller import TrackingController
from twolink_dynamics.tracking.message_readers import StateReader
from twolink_dynamics.trajectory.goal import GoalPoint

MS = 1000000
START = (0.3, 0.5)
TARGET = (-0.9, 1.2)
PROMISED = 0.05


class Drill:
    """An arm under control, whose states can be spoilt on their way."""

    def __init__(self, arm):
        self.arm, self.events, self.results = arm, [], []
        self.sim = SimulatedRobot(arm, initial_position=START, brake=False)
        self.reader = StateReader(arm.joint_names)
        self.log, self.shift = [], 0         # of the stamps, against the simulator's [ns]
        self.start_controller()

    def start_controller(self):
        """Start a controller that knows nothing of the one before."""
        self.controller = TrackingController(self.arm, on_event=self.events.append)
        self.controller.law.set_gains(natural_frequency=20.0)
        self.controller.execution.path_tolerance = (0.2, 0.2)
        self.controller.execution.goal_tolerance = (0.02, 0.02)
        self.controller.supervisor.set_limits(50.0, (0.0,), 1.2)

    def message(self):
        """Return the state as a driver sends it."""
        return SimpleNamespace(name=list(self.arm.joint_names), position=list(self.sim.q),
                               velocity=list(self.sim.qd))

    def run(self, seconds, spoil=lambda message: message):
        """Advance; `spoil` changes a state, or makes it None: lost."""
        sim, controller = self.sim, self.controller
        for _ in range(round(1000 * seconds)):
            now, message = 1e-9 * sim.steps * MS, spoil(self.message())
            tau = None
            if message is not None:
                try:
                    q, qd = self.reader.read(message)
                    stamp = getattr(message, 'ns', sim.ns + self.shift)
                    tau = controller.update(stamp, q, qd, now)
                except MessageError as error:
                    self.events.append(str(error))
            if tau is None and sim.steps % 10 == 0:
                tau = controller.silence(now)
            if tau is not None:
                assert all(abs(x) <= h for x, h in zip(tau, self.arm.limits.effort))
                sim.command(tau)
            self.results += controller.execution.take_results()
            self.log.append((tuple(sim.q), controller.desired, tuple(tau or ())))
            sim.step()

    def go(self, target=TARGET, duration=1.0, key='goal'):
        """Send a trajectory of one point."""
        zero = (0.0, 0.0)
        self.controller.accept(self.arm.joint_names, [GoalPoint(duration, target, zero, zero)],
                               key=key)

    @property
    def ended(self):
        """How the goals ended, in short."""
        return [(o.key, o.state, o.code) for o in self.results]

    def rests(self):
        """Tell whether the arm stands still where it is desired."""
        error = np.abs(self.controller.error[0]).max()
        return (self.controller.mode == 'holding' and error < 1e-3
                and np.abs(self.sim.qd).max() < 1e-2)

    def largest_error(self, first=0):
        """Return the largest difference of what is desired and what is."""
        return max(np.abs(np.subtract(d[0], q)).max() for q, d, _ in self.log[first:])


@pytest.fixture
def drill(arm):
    """Return an arm that has been held for a moment."""
    drill = Drill(arm)
    drill.run(0.1)
    return drill


def test_without_a_fault_the_goal_is_reached(drill):
    drill.go()
    drill.run(1.5)
    assert drill.ended == [('goal', 'succeeded', 0)] and drill.rests()


def test_states_that_stop_coming_leave_an_arm_at_rest_where_it_is(drill):
    drill.run(9.0, lambda message: None)
    assert np.abs(np.subtract(drill.sim.q, START)).max() < PROMISED
    drill.run(1.0)
    assert drill.rests()


def test_after_a_long_silence_the_effort_is_zero_and_the_goal_has_ended(drill):
    drill.controller.set_timeouts(0.5, 10.0)
    drill.go(duration=30.0)
    drill.run(0.1)
    drill.run(10.2, lambda message: None)
    assert drill.log[-1][2] == () and drill.controller.silence(1e9) == [0.0, 0.0]
    assert drill.ended == [('goal', 'aborted', -4)]
    assert any('no new joint_states for 10 s' in event for event in drill.events)
    drill.run(3.0)                              # caught again, where it is then
    assert drill.rests()


def test_the_effort_of_silence_changes_by_no_more_than_its_stated_bound(drill):
    drill.go()
    drill.run(0.4)
    watchdog, tau = drill.controller.watchdog, np.array(drill.controller.tau)
    gravity = np.array(drill.arm.gravity_vector(drill.controller.q))
    begin = 1e-9 * drill.sim.steps * MS
    efforts = np.array([watchdog.effort(begin + 1e-3 * k) for k in range(60100)])
    hold, stale, zero = watchdog.times
    bound = np.maximum(np.abs(tau - gravity) / (stale - hold), 2.0 * np.abs(gravity)
                       / (zero - stale))
    assert (np.abs(np.diff(efforts, axis=0)) <= 1.001e-3 * bound + 1e-12).all()
    assert np.allclose(efforts[510], gravity) and not efforts[-1].any()


def test_states_that_stop_in_motion_end_it_and_the_arm_is_caught(drill):
    drill.go()
    drill.run(0.4)
    drill.run(0.6, lambda message: None)
    drill.run(1.5)
    assert drill.ended == [('goal', 'aborted', -1)]
    assert drill.rests()


def test_a_goal_that_comes_in_a_silence_ends_with_it_and_moves_nothing(drill):
    drill.run(0.3, lambda message: None)
    drill.go()
    drill.run(0.5, lambda message: None)
    drill.run(1.5)
    assert drill.ended == [('goal', 'aborted', -1)]
    assert drill.rests() and np.abs(np.subtract(drill.sim.q, START)).max() < PROMISED


def test_a_source_that_repeats_one_state_is_as_good_as_none(drill):
    stuck = drill.message()
    stuck.ns = drill.sim.ns - MS
    drill.go()
    drill.run(9.0, lambda message: stuck)
    assert np.abs(np.subtract(drill.sim.q, START)).max() < PROMISED
    assert drill.ended == []                    # it may have been a pause
    drill.run(1.5)
    assert drill.ended == [('goal', 'aborted', -1)] and drill.rests()


def test_positions_that_stand_while_their_stamps_go_on_end_the_motion(drill):
    stuck = drill.message()
    drill.go()

    def frozen(message):
        message.position, message.velocity = stuck.position, [0.0, 0.0]
        return message

    drill.run(0.6, frozen)
    [(key, state, code)] = drill.ended
    assert (key, state, code) == ('goal', 'aborted', -4)
    assert 'tolerance is 0.2' in drill.results[0].text


def test_a_burst_of_nan_in_motion_is_bridged_by_the_last_effort(drill):
    drill.go()
    drill.run(0.4)
    drill.run(0.03, lambda message: SimpleNamespace(
        name=message.name, position=[nan, nan], velocity=[nan, nan]))
    before = len(drill.log)
    drill.run(1.1)
    assert drill.ended == [('goal', 'succeeded', 0)]
    assert drill.largest_error(before) < PROMISED
    assert sum('not finite' in event for event in drill.events) == 30


def test_nan_in_one_velocity_is_a_placeholder(drill):
    drill.go()
    drill.run(0.4)
    drill.run(0.2, lambda message: SimpleNamespace(
        name=message.name, position=message.position, velocity=[message.velocity[0], nan]))
    drill.run(1.0)
    assert drill.ended == [('goal', 'succeeded', 0)] and drill.largest_error() < 1e-3


def test_joints_in_any_order_and_among_others_change_nothing(arm):
    plain, mixed = Drill(arm), Drill(arm)
    orders = [(0, 1), (1, 0)]

    def mix(message):
        order = orders[mixed.sim.steps % 2]
        return SimpleNamespace(
            name=['gripper'] + [message.name[k] for k in order],
            position=[nan] + [message.position[k] for k in order],
            velocity=[nan] + [message.velocity[k] for k in order])

    for drill, spoil in ((plain, lambda message: message), (mixed, mix)):
        drill.run(0.1)
        drill.go()
        drill.run(1.3, spoil)
    assert plain.log == mixed.log


def test_a_clock_set_back_by_100_s_ends_the_motion_and_the_arm_holds(drill):
    drill.go()
    drill.run(0.5)
    drill.shift -= 100000 * MS
    before = len(drill.log)
    drill.run(1.0)
    assert drill.ended == [('goal', 'aborted', -1)]
    assert 'went back by 99.999 s' in drill.results[0].text
    assert drill.rests() and drill.largest_error(before) < PROMISED


def test_a_simulator_that_starts_anew_ends_the_motion_and_the_arm_is_held_there(drill):
    drill.go()
    drill.run(0.5)
    drill.sim.reset(clock=True)
    before = len(drill.log)
    drill.run(1.0)
    assert drill.ended == [('goal', 'aborted', -1)]
    assert drill.rests() and drill.largest_error(before) < 1e-6
    assert np.allclose(drill.sim.q, START, atol=1e-6)


def test_a_reset_that_the_stamps_do_not_show_ends_the_motion(drill):
    drill.go()
    drill.run(0.5)
    drill.sim.reset()                           # the clock goes on
    drill.run(1.5)
    assert drill.ended == [('goal', 'aborted', -4)]
    assert drill.rests()


def test_a_controller_that_starts_anew_in_motion_brings_the_arm_to_rest(drill):
    drill.go()
    drill.run(0.5)
    drill.start_controller()
    before = len(drill.log)
    drill.run(1.0)
    assert drill.rests() and drill.largest_error(before) < PROMISED
    # Half of the way that the speed would have gone in 0.3 s, from 2.25 rad/s: 0.34 rad.
    assert abs(drill.sim.q[0] - drill.log[before][0][0]) < 0.4


def test_of_two_clients_at_once_the_last_is_followed_and_the_other_told(drill):
    drill.go(key='one')
    drill.run(0.3)
    drill.go((0.5, 0.2), key='two')
    drill.go(START, key='three')
    drill.run(1.3)
    assert drill.ended == [('one', 'aborted', -1), ('two', 'aborted', -1),
                           ('three', 'succeeded', 0)]
    assert drill.rests() and drill.largest_error() < PROMISED


def test_a_cancel_at_full_speed_comes_to_rest_without_a_sag(drill):
    drill.go()
    drill.run(0.5)
    assert not drill.controller.cancel('nobody')
    assert drill.controller.cancel('goal')
    before = len(drill.log)
    drill.run(1.0)
    assert drill.ended == [('goal', 'canceled', 0)]
    assert drill.rests() and drill.largest_error(before) < 1e-3


def test_an_arm_that_is_pushed_stops_at_the_contact(drill):
    drill.controller.supervisor.set_limits(50.0, (5.0, 5.0), 1.2)
    drill.go(duration=3.0)
    drill.run(0.5)
    assert drill.ended == []                    # motion alone is no contact
    arm, sim = drill.arm, drill.sim
    for _ in range(300):
        J = arm.jacobian(np.array(sim.q))[:3]
        sim.command([x + y for x, y in zip(drill.controller.tau, J.T @ [0.0, 0.0, 60.0])])
        sim.step()
        drill.controller.update(sim.ns, sim.q, sim.qd)
        drill.results += drill.controller.execution.take_results()
        if drill.ended:
            break
    assert drill.ended == [('goal', 'aborted', -4)]
    assert 'contact: joint' in drill.results[0].text
    drill.run(1.0)
    assert drill.rests()


def test_an_arm_that_is_too_fast_is_brought_to_rest(drill):
    drill.run(0.1)
    sim = drill.sim
    q = list(sim.q)
    for k in range(1, 60):                      # a joint at 8 rad/s, where 6 are allowed
        q[0] += 8e-3
        drill.controller.update(sim.ns + k * MS, tuple(q), (8.0, 0.0))
    assert any('faster than 7.2' in event for event in drill.events)
