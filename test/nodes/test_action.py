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

"""The action as its clients see it, in lockstep: accepted, refused, canceled, preempted."""

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='no rclpy: neither a sourced ROS 2 nor the wheels')
pytest.importorskip('control_msgs', reason='control_msgs is not installed')

from action_msgs.msg import GoalStatus  # noqa: E402, I100
from control_msgs.action import FollowJointTrajectory  # noqa: E402
from control_msgs.msg import JointTolerance, JointTrajectoryControllerState  # noqa: E402
from rclpy.action import ActionClient  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402
from std_srvs.srv import SetBool, Trigger  # noqa: E402
from trajectory_msgs.msg import JointTrajectory  # noqa: E402

from twolink_dynamics.nodes.controller_node import ControllerNode  # noqa: E402
from twolink_dynamics.nodes.messages import joint_trajectory, nanoseconds  # noqa: E402
from twolink_dynamics.nodes.simulator_node import SimulatorNode  # noqa: E402

NAMES = ['joint1', 'joint2']
START = [0.3, 0.5]
ACTION = 'computed_torque_controller/follow_joint_trajectory'
SECOND = 1000000000


class Client:
    """A client of the action, and what it hears."""

    def __init__(self, ros):
        self.ros = ros
        self.client = ActionClient(ros.probe, FollowJointTrajectory, ACTION)
        self.feedback = []
        ros.until(self.client.server_is_ready, 'the action server')

    def send(self, trajectory, path=(), goal=(), goal_time=0):
        """Send a goal; return its handle."""
        request = FollowJointTrajectory.Goal(trajectory=trajectory)
        request.path_tolerance = [JointTolerance(name=n, position=p) for n, p in path]
        request.goal_tolerance = [JointTolerance(name=n, position=p) for n, p in goal]
        request.goal_time_tolerance.sec = goal_time
        future = self.client.send_goal_async(
            request, feedback_callback=lambda m: self.feedback.append(m.feedback))
        self.ros.until(future.done, 'an answer to the goal')
        return future.result()

    def result(self, handle):
        """Return status and result of a goal."""
        future = handle.get_result_async()
        self.ros.until(future.done, 'the result')
        return future.result().status, future.result().result


@pytest.fixture
def loop(ros, description):
    """Return a client, the controller, the states, and what is desired; time goes on by itself."""
    states = ros.listen(JointState, 'joint_states')
    desired = ros.listen(JointState, 'computed_torque_controller/reference')
    ros.start(SimulatorNode, robot_description=description, lockstep=True, real_time_factor=0.0,
              initial_position=START, start_paused=True)
    node = ros.start(ControllerNode, robot_description=description, state_timeout=60.0,
                     zero_timeout=60.0)
    client = Client(ros)
    ros.until(lambda: node.core.ns is not None, 'the first state')
    for paused in (True, False):
        assert ros.call(SetBool, 'simulator/pause', data=paused).success
    yield client, node, states, desired
    client.client.destroy()


def move(end, duration=1.0, **more):
    """Return a trajectory of one point."""
    return joint_trajectory(NAMES, [duration], [end], [[0.0, 0.0]], [[0.0, 0.0]], **more)


def largest_step(messages, field):
    """Return the largest change from one message to the next."""
    rows = {nanoseconds(m.header.stamp): getattr(m, field) for m in messages}
    stamps = sorted(rows)
    return max(np.abs(np.subtract(rows[a], rows[b])).max()
               for a, b in zip(stamps, stamps[1:]) if b - a == 1000000)


def test_a_goal_is_followed_with_feedback_and_succeeds_at_its_end(loop):
    client, node, states, desired = loop
    handle = client.send(move([-0.4, 0.2]))
    assert handle.accepted
    status, result = client.result(handle)
    assert (status, result.error_code, result.error_string) == (GoalStatus.STATUS_SUCCEEDED, 0, '')
    assert np.allclose(states[-1].position, [-0.4, 0.2], atol=1e-3)
    # 50 a second of the arm's time; some may be lost on a busy machine.
    assert 5 < len(client.feedback) <= 60
    for feedback in client.feedback:
        assert list(feedback.joint_names) == NAMES
        assert np.allclose(np.subtract(feedback.desired.positions, feedback.actual.positions),
                           feedback.error.positions, atol=1e-15)
    assert client.feedback[-1].desired.positions[0] < client.feedback[0].desired.positions[0]
    assert node.core.execution.succeeded == 1


@pytest.mark.parametrize('trajectory, code, words', [
    (joint_trajectory(['joint1', 'elbow'], [1.0], [[0.0, 0.0]]), -2, 'joint "elbow": '),
    (joint_trajectory(NAMES, [], []), -1, 'no points'),
    (joint_trajectory(NAMES, [1.0], [[0.0, 9.0]]), -1,
     'point 0, joint "joint2": position 9 is beyond the limits [-3.14159, 3.14159]'),
    (joint_trajectory(NAMES, [0.5], [[0.0, 0.0]], stamp=1), -3, 'ended'),
])
def test_what_must_not_be_followed_ends_with_code_joint_point_and_numbers(
        loop, trajectory, code, words):
    client, node, states, desired = loop
    handle = client.send(trajectory)
    status, result = client.result(handle)
    assert (status, result.error_code) == (GoalStatus.STATUS_ABORTED, code)
    assert words in result.error_string
    assert node.core.mode == 'holding'


def test_tolerances_for_no_joint_or_of_no_number_are_refused(loop):
    client, node, states, desired = loop
    for path, words in (([('elbow', 0.1)], 'elbow'), ([('joint1', float('nan'))], 'nan'),
                        ([('joint1', -2.0)], '-2')):
        status, result = client.result(client.send(move([0.0, 0.0]), path=path))
        assert status == GoalStatus.STATUS_ABORTED
        assert words in result.error_string


def test_a_goal_that_is_refused_leaves_the_one_under_way(loop):
    client, node, states, desired = loop
    first = client.send(move([-0.4, 0.2], 2.0))
    second = client.send(move([0.0, 99.0]))
    assert client.result(second)[1].error_code == -1
    status, result = client.result(first)
    assert (status, result.error_code) == (GoalStatus.STATUS_SUCCEEDED, 0)


def test_a_canceled_goal_comes_to_rest_and_holds_without_a_sag(ros, loop):
    client, node, states, desired = loop
    handle = client.send(move([-1.0, 1.2], 1.0))
    ros.until(lambda: node.core.desired is not None and node.core.desired[1][0] < -1.0, 'speed')
    future = handle.cancel_goal_async()
    ros.until(future.done, 'the answer to the cancel')
    assert len(future.result().goals_canceling) == 1
    status, result = client.result(handle)
    assert (status, result.error_code) == (GoalStatus.STATUS_CANCELED, 0)
    ros.until(lambda: node.core.mode == 'holding', 'rest')
    rest = node.core.desired[0]
    seen = len(states)
    ros.until(lambda: len(states) > seen + 500, 'half a second of holding')
    assert rest[0] > -0.95
    assert np.abs(np.subtract([m.position for m in states[seen:]], rest)).max() < 1e-3
    # Speeds up to 3 rad/s.
    assert largest_step(desired, 'position') < 5e-3


def test_a_goal_that_is_preempted_ends_with_the_reason_and_nothing_jumps(ros, loop):
    client, node, states, desired = loop
    first = client.send(move([-1.0, 1.2], 1.0))
    ros.until(lambda: node.core.desired[1][0] < -1.0, 'speed')
    second = client.send(move([0.3, 0.5], 1.0))
    status, result = client.result(first)
    assert (status, result.error_code) == (GoalStatus.STATUS_ABORTED, -1)
    assert 'preempted' in result.error_string
    assert client.result(second)[0] == GoalStatus.STATUS_SUCCEEDED
    assert largest_step(desired, 'position') < 5e-3


def test_topic_hold_and_disable_end_a_goal_with_the_reason(ros, loop):
    client, node, states, desired = loop
    publisher = ros.publisher(JointTrajectory, 'computed_torque_controller/joint_trajectory')
    handle = client.send(move([0.0, 0.0], 100.0))
    publisher.publish(move([0.3, 0.5], 0.5))
    status, result = client.result(handle)
    assert (status, result.error_code) == (GoalStatus.STATUS_ABORTED, -1)
    assert 'preempted' in result.error_string
    handle = client.send(move([0.0, 0.0], 100.0))
    assert ros.call(Trigger, 'computed_torque_controller/hold').success
    status, result = client.result(handle)
    assert status == GoalStatus.STATUS_ABORTED and '~/hold' in result.error_string
    handle = client.send(move([0.0, 0.0], 100.0))
    assert ros.call(SetBool, 'computed_torque_controller/enable', data=False).success
    status, result = client.result(handle)
    assert status == GoalStatus.STATUS_ABORTED and '~/enable' in result.error_string
    status, result = client.result(client.send(move([0.0, 0.0])))
    assert status == GoalStatus.STATUS_ABORTED and 'disabled' in result.error_string


def test_a_path_tolerance_that_is_not_kept_ends_the_motion(ros, loop):
    client, node, states, desired = loop
    # The arm's zero-order hold alone makes more than 1 nrad.
    handle = client.send(move([-1.0, 1.2], 1.0), path=[('joint1', 1e-9)])
    status, result = client.result(handle)
    assert (status, result.error_code) == (GoalStatus.STATUS_ABORTED, -4)
    assert 'joint "joint1"' in result.error_string and 'tolerance is 1e-09' in result.error_string
    ros.until(lambda: node.core.mode == 'holding', 'rest')
    assert states[-1].position[0] > -0.9


def test_a_goal_tolerance_that_is_not_met_in_time_ends_the_goal(loop):
    client, node, states, desired = loop
    from rclpy.parameter import Parameter
    node.set_parameters([Parameter('goal_time', value=0.2)])
    handle = client.send(move([0.2, 0.4], 0.5), goal=[('joint2', 1e-15)])
    status, result = client.result(handle)
    assert (status, result.error_code) == (GoalStatus.STATUS_ABORTED, -5)
    assert 'joint "joint2"' in result.error_string and 'after the end' in result.error_string


def test_the_controller_state_is_that_of_a_moment(ros, loop):
    client, node, states, desired = loop
    heard = ros.listen(JointTrajectoryControllerState,
                       'computed_torque_controller/controller_state')
    client.result(client.send(move([0.0, 0.2], 0.5)))
    assert len(heard) > 3
    for message in heard:
        assert list(message.joint_names) == NAMES
        assert np.allclose(np.subtract(message.reference.positions, message.feedback.positions),
                           message.error.positions, atol=1e-15)
        assert len(message.output.effort) == 2
