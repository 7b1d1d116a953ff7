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

"""The simulator node takes what it should, refuses the rest, and never stops for a message."""

from math import inf, isfinite, nan
import random

import numpy as np
import pytest


pytest.importorskip('rclpy', reason='no rclpy: neither a sourced ROS 2 nor the wheels')

from diagnostic_msgs.msg import DiagnosticArray  # noqa: E402, I100
from geometry_msgs.msg import WrenchStamped  # noqa: E402
from rosgraph_msgs.msg import Clock  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402
from std_msgs.msg import Float64MultiArray  # noqa: E402
from std_srvs.srv import SetBool, Trigger  # noqa: E402

from twolink_dynamics.nodes.messages import nanoseconds, set_stamp  # noqa: E402
from twolink_dynamics.nodes.simulator_node import SimulatorNode  # noqa: E402

SECOND = 1000000000
NAMES = ['joint1', 'joint2']
ARRAY = 'forward_effort_controller/commands'


def command(effort, names=NAMES, stamp=0):
    """Return efforts by name."""
    message = JointState(name=list(names), effort=[float(x) for x in effort])
    set_stamp(message.header.stamp, stamp)
    return message


def stamps(messages):
    """Return the stamps [ns]."""
    return [nanoseconds(m.header.stamp) for m in messages]


def report(diagnostics, name='simulator'):
    """Return level, message and values of the last diagnostics."""
    statuses = [s for m in diagnostics for s in m.status if s.name == name]
    if not statuses:
        return None, '', {}
    return statuses[-1].level, statuses[-1].message, {v.key: v.value for v in statuses[-1].values}


@pytest.fixture
def lockstep(ros, description):
    """Return a simulator in lockstep without a pace, and what answers its states."""
    sim = ros.start(SimulatorNode, robot_description=description, lockstep=True,
                    real_time_factor=0.0, lockstep_timeout=0.5)
    return sim, ros.publisher(JointState, 'joint_commands')


def test_states_are_full_length_finite_and_equidistant(ros, lockstep):
    sim, commands = lockstep
    states = ros.listen(JointState, 'joint_states')
    ros.until(lambda: states, 'the first state')
    for _ in range(50):
        last = stamps(states)[-1]
        commands.publish(command([1.0, 2.0], stamp=last))
        ros.until(lambda: stamps(states)[-1] > last, 'the next state')
    fresh = sorted(set(stamps(states)))
    assert fresh == [SECOND + 1000000 * k for k in range(51)]
    for message in states:
        assert message.name == NAMES
        for values in (message.position, message.velocity, message.effort):
            assert len(values) == 2
            assert all(map(isfinite, values))
    assert list(states[-1].effort) == [1.0, 2.0]


def test_an_unanswered_state_is_sent_again_and_said_once(ros, lockstep, capfd):
    sim, commands = lockstep
    states = ros.listen(JointState, 'joint_states')
    ros.until(lambda: len(states) > 2, 'repetitions')
    assert set(stamps(states)) == {SECOND}
    commands.publish(command([0.0, 0.0], stamp=SECOND))
    ros.until(lambda: stamps(states)[-1] > SECOND, 'the next state')
    ros.until(lambda: sim.loop.waiting_long, 'the warning')
    said = len(states)
    ros.until(lambda: len(states) > said + 2, 'repetitions')
    assert sim.robot.ns == SECOND + 1000000
    # On a busy machine the first state, too, may have waited long enough to be spoken of.
    assert capfd.readouterr().err.count('no effort on joint_commands with the stamp 1.001 s') == 1


def test_an_answer_to_another_state_and_an_array_do_not_advance_lockstep(ros, lockstep):
    sim, commands = lockstep
    array = ros.publisher(Float64MultiArray, ARRAY)
    states = ros.listen(JointState, 'joint_states')
    for stamp in (0, SECOND - 1, SECOND + 1, 2 * SECOND):
        commands.publish(command([1.0, 1.0], stamp=stamp))
    array.publish(Float64MultiArray(data=[1.0, 1.0]))
    ros.until(lambda: sim.inputs.unused == 4 and sim.rejections.total == 1, 'all of them')
    assert set(stamps(states)) <= {SECOND}
    assert list(sim.rejections.counts) == [f'{ARRAY}, no stamp in lockstep']
    commands.publish(command([1.0, 1.0], stamp=SECOND))
    ros.until(lambda: states and stamps(states)[-1] > SECOND, 'the next state')


def test_the_last_good_command_stays_in_force(ros, description):
    sim = ros.start(SimulatorNode, robot_description=description, rate=200.0)
    states = ros.listen(JointState, 'joint_states')
    array = ros.publisher(Float64MultiArray, ARRAY)
    array.publish(Float64MultiArray(data=[3.0, 4.0]))
    array.publish(Float64MultiArray(data=[nan, 4.0]))
    array.publish(Float64MultiArray(data=[5.0]))
    ros.until(lambda: sim.rejections.total == 2, 'two rejections')
    seen = len(states)
    ros.until(lambda: len(states) > seen + 3, 'states after them')
    assert list(states[-1].effort) == [3.0, 4.0]


def test_what_is_rejected_is_in_the_diagnostics(ros, description):
    sim = ros.start(SimulatorNode, robot_description=description, rate=200.0)
    diagnostics = ros.listen(DiagnosticArray, '/diagnostics')
    array = ros.publisher(Float64MultiArray, ARRAY)
    for _ in range(3):
        array.publish(Float64MultiArray(data=[1.0]))
    ros.until(lambda: report(diagnostics)[2].get('rejected messages') == '3', 'the count')
    values = report(diagnostics)[2]
    assert values[f'rejected: {ARRAY}, a wrong length'] == '3'
    assert values['state'] == 'braked until the first effort'
    assert float(values['rate [Hz]']) > 0.0
    assert sim.robot.braked


def test_pause_step_and_reset_keep_the_stamps_from_going_back(ros, description):
    sim = ros.start(SimulatorNode, robot_description=description, rate=200.0,
                    initial_position=[0.3, 0.5], brake=False)
    states = ros.listen(JointState, 'joint_states')
    ros.until(lambda: len(states) > 3, 'states')
    assert not ros.call(Trigger, 'simulator/step').success
    assert ros.call(SetBool, 'simulator/pause', data=True).success
    ns = sim.robot.ns
    repeated = len(states)
    ros.until(lambda: len(states) > repeated + 3, 'states of a paused simulator')
    assert stamps(states)[-1] == ns == sim.robot.ns
    for k in range(1, 4):
        assert ros.call(Trigger, 'simulator/step').success
        assert sim.robot.ns == ns + 5000000 * k
    assert tuple(sim.robot.q) != (0.3, 0.5)
    assert ros.call(Trigger, 'simulator/reset').success
    assert tuple(sim.robot.q) == (0.3, 0.5)
    assert sim.robot.ns == ns + 20000000
    assert ros.call(SetBool, 'simulator/pause', data=False).success
    ros.until(lambda: sim.robot.ns > ns + 30000000, 'time to go on')
    rng = random.Random(3)
    for _ in range(60):
        service, request = rng.choice((('reset', {}), ('step', {}), ('pause', {'data': True}),
                                       ('pause', {'data': False})))
        ros.call(SetBool if request else Trigger, f'simulator/{service}', **request)
    ros.call(SetBool, 'simulator/pause', data=False)
    seen = len(states)
    ros.until(lambda: len(states) > seen + 3, 'states after all that')
    assert all(b >= a for a, b in zip(stamps(states), stamps(states)[1:]))
    assert all(map(isfinite, [x for m in states for x in m.position]))


def test_a_reset_of_the_clock_starts_at_the_first_stamp(ros, description):
    sim = ros.start(SimulatorNode, robot_description=description, publish_clock=True,
                    reset_clock=True, start_paused=True, rate=200.0)
    states = ros.listen(JointState, 'joint_states')
    clock = ros.listen(Clock, '/clock')
    ros.until(lambda: states and clock, 'the first state and time')
    assert stamps(states)[0] == SECOND == nanoseconds(clock[0].clock)
    assert ros.call(Trigger, 'simulator/step').success
    ros.until(lambda: nanoseconds(clock[-1].clock) == SECOND + 5000000, 'the next time')
    assert ros.call(Trigger, 'simulator/reset').success
    assert sim.robot.ns == SECOND
    ros.until(lambda: stamps(states)[-1] == SECOND, 'the first state again')


def test_a_wrench_is_taken_in_base_and_tip_axes_and_refused_in_others(ros, description, arm):
    q = [0.4, 0.8]
    sim = ros.start(SimulatorNode, robot_description=description, start_paused=True,
                    initial_position=q)
    publisher = ros.publisher(WrenchStamped, 'tip_wrench')
    pushes = []
    sim.robot.push = pushes.append
    message = WrenchStamped()
    message.wrench.force.x, message.wrench.torque.y = 3.0, 4.0
    for frame, R in (('', np.eye(3)), ('world', np.eye(3)), ('tip', arm.tip_pose(q)[:3, :3])):
        message.header.frame_id = frame
        publisher.publish(message)
        expected = np.concatenate([R @ [3.0, 0.0, 0.0], R @ [0.0, 4.0, 0.0]])
        ros.until(lambda: pushes and np.allclose(pushes[-1], expected, atol=1e-12),
                  f'wrench in {frame}')
        pushes.clear()
    message.header.frame_id = 'camera'
    publisher.publish(message)
    message.header.frame_id = ''
    for value in (nan, inf, 1e300, -1e300):
        message.wrench.force.x = value
        publisher.publish(message)
    message.wrench.force.x = 0.0
    set_stamp(message.header.stamp, (2 ** 31 - 1) * SECOND)
    publisher.publish(message)
    ros.until(lambda: sim.rejections.total == 6, 'six rejections')
    assert sim.rejections.counts == {
        'tip_wrench, a wrench in an unknown frame': 1, 'tip_wrench, a wrench not finite': 2,
        'tip_wrench, a wrench beyond reason': 2, 'tip_wrench, a stamp from the future': 1}
    assert pushes == []


def test_a_diverged_simulation_is_an_error_in_the_diagnostics_and_waits_for_a_reset(ros):
    light = """<robot name="light"><link name="base"/>
      <joint name="a" type="continuous"><parent link="base"/><child link="one"/>
        <axis xyz="0 1 0"/></joint>
      <link name="one"><inertial><origin xyz="0.5 0 0"/><mass value="1e-9"/>
        <inertia ixx="1e-12" iyy="1e-12" izz="1e-12" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="b" type="continuous"><parent link="one"/><child link="two"/>
        <origin xyz="1 0 0"/><axis xyz="0 1 0"/></joint>
      <link name="two"><inertial><origin xyz="0.5 0 0"/><mass value="1e-9"/>
        <inertia ixx="1e-12" iyy="1e-12" izz="1e-12" ixy="0" ixz="0" iyz="0"/></inertial></link>
    </robot>"""
    sim = ros.start(SimulatorNode, robot_description=light, rate=200.0)
    states = ros.listen(JointState, 'joint_states')
    diagnostics = ros.listen(DiagnosticArray, '/diagnostics')
    array = ros.publisher(Float64MultiArray, ARRAY)
    array.publish(Float64MultiArray(data=[1e8, -1e8]))
    ros.until(lambda: sim.robot.diverged, 'the divergence')
    ros.until(lambda: 'diverged' in report(diagnostics)[1], 'the diagnostics')
    assert report(diagnostics)[0] == b'\x02'
    assert not ros.call(SetBool, 'simulator/pause', data=False).success
    assert ros.call(Trigger, 'simulator/reset').success
    ros.until(lambda: list(states[-1].position) == [0.0, 0.0], 'the start')
    assert all(map(isfinite, [x for m in states for x in (*m.position, *m.velocity)]))


def set_now(node, **values):
    """Change live parameters; return whether that went well, and why not."""
    from rclpy.parameter import Parameter

    results = [node.set_parameters([Parameter(name, value=value)])[0]
               for name, value in values.items()]
    return all(r.successful for r in results), ' '.join(r.reason for r in results)


def test_a_load_is_picked_up_and_dropped_while_the_arm_is_held(ros, description, arm):
    q = [0.3, 0.5]
    sim = ros.start(SimulatorNode, robot_description=description, rate=200.0, initial_position=q)
    states = ros.listen(JointState, 'joint_states')
    hold = [float(x) for x in arm.gravity_vector(q)]
    commands = ros.publisher(JointState, 'joint_commands')
    commands.publish(command(hold))
    ros.until(lambda: not sim.robot.braked, 'the first effort')
    seen = len(states)
    ros.until(lambda: len(states) > seen + 5, 'states')
    assert np.allclose(states[-1].position, q, atol=1e-9)
    unloaded = sim.robot.energy
    assert set_now(sim, payload_mass=1.5)[0]
    ros.until(lambda: states[-1].position[0] < q[0] - 1e-3, 'the arm to sink')
    assert sim.robot.energy != pytest.approx(unloaded, rel=0.01)
    # A reset keeps the load.
    assert ros.call(Trigger, 'simulator/reset').success
    loaded = sim.robot.energy
    assert loaded != pytest.approx(unloaded, rel=0.01)
    assert set_now(sim, payload_mass=0.0)[0]
    assert sim.robot.energy == pytest.approx(unloaded)
    well, why = set_now(sim, payload_inertia=[1.0, 0.0, 0.0, 1.0, 0.0, 9.0], payload_mass=1.0)
    assert not well and 'inertia' in why
    assert sim.robot.energy == pytest.approx(unloaded)


def test_a_silent_array_trips_the_watchdog_and_a_silent_driver_does_not(ros, description):
    sim = ros.start(SimulatorNode, robot_description=description, rate=200.0,
                    command_timeout=0.1, command_timeout_action='zero', friction=[100.0])
    states = ros.listen(JointState, 'joint_states')
    diagnostics = ros.listen(DiagnosticArray, '/diagnostics')
    by_name, array = ros.publisher(JointState, 'joint_commands'), ros.publisher(
        Float64MultiArray, ARRAY)
    by_name.publish(command([3.0, 4.0]))
    ros.until(lambda: states and list(states[-1].effort) == [3.0, 4.0], 'the effort')
    begin = sim.robot.ns
    ros.until(lambda: sim.robot.ns > begin + SECOND, 'ten timeouts')
    assert list(states[-1].effort) == [3.0, 4.0]
    assert sim.robot.watch.times == 0
    array.publish(Float64MultiArray(data=[3.0, 4.0]))
    ros.until(lambda: list(states[-1].effort) == [0.0, 0.0], 'no effort')
    ros.until(lambda: report(diagnostics)[1] == 'stale command: no effort', 'the diagnostics')
    assert report(diagnostics)[0] == b'\x01'
    assert report(diagnostics)[2]['times commands became stale'] == '1'
    assert set_now(sim, command_timeout_action='brake')[0]
    ros.until(lambda: sim.robot.braked, 'the brakes')
    assert set_now(sim, command_timeout=0.0)[0]
    by_name.publish(command([3.0, 4.0]))
    ros.until(lambda: list(states[-1].effort) == [3.0, 4.0], 'the effort')
    ros.probe.destroy_publisher(by_name)
    assert set_now(sim, command_timeout=0.1)[0]
    ros.until(lambda: sim.robot.braked, 'the brakes, for nobody is left who could send')


def test_the_clock_is_published_at_its_rate_and_the_states_at_theirs(ros, description):
    ros.start(SimulatorNode, robot_description=description, publish_clock=True, lockstep=True,
              real_time_factor=0.0, clock_rate=100.0)
    states, clock = ros.listen(JointState, 'joint_states'), ros.listen(Clock, '/clock')
    commands = ros.publisher(JointState, 'joint_commands')
    ros.until(lambda: states, 'the first state')
    while stamps(states)[-1] < SECOND + 100000000:
        last = stamps(states)[-1]
        commands.publish(command([0.0, 0.0], stamp=last))
        ros.until(lambda: stamps(states)[-1] > last or stamps(states).count(last) > 1,
                  'the next state')
    times = {nanoseconds(message.clock) for message in clock}
    # A state that is sent again may bring the clock's message forward: one per ten, or a few more.
    assert 10 <= len(times) <= 20
    assert times <= set(stamps(states))


def test_measured_states_are_noisy_and_on_the_encoders_steps(ros, description):
    sim = ros.start(SimulatorNode, robot_description=description, rate=200.0,
                    encoder_resolution=[0.001], velocity_noise=[0.1], initial_position=[0.3, 0.5])
    states = ros.listen(JointState, 'joint_states')
    ros.until(lambda: len(states) > 20, 'states')
    assert sim.robot.braked
    for message in states:
        assert np.allclose(np.array(message.position) / 0.001, [300.0, 500.0], atol=1e-9)
    assert len({tuple(message.velocity) for message in states}) == len(set(stamps(states)))


def test_the_pace_changes_while_it_runs(ros, description):
    sim = ros.start(SimulatorNode, robot_description=description, rate=200.0,
                    real_time_factor=0.001)
    assert sim._thread.period == pytest.approx(5.0)
    before = sim.robot.ns
    assert set_now(sim, real_time_factor=0.0)[0]
    ros.until(lambda: sim.robot.ns > before + 2 * SECOND, 'two seconds')
