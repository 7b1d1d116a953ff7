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

Every function takes the packed table ``P`` (rows as lists of floats), the state as sequences of n
numbers, and the `cos` and `sin` of that kind of number; it returns nested lists. They run on
floats and on arrays as they are, and unrolled for one arm by :mod:`.tracing`.

"""

from twolink_dynamics.dynamics import kernels

__all__ = ['MATRIX_JOINTS', 'PROGRAMS', 'SUSPICION', 'WEIGHTLESS']

# Above so many joints articulated bodies, O(n), take fewer operations than building and factoring
# the mass matrix, O(n^2) and O(n^3).
MATRIX_JOINTS = 8
# A pivot of the mass matrix this many times above its rounding floor is beyond suspicion.
SUSPICION = 1e4


def _angles(P, q, cos, sin):
    c, s = list(P[2]), list(P[3])
    for i in range(len(q)):
        if P[0][i] != 0.0:
            angle = q[i] + P[1][i]
            c[i], s[i] = cos(angle), sin(angle)
    return c, s


def _newton_euler(P, q, qd, qdd, wrench, cos, sin):
    n = len(q)
    c, s = _angles(P, q, cos, sin)
    W = [[0.0] * n for _ in range(15)]
    tau, e = [0.0] * n, [0.0] * 6
    if wrench is not None:
        kernels.wrench_to_last(P, c, s, wrench, e)
    kernels.inverse_dynamics(P, c, s, q, qd, qdd, e, W, tau)
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
    """Return rows of force and moment, n of each component."""
    return _newton_euler(P, q, qd, qdd, wrench, cos, sin)[1][9:]


def motions(P, q, qd, qdd, cos, sin):
    """Return rows of angular velocity and acceleration, and acceleration less gravity."""
    return _newton_euler(P, q, qd, qdd, None, cos, sin)[1][:9]


def mass_matrix(P, q, cos, sin):
    n = len(q)
    H = [[0.0] * n for _ in range(n)]
    kernels.mass_matrix(P, *_angles(P, q, cos, sin), q, H)
    return H


def kinetic_energy(P, q, qd, cos, sin):
    """Return half of qd' M qd: the efforts of qdd = qd without velocity, and P without gravity."""
    n = len(q)
    momentum = _newton_euler(P, q, [0.0] * n, qd, None, cos, sin)[0]
    return [0.5 * sum(qd[i] * momentum[i] for i in range(n))]


def forward_dynamics(P, q, qd, tau, cos, sin):
    return _forward(P, q, qd, tau, None, cos, sin)


def forward_dynamics_wrench(P, q, qd, tau, wrench, cos, sin):
    return _forward(P, q, qd, tau, wrench, cos, sin)


def _forward(P, q, qd, tau, wrench, cos, sin):
    """Return the accelerations and the articulated inertias."""
    n = len(q)
    if n > MATRIX_JOINTS:
        return _articulated(P, q, qd, tau, wrench, cos, sin)
    c, s = _angles(P, q, cos, sin)
    W = [[0.0] * n for _ in range(15)]
    H = [[0.0] * n for _ in range(n)]
    e, b, D = [0.0] * 6, [0.0] * n, [0.0] * n
    if wrench is not None:
        kernels.wrench_to_last(P, c, s, wrench, e)
    kernels.inverse_dynamics(P, c, s, q, qd, [0.0] * n, e, W, b)
    b = [tau[i] - b[i] for i in range(n)]
    kernels.mass_matrix(P, c, s, q, H)
    kernels.factor(H, D)
    kernels.solve(H, D, b)
    return b, D


def _articulated(P, q, qd, tau, wrench, cos, sin):
    n = len(q)
    c, s = _angles(P, q, cos, sin)
    e, qdd, D = [0.0] * 6, [0.0] * n, [0.0] * n
    if wrench is not None:
        kernels.wrench_to_last(P, c, s, wrench, e)
    kernels.articulated(P, c, s, q, qd, tau, e, [[0.0] * n for _ in range(19)], D, qdd)
    return qdd, D


def poses(P, q, cos, sin):
    """
    Return the bodies' kernel frames in the base's kernel frame.

    Returns
    -------
    rows : 12 rows of n
        The rotation row by row, then the origin.

    """
    n = len(q)
    c, s = _angles(P, q, cos, sin)
    rows = [[0.0] * n for _ in range(12)]
    R = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    origin = [0.0, 0.0, 0.0]
    for i in range(n):
        ca, sa, px, py, pz = P[4][i], P[5][i], P[6][i], P[7][i], P[8][i]
        if P[0][i] == 0.0:
            py, pz = py - sa * q[i], pz + ca * q[i]
        for a in range(3):
            x, y, z = R[a]
            origin[a] = origin[a] + (x * px + y * py + z * pz)
            R[a] = kernels.to_child(ca, sa, c[i], s[i], x, y, z)
            rows[3 * a][i], rows[3 * a + 1][i], rows[3 * a + 2][i] = R[a]
            rows[9 + a][i] = origin[a]
    return rows


PROGRAMS = {
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
