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

"""A controller's process that is told to end leaves an arm at rest, and a last effort."""

import os
from pathlib import Path
import signal
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='no rclpy: neither a sourced ROS 2 nor the wheels')

from sensor_msgs.msg import JointState  # noqa: E402, I100

from twolink_dynamics.nodes.messages import joint_trajectory, nanoseconds, set_stamp  # noqa: E402
from twolink_dynamics.simulation.simulated_robot import SimulatedRobot  # noqa: E402
from trajectory_msgs.msg import JointTrajectory  # noqa: E402, I100

ROOT = Path(__file__).resolve().parents[2]
URDF = ROOT / 'urdf' / 'twolink.urdf'
START, TARGET = (0.3, 0.5), (-0.9, 1.2)
PATIENCE = 60.0


class Driver:
    """A driver of an arm: it publishes a state, and steps when its answer is there."""

    def __init__(self, ros, arm):
        self.ros, self.arm = ros, arm
        self.sim = SimulatedRobot(arm, initial_position=START, brake=False)
        self.commands = ros.listen(JointState, 'joint_commands')
        self.states = ros.probe.create_publisher(JointState, 'joint_states', 10)
        self.last = None

    def publish(self):
        """Publish the state."""
        message = JointState(name=list(self.arm.joint_names), position=list(self.sim.q),
                             velocity=list(self.sim.qd))
        set_stamp(message.header.stamp, self.sim.ns)
        self.states.publish(message)

    def answered(self):
        """Tell whether the state was answered, and take the answer."""
        stamps = [nanoseconds(m.header.stamp) for m in self.commands]
        self.last = self.commands[-1].effort if self.commands else self.last
        self.commands.clear()
        return self.sim.ns in stamps

    def step(self, process):
        """Step once; return False when the process has ended instead."""
        self.publish()
        sent = 0

        def over():
            nonlocal sent
            sent += 1
            if sent % 20 == 0:      # a best-effort reader may have missed it
                self.publish()
            return self.answered() or process.poll() is not None

        self.ros.until(over, 'an answer, or the end')
        if process.poll() is not None:
            return False
        self.sim.command(self.last)
        self.sim.step()
        return True


@pytest.fixture
def started():
    """Return a function that starts a controller; none is left behind."""
    processes = []

    def start(*given):
        process = subprocess.Popen(
            [sys.executable, '-m', 'twolink_dynamics.nodes.run_node', 'controller', '--ros-args',
             '-p', f'robot_description:={URDF}', '-p', 'state_timeout:=60.0',
             *given], stderr=subprocess.PIPE, text=True, cwd=ROOT,
            env={**os.environ, 'PYTHONPATH': os.pathsep.join(
                filter(None, [str(ROOT), os.environ.get('PYTHONPATH', '')]))})
        processes.append(process)
        return process

    yield start
    for process in processes:
        process.kill()
        process.wait()
        process.stderr.close()


@pytest.mark.parametrize('number, kind', [
    (signal.SIGINT, 'gravity'), (signal.SIGTERM, 'zero')])
def test_a_signal_in_motion_brings_the_arm_to_rest_and_sends_a_last_effort(
        ros, arm, started, number, kind):
    driver = Driver(ros, arm)
    trajectories = ros.probe.create_publisher(
        JointTrajectory, 'computed_torque_controller/joint_trajectory', 10)
    process = started('-p', f'shutdown_effort:={kind}')
    ros.until(lambda: driver.states.get_subscription_count()
              and trajectories.get_subscription_count(), 'the controller')
    assert driver.step(process)
    trajectories.publish(joint_trajectory(list(arm.joint_names), [1.0], [TARGET], [[0.0, 0.0]],
                                          [[0.0, 0.0]]))
    steps = 0
    while np.abs(driver.sim.qd).max() < 1.0:
        assert driver.step(process)
        steps += 1
        assert steps < 20000, 'the motion never began'
    process.send_signal(number)
    for steps in range(20000):
        if not driver.step(process):
            break
    assert (process.wait(PATIENCE), process.stderr.read().count('Traceback')) == (0, 0)
    assert np.abs(driver.sim.qd).max() < 0.06
    # Of a state that was answered: the one the arm is at, or one before.
    held = arm.gravity_vector(driver.sim.q)
    expected = np.zeros(2) if kind == 'zero' else held
    ros.until(lambda: driver.answered() or np.abs(driver.last - expected).max() < 0.5,
              'the last effort')


def test_a_second_signal_ends_it_at_once_and_still_sends_the_last_effort(ros, arm, started):
    driver = Driver(ros, arm)
    process = started('-p', 'shutdown_effort:=zero', '-p', 'stop_duration:=10.0')
    ros.until(lambda: driver.states.get_subscription_count(), 'the controller')
    for _ in range(5):
        assert driver.step(process)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGTERM)
    # No state is sent any more: only the second signal can end it.
    ros.until(lambda: process.poll() is not None, 'the end')
    ros.until(lambda: driver.answered() or list(driver.last) == [0.0, 0.0], 'the last effort')
    assert process.returncode == 0
