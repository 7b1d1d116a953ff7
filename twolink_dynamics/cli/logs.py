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

"""Logs of motions: what `twolink run` and `simulate` wrote, and bags of joint states."""

import argparse
import os
from pathlib import Path
import sys
from typing import Any, Mapping

import numpy as np

from twolink_dynamics.cli.arguments import finite_number
from twolink_dynamics.cli.arm_options import load
from twolink_dynamics.errors import ParameterError
from twolink_dynamics.recordings import Motion
from twolink_dynamics.share import share_path
from twolink_dynamics.simulation.result import read_csv, read_npz

__all__ = ['BAGS', 'add_log_arguments', 'add_part_arguments', 'asked_part', 'is_log', 'read_log',
           'with_arm']

TABLES = ('.csv', '.npz')
#: A bag is a folder, or one of its files.
BAGS = ('.mcap', '.db3')
OWN_JOINTS = ('joint1', 'joint2')
URDF_HELP = ('the arm, a .urdf or .xacro file, for limits, units, energy and the tip; for a log '
             'with its joint names the two-link arm of this package if not given')


def add_log_arguments(parser: argparse.ArgumentParser) -> None:
    """
    Add the log and what says where in a bag to look.

    Parameters
    ----------
    parser : argparse.ArgumentParser

    """
    parser.add_argument(
        'log', metavar='LOG', help='a .csv or .npz that twolink run or simulate wrote, or a bag '
        '(a rosbag2 folder, .mcap or .db3)')
    add_bag_arguments(parser)


def add_bag_arguments(parser: argparse.ArgumentParser) -> None:
    """
    Add what says where in a bag to look.

    Parameters
    ----------
    parser : argparse.ArgumentParser

    """
    parser.add_argument('--topic', help='of the joint states in a bag; the one that ends in '
                        'joint_states if not given')


def add_part_arguments(parser: argparse.ArgumentParser) -> None:
    """
    Add which part of a log to show, and its title.

    Parameters
    ----------
    parser : argparse.ArgumentParser

    """
    add = parser.add_argument
    add('--from', dest='start', type=finite_number, metavar='S', help='draw from this time [s]')
    add('--to', dest='end', type=finite_number, metavar='S', help='draw up to this time [s]')
    add('--title', default='', help='above the picture; none if not given')


def asked_part(args: argparse.Namespace) -> Motion:
    """
    Return the part of the log that is meant.

    Parameters
    ----------
    args : argparse.Namespace

    Returns
    -------
    motion : Motion

    Raises
    ------
    TwoLinkError
        As :func:`read_log` and :func:`with_arm`, or if the part has less than two samples.

    """
    motion = with_arm(read_log(args.log, args.topic), args)
    if args.start is None and args.end is None:
        return motion
    return motion.between(args.start, args.end)


def is_log(path: str) -> bool:
    """
    Tell whether a path is a log rather than an arm's description.

    Parameters
    ----------
    path : str

    Returns
    -------
    log : bool

    """
    return Path(path).is_dir() or Path(path).suffix.lower() in TABLES + BAGS


def read_log(path: str | os.PathLike[str], topic: str | None = None) -> Motion:
    """
    Read a log.

    Parameters
    ----------
    path : path-like
    topic : str, optional
        Of the joint states in a bag.

    Returns
    -------
    motion : Motion
        Without a model.

    Raises
    ------
    ParameterError
        If there is no motion in it.
    MissingDependencyError
        If it is a bag and `rosbags` is not installed.
    OSError

    """
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(2, 'No such file or directory', str(path))
    if path.is_dir() or path.suffix.lower() in BAGS:
        from twolink_dynamics.recordings.bags import read_bag
        return _checked(read_bag(path, topic), path)
    if path.suffix.lower() not in TABLES:
        raise ParameterError('log', str(path), 'a file that ends in '
                             + ', '.join(TABLES + BAGS) + ', or the folder of a bag')
    if topic is not None:
        raise ParameterError('--topic', topic, 'to be left out: only bags have topics')
    names, arrays = (read_csv if path.suffix.lower() == '.csv' else read_npz)(path)
    missing = [name for name in ('t', 'q') if name not in arrays]
    if missing or not names:
        raise ParameterError('log', str(path), 'columns t and q[<joint>], as twolink run and '
                             'simulate write them')
    return _checked(_of_arrays(names, arrays), path)


def _of_arrays(names: tuple[str, ...], arrays: Mapping[str, Any]) -> Motion:
    works = {name[5:]: rows for name, rows in arrays.items() if name.startswith('work_')}
    impacts = tuple(
        (float(t), str(joint)) for t, kind, joint in zip(
            arrays.get('event_t', ()), arrays.get('event_kind', ()), arrays.get('event_joint', ()))
        if kind == 'impact')
    blocks = {name: arrays.get(name) for name in ('qd', 'tau', 'q_desired', 'qd_desired')}
    # Simulations say energies and which effort acts from a time on; joint states up to a time.
    return Motion(arrays['t'], names, arrays['q'], **blocks, energy=arrays.get('energy'),
                  work=works or None, impacts=impacts, efforts_lead='energy' in arrays)


def _checked(motion: Motion, path: Path) -> Motion:
    """Return a motion whose shapes and numbers make sense."""
    shape = (len(motion.t), motion.n)
    if len(motion.t) < 2:
        raise ParameterError('log', str(path), 'a log of two samples at least')
    for name in ('q', 'qd', 'tau', 'q_desired', 'qd_desired'):
        rows = getattr(motion, name)
        if rows is not None and rows.shape != shape:
            raise ParameterError('log', str(path), f'a {name} of {shape[0]} x {shape[1]} numbers')
    for name in ('t', 'q'):
        bad = np.flatnonzero(~np.isfinite(getattr(motion, name)).reshape(shape[0], -1).all(axis=1))
        if len(bad):
            raise ParameterError('log', str(path), f'finite numbers; {name} of sample {bad[0]} '
                                 '(counted from 0) is not')
    back = np.flatnonzero(np.diff(motion.t) <= 0.0)
    if len(back):
        raise ParameterError('log', str(path), 'increasing times; sample '
                             f'{back[0] + 1} (counted from 0) goes back')
    return motion


def with_arm(motion: Motion, args: argparse.Namespace) -> Motion:
    """
    Give a motion its model: that of the arguments, or this package's arm if it has its joints.

    Parameters
    ----------
    motion : Motion
    args : argparse.Namespace

    Returns
    -------
    motion : Motion
        Without a model if none is known.

    Raises
    ------
    TwoLinkError
        If the model cannot be read or has other joints.

    """
    if args.urdf is None:
        if motion.arm is not None or set(motion.joint_names) != set(OWN_JOINTS):
            return motion
        args.urdf = str(share_path('urdf', 'twolink.urdf'))
        sys.stderr.write('twolink: no URDF given: taken as the two-link arm of this package\n')
    return motion.of_arm(load(args))
