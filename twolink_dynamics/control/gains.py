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

"""Gains of a control law: one per joint, said in either of two ways."""

import math
from typing import Mapping, NamedTuple, TYPE_CHECKING

import numpy as np

from twolink_dynamics.array_types import PerJoint
from twolink_dynamics.errors import ParameterError
from twolink_dynamics.validation import per_joint

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm

__all__ = ['FORMS', 'Gains', 'changed_gains', 'gains_of', 'reflected_inertia']

#: What can be said in two ways, of which one is to be chosen.
FORMS = (('kp', 'natural_frequency'), ('kd', 'damping_ratio'))

# So many postures show the largest inertias to a few per cent; they cost a millisecond.
POSTURES = 128
# The fractional parts of the multiples of a root of x^(d+1) = x + 1 fill a cube evenly.
ROOTS = (1.618034, 1.324718, 1.220744, 1.167304, 1.134724, 1.112776, 1.096982)


class Gains(NamedTuple):
    """
    The gains of a second-order error equation, a tuple of n floats each.

    Attributes
    ----------
    kp, kd, ki : tuple of float, length n
        On position, velocity and integral [1/s^2, 1/s, 1/s^3].

    """

    kp: tuple[float, ...]
    kd: tuple[float, ...]
    ki: tuple[float, ...]


def changed_gains(n: int, before: Mapping[str, tuple[float, ...]],
                  **given: PerJoint | None) -> dict[str, tuple[float, ...]]:
    """
    Return what is said of gains after some was said anew; the rest is kept.

    A gain takes the place of its other form: `kp` that of `natural_frequency`, `kd` that of
    `damping_ratio`, and the other way round.

    Parameters
    ----------
    n : int
        The number of joints.
    before : mapping
        What was said, by name.
    **given : float or array_like, shape (n,), or None
        What is said now; None where nothing is.

    Returns
    -------
    said : dict of tuple of float

    Raises
    ------
    ShapeError, NonFiniteError, ParameterError
        If a gain is not one number or one per joint, not finite or negative, or if both forms of
        one are given at once.

    """
    said = {name: per_joint(name, value, n, low=0.0)
            for name, value in given.items() if value is not None}
    for form, other in FORMS:
        if form in said and other in said:
            raise ParameterError(other, given[other], f'to be left out beside {form}')
    replaced = {name for pair in FORMS if not said.keys().isdisjoint(pair) for name in pair}
    return {**{name: value for name, value in before.items() if name not in replaced}, **said}


def gains_of(n: int, kp: PerJoint | None = None, kd: PerJoint | None = None,
             ki: PerJoint | None = None, *, natural_frequency: PerJoint | None = None,
             damping_ratio: PerJoint | None = None, integral_share: float = 0.0) -> Gains:
    """
    Return the gains of a second-order error equation, one per joint (theory.md C1).

    Parameters
    ----------
    n : int
        The number of joints.
    kp, kd, ki : float or array_like, shape (n,), optional
        Gains on position, velocity and integral [1/s^2, 1/s, 1/s^3]: 100, 20 and 0 if not given.
    natural_frequency : float or array_like, shape (n,), optional
        In place of `kp`, which is its square [rad/s].
    damping_ratio : float or array_like, shape (n,), optional
        In place of `kd`, which is ``2 damping_ratio sqrt(kp)``. It is 1, no overshoot, if a
        natural frequency is given and `kd` is not.
    integral_share : float
        `ki` is this times ``kp kd`` if not given.

    Returns
    -------
    gains : Gains

    Raises
    ------
    ShapeError, NonFiniteError, ParameterError
        If a gain is not one number or one per joint, not finite, negative, given in both forms, or
        if the integral's makes the error grow (``ki`` is to be less than ``kp kd``).

    """
    rows = changed_gains(n, {}, kp=kp, kd=kd, ki=ki, natural_frequency=natural_frequency,
                         damping_ratio=damping_ratio)
    position = rows.get('kp', (100.0,) * n)
    velocity = rows.get('kd', (20.0,) * n)
    if 'natural_frequency' in rows:
        position = tuple(w * w for w in rows['natural_frequency'])
        if 'kd' not in rows:
            rows.setdefault('damping_ratio', (1.0,) * n)
    if 'damping_ratio' in rows:
        velocity = tuple(2.0 * z * math.sqrt(p) for z, p in zip(rows['damping_ratio'], position))
    integral = rows.get('ki') or tuple(
        integral_share * p * d for p, d in zip(position, velocity))
    for i, p, d in zip(integral, position, velocity):
        if i > 0.0 and not i < p * d:
            raise ParameterError('ki', i, f'less than kp kd = {p * d:g}, or the error grows')
    return Gains(position, velocity, integral)


def reflected_inertia(arm: 'Arm') -> tuple[float, ...]:
    """
    Return the largest inertia of each joint's own over postures (theory.md H2).

    What a law that knows no mass matrix makes efforts of: its gains are accelerations, as those
    of every law. With the largest inertia an error is never damped less than its gains say.

    Parameters
    ----------
    arm : Arm

    Returns
    -------
    inertia : tuple of float, length n
        Diagonal of the mass matrix, the largest found [kg m^2 or kg].

    """
    n = arm.n
    root = ROOTS[min(n, len(ROOTS)) - 1]
    steps = np.array([root ** -(k % len(ROOTS) + 1) * (1 + k // len(ROOTS)) for k in range(n)])
    u = np.modf(0.5 + np.arange(POSTURES)[:, None] * steps)[0]
    reach = np.array([0.5 if kind == 'prismatic' else math.pi for kind in arm.joint_types])
    lower = np.where(np.isfinite(arm.limits.lower), arm.limits.lower, -reach)
    upper = np.where(np.isfinite(arm.limits.upper), arm.limits.upper, lower + 2.0 * reach)
    postures = np.vstack([lower + u * (upper - lower), np.clip(np.zeros(n), lower, upper)])
    diagonals = np.diagonal(arm.mass_matrix(postures), axis1=-2, axis2=-1)
    return tuple(diagonals.max(axis=0).tolist())
