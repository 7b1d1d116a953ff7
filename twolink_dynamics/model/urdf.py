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
Reading URDF: the only place that knows XML.

What is read: the direct children of ``<robot>`` only, whatever their namespace (``<joint>`` also
stands inside ``<transmission>`` and ``<ros2_control>``, where it means something else). The file
is taken literally: nothing is repaired, and what is implausible is reported by
:mod:`twolink_dynamics.model.checks`.

"""

from __future__ import annotations

import math
import re
from typing import Any, Iterator, Mapping, NoReturn

import numpy as np

from twolink_dynamics.array_types import FloatArray, Vector
from twolink_dynamics.errors import UrdfError
from twolink_dynamics.model.chain import Joint, Link, Mimic
from twolink_dynamics.model.source import read_source, Source
from twolink_dynamics.model.tree import Tree
from twolink_dynamics.spatial import homogeneous, quaternion_rotation, rpy_rotation

__all__ = ['JOINT_TYPES', 'Reader', 'children', 'parse', 'read_urdf', 'unexpanded']

JOINT_TYPES = ('revolute', 'continuous', 'prismatic', 'fixed', 'floating', 'planar', 'spherical')
# float() takes more than XML Schema's double does: 1_000, infinity in many spellings, digits of
# other scripts.
NUMBER = re.compile(r'[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?', re.ASCII)
INFINITY = re.compile(r'[+-]?inf(inity)?', re.IGNORECASE)


def read_urdf(source: Source, xacro_args: Mapping[str, str] | None = None) -> Tree:
    """
    Read a URDF into the tree of links and joints it describes.

    Parameters
    ----------
    source : str or path-like
        A path (``.urdf``, ``.xacro``), or the XML text.
    xacro_args : dict of str to str, optional
        Arguments of a ``.xacro`` file.

    Returns
    -------
    tree : Tree

    Raises
    ------
    UrdfError
        With file, line and element, if the text is not XML, not a URDF, or not a tree.
    MissingDependencyError
        If a ``.xacro`` file is given and xacro is not installed.

    """
    text, file = read_source(source, xacro_args)
    robot = parse(text, file)
    for error in unexpanded(robot, file):
        raise error
    reader = Reader(file)
    links = [reader.link(e) for e in children(robot, 'link')]
    joints = [reader.joint(e) for e in children(robot, 'joint')]
    return Tree(robot.get('name', ''), links, joints, file)


def parse(text: str | bytes, file: str) -> Any:
    """
    Return the <robot> element of an XML text.

    Parameters
    ----------
    text : str or bytes
    file : str
        Where it was read, for errors.

    Returns
    -------
    robot : lxml.etree._Element

    Raises
    ------
    UrdfError
        If the text is not XML, or its root is not <robot>.

    """
    from lxml import etree
    options: dict[str, Any] = {
        'resolve_entities': False, 'no_network': True, 'load_dtd': False,
        'remove_comments': True, 'remove_pis': True}
    if isinstance(text, str):
        # lxml refuses str with an encoding declaration; the declaration says nothing of a str.
        text = text.lstrip('\ufeff \t\r\n').encode('utf-8')
        options['encoding'] = 'utf-8'
    try:
        robot = etree.fromstring(text, etree.XMLParser(**options))
    except etree.XMLSyntaxError as error:
        line = error.position[0] if error.position else None
        raise UrdfError(f'not well-formed XML: {error.msg}', file, line) from None
    dtd = robot.getroottree().docinfo.internalDTD
    if dtd is not None and any(True for _ in dtd.iterentities()):
        raise UrdfError('declares XML entities, which a URDF has no use for', file, 1)
    if _name(robot) != 'robot':
        raise UrdfError(f'the root element is <{_name(robot)}>, expected <robot>', file,
                        robot.sourceline, f'<{_name(robot)}>')
    return robot


def unexpanded(robot: Any, file: str) -> Iterator[UrdfError]:
    """
    Find what xacro should have expanded.

    Parameters
    ----------
    robot : lxml.etree._Element
    file : str

    Yields
    ------
    error : UrdfError

    """
    for element in robot.iter('*'):
        if 'xacro' in (element.prefix or '') or 'ros.org/wiki/xacro' in str(element.tag):
            yield UrdfError('is xacro, not URDF: expand it first, or give the .xacro file',
                            file, element.sourceline, f'<{element.prefix}:{_name(element)}>')
        if _name(element) in ('param', 'plugin'):  # ros2_control and gazebo: not ours to judge
            continue
        for key, value in element.attrib.items():
            if '${' in value or '$(' in value:
                yield UrdfError(f'{key}="{value}" is an unexpanded xacro expression: expand the '
                                'file with xacro first', file, element.sourceline,
                                f'<{_name(element)}>')


def _name(element: Any) -> str:
    return str(element.tag).rsplit('}', 1)[-1]


def children(element: Any, name: str) -> list[Any]:
    """
    Return an element's children of a name, whatever their namespace.

    Parameters
    ----------
    element : lxml.etree._Element
    name : str

    Returns
    -------
    children : list of lxml.etree._Element

    """
    return [child for child in element if _name(child) == name]


def _child(element: Any, name: str) -> Any:
    """Return the first child of that name, or None: URDF readers take the first of several."""
    return next((child for child in element if _name(child) == name), None)


class Reader:
    """
    Reads elements into links and joints, and raises :class:`UrdfError` at the first fault.

    Parameters
    ----------
    file : str
        For errors.

    """

    def __init__(self, file: str) -> None:
        self.file = file

    def fail(self, problem: str, element: Any, owner: str) -> NoReturn:
        raise UrdfError(problem, self.file, element.sourceline, owner)

    def number(self, element: Any, key: str, owner: str, default: float | None = None,
               infinite: bool = False) -> float:
        text = element.get(key)
        if text is None:
            if default is None:
                self.fail(f'<{_name(element)}> has no attribute "{key}"', element, owner)
            return default
        if not (NUMBER.fullmatch(text.strip()) or infinite and INFINITY.fullmatch(text.strip())):
            self.fail(f'<{_name(element)} {key}="{text}">: expected a finite number',
                      element, owner)
        value = float(text)
        if math.isinf(value) and not infinite:
            self.fail(f'<{_name(element)} {key}="{text}">: too large a number', element, owner)
        return value

    def vector(self, element: Any, key: str, owner: str, default: Vector | None,
               length: int = 3) -> Any:
        text = element.get(key)
        if text is None:
            return default
        words = text.split()
        if len(words) != length or not all(NUMBER.fullmatch(word) for word in words):
            self.fail(f'<{_name(element)} {key}="{text}">: expected {length} finite numbers',
                      element, owner)
        values = [float(word) for word in words]
        if not all(map(math.isfinite, values)):
            self.fail(f'<{_name(element)} {key}="{text}">: too large a number', element, owner)
        return values

    def name(self, element: Any, key: str = 'name', owner: str | None = None) -> str:
        text = element.get(key)
        if not text:
            self.fail(f'<{_name(element)}> has no {key}', element, owner or _name(element))
        return text

    def origin(self, element: Any, owner: str) -> FloatArray:
        """Return the pose of an element's <origin>: the identity if it has none."""
        origin = _child(element, 'origin')
        if origin is None:
            return np.eye(4)
        position = self.vector(origin, 'xyz', owner, (0.0, 0.0, 0.0))
        quaternion = self.vector(origin, 'quat_xyzw', owner, None, length=4)
        if quaternion is None:
            return homogeneous(rpy_rotation(*self.vector(origin, 'rpy', owner, (0., 0., 0.))),
                               position)
        if origin.get('rpy') is not None:
            self.fail('<origin> has both rpy and quat_xyzw; keep one', origin, owner)
        if not any(quaternion):
            self.fail('<origin quat_xyzw> is zero, expected a unit quaternion', origin, owner)
        return homogeneous(quaternion_rotation(*quaternion), position)

    def link(self, element: Any) -> Link:
        name = self.name(element)
        owner = f'link "{name}"'
        inertial = _child(element, 'inertial')
        bounds, line = self.bounds(element, owner), element.sourceline
        if inertial is None:
            return Link(name, bounds=bounds, has_inertial=False, line=line)
        pose = self.origin(inertial, owner)
        mass = _child(inertial, 'mass')
        inertia = _child(inertial, 'inertia')
        R = pose[:3, :3]
        return Link(
            name, 0.0 if mass is None else self.number(mass, 'value', owner), pose[:3, 3],
            np.zeros((3, 3)) if inertia is None else R @ self.inertia(inertia, owner) @ R.T,
            bounds, True, inertial.sourceline)

    def inertia(self, element: Any, owner: str) -> FloatArray:
        ixx, iyy, izz = (self.number(element, key, owner) for key in ('ixx', 'iyy', 'izz'))
        ixy, ixz, iyz = (self.number(element, key, owner, 0.0) for key in ('ixy', 'ixz', 'iyz'))
        return np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])

    def bounds(self, element: Any, owner: str) -> FloatArray | None:
        """Return a box around the link's boxes, cylinders and spheres, or None."""
        corners = []
        for shape in children(element, 'visual') + children(element, 'collision'):
            half = self.half_extent(shape, owner)
            if half is None:
                return None  # a mesh, or no shape: its size is not known here
            pose = self.origin(shape, owner)
            reach = np.abs(pose[:3, :3]) @ half
            corners += [pose[:3, 3] - reach, pose[:3, 3] + reach]
        return np.array([np.min(corners, axis=0), np.max(corners, axis=0)]) if corners else None

    def half_extent(self, shape: Any, owner: str) -> FloatArray | None:
        geometry = _child(shape, 'geometry')
        solid = None if geometry is None else next(iter(geometry), None)
        kind = None if solid is None else _name(solid)
        if kind == 'box':
            return np.abs(self.vector(solid, 'size', owner, (0.0, 0.0, 0.0))) / 2.0
        if kind in ('cylinder', 'capsule'):
            radius = abs(self.number(solid, 'radius', owner))
            length = abs(self.number(solid, 'length', owner))
            return np.array([radius, radius, length / 2 + (radius if kind == 'capsule' else 0.0)])
        if kind == 'sphere':
            return np.full(3, abs(self.number(solid, 'radius', owner)))
        return None

    def joint(self, element: Any) -> Joint:
        name = self.name(element)
        owner = f'joint "{name}"'
        kind = element.get('type')
        if kind not in JOINT_TYPES:
            self.fail(f'type="{kind}": expected one of {", ".join(JOINT_TYPES)}', element, owner)
        ends = []
        for end in ('parent', 'child'):
            child = _child(element, end)
            if child is None:
                self.fail(f'has no <{end}>', element, owner)
            ends.append(self.name(child, 'link', owner))
        moves = kind in ('revolute', 'continuous', 'prismatic')
        motion = self.motion(element, owner, kind) if moves else {}
        return Joint(name, kind, ends[0], ends[1], self.origin(element, owner), **motion,
                     mimic=self.mimic(element, owner), line=element.sourceline)

    def axis(self, element: Any, owner: str) -> tuple[Any, float]:
        """Return the unit axis and the length it had; keep exactly what is already one."""
        axis = _child(element, 'axis')
        if axis is None:
            return (1.0, 0.0, 0.0), 1.0
        vector = np.array(self.vector(axis, 'xyz', owner, (1.0, 0.0, 0.0)))
        norm = math.sqrt(vector @ vector)
        if norm == 0.0 or not math.isfinite(norm):
            self.fail(f'<axis xyz="{axis.get("xyz")}">: expected a direction', axis, owner)
        return (vector if norm == 1.0 else vector / norm), norm

    def motion(self, element: Any, owner: str, kind: str) -> dict[str, Any]:
        """Return axis, limits and friction: infinite and zero where the file gives none."""
        axis, norm = self.axis(element, owner)
        values = {'axis': axis, 'axis_norm': norm}
        limit = _child(element, 'limit')
        if limit is not None:
            for key in ('velocity', 'effort'):
                values[key] = self.number(limit, key, owner, math.inf, infinite=True)
            # The specification's 0 for a missing bound makes sense only beside a given one.
            if kind != 'continuous' and not (limit.get('lower') is limit.get('upper') is None):
                for key in ('lower', 'upper'):
                    values[key] = self.number(limit, key, owner, 0.0, infinite=True)
        dynamics = _child(element, 'dynamics')
        if dynamics is not None:
            for key in ('damping', 'friction'):
                values[key] = self.number(dynamics, key, owner, 0.0)
        return values

    def mimic(self, element: Any, owner: str) -> Mimic | None:
        mimic = _child(element, 'mimic')
        if mimic is None:
            return None
        return Mimic(self.name(mimic, 'joint', owner),
                     self.number(mimic, 'multiplier', owner, 1.0),
                     self.number(mimic, 'offset', owner, 0.0))
