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

"""A listener to joint states: where the joints are now, for a viewer."""

from sensor_msgs.msg import JointState
from std_msgs.msg import String

from twolink_dynamics.clients.client_node import ClientNode
from twolink_dynamics.nodes.arm_node import freshest, reliable

__all__ = ['StateListener']


class StateListener(ClientNode):
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

    positions: dict[str, float]
    description: str | None

    def __init__(self, namespace: str = '', topic: str = 'joint_states') -> None:
        self.positions, self.description, self.total = {}, None, 0
        super().__init__('twolink_view', namespace)
        self.node.create_subscription(JointState, topic, self._on_states, freshest())
        self.node.create_subscription(
            String, 'robot_description', self._on_description, reliable(1, latched=True))

    def _on_states(self, message: JointState) -> None:
        self.total += 1
        for name, position in zip(message.name, message.position):
            if position - position == 0.0:  # neither NaN nor infinite
                self.positions[name] = position

    def _on_description(self, message: String) -> None:
        self.description = message.data
