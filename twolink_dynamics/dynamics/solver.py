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

"""Solving for accelerations, and saying which joint stands in the way when they are undefined."""

import numpy as np

from twolink_dynamics.dynamics import kernels
from twolink_dynamics.dynamics.programs import SUSPICION
from twolink_dynamics.errors import SingularMassMatrixError

__all__ = ['Solver']

EPS = np.finfo(float).eps


class Solver:
    """
    Forward dynamics of floats, with an eye on the pivots.

    Parameters
    ----------
    programs : Programs
    floor : ndarray, shape (n,)
        Inertias that are nothing but rounding.
    joint_names : sequence of str

    """

    def __init__(self, programs, floor, joint_names):
        self.programs, self.floor, self.joint_names = programs, floor.tolist(), joint_names
        self.n = len(floor)
        self.suspect = SUSPICION * floor
        self.limits = self.suspect.tolist()

    def one(self, q, qd, tau, *wrench):
        """Return the accelerations of one state."""
        name = 'forward_dynamics_wrench' if wrench else 'forward_dynamics'
        try:
            qdd, pivots = self.programs.on_floats(name)(q, qd, tau, *wrench)
        except ZeroDivisionError:
            return self.careful(q, qd, tau, *wrench)
        for pivot, limit in zip(pivots, self.limits):
            if pivot <= limit:
                return self.careful(q, qd, tau, *wrench)
        return qdd

    def many(self, states):
        """Return the accelerations of arrays of states."""
        lead = states[0].shape[:-1]
        flat = [state.reshape(-1, state.shape[-1]) for state in states]
        qdd, suspects = self._quickly(flat)
        for k in np.flatnonzero(suspects):
            qdd[k] = self.careful(*[state[k].tolist() for state in flat])
        return qdd.reshape(*lead, self.n)

    def _quickly(self, flat):
        """Return accelerations, and which of them are in doubt."""
        states = len(flat[0])
        if self.programs.worth_compiling(states):
            return self.programs.compiled.forward(flat)
        name = 'forward_dynamics_wrench' if len(flat) == 4 else 'forward_dynamics'
        try:
            both = self.programs.evaluate(name, flat, (2, self.n))
        except ZeroDivisionError:
            return np.empty((states, self.n)), np.ones(states, dtype=bool)
        return both[:, 0].copy(), (both[:, 1] <= self.suspect).any(axis=-1)

    def careful(self, q, qd, tau, *wrench):
        """Solve with the mass matrix, or say which joint makes it singular."""
        n = self.n
        M = [list(row) for row in self.programs.on_floats('mass_matrix')(q)]
        # The floor is that of the arm as described; a slide far out lifts it with M itself.
        floor = [max(low, 32 * n * EPS * M[i][i]) for i, low in enumerate(self.floor)]
        pivots = [0.0] * n
        try:
            kernels.factor(M, pivots)
        except ZeroDivisionError:
            pass
        for i in reversed(range(n)):
            if pivots[i] <= floor[i]:
                raise SingularMassMatrixError(self.joint_names[i])
        zero = [0.0] * n
        name = 'inverse_dynamics_wrench' if wrench else 'inverse_dynamics'
        bias = self.programs.on_floats(name)(q, qd, zero, *wrench)
        qdd = [effort - b for effort, b in zip(tau, bias)]
        kernels.solve(M, pivots, qdd)
        return tuple(qdd)
