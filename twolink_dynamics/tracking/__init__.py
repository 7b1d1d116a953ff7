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

"""A trajectory-tracking controller, without ROS: what the controller node wraps."""

from twolink_dynamics.tracking.bumpless_transfer import BumplessTransfer
from twolink_dynamics.tracking.controller import TrackingController
from twolink_dynamics.tracking.effort_filter import EffortFilter
from twolink_dynamics.tracking.effort_limits import all_finite, clamp_effort, EffortLimiter
from twolink_dynamics.tracking.goal_execution import GoalExecution, GoalTolerances
from twolink_dynamics.tracking.soft_position_limits import SoftPositionLimits
from twolink_dynamics.tracking.supervisor import Supervisor
from twolink_dynamics.tracking.tolerances import GoalMonitor, resolve_tolerance, Tolerance
from twolink_dynamics.tracking.velocity_monitor import VelocityMonitor
from twolink_dynamics.tracking.watchdog import Watchdog

__all__ = [
    'BumplessTransfer', 'EffortFilter', 'EffortLimiter', 'GoalExecution', 'GoalMonitor',
    'GoalTolerances', 'SoftPositionLimits', 'Supervisor', 'Tolerance', 'TrackingController',
    'VelocityMonitor', 'Watchdog', 'all_finite', 'clamp_effort', 'resolve_tolerance',
]
