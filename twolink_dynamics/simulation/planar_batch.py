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
Many planar 2R arms at once, in closed form: compiled by numba where it is there, else by NumPy.

Integrator, closed form and law come from where the one-arm loop has them too: they are written
out from symbols (:mod:`~twolink_dynamics.codegen.tracer`), with the arm's constants as arguments.
Only the loop around them is here, once for numba, arm by arm, and once for NumPy, step by step.

"""

from __future__ import annotations

import functools
import inspect
from types import SimpleNamespace
from typing import Any, Callable, Sequence

import numpy as np

from twolink_dynamics.array_types import FloatArray
from twolink_dynamics.codegen.numba_backend import compiled_module, numba_allowed
from twolink_dynamics.codegen.source import function_source
from twolink_dynamics.simulation.fused import computed_torque, planar_step

__all__ = ['packed_constants', 'run_compiled', 'run_numpy']

# Of TwoLinkConstants; the sign of the elbow is the caller's.
NAMES = ('alpha', 'delta', 'beta', 'phase', 'gravity1', 'gravity_phase1', 'gravity2',
         'gravity_phase2')
# How a run of one arm ended.
FINE, DIVERGED, TOUCHED = 0, 1, 2


def packed_constants(constants: Sequence[Any]) -> FloatArray:
    """Return what the equations of planar 2R arms need, shape (B, 8)."""
    return np.array([[getattr(k, name) for name in NAMES] for k in constants])


def _drawn(k: Sequence[Any]) -> SimpleNamespace:
    """Return the constants of arms with the elbow of the drawing."""
    return SimpleNamespace(sign=1.0, potential=0.0, **dict(zip(NAMES, k)))


def _step_of(method: str) -> Callable[..., Any]:
    """Return a function of constants, damping, state, efforts and dt: the state a step later."""
    def step(k: Any, b: Any, q: Any, qd: Any, tau: Any, dt: Any, cos: Any, sin: Any) -> Any:
        return planar_step(method, _drawn(k), b, q, qd, tau, dt, cos, sin)
    return step


def _law(k: Sequence[Any], *arguments: Any) -> Any:
    return computed_torque(_drawn(k), *arguments)


# Stand for what is compiled with the loop.
advance: Any = None
law: Any = None
# The types of the loop's arguments, in their order.
SIGNATURE = 'void({matrix}, {matrix}, {matrix}, {matrix}, {matrix}, float64[:, :, ::1], ' \
    'float64[:, :, :, ::1], {matrix}, {matrix}, float64, int64, int64, float64[:, :, :, ::1], ' \
    '{matrix}, {matrix}, int64[:, ::1])'.replace('{matrix}', 'float64[:, ::1]')


# Where it is compiled the names of the types are not known, hence the quotes.
def _loop(K: 'FloatArray', b: 'FloatArray', model: 'FloatArray', kp: 'FloatArray',
          kd: 'FloatArray', limits: 'FloatArray', desired: 'FloatArray', q: 'FloatArray',
          qd: 'FloatArray', dt: float, every: int, keep: int, rows: 'FloatArray',
          sums: 'FloatArray', peaks: 'FloatArray', how: 'np.ndarray') -> None:
    """
    Go through all steps of all arms; numba compiles this.

    Parameters
    ----------
    K, model : (B, 8) constants of arms and of their laws' models; no law if model has no row
    b, kp, kd : (B, 2)
    limits : (B, 4, 2) lower and upper positions, efforts, speeds beyond reason
    desired : (1 or B, 1 or N + 1, 3, 2)
    q, qd : (B, 2) starts; on return the ends
    rows : (B, R, 3, 2) on return q, qd, tau of every `keep`-th step
    sums, peaks : (B, 2) on return of squared and absolute errors
    how : (B, 2) on return FINE, DIVERGED or TOUCHED, and after how many steps

    """
    one, still, steps = len(desired) == 1, desired.shape[1] == 1, (rows.shape[1] - 1) * keep
    for i in range(len(K)):
        k = (K[i, 0], K[i, 1], K[i, 2], K[i, 3], K[i, 4], K[i, 5], K[i, 6], K[i, 7])
        m = k
        if len(model):
            m = (model[i, 0], model[i, 1], model[i, 2], model[i, 3], model[i, 4], model[i, 5],
                 model[i, 6], model[i, 7])
        limit, damping = limits[i], (b[i, 0], b[i, 1])
        p, d = (kp[i, 0], kp[i, 1]), (kd[i, 0], kd[i, 1])
        low1, low2, high1, high2 = limit[0, 0], limit[0, 1], limit[1, 0], limit[1, 1]
        most1, most2, s1, s2 = limit[2, 0], limit[2, 1], limit[3, 0], limit[3, 1]
        x, v, tau = (q[i, 0], q[i, 1]), (qd[i, 0], qd[i, 1]), (0.0, 0.0)
        sum1 = sum2 = peak1 = peak2 = 0.0
        desired_rows = desired[0 if one else i]
        for n in range(steps + 1):
            w = desired_rows[0 if still else n]
            e1, e2 = abs(w[0, 0] - x[0]), abs(w[0, 1] - x[1])
            sum1, sum2 = sum1 + e1 * e1, sum2 + e2 * e2
            peak1, peak2 = max(peak1, e1), max(peak2, e2)
            if len(model) and n % every == 0 and n < steps:
                t1, t2 = law(m, p, d, x, v, (w[0, 0], w[0, 1]), (w[1, 0], w[1, 1]),
                             (w[2, 0], w[2, 1]))
                tau = (min(max(t1, -most1), most1), min(max(t2, -most2), most2))
            if n % keep == 0:
                row = rows[i, n // keep]
                row[0, 0], row[0, 1], row[1, 0], row[1, 1] = x[0], x[1], v[0], v[1]
                row[2, 0], row[2, 1] = tau
            if n == steps:
                break
            x, v = advance(k, damping, x, v, tau, dt)
            if not (-s1 < v[0] < s1 and -s2 < v[1] < s2):
                how[i, 0], how[i, 1] = 1, n + 1
                break
            if x[0] < low1 or x[0] > high1 or x[1] < low2 or x[1] > high2:
                how[i, 0], how[i, 1] = 2, n + 1
                break
        q[i, 0], q[i, 1], qd[i, 0], qd[i, 1] = x[0], x[1], v[0], v[1]
        sums[i, 0], sums[i, 1], peaks[i, 0], peaks[i, 1] = sum1, sum2, peak1, peak2


@functools.lru_cache(maxsize=None)
def _source(method: str) -> str:
    """Return the loop with what it calls, for numba."""
    step = function_source('advance', _step_of(method), {
        'k': len(NAMES), 'b': 2, 'q': 2, 'qd': 2, 'tau': 2, 'dt': None})
    torque = function_source('law', _law, {
        'k': len(NAMES), 'kp': 2, 'kd': 2, 'q': 2, 'qd': 2, 'q_d': 2, 'qd_d': 2, 'qdd_d': 2})
    return (f'@njit()\n{step}\n\n@njit()\n{torque}\n\n@njit({SIGNATURE!r})\n'
            + inspect.getsource(_loop))


def compiled_loop(method: str) -> Callable[..., None] | None:
    """Return the loop compiled for a method, or None where numba is not to be used."""
    return compiled_module(_source(method))._loop if numba_allowed() else None


def run_compiled(method: str, *arguments: Any) -> bool:
    """
    Run the loop if numba is there.

    Parameters
    ----------
    method : str
    *arguments
        Of :func:`_loop`.

    Returns
    -------
    done : bool

    """
    loop = compiled_loop(method)
    if loop is None:
        return False
    loop(*arguments)
    return True


def run_numpy(method: str, K: FloatArray, b: Any, model: FloatArray, kp: Any, kd: Any,
              limits: FloatArray, desired: FloatArray, q: FloatArray, qd: FloatArray, dt: float,
              every: int, keep: int, rows: FloatArray, sums: FloatArray, peaks: FloatArray,
              how: np.ndarray) -> None:
    """
    Go through all steps of all arms with NumPy, one element an arm; see :func:`_loop`.

    Arms that diverged or touched a stop go on as NaN, silently.

    """
    step, steps = _step_of(method), (rows.shape[1] - 1) * keep
    lower, upper, most, fastest = limits.transpose(1, 2, 0)
    k, m, b, kp, kd = (tuple(np.ascontiguousarray(array.T)) for array in (K, model, b, kp, kd))
    x, v = tuple(q.T.copy()), tuple(qd.T.copy())
    tau = tuple(np.zeros((2, len(K))))
    with np.errstate(invalid='ignore', over='ignore'):
        for n in range(steps + 1):
            w = desired[:, 0 if desired.shape[1] == 1 else n].transpose(1, 2, 0)
            error = np.abs(w[0] - x)
            alive = how[:, 0] == FINE
            sums[alive] += (error.T ** 2)[alive]
            peaks[alive] = np.maximum(peaks, error.T)[alive]
            if len(model) and n % every == 0 and n < steps:
                tau = _law(m, kp, kd, x, v, *w, np.cos, np.sin)
                tau = tuple(np.clip(t, -high, high) for t, high in zip(tau, most))
            if n % keep == 0:
                rows[alive, n // keep] = np.array((x, v, tau)).transpose(2, 0, 1)[alive]
            if n == steps:
                break
            x, v = step(k, b, x, v, tau, dt, np.cos, np.sin)
            wild = ~(np.abs(v) < fastest).all(axis=0)
            touched = ((x < lower) | (x > upper)).any(axis=0)
            for mask, what in ((wild, DIVERGED), (touched & ~wild, TOUCHED)):
                how[mask & alive] = what, n + 1
    q[:], qd[:] = np.array(x).T, np.array(v).T
