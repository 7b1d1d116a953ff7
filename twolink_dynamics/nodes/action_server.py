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

"""The action ~/follow_joint_trajectory, and ~/controller_state: what needs control_msgs."""

from typing import Any, Callable, Sequence

from control_msgs.action import FollowJointTrajectory
from control_msgs.msg import JointTrajectoryControllerState
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.node import Node
from rclpy.task import Future
from trajectory_msgs.msg import JointTrajectory

from twolink_dynamics.array_types import Vector
from twolink_dynamics.errors import TrajectoryError
from twolink_dynamics.nodes.arm_node import reliable
from twolink_dynamics.nodes.messages import fill_point, nanoseconds, set_stamp
from twolink_dynamics.tracking.goal_execution import (
    GoalFeedback, GoalResult, GoalTolerances)
from twolink_dynamics.tracking.tolerances import Tolerance

__all__ = ['StatePublisher', 'TrajectoryServer']


def tolerances_of(request: FollowJointTrajectory.Goal) -> GoalTolerances:
    """
    Return the tolerances that a goal requests.

    Parameters
    ----------
    request : FollowJointTrajectory.Goal

    Returns
    -------
    tolerances : GoalTolerances

    """
    path, goal = ({item.name: Tolerance(item.position, item.velocity) for item in items}
                  for items in (request.path_tolerance, request.goal_tolerance))
    return GoalTolerances(path, goal, 1e-9 * nanoseconds(request.goal_time_tolerance))


class TrajectoryServer:
    """
    The action ~/follow_joint_trajectory.

    A goal that must not be followed is accepted, and aborted at once: an action's rejection has no
    room for a reason, its result has. What was under way goes on then.

    Parameters
    ----------
    node : rclpy.node.Node
    accept : callable
        Takes a JointTrajectory, a key and the tolerances requested, or raises a TrajectoryError.
    cancel : callable
        Takes a key; returns whether that goal was under way.

    """

    def __init__(self, node: Node,
                 accept: Callable[[JointTrajectory, object, GoalTolerances], Any],
                 cancel: Callable[[object], bool]) -> None:
        self._node, self._accept, self._cancel = node, accept, cancel
        self._goals: dict[object, tuple[Any, Future]] = {}
        self._feedback = FollowJointTrajectory.Feedback()
        self._server = ActionServer(
            node, FollowJointTrajectory, '~/follow_joint_trajectory', self._execute,
            goal_callback=lambda request: GoalResponse.ACCEPT, cancel_callback=self._on_cancel)

    async def _execute(self, handle: Any) -> FollowJointTrajectory.Result:
        request, key = handle.request, bytes(handle.goal_id.uuid)
        try:
            if request.multi_dof_trajectory.points:
                raise TrajectoryError('multi_dof_trajectory: this controller moves joints only')
            self._accept(request.trajectory, key, tolerances_of(request))
        except TrajectoryError as error:
            handle.abort()
            return FollowJointTrajectory.Result(error_code=error.code, error_string=str(error))
        result: Future = Future(executor=self._node.executor)
        self._goals[key] = handle, result
        return await result

    def _on_cancel(self, handle: Any) -> CancelResponse:
        known = self._cancel(bytes(handle.goal_id.uuid))
        return CancelResponse.ACCEPT if known else CancelResponse.REJECT

    def finish(self, result: GoalResult) -> None:
        """
        Tell a client how its goal ended.

        Parameters
        ----------
        result : GoalResult

        """
        if result.key not in self._goals:
            return
        handle, future = self._goals.pop(result.key)
        {'succeeded': handle.succeed, 'aborted': handle.abort,
         'canceled': handle.canceled}[result.state]()
        future.set_result(FollowJointTrajectory.Result(error_code=result.code,
                                                       error_string=result.text))

    def feedback(self, feedback: GoalFeedback) -> None:
        """
        Tell the client of the goal under way how it goes.

        Parameters
        ----------
        feedback : GoalFeedback

        """
        if feedback.key not in self._goals:
            return
        message = self._feedback
        set_stamp(message.header.stamp, feedback.ns)
        message.joint_names = list(feedback.joint_names)
        for name in ('desired', 'actual', 'error'):
            fill_point(getattr(message, name), *getattr(feedback, name))
        if hasattr(message, 'index'):
            message.index = feedback.point_index
        self._goals[feedback.key][0].publish_feedback(message)

    def close(self) -> None:
        """End the action."""
        self._server.destroy()


class StatePublisher:
    """
    The topic ~/controller_state, as joint_trajectory_controller has it.

    Parameters
    ----------
    node : rclpy.node.Node
    joint_names : sequence of str

    """

    def __init__(self, node: Node, joint_names: Sequence[str]) -> None:
        self._publisher = node.create_publisher(
            JointTrajectoryControllerState, '~/controller_state', reliable(10))
        self._message = JointTrajectoryControllerState(joint_names=list(joint_names))

    def publish(self, ns: int, desired: Sequence[Vector], actual: Sequence[Vector],
                error: Sequence[Vector], tau: Vector) -> None:
        """
        Publish.

        Parameters
        ----------
        ns : int
            The state's stamp [ns].
        desired, actual, error : tuple
            Positions, velocities and accelerations; the last two may have fewer.
        tau : sequence of float
            The effort.

        """
        message = self._message
        set_stamp(message.header.stamp, ns)
        # Before Iron: desired and actual; since then reference and feedback; Humble has both.
        for names, values in ((('reference', 'desired'), desired),
                              (('feedback', 'actual'), actual), (('error',), error)):
            for name in names:
                if hasattr(message, name):
                    fill_point(getattr(message, name), *values)
        if hasattr(message, 'output'):
            fill_point(message.output, effort=tau)
        self._publisher.publish(message)
