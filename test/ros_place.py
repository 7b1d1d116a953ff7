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

"""Nodes under a real executor."""

import time

# No assertion is about time: this is when a test that hangs is given up [s].
PATIENCE = 120.0


class Ros:
    """Nodes of this package and a probe, under one executor of one context."""

    def __init__(self):
        import rclpy

        from twolink_dynamics.nodes.run_node import make_executor

        self.context = rclpy.Context()
        rclpy.init(context=self.context)
        self.executor = make_executor(self.context)
        self.nodes = []
        self.probe = self.add(rclpy.create_node('probe', context=self.context))

    def add(self, node):
        """Let a node be executed, and closed at the end."""
        self.nodes.append(node)
        self.executor.add_node(node)
        return node

    def start(self, node_class, namespace='', remap=(), **parameters):
        """Return a node of this package, started with parameters."""
        from rclpy.parameter import Parameter

        arguments = [x for rule in remap for x in ('-r', rule)]
        return self.add(node_class(
            context=self.context, namespace=namespace,
            cli_args=['--ros-args', *arguments] if arguments else None,
            parameter_overrides=[Parameter(name, value=value)
                                 for name, value in parameters.items()]))

    def until(self, condition, what):
        """Execute until a condition holds; the test fails if it never does."""
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, f'never came: {what}'
            self.executor.spin_once(0.05)

    def listen(self, message_type, topic, latched=False):
        """Return a list that every message of a topic is appended to."""
        from twolink_dynamics.nodes.arm_node import reliable

        heard = []
        self.probe.create_subscription(message_type, topic, heard.append,
                                       reliable(1000, latched))
        return heard

    def publisher(self, message_type, topic, latched=False):
        """Return a publisher that somebody listens to."""
        from twolink_dynamics.nodes.arm_node import reliable

        publisher = self.probe.create_publisher(message_type, topic, reliable(1000, latched))
        if not latched:
            self.until(lambda: publisher.get_subscription_count() > 0, f'a listener on {topic}')
        return publisher

    def call(self, service_type, name, **request):
        """Return the response of a service."""
        client = self.probe.create_client(service_type, name)
        self.until(client.service_is_ready, f'service {name}')
        future = client.call_async(service_type.Request(**request))
        self.until(future.done, f'an answer of {name}')
        self.probe.destroy_client(client)
        return future.result()

    def close(self):
        """End the nodes."""
        for node in self.nodes:
            if hasattr(node, 'close'):
                node.close()
        self.executor.shutdown()
        for node in self.nodes:
            node.destroy_node()
        self.context.try_shutdown()
