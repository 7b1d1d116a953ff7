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

"""Chains made from chains: with a payload, with other parameters."""

from __future__ import annotations

from dataclasses import replace
import math
from typing import Any, cast, Mapping

import numpy as np

from twolink_dynamics.array_types import ArrayLike, FloatArray, PerJoint
from twolink_dynamics.errors import ParameterError, ShapeError
from twolink_dynamics.model.chain import Chain, Link
from twolink_dynamics.spatial import lump, shift_inertia
from twolink_dynamics.validation import check_array, number, per_joint

__all__ = ['with_body_parameters', 'with_payload']

JOINT_VALUES = ('damping', 'friction', 'armature', 'lower', 'upper', 'velocity', 'effort')


def _exact(name: str, value: object, shape: tuple[int, ...]) -> FloatArray:
    array = check_array(name, value, shape)
    if array.shape != shape:
        raise ShapeError(name, str(shape), array.shape)
    return array


def with_payload(chain: Chain, mass: float, com: ArrayLike = (0.0, 0.0, 0.0),
                 inertia: ArrayLike | None = None) -> Chain:
    """
    Return a chain with a rigid load fixed to its tip.

    Parameters
    ----------
    chain : Chain
    mass : float
        [kg].
    com : array_like, shape (3,)
        In the tip's frame [m].
    inertia : array_like, shape (3, 3), optional
        About the load's centre of mass, in the tip's axes [kg m^2]; zero if not given.

    Returns
    -------
    chain : Chain

    Raises
    ------
    ParameterError
        If the mass is negative, or the inertia not symmetric.
    ShapeError, NonFiniteError

    """
    mass = number('mass', mass, 0.0)
    center = _exact('com', com, (3,))
    about = np.zeros((3, 3)) if inertia is None else _exact('inertia', inertia, (3, 3))
    if not np.array_equal(about, about.T):
        raise ParameterError('inertia', about.tolist(), 'a symmetric matrix')
    R, p = chain.tip[:3, :3], chain.tip[:3, 3]
    link = chain.links[-1]
    mass, center, about = lump([(link.mass, link.com, link.inertia),
                                (mass, R @ center + p, R @ about @ R.T)])
    loaded = replace(link, mass=mass, com=center, inertia=about, has_inertial=True)
    return replace(chain, links=(*chain.links[:-1], loaded))


def with_body_parameters(chain: Chain, inertial: ArrayLike | None = None,
                         joint_values: Mapping[str, PerJoint] | None = None) -> Chain:
    """
    Return a chain with other inertial parameters, or other values of its joints.

    Parameters
    ----------
    chain : Chain
    inertial : array_like, shape (10 n,), optional
        For each body m, m c (3), Ixx, Ixy, Ixz, Iyy, Iyz, Izz about its frame's origin. They are
        taken literally: an identified set need not be physical.
    joint_values : dict of str to (float or array_like, shape (n,)), optional
        Of ``damping``, ``friction``, ``armature``, ``lower``, ``upper``, ``velocity``, ``effort``.

    Returns
    -------
    chain : Chain

    Raises
    ------
    ParameterError
        If a value is unknown or impossible.
    ShapeError, NonFiniteError

    """
    links, joints = list(chain.links), list(chain.joints)
    if inertial is not None:
        rows = _exact('inertial', inertial, (10 * chain.n,)).reshape(chain.n, 10)
        links = [_link_of(link, row) for link, row in zip(links, rows)]
    for name, value in (joint_values or {}).items():
        if name not in JOINT_VALUES:
            raise ParameterError('with_parameters', name, 'one of ' + ', '.join(JOINT_VALUES))
        values = _joint_values(name, value, chain.n)
        joints = [replace(joint, **cast(Any, {name: v})) for joint, v in zip(joints, values)]
    return replace(chain, links=tuple(links), joints=tuple(joints))


def _joint_values(name: str, value: object, n: int) -> tuple[float, ...]:
    """Return one float per joint; limits may be infinite, and only positions negative."""
    return per_joint(name, value, n, -math.inf if name in ('lower', 'upper') else 0.0,
                     infinite=name not in ('damping', 'friction', 'armature'))


def _link_of(link: Link, row: FloatArray) -> Link:
    """Return a link of its ten parameters: the inertia goes back to the centre of mass."""
    mass, moment = float(row[0]), row[1:4]
    if mass == 0.0 and moment.any():
        raise ParameterError('inertial', row.tolist(),
                             'no first moment of mass where the mass is zero')
    com = moment / mass if mass else np.zeros(3)
    xx, xy, xz, yy, yz, zz = row[4:]
    about_origin = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return replace(link, mass=mass, com=com, inertia=shift_inertia(about_origin, -mass, com),
                   has_inertial=True)
