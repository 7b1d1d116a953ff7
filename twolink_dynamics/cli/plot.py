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

"""``twolink plot``: pictures of a log for print; and the picture of ``twolink run``."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from twolink_dynamics.cli.arguments import add_command, finite_number, Subparsers
from twolink_dynamics.cli.arm_options import add_arm_arguments
from twolink_dynamics.cli.logs import add_log_arguments, add_part_arguments, asked_part, \
    URDF_HELP
from twolink_dynamics.cli.text import say
from twolink_dynamics.errors import ParameterError
from twolink_dynamics.plotting import draw, KINDS, save
from twolink_dynamics.plotting.figures import overview, possible, WIDTHS
from twolink_dynamics.plotting.style import check_file
from twolink_dynamics.recordings import Motion

if TYPE_CHECKING:
    from twolink_dynamics.clients.run_record import RunRecord

__all__ = ['add_parser', 'check_plot', 'run', 'write_plot']

ALL = 'all'
DESCRIPTION = (
    'Draw pictures of a log, sized and lettered for print: as wide as a column or a page, legible '
    'with any kind of colour vision. Limits, energies and the path of the tip need the URDF.')
EXAMPLE = """examples:
  twolink plot run.csv my_arm.urdf
  twolink plot run.csv my_arm.urdf --kind tip --kind effort -o report.pdf
  twolink plot bag_folder my_arm.urdf --kind all --format svg --width page
"""


def _width(text: str) -> float:
    if text in WIDTHS:
        return WIDTHS[text]
    return 0.01 * finite_number(text, 'column, page, or 3 to 100 [cm]', low=3.0, high=100.0)


def add_parser(subparsers: Subparsers) -> None:
    """
    Add the arguments of this command.

    Parameters
    ----------
    subparsers : argparse action

    """
    kinds = '\n'.join(f'  {kind:10}{words}' for kind, words in KINDS.items())
    parser = add_command(
        subparsers, 'plot', 'draw pictures of a log, for print',
        DESCRIPTION, f'pictures:\n{kinds}\n\n{EXAMPLE}', run)
    add_log_arguments(parser)
    add_arm_arguments(parser, nargs='?', default=None, help=URDF_HELP)
    add = parser.add_argument
    add('--kind', action='append', choices=(*KINDS, ALL), metavar='KIND',
        help='which picture (overview), or all that can be drawn; may be repeated')
    add('-o', '--output', metavar='FILE', help='the picture, its suffix chooses the format; '
        'with several, their kind is added to its name; the name of the log if not given')
    add('--format', metavar='SUFFIX', help='of the name not given: png (default), svg, pdf')
    add('--width', type=_width, metavar='W',
        help='column (8.5 cm), page (17.5 cm) or a number [cm]; a column, a page for the overview')
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
    kinds = list(dict.fromkeys(args.kind or ['overview']))
    if args.format is not None and args.output is not None:
        raise ParameterError('--format', args.format, 'to be left out beside --output')
    base = Path(args.output or Path(Path(args.log).resolve().stem).name + '.'
                + (args.format or 'png').lstrip('.'))
    check_file('--output' if args.output else '--format', base)
    motion = asked_part(args)
    if ALL in kinds:
        kinds = possible(motion)
    for kind in kinds:
        path = base
        if len(kinds) > 1 or args.output is None:
            path = base.with_name(f'{base.stem}-{kind}{base.suffix}')
        save(draw(motion, kind, args.title, args.width), path)
        say(str(path))
    return 0


def check_plot(path: str) -> None:
    """
    Find out before a run whether its picture can be drawn after it.

    Parameters
    ----------
    path : str

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.
    ParameterError
        If no picture has such a suffix.

    """
    check_file('--plot', path)


def write_plot(record: 'RunRecord', path: str, title: str, tolerance: float) -> None:
    """
    Draw a run.

    Parameters
    ----------
    record : RunRecord
        With two samples at least.
    path : str
        The picture; its suffix chooses the format.
    title : str
    tolerance : float
        Drawn where errors come near it [rad or m].

    Raises
    ------
    OSError
        If the file cannot be written.

    """
    motion = Motion(np.asarray(record.t, dtype=np.float64), record.arm.joint_names, record.q,
                    record.qd, record.tau, record.desired, record.desired_velocity, record.arm)
    save(overview(motion, title, tolerance=tolerance), path)
