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

"""Workspace: how near and how far an arm's tip comes."""

from __future__ import annotations

from dataclasses import dataclass
import math
from typing import TYPE_CHECKING

import numpy as np

from twolink_dynamics.array_types import FloatArray
from twolink_dynamics.kinematics.coordinate_ascent import maximize
from twolink_dynamics.kinematics.reach import Reach

if TYPE_CHECKING:
    from twolink_dynamics.kinematics.arm import KinematicArm

__all__ = ['Workspace', 'planar_reach', 'workspace']


@dataclass(frozen=True)
class Workspace:
    """
    The tip's distances from a point on the first turning joint's axis.

    Attributes
    ----------
    centre : tuple of 3 floats
        The point, in the base frame [m].
    nearest, farthest : float
        The least and the greatest distance [m], within the joints' limits. Exact for a planar 2R;
        else the result of a search, which the truth may exceed, up to `bound`.
    bound : float
        What the tip provably never goes beyond [m]; infinite if a sliding joint has no limits.
    exact : bool

    """

    centre: tuple[float, ...]
    nearest: float
    farthest: float
    bound: float
    exact: bool


def planar_reach(l1: float, l2: float, angle: float, lower: float, upper: float
                 ) -> tuple[float, float]:
    """
    Return the least and the greatest distance of a planar 2R's tip from its first joint.

    Parameters
    ----------
    l1, l2 : float
        Lengths of the links [m].
    angle : float
        Of link 2 against link 1 at ``q2 = 0`` [rad].
    lower, upper : float
        Limits of the angle of joint 2, counted as `angle` is [rad]; those that allow no motion
        do not count.

    Returns
    -------
    nearest, farthest : float
        [m].

    """
    def distance(bend: float) -> float:
        # sqrt(l1^2 + l2^2 + 2 l1 l2 cos): this form keeps the digits near zero.
        return math.hypot(l1 - l2, 2.0 * math.sqrt(l1 * l2) * math.cos(0.5 * bend))

    if lower >= upper or upper - lower >= 2.0 * math.pi:
        return abs(l1 - l2), l1 + l2
    ends = [distance(angle + lower), distance(angle + upper)]
    nearest, farthest = min(ends), max(ends)
    if _passes(0.0, angle + lower, angle + upper):
        farthest = l1 + l2
    if _passes(math.pi, angle + lower, angle + upper):
        nearest = abs(l1 - l2)
    return nearest, farthest


def _passes(angle: float, lower: float, upper: float) -> bool:
    """Return whether an angle, or one that differs by turns, is within limits."""
    turns = math.ceil((lower - angle) / (2.0 * math.pi))
    return angle + 2.0 * math.pi * turns <= upper


def workspace(arm: KinematicArm) -> Workspace | None:
    """
    Return how near and how far the tip comes.

    Parameters
    ----------
    arm : KinematicArm

    Returns
    -------
    workspace : Workspace or None
        None if no joint turns.

    """
    constants = getattr(arm, 'constants', None)
    if constants is not None:
        k, s = constants, constants.sign
        ends = sorted((s * arm.limits.lower[1], s * arm.limits.upper[1])) \
            if arm.limits.lower[1] < arm.limits.upper[1] else (-math.inf, math.inf)
        angle = math.atan2(k.tip[1], k.tip[0]) - math.atan2(k.elbow[1], k.elbow[0])
        nearest, farthest = planar_reach(k.l1, k.l2, angle, *ends)
        # From joint 1's axis: where the tip's plane crosses it.
        centre = k.origin + (k.elbow[2] + k.tip[2]) * k.axes[:, 2]
        return Workspace(tuple(map(float, centre)), nearest, farthest, k.l1 + k.l2, True)
    centre, bound = Reach(arm._kinematics).outer
    if centre is None:
        return None

    def squares(q: FloatArray) -> FloatArray:
        square = ((arm.tip_pose(q)[:, :3, 3] - centre) ** 2).sum(axis=1)
        return np.column_stack([square, -square])

    prismatic = [kind == 'prismatic' for kind in arm.joint_types]
    values, q = maximize(squares, arm.limits, prismatic)
    near, far = (float(np.linalg.norm(arm.tip_pose(x)[:3, 3] - centre)) for x in (q[1], q[0]))
    return Workspace(tuple(map(float, centre)), near, far, bound, False)
