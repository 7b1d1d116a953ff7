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

"""The fault drill under the real rclpy: restarts, silence, two clients, live changes."""

from math import nan
import sys
from types import ModuleType

import numpy as np
import pytest


pytest.importorskip('rclpy', reason='no rclpy: neither a sourced ROS 2 nor the wheels')

from rclpy.parameter import Parameter  # noqa: E402, I100
from rosidl_generator_py.import_type_support_impl import UnsupportedTypeSupport  # noqa: E402
from sensor_msgs.msg import Imu, JointState  # noqa: E402
from std_msgs.msg import Float64MultiArray  # noqa: E402
from std_srvs.srv import SetBool  # noqa: E402
from trajectory_msgs.msg import JointTrajectory  # noqa: E402

from twolink_dynamics.nodes.controller_node import ControllerNode  # noqa: E402
from twolink_dynamics.nodes.messages import joint_trajectory, nanoseconds, set_stamp  # noqa: E402
from twolink_dynamics.nodes.simulator_node import SimulatorNode  # noqa: E402

MS = 1000000
START = [0.3, 0.5]
NAMES = ['joint1', 'joint2']
PROMISED = 0.05
# Silence is measured on the wall; here it must never be noticed by itself.
PATIENT = {'state_timeout': 60.0, 'zero_timeout': 60.0}


def start_simulator(ros, description, **more):
    """Start a simulator in lockstep, as fast as it can."""
    return ros.start(SimulatorNode, robot_description=description, lockstep=True,
                     real_time_factor=0.0, initial_position=START, **more)


def stop(ros, node):
    """Stop a node, as a process that is killed stops: without a word."""
    ros.nodes.remove(node)
    ros.executor.remove_node(node)
    for _ in range(20):             # what has been taken off the wire is still handed to it
        ros.executor.spin_once(0.0)
    node.close()
    node.destroy_node()


def move(end, duration=1.0):
    """Return a trajectory of one point."""
    return joint_trajectory(NAMES, [duration], [end], [[0.0, 0.0]], [[0.0, 0.0]])


def set_live(node, **changes):
    """Set parameters, as ros2 param set does."""
    for name, value in changes.items():
        [result] = node.set_parameters([Parameter(name, value=value)])
        assert result.successful, result.reason


def test_a_controller_that_is_killed_in_motion_is_replaced_by_one_that_holds(ros, description):
    states = ros.listen(JointState, 'joint_states')
    start_simulator(ros, description)
    first = ros.start(ControllerNode, robot_description=description, **PATIENT)
    ros.publisher(JointTrajectory, 'computed_torque_controller/joint_trajectory').publish(
        move([-1.0, 1.2]))
    ros.until(lambda: states and abs(states[-1].velocity[0]) > 1.0, 'speed')
    stop(ros, first)
    errors = ros.listen(JointState, 'computed_torque_controller/error')
    second = ros.start(ControllerNode, robot_description=description, **PATIENT)
    ros.until(lambda: second.core.ns and second.core.mode == 'holding', 'rest')
    seen = len(states)
    ros.until(lambda: len(states) > seen + 300, 'holding')
    assert np.abs(states[-1].velocity).max() < 1e-2
    assert np.abs([m.position for m in errors]).max() < PROMISED
    assert states[-1].position[0] > -1.0        # it stopped on the way, and begins no motion


def test_a_simulator_that_is_killed_and_started_anew_is_held_where_it_is_then(ros, description):
    states = ros.listen(JointState, 'joint_states')
    first = start_simulator(ros, description)
    control = ros.start(ControllerNode, robot_description=description, **PATIENT)
    ros.publisher(JointTrajectory, 'computed_torque_controller/joint_trajectory').publish(
        move([-1.0, 1.2]))
    ros.until(lambda: states and abs(states[-1].velocity[0]) > 1.0, 'speed')
    stop(ros, first)
    end = nanoseconds(states[-1].header.stamp)
    start_simulator(ros, description)
    ros.until(lambda: nanoseconds(states[-1].header.stamp) < end, 'the first state again')
    seen = len(states)
    ros.until(lambda: len(states) > seen + 300, 'holding')
    assert control.core.execution.aborted == 1
    assert 'went back' in control.core.execution.last_failure.text
    assert np.abs(np.subtract([m.position for m in states[seen:]], START)).max() < PROMISED


def test_silence_is_answered_down_the_ladder_without_a_state(ros, description, arm):
    commands = ros.listen(JointState, 'joint_commands')
    node = ros.start(ControllerNode, robot_description=description)
    set_live(node, state_timeout=0.05, zero_timeout=0.2)
    states = ros.publisher(JointState, 'joint_states')
    ros.until(lambda: ros.probe.count_publishers('joint_commands') == 1, 'its publisher')
    message = JointState(name=NAMES, position=START, velocity=[1.0, -1.0])
    set_stamp(message.header.stamp, MS)
    states.publish(message)
    ros.until(lambda: commands and not any(commands[-1].effort), 'zero')
    efforts = np.array([m.effort for m in commands])
    gravity = arm.gravity_vector(START)
    # From the effort that brings 1 rad/s to rest, over gravity, to zero: never beyond them.
    low, high = np.minimum(np.minimum(efforts[0], gravity), 0.0), np.maximum(
        np.maximum(efforts[0], gravity), 0.0)
    assert ((efforts >= low - 1e-9) & (efforts <= high + 1e-9)).all()
    assert {nanoseconds(m.header.stamp) for m in commands} == {MS}


def test_before_the_first_state_there_is_no_command_however_long_it_takes(ros, description):
    commands = ros.listen(JointState, 'joint_commands')
    node = ros.start(ControllerNode, robot_description=description)
    set_live(node, state_timeout=0.001, zero_timeout=0.001)
    ticks = []
    timer = ros.probe.create_timer(0.01, lambda: ticks.append(1))
    ros.until(lambda: len(ticks) > 30, 'thirty looks at the silence')
    ros.probe.destroy_timer(timer)
    assert commands == []


def test_a_driver_with_other_joints_nan_and_best_effort_is_understood(ros, description):
    from rclpy.qos import qos_profile_sensor_data

    arrays = ros.listen(Float64MultiArray, 'forward_effort_controller/commands')
    node = ros.start(ControllerNode, robot_description=description, command_interface='array',
                     joints=['joint2', 'joint1'], **PATIENT)
    publisher = ros.probe.create_publisher(JointState, 'joint_states', qos_profile_sensor_data)
    ros.until(lambda: publisher.get_subscription_count() and ros.probe.count_publishers(
        'forward_effort_controller/commands'), 'the controller')
    for k in range(1, 30):
        message = JointState(name=['wheel', 'joint2', 'joint1'], position=[nan, 0.5, 0.3],
                             velocity=[nan] * 3, effort=[nan])
        set_stamp(message.header.stamp, k * MS)
        publisher.publish(message)
        ros.until(lambda: node.report.states == k, f'state {k}')
    ros.until(lambda: len(arrays) == 29, 'the last effort')
    gravity = node.arm.gravity_vector(START)
    assert np.allclose([m.data for m in arrays], gravity[::-1], rtol=1e-9)


def test_law_load_and_tolerances_change_while_the_node_runs(ros, description):
    states = ros.listen(JointState, 'joint_states')
    estimates = ros.listen(Float64MultiArray, 'computed_torque_controller/estimates')
    external = ros.listen(JointState, 'computed_torque_controller/external_effort')
    commands = ros.listen(JointState, 'joint_commands')
    start_simulator(ros, description)
    node = ros.start(ControllerNode, robot_description=description, **PATIENT)
    ros.until(lambda: len(external) > 100, 'external efforts')
    # Nothing but rounding and the zero-order hold.
    assert np.abs([m.effort for m in external]).max() < 0.05
    set_live(node, law='adaptive', adaptation=0.0)
    ros.until(lambda: len(estimates) > 2, 'estimates')
    assert len(estimates[0].data) == 24
    for law in ('passivity', 'joint_impedance', 'operational_space', 'computed_torque'):
        set_live(node, law=law)
        assert node.core.law.name == law
        seen = len(states)
        ros.until(lambda: len(states) > seen + 50, f'states under {law}')
    set_live(node, payload_mass=1.0)
    assert node.core.law.arm is not node.arm
    set_live(node, payload_mass=0.0, gravity=[0.0, 0.0, -9.80], path_tolerance=[0.3, 0.4])
    assert node.core.law.arm.gravity[2] == -9.80
    assert node.core.execution.path_tolerance == (0.3, 0.4)
    before = node.core.law
    for name, value in (('law', 'magic'), ('path_tolerance', [0.1] * 3), ('payload_mass', -1.0),
                        ('zero_timeout', 0.5), ('effort_rate', [1.0, 2.0, 3.0])):
        [result] = node.set_parameters([Parameter(name, value=value)])
        assert not result.successful and name in result.reason.replace('rate:', 'effort_rate:')
    assert node.core.law is before
    rows = {nanoseconds(m.header.stamp): m.effort for m in commands}
    stamps = sorted(rows)
    steps = [np.abs(np.subtract(rows[a], rows[b])).max() for a, b in zip(stamps, stamps[1:])
             if b - a == MS]
    # The load's 1 kg on 1.6 m is 16 N m, spread over 200 steps.
    assert max(steps) < 0.5


def test_gravity_is_taken_from_an_accelerometer(ros, description):
    node = ros.start(ControllerNode, robot_description=description, gravity_topic='imu', **PATIENT)
    publisher = ros.publisher(Imu, 'imu')
    message = Imu()
    message.linear_acceleration.x, message.linear_acceleration.z = 9.81, 0.0
    publisher.publish(message)
    ros.until(lambda: node.core.law.arm.gravity[0] < -9.8, 'gravity to turn')
    message.header.frame_id = 'elsewhere'
    publisher.publish(message)
    ros.until(lambda: node.rejections.total == 1, 'the rejection')


def test_two_clients_at_once_are_followed_one_after_the_other_without_a_jump(ros, description):
    desired = ros.listen(JointState, 'computed_torque_controller/reference')
    start_simulator(ros, description, start_paused=True)
    control = ros.start(ControllerNode, robot_description=description, **PATIENT)
    clients = [ros.publisher(JointTrajectory, 'computed_torque_controller/joint_trajectory')
               for _ in range(2)]
    ros.until(lambda: control.core.ns is not None, 'the first state')
    for k in range(10):
        clients[k % 2].publish(move([0.3 + 0.05 * (-1) ** k, 0.5 + 0.04 * k], 0.5))
    ros.until(lambda: control.core.execution.aborted == 9, 'nine preemptions')
    for paused in (True, False):
        assert ros.call(SetBool, 'simulator/pause', data=paused).success
    ros.until(lambda: control.core.execution.succeeded == 1, 'the last to be reached')
    rows = {nanoseconds(m.header.stamp): m.position for m in desired}
    stamps = sorted(rows)
    assert max(np.abs(np.subtract(rows[a], rows[b])).max()
               for a, b in zip(stamps, stamps[1:]) if b - a == MS) < 3e-3


def test_control_msgs_without_type_support_is_one_line(ros, description, monkeypatch, capfd):
    class Unsupported(type):
        _TYPE_SUPPORT = None

        @classmethod
        def __import_type_support__(cls):
            raise UnsupportedTypeSupport('control_msgs')

    for name, attributes in (('control_msgs', ()), ('control_msgs.action',
                                                    ('FollowJointTrajectory',)),
                             ('control_msgs.msg', ('JointTrajectoryControllerState',))):
        module = ModuleType(name)
        for attribute in attributes:
            kind = Unsupported(attribute, (), {
                '__init__': lambda self, **fields: None, 'Feedback': object, 'Goal': object,
                'Result': object})
            setattr(module, attribute, kind)
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.delitem(sys.modules, 'twolink_dynamics.nodes.action_server', raising=False)
    node = ros.start(ControllerNode, robot_description=description)
    assert node.configured
    said = [line for line in capfd.readouterr().err.splitlines() if 'control_msgs' in line]
    assert len(said) == 1 and '~/joint_trajectory' in said[0]
    monkeypatch.delitem(sys.modules, 'twolink_dynamics.nodes.action_server', raising=False)
