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
Targets of the tip: a pose, a position, or either in the plane of a planar arm.

All become a position and perhaps a rotation in the base frame, so that one solver serves them.

"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from twolink_dynamics.array_types import ArrayLike, FloatArray
from twolink_dynamics.errors import ParameterError, ShapeError, UnsupportedModelError
from twolink_dynamics.validation import check_array

if TYPE_CHECKING:
    from twolink_dynamics.kinematics.forward import SerialKinematics

__all__ = ['Plane', 'ROUNDING_LIMIT', 'Target', 'plane_of', 'read_target']

# A rotation written with three decimals is off by less than this; a worse one is a mistake.
ROUNDING_LIMIT = 5e-3
# Axes out of parallel by e take the tip e sizes of the arm out of the plane: well under 1e-9 m.
PARALLEL = 1e-11
# What is nearer than this is in one place [m].
COINCIDENT = 1e-9


@dataclass(frozen=True, eq=False)
class Plane:
    """
    The plane a planar arm moves its tip in, and the frame its coordinates are given in.

    Attributes
    ----------
    axes : ndarray, shape (3, 3)
        Columns x, y, z in the base frame: z along the first turning joint's axis, x from joint 1
        towards the next joint (or the tip) that is off that axis, at ``q = 0``, so that angles
        count as in theory.md L1.
    origin : ndarray, shape (3,)
        Joint 1, raised along z to the height of the tip: plane coordinates need no z.
    attitude : ndarray, shape (3, 3)
        The tip's rotation at ``q = 0``, where the planar angle phi is zero.

    """

    axes: FloatArray
    origin: FloatArray
    attitude: FloatArray

    def position(self, xy: FloatArray) -> FloatArray:
        """Return the position in the base frame, shape (3,), of plane coordinates."""
        return self.origin + self.axes[:, :2] @ xy

    def coordinates(self, position: FloatArray) -> tuple[FloatArray, float]:
        """Return the plane coordinates, shape (2,), of a position, and its height."""
        local = self.axes.T @ (position - self.origin)
        return local[:2], float(local[2])

    def rotation(self, phi: float) -> FloatArray:
        """Return the tip's rotation matrix at the planar angle phi [rad]."""
        c, s = np.cos(phi), np.sin(phi)
        turn = self.axes @ np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ self.axes.T
        return turn @ self.attitude

    def angle(self, rotation: FloatArray) -> float:
        """Return the planar angle phi [rad] of the tip with a rotation matrix."""
        turn = self.axes.T @ rotation @ self.attitude.T @ self.axes
        return float(np.arctan2(turn[1, 0] - turn[0, 1], turn[0, 0] + turn[1, 1]))


def plane_of(kin: SerialKinematics) -> Plane | None:
    """
    Return the plane that a chain moves its tip in, or None if it is not planar.

    Parameters
    ----------
    kin : SerialKinematics

    Returns
    -------
    plane : Plane or None
        None also where no joint turns, or where all joints and the tip lie on one axis, since
        then there is no angle to count.

    """
    frames = kin.scalar_frames([0.0] * kin.n)
    axes = [np.array(frame[2:9:3]) for frame in frames[:-1]]
    origins = [np.array(frame[9:]) for frame in frames]
    turning = [axis for axis, prismatic in zip(axes, kin.prismatic) if not prismatic]
    if not turning:
        return None
    z = turning[0]
    for axis, prismatic in zip(axes, kin.prismatic):
        off = abs(axis @ z) if prismatic else np.linalg.norm(np.cross(axis, z))
        if off > PARALLEL:
            return None
    for origin in origins[1:]:
        x = origin - origins[0]
        x = x - (x @ z) * z
        length = np.linalg.norm(x)
        if length > COINCIDENT:
            x /= length
            height = (origins[-1] - origins[0]) @ z
            return Plane(np.column_stack([x, np.cross(z, x), z]), origins[0] + height * z,
                         np.array(frames[-1][:9]).reshape(3, 3))
    return None


@dataclass(frozen=True, eq=False)
class Target:
    """
    A checked target.

    Attributes
    ----------
    kind : str
        ``'pose'``, ``'position'``, ``'plane'`` (x, y) or ``'planar'`` (x, y, phi).
    position : tuple of 3 floats
        In the base frame [m].
    rotation : tuple of 9 floats, or None
        Row by row; None where only the position counts.
    plane : Plane or None
        The plane that a target is given in.
    rounding : float
        How far the rotation given was from a rotation (Frobenius norm).

    """

    kind: str
    position: tuple[float, ...]
    rotation: tuple[float, ...] | None = None
    plane: Plane | None = None
    rounding: float = 0.0


def read_target(target: ArrayLike, kind: str | None, kin: SerialKinematics, plane: Plane | None
                ) -> Target:
    """
    Check a target and express it in the base frame.

    Parameters
    ----------
    target : array_like, shape (4, 4), (3,) or (2,)
    kind : str or None
        None decides by the shape; ``'planar'`` makes (3,) mean (x, y, phi).
    kin : SerialKinematics
    plane : Plane or None

    Returns
    -------
    target : Target

    Raises
    ------
    ShapeError, NonFiniteError
        If it has another shape, or a NaN.
    ParameterError
        If a pose is no pose, or `kind` is unknown.
    UnsupportedModelError
        If it is given in a plane and the arm is not planar.

    """
    array = check_array('target', target)
    shapes: dict[tuple[int, ...], str] = {(4, 4): 'pose', (3,): 'position', (2,): 'plane'}
    allowed: dict[str | None, dict[tuple[int, ...], str]] = {
        None: shapes, 'pose': {(4, 4): 'pose'}, 'position': {(3,): 'position'},
        'plane': {(2,): 'plane'}, 'planar': {(3,): 'planar'}}
    if kind not in allowed:
        raise ParameterError('kind', kind, "None, 'pose', 'position', 'plane' or 'planar'")
    found = allowed[kind].get(array.shape)
    if found is None:
        raise ShapeError('target', ' or '.join(map(str, allowed[kind])), array.shape,
                         'a pose (4, 4), a position (3,), or (x, y) in the plane of a planar arm')
    if found == 'position':
        return Target(found, tuple(array.tolist()))
    if found == 'pose':
        rotation, rounding = _nearest_rotation(array)
        return Target(found, tuple(array[:3, 3].tolist()), tuple(rotation.ravel().tolist()),
                      rounding=rounding)
    if plane is None:
        raise UnsupportedModelError(
            f'{kin.chain.name}: the target is given in a plane, but this arm does not move in '
            'one; give a position (3,) or a pose (4, 4)',
            [joint.name for joint in kin.chain.joints])
    position = tuple(plane.position(array[:2]).tolist())
    if found == 'plane':
        return Target(found, position, plane=plane)
    return Target(found, position, tuple(plane.rotation(array[2]).ravel().tolist()), plane)


def _nearest_rotation(T: FloatArray) -> tuple[FloatArray, float]:
    """
    Return the rotation nearest to that of a pose, and how far it is.

    A rotation printed with six digits is one only to 1e-6, so no arm reaches it exactly: the
    target is the rotation nearest in the Frobenius norm instead (the polar factor).
    """
    if np.abs(T[3] - (0.0, 0.0, 0.0, 1.0)).max() > ROUNDING_LIMIT:
        raise ParameterError('target', T[3].tolist(), 'a pose whose last row is 0 0 0 1')
    U, _, Vt = np.linalg.svd(T[:3, :3])
    R = U @ Vt
    rounding = float(np.linalg.norm(T[:3, :3] - R))
    if rounding > ROUNDING_LIMIT or np.linalg.det(R) < 0.0:
        raise ParameterError(
            'target', T[:3, :3].tolist(),
            f'a rotation matrix (orthonormal, right-handed, to {ROUNDING_LIMIT:g}) in rows and '
            'columns 0 to 2')
    if rounding < 1e-14:  # already one: projecting it again would only add rounding
        return T[:3, :3], rounding
    return R, rounding
