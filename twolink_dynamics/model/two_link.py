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
The planar 2R constants of a chain: what the closed form (theory.md L1-L8) is made of.

A real URDF is wider than the drawing of the texts: centres of mass off the link line, an axis
along -z, a plane that is not vertical, a base that is turned. All of that is folded into a handful
of constants beforehand, so that the formulas stay those of the drawing: a term
``a cos(x) + b sin(x)`` becomes ``r cos(x + phase)``, and an elbow that turns the other way becomes
the sign of its angle.

"""

from __future__ import annotations

from dataclasses import dataclass
import math
from typing import Any

import numpy as np

from twolink_dynamics.array_types import ArrayLike, FloatArray
from twolink_dynamics.model.chain import Chain, Frozen, frozen_array

__all__ = ['TwoLinkConstants', 'planar_sign', 'two_link_constants']

# Axes that deviate by an angle e give closed-form errors of order e: what is parallel to rounding
# is planar, and an axis written with seven digits (rpy = 1.570796) is left to Newton-Euler.
PARALLEL = 1e-14
EPS = float(np.finfo(float).eps)


@dataclass(frozen=True, eq=False)
class TwoLinkConstants(Frozen):
    """
    The planar 2R arm hidden in a chain.

    The plane's frame has its origin at joint 1, z along joint 1's axis, and x from joint 1 towards
    joint 2 at ``q = 0``. In it, with ``t = sign * q2``, the absolute angles are ``q1`` and
    ``q1 + t``.

    Attributes
    ----------
    sign : float
        +1 where joint 2 turns about the same direction as joint 1, else -1.
    alpha, delta : float
        ``m1 |r1|^2 + I1 + m2 l1^2`` and ``m2 |r2|^2 + I2`` [kg m^2].
    beta, phase : float
        The coupling ``m2 l1 lc2 cos(q2)`` of L4 is ``beta cos(t + phase)`` [kg m^2, rad].
    gravity1, gravity_phase1, gravity2, gravity_phase2 : float
        The terms of L7: ``gravity1 cos(q1 + gravity_phase1)`` and
        ``gravity2 cos(q1 + t + gravity_phase2)`` [N m, rad].
    potential : float
        What U has beside L5's two terms [J].
    axes : ndarray, shape (3, 3)
        The plane's x, y and z, as columns, in the base frame.
    origin : ndarray, shape (3,)
        Joint 1, in the base frame [m].
    elbow, com1 : ndarray, shape (3,)
        Joint 2 and the first centre of mass from joint 1, in the plane's frame, turning with
        link 1 [m].
    com2, tip : ndarray, shape (3,)
        The second centre of mass and the tip from joint 2, turning with link 2 [m].
    m1, m2, I1, I2 : float
        Masses [kg] and inertias about the centres of mass about the joint axis [kg m^2].

    """

    sign: float
    alpha: float
    delta: float
    beta: float
    phase: float
    gravity1: float
    gravity_phase1: float
    gravity2: float
    gravity_phase2: float
    potential: float
    axes: FloatArray
    origin: FloatArray
    elbow: FloatArray
    com1: FloatArray
    com2: FloatArray
    tip: FloatArray
    m1: float
    m2: float
    I1: float
    I2: float

    def __post_init__(self) -> None:
        """Freeze the arrays."""
        for name in ('axes', 'origin', 'elbow', 'com1', 'com2', 'tip'):
            object.__setattr__(self, name, frozen_array(getattr(self, name)))

    @property
    def determinant_floor(self) -> float:
        """
        Where the determinant of M, ``alpha delta - b^2``, is no longer known to differ from 0.

        Its parts are rounded to a few eps each.

        """
        return 8.0 * EPS * self.alpha * self.delta

    @property
    def may_be_singular(self) -> bool:
        """Whether M is singular somewhere: its determinant is least where b^2 is beta^2."""
        return not self.alpha * self.delta - self.beta ** 2 > self.determinant_floor

    @property
    def l1(self) -> float:
        """Length of link 1, from joint to joint in the plane [m]."""
        return math.hypot(self.elbow[0], self.elbow[1])

    @property
    def l2(self) -> float:
        """Length of link 2, from joint to tip in the plane [m]."""
        return math.hypot(self.tip[0], self.tip[1])

    @property
    def lc1(self) -> float:
        """Distance of the first centre of mass from joint 1, in the plane [m]."""
        return math.hypot(self.com1[0], self.com1[1])

    @property
    def lc2(self) -> float:
        """Distance of the second centre of mass from joint 2, in the plane [m]."""
        return math.hypot(self.com2[0], self.com2[1])

    @property
    def packed(self) -> tuple[float, ...]:
        """The constants of the kernels in :mod:`~twolink_dynamics.dynamics.two_link`."""
        return (self.sign, self.alpha, self.delta, self.beta, self.phase, self.gravity1,
                self.gravity_phase1, self.gravity2, self.gravity_phase2)


def planar_sign(chain: Chain) -> float | None:
    """
    Return the sign of the second axis in a planar 2R chain, or None if the chain is not one.

    Parameters
    ----------
    chain : Chain

    Returns
    -------
    sign : float or None

    """
    if chain.n != 2 or any(joint.type == 'prismatic' or joint.armature for joint in chain.joints):
        return None  # a rotor behind a gear is a third body, which the closed form does not have
    first, second = chain.joints
    z, z2 = first.axis, second.origin[:3, :3] @ second.axis
    if np.abs(np.cross(z, z2)).max() > PARALLEL:
        return None
    return math.copysign(1.0, z @ z2)


def _plane(z: FloatArray, direction: FloatArray) -> FloatArray:
    """Return axes (columns x, y, z) with x along a direction as seen along z."""
    flat = direction - (direction @ z) * z
    if math.sqrt(flat @ flat) <= 1e-12 * max(1.0, math.sqrt(direction @ direction)):
        # Joint 2 on joint 1's axis: any x will do; take the coordinate axis least along z.
        axis = np.eye(3)[int(np.argmin(np.abs(z)))]
        flat = axis - (axis @ z) * z
    x = flat / math.sqrt(flat @ flat)
    return np.column_stack([x, np.cross(z, x), z])


def _polar(a: float, b: float) -> tuple[float, float]:
    """Return (r, phase) of ``a cos(x) + b sin(x) == r cos(x + phase)``."""
    # Adding 0.0 turns -0.0 into 0.0: atan2(0, -0.0) would be pi for a term that is zero.
    return math.hypot(a, b), math.atan2(-b + 0.0, a + 0.0)


def two_link_constants(chain: Chain, gravity: ArrayLike) -> TwoLinkConstants | None:
    """
    Return the planar 2R constants of a chain.

    Parameters
    ----------
    chain : Chain
    gravity : array_like, shape (3,)
        In the base frame [m/s^2].

    Returns
    -------
    constants : TwoLinkConstants or None
        None if the chain is not a planar 2R: two revolute or continuous joints whose axes are
        parallel or opposite.

    """
    sign = planar_sign(chain)
    if sign is None:
        return None
    first, second = chain.joints
    to_base = first.origin[:3, :3]
    axes = _plane(first.axis, second.origin[:3, 3])  # in link 1's frame, which is the base's at 0
    # Turns vectors of link 2's frame, at q = 0, into the plane's frame.
    from2 = axes.T @ second.origin[:3, :3]
    elbow, com1 = axes.T @ second.origin[:3, 3], axes.T @ chain.links[0].com
    com2, tip = from2 @ chain.links[1].com, from2 @ chain.tip[:3, 3]
    base_axes = to_base @ axes
    g = base_axes.T @ np.asarray(gravity, dtype=float)
    m1, m2 = (link.mass for link in chain.links)
    I1 = axes[:, 2] @ chain.links[0].inertia @ axes[:, 2]
    I2 = second.axis @ chain.links[1].inertia @ second.axis
    beta = _polar(m2 * (elbow[0] * com2[0] + elbow[1] * com2[1]),
                  m2 * (elbow[1] * com2[0] - elbow[0] * com2[1]))
    moment1, moment2 = m1 * com1 + m2 * elbow, m2 * com2
    gravity1, gravity2 = (_polar(g[0] * u[1] - g[1] * u[0], g[0] * u[0] + g[1] * u[1])
                          for u in (moment1, moment2))
    potential = -(m1 + m2) * (np.asarray(gravity, dtype=float) @ first.origin[:3, 3]) \
        - g[2] * (moment1[2] + moment2[2])
    # Plain floats: a NumPy scalar would make every product of the kernels several times slower.
    values: list[Any] = [float(number) for number in (
        sign, m1 * (com1[0] ** 2 + com1[1] ** 2) + I1 + m2 * (elbow[0] ** 2 + elbow[1] ** 2),
        m2 * (com2[0] ** 2 + com2[1] ** 2) + I2, *beta, *gravity1, *gravity2, potential)]
    values += [base_axes, first.origin[:3, 3], elbow, com1, com2, tip, m1, m2, float(I1),
               float(I2)]
    return TwoLinkConstants(*values)
