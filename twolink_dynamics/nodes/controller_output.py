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

"""Publishers of the controller node: each message is made once and filled in place."""

from array import array
from types import SimpleNamespace
from typing import Any

from rclpy.duration import Duration
from rclpy.node import Node
from rclpy.publisher import Publisher
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from twolink_dynamics.array_types import Vector
from twolink_dynamics.dynamics.arm import Arm
from twolink_dynamics.nodes.arm_node import reliable
from twolink_dynamics.nodes.messages import JointStateWriter
from twolink_dynamics.tracking.controller import TrackingController
from twolink_dynamics.tracking.message_readers import joint_order

__all__ = ['ControllerOutput']

# [s]: how long the last effort is waited for to arrive.
LAST_WORD = 0.2


class ControllerOutput:
    """
    The publishers of the controller node.

    Parameters
    ----------
    node : rclpy.node.Node
    arm : Arm
    values : namespace
        The node's parameters; live ones are followed.

    Attributes
    ----------
    controller_state : StatePublisher or None
        Where control_msgs is installed.

    """

    controller_state: Any
    _command: JointStateWriter | None
    _array: Float64MultiArray | None
    _due: int | None
    _estimates: tuple[Float64MultiArray, Publisher] | None

    def __init__(self, node: Node, arm: Arm, values: SimpleNamespace) -> None:
        self._values = values
        self._order = joint_order(arm, values.joints)
        self._commands_of: list[Publisher] = []
        self.controller_state = self._command = self._array = self._due = self._estimates = None

        def publish(kind: type, topic: str) -> Publisher:
            return node.create_publisher(kind, topic, reliable(10))

        if values.command_interface in ('joint_state', 'both'):
            self._command = JointStateWriter(arm.joint_names, ['effort'])
            self._command_publisher = publish(JointState, 'joint_commands')
            self._commands_of.append(self._command_publisher)
        if values.command_interface in ('array', 'both'):
            self._array = Float64MultiArray(data=[0.0] * arm.n)
            self._array_publisher = publish(Float64MultiArray,
                                            'forward_effort_controller/commands')
            self._commands_of.append(self._array_publisher)
        self._writers = {
            name: (JointStateWriter(arm.joint_names, fields), publish(JointState, f'~/{name}'))
            for name, fields in (('reference', ['position', 'velocity']),
                                 ('error', ['position', 'velocity']),
                                 ('external_effort', ['effort']))}
        self._node = node

    def send(self, ns: int, tau: Vector) -> None:
        """
        Send an effort.

        Parameters
        ----------
        ns : int
            The stamp of the state it answers [ns].
        tau : sequence of float, length n

        """
        if self._command is not None:
            self._command_publisher.publish(self._command.fill(ns, tau))
        if self._array is not None:
            data = self._array.data
            for k, source in enumerate(self._order):
                data[k] = tau[source]
            self._array_publisher.publish(self._array)

    def flush(self) -> None:
        """Wait a moment until the last effort is with those who listen reliably."""
        for publisher in self._commands_of:
            publisher.wait_for_all_acked(Duration(seconds=LAST_WORD))

    def _write(self, name: str, ns: int, *vectors: Vector) -> None:
        writer, publisher = self._writers[name]
        publisher.publish(writer.fill(ns, *vectors))

    def report(self, core: TrackingController, ns: int, action: Any = None) -> None:
        """
        Publish what belongs to the last state.

        Parameters
        ----------
        core : TrackingController
        ns : int
            The state's stamp [ns].
        action : TrajectoryServer, optional

        """
        self._write('reference', ns, *(core.desired or ())[:2])
        self._write('error', ns, *core.error)
        if core.supervisor.external is not None:
            self._write('external_effort', ns, core.supervisor.external)
        if self._due is None or not self._due > ns >= self._due - self._period:
            self._due = ns + self._period
            self._report_slowly(core, ns, action)

    @property
    def _period(self) -> int:
        return round(1e9 / self._values.state_publish_rate)

    def _report_slowly(self, core: TrackingController, ns: int, action: Any) -> None:
        if self.controller_state is not None:
            self.controller_state.publish(ns, core.desired, (core.q, core.qd), core.error,
                                          core.tau)
        estimates = getattr(core.law, 'estimates', None)
        if estimates is not None:
            self._publish_estimates(estimates)
        feedback = core.feedback()
        if action is not None and feedback is not None:
            action.feedback(feedback)

    def _publish_estimates(self, estimates: Vector) -> None:
        if self._estimates is None:
            self._estimates = Float64MultiArray(), self._node.create_publisher(
                Float64MultiArray, '~/estimates', reliable(10))
        message, publisher = self._estimates
        message.data = array('d', estimates)
        publisher.publish(message)
