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
Arms described by Denavit-Hartenberg rows (theory.md K).

A row is (alpha, a, d) or (alpha, a, d, theta): the joint's variable is added to theta, or to d
where the joint is prismatic. In the `modified` convention (Craig) alpha and a lie before the
joint, in the `standard` one (Paul) behind it:

    modified   Rx(alpha) Tx(a) Rz(theta + q) Tz(d)
    standard   Rz(theta + q) Tz(d) Tx(a) Rx(alpha)

The same numbers make different arms in the two: know which one a table is in.

"""

from __future__ import annotations

import math
from typing import Sequence, Tuple, Union

import numpy as np

from twolink_dynamics.array_types import ArrayLike, FloatArray
from twolink_dynamics.errors import ModelError, ParameterError, ShapeError
from twolink_dynamics.model.chain import Chain, Frame, Joint, Link
from twolink_dynamics.spatial import homogeneous
from twolink_dynamics.validation import check_array, number

__all__ = ['chain_from_dh']

TYPES = {'r': 'continuous', 'revolute': 'revolute', 'continuous': 'continuous', 'p': 'prismatic',
         'prismatic': 'prismatic'}
Z = (0.0, 0.0, 1.0)

#: A link, or its mass, centre of mass and inertia.
LinkLike = Union[Link, Tuple[float, ArrayLike, ArrayLike]]


def _turn(axis: str, angle: float) -> FloatArray:
    """Return a pose that turns about x or z; right angles are exact."""
    quarters = angle / (0.5 * math.pi)
    if abs(quarters - round(quarters)) < 1e-15 * max(1.0, abs(quarters)):
        c, s = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))[round(quarters) % 4]
    else:
        c, s = math.cos(angle), math.sin(angle)
    R = np.eye(3)
    i, j = (1, 2) if axis == 'x' else (0, 1)
    R[i, i] = R[j, j] = c
    R[i, j], R[j, i] = -s, s
    return homogeneous(R, (0.0, 0.0, 0.0))


def _shift(x: float, z: float) -> FloatArray:
    return homogeneous(np.eye(3), (x, 0.0, z))


def chain_from_dh(rows: ArrayLike, convention: str = 'modified',
                  links: Sequence[LinkLike] | None = None,
                  joint_types: str | Sequence[str] | None = None, limits: ArrayLike | None = None,
                  tool: ArrayLike | None = None, name: str = 'dh_arm') -> Chain:
    """
    Return the chain of Denavit-Hartenberg rows.

    Parameters
    ----------
    rows : array_like, shape (n, 3) or (n, 4)
        (alpha, a, d) or (alpha, a, d, theta) of each joint [rad, m, m, rad].
    convention : {'modified', 'standard'}
        Craig's or Paul's.
    links : sequence of n (mass, com, inertia) or Link, optional
        Of each moving link, in its Denavit-Hartenberg frame: mass [kg], centre of mass (3,) [m],
        inertia (3, 3) or its diagonal (3,) about the centre of mass [kg m^2]. Without it the arm
        has no mass, and only kinematics make sense.
    joint_types : str or sequence of n str, optional
        ``'revolute'`` (or ``'R'``: turns without limits, as ``'continuous'`` does), or
        ``'prismatic'`` (``'P'``). All turn by default. ``'RRP'`` is short for a list.
    limits : array_like, shape (n, 2), optional
        Lower and upper joint positions [rad or m].
    tool : array_like, shape (4, 4), optional
        Pose of the tip in the last Denavit-Hartenberg frame; the same by default.
    name : str

    Returns
    -------
    chain : Chain
        Joints joint1 … jointn, links link1 … linkn, from ``base_link`` to ``tool0``.

    Raises
    ------
    ShapeError, NonFiniteError
        If the rows or links have the wrong shape or hold a NaN.
    ParameterError
        If the convention or a joint type is unknown.
    ModelError
        If a mass is negative.

    """
    rows = check_array('rows', rows)
    if rows.ndim != 2 or not len(rows) or rows.shape[1] not in (3, 4):
        raise ShapeError('rows', '(n, 3) or (n, 4)', rows.shape,
                         'a row is (alpha, a, d) or (alpha, a, d, theta)')
    if convention not in ('modified', 'standard'):
        raise ParameterError('convention', convention, "'modified' (Craig) or 'standard' (Paul)")
    n = len(rows)
    if rows.shape[1] == 3:
        rows = np.column_stack([rows, np.zeros(n)])
    types = _types(joint_types, n)
    limits = _limits(limits, n)
    tool = np.eye(4) if tool is None else check_array('tool', tool)
    if tool.shape != (4, 4):
        raise ShapeError('tool', '(4, 4)', tool.shape)
    origins, tip, placements = _placements(rows, convention, types)
    links = [Link(f'link{i + 1}') for i in range(n)] if links is None else links
    if len(links) != n:
        raise ShapeError('links', f'({n},)', (len(links),), 'one for each row')
    names = ['base_link'] + [f'link{i + 1}' for i in range(n)]
    joints = [Joint(f'joint{i + 1}', types[i], names[i], names[i + 1], origins[i], Z,
                    *limits[i]) for i in range(n)]
    bodies = [_body(link, placement, name) for link, placement, name in
              zip(links, placements, names[1:])]
    tip = tip @ tool
    frames = [Frame('base_link', -1, np.eye(4))]
    frames += [Frame(names[i + 1], i, placements[i]) for i in range(n)]
    frames.append(Frame('tool0', n - 1, tip))
    return Chain(name, 'base_link', 'tool0', joints, bodies, tip, frames)


def _placements(rows: FloatArray, convention: str,
                types: list[str]) -> tuple[list[FloatArray], FloatArray, list[FloatArray]]:
    """
    Return the joints' origins, the tip, and where the Denavit-Hartenberg frames are in the bodies.

    A body's frame is one whose z axis is the joint's: in the modified convention the row's own
    frame, in the standard one the frame before it, moved.
    """
    origins, placements, before = [], [], np.eye(4)
    for (alpha, a, d, theta), kind in zip(rows.tolist(), types):
        aside = _shift(a, 0.0)
        if convention == 'modified':
            origins.append(before @ _turn('x', alpha) @ aside @ _turn('z', theta) @ _shift(0.0, d))
            before = np.eye(4)
            placements.append(np.eye(4))
        else:
            origins.append(before @ _turn('z', theta) @ _shift(0.0, d))
            before = aside @ _turn('x', alpha)
            placements.append(before)
    return origins, before, placements


def _types(joint_types: str | Sequence[str] | None, n: int) -> list[str]:
    if joint_types is None:
        return ['continuous'] * n
    if isinstance(joint_types, str) and joint_types.lower() not in TYPES:
        joint_types = list(joint_types)
    elif isinstance(joint_types, str):
        joint_types = [joint_types] * n
    if len(joint_types) != n:
        raise ShapeError('joint_types', f'({n},)', (len(joint_types),), 'one for each row')
    for kind in joint_types:
        if str(kind).lower() not in TYPES:
            raise ParameterError('joint_types', kind, "'revolute', 'continuous' or 'prismatic'")
    return [TYPES[str(kind).lower()] for kind in joint_types]


def _limits(limits: ArrayLike | None, n: int) -> list[tuple[float, float]]:
    if limits is None:
        return [(-math.inf, math.inf)] * n
    array = check_array('limits', limits, infinite=True)
    if array.shape != (n, 2):
        raise ShapeError('limits', f'({n}, 2)', array.shape, 'lower and upper for each row')
    if not (array[:, 0] <= array[:, 1]).all():
        raise ParameterError('limits', array.tolist(), 'lower limits not above the upper ones')
    return [tuple(pair) for pair in array.tolist()]


def _body(link: LinkLike, placement: FloatArray, name: str) -> Link:
    """Return a link given in its Denavit-Hartenberg frame as a body in its joint's frame."""
    if isinstance(link, Link):
        link = link.mass, link.com, link.inertia
    size = len(link) if hasattr(link, '__len__') else 0
    if size != 3:
        raise ShapeError(name, '(mass, com, inertia)', (size,))
    mass = number(f'{name} mass', link[0])
    com, inertia = (check_array(f'{name} {what}', value) for what, value in
                    zip(('com', 'inertia'), link[1:]))
    if mass < 0.0:
        raise ModelError(f'{name}: expected a mass of 0 or more, got {mass:g}')
    if np.shape(inertia) == (3,):
        inertia = np.diag(inertia)
    for what, value, shape in (('com', com, (3,)), ('inertia', inertia, (3, 3))):
        if np.shape(value) != shape:
            raise ShapeError(f'{name} {what}', str(shape), np.shape(value))
    R, p = placement[:3, :3], placement[:3, 3]
    return Link(name, mass, R @ com + p, R @ inertia @ R.T,
                has_inertial=bool(mass or np.any(inertia)))
