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

"""Listen to joint states: where the joints are now, for a viewer."""

import time

import rclpy
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from twolink_dynamics.nodes import run_node
from twolink_dynamics.nodes.arm_node import freshest, reliable

__all__ = ['StateListener']


class StateListener:
    """
    A node that knows the last joint states.

    Parameters
    ----------
    namespace : str
        Empty: the root.
    topic : str
        Of the joint states.

    Attributes
    ----------
    positions : dict of str to float
        By joint [rad or m]; what is not finite is left out.
    description : str or None
        What came on the topic ``robot_description``.
    total : int
        How many states came.

    """

    def __init__(self, namespace='', topic='joint_states'):
        self.positions, self.description, self.total = {}, None, 0
        arguments = ['--ros-args', '-r', f'__ns:=/{namespace.strip("/")}'] if namespace else []
        # Signals stay Python's: the command decides what Ctrl-C means.
        self._context = rclpy.Context()
        rclpy.init(args=arguments, context=self._context,
                   signal_handler_options=SignalHandlerOptions.NO)
        self.node = Node('twolink_view', context=self._context)
        self._executor = run_node.make_executor(self._context)
        self._executor.add_node(self.node)
        self.node.create_subscription(JointState, topic, self._on_states, freshest())
        self.node.create_subscription(
            String, 'robot_description', self._on_description, reliable(1, latched=True))

    def _on_states(self, message):
        self.total += 1
        for name, position in zip(message.name, message.position):
            if position - position == 0.0:  # neither NaN nor infinite
                self.positions[name] = position

    def _on_description(self, message):
        self.description = message.data

    def spin(self, duration):
        """
        Take what comes, for a time.

        Parameters
        ----------
        duration : float
            [s].

        """
        end = time.monotonic() + duration
        while (left := end - time.monotonic()) > 0.0:
            self._executor.spin_once(left)

    def close(self):
        """End the node."""
        self._executor.shutdown()
        self.node.destroy_node()
        self._context.try_shutdown()
