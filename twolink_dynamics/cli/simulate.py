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

"""``twolink simulate``: the arm, a control law and a trajectory in one process, without ROS."""

import argparse
from dataclasses import replace
import math
from pathlib import Path
import sys
import time
from typing import Any, TYPE_CHECKING

import numpy as np

from twolink_dynamics.array_types import FloatArray
from twolink_dynamics.cli.arguments import add_command, assignment, check_folder, \
    finite_number, positive_number, Subparsers
from twolink_dynamics.cli.arm_options import add_arm_arguments, load
from twolink_dynamics.cli.logs import is_log, read_log
from twolink_dynamics.cli.plant_arguments import add_plant_arguments, plant_options
from twolink_dynamics.cli.summary import as_text
from twolink_dynamics.cli.text import as_json, say
from twolink_dynamics.control import make_law
from twolink_dynamics.control.law import Law
from twolink_dynamics.errors import ParameterError, ShapeError
from twolink_dynamics.options import Option
from twolink_dynamics.options.command_line import add_arguments, from_arguments
from twolink_dynamics.plotting import style
from twolink_dynamics.registry import names
from twolink_dynamics.share import share_path
from twolink_dynamics.simulation import simulate
from twolink_dynamics.simulation.plant_options import SEED
from twolink_dynamics.studies.summary import figures_of, not_followed
from twolink_dynamics.tracking.controller_options import LAW
from twolink_dynamics.trajectory import minimum_jerk, Trajectory
from twolink_dynamics.trajectory.generators import make_motion

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm
    from twolink_dynamics.simulation.result import SimulationResult

__all__ = ['add_parser', 'run']

DESCRIPTION = (
    'Simulate an arm that a control law lets follow a trajectory, or that swings freely, without '
    'ROS and as fast as it goes; sum up how well it did. The exit status is 0, or 1 if a '
    '--tolerance is given and a joint did not keep within it.')
EXAMPLE = """examples:
  twolink simulate --trajectory circle --log circle.csv --plot circle.png
  twolink simulate my_arm.urdf --law gravity_pd --natural-frequency 8 --mass-factor 1.2
  twolink simulate --law none --q0 0.5 0 --duration 20 --energy --log free.npz
"""
NONE = 'none'
REST = 'rest'


def _laws() -> tuple[str, ...]:
    return (NONE, *names('law'))


def _argument(entry: Option) -> Option:
    """Return an option of the controller's law as it is here: with no law, too, and no extras."""
    if entry.name == 'law':
        return replace(entry, choices=_laws, description=f'{entry.description}; {NONE}: the arm '
                       'swings freely')
    return replace(entry, default=False if entry.kind == 'bool' else None)


# The law and its gains, by the names of its arguments; what is not given, the law chooses.
LAW_OPTIONS = {'friction' if entry.kind == 'bool' else entry.name: _argument(entry)
               for entry in LAW if entry.flag is not None}


def _trajectory(text: str) -> str:
    if text not in (*names('motion'), REST) and ':' not in text and not is_log(text):
        raise argparse.ArgumentTypeError(
            f'expected {", ".join(names("motion"))}, {REST}, module:function, or a .csv or .npz '
            f'file, got {text!r}')
    return text


def add_parser(subparsers: Subparsers) -> None:
    """
    Add the arguments of this command.

    Parameters
    ----------
    subparsers : argparse action

    """
    parser = add_command(
        subparsers, 'simulate', 'simulate arm, law and trajectory in one process, without ROS',
        DESCRIPTION, EXAMPLE, run)
    add_arm_arguments(
        parser, nargs='?', default=None,
        help='the arm, a .urdf or .xacro file; the two-link arm of this package if not given')
    _add_motion(parser)
    _add_law(parser)
    add_plant_arguments(parser)
    add = parser.add_argument_group('what comes of it').add_argument
    add('--tolerance', type=positive_number, metavar='E',
        help='largest rms error of a joint that counts as followed [rad or m]')
    add('--log', metavar='FILE', help='write every state, effort and energy: .csv or .npz')
    add('--plot', metavar='FILE', help='draw positions, errors, efforts and energy')
    add('--json', action='store_true', help='print the summary as JSON')


def _add_motion(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group('the motion').add_argument
    add('--trajectory', type=_trajectory, default=None, metavar='WHICH',
        help=f'a motion (swing): {", ".join(names("motion"))}, module:function; {REST} where it '
        'starts, or a .csv or .npz file with t and q_desired or q of each joint')
    add('--motion-option', action='append', type=assignment, default=[], metavar='NAME=VALUE',
        help='what else the motion takes; may be repeated')
    add('--goal', nargs='+', type=finite_number, metavar='Q',
        help='instead: a smooth move from the start to there [rad or m]')
    add('--move-time', type=positive_number, metavar='S',
        help='how long the move to --goal takes [s]; the whole duration')
    add('--duration', type=positive_number, metavar='S',
        help='how long to simulate [s]: 10, or what the trajectory takes')
    add('--q0', nargs='+', type=finite_number, metavar='Q',
        help='positions at the start; where the trajectory starts')
    add('--qd0', nargs='+', type=finite_number, metavar='V', help='velocities at the start; 0')
    add('--dt', type=positive_number, default=1e-3, metavar='S', help='time step [s] (0.001)')
    add('--control-period', type=positive_number, metavar='S',
        help='of the law [s], a multiple of the time step; the time step')


def _add_law(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group('the law')
    add_arguments(group, LAW_OPTIONS.values())
    group.add_argument(
        '--law-option', action='append', type=assignment, default=[], metavar='NAME=VALUE',
        help='what else the law takes; may be repeated')


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
    _check_files(args)
    args.urdf = args.urdf or str(share_path('urdf', 'twolink.urdf'))
    arm = load(args)
    law_name, law = _law(arm, args)
    # What the plant does not limit, the motion need not keep to.
    unlimited = args.effort_limits is False
    trajectory, q0, duration, what = _motion(
        arm.with_parameters(effort=math.inf) if unlimited else arm, args, law)
    options = plant_options(args, lambda path: load(argparse.Namespace(
        **{**vars(args), 'urdf': path})))
    start = time.perf_counter()
    result = simulate(
        arm, duration, args.dt, q0, args.qd0, law, trajectory, args.control_period,
        options.method, options, args.seed or SEED.default, progress=sys.stderr.isatty())
    wall = time.perf_counter() - start
    title = (f'{arm.chain.name}, {arm.chain.base_link} to {arm.chain.tip_link}: '
             f'{"free" if law is None else law_name}, {what}, {duration:.4g} s')
    facts = {'title': title, **figures_of(result, wall), 'law': law_name, 'dt': args.dt,
             'method': options.method}
    return _report(result, args, facts, args.tolerance if law is not None else None)


def _check_files(args: argparse.Namespace) -> None:
    """Find out before the work whether its files can be written after it."""
    if args.plot:
        style.check_file('--plot', args.plot)
    if args.log:
        check_folder('--log', args.log, ('.csv', '.npz'))
    if args.tolerance and args.law == NONE:
        raise ParameterError('--tolerance', args.tolerance, 'to go with a law')


def _law(arm: 'Arm', args: argparse.Namespace) -> tuple[str, Law | None]:
    options = {**dict(args.law_option), **from_arguments(args, LAW_OPTIONS)}
    name = options.pop('law', LAW_OPTIONS['law'].default)
    if name == NONE:
        if options:
            raise ParameterError('--law', NONE, 'a law, for gains to go with it')
        return name, None
    return name, make_law(name, arm, **options)


def _vector(name: str, values: list[float] | None, arm: 'Arm') -> FloatArray | None:
    if values is None:
        return None
    if len(values) != arm.n:
        raise ShapeError(name, f'({arm.n},)', (len(values),),
                         'a number for each joint: ' + ', '.join(arm.joint_names))
    return np.array(values)


def _motion(arm: 'Arm', args: argparse.Namespace, law: Law | None
            ) -> tuple[Trajectory | None, FloatArray | None, float, str]:
    """Return trajectory, start, duration, and what the motion is called."""
    q0 = _vector('--q0', args.q0, arm)
    args.qd0 = _vector('--qd0', args.qd0, arm)
    goal = _vector('--goal', args.goal, arm)
    if goal is not None and args.trajectory is not None:
        raise ParameterError('--goal', args.goal, f'no --trajectory beside it: {args.trajectory}')
    if goal is None and args.move_time is not None:
        raise ParameterError('--move-time', args.move_time, 'to go with --goal')
    if law is None and (goal is not None or args.trajectory not in (None, REST)):
        raise ParameterError('--law', NONE, 'a law, for a trajectory to be followed')
    duration = args.duration or 10.0
    if goal is not None:
        start = np.zeros(arm.n) if q0 is None else q0
        move = minimum_jerk(start, goal, args.move_time or duration)
        return move, q0, args.duration or move.end_time, 'move'
    if law is None or args.trajectory == REST:
        return None, q0, duration, 'from rest' if args.qd0 is None else 'from a start in motion'
    kind = args.trajectory or 'swing'
    if is_log(kind):
        trajectory = _from_file(arm, kind)
        return trajectory, q0, args.duration or trajectory.end_time, Path(kind).name
    given = dict(args.motion_option)
    if args.duration is not None or not {'period', 'cycles'} <= set(given):
        given.setdefault('duration', duration)
    trajectory = make_motion(kind, arm, **given)
    if not args.motion_option and trajectory.duration > 1.01 * duration:
        kind += ' (slowed down to the limits of the arm)'
    return trajectory, q0, trajectory.duration, kind


def _from_file(arm: 'Arm', path: str) -> Trajectory:
    """Return the motion that a log asked for, or else had."""
    motion = read_log(path).of_arm(arm)
    q, qd = (motion.q, motion.qd) if motion.q_desired is None else (
        motion.q_desired, motion.qd_desired)
    if not np.isfinite(q).all():
        raise ParameterError('--trajectory', path, 'desired positions without gaps')
    return Trajectory(motion.t - motion.t[0], q, qd)


def _report(result: 'SimulationResult', args: argparse.Namespace, facts: dict[str, Any],
            tolerance: float | None) -> int:
    """Write what came of it, and return the exit status."""
    reason = not_followed(facts['joints'], tolerance) if tolerance else ''
    if tolerance:
        facts.update(tolerance=tolerance, followed=not reason)
    if args.log:
        result.save(args.log)
    if args.plot:
        result.plot(args.plot, facts['title'])
    if args.json:
        say(as_json(facts))
    else:
        say(facts['title'], *as_text(facts))
        if tolerance:
            say('not followed: ' + reason if reason else 'followed: rms error of every joint '
                f'within {1e3 * tolerance:g} mrad or mm')
    return 1 if reason else 0
