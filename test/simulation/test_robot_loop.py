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

"""The simulator node's core, without ROS: its loop, its inputs, and its report."""

from math import inf, nan
from types import SimpleNamespace

import numpy as np
import pytest

from twolink_dynamics.diagnostics import Level, MessageError
from twolink_dynamics.periodic import Timing
from twolink_dynamics.simulation.clock import SECOND
from twolink_dynamics.simulation.robot_inputs import RobotInputs
from twolink_dynamics.simulation.robot_loop import RobotLoop
from twolink_dynamics.simulation.simulated_robot import SimulatedRobot
from twolink_dynamics.simulation.simulator_report import SimulatorReport

MS = 1000000
START = (0.3, 0.5)


class Bench:
    """A simulated robot in its loop, with what it publishes and logs."""

    def __init__(self, arm, **options):
        self.published, self.lines = [], []
        self.robot = SimulatedRobot(arm, initial_position=START, **options)
        # A patience of nothing: an answer is there, or it is missing.
        self.loop = RobotLoop(self.robot, self.publish, lambda *line: self.lines.append(line), 0.0)
        self.inputs = RobotInputs(self.robot, own_clock=True)
        values = SimpleNamespace(rate=1000.0, real_time_factor=0.0, payload_mass=0.0)
        self.report = SimulatorReport(self.loop, self.inputs, Timing(), values, 0)

    def publish(self, at_once):
        """Take note of a state."""
        self.published.append((self.robot.ns, at_once))


def test_the_first_state_is_published_before_any_step(arm):
    bench = Bench(arm)
    for _ in range(3):
        bench.loop.tick()
    assert bench.published == [(SECOND, True), (SECOND + MS, False), (SECOND + 2 * MS, False)]


def test_in_lockstep_a_state_is_published_again_until_its_effort_comes(arm):
    bench = Bench(arm, lockstep=True)
    for _ in range(4):
        bench.loop.tick()
    assert {ns for ns, _ in bench.published} == {SECOND} and len(bench.published) == 4
    assert [level for level, _ in bench.lines] == [Level.WARN] and bench.loop.waiting_long
    assert bench.report.make().text == 'waiting for an effort'
    bench.inputs.command((1.0, 2.0), SECOND - 1)        # of no state
    bench.inputs.command((1.0, 2.0), SECOND)
    bench.inputs.command((9.0, 9.0), SECOND)            # again
    bench.loop.tick()
    assert bench.published[-1][0] == SECOND + MS and tuple(bench.robot.tau) == (1.0, 2.0)
    assert bench.lines[-1] == (Level.OK, 'efforts arrive again')
    assert (bench.inputs.commands, bench.inputs.unused) == (3, 2)


def test_a_paused_robot_steps_when_it_is_asked_to_and_only_then(arm):
    bench = Bench(arm, brake=False)
    assert bench.loop.step() == (False, 'not paused: call ~/pause first')
    assert bench.loop.pause(True) == (True, 'paused at 1.000000 s')
    bench.loop.tick()
    bench.loop.tick()
    assert [ns for ns, _ in bench.published] == [SECOND] * 2
    assert bench.loop.step() == (True, 'at 1.001000 s')
    assert bench.published[-1] == (SECOND + MS, True)
    assert bench.loop.reset(clock=True) == (True, 'at the start, at 1.000000 s')
    assert tuple(bench.robot.q) == START and bench.published[-1] == (SECOND, True)
    assert bench.loop.pause(False) == (True, 'running at 1.000000 s')


def test_in_lockstep_a_step_needs_its_effort(arm):
    bench = Bench(arm, lockstep=True, paused=True)
    assert bench.loop.step() == (False, 'no effort came yet for the state of 1.000000 s')
    bench.inputs.command((0.0, 0.0), SECOND)
    assert bench.loop.step()[0]


def test_a_robot_that_diverged_waits_for_a_reset(arm):
    bench = Bench(arm, brake=False)
    bench.loop.tick()
    bench.robot.push((1e300,) * 6)
    bench.loop.tick()
    assert bench.lines[0][0] == Level.ERROR and 'starts anew' in bench.lines[0][1]
    assert bench.report.make()[:2] == (Level.ERROR, bench.robot.diverged)
    for answer in (bench.loop.step(), bench.loop.pause(False)):
        assert not answer[0] and answer[1].endswith('call ~/reset')
    bench.robot.push(None)
    assert bench.loop.reset(clock=False)[0] and not bench.robot.diverged


def test_a_wrench_in_the_axes_of_the_tip_is_turned_and_a_wrong_one_refused(arm):
    bench, pushes = Bench(arm), []
    bench.robot.push = pushes.append
    wrench = (1.0, 2.0, 3.0, 0.1, 0.2, 0.3)
    R = arm.tip_pose(START)[:3, :3]
    for frame in ('', arm.chain.base_link, f'/{arm.chain.tip_link}'):
        bench.inputs.push(wrench, frame, 0)
    np.testing.assert_array_equal(pushes[0], wrench)
    np.testing.assert_array_equal(pushes[1], wrench)
    np.testing.assert_allclose(pushes[2], [*R @ wrench[:3], *R @ wrench[3:]], rtol=1e-15)
    for values, frame, stamp, kind in (
            ((nan,) * 6, '', 0, 'not finite'), ((inf,) * 6, '', 0, 'not finite'),
            ((2e6,) * 6, '', 0, 'beyond reason'), (wrench, 'camera', 0, 'unknown frame'),
            (wrench, '', 3 * SECOND, 'from the future')):
        with pytest.raises(MessageError, match=kind):
            bench.inputs.push(values, frame, stamp)
    assert bench.inputs.wrenches == len(pushes) == 3


def test_an_array_is_no_answer_in_lockstep(arm):
    with pytest.raises(MessageError, match='no stamp in lockstep'):
        Bench(arm, lockstep=True).inputs.command_array((1.0, 1.0))
    bench = Bench(arm)
    bench.inputs.command_array((1.0, 1.0))
    assert bench.inputs.commands == 1 and not bench.robot.braked


def test_a_report_is_on_the_time_since_the_last(arm):
    bench = Bench(arm)
    assert bench.report.make().text == 'braked until the first effort'
    bench.inputs.command((1e6, 0.0), 0)
    for _ in range(5):
        bench.loop.tick()
    status = bench.report.make()
    assert status[:2] == (Level.WARN, 'effort saturated in 4 steps')
    assert status.figures['commands'] == 1 and status.figures['saturated steps'] == 4
    assert bench.report.make().figures['saturated steps'] == 0
