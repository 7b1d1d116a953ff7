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
Initial guesses of Newton's method, where the start given does not lead to the target.

A few thousand joint positions are drawn once for an arm, with the poses they give. For a target
the ones that bring the tip nearest are tried first: that takes one pass over a table, and they
lead there far more often than positions drawn blindly.

"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from twolink_dynamics.array_types import FloatArray, Vector

if TYPE_CHECKING:
    from twolink_dynamics.kinematics.newton import NewtonSolver
    from twolink_dynamics.kinematics.target import Target

__all__ = ['InitialGuesses']

TABLE = 2000


class InitialGuesses:
    """
    Start vectors of a solver, the same for the same seed.

    Parameters
    ----------
    solver : NewtonSolver
        It knows the chain, its size and its stops.

    """

    def __init__(self, solver: NewtonSolver) -> None:
        self.kin, self.size = solver.kin, solver.size
        self.lower, self.upper = lower, upper = solver.lower, solver.upper
        # How far from the middle a joint without limits is searched.
        span = np.where(self.kin.prismatic, 2.0 * self.size, math.pi)
        with np.errstate(invalid='ignore'):
            self._low = np.where(np.isfinite(lower), lower,
                                 np.where(np.isfinite(upper), upper - 2.0 * span, -span))
            self._high = np.where(np.isfinite(upper), upper, self._low + 2.0 * span)
        self._sample: tuple[int, FloatArray, FloatArray] | None = None

    def random(self, rng: np.random.Generator, count: int) -> FloatArray:
        """Return joint positions (count, n) within the limits."""
        return rng.uniform(self._low, self._high, (count, self.kin.n))

    def _sampled(self, seed: int) -> tuple[FloatArray, FloatArray]:
        """Return the table of joint positions (N, n) and tip poses (N, 4, 4) of a seed."""
        if self._sample is None or self._sample[0] != seed:
            q = self.random(np.random.default_rng(seed), TABLE)
            self._sample = seed, q, self.kin.tip_pose(q)
        return self._sample[1:]

    def near(self, q: Vector, seed: int) -> list[list[float]]:
        """
        Return start vectors just off a singular start, to stay on its branch.

        Parameters
        ----------
        q : sequence of n floats
        seed : int

        Returns
        -------
        starts : list of list of n floats

        """
        shift = np.random.default_rng(seed).uniform(-0.1, 0.1, (2, self.kin.n))
        moved = np.array(q) + shift * (self._high - self._low)
        return np.clip(moved, self.lower, self.upper).tolist()

    def nearest_first(self, target: Target, count: int, seed: int) -> list[list[float]]:
        """
        Return start vectors, those that bring the tip nearest to a target first.

        Parameters
        ----------
        target : Target
        count : int
        seed : int

        Returns
        -------
        starts : list of list of n floats
            The second half of them as they come, in case the nearest all lead to one minimum.

        """
        q, poses = self._sampled(seed)
        away = poses[:, :3, 3] - target.position
        value = np.einsum('ij,ij->i', away, away) / self.size ** 2
        if target.rotation is not None:
            R = np.array(target.rotation).reshape(3, 3)
            cosine = 0.5 * (np.einsum('ijk,jk->i', poses[:, :3, :3], R) - 1.0)
            value += np.arccos(np.clip(cosine, -1.0, 1.0)) ** 2
        half = min((count + 1) // 2, TABLE - 1)
        nearest = np.argpartition(value, half)[:half]
        nearest = nearest[np.argsort(value[nearest])]
        return q[nearest].tolist() + q[:count - half].tolist()
