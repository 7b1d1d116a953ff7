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

from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import SetBool, Trigger
from trajectory_msgs.msg import JointTrajectory

from .arm_node import ArmNode, ERROR, freshest, OK, reliable, WARN
from .controller import gains, TrackingController
from .messages import goal_points, joint_order, JointStateWriter, nanoseconds, StateReader
from .parameters import CONTROLLER
from .rejections import MessageError
from ..errors import TrajectoryError

__all__ = ['ControllerNode']


class ControllerNode(ArmNode):
    """Answer each state with an effort that follows trajectories: docs/interfaces.md."""

    def __init__(self, **options):
        self.core = None
        super().__init__('computed_torque_controller', CONTROLLER, **options)

    def configure(self, arm):
        """Start to answer."""
        values = self.values
        order = joint_order(arm, values.joints)
        core = TrackingController(arm, values.friction_compensation,
                                  on_event=self.get_logger().warning)
        core.law.set_gains(**gains(values))
        self._take_over(core, values)
        self._reader = StateReader(arm.joint_names)
        self._order = order
        self._count, self._count_before, self._since = 0, 0, time.monotonic()
        self._last_state, self._peak_error, self._saturated = None, 0.0, 0
        self._without_effort_before = 0
        self._without_effort, self._rejected_goals, self._last_rejection = 0, 0, ''
        self._unstamped = False
        self._writers(arm)
        self.create_subscription(JointTrajectory, '~/joint_trajectory', self._on_trajectory,
                                 reliable(10))
        self.create_service(Trigger, '~/hold', self._on_hold)
        self.create_service(SetBool, '~/enable', self._on_enable)
        self.core = core
        self.create_subscription(JointState, 'joint_states', self._on_state, freshest())

    def _writers(self, arm):
        names, interface = arm.joint_names, self.values.command_interface
        self._command = self._array = None
        if interface in ('joint_state', 'both'):
            self._command = JointStateWriter(names, ['effort'])
            self._command_publisher = self.create_publisher(
                JointState, 'joint_commands', reliable(10))
        if interface in ('array', 'both'):
            self._array = Float64MultiArray(data=[0.0] * arm.n)
            self._array_publisher = self.create_publisher(
                Float64MultiArray, 'forward_effort_controller/commands', reliable(10))
        self._reference = JointStateWriter(names, ['position', 'velocity'])
        self._error = JointStateWriter(names, ['position', 'velocity'])
        self._reference_publisher = self.create_publisher(JointState, '~/reference', reliable(10))
        self._error_publisher = self.create_publisher(JointState, '~/error', reliable(10))

    def check_change(self, values):
        """Take over live parameters."""
        if self.core is not None:
            self.core.law.set_gains(**gains(values))
            self._take_over(self.core, values)

    @staticmethod
    def _take_over(core, values):
        core.stop_duration = values.stop_duration
        core.start_tolerance = values.start_tolerance
        core.longest_gap = values.state_timeout

    def _on_state(self, message):
        core = self.core
        try:
            q, qd = self._reader.read(message)
        except MessageError as error:
            self.rejections.add('joint_states', error)
            return
        ns = nanoseconds(message.header.stamp)
        if not ns:
            ns = self._now_of_unstamped()
        tau = core.update(ns, q, qd)
        self._last_state = time.monotonic()
        self._count += 1
        if tau is None:
            self._without_effort += 1
            if self._without_effort + self._without_effort_before == 1:
                self.get_logger().error(f'no finite effort for the state q = {list(q)}, '
                                        f'qd = {list(core.qd)}: sending none')
            return
        self._send(ns, tau)
        error, error_velocity = core.error
        self._reference_publisher.publish(
            self._reference.fill(ns, core.desired[0], core.desired[1]))
        self._error_publisher.publish(self._error.fill(ns, error, error_velocity))
        self._peak_error = max(self._peak_error, max(error), -min(error))
        self._saturated += core.saturated

    def _send(self, ns, tau):
        if self._command is not None:
            self._command_publisher.publish(self._command.fill(ns, tau))
        if self._array is not None:
            data = self._array.data
            for k, source in enumerate(self._order):
                data[k] = tau[source]
            self._array_publisher.publish(self._array)

    def _now_of_unstamped(self):
        if not self._unstamped:
            self._unstamped = True
            self.get_logger().warning('joint_states have no stamp: taking the time of receipt')
        return self.get_clock().now().nanoseconds

    def _on_trajectory(self, message):
        try:
            self.core.accept(message.joint_names, goal_points(message),
                             nanoseconds(message.header.stamp),
                             self.values.allow_nonzero_velocity_at_trajectory_end)
        except TrajectoryError as error:
            self._rejected_goals += 1
            self._last_rejection = f'code {error.code}: {error}'
            self.get_logger().warning(f'trajectory rejected ({self._last_rejection})')

    def _on_hold(self, request, response):
        response.success = self.core.hold()
        response.message = 'holding' if response.success else 'no joint_states came yet'
        return response

    def _on_enable(self, request, response):
        self.core.enable(request.data)
        response.success, response.message = True, self.core.mode
        if not request.data:
            self.get_logger().warning('disabled: efforts are zero, the arm is free to fall')
        return response

    def status(self):
        """Return what the diagnostics say."""
        core, now = self.core, time.monotonic()
        rate = (self._count - self._count_before) / max(now - self._since, 1e-9)
        self._count_before, self._since = self._count, now
        kp, kd, ki = core.law.gains
        age = None if self._last_state is None else now - self._last_state
        report = {
            'state': core.mode, 'states answered [Hz]': rate,
            'age of the last state [s]': 'none came' if age is None else age,
            'peak tracking error [rad or m]': self._peak_error,
            'saturated steps': self._saturated, 'states without effort': self._without_effort,
            'trajectories rejected': self._rejected_goals + core.dropped,
            'last rejection': self._last_rejection,
            'kp': list(kp), 'kd': list(kd), 'ki': list(ki),
        }
        saturated, without = self._saturated, self._without_effort
        self._without_effort_before += without
        self._peak_error, self._saturated, self._without_effort = 0.0, 0, 0
        if without:
            return ERROR, f'no finite effort for {without} states', report
        if age is None or age > self.values.state_timeout:
            return WARN, 'joint_states are stale' if age is not None else core.mode, report
        if saturated:
            return WARN, f'effort saturated for {saturated} states', report
        return OK, core.mode, report
