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

"""A controller that is shut down answers its clients, lets the arm rest, and sends an effort."""

import numpy as np
import pytest

from twolink_dynamics.simulation.simulated_robot import SimulatedRobot
from twolink_dynamics.tracking.controller import TrackingController
from twolink_dynamics.tracking.shutdown import LAST_EFFORTS, Shutdown
from twolink_dynamics.trajectory.goal import GoalPoint, INVALID_GOAL

START, TARGET = (0.3, 0.5), (-0.9, 1.2)


class Loop:
    """An arm under control, in simulated time."""

    def __init__(self, arm):
        self.sim = SimulatedRobot(arm, initial_position=START, brake=False)
        self.controller = TrackingController(arm)
        self.controller.execution.stopped_velocity_tolerance = 0.05
        self.shutdown = Shutdown(self.controller)

    @property
    def now(self):
        """The time of the loop's clock [s]."""
        return 1e-9 * self.sim.ns

    def step(self):
        """Answer one state, and step."""
        sim = self.sim
        sim.command(self.controller.update(sim.ns, tuple(sim.q), tuple(sim.qd), self.now))
        sim.step()

    def go(self, duration=1.0):
        """Begin a motion, and come to its middle."""
        zero = (0.0, 0.0)
        self.step()
        self.controller.accept(self.controller.arm.joint_names,
                               [GoalPoint(duration, TARGET, zero, zero)], key='goal')
        for _ in range(round(500 * duration)):
            self.step()

    def end(self):
        """Shut down, and return for how many steps the arm was answered."""
        self.shutdown.begin()
        steps = 0
        while not self.shutdown.done(self.now):
            self.step()
            steps += 1
        return steps


@pytest.fixture
def loop(arm):
    """Return an arm that is held."""
    return Loop(arm)


def test_in_motion_the_goal_ends_and_the_arm_rests_within_the_stop_duration(loop, arm):
    loop.go()
    assert np.abs(loop.sim.qd).max() > 1.0
    steps = loop.end()
    [result] = loop.controller.execution.take_results()
    assert (result.key, result.state, result.code) == ('goal', 'aborted', INVALID_GOAL)
    assert 'shuts down' in result.text
    # Two states more than the 300 of the stop: the one it begins at, and the one after its end.
    assert steps <= 302
    assert np.abs(loop.sim.qd).max() <= 0.05


@pytest.mark.parametrize('kind', LAST_EFFORTS)
def test_the_last_effort_is_the_one_chosen_and_leaves_no_speed_behind(loop, arm, kind):
    loop.go()
    loop.end()
    tau = loop.shutdown.last_effort(kind)
    if kind == 'zero':
        assert tuple(tau) == (0.0, 0.0)
    elif kind == 'hold':
        assert tau == loop.controller.tau
    else:
        # The state that was answered last is the one before the last step.
        assert tau == pytest.approx(arm.gravity_vector(loop.controller.q), rel=1e-12)
        for _ in range(1000):
            loop.sim.command(tau)
            loop.sim.step()
        # Nothing drives it but what 0.05 rad/s left, for a second, as gravity changes by it.
        assert np.abs(loop.sim.qd).max() < 0.2


def test_an_arm_without_new_states_is_not_waited_for(loop):
    loop.go()
    loop.shutdown.begin()
    assert not loop.shutdown.done(loop.now)
    assert loop.shutdown.done(loop.now + loop.controller.watchdog.times[1])


def test_an_arm_that_does_not_come_to_rest_is_not_waited_for(loop):
    loop.go()
    loop.shutdown.begin()
    steps = 0
    while not loop.shutdown.done(loop.now):
        sim = loop.sim
        loop.controller.update(sim.ns, START, (1.0, 0.0), loop.now)
        sim.step()
        steps += 1
    # stop_duration to be at rest, and once more.
    assert 600 <= steps <= 602


def test_before_the_first_state_there_is_nothing_to_wait_for_and_nothing_to_send(loop):
    assert loop.end() == 0
    assert loop.shutdown.last_effort('gravity') is None


@pytest.mark.parametrize('kind', LAST_EFFORTS)
def test_a_disabled_controller_leaves_zero(loop, kind):
    loop.step()
    loop.controller.enable(False)
    loop.step()
    assert loop.end() == 0
    assert tuple(loop.shutdown.last_effort(kind)) == (0.0, 0.0)


def test_the_last_effort_is_within_the_limits(limited):
    controller = TrackingController(limited)
    controller.update(1, (0.0,) * limited.n, (0.0,) * limited.n, 0.0)
    heavy = limited.with_payload(1000.0)
    controller.use_model(heavy)
    tau = Shutdown(controller).last_effort('gravity')
    assert any(abs(g) > most for g, most in zip(
        heavy.gravity_vector([0.0] * limited.n), limited.limits.effort))
    assert all(abs(x) <= most for x, most in zip(tau, limited.limits.effort))


@pytest.mark.parametrize('kind', LAST_EFFORTS)
def test_what_a_fault_leaves_the_arm_is_not_held_for_it(loop, arm, kind):
    loop.go()
    loop.controller.latch.latch('recurring', 'of this test')
    for _ in range(3):
        loop.step()
    tau = loop.shutdown.last_effort(kind)
    # Damping held for ever would drive the arm back.
    expected = (0.0, 0.0) if kind == 'zero' else arm.gravity_vector(loop.controller.q)
    assert tau == pytest.approx(expected, rel=1e-12)
    loop.controller.latch.effort = 'zero'
    assert tuple(loop.shutdown.last_effort(kind)) == (0.0, 0.0)
