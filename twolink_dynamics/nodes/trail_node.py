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

from geometry_msgs.msg import Point
from rclpy.clock import Clock, ClockType
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState
from std_msgs.msg import ColorRGBA
from visualization_msgs.msg import Marker, MarkerArray

from .arm_node import ArmNode, reliable
from .messages import MessageError, nanoseconds, StateReader
from .trail import Trail, TRAIL

__all__ = ['TrailNode']

# Namespace of the marker: topic of the joint positions, colour.
WAYS = {
    'desired': ('computed_torque_controller/reference', (0.55, 0.75, 0.95)),
    'actual': ('joint_states', (0.95, 0.55, 0.15)),
}


class TrailNode(ArmNode):
    """Publish the way of the tip as line strips: `tip_trail`, a MarkerArray."""

    def __init__(self, **options):
        super().__init__('trail', TRAIL, **options)

    def configure(self, arm):
        """Start to listen."""
        self._reader = StateReader(arm.joint_names)
        self._publisher = self.create_publisher(MarkerArray, 'tip_trail', reliable(1))
        self._trails = {way: Trail(self.values.duration) for way in WAYS}
        self._latest = {}
        for way, (topic, _) in WAYS.items():
            # Raw: of a thousand messages a second only those that are drawn are worth decoding.
            self.create_subscription(
                JointState, topic, lambda data, way=way: self._latest.update({way: data}),
                reliable(1), raw=True)
        self.create_timer(1.0 / self.values.rate, self._publish,
                          clock=Clock(clock_type=ClockType.STEADY_TIME))

    def _publish(self):
        latest, self._latest = self._latest, {}
        for way, data in latest.items():
            message = deserialize_message(data, JointState)
            try:
                q, _ = self._reader.read(message)
            except MessageError as error:
                self.rejections.add(WAYS[way][0], error)
                continue
            x, y, z = self.arm.tip_pose(q)[:3, 3].tolist()
            self._trails[way].add(nanoseconds(message.header.stamp), Point(x=x, y=y, z=z))
        markers = [self._marker(way) for way in latest if len(self._trails[way].points) > 1]
        if markers:
            self._publisher.publish(MarkerArray(markers=markers))

    def _marker(self, way):
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
