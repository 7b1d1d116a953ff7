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

"""The simulator as a node: efforts in, joint states out."""

import time
from types import SimpleNamespace
from typing import Any

from geometry_msgs.msg import WrenchStamped
from rosgraph_msgs.msg import Clock as ClockMessage
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import SetBool, Trigger

from twolink_dynamics.diagnostics import Status
from twolink_dynamics.dynamics.arm import Arm
from twolink_dynamics.nodes.arm_node import ArmNode, freshest, reliable
from twolink_dynamics.nodes.messages import JointStateWriter, nanoseconds, set_stamp
from twolink_dynamics.periodic import PeriodicLoop
from twolink_dynamics.simulation.clock import SECOND
from twolink_dynamics.simulation.command_watch import CommandWatch
from twolink_dynamics.simulation.plant_parameters import PAYLOAD, payload, plant_options
from twolink_dynamics.simulation.robot_inputs import RobotInputs
from twolink_dynamics.simulation.robot_loop import RobotLoop
from twolink_dynamics.simulation.simulated_robot import SimulatedRobot
from twolink_dynamics.simulation.simulator_options import SIMULATOR
from twolink_dynamics.simulation.simulator_report import SimulatorReport
from twolink_dynamics.tracking.message_readers import EffortReader, joint_order

__all__ = ['SimulatorNode']

# States of three seconds at the fastest that two processes take turns.
LOCKSTEP_HISTORY = 10000


class SimulatorNode(ArmNode):
    """
    Integrate the arm, publish its state, take efforts: docs/interfaces.md.

    Attributes
    ----------
    robot_class : type
        What is simulated: SimulatedRobot, or a class derived from it.
    robot : SimulatedRobot
    loop : RobotLoop
    inputs : RobotInputs
        These three are there from :meth:`configure` on.

    """

    robot_class = SimulatedRobot
    robot: SimulatedRobot
    loop: RobotLoop
    inputs: RobotInputs

    def __init__(self, **options: Any) -> None:
        self._thread: PeriodicLoop | None = None
        super().__init__('simulator', SIMULATOR, **options)

    def configure(self, arm: Arm) -> None:
        """Start the loop."""
        values = self.values
        order = joint_order(arm, values.joints)
        own_clock = values.publish_clock or values.lockstep
        self._reader = EffortReader(arm.joint_names, [arm.joint_names[k] for k in order])
        self._writer = JointStateWriter([arm.joint_names[k] for k in order], order=order)
        self._clock_in, self._clock_every = 0, max(1, round(values.rate / values.clock_rate))
        self._interface()
        options = plant_options(values, arm)
        # As late as can be: the stamps are behind the wall clock by what comes between.
        wall_start = time.monotonic_ns()
        self.robot = robot = self.robot_class(
            arm, values.rate, values.initial_position, values.initial_velocity, values.brake,
            values.start_paused, values.lockstep, SECOND if own_clock else time.time_ns(), options,
            values.seed, CommandWatch(values.command_timeout, values.command_timeout_action,
                                      lambda: self.count_publishers('joint_commands') > 0))
        robot.carry(payload(values))
        self.inputs = RobotInputs(robot, own_clock)
        self.loop = RobotLoop(robot, self._publish, self.log, values.lockstep_timeout)
        self._thread = PeriodicLoop(self.loop.tick, self._period(values), values.max_catch_up,
                                    None if values.lockstep else robot.await_command, self.fail)
        self._report = SimulatorReport(self.loop, self.inputs, self._thread.timing, values,
                                       wall_start)
        self._thread.start()

    def _period(self, values: SimpleNamespace) -> float:
        pace = values.rate * values.real_time_factor
        self.loop.paced = pace > 0.0
        return 1.0 / pace if pace else 0.0

    def check_change(self, values: SimpleNamespace) -> None:
        """Take over live parameters."""
        if self._thread is None:
            return
        if any(getattr(values, name) != getattr(self.values, name) for name in PAYLOAD):
            self.robot.carry(payload(values))
        self.robot.watch.timeout = values.command_timeout
        self.robot.watch.action = values.command_timeout_action
        self._thread.period = self._period(values)

    def _interface(self) -> None:
        # In lockstep nothing is late, so nothing need be lost: what a busy recorder missed is sent
        # again, up to the middleware's next heartbeat (3 s).
        history = LOCKSTEP_HISTORY if self.values.lockstep else 100
        self._states = self.create_publisher(JointState, 'joint_states', reliable(history))
        self._clock_publisher = self.create_publisher(
            ClockMessage, '/clock', reliable(1)) if self.values.publish_clock else None
        self._clock_message = ClockMessage()
        for kind, topic, callback, profile in (
                (Float64MultiArray, 'forward_effort_controller/commands', self._on_array,
                 freshest()),
                (JointState, 'joint_commands', self._on_joint_state, freshest()),
                (WrenchStamped, 'tip_wrench', self._on_wrench, reliable(10))):
            self.create_subscription(kind, topic, self.rejecting(topic, callback), profile)
        self.serve(Trigger, '~/reset', lambda _: self.loop.reset(self.values.reset_clock))
        self.serve(Trigger, '~/step', lambda _: self.loop.step())
        self.serve(SetBool, '~/pause', lambda request: self.loop.pause(request.data))

    def _publish(self, at_once: bool) -> None:
        """Publish the state; the clock at its rate, or at once. The caller holds the lock."""
        robot = self.robot
        if self._clock_publisher is not None:
            self._clock_in -= 1
            if self._clock_in <= 0 or at_once:
                self._clock_in = self._clock_every
                set_stamp(self._clock_message.clock, robot.ns)
                self._clock_publisher.publish(self._clock_message)
        self._states.publish(self._writer.fill(robot.ns, *robot.measured, robot.tau))

    def _on_array(self, message: Float64MultiArray) -> None:
        self.inputs.command_array(self._reader.from_array(message))

    def _on_joint_state(self, message: JointState) -> None:
        self.inputs.command(self._reader.from_joint_state(message),
                            nanoseconds(message.header.stamp))

    def _on_wrench(self, message: WrenchStamped) -> None:
        force, torque = message.wrench.force, message.wrench.torque
        self.inputs.push((force.x, force.y, force.z, torque.x, torque.y, torque.z),
                         message.header.frame_id, nanoseconds(message.header.stamp))

    def status(self) -> Status:
        """Return the status for the diagnostics."""
        return self._report.make()

    def close(self) -> None:
        """End the loop."""
        if self._thread is not None:
            self._thread.stop()
