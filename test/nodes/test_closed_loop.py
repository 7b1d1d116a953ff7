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

"""Simulator and controller under the real rclpy, in lockstep: no number depends on the machine."""

import numpy as np
import pytest

from twolink_dynamics.simulation.simulated_robot import SimulatedRobot
from twolink_dynamics.tracking.controller import TrackingController
from twolink_dynamics.trajectory import swing

pytest.importorskip('rclpy', reason='no rclpy: neither a sourced ROS 2 nor the wheels')

from diagnostic_msgs.msg import DiagnosticArray  # noqa: E402, I100
from sensor_msgs.msg import JointState  # noqa: E402
from std_msgs.msg import Float64MultiArray, String  # noqa: E402
from std_srvs.srv import SetBool, Trigger  # noqa: E402
from trajectory_msgs.msg import JointTrajectory  # noqa: E402

from twolink_dynamics.nodes.arm_node import freshest  # noqa: E402
from twolink_dynamics.nodes.controller_node import ControllerNode  # noqa: E402
from twolink_dynamics.nodes.messages import (  # noqa: E402
    goal_points, joint_trajectory, nanoseconds)
from twolink_dynamics.nodes.reference_node import ReferenceNode  # noqa: E402
from twolink_dynamics.nodes.simulator_node import SimulatorNode  # noqa: E402

SECOND = 1000000000
START = [0.3, 0.5]
LOCKSTEP = {'lockstep': True, 'real_time_factor': 0.0, 'initial_position': START}


def start_pair(ros, description, namespace='', simulator=None, controller=None):
    """Start the two nodes in lockstep, paused; return them."""
    sim = ros.start(SimulatorNode, namespace, robot_description=description,
                    **{**LOCKSTEP, 'start_paused': True, **(simulator or {})})
    # No command is to come of silence here, however slow the machine is.
    control = ros.start(ControllerNode, namespace, robot_description=description,
                        **{'state_timeout': 60.0, 'zero_timeout': 60.0, **(controller or {})})
    return sim, control


def resume(ros, namespace=''):
    """Let time go on."""
    assert ros.call(SetBool, f'{namespace}/simulator/pause', data=True).success
    assert ros.call(SetBool, f'{namespace}/simulator/pause', data=False).success


def send(ros, control, names, move, start):
    """Send a trajectory, and wait until the controller has it."""
    publisher = ros.publisher(JointTrajectory, f'{control.get_fully_qualified_name()}'
                                               '/joint_trajectory')
    publisher.publish(joint_trajectory(names, move.times, move.positions, move.velocities,
                                       move.accelerations, start))
    ros.until(lambda: control.core.execution.active or control.report.rejected_goals,
              'the trajectory')


def run_until(ros, states, end):
    """Execute until the states reach a time; return time [ns] to (position, effort)."""
    ros.until(lambda: states and nanoseconds(states[-1].header.stamp) >= end, f'{end} ns')
    return {nanoseconds(m.header.stamp): (tuple(m.position), tuple(m.effort)) for m in states
            if nanoseconds(m.header.stamp) <= end}


def test_the_arm_does_not_drop_while_it_waits_for_a_trajectory(ros, description, arm):
    states = ros.listen(JointState, 'joint_states')
    start_pair(ros, description)
    resume(ros)
    log = run_until(ros, states, 3 * SECOND)
    assert len(log) == 2001
    # The model is the plant's own and it rests, so nothing but rounding moves it.
    for position, _ in log.values():
        assert np.allclose(position, START, atol=1e-9)
    assert log[3 * SECOND][1] == pytest.approx(arm.gravity_vector(START), rel=1e-9)


def expected_run(arm, move, start, end):
    """Return what the two cores do without ROS: time [ns] to (position, effort)."""
    sim = SimulatedRobot(arm, initial_position=START, lockstep=True)
    controller = TrackingController(arm)
    controller.law.set_gains(natural_frequency=20.0)
    log = {}
    while sim.ns <= end:
        log[sim.ns] = tuple(sim.q), tuple(sim.tau)
        tau = controller.update(sim.ns, list(sim.q), list(sim.qd))
        if len(log) == 1:
            message = joint_trajectory(arm.joint_names, move.times, move.positions,
                                       move.velocities, move.accelerations)
            controller.accept(arm.joint_names, goal_points(message), start)
        assert sim.answer(sim.ns, tau)
        sim.step()
    return log


def test_a_swing_is_followed_and_is_bit_for_bit_the_run_without_ros(ros, description, arm):
    move = swing(arm, 0.4, 1.0, 1).shifted(0.5)
    states = ros.listen(JointState, 'joint_states')
    errors = ros.listen(JointState, 'computed_torque_controller/error')
    sim, control = start_pair(ros, description)
    ros.until(lambda: control.core.ns is not None, 'the first state')
    send(ros, control, arm.joint_names, move, 1100 * SECOND // 1000)
    resume(ros)
    end = 1100 * SECOND // 1000 + round(move.end_time * 1e9)
    log = run_until(ros, states, end)
    ros.until(lambda: nanoseconds(errors[-1].header.stamp) >= end, 'the last error')
    e = np.array([m.position for m in errors])
    assert np.sqrt((e ** 2).mean(axis=0)).max() < 1e-4          # 5e-3 is what a user is promised
    assert np.ptp([position for position, _ in log.values()], axis=0).min() > 0.3
    assert log == expected_run(arm, move, 1100 * SECOND // 1000, end)


def test_reference_and_error_carry_the_states_stamp_and_belong_to_it(ros, description):
    states = ros.listen(JointState, 'joint_states')
    errors = ros.listen(JointState, 'computed_torque_controller/error')
    references = ros.listen(JointState, 'computed_torque_controller/reference')
    commands = ros.listen(JointState, 'joint_commands')
    start_pair(ros, description)
    resume(ros)
    heard = (states, errors, references, commands)
    ros.until(lambda: min(map(len, heard)) > 100, 'messages')
    e, d, c = ({nanoseconds(m.header.stamp): m for m in topic}
               for topic in (errors, references, commands))
    both = [m for m in states if nanoseconds(m.header.stamp) in e]
    assert len(both) > 50
    for state in both[:-1]:
        ns = nanoseconds(state.header.stamp)
        assert np.allclose(np.subtract(d[ns].position, state.position), e[ns].position, atol=0.0)
        assert np.allclose(np.subtract(d[ns].velocity, state.velocity), e[ns].velocity, atol=0.0)
        assert list(c[ns].name) == list(state.name)
        # The effort held from one state to the next is reported with the next.
        following = [m for m in states if nanoseconds(m.header.stamp) == ns + 1000000]
        assert all(list(m.effort) == list(c[ns].effort) for m in following)


def test_two_pairs_in_namespaces_do_not_meet(ros, description):
    ros.start(SimulatorNode, '/left', robot_description=description, **LOCKSTEP)
    ros.start(ControllerNode, '/left', robot_description=description)
    ros.start(SimulatorNode, '/right', robot_description=description,
              **{**LOCKSTEP, 'initial_position': [-0.2, 0.1]})
    ros.start(ControllerNode, '/right', robot_description=description)
    left, right = (ros.listen(JointState, f'/{side}/joint_states') for side in ('left', 'right'))
    ros.until(lambda: min(len(left), len(right)) > 200, 'states of both')
    assert all(np.allclose(m.position, START, atol=1e-9) for m in left)
    assert all(np.allclose(m.position, [-0.2, 0.1], atol=1e-9) for m in right)


def test_the_description_may_come_by_the_latched_topic_before_or_after_the_node(ros, description):
    publisher = ros.publisher(String, 'robot_description', latched=True)
    sim = ros.start(SimulatorNode, **LOCKSTEP)
    assert not sim.configured
    publisher.publish(String(data=description))
    control = ros.start(ControllerNode)
    states = ros.listen(JointState, 'joint_states')
    ros.until(lambda: len(states) > 100, 'states')
    assert sim.arm.joint_names == control.arm.joint_names == ('joint1', 'joint2')


@pytest.mark.parametrize('text, words', [
    ('/no/such/arm.urdf', "expected the XML text of a URDF, got '/no/such/arm.urdf'"),
    ('', "expected the XML text of a URDF, got ''"),
    ('<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">\n'
     '<xacro:include filename="/etc/passwd"/></robot>', 'is xacro, not URDF'),
])
def test_a_text_on_the_topic_is_never_a_path_and_never_evaluated(ros, text, words):
    publisher = ros.publisher(String, 'robot_description', latched=True)
    sim = ros.start(SimulatorNode)
    publisher.publish(String(data=text))
    ros.until(lambda: sim.finished, 'the end')
    assert words in str(sim.error)
    assert '\n' not in str(sim.error)


def test_a_path_on_the_topic_is_not_read(ros, tmp_path, description):
    path = tmp_path / 'arm.urdf'
    path.write_text(description)
    publisher = ros.publisher(String, 'robot_description', latched=True)
    sim = ros.start(SimulatorNode)
    publisher.publish(String(data=str(path)))
    ros.until(lambda: sim.finished, 'the end')
    assert not sim.configured and 'topic robot_description' in str(sim.error)


def test_a_description_by_topic_that_is_none_ends_the_node_with_the_reason(ros):
    publisher = ros.publisher(String, 'robot_description', latched=True)
    sim = ros.start(SimulatorNode)
    publisher.publish(String(data='<robot name="r">\n<link name="a"/></robot>'))
    ros.until(lambda: sim.finished, 'the end')
    assert 'robot_description' in str(sim.error)


def test_efforts_in_an_array_are_in_the_configured_order(ros, description):
    order = ['joint2', 'joint1']
    arrays = ros.listen(Float64MultiArray, 'forward_effort_controller/commands')
    commands = ros.listen(JointState, 'joint_commands')
    start_pair(ros, description, simulator={'joints': order},
               controller={'joints': order, 'command_interface': 'both'})
    states = ros.listen(JointState, 'joint_states')
    resume(ros)
    ros.until(lambda: min(map(len, (arrays, commands, states))) > 100, 'messages')
    assert states[0].name == order
    assert np.allclose(states[-1].position, START[::-1], atol=1e-9)
    by_name = dict(zip(commands[0].name, commands[0].effort))
    assert list(arrays[0].data) == [by_name[name] for name in order]


def test_each_rejected_trajectory_is_counted_with_its_reason_and_the_arm_stays(ros, description):
    states = ros.listen(JointState, 'joint_states')
    diagnostics = ros.listen(DiagnosticArray, '/diagnostics')
    _, control = start_pair(ros, description)
    ros.until(lambda: control.core.ns is not None, 'the first state')
    publisher = ros.publisher(JointTrajectory, 'computed_torque_controller/joint_trajectory')
    names = ['joint1', 'joint2']
    for wrong in (joint_trajectory(['joint1'], [1.0], [[0.0]]),
                  joint_trajectory(['joint1', 'joint1'], [1.0], [[0.0, 0.0]]),
                  joint_trajectory(names, [1.0], [[0.0, float('nan')]]),
                  joint_trajectory(names, [1.0, 0.5], [[0.0, 0.0]] * 2),
                  joint_trajectory(names, [], []),
                  joint_trajectory(names, [1.0], [[0.0]]),
                  joint_trajectory(names, [1e-3], [[0.0, 0.0]], stamp=1),     # time began at 1 s
                  joint_trajectory(names, [1.0], [[100.0, 0.0]])):
        publisher.publish(wrong)
    ros.until(lambda: control.report.rejected_goals == 8, 'eight rejections')

    def report():
        statuses = [s for m in diagnostics for s in m.status
                    if s.name == 'computed_torque_controller']
        return {v.key: v.value for v in statuses[-1].values} if statuses else {}

    ros.until(lambda: report().get('trajectories rejected') == '8', 'the diagnostics')
    assert report()['last rejection'].startswith('code -1: point 0, joint "joint1": position 100')
    assert all(np.allclose(m.position, START, atol=1e-9) for m in states)


def test_hold_stops_a_motion_and_enable_lets_the_arm_go(ros, description, arm):
    states = ros.listen(JointState, 'joint_states')
    errors = ros.listen(JointState, 'computed_torque_controller/error')
    _, control = start_pair(ros, description)
    resume(ros)
    move = swing(arm, 0.6, 2.0, 20).shifted(1.0)
    send(ros, control, arm.joint_names, move, 0)
    ros.until(lambda: control.core.mode == 'moving', 'motion')
    assert ros.call(Trigger, 'computed_torque_controller/hold').success
    ros.until(lambda: control.core.mode == 'holding', 'rest')
    assert max(abs(x) for m in errors for x in m.position) < 1e-3
    assert ros.call(SetBool, 'computed_torque_controller/enable', data=False).success
    rest = states[-1].position
    ros.until(lambda: abs(states[-1].position[0] - rest[0]) > 0.1, 'the fall')
    assert ros.call(SetBool, 'computed_torque_controller/enable', data=True).success
    caught = len(errors)
    ros.until(lambda: control.core.mode == 'holding' and len(errors) > caught + 500, 'rest')
    assert max(abs(x) for x in errors[-1].position) < 1e-3


def test_gains_change_while_the_arm_is_held_and_wrong_ones_are_refused(ros, description):
    from rclpy.parameter import Parameter

    _, control = start_pair(ros, description)
    for name, value, kp in (('kp', [100.0, 100.0], 100.0), ('kp', 25, 25.0), ('kp', [], 400.0),
                            ('natural_frequency', 30, 900.0)):
        parameter = Parameter(name, Parameter.Type.DOUBLE_ARRAY, value) if value == [] else (
            Parameter(name, value=value))
        [result] = control.set_parameters([parameter])
        assert result.successful, result.reason
        assert control.core.law.gains[0] == (kp, kp)
    before = control.core.law.gains
    for name, value, word in (('natural_frequency', -1.0, ''), ('kp', 100.0, 'beside kp'),
                              ('kd', [1.0, 2.0, 3.0], 'kd'),
                              ('ki', 1e9, 'ki'), ('damping_ratio', 'high', 'damping_ratio'),
                              ('base_link', 'world', 'read-only')):
        [result] = control.set_parameters([Parameter(name, value=value)])
        assert not result.successful
        assert word in result.reason
        assert control.core.law.gains == before


@pytest.mark.parametrize('kind', ['swing', 'circle'])
def test_the_reference_keeps_the_arm_moving_and_the_arm_follows(ros, description, kind):
    errors = ros.listen(JointState, 'computed_torque_controller/error')
    states = ros.listen(JointState, 'joint_states')
    _, control = start_pair(ros, description)
    reference = ros.start(ReferenceNode, robot_description=description, trajectory=kind,
                          period=0.5, cycles=1, approach=1.0)
    resume(ros)
    ros.until(lambda: reference._sender.sent >= 3 and control.core.ns > 4 * SECOND,
              'three trajectories')
    assert control.report.rejected_goals == 0
    assert np.abs([m.position for m in errors]).max() < 5e-3
    assert np.ptp([m.position for m in states], axis=0).min() > 0.1


def test_the_reference_hears_a_driver_that_publishes_with_best_effort(ros, description):
    sent = ros.listen(JointTrajectory, 'computed_torque_controller/joint_trajectory')
    ros.start(ReferenceNode, robot_description=description)
    states = ros.probe.create_publisher(JointState, 'joint_states', freshest())
    message = JointState(name=['joint1', 'joint2'], position=START, velocity=[0.0, 0.0])
    message.header.stamp.sec = 1

    def heard():
        states.publish(message)
        return sent

    ros.until(heard, 'a trajectory')
