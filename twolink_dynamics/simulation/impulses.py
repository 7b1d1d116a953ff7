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

"""Impulses in place of events: a step that always comes to an end."""

from __future__ import annotations

import math
from typing import Callable, Sequence

from twolink_dynamics.array_types import Vector
from twolink_dynamics.dynamics.resting import resting_impulses
from twolink_dynamics.simulation.integrators import Advance, State

__all__ = ['step_at_once']


def step_at_once(advance: Advance, mass_matrix: Callable[[Vector], Sequence[Vector]], q0: Vector,
                 qd0: Vector, tau: Vector, dt: float, friction: Vector, lower: Vector,
                 upper: Vector) -> State:
    """
    Return the state after a time with impulses in place of events: to first order, but always.

    Parameters
    ----------
    advance : callable
        ``(q, qd, tau, dt) -> (q, qd)`` without Coulomb friction and stops.
    mass_matrix : callable
        ``(q) -> n rows``.
    q0, qd0 : sequence of float, length n or more
    tau : sequence of float, length n
    dt : float
        [s].
    friction, lower, upper : sequence of float, length n

    Returns
    -------
    q, qd : sequence of float

    """
    n = len(tau)
    sliding = [-c if v > 0.0 else c if v < 0.0 else 0.0 for c, v in zip(friction, qd0)]
    q, qd = advance(q0, qd0, [x + f for x, f in zip(tau, sliding)], dt)
    bounds: dict[int, tuple[float, float]] = {}
    for i, (c, f) in enumerate(zip(friction, sliding)):
        if c and qd0[i] * qd[i] <= 0.0:
            bounds[i] = ((-c - f) * dt, (c - f) * dt)
        low, high = bounds.get(i, (0.0, 0.0))
        if q[i] >= upper[i]:
            bounds[i] = (-math.inf, high)
        elif q[i] <= lower[i]:
            bounds[i] = (low, math.inf)
    if not bounds:
        return q, qd
    change, resting = resting_impulses(mass_matrix(q0[:n]), qd[:n], bounds)
    q, qd = list(q), list(qd)
    for i, dv in enumerate(change):
        # A force held over the step, so half of its velocity change is its displacement.
        p = q0[i] if i in resting and qd0[i] == 0.0 else q[i] + 0.5 * dt * dv
        q[i] = min(max(p, lower[i]), upper[i])
        qd[i] = 0.0 if i in resting else qd[i] + dv
    return q, qd
