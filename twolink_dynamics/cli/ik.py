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

"""``twolink ik``: the joint positions that put the tip on the target."""

import argparse
from typing import Any, TYPE_CHECKING
import warnings

from twolink_dynamics.array_types import FloatArray
from twolink_dynamics.cli.arguments import add_command, Subparsers
from twolink_dynamics.cli.text import as_json, say, table, wrapped
from twolink_dynamics.cli.tip_target import add_arguments, asked_target, load_arm, start, with_unit
from twolink_dynamics.errors import ModelWarning, ParameterError

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm
    from twolink_dynamics.kinematics.result import IKResult

__all__ = ['add_parser', 'run']

DESCRIPTION = (
    'Find the joint positions that put the tip on the target: in closed form for a planar '
    'two-link arm, else by damped Newton iterations from the start given and from others. The '
    'exit status is 1 if the target is out of reach; what is shown then is the nearest.')
EXAMPLE = """examples:
  twolink ik two_link.urdf --xy 1.2 0.4 --all
  twolink ik ur5e.urdf --tip-link tool0 --position 0.4 0.2 0.3 --rpy 0 3.1416 0
  twolink ik --dh dh.dat --pose Tdes.dat --start-file theta.dat
"""


def add_parser(subparsers: Subparsers) -> None:
    """
    Add the arguments of this command.

    Parameters
    ----------
    subparsers : argparse action

    """
    parser = add_command(
        subparsers, 'ik', 'find joint positions for a pose or position of the tip',
        DESCRIPTION, EXAMPLE, run)
    add_arguments(parser, gravity=False)
    parser.set_defaults(gravity=(0.0, 0.0, -9.81))
    parser.add_argument('--all', action='store_true', help='find all solutions')
    parser.add_argument('--seed', type=int, default=0, help='of the starts that are drawn')
    parser.add_argument('--json', action='store_true', help='print the answer as JSON')


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
    with warnings.catch_warnings():  # about masses, which do not matter here
        warnings.simplefilter('ignore', ModelWarning)
        arm = load_arm(args)
    target = asked_target(args)
    if target is None:
        raise ParameterError('target', None, '--pose FILE, --position X Y Z or --xy X Y')
    if args.seed < 0:
        raise ParameterError('--seed', args.seed, 'an integer of 0 or more')
    result = arm.inverse_kinematics(target, start(args, arm), seed=args.seed)
    solutions = arm.all_solutions(target, seed=args.seed) if args.all else None
    if args.json:
        say(as_json(_facts(arm, result, solutions)))
    else:
        say(*_as_text(arm, result, solutions))
    return 0 if result.success else 1


def _facts(arm: 'Arm', result: 'IKResult', solutions: FloatArray | None) -> dict[str, Any]:
    facts = {'joint_names': list(arm.joint_names), 'success': bool(result.success),
             'q': result.q.tolist(), 'iterations': result.iterations, 'starts': result.starts,
             'position_error': result.position_error, 'rotation_error': result.rotation_error,
             'rounding': result.rounding, 'reason': result.reason,
             'nearest': result.nearest.tolist()}
    if solutions is not None:
        facts['solutions'] = solutions.tolist()
    return facts


def _as_text(arm: 'Arm', result: 'IKResult', solutions: FloatArray | None) -> list[str]:
    rows = [(name, *with_unit(kind, value)) for name, kind, value in
            zip(arm.joint_names, arm.joint_types, result.q.tolist())]
    lines = table(('joint', 'rad or m' if 'prismatic' in arm.joint_types else 'rad', 'deg'), rows)
    errors = f'position error {result.position_error:.2g} m'
    if result.nearest.shape == (4, 4):
        errors += f', rotation error {result.rotation_error:.2g} rad'
    how = ('in closed form' if not result.starts else
           f'in {result.iterations} iterations'
           + (f' from start {result.starts}' if result.starts > 1 else ''))
    if result.success:
        lines.append(wrapped(f'reached {how}: {errors}'))
    else:
        lines.append(wrapped(f'NOT reached: {result.reason}'))
    if result.rounding > 1e-12:
        lines.append(wrapped(f"the target's rotation is one only to {result.rounding:.2g}: the "
                             'nearest rotation was taken in its place'))
    if solutions is not None:
        unit = 'degrees or metres' if 'prismatic' in arm.joint_types else 'degrees'
        lines += ['', f'solutions found: {len(solutions)}'
                  + (f', in {unit}' if len(solutions) else '')]
        lines += table(('', *arm.joint_names), [
            (k + 1, *((with_unit(kind, value)[0] if kind == 'prismatic'
                       else with_unit(kind, value)[1])
                      for kind, value in zip(arm.joint_types, q)))
            for k, q in enumerate(solutions.tolist())])
    return lines
