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

"""The trail as a node: joint states and references in, lines out."""

from typing import Any

from geometry_msgs.msg import Point
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.qos import qos_profile_sensor_data, QoSProfile
from sensor_msgs.msg import JointState
from std_msgs.msg import ColorRGBA
from twolink_dynamics.diagnostics import MessageError
from twolink_dynamics.dynamics.arm import Arm
from twolink_dynamics.nodes.arm_node import ArmNode, reliable
from twolink_dynamics.nodes.messages import nanoseconds
from twolink_dynamics.tracking.message_readers import StateReader
from twolink_dynamics.tracking.tip_trail import TRAIL, Trail
from visualization_msgs.msg import Marker, MarkerArray

__all__ = ['TrailNode']

# Namespace of the marker: topic of the joint positions, colour.
WAYS = {
    'desired': ('computed_torque_controller/reference', (0.55, 0.75, 0.95)),
    'actual': ('joint_states', (0.95, 0.55, 0.15)),
}


class TrailNode(ArmNode):
    """Publish the way of the tip as line strips: `tip_trail`, a MarkerArray."""

    def __init__(self, **options: Any) -> None:
        self._listener: Node | None = None
        super().__init__('trail', TRAIL, **options)

    def configure(self, arm: Arm) -> None:
        """Start to listen."""
        self._reader = StateReader(arm.joint_names)
        self._publisher = self.create_publisher(MarkerArray, 'tip_trail', reliable(1))
        self._trails = {way: Trail(self.values.duration) for way in WAYS}
        # Of a thousand messages a second, thirty are drawn. A node that nobody spins keeps the
        # last one of each, and no time is spent to hand the others to a callback.
        self._listener = Node(
            '_trail_listener', context=self.context, namespace=self.get_namespace(),
            use_global_arguments=False, enable_rosout=False, start_parameter_services=False)
        newest = QoSProfile(depth=1, reliability=qos_profile_sensor_data.reliability)
        self._subscriptions_of = {
            way: self._listener.create_subscription(
                JointState, self.resolve_topic_name(topic), lambda message: None, newest)
            for way, (topic, _) in WAYS.items()}
        self.create_timer(1.0 / self.values.rate, self._publish,
                          clock=Clock(clock_type=ClockType.STEADY_TIME))

    def close(self) -> None:
        """End the listening."""
        if self._listener is not None:
            self._listener.destroy_node()
            self._listener = None

    def _publish(self) -> None:
        markers = []
        for way, subscription in self._subscriptions_of.items():
            # What rclpy.wait_for_message does with what came.
            with subscription.handle:
                taken = subscription.handle.take_message(JointState, False)
            if taken is not None and self._extend(way, taken[0]):
                markers.append(self._marker(way))
        if markers:
            self._publisher.publish(MarkerArray(markers=markers))

    def _extend(self, way: str, message: JointState) -> bool:
        """Add where the tip was; return whether there is a line to draw."""
        try:
            q, _ = self._reader.read(message)
        except MessageError as error:
            self.rejections.add(WAYS[way][0], error)
            return False
        x, y, z = self.arm.tip_pose(q)[:3, 3].tolist()
        trail = self._trails[way]
        trail.add(nanoseconds(message.header.stamp), Point(x=x, y=y, z=z))
        return len(trail.points) > 1

    def _marker(self, way: str) -> Marker:
        """Return a line that fades towards its old end."""
        points = list(self._trails[way].points)
        r, g, b = WAYS[way][1]
        # No stamp: RViz then takes the latest transform.
        marker = Marker(ns=way, type=Marker.LINE_STRIP, action=Marker.ADD, points=points)
        marker.header.frame_id = self.arm.chain.base_link
        marker.pose.orientation.w = 1.0
        marker.scale.x = self.values.width
        marker.color = ColorRGBA(r=r, g=g, b=b, a=1.0)
        marker.colors = [ColorRGBA(r=r, g=g, b=b, a=(k + 1) / len(points))
                         for k in range(len(points))]
        return marker
