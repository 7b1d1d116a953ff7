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
Inverse kinematics of the planar 2R arm in closed form: both elbows, the boundary, what is beyond.

Any two turning joints with parallel axes make one, whatever the plane, the signs of the axes and
the zero pose: theory.md L1 with ``q1 + sign (q2) + beta`` for the angle of link 2.

"""

from __future__ import annotations

import math
from typing import Sequence, TYPE_CHECKING

import numpy as np

from twolink_dynamics.array_types import FloatArray, Vector

if TYPE_CHECKING:
    from twolink_dynamics.kinematics.forward import SerialKinematics
    from twolink_dynamics.kinematics.target import Plane, Target

__all__ = ['ClosedForm', 'PlanarTwoR', 'in_order', 'turn_into']


def turn_into(angle: float, near: float, lower: float, upper: float) -> float | None:
    """
    Return the multiple of a turn of an angle that is within limits and nearest to a start.

    Parameters
    ----------
    angle, near : float
        [rad].
    lower, upper : float
        Limits [rad]; may be infinite.

    Returns
    -------
    angle : float or None
        None if no multiple of a turn brings it within the limits.

    """
    near = min(max(near, lower), upper)
    best = angle + 2.0 * math.pi * round((near - angle) / (2.0 * math.pi))
    # A target on a limit must not be lost to the rounding of the angle that leads to it.
    slack = 1e-12 * max(1.0, abs(best))
    options = [value for value in (best, best - 2.0 * math.pi, best + 2.0 * math.pi)
               if lower - slack <= value <= upper + slack]
    if not options:
        return None
    return min(max(min(options, key=lambda value: abs(value - near)), lower), upper)


class PlanarTwoR:
    """
    The closed-form inverse kinematics of a planar 2R arm, in its plane's coordinates.

    Parameters
    ----------
    kin : SerialKinematics
        Two turning joints with parallel axes, apart.
    plane : Plane

    Attributes
    ----------
    l1, l2 : float
        Joint to joint and joint to tip, in the plane [m].
    beta : float
        Angle of link 2 in the plane at ``q = 0`` [rad].
    sign : float
        -1 where joint 2 turns the other way than joint 1.

    """

    def __init__(self, kin: SerialKinematics, plane: Plane) -> None:
        limits = kin.chain.limits
        self.lower, self.upper = limits.lower.tolist(), limits.upper.tolist()
        first, second, tip = kin.scalar_frames([0.0, 0.0])
        joint = plane.coordinates(np.array(second[9:]))[0] - plane.coordinates(
            np.array(first[9:]))[0]
        link = plane.coordinates(np.array(tip[9:]))[0] - plane.coordinates(
            np.array(second[9:]))[0]
        self.l1, self.l2 = math.hypot(*joint), math.hypot(*link)
        self.beta = math.atan2(link[1], link[0])
        self.sign = 1.0 if np.array(second[2:9:3]) @ plane.axes[:, 2] > 0.0 else -1.0

    def position(self, q1: float, q2: float) -> tuple[float, float]:
        """Return the plane coordinates of the tip."""
        angle = q1 + self.sign * q2 + self.beta
        return (self.l1 * math.cos(q1) + self.l2 * math.cos(angle),
                self.l1 * math.sin(q1) + self.l2 * math.sin(angle))

    def branches(self, x: float, y: float, near: Vector) -> list[tuple[float, float]]:
        """
        Return the solutions within the limits: none, one (at the boundary) or two.

        Parameters
        ----------
        x, y : float
            The target in the plane [m].
        near : sequence of 2 floats
            Each angle is the multiple of a turn nearest to this.

        Returns
        -------
        solutions : list of (q1, q2)
            Elbow angles of both signs. Where the target is joint 1 itself (``l1 == l2``) any q1
            is right, and that of `near` is taken.

        """
        radius = math.hypot(x, y)
        outer, inner = self.l1 + self.l2, abs(self.l1 - self.l2)
        # Half-angle form: near the boundary it keeps the digits that acos would lose.
        stretch = (outer - radius) * (outer + radius)
        fold = (radius - inner) * (radius + inner)
        if stretch < 0.0 or fold < 0.0 or self.l2 == 0.0:
            return []
        elbow = 2.0 * math.atan2(math.sqrt(stretch), math.sqrt(fold))
        solutions = []
        for bend in ((elbow,) if stretch == 0.0 or fold == 0.0 else (elbow, -elbow)):
            q2 = turn_into(self.sign * (bend - self.beta), near[1], self.lower[1], self.upper[1])
            if q2 is None:
                continue
            q1 = self._pointing(x, y, q2, near[0]) if radius > 0.0 else turn_into(
                near[0], near[0], self.lower[0], self.upper[0])
            if q1 is not None:
                solutions.append((q1, q2))
        return solutions

    def _pointing(self, x: float, y: float, q2: float, near: float) -> float | None:
        """Return the q1 that turns the tip towards (x, y), or None if the limits forbid it."""
        tip = self.position(0.0, q2)
        return turn_into(math.atan2(y, x) - math.atan2(tip[1], tip[0]), near,
                         self.lower[0], self.upper[0])

    def nearest(self, x: float, y: float, near: Vector) -> tuple[float, float]:
        """
        Return the angles within the limits that bring the tip nearest to a point out of reach.

        The nearest point has link 2 in line with link 1 or a joint on a limit, and the remaining
        joint, if any, turned towards the target or on a limit too: all these are few.

        Parameters
        ----------
        x, y : float
            The target in the plane [m].
        near : sequence of 2 floats
            Ties, such as a target on the axis of joint 1, go to what is nearest to this.

        Returns
        -------
        q1, q2 : float

        """
        ends = [[value for value in pair if math.isfinite(value)]
                for pair in zip(self.lower, self.upper)]
        in_line = [turn_into(self.sign * (bend - self.beta), near[1], self.lower[1],
                             self.upper[1]) for bend in (0.0, math.pi)]
        options = []
        for q2 in [value for value in in_line if value is not None] + ends[1]:
            q1 = self._pointing(x, y, q2, near[0])
            options += [(value, q2) for value in ([q1] if q1 is not None else ends[0])]
        for q1 in ends[0]:
            direction = math.atan2(y - self.l1 * math.sin(q1), x - self.l1 * math.cos(q1))
            q2 = turn_into(self.sign * (direction - q1 - self.beta), near[1], self.lower[1],
                           self.upper[1])
            options += [(q1, value) for value in ([q2] if q2 is not None else ends[1])]
        if math.hypot(x, y) == 0.0:  # every direction is as good: do not move joint 1
            stay = min(max(near[0], self.lower[0]), self.upper[0])
            options += [(stay, q2) for _, q2 in options]

        def distance(q: tuple[float, float]) -> float:
            tip = self.position(*q)
            return math.hypot(tip[0] - x, tip[1] - y)

        least = min(map(distance, options))
        close = [q for q in options if distance(q) <= least + 1e-12 * (self.l1 + self.l2)]
        return min(close, key=lambda q: abs(q[0] - near[0]) + abs(q[1] - near[1]))


class ClosedForm:
    """
    The inverse kinematics of a planar 2R arm, for targets in the base frame.

    Parameters
    ----------
    kin : SerialKinematics
    plane : Plane

    """

    def __init__(self, kin: SerialKinematics, plane: Plane) -> None:
        self.kin, self.plane = kin, plane
        self.arm = PlanarTwoR(kin, plane)

    def branches(self, target: Target, near: Vector) -> list[tuple[float, float]]:
        """Return the solutions within the limits, as :meth:`PlanarTwoR.branches` does."""
        xy, _ = self.plane.coordinates(np.array(target.position))
        return self.arm.branches(float(xy[0]), float(xy[1]), near)

    def solve(self, target: Target, start: Vector, tolerance: float
              ) -> tuple[tuple[float, float], float, str]:
        """
        Return the solution nearest to a start, or the nearest point.

        Parameters
        ----------
        target : Target
            A position.
        start : sequence of 2 floats
        tolerance : float
            [m].

        Returns
        -------
        q : (q1, q2)
        error : float
            Distance of the tip from the target [m].
        reason : str
            Why not; empty if it is reached.

        """
        xy, height = self.plane.coordinates(np.array(target.position))
        x, y = xy.tolist()
        solutions = self.arm.branches(x, y, start)
        q = (min(solutions, key=lambda s: math.hypot(s[0] - start[0], s[1] - start[1]))
             if solutions else self.arm.nearest(x, y, start))
        error = math.dist(self.kin.scalar_pose(q)[9:], target.position)
        reason = '' if error <= tolerance else self._reason(math.hypot(x, y), height, tolerance,
                                                            error)
        return q, error, reason

    def _reason(self, radius: float, height: float, tolerance: float, error: float) -> str:
        outer, inner = self.arm.l1 + self.arm.l2, abs(self.arm.l1 - self.arm.l2)
        if abs(height) > tolerance:
            why = f'{abs(height):.6g} m off the plane of the arm'
        elif radius > outer:
            why = f'{radius:.6g} m from joint 1, and the stretched arm reaches {outer:.6g} m'
        elif radius < inner:
            why = f'{radius:.6g} m from joint 1, and the folded arm stays {inner:.6g} m away'
        else:
            why = 'within reach, but not within the joint limits'
        return f'out of reach: {why}; nearest point {error:.3g} m away'

    def all_solutions(self, target: Target, tolerance: float) -> FloatArray:
        """
        Return all solutions.

        Parameters
        ----------
        target : Target
            A position.
        tolerance : float
            [m].

        Returns
        -------
        solutions : ndarray, shape (0, 2), (1, 2) or (2, 2)

        """
        _, height = self.plane.coordinates(np.array(target.position))
        if abs(height) > tolerance:
            return np.empty((0, 2))
        solutions = self.branches(target, (0.0, 0.0))
        if not solutions:  # on the boundary to the tolerance, though not to the last bit
            q, error, _ = self.solve(target, (0.0, 0.0), tolerance)
            solutions = [q] if error <= tolerance else []
        return in_order(solutions, 2)


def in_order(solutions: Sequence[Vector], n: int) -> FloatArray:
    """
    Return solutions in ascending order, where they differ by more than rounding.

    Parameters
    ----------
    solutions : list of sequence of n floats
    n : int

    Returns
    -------
    solutions : ndarray, shape (k, n)

    """
    ordered = sorted(solutions, key=lambda q: [round(value, 6) for value in q])
    return np.array(ordered, dtype=float).reshape(-1, n)
