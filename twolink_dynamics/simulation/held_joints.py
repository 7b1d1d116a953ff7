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

"""Joints that are held: how the others move, and what holding takes."""

from __future__ import annotations

from typing import Callable, Sequence

from twolink_dynamics.array_types import Vector
from twolink_dynamics.dynamics.newton_euler import factor, solve
from twolink_dynamics.simulation.integrators import Acceleration

__all__ = ['HeldJoints']


class HeldJoints:
    """
    The dynamics of an arm some of whose joints are held where they are.

    Parameters
    ----------
    n : int
    acceleration : callable
        ``(q, qd, tau) -> qdd`` with no joint held.
    mass_matrix : callable
        ``(q) -> n rows``.

    """

    def __init__(self, n: int, acceleration: Acceleration,
                 mass_matrix: Callable[[Vector], Sequence[Vector]]) -> None:
        self._n, self._acceleration, self._mass_matrix = n, acceleration, mass_matrix

    def _solved(self, q: Vector, qd: Vector, tau: Vector, held: tuple[int, ...]
                ) -> tuple[Sequence[Vector], Vector, list[float]]:
        """Return M, the accelerations without the holding, and those with it."""
        n = self._n
        free = self._acceleration(q[:n], qd[:n], tau)
        M = self._mass_matrix(q[:n])
        movers = [i for i in range(n) if i not in held]
        # M_ff a_f = M_ff free_f + M_fh free_h: the rows of the joints that move.
        rest = [sum([M[i][j] * free[j] for j in held]) for i in movers]
        if len(movers) == 1:
            rest[0] /= M[movers[0]][movers[0]]
        elif movers:
            part, pivots = [[M[i][j] for j in movers] for i in movers], [0.0] * len(movers)
            factor(part, pivots)
            solve(part, pivots, rest)
        a = [0.0] * n
        for i, x in zip(movers, rest):
            a[i] = free[i] + x
        return M, free, a

    def acceleration(self, held: tuple[int, ...]) -> Acceleration:
        """
        Return the acceleration of the arm with joints held.

        Parameters
        ----------
        held : tuple of int
            The joints; their velocities are zero.

        Returns
        -------
        acceleration : callable
            ``(q, qd, tau) -> qdd``, zero for the joints held.

        """
        solved = self._solved

        def with_held(q: Vector, qd: Vector, tau: Vector) -> Vector:
            return solved(q, qd, tau, held)[2]
        return with_held

    def loads(self, q: Vector, qd: Vector, tau: Vector, held: tuple[int, ...]) -> list[float]:
        """
        Return the efforts that hold joints.

        Parameters
        ----------
        q, qd, tau : sequence of float, length n or more
        held : tuple of int

        Returns
        -------
        loads : list of float
            What acts on each joint held besides `tau` [N m or N].

        """
        M, free, a = self._solved(q, qd, tau, held)
        change = [x - y for x, y in zip(a, free)]
        return [sum([m * x for m, x in zip(M[i], change)]) for i in held]
