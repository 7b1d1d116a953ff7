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

"""Gains of a control law: checked, one per joint, said in either of two ways."""

import math

import numpy as np

from twolink_dynamics.errors import NonFiniteError, ParameterError, ShapeError

__all__ = ['gains_of', 'per_joint', 'reflected_inertia']

# So many postures show the largest inertias to a few per cent; they cost a millisecond.
POSTURES = 128
# The fractional parts of the multiples of a root of x^(d+1) = x + 1 fill a cube evenly.
ROOTS = (1.618034, 1.324718, 1.220744, 1.167304, 1.134724, 1.112776, 1.096982)


def per_joint(name, value, n):
    """
    Return a number of 0 or more for each joint.

    Parameters
    ----------
    name : str
        For errors.
    value : float or array_like, shape (n,)
    n : int

    Returns
    -------
    values : tuple of float, length n

    Raises
    ------
    ShapeError, NonFiniteError, ParameterError

    """
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(name, value, 'a number, or one per joint') from None
    if array.shape not in ((), (1,), (n,)):
        raise ShapeError(name, f'() or ({n},)', array.shape)
    for index, number in np.ndenumerate(array):
        if not math.isfinite(number):
            raise NonFiniteError(name, index, float(number))
        if number < 0.0:
            raise ParameterError(name, value, 'no negative number')
    return tuple(np.broadcast_to(array, (n,)).tolist())


def gains_of(n, kp=100.0, kd=20.0, ki=0.0, *, natural_frequency=None, damping_ratio=None):
    """
    Return the gains of a second-order error equation, one per joint (theory.md C1).

    Parameters
    ----------
    n : int
        The number of joints.
    kp, kd, ki : float or array_like, shape (n,)
        Gains on position, velocity and integral [1/s^2, 1/s, 1/s^3].
    natural_frequency : float or array_like, shape (n,), optional
        [rad/s]; ``kp`` is then its square, whatever `kp` says.
    damping_ratio : float or array_like, shape (n,), optional
        ``kd`` is then ``2 damping_ratio sqrt(kp)``, whatever `kd` says. With a natural frequency
        it is 1 if not given: no overshoot.

    Returns
    -------
    kp, kd, ki : tuple of float, length n

    Raises
    ------
    ShapeError, NonFiniteError, ParameterError
        If a gain is not one number or one per joint, not finite, negative, or if the integral's
        makes the error grow (``ki`` is to be less than ``kp kd``).

    """
    kp, kd, ki = (per_joint(name, value, n)
                  for name, value in (('kp', kp), ('kd', kd), ('ki', ki)))
    if natural_frequency is not None:
        wn = per_joint('natural_frequency', natural_frequency, n)
        kp = tuple(w * w for w in wn)
        damping_ratio = 1.0 if damping_ratio is None else damping_ratio
    if damping_ratio is not None:
        zeta = per_joint('damping_ratio', damping_ratio, n)
        kd = tuple(2.0 * z * math.sqrt(p) for z, p in zip(zeta, kp))
    for i, p, d in zip(ki, kp, kd):
        if i > 0.0 and not i < p * d:
            raise ParameterError('ki', i, f'less than kp kd = {p * d:g}, or the error grows')
    return kp, kd, ki


def reflected_inertia(arm):
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
