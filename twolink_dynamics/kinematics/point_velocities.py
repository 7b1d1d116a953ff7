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

"""Velocities of points fixed to the bodies, such as their centres of mass (theory.md L2)."""

import numpy as np

__all__ = ['point_velocities']


def point_velocities(kinematics, points, q, qd):
    """
    Return the velocities of one point on each body.

    Each joint above a point turns it about its axis, or carries it along.

    Parameters
    ----------
    kinematics : SerialKinematics
    points : array_like, shape (n, 3)
        In the frames of the joints' child links [m].
    q, qd : ndarray, shape (..., n)

    Returns
    -------
    velocities : ndarray, shape (..., n, 3)
        In the base frame [m/s].

    """
    poses = kinematics.body_poses(q)
    axes = np.array([joint.axis for joint in kinematics.chain.joints])
    z = np.einsum('...iab,ib->...ia', poses[..., :3, :3], axes) * qd[..., None]
    origins = poses[..., :3, 3]
    at = np.einsum('...iab,ib->...ia', poses[..., :3, :3], np.asarray(points)) + origins
    velocities = np.zeros(at.shape)
    for j, prismatic in enumerate(kinematics.prismatic):
        below = at[..., j:, :]
        velocities[..., j:, :] += z[..., j:j + 1, :] if prismatic else np.cross(
            z[..., j:j + 1, :], below - origins[..., j:j + 1, :])
    return velocities
