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
Integrators of ``qdd = a(q, qd, tau)`` with the effort held over the step.

Each function here makes one for an acceleration and a number of joints, to be called in a loop:
``advance = stepper('rk4', acceleration, n)``, ``q, qd = advance(q, qd, tau, dt)``. Everything is
Python floats in sequences of n. The fixed-step methods use only ``+`` and ``*``, so that they also
run on NumPy arrays, one element an arm, and on symbols (:mod:`.fused`).

"""

from __future__ import annotations

import math
from typing import Any, Callable, Protocol, Sequence

from twolink_dynamics.array_types import Vector
from twolink_dynamics.errors import ParameterError
from twolink_dynamics.simulation.tableaus import DOP853_STAGES, DOP853_WEIGHTS

__all__ = ['Acceleration', 'adaptive', 'adaptive_stiff', 'Advance', 'check_method', 'METHODS',
           'rk4', 'rk8', 'semi_implicit', 'State', 'stepper']

#: Positions and velocities, n of each.
State = tuple[Vector, Vector]
#: ``(q, qd, tau) -> qdd``.
Acceleration = Callable[[Vector, Vector, Vector], Vector]


class Advance(Protocol):
    """An integrator, made for an acceleration."""

    def __call__(self, q: Vector, qd: Vector, tau: Vector, dt: float) -> State:
        """Return the state a time `dt` later."""


# Of the adaptive method: what a double can still be held to over many steps.
RTOL, ATOL = 1e-12, 1e-14


def rk4(acceleration: Acceleration, n: int) -> Advance:
    """Make the classical Runge-Kutta method of fourth order."""
    def advance(q: Vector, qd: Vector, tau: Vector, dt: float) -> State:
        h, w, s = 0.5 * dt, dt / 6.0, dt * dt / 6.0
        a = acceleration(q, qd, tau)
        v2 = [v + h * x for v, x in zip(qd, a)]
        b = acceleration([p + h * v for p, v in zip(q, qd)], v2, tau)
        v3 = [v + h * x for v, x in zip(qd, b)]
        c = acceleration([p + h * v for p, v in zip(q, v2)], v3, tau)
        d = acceleration([p + dt * v for p, v in zip(q, v3)],
                         [v + dt * x for v, x in zip(qd, c)], tau)
        return ([p + dt * v + s * (x + y + z) for p, v, x, y, z in zip(q, qd, a, b, c)],
                [v + w * (x + 2.0 * (y + z) + u) for v, x, y, z, u in zip(qd, a, b, c, d)])
    return advance


def rk8(acceleration: Acceleration, n: int) -> Advance:
    """
    Make a Runge-Kutta method of eighth order with twelve stages.

    The formula is that of Dormand and Prince as in Hairer's DOP853, with a fixed step.

    """
    def combined(state: Vector, dt: float, row: Sequence[tuple[int, float]],
                 slopes: Sequence[Vector]) -> list[float]:
        out: list[float] = []
        for i, x in enumerate(state):
            total = 0.0
            for j, a in row:
                total = total + a * slopes[j][i]
            out.append(x + dt * total)
        return out

    def advance(q: Vector, qd: Vector, tau: Vector, dt: float) -> State:
        velocities, accelerations = [qd], [acceleration(q, qd, tau)]
        for row in DOP853_STAGES:
            x = combined(q, dt, row, velocities)
            v = combined(qd, dt, row, accelerations)
            velocities.append(v)
            accelerations.append(acceleration(x, v, tau))
        return (combined(q, dt, DOP853_WEIGHTS, velocities),
                combined(qd, dt, DOP853_WEIGHTS, accelerations))
    return advance


def semi_implicit(acceleration: Acceleration, n: int) -> Advance:
    """Make the semi-implicit Euler method (first order), which most robot engines use."""
    def advance(q: Vector, qd: Vector, tau: Vector, dt: float) -> State:
        qd = [v + dt * a for v, a in zip(qd, acceleration(q, qd, tau))]
        return [p + dt * v for p, v in zip(q, qd)], qd
    return advance


def adaptive(acceleration: Acceleration, n: int) -> Advance:
    """
    Make SciPy's DOP853, which takes as many steps within `dt` as its error estimate asks for.

    It holds a relative error of 1e-12 of each of them, at some milliseconds a step: to judge the
    other methods by, not for a loop.

    """
    from scipy.integrate import DOP853
    return _solved_by(DOP853, acceleration, n, RTOL, ATOL)


def adaptive_stiff(acceleration: Acceleration, n: int) -> Advance:
    """Make SciPy's Radau, which is implicit, at 1e-10: the adaptive method of stiff arms."""
    from scipy.integrate import Radau
    return _solved_by(Radau, acceleration, n, 100.0 * RTOL, 100.0 * ATOL)


def _solved_by(method: Any, acceleration: Acceleration, n: int, rtol: float, atol: float
               ) -> Advance:
    def advance(q: Vector, qd: Vector, tau: Vector, dt: float) -> State:
        def slope(t: float, array: Any) -> list[float]:
            state = array.tolist()
            return [*state[n:], *acceleration(state[:n], state[n:], tau)]

        solver = method(slope, 0.0, [*q, *qd], dt, rtol=rtol, atol=atol)
        while solver.status == 'running':
            solver.step()
        state = solver.y.tolist() if solver.status == 'finished' else [math.nan] * (2 * n)
        return state[:n], state[n:]
    return advance


#: What makes an integrator of an acceleration of n joints, by the name of its method.
METHODS: dict[str, Callable[[Acceleration, int], Advance]] = {
    'rk4': rk4, 'rk8': rk8, 'semi_implicit': semi_implicit, 'adaptive': adaptive}


def stepper(method: str, acceleration: Acceleration, n: int) -> Advance:
    """
    Return the integrator of a name, made for an acceleration and n joints.

    Parameters
    ----------
    method : str
        A key of `METHODS`.
    acceleration : callable
        ``(q, qd, tau) -> qdd``.
    n : int

    Returns
    -------
    advance : callable
        ``(q, qd, tau, dt) -> (q, qd)`` one step later.

    Raises
    ------
    ParameterError
        If there is no such method.

    """
    check_method(method)
    return METHODS[method](acceleration, n)


def check_method(method: object) -> None:
    """
    Refuse the name of a method there is none of.

    Raises
    ------
    ParameterError

    """
    if not isinstance(method, str) or method not in METHODS:
        raise ParameterError('method', method, 'one of ' + ', '.join(METHODS))
