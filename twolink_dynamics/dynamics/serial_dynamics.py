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
The engine behind the façade: the dynamics of an arm, as programs of its quantities.

Any serial chain has those of Newton-Euler (theory.md N1-N7); the planar 2R arm has formulas of its
own for some (L1-L8), and is run in the same way.

"""

from __future__ import annotations

from functools import cached_property, partial
from typing import Any, TYPE_CHECKING

import numpy as np

from twolink_dynamics.array_types import ArrayLike, FloatArray, Vector
from twolink_dynamics.codegen.program import Guard, Loops, Program
from twolink_dynamics.dynamics import newton_euler, two_link
from twolink_dynamics.dynamics.packed_model import FIELDS, pack
from twolink_dynamics.dynamics.quantities import LOOPS, MATRIX_JOINTS, QUANTITIES, SUSPICION
from twolink_dynamics.dynamics.regressor import inertial_parameters, regressor
from twolink_dynamics.errors import SingularMassMatrixError
from twolink_dynamics.kinematics.forward import SerialKinematics

if TYPE_CHECKING:
    from twolink_dynamics.model.chain import Chain
    from twolink_dynamics.model.two_link import TwoLinkConstants

__all__ = ['LOOP_CALLS', 'SerialDynamics', 'TwoLinkDynamics']

EPS = float(np.finfo(float).eps)
# Source written out grows with n (the mass matrix's with n^2): worth compiling for arms, not for
# long chains, where the loops run as they are.
WRITTEN_OUT_JOINTS = MATRIX_JOINTS
#: What a loop asks for: made ready by :meth:`SerialDynamics.warm_up`.
LOOP_CALLS = ('inverse_dynamics', 'forward_dynamics', 'mass_matrix', 'bias', 'gravity_vector')


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

    """

    def __init__(self, chain: Chain, gravity: ArrayLike,
                 armature: ArrayLike | None = None) -> None:
        self.n, self._chain = chain.n, chain
        self.joint_names = tuple(joint.name for joint in chain.joints)
        if armature is None:
            armature = [joint.armature for joint in chain.joints]
        self._armature = np.array(armature, dtype=float) + np.zeros(self.n)
        self._gravity = np.array(gravity, dtype=float)
        self._packed = pack(chain, self._gravity, self._armature)
        self._revolute = self._packed.table[:, FIELDS.index('revolute')] == 1.0
        self._masses = np.array([link.mass for link in chain.links])
        self.inertial_parameters = inertial_parameters(chain)
        self._programs: dict[str, Program] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the arm, not the code made for it."""
        return type(self), (self._chain, self._gravity, self._armature)

    # --- programs -------------------------------------------------------------------------------

    def program(self, name: str) -> Program:
        """
        Return the program of a quantity, made at its first need.

        Parameters
        ----------
        name : str
            A key of quantities.QUANTITIES.

        Returns
        -------
        program : Program

        """
        program = self._programs.get(name)
        if program is None:
            program = self._programs[name] = self._make(name)
        return program

    def _make(self, name: str) -> Program:
        quantity, n = QUANTITIES[name], self.n
        table = self._tables[quantity.weightless]
        loops, written_out = None, n <= WRITTEN_OUT_JOINTS
        if quantity.loop and not written_out:
            room = np.zeros((2 * n + 1, len(FIELDS)))
            room[:n] = table
            loops = Loops(LOOPS, quantity.loop, room)
        guard = None
        if quantity.guarded:
            floor = self._packed.table[:, FIELDS.index('floor')]
            guard = Guard(SUSPICION * floor, self._careful)
        return Program(name, partial(quantity.function, table),
                       {key: 6 if key == 'wrench' else n for key in quantity.arguments},
                       tuple(n if size == 'n' else size for size in quantity.shape), guard, loops,
                       written_out)

    @cached_property
    def _tables(self) -> tuple[list[list[float]], list[list[float]]]:
        """The packed table, and the same without gravity."""
        table, weightless = self._packed.table.tolist(), self._packed.table.tolist()
        for name in ('gx', 'gy', 'gz'):
            weightless[0][FIELDS.index(name)] = 0.0
        return table, weightless

    def warm_up(self) -> bool:
        """
        Make ready what a loop calls, so that its first round takes no longer than the next.

        Where numba is installed and ``TWOLINK_NUMBA`` is not 0, the programs are compiled, or
        loaded from numba's cache, and used from now on. One state at a time never compiles by
        itself, since that would stop a loop for seconds; very large batches do.

        Returns
        -------
        compiled : bool
            Whether numba's code is in use.

        """
        state = [0.0] * self.n
        compiled = True
        for name in LOOP_CALLS:
            program = self.program(name)
            compiled = program.compile() and compiled
            try:
                program.floats(*[state] * len(program.arguments))
            except SingularMassMatrixError:
                pass  # it is ready all the same
            program.one  # noqa: B018 - made by being asked for
        return compiled

    def _base_wrench(self, wrench: FloatArray) -> FloatArray:
        """Turn a wrench from the base link's axes to those of the base's kernel frame."""
        turned = wrench.reshape(*wrench.shape[:-1], 2, 3) @ self._packed.base
        return turned.reshape(wrench.shape)

    def _careful(self, q: Vector, qd: Vector, tau: Vector, *wrench: Vector) -> tuple[float, ...]:
        """Solve with the mass matrix, or say which joint makes it singular."""
        n = self.n
        M = [list(row) for row in self.program('mass_matrix').floats(q)]
        # The floor is that of the arm as described; a slide far out lifts it with M itself.
        floor = [max(low, 32 * n * EPS * abs(M[i][i])) for i, low in enumerate(
            self._packed.table[:, FIELDS.index('floor')].tolist())]
        pivots = [0.0] * n
        try:
            newton_euler.factor(M, pivots)
        except ZeroDivisionError:
            pass
        for i in reversed(range(n)):
            if pivots[i] <= floor[i]:
                raise SingularMassMatrixError(self.joint_names[i], pivots[i] < -floor[i])
        zero = [0.0] * n
        name = 'inverse_dynamics_wrench' if wrench else 'inverse_dynamics'
        bias = self.program(name).floats(q, qd, zero, *wrench)
        qdd = [effort - b for effort, b in zip(tau, bias)]
        newton_euler.solve(M, pivots, qdd)
        return tuple(qdd)

    # --- efforts and accelerations --------------------------------------------------------------

    def inverse_dynamics(self, q: FloatArray, qd: FloatArray, qdd: FloatArray,
                         wrench: FloatArray | None = None) -> FloatArray:
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
            return self.program('inverse_dynamics').evaluate(q, qd, qdd)
        return self.program('inverse_dynamics_wrench').evaluate(
            q, qd, qdd, self._base_wrench(wrench))

    def forward_dynamics(self, q: FloatArray, qd: FloatArray, tau: FloatArray,
                         wrench: FloatArray | None = None) -> FloatArray:
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
        if wrench is None:
            return self.program('forward_dynamics').evaluate(q, qd, tau)
        return self.program('forward_dynamics_wrench').evaluate(
            q, qd, tau, self._base_wrench(wrench))

    def joint_reactions(self, q: FloatArray, qd: FloatArray, qdd: FloatArray,
                        wrench: FloatArray | None = None, frame: str = 'joint') -> FloatArray:
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
        rows = self.program('reactions').evaluate(q, qd, qdd, wrench)
        rows = rows.reshape(*q.shape, 2, 3)
        axes = self._packed.frames if frame == 'joint' else self._kernel_poses(q)[0]
        return np.einsum('...iab,...ikb->...ika', axes, rows).reshape(*q.shape, 6)

    # --- the terms of the equations -------------------------------------------------------------

    def mass_matrix(self, q: FloatArray) -> FloatArray:
        """Return M, by composite bodies (theory.md N7), shape (..., n, n)."""
        return self.program('mass_matrix').evaluate(q)

    def gravity_vector(self, q: FloatArray) -> FloatArray:
        """Return G, shape (..., n)."""
        return self.program('gravity_vector').evaluate(q)

    def bias(self, q: FloatArray, qd: FloatArray) -> FloatArray:
        """Return C qd + G, shape (..., n)."""
        return self.program('bias').evaluate(q, qd)

    def coriolis_matrix(self, q: FloatArray, qd: FloatArray) -> FloatArray:
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

    def christoffel(self, q: FloatArray) -> FloatArray:
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

    def _polarised(self, q: FloatArray, u: FloatArray, v: FloatArray) -> FloatArray:
        """Return b(u, v), the symmetric bilinear form of the velocity products at q."""
        q, u, v = np.broadcast_arrays(q, u, v)
        both = self.program('velocity_products').evaluate(
            np.stack([q, q]), np.stack([u + v, u - v]))
        return 0.25 * (both[0] - both[1])

    # --- energies and places --------------------------------------------------------------------

    def kinetic_energy(self, q: FloatArray, qd: FloatArray) -> FloatArray:
        """Return T = qd' M qd / 2, shape (...)."""
        return self.program('kinetic_energy').evaluate(q, qd)[..., 0]

    def potential_energy(self, q: FloatArray) -> FloatArray:
        """Return U, minus the sum of m g . p (theory.md L5), shape (...)."""
        return -(self.centers_of_mass(q) @ self._gravity) @ self._masses

    def centers_of_mass(self, q: FloatArray) -> FloatArray:
        """Return the bodies' centres of mass in the base link's frame, shape (..., n, 3)."""
        poses = self.kinematics.body_poses(q)
        coms = np.array([link.com for link in self._chain.links])
        return poses[..., :3, 3] + np.einsum('...iab,ib->...ia', poses[..., :3, :3], coms)

    def _kernel_poses(self, q: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the bodies' kernel frames in the base link's: (..., n, 3, 3), (..., n, 3)."""
        poses = self.kinematics.body_poses(q)
        return poses[..., :3, :3] @ self._packed.frames, poses[..., :3, 3]

    @cached_property
    def kinematics(self) -> SerialKinematics:
        """Where the bodies are."""
        return SerialKinematics(self._chain)

    def regressor(self, q: FloatArray, qd: FloatArray, qdd: FloatArray) -> FloatArray:
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
        motion = self.program('motions').evaluate(q, qd, qdd)
        return regressor(*self._kernel_poses(q), motion, self._packed.frames, self._revolute)


class TwoLinkDynamics(SerialDynamics):
    """
    The dynamics of a planar 2R arm: in closed form where the texts have one (theory.md L4-L8).

    Parameters
    ----------
    chain : Chain
    gravity : array_like, shape (3,)
    constants : TwoLinkConstants

    """

    # What the closed form has, with its arguments and the shape of its result.
    CLOSED = {
        'bias': (('q', 'qd'), (2,)),
        'coriolis_matrix': (('q', 'qd'), (2, 2)),
        'gravity_vector': (('q',), (2,)),
        'inverse_dynamics': (('q', 'qd', 'qdd'), (2,)),
        'kinetic_energy': (('q', 'qd'), (1,)),
        'mass_matrix': (('q',), (2, 2)),
        'mass_terms': (('q',), (3,)),
        'potential_energy': (('q',), (1,)),
    }

    def __init__(self, chain: Chain, gravity: ArrayLike, constants: TwoLinkConstants) -> None:
        super().__init__(chain, gravity)
        self._constants = constants

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the arm, not the code made for it."""
        return type(self), (self._chain, self._gravity, self._constants)

    def _make(self, name: str) -> Program:
        k = self._constants
        if name == 'forward_dynamics':
            return self._forward()
        if name not in self.CLOSED:
            return super()._make(name)
        function, (arguments, shape) = getattr(two_link, name), self.CLOSED[name]

        def closed_form(*state: Any) -> Any:
            result = function(k, *state)
            return (result,) if shape == (1,) else result

        return Program(name, closed_form, dict.fromkeys(arguments, 2), shape)

    def _forward(self) -> Program:
        k, arguments = self._constants, {'q': 2, 'qd': 2, 'tau': 2}
        if not k.may_be_singular:
            return Program('forward_dynamics',
                           lambda *state: two_link.forward_dynamics(k, *state)[0], arguments, (2,))

        def guarded(*state: Any) -> Any:
            qdd, determinant = two_link.forward_dynamics(k, *state)
            return qdd, (determinant,)

        return Program('forward_dynamics', guarded, arguments, (2,),
                       Guard([k.determinant_floor], self._careful))

    def _careful(self, q: Vector, qd: Vector, tau: Vector, *wrench: Vector) -> tuple[float, ...]:
        least, greatest = np.linalg.eigvalsh(
            np.reshape(self.program('mass_matrix').floats(q), (2, 2)))
        raise SingularMassMatrixError(self.joint_names[0 if self._constants.alpha <= 0.0 else 1],
                                      bool(least < -64 * EPS * abs(greatest)))

    def inverse_dynamics(self, q: FloatArray, qd: FloatArray, qdd: FloatArray,
                         wrench: FloatArray | None = None) -> FloatArray:
        """Return the efforts of a motion (theory.md L8), shape (..., 2)."""
        tau = super().inverse_dynamics(q, qd, qdd)
        if wrench is None:
            return tau
        return tau - self.kinematics.program('wrench_effort').evaluate(q, wrench)

    def forward_dynamics(self, q: FloatArray, qd: FloatArray, tau: FloatArray,
                         wrench: FloatArray | None = None) -> FloatArray:
        """Return the accelerations of efforts (theory.md L8), shape (..., 2)."""
        if wrench is not None:
            tau = tau + self.kinematics.program('wrench_effort').evaluate(q, wrench)
        return super().forward_dynamics(q, qd, tau)

    def coriolis_matrix(self, q: FloatArray, qd: FloatArray) -> FloatArray:
        """Return C with the skew property (theory.md L6), shape (..., 2, 2)."""
        return self.program('coriolis_matrix').evaluate(q, qd)

    def potential_energy(self, q: FloatArray) -> FloatArray:
        """Return U (theory.md L5), shape (...)."""
        return self.program('potential_energy').evaluate(q)[..., 0]
