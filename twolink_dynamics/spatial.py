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
Rotations, cross products and moving an inertia: the geometry that everything else stands on.

Rotations are 3 x 3 matrices that take coordinates of the turned frame to those of the frame it is
described in; poses are 4 x 4 homogeneous matrices. Angles are radians, lengths metres.

"""

import math

import numpy as np

__all__ = [
    'axis_rotation', 'homogeneous', 'inverse_pose', 'lump', 'quaternion_rotation',
    'rotation_z_to', 'rpy_rotation', 'shift_inertia', 'skew',
]


def skew(v):
    """
    Return the matrix of the cross product: times w, it is ``cross(v, w)``.

    Parameters
    ----------
    v : array_like, shape (3,)

    Returns
    -------
    S : ndarray, shape (3, 3)

    """
    x, y, z = v
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def rpy_rotation(roll, pitch, yaw):
    """
    Return the rotation of URDF's ``rpy``: about the fixed x, then y, then z axis (REP 103).

    Parameters
    ----------
    roll, pitch, yaw : float
        Angles [rad].

    Returns
    -------
    R : ndarray, shape (3, 3)
        ``Rz(yaw) @ Ry(pitch) @ Rx(roll)``.

    """
    cr, sr = math.cos(roll), math.sin(roll)
    cp, sp = math.cos(pitch), math.sin(pitch)
    cy, sy = math.cos(yaw), math.sin(yaw)
    return np.array([
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr]])


def quaternion_rotation(x, y, z, w):
    """
    Return the rotation of a quaternion in the order of URDF 1.2's ``quat_xyzw``.

    The quaternion is normalised first; a zero one is the caller's to refuse.

    Parameters
    ----------
    x, y, z, w : float

    Returns
    -------
    R : ndarray, shape (3, 3)

    """
    norm = math.sqrt(x * x + y * y + z * z + w * w)
    x, y, z, w = x / norm, y / norm, z / norm, w / norm
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)]])


def axis_rotation(axis, angle):
    """
    Return the rotation about a unit axis by an angle (Rodrigues' formula).

    Parameters
    ----------
    axis : array_like, shape (3,)
        A unit vector.
    angle : float
        The angle [rad], right-handed about `axis`.

    Returns
    -------
    R : ndarray, shape (3, 3)

    """
    K = skew(axis)
    return np.eye(3) + math.sin(angle) * K + (1.0 - math.cos(angle)) * (K @ K)


def rotation_z_to(axis):
    """
    Return a rotation that takes the z axis to a unit axis: ``R @ (0, 0, 1) == axis``.

    Where the axis is a signed coordinate axis the entries are exactly 0, 1 and -1, so that
    re-expressing a model in this frame adds no rounding.

    Parameters
    ----------
    axis : array_like, shape (3,)
        A unit vector.

    Returns
    -------
    R : ndarray, shape (3, 3)

    """
    z = np.asarray(axis, dtype=float)
    # The coordinate axis least along z makes the best-conditioned second direction.
    helper = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = np.cross(helper, z)
    x /= math.sqrt(x @ x)
    R = np.column_stack([x, np.cross(z, x), z])
    return R + 0.0  # turns -0.0 into 0.0


def homogeneous(R, p):
    """
    Return the pose of a rotation and a position.

    Parameters
    ----------
    R : array_like, shape (3, 3)
    p : array_like, shape (3,)

    Returns
    -------
    T : ndarray, shape (4, 4)

    """
    T = np.eye(4)
    T[:3, :3] = R
    T[:3, 3] = p
    return T


def inverse_pose(T):
    """
    Return the inverse of a pose.

    Parameters
    ----------
    T : ndarray, shape (4, 4)

    Returns
    -------
    T_inverse : ndarray, shape (4, 4)

    """
    R = T[:3, :3].T
    return homogeneous(R, -R @ T[:3, 3])


def shift_inertia(inertia, mass, d):
    """
    Move an inertia from the centre of mass to a point at distance `d` (parallel axes, Steiner).

    Parameters
    ----------
    inertia : array_like, shape (3, 3)
        About the centre of mass [kg m^2].
    mass : float
        [kg].
    d : array_like, shape (3,)
        From the point to the centre of mass, or back: the sign does not matter [m].

    Returns
    -------
    inertia : ndarray, shape (3, 3)
        About the point, in the same axes.

    """
    d = np.asarray(d, dtype=float)
    return np.asarray(inertia) + mass * ((d @ d) * np.eye(3) - np.outer(d, d))


def lump(bodies):
    """
    Return the mass, centre of mass and inertia of rigidly joined bodies.

    Parameters
    ----------
    bodies : iterable of (mass, com, inertia)
        `com` (3,) in one common frame; `inertia` (3, 3) about that body's own centre of mass, in
        the axes of the common frame.

    Returns
    -------
    mass : float
    com : ndarray, shape (3,)
        Zero where the total mass is zero.
    inertia : ndarray, shape (3, 3)
        About the common centre of mass.

    """
    bodies = [body for body in bodies if body[0] != 0.0 or np.any(body[2])]
    if len(bodies) == 1:  # nothing to combine, so nothing to round
        mass, com, inertia = bodies[0]
        return mass, np.array(com, dtype=float), np.array(inertia, dtype=float)
    mass = sum(body[0] for body in bodies)
    com = sum((m * np.asarray(c) for m, c, _ in bodies), np.zeros(3))
    com = com / mass if mass else com
    inertia = sum(
        (shift_inertia(I, m, np.asarray(c) - com) for m, c, I in bodies), np.zeros((3, 3)))
    return mass, com, inertia
