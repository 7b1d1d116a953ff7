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

"""
Whether a model is plausible: every fault at once, with its link, rule, numbers and line.

A fault is an *error* where the dynamics are undefined or feed on it (a negative mass, a negative
damping), and a *warning* where they are defined and only implausible: real files violate the
triangle inequality, move massless links or reverse limits, and are still taken literally. A *note*
is no fault, but worth knowing; only :mod:`~twolink_dynamics.model.audit` makes them.

"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable, Iterable, Optional, TYPE_CHECKING

import numpy as np

from twolink_dynamics.errors import FaultyModelError
from twolink_dynamics.model.chain import Chain, Joint, Link

if TYPE_CHECKING:
    from twolink_dynamics.model.tree import Tree

__all__ = [
    'Finding', 'Report', 'check_body', 'check_chain', 'check_joint', 'check_link', 'check_scale',
    'raise_faults',
]

#: Called with severity, rule, element, problem and line of a fault.
Report = Callable[[str, str, str, str, Optional[int]], None]

# Files carry six digits, the last one rounded: a flat body's I1 + I2 = I3 may be missed by three
# halves of a unit of the last of 1.00000.
PRINTED_DIGITS = 1.5e-5
# A centre of mass within this distance may be that of a long link after a short offset [m].
FARTHEST_CENTER = 3.0


@dataclass(frozen=True)
class Finding:
    """
    One fault of a model.

    Attributes
    ----------
    severity : {'error', 'warning', 'note'}
    rule : str
        The rule's short name, such as ``'triangle-inequality'``.
    element : str
        Such as ``'link "upper_arm"'``.
    problem : str
        What is wrong, with the numbers.
    file : str
    line : int or None

    """

    severity: str
    rule: str
    element: str
    problem: str
    file: str = '<string>'
    line: int | None = None

    def __str__(self) -> str:
        """Show the finding in one line."""
        where = f'{self.file}:{self.line}' if self.line else self.file
        return ': '.join(part for part in (where, self.element, self.problem) if part)


def check_chain(tree: Tree, chain: Chain) -> list[Finding]:
    """
    Return every fault of a chain and of the links that were lumped into it.

    Parameters
    ----------
    tree : Tree
        What the chain was chosen from.
    chain : Chain

    Returns
    -------
    findings : list of Finding
        In the order of the chain, links before joints.

    """
    findings: list[Finding] = []

    def found(severity: str, rule: str, element: str, problem: str, line: int | None) -> None:
        findings.append(Finding(severity, rule, element, problem, tree.file, line))

    for frame in chain.frames:
        if frame.body >= 0:
            check_link(tree.links[frame.name], found)
    for i, link in enumerate(chain.links):
        check_body(link, chain.joints[i], found)
    for joint in chain.joints:
        check_joint(tree.joints[joint.name], found)
    return findings


def check_link(link: Link, found: Report) -> None:
    """
    Check one link as it is described.

    Parameters
    ----------
    link : Link
    found : callable
        Called with severity, rule, element, problem and line of each fault.

    """
    element = f'link "{link.name}"'
    if link.mass < 0.0:
        found('error', 'negative-mass', element,
              f'mass {link.mass:g} kg, expected 0 or more', link.line)
        return
    if link.has_inertial and link.mass == 0.0 and link.inertia.any():
        found('warning', 'inertia-without-mass', element, 'has an inertia but no mass', link.line)
    moments = np.linalg.eigvalsh(link.inertia)
    scale = np.abs(moments).max()
    if moments[0] < -PRINTED_DIGITS * scale:
        found('warning', 'inertia-not-positive', element,
              f'principal moments of inertia {_numbers(moments)} kg m^2: none may be negative',
              link.line)
    elif moments[0] + moments[1] < (1.0 - PRINTED_DIGITS) * moments[2]:
        found('warning', 'triangle-inequality', element,
              f'principal moments of inertia {_numbers(moments)} kg m^2: no body has one that '
              f'exceeds the sum of the others ({moments[0] + moments[1]:g} < {moments[2]:g})',
              link.line)
    if link.bounds is not None and link.mass > 0.0:
        outside = np.maximum(0.0, np.maximum(link.bounds[0] - link.com, link.com - link.bounds[1]))
        size = np.linalg.norm(link.bounds[1] - link.bounds[0])
        if np.linalg.norm(outside) > size:
            found('warning', 'com-outside-geometry', element,
                  f'centre of mass {_numbers(link.com)} m lies {np.linalg.norm(outside):g} m '
                  f'outside its shapes, which measure {size:g} m', link.line)


def check_scale(link: Link, reach: float, found: Report) -> None:
    """
    Check whether a link's mass is spread as far as it can be: millimetres, g mm^2, placeholders.

    Parameters
    ----------
    link : Link
        With a mass.
    reach : float
        The length of all joints' origins: what the links with unknown shapes measure at most [m].
    found : callable
        As for :func:`check_link`.

    """
    element = f'link "{link.name}"'
    distance = float(np.linalg.norm(link.com))
    if link.bounds is None:  # a body whose shape is unknown reaches to its centre of mass at least
        size, whose = reach + distance, 'the whole model measures'
    else:
        size = float(np.linalg.norm(link.bounds[1] - link.bounds[0]))
        whose = 'its shapes measure'
    if size == 0.0 or reach == 0.0 and link.bounds is None:
        return
    # No part of a body is farther from its centre than the body is long.
    gyration = float(np.sqrt(max(np.linalg.eigvalsh(link.inertia)[2], 0.0) / link.mass))
    if gyration > size:
        placeholder = np.array_equal(link.inertia, np.eye(3))
        found('warning', 'inertia-scale', element,
              f'radius of gyration {gyration:g} m, but {whose} {size:g} m: '
              + ('an inertia of 1 kg m^2 is a placeholder' if placeholder else
                 'is the inertia in kg m^2?'), link.line)
    if link.bounds is None and distance > max(3.0 * reach, FARTHEST_CENTER):
        found('warning', 'com-scale', element,
              f'centre of mass {distance:g} m from its frame, but all joints together span '
              f'{reach:g} m: is it in metres?', link.line)


def check_body(link: Link, joint: Joint, found: Report) -> None:
    """
    Check one moving body with all that is fixed to it.

    Parameters
    ----------
    link : Link
        The body.
    joint : Joint
        What moves it.
    found : callable
        As for :func:`check_link`.

    """
    element = f'link "{link.name}"'
    if link.mass == 0.0 and not link.has_inertial:
        found('warning', 'missing-inertial', element,
              f'is moved by joint "{joint.name}" and has no <inertial>', link.line)
    elif link.mass == 0.0:
        found('warning', 'zero-mass', element,
              f'is moved by joint "{joint.name}" and has no mass', link.line)


def check_joint(joint: Joint, found: Report) -> None:
    """
    Check one moving joint as it is described.

    Parameters
    ----------
    joint : Joint
    found : callable
        As for :func:`check_link`.

    """
    element = f'joint "{joint.name}"'

    def wrong(severity: str, rule: str, problem: str) -> None:
        found(severity, rule, element, problem, joint.line)

    if joint.lower > joint.upper:
        wrong('warning', 'limits-reversed',
              f'lower limit {joint.lower:g} above upper limit {joint.upper:g}: no position is '
              'allowed')
    for name in ('velocity', 'effort'):
        limit = getattr(joint, name)
        if limit < 0.0:
            wrong('error', 'negative-limit', f'{name} limit {limit:g}, expected 0 or more'
                  + ('; for no limit, leave it out' if limit == -1.0 else ''))
        elif limit == 0.0:
            wrong('warning', f'zero-{name}-limit',
                  f'{name} limit 0: taken literally, the joint can '
                  + ('exert no effort' if name == 'effort' else 'not move'))
    for name in ('damping', 'friction'):
        if getattr(joint, name) < 0.0:
            wrong('error', f'negative-{name}',
                  f'{name} {getattr(joint, name):g}, expected 0 or more')
    if joint.axis_norm is not None and abs(joint.axis_norm - 1.0) > PRINTED_DIGITS:
        wrong('warning', 'non-unit-axis', f'axis of length {joint.axis_norm:g}: normalised')


def _numbers(values: Iterable[float]) -> str:
    return '(' + ', '.join(f'{value:g}' for value in values) + ')'


def raise_faults(findings: Iterable[Finding], strict: bool = False) -> None:
    """
    Raise if any finding is an error, naming all of them.

    Parameters
    ----------
    findings : sequence of Finding
    strict : bool
        Whether warnings count as errors.

    Raises
    ------
    FaultyModelError

    """
    faults = [finding for finding in findings if strict or finding.severity == 'error']
    if faults:
        raise FaultyModelError(faults)
