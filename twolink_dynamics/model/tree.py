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
The tree of links that a URDF describes, and the serial chain chosen from it.

Fixed joints are lumped exactly, and so is what hangs on the chain at its sides or beyond its tip:
the fingers of a gripper are felt by the arm, locked at zero.

"""

from __future__ import annotations

from dataclasses import replace
from typing import Iterable, Iterator, TypeVar

import numpy as np

from twolink_dynamics.array_types import FloatArray
from twolink_dynamics.errors import AmbiguousChainError, ParameterError, UnsupportedModelError, \
    UrdfError
from twolink_dynamics.model.chain import Chain, Frame, Joint, Link
from twolink_dynamics.spatial import axis_rotation, homogeneous, lump

__all__ = ['Part', 'Tree']

# REP 199 names the flange of an industrial arm `flange` and its tool frame at zero offset `tool0`.
CONVENTIONAL_TIP = 'tool0'


Part = TypeVar('Part', Link, Joint)


class Tree:
    """
    Links joined to one root by joints.

    Parameters
    ----------
    name : str
        The robot's name.
    links : iterable of Link
    joints : iterable of Joint
    file : str
        Where it was read, for errors.

    Raises
    ------
    UrdfError
        If it is no tree: a repeated name, an unknown link, a link with two parents, a loop, or
        several roots.

    """

    def __init__(self, name: str, links: Iterable[Link], joints: Iterable[Joint],
                 file: str = '<string>') -> None:
        self.name, self.file = name, file
        self.links = self._named('link', links)
        self.joints = self._named('joint', joints)
        # Drake's and some older files weld to a `world` that they do not declare.
        if 'world' not in self.links and any(j.parent == 'world' for j in self.joints.values()):
            self.links = {'world': Link('world', has_inertial=False), **self.links}
        self.parent_joint: dict[str, Joint] = {}
        for joint in self.joints.values():
            self._attach(joint)
        self.child_joints: dict[str, list[Joint]] = {link: [] for link in self.links}
        for joint in self.joints.values():
            self.child_joints[joint.parent].append(joint)
        self.root = self._find_root()

    def _named(self, kind: str, items: Iterable[Part]) -> dict[str, Part]:
        named: dict[str, Part] = {}
        for item in items:
            if item.name in named:
                raise UrdfError(f'a second {kind} of this name; the first is in line '
                                f'{named[item.name].line}', self.file, item.line,
                                f'{kind} "{item.name}"')
            named[item.name] = item
        return named

    def _attach(self, joint: Joint) -> None:
        for end in ('parent', 'child'):
            link = getattr(joint, end)
            if link not in self.links:
                raise UrdfError(f'its {end} link "{link}" does not exist', self.file, joint.line,
                                f'joint "{joint.name}"')
        if joint.child in self.parent_joint:
            other = self.parent_joint[joint.child]
            raise UrdfError(f'its child link "{joint.child}" already is the child of joint '
                            f'"{other.name}" (line {other.line}): a loop, or two parents',
                            self.file, joint.line, f'joint "{joint.name}"')
        self.parent_joint[joint.child] = joint

    def _find_root(self) -> str:
        roots = [link for link in self.links if link not in self.parent_joint]
        if not self.links:
            raise UrdfError('<robot> has no links', self.file)
        if len(roots) > 1:
            raise UrdfError('several links have no parent: ' + ', '.join(roots)
                            + '; a URDF is one tree, with one root', self.file,
                            self.links[roots[1]].line, f'link "{roots[1]}"')
        reached = set(roots)
        stack = list(roots)
        while stack:
            for joint in self.child_joints[stack.pop()]:
                reached.add(joint.child)
                stack.append(joint.child)
        looped = [link for link in self.links if link not in reached]
        if looped:
            joint = self.parent_joint[looped[0]]
            raise UrdfError('closes a loop of the links ' + ', '.join(looped), self.file,
                            joint.line, f'joint "{joint.name}"')
        return roots[0]

    def path(self, base_link: str, tip_link: str) -> list[Joint]:
        """
        Return the joints from one link down to another.

        Parameters
        ----------
        base_link, tip_link : str

        Returns
        -------
        joints : list of Joint
            Proximal first.

        Raises
        ------
        ParameterError
            If a link does not exist, or the tip does not hang on the base.

        """
        for name, link in (('base_link', base_link), ('tip_link', tip_link)):
            if link not in self.links:
                raise ParameterError(name, link, f'a link of {self.file}: '
                                     + ', '.join(self.links))
        joints, link = [], tip_link
        while link != base_link:
            if link not in self.parent_joint:
                raise ParameterError('tip_link', tip_link, f'a link below "{base_link}"')
            joints.append(self.parent_joint[link])
            link = joints[-1].parent
        return joints[::-1]

    def find_tip(self, base_link: str) -> str:
        """
        Return the tip of the only sensible chain from a base.

        It is the leaf that all moving joints lead to. Where several leaves are fixed to the last
        moving link, it is the one named ``tool0`` (REP 199).

        Parameters
        ----------
        base_link : str

        Returns
        -------
        tip_link : str

        Raises
        ------
        AmbiguousChainError
            If moving joints lead to different leaves, or several leaves could be the tip.
        UnsupportedModelError
            If no joint moves.

        """
        moved = {}  # leaf -> how many moving joints lead to it, and the link the last one moves
        stack = [(base_link, 0, base_link)]
        while stack:
            link, number, body = stack.pop()
            for joint in reversed(self.child_joints[link]):
                stack.append((joint.child, number, body) if joint.type == 'fixed'
                             else (joint.child, number + 1, joint.child))
            if not self.child_joints[link]:
                moved[link] = number, body
        longest = max(moved, key=lambda leaf: moved[leaf][0])
        if not moved[longest][0]:
            raise UnsupportedModelError(
                f'{self.file}: no movable joint below link "{base_link}"; an arm needs one')
        passed = {base_link, *(joint.child for joint in self.path(base_link, longest))}
        same = [leaf for leaf in moved if moved[leaf] == moved[longest]]
        leaves = [leaf for leaf, (_, body) in moved.items()
                  if body not in passed or moved[leaf] == moved[longest]]
        if len(leaves) == len(same) and CONVENTIONAL_TIP in same:
            return CONVENTIONAL_TIP
        if len(leaves) > 1:
            raise AmbiguousChainError('tip_link', leaves, self.file)
        return same[0]

    def chain(self, base_link: str | None = None, tip_link: str | None = None,
              side_branches: str = 'lump') -> Chain:
        """
        Return the serial chain between two links.

        Parameters
        ----------
        base_link : str, optional
            The link that stands still; the root if not given.
        tip_link : str, optional
            The link whose motion is desired; found by :meth:`find_tip` if not given.
        side_branches : {'lump', 'drop'}
            Whether what hangs on the chain at its sides and beyond the tip is felt, with its
            joints locked at zero, or is left out.

        Returns
        -------
        chain : Chain

        Raises
        ------
        ParameterError
            If a link does not exist, or the tip does not hang on the base.
        AmbiguousChainError
            If several chains are possible; it lists the candidates.
        UnsupportedModelError
            If no joint moves, or a joint on the way is of a type this package does not treat
            (floating, planar, spherical) or mimics another.

        """
        if side_branches not in ('lump', 'drop'):
            raise ParameterError('side_branches', side_branches, "'lump' or 'drop'")
        base_link = base_link or self.root
        if base_link not in self.links:
            raise ParameterError('base_link', base_link,
                                 f'a link of {self.file}: ' + ', '.join(self.links))
        tip_link = tip_link or self.find_tip(base_link)
        path = self.path(base_link, tip_link)
        _refuse_untreated(path, self.file)
        bodies = self._bodies(base_link, path, side_branches == 'lump')
        if len(bodies) == 1:
            raise UnsupportedModelError(
                f'{self.file}: no movable joint from link "{base_link}" to link "{tip_link}"')
        return Chain(
            self.name, base_link, tip_link, [body.joint for body in bodies if body.joint],
            [_lumped(body.parts) for body in bodies[1:]], bodies[-1].end,
            [Frame(link.name, i - 1, pose)
             for i, body in enumerate(bodies) for pose, link in body.parts])

    def _bodies(self, base_link: str, path: list[Joint], lumped: bool) -> list[_Body]:
        """Return the bodies from the base on."""
        on_path = {joint.name for joint in path}
        bodies = [_Body(None, self.links[base_link])]
        for joint in path:
            link = self.links[joint.child]
            pose = bodies[-1].end @ joint.origin
            if joint.moves:
                bodies.append(_Body(replace(joint, origin=pose), link))
            else:
                bodies[-1].parts.append((pose, link))
                bodies[-1].end = pose
        if lumped:
            for body in bodies[1:]:
                for pose, link in list(body.parts):
                    body.parts.extend(self._hanging(link.name, pose, on_path))
        return bodies

    def _hanging(self, link: str, pose: FloatArray,
                 on_path: set[str]) -> Iterator[tuple[FloatArray, Link]]:
        """Yield (pose, link) of all that hangs on a link beside the path, locked."""
        stack = [(pose, joint) for joint in reversed(self.child_joints[link])]
        while stack:
            above, joint = stack.pop()
            if joint.name in on_path:
                continue
            if not (joint.moves or joint.type == 'fixed'):
                raise UnsupportedModelError(
                    f'{self.file}:{joint.line}: joint "{joint.name}" is {joint.type}, which '
                    "cannot be locked; choose the tip beside it, or side_branches='drop'",
                    [joint.name])
            below = above @ joint.origin @ _locked(joint)
            yield below, self.links[joint.child]
            stack += [(below, child) for child in reversed(self.child_joints[joint.child])]


class _Body:
    """Links that move as one, with their poses in the first one's frame, and the way's end."""

    def __init__(self, joint: Joint | None, link: Link) -> None:
        self.joint = joint  # what moves it, with its origin in the body before; None for the base
        self.end = np.eye(4)
        self.parts = [(self.end, link)]


def _refuse_untreated(path: list[Joint], file: str) -> None:
    for joint in path:
        if not (joint.moves or joint.type == 'fixed'):
            raise UnsupportedModelError(
                f'{file}:{joint.line}: joint "{joint.name}" is {joint.type}; a chain has '
                'revolute, continuous, prismatic and fixed joints', [joint.name])
        if joint.mimic and joint.moves:
            raise UnsupportedModelError(
                f'{file}:{joint.line}: joint "{joint.name}" mimics joint "{joint.mimic.joint}"; '
                'it is not independent: choose a tip before it', [joint.name])


def _locked(joint: Joint) -> FloatArray:
    """Return the motion of a side branch's joint at zero; a mimicking one keeps its offset."""
    offset = joint.mimic.offset if joint.mimic and joint.moves else 0.0
    if joint.type == 'prismatic':
        return homogeneous(np.eye(3), offset * joint.axis)
    return homogeneous(axis_rotation(joint.axis, offset), np.zeros(3))


def _lumped(parts: list[tuple[FloatArray, Link]]) -> Link:
    """Return one link of several: masses, centres and inertias in the first one's frame."""
    link = parts[0][1]
    mass, com, inertia = lump(
        (part.mass, pose[:3, :3] @ part.com + pose[:3, 3],
         pose[:3, :3] @ part.inertia @ pose[:3, :3].T) for pose, part in parts)
    return Link(link.name, mass, com, inertia, link.bounds,
                any(part.has_inertial for _, part in parts), link.line)
