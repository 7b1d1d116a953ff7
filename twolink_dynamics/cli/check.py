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

"""``twolink check``: every fault of a URDF at once, by file and line."""

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING

from twolink_dynamics.cli.arguments import add_command, Subparsers
from twolink_dynamics.cli.arm_options import add_arm_arguments, xacro_arguments
from twolink_dynamics.cli.text import as_json, say, table, wrapped
from twolink_dynamics.model.chain import Chain
from twolink_dynamics.model.checks import Finding
from twolink_dynamics.studies.arm_facts import weightless_joints

if TYPE_CHECKING:
    from twolink_dynamics.model.audit import Audit

__all__ = ['add_parser', 'run']

DESCRIPTION = (
    'Find every fault of a URDF at once, with file and line. An error is what keeps the arm from '
    'being loaded; a warning is implausible, and taken literally; a note is worth knowing. The '
    'exit status is 1 if there is an error (with --strict: or a warning), else 0.')
EXAMPLE = """examples:
  twolink check my_arm.urdf
  twolink check my_arm.urdf.xacro --xacro-arg payload:=2 --strict
"""
# Candidates for the tip that are listed; a robot with a head, wheels and two hands has dozens.
MOST_CANDIDATES = 12


def add_parser(subparsers: Subparsers) -> None:
    """
    Add the arguments of this command.

    Parameters
    ----------
    subparsers : argparse action

    """
    parser = add_command(
        subparsers, 'check', 'find every fault of a URDF, by line',
        DESCRIPTION, EXAMPLE, run)
    add_arm_arguments(parser, gravity=False)
    parser.add_argument('--strict', action='store_true', help='let warnings count as errors')
    parser.add_argument('--json', action='store_true', help='print all of it as JSON')


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
    from twolink_dynamics.model.audit import audit_urdf  # lxml, only when needed

    audit = audit_urdf(args.urdf, xacro_arguments(args), args.base_link, args.tip_link,
                       args.side_branches)
    findings = list(audit.findings)
    if not any(finding.severity == 'error' for finding in findings):
        findings = sorted(findings + weightless_joints(audit),
                          key=lambda finding: finding.line or 0)
    counts = {kind: sum(finding.severity == kind for finding in findings)
              for kind in ('error', 'warning', 'note')}
    failed = counts['error'] > 0 or args.strict and counts['warning'] > 0
    if args.json:
        say(_as_json(audit, findings, counts, not failed))
    else:
        say(*_as_text(audit, findings, counts))
    return 1 if failed else 0


def _as_text(audit: 'Audit', findings: list[Finding], counts: dict[str, int]) -> list[str]:
    """Return the lines to print."""
    lines = []
    for finding in findings:
        where = f'{finding.file}:{finding.line}' if finding.line else finding.file
        what = f'{finding.element}: ' if finding.element else ''
        lines.append(wrapped(f'{where}: {finding.severity}: {what}{finding.problem} '
                             f'[{finding.rule}]'))
    if str(audit.file).endswith('.xacro') and any(finding.line for finding in findings):
        lines.append(f'lines are those of the expanded file: xacro {audit.file}')
    lines += _chains(audit)
    lines.append(', '.join(f'{count} {kind}{"s" * (count != 1)}'
                           for kind, count in counts.items()))
    return lines


def _chains(audit: 'Audit') -> list[str]:
    """Return what is said of the chains."""
    if not audit.chains:
        return []
    base = audit.chains[0].base_link
    if not audit.ambiguous:
        return [wrapped(f'robot "{audit.name}": {_joints(audit.chains[0])} from "{base}" to '
                        f'"{audit.chains[0].tip_link}"')]
    rows = [(f'--tip-link {chain.tip_link}', _joints(chain), f'{_ends(chain)}')
            for chain in audit.chains[:MOST_CANDIDATES]]
    more = len(audit.chains) - len(rows)
    return [f'robot "{audit.name}": choose the tip of the chain from "{base}"',
            *table(('', '', ''), rows)[1:], *[f'  and {more} more'] * (more > 0)]


def _joints(chain: Chain) -> str:
    return f'{chain.n} joint{"s" * (chain.n != 1)}'


def _ends(chain: Chain) -> str:
    return f'{chain.joints[0].name} to {chain.joints[-1].name}' if chain.n > 1 else \
        chain.joints[0].name


def _as_json(audit: 'Audit', findings: list[Finding], counts: dict[str, int], passed: bool
             ) -> str:
    return as_json({
        'file': audit.file, 'robot': audit.name, 'passed': passed,
        **{f'{kind}s': count for kind, count in counts.items()},
        'findings': [asdict(finding) for finding in findings], 'ambiguous': audit.ambiguous,
        'chains': [{'base_link': chain.base_link, 'tip_link': chain.tip_link,
                    'joints': [joint.name for joint in chain.joints]} for chain in audit.chains]})
