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

"""One arm by the compiled functions: many states at once, and the shortest way for one."""

import functools

import numpy as np

from twolink_dynamics.dynamics.packed_model import FIELDS
from twolink_dynamics.dynamics.programs import MATRIX_JOINTS

__all__ = ['CompiledArm', 'short_ways']


class CompiledArm:
    """
    One arm's dynamics by the compiled functions, on arrays of states.

    Parameters
    ----------
    functions : SimpleNamespace
        From :func:`twolink_dynamics.dynamics.compiled.load`.
    table, weightless : array_like, shape (n, len(FIELDS))
        The arm's packed table, with gravity and without.

    """

    # What `vector` computes, with what stands for the arguments that are left out.
    VECTORS = ('bias', 'gravity_vector', 'inverse_dynamics', 'inverse_dynamics_wrench',
               'velocity_products')
    NAMES = (*VECTORS, 'mass_matrix')

    def __init__(self, functions, table, weightless):
        self.functions, self.n = functions, len(table)
        self.table, self._weightless = self._with_room(table), self._with_room(weightless)

    def _with_room(self, table):
        """Return the constants with room below them, writable: numba tells the two apart."""
        n = self.n
        with_room = np.zeros((2 * n + 3 + (n if n <= MATRIX_JOINTS else 0), len(FIELDS)))
        with_room[:n] = table
        return with_room

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

    def mass(self, q):
        """Return the mass matrices (N, n, n)."""
        H = np.empty((*q.shape, q.shape[1]))
        self.functions.mass_many(self.table, _writable(q), H)
        return H


def _writable(array):
    """Return the array in the only form the compiled functions take."""
    array = np.ascontiguousarray(array, dtype=np.float64)
    return array if array.flags.writeable else array.copy()


def short_ways(compiled, long_inverse, long_forward, long_mass):
    """
    Return the three calls of a control cycle with a short way for one state as arrays.

    Its only checks are those that compiled code does on the way. Whatever is out of the ordinary
    (other types and shapes, numbers that are not finite, a mass matrix in doubt, a wrench,
    friction) takes the long way.

    Parameters
    ----------
    compiled : CompiledArm
    long_inverse, long_forward : callable
        ``(q, qd, qdd, tip_wrench, friction) -> tau``, ``(q, qd, tau, ...) -> qdd``.
    long_mass : callable
        ``(q) -> M``.

    Returns
    -------
    inverse_dynamics, forward_dynamics, mass_matrix : callable

    """
    functions, table, n, empty = compiled.functions, compiled.table, compiled.n, np.empty
    inverse, forward, mass = functions.inverse_one, functions.forward_one, functions.mass_one
    unusual = (AttributeError, TypeError)

    # Numba's own look at the types is quick where they fit and slow where they do not, hence a
    # look at `ndim`, which lists do not have and many states have otherwise.

    @functools.wraps(long_inverse)
    def inverse_dynamics(q, qd, qdd, tip_wrench=None, friction=False):
        if tip_wrench is None and not friction:
            try:
                if q.ndim == 1:
                    tau = empty(n)
                    if inverse(table, q, qd, qdd, tau) == 1:
                        return tau
            except unusual:
                pass
        return long_inverse(q, qd, qdd, tip_wrench, friction)

    @functools.wraps(long_forward)
    def forward_dynamics(q, qd, tau, tip_wrench=None, friction=False):
        if tip_wrench is None and not friction:
            try:
                if q.ndim == 1:
                    qdd = empty(n)
                    if forward(table, q, qd, tau, qdd) == 1:
                        return qdd
            except unusual:
                pass
        return long_forward(q, qd, tau, tip_wrench, friction)

    @functools.wraps(long_mass)
    def mass_matrix(q):
        try:
            if q.ndim == 1:
                M = empty((n, n))
                if mass(table, q, M) == 1:
                    return M
        except unusual:
            pass
        return long_mass(q)

    return inverse_dynamics, forward_dynamics, mass_matrix
