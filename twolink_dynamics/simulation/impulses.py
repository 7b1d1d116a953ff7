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
Impulses that bring joints to rest: what Coulomb friction and joint stops have in common.

Both act on single joints, within bounds, and through the mass matrix on all the others.

"""

from __future__ import annotations

import math
from typing import Callable, Mapping, Sequence

import numpy as np

from twolink_dynamics.array_types import ArrayLike, FloatArray, Vector
from twolink_dynamics.simulation.integrators import Advance, State

__all__ = ['resting_impulses', 'step_at_once']

# A bound on the work, not an accuracy: the sweeps end by their tolerance, for two uniform links in
# the worst posture after 140.
SWEEPS = 1000


def resting_impulses(M: ArrayLike, qd: Vector, bounds: Mapping[int, tuple[float, float]]
                     ) -> tuple[list[float], set[int]]:
    r"""
    Return the change of velocity that brings chosen joints to rest, as far as bounds allow.

    Finds impulses :math:`p_i` within their bounds so that each joint named either rests
    (:math:`\dot q_i + (M^{-1} p)_i = 0`) or has its impulse at a bound, opposing what motion
    remains: a linear complementarity problem. If all can rest, that is one linear solution;
    otherwise projected Gauss-Seidel sweeps find which do.

    Parameters
    ----------
    M : array_like, shape (n, n)
        Mass matrix.
    qd : sequence of float, length n
        Joint velocities without these impulses.
    bounds : dict of int to (float, float)
        For each joint, the least and the greatest impulse [N m s or N s].

    Returns
    -------
    change : list of float, length n
        What to add to `qd`.
    resting : set of int
        The joints that rest: their impulse is inside its bounds.

    """
    W = np.linalg.inv(np.array(M, dtype=np.float64))
    v = np.array(qd, dtype=np.float64)
    joints = list(bounds)
    low, high = (np.array(side) for side in zip(*bounds.values()))
    W_jj = W[np.ix_(joints, joints)]
    p = np.linalg.solve(W_jj, -v[joints])
    if not ((low < p) & (p < high)).all():
        p = _sweep(W_jj.tolist(), v[joints].tolist(), low.tolist(), high.tolist())
    resting = {i for i, a, x, b in zip(joints, low, p, high) if a < x < b}
    return (W[:, joints] @ p).tolist(), resting


def _sweep(W: Sequence[Vector], v: list[float], low: Vector, high: Vector) -> FloatArray:
    p, speed = [0.0] * len(v), max(map(abs, v))
    for _ in range(SWEEPS):
        largest = 0.0
        for i, row in enumerate(W):
            x = min(max(p[i] - v[i] / row[i], low[i]), high[i])
            delta, p[i] = x - p[i], x
            for j, other in enumerate(W):
                v[j] += other[i] * delta
            largest = max(largest, abs(row[i] * delta))
        if largest <= 1e-15 * speed:
            break
    return np.array(p)


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
