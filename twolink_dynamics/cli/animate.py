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

"""``twolink animate``: a moving picture of a log, the arm with the trail of its tip."""

import argparse
from pathlib import Path

from twolink_dynamics.cli.arguments import add_command, positive_number, Subparsers, \
    whole_number
from twolink_dynamics.cli.arm_options import add_arm_arguments
from twolink_dynamics.cli.logs import add_log_arguments, add_part_arguments, asked_part, \
    URDF_HELP
from twolink_dynamics.cli.text import say
from twolink_dynamics.errors import ParameterError
from twolink_dynamics.plotting.style import check_file
from twolink_dynamics.plotting.video import find_encoder, FORMATS, frame_times, write_video

__all__ = ['add_parser', 'run']

DESCRIPTION = (
    'Draw a log as a moving picture: the arm, the trail of its tip, the desired arm in grey. An '
    'arm that moves in a plane is seen in it, with the workspace; any other from above and aside.')
EXAMPLE = """examples:
  twolink simulate --trajectory circle --log circle.csv
  twolink animate circle.csv
  twolink animate run.csv my_arm.urdf -o run.mp4 --speed 0.5 --trail 4
"""


def _size(text: str) -> int:
    value = whole_number(text, 100, 4000, '100 to 4000 pixels')
    return value + value % 2  # video formats want even numbers


def add_parser(subparsers: Subparsers) -> None:
    """
    Add the arguments of this command.

    Parameters
    ----------
    subparsers : argparse action

    """
    parser = add_command(
        subparsers, 'animate', 'draw a log as a moving picture (GIF or MP4)',
        DESCRIPTION, EXAMPLE, run)
    add_log_arguments(parser)
    add_arm_arguments(parser, nargs='?', default=None, help=URDF_HELP)
    add = parser.add_argument
    add('-o', '--output', metavar='FILE',
        help='a .gif or .mp4 file; the name of the log with .gif if not given')
    add('--fps', type=positive_number, default=25.0, metavar='F', help='frames a second (25)')
    add('--speed', type=positive_number, default=1.0, metavar='X', help='times real time (1)')
    add('--trail', type=positive_number, default=2.0, metavar='S',
        help="how long a point of the tip's way is shown [s] (2)")
    add('--size', type=_size, default=640, metavar='PX', help='width and height [pixels] (640)')
    add_part_arguments(parser)


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
    path = Path(args.output or Path(args.log).resolve().stem + '.gif')
    check_file('--output', path, FORMATS)
    gif = path.suffix.lower() == '.gif'
    if not gif:
        find_encoder()
    motion = asked_part(args)
    if motion.arm is None:
        raise ParameterError('URDF', None, 'the arm of the log, whose joints are '
                             + ', '.join(motion.joint_names))
    period = 1.0 / args.fps
    if gif:
        period = max(0.02, round(100.0 * period) / 100.0)  # a GIF counts in hundredths
    from twolink_dynamics.plotting.animation import Animation
    animation = Animation(motion, frame_times(motion, args.speed * period), args.trail, args.size,
                          args.title)
    write_video(animation, path, period, args.size)
    say(str(path))
    return 0
