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

"""``twolink equations``: M, C, G and the energies of a small arm, written out."""

import argparse
from functools import partial
import warnings

from twolink_dynamics.cli.arguments import add_command, finite_number, Subparsers, \
    whole_number
from twolink_dynamics.cli.arm_options import add_arm_arguments, load
from twolink_dynamics.cli.equations_format import Page
from twolink_dynamics.cli.text import say, wrapped
from twolink_dynamics.dynamics.arm import STANDARD_GRAVITY
from twolink_dynamics.dynamics.two_link_arm import TwoLinkArm
from twolink_dynamics.errors import ModelWarning, ParameterError

__all__ = ['add_parser', 'run']

DESCRIPTION = (
    'Write out the equations of motion: of the two-link arm of docs/theory.md, in symbols and '
    'with the numbers that are given, or of a URDF with its own numbers (planar 2R, other arms '
    'of up to three joints). They are derived symbolically from the energies, and checked against '
    'the numeric code before they are printed. Needs SymPy.')
EXAMPLE = """examples:
  twolink equations                       the texts' formulas: L4, L6, L7
  twolink equations --m1 1 --l1 1 --g 10  what is not given stays a symbol
  twolink equations my_arm.urdf --format latex
  twolink equations my_arm.urdf --format python > my_arm_equations.py
"""
NUMBERS = {'m1': 'mass of link 1 [kg]', 'm2': 'mass of link 2 [kg]',
           'l1': 'length of link 1, joint to joint [m]',
           'lc1': 'joint 1 to centre of mass 1 [m]', 'lc2': 'joint 2 to centre of mass 2 [m]',
           'I1': 'moment of inertia 1 about its centre of mass [kg m^2]',
           'I2': 'moment of inertia 2 about its centre of mass [kg m^2]',
           'g': 'gravity, along -y [m/s^2]', 'b1': 'viscous friction of joint 1 [N m s/rad]',
           'b2': 'viscous friction of joint 2 [N m s/rad]'}


_not_negative = partial(finite_number, words='a number of 0 or more', low=0.0)
_digits = partial(whole_number, low=1, high=17, words='a whole number from 1 to 17')


def add_parser(subparsers: Subparsers) -> None:
    """
    Add the arguments of this command.

    Parameters
    ----------
    subparsers : argparse action

    """
    parser = add_command(
        subparsers, 'equations', 'write out M, C, G and the energies',
        DESCRIPTION, EXAMPLE, run)
    add_arm_arguments(parser, nargs='?', help='the arm, a .urdf or .xacro file; without it, the '
                      'two-link arm of docs/theory.md')
    for name, meaning in NUMBERS.items():
        signed = name in ('lc1', 'lc2')
        parser.add_argument(f'--{name}', type=finite_number if signed else _not_negative,
                            metavar='X', help=meaning)
    parser.add_argument('--symbols', action='store_true',
                        help="keep symbols for a planar 2R URDF's numbers, and list their values")
    parser.add_argument('--format', choices=('text', 'markdown', 'latex', 'python'),
                        default='text', help='text if not given')
    parser.add_argument('--digits', type=_digits, default=6, metavar='N',
                        help='of printed numbers, 6 if not given; Python source has all')


def run(args: argparse.Namespace) -> int:
    """
    Run the command.

    Parameters
    ----------
    args : argparse.Namespace

    Returns
    -------
    status : int

    """
    from twolink_dynamics.studies.equations_check import check_equations

    values = {name: getattr(args, name) for name in NUMBERS if getattr(args, name) is not None}
    page = _of_urdf(args, values) if args.urdf else _of_drawing(args, values)
    source = page.python()
    page.difference = check_equations(source, page.equations.free, page.arm)
    if args.format == 'python':
        say(source.rstrip('\n'))
    else:
        say(*(line if args.format != 'text' else wrapped(line, ' ' * 8)
              for line in page.lines(args.format)))
    return 0


def _of_urdf(args: argparse.Namespace, values: dict[str, float]) -> Page:
    """Return the equations of the arm of a URDF."""
    from twolink_dynamics.dynamics.symbolic import arm_equations

    if values:
        name = next(iter(values))
        raise ParameterError(f'--{name}', values[name], 'no number beside a URDF, which has its '
                             'own')
    with warnings.catch_warnings():
        warnings.simplefilter('ignore', ModelWarning)
        arm = load(args)
    equations = arm_equations(arm, args.symbols)
    chain = arm.chain
    remarks = [f'{q} is joint "{joint.name}" ({joint.type})'
               for q, joint in zip(equations.q, chain.joints)]
    if isinstance(arm, TwoLinkArm) and arm.constants.sign < 0.0:
        remarks.append('joint 2 turns against joint 1: link 2 is at q1 - q2')
    damping = [joint.damping for joint in chain.joints]
    title = f'{chain.name}, from "{chain.base_link}" to "{chain.tip_link}"'
    return Page(equations, lambda parameters: arm, title, remarks, damping, args.digits)


def _of_drawing(args: argparse.Namespace, values: dict[str, float]) -> Page:
    """Return the equations of the arm of docs/theory.md."""
    from twolink_dynamics.dynamics.symbolic import drawn_equations

    for option in ('base_link', 'tip_link', 'xacro_args', 'gravity'):
        given = getattr(args, option)
        if given and tuple(given) != STANDARD_GRAVITY:
            raise ParameterError('--' + option.replace('_', '-').replace('args', 'arg'), given,
                                 'a URDF beside it' + ', or --g' * (option == 'gravity'))
    if args.symbols and len(values) == len(NUMBERS):
        raise ParameterError('--symbols', True, 'a URDF, or numbers left out')
    damping = [values.pop(name, 0.0) for name in ('b1', 'b2')]
    equations = drawn_equations(values)

    def arm(parameters: dict[str, float]) -> TwoLinkArm:
        known = {**values, **parameters}
        g = known.pop('g')
        return TwoLinkArm(**known, gravity=(0.0, -g))

    remarks = ['q1 from the base x axis, q2 from link 1, counterclockwise; gravity along -y']
    return Page(equations, arm, 'The planar two-link arm of docs/theory.md', remarks, damping,
                args.digits)
