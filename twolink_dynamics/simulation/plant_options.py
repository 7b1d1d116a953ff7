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
from typing import Any, TYPE_CHECKING

import numpy as np

from twolink_dynamics.errors import ParameterError, ShapeError
from twolink_dynamics.validation import per_joint

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm

__all__ = ['Payload', 'PlantOptions', 'in_force', 'with_method']


@dataclass(frozen=True)
class Payload:
    """
    A load that is fixed to the tip for a time.

    Attributes
    ----------
    mass : float
        [kg].
    com : sequence of float, length 3
        Its centre of mass in the tip's frame [m].
    inertia : array_like, shape (3, 3), or None
        About its centre of mass, in the tip's axes [kg m^2]; a point mass if not given.
    start, end : float
        When it is picked up and dropped [s], rounded to whole time steps.

    """

    mass: float
    com: Any = (0.0, 0.0, 0.0)
    inertia: Any = None
    start: float = 0.0
    end: float = math.inf


@dataclass(frozen=True)
class PlantOptions:
    """
    What a simulated arm has besides its rigid bodies, and how it differs from its model.

    Attributes
    ----------
    damping, friction : sequence of float, length n, or None
        Viscous coefficients [N m s/rad or N s/m] and Coulomb friction [N m or N] in place of those
        of the arm's description.
    stops : bool
        Whether joints stop at their position limits.
    effort_limits : bool
        Whether efforts saturate at the joints' limits.
    method : str
        The integrator: see :data:`twolink_dynamics.simulation.integrators.METHODS`.
    restitution : float
        How much of its speed a joint has after it hit a stop, 0 to 1.
    armature : float or sequence of float, length n, or None
        Rotor inertias seen through the gears [kg m^2 or kg], in place of the description's.
    actuator_lag : float or sequence of float, length n
        Time constants of the actuators: efforts follow commands in first order [s].
    command_delay : float
        How long a command is on its way [s], a multiple of the time step.
    position_noise, velocity_noise : float or sequence of float, length n
        Standard deviations of what is measured [rad or m, and per second].
    encoder_resolution : float or sequence of float, length n
        Measured positions are multiples of it [rad or m]; 0 for a perfect encoder.
    differentiate : bool
        Whether the measured velocity is the difference of measured positions over the time step.
    velocity_filter : float
        Time constant of a first-order low pass on the measured velocity [s].
    arm : Arm or None
        The arm that moves in truth, of another URDF say, where it is not its model.
    mass_factor : float or sequence of float, length n
        What the bodies' masses are in truth over what the model says; their first moments and
        inertias grow with them, as for the same shape of another density.
    damping_factor, friction_factor : float or sequence of float, length n
        The same of the friction.
    tip_wrench : sequence of float, length 6, or callable, or None
        Force and moment the surroundings exert on the tip, in the base's axes [N, N m], or a
        function of time [s] that returns them; held over each step.
    payloads : sequence of Payload
    ledger : bool
        Whether to keep account of the work of efforts, friction, wrench and impacts.

    """

    damping: Any = None
    friction: Any = None
    stops: bool = True
    effort_limits: bool = True
    method: str = 'rk4'
    restitution: float = 0.0
    armature: Any = None
    actuator_lag: Any = 0.0
    command_delay: float = 0.0
    position_noise: Any = 0.0
    velocity_noise: Any = 0.0
    encoder_resolution: Any = 0.0
    differentiate: bool = False
    velocity_filter: float = 0.0
    arm: Any = None
    mass_factor: Any = 1.0
    damping_factor: Any = 1.0
    friction_factor: Any = 1.0
    tip_wrench: Any = None
    payloads: Any = ()
    ledger: bool = False


def with_method(options: PlantOptions | None, method: str) -> PlantOptions:
    """
    Return options with another integrator; those of a bare plant if there are none.

    Raises
    ------
    ParameterError

    """
    if options is None:
        options = PlantOptions()
    if not isinstance(options, PlantOptions):
        raise ParameterError('plant', options, 'PlantOptions')
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
    changes = {}
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
