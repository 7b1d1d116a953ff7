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

"""What to do about it: control laws, and the safety between a law and an arm."""

from .adaptive import Adaptive
from .bumpless import Bumpless
from .computed_torque import ComputedTorque
from .joint_feedback import FeedforwardPD, GravityPD, IndependentPID
from .joint_impedance import JointImpedance
from .law import Law
from .laws import LAWS, make_law
from .observer import ContactMonitor, MomentumObserver
from .operational_space import OperationalSpace
from .passivity import Passivity
from .safety import (
    all_finite, clamp_effort, EffortLimiter, SoftPositionLimits, VelocityMonitor)
from .sampled import SampledComputedTorque
from .tolerances import GoalMonitor, resolve_tolerance, Tolerance
from .watchdog import Watchdog

__all__ = [
    'Adaptive', 'Bumpless', 'ComputedTorque', 'ContactMonitor', 'EffortLimiter', 'FeedforwardPD',
    'GoalMonitor', 'GravityPD', 'IndependentPID', 'JointImpedance', 'LAWS', 'Law',
    'MomentumObserver', 'OperationalSpace', 'Passivity', 'SampledComputedTorque',
    'SoftPositionLimits', 'Tolerance', 'VelocityMonitor', 'Watchdog', 'all_finite', 'clamp_effort',
    'make_law', 'resolve_tolerance',
]
