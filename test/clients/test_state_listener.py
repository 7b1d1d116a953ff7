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

"""The listener of `twolink view` knows the joints' last positions, and the arm's description."""

import pytest

pytest.importorskip('rclpy', reason='ROS is not installed')


def test_it_knows_the_last_positions_by_name(ros):
    from sensor_msgs.msg import JointState
    from std_msgs.msg import String

    from twolink_dynamics.clients.state_listener import StateListener
    from twolink_dynamics.nodes.arm_node import reliable

    listener = StateListener('/left')
    try:
        states = ros.probe.create_publisher(JointState, '/left/joint_states', reliable(10))
        about = ros.probe.create_publisher(String, '/left/robot_description',
                                           reliable(1, latched=True))
        about.publish(String(data='<robot/>'))
        ros.until(lambda: states.get_subscription_count() == 1, 'the listener')

        # The listener takes what is fresh and waits for nothing: states are said again and again.
        def hears(message, expected):
            states.publish(message)
            listener.spin(0.01)
            return listener.positions == expected

        first = JointState(name=['a', 'b'], position=[1.0, 2.0])
        ros.until(lambda: hears(first, {'a': 1.0, 'b': 2.0}), 'the first state')
        # Placeholders say nothing, and another publisher's joints are others.
        second = JointState(name=['b', 'c'], position=[float('nan'), 3.0])
        ros.until(lambda: hears(second, {'a': 1.0, 'b': 2.0, 'c': 3.0}), 'the second state')
        ros.until(lambda: listener.description or listener.spin(0.01), 'the description')
        assert listener.description == '<robot/>' and listener.total >= 2
    finally:
        listener.close()
