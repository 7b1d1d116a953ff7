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
Stiff arms: joints that viscous friction stops within less than a time step.

Where efforts cease the velocities decay at rates that are the eigenvalues of ``M^-1 B``. An arm is
stiff where the fastest of them is beyond ``1 / dt``: explicit methods are then inaccurate at
first, and unstable from 2 / dt (`semi_implicit`) or 2.8 / dt (`rk4`) on. There the implicit method
of Radau takes the step, whatever method was chosen; elsewhere the chosen one does, to the last
bit as if there were no other.

Radau IIA with three stages has order five, is stable at any rate, forgets at once what decays at
once, and takes energy out of what friction takes it out of (E. Hairer, G. Wanner: Solving Ordinary
Differential Equations II, sections IV.5, IV.8 and IV.12).

"""

from __future__ import annotations

import functools
import math
from typing import Callable, Sequence, TYPE_CHECKING

import numpy as np

from twolink_dynamics.array_types import FloatArray, Vector
from twolink_dynamics.simulation.integrators import Acceleration, Advance, State

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm

__all__ = ['fastest_decay', 'may_be_stiff', 'radau', 'where_stiff']

MassMatrix = Callable[[Vector], Sequence[Vector]]

# An arm without a closed form is looked at in so many postures; if it is slower everywhere than
# this part of what is stiff, it is not looked at in every step.
POSTURES, MARGIN = 64, 0.02

SQRT6 = math.sqrt(6.0)
# Of Radau IIA: one row a stage; the last is at the end of the step.
STAGES = np.array([
    [(88.0 - 7.0 * SQRT6) / 360.0, (296.0 - 169.0 * SQRT6) / 1800.0,
     (-2.0 + 3.0 * SQRT6) / 225.0],
    [(296.0 + 169.0 * SQRT6) / 1800.0, (88.0 + 7.0 * SQRT6) / 360.0,
     (-2.0 - 3.0 * SQRT6) / 225.0],
    [(16.0 - SQRT6) / 36.0, (16.0 + SQRT6) / 36.0, 1.0 / 9.0]])
TIMES, TWICE = STAGES.sum(axis=1), STAGES @ STAGES
# Newton's iterations, each of which finds two or three digits: as many as a double has, relative
# to the velocities, or what rounding leaves of them.
ITERATIONS, ENOUGH, ROUNDED = 12, 1e-14, 1e-9
# Where they do not converge a step is halved, as often as this.
HALVINGS = 12


def fastest_decay(M: FloatArray, damping: FloatArray, enough: float) -> float:
    """
    Return the largest eigenvalue of ``M^-1 B`` [1/s], or a bound of it that is below `enough`.

    Parameters
    ----------
    M : ndarray, shape (n, n)
    damping : ndarray, shape (n,)
    enough : float
        [1/s].

    Returns
    -------
    rate : float

    """
    try:
        inverse = np.linalg.inv(M)
    except np.linalg.LinAlgError:
        return 0.0  # there is no acceleration, as the chosen method says
    rate = float(inverse.diagonal().dot(damping))  # the sum of the rates
    if rate <= enough:
        return rate
    root = np.sqrt(damping)
    return float(np.linalg.eigvalsh(root[:, None] * inverse * root)[-1])


@functools.lru_cache(maxsize=32)
def may_be_stiff(arm: Arm, damping: tuple[float, ...], dt: float) -> bool:
    """
    Tell whether an arm has to be looked at in every step.

    For a planar 2R arm a bound of the rates decides. Others are looked at in postures all over
    their ranges.

    Parameters
    ----------
    arm : Arm
    damping : tuple of float, length n
    dt : float
        [s].

    Returns
    -------
    stiff : bool

    """
    if not any(damping):
        return False
    constants = getattr(arm, 'constants', None)
    if constants is not None and 'mass_matrix' not in arm.overridden:
        if constants.may_be_singular:
            return True
        alpha, beta, delta = constants.alpha, abs(constants.beta), constants.delta
        most = delta * damping[0] + (alpha + delta + 2.0 * beta) * damping[1]
        return bool(dt * most > alpha * delta - beta * beta)
    limit = MARGIN / dt
    lower, upper = arm.limits.lower, arm.limits.upper
    wide = [1.0 if kind == 'prismatic' else math.pi for kind in arm.joint_types]
    low, high = np.clip(lower, np.negative(wide), wide), np.clip(upper, np.negative(wide), wide)
    postures = low + (high - low) * np.random.default_rng(0).random((POSTURES, arm.n))
    b, mass_matrix = np.array(damping), arm.scalar.mass_matrix
    return any(fastest_decay(np.array(mass_matrix(q)), b, limit) > limit
               for q in postures.tolist())


def where_stiff(chosen: Advance, implicit: Advance, mass_matrix: MassMatrix, damping: Vector,
                movers: Sequence[int], dt: float) -> Advance:
    """
    Return an integrator that is implicit where the arm is stiff.

    What decides is the mass matrix at the start and the whole time step, so that a part of a step
    is integrated as the whole is.

    Parameters
    ----------
    chosen, implicit : callable
        ``(q, qd, tau, h) -> (q, qd)``.
    mass_matrix : callable
        ``(q) -> n rows``.
    damping : sequence of float, length n
    movers : sequence of int
        The joints that are not held.
    dt : float
        The time step [s].

    Returns
    -------
    advance : callable

    """
    n, limit = len(damping), 1.0 / dt
    b = np.array([damping[i] for i in movers])
    part = None if len(movers) == n else np.ix_(movers, movers)

    def advance(q: Vector, qd: Vector, tau: Vector, dt: float) -> State:
        M = np.array(mass_matrix(q[:n]))
        stiff = fastest_decay(M if part is None else M[part], b, limit) > limit
        return (implicit if stiff else chosen)(q, qd, tau, dt)
    return advance


def radau(acceleration: Acceleration, mass_matrix: MassMatrix, damping: Vector,
          movers: Sequence[int]) -> Advance:
    """
    Make the implicit method of Radau, of order five, for viscous friction of any size.

    The stages are found by Newton's method with the derivatives of the friction alone, for
    nothing else is stiff; what `acceleration` returns is what they satisfy.

    Parameters
    ----------
    acceleration : callable
        ``(q, qd, tau) -> qdd`` of n joints, and of works that depend on these (:mod:`.energy`).
    mass_matrix : callable
        ``(q) -> n rows``.
    damping : sequence of float, length n
    movers : sequence of int
        The joints that are not held: of the others the velocities and accelerations are zero.

    Returns
    -------
    advance : callable

    """
    n, m = len(damping), len(movers)
    moving = list(movers)
    friction = np.kron(STAGES, np.diag([damping[i] for i in moving]))

    def slopes(q: FloatArray, v: FloatArray, tau: Vector) -> FloatArray:
        return np.array([acceleration(*state, tau) for state in zip(q.tolist(), v.tolist())])

    def solved(q: Vector, qd: Vector, tau: Vector, h: float) -> State | None:
        n_all = len(q)
        q0, v0 = np.array(q, dtype=float), np.array(qd, dtype=float)
        straight = q0[:n] + h * TIMES[:, None] * v0[:n]
        K, last, gain = np.zeros((3, n)), math.inf, None
        for _ in range(ITERATIONS):
            a = slopes(straight + h * h * (TWICE @ K), v0[:n] + h * (STAGES @ K), tau)
            if gain is None:
                gain = _gain(np.array(mass_matrix(q[:n]))[np.ix_(moving, moving)], h * friction)
            change = (gain @ (a[:, moving] - K[:, moving]).ravel()).reshape(3, m)
            K[:, moving] += change
            size = h * float(np.abs(change).max())
            scale = float(np.abs(v0[:n]).max() + h * np.abs(K).max())
            if not scale < math.inf:
                return None
            if size <= ENOUGH * scale or (size > 0.5 * last and size <= ROUNDED * scale):
                break
            last = size
        else:
            return None
        q1, v1 = q0 + h * v0, v0.copy()
        q1[:n] += h * h * (TWICE[2] @ K)
        v1[:n] += h * (STAGES[2] @ K)
        if n_all > n:
            a = slopes(straight + h * h * (TWICE @ K), v0[:n] + h * (STAGES @ K), tau)
            v1[n:] += h * (STAGES[2] @ a[:, n:])
        return q1.tolist(), v1.tolist()

    def advance(q: Vector, qd: Vector, tau: Vector, dt: float, halvings: int = HALVINGS) -> State:
        state = solved(q, qd, tau, dt)
        if state is None and not halvings:
            raise OverflowError
        if state is None:
            for _ in range(2):
                q, qd = advance(q, qd, tau, 0.5 * dt, halvings - 1)
            return q, qd
        return state
    return advance


def _gain(M: FloatArray, friction: FloatArray) -> FloatArray:
    """Return how much of a residual of the stages Newton's method adds to them."""
    masses = np.kron(np.eye(3), M)
    return np.linalg.solve(masses + friction, masses)
