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

r"""
The planar 2R arm in closed form (theory.md L1-L8), from the constants of its chain.

Each quantity is one function of pairs of numbers, which uses only ``+ - * /`` and the `cos` and
`sin` it is given: of floats, of arrays, of symbols.

In absolute angles the equations lose their Coriolis terms: with :math:`w_2 = \dot q_1 + \dot q_2`,
:math:`b = \beta\cos(q_2 + \varphi)` and :math:`h = \beta\sin(q_2 + \varphi)`, where
:math:`\beta = m_2 l_1 l_{c2}` and :math:`\varphi = 0` in the drawing of the texts,

.. math::

    \alpha \dot w_1 + b\,\dot w_2 - h w_2^2 + G_1 &= \tau_1 - \tau_2 \\
    b\,\dot w_1 + \delta \dot w_2 + h w_1^2 + G_2 &= \tau_2

which is L8 by the conversion of theory.md's notation section. An elbow that turns about the
opposite direction is the same arm with its second coordinate negated: its sign is -1. The
constants `k` are a :class:`~twolink_dynamics.model.two_link.TwoLinkConstants`, or have its names.

"""

from __future__ import annotations

from typing import Any

from twolink_dynamics.array_types import Numbers, Trigonometry

__all__ = [
    'bias', 'coriolis_matrix', 'forward_dynamics', 'gravity_vector', 'inverse_dynamics',
    'kinetic_energy', 'mass_matrix', 'mass_terms', 'potential_energy',
]

# Of numbers of any kind: floats, arrays, symbols.


def inverse_dynamics(k: Any, q: Numbers, qd: Numbers, qdd: Numbers, cos: Trigonometry,
                     sin: Trigonometry) -> tuple[Any, Any]:
    """Return the efforts of a motion (theory.md L8)."""
    q1, q2, s = q[0], k.sign * q[1], k.sign
    w1, a1 = qd[0], qdd[0]
    w2 = w1 + s * qd[1]
    a2 = a1 + s * qdd[1]
    x = q2 + k.phase
    b = k.beta * cos(x)
    h = k.beta * sin(x)
    f2 = b * a1 + k.delta * a2 + h * w1 * w1 + k.gravity2 * cos(q1 + q2 + k.gravity_phase2)
    f1 = k.alpha * a1 + b * a2 - h * w2 * w2 + k.gravity1 * cos(q1 + k.gravity_phase1) + f2
    return f1, s * f2


def forward_dynamics(k: Any, q: Numbers, qd: Numbers, tau: Numbers, cos: Trigonometry,
                     sin: Trigonometry) -> tuple[tuple[Any, Any], Any]:
    """Return the accelerations that efforts cause (theory.md L8), and the determinant of M."""
    q1, q2, s = q[0], k.sign * q[1], k.sign
    w1, tau2 = qd[0], s * tau[1]
    w2 = w1 + s * qd[1]
    x = q2 + k.phase
    b = k.beta * cos(x)
    h = k.beta * sin(x)
    f1 = tau[0] - tau2 + h * w2 * w2 - k.gravity1 * cos(q1 + k.gravity_phase1)
    f2 = tau2 - h * w1 * w1 - k.gravity2 * cos(q1 + q2 + k.gravity_phase2)
    determinant = k.alpha * k.delta - b * b
    a1 = (k.delta * f1 - b * f2) / determinant
    return (a1, s * ((k.alpha * f2 - b * f1) / determinant - a1)), determinant


def mass_terms(k: Any, q: Numbers, cos: Trigonometry, sin: Trigonometry
               ) -> tuple[Any, Any, Any]:
    """Return M11, M12 and M22 (theory.md L4)."""
    b = k.beta * cos(k.sign * q[1] + k.phase)
    return k.alpha + k.delta + b + b, k.sign * (k.delta + b), k.delta


def mass_matrix(k: Any, q: Numbers, cos: Trigonometry, sin: Trigonometry
                ) -> tuple[Numbers, Numbers]:
    """Return M (theory.md L4)."""
    m11, m12, m22 = mass_terms(k, q, cos, sin)
    return (m11, m12), (m12, m22)


def coriolis_matrix(k: Any, q: Numbers, qd: Numbers, cos: Trigonometry, sin: Trigonometry
                    ) -> tuple[Numbers, Numbers]:
    """Return C with the skew property (theory.md L6)."""
    h, s = k.beta * sin(k.sign * q[1] + k.phase), k.sign
    w1, w2 = qd[0], s * qd[1]
    return (-h * w2, s * (-h * (w1 + w2))), (s * (h * w1), 0.0)


def bias(k: Any, q: Numbers, qd: Numbers, cos: Trigonometry, sin: Trigonometry
         ) -> tuple[Any, Any]:
    """Return C qd + G."""
    q1, q2 = q[0], k.sign * q[1]
    w1 = qd[0]
    w2 = w1 + k.sign * qd[1]
    h = k.beta * sin(q2 + k.phase)
    f2 = h * w1 * w1 + k.gravity2 * cos(q1 + q2 + k.gravity_phase2)
    return k.gravity1 * cos(q1 + k.gravity_phase1) - h * w2 * w2 + f2, k.sign * f2


def gravity_vector(k: Any, q: Numbers, cos: Trigonometry, sin: Trigonometry
                   ) -> tuple[Any, Any]:
    """Return G (theory.md L7)."""
    f2 = k.gravity2 * cos(q[0] + k.sign * q[1] + k.gravity_phase2)
    return k.gravity1 * cos(q[0] + k.gravity_phase1) + f2, k.sign * f2


def kinetic_energy(k: Any, q: Numbers, qd: Numbers, cos: Trigonometry, sin: Trigonometry) -> Any:
    """Return T (theory.md L3)."""
    w1 = qd[0]
    w2 = w1 + k.sign * qd[1]
    return 0.5 * (k.alpha * w1 * w1 + k.delta * w2 * w2) + k.beta * cos(
        k.sign * q[1] + k.phase) * w1 * w2


def potential_energy(k: Any, q: Numbers, cos: Trigonometry, sin: Trigonometry) -> Any:
    """Return U (theory.md L5)."""
    return k.potential + k.gravity1 * sin(q[0] + k.gravity_phase1) + k.gravity2 * sin(
        q[0] + k.sign * q[1] + k.gravity_phase2)
