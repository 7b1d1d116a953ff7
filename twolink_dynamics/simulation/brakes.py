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

"""Brakes that are stronger than whatever pushes the arm."""

from __future__ import annotations

from twolink_dynamics.array_types import Vector
from twolink_dynamics.simulation.integrators import State

__all__ = ['Brakes']

# [s]: joints in motion come to rest within it, each at a constant deceleration.
STOP_TIME = 0.1


class Brakes:
    """
    Bring every joint to rest, and hold it.

    Parameters
    ----------
    dt : float
        [s].
    lower, upper : sequence of float, length n
        Where joints stop in any case.

    """

    def __init__(self, dt: float, lower: Vector, upper: Vector) -> None:
        self._dt, self._steps = dt, max(1, round(STOP_TIME / dt))
        self._limits = tuple(zip(lower, upper))
        self._left: int | None = None
        self._initial: Vector = ()

    def release(self) -> None:
        """Let go."""
        self._left = None

    def step(self, q: Vector, qd: Vector) -> State:
        """
        Return the state a step later.

        Parameters
        ----------
        q, qd : sequence of float, length n

        Returns
        -------
        q, qd : sequence of float, length n

        """
        if not any(qd):
            return q, qd
        if self._left is None:
            self._left, self._initial = self._steps, qd
        self._left -= 1
        share, out, speeds = self._left / self._steps, [], []
        for x, v, v0, (low, high) in zip(q, qd, self._initial, self._limits):
            # A joint that reached its stop stays there.
            v1 = v0 * share if v else 0.0
            y = x + 0.5 * self._dt * (v + v1)
            inside = min(max(y, min(low, x)), max(high, x))
            out.append(inside)
            speeds.append(v1 if inside == y else 0.0)
        return out, speeds
