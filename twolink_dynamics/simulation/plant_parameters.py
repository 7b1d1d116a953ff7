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

"""The simulator's parameters about its plant, and the options that they make."""

import numpy as np

from twolink_dynamics.dynamics.factory import load_arm
from twolink_dynamics.errors import ParameterError
from twolink_dynamics.options import Option
from twolink_dynamics.simulation.plant_options import PlantOptions

__all__ = ['PAYLOAD', 'PLANT', 'payload', 'plant_options']

# A finer encoder than this has more steps in a turn than a float can count.
FINEST_RESOLUTION = 1e-12

PLANT = (
    Option('integrator', 'string', 'rk4',
           'Classical Runge-Kutta, the one of eighth order, or what most simulators do',
           choices=('rk4', 'rk8', 'semi_implicit')),
    Option('stops', 'bool', True, 'Whether joints stop at their position limits'),
    Option('restitution', 'float', 0.0,
           'How much of its speed a joint keeps when it rebounds from a stop', minimum=0.0,
           maximum=1.0),
    Option('effort_limits', 'bool', True, 'Whether efforts saturate at the limits of the URDF'),
    Option('damping', 'floats', None,
           'Viscous friction, one number or one per joint; not set: of the URDF',
           'N m s/rad or N s/m', minimum=0.0, maximum=1e6),
    Option('friction', 'floats', None,
           'Coulomb friction, one number or one per joint; not set: of the URDF', 'N m or N',
           minimum=0.0, maximum=1e6),
    Option('armature', 'floats', None,
           'Rotor inertia seen through the gears, one number or one per joint; not set: none',
           'kg m^2 or kg', minimum=0.0, maximum=1e6),
    Option('actuator_lag', 'floats', (0.0,),
           'Time constant with which efforts follow commands, one number or one per joint', 's',
           minimum=0.0, maximum=10.0),
    Option('command_delay', 'float', 0.0,
           'How long a command is on its way, in whole steps', 's', minimum=0.0, maximum=10.0),
    Option('position_noise', 'floats', (0.0,),
           'Standard deviation of the positions in joint_states, one number or one per joint',
           'rad or m', minimum=0.0, maximum=1e3),
    Option('velocity_noise', 'floats', (0.0,),
           'Standard deviation of the velocities in joint_states, one number or one per joint',
           'rad/s or m/s', minimum=0.0, maximum=1e3),
    Option('seed', 'int', 0, 'Of the noise: the same number, the same noise', minimum=0,
           maximum=2147483647),
    Option('encoder_resolution', 'floats', (0.0,),
           'Positions in joint_states are multiples of it, one number or one per joint; 0: a '
           'perfect encoder', 'rad or m', minimum=0.0, maximum=1e3),
    Option('differentiate', 'bool', False,
           'Whether velocities in joint_states are differences of the positions there'),
    Option('velocity_filter', 'float', 0.0,
           'Time constant of a low pass on the velocities in joint_states', 's', minimum=0.0,
           maximum=10.0),
    Option('plant_description', 'string', '',
           'The URDF of the arm that moves in truth, its text or a path; empty: the same one'),
    Option('mass_factor', 'floats', (1.0,),
           'Masses in truth over those of the URDF, one number or one per joint', minimum=1e-3,
           maximum=1e3),
    Option('damping_factor', 'floats', (1.0,),
           'Viscous friction in truth over that of the URDF, one number or one per joint',
           minimum=0.0, maximum=1e3),
    Option('friction_factor', 'floats', (1.0,),
           'Coulomb friction in truth over that of the URDF, one number or one per joint',
           minimum=0.0, maximum=1e3),
    Option('payload_mass', 'float', 0.0,
           'A load fixed to the tip from now on; 0: none, what was carried is let go', 'kg',
           minimum=0.0, maximum=1e4, live=True),
    Option('payload_com', 'floats', (0.0, 0.0, 0.0),
           'Centre of mass of the load in the frame of the tip', 'm', minimum=-100.0,
           maximum=100.0, length=3, live=True),
    Option('payload_inertia', 'floats', None,
           'Of the load about its centre of mass: ixx, ixy, ixz, iyy, iyz, izz; not set: a point',
           'kg m^2', minimum=-1e4, maximum=1e4, length=6, live=True),
)

#: The names of what says what is carried.
PAYLOAD = ('payload_mass', 'payload_com', 'payload_inertia')

# Parameters that are options of the same name and take one number for all joints.
_PER_JOINT = ('damping', 'friction', 'armature', 'actuator_lag', 'position_noise',
              'velocity_noise', 'encoder_resolution', 'mass_factor', 'damping_factor',
              'friction_factor')
_SAME = ('stops', 'restitution', 'effort_limits', 'command_delay', 'differentiate',
         'velocity_filter')


def plant_options(values, model):
    """
    Return the options of the simulator's plant.

    Parameters
    ----------
    values : object
        One attribute per parameter of `PLANT`; ``base_link``, ``tip_link``, ``gravity``.
    model : Arm
        The arm that the controller knows.

    Returns
    -------
    options : PlantOptions

    Raises
    ------
    ParameterError
        If a parameter does not fit the arm.
    ModelError
        If there is no such other arm.

    """
    options = {name: getattr(values, name) for name in _SAME}
    for name in _PER_JOINT:
        given = getattr(values, name)
        if given is not None and len(given) not in (1, model.n):
            raise ParameterError(name, list(given),
                                 f'one number, or {model.n}, one per joint from base to tip')
        if given is not None:
            options[name] = given * model.n if len(given) == 1 else given
    if any(0.0 < x < FINEST_RESOLUTION for x in options['encoder_resolution']):
        raise ParameterError('encoder_resolution', list(values.encoder_resolution),
                             f'0, or not below {FINEST_RESOLUTION:g}')
    return PlantOptions(method=values.integrator, arm=_other_arm(values, model), **options)


def _other_arm(values, model):
    if not values.plant_description:
        return None
    arm = load_arm(values.plant_description, base_link=values.base_link or None,
                   tip_link=values.tip_link or None, gravity=values.gravity)
    if arm.joint_names != model.joint_names:
        raise ParameterError('plant_description', ', '.join(arm.joint_names),
                             f'an arm with the joints {", ".join(model.joint_names)}')
    arm.warm_up()
    return arm


def payload(values):
    """
    Return what the arm carries.

    Parameters
    ----------
    values : object
        One attribute per parameter of `PLANT`.

    Returns
    -------
    load : tuple of mass, com, inertia, or None
        As :meth:`.Plant.pick_up` takes it; None for nothing.

    Raises
    ------
    ParameterError
        If no body has such an inertia.

    """
    if not values.payload_mass:
        return None
    inertia = None
    if values.payload_inertia is not None:
        xx, xy, xz, yy, yz, zz = values.payload_inertia
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        principal = np.linalg.eigvalsh(inertia)
        # For every body two principal moments add up to the third or more; 1e-9 is for rounding.
        if principal[2] * (1.0 - 1e-9) > principal[0] + principal[1] or principal[2] < 0.0:
            raise ParameterError(
                'payload_inertia', list(values.payload_inertia),
                'an inertia that a body can have: no principal moment (here '
                f'{", ".join(f"{x:.4g}" for x in principal)}) larger than the other two together')
    return values.payload_mass, values.payload_com, inertia
