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

"""A node about one arm: parameters from a table, the arm from its description, diagnostics."""

from types import SimpleNamespace
from typing import Any, Callable, Sequence
import warnings

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus, KeyValue
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from std_msgs.msg import String

from twolink_dynamics.diagnostics import Level, MessageError, Rejections, Status
from twolink_dynamics.dynamics.arm import Arm
from twolink_dynamics.dynamics.factory import load_arm
from twolink_dynamics.dynamics.two_link_arm import TwoLinkArm
from twolink_dynamics.errors import ModelError, ModelWarning, ParameterError, TwoLinkError
from twolink_dynamics.model.source import xml_text
from twolink_dynamics.nodes.parameters import declare
from twolink_dynamics.options import Option

__all__ = ['ArmNode', 'freshest', 'reliable']

DESCRIPTION = 'robot_description'


def reliable(depth: int, latched: bool = False) -> QoSProfile:
    """
    Return a reliable quality of service; the middlewares' defaults differ, so it is named.

    Parameters
    ----------
    depth : int
    latched : bool
        Whether later subscribers get the last message.

    Returns
    -------
    profile : rclpy.qos.QoSProfile

    """
    return QoSProfile(
        depth=depth, reliability=ReliabilityPolicy.RELIABLE,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if latched else DurabilityPolicy.VOLATILE)


def freshest() -> QoSProfile:
    """
    Return the quality of service to hear states and efforts with: the latest, or none.

    A reliable reader delivers in order: one message lost on a busy machine holds back all that
    follow, until the writer's next heartbeat brings it or gives it up, half a second of a control
    loop later. This reader misses that one, and hears reliable and best-effort writers alike.

    Returns
    -------
    profile : rclpy.qos.QoSProfile

    """
    return QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT,
                      durability=DurabilityPolicy.VOLATILE)


class ArmNode(Node):
    """
    A node about one arm.

    A class derived from it says what to do with the arm in ``configure(arm)``, and what to report
    in ``status()``.

    Parameters
    ----------
    name : str
        The node's name.
    table : sequence of Option
        Its parameters.
    **options
        For :class:`rclpy.node.Node`.

    Attributes
    ----------
    values : types.SimpleNamespace
        The parameters.
    arm : Arm
        From :meth:`configure` on; until then `configured` is False.
    configured : bool
    rejections : Rejections
    finished : bool
        Whether the node is to end.
    error : Exception or None
        Why, if that is a fault.

    """

    arm: Arm
    values: SimpleNamespace

    def __init__(self, name: str, table: Sequence[Option], **options: Any) -> None:
        super().__init__(name, **options)
        self.finished, self.configured = False, False
        self.error: BaseException | None = None
        self.rejections = Rejections(self.get_logger().warning)
        self._rejected_before = 0
        try:
            self.values = declare(self, table, self.check_change)
            self._latched = None
            if self.values.robot_description:
                self._load(self.values.robot_description)
            else:
                self._latched = self.create_subscription(
                    String, DESCRIPTION, self._on_description, reliable(1, latched=True))
                self.get_logger().info('waiting for the topic '
                                       f'{self._latched.topic_name}, as the parameter is empty')
        except BaseException:
            self.close()
            self.destroy_node()
            raise
        self._diagnostics = self.create_publisher(DiagnosticArray, '/diagnostics', reliable(10))
        self._diagnostics_timer = self.create_timer(
            1.0, self._publish_diagnostics, clock=Clock(clock_type=ClockType.STEADY_TIME))

    def configure(self, arm: Arm) -> None:
        """Begin the work, now that the arm is known."""
        raise NotImplementedError

    def check_change(self, values: SimpleNamespace) -> None:
        """Take over changed parameters, or raise a TwoLinkError to refuse them."""

    def status(self) -> Status:
        """Return the status for the diagnostics."""
        return Status(Level.OK, 'running', {})

    def begin_end(self) -> None:
        """Begin to come to an end, as a signal came; the executor goes on."""

    def ended(self) -> bool:
        """Return whether the end that began is reached."""
        return True

    def close(self) -> None:
        """End what the node started, before it is destroyed; another call does nothing more."""

    def fail(self, error: BaseException) -> None:
        """End the node because of a fault; may be called on any thread."""
        self.error, self.finished = error, True

    def log(self, level: Level, text: str) -> None:
        """Write a line to the log."""
        logger = self.get_logger()      # it allows one severity a line of code
        if level == Level.OK:
            logger.info(text)
        elif level == Level.WARN:
            logger.warning(text)
        else:
            logger.error(text)

    def serve(self, kind: type, name: str, answer: Callable[[Any], tuple[bool, str]]) -> None:
        """Offer a service; `answer` takes its request, and returns success and message."""
        def on_request(request: Any, response: Any) -> Any:
            response.success, response.message = answer(request)
            return response

        self.create_service(kind, name, on_request)

    def rejecting(self, topic: str, callback: Callable[[Any], Any]) -> Callable[[Any], None]:
        """Return a callback that counts the messages for which another raises a MessageError."""
        def on_message(message: Any) -> None:
            try:
                callback(message)
            except MessageError as error:
                self.rejections.add(topic, error)

        return on_message

    def _on_description(self, message: String) -> None:
        if self.configured:
            self.get_logger().warning('another robot_description came; the first stays in use, '
                                      'restart the node to use the other')
            return
        try:
            self._load(xml_text(message.data, f'topic {DESCRIPTION}'))
        except TwoLinkError as error:
            self.fail(error)

    def _load(self, description: str) -> None:
        values = self.values
        with warnings.catch_warnings(record=True) as findings:
            warnings.simplefilter('always', ModelWarning)
            try:
                arm = load_arm(description, base_link=values.base_link or None,
                               tip_link=values.tip_link or None, gravity=values.gravity)
            except ParameterError:
                raise
            except (TwoLinkError, OSError) as error:
                raise ModelError(f'robot_description: {error}') from error
        for finding in findings:
            self.get_logger().warning(f'robot_description: {finding.message}')
        if not isinstance(arm, TwoLinkArm):
            # Compile before a loop needs it. The closed form needs it for batches of states only.
            self.get_logger().info(f'preparing the dynamics of {arm.n} joints (with numba this '
                                   'takes a while the first time)')
            arm.warm_up()
        self.arm = arm
        self.configure(arm)
        self.configured = True
        self.get_logger().info(
            f'{arm.chain.name}: {arm.chain.base_link} to {arm.chain.tip_link}, '
            f'joints {", ".join(arm.joint_names)}')

    def _publish_diagnostics(self) -> None:
        waiting = Status(Level.WARN, 'waiting for robot_description', {})
        level, text, figures = self.status() if self.configured else waiting
        rejected = self.rejections.total
        if rejected > self._rejected_before and level == Level.OK:
            level, text = Level.WARN, f'{rejected - self._rejected_before} messages rejected'
        self._rejected_before = rejected
        figures['rejected messages'] = rejected
        figures.update({f'rejected: {key}': n for key, n in self.rejections.counts.items()})
        message = DiagnosticArray()
        message.header.stamp = self.get_clock().now().to_msg()
        message.status.append(DiagnosticStatus(
            level=bytes([level]), name=self.get_fully_qualified_name().lstrip('/'), message=text,
            hardware_id=self.arm.chain.name if self.configured else '',
            values=[KeyValue(key=key, value=_text(value)) for key, value in figures.items()]))
        self._diagnostics.publish(message)


def _text(value: object) -> str:
    return f'{value:.6g}' if isinstance(value, float) else str(value)
