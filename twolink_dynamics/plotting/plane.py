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

"""The plane a tip moves in, the arm's bones in it, and what the tip reaches of it."""

from __future__ import annotations

from dataclasses import dataclass
import math
from typing import Any, Dict, TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from twolink_dynamics.array_types import ArrayLike, FloatArray
from twolink_dynamics.kinematics.workspace import workspace

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm

__all__ = ['Plane', 'Reach', 'bones', 'plane_of', 'reachable']

NAMES = 'xyz'
# Directions that are an axis of the base to this are called by its name.
ALONG = 1e-6
# So many points beside each other are asked whether the tip reaches them: at column width their
# distance is a sixth of a millimetre.
MESH = 500

#: What a tip reaches, see :func:`reachable`.
Reach = Dict[str, Any]


@dataclass(frozen=True, eq=False)
class Plane:
    """
    A plane to look at an arm in.

    Attributes
    ----------
    axes : ndarray, shape (3, 2)
        Its directions to the right and up, in the base frame.
    labels : tuple of two str
        What they are called, with the unit.

    """

    axes: FloatArray
    labels: tuple[str, str]

    def flat(self, points: ArrayLike) -> FloatArray:
        """Return the coordinates in the plane of points of the base frame, shape (..., 2)."""
        return np.asarray(points) @ self.axes


def _label(direction: FloatArray, otherwise: str) -> str:
    for k, name in enumerate(NAMES):
        if abs(direction[k]) > 1.0 - ALONG:
            return f'{"−" if direction[k] < 0.0 else ""}{name} [m]'
    return f'{otherwise} [m]'


def plane_of(arm: Arm, points: FloatArray) -> Plane:
    """
    Return the plane to look at an arm's motion in.

    That of a planar arm is turned so that gravity, if it acts in it, points down. Else it is the
    one of the base's coordinate planes that shows the most of the points.

    Parameters
    ----------
    arm : Arm
    points : ndarray, shape (N, 3)
        Where the tip goes, in the base frame [m].

    Returns
    -------
    plane : Plane

    """
    constants = getattr(arm, 'constants', None)
    if constants is not None:
        right, up, normal = (np.array(column) for column in np.array(constants.axes).T)
        flat = arm.gravity - (arm.gravity @ normal) * normal
        if np.linalg.norm(flat) > ALONG * np.linalg.norm(arm.gravity):
            up = -flat / np.linalg.norm(flat)
            right = np.cross(up, normal)
        return Plane(np.column_stack([right, up]), (
            _label(right, 'to the right in the plane'), _label(up, 'up in the plane')))
    spread = np.ptp(points, axis=0)
    pairs = ((0, 2), (0, 1), (1, 2))
    shown = max(pairs, key=lambda pair: round(float(min(spread[list(pair)])), 6))
    axes = np.eye(3)[:, list(shown)]
    return Plane(axes, (f'{NAMES[shown[0]]} [m]', f'{NAMES[shown[1]]} [m]'))


def bones(arm: Arm, q: ArrayLike) -> FloatArray:
    """
    Return where the arm is: its joints and its tip in a row.

    Parameters
    ----------
    arm : Arm
    q : array_like, shape (..., n)

    Returns
    -------
    points : ndarray, shape (..., n + 1, 3)
        The joints, proximal first, and the tip, in the base frame [m].

    """
    from twolink_dynamics.kinematics.forward import SerialKinematics
    kinematics = SerialKinematics(arm.chain)
    q = np.asarray(q, dtype=np.float64)
    poses = kinematics.body_poses(q)
    tip = kinematics.tip_pose(q)[..., None, :3, 3]
    return np.concatenate([poses[..., :3, 3], tip], axis=-2)


def reachable(arm: Arm, plane: Plane) -> Reach | None:
    """
    Return what the tip reaches, as shapes to draw in the plane.

    Parameters
    ----------
    arm : Arm
    plane : Plane

    Returns
    -------
    shapes : dict or None
        ``centre`` (2,), ``nearest`` and ``farthest`` [m], ``exact``: whether that ring is all
        there is to say; and for a planar 2R with limits ``mesh``: (x, y, reached) of shapes
        (MESH,), (MESH,) and (MESH, MESH). None if nothing is known.

    """
    space = workspace(arm)
    if space is None or not math.isfinite(space.farthest) or space.farthest <= 0.0:
        return None
    shapes: Reach = {
        'centre': plane.flat(space.centre), 'nearest': space.nearest, 'farthest': space.farthest,
        'exact': space.exact, 'mesh': None}
    if getattr(arm, 'constants', None) is not None and not _turns_freely(arm):
        shapes['mesh'] = _mesh(arm, plane, shapes)
    return shapes


def _turns_freely(arm: Arm) -> bool:
    return arm.limits.upper[0] - arm.limits.lower[0] >= 2.0 * math.pi


def _within(angle: FloatArray, lower: float, upper: float) -> npt.NDArray[np.bool_]:
    """Return whether angles, or some that differ by turns, are within limits."""
    if lower >= upper:
        return np.ones(angle.shape, dtype=bool)
    turns = np.ceil((lower - angle) / (2.0 * math.pi))
    return angle + 2.0 * math.pi * turns <= upper


def _mesh(arm: Any, plane: Plane, shapes: Reach
          ) -> tuple[FloatArray, FloatArray, npt.NDArray[np.bool_]]:
    """Return which points of the plane a planar 2R reaches within its limits."""
    k, limits = arm.constants, arm.limits
    side = np.linspace(-1.02, 1.02, MESH) * shapes['farthest']
    X, Y = np.meshgrid(side + shapes['centre'][0], side + shapes['centre'][1])
    # From the picture's directions to those of the closed form.
    turn = plane.axes.T @ np.array(k.axes)[:, :2]
    x, y = np.moveaxis(np.stack([X, Y], axis=-1) @ turn - (
        shapes['centre'] @ turn), -1, 0)
    bend = (x * x + y * y - k.l1 ** 2 - k.l2 ** 2) / (2.0 * k.l1 * k.l2)
    bend = np.arccos(np.where(np.abs(bend) <= 1.0, bend, np.nan))
    first, last = (math.atan2(v[1], v[0]) for v in (k.elbow, k.tip))
    reached = np.zeros(X.shape, dtype=bool)
    for side_of_elbow in (1.0, -1.0):
        between = side_of_elbow * bend
        q2 = k.sign * (between + first - last)
        q1 = np.arctan2(y, x) - first - np.arctan2(
            k.l2 * np.sin(between), k.l1 + k.l2 * np.cos(between))
        good = np.isfinite(between)
        q1, q2 = np.where(good, q1, 0.0), np.where(good, q2, 0.0)
        reached |= good & _within(q1, limits.lower[0], limits.upper[0]) & _within(
            q2, limits.lower[1], limits.upper[1])
    return X[0], Y[:, 0], reached
