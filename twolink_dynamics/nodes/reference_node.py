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

"""The reference as a node: trajectories for the controller."""

import struct
from typing import Any

from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory

from twolink_dynamics.diagnostics import Level, Status
from twolink_dynamics.dynamics.arm import Arm
from twolink_dynamics.nodes.arm_node import ArmNode, freshest, reliable
from twolink_dynamics.nodes.messages import joint_trajectory
from twolink_dynamics.simulation.clock import SECOND
from twolink_dynamics.tracking.message_readers import StateReader
from twolink_dynamics.tracking.reference import motion_of, REFERENCE, Sender

__all__ = ['ReferenceNode']


class ReferenceNode(ArmNode):
    """Keep sending trajectories to the controller: docs/interfaces.md."""

    def __init__(self, **options: Any) -> None:
        super().__init__('reference', REFERENCE, **options)

    def configure(self, arm: Arm) -> None:
        """Make the motion, and wait for the controller and the first state."""
        values = self.values
        self._motion = motion_of(values, arm)
        self._sender = Sender(arm, self._motion, values.approach, values.count)
        self._reader = StateReader(arm.joint_names)
        self._heard, self._listened_to, self._last_ns = False, False, 0
        self._publisher = self.create_publisher(
            JointTrajectory, 'computed_torque_controller/joint_trajectory', reliable(10))
        # A thousand states a second are looked at for their stamp alone: raw, they cost little.
        self.create_subscription(JointState, 'joint_states',
                                 self.rejecting('joint_states', self._on_state), freshest(),
                                 raw=True)
        self.get_logger().info(f'waiting for a subscriber to {self._publisher.topic_name} and '
                               'for joint_states')

    def _on_state(self, data: bytes) -> None:
        # CDR: a byte of 0, the byte order, two of options; then the header's stamp.
        sec, nanosec = struct.unpack_from('<iI' if data[1] & 1 else '>iI', data, 4)
        ns = sec * SECOND + nanosec
        self._heard = True
        if ns < self._last_ns:
            self._sender.restart()
        self._last_ns = ns
        if self._sender.due(ns):
            self._send(ns, data)

    def _send(self, ns: int, data: bytes) -> None:
        listened_to = self._publisher.get_subscription_count() > 0
        if not listened_to:
            if self._listened_to:
                self.get_logger().warning('the controller is gone; waiting for it')
            self._listened_to = False
            self._sender.restart()
            return
        self._listened_to = True
        q, _ = self._reader.read(deserialize_message(data, JointState))
        start, trajectory, continues = self._sender.next(ns, q)
        self._publisher.publish(joint_trajectory(
            self.arm.joint_names, trajectory.times, trajectory.positions, trajectory.velocities,
            trajectory.accelerations, stamp=start))
        if not continues:
            self.get_logger().info(
                f'{self.values.trajectory}: {trajectory.start_time:.3g} s to the first point, '
                f'then {self._motion.duration:.4g} s of motion')

    def status(self) -> Status:
        """Return the status for the diagnostics."""
        report = {'trajectory': self.values.trajectory, 'sent': self._sender.sent,
                  'duration [s]': self._motion.duration, 'points': len(self._motion.times)}
        if not self._heard:
            return Status(Level.WARN, 'waiting for joint_states', report)
        if not self._sender.running and not self._listened_to:
            return Status(Level.WARN, 'waiting for the controller', report)
        return Status(Level.OK, 'sending', report)
