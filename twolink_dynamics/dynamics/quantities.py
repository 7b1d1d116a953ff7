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
Quantities of a serial chain, each one function of a state: Newton-Euler put together.

Every function takes the packed table ``P`` (lists of floats), the state as sequences of n
numbers, and the `cos` and `sin` of that kind of number; it returns nested lists. They run on
floats, on arrays and on symbols.

"""

from __future__ import annotations

from dataclasses import dataclass
import inspect
from typing import Any, Callable

from twolink_dynamics.array_types import Numbers, Trigonometry
from twolink_dynamics.dynamics import articulated_body, loops, newton_euler

__all__ = ['LOOPS', 'MATRIX_JOINTS', 'QUANTITIES', 'Quantity', 'SUSPICION']

# Above so many joints articulated bodies, O(n), take fewer operations than building and factoring
# the mass matrix, O(n^2) and O(n^3).
MATRIX_JOINTS = 8
# A pivot of the mass matrix this many times above its rounding floor is beyond suspicion.
SUSPICION = 1e4
# What the kernels need of room for each joint.
PLACES = 22


def _room(P: Numbers, q: Numbers, cos: Trigonometry, sin: Trigonometry) -> list[Any]:
    """Return room for the kernels, with the cosines and sines of the angles in it."""
    W = []
    for p, position in zip(P, q):
        w = [0.0] * PLACES
        if p[0] == 0.0:
            w[0], w[1] = p[2], p[3]
        else:
            angle = position + p[1]
            w[0], w[1] = cos(angle), sin(angle)
        W.append(w)
    return W


def _tip(P: Numbers, W: Numbers, wrench: Numbers | None) -> list[Any]:
    e = [0.0] * 6
    if wrench is not None:
        newton_euler.wrench_to_last(P, W, wrench, e)
    return e


def _newton_euler(P: Numbers, q: Numbers, qd: Numbers, qdd: Numbers, wrench: Numbers | None,
                  cos: Trigonometry, sin: Trigonometry) -> tuple[list[Any], list[Any]]:
    W, tau = _room(P, q, cos, sin), [0.0] * len(q)
    newton_euler.inverse_dynamics(P, W, q, qd, qdd, _tip(P, W, wrench), tau)
    return tau, W


def inverse_dynamics(P: Numbers, q: Numbers, qd: Numbers, qdd: Numbers, cos: Trigonometry,
                     sin: Trigonometry) -> list[Any]:
    return _newton_euler(P, q, qd, qdd, None, cos, sin)[0]


def inverse_dynamics_wrench(P: Numbers, q: Numbers, qd: Numbers, qdd: Numbers, wrench: Numbers,
                            cos: Trigonometry, sin: Trigonometry) -> list[Any]:
    return _newton_euler(P, q, qd, qdd, wrench, cos, sin)[0]


def bias(P: Numbers, q: Numbers, qd: Numbers, cos: Trigonometry, sin: Trigonometry) -> list[Any]:
    return _newton_euler(P, q, qd, [0.0] * len(q), None, cos, sin)[0]


def gravity_vector(P: Numbers, q: Numbers, cos: Trigonometry, sin: Trigonometry) -> list[Any]:
    zero = [0.0] * len(q)
    return _newton_euler(P, q, zero, zero, None, cos, sin)[0]


def reactions(P: Numbers, q: Numbers, qd: Numbers, qdd: Numbers, wrench: Numbers,
              cos: Trigonometry, sin: Trigonometry) -> list[Any]:
    """Return force and moment on each body, n rows of 6."""
    return [w[11:17] for w in _newton_euler(P, q, qd, qdd, wrench, cos, sin)[1]]


def motions(P: Numbers, q: Numbers, qd: Numbers, qdd: Numbers, cos: Trigonometry, sin: Trigonometry
            ) -> list[Any]:
    """Return angular velocity and acceleration, and acceleration less gravity, n rows of 9."""
    return [w[2:11] for w in _newton_euler(P, q, qd, qdd, None, cos, sin)[1]]


def mass_matrix(P: Numbers, q: Numbers, cos: Trigonometry, sin: Trigonometry) -> list[list[Any]]:
    n = len(q)
    H = [[0.0] * n for _ in range(n)]
    newton_euler.mass_matrix(P, _room(P, q, cos, sin), q, H)
    return H


def kinetic_energy(P: Numbers, q: Numbers, qd: Numbers, cos: Trigonometry, sin: Trigonometry
                   ) -> list[Any]:
    """Return half of qd' M qd: the efforts of qdd = qd without velocity, and P without gravity."""
    n = len(q)
    momentum = _newton_euler(P, q, [0.0] * n, qd, None, cos, sin)[0]
    twice = 0.0  # not sum(): from Python 3.12 on it rounds otherwise than a loop does
    for i in range(n):
        twice = twice + qd[i] * momentum[i]
    return [0.5 * twice]


def forward_dynamics(P: Numbers, q: Numbers, qd: Numbers, tau: Numbers, cos: Trigonometry,
                     sin: Trigonometry) -> tuple[list[Any], list[Any]]:
    return forward_dynamics_wrench(P, q, qd, tau, None, cos, sin)


def forward_dynamics_wrench(P: Numbers, q: Numbers, qd: Numbers, tau: Numbers,
                            wrench: Numbers | None, cos: Trigonometry, sin: Trigonometry
                            ) -> tuple[list[Any], list[Any]]:
    """Return the accelerations and the articulated inertias."""
    n = len(q)
    if n > MATRIX_JOINTS:
        return by_articulated_bodies(P, q, qd, tau, wrench, cos, sin)
    H = [[0.0] * n for _ in range(n)]
    D, b = [0.0] * n, [0.0] * n
    W = _room(P, q, cos, sin)
    newton_euler.inverse_dynamics(P, W, q, qd, [0.0] * n, _tip(P, W, wrench), b)
    qdd = [tau[i] - b[i] for i in range(n)]
    newton_euler.mass_matrix(P, W, q, H)
    newton_euler.factor(H, D)
    newton_euler.solve(H, D, qdd)
    return qdd, D


def by_articulated_bodies(P: Numbers, q: Numbers, qd: Numbers, tau: Numbers,
                          wrench: Numbers | None, cos: Trigonometry, sin: Trigonometry
                          ) -> tuple[list[Any], list[Any]]:
    """Return what :func:`forward_dynamics_wrench` returns, for chains of any length."""
    W, qdd = _room(P, q, cos, sin), [0.0] * len(q)
    articulated_body.articulated(P, W, q, qd, tau, _tip(P, W, wrench), qdd)
    return qdd, [w[21] for w in W]


@dataclass(frozen=True)
class Quantity:
    """
    A quantity that the engine computes.

    Attributes
    ----------
    function : callable
    arguments : tuple of str
        ``q``, ``qd``, ``qdd``, ``tau``: n numbers; ``wrench``: 6.
    shape : tuple of (int or str)
        Of the result; ``'n'`` stands for the number of joints.
    weightless : bool
        Whether it is computed without gravity.
    guarded : bool
        Whether the function returns the articulated inertias, too.
    loop : str
        For long chains: how compiled loops are called, see :mod:`.loops`.

    """

    function: Callable[..., Any]
    arguments: tuple[str, ...]
    shape: tuple[Any, ...] = ('n',)
    weightless: bool = False
    guarded: bool = False
    loop: str = ''


QUANTITIES = {
    'bias': Quantity(bias, ('q', 'qd'),
                     loop='inverse_of_state(k, q, qd, zeros(len(q)), q[:0], out)'),
    'forward_dynamics': Quantity(forward_dynamics, ('q', 'qd', 'tau'), guarded=True,
                                 loop='forward_of_state(k, q, qd, tau, q[:0], out)'),
    'forward_dynamics_wrench': Quantity(
        forward_dynamics_wrench, ('q', 'qd', 'tau', 'wrench'), guarded=True,
        loop='forward_of_state(k, q, qd, tau, wrench, out)'),
    'gravity_vector': Quantity(
        gravity_vector, ('q',),
        loop='inverse_of_state(k, q, zeros(len(q)), zeros(len(q)), q[:0], out)'),
    'inverse_dynamics': Quantity(inverse_dynamics, ('q', 'qd', 'qdd'),
                                 loop='inverse_of_state(k, q, qd, qdd, q[:0], out)'),
    'inverse_dynamics_wrench': Quantity(
        inverse_dynamics_wrench, ('q', 'qd', 'qdd', 'wrench'),
        loop='inverse_of_state(k, q, qd, qdd, wrench, out)'),
    'kinetic_energy': Quantity(kinetic_energy, ('q', 'qd'), (1,), weightless=True),
    'mass_matrix': Quantity(mass_matrix, ('q',), ('n', 'n'),
                            loop='mass_of_state(k, q, out)'),
    'motions': Quantity(motions, ('q', 'qd', 'qdd'), ('n', 9)),
    'reactions': Quantity(reactions, ('q', 'qd', 'qdd', 'wrench'), ('n', 6)),
    'velocity_products': Quantity(bias, ('q', 'qd'), weightless=True,
                                  loop='inverse_of_state(k, q, qd, zeros(len(q)), q[:0], out)'),
}

#: What numba compiles for long chains.
LOOPS = '\n\n'.join([f'SUSPICION = {SUSPICION!r}'] + [
    f'@njit()\n{inspect.getsource(function)}'
    for module in (newton_euler, articulated_body, loops)
    for function in vars(module).values()
    if inspect.isfunction(function) and function.__module__ == module.__name__])
