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
Every fault of a description at once, also of one that cannot be loaded.

:func:`~twolink_dynamics.model.urdf.read_urdf` stops at the first thing it cannot read; this reads
on, past what is wrong, and goes on to what is only implausible (see
:mod:`~twolink_dynamics.model.checks`), to what readers of URDF disagree on, and to the chains that
could be meant. It looks at the whole tree, not at one chain.

"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Mapping

import numpy as np

from twolink_dynamics.errors import AmbiguousChainError, UnsupportedModelError, UrdfError
from twolink_dynamics.model.chain import Chain, Joint, Link
from twolink_dynamics.model.checks import check_body, check_joint, check_link, check_scale, \
    Finding
from twolink_dynamics.model.source import read_source, Source
from twolink_dynamics.model.tolerant_reader import Collector, Findings, Structure
from twolink_dynamics.model.tree import Tree
from twolink_dynamics.model.urdf import children, parse, unexpanded
from twolink_dynamics.model.vocabulary import check_vocabulary

__all__ = ['Audit', 'audit_urdf']


@dataclass(frozen=True)
class Audit:
    """
    What was found in a description.

    Attributes
    ----------
    file : str
    name : str
        The robot's.
    findings : tuple of Finding
        In the order of their lines.
    tree : Tree or None
        None if what could be read is no tree.
    chains : tuple of Chain
        The chains that can be loaded: the one that was asked for or that is the only sensible one,
        or the candidates, longest first.
    ambiguous : bool
        Whether one of `chains` must be chosen.

    """

    file: str
    name: str = ''
    findings: tuple[Finding, ...] = ()
    tree: Tree | None = None
    chains: tuple[Chain, ...] = ()
    ambiguous: bool = False


def audit_urdf(source: Source, xacro_args: Mapping[str, str] | None = None,
               base_link: str | None = None, tip_link: str | None = None,
               side_branches: str = 'lump') -> Audit:
    """
    Read a description and find every fault in it.

    Parameters
    ----------
    source, xacro_args, base_link, tip_link, side_branches
        As for :func:`~twolink_dynamics.load_arm`.

    Returns
    -------
    audit : Audit

    Raises
    ------
    UrdfError
        Only if there is nothing to look at: no such file, or xacro cannot expand it.
    MissingDependencyError
        If a ``.xacro`` file is given and xacro is not installed.
    ParameterError
        If `base_link` or `tip_link` is none of the model's.

    """
    text, file = read_source(source, xacro_args)
    findings = Findings(file)
    try:
        robot = parse(text, file)
    except UrdfError as error:
        findings.add_error(error, 'not-a-urdf')
        return Audit(file, findings=tuple(findings.items))
    name = robot.get('name', '')
    raw = list(unexpanded(robot, file))
    if raw:  # every number in it would be a fault of its own
        for unread in raw:
            findings.add_error(unread, 'unexpanded-xacro')
        return Audit(file, name, tuple(findings.items))
    check_vocabulary(robot, findings)
    reader = Collector(file, findings)
    links = [link for link in map(reader.try_link, children(robot, 'link')) if link]
    joints = [joint for joint in map(reader.try_joint, children(robot, 'joint')) if joint]
    tree = Structure(links, joints, reader.orphans, findings).tree(name, file)
    chains: tuple[Chain, ...] = ()
    ambiguous = False
    if tree is not None:
        chains, ambiguous = _choose(tree, findings, robot.sourceline, base_link, tip_link,
                                    side_branches)
    chosen = () if ambiguous else chains
    _check_parts(tree, links, joints, reader.spoiled, chosen, findings)
    if tree is not None:
        _check_scales(tree, findings)
        for chain in chosen if side_branches == 'lump' else ():
            _check_locked(tree, chain, findings)
    return Audit(file, name, findings.sorted(), tree, chains, ambiguous)


def _choose(tree: Tree, findings: Findings, line: int | None, base_link: str | None,
            tip_link: str | None, side_branches: str) -> tuple[tuple[Chain, ...], bool]:
    """Return the chain meant, or the candidates, and whether one must be chosen."""
    try:
        return (tree.chain(base_link, tip_link, side_branches),), False
    except AmbiguousChainError:
        refusal = None
    except UnsupportedModelError as error:
        refusal = error
    if tip_link is None:
        chains = _candidates(tree, base_link or tree.root, side_branches)
        if chains:
            reason = 'several chains are possible'
            if refusal is not None:
                reason = f'joint "{refusal.names[0]}" {_plain(refusal, tree)}'.split(';')[0]
            findings('note', 'choose-tip', '', f'{reason}: choose a tip link', line)
            return chains, True
    joint = tree.joints.get(refusal.names[0]) if refusal and refusal.names else None
    moving = any(joint.type != 'fixed' for joint in tree.joints.values())
    findings('error', 'untreated-joint' if moving else 'no-movable-joint',
             f'joint "{joint.name}"' if joint else '',
             _plain(refusal, tree) if refusal else 'no chain from here can be treated',
             joint.line if joint else line)
    return (), False


def _plain(error: UnsupportedModelError, tree: Tree) -> str:
    """Return what an error says, without where, and without its joint's name at the front."""
    text = str(error)
    for name in error.names:
        text = text.replace(f'{tree.file}:{tree.joints[name].line}: joint "{name}" ', '', 1)
    return text.replace(f'{tree.file}: ', '', 1)


def _candidates(tree: Tree, base_link: str, side_branches: str) -> tuple[Chain, ...]:
    """Return the loadable chains to each leaf, or to the last link before it, longest first."""
    chains, stack, leaves = {}, [base_link], []
    while stack:
        link = stack.pop()
        stack += [joint.child for joint in reversed(tree.child_joints[link])]
        if not tree.child_joints[link]:
            leaves.append(link)
    for leaf in leaves:
        link = leaf
        while link != base_link and link not in chains:
            try:
                chains[link] = tree.chain(base_link, link, side_branches)
                break
            except UnsupportedModelError:
                link = tree.parent_joint[link].parent
    return tuple(sorted(chains.values(), key=lambda chain: -chain.n))


def _check_parts(tree: Tree | None, links: list[Link], joints: list[Joint], spoiled: set[str],
                 chosen: tuple[Chain, ...], findings: Findings) -> None:
    """Check the numbers of every link, joint and moving body."""
    still = _still(tree) if tree is not None else set()

    def lenient(severity: str, rule: str, element: str, problem: str, line: int | None) -> None:
        # What does not move has no dynamics to spoil.
        findings('warning' if severity == 'error' else severity, rule, element, problem, line)

    for link in links:
        if f'link "{link.name}"' in spoiled:
            continue
        check_link(link, lenient if link.name in still else findings)
        if link.mass > 0.0 and not link.inertia.any():
            findings('note', 'point-mass', f'link "{link.name}"',
                     f'{link.mass:g} kg without inertia: a point mass', link.line)
    names = {joint.name for joint in joints}
    refused = {finding.element for finding in findings.items if finding.rule == 'untreated-joint'}
    for joint in joints:
        if not (joint.moves or joint.type == 'fixed') and f'joint "{joint.name}"' not in refused:
            findings('note', 'untreated-joint', f'joint "{joint.name}"',
                     f'is {joint.type}: no chain can pass it', joint.line)
        if joint.moves and f'joint "{joint.name}"' not in spoiled:
            check_joint(joint, findings)
        if joint.moves and joint.lower == joint.upper:
            findings('warning', 'no-range', f'joint "{joint.name}"', f'both limits are '
                     f'{joint.lower:g}: no motion is allowed', joint.line)
        if joint.moves and joint.mimic:
            _check_mimic(joint, joint.mimic.joint, names, findings)
    if tree is None:
        return
    bodies = {joint.name: link for chain in chosen
              for joint, link in zip(chain.joints, chain.links)}
    for joint in joints:
        below = _rigid(tree, joint.child)
        if joint.moves and not any(f'link "{name}"' in spoiled for name in below):
            check_body(bodies.get(joint.name) or _body(tree, joint.child, below), joint, findings)


def _check_scales(tree: Tree, findings: Findings) -> None:
    """Report masses far outside what they are of, and limits that nobody has chosen."""
    reach = sum(float(np.linalg.norm(joint.origin[:3, 3])) for joint in tree.joints.values())
    still = _still(tree)
    for link in tree.links.values():
        if link.mass > 0.0 and link.name not in still:
            check_scale(link, reach, findings)
    limited = [joint for joint in tree.joints.values() if joint.moves and joint.effort < np.inf]
    if len(limited) > 1 and all(joint.effort == 1.0 for joint in limited):
        for joint in limited:
            findings('note', 'placeholder-limit', f'joint "{joint.name}"', 'effort limit 1, as of '
                     'every joint: taken literally, though it may be a placeholder', joint.line)


def _check_locked(tree: Tree, chain: Chain, findings: Findings) -> None:
    """Report joints beside a chain that are locked where they cannot be."""
    on_chain = {joint.name for joint in chain.joints}
    moved = {frame.name for frame in chain.frames if frame.body >= 0}
    for joint in tree.joints.values():
        if joint.moves and joint.name not in on_chain and not joint.mimic \
                and joint.child in moved and not joint.lower <= 0.0 <= joint.upper:
            findings('warning', 'locked-outside-limits', f'joint "{joint.name}"',
                     f'is beside the chain and locked at 0, outside its limits {joint.lower:g} to '
                     f'{joint.upper:g}', joint.line)


def _check_mimic(joint: Joint, leader: str, names: set[str], findings: Findings) -> None:
    element = f'joint "{joint.name}"'
    if leader == joint.name or leader not in names:
        problem = 'itself' if leader == joint.name else f'joint "{leader}", which does not exist'
        findings('warning', 'mimic', element, f'mimics {problem}', joint.line)
    else:
        findings('note', 'mimic', element, f'mimics joint "{leader}": no chain can pass it; '
                 'beside a chain it is locked at its offset', joint.line)


def _rigid(tree: Tree, link: str) -> list[str]:
    """Return the names of the links that are one body with a link, from it on."""
    names = [link]
    for name in names:
        names += [joint.child for joint in tree.child_joints[name] if joint.type == 'fixed']
    return names


def _still(tree: Tree) -> set[str]:
    """Return the names of the links that no joint moves."""
    return set(_rigid(tree, tree.root))


def _body(tree: Tree, link: str, below: list[str]) -> Link:
    """Return a link with the mass of all that is fixed to it: enough to see whether it has any."""
    parts = [tree.links[name] for name in below]
    return Link(link, sum(part.mass for part in parts),
                has_inertial=any(part.has_inertial for part in parts), line=parts[0].line)
