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

"""Rigid-body dynamics of any serial chain (theory.md N1-N7): the engine behind the façade."""

import numpy as np

from twolink_dynamics.dynamics.compiled_arm import short_ways
from twolink_dynamics.dynamics.packed_model import FIELDS, pack
from twolink_dynamics.dynamics.regressor import inertial_parameters, regressor
from twolink_dynamics.dynamics.running import Programs
from twolink_dynamics.dynamics.scalar import Scalar
from twolink_dynamics.dynamics.solver import Solver

__all__ = ['SerialDynamics']


class SerialDynamics:
    """
    The dynamics of a serial chain.

    The methods take float64 arrays of finite numbers that are checked and broadcast already: q,
    qd, qdd and tau (..., n), and a wrench (..., 6) or None: the force and moment the surroundings
    exert ON the tip, base-aligned, at the tip's origin (theory.md H1 counts what the arm exerts).

    Parameters
    ----------
    chain : Chain
    gravity : array_like, shape (3,)
        In the base link's frame [m/s^2].
    armature : array_like, shape (n,), optional
        Rotor inertias seen through the gears, inertia times gear ratio squared, added to the mass
        matrix's diagonal [kg m^2 or kg]; those of the chain's joints if not given.

    Attributes
    ----------
    n : int
    inertial_parameters : ndarray, shape (10 n,)
        For each body m, m c (3), Ixx, Ixy, Ixz, Iyy, Iyz, Izz about its joint's origin, in the
        child link's axes.
    scalar : Scalar
        The same dynamics on sequences of Python floats, unchecked.

    """

    def __init__(self, chain, gravity, armature=None):
        self.n, self._chain = chain.n, chain
        self.joint_names = tuple(joint.name for joint in chain.joints)
        if armature is None:
            armature = [joint.armature for joint in chain.joints]
        self._armature = np.array(armature, dtype=float) + np.zeros(self.n)
        self._gravity = np.array(gravity, dtype=float)
        self._packed = pack(chain, self._gravity, self._armature)
        self._revolute = self._packed.table[:, FIELDS.index('revolute')] == 1.0
        self._masses = np.array([link.mass for link in chain.links])
        self._coms = np.einsum('iab,ia->ib', self._packed.frames, [x.com for x in chain.links])
        self.inertial_parameters = inertial_parameters(chain)
        self._programs = Programs(self._packed)
        floor = self._packed.table[:, FIELDS.index('floor')]
        self._solver = Solver(self._programs, floor, self.joint_names)
        self.scalar = Scalar(self._programs, self._solver)

    def __reduce__(self):
        """Pickle the arm, not the code made for it."""
        return type(self), (self._chain, self._gravity, self._armature)

    def warm_up(self):
        """
        Make ready what a loop calls, so that its first round takes no longer than the next.

        Where numba is installed and ``TWOLINK_NUMBA`` is not 0, the kernels are compiled, or
        loaded from numba's cache, and used from now on. One state at a time never compiles by
        itself, since that would stop a loop for seconds; very large batches do.

        Returns
        -------
        compiled : bool
            Whether numba's code is in use.

        """
        self._programs.compile()
        self.scalar.prepare()
        return self._programs.compiled is not None

    def short_ways(self, *long_ways):
        """Return what compiled_arm.short_ways gives for this arm; only after :meth:`warm_up`."""
        return short_ways(self._programs.compiled, *long_ways)

    def _base_wrench(self, wrench):
        """Turn a wrench from the base link's axes to those of the base's kernel frame."""
        turned = wrench.reshape(*wrench.shape[:-1], 2, 3) @ self._packed.base
        return turned.reshape(wrench.shape)

    # --- efforts and accelerations --------------------------------------------------------------

    def inverse_dynamics(self, q, qd, qdd, wrench=None):
        """
        Return the efforts of a motion, by recursive Newton-Euler (theory.md N1-N6).

        Parameters
        ----------
        q, qd, qdd : ndarray, shape (..., n)
        wrench : ndarray, shape (..., 6), optional

        Returns
        -------
        tau : ndarray, shape (..., n)

        """
        if wrench is None:
            return self._programs.evaluate('inverse_dynamics', (q, qd, qdd), (self.n,))
        return self._programs.evaluate(
            'inverse_dynamics_wrench', (q, qd, qdd, self._base_wrench(wrench)), (self.n,))

    def forward_dynamics(self, q, qd, tau, wrench=None):
        """
        Return the accelerations that efforts cause (theory.md N7).

        Parameters
        ----------
        q, qd, tau : ndarray, shape (..., n)
        wrench : ndarray, shape (..., 6), optional

        Returns
        -------
        qdd : ndarray, shape (..., n)

        Raises
        ------
        SingularMassMatrixError
            If a joint moves no inertia: it names the last such joint.

        """
        states = (q, qd, tau) if wrench is None else (q, qd, tau, self._base_wrench(wrench))
        if q.ndim == 1:
            return np.array(self._solver.one(*[state.tolist() for state in states]))
        return self._solver.many(states)

    def joint_reactions(self, q, qd, qdd, wrench=None, frame='joint'):
        """
        Return what the bearings carry (theory.md N5).

        The armature is no part of it: the motor's rotor is not a body of the chain.

        Parameters
        ----------
        q, qd, qdd : ndarray, shape (..., n)
        wrench : ndarray, shape (..., 6), optional
        frame : {'joint', 'base'}
            The axes: those of each joint's child link, or those of the base link.

        Returns
        -------
        reactions : ndarray, shape (..., n, 6)
            Force and moment on body i from body i - 1, at joint i's origin.

        """
        wrench = np.zeros(q.shape[:-1] + (6,)) if wrench is None else self._base_wrench(wrench)
        rows = self._programs.evaluate('reactions', (q, qd, qdd, wrench), (self.n, 6))
        rows = rows.reshape(*q.shape, 2, 3)
        axes = self._packed.frames if frame == 'joint' else self._poses(q)[0]
        return np.einsum('...iab,...ikb->...ika', axes, rows).reshape(*q.shape, 6)

    # --- the terms of the equations -------------------------------------------------------------

    def mass_matrix(self, q):
        """Return M, by composite bodies (theory.md N7), shape (..., n, n)."""
        return self._programs.evaluate('mass_matrix', (q,), (self.n, self.n))

    def gravity_vector(self, q):
        """Return G, shape (..., n)."""
        return self._programs.evaluate('gravity_vector', (q,), (self.n,))

    def bias(self, q, qd):
        """Return C qd + G, shape (..., n)."""
        return self._programs.evaluate('bias', (q, qd), (self.n,))

    def coriolis_matrix(self, q, qd):
        """
        Return the Coriolis matrix of the Christoffel symbols: dM/dt - 2 C is skew-symmetric.

        Its column j is the symmetric bilinear form b(qd, e_j) whose quadratic form b(qd, qd) the
        velocity products of Newton-Euler are: ``4 b(u, v) = b(u + v) - b(u - v)``, where u + v and
        u - v are stands for both arguments. The unit vectors are scaled to the velocities, so
        that neither drowns in the other.

        Parameters
        ----------
        q, qd : ndarray, shape (..., n)

        Returns
        -------
        C : ndarray, shape (..., n, n)

        """
        scale = np.abs(qd).max(axis=-1)
        scale = np.where(scale > 0.0, scale, 1.0)[..., None, None]
        units = scale * np.eye(self.n)
        columns = self._polarised(q[..., None, :], qd[..., None, :], units) / scale
        return np.swapaxes(columns, -1, -2)

    def christoffel(self, q):
        """
        Return the Christoffel symbols of M (theory.md H2's D).

        Parameters
        ----------
        q : ndarray, shape (..., n)

        Returns
        -------
        D : ndarray, shape (..., n, n, n)
            ``D[..., i, j, k] = (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) / 2``: the effort at joint i
            from the velocities of joints j and k. ``C[i, j] = sum over k of D[i, j, k] qd[k]``.

        """
        j, k = np.triu_indices(self.n)
        unit = np.eye(self.n)
        pairs = self._polarised(q[..., None, :], unit[j], unit[k])
        D = np.empty(q.shape[:-1] + (self.n,) * 3)
        D[..., j, k, :] = pairs
        D[..., k, j, :] = pairs
        return np.moveaxis(D, -1, -3)

    def _polarised(self, q, u, v):
        """Return b(u, v), the symmetric bilinear form of the velocity products at q."""
        q, u, v = np.broadcast_arrays(q, u, v)
        both = self._programs.evaluate(
            'velocity_products', (np.stack([q, q]), np.stack([u + v, u - v])), (self.n,))
        return 0.25 * (both[0] - both[1])

    # --- energies and places --------------------------------------------------------------------

    def kinetic_energy(self, q, qd):
        """Return T = qd' M qd / 2, shape (...)."""
        return self._programs.evaluate('kinetic_energy', (q, qd), (1,))[..., 0]

    def potential_energy(self, q):
        """Return U, minus the sum of m g . p (theory.md L5), shape (...)."""
        return -(self.centers_of_mass(q) @ self._gravity) @ self._masses

    def centers_of_mass(self, q):
        """Return the bodies' centres of mass in the base link's frame, shape (..., n, 3)."""
        R, origins = self._poses(q)
        return origins + np.einsum('...iab,ib->...ia', R, self._coms)

    def _poses(self, q):
        """Return the bodies' kernel frames in the base link's: (..., n, 3, 3), (..., n, 3)."""
        rows = self._programs.evaluate('poses', (q,), (self.n, 12))
        rows = rows.reshape(*q.shape, 4, 3)
        return (self._packed.base @ rows[..., :3, :],
                np.einsum('ab,...b->...a', self._packed.base, rows[..., 3, :]))

    def regressor(self, q, qd, qdd):
        """
        Return Y: ``Y @ inertial_parameters`` is the inverse dynamics (theory.md C4).

        That of the bodies: where a joint has an armature, ``armature * qdd`` comes on top.

        Parameters
        ----------
        q, qd, qdd : ndarray, shape (..., n)

        Returns
        -------
        Y : ndarray, shape (..., n, 10 n)

        """
        motion = self._programs.evaluate('motions', (q, qd, qdd), (self.n, 9))
        return regressor(*self._poses(q), motion, self._packed.frames, self._revolute)
