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

"""The way of the tip: what is kept of it, and what is drawn."""

import time

import numpy as np
import pytest

from twolink_dynamics.share import share_path
from twolink_dynamics.tracking.tip_trail import Trail

SECOND = 10**9


def test_points_are_kept_for_the_duration():
    """The oldest is dropped when it is older than that, not before."""
    trail = Trail(2.0)
    for k in range(4):
        trail.add(k * SECOND, k)
    assert list(trail.points) == [1, 2, 3]


def test_a_repeated_stamp_adds_nothing():
    """A paused simulator repeats its last state."""
    trail = Trail(2.0)
    trail.add(SECOND, 'a')
    trail.add(SECOND, 'b')
    assert list(trail.points) == ['a']


def test_an_earlier_time_begins_a_new_way():
    """After a reset of the clock no line joins the two ways."""
    trail = Trail(2.0)
    trail.add(5 * SECOND, 'a')
    trail.add(SECOND, 'b')
    assert list(trail.points) == ['b']


def test_the_line_goes_through_the_tips_positions():
    """Of the arm and of the desired arm, in the base link's frame, newest last."""
    rclpy = pytest.importorskip('rclpy', reason='rclpy is not installed')
    pytest.importorskip('visualization_msgs', reason='visualization_msgs is not installed')
    from rclpy.executors import SingleThreadedExecutor
    from rclpy.parameter import Parameter
    from sensor_msgs.msg import JointState
    from visualization_msgs.msg import MarkerArray

    from twolink_dynamics.nodes.trail_node import TrailNode

    context = rclpy.Context()
    rclpy.init(context=context)
    executor = SingleThreadedExecutor(context=context)
    trail = TrailNode(context=context, parameter_overrides=[
        Parameter('robot_description', value=str(share_path('urdf', 'twolink.urdf'))),
        Parameter('rate', value=200.0)])
    test = rclpy.create_node('test', context=context)
    try:
        for node in (trail, test):
            executor.add_node(node)
        lines = {}
        test.create_subscription(MarkerArray, 'tip_trail', lambda message: lines.update(
            {marker.ns: marker for marker in message.markers}), 10)
        angles = {'joint_states': (0.3, 0.4), 'computed_torque_controller/reference': (0.5, -0.2)}
        publishers = {topic: test.create_publisher(JointState, topic, 10) for topic in angles}
        end = time.monotonic() + 60.0
        stamp = 0
        while set(lines) != {'actual', 'desired'}:
            assert time.monotonic() < end
            stamp += 1
            for topic, (q1, q2) in angles.items():
                # In another order, and with a joint of something else among them.
                message = JointState(name=['joint2', 'wheel', 'joint1'], position=[q2, 9.0, q1])
                message.header.stamp.sec = stamp
                publishers[topic].publish(message)
            executor.spin_once(timeout_sec=0.01)
    finally:
        trail.close()
        executor.shutdown()
        for node in (trail, test):
            node.destroy_node()
        rclpy.shutdown(context=context)
    for way, (q1, q2) in zip(('actual', 'desired'), angles.values()):
        assert lines[way].header.frame_id == trail.arm.chain.base_link
        last = lines[way].points[-1]
        # Links of 1 m and 0.8 m, joint1 at 2 m: some roundings of numbers of order 1.
        np.testing.assert_allclose(
            [last.x, last.z],
            [np.cos(q1) + 0.8 * np.cos(q1 + q2), 2 + np.sin(q1) + 0.8 * np.sin(q1 + q2)],
            atol=1e-14)
        assert len(lines[way].colors) == len(lines[way].points)
        assert lines[way].colors[-1].a == 1.0
