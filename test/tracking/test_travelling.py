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

"""A copy of a controller in mid-motion goes on as the original does, and moves only itself."""

import copy
import pickle

from hypothesis import given, settings, strategies as st
import pytest

import twolink_dynamics as tl
from twolink_dynamics.control.laws import make_law
from twolink_dynamics.registry import names
from twolink_dynamics.simulation.simulated_robot import SimulatedRobot
from twolink_dynamics.tracking import TrackingController
from twolink_dynamics.trajectory.goal import GoalPoint

START, REST = (0.3, 0.5), (0.0, 0.0)
ARM = tl.TwoLinkArm()
WAYS = [copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing))]


def in_motion(law, steps, target, events):
    """Return a controller and the robot that it moves, after some steps."""
    controller = TrackingController(ARM, on_event=events.append, law=make_law(law, ARM))
    controller.supervisor.set_limits(50.0, (5.0, 5.0), 1.2)
    controller.effort_filter.set_limits(1e4, 0.05, 0.2)
    robot = SimulatedRobot(ARM, initial_position=START, brake=False)
    run(controller, robot, 2)
    controller.accept(ARM.joint_names, [GoalPoint(0.2, target, REST, REST)], key='goal')
    run(controller, robot, steps)
    return controller, robot


def run(controller, robot, steps):
    """Advance; return the desired states and efforts, and which goals ended."""
    log = []
    for k in range(steps):
        tau = controller.update(robot.ns, robot.q, None if k % 3 else robot.qd, 1e-9 * robot.ns)
        robot.command(tau)
        robot.step()
        log.append((tuple(controller.desired), tuple(tau), controller.mode,
                    controller.execution.take_results()))
    return log


@settings(max_examples=30, deadline=None, derandomize=True)
@given(law=st.sampled_from(names('law')), steps=st.integers(0, 260), way=st.sampled_from(WAYS),
       target=st.tuples(st.floats(-0.6, 0.6), st.floats(-0.6, 0.6)), push=st.booleans())
def test_a_copy_of_a_controller_goes_on_and_moves_only_itself(law, steps, way, target, push):
    controller, robot = in_motion(law, steps, target, [])
    if push:
        robot.push((20.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    others = way((controller, robot))
    moved = run(*others, 60)
    assert run(controller, robot, 60) == moved


@pytest.mark.parametrize('way', WAYS)
def test_a_copy_reports_no_events(way):
    events = []
    controller, robot = in_motion('computed_torque', 10, (0.1, 0.1), events)
    other = way(controller)
    other.update(robot.ns + 10 ** 10, robot.q, robot.qd)
    assert events == [] and other.execution.aborted == 1 and controller.execution.aborted == 0
    controller.update(robot.ns + 10 ** 10, robot.q, robot.qd)
    assert len(events) == 1
