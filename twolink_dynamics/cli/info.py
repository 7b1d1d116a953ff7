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

"""``twolink info``: an arm in numbers: chain, masses, 2R constants, reach, gravity load."""

import argparse
import math
from typing import Any, Sequence
import warnings

from twolink_dynamics.cli.arguments import add_command, Subparsers
from twolink_dynamics.cli.arm_options import add_arm_arguments, load
from twolink_dynamics.cli.text import as_json, number, say, table, wrapped
from twolink_dynamics.errors import ModelWarning
from twolink_dynamics.studies.arm_facts import describe

__all__ = ['add_parser', 'run']

DESCRIPTION = (
    'Show what an arm is: its chain and limits, the masses it moves, the constants of the planar '
    'two-link arm where it is one (in the names of docs/theory.md), how far it reaches, and what '
    'holding it against gravity takes of each motor.')
# Angles below this are the digits of the file, not the shape of the arm [rad].
OFFSET = 1e-6
ROUNDING = 1e-12
EXAMPLE = """examples:
  twolink info my_arm.urdf
  twolink info ur5e.urdf --tip-link tool0 --gravity 0 9.81 0 --json
"""


def add_parser(subparsers: Subparsers) -> None:
    """
    Add the arguments of this command.

    Parameters
    ----------
    subparsers : argparse action

    """
    parser = add_command(
        subparsers, 'info', 'show chain, masses, 2R constants, reach and gravity load',
        DESCRIPTION, EXAMPLE, run)
    add_arm_arguments(parser)
    parser.add_argument('--json', action='store_true', help='print all of it as JSON')


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
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always', ModelWarning)
        arm = load(args)
    faults = sum(issubclass(warning.category, ModelWarning) for warning in caught)
    facts = {**describe(arm), 'file': str(args.urdf), 'warnings': faults}
    if args.json:
        say(as_json(facts))
        return 0
    say(*_as_text(facts))
    if faults:
        say('', wrapped(f'{faults} implausible number{"s" * (faults != 1)} in it: `twolink check` '
                        'shows what and where'))
    return 0


# --- as text -----------------------------------------------------------------------------------


def _as_text(facts: dict[str, Any]) -> list[str]:
    joints = facts['joints']
    engine = 'planar 2R in closed form' if facts['two_link'] else facts['engine']
    lines = [wrapped(f'{facts["robot"]}: {facts["n"]} joint{"s" * (facts["n"] != 1)} from '
                     f'"{facts["base_link"]}" to "{facts["tip_link"]}", {engine}'), '',
             'joints: limits and friction, in rad, s, N m (prismatic: m, s, N); - is no limit']
    keys = ('lower', 'upper', 'velocity', 'effort', 'damping', 'friction')
    lines += table(('joint', 'type', *keys),
                   [(j['name'], j['type'], *(number(j[key]) for key in keys)) for j in joints])
    stuck = [j['name'] for j in joints if j['lower'] >= j['upper']]
    if stuck:
        lines.append(wrapped(f'  limits that allow no motion, taken as none below: '
                             f'{", ".join(stuck)}', '  '))
    lines += ['', f'moving bodies: {number(facts["mass"])} kg; centre of mass from the joint [m], '
              'moments [kg m^2]']
    lines += table(
        ('link', 'mass', 'x', 'y', 'z', 'I min', 'I mid', 'I max'),
        [(b['link'], number(b['mass']), *(number(_clean(x), 3) for x in b['com']),
          *(number(x, 3) for x in b['principal_moments'])) for b in facts['bodies']])
    for body in facts['bodies']:
        if body['with']:
            lines.append(wrapped(f'  {body["link"]} carries {", ".join(body["with"])}'))
    if facts['two_link']:
        lines += ['', *_two_link_text(facts['two_link'])]
    lines += ['', *_reach_text(facts), '', *_load_text(facts)]
    return lines


def _two_link_text(k: dict[str, Any]) -> list[str]:
    """Return the lines on the planar two-link arm."""
    rows = [(f'  link {i}', *(f'{name}{i} = {number(k[f"{name}{i}"])}'
                              for name in ('m', 'l', 'lc', 'I', 'b', 'fc'))) for i in (1, 2)]
    widths = [max(map(len, column)) for column in zip(*rows)]
    lines = ['the two-link arm of docs/theory.md: kg, m, kg m^2, N m s/rad, N m']
    lines += ['  '.join(cell.ljust(w) for cell, w in zip(row, widths)).rstrip() for row in rows]
    offsets = [f"{what} {number(math.degrees(k[key]))} deg off link 1's line"
               for what, key in (('centre of mass 1', 'com1_angle'),
                                 ('at q2 = 0 centre of mass 2', 'com2_angle'),
                                 ('the tip', 'tip_angle')) if abs(k[key]) > OFFSET]
    if k['elbow'] == 'reversed':
        offsets.append('joint 2 turns against joint 1')
    lines.append(wrapped('  as drawn, but: ' + '; '.join(offsets) if offsets else '  as drawn'))
    if k['l2'] == 0.0:
        lines.append(wrapped('  l2 = 0: the frame of the tip link lies on joint 2; a tip link '
                             'further out would have a reach'))
    lines.append(wrapped(
        f'  plane: x along {_vector(k["plane_x"])} at q = 0, turning about '
        f'{_vector(k["plane_normal"])}; gravity in it {_vector(k["plane_gravity"])} m/s^2'))
    lines.append(wrapped(
        f'  M, C from alpha = {number(k["alpha"])}, delta = {number(k["delta"])}, '
        f'beta = {number(k["beta"])} kg m^2, phase = {number(k["phase"])} rad; '
        f'G from {number(k["gravity1"])} and {number(k["gravity2"])} N m'))
    return lines


def _vector(values: Sequence[float]) -> str:
    return '(' + ', '.join(number(_clean(x)) for x in values) + ')'


def _clean(value: float, scale: float = 1.0) -> float:
    """Return zero for what rounding left behind."""
    return 0.0 if abs(value) < ROUNDING * scale else value


def _reach_text(facts: dict[str, Any]) -> list[str]:
    reach, first = facts['reach'], facts['joints'][0]['name']
    if reach is None:
        return ['reach: no joint turns: the tip goes where the limits of the joints let it']
    where = f'from {_vector(reach["centre"])}'
    # A search finds a distance of zero to the root of the rounding of its square.
    near = _clean(reach['nearest'], 1e6 * reach['farthest'])
    span = f'reach: {number(near)} to {number(reach["farthest"])} m {where}'
    if reach['exact']:
        return [wrapped(f'{span}, in the plane about joint "{first}"')]
    bound = 'unbounded: a sliding joint has no limits' if math.isinf(reach['bound']) else \
        f'certainly no more than {number(reach["bound"])} m'
    return [wrapped(f'{span}, within the limits, by search; {bound}')]


def _load_text(facts: dict[str, Any]) -> list[str]:
    """Return the lines on what gravity asks of the joints."""
    rows, weak = [], []
    most = max(joint['gravity_load'] for joint in facts['joints'])
    for joint in facts['joints']:
        share = joint['gravity_load_of_limit']
        unlimited = math.isinf(joint['effort'])
        rows.append((joint['name'], number(_clean(joint['gravity_load'], most)),
                     'N' if joint['unit'] == 'm' else 'N m', number(joint['effort']),
                     '-' if unlimited or math.isinf(share) else f'{100 * share:.0f}%'))
        if not unlimited and share > 1.0 and _clean(joint['gravity_load'], most):
            weak.append(joint['name'])
    lines = [f'gravity {_vector(facts["gravity"])} m/s^2 in "{facts["base_link"]}": the most that '
             'holding still takes',
             *table(('joint', 'effort', 'unit', 'limit', 'of limit'), rows)]
    if weak:
        lines.append(wrapped(f'  too weak to hold the arm everywhere: {", ".join(weak)}', '  '))
    return lines
