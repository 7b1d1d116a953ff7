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

from geometry_msgs.msg import WrenchStamped
import numpy as np
from rosgraph_msgs.msg import Clock as ClockMessage
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from std_srvs.srv import SetBool, Trigger

from twolink_dynamics.nodes.arm_node import ArmNode, freshest, reliable
from twolink_dynamics.nodes.messages import EffortReader, joint_order, JointStateWriter, \
    nanoseconds, set_stamp
from twolink_dynamics.nodes.simulator_report import SimulatorReport
from twolink_dynamics.periodic import PeriodicLoop
from twolink_dynamics.simulation.clock import SECOND
from twolink_dynamics.simulation.command_watch import CommandWatch
from twolink_dynamics.simulation.plant_parameters import PAYLOAD, payload, plant_options
from twolink_dynamics.simulation.simulated_robot import FIRST_ANSWER_SLICE, SimulatedRobot
from twolink_dynamics.simulation.simulator_options import SIMULATOR
from twolink_dynamics.tracking.rejections import MessageError

__all__ = ['SimulatorNode']

# [s]: how often a paused simulator without a pace says that it is still there.
PAUSED_PERIOD = 0.01
# States of three seconds at the fastest that two processes take turns.
LOCKSTEP_HISTORY = 10000
# [s]: a state whose answer does not come may have been lost on the way, and is sent again.
RESEND = 0.2
# A stamp may be ahead of our clock by so much [ns]: clocks of machines differ a little.
FUTURE = SECOND
# Nothing pushes harder on the tip [N and N m]: such a number is a fault of the sender.
LARGEST_WRENCH = 1e6


class SimulatorNode(ArmNode):
    """
    Integrate the arm, publish its state, take efforts: docs/interfaces.md.

    Attributes
    ----------
    sim : SimulatedRobot or None
        None until a description has come.
    commands, wrenches, unused : int
        How many valid messages came; how many efforts answered no present state.
    said : bool
        Whether it was said that lockstep waits for long.
    simulated_clock : bool
        Whether stamps are by a clock of the simulator's own.

    """

    def __init__(self, **options):
        self._loop = None
        self.sim = None
        super().__init__('simulator', SIMULATOR, **options)

    def configure(self, arm):
        """Start the loop."""
        values = self.values
        order = joint_order(arm, values.joints)
        self.simulated_clock = values.publish_clock or values.lockstep
        self._reader = EffortReader(arm.joint_names, [arm.joint_names[k] for k in order])
        self._writer = JointStateWriter([arm.joint_names[k] for k in order], order=order)
        self.commands, self.wrenches, self.unused = 0, 0, 0
        self._waited, self._resend_in, self.said = 0.0, RESEND, False
        self._sent_ns, self._clock_in = None, 0
        self._clock_every = max(1, round(values.rate / values.clock_rate))
        self._interface()
        options = plant_options(values, arm)
        # As late as can be: the stamps are behind the wall clock by what comes between.
        wall_start = time.monotonic_ns()
        sim = SimulatedRobot(
            arm, values.rate, values.initial_position, values.initial_velocity, values.brake,
            values.start_paused, values.lockstep,
            SECOND if self.simulated_clock else time.time_ns(), options, values.seed,
            CommandWatch(values.command_timeout, values.command_timeout_action,
                         lambda: self.count_publishers('joint_commands') > 0))
        sim.carry(payload(values))
        self._loop = PeriodicLoop(self._tick, self._period(values), values.max_catch_up,
                                  None if values.lockstep else sim.await_command, self.fail)
        self.sim = sim
        self._report = SimulatorReport(self, sim, self._loop, wall_start)
        self._loop.start()

    @staticmethod
    def _period(values):
        pace = values.rate * values.real_time_factor
        return 1.0 / pace if pace else 0.0

    def check_change(self, values):
        """Take over live parameters."""
        if self.sim is None:
            return
        if any(getattr(values, name) != getattr(self.values, name) for name in PAYLOAD):
            self.sim.carry(payload(values))
        self.sim.watch.timeout = values.command_timeout
        self.sim.watch.action = values.command_timeout_action
        self._loop.period = self._period(values)

    def _interface(self):
        # In lockstep nothing is late, so nothing need be lost: what a busy recorder missed is sent
        # again, up to the middleware's next heartbeat (3 s).
        history = LOCKSTEP_HISTORY if self.values.lockstep else 100
        self._states = self.create_publisher(JointState, 'joint_states', reliable(history))
        self._clock_publisher = self.create_publisher(
            ClockMessage, '/clock', reliable(1)) if self.values.publish_clock else None
        self._clock_message = ClockMessage()
        self.create_subscription(Float64MultiArray, 'forward_effort_controller/commands',
                                 self._on_array, freshest())
        self.create_subscription(JointState, 'joint_commands', self._on_joint_state, freshest())
        self.create_subscription(WrenchStamped, 'tip_wrench', self._on_wrench, reliable(10))
        self.create_service(Trigger, '~/reset', self._on_reset)
        self.create_service(Trigger, '~/step', self._on_step)
        self.create_service(SetBool, '~/pause', self._on_pause)

    # The loop's thread

    def _tick(self):
        sim = self.sim
        if self._sent_ns is None:
            with sim.lock:
                self._publish()
        elif sim.paused:
            if not self.values.real_time_factor:
                time.sleep(PAUSED_PERIOD)
            with sim.lock:
                self._publish()
        elif not sim.lockstep or self._await_answer():
            with sim.lock:
                # A reset or a pause may have come in between.
                if not sim.paused and (not sim.lockstep or sim.answered):
                    if sim.step():
                        self._publish()
                    else:
                        self.get_logger().error(f'paused: {sim.diverged}; ~/reset starts anew')

    def _publish(self, asked=False):
        sim = self.sim
        if self._clock_publisher is not None:
            # At once, too, where somebody waits for it or time jumps.
            self._clock_in -= 1
            if self._clock_in <= 0 or asked or self._sent_ns is None:
                self._clock_in = self._clock_every
                set_stamp(self._clock_message.clock, sim.ns)
                self._clock_publisher.publish(self._clock_message)
        self._sent_ns = sim.ns
        self._states.publish(self._writer.fill(sim.ns, *sim.measured, sim.tau))

    def _await_answer(self):
        """Return whether the effort came; if not, send the state again, and say so in the end."""
        sim, timeout = self.sim, self.values.lockstep_timeout
        slice_ = min(FIRST_ANSWER_SLICE, timeout)
        if sim.answered or sim.await_answer(slice_):
            if self.said:
                self.get_logger().info('efforts arrive again')
            self._waited, self._resend_in, self.said = 0.0, RESEND, False
            return True
        self._waited += slice_
        self._resend_in -= slice_
        if self._resend_in <= 0.0 or not sim.ever_answered:
            self._resend_in = RESEND
            with sim.lock:
                self._publish()
        if self._waited >= timeout and not self.said:
            self.get_logger().warning(
                f'lockstep: no effort on joint_commands with the stamp {sim.ns * 1e-9:.3f} s '
                f'within {timeout:g} s; sending the state again until it comes')
            self.said = True
        return False

    # The executor's thread

    def _on_array(self, message):
        try:
            tau = self._reader.from_array(message)
            if self.sim.lockstep:
                raise MessageError('no stamp in lockstep', 'an array cannot say which state it '
                                   'answers; send joint_commands')
        except MessageError as error:
            self.rejections.add('forward_effort_controller/commands', error)
            return
        self.commands += 1
        self.sim.command(tau)

    def _on_joint_state(self, message):
        try:
            tau = self._reader.from_joint_state(message)
            stamp = self._stamp(message)
        except MessageError as error:
            self.rejections.add('joint_commands', error)
            return
        self.commands += 1
        if not (self.sim.answer(stamp, tau) if self.sim.lockstep
                else self.sim.command(tau, True, stamp)):
            self.unused += 1

    def _stamp(self, message):
        """Return the stamp [ns], if it is not ahead of the time."""
        stamp, now = nanoseconds(message.header.stamp), self.sim.ns
        if stamp > now + FUTURE and not self.sim.clock.is_obsolete(stamp):
            if not self.simulated_clock:
                now = max(now, time.time_ns())
            if stamp > now + FUTURE:
                raise MessageError(
                    'a stamp from the future', f'{stamp * 1e-9:.3f} s, and here it is '
                    f'{now * 1e-9:.3f} s: does the sender go by another clock?')
        return stamp

    def _on_wrench(self, message):
        force, torque = message.wrench.force, message.wrench.torque
        wrench = np.array([force.x, force.y, force.z, torque.x, torque.y, torque.z])
        try:
            if not np.isfinite(wrench).all():
                raise MessageError('a wrench not finite', str(wrench.tolist()))
            if not (np.abs(wrench) <= LARGEST_WRENCH).all():
                raise MessageError('a wrench beyond reason', str(wrench.tolist()))
            self._stamp(message)
            self.sim.push(self._in_base_axes(message.header.frame_id, wrench))
        except MessageError as error:
            self.rejections.add('tip_wrench', error)
        else:
            self.wrenches += 1

    def _in_base_axes(self, frame, wrench):
        chain = self.arm.chain
        frame = frame.lstrip('/')
        if frame in ('', chain.base_link):
            return wrench
        if frame == chain.tip_link:
            R = self.arm.tip_pose(self.sim.q)[:3, :3]
            return np.concatenate([R @ wrench[:3], R @ wrench[3:]])
        raise MessageError('a wrench in an unknown frame',
                           f'"{frame}"; expected {chain.base_link} or {chain.tip_link}')

    def _on_reset(self, request, response):
        sim = self.sim
        with sim.lock:
            sim.reset(self.values.reset_clock)
            self._publish(asked=True)
            response.message = f'at the start, at {sim.ns * 1e-9:.6f} s'
        response.success = True
        return response

    def _on_pause(self, request, response):
        sim = self.sim
        with sim.lock:
            if sim.diverged and not request.data:
                response.success, response.message = False, f'{sim.diverged}; call ~/reset'
                return response
            sim.paused = request.data
            response.message = (f'{"paused" if sim.paused else "running"} at '
                                f'{sim.ns * 1e-9:.6f} s')
        response.success = True
        return response

    def _on_step(self, request, response):
        sim = self.sim
        with sim.lock:
            response.success = False
            if not sim.paused:
                response.message = 'not paused: call ~/pause first'
            elif sim.diverged:
                response.message = f'{sim.diverged}; call ~/reset'
            elif sim.lockstep and not sim.answered:
                response.message = f'no effort came yet for the state of {sim.ns * 1e-9:.6f} s'
            elif sim.step():
                self._publish(asked=True)
                response.success, response.message = True, f'at {sim.ns * 1e-9:.6f} s'
            else:
                response.message = f'{sim.diverged}; call ~/reset'
        return response

    def status(self):
        """Return what the diagnostics say."""
        return self._report.make()

    def close(self):
        """End the loop."""
        if self._loop is not None:
            self._loop.stop()
