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
import json
import math
from pathlib import Path
import sys
import time

import numpy as np

from twolink_dynamics.cli.arm_options import add_arm_arguments, finite_number, load
from twolink_dynamics.cli.logs import is_log, read_log
from twolink_dynamics.cli.motions import standard_motion
from twolink_dynamics.cli.plant_arguments import add_plant_arguments, plant_options
from twolink_dynamics.cli.summary import as_text, figures_of
from twolink_dynamics.cli.text import filled, say
from twolink_dynamics.control import LAWS, make_law
from twolink_dynamics.errors import ParameterError, ShapeError
from twolink_dynamics.plotting import style
from twolink_dynamics.share import share_path
from twolink_dynamics.simulation import simulate
from twolink_dynamics.simulation.integrators import METHODS
from twolink_dynamics.trajectory import minimum_jerk, Trajectory

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
# What a law is given as numbers: one for all joints, or one for each.
GAINS = ('kp', 'kd', 'ki', 'natural_frequency', 'damping_ratio')


def _above_zero(text):
    value = finite_number(text)
    if not value > 0.0:
        raise argparse.ArgumentTypeError(f'expected a number above 0, got {text!r}')
    return value


def _trajectory(text):
    if text not in ('swing', 'circle', 'rest') and not is_log(text):
        raise argparse.ArgumentTypeError(
            f'expected swing, circle, rest, or a .csv or .npz file, got {text!r}')
    return text


def _law_option(text):
    name, given, value = text.partition('=')
    if not (name and given):
        raise argparse.ArgumentTypeError(f'expected NAME=VALUE, got {text!r}')
    try:
        value = json.loads(value)
    except ValueError:
        pass  # a word
    return name, value


def add_parser(subparsers):
    """
    Add the arguments of this command.

    Parameters
    ----------
    subparsers : argparse action

    """
    parser = subparsers.add_parser(
        'simulate', help='simulate arm, law and trajectory in one process, without ROS',
        description=filled(DESCRIPTION), epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arm_arguments(
        parser, nargs='?', default=None,
        help='the arm, a .urdf or .xacro file; the two-link arm of this package if not given')
    _add_motion(parser)
    _add_law(parser)
    add_plant_arguments(parser)
    add = parser.add_argument_group('what comes of it').add_argument
    add('--energy', action='store_true',
        help='keep account of what changed the energy (takes longer)')
    add('--tolerance', type=_above_zero, metavar='E',
        help='largest rms error of a joint that counts as followed [rad or m]')
    add('--log', metavar='FILE', help='write every state, effort and energy: .csv or .npz')
    add('--plot', metavar='FILE', help='draw positions, errors, efforts and energy')
    add('--json', action='store_true', help='print the summary as JSON')
    parser.set_defaults(run=run)


def _add_motion(parser):
    add = parser.add_argument_group('the motion').add_argument
    add('--trajectory', type=_trajectory, default=None, metavar='WHICH',
        help='swing of the joints (default), circle of the tip, rest where it starts, or a .csv '
        'or .npz file with t and q_desired or q of each joint')
    add('--goal', nargs='+', type=finite_number, metavar='Q',
        help='instead: a smooth move from the start to there [rad or m]')
    add('--move-time', type=_above_zero, metavar='S',
        help='how long the move to --goal takes [s]; the whole duration')
    add('--duration', type=_above_zero, metavar='S',
        help='how long to simulate [s]: 10, or what the trajectory takes')
    add('--q0', nargs='+', type=finite_number, metavar='Q',
        help='positions at the start; where the trajectory starts')
    add('--qd0', nargs='+', type=finite_number, metavar='V', help='velocities at the start; 0')
    add('--dt', type=_above_zero, default=1e-3, metavar='S', help='time step [s] (0.001)')
    add('--method', choices=sorted(METHODS), default='rk4', help='the integrator (rk4)')
    add('--control-period', type=_above_zero, metavar='S',
        help='of the law [s], a multiple of the time step; the time step')


def _add_law(parser):
    add = parser.add_argument_group('the law').add_argument
    add('--law', choices=(NONE, *LAWS), default='computed_torque', metavar='NAME',
        help='computed_torque (default); none: the arm swings freely; ' + ', '.join(
            name for name in LAWS if name != 'computed_torque'))
    for name, words in (
            ('kp', 'gain of the position error'), ('kd', 'gain of the velocity error'),
            ('ki', 'gain of the integral'), ('natural-frequency', 'instead of kp, kd [rad/s]'),
            ('damping-ratio', 'with it')):
        add(f'--{name}', nargs='+', type=finite_number, metavar='V',
            help=f'{words}; one for all joints, or one for each')
    add('--compensate-friction', action='store_true', help="of the URDF's friction")
    add('--law-option', action='append', type=_law_option, default=[], metavar='NAME=VALUE',
        help='what else the law takes; may be repeated')


def run(args):
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
    law = _law(arm, args)
    trajectory, q0, duration, what = _motion(arm, args, law)
    options = plant_options(args, lambda path: load(argparse.Namespace(
        **{**vars(args), 'urdf': path})), args.energy)
    start = time.perf_counter()
    result = simulate(
        arm, duration, args.dt, q0, args.qd0, law, trajectory, args.control_period, args.method,
        options, args.seed, progress=sys.stderr.isatty())
    wall = time.perf_counter() - start
    title = (f'{arm.chain.name}, {arm.chain.base_link} to {arm.chain.tip_link}: '
             f'{"free" if law is None else args.law}, {what}, {duration:.4g} s')
    return _report(result, args, title, wall, law is not None and args.tolerance)


def _check_files(args):
    """Find out before the work whether its files can be written after it."""
    if args.plot:
        style.check_file('--plot', args.plot)
    if args.log:
        path = Path(args.log)
        if path.suffix not in ('.csv', '.npz') or path.is_dir():
            raise ParameterError('--log', args.log, 'a file that ends in .csv or .npz')
        if not path.resolve().parent.is_dir():
            raise ParameterError('--log', args.log, 'a file in a folder that exists')
    if args.tolerance and args.law == NONE:
        raise ParameterError('--tolerance', args.tolerance, 'to go with a law')


def _law(arm, args):
    options = dict(args.law_option)
    for name in GAINS:
        value = getattr(args, name)
        if value is not None:
            options[name] = value if len(value) > 1 else value[0]
    if args.compensate_friction:
        options['friction'] = True
    if args.law == NONE:
        if options:
            raise ParameterError('--law', NONE, 'a law, for gains to go with it')
        return None
    return make_law(args.law, arm, **options)


def _vector(name, values, arm):
    if values is None:
        return None
    if len(values) != arm.n:
        raise ShapeError(name, f'({arm.n},)', (len(values),),
                         'a number for each joint: ' + ', '.join(arm.joint_names))
    return np.array(values)


def _motion(arm, args, law):
    """Return trajectory, start, duration, and what the motion is called."""
    q0 = _vector('--q0', args.q0, arm)
    args.qd0 = _vector('--qd0', args.qd0, arm)
    goal = _vector('--goal', args.goal, arm)
    if goal is not None and args.trajectory is not None:
        raise ParameterError('--goal', args.goal, f'no --trajectory beside it: {args.trajectory}')
    if goal is None and args.move_time is not None:
        raise ParameterError('--move-time', args.move_time, 'to go with --goal')
    if law is None and (goal is not None or args.trajectory not in (None, 'rest')):
        raise ParameterError('--law', NONE, 'a law, for a trajectory to be followed')
    duration = args.duration or 10.0
    if goal is not None:
        start = np.zeros(arm.n) if q0 is None else q0
        move = minimum_jerk(start, goal, args.move_time or duration)
        return move, q0, args.duration or move.end_time, 'move'
    if law is None or args.trajectory == 'rest':
        return None, q0, duration, 'from rest' if args.qd0 is None else 'from a start in motion'
    kind = args.trajectory or 'swing'
    if is_log(kind):
        trajectory = _from_file(arm, kind)
        return trajectory, q0, args.duration or trajectory.end_time, Path(kind).name
    trajectory = standard_motion(arm, kind, duration)
    if trajectory.duration > 1.01 * duration:
        kind += ' (slowed down to the limits of the arm)'
    return trajectory, q0, trajectory.duration, kind


def _from_file(arm, path):
    """Return the motion that a log asked for, or else had."""
    motion = read_log(path).of_arm(arm)
    q, qd = (motion.q, motion.qd) if motion.q_desired is None else (
        motion.q_desired, motion.qd_desired)
    if not np.isfinite(q).all():
        raise ParameterError('--trajectory', path, 'desired positions without gaps')
    return Trajectory(motion.t - motion.t[0], q, qd)


def _report(result, args, title, wall, tolerance):
    """Write what came of it, and return the exit status."""
    facts = {'title': title, **figures_of(result, wall), 'law': args.law, 'dt': args.dt,
             'method': args.method}
    reason = ''
    if tolerance:
        worst = max(facts['joints'], key=lambda joint: joint['rms_error'])
        if not worst['rms_error'] <= tolerance:
            reason = (f'joint "{worst["name"]}" has an rms error of '
                      f'{1e3 * worst["rms_error"]:.4g} m{worst["unit"]}, more than '
                      f'{1e3 * tolerance:g}')
        facts.update(tolerance=tolerance, followed=not reason)
    if args.log:
        result.save(args.log)
    if args.plot:
        result.plot(args.plot, title)
    if args.json:
        say(json.dumps(_plain(facts), indent=2, allow_nan=False))
    else:
        say(title, *as_text(facts))
        if tolerance:
            say('not followed: ' + reason if reason else 'followed: rms error of every joint '
                f'within {1e3 * tolerance:g} mrad or mm')
    return 1 if reason else 0


def _plain(value):
    """Return JSON's values: null where there is no limit."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
