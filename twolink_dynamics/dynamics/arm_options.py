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

"""Options that say which arm is meant, and in which gravity."""

from twolink_dynamics.options import Option

__all__ = ['ARM_OPTIONS']

ARM_OPTIONS = (
    Option('robot_description', 'string', '',
           'The URDF: its text, or a path to it; empty: the robot_description topic'),
    Option('base_link', 'string', '', 'First link of the chain; empty: the only sensible one'),
    Option('tip_link', 'string', '', 'Last link of the chain; empty: the only sensible one'),
    Option('gravity', 'floats', (0.0, 0.0, -9.81), 'Gravity in the base frame', 'm/s^2',
           minimum=-1000.0, maximum=1000.0, length=3),
)
