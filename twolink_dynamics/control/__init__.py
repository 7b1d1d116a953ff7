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

"""What to do about it: control laws, and an observer of external efforts."""

from twolink_dynamics.control.law import Law
from twolink_dynamics.control.laws import make_law
from twolink_dynamics.control.laws.adaptive import Adaptive
from twolink_dynamics.control.laws.computed_torque import ComputedTorque
from twolink_dynamics.control.laws.feedforward_pd import FeedforwardPD
from twolink_dynamics.control.laws.gravity_pd import GravityPD
from twolink_dynamics.control.laws.independent_pid import IndependentPID
from twolink_dynamics.control.laws.joint_impedance import JointImpedance
from twolink_dynamics.control.laws.operational_space import OperationalSpace
from twolink_dynamics.control.laws.passivity import Passivity
from twolink_dynamics.control.laws.sampled_computed_torque import SampledComputedTorque
from twolink_dynamics.control.observer import ContactMonitor, MomentumObserver

__all__ = [
    'Adaptive', 'ComputedTorque', 'ContactMonitor', 'FeedforwardPD', 'GravityPD', 'IndependentPID',
    'JointImpedance', 'Law', 'MomentumObserver', 'OperationalSpace', 'Passivity',
    'SampledComputedTorque', 'make_law',
]
