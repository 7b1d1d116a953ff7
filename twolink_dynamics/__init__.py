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
Computed-torque control of robot arms: one model, from the URDF to the effort.

The names below are the public ones; see docs/ for tutorials and conventions. What simulates,
controls and plans is imported at its first use, so that importing the arm alone stays quick.

"""

from importlib import import_module
from typing import Any, TYPE_CHECKING

from twolink_dynamics.dynamics.arm import Arm
from twolink_dynamics.dynamics.factory import arm_from_dh, load_arm
from twolink_dynamics.dynamics.two_link_arm import TwoLinkArm
from twolink_dynamics.errors import AmbiguousChainError, DivergenceError, FaultyModelError, \
    MissingDependencyError, ModelError, ModelWarning, NonFiniteError, ParameterError, ShapeError, \
    SingularMassMatrixError, TrajectoryError, TwoLinkError, UnsupportedModelError, UrdfError
from twolink_dynamics.share import share_path

if TYPE_CHECKING:
    from twolink_dynamics import trajectory as trajectories
    from twolink_dynamics.control import ComputedTorque
    from twolink_dynamics.kinematics.result import IKResult
    from twolink_dynamics.simulation import BatchResult, Payload, PlantOptions, scattered, \
        simulate, simulate_batch, SimulationResult
    from twolink_dynamics.trajectory import Trajectory

__version__ = '0.1.0'

__all__ = [
    'AmbiguousChainError', 'Arm', 'BatchResult', 'ComputedTorque', 'DivergenceError',
    'FaultyModelError', 'IKResult', 'MissingDependencyError', 'ModelError', 'ModelWarning',
    'NonFiniteError', 'ParameterError', 'Payload', 'PlantOptions', 'ShapeError',
    'SimulationResult', 'SingularMassMatrixError', 'Trajectory', 'TrajectoryError',
    'TwoLinkArm', 'TwoLinkError', 'UnsupportedModelError', 'UrdfError', 'arm_from_dh',
    'load_arm', 'scattered', 'share_path', 'simulate', 'simulate_batch', 'trajectories',
]

_LATER = {
    'ComputedTorque': 'control', 'IKResult': 'kinematics.result', 'Trajectory': 'trajectory',
    **dict.fromkeys(('BatchResult', 'Payload', 'PlantOptions', 'SimulationResult', 'scattered',
                     'simulate', 'simulate_batch'), 'simulation'),
}
_ROOMS = {'control': 'control', 'simulation': 'simulation', 'trajectory': 'trajectory',
          'trajectories': 'trajectory'}


def __getattr__(name: str) -> Any:
    """Import a public name at its first use (PEP 562)."""
    if name in _LATER:
        value = getattr(import_module(f'{__name__}.{_LATER[name]}'), name)
    elif name in _ROOMS:
        value = import_module(f'{__name__}.{_ROOMS[name]}')
    else:
        raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the public names, those not imported yet too."""
    return sorted({*globals(), *__all__, *_ROOMS})
