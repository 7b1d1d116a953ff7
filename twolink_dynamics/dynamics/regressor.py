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

import numpy as np

from twolink_dynamics.spatial import shift_inertia

__all__ = ['inertial_parameters', 'regressor']


def inertial_parameters(chain):
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


def regressor(R, origins, motion, frames, revolute):
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
    moved = np.einsum('...bik,...jbk->...jbi', to_body, np.cross(axes[..., :, None, :], levers))
    turning = revolute[:, None, None]
    before = np.tril(np.ones((n, n)))[:, :, None].swapaxes(0, 1)  # j <= b
    linear = np.where(turning, moved, axis) * before
    angular = np.where(turning, axis, 0.0) * before
    force, moment = _wrench_matrices(w, wd, a)
    Y = np.einsum('...jbi,...bik->...jbk', linear, force)
    Y += np.einsum('...jbi,...bik->...jbk', angular, moment)
    return Y.reshape(*lead, n, 10 * n)


def _wrench_matrices(w, wd, a):
    """Return what takes ten parameters to a body's force and moment: (..., 3, 10) each."""
    force, moment = np.zeros((2, *w.shape, 10))
    force[..., 0] = a
    # The lever matrix [wd x] + [w x][w x].
    wx, wy, wz = np.moveaxis(w, -1, 0)
    dx, dy, dz = np.moveaxis(wd, -1, 0)
    ax, ay, az = np.moveaxis(a, -1, 0)
    lever = force[..., 1:4]
    lever[..., 0, 0], lever[..., 0, 1], lever[..., 0, 2] = -wy * wy - wz * wz, wx * wy - dz, \
        wx * wz + dy
    lever[..., 1, 0], lever[..., 1, 1], lever[..., 1, 2] = wx * wy + dz, -wx * wx - wz * wz, \
        wy * wz - dx
    lever[..., 2, 0], lever[..., 2, 1], lever[..., 2, 2] = wx * wz - dy, wy * wz + dx, \
        -wx * wx - wy * wy
    # m c x a
    moment[..., 0, 2], moment[..., 0, 3] = az, -ay
    moment[..., 1, 1], moment[..., 1, 3] = -az, ax
    moment[..., 2, 1], moment[..., 2, 2] = ay, -ax
    # I wd + w x I w, in the order xx, xy, xz, yy, yz, zz
    for row, column, value in (
            (0, 0, dx), (0, 1, dy - wx * wz), (0, 2, dz + wx * wy), (0, 3, -wy * wz),
            (0, 4, wy * wy - wz * wz), (0, 5, wy * wz),
            (1, 0, wx * wz), (1, 1, dx + wy * wz), (1, 2, wz * wz - wx * wx), (1, 3, dy),
            (1, 4, dz - wx * wy), (1, 5, -wx * wz),
            (2, 0, -wx * wy), (2, 1, wx * wx - wy * wy), (2, 2, dx - wy * wz), (2, 3, wx * wy),
            (2, 4, dy + wx * wz), (2, 5, dz)):
        moment[..., row, 4 + column] = value
    return force, moment
