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

"""``twolink compare``: every control law on the same motion, and what goes wrong then."""

import argparse
import sys
from typing import Any, Mapping, TYPE_CHECKING

from twolink_dynamics import registry
from twolink_dynamics.cli.arguments import add_command, positive_number, Subparsers
from twolink_dynamics.cli.arm_options import add_arm_arguments, load
from twolink_dynamics.cli.text import as_json, number, say, table, wrapped
from twolink_dynamics.errors import ParameterError
from twolink_dynamics.share import share_path
from twolink_dynamics.studies.law_comparison import CASES, compare, Comparison, \
    comparison_motion

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm

__all__ = ['FIGURES', 'add_parser', 'as_markdown', 'run']

DESCRIPTION = (
    'Let every control law follow the same swing: with a true model, with masses 20 % larger or '
    'smaller, unknown friction, noise, delay, and an unknown payload. All have the same natural '
    'frequency and damping ratio. A law fails in a case if a joint is ever farther from where it '
    'is to be than --failure, or the simulation diverges. The exit status is 0.')
EXAMPLE = """examples:
  twolink compare
  twolink compare my_arm.urdf --laws computed_torque gravity_pd --natural-frequency 10
  twolink compare --json > compared.json
"""
# What the tables show: title, key, scale (of lengths and angles: 1000), words.
FIGURES = (
    ('rms', 'rms error of the worst joint [{small}]', 1e3),
    ('peak', 'largest error of any joint [{small}]', 1e3),
    ('effort', 'largest effort of any joint [{effort}]', 1.0),
)
DIGITS = 3


def add_parser(subparsers: Subparsers) -> None:
    """
    Add the arguments of this command.

    Parameters
    ----------
    subparsers : argparse action

    """
    parser = add_command(
        subparsers, 'compare', 'compare the control laws on one motion, with faults',
        DESCRIPTION, EXAMPLE, run)
    add_arm_arguments(
        parser, nargs='?', default=None,
        help='the arm, a .urdf or .xacro file; the two-link arm of this package if not given')
    add = parser.add_argument
    add('--laws', nargs='+', metavar='LAW',
        help='which of ' + ', '.join(registry.names('law')) + ', or module:Class; all of these if '
        'not given')
    add('--cases', nargs='+', choices=list(CASES), metavar='CASE',
        help='which of ' + ', '.join(CASES) + '; all if not given')
    add('--natural-frequency', type=positive_number, default=20.0, metavar='W',
        help='of the error [rad/s] (20)')
    add('--damping-ratio', type=positive_number, default=1.0, metavar='Z', help='of the error (1)')
    add('--amplitude', type=positive_number, default=0.6, metavar='A',
        help='of the swing [rad or m], if the limits allow it (0.6)')
    add('--period', type=positive_number, default=2.0, metavar='S',
        help='of the swing [s], longer if the limits need it (2)')
    add('--cycles', type=positive_number, default=2.0, metavar='N',
        help='periods of the swing (2)')
    add('--failure', type=positive_number, default=0.05, metavar='E',
        help='error that counts as failure [rad or m] (0.05)')
    add('--seed', type=int, default=0, metavar='N', help='of the noise (0)')
    way = parser.add_mutually_exclusive_group()
    way.add_argument('--json', action='store_true', help='print all figures as JSON')
    way.add_argument('--markdown', action='store_true', help='print the tables as Markdown')


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
    if args.seed < 0:
        raise ParameterError('--seed', args.seed, 'a whole number of 0 or more')
    if args.urdf is None:
        args.urdf = str(share_path('urdf', 'twolink.urdf'))
    arm = load(args)
    laws, cases = args.laws or registry.available('law'), args.cases or list(CASES)
    motion = comparison_motion(arm, args.amplitude, args.period, args.cycles)
    with _Bar(len(set(laws)) * len(set(cases))) as bar:
        result = compare(
            arm, list(dict.fromkeys(laws)), list(dict.fromkeys(cases)),
            natural_frequency=args.natural_frequency, damping_ratio=args.damping_ratio,
            trajectory=motion, failure=args.failure, seed=args.seed, progress=bar.update)
    if args.json:
        say(as_json(_figures(result)))
    elif args.markdown:
        say(*as_markdown(result))
    else:
        say(*_as_text(result))
    return 0


class _Bar:
    """A live line on a terminal; nothing elsewhere."""

    def __init__(self, total: int) -> None:
        self._bar: Any = None
        if sys.stderr.isatty():
            try:
                from tqdm import tqdm
            except ImportError:
                return
            self._bar = tqdm(total=total, leave=False, file=sys.stderr,
                             bar_format='{percentage:3.0f} %|{bar}| {desc}')
            self._bar.n = -1

    def update(self, law: str, case: str) -> None:
        if self._bar is not None:
            self._bar.set_description_str(f'{law}, {case}', refresh=False)
            self._bar.update()

    def __enter__(self) -> '_Bar':
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.close()


def _units(arm: 'Arm') -> dict[str, str]:
    """Return the units of small errors and of efforts."""
    kinds = {kind == 'prismatic' for kind in arm.joint_types}
    return {'small': ' or '.join({False: 'mrad', True: 'mm'}[kind] for kind in sorted(kinds)),
            'effort': ' or '.join({False: 'N m', True: 'N'}[kind] for kind in sorted(kinds))}


def _cell(figures: Mapping[str, Any], key: str, scale: float) -> str:
    if figures[key] is None:
        return 'fails'
    return number(scale * figures[key], DIGITS) + ('*' if figures['fails'] else '')


def _rows(result: Comparison, key: str, scale: float) -> list[list[str]]:
    return [[law, *(_cell(figures, key, scale) for figures in row.values())]
            for law, row in result.rows.items()]


def _cases(result: Comparison) -> list[str]:
    return list(next(iter(result.rows.values())))


def _failures(result: Comparison) -> list[str]:
    return [f'{law}, {CASES[case].title}: {figures["fails"]}'
            for law, row in result.rows.items() for case, figures in row.items()
            if figures['fails']]


def _title(result: Comparison) -> str:
    settings, motion = result.settings, result.trajectory
    return (f'{result.arm.chain.name}: a swing of {motion.duration:.3g} s at 1 kHz, natural '
            f'frequency {settings["natural_frequency"]:g} rad/s, damping ratio '
            f'{settings["damping_ratio"]:g}')


def _as_text(result: Comparison) -> list[str]:
    cases, units = _cases(result), _units(result.arm)
    lines = [wrapped(_title(result))]
    for key, words, scale in FIGURES:
        rows = _rows(result, key, scale)
        # A mark after a number would make its column one of words, to the left.
        widths = [max(len(row[k]) for row in rows) for k in range(1, len(cases) + 1)]
        rows = [[row[0], *(cell.rjust(width) for cell, width in zip(row[1:], widths))]
                for row in rows]
        header = [CASES[case].title.rjust(width) for case, width in zip(cases, widths)]
        lines += ['', words.format(**units), *table(['law', *header], rows)]
    lines += ['', *(wrapped(f'{CASES[case].title}: {CASES[case].text}') for case in cases)]
    failures = _failures(result)
    limit = f'{result.settings["failure"]:g} rad or m'
    lines += ['', *(wrapped(f'* fails: {line}') for line in failures)] if failures else [
        '', f'No law is ever further off than {limit}.']
    return lines


def as_markdown(result: Comparison) -> list[str]:
    """
    Return the tables of a comparison as lines of Markdown.

    Parameters
    ----------
    result : Comparison

    Returns
    -------
    lines : list of str

    """
    cases, units = _cases(result), _units(result.arm)
    lines = []
    for key, words, scale in FIGURES:
        words = words.format(**units)
        lines += ['', f'{words[0].upper()}{words[1:]}:', '',
                  '| law | ' + ' | '.join(CASES[case].title for case in cases) + ' |',
                  '| --- |' + ' ---: |' * len(cases)]
        for law, *cells in _rows(result, key, scale):
            name, comma, which = law.partition(',')
            lines.append(f'| `{name}`{comma}{which} | ' + ' | '.join(cells) + ' |')
    return lines[1:]


def _figures(result: Comparison) -> dict[str, Any]:
    return {
        'arm': result.arm.chain.name, 'joint_names': list(result.arm.joint_names),
        'duration': result.trajectory.duration, **result.settings,
        'cases': {case: CASES[case].text for case in _cases(result)},
        'laws': result.rows}
