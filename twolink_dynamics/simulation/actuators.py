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

"""From commanded efforts to those that act on the joints: saturation, delay, lag."""

from __future__ import annotations

from collections import deque
import math
from typing import Sequence

from twolink_dynamics.array_types import PerJoint, Vector
from twolink_dynamics.errors import ParameterError
from twolink_dynamics.validation import number, per_joint

__all__ = ['Actuators', 'whole_steps']


def whole_steps(name: str, time: float, dt: float) -> int:
    """
    Return how many time steps a time has.

    Parameters
    ----------
    name : str
        Of the time, for errors.
    time, dt : float
        [s].

    Returns
    -------
    steps : int

    Raises
    ------
    ParameterError
        If it is negative or no multiple of the time step.

    """
    ratio = number(name, time) / dt
    steps = round(ratio) if math.isfinite(ratio) else -1
    if steps < 0 or abs(ratio - steps) > 1e-6 * max(steps, 1):
        raise ParameterError(name, time, f'a whole multiple of the time step {dt:g} s')
    return steps


class Actuators:
    """
    What drives the joints.

    A command saturates at the limits, is on its way for the delay, and is then followed in first
    order. Within a step the effort is constant: the mean of the exponential over the step, which
    has the same impulse.

    Parameters
    ----------
    dt : float
        [s].
    limits : sequence of float, length n
        Of the efforts, infinite where there is none.
    delay : float
        [s].
    lag : float or sequence of float, length n
        [s].

    Attributes
    ----------
    saturated : bool
        Whether the last command was beyond a limit.
    immediate : bool
        Whether there is neither delay nor lag.
    transparent : bool
        Whether commands act as they are: there are no limits either.

    """

    def __init__(self, dt: float, limits: Sequence[float], delay: float = 0.0,
                 lag: PerJoint = 0.0) -> None:
        self.limits = tuple(limits)
        n = len(self.limits)
        self._steps = whole_steps('command_delay', delay, dt)
        lag = per_joint('actuator_lag', lag, n, 0.0)
        self._lags = any(lag)
        self._decay = [math.exp(-dt / T) if T else 0.0 for T in lag]
        # expm1, for the mean of a step much shorter than the lag is a difference of near numbers.
        self._mean = [-T / dt * math.expm1(-dt / T) if T else 0.0 for T in lag]
        self.immediate = not self._steps and not self._lags
        self.transparent = self.immediate and not any(map(math.isfinite, limits))
        self.reset()

    def reset(self) -> None:
        """Forget the commands on their way: no effort acts."""
        zero = [0.0] * len(self.limits)
        self._line = deque([zero] * self._steps)
        self._reached = zero
        self.saturated = False

    def applied(self, tau: Vector) -> list[float]:
        """
        Return the efforts that act in the coming step.

        Parameters
        ----------
        tau : sequence of float, length n
            The command, finite.

        Returns
        -------
        applied : list of float, length n

        """
        out = [h if x > h else -h if x < -h else x for x, h in zip(tau, self.limits)]
        self.saturated = out != list(tau)
        if self._steps:
            self._line.append(out)
            out = self._line.popleft()
        if self._lags:
            x0 = self._reached
            self._reached = [u + (x - u) * d for u, x, d in zip(out, x0, self._decay)]
            out = [u + (x - u) * m for u, x, m in zip(out, x0, self._mean)]
        return out
