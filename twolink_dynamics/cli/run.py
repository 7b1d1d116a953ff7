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

"""``twolink run``: simulator and controller as two processes, and whether the arm followed."""

import argparse
import json
import math
import os
from pathlib import Path
import re
import sys

from twolink_dynamics.cli.motions import standard_motion
from twolink_dynamics.cli.text import filled
from twolink_dynamics.control import LAWS
from twolink_dynamics.errors import ParameterError

__all__ = ['add_parser', 'run']

DESCRIPTION = (
    'Run a simulator and a controller of the arm as two processes, let the arm '
    'follow a trajectory, and sum up how well it did. The exit status is 0 if every joint kept '
    'within the tolerance, 1 if not, 130 after Ctrl-C.')
EXAMPLE = """examples:
  twolink run --duration 20 --plot run.png
  twolink run my_arm.urdf --tip-link tool0 --trajectory circle --law passivity
  twolink run --lockstep --log run.csv --json
"""


def _seconds(text):
    value = _number(text)
    if not 0.0 < value <= 86400.0:
        raise argparse.ArgumentTypeError(f'expected seconds above 0, up to a day, got {text!r}')
    return value


def _tolerance(text):
    value = _number(text)
    if not value > 0.0:
        raise argparse.ArgumentTypeError(f'expected a number above 0, got {text!r}')
    return value


def _number(text):
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f'expected a number, got {text!r}')
    return value


def _namespace(text):
    name = text.strip('/')
    if name and not re.fullmatch(r'[A-Za-z_][A-Za-z0-9_]*(/[A-Za-z_][A-Za-z0-9_]*)*', name):
        raise argparse.ArgumentTypeError(
            f'expected letters, digits and underscores, begun by a letter, got {text!r}')
    if '__' in name:
        raise argparse.ArgumentTypeError(f'ROS allows no double underscore, got {text!r}')
    return f'/{name}' if name else ''


def add_parser(subparsers):
    """
    Add the arguments of this command.

    Parameters
    ----------
    subparsers : argparse action

    """
    parser = subparsers.add_parser(
        'run', help='simulate and control the arm in two processes, and judge the tracking',
        description=filled(DESCRIPTION), epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add('urdf', nargs='?', metavar='URDF', default=None,
        help='the arm, a .urdf or .xacro file; the two-link arm of this package if not given')
    add('--base-link', metavar='LINK', help='first link of the chain, if that is ambiguous')
    add('--tip-link', metavar='LINK', help='last link of the chain, if that is ambiguous')
    add('--trajectory', choices=('swing', 'circle'), default='swing',
        help='a swing of the joints (default), or a circle of the tip; slower where the limits of '
        'the arm need it')
    add('--law', choices=tuple(LAWS), default='computed_torque', metavar='NAME',
        help='the control law, with its default gains: ' + ', '.join(LAWS)
        + '; default computed_torque')
    add('--duration', type=_seconds, default=10.0, metavar='S',
        help='how long the trajectory lasts [s], unless the limits of the arm make it longer; '
        'default 10')
    add('--tolerance', type=_tolerance, default=5e-3, metavar='E',
        help='largest rms error of a joint that counts as followed [rad or m]; default 0.005')
    add('--namespace', type=_namespace, default='', metavar='NS',
        help='namespace of all nodes and topics, so that several runs do not meet; default none')
    add('--lockstep', action='store_true',
        help='the simulator waits for each effort: the same numbers on any machine, as fast as '
        'it goes')
    add('--plot', metavar='FILE', help='draw desired and actual motion, error and effort')
    add('--log', metavar='FILE.csv', help='write every state beside what was desired')
    add('--json', action='store_true', help='print the summary as JSON')
    parser.set_defaults(run=run)


def _check_files(args):
    """Find out before the run whether its files can be written after it."""
    if args.plot:
        from twolink_dynamics.cli.plot import check_plot
        check_plot(args.plot)
    for option in ('plot', 'log'):
        path = getattr(args, option)
        if not path:
            continue
        folder = Path(path).resolve().parent
        if not folder.is_dir():
            raise ParameterError(f'--{option}', path, f'a file in a folder that exists; {folder} '
                                 'does not')
        if Path(path).is_dir() or not os.access(
                path if os.path.exists(path) else folder, os.W_OK):
            raise ParameterError(f'--{option}', path, 'a file that can be written')


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
    from twolink_dynamics import load_arm, share_path
    from twolink_dynamics.clients.session import Session

    _check_files(args)
    source = args.urdf or str(share_path('urdf', 'twolink.urdf'))
    arm = load_arm(source, base_link=args.base_link, tip_link=args.tip_link)
    trajectory = standard_motion(arm, args.trajectory, args.duration)
    title = (f'{arm.chain.name}, {arm.chain.base_link} to {arm.chain.tip_link}: '
             f'{args.trajectory}, {trajectory.duration:.3g} s')
    if trajectory.duration > 1.01 * args.duration:
        title += ' (slowed down to the limits of the arm)'
    if not args.json:
        _say(title)
    with Session(arm, Path(source).resolve(), args) as session:
        record = session.follow(trajectory)
    return _report(record, session.complaints, args, title)


def _say(*lines):
    sys.stdout.write(''.join(f'{line}\n' for line in lines))
    sys.stdout.flush()


def _report(record, complaints, args, title):
    """Write what came of the run, and return the exit status."""
    reason = _judge(record, args)
    if args.log:
        record.write_csv(args.log)
    if args.plot and len(record.t) > 1:
        from twolink_dynamics.cli.plot import write_plot
        write_plot(record, args.plot, title, args.tolerance)
    for line in complaints:
        sys.stderr.write(f'{line}\n')
    units = sorted({f'm{joint["unit"]}' for joint in record.figures()['joints']})
    verdict = reason or ('followed: rms error of every joint within '
                         f'{1e3 * args.tolerance:g} {" or ".join(units)}')
    if args.json:
        figures = {**record.figures(), 'tolerance': args.tolerance, 'followed': not reason,
                   'verdict': verdict}
        _say(json.dumps(figures, indent=2, allow_nan=False))
    else:
        _say(*record.table(), verdict)
    return 1 if reason else 0


def _judge(record, args):
    """Return why the arm did not follow, or an empty text."""
    # In real time a busy machine may keep states from this process that the controller did get.
    enough = 1.0 if args.lockstep else 0.8
    if record.coverage < enough:
        return f'not followed: only {len(record.t)} of {record.expected} states arrived here'
    worst = int(record.rms.argmax())
    if not record.rms[worst] <= args.tolerance:
        return (f'not followed: joint "{record.arm.joint_names[worst]}" has an rms error of '
                f'{1e3 * record.rms[worst]:.4g} m{record.figures()["joints"][worst]["unit"]}, '
                f'more than {1e3 * args.tolerance:g}')
    return ''
