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

"""``twolink view``: the arm in a browser, moved by sliders, by a log, or by ROS."""

import argparse
from functools import partial
from pathlib import Path
import signal
import sys
import time
from typing import TYPE_CHECKING

from twolink_dynamics.cli.arguments import add_command, Subparsers, whole_number
from twolink_dynamics.cli.arm_options import add_arm_arguments, load, xacro_arguments
from twolink_dynamics.cli.logs import add_bag_arguments, is_log, read_log, with_arm
from twolink_dynamics.cli.text import say
from twolink_dynamics.errors import MissingDependencyError, ParameterError, TwoLinkError
from twolink_dynamics.model.source import read_source, xml_text
from twolink_dynamics.recordings import Motion
from twolink_dynamics.share import share_path
from twolink_dynamics.signals import Interrupted, Signals

if TYPE_CHECKING:
    from twolink_dynamics.clients.state_listener import StateListener
    from twolink_dynamics.clients.viewer import Viewer

__all__ = ['add_parser', 'run']

DESCRIPTION = (
    'Show an arm in a browser: its shapes from the URDF, a slider for each joint, the trail of '
    'its tip. A log is played; with --live the joint states of a running ROS move the arm. Where '
    'meshes are missing primitives stand for them. Only this machine can look, unless --host '
    'says otherwise. Ctrl-C ends it.')
EXAMPLE = """examples:
  twolink view my_arm.urdf
  twolink simulate --trajectory circle --log circle.csv && twolink view circle.csv
  twolink view run.csv my_arm.urdf --port 8090
  twolink view --live --namespace left
"""
LOOPBACK = ('127.0.0.1', 'localhost', '::1')
# Pictures a second, and how long to wait for a description [s].
RATE, PATIENCE = 30.0, 10.0


class NoDescriptionError(TwoLinkError, RuntimeError):
    """Nobody publishes the robot's description."""


_port = partial(whole_number, low=1, high=65535, words='1 to 65535')


def add_parser(subparsers: Subparsers) -> None:
    """
    Add the arguments of this command.

    Parameters
    ----------
    subparsers : argparse action

    """
    parser = add_command(
        subparsers, 'view', 'show an arm or a log in a browser, in 3D',
        DESCRIPTION, EXAMPLE, run)
    add = parser.add_argument
    add('source', nargs='?', metavar='URDF|LOG', help='the arm, a .urdf or .xacro file; or a log: '
        '.csv, .npz or a bag; the two-link arm of this package if not given (with --live: the '
        'arm that ROS describes)')
    add_arm_arguments(parser, gravity=False, nargs='?', default=None,
                      help='the arm of a log; the two-link arm of this package if not given')
    add_bag_arguments(parser)
    add('--live', action='store_true', help='follow the joint states of a running ROS')
    add('--namespace', default='', metavar='NS', help='of the joint states, with --live')
    add('--host', default='127.0.0.1', help='address to serve at (127.0.0.1: this machine only)')
    add('--port', type=_port, default=8080, help='port to serve at, or the next that is free '
        '(8080)')
    parser.set_defaults(gravity=(0.0, 0.0, -9.81))


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
    motion = _sort_out(args)
    viewer = listener = None
    # Servers and readers of meshes swallow what is raised through them: a signal is a mark, too.
    with Signals() as signals:
        try:
            listener = _listener(args) if args.live else None
            viewer = _open(args, motion, listener)
            say(f'{viewer.url}  (Ctrl-C ends)')
            if args.host not in LOOPBACK:
                sys.stderr.write('twolink: warning: whoever reaches this machine can look and '
                                 'move the sliders\n')
            signals.starting = False
            _loop(viewer, listener, signals)
        except Interrupted:
            if viewer is None and signals.number == signal.SIGINT:
                raise KeyboardInterrupt from None
            if viewer is None:
                raise SystemExit(128 + signals.number) from None
        finally:
            signals.starting = False
            for opened in (viewer, listener):
                if opened is not None:
                    opened.close()
    return 0


def _sort_out(args: argparse.Namespace) -> Motion | None:
    """Find out what is a log and what an arm; return the motion of the log."""
    if args.source is not None and is_log(args.source):
        if args.live:
            raise ParameterError('--live', args.source, 'no log beside it')
        motion = with_arm(read_log(args.source, args.topic), args)
        if motion.arm is None:
            raise ParameterError('URDF', None, 'the arm of the log, whose joints are '
                                 + ', '.join(motion.joint_names))
        return motion
    if args.urdf is not None:
        raise ParameterError('LOG', args.source, 'a log before the URDF: .csv, .npz or a bag')
    if args.namespace and not args.live:
        raise ParameterError('--namespace', args.namespace, 'to go with --live')
    args.urdf = args.source
    if args.urdf is None and not args.live:
        args.urdf = str(share_path('urdf', 'twolink.urdf'))
    return None


def _listener(args: argparse.Namespace) -> 'StateListener':
    try:
        from twolink_dynamics.clients.state_listener import StateListener
    except ImportError as error:
        if (error.name or '').startswith(f'{__package__.split(".")[0]}.'):
            raise
        raise MissingDependencyError(
            f'rclpy ({error})', 'twolink view --live (or a sourced ROS 2)', 'ros') from None
    return StateListener(args.namespace, args.topic or 'joint_states')


def _described(listener: 'StateListener') -> str:
    """Return the URDF that ROS knows."""
    deadline = time.monotonic() + PATIENCE
    while listener.description is None:
        if time.monotonic() > deadline:
            raise NoDescriptionError(
                f'nobody has published robot_description for {PATIENCE:g} s; give the URDF: '
                'twolink view URDF --live')
        listener.spin(0.1)
    return xml_text(listener.description, 'topic robot_description')


def _open(args: argparse.Namespace, motion: Motion | None, listener: 'StateListener | None'
          ) -> 'Viewer':
    """Return the viewer."""
    from twolink_dynamics.clients.shapes import displayable
    from twolink_dynamics.clients.viewer import open_robot, Viewer
    if args.urdf is None and listener is not None:
        args.urdf = _described(listener)
    text, file = read_source(args.urdf, xacro_arguments(args))
    arm = motion.arm if motion is not None else load(args)
    shown = displayable(text, file)
    try:
        robot = open_robot(shown.xml)
    except MissingDependencyError:
        raise
    except TwoLinkError:
        # One mesh that cannot be read spoils it all: find out which, and do without.
        shown = displayable(text, file, _readable)
        robot = open_robot(shown.xml)
    if str(shown):
        sys.stderr.write(f'twolink: {shown}\n')
    return Viewer(robot, arm, args.host, args.port, motion, live=listener is not None)


def _readable(path: Path) -> bool:
    import trimesh
    try:
        return bool(trimesh.load(path, force='scene').geometry)
    except Exception:       # noqa: B902 - readers of meshes raise whatever they like
        return False


def _loop(viewer: 'Viewer', listener: 'StateListener | None', signals: Signals) -> None:
    """Move the arm until somebody ends it."""
    last, seen = time.monotonic(), 0
    while not signals.came:
        if listener is None:
            time.sleep(1.0 / RATE)
        else:
            listener.spin(1.0 / RATE)
            if listener.total != seen:
                seen = listener.total
                viewer.show(listener.positions)
        now = time.monotonic()
        viewer.tick(now - last)
        last = now
