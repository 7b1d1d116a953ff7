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

"""Shapes of a URDF to show: meshes that are there, stand-ins for those that are not."""

import math
import os
from pathlib import Path
from typing import Any, Callable

import numpy as np

from twolink_dynamics.array_types import FloatArray
from twolink_dynamics.model.urdf import children, parse, Reader

__all__ = ['Shown', 'displayable', 'find_mesh']

MESH_FORMATS = ('.dae', '.stl', '.obj', '.ply', '.glb', '.gltf', '.off', '.3mf')
# Of a stand-in: its radius over the usual distance of joints, its colours.
SLIM = 0.09
LINK_COLOUR, JOINT_COLOUR = '0.0 0.45 0.70 1.0', '0.35 0.37 0.40 1.0'


class Shown:
    """
    A URDF made showable.

    Attributes
    ----------
    xml : bytes
        With absolute paths of meshes, and primitives for what is missing.
    missing : list of str
        The meshes that were not found or not readable, each once.
    stand_ins : list of str
        The links that primitives stand for.

    """

    def __init__(self, xml: bytes, missing: list[str], stand_ins: list[str]) -> None:
        self.xml, self.missing, self.stand_ins = xml, missing, stand_ins

    def __str__(self) -> str:
        """Say in one line what is not as in the URDF; empty if nothing."""
        if self.missing:
            more = f' and {len(self.missing) - 1} more' if len(self.missing) > 1 else ''
            return (f'{self.missing[0]}{more}: not found; primitives stand for '
                    f'{len(self.stand_ins)} links (source the workspace that has the meshes)')
        if self.stand_ins:
            return 'the URDF has no visuals; primitives stand for its links'
        return ''


def find_mesh(uri: str, folder: Path) -> Path | None:
    """
    Return where a mesh is.

    Parameters
    ----------
    uri : str
        ``package://…``, ``file://…``, or a path, relative to the URDF's folder.
    folder : pathlib.Path
        That of the URDF. A package is looked for in it and the folders above, and where
        AMENT_PREFIX_PATH and ROS_PACKAGE_PATH say.

    Returns
    -------
    path : pathlib.Path or None

    """
    scheme, given, rest = uri.partition('://')
    if not given:
        candidates = [folder / uri]
    elif scheme == 'file':
        candidates = [Path('/' + rest.lstrip('/'))]
    elif scheme in ('package', 'model'):
        package, _, inside = rest.partition('/')
        candidates = []
        for above in (folder, *folder.parents):
            candidates.append(above / package / inside)
            if above.name == package:
                candidates.append(above / inside)
        for prefix in os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep):
            candidates.append(Path(prefix) / 'share' / package / inside)
        for place in os.environ.get('ROS_PACKAGE_PATH', '').split(os.pathsep):
            candidates.append(Path(place) / package / inside)
    else:
        return None
    return next((path.resolve() for path in candidates if path.is_file()), None)


def displayable(text: str | bytes, file: str,
                readable: Callable[[Path], bool] | None = None) -> Shown:
    """
    Make a URDF showable.

    Parameters
    ----------
    text : str or bytes
        The XML.
    file : str
        Where it was, for relative paths and errors.
    readable : callable, optional
        Tells of a path whether the mesh there can be read; by its suffix if not given.

    Returns
    -------
    shown : Shown

    Raises
    ------
    UrdfError
        If it is no URDF.

    """
    readable = readable or (lambda path: path.suffix.lower() in MESH_FORMATS)
    robot = _without_namespaces(parse(text, file))
    folder = Path(file).resolve().parent if file != '<string>' else Path.cwd()
    missing: list[str] = []
    poor, had = set(), False
    for link in children(robot, 'link'):
        for visual in list(children(link, 'visual')):
            had = True
            if _is_nothing(visual):
                link.remove(visual)
                continue
            for mesh in visual.iter('mesh'):
                uri = mesh.get('filename', '')
                path = find_mesh(uri, folder)
                if path is not None and readable(path):
                    mesh.set('filename', str(path))
                    continue
                if uri not in missing:
                    missing.append(uri)
                poor.add(link.get('name'))
                link.remove(visual)
                break
        for collision in list(children(link, 'collision')):
            if collision.find('.//mesh') is not None:
                link.remove(collision)
    stand_ins = _StandIns(robot, file)
    named = [link for link in children(robot, 'link')
             if link.get('name') in poor or not had]
    drawn = [link.get('name') for link in named
             if not children(link, 'visual') and stand_ins.give(link)]
    from lxml import etree
    return Shown(etree.tostring(robot), missing, drawn)


def _is_nothing(visual: Any) -> bool:
    """Tell whether a visual has no size: such ones are in use as placeholders."""
    for name, keys in (('sphere', ('radius',)), ('cylinder', ('radius', 'length')),
                       ('box', ('size',))):
        for shape in visual.iter(name):
            for text in ' '.join(shape.get(key, '') for key in keys).split():
                try:
                    if float(text) == 0.0:
                        return True
                except ValueError:
                    pass
    return False


def _without_namespaces(robot: Any) -> Any:
    """Return an element whose names have no namespaces: other readers do not see through them."""
    from lxml import etree
    for element in robot.iter('*'):
        if not (element.prefix and element.prefix != 'xsi'):
            element.tag = etree.QName(element).localname
    etree.cleanup_namespaces(robot)
    return robot


class _StandIns:
    """Gives links the primitives that stand for them."""

    def __init__(self, robot: Any, file: str) -> None:
        reader = Reader(file)
        self._reader = reader
        self._joints = [reader.joint(joint) for joint in children(robot, 'joint')]
        lengths = sorted(float(np.linalg.norm(joint.origin[:3, 3])) for joint in self._joints)
        lengths = [length for length in lengths if length > 1e-6]
        self._radius = SLIM * lengths[len(lengths) // 2] if lengths else 0.02

    def give(self, link: Any) -> bool:
        """Add visuals to a link; tell whether there was anything to add."""
        solid = [shape for shape in link.iterfind('collision')
                 if shape.find('geometry') is not None]
        if solid:
            for shape in solid:
                self._visual(link, shape.find('geometry'), shape.find('origin'), LINK_COLOUR)
            return True
        name = link.get('name')
        parent = next((joint for joint in self._joints if joint.child == name), None)
        ends = [joint.origin[:3, 3] for joint in self._joints if joint.parent == name]
        ends = [end for end in ends if np.linalg.norm(end) > 1e-6]
        if not ends and parent is not None and parent.moves:
            # A uniform rod would end as far beyond its centre of mass as it began before it.
            com = self._reader.link(link).com
            ends = [2.0 * com] if np.linalg.norm(com) > 1e-6 else []
        for end in ends:
            self._rod(link, np.zeros(3), end, self._radius, LINK_COLOUR)
        if parent is not None and parent.moves:
            half = 1.6 * self._radius * parent.axis
            self._rod(link, -half, half, 1.5 * self._radius, JOINT_COLOUR)
        return bool(ends) or (parent is not None and parent.moves)

    def _rod(self, link: Any, start: FloatArray, end: FloatArray, radius: float,
             colour: str) -> None:
        """Add a cylinder from one point to another."""
        from lxml import etree
        way = end - start
        length = float(np.linalg.norm(way))
        middle = 0.5 * (start + end)
        # URDF's cylinders are along z: roll 0, pitch and yaw turn z to the way.
        pitch = math.atan2(math.hypot(way[0], way[1]), way[2])
        yaw = math.atan2(way[1], way[0])
        origin = etree.Element('origin', xyz=' '.join(map(repr, middle.tolist())),
                               rpy=f'0 {pitch!r} {yaw!r}')
        geometry = etree.Element('geometry')
        etree.SubElement(geometry, 'cylinder', length=repr(length), radius=repr(radius))
        self._visual(link, geometry, origin, colour)

    @staticmethod
    def _visual(link: Any, geometry: Any, origin: Any, colour: str) -> None:
        from copy import deepcopy

        from lxml import etree
        visual = etree.SubElement(link, 'visual')
        if origin is not None:
            visual.append(deepcopy(origin))
        visual.append(deepcopy(geometry))
        material = etree.SubElement(visual, 'material', name=f'stand_in_{colour[:3]}')
        etree.SubElement(material, 'color', rgba=colour)
