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

"""The account of a simulated arm's energy: what changed it, and by how much."""

from __future__ import annotations

from typing import Callable, Sequence

from twolink_dynamics.array_types import Vector
from twolink_dynamics.simulation.integrators import Acceleration

__all__ = ['Ledger', 'WORKS']

WORKS = ('effort', 'viscous', 'coulomb', 'wrench', 'impact', 'payload')
# Works that are integrals over time: see `Ledger.extended`.
INTEGRALS = 2


class Ledger:
    """
    The work done on the arm since the start [J]: its sum is the change of T + U.

    Attributes
    ----------
    effort : float
        By the joint efforts.
    viscous, coulomb : float
        By friction; never positive.
    wrench : float
        By the surroundings at the tip.
    impact : float
        By the joint stops; never positive.
    payload : float
        What picking up and dropping loads brought and took.

    """

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Begin anew, at zero."""
        self.effort = self.viscous = self.coulomb = self.wrench = 0.0
        self.impact = self.payload = 0.0

    def row(self) -> list[float]:
        """Return the works in the order of `WORKS`."""
        return [getattr(self, name) for name in WORKS]

    def add_way(self, tau: Vector, friction: Vector, q0: Vector, q1: Vector) -> None:
        """
        Add what constant efforts did on the way from one position to another: exactly that.

        Parameters
        ----------
        tau, friction : sequence of float, length n
            Efforts and Coulomb friction, as they act on the joints.
        q0, q1 : sequence of float, length n or more

        """
        for t, f, a, b in zip(tau, friction, q0, q1):
            self.effort += t * (b - a)
            self.coulomb += f * (b - a)

    def add_impact(self, M: Sequence[Vector], before: Vector, after: Vector) -> None:
        """
        Add what impulses did: half of M times the change of velocity, times the sum of both.

        Parameters
        ----------
        M : n rows of n
        before, after : sequence of float, length n or more
            Velocities.

        """
        change = [b - a for a, b in zip(before, after)]
        for row, a, b in zip(M, before, after):
            self.impact += 0.5 * (a + b) * sum([m * x for m, x in zip(row, change)])

    @staticmethod
    def extended(acceleration: Acceleration, n: int, damping: Vector,
                 wrench_effort: Callable[[Vector], Vector] | None) -> Acceleration:
        """
        Return an acceleration with two joints more, whose velocities are works.

        So the works of what changes within a step, viscous friction and the wrench, are integrated
        by the very method that integrates the motion, and are as accurate.

        Parameters
        ----------
        acceleration : callable
            ``(q, qd, tau) -> qdd`` of n joints.
        n : int
        damping : sequence of float, length n
        wrench_effort : callable or None
            ``(q) -> efforts`` of the wrench at the tip.

        Returns
        -------
        acceleration : callable
            Of n + 2 joints.

        """
        def both(q: Vector, qd: Vector, tau: Vector) -> Vector:
            q, qd = q[:n], qd[:n]
            viscous = pushed = 0.0
            for b, v in zip(damping, qd):
                viscous -= b * v * v
            if wrench_effort is not None:
                for x, v in zip(wrench_effort(q), qd):
                    pushed += x * v
            return [*acceleration(q, qd, tau), viscous, pushed]
        return both
