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
Joints at rest: the impulses, or the efforts, that keep them there within bounds.

Coulomb friction and joint stops have this in common: they act on single joints, within bounds, and
through the mass matrix on all the others. Given velocities the answer is impulses; given
accelerations it is efforts.

"""

from __future__ import annotations

from typing import Mapping, Sequence

import numpy as np

from twolink_dynamics.array_types import ArrayLike, FloatArray, Vector

__all__ = ['held_at_rest', 'resting_impulses']

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


def held_at_rest(M: FloatArray, qd: FloatArray, qdd: FloatArray, coulomb: FloatArray
                 ) -> FloatArray:
    """
    Return accelerations with Coulomb friction at the joints that are exactly at rest.

    Such a joint is held as long as its friction suffices, the others' included; beyond it,
    friction opposes the motion that begins.

    Parameters
    ----------
    M : ndarray, shape (..., n, n)
    qd, qdd : ndarray, shape (..., n)
        Velocities, and the accelerations without this friction.
    coulomb : ndarray, shape (n,)
        [N m or N].

    Returns
    -------
    qdd : ndarray, shape (..., n)
        Zero where a joint is held.

    """
    out = qdd.copy()
    still = (qd == 0.0) & (coulomb > 0.0)
    for k in np.ndindex(qd.shape[:-1]):
        if not still[k].any():
            continue
        bounds = {int(i): (-float(coulomb[i]), float(coulomb[i]))
                  for i in np.flatnonzero(still[k])}
        change, resting = resting_impulses(M[k], qdd[k].tolist(), bounds)
        out[k] += change
        out[k][list(resting)] = 0.0
    return out
