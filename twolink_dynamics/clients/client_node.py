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

"""A node of a command: it listens while it is spun, and leaves signals to the command."""

import time

import rclpy
from rclpy.node import Node
from rclpy.signals import SignalHandlerOptions

from twolink_dynamics.nodes.run_node import make_executor

__all__ = ['ClientNode']


class ClientNode:
    """
    A node with a context and an executor of its own.

    Parameters
    ----------
    name : str
    namespace : str
        Empty: the root.

    Attributes
    ----------
    node : rclpy.node.Node

    """

    def __init__(self, name: str, namespace: str = '') -> None:
        arguments = ['--ros-args', '-r', f'__ns:=/{namespace.strip("/")}'] if namespace else []
        # Signals stay Python's: the command decides what Ctrl-C means.
        self._context = rclpy.Context()
        rclpy.init(args=arguments, context=self._context,
                   signal_handler_options=SignalHandlerOptions.NO)
        self.node = Node(name, context=self._context)
        self._executor = make_executor(self._context)
        self._executor.add_node(self.node)

    def spin(self, duration: float) -> None:
        """
        Take what comes, for a time.

        Parameters
        ----------
        duration : float
            About [s]; it may be less.

        """
        end = time.monotonic() + duration
        while (left := end - time.monotonic()) > 0.0:
            self._executor.spin_once(left)

    def close(self) -> None:
        """End the node and its context."""
        self._executor.shutdown()
        self.node.destroy_node()
        self._context.try_shutdown()
