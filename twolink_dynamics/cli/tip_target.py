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

"""The arguments that say which arm and where its tip shall be, for `ik` and `torque`."""

import argparse

import numpy as np

from twolink_dynamics.array_types import FloatArray
from twolink_dynamics.cli.arguments import finite_number
from twolink_dynamics.cli.arm_options import add_arm_arguments, load
from twolink_dynamics.dynamics.arm import Arm
from twolink_dynamics.dynamics.two_link_arm import arm_of_chain
from twolink_dynamics.errors import ModelError, ParameterError
from twolink_dynamics.model.dh import chain_from_dh
from twolink_dynamics.model.dh_files import read_dh, read_links, read_pose, read_start
from twolink_dynamics.spatial import homogeneous, rpy_rotation
from twolink_dynamics.validation import check_array

__all__ = ['add_arguments', 'asked_target', 'load_arm', 'start', 'with_unit']


def add_arguments(parser: argparse.ArgumentParser, gravity: bool) -> None:
    """
    Add the arm, the target and the start.

    Parameters
    ----------
    parser : argparse.ArgumentParser
    gravity : bool
        Whether gravity matters to the command.

    """
    add_arm_arguments(parser, gravity=gravity, nargs='?')
    group = parser.add_argument_group('an arm of Denavit-Hartenberg rows, instead of a URDF')
    group.add_argument('--dh', metavar='FILE', help='rows of alpha a d (degrees, lengths), '
                       'theta may follow')
    group.add_argument('--convention', choices=('modified', 'standard'), default='modified',
                       help='of the rows: modified (Craig, the default) or standard (Paul)')
    group.add_argument('--links', metavar='FILE', help='a row for each link: mass, centre of '
                       'mass, Ixx Iyy Izz, Ixy Ixz Iyz [kg, m, kg m^2]')
    group = parser.add_argument_group('where the tip shall be').add_mutually_exclusive_group()
    group.add_argument('--pose', metavar='FILE', help='four rows of four numbers')
    group.add_argument('--position', nargs=3, type=finite_number, metavar=('X', 'Y', 'Z'),
                       help='in the frame of the base link [m]')
    group.add_argument('--xy', nargs=2, type=finite_number, metavar=('X', 'Y'),
                       help="in a planar arm's plane: from joint 1, x towards joint 2 [m]")
    parser.add_argument('--rpy', nargs=3, type=finite_number, metavar=('ROLL', 'PITCH', 'YAW'),
                        help='makes a pose of --position [rad]')
    group = parser.add_argument_group('where to start').add_mutually_exclusive_group()
    group.add_argument('--start', nargs='+', type=finite_number, metavar='Q',
                       help='a number for each joint [rad or m]')
    group.add_argument('--start-file', metavar='FILE', help='the same from a file, in DEGREES')


def load_arm(args: argparse.Namespace) -> Arm:
    """
    Return the arm that is meant.

    Parameters
    ----------
    args : argparse.Namespace

    Returns
    -------
    arm : Arm

    Raises
    ------
    ParameterError
        If not exactly one of URDF and --dh is given.
    TwoLinkError
        If it cannot be read.

    """
    if (args.urdf is None) == (args.dh is None):
        raise ParameterError('arm', args.urdf, 'either a URDF or --dh FILE')
    if args.urdf is not None:
        if args.links is not None:
            raise ParameterError('--links', args.links, 'to go with --dh; a URDF has its own')
        return load(args)
    rows = read_dh(args.dh)
    links = None if args.links is None else read_links(args.links)
    if links is not None and len(links) != len(rows):
        raise ModelError(f'{args.links}: expected {len(rows)} links, one for each row of '
                         f'{args.dh}; got {len(links)}')
    chain = chain_from_dh(rows, args.convention, links, name=args.dh)
    return arm_of_chain(chain, getattr(args, 'gravity', (0.0, 0.0, -9.81)))


def asked_target(args: argparse.Namespace) -> FloatArray | None:
    """
    Return the target, or None if none is given.

    Parameters
    ----------
    args : argparse.Namespace

    Returns
    -------
    target : ndarray, shape (4, 4), (3,) or (2,), or None

    """
    if args.rpy is not None and args.position is None:
        raise ParameterError('--rpy', args.rpy, 'to go with --position X Y Z')
    if args.pose is not None:
        return read_pose(args.pose)
    if args.position is not None and args.rpy is not None:
        return homogeneous(rpy_rotation(*args.rpy), args.position)
    target = args.position if args.position is not None else args.xy
    return None if target is None else np.array(target)


def start(args: argparse.Namespace, arm: Arm) -> FloatArray | None:
    """
    Return the start vector, or None if none is given.

    Parameters
    ----------
    args : argparse.Namespace
    arm : Arm

    Returns
    -------
    q0 : ndarray, shape (n,), or None

    """
    if args.start_file is not None:
        return read_start(args.start_file, arm.joint_types)
    return None if args.start is None else check_array('--start', args.start)


def with_unit(kind: str, value: float, digits: int = 6) -> tuple[str, str]:
    """
    Return a joint position as text, in rad or m, and in degrees where it is an angle.

    Parameters
    ----------
    kind : str
        The joint's type.
    value : float
    digits : int
        Behind the point.

    Returns
    -------
    position, degrees : str

    """
    def rounded(number: float) -> str:  # and no -0.000000
        return f'{round(number, digits) + 0.0:.{digits}f}'

    return rounded(value), '-' if kind == 'prismatic' else rounded(np.degrees(value))
