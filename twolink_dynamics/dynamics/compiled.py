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
The kernels compiled by numba, where it is installed and wanted.

The environment variable ``TWOLINK_NUMBA=0`` turns it off. Compiling takes seconds, once: the
machine code is cached beside the source, or in the user's cache directory, and loads in a
fraction of a second. It happens only in :func:`load`; the compiled functions have fixed signatures
and never compile on a call.

"""

import functools
import hashlib
import inspect
import math
import os
from types import SimpleNamespace

import numpy as np

from twolink_dynamics.dynamics import kernels
from twolink_dynamics.dynamics.programs import SUSPICION

__all__ = ['CompiledArm', 'load', 'wanted']


def wanted():
    """Tell whether numba may be used: it is installed, and not turned off."""
    if os.environ.get('TWOLINK_NUMBA', '') == '0':
        return False
    from importlib.util import find_spec
    return find_spec('numba') is not None


def _angles(P, q, c, s):
    for i in range(len(q)):
        if P[0, i] == 0.0:
            c[i], s[i] = P[2, i], P[3, i]
        else:
            angle = q[i] + P[1, i]
            c[i], s[i] = math.cos(angle), math.sin(angle)


def _inverse(P, q, qd, qdd, wrench, W, e, tau):
    c, s = W[15, :len(q)], W[16, :len(q)]
    _angles(P, q, c, s)
    e[:6] = 0.0
    if len(wrench) > 0:
        kernels.wrench_to_last(P, c, s, wrench, e)
    kernels.inverse_dynamics(P, c, s, q, qd, qdd, e, W, tau)


def _forward(P, q, qd, tau, wrench, W, H, e, qdd):
    """Solve with the mass matrix; return how many pivots come near their floors."""
    n = len(q)
    c, s, D = W[19, :n], W[20, :n], W[21, :n]
    _angles(P, q, c, s)
    e[:6] = 0.0
    if len(wrench) > 0:
        kernels.wrench_to_last(P, c, s, wrench, e)
    for i in range(n):
        W[22, i] = 0.0
    kernels.inverse_dynamics(P, c, s, q, qd, W[22], e, W, qdd)
    for i in range(n):
        qdd[i] = tau[i] - qdd[i]
    kernels.mass_matrix(P, c, s, q, H)
    kernels.factor(H, D)
    kernels.solve(H, D, qdd)
    return _suspects(P, D)


def _forward_long(P, q, qd, tau, wrench, W, e, qdd):
    """Do what _forward does, by articulated bodies."""
    n = len(q)
    c, s, D = W[19, :n], W[20, :n], W[21, :n]
    _angles(P, q, c, s)
    e[:6] = 0.0
    if len(wrench) > 0:
        kernels.wrench_to_last(P, c, s, wrench, e)
    kernels.articulated(P, c, s, q, qd, tau, e, W, D, qdd)
    return _suspects(P, D)


def _suspects(P, D):
    suspects = 0
    for i in range(len(D)):
        if D[i] <= SUSPICION * P[20, i]:
            suspects += 1
    return suspects


# Results go into arrays the caller makes: handing one out costs numba as much as a whole arm.


def _sound(P, a, b, c, out):
    """Return 1 if all have length n and all numbers are finite, 0 if not finite, else -1."""
    n = P.shape[1]
    if len(a) != n or len(b) != n or len(c) != n or len(out) != n:
        return -1
    zero = 0.0
    for i in range(n):
        zero += (a[i] - a[i]) + (b[i] - b[i]) + (c[i] - c[i])
    return 1 if zero == 0.0 else 0


def inverse_one(P, q, qd, qdd, tau):
    sound = _sound(P, q, qd, qdd, tau)
    if sound >= 0:
        W = np.empty((18, max(len(q), 6)))
        _inverse(P, q, qd, qdd, W[17, :0], W, W[17], tau)
    return sound


def inverse_many(P, q, qd, qdd, wrench, tau):
    W = np.empty((18, max(q.shape[1], 6)))
    for k in range(len(q)):
        _inverse(P, q[k], qd[k], qdd[k], wrench[k] if len(wrench) > 0 else W[17, :0], W, W[17],
                 tau[k])


def forward_one(P, q, qd, tau, qdd):
    sound = _sound(P, q, qd, tau, qdd)
    if sound >= 0:
        n = len(q)
        W = np.empty((24 + n, max(n, 6)))
        suspect = _forward(P, q, qd, tau, W[23, :0], W, W[24:], W[23], qdd)
        if suspect > 0:
            return 2
    return sound


def forward_many(P, q, qd, tau, wrench, qdd, suspects):
    n = q.shape[1]
    W = np.empty((24 + n, max(n, 6)))
    for k in range(len(q)):
        suspects[k] = _forward(P, q[k], qd[k], tau[k], wrench[k] if len(wrench) > 0 else W[23, :0],
                               W, W[24:], W[23], qdd[k])


def forward_long_one(P, q, qd, tau, qdd):
    sound = _sound(P, q, qd, tau, qdd)
    if sound >= 0:
        n = len(q)
        W = np.empty((24, max(n, 6)))
        suspect = _forward_long(P, q, qd, tau, W[23, :0], W, W[23], qdd)
        if suspect > 0:
            return 2
    return sound


def forward_long_many(P, q, qd, tau, wrench, qdd, suspects):
    n = q.shape[1]
    W = np.empty((24, max(n, 6)))
    for k in range(len(q)):
        w = wrench[k] if len(wrench) > 0 else W[23, :0]
        suspects[k] = _forward_long(P, q[k], qd[k], tau[k], w, W, W[23], qdd[k])


def mass_one(P, q, H):
    if len(q) != P.shape[1] or len(H) != P.shape[1]:
        return -1
    W = np.empty((2, len(q)))
    _angles(P, q, W[0], W[1])
    kernels.mass_matrix(P, W[0], W[1], q, H)
    return 1


def mass_many(P, q, H):
    W = np.empty((2, q.shape[1]))
    for k in range(len(q)):
        _angles(P, q[k], W[0], W[1])
        kernels.mass_matrix(P, W[0], W[1], q[k], H[k])


@functools.lru_cache(maxsize=None)
def load(long=False):
    """
    Compile, or load from the cache, every function; None where numba is not to be used.

    Parameters
    ----------
    long : bool
        Whether forward dynamics is to go by articulated bodies, for chains of more than
        MATRIX_JOINTS. Each way is compiled only where it is needed.

    Returns
    -------
    functions : SimpleNamespace or None
        ``inverse_one``, ``inverse_many``, ``forward_one``, ``forward_many``, ``mass_one``,
        ``mass_many``. They take contiguous, writable float64 arrays and nothing else (TypeError).

    """
    if not wanted():
        return None
    import numba
    digest = _register()
    vector, matrix = numba.float64[::1], numba.float64[:, ::1]
    one, many = (matrix, *[vector] * 4), (matrix, *[matrix] * 5)
    signatures = {
        'inverse_one': (inverse_one, one),
        'inverse_many': (inverse_many, many),
        'forward_one': (forward_long_one if long else forward_one, one),
        'forward_many': (forward_long_many if long else forward_many,
                         (*many, numba.int64[::1])),
        'mass_one': (mass_one, (matrix, vector, matrix)),
        'mass_many': (mass_many, (matrix, matrix, numba.float64[:, :, ::1])),
    }
    return SimpleNamespace(**{name: _compile(numba, signature, function, digest)
                              for name, (function, signature) in signatures.items()})


@functools.lru_cache(maxsize=None)
def _register():
    """Make the kernels known to numba, once; return a digest of their source."""
    from numba.extending import register_jitable
    for function in (*(getattr(kernels, name) for name in kernels.COMPILED), _angles, _inverse,
                     _forward, _forward_long, _sound, _suspects):
        register_jitable(error_model='numpy')(function)
    return hashlib.sha256(inspect.getsource(kernels).encode()).hexdigest()[:12]


def _compile(numba, signature, function, digest):
    # Numba watches this file alone: the name brings changes of the kernels to its notice.
    function.__qualname__ = f'{function.__name__}_{digest}'
    try:
        return numba.njit(signature, cache=True, error_model='numpy')(function)
    except (OSError, RuntimeError):  # there is nowhere to write the cache
        return numba.njit(signature, error_model='numpy')(function)


class CompiledArm:
    """
    One arm's dynamics by the compiled functions, on arrays of states.

    Parameters
    ----------
    functions : SimpleNamespace
        From :func:`load`.
    table, weightless : array_like, shape (len(ROWS), n)
        The arm's packed table, with gravity and without.

    """

    # What `vector` computes, with what stands for the arguments that are left out.
    VECTORS = ('bias', 'gravity_vector', 'inverse_dynamics', 'inverse_dynamics_wrench',
               'velocity_products')
    NAMES = (*VECTORS, 'mass_matrix')

    def __init__(self, functions, table, weightless):
        # Not the frozen arrays themselves: to numba a read-only array is another type.
        self.table = np.array(table, dtype=float, order='C')
        self._weightless = np.array(weightless, dtype=float, order='C')
        self.functions = functions

    def vector(self, name, states):
        """
        Return the efforts of many states.

        Parameters
        ----------
        name : str
            One of VECTORS.
        states : sequence of ndarray, shape (N, n); the wrench (N, 6)
            q, then qd and qdd where the program has them, then the wrench.

        Returns
        -------
        tau : ndarray, shape (N, n)

        """
        states = [_writable(state) for state in states]
        wrench = states.pop() if name.endswith('_wrench') else np.empty((0, 6))
        while len(states) < 3:
            states.append(np.zeros(states[0].shape))
        tau = np.empty(states[0].shape)
        table = self._weightless if name == 'velocity_products' else self.table
        self.functions.inverse_many(table, *states, wrench, tau)
        return tau

    def forward(self, states):
        """Return the accelerations (N, n) of q, qd, tau [, wrench], and which of them to doubt."""
        states = [_writable(state) for state in states]
        if len(states) < 4:
            states.append(np.empty((0, 6)))
        qdd, suspects = np.empty(states[0].shape), np.empty(len(states[0]), dtype=np.int64)
        self.functions.forward_many(self.table, *states, qdd, suspects)
        return qdd, suspects

    def quick(self, function):
        """
        Return a function of one state's arrays that is as thin as can be.

        Parameters
        ----------
        function : callable
            ``inverse_one`` or ``forward_one``.

        Returns
        -------
        quick : callable
            Of three arrays (n,): returns an array (n,), or None where the arguments are not finite
            float64 arrays of this length or the mass matrix is in doubt.

        """
        table, n, empty, ndarray = self.table, self.table.shape[1], np.empty, np.ndarray

        def quick(q, qd, third):
            # Numba's own look at the types is quick where they fit, slow where they do not.
            if q.__class__ is ndarray and q.ndim == 1:
                out = empty(n)
                try:
                    if function(table, q, qd, third, out) == 1:
                        return out
                except TypeError:
                    pass
            return None
        return quick

    def mass(self, q):
        """Return the mass matrices (N, n, n)."""
        H = np.empty((*q.shape, q.shape[1]))
        self.functions.mass_many(self.table, _writable(q), H)
        return H


def _writable(array):
    """Return the array in the only form the compiled functions take."""
    array = np.ascontiguousarray(array, dtype=np.float64)
    return array if array.flags.writeable else array.copy()
