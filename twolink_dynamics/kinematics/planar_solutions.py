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

"""Answers of the closed form: what the planar 2R arm replies to a target."""

import math

import numpy as np

from twolink_dynamics.kinematics.planar import PlanarTwoR

__all__ = ['ClosedForm', 'in_order']


class ClosedForm:
    """
    The inverse kinematics of a planar 2R arm, for targets in the base frame.

    Parameters
    ----------
    kin : SerialKinematics
    plane : Plane

    """

    def __init__(self, kin, plane):
        self.kin, self.plane = kin, plane
        self.arm = PlanarTwoR(kin, plane)

    def branches(self, target, near):
        """Return the solutions within the limits, as :meth:`PlanarTwoR.branches` does."""
        xy, _ = self.plane.coordinates(np.array(target.position))
        return self.arm.branches(*xy.tolist(), near)

    def solve(self, target, start, tolerance):
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

    def _reason(self, radius, height, tolerance, error):
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

    def all_solutions(self, target, tolerance):
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


def in_order(solutions, n):
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
