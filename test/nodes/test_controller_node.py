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

"""The controller node answers every state it can use, and no other."""

from math import inf, isfinite, nan
import random

import numpy as np
import pytest


pytest.importorskip('rclpy', reason='no rclpy: neither a sourced ROS 2 nor the wheels')

from diagnostic_msgs.msg import DiagnosticArray  # noqa: E402, I100
from rclpy.parameter import Parameter  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402
from std_msgs.msg import Float64MultiArray  # noqa: E402
from std_srvs.srv import Trigger  # noqa: E402

from twolink_dynamics.nodes.controller_node import ControllerNode  # noqa: E402
from twolink_dynamics.nodes.messages import nanoseconds, set_stamp  # noqa: E402

MS = 1000000
NAMES = ['joint1', 'joint2']


def state(ns, position, velocity=(), names=NAMES):
    """Return a joint state."""
    message = JointState(name=list(names), position=list(position), velocity=list(velocity))
    set_stamp(message.header.stamp, ns)
    return message


@pytest.fixture
def control(ros, description):
    """Return a controller, a publisher of its states, and its commands."""
    commands = ros.listen(JointState, 'joint_commands')
    # No command is to come of silence here, however slow the machine is.
    node = ros.start(ControllerNode, robot_description=description, state_timeout=60.0,
                     zero_timeout=60.0)
    publisher = ros.publisher(JointState, 'joint_states')
    ros.until(lambda: ros.probe.count_publishers('joint_commands') == 1, 'its publisher')
    return node, publisher, commands


def test_each_state_gets_one_effort_with_its_stamp(ros, control, arm):
    node, states, commands = control
    stamps = [7 * MS, 8 * MS, 8 * MS, 10 * MS, 3 * MS]
    for k, ns in enumerate(stamps, 1):
        states.publish(state(ns, [0.1, 0.2], [0.0, 0.0]))
        ros.until(lambda: len(commands) == k, f'effort {k}')
    assert [nanoseconds(m.header.stamp) for m in commands] == stamps
    for message in commands:
        assert message.name == NAMES
        assert message.effort == pytest.approx(arm.gravity_vector([0.1, 0.2]), rel=1e-12)


def test_other_joints_any_order_and_missing_velocities_are_understood(ros, control, arm):
    node, states, commands = control
    states.publish(state(MS, [9.0, 0.2, nan, 0.1], names=['wheel', 'joint2', 'lamp', 'joint1']))
    ros.until(lambda: commands, 'the effort')
    assert commands[0].effort == pytest.approx(arm.gravity_vector([0.1, 0.2]), rel=1e-12)


def test_states_without_a_stamp_are_answered_at_the_time_of_receipt(ros, control, capfd):
    node, states, commands = control
    for k in (1, 2):
        states.publish(state(0, [0.1, 0.2], [0.0, 0.0]))
        ros.until(lambda: len(commands) == k, f'effort {k}')
    first, second = (nanoseconds(m.header.stamp) for m in commands)
    assert 0 < first < second
    assert capfd.readouterr().err.count('have no stamp') == 1


def test_nothing_is_sent_before_the_first_valid_state_nor_for_an_invalid_one(ros, control):
    node, states, commands = control
    arrays = ros.listen(Float64MultiArray, 'forward_effort_controller/commands')
    assert not ros.call(Trigger, 'computed_torque_controller/hold').success
    states.publish(state(MS, [nan, 0.0], [0.0, 0.0]))
    states.publish(state(MS, [0.0], [0.0]))
    states.publish(state(MS, [0.0, 0.0], [0.0, inf]))
    states.publish(state(MS, [0.0], [0.0], names=['joint1']))
    ros.until(lambda: node.rejections.total == 4, 'four rejections')
    states.publish(state(2 * MS, [0.0, 0.0], [0.0, 0.0]))
    ros.until(lambda: commands, 'the effort')
    assert [nanoseconds(m.header.stamp) for m in commands] == [2 * MS]
    assert arrays == []             # the interface is joint_state alone
    assert ros.call(Trigger, 'computed_torque_controller/hold').success


def test_a_burst_of_nan_in_motion_does_not_make_the_effort_jump(ros, control, arm):
    node, states, commands = control
    speed = 0.5
    for k in range(1, 40):
        bad = 15 <= k < 25
        position = [nan, nan] if bad else [0.1 + speed * 1e-3 * k, 0.2]
        states.publish(state(k * MS, position, [speed, 0.0]))
        good = k - sum(15 <= j < 25 for j in range(1, k + 1))
        ros.until(lambda: len(commands) == good and node.rejections.total == k - good,
                  f'state {k}')
    efforts = np.array([m.effort for m in commands])
    gap = np.abs(efforts[14] - efforts[13]).max()
    # Ten states are missing: what changed over them is as much as over ten states before, and a
    # little more, as nothing is steady here.
    assert gap < 2.0 * np.abs(efforts[13] - efforts[3]).max()


def test_thousands_of_fuzzed_states_are_each_answered_within_the_limits_or_counted(ros, control):
    node, states, commands = control
    node.set_parameters([Parameter('state_timeout', value=0.5)])
    rng = random.Random(11)
    numbers = [0.0, 1.0, -0.5, 3.0, 0.1, -2.0, 1e8, -1e6, nan, inf, 1e300]
    limits = [float(x) for x in node.arm.limits.effort]
    ns = MS
    for k in range(1, 3001):
        ns = max(1, ns + rng.choice((MS, MS, MS, 0, -5 * MS, 900 * MS)))
        n = rng.choice((0, 1, 2, 2, 2, 2, 2, 3))
        names = rng.choice((NAMES, NAMES, NAMES[::-1], NAMES + ['x'], ['joint1'] * 2, ['a', 'b']))
        states.publish(state(ns, [rng.choice(numbers) for _ in range(n)],
                             [rng.choice(numbers) for _ in range(rng.choice((0, n)))], names))
        if k % 5 == 0:          # the queue is ten deep, and nothing may be lost on the way
            ros.until(lambda: node.report.states + node.rejections.total == k, f'state {k}')
    ros.until(lambda: len(commands) >= node.report.states - node.report.without_effort,
              'the last effort')
    assert node.report.states > 300 and node.rejections.total > 300
    for message in commands:
        assert all(isfinite(x) and abs(x) <= h for x, h in zip(message.effort, limits))
    states.publish(state(ns + MS, [0.1, 0.2], [0.0, 0.0]))
    before = len(commands)
    ros.until(lambda: len(commands) > before, 'an effort after all that')


def test_the_diagnostics_say_when_states_are_missing_and_what_is_done(ros, control):
    node, states, commands = control
    diagnostics = ros.listen(DiagnosticArray, '/diagnostics')

    def last():
        own = [s for m in diagnostics for s in m.status if s.name == 'computed_torque_controller']
        return own[-1] if own else None

    ros.until(last, 'diagnostics')
    assert last().level == b'\x01'
    assert last().message == 'waiting for joint_states'
    states.publish(state(MS, [0.1, 0.2], [0.0, 0.0]))
    ros.until(lambda: commands, 'the effort')
    node.set_parameters([Parameter('state_timeout', value=0.5)])
    ros.until(lambda: last().message == 'joint_states are stale', 'the silence to be noticed')
    assert {v.key: v.value for v in last().values}['state'] == 'holding'
