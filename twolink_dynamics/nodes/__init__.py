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
The ROS 2 nodes: simulator, controller, reference. Nothing outside this package imports ROS.

``simulator.py``, ``controller.py`` and ``reference.py`` hold what each node does, without ROS, and
its ``main``; the ``*_node.py`` beside each is the thin ROS shell around it, imported by ``main``
alone, so that the parameter tables and the logic can be read and tested where no ROS is.

"""
