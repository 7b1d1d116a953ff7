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

"""The controller as a node: joint states and trajectories in, efforts out."""

import time
from types import SimpleNamespace
from typing import Any

from rclpy.clock import Clock, ClockType
from rclpy.exceptions import NameValidationException, NoTypeSupportImportedException
from rosidl_generator_py.import_type_support_impl import UnsupportedTypeSupport
from sensor_msgs.msg import Imu, JointState
from std_srvs.srv import SetBool, Trigger
from trajectory_msgs.msg import JointTrajectory

from twolink_dynamics.control.law_parameters import model_of
from twolink_dynamics.diagnostics import EventLog, Status
from twolink_dynamics.dynamics.arm import Arm
from twolink_dynamics.errors import ParameterError, TrajectoryError
from twolink_dynamics.nodes.arm_node import ArmNode, freshest, reliable
from twolink_dynamics.nodes.controller_output import ControllerOutput
from twolink_dynamics.nodes.messages import goal_points, nanoseconds
from twolink_dynamics.tracking.controller import TrackingController
from twolink_dynamics.tracking.controller_options import CONTROLLER
from twolink_dynamics.tracking.controller_report import ControllerReport
from twolink_dynamics.tracking.controller_setup import change_parameters, make_controller
from twolink_dynamics.tracking.goal_execution import GoalTolerances
from twolink_dynamics.tracking.gravity_sensor import GravitySensor
from twolink_dynamics.tracking.message_readers import StateReader
from twolink_dynamics.tracking.shutdown import Shutdown
from twolink_dynamics.trajectory.goal import INVALID_GOAL

__all__ = ['ControllerNode']

# [s]: how often the silence of joint states is looked at, and answered.
TICK = 0.01


class ControllerNode(ArmNode):
    """
    Answer each state with an effort that follows trajectories: docs/interfaces.md.

    Attributes
    ----------
    controller_class : type
        What answers: TrackingController, or a class derived from it.
    core : TrackingController
        From :meth:`configure` on.

    """

    controller_class = TrackingController
    core: TrackingController
    report: ControllerReport

    def __init__(self, **options: Any) -> None:
        self._action: Any = None
        self._shutdown: Shutdown | None = None
        super().__init__('computed_torque_controller', CONTROLLER, **options)

    def configure(self, arm: Arm) -> None:
        """Start to answer."""
        values = self.values
        self._gravity: tuple[float, ...] | None = None
        self._unstamped = False
        self.core = make_controller(values, arm, EventLog(self.get_logger().warning),
                                    self.controller_class)
        self._shutdown = Shutdown(self.core)
        self.report = ControllerReport(self.core, values, time.monotonic())
        self._reader = StateReader(arm.joint_names)
        self._output = ControllerOutput(self, arm, values)
        if values.gravity_topic:
            self._listen_to_gravity(values)
        self._start_action()
        self.create_subscription(JointTrajectory, '~/joint_trajectory', self._on_trajectory,
                                 reliable(10))
        self.serve(Trigger, '~/hold', self._on_hold)
        self.serve(SetBool, '~/enable', self._on_enable)
        self.create_subscription(JointState, 'joint_states',
                                 self.rejecting('joint_states', self._on_state), freshest())
        self.create_timer(TICK, self._on_tick, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def _listen_to_gravity(self, values: SimpleNamespace) -> None:
        self._sensor = GravitySensor(values.gravity, self.arm.chain.base_link)
        topic = values.gravity_topic
        try:
            self.create_subscription(Imu, topic, self.rejecting(topic, self._on_gravity),
                                     freshest())
        except NameValidationException:
            raise ParameterError('gravity_topic', topic, 'the name of a topic') from None

    def _start_action(self) -> None:
        try:
            from twolink_dynamics.nodes.action_server import StatePublisher, TrajectoryServer
            self._output.controller_state = StatePublisher(self, self.arm.joint_names)
            self._action = TrajectoryServer(self, self._accept, self.core.cancel)
        except (ImportError, NoTypeSupportImportedException, UnsupportedTypeSupport) as error:
            reason = ' '.join(str(error).split()) or 'it has no type support'
            self.get_logger().info(
                'without ~/follow_joint_trajectory and ~/controller_state, as control_msgs is not '
                f'installed ({reason}); trajectories are taken from ~/joint_trajectory')

    def begin_end(self) -> None:
        """Give the clients their results, and bring the arm to rest."""
        if self._shutdown is not None:
            self._shutdown.begin()
            self._send_results()

    def ended(self) -> bool:
        """Return whether the arm is at rest, or its states stay away."""
        return self._shutdown is None or self._shutdown.done(time.monotonic())

    def close(self) -> None:
        """Send the last effort, and end the action."""
        if self._shutdown is not None:
            if not self._shutdown.begun:
                self.begin_end()
            tau = self._shutdown.last_effort(self.values.shutdown_effort)
            if tau is not None and self.core.ns is not None and self.context.ok():
                self._output.send(self.core.ns, tau)
                self._output.flush()
            self._shutdown = None
        if self._action is not None:
            self._action.close()
            self._action = None

    def check_change(self, values: SimpleNamespace) -> None:
        """Take over live parameters."""
        if self.configured:
            change_parameters(self.core, self.values, values, self._gravity)
            if values.gravity != self.values.gravity:
                self._gravity = None

    def _on_state(self, message: JointState) -> None:
        if self._shutdown is None:      # the last effort is out
            return
        q, qd = self._reader.read(message)
        ns = nanoseconds(message.header.stamp) or self._now_of_unstamped()
        now = time.monotonic()
        tau = self.core.update(ns, q, qd, now)
        self.report.count_state(now)
        if tau is None:
            if self.report.without_effort == 1:
                self.get_logger().error(f'no finite effort for the state q = {list(q)}, '
                                        f'qd = {list(self.core.qd or ())}: sending none')
            return
        self._output.send(ns, tau)
        self._output.report(self.core, ns, self._action)
        self._send_results()

    def _on_tick(self) -> None:
        """Answer the silence of joint states; tell clients which goals ended meanwhile."""
        tau = self.core.silence(time.monotonic()) if self._shutdown is not None else None
        if tau is not None and self.core.ns is not None:
            self._output.send(self.core.ns, tau)
        self._send_results()

    def _send_results(self) -> None:
        for result in self.core.execution.take_results():
            if self._action is not None:
                self._action.finish(result)

    def _now_of_unstamped(self) -> int:
        if not self._unstamped:
            self._unstamped = True
            self.get_logger().warning('joint_states have no stamp: taking the time of receipt')
        return self.get_clock().now().nanoseconds

    def _on_gravity(self, message: Imu) -> None:
        a = message.linear_acceleration
        gravity = self._sensor.read(nanoseconds(message.header.stamp), message.header.frame_id,
                                    (a.x, a.y, a.z))
        if gravity is not None:
            self._gravity = gravity
            self.core.use_model(model_of(self.values, self.arm, gravity))

    def _accept(self, message: JointTrajectory, key: object = None,
                tolerances: GoalTolerances | None = None) -> None:
        try:
            if self._shutdown is None or self._shutdown.begun:
                raise TrajectoryError('the controller shuts down', INVALID_GOAL)
            self.core.accept(message.joint_names, goal_points(message),
                             nanoseconds(message.header.stamp), key, tolerances)
        except TrajectoryError as error:
            self.get_logger().warning(self.report.count_rejection(error))
            raise

    def _on_trajectory(self, message: JointTrajectory) -> None:
        try:
            self._accept(message)
        except TrajectoryError:
            pass                # logged and counted; there is nobody to give it back to

    def _on_hold(self, _: Any) -> tuple[bool, str]:
        return (True, self.core.mode) if self.core.hold() else (False, 'no joint_states came yet')

    def _on_enable(self, request: Any) -> tuple[bool, str]:
        self.core.enable(request.data)
        if not request.data:
            self.get_logger().warning('disabled: efforts are zero, the arm is free to fall')
        return True, self.core.mode

    def status(self) -> Status:
        """Return the status for the diagnostics."""
        return self.report.make(time.monotonic())
