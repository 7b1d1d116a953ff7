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
from twolink_dynamics.model.checks import check_link
from twolink_dynamics.spatial import lump, shift_inertia
from twolink_dynamics.validation import check_array, number, per_joint

__all__ = ['physical_parameters', 'with_body_parameters', 'with_payload']

# What no body has; a massless body with an inertia is the limit of one that exists.
IMPOSSIBLE = ('negative-mass', 'inertia-not-positive', 'triangle-inequality')
# What projection leaves of the least eigenvalue of a body's pseudo-inertia, relative to the
# greatest: far above rounding, far below what can be measured.
LEAST_EIGENVALUE = 1e-9
# What is lost, relative to m |c|^2, on an inertia's way from the origin to the centre of mass.
ROUNDING = 1e-12
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
        If the mass is negative, or the inertia not symmetric or no body's.
    ShapeError, NonFiniteError

    """
    mass = number('mass', mass, 0.0)
    center = _exact('com', com, (3,))
    about = np.zeros((3, 3)) if inertia is None else _exact('inertia', inertia, (3, 3))
    if not np.array_equal(about, about.T):
        raise ParameterError('inertia', about.tolist(), 'a symmetric matrix')
    _refuse_impossible('inertia', Link('payload', mass, center, about))
    R, p = chain.tip[:3, :3], chain.tip[:3, 3]
    link = chain.links[-1]
    mass, center, about = lump([(link.mass, link.com, link.inertia),
                                (mass, R @ center + p, R @ about @ R.T)])
    loaded = replace(link, mass=mass, com=center, inertia=about, has_inertial=True)
    return replace(chain, links=(*chain.links[:-1], loaded))


def _faults(link: Link) -> dict[str, str]:
    """Return the rules of the URDF's inertias that a body breaks, and how."""
    found: dict[str, str] = {}

    def impossible(severity: str, rule: str, element: str, problem: str, line: int | None
                   ) -> None:
        if rule in IMPOSSIBLE:
            found[rule] = problem

    # Rounding is no fault: the same more of each principal moment makes a body possible.
    lost = ROUNDING * abs(link.mass) * float(link.com @ link.com)
    check_link(replace(link, bounds=None, inertia=link.inertia + lost * np.eye(3)), impossible)
    return found


def _refuse_impossible(argument: str, link: Link, before: Link | None = None) -> None:
    """Refuse a body that cannot exist, unless the description's own breaks that rule too."""
    known = _faults(before) if before is not None else {}
    for rule, problem in _faults(link).items():
        if rule == 'negative-mass' or rule not in known:
            hint = '' if before is None else \
                "; unphysical='project' takes the nearest body that exists, 'keep' this one"
            raise ParameterError(argument, f'link "{link.name}": {problem}',
                                 'a body that can exist' + hint)


def physical_parameters(inertial: ArrayLike) -> FloatArray:
    """
    Return the nearest inertial parameters that bodies can have (theory.md C5).

    Each body by itself: its pseudo-inertia, the 4 x 4 matrix of its second, first and zeroth
    moments of mass, has no negative eigenvalue if and only if the body can exist. The nearest
    such matrix (Frobenius norm, in SI units) has the same eigenvectors. A body that can exist is
    not changed at all.

    Parameters
    ----------
    inertial : array_like, shape (10 n,)
        In the form of `Arm.inertial_parameters`: any least-squares estimate.

    Returns
    -------
    inertial : ndarray, shape (10 n,)

    Raises
    ------
    ShapeError, NonFiniteError

    """
    rows = check_array('inertial', inertial, (None,))
    if rows.ndim != 1 or rows.size % 10:
        raise ShapeError('inertial', '(10 n,)', rows.shape)
    return np.array([_nearest_body(row) for row in rows.reshape(-1, 10)]).ravel()


def _nearest_body(row: FloatArray) -> FloatArray:
    """Return the ten parameters of the nearest body that can exist."""
    if (row[0] or not row[1:4].any()) and not _faults(_link_of(Link(''), row)):
        return row
    xx, xy, xz, yy, yz, zz = row[4:]
    half = 0.5 * (xx + yy + zz)
    J = np.array([[half - xx, -xy, -xz, row[1]], [-xy, half - yy, -yz, row[2]],
                  [-xz, -yz, half - zz, row[3]], [row[1], row[2], row[3], row[0]]])
    values, vectors = np.linalg.eigh(J)
    low = LEAST_EIGENVALUE * max(values[3], 0.0)
    J = (vectors * np.maximum(values, low)) @ vectors.T
    trace = J[0, 0] + J[1, 1] + J[2, 2]
    return np.array([J[3, 3], *J[:3, 3], trace - J[0, 0], -J[0, 1], -J[0, 2], trace - J[1, 1],
                     -J[1, 2], trace - J[2, 2]])


def with_body_parameters(chain: Chain, inertial: ArrayLike | None = None,
                         joint_values: Mapping[str, PerJoint] | None = None,
                         unphysical: str = 'refuse') -> Chain:
    """
    Return a chain with other inertial parameters, or other values of its joints.

    Parameters
    ----------
    chain : Chain
    inertial : array_like, shape (10 n,) or (13 n,), optional
        For each body m, m c (3), Ixx, Ixy, Ixz, Iyy, Iyz, Izz about its frame's origin; then the
        armature, the damping and the friction of each joint, if they are given.
    joint_values : dict of str to (float or array_like, shape (n,)), optional
        Of ``damping``, ``friction``, ``armature``, ``lower``, ``upper``, ``velocity``, ``effort``.
    unphysical : {'refuse', 'project', 'keep'}
        What is done with a body of `inertial` that cannot exist: a negative mass, an inertia that
        is not positive or breaks the triangle inequality. ``'project'`` takes the nearest one that
        can (:func:`physical_parameters`; joint values are cut off at 0), ``'keep'`` takes it
        literally.

    Returns
    -------
    chain : Chain

    Raises
    ------
    ParameterError
        If a value is unknown or impossible; it names the body.
    ShapeError, NonFiniteError

    """
    links, joints = list(chain.links), list(chain.joints)
    if unphysical not in ('refuse', 'project', 'keep'):
        raise ParameterError('unphysical', unphysical, "'refuse', 'project' or 'keep'")
    values_of = dict(joint_values or {})
    if inertial is not None:
        rows, extended = _split(inertial, chain.n)
        if unphysical == 'project':
            rows = physical_parameters(rows.ravel()).reshape(rows.shape)
            extended = {name: np.maximum(values, 0.0) for name, values in extended.items()}
        twice = sorted(extended.keys() & values_of.keys())
        if twice:
            raise ParameterError('with_parameters', twice[0], 'values that are given once; the '
                                 f'last {3 * chain.n} of `inertial` have it too')
        values_of.update(extended)
        before, links = links, [_link_of(link, row) for link, row in zip(links, rows)]
        if unphysical != 'keep':
            for old, link in zip(before, links):
                _refuse_impossible('inertial', link, old)
    for name, value in values_of.items():
        if name not in JOINT_VALUES:
            raise ParameterError('with_parameters', name, 'one of ' + ', '.join(JOINT_VALUES))
        values = _joint_values(name, value, chain.n)
        joints = [replace(joint, **cast(Any, {name: v})) for joint, v in zip(joints, values)]
    return replace(chain, links=tuple(links), joints=tuple(joints))


def _split(inertial: ArrayLike, n: int) -> tuple[FloatArray, dict[str, Any]]:
    """Return the rows of the bodies, and the values of the joints of a vector of 13 n."""
    array = check_array('inertial', inertial)
    if array.shape not in ((10 * n,), (13 * n,)):
        raise ShapeError('inertial', f'({10 * n},) or ({13 * n},)', array.shape)
    values = array[10 * n:].reshape(-1, n)
    return array[:10 * n].reshape(n, 10), dict(zip(('armature', 'damping', 'friction'), values))


def _joint_values(name: str, value: object, n: int) -> tuple[float, ...]:
    """Return one float per joint; limits may be infinite, and only positions negative."""
    return per_joint(name, value, n, -math.inf if name in ('lower', 'upper') else 0.0,
                     infinite=name not in ('damping', 'friction', 'armature'))


def _link_of(link: Link, row: FloatArray) -> Link:
    """Return a link of its ten parameters: the inertia goes back to the centre of mass."""
    mass, moment = float(row[0]), row[1:4]
    if mass == 0.0 and moment.any():
        raise ParameterError('inertial', f'link "{link.name}": {row.tolist()}',
                             'no first moment of mass where the mass is zero, for there is no '
                             "centre of mass then; unphysical='project' takes the nearest body")
    com = moment / mass if mass else np.zeros(3)
    xx, xy, xz, yy, yz, zz = row[4:]
    about_origin = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return replace(link, mass=mass, com=com, inertia=shift_inertia(about_origin, -mass, com),
                   has_inertial=True)
