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

"""What is desired: trajectories, their sampling, their checking, and generators of some."""

from twolink_dynamics.trajectory.feasibility import check_motion, Excess, find_excess
from twolink_dynamics.trajectory.generators import make_motion
from twolink_dynamics.trajectory.generators.circle import circle
from twolink_dynamics.trajectory.generators.figure_of_eight import figure_of_eight
from twolink_dynamics.trajectory.generators.line import line
from twolink_dynamics.trajectory.generators.minimum_jerk import minimum_jerk
from twolink_dynamics.trajectory.generators.swing import swing
from twolink_dynamics.trajectory.goal import check_goal, Goal, GoalPoint, read_goal
from twolink_dynamics.trajectory.look_ahead import ahead
from twolink_dynamics.trajectory.schedule import Schedule
from twolink_dynamics.trajectory.time_optimal import time_optimal
from twolink_dynamics.trajectory.tip_path import from_tip_path, TipPathMotion
from twolink_dynamics.trajectory.trajectory import Trajectory

__all__ = [
    'Excess', 'Goal', 'GoalPoint', 'Schedule', 'TipPathMotion', 'Trajectory', 'ahead',
    'check_goal', 'check_motion', 'circle', 'figure_of_eight', 'find_excess', 'from_tip_path',
    'line', 'make_motion', 'minimum_jerk', 'read_goal', 'swing', 'time_optimal',
]
