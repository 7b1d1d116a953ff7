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

"""Velocities for states that come without: differences of positions, filtered without a lag."""

__all__ = ['VelocityEstimate']


class VelocityEstimate:
    """
    Estimate velocities from positions.

    The estimate is carried on by the acceleration that is desired, and drawn to the difference of
    positions with a time constant. So noise is smoothed, and what the arm does as desired is not
    late.

    Parameters
    ----------
    n : int
    time_constant : float
        [s]; 0 for the plain difference.

    """

    def __init__(self, n, time_constant=1e-3):
        self._zero = (0.0,) * n
        self.time_constant = time_constant
        self.reset()

    def reset(self):
        """Forget everything: the next estimate is zero."""
        self._q = self._qd = None

    def seen(self, q, qd):
        """
        Take a state, with the velocity that was measured or estimated for it.

        Parameters
        ----------
        q, qd : sequence of float, length n

        """
        self._q, self._qd = q, qd

    def estimate(self, dt, q, qdd):
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
        if self._q is None:
            return self._zero
        share = dt / (dt + self.time_constant)
        estimate = []
        for x, x0, v, a in zip(q, self._q, self._qd, qdd):
            # The difference is the velocity of the middle of the step.
            ahead = v + a * dt
            estimate.append(ahead + share * ((x - x0) / dt + 0.5 * a * dt - ahead))
        return estimate
