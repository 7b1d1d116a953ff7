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

"""Velocity estimates for states without velocities: filtered differences without a lag."""

from twolink_dynamics.array_types import Vector

__all__ = ['VelocityEstimate']


class VelocityEstimate:
    """
    Estimate velocities from positions.

    The estimate is predicted with the desired acceleration, and corrected by the difference of
    positions with a time constant. So noise is smoothed, and a motion as desired has no lag.

    Parameters
    ----------
    n : int
    time_constant : float
        [s]; 0 for the plain difference.

    """

    def __init__(self, n: int, time_constant: float = 1e-3) -> None:
        self._zero = (0.0,) * n
        self.time_constant = time_constant
        self.reset()

    def reset(self) -> None:
        """Forget everything: the next estimate is zero."""
        self._last: tuple[Vector, Vector] | None = None

    def feed(self, q: Vector, qd: Vector) -> None:
        """
        Take a state, with the velocity that was measured or estimated for it.

        Parameters
        ----------
        q, qd : sequence of float, length n

        """
        self._last = q, qd

    def estimate(self, dt: float, q: Vector, qdd: Vector) -> Vector:
        """
        Return the velocity now.

        Parameters
        ----------
        dt : float
            Since the last state [s], above 0.
        q : sequence of float, length n
            Where the joints are now.
        qdd : sequence of float, length n
            What was desired since the last state.

        Returns
        -------
        qd : sequence of float, length n

        """
        if self._last is None:
            return self._zero
        share = dt / (dt + self.time_constant)
        estimate = []
        for x, x0, v, a in zip(q, *self._last, qdd):
            # The difference is the velocity of the middle of the step.
            predicted = v + a * dt
            estimate.append(predicted + share * ((x - x0) / dt + 0.5 * a * dt - predicted))
        return estimate
