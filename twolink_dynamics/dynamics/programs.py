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
What the engine computes, each as one function of a state: kernels put together.

Every function takes the packed table ``P`` (lists of floats), the state as sequences of n
numbers, and the `cos` and `sin` of that kind of number; it returns nested lists. They run on
floats and on arrays as they are, and unrolled for one arm by
:mod:`~twolink_dynamics.codegen.tracer`.

"""

from twolink_dynamics.dynamics import kernels
from twolink_dynamics.dynamics.articulated_body import articulated

__all__ = ['MATRIX_JOINTS', 'PLACES', 'PROGRAMS', 'SUSPICION', 'WEIGHTLESS']

# Above so many joints articulated bodies, O(n), take fewer operations than building and factoring
# the mass matrix, O(n^2) and O(n^3).
MATRIX_JOINTS = 8
# A pivot of the mass matrix this many times above its rounding floor is beyond suspicion.
SUSPICION = 1e4
# What the kernels need of room for each joint.
PLACES = 22


def _room(P, q, cos, sin):
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


def _tip(P, W, wrench):
    e = [0.0] * 6
    if wrench is not None:
        kernels.wrench_to_last(P, W, wrench, e)
    return e


def _newton_euler(P, q, qd, qdd, wrench, cos, sin):
    W, tau = _room(P, q, cos, sin), [0.0] * len(q)
    kernels.inverse_dynamics(P, W, q, qd, qdd, _tip(P, W, wrench), tau)
    return tau, W


def inverse_dynamics(P, q, qd, qdd, cos, sin):
    return _newton_euler(P, q, qd, qdd, None, cos, sin)[0]


def inverse_dynamics_wrench(P, q, qd, qdd, wrench, cos, sin):
    return _newton_euler(P, q, qd, qdd, wrench, cos, sin)[0]


def bias(P, q, qd, cos, sin):
    return _newton_euler(P, q, qd, [0.0] * len(q), None, cos, sin)[0]


def gravity_vector(P, q, cos, sin):
    zero = [0.0] * len(q)
    return _newton_euler(P, q, zero, zero, None, cos, sin)[0]


def reactions(P, q, qd, qdd, wrench, cos, sin):
    """Return force and moment on each body, n rows of 6."""
    return [w[11:17] for w in _newton_euler(P, q, qd, qdd, wrench, cos, sin)[1]]


def motions(P, q, qd, qdd, cos, sin):
    """Return angular velocity and acceleration, and acceleration less gravity, n rows of 9."""
    return [w[2:11] for w in _newton_euler(P, q, qd, qdd, None, cos, sin)[1]]


def mass_matrix(P, q, cos, sin):
    n = len(q)
    H = [[0.0] * n for _ in range(n)]
    kernels.mass_matrix(P, _room(P, q, cos, sin), q, H)
    return H


def kinetic_energy(P, q, qd, cos, sin):
    """Return half of qd' M qd: the efforts of qdd = qd without velocity, and P without gravity."""
    n = len(q)
    momentum = _newton_euler(P, q, [0.0] * n, qd, None, cos, sin)[0]
    twice = 0.0  # not sum(): from Python 3.12 on it rounds otherwise than a loop does
    for i in range(n):
        twice = twice + qd[i] * momentum[i]
    return [0.5 * twice]


def forward_dynamics(P, q, qd, tau, cos, sin):
    return forward_dynamics_wrench(P, q, qd, tau, None, cos, sin)


def forward_dynamics_wrench(P, q, qd, tau, wrench, cos, sin):
    """Return the accelerations and the articulated inertias."""
    n = len(q)
    if n > MATRIX_JOINTS:
        return by_articulated_bodies(P, q, qd, tau, wrench, cos, sin)
    H = [[0.0] * n for _ in range(n)]
    D, b = [0.0] * n, [0.0] * n
    W = _room(P, q, cos, sin)
    kernels.inverse_dynamics(P, W, q, qd, [0.0] * n, _tip(P, W, wrench), b)
    qdd = [tau[i] - b[i] for i in range(n)]
    kernels.mass_matrix(P, W, q, H)
    kernels.factor(H, D)
    kernels.solve(H, D, qdd)
    return qdd, D


def by_articulated_bodies(P, q, qd, tau, wrench, cos, sin):
    """Return what :func:`forward_dynamics_wrench` returns, for chains of any length."""
    W, qdd = _room(P, q, cos, sin), [0.0] * len(q)
    articulated(P, W, q, qd, tau, _tip(P, W, wrench), qdd)
    return qdd, [w[21] for w in W]


def poses(P, q, cos, sin):
    """Return the kernel frames in the base's: n rows of 12, rotation row by row, then origin."""
    W = _room(P, q, cos, sin)
    rows = []
    R = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    origin = [0.0, 0.0, 0.0]
    for i in range(len(q)):
        ca, sa, px, py, pz = P[i][4], P[i][5], P[i][6], P[i][7], P[i][8]
        if P[i][0] == 0.0:
            py, pz = py - sa * q[i], pz + ca * q[i]
        origin = [o + (x * px + y * py + z * pz) for o, (x, y, z) in zip(origin, R)]
        R = [kernels.to_child(ca, sa, W[i][0], W[i][1], x, y, z) for x, y, z in R]
        rows.append([*R[0], *R[1], *R[2], *origin])
    return rows


PROGRAMS: dict = {
    'bias': (bias, ('q', 'qd')),
    'forward_dynamics': (forward_dynamics, ('q', 'qd', 'tau')),
    'forward_dynamics_wrench': (forward_dynamics_wrench, ('q', 'qd', 'tau', 'wrench')),
    'gravity_vector': (gravity_vector, ('q',)),
    'inverse_dynamics': (inverse_dynamics, ('q', 'qd', 'qdd')),
    'inverse_dynamics_wrench': (inverse_dynamics_wrench, ('q', 'qd', 'qdd', 'wrench')),
    'kinetic_energy': (kinetic_energy, ('q', 'qd')),
    'mass_matrix': (mass_matrix, ('q',)),
    'motions': (motions, ('q', 'qd', 'qdd')),
    'poses': (poses, ('q',)),
    'reactions': (reactions, ('q', 'qd', 'qdd', 'wrench')),
    'velocity_products': (bias, ('q', 'qd')),
}
# These are asked with gravity off.
WEIGHTLESS = ('kinetic_energy', 'velocity_products')
