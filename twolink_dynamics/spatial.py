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

from __future__ import annotations

import math
from typing import Iterable

import numpy as np

from twolink_dynamics.array_types import ArrayLike, FloatArray, Vector

__all__ = [
    'axis_rotation', 'homogeneous', 'inverse_pose', 'lump', 'quaternion_rotation',
    'rotation_vector', 'rotation_z_to', 'rpy_rotation', 'shift_inertia', 'skew',
]


def skew(v: Vector | FloatArray) -> FloatArray:
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


def rpy_rotation(roll: float, pitch: float, yaw: float) -> FloatArray:
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


def quaternion_rotation(x: float, y: float, z: float, w: float) -> FloatArray:
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


def axis_rotation(axis: Vector | FloatArray, angle: float) -> FloatArray:
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


def rotation_vector(a: Vector, b: Vector) -> tuple[float, float, float]:
    """
    Return the rotation vector that turns `b` into `a`, in the axes both are described in.

    Parameters
    ----------
    a, b : sequence of 9 floats or more
        Rotations row by row.

    Returns
    -------
    x, y, z : float
        Axis times angle [rad]; the angle is in [0, pi].

    """
    a0, a1, a2, a3, a4, a5, a6, a7, a8 = a[:9]
    b0, b1, b2, b3, b4, b5, b6, b7, b8 = b[:9]
    # The antisymmetric part of a b^T is axis times sine, its trace is 1 + 2 cosine.
    x = 0.5 * (a6 * b3 + a7 * b4 + a8 * b5 - a3 * b6 - a4 * b7 - a5 * b8)
    y = 0.5 * (a0 * b6 + a1 * b7 + a2 * b8 - a6 * b0 - a7 * b1 - a8 * b2)
    z = 0.5 * (a3 * b0 + a4 * b1 + a5 * b2 - a0 * b3 - a1 * b4 - a2 * b5)
    cosine = 0.5 * (a0 * b0 + a1 * b1 + a2 * b2 + a3 * b3 + a4 * b4 + a5 * b5
                    + a6 * b6 + a7 * b7 + a8 * b8 - 1.0)
    sine = math.sqrt(x * x + y * y + z * z)
    if cosine > 0.0:
        scale = math.atan2(sine, cosine) / sine if sine > 1e-9 else 1.0
    elif sine > 1e-6:
        scale = math.atan2(sine, cosine) / sine
    else:  # half a turn: the axis is in the symmetric part
        M = np.array(a[:9]).reshape(3, 3) @ np.array(b[:9]).reshape(3, 3).T
        column = (0.5 * (M + M.T) + np.eye(3))[:, int(np.argmax(np.diag(M)))]
        column *= math.atan2(sine, cosine) / math.sqrt(column @ column)
        return tuple((column if column @ (x, y, z) >= 0.0 else -column).tolist())
    return x * scale, y * scale, z * scale


def rotation_z_to(axis: ArrayLike) -> FloatArray:
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


def homogeneous(R: ArrayLike, p: ArrayLike) -> FloatArray:
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


def inverse_pose(T: FloatArray) -> FloatArray:
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


def shift_inertia(inertia: ArrayLike, mass: float, d: ArrayLike) -> FloatArray:
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


def lump(bodies: Iterable[tuple[float, ArrayLike, ArrayLike]]
         ) -> tuple[float, FloatArray, FloatArray]:
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
