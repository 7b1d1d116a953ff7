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

from rclpy.clock import Clock, ClockType
from sensor_msgs.msg import Imu, JointState
from std_srvs.srv import SetBool, Trigger
from trajectory_msgs.msg import JointTrajectory

from twolink_dynamics.control.gains import per_joint
from twolink_dynamics.control.law_parameters import gains, law_of, model_of
from twolink_dynamics.errors import TrajectoryError
from twolink_dynamics.nodes.arm_node import ArmNode, ERROR, freshest, OK, reliable, WARN
from twolink_dynamics.nodes.controller_output import ControllerOutput
from twolink_dynamics.nodes.messages import goal_points, nanoseconds, StateReader
from twolink_dynamics.tracking.controller import TrackingController
from twolink_dynamics.tracking.controller_options import CONTROLLER
from twolink_dynamics.tracking.gravity_sensor import GravitySensor
from twolink_dynamics.tracking.rejections import MessageError

__all__ = ['ControllerNode']

# [s]: how often the silence of joint states is looked at, and answered.
TICK = 0.01
GAINS = ('natural_frequency', 'damping_ratio', 'kp', 'kd', 'ki')
LAW = ('law', 'stiffness', 'damping', 'adaptation', 'period', 'friction_compensation')
MODEL = ('payload_mass', 'payload_com', 'gravity')


class ControllerNode(ArmNode):
    """Answer each state with an effort that follows trajectories: docs/interfaces.md."""

    def __init__(self, **options):
        self.core = self._action = None
        super().__init__('computed_torque_controller', CONTROLLER, **options)

    def configure(self, arm):
        """Start to answer."""
        values = self.values
        self._gravity, self._said = None, {}
        model = model_of(values, arm)
        core = TrackingController(arm, values.friction_compensation,
                                  on_event=self._say, law=law_of(values, model))
        self._take_over(core, values)
        self._reader = StateReader(arm.joint_names)
        self._count, self._count_before, self._since = 0, 0, time.monotonic()
        self._last_state, self._peak_error, self._saturated = None, 0.0, 0
        self._without_effort_before = 0
        self._without_effort, self._rejected_goals, self._last_rejection = 0, 0, ''
        self._unstamped = False
        self._output = ControllerOutput(self, arm, values)
        self._start_action()
        self.create_subscription(JointTrajectory, '~/joint_trajectory', self._on_trajectory,
                                 reliable(10))
        self.create_service(Trigger, '~/hold', self._on_hold)
        self.create_service(SetBool, '~/enable', self._on_enable)
        if values.gravity_topic:
            self._sensor = GravitySensor(values.gravity, arm.chain.base_link)
            self.create_subscription(Imu, values.gravity_topic, self._on_gravity, freshest())
        self.core = core
        self.create_subscription(JointState, 'joint_states', self._on_state, freshest())
        self.create_timer(TICK, self._on_tick, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def _start_action(self):
        try:
            from twolink_dynamics.nodes.action_server import StatePublisher, TrajectoryServer
        except ImportError as error:
            self.get_logger().info(
                'without ~/follow_joint_trajectory and ~/controller_state, as control_msgs is not '
                f'installed ({error}); trajectories are taken from ~/joint_trajectory')
            return
        self._action = TrajectoryServer(self, self._accept, lambda key: self.core.cancel(key))
        self._output.controller_state = StatePublisher(self, self.arm.joint_names)

    def close(self):
        """End the action."""
        if self._action is not None:
            self._action.close()
            self._action = None

    def check_change(self, values):
        """Take over live parameters."""
        core, before = self.core, self.values
        if core is None:
            return

        def changed(names):
            return any(getattr(values, name) != getattr(before, name) for name in names)

        model = core.law.arm
        if changed(MODEL):
            gravity = self._gravity if values.gravity == before.gravity else None
            model = model_of(values, self.arm, gravity)
        law = law_of(values, model)             # whatever does not fit is refused here
        self._take_over(core, values)
        if changed(LAW):
            core.use_law(law)
        elif changed(GAINS):
            core.use_gains(**gains(values))
        if changed(MODEL):
            core.use_model(model)

    def _say(self, text):
        """Log an event; of a kind that comes again and again, one a second."""
        kind, now = text.split(':')[0].split(' of ')[0][:40], time.monotonic()
        before = self._said.get(kind)
        if before is None or now - before > 1.0:
            self._said[kind] = now
            self.get_logger().warning(text)

    def _take_over(self, core, values):
        n = self.arm.n
        path, goal = (per_joint(name, getattr(values, name), n)
                      for name in ('path_tolerance', 'goal_tolerance'))
        rate = values.effort_rate if any(values.effort_rate) else None
        core.set_timeouts(values.state_timeout, values.zero_timeout)
        core.effort_filter.set_limits(rate, values.soft_limit_margin, values.blend_duration)
        core.supervisor.set_limits(values.observer_gain, values.contact_threshold,
                                   values.velocity_factor)
        core.execution.path, core.execution.goal = path, goal
        core.execution.stopped_velocity = values.stopped_velocity_tolerance
        core.execution.goal_time = values.goal_time
        core.velocity.time_constant = values.velocity_filter
        core.beyond = {'velocity': values.beyond_velocity, 'effort': values.beyond_effort}
        core.stop_duration = values.stop_duration
        core.start_tolerance = values.start_tolerance

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
        now = time.monotonic()
        tau = core.update(ns, q, qd, now)
        self._last_state = now
        self._count += 1
        if tau is None:
            self._without_effort += 1
            if self._without_effort + self._without_effort_before == 1:
                self.get_logger().error(f'no finite effort for the state q = {list(q)}, '
                                        f'qd = {list(core.qd)}: sending none')
            return
        self._output.send(ns, tau)
        peak = self._output.report(core, self._action)
        if peak > self._peak_error:
            self._peak_error = peak
        self._saturated += core.saturated
        self._tell_outcomes()

    def _on_tick(self):
        """Answer the silence of joint states; tell clients what ended meanwhile."""
        tau = self.core.silence(time.monotonic())
        if tau is not None:
            self._output.send(self.core.ns, tau)
        self._tell_outcomes()

    def _tell_outcomes(self):
        for outcome in self.core.execution.take_outcomes():
            if self._action is not None:
                self._action.finish(outcome)

    def _now_of_unstamped(self):
        if not self._unstamped:
            self._unstamped = True
            self.get_logger().warning('joint_states have no stamp: taking the time of receipt')
        return self.get_clock().now().nanoseconds

    def _on_gravity(self, message):
        a = message.linear_acceleration
        try:
            gravity = self._sensor.read(nanoseconds(message.header.stamp),
                                        message.header.frame_id, (a.x, a.y, a.z))
        except MessageError as error:
            self.rejections.add(self.values.gravity_topic, error)
            return
        if gravity is not None:
            self._gravity = gravity
            self.core.use_model(model_of(self.values, self.arm, gravity))

    def _accept(self, message, key=None, asked=None):
        try:
            self.core.accept(message.joint_names, goal_points(message),
                             nanoseconds(message.header.stamp), key, asked,
                             self.values.allow_nonzero_velocity_at_trajectory_end,
                             self.values.allow_partial_joints_goal)
        except TrajectoryError as error:
            self._rejected_goals += 1
            self._last_rejection = f'code {error.code}: {error}'
            self.get_logger().warning(f'trajectory rejected ({self._last_rejection})')
            raise

    def _on_trajectory(self, message):
        try:
            self._accept(message)
        except TrajectoryError:
            pass                # said and counted; there is nobody to give it back to

    def _on_hold(self, request, response):
        response.success = self.core.hold()
        response.message = self.core.mode if response.success else 'no joint_states came yet'
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
        goals, last = core.execution, core.execution.last
        report = {
            'state': core.mode, 'states answered [Hz]': rate,
            'age of the last state [s]': 'none came' if age is None else age,
            'peak tracking error [rad or m]': self._peak_error,
            'saturated steps': self._saturated, 'states without effort': self._without_effort,
            'trajectories rejected': self._rejected_goals + core.dropped,
            'last rejection': self._last_rejection,
            'goals succeeded, aborted, canceled':
                f'{goals.succeeded}, {goals.aborted}, {goals.canceled}',
            'last goal not reached': f'code {last.code}: {last.text}' if last else '',
            'law': core.law.name, 'kp': list(kp), 'kd': list(kd), 'ki': list(ki),
            'pushed back at a position limit': ', '.join(core.effort_filter.soft.active),
            'external effort [N m or N]': [
                float(f'{x:.4g}') for x in core.supervisor.external or ()],
            'answer to silence': core.watchdog.level(now) if core.ns is not None else 'none',
        }
        saturated, without = self._saturated, self._without_effort
        self._without_effort_before += without
        self._peak_error, self._saturated, self._without_effort = 0.0, 0, 0
        if without:
            return ERROR, f'no finite effort for {without} states', report
        if age is None or age > self.values.state_timeout:
            return WARN, 'joint_states are stale' if age is not None else core.mode, report
        if core.watchdog.level(now) in ('gravity', 'zero'):
            return WARN, 'joint_states are frozen: their stamp does not change', report
        if saturated:
            return WARN, f'effort saturated for {saturated} states', report
        return OK, core.mode, report
