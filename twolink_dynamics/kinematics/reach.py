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
Reach of a chain: a bound that proves some targets out of reach before any search.

Choose a point on the axis of each turning joint. Two such points next to each other belong to one
rigid link, so their distance never changes, and the way from the first to the last is no longer
than the sum. The points are chosen to make that sum small: where axes meet, as in a wrist, they
fall together. Where all axes are parallel, as in planar arms and SCARAs, the same holds across
them, and along them only prismatic joints move the tip.

"""

from __future__ import annotations

from dataclasses import dataclass
import math
from typing import TYPE_CHECKING

import numpy as np

from twolink_dynamics.array_types import FloatArray
from twolink_dynamics.kinematics.target import PARALLEL, Target

if TYPE_CHECKING:
    from twolink_dynamics.kinematics.forward import SerialKinematics

__all__ = ['Reach']


@dataclass(frozen=True, eq=False)
class _Path:
    """Points (k, 3) with unchanging distances but for a slack, and the bounds these give."""

    points: FloatArray
    before: float  # what prismatic joints move the first point [m]
    slack: float  # and those behind it the others

    @property
    def lengths(self) -> FloatArray:
        """The distances (k - 1,) [m]."""
        return np.linalg.norm(np.diff(self.points, axis=0), axis=1)

    def shortfall(self, goal: FloatArray) -> float:
        """Return by how much the last point stays away from a goal at least [m]."""
        lengths = self.lengths
        outer = float(lengths.sum()) + self.slack
        inner = 2.0 * float(lengths.max(initial=0.0)) - outer
        distance = float(np.linalg.norm(goal - self.points[0]))
        return max(0.0, distance - outer - self.before, inner - distance - self.before)


class Reach:
    """
    Bounds on where the tip of a chain can be.

    Parameters
    ----------
    kin : SerialKinematics

    Attributes
    ----------
    size : float
        About the length of the stretched arm [m]: never zero.

    """

    def __init__(self, kin: SerialKinematics) -> None:
        lower, upper = kin.chain.limits.lower, kin.chain.limits.upper
        prismatic = np.array(kin.prismatic)
        with np.errstate(invalid='ignore'):
            middle = np.where(prismatic, 0.5 * (lower + upper), 0.0)
        middle = np.where(np.isfinite(middle), middle, 0.0)
        travel = np.where(prismatic, np.maximum(upper - middle, middle - lower), 0.0)
        frames = kin.scalar_frames(middle.tolist())
        origins = np.array([frame[9:] for frame in frames])
        axes = np.array([frame[2:9:3] for frame in frames[:-1]])
        self._tip, self._attitude = origins[-1], np.array(frames[-1][:9]).reshape(3, 3)
        steps = np.linalg.norm(np.diff(origins, axis=0), axis=1).sum()
        self.size = float(steps + travel[np.isfinite(travel)].sum()) or 1.0
        turning = np.flatnonzero(~prismatic)
        self._along, self._across, self._to_tip, self._to_last = None, np.eye(3), None, None
        if not turning.size:
            return
        z = axes[turning[0]]
        if all(np.linalg.norm(np.cross(axis, z)) < PARALLEL for axis in axes[turning]):
            self._along, self._across = z, np.eye(3) - np.outer(z, z)
        self._lift = _product(np.abs(axes @ z), travel)
        shift = _product(np.linalg.norm(axes @ self._across, axis=1), travel)
        first, last = turning[0], turning[-1]
        points, flat = origins[turning] @ self._across, axes[turning] @ self._across
        before, after = shift[:first].sum(), shift[first:].sum()
        self._to_tip = _Path(_shorten(points, flat, self._tip @ self._across), before, after)
        if not shift[last:].any():
            self._to_last = _Path(_shorten(points, flat, None), before, after)

    @property
    def outer(self) -> tuple[FloatArray | None, float]:
        """
        A ball that the tip never leaves: ``(centre, radius)``.

        The centre, an array (3,), is on the first turning joint's axis, where that is the middle
        of what prismatic joints make of it; None if no joint turns. The radius [m] is infinite if
        a prismatic joint without limits moves the tip.
        """
        path = self._to_tip
        if path is None:
            return None, math.inf
        centre, radius = path.points[0], path.before + float(path.lengths.sum()) + path.slack
        if self._along is not None:
            centre = centre + (self._tip @ self._along) * self._along
            radius = math.hypot(radius, float(self._lift.sum()))
        return centre, radius

    def shortfall(self, target: Target) -> tuple[float, float]:
        """
        Return by how much a target is proved out of reach.

        Parameters
        ----------
        target : Target

        Returns
        -------
        position, rotation : float
            Lower bounds on the errors of the tip [m], [rad]; that of the position holds while a
            target's rotation is kept. Zero where nothing is proved.

        """
        if self._to_tip is None:
            return 0.0, 0.0
        goal, path, tilt = np.array(target.position), self._to_tip, 0.0
        if target.rotation is not None:
            R = np.array(target.rotation).reshape(3, 3)
            turn = R @ self._attitude.T
            if self._along is not None:
                swung = turn @ self._along
                tilt = math.atan2(np.linalg.norm(np.cross(self._along, swung)),
                                  swung @ self._along)
            if self._to_last is not None:
                # The rotation fixes where the last axis is, and so the point chosen on it.
                path = self._to_last
                goal = goal + turn @ (path.points[-1] - self._tip)
        position = path.shortfall(goal @ self._across)
        if self._along is not None:
            height = abs((np.array(target.position) - self._tip) @ self._along)
            position = math.hypot(position, max(0.0, height - self._lift.sum()))
        # Rounding of the bounds themselves must never prove a reachable target out of reach.
        return max(0.0, position - 1e-9 * self.size), max(0.0, tilt - 1e-9)


def _product(factors: FloatArray, lengths: FloatArray) -> FloatArray:
    """Return factors times lengths, where zero times infinity is zero."""
    return np.array([f * x if f > PARALLEL else 0.0 for f, x in zip(factors, lengths)])


def _shorten(points: FloatArray, axes: FloatArray, tip: FloatArray | None) -> FloatArray:
    """
    Return points on axes, and the tip, with a short way through them.

    A few rounds of reweighted least squares; any choice is a valid bound.
    """
    count = len(points)
    nodes = points if tip is None else np.vstack([points, tip])
    D = np.diff(nodes, axis=0).ravel()
    if not D.size:
        return nodes
    A = np.zeros((D.size, count))
    for i in range(count):
        if i:
            A[3 * i - 3:3 * i, i] = axes[i]
        if 3 * i < D.size:
            A[3 * i:3 * i + 3, i] -= axes[i]
    offsets, weights = np.zeros((count, 1)), np.ones(D.size)
    for _ in range(20):
        offsets[:, 0] = np.linalg.lstsq(A * weights[:, None], -D * weights, rcond=None)[0]
        lengths = np.linalg.norm((D + A @ offsets[:, 0]).reshape(-1, 3), axis=1)
        weights = np.repeat(1.0 / np.sqrt(lengths + 1e-6 * lengths.max() + 1e-12), 3)
    chosen = points + offsets * axes
    return chosen if tip is None else np.vstack([chosen, tip])
