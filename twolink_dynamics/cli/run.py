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
from functools import partial
import os
from pathlib import Path
import re
import shlex
import sys
from typing import TYPE_CHECKING

from twolink_dynamics.cli.arguments import add_command, assignment, check_folder, \
    finite_number, positive_number, Subparsers
from twolink_dynamics.cli.text import as_json, say
from twolink_dynamics.errors import ParameterError
from twolink_dynamics.options import named_values
from twolink_dynamics.options.command_line import add_arguments
from twolink_dynamics.studies.summary import not_followed
from twolink_dynamics.tracking.controller_options import CONTROLLER
from twolink_dynamics.tracking.reference import REFERENCE

if TYPE_CHECKING:
    from twolink_dynamics.clients.run_record import RunRecord

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
# Of the nodes: what may be chosen here, too.
CHOSEN = [entry for entry in (*REFERENCE, *CONTROLLER) if entry.name in ('trajectory', 'law')]

_seconds = partial(finite_number, words='seconds above 0, up to a day', above=0.0, high=86400.0)


def _namespace(text: str) -> str:
    name = text.strip('/')
    if name and not re.fullmatch(r'[A-Za-z_][A-Za-z0-9_]*(/[A-Za-z_][A-Za-z0-9_]*)*', name):
        raise argparse.ArgumentTypeError(
            f'expected letters, digits and underscores, begun by a letter, got {text!r}')
    if '__' in name:
        raise argparse.ArgumentTypeError(f'ROS allows no double underscore, got {text!r}')
    return f'/{name}' if name else ''


def add_parser(subparsers: Subparsers) -> None:
    """
    Add the arguments of this command.

    Parameters
    ----------
    subparsers : argparse action

    """
    parser = add_command(
        subparsers, 'run', 'simulate and control the arm in two processes, and judge the tracking',
        DESCRIPTION, EXAMPLE, run)
    add = parser.add_argument
    add('urdf', nargs='?', metavar='URDF', default=None,
        help='the arm, a .urdf or .xacro file; the two-link arm of this package if not given')
    add('--base-link', metavar='LINK', help='first link of the chain, if that is ambiguous')
    add('--tip-link', metavar='LINK', help='last link of the chain, if that is ambiguous')
    add_arguments(parser, CHOSEN)
    parser.set_defaults(**{entry.name: entry.default for entry in CHOSEN})
    add('--motion-option', action='append', type=assignment, default=[], metavar='NAME=VALUE',
        help='what else the motion takes; may be repeated')
    add('--law-option', action='append', default=[], metavar='NAME=VALUE',
        help='what else the law takes; may be repeated')
    add('--duration', type=_seconds, default=10.0, metavar='S',
        help='how long the trajectory lasts [s], unless the limits of the arm make it longer; '
        'default 10')
    add('--tolerance', type=positive_number, default=5e-3, metavar='E',
        help='largest rms error of a joint that counts as followed [rad or m]; default 0.005')
    add('--namespace', type=_namespace, default='', metavar='NS',
        help='namespace of all nodes and topics, so that several runs do not meet; default none')
    add('--lockstep', action='store_true',
        help='the simulator waits for each effort: the same numbers on any machine, as fast as '
        'it goes')
    add('--plot', metavar='FILE', help='draw desired and actual motion, error and effort')
    add('--log', metavar='FILE.csv', help='write every state beside what was desired')
    add('--json', action='store_true', help='print the summary as JSON')


def _check_files(args: argparse.Namespace) -> None:
    """Find out before the run whether its files can be written after it."""
    if args.plot:
        from twolink_dynamics.cli.plot import check_plot
        check_plot(args.plot)
    for option in ('plot', 'log'):
        path = getattr(args, option)
        if not path:
            continue
        check_folder(f'--{option}', path, ())
        if Path(path).is_dir() or not os.access(
                path if os.path.exists(path) else Path(path).resolve().parent, os.W_OK):
            raise ParameterError(f'--{option}', path, 'a file that can be written')


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
    from twolink_dynamics import load_arm, share_path
    from twolink_dynamics.clients.session import Session
    from twolink_dynamics.trajectory.generators import make_motion

    _check_files(args)
    source = args.urdf or str(share_path('urdf', 'twolink.urdf'))
    arm = load_arm(source, base_link=args.base_link, tip_link=args.tip_link)
    args.law_options = shlex.join(args.law_option)
    named_values('--law-option', args.law_options)
    trajectory = make_motion(args.trajectory, arm, **{
        'duration': args.duration, **dict(args.motion_option)})
    title = (f'{arm.chain.name}, {arm.chain.base_link} to {arm.chain.tip_link}: '
             f'{args.trajectory}, {trajectory.duration:.3g} s')
    if trajectory.duration > 1.01 * args.duration:
        title += ' (slowed down to the limits of the arm)'
    if not args.json:
        say(title)
    with Session(arm, Path(source).resolve(), args) as session:
        record = session.follow(trajectory)
    return _report(record, session.complaints, args, title)


def _report(record: 'RunRecord', complaints: list[str], args: argparse.Namespace,
            title: str) -> int:
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
        say(as_json(figures))
    else:
        say(*record.table(), verdict)
    return 1 if reason else 0


def _judge(record: 'RunRecord', args: argparse.Namespace) -> str:
    """Return why the arm did not follow, or an empty text."""
    # In real time a busy machine may keep states from this process that the controller did get.
    enough = 1.0 if args.lockstep else 0.8
    if record.coverage < enough:
        return f'not followed: only {len(record.t)} of {record.expected} states arrived here'
    reason = not_followed(record.figures()['joints'], args.tolerance)
    return f'not followed: {reason}' if reason else ''
