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

"""A recorder of a run: it sends one trajectory, and records what simulator and controller do."""

import time
from typing import Any, Sequence

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool
from trajectory_msgs.msg import JointTrajectory

from twolink_dynamics.clients.client_node import ClientNode
from twolink_dynamics.nodes.arm_node import reliable
from twolink_dynamics.nodes.messages import joint_trajectory, nanoseconds
from twolink_dynamics.trajectory.trajectory import Trajectory

__all__ = ['RunRecorder']

# Messages that wait here while this process is busy (with a progress bar, say): some seconds.
DEPTH = 10000
# TrackingController.mode with nothing under way and nothing to come.
HOLDING = 'holding'


class RunRecorder(ClientNode):
    """
    A node that sends one trajectory and records states, efforts and what the controller answered.

    Parameters
    ----------
    joint_names : sequence of str
        The arm's; what is recorded is in this order.
    namespace : str
        Empty: the root.

    Attributes
    ----------
    states : dict of int to (q, qd, tau)
        By stamp [ns], from :meth:`record` on.
    answers : set of int
        The stamps of the states that the controller answered [ns].
    error : float
        The largest error of the last answer's joints, as the controller sees it [rad or m].
    last_ns : int
        The stamp of the last state, 0 before the first.
    verdict : str
        The simulator's own sentence, if its diagnostics call for an end; empty if not.
    total : int
        How many states came.
    arrived, advanced, answered : float
        When the last state came, the last with a new stamp, and the last that the controller
        answered later on, by the monotonic clock [s].

    """

    states: dict[int, tuple[list[float], ...]]
    answers: set[int]
    _recording_from: int | None
    _commands: list[list[float]]
    _order: list[int] | None
    _pause: Any
    _enable: Any
    _mode: Any

    def __init__(self, joint_names: Sequence[str], namespace: str = '') -> None:
        super().__init__('twolink_run', namespace)
        self._names = list(joint_names)
        self.states, self.answers, self.error = {}, set(), 0.0
        self.last_ns, self.arrived, self.total, self.verdict = 0, time.monotonic(), 0, ''
        self._last_answer_ns, self.answered, self.advanced = 0, self.arrived, self.arrived
        self._recording_from = self._order = self._mode = None
        self._first, self._heard = 0.0, False
        self._commands = []
        controller = 'computed_torque_controller'
        create = self.node.create_subscription
        create(JointState, 'joint_states', self._on_state, reliable(DEPTH))
        create(JointState, f'{controller}/error', self._on_error, reliable(DEPTH))
        create(DiagnosticArray, '/diagnostics', self._on_diagnostics, reliable(10))
        self._simulator = self.node.resolve_topic_name('simulator').lstrip('/')
        self._command_subscription = create(
            JointState, 'joint_commands', self._on_command, reliable(100))
        self._trajectory = self.node.create_publisher(
            JointTrajectory, f'{controller}/joint_trajectory', reliable(10))
        self._pause = self.node.create_client(SetBool, 'simulator/pause')
        self._enable = self.node.create_client(SetBool, f'{controller}/enable')

    def _sorted(self, message: JointState,
                fields: Sequence[Sequence[float]]) -> tuple[list[float], ...]:
        if self._order is None:
            self._order = [list(message.name).index(name) for name in self._names]
        order = self._order
        return tuple([field[k] for k in order] for field in fields)

    def _on_state(self, message: JointState) -> None:
        ns = nanoseconds(message.header.stamp)
        self.arrived = time.monotonic()
        self.total += 1
        if ns != self.last_ns:
            self.last_ns, self.advanced = ns, self.arrived
        if self._recording_from is not None:
            if ns >= self._recording_from:
                if not self.states:
                    self._first = self.arrived
                self.states[ns] = self._sorted(
                    message, (message.position, message.velocity, message.effort))
        elif not self._heard:
            # Efforts are zero until one arrives; a command of exactly zero looks the same.
            self._heard = any(message.effort) or list(message.effort) in self._commands

    def _on_error(self, message: JointState) -> None:
        ns = self._last_answer_ns = nanoseconds(message.header.stamp)
        self.answered = time.monotonic()
        self.error = max(map(abs, message.position))
        if self._recording_from is not None and ns >= self._recording_from:
            self.answers.add(ns)

    def _on_diagnostics(self, message: DiagnosticArray) -> None:
        for status in message.status:
            if status.name == self._simulator and status.level == DiagnosticStatus.ERROR:
                self.verdict = status.message

    def _on_command(self, message: JointState) -> None:
        if not self._heard:
            self._commands = self._commands[-100:] + [list(message.effort)]

    def publishers(self) -> list[str]:
        """
        Return who publishes joint_states here.

        Returns
        -------
        names : list of str
            Full names of nodes.

        """
        publishers = self.node.get_publishers_info_by_topic(
            self.node.resolve_topic_name('joint_states'))
        return [f'{info.node_namespace.rstrip("/")}/{info.node_name}' for info in publishers]

    def missing(self, paused: bool) -> list[str]:
        """
        Return what is not yet there of the loop.

        Parameters
        ----------
        paused : bool
            Whether the simulator is: then nothing shows that efforts reach it.

        Returns
        -------
        missing : list of str
            In words; empty when everything is connected.

        """
        checks = (
            (self.last_ns, 'joint_states of the simulator'),
            (self._last_answer_ns, "the controller's answer to joint_states"),
            (self._trajectory.get_subscription_count(), "the controller's ear for trajectories"),
            (self.node.count_subscribers('joint_commands') > 1
             and (paused or self._heard), "the simulator's ear for efforts"),
            (self._enable.service_is_ready(), "the controller's service ~/enable"),
            (not paused or self._pause.service_is_ready(), "the simulator's service ~/pause"),
        )
        return [words for there, words in checks if not there]

    def record(self, ns: int) -> None:
        """
        Record from a time on; commands are no longer listened to.

        Parameters
        ----------
        ns : int
            The first stamp that counts [ns].

        """
        self._recording_from = ns
        self.node.destroy_subscription(self._command_subscription)

    def send(self, trajectory: Trajectory, ns: int) -> None:
        """
        Send a trajectory to the controller.

        Parameters
        ----------
        trajectory : Trajectory
            Its times count from its start.
        ns : int
            When it starts, by the clock of the states [ns].

        """
        self._trajectory.publish(joint_trajectory(
            self._names, trajectory.times, trajectory.positions, trajectory.velocities,
            trajectory.accelerations, ns))
        self._mode = self._enable.call_async(SetBool.Request(data=True))

    def accepted(self) -> bool:
        """
        Tell whether the controller has the trajectory sent.

        A request to enable it, which it is, has its mode for an answer. (The
        middleware's own word of receipt takes up to three seconds.)

        Returns
        -------
        accepted : bool

        """
        if not self._mode.done():
            return False
        if self._mode.result().message != HOLDING:
            return True
        self._mode = self._enable.call_async(SetBool.Request(data=True))
        return False

    def complete(self, end: int) -> bool:
        """
        Tell whether states and answers up to a time have come.

        Parameters
        ----------
        end : int
            [ns].

        Returns
        -------
        complete : bool

        """
        return self.last_ns >= end and self._last_answer_ns >= end

    @property
    def seconds_recorded(self) -> float:
        """From the first state recorded to the last, by the monotonic clock."""
        return self.arrived - self._first if self.states else 0.0

    def unpause(self) -> None:
        """Let a paused simulator run; the answer is not waited for."""
        self._pause.call_async(SetBool.Request(data=False))
