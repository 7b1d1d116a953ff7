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
A step of the planar 2R arm as one straight line of arithmetic.

In plain Python a third of an integrator's time goes into calling the equations of motion and
handing pairs around. Here integrator and closed form are run once on symbols and written out as
one function without calls, loops or pairs; it does the operations they do, in their order.

"""

from __future__ import annotations

import functools
from typing import Any, Callable, Sequence

from twolink_dynamics.array_types import Vector
from twolink_dynamics.codegen.program import written_out
from twolink_dynamics.dynamics import two_link
from twolink_dynamics.model.two_link import TwoLinkConstants
from twolink_dynamics.simulation.held_joints import HeldJoints
from twolink_dynamics.simulation.integrators import Advance, METHODS, State

__all__ = ['computed_torque', 'fused_advance', 'fused_advance_held', 'fused_loop', 'planar_step']

# Numbers of any kind: floats, arrays or symbols.
Pair = Any


def planar_step(method: str, constants: Any, damping: Pair, q: Pair, qd: Pair, tau: Pair, dt: Any,
                cos: Callable[[Any], Any], sin: Callable[[Any], Any],
                held: tuple[int, ...] = ()) -> tuple[Pair, Pair]:
    """
    Return the state of a planar 2R arm a step later, on any kind of numbers.

    Parameters
    ----------
    method : str
        One of :data:`.fast_path.WRITTEN_OUT`.
    constants : TwoLinkConstants
    damping, q, qd, tau : pairs of numbers
    dt : number
    cos, sin : callable
        Of that kind of numbers.
    held : tuple of int
        Joints that are held where they are.

    Returns
    -------
    q, qd : pairs of numbers

    """
    def acceleration(q: Pair, qd: Pair, tau: Pair) -> Pair:
        damped = [x - b * v for x, b, v in zip(tau, damping, qd)]
        return two_link.forward_dynamics(constants, q, qd, damped, cos, sin)[0]

    def mass_matrix(q: Pair) -> Pair:
        return two_link.mass_matrix(constants, q, cos, sin)

    moves = HeldJoints(2, acceleration, mass_matrix).acceleration(held) if held else acceleration
    return METHODS[method](moves, 2)(q, qd, tau, dt)


def computed_torque(constants: Any, kp: Pair, kd: Pair, q: Pair, qd: Pair, q_d: Pair, qd_d: Pair,
                    qdd_d: Pair, cos: Callable[[Any], Any], sin: Callable[[Any], Any]) -> Pair:
    """
    Return the efforts of computed torque (theory.md C1) of a planar 2R arm, on any numbers.

    Parameters
    ----------
    constants : TwoLinkConstants
        Of the model.
    kp, kd, q, qd, q_d, qd_d, qdd_d : pairs of numbers
    cos, sin : callable

    Returns
    -------
    tau : pair of numbers

    """
    qdd = [a + d * (v - w) + p * (x - y)
           for a, d, v, w, p, x, y in zip(qdd_d, kd, qd_d, qd, kp, q_d, q)]
    return two_link.inverse_dynamics(constants, q, qd, qdd, cos, sin)


# Writing out takes as long as a second of simulation: an arm simulated again has it done already.
@functools.lru_cache(maxsize=32)
def fused_advance(method: str, constants: TwoLinkConstants, damping: tuple[float, ...], dt: float
                  ) -> Callable[[Vector, Vector, Vector], State]:
    """
    Return an integrator's step of a planar 2R arm, written out.

    Parameters
    ----------
    method : str
        One of :data:`.fast_path.WRITTEN_OUT`.
    constants : TwoLinkConstants
        Of the arm.
    damping : sequence of float, length 2
        Viscous coefficients [N m s/rad].
    dt : float
        [s].

    Returns
    -------
    advance : callable
        ``(q, qd, tau) -> (q, qd)``, pairs of floats.

    """
    def step(q: Pair, qd: Pair, tau: Pair, cos: Any, sin: Any) -> tuple[Pair, Pair]:
        return planar_step(method, constants, damping, q, qd, tau, dt, cos, sin)

    return written_out('planar_step', step, {'q': 2, 'qd': 2, 'tau': 2})


@functools.lru_cache(maxsize=32)
def fused_advance_held(method: str, constants: TwoLinkConstants, damping: tuple[float, ...],
                       held: tuple[int, ...]) -> Advance:
    """
    Return an integrator of a planar 2R arm with joints held, written out.

    Parameters
    ----------
    method, constants, damping
        As for :func:`fused_advance`.
    held : tuple of int

    Returns
    -------
    advance : callable
        ``(q, qd, tau, dt) -> (q, qd)``: it also integrates a part of a step.

    """
    def step(q: Pair, qd: Pair, tau: Pair, dt: Any, cos: Any, sin: Any) -> tuple[Pair, Pair]:
        return planar_step(method, constants, damping, q, qd, tau, dt, cos, sin, held)

    return written_out('planar_step_held', step, {'q': 2, 'qd': 2, 'tau': 2, 'dt': None})


@functools.lru_cache(maxsize=32)
def fused_loop(method: str, constants: TwoLinkConstants, damping: tuple[float, ...], dt: float,
               model: TwoLinkConstants, kp: tuple[float, ...], kd: tuple[float, ...]
               ) -> Callable[..., tuple[float, ...]]:
    """
    Return a step of a planar 2R arm with computed torque, written out.

    Where law and arm take the sine of the same angle, it is taken once.

    Parameters
    ----------
    method, constants, damping, dt
        As for :func:`fused_advance`.
    model : TwoLinkConstants
        Of the law.
    kp, kd : sequence of float, length 2

    Returns
    -------
    advance : callable
        ``(state, *desired) -> state`` a step later: the state is q, qd and tau in one tuple of
        six, of which tau is not looked at; `desired` are six numbers, q, qd and qdd.

    """
    def step(s: Sequence[Any], q1: Any, q2: Any, v1: Any, v2: Any, a1: Any, a2: Any, cos: Any,
             sin: Any) -> list[Any]:
        q, qd = s[:2], s[2:4]
        tau = computed_torque(model, kp, kd, q, qd, (q1, q2), (v1, v2), (a1, a2), cos, sin)
        q, qd = planar_step(method, constants, damping, q, qd, tau, dt, cos, sin)
        return [*q, *qd, *tau]

    desired = dict.fromkeys(('q1', 'q2', 'v1', 'v2', 'a1', 'a2'))
    return written_out('law_and_planar_step', step, {'s': 6, **desired})
