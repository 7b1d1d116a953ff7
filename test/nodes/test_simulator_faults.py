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
Whatever comes to the simulator, in whatever order: it lives, and its states stay in order.

Set TWOLINK_FUZZ to another number of messages, 100000 say.

"""

from math import inf, isfinite, nan
import os
import random

import pytest

from twolink_dynamics.trajectory import swing

pytest.importorskip('rclpy', reason='no rclpy: neither a sourced ROS 2 nor the wheels')

from diagnostic_msgs.msg import DiagnosticArray  # noqa: E402, I100
from geometry_msgs.msg import WrenchStamped  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402
from std_msgs.msg import Float64MultiArray  # noqa: E402
from std_srvs.srv import SetBool, Trigger  # noqa: E402
from trajectory_msgs.msg import JointTrajectory  # noqa: E402

from twolink_dynamics.nodes.controller_node import ControllerNode  # noqa: E402
from twolink_dynamics.nodes.messages import joint_trajectory, nanoseconds, set_stamp  # noqa: E402
from twolink_dynamics.nodes.simulator_node import SimulatorNode  # noqa: E402

MESSAGES = int(os.environ.get('TWOLINK_FUZZ', '4000'))
SECOND = 1000000000
NAMES = ['joint1', 'joint2']
TOPICS = {Float64MultiArray: 'forward_effort_controller/commands', JointState: 'joint_commands',
          WrenchStamped: 'tip_wrench'}
NUMBERS = (0.0, 1.5, -20.0, 3e3, nan, inf, -inf, 1e300, -1e300, 5e-324, 2e9)
FAR_FUTURE = (2 ** 31 - 1) * SECOND


def some(rng, kind):
    """Return a number: one that no reader may take, with a probability that depends on it."""
    return rng.choice(NUMBERS[:4] if rng.random() < kind else NUMBERS)


def fuzzed(rng):
    """Return a message of a random kind, and whether it is in order."""
    kind = rng.choice((0.3, 0.9))
    stamp = rng.choice((0, 0, SECOND, 2 ** 30 * SECOND, FAR_FUTURE))
    timely = stamp < FAR_FUTURE
    if rng.random() < 0.3:
        message = WrenchStamped()
        set_stamp(message.header.stamp, stamp)
        message.header.frame_id = rng.choice(('', 'world', 'tip', '/tip', 'camera'))
        force, torque = message.wrench.force, message.wrench.torque
        values = [some(rng, kind) for _ in range(6)]
        force.x, force.y, force.z, torque.x, torque.y, torque.z = values
        good = (timely and message.header.frame_id != 'camera'
                and all(isfinite(x) and abs(x) <= 1e6 for x in values))
        return message, good
    values = [some(rng, kind) for _ in range(rng.choice((0, 1, 2, 2, 2, 2, 3)))]
    good = len(values) == 2 and all(isfinite(x) and abs(x) <= 1e9 for x in values)
    if rng.random() < 0.5:
        return Float64MultiArray(data=values), good
    names = rng.choice((NAMES, NAMES[::-1], NAMES, ['joint1', 'joint1'], ['a', 'b'], [],
                        NAMES + ['x'], ['joint1', ''], NAMES[:1]))
    message = JointState(name=list(names), effort=values)
    set_stamp(message.header.stamp, stamp)
    return message, good and timely and sorted(names) == NAMES


def test_every_fuzzed_message_is_taken_or_counted_and_the_simulator_lives(ros, description):
    rng = random.Random(5)
    sim = ros.start(SimulatorNode, robot_description=description, rate=200.0)
    states = ros.listen(JointState, 'joint_states')
    diagnostics = ros.listen(DiagnosticArray, '/diagnostics')
    publishers = {kind: ros.publisher(kind, topic) for kind, topic in TOPICS.items()}
    limits = [float(x) for x in sim.arm.limits.effort]
    last, good, bad, resets = 0, 0, 0, 0
    for k in range(1, MESSAGES + 1):
        message, in_order = fuzzed(rng)
        good, bad = good + in_order, bad + (not in_order)
        publishers[type(message)].publish(message)
        if k % 5 and k < MESSAGES:      # the queues are ten deep: nothing may be lost on the way
            continue
        ros.until(lambda: sim.inputs.commands + sim.inputs.wrenches + sim.rejections.total == k,
                  f'message {k}')
        assert (sim.inputs.commands + sim.inputs.wrenches, sim.rejections.total) == (good, bad)
        if sim.robot.diverged:            # tons at the tip of a light arm can do that
            resets += ros.call(Trigger, 'simulator/reset').success
        for state in states:
            assert all(map(isfinite, (*state.position, *state.velocity)))
            assert all(abs(x) <= h for x, h in zip(state.effort, limits))
            assert nanoseconds(state.header.stamp) >= last
            last = nanoseconds(state.header.stamp)
        states.clear()
    ros.until(lambda: states, 'a state after all that')
    assert min(good, bad) > MESSAGES / 10
    ros.until(lambda: f'{bad}' in [value.value for message in diagnostics[-1:]
                                   for value in message.status[0].values
                                   if value.key == 'rejected messages'], 'the diagnostics')
    values = {value.key: value.value for value in diagnostics[-1].status[0].values}
    assert sum(int(n) for key, n in values.items() if key.startswith('rejected: ')) == bad


def test_the_log_has_one_line_per_kind_of_fault(ros, description, capfd):
    rng = random.Random(6)
    sim = ros.start(SimulatorNode, robot_description=description, start_paused=True)
    publishers = {kind: ros.publisher(kind, topic) for kind, topic in TOPICS.items()}
    for k in range(500):
        message, _ = fuzzed(rng)
        publishers[type(message)].publish(message)
        ros.until(
            lambda: sim.inputs.commands + sim.inputs.wrenches + sim.rejections.total > k, 'it')
    lines = [line for line in capfd.readouterr().err.splitlines() if 'rejected a message' in line]
    assert len(lines) == len(sim.rejections.counts) > 10
    for topic in TOPICS.values():
        assert any(f'rejected a message on {topic}: ' in line for line in lines)


@pytest.mark.parametrize('restart', [False, True])
def test_in_any_order_of_reset_pause_and_step_states_go_on_in_order(ros, description, arm,
                                                                    restart):
    rng = random.Random(7)
    sim = ros.start(SimulatorNode, robot_description=description, publish_clock=restart,
                    reset_clock=restart, rate=200.0, command_timeout=0.05)
    control = ros.start(ControllerNode, robot_description=description)
    ros.until(lambda: control.core.ns is not None, 'the first state')
    move = swing(arm, 0.4, 1.0, 5).shifted(0.2)
    goal = joint_trajectory(arm.joint_names, move.times, move.positions, move.velocities,
                            move.accelerations)
    goals = ros.publisher(JointTrajectory, 'computed_torque_controller/joint_trajectory')
    states = ros.listen(JointState, 'joint_states')
    clients = {name: ros.probe.create_client(SetBool if name == 'pause' else Trigger,
                                             f'simulator/{name}')
               for name in ('reset', 'step', 'pause')}
    for name, client in clients.items():
        ros.until(client.service_is_ready, name)

    def ask(name, request):
        future, seen = clients[name].call_async(request), len(states)
        ros.until(lambda: future.done() and len(states) > seen, f'{name}, and a state after it')

    resets = 0
    for k in range(500):
        if k % 50 == 0:
            ask('pause', SetBool.Request(data=False))
            goals.publish(goal)
            ros.until(lambda: max(map(abs, states[-1].velocity)) > 0.1, 'motion')
        name = rng.choice(tuple(clients))
        ask(name, SetBool.Request(data=rng.random() < 0.5) if name == 'pause'
            else Trigger.Request())
        resets += name == 'reset'
        assert not sim.robot.diverged
    stamps = [nanoseconds(m.header.stamp) for m in states]
    back = [(a, b) for a, b in zip(stamps, stamps[1:]) if b < a]
    if restart:
        assert all(b == SECOND for _, b in back)
        assert 1 <= len(back) <= resets
    else:
        assert back == []
    assert all(map(isfinite, [x for m in states for x in (*m.position, *m.velocity, *m.effort)]))
