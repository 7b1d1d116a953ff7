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

"""
The ROS 2 nodes, shells only: parameters in, messages in, one call into the core, messages out.

What each node does is elsewhere, without ROS: :mod:`twolink_dynamics.simulation.simulated_robot`,
:mod:`twolink_dynamics.tracking.controller`, :mod:`twolink_dynamics.tracking.reference` and
:mod:`twolink_dynamics.tracking.tip_trail`. :mod:`.run_node` starts a node.

"""
