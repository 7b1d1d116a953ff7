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

"""What is measured of the arm's state: noise, encoder steps, differentiated positions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from twolink_dynamics.array_types import Vector
from twolink_dynamics.simulation.integrators import State
from twolink_dynamics.validation import count, number, per_joint

if TYPE_CHECKING:
    from twolink_dynamics.simulation.plant_options import PlantOptions

__all__ = ['Sensors']

# Random numbers are drawn for so many samples at once: one by one they cost more than a step.
BLOCK = 512


class Sensors:
    """
    What measures positions and velocities.

    Noise comes first, then the encoder's steps; a differentiated velocity is made of what the
    encoder says; the low pass comes last.

    Parameters
    ----------
    n : int
    dt : float
        Between two measurements [s].
    options : PlantOptions
    seed : int
        Of the noise.

    """

    def __init__(self, n: int, dt: float, options: PlantOptions, seed: int = 0) -> None:
        self.n, self.dt, self.seed = n, dt, count('seed', seed)
        self._noise = np.array([per_joint(name, getattr(options, name), n, 0.0)
                                for name in ('position_noise', 'velocity_noise')])
        self._resolution = per_joint('encoder_resolution', options.encoder_resolution, n, 0.0)
        self._differentiate = options.differentiate
        T = number('velocity_filter', options.velocity_filter, 0.0)
        self._decay = math.exp(-dt / T) if T else 0.0
        self.perfect = not (self._noise.any() or any(self._resolution) or self._differentiate
                            or self._decay)
        self.reset()

    def reset(self) -> None:
        """Begin anew, with the same noise."""
        # Made at the first need: most sensors are perfect.
        self._random: np.random.Generator | None = None
        self._rows: list[list[list[float]]] = []
        self._last_q: Vector | None = None
        self._last_qd: Vector | None = None

    def measure(self, q: Vector, qd: Vector) -> State:
        """
        Return the measured state; to be called once per time step.

        Parameters
        ----------
        q, qd : sequence of float, length n

        Returns
        -------
        q, qd : list of float, length n

        """
        if self._noise.any():
            if not self._rows:
                if self._random is None:
                    self._random = np.random.default_rng(self.seed)
                rows = self._random.standard_normal((BLOCK, 2, self.n)) * self._noise
                self._rows = rows[::-1].tolist()
            noise_q, noise_qd = self._rows.pop()
            q = [x + e for x, e in zip(q, noise_q)]
            qd = [v + e for v, e in zip(qd, noise_qd)]
        q = [r * round(x / r) if r else x for x, r in zip(q, self._resolution)]
        if self._differentiate:
            # The first measurement has none before it: an arm is switched on at rest.
            last = q if self._last_q is None else self._last_q
            qd = [(x - y) / self.dt for x, y in zip(q, last)]
            self._last_q = q
        if self._decay and self._last_qd is not None:
            qd = [v + (y - v) * self._decay for v, y in zip(qd, self._last_qd)]
        self._last_qd = qd
        return q, qd
