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
from types import SimpleNamespace

from twolink_dynamics.codegen.numba_backend import numba_allowed
from twolink_dynamics.dynamics import articulated_body as articulated, kernels
from twolink_dynamics.dynamics.programs import SUSPICION

__all__ = ['load']


def _angles(P, W, q):
    for i in range(len(q)):
        p, w = P[i], W[i]
        if p[0] == 0.0:
            w[0], w[1] = p[2], p[3]
        else:
            angle = q[i] + p[1]
            w[0], w[1] = math.cos(angle), math.sin(angle)


def _tip(P, W, wrench, e):
    e[:6] = 0.0
    if len(wrench) > 0:
        kernels.wrench_to_last(P, W, wrench, e)


def _inverse(P, q, qd, qdd, wrench, tau):
    n = len(q)
    W, e = P[n:2 * n], P[2 * n]
    _angles(P, W, q)
    _tip(P, W, wrench, e)
    kernels.inverse_dynamics(P, W, q, qd, qdd, e, tau)


def _forward(P, q, qd, tau, wrench, qdd):
    """Solve with the mass matrix; return how many pivots come near their floors."""
    n = len(q)
    W, e, zero, D, H = P[n:2 * n], P[2 * n], P[2 * n + 1, :n], P[2 * n + 2, :n], P[2 * n + 3:]
    _angles(P, W, q)
    _tip(P, W, wrench, e)
    zero[:] = 0.0
    kernels.inverse_dynamics(P, W, q, qd, zero, e, qdd)
    for i in range(n):
        qdd[i] = tau[i] - qdd[i]
    kernels.mass_matrix(P, W, q, H)
    kernels.factor(H, D)
    kernels.solve(H, D, qdd)
    suspects = 0
    for i in range(n):
        if D[i] <= SUSPICION * P[i, 20]:
            suspects += 1
    return suspects


def _forward_long(P, q, qd, tau, wrench, qdd):
    """Do what _forward does, by articulated bodies."""
    n = len(q)
    W, e = P[n:2 * n], P[2 * n]
    _angles(P, W, q)
    _tip(P, W, wrench, e)
    articulated.articulated(P, W, q, qd, tau, e, qdd)
    suspects = 0
    for i in range(n):
        if W[i, 21] <= SUSPICION * P[i, 20]:
            suspects += 1
    return suspects


# What follows is called from Python. Results go into arrays the caller makes: handing one out
# costs numba as much as a whole arm. The room to work in lies behind the constants in P, which
# saves making some for each state: numba holds the interpreter's lock throughout, so no two calls
# are ever in there.


def _sound(q, second, third, out):
    """Tell whether all have one length."""
    return len(q) == len(out) and len(second) == len(out) and len(third) == len(out)


def _outcome(out):
    """Return 1, or 0 if not finite: a state that is not finite leaves no effort that is."""
    zero = 0.0
    for i in range(len(out)):
        zero += out[i] - out[i]
    return 1 if zero == 0.0 else 0


def inverse_one(P, q, qd, qdd, tau):
    if not _sound(q, qd, qdd, tau):
        return -1
    _inverse(P, q, qd, qdd, q[:0], tau)
    return _outcome(tau)


def inverse_many(P, q, qd, qdd, wrench, tau):
    for k in range(len(q)):
        _inverse(P, q[k], qd[k], qdd[k], wrench[k] if len(wrench) > 0 else q[k, :0], tau[k])


def forward_one(P, q, qd, tau, qdd):
    if not _sound(q, qd, tau, qdd):
        return -1
    return 2 if _forward(P, q, qd, tau, q[:0], qdd) > 0 else _outcome(qdd)


def forward_many(P, q, qd, tau, wrench, qdd, suspects):
    for k in range(len(q)):
        w = wrench[k] if len(wrench) > 0 else q[k, :0]
        suspects[k] = _forward(P, q[k], qd[k], tau[k], w, qdd[k])


def forward_long_one(P, q, qd, tau, qdd):
    if not _sound(q, qd, tau, qdd):
        return -1
    return 2 if _forward_long(P, q, qd, tau, q[:0], qdd) > 0 else _outcome(qdd)


def forward_long_many(P, q, qd, tau, wrench, qdd, suspects):
    for k in range(len(q)):
        w = wrench[k] if len(wrench) > 0 else q[k, :0]
        suspects[k] = _forward_long(P, q[k], qd[k], tau[k], w, qdd[k])


def mass_one(P, q, H):
    if len(q) != len(H):
        return -1
    W = P[len(q):2 * len(q)]
    _angles(P, W, q)
    kernels.mass_matrix(P, W, q, H)
    return _outcome(q)  # M may be finite for all that: the first angle is not in it


def mass_many(P, q, H):
    W = P[q.shape[1]:2 * q.shape[1]]
    for k in range(len(q)):
        _angles(P, W, q[k])
        kernels.mass_matrix(P, W, q[k], H[k])


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
    if not numba_allowed():
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
    sources = ''
    for module in (kernels, articulated):
        sources += inspect.getsource(module)
        for name in module.__all__:
            register_jitable(error_model='numpy')(getattr(module, name))
    for function in (_angles, _forward, _forward_long, _inverse, _outcome, _sound, _tip):
        register_jitable(error_model='numpy')(function)
    return hashlib.sha256(sources.encode()).hexdigest()[:12]


def _compile(numba, signature, function, digest):
    # Numba watches this file alone: the name brings changes of the kernels to its notice.
    function.__qualname__ = f'{function.__name__}_{digest}'
    try:
        return numba.njit(signature, cache=True, error_model='numpy')(function)
    except (OSError, RuntimeError):  # there is nowhere to write the cache
        return numba.njit(signature, error_model='numpy')(function)
