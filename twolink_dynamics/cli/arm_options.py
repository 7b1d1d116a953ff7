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

"""The arguments that say which arm is meant, the same for every command."""

import argparse
from functools import partial
from typing import Any

from twolink_dynamics import Arm, load_arm
from twolink_dynamics.cli.arguments import assignment, finite_number

__all__ = ['add_arm_arguments', 'load', 'xacro_arguments']


def add_arm_arguments(parser: argparse.ArgumentParser, gravity: bool = True,
                      **urdf: Any) -> None:
    """
    Add the URDF, the links at the ends of the chain, and what else decides on the arm.

    Parameters
    ----------
    parser : argparse.ArgumentParser
    gravity : bool
        Whether gravity matters to the command.
    **urdf
        Of the URDF's argument, such as ``nargs='?'``.

    """
    add = parser.add_argument
    add('urdf', **{'metavar': 'URDF', 'help': 'the arm, a .urdf or .xacro file', **urdf})
    add('--base-link', metavar='LINK', help='first link of the chain; the root if not given')
    add('--tip-link', metavar='LINK', help='last link of the chain, if that is ambiguous')
    add('--side-branches', choices=('lump', 'drop'), default='lump',
        help='whether what hangs beside the chain and beyond its tip is felt, its joints locked '
        '(lump, the default), or left out')
    add('--xacro-arg', metavar='NAME:=VALUE', dest='xacro_args', action='append',
        type=partial(assignment, mark=':='), default=[],
        help='an argument of a .xacro file; may be repeated')
    if gravity:
        add('--gravity', nargs=3, type=finite_number, metavar=('X', 'Y', 'Z'),
            default=(0.0, 0.0, -9.81), help='in the frame of the base link [m/s^2], '
            '0 0 -9.81 if not given')


def xacro_arguments(args: argparse.Namespace) -> dict[str, str] | None:
    """
    Return the arguments of a .xacro file as a dictionary, or None.

    Parameters
    ----------
    args : argparse.Namespace

    Returns
    -------
    arguments : dict of str to str, or None

    """
    return dict(args.xacro_args) or None


def load(args: argparse.Namespace) -> Arm:
    """
    Load the arm that the arguments mean.

    Parameters
    ----------
    args : argparse.Namespace

    Returns
    -------
    arm : Arm

    Raises
    ------
    TwoLinkError
        As :func:`~twolink_dynamics.load_arm` does.

    """
    return load_arm(args.urdf, args.base_link, args.tip_link, args.gravity,
                    xacro_arguments(args), args.side_branches)
