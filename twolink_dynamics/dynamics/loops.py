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
Loops over the joints of a long chain, as numba compiles them.

What short chains have written out, long ones have as loops, on the packed table with room to work
in below it. The source of these functions and of the kernels is compiled together.

"""

from __future__ import annotations

from math import cos, sin
from typing import Any

from twolink_dynamics.dynamics.articulated_body import articulated
from twolink_dynamics.dynamics.newton_euler import inverse_dynamics, mass_matrix, wrench_to_last

__all__ = ['forward_of_state', 'inverse_of_state', 'mass_of_state']

# Stands for what is compiled with the source.
SUSPICION = 0.0


def angles(P: Any, W: Any, q: Any) -> None:
    """Put the cosines and sines of the joint angles into the room."""
    for i in range(len(q)):
        p, w = P[i], W[i]
        if p[0] == 0.0:
            w[0], w[1] = p[2], p[3]
        else:
            angle = q[i] + p[1]
            w[0], w[1] = cos(angle), sin(angle)


def prepared(P: Any, W: Any, e: Any, q: Any, wrench: Any
             ) -> None:
    """Prepare the room for a state, and what the tip exerts."""
    angles(P, W, q)
    e[:6] = 0.0
    if len(wrench) > 0:
        wrench_to_last(P, W, wrench, e)


def finite(numbers: Any) -> int:
    """Return 1, or 0 if a number is not finite."""
    zero = 0.0
    for x in numbers:
        zero += x - x
    return 1 if zero == 0.0 else 0


def inverse_of_state(P: Any, q: Any, qd: Any, qdd: Any,
                     wrench: Any, tau: Any) -> int:
    """Fill in the efforts of a motion; a state that is not finite leaves none that are."""
    n = len(tau)
    if len(q) != n or len(qd) != n or len(qdd) != n or 2 * n >= len(P):
        return -1
    W, e = P[n:2 * n], P[2 * n]
    prepared(P, W, e, q, wrench)
    inverse_dynamics(P, W, q, qd, qdd, e, tau)
    return finite(tau)


def forward_of_state(P: Any, q: Any, qd: Any, tau: Any,
                     wrench: Any, qdd: Any) -> int:
    """Fill in the accelerations; 2 stands for one in doubt."""
    n = len(qdd)
    if len(q) != n or len(qd) != n or len(tau) != n or 2 * n >= len(P):
        return -1
    W, e = P[n:2 * n], P[2 * n]
    prepared(P, W, e, q, wrench)
    articulated(P, W, q, qd, tau, e, qdd)
    for i in range(n):
        if not W[i, 21] > SUSPICION * P[i, 20]:
            return 2
    return finite(qdd)


def mass_of_state(P: Any, q: Any, H: Any) -> int:
    """Fill in the mass matrix."""
    n = len(H)
    if len(q) != n or 2 * n >= len(P):
        return -1
    W = P[n:2 * n]
    angles(P, W, q)
    mass_matrix(P, W, q, H)
    return finite(q)  # M may be finite for all that: the first angle is not in it
