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

"""What is wanted: trajectories, their sampling, their checking, and generators of some."""

from .ahead import ahead
from .beyond import check_motion, Excess, find_excess
from .generators import circle, figure_of_eight, line, minimum_jerk, swing
from .goal import check_goal, Goal, GoalPoint, read_goal
from .sampling import Trajectory
from .schedule import Schedule
from .time_optimal import time_optimal
from .tip_path import from_tip_path, TipPathMotion

__all__ = [
    'Excess', 'Goal', 'GoalPoint', 'Schedule', 'TipPathMotion', 'Trajectory', 'ahead',
    'check_goal', 'check_motion', 'circle', 'figure_of_eight', 'find_excess', 'from_tip_path',
    'line', 'minimum_jerk', 'read_goal', 'swing', 'time_optimal',
]
