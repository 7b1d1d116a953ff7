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

"""``twolink torque``: the joint efforts that a motion takes, of the joints or of the tip."""

import argparse
import math
from typing import Any, TYPE_CHECKING

import numpy as np

from twolink_dynamics.array_types import FloatArray
from twolink_dynamics.cli.arguments import add_command, finite_number, Subparsers
from twolink_dynamics.cli.text import as_json, number, say, table, wrapped
from twolink_dynamics.cli.tip_target import add_arguments, asked_target, load_arm, start, with_unit
from twolink_dynamics.errors import ParameterError, ShapeError
from twolink_dynamics.validation import check_array

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm

__all__ = ['add_parser', 'run']

DESCRIPTION = (
    'Find the joint efforts that a motion takes. Give the motion of the tip, and the positions, '
    'velocities and accelerations of the joints are found first; or give those with --q, --qd, '
    '--qdd. Without velocity and acceleration: the efforts that hold the arm. The exit status is '
    '1 if the tip cannot do what is asked; what is shown then comes near.')
EXAMPLE = """examples:
  twolink torque two_link.urdf --xy 1.2 0.4 --velocity 0.1 0 --acceleration 0 0.5
  twolink torque ur5e.urdf --tip-link tool0 --q 0 -1.2 1.5 0 0 0
  twolink torque --dh dh.dat --links links.dat --pose Tdes.dat --start-file theta.dat
"""


def add_parser(subparsers: Subparsers) -> None:
    """
    Add the arguments of this command.

    Parameters
    ----------
    subparsers : argparse action

    """
    parser = add_command(
        subparsers, 'torque', 'find the joint efforts of a motion',
        DESCRIPTION, EXAMPLE, run)
    add_arguments(parser, gravity=True)
    add = parser.add_argument
    add('--velocity', nargs='+', type=finite_number, metavar='V',
        help='of the tip: 6 numbers, linear then angular, for a pose; 3 or 2 for a position')
    add('--acceleration', nargs='+', type=finite_number, metavar='A', help='of the tip, likewise')
    add('--damping', type=finite_number, default=0.01,
        help='of the inverse Jacobian near a singularity (0.01)')
    for name, what in (('q', 'positions'), ('qd', 'velocities'), ('qdd', 'accelerations')):
        add(f'--{name}', nargs='+', type=finite_number, metavar=name.upper(),
            help=f'{what} of the joints')
    add('--wrench', nargs=6, type=finite_number, metavar='F',
        help='force and moment of the surroundings on the tip [N, N m], with --q only')
    add('--friction', action='store_true', help="add the joints' friction")
    add('--json', action='store_true', help='print the answer as JSON')


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
    arm = load_arm(args)
    if args.dh is not None and args.links is None:
        raise ParameterError('--links', None, 'the masses of the links, a file, with --dh')
    target = asked_target(args)
    if (target is None) == (args.q is None):
        raise ParameterError('motion', None, 'either a target for the tip (--pose, --position or '
                             '--xy) or --q')
    facts = _of_joints(arm, args) if target is None else _of_tip(arm, args, target)
    if args.json:
        say(as_json(facts))
    else:
        say(*_as_text(arm, facts))
    return 0 if facts['success'] else 1


def _of_joints(arm: 'Arm', args: argparse.Namespace) -> dict[str, Any]:
    """Return the efforts of a motion of the joints."""
    for name in ('velocity', 'acceleration'):
        if getattr(args, name) is not None:
            raise ParameterError(f'--{name}', getattr(args, name),
                                 'to go with a target for the tip; with --q give --qd and --qdd')
    q, qd, qdd = (_of_each_joint(arm, f'--{name}', getattr(args, name))
                  for name in ('q', 'qd', 'qdd'))
    tau = arm.inverse_dynamics(q, qd, qdd, tip_wrench=args.wrench, friction=args.friction)
    return _facts(arm, q, qd, qdd, tau, True, '')


def _of_each_joint(arm: 'Arm', name: str, values: list[float] | None) -> FloatArray:
    """Return a number for each joint; zeros if none are given."""
    array = np.zeros(arm.n) if values is None else check_array(name, values)
    if array.shape != (arm.n,):
        raise ShapeError(name, f'({arm.n},)', array.shape,
                         'a number for each joint: ' + ', '.join(arm.joint_names))
    return array


def _of_tip(arm: 'Arm', args: argparse.Namespace, target: FloatArray) -> dict[str, Any]:
    """Return the efforts of a motion of the tip."""
    for name in ('qd', 'qdd', 'wrench'):
        if getattr(args, name) is not None:
            raise ParameterError(f'--{name}', getattr(args, name), 'to go with --q')
    motion = arm.task_inverse_dynamics(
        target, args.velocity, args.acceleration, start(args, arm), friction=args.friction,
        damping=args.damping)
    if motion.tau is None:
        raise ParameterError('arm', None, 'an arm whose masses are known')
    facts = _facts(arm, motion.q, motion.qd, motion.qdd, motion.tau, motion.success,
                   motion.reason)
    facts.update({
        'position_error': motion.position_error, 'rotation_error': motion.rotation_error,
        'velocity_residual': motion.velocity_residual.tolist(),
        'acceleration_residual': motion.acceleration_residual.tolist(), 'damped': motion.damped})
    return facts


def _facts(arm: 'Arm', q: FloatArray, qd: FloatArray, qdd: FloatArray, tau: FloatArray,
           success: bool, reason: str) -> dict[str, Any]:
    limits = [limit if math.isfinite(limit) else None for limit in arm.limits.effort.tolist()]
    beyond = [name for name, effort, limit in zip(arm.joint_names, tau.tolist(), limits)
              if limit is not None and abs(effort) > limit]
    return {'joint_names': list(arm.joint_names), 'q': q.tolist(), 'qd': qd.tolist(),
            'qdd': qdd.tolist(), 'tau': tau.tolist(), 'effort_limits': limits,
            'beyond_limits': beyond, 'success': bool(success), 'reason': reason}


def _as_text(arm: 'Arm', facts: dict[str, Any]) -> list[str]:
    rows = []
    for name, kind, q, qd, qdd, tau, limit in zip(
            facts['joint_names'], arm.joint_types, facts['q'], facts['qd'], facts['qdd'],
            facts['tau'], facts['effort_limits']):
        rows.append((name, *with_unit(kind, q), number(qd, 6), number(qdd, 6),
                     f'{round(tau, 6) + 0.0:.6f}', number(math.inf if limit is None else limit)))
    metres = ' or m' if 'prismatic' in arm.joint_types else ''
    lines = table(('joint', f'q [rad{metres}]', 'deg', 'qd [1/s]', 'qdd [1/s^2]',
                   'tau [N m or N]' if metres else 'tau [N m]', 'limit'), rows)
    if not facts['success']:
        lines.append(wrapped(f'NOT what was asked: {facts["reason"]}'))
    if facts['beyond_limits']:
        lines.append(wrapped('beyond the effort limit: ' + ', '.join(facts['beyond_limits'])))
    return lines
