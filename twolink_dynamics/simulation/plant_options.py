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

"""What a simulated arm has besides its rigid bodies, and how it differs from its model."""

from __future__ import annotations

from dataclasses import dataclass, replace
import math
from typing import Any, Callable, Sequence, TYPE_CHECKING

import numpy as np

from twolink_dynamics.array_types import ArrayLike, PerJoint, Vector
from twolink_dynamics.errors import ParameterError, ShapeError
from twolink_dynamics.options import check_fields, documented, Option, option
from twolink_dynamics.simulation.integrators import METHODS
from twolink_dynamics.validation import per_joint

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm

__all__ = ['Payload', 'PlantOptions', 'SEED', 'in_force', 'with_method']


@documented
@dataclass(frozen=True)
class Payload:
    """A load that is fixed to the tip for a time, picked up and dropped at whole time steps."""

    mass: float = option(
        'float', 0.0, 'A load fixed to the tip; 0: none, what was carried is let go', 'kg',
        minimum=0.0, maximum=1e4, live=True, required=True, name='payload_mass', flag='payload')
    com: Sequence[float] = option(
        'floats', (0.0, 0.0, 0.0), 'Centre of mass of the load in the frame of the tip', 'm',
        minimum=-100.0, maximum=100.0, length=3, live=True, name='payload_com')
    inertia: ArrayLike | None = option(
        'floats', None,
        'Of the load about its centre of mass: ixx, ixy, ixz, iyy, iyz, izz; not set: a point',
        'kg m^2', minimum=-1e4, maximum=1e4, length=6, live=True, name='payload_inertia',
        flag=None)
    start: float = option(
        'float', 0.0, 'When the load is picked up', 's', minimum=0.0, maximum=math.inf,
        name='payload_from', parameter=False)
    end: float = option(
        'float', math.inf, 'When the load is dropped', 's', minimum=0.0, maximum=math.inf,
        name='payload_until', parameter=False)

    def __post_init__(self) -> None:
        """Check what can be checked without an arm; an inertia may be a matrix, too."""
        check_fields(self, but=('inertia',))


@documented
@dataclass(frozen=True)
class PlantOptions:
    """
    What a simulated arm has besides its rigid bodies, and how it differs from its model.

    The `arm` that moves in truth is an :class:`Arm` here. With `mass_factor` first moments and
    inertias grow, as for the same shape of another density. `tip_wrench` may be a function of
    time [s], too; what it returns is held over each step. `payloads` is a sequence of
    :class:`Payload`, carried one after the other.

    """

    damping: PerJoint | None = option(
        'floats', None, 'Viscous friction; not set: of the URDF', 'N m s/rad or N s/m',
        minimum=0.0, maximum=1e6, per_joint=True)
    friction: PerJoint | None = option(
        'floats', None, 'Dry (Coulomb) friction; not set: of the URDF', 'N m or N', minimum=0.0,
        maximum=1e6, per_joint=True)
    stops: bool = option('bool', True, 'Whether joints stop at their position limits')
    effort_limits: bool = option(
        'bool', True, 'Whether efforts saturate at the limits of the URDF')
    method: str = option(
        'string', 'rk4', 'Classical Runge-Kutta, the one of eighth order, or what most simulators '
        'do', choices=tuple(METHODS), name='integrator', flag='method')
    restitution: float = option(
        'float', 0.0, 'How much of its speed a joint keeps when it rebounds from a stop',
        minimum=0.0, maximum=1.0)
    armature: PerJoint | None = option(
        'floats', None, 'Rotor inertia seen through the gears; not set: of the URDF',
        'kg m^2 or kg', minimum=0.0, maximum=1e6, per_joint=True)
    actuator_lag: PerJoint = option(
        'floats', 0.0, 'Time constant with which efforts follow commands', 's', minimum=0.0,
        maximum=10.0, per_joint=True)
    command_delay: float = option(
        'float', 0.0, 'How long a command is on its way, in whole steps', 's', minimum=0.0,
        maximum=10.0)
    position_noise: PerJoint = option(
        'floats', 0.0, 'Standard deviation of the measured positions', 'rad or m', minimum=0.0,
        maximum=1e3, per_joint=True)
    velocity_noise: PerJoint = option(
        'floats', 0.0, 'Standard deviation of the measured velocities', 'rad/s or m/s',
        minimum=0.0, maximum=1e3, per_joint=True)
    encoder_resolution: PerJoint = option(
        'floats', 0.0, 'Measured positions are multiples of it; 0: a perfect encoder',
        'rad or m', minimum=0.0, maximum=1e3, per_joint=True)
    differentiate: bool = option(
        'bool', False, 'Whether measured velocities are differences of measured positions')
    velocity_filter: float = option(
        'float', 0.0, 'Time constant of a low pass on the measured velocities', 's', minimum=0.0,
        maximum=10.0)
    arm: 'Arm | None' = option(
        'string', None, 'The URDF of the arm that moves in truth, its text or a path; empty: the '
        'same one', name='plant_description', flag='plant')
    mass_factor: PerJoint = option(
        'floats', 1.0, 'Masses in truth over those of the URDF', minimum=1e-3, maximum=1e3,
        per_joint=True)
    damping_factor: PerJoint = option(
        'floats', 1.0, 'Viscous friction in truth over that of the URDF', minimum=0.0,
        maximum=1e3, per_joint=True)
    friction_factor: PerJoint = option(
        'floats', 1.0, 'Dry (Coulomb) friction in truth over that of the URDF', minimum=0.0,
        maximum=1e3, per_joint=True)
    tip_wrench: Vector | Callable[[float], Vector] | None = option(
        'floats', None, 'Force and moment the surroundings exert on the tip, in the axes of the '
        'base', 'N, N m', minimum=-1e9, maximum=1e9, length=6, parameter=False, flag='wrench')
    payloads: Sequence[Payload] = ()
    ledger: bool = option(
        'bool', False, 'Whether to keep account of the work of efforts, friction, wrench and '
        'impacts', parameter=False, flag='energy')

    def __post_init__(self) -> None:
        """Check what can be checked without an arm."""
        check_fields(self, but=('arm', 'tip_wrench') if callable(self.tip_wrench) else ('arm',))
        loads = tuple(self.payloads)
        object.__setattr__(self, 'payloads', loads)
        for load in loads:
            if not isinstance(load, Payload):
                raise ParameterError('payloads', load, 'a Payload')
        loads = tuple(sorted(loads, key=lambda load: load.start))
        for load, other in zip(loads, loads[1:]):
            if other.start < load.end:
                raise ParameterError(
                    'payloads', f'{load.start:g} to {load.end:g} s, {other.start:g} to '
                    f'{other.end:g} s', 'one at a time: the first dropped when the second is '
                    'picked up, or before')


#: What the noise of a plant begins with.
SEED = Option('seed', 'int', 0, 'Of the noise: the same number, the same noise', minimum=0,
              maximum=2147483647)


def with_method(options: PlantOptions | None, method: str | None) -> PlantOptions:
    """
    Return options with an integrator given apart; those of a bare plant if there are none.

    Raises
    ------
    ParameterError

    """
    if options is None:
        options = PlantOptions()
    if not isinstance(options, PlantOptions):
        raise ParameterError('plant', options, 'PlantOptions')
    if method is None:
        return options
    if options.method not in (method, PlantOptions.method):
        raise ParameterError('method', method, f'the method of `plant`, {options.method}, or none')
    return replace(options, method=method)


def in_force(arm: Arm, options: PlantOptions) -> Arm:
    """
    Return the arm that moves: the model, or what the options put in its place.

    Parameters
    ----------
    arm : Arm
        The model.
    options : PlantOptions

    Returns
    -------
    arm : Arm

    Raises
    ------
    ShapeError, NonFiniteError, ParameterError
        If an option does not fit the arm.

    """
    n = arm.n
    if options.arm is not None:
        if not hasattr(options.arm, 'chain'):
            raise ParameterError('plant.arm', options.arm, 'an arm')
        if options.arm.n != n:
            raise ShapeError('plant.arm', f'{n} joints, as the model has', (options.arm.n,))
        arm = options.arm
    changes: dict[str, Any] = {}
    for name in ('damping', 'friction'):
        given = getattr(options, name)
        factor = per_joint(f'{name}_factor', getattr(options, f'{name}_factor'), n, 0.0)
        if given is not None or factor != (1.0,) * n:
            own = [getattr(joint, name) for joint in arm.chain.joints]
            values = own if given is None else per_joint(name, given, n, 0.0)
            changes[name] = [f * x for f, x in zip(factor, values)]
    if options.armature is not None:
        changes['armature'] = per_joint('armature', options.armature, n, 0.0)
    factor = per_joint('mass_factor', options.mass_factor, n, 0.0)
    if factor != (1.0,) * n:
        changes['inertial'] = (arm.inertial_parameters.reshape(n, 10)
                               * np.array(factor)[:, None]).ravel()
    return arm.with_parameters(**changes) if changes else arm
