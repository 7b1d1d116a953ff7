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
Vocabulary of URDF: which elements and attributes a reader knows, and what a misspelt one means.

A reader skips what it does not know, so a misspelt ``<orign>`` is an arm without that origin. What
belongs to other tools (Gazebo, ros2_control, Drake, a namespace of its own) is not judged.

"""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from twolink_dynamics.model.checks import Report

__all__ = ['check_vocabulary']

ORIGIN = (('xyz', 'rpy', 'quat_xyzw'), ())
# element: (attributes, children). What is not here (geometry, materials) is not looked into.
KNOWN: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    'robot': (('name', 'version'), ('link', 'joint', 'material')),
    'link': (('name', 'type'), ('inertial', 'visual', 'collision')),
    'inertial': ((), ('origin', 'mass', 'inertia')),
    'origin': ORIGIN,
    'mass': (('value',), ()),
    'inertia': (('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz'), ()),
    'visual': (('name',), ('origin', 'geometry', 'material')),
    'collision': (('name',), ('origin', 'geometry', 'material', 'verbose')),
    'joint': (('name', 'type'), ('origin', 'parent', 'child', 'axis', 'limit', 'dynamics', 'mimic',
                                 'calibration', 'safety_controller')),
    'parent': (('link',), ()),
    'child': (('link',), ()),
    'axis': (('xyz',), ()),
    'limit': (('lower', 'upper', 'effort', 'velocity', 'acceleration', 'deceleration', 'jerk'),
              ()),
    'dynamics': (('damping', 'friction', 'mu_coulomb', 'mu_viscous', 'K', 'D'), ()),
    'mimic': (('joint', 'multiplier', 'offset'), ()),
}
# Known elsewhere: of Gazebo, ROS, Drake, Bullet, MuJoCo, and of older or newer URDF.
EXTENSIONS = frozenset((
    'gazebo', 'ros2_control', 'transmission', 'mujoco', 'sensor', 'velocity', 'frame', 'robot',
    'loop_joint', 'collision_filter_group', 'contact', 'self_collision_checking', 'curves',
    'initial_tangent', 'is_periodic', 'plane_normal', 'screw_thread_pitch', 'verbose',
    'contact_coefficients', 'inertia_scaling', 'preserveFixedJoint', 'compiler',
    'hardwareInterface', 'acceleration', 'jerk'))
# The other half of a symmetric matrix.
MIRRORED = {'iyx': 'ixy', 'izx': 'ixz', 'izy': 'iyz'}


def check_vocabulary(robot: Any, found: Report) -> None:
    """
    Report what a reader of URDF skips: unknown elements and attributes, and text.

    Parameters
    ----------
    robot : lxml.etree._Element
    found : callable
        Called with severity, rule, element, problem and line of each.

    """
    _check(robot, 'robot', '', found)


def _check(element: Any, kind: str, owner: str, found: Report) -> None:
    attributes, children = KNOWN[kind]
    for key in element.attrib:
        if key in attributes or not isinstance(key, str) or key.startswith('{') or ':' in key:
            continue
        if kind == 'inertia' and key in MIRRORED:
            _mirrored(element, key, owner, found)
            continue
        _unknown(f'<{kind}> has an attribute "{key}"', key,
                 [name for name in attributes if element.get(name) is None], '"{}"', owner,
                 element.sourceline, found)
    text = (element.text or '').strip()
    if text and (attributes or children):
        hint = f': expected {attributes[0]}="..."' if attributes and not children else ''
        found('warning', 'text', owner, f'<{kind}> has the text "{_short(text)}", which is not '
              f'read{hint}', element.sourceline)
    for child in element:
        if not isinstance(child.tag, str) or child.prefix:
            continue
        name = child.tag.rsplit('}', 1)[-1]
        named = f'{name} "{child.get("name")}"' if kind == 'robot' else owner
        if name in children:
            if name in KNOWN and not (kind == 'robot' and name == 'material'):
                _check(child, name, named, found)
        elif name in attributes:
            found('warning', 'unknown-name', owner, f'<{kind}> has a child <{name}>, which is not '
                  f'read: expected {name}="..."', child.sourceline)
        elif name in KNOWN and name != 'origin' and name not in EXTENSIONS:
            found('warning', 'unknown-name', owner, f'<{kind}> has a child <{name}>, which is not '
                  'read there', child.sourceline)
        elif name not in EXTENSIONS:
            _unknown(f'<{kind}> has a child <{name}>', name, list(children), '<{}>', owner,
                     child.sourceline, found)


def _mirrored(element: Any, key: str, owner: str, found: Report) -> None:
    """Report an entry below the diagonal that says something else than the one above."""
    twin = MIRRORED[key]
    try:
        same = float(element.get(key)) == float(element.get(twin, '0'))
    except ValueError:
        same = False
    if not same:
        found('warning', 'contradictory-inertia', owner,
              f'<inertia> has {key}="{_short(element.get(key))}" and '
              f'{twin}="{_short(element.get(twin, "0"))}": only {twin} is read',
              element.sourceline)


def _unknown(what: str, name: str, known: list[str], form: str, owner: str, line: int | None,
             found: Report) -> None:
    """Report an unknown name: a warning if it looks like a misspelt one, else a note."""
    like = get_close_matches(name.lower(), known, 1, 0.6) or \
        [one for one in known if sorted(one) == sorted(name.lower())]
    meant = f': did you mean {form.format(like[0])}?' if like else ''
    found('warning' if like else 'note', 'unknown-name', owner,
          f'{_short(what)}, which is not read{meant}', line)


def _short(text: str) -> str:
    """Return a text in one line that is not too long."""
    text = ' '.join(text.split())
    return text if len(text) <= 60 else text[:57] + '...'
