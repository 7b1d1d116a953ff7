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

"""What needs control_msgs: the action ~/follow_joint_trajectory, and ~/controller_state."""

from control_msgs.action import FollowJointTrajectory
from control_msgs.msg import JointTrajectoryControllerState
from rclpy.action import ActionServer, CancelResponse, GoalResponse
from rclpy.task import Future

from twolink_dynamics.errors import TrajectoryError
from twolink_dynamics.nodes.arm_node import reliable
from twolink_dynamics.nodes.messages import fill_point, nanoseconds, set_stamp
from twolink_dynamics.tracking.goal_execution import Asked, GoalFeedback
from twolink_dynamics.tracking.tolerances import Tolerance

__all__ = ['StatePublisher', 'TrajectoryServer']


def asked_of(request):
    """
    Return the tolerances that a goal asks for.

    Parameters
    ----------
    request : FollowJointTrajectory.Goal

    Returns
    -------
    asked : Asked

    """
    path, goal = ({item.name: Tolerance(item.position, item.velocity) for item in items}
                  for items in (request.path_tolerance, request.goal_tolerance))
    return Asked(path, goal, 1e-9 * nanoseconds(request.goal_time_tolerance))


class TrajectoryServer:
    """
    The action ~/follow_joint_trajectory.

    A goal that must not be followed is accepted, and aborted at once: an action's rejection has no
    room for a reason, its result has. What was under way goes on then.

    Parameters
    ----------
    node : rclpy.node.Node
    accept : callable
        Takes a JointTrajectory, a key and the tolerances asked for, or raises a TrajectoryError.
    cancel : callable
        Takes a key; returns whether that goal was under way.

    """

    def __init__(self, node, accept, cancel):
        self._node, self._accept, self._cancel = node, accept, cancel
        self._goals = {}
        self._feedback = FollowJointTrajectory.Feedback()
        self._server = ActionServer(
            node, FollowJointTrajectory, '~/follow_joint_trajectory', self._execute,
            goal_callback=lambda request: GoalResponse.ACCEPT, cancel_callback=self._on_cancel)

    async def _execute(self, handle):
        request, key = handle.request, bytes(handle.goal_id.uuid)
        try:
            if request.multi_dof_trajectory.points:
                raise TrajectoryError('multi_dof_trajectory: this controller moves joints only')
            self._accept(request.trajectory, key, asked_of(request))
        except TrajectoryError as error:
            handle.abort()
            return FollowJointTrajectory.Result(error_code=error.code, error_string=str(error))
        ended = self._goals[key] = handle, Future(executor=self._node.executor)
        return await ended[1]

    def _on_cancel(self, handle):
        known = self._cancel(bytes(handle.goal_id.uuid))
        return CancelResponse.ACCEPT if known else CancelResponse.REJECT

    def finish(self, outcome):
        """
        Tell a client how its goal ended.

        Parameters
        ----------
        outcome : Outcome

        """
        handle, future = self._goals.pop(outcome.key, (None, None))
        if handle is None:
            return
        {'succeeded': handle.succeed, 'aborted': handle.abort,
         'canceled': handle.canceled}[outcome.state]()
        future.set_result(FollowJointTrajectory.Result(error_code=outcome.code,
                                                       error_string=outcome.text))

    def feedback(self, feedback: GoalFeedback) -> None:
        """
        Tell the client of the goal under way how it goes.

        Parameters
        ----------
        feedback : GoalFeedback

        """
        handle, _ = self._goals.get(feedback.key, (None, None))
        if handle is None:
            return
        message = self._feedback
        set_stamp(message.header.stamp, feedback.ns)
        message.joint_names = list(feedback.joint_names)
        for name in ('desired', 'actual', 'error'):
            fill_point(getattr(message, name), *getattr(feedback, name))
        if hasattr(message, 'index'):
            message.index = feedback.index
        handle.publish_feedback(message)

    def close(self):
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

    def __init__(self, node, joint_names):
        self._publisher = node.create_publisher(
            JointTrajectoryControllerState, '~/controller_state', reliable(10))
        self._message = JointTrajectoryControllerState(joint_names=list(joint_names))

    def publish(self, ns, desired, actual, error, tau):
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
