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

"""The programs of one arm, ready to run on floats and on arrays."""

import math

import numpy as np

from twolink_dynamics.codegen.tracer import unroll
from twolink_dynamics.dynamics.compiled import load
from twolink_dynamics.dynamics.compiled_arm import CompiledArm
from twolink_dynamics.dynamics.packed_model import FIELDS
from twolink_dynamics.dynamics.programs import MATRIX_JOINTS, PROGRAMS, WEIGHTLESS

__all__ = ['Programs']

# Unrolled source grows with n (the mass matrix with n^2) and takes Python some 20 us a line to
# compile: worth it for arms, not for long chains, where the loops run as they are.
UNROLL_JOINTS = 8
# States to a block of a batch: some hundred arrays of this length are alive at a time, and they
# should fit the cache; shorter ones would spend the time in NumPy's calls.
BLOCK = 2048
# Below so many states NumPy's calls cost more than going through the states one by one.
FEW_STATES = 40
# So many joint states at once (states times n) are worth compiling for unasked: NumPy needs as
# long for them as numba for loading its compiled code from the cache.
MANY_JOINT_STATES = 1_000_000


class Programs:
    """
    The programs of one arm.

    Parameters
    ----------
    packed : Packed

    Attributes
    ----------
    n : int
    compiled : CompiledArm or None
        After :meth:`compile`, where numba is to be used.

    """

    def __init__(self, packed):
        self.n = len(packed.table)
        self._table = packed.table.tolist()
        self._weightless = packed.table.tolist()
        for name in ('gx', 'gy', 'gz'):
            self._weightless[0][FIELDS.index(name)] = 0.0
        self._codes, self._ready = {}, {}
        self.compiled = None

    def compile(self):  # noqa: A003
        """Compile the kernels with numba, or load them from its cache, if it is to be used."""
        functions = load(self.n > MATRIX_JOINTS)
        if functions is not None and self.compiled is None:
            self.compiled = CompiledArm(functions, self._table, self._weightless)

    def on_floats(self, name):
        """
        Return a program for one state: sequences of Python floats in, nested sequences out.

        Parameters
        ----------
        name : str
            A key of programs.PROGRAMS.

        Returns
        -------
        function : callable

        """
        return self._get(name, math.cos, math.sin)

    def on_arrays(self, name):
        """Return a program for many states: sequences of arrays (N,) in, nested sequences out."""
        return self._get(name, np.cos, np.sin)

    def _get(self, name, cos, sin):
        function = self._ready.get((name, cos))
        if function is None:
            function = self._ready[name, cos] = self._make(name, cos, sin)
        return function

    def _make(self, name, cos, sin):
        table = self._weightless if name in WEIGHTLESS else self._table
        program, arguments = PROGRAMS[name]

        def loop(*states, cos=cos, sin=sin):
            return program(table, *states, cos, sin)

        if self.n > UNROLL_JOINTS:
            return loop
        if name not in self._codes:
            lengths = {key: 6 if key == 'wrench' else self.n for key in arguments}
            try:
                source = unroll(lambda *states: program(table, *states), lengths, name)
            except ZeroDivisionError:  # a pivot is zero whatever the state: so it shall be said
                return loop
            self._codes[name] = compile(source, f'<{name} of {self.n} joints>', 'exec')
        scope = {'cos': cos, 'sin': sin}
        exec(self._codes[name], scope)
        return scope[name]

    def evaluate(self, name, arrays, tail):
        """
        Run a program on arrays of states.

        Parameters
        ----------
        name : str
        arrays : sequence of ndarray, shape (..., n) or (..., 6)
            With the same leading axes.
        tail : tuple of int
            The shape of the program's result for one state.

        Returns
        -------
        result : ndarray, shape (..., *tail)

        """
        lead = arrays[0].shape[:-1]
        if not lead and not (self.compiled and name in CompiledArm.NAMES):
            return np.array(self.on_floats(name)(*[array.tolist() for array in arrays]), float)
        flat = [array.reshape(-1, array.shape[-1]) for array in arrays]
        return self._many(name, flat, tail).reshape(*lead, *tail)

    def worth_compiling(self, states):
        """Tell whether compiled code is there, or shall be for so many states at once."""
        if self.compiled is None and states * self.n >= MANY_JOINT_STATES:
            self.compile()
        return self.compiled is not None

    def _many(self, name, flat, tail):
        states = len(flat[0])
        if name in CompiledArm.VECTORS and self.worth_compiling(states):
            return self.compiled.vector(name, flat)
        if name == 'mass_matrix' and self.worth_compiling(states):
            return self.compiled.mass(*flat)
        out = np.empty((states, *tail))
        if states < FEW_STATES:
            function = self.on_floats(name)
            for k, state in enumerate(zip(*[array.tolist() for array in flat])):
                out[k] = function(*state)
            return out
        function = self.on_arrays(name)
        # A pivot of zero is the caller's to see: it looks at the pivots of every state.
        with np.errstate(divide='ignore', invalid='ignore'):
            for k in range(0, states, BLOCK):
                block = [np.ascontiguousarray(array[k:k + BLOCK].T) for array in flat]
                _fill(np.moveaxis(out[k:k + BLOCK], 0, -1), function(*block))
        return out


def _fill(out, result):
    for k, item in enumerate(result):
        if isinstance(item, (list, tuple)):
            _fill(out[k], item)
        else:
            out[k] = item
