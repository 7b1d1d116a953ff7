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

"""Numbers survive their way into messages and out of them."""

from types import SimpleNamespace

import pytest

pytest.importorskip('rclpy', reason='no rclpy: neither a sourced ROS 2 nor the wheels')

from twolink_dynamics.nodes.messages import (  # noqa: E402, I100
    goal_points, joint_trajectory, nanoseconds, set_stamp)


@pytest.mark.parametrize('ns', [0, 1, 999999999, 1000000000, 1796041901080469777, -1])
def test_stamps_are_exact_to_the_nanosecond(ns):
    stamp = SimpleNamespace(sec=0, nanosec=0)
    set_stamp(stamp, ns)
    assert 0 <= stamp.nanosec < 1000000000
    assert nanoseconds(stamp) == ns


def test_goal_points_keep_what_is_missing_missing():
    duration = SimpleNamespace(sec=1, nanosec=500000000)
    message = SimpleNamespace(points=[SimpleNamespace(
        time_from_start=duration, positions=[1.0], velocities=[], accelerations=[], effort=[])])
    [point] = goal_points(message)
    assert point.time == 1.5
    assert list(point.positions) == [1.0]
    assert len(point.velocities) == len(point.accelerations) == len(point.effort) == 0


def test_a_trajectory_keeps_its_times_to_the_nanosecond_and_leaves_out_what_is_missing():
    message = joint_trajectory(['a'], [0.5, 1.25], [[1.0], [2.0]], [[0.0], [0.1]],
                               stamp=1500000000)
    assert nanoseconds(message.header.stamp) == 1500000000
    assert [nanoseconds(point.time_from_start) for point in message.points] == [
        500000000, 1250000000]
    assert [list(point.velocities) for point in message.points] == [[0.0], [0.1]]
    assert all(len(point.accelerations) == 0 for point in message.points)
