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

"""One state at a time, on plain floats: what integrators and control laws call each tick."""

import math

import numpy as np

from twolink_dynamics.errors import ShapeError, SingularMassMatrixError

__all__ = ['Scalar']

# Up to so many joints, unrolled Python is quicker than bringing lists to compiled code and back.
PLAIN_JOINTS = 2


class Scalar:
    """
    The dynamics of one state, unchecked: sequences of n Python floats in and out.

    No wrench on the tip and no friction. A state that is not finite gives NaN.

    Attributes
    ----------
    inverse_dynamics : callable
        ``(q, qd, qdd) -> tau``
    forward_dynamics : callable
        ``(q, qd, tau) -> qdd``; raises SingularMassMatrixError.
    mass_matrix : callable
        ``(q) -> n rows``
    bias, gravity_vector : callable
        ``(q, qd) -> tau``, ``(q) -> tau``

    """

    NAMES = ('inverse_dynamics', 'forward_dynamics', 'mass_matrix', 'bias', 'gravity_vector')

    def __init__(self, programs, solver):
        self._programs, self._solver = programs, solver

    def __getattr__(self, name):
        """Make a function when it is first asked for."""
        if name not in self.NAMES:
            raise AttributeError(name)
        function = self._make(name)
        setattr(self, name, function)
        return function

    def _make(self, name):
        compiled = self._programs.compiled
        if compiled is not None and self._programs.n > PLAIN_JOINTS:
            return _through_arrays(name, compiled, self._solver)
        if name == 'forward_dynamics':
            return _nan_in_nan_out(self._solver.one)
        return _nan_in_nan_out(self._programs.on_floats(name))

    def prepare(self):
        """Make every function anew, with compiled code if there is some by now."""
        state = [0.0] * self._programs.n
        for name in self.NAMES:
            function = self._make(name)
            try:
                function(*[state] * ARGUMENTS.get(name, 3))
            except SingularMassMatrixError:
                pass  # it is ready all the same
            setattr(self, name, function)


ARGUMENTS = {'bias': 2, 'gravity_vector': 1, 'mass_matrix': 1}


def _through_arrays(name, compiled, solver):
    """Return a function of lists that calls compiled code."""
    inverse, forward, mass = (getattr(compiled.functions, key)
                              for key in ('inverse_one', 'forward_one', 'mass_one'))
    table, n, array, empty = compiled.table, solver.n, np.array, np.empty
    zero = np.zeros(n)

    def refuse(*states):
        raise ShapeError('state', f'{n} numbers each', [len(state) for state in states])

    def inverse_dynamics(q, qd, qdd):
        tau = empty(n)
        if inverse(table, array(q, float), array(qd, float), array(qdd, float), tau) < 0:
            refuse(q, qd, qdd)
        return tau.tolist()

    def bias(q, qd):
        tau = empty(n)
        if inverse(table, array(q, float), array(qd, float), zero, tau) < 0:
            refuse(q, qd)
        return tau.tolist()

    def gravity_vector(q):
        tau = empty(n)
        if inverse(table, array(q, float), zero, zero, tau) < 0:
            refuse(q)
        return tau.tolist()

    def forward_dynamics(q, qd, tau):
        qdd = empty(n)
        outcome = forward(table, array(q, float), array(qd, float), array(tau, float), qdd)
        if outcome < 0:
            refuse(q, qd, tau)
        return solver.careful(q, qd, tau) if outcome == 2 else qdd.tolist()

    def mass_matrix(q):
        H = empty((n, n))
        if mass(table, array(q, float), H) < 0:
            refuse(q)
        return H.tolist()

    return locals()[name]


def _nan_in_nan_out(function):
    """Let an infinite angle give NaN, as NumPy does, where `math.cos` raises."""
    def unchecked(*states):
        try:
            return function(*states)
        except ValueError:
            if all(math.isfinite(x) for state in states for x in state):
                raise
            return (math.nan,) * len(states[0])
    return unchecked
