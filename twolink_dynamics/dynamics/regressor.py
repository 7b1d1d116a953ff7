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

"""The regressor: inverse dynamics is linear in the inertial parameters (theory.md C4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from twolink_dynamics.array_types import FloatArray
from twolink_dynamics.spatial import shift_inertia

if TYPE_CHECKING:
    from twolink_dynamics.model.chain import Chain

__all__ = ['extended_regressor', 'inertial_parameters', 'regressor']

# The products of two components of a vector in their order: xx, xy, xz, yy, yz, zz.
PAIRS = np.array([[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]])
NEXT, LAST = np.array([1, 2, 0]), np.array([2, 0, 1])


def inertial_parameters(chain: Chain) -> FloatArray:
    """
    Return the parameters that :func:`regressor` multiplies.

    Parameters
    ----------
    chain : Chain

    Returns
    -------
    parameters : ndarray, shape (10 n,)
        For each body m, m c (3), Ixx, Ixy, Ixz, Iyy, Iyz, Izz about its joint's origin, in the
        child link's axes.

    """
    bodies = []
    for link in chain.links:
        I = shift_inertia(link.inertia, link.mass, link.com)  # noqa: E741
        bodies.append([link.mass, *link.mass * link.com,
                       I[0, 0], I[0, 1], I[0, 2], I[1, 1], I[1, 2], I[2, 2]])
    return np.array(bodies).ravel()


def regressor(R: FloatArray, origins: FloatArray, motion: FloatArray, frames: FloatArray,
              revolute: FloatArray) -> FloatArray:
    """
    Return Y with ``tau = Y @ inertial_parameters``.

    Each body's wrench about its own origin is linear in its ten parameters; the Jacobian of the
    body takes it to the joints before it.

    Parameters
    ----------
    R : ndarray, shape (..., n, 3, 3)
        The bodies' kernel frames in the base.
    origins : ndarray, shape (..., n, 3)
        Their origins.
    motion : ndarray, shape (..., n, 9)
        Angular velocity, angular acceleration, and acceleration of the origin less gravity, each
        in the body's kernel frame.
    frames : ndarray, shape (n, 3, 3)
        From the kernel frames to the child links'.
    revolute : ndarray of bool, shape (n,)

    Returns
    -------
    Y : ndarray, shape (..., n, 10 n)

    """
    n = len(revolute)
    lead = motion.shape[:-2]
    w, wd, a = np.moveaxis(
        np.einsum('iab,...ikb->...kia', frames, motion.reshape(*lead, n, 3, 3)), -3, 0)
    axes = R[..., :, 2]
    # [..., j, b]: joint j, body b; in the axes of the child link of b.
    to_body = np.einsum('bij,...bkj->...bik', frames, R)
    levers = origins[..., None, :, :] - origins[..., :, None, :]
    axis = np.einsum('...bik,...jk->...jbi', to_body, axes)
    z = axes[..., :, None, :]
    # What np.cross does in five times the time.
    sideways = z[..., NEXT] * levers[..., LAST] - z[..., LAST] * levers[..., NEXT]
    moved = np.einsum('...bik,...jbk->...jbi', to_body, sideways)
    turning = revolute[:, None, None]
    order = np.arange(n)
    before = (order[:, None] <= order)[:, :, None]  # joint j moves body b from j on
    linear = np.where(turning, moved, axis) * before
    angular = np.where(turning, axis, 0.0) * before
    wrench = _wrench_matrices(w, wd, a)
    Y = np.einsum('...jbi,...bik->...jbk', linear, wrench[..., :3, :])
    Y += np.einsum('...jbi,...bik->...jbk', angular, wrench[..., 3:, :])
    return Y.reshape(*lead, n, 10 * n)


def extended_regressor(Y: FloatArray, qd: FloatArray, qdd: FloatArray) -> FloatArray:
    """
    Return Y with a column for each joint's armature, damping and Coulomb friction (theory.md C4).

    Parameters
    ----------
    Y : ndarray, shape (..., n, 10 n)
    qd, qdd : ndarray, shape (..., n)

    Returns
    -------
    Y : ndarray, shape (..., n, 13 n)
        Times the inertial parameters, armature, damping and friction, in this order.

    """
    one = np.eye(Y.shape[-2])
    # What friction_torque is linear in.
    columns = (values[..., None] * one for values in (qdd, qd, np.sign(qd)))
    return np.concatenate([Y, *columns], axis=-1)


def _wrench_matrices(w: FloatArray, wd: FloatArray, a: FloatArray) -> FloatArray:
    """Return what takes ten parameters to a body's force and moment: (..., 6, 10)."""
    motion = np.concatenate([a, wd, w[..., PAIRS[0]] * w[..., PAIRS[1]]], axis=-1)
    return (motion @ WRENCH_OF_MOTION).reshape(*w.shape[:-1], 6, 10)


def _wrench_of_motion() -> FloatArray:
    """
    Return the wrench matrices as a linear map of a, wd and the products of w, shape (12, 60).

    One product with this constant takes a tenth of the time of writing the entries one by one.

    """
    ax, ay, az, dx, dy, dz, xx, xy, xz, yy, yz, zz = np.eye(12)
    W = np.zeros((6, 10, 12))
    W[0, 0], W[1, 0], W[2, 0] = ax, ay, az
    # The lever matrix [wd x] + [w x][w x].
    W[:3, 1:4] = [[-yy - zz, xy - dz, xz + dy], [xy + dz, -xx - zz, yz - dx],
                  [xz - dy, yz + dx, -xx - yy]]
    # m c x a
    W[3, 2], W[3, 3], W[4, 1], W[4, 3], W[5, 1], W[5, 2] = az, -ay, -az, ax, ay, -ax
    # I wd + w x I w, in the order xx, xy, xz, yy, yz, zz
    W[3, 4:] = [dx, dy - xz, dz + xy, -yz, yy - zz, yz]
    W[4, 4:] = [xz, dx + yz, zz - xx, dy, dz - xy, -xz]
    W[5, 4:] = [-xy, xx - yy, dx - yz, xy, dy + xz, dz]
    return W.reshape(60, 12).T.copy()


WRENCH_OF_MOTION = _wrench_of_motion()
