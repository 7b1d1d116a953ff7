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

"""The arguments that say what a simulated arm has besides its rigid bodies."""

from twolink_dynamics.cli.arm_options import finite_number
from twolink_dynamics.errors import ParameterError

__all__ = ['add_plant_arguments', 'plant_options']

# Option, its field of PlantOptions, what it means; one number for all joints, or one for each.
PER_JOINT = (
    ('mass-factor', 'mass_factor', "the bodies' true masses over those of the model"),
    ('damping', 'damping', "viscous friction, instead of the URDF's [N m s/rad or N s/m]"),
    ('damping-factor', 'damping_factor', 'true viscous friction over that of the model'),
    ('friction', 'friction', "Coulomb friction, instead of the URDF's [N m or N]"),
    ('friction-factor', 'friction_factor', 'true Coulomb friction over that of the model'),
    ('armature', 'armature', 'rotor inertia seen through the gear [kg m^2 or kg]'),
    ('actuator-lag', 'actuator_lag', 'time constant of the actuator [s]'),
    ('position-noise', 'position_noise', 'standard deviation of what is measured [rad or m]'),
    ('velocity-noise', 'velocity_noise', 'standard deviation of what is measured [1/s]'),
    ('encoder-resolution', 'encoder_resolution', 'step of what is measured [rad or m]'),
)
SINGLE = (
    ('command-delay', 'command_delay', 'how long an effort is on its way [s], a multiple of dt'),
    ('velocity-filter', 'velocity_filter', 'time constant of a low pass on the velocity [s]'),
    ('restitution', 'restitution', 'how much of its speed a joint keeps at a stop, 0 to 1'),
)


def add_plant_arguments(parser):
    """
    Add the options of the plant.

    Parameters
    ----------
    parser : argparse.ArgumentParser

    """
    add = parser.add_argument_group(
        'the plant', 'What the simulated arm has that the model of the law has not. V ... is one '
        'number for all joints, or one for each.').add_argument
    add('--plant', metavar='URDF', help='the arm that moves in truth, with as many joints')
    for option, _, words in PER_JOINT:
        add(f'--{option}', nargs='+', type=finite_number, metavar='V', help=words)
    for option, _, words in SINGLE:
        add(f'--{option}', type=finite_number, metavar='X', help=words)
    add('--differentiate', action='store_true',
        help='the measured velocity is the difference of measured positions')
    add('--no-stops', action='store_true', help='joints go beyond their position limits')
    add('--no-effort-limits', action='store_true', help='efforts go beyond their limits')
    add('--wrench', nargs=6, type=finite_number, metavar='F',
        help='force and moment of the surroundings on the tip, in the base frame [N, N m]')
    add('--payload', type=finite_number, metavar='MASS', help='a load at the tip [kg]')
    add('--payload-com', nargs=3, type=finite_number, metavar=('X', 'Y', 'Z'),
        help="its centre of mass in the tip's frame [m]; 0 0 0 if not given")
    add('--payload-from', type=finite_number, metavar='S', help='picked up then [s]; at once')
    add('--payload-until', type=finite_number, metavar='S', help='dropped then [s]; never')
    add('--seed', type=int, default=0, help='of the noise (0)')


def plant_options(args, arm_of, ledger):
    """
    Return the options of the plant.

    Parameters
    ----------
    args : argparse.Namespace
    arm_of : callable
        From a path to an arm.
    ledger : bool
        Whether to keep account of the energy.

    Returns
    -------
    options : PlantOptions

    Raises
    ------
    TwoLinkError
        If an option cannot be.

    """
    from twolink_dynamics.simulation import PlantOptions
    fields = {'stops': not args.no_stops, 'effort_limits': not args.no_effort_limits,
              'differentiate': args.differentiate, 'tip_wrench': args.wrench, 'ledger': ledger,
              'payloads': _payloads(args)}
    for option, field, _ in PER_JOINT + SINGLE:
        value = getattr(args, option.replace('-', '_'))
        if value is not None:
            several = isinstance(value, list) and len(value) > 1
            fields[field] = value if several or not isinstance(value, list) else value[0]
    if args.plant is not None:
        fields['arm'] = arm_of(args.plant)
    return PlantOptions(**fields)


def _payloads(args):
    from twolink_dynamics.simulation import Payload
    given = {key: getattr(args, f'payload_{name}') for key, name in (
        ('com', 'com'), ('start', 'from'), ('end', 'until'))}
    given = {key: value for key, value in given.items() if value is not None}
    if args.payload is None:
        if given:
            raise ParameterError('--payload', None, 'a mass, where the load is described')
        return ()
    return (Payload(args.payload, **given),)
