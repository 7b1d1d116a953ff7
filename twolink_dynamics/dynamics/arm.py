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

"""Façade: an arm, and everything that can be computed of it."""

from __future__ import annotations

from functools import partial
from typing import Any, Callable, TYPE_CHECKING

import numpy as np

from twolink_dynamics.array_types import ArrayLike, FloatArray, PerJoint
from twolink_dynamics.codegen.program import UNUSUAL
from twolink_dynamics.dynamics.friction import friction_torque
from twolink_dynamics.dynamics.regressor import extended_regressor
from twolink_dynamics.dynamics.resting import held_at_rest
from twolink_dynamics.dynamics.serial_dynamics import SerialDynamics
from twolink_dynamics.dynamics.single_state import Scalar
from twolink_dynamics.errors import ParameterError
from twolink_dynamics.kinematics.arm import KinematicArm
from twolink_dynamics.kinematics.task import task_motion, TaskMotion
from twolink_dynamics.model.chain import frozen_array
from twolink_dynamics.model.variants import with_body_parameters, with_payload
from twolink_dynamics.validation import broadcast_leading, check_array, check_states

if TYPE_CHECKING:
    from twolink_dynamics.model.chain import Chain
    # A function of its constants and the state into an array; the constants; the array's shape.
    OneState = tuple[Callable[..., int], FloatArray | None, Any]

__all__ = ['Arm', 'OVERRIDABLE']

STANDARD_GRAVITY = (0.0, 0.0, -9.81)

#: The methods that a subclass may override: whoever needs them asks the arm.
OVERRIDABLE = frozenset((
    'all_solutions', 'bias', 'center_of_mass_velocities', 'centers_of_mass', 'christoffel',
    'coriolis_matrix', 'forward_dynamics', 'gravity_vector', 'inverse_dynamics',
    'inverse_kinematics', 'joint_reactions', 'kinetic_energy', 'mass_matrix', 'potential_energy',
    'regressor', 'task_inverse_dynamics', 'warm_up', 'with_gravity', 'with_parameters',
    'with_payload',
))
#: What has a short way for one state as arrays, that of every control cycle: the checks are those
#: of the result, which what is not finite reaches, and all that is unusual takes the long way.
ONE_STATE = ('inverse_dynamics', 'forward_dynamics', 'mass_matrix')
empty = np.empty
# What follows from the chain and from gravity.
DERIVED = frozenset((
    '_engine', '_frozen', '_inverse', '_kinematics', 'constants', 'coulomb_friction', 'damping',
    'inertial_parameters', 'joint_names', 'joint_types', 'limits', 'n', 'scalar',
    *(f'_{name}' for name in ONE_STATE),
))
ATTRIBUTES = DERIVED | {'chain', 'gravity'}


class Arm(KinematicArm):
    """
    A serial arm with its dynamics, by recursive Newton-Euler (theory.md N).

    Every array argument broadcasts over leading axes; the last axis is the joint. Float64 in and
    out. A wrench on the tip is what the SURROUNDINGS exert on it, force then moment, at the tip's
    origin in the base frame's axes. A wrong shape raises :class:`ShapeError`, a NaN or infinity
    :class:`NonFiniteError`, in every method.

    Parameters
    ----------
    chain : Chain
        What the arm is.
    gravity : array_like, shape (3,)
        In the base frame [m/s^2].

    Attributes
    ----------
    gravity : ndarray, shape (3,)
    damping, coulomb_friction : ndarray, shape (n,)
        Viscous coefficients, the diagonal of L8's B [N m s/rad or N s/m], and Coulomb friction
        [N m or N] of the joints.
    inertial_parameters : ndarray, shape (10 n,)
        For each body m, m c (3), Ixx, Ixy, Ixz, Iyy, Iyz, Izz about its joint frame's origin, in
        the child link's axes: what :meth:`regressor` multiplies (theory.md C4).
    scalar : object
        The same dynamics for loops, unchecked: sequences of Python floats in, floats out;
        ``inverse_dynamics(q, qd, qdd)``, ``forward_dynamics(q, qd, tau)``, ``mass_matrix(q)``,
        ``bias(q, qd)``, ``gravity_vector(q)``.
    overridden : frozenset of str
        The methods of :data:`OVERRIDABLE` that the arm's class has of its own.

    A subclass may override the methods in :data:`OVERRIDABLE`, each for itself: laws, plants and
    nodes call the subclass then, at the price of a Python call. Any other public method and every
    attribute is derived from the chain in more than one place, so overriding it is refused when
    the class is made.

    """

    overridden: frozenset[str] = frozenset()
    _inverse_dynamics: OneState
    _forward_dynamics: OneState
    _mass_matrix: OneState

    def __init_subclass__(cls, **keywords: Any) -> None:
        """Note what a subclass overrides, and refuse what would not be heard."""
        super().__init_subclass__(**keywords)
        # What comes before the arm in the order of its bases overrides it: mixins do, too.
        before = [base for base in cls.__mro__[:cls.__mro__.index(Arm)]
                  if base is cls or not issubclass(base, Arm)]
        arms = [base for base in cls.__mro__[1:] if issubclass(base, Arm)]
        changed = {name for base in before for name in vars(base) if not name.startswith('_')
                   and (name in ATTRIBUTES or any(hasattr(arm, name) for arm in arms))}
        wrong = sorted(changed - OVERRIDABLE - {'overridden'})
        if wrong:
            raise TypeError(
                f'{cls.__name__}.{wrong[0]} would not be heard everywhere: it is derived from the '
                'chain; override one of ' + ', '.join(sorted(OVERRIDABLE))
                + ', or make an arm of another chain')
        cls.overridden = cls.overridden | changed

    def __init__(self, chain: Chain, gravity: ArrayLike = STANDARD_GRAVITY) -> None:
        self._derive(chain, gravity)

    def _derive(self, chain: Chain, gravity: ArrayLike) -> None:
        """Set everything that follows from the chain and from gravity."""
        super().__init__(chain)
        gravity = check_array('gravity', gravity)
        if gravity.shape != (3,):
            raise ParameterError('gravity', gravity.tolist(), 'three numbers, in the base frame')
        self.gravity = frozen_array(gravity)
        self._engine = engine = self._make_engine()
        self.scalar = Scalar(self, engine)
        for name in ONE_STATE:
            self._use(name, partial(self._make, name), None)
        self.inertial_parameters = frozen_array(engine.inertial_parameters)
        self.damping = frozen_array([joint.damping for joint in self.chain.joints])
        self.coulomb_friction = frozen_array([joint.friction for joint in self.chain.joints])
        self._frozen = True

    def _make_engine(self) -> SerialDynamics:
        return SerialDynamics(self.chain, self.gravity)

    def __getstate__(self) -> dict[str, Any]:
        """Return what the arm is made of: the rest is derived anew."""
        return {name: value for name, value in vars(self).items() if name not in DERIVED}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Make the arm of its state."""
        vars(self).update(state)
        self._derive(state['chain'], state['gravity'])

    def _changed(self, **changes: Any) -> Arm:
        """Return an arm of this class with another chain or gravity."""
        arm = object.__new__(type(self))
        arm.__setstate__({**self.__getstate__(), **changes})
        return arm

    def warm_up(self) -> None:
        """
        Make ready what a loop calls, before it begins.

        Where numba is installed its compiled kernels are used from then on, unless
        ``TWOLINK_NUMBA=0`` stands in the environment. Compiling them takes seconds, the first time
        on a machine; without this call a loop goes on without them.

        """
        self._engine.warm_up()
        self.scalar.renew()
        for name in ONE_STATE:
            program = self._engine.program(name)
            self._use(name, program.one, program.constants)

    def _use(self, name: str, function: Callable[..., int], constants: FloatArray | None) -> None:
        """Have a quantity of one state as arrays computed by a function."""
        tail = self._engine.program(name).tail
        object.__setattr__(self, f'_{name}', (function, constants, tail if tail[1:] else tail[0]))

    def _make(self, name: str, *arguments: Any) -> int:
        """Make the function of a quantity when it is first asked for."""
        function = self._engine.program(name).one
        self._use(name, function, self._engine.program(name).constants)
        return function(*arguments)

    def _with_wrench(self, tip_wrench: ArrayLike | None, **states: ArrayLike
                     ) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray | None]:
        """Return three checked states and a wrench, broadcast against each other."""
        first, second, third = check_states(self.n, **states)
        if tip_wrench is None:
            return first, second, third, None
        wrench = check_array('tip_wrench', tip_wrench, (6,))
        first, second, third, wrench = broadcast_leading(
            [*states, 'tip_wrench'], [first, second, third, wrench])
        return first, second, third, wrench

    # --- efforts and accelerations --------------------------------------------------------------

    def inverse_dynamics(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike,
                         tip_wrench: ArrayLike | None = None, friction: bool = False,
                         out: FloatArray | None = None) -> FloatArray:
        """
        Return the efforts that a motion takes (theory.md N1-N6, L8).

        Parameters
        ----------
        q, qd, qdd : array_like, shape (..., n)
            Positions, velocities and accelerations [rad or m, and per s and s^2].
        tip_wrench : array_like, shape (..., 6), optional
            Force and moment the surroundings exert on the tip [N, N m]; theory.md H1 counts it
            the other way.
        friction : bool
            Whether to add viscous and Coulomb friction of the joints.
        out : ndarray, shape (..., n), optional
            Where to put the result.

        Returns
        -------
        tau : ndarray, shape (..., n)
            Joint efforts [N m or N].

        """
        if tip_wrench is None and not friction:
            try:
                if q.ndim == 1:  # type: ignore[union-attr] # else AttributeError
                    function, constants, n = self._inverse_dynamics
                    tau = empty(n) if out is None else out
                    if function(constants, q, qd, qdd, tau) == 1:
                        return tau
            except UNUSUAL:
                pass
        checked = self._with_wrench(tip_wrench, q=q, qd=qd, qdd=qdd)
        tau = self._engine.inverse_dynamics(*checked)
        return _put(tau + self.friction_torque(checked[1]) if friction else tau, out)

    def forward_dynamics(self, q: ArrayLike, qd: ArrayLike, tau: ArrayLike,
                         tip_wrench: ArrayLike | None = None, friction: bool = False,
                         out: FloatArray | None = None) -> FloatArray:
        """
        Return the accelerations that efforts cause (theory.md N7).

        Parameters
        ----------
        q, qd : array_like, shape (..., n)
        tau : array_like, shape (..., n)
            Joint efforts [N m or N].
        tip_wrench : array_like, shape (..., 6), optional
            Force and moment the surroundings exert on the tip [N, N m].
        friction : bool
            Whether the joints' viscous and Coulomb friction acts. A joint exactly at rest is held
            as long as its Coulomb friction suffices, so there accelerations are not those of
            :meth:`inverse_dynamics`, which counts no Coulomb friction at rest.
        out : ndarray, shape (..., n), optional
            Where to put the result.

        Returns
        -------
        qdd : ndarray, shape (..., n)
            Joint accelerations [rad/s^2 or m/s^2].

        Raises
        ------
        SingularMassMatrixError
            If a joint moves no inertia, or the mass matrix is indefinite; it names the joint.

        """
        if tip_wrench is None and not friction:
            try:
                if q.ndim == 1:  # type: ignore[union-attr] # else AttributeError
                    function, constants, n = self._forward_dynamics
                    qdd = empty(n) if out is None else out
                    if function(constants, q, qd, tau, qdd) == 1:
                        return qdd
            except UNUSUAL:
                pass
        position, velocity, effort, wrench = self._with_wrench(tip_wrench, q=q, qd=qd, tau=tau)
        if friction:
            effort = effort - self.friction_torque(velocity)
        qdd = self._engine.forward_dynamics(position, velocity, effort, wrench)
        if friction and self.coulomb_friction.any():
            qdd = held_at_rest(self.mass_matrix(position), velocity, qdd, self.coulomb_friction)
        return _put(qdd, out)

    def friction_torque(self, qd: ArrayLike) -> FloatArray:
        """
        Return the viscous and Coulomb friction of the joints (theory.md L8's B qd).

        Parameters
        ----------
        qd : array_like, shape (..., n)

        Returns
        -------
        tau : ndarray, shape (..., n)
            What friction takes of the effort: its sign is that of the velocity; zero at rest.

        """
        return friction_torque(check_states(self.n, qd=qd)[0], self.damping, self.coulomb_friction)

    def joint_reactions(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike,
                        tip_wrench: ArrayLike | None = None, frame: str = 'joint') -> FloatArray:
        """
        Return what the bearings carry (theory.md N5).

        Parameters
        ----------
        q, qd, qdd : array_like, shape (..., n)
        tip_wrench : array_like, shape (..., 6), optional
        frame : {'joint', 'base'}
            The axes: those of each joint's child link, or those of the base.

        Returns
        -------
        reactions : ndarray, shape (..., n, 6)
            Force [N] and moment [N m] on link i from link i - 1, at joint i's origin.

        """
        if frame not in ('joint', 'base'):
            raise ParameterError('frame', frame, "'joint' or 'base'")
        return self._engine.joint_reactions(
            *self._with_wrench(tip_wrench, q=q, qd=qd, qdd=qdd), frame=frame)

    # --- the terms of the equations -------------------------------------------------------------

    def mass_matrix(self, q: ArrayLike) -> FloatArray:
        """
        Return the joint-space mass matrix M (theory.md L4; composite bodies).

        Parameters
        ----------
        q : array_like, shape (..., n)

        Returns
        -------
        M : ndarray, shape (..., n, n)
            Symmetric; positive definite unless a joint moves no inertia [kg m^2 or kg].

        """
        try:
            if q.ndim == 1:  # type: ignore[union-attr] # else AttributeError
                function, constants, shape = self._mass_matrix
                M = empty(shape)
                if function(constants, q, M) == 1:
                    return M
        except UNUSUAL:
            pass
        return self._engine.mass_matrix(*check_states(self.n, q=q))

    def coriolis_matrix(self, q: ArrayLike, qd: ArrayLike) -> FloatArray:
        """
        Return the Coriolis matrix C of the Christoffel symbols (theory.md L6).

        With it, ``dM/dt - 2 C`` is skew-symmetric.

        Parameters
        ----------
        q, qd : array_like, shape (..., n)

        Returns
        -------
        C : ndarray, shape (..., n, n)

        """
        return self._engine.coriolis_matrix(*check_states(self.n, q=q, qd=qd))

    def christoffel(self, q: ArrayLike) -> FloatArray:
        """
        Return the Christoffel symbols of M: theory.md H2's D.

        Parameters
        ----------
        q : array_like, shape (..., n)

        Returns
        -------
        D : ndarray, shape (..., n, n, n)
            ``coriolis_matrix[i, j] == sum over k of D[i, j, k] qd[k]``; symmetric in j and k.

        """
        return self._engine.christoffel(*check_states(self.n, q=q))

    def gravity_vector(self, q: ArrayLike) -> FloatArray:
        """
        Return the efforts that hold the arm against gravity (theory.md L7).

        Parameters
        ----------
        q : array_like, shape (..., n)

        Returns
        -------
        G : ndarray, shape (..., n)
            [N m or N].

        """
        return self._engine.gravity_vector(*check_states(self.n, q=q))

    def bias(self, q: ArrayLike, qd: ArrayLike) -> FloatArray:
        """
        Return C qd + G: the efforts of a motion without acceleration.

        Parameters
        ----------
        q, qd : array_like, shape (..., n)

        Returns
        -------
        b : ndarray, shape (..., n)
            [N m or N].

        """
        return self._engine.bias(*check_states(self.n, q=q, qd=qd))

    def kinetic_energy(self, q: ArrayLike, qd: ArrayLike) -> FloatArray:
        """
        Return the kinetic energy T (theory.md L3).

        Parameters
        ----------
        q, qd : array_like, shape (..., n)

        Returns
        -------
        T : ndarray, shape (...)
            [J].

        """
        return self._engine.kinetic_energy(*check_states(self.n, q=q, qd=qd))

    def potential_energy(self, q: ArrayLike) -> FloatArray:
        """
        Return the potential energy U of gravity (theory.md L5): minus the sum of m g . p.

        Parameters
        ----------
        q : array_like, shape (..., n)

        Returns
        -------
        U : ndarray, shape (...)
            [J]; zero for masses at the base frame's origin.

        """
        return self._engine.potential_energy(*check_states(self.n, q=q))

    def centers_of_mass(self, q: ArrayLike) -> FloatArray:
        """
        Return the bodies' centres of mass (theory.md L1).

        Parameters
        ----------
        q : array_like, shape (..., n)

        Returns
        -------
        positions : ndarray, shape (..., n, 3)
            In the base frame [m].

        """
        return self._engine.centers_of_mass(*check_states(self.n, q=q))

    def center_of_mass_velocities(self, q: ArrayLike, qd: ArrayLike) -> FloatArray:
        """
        Return the velocities of the bodies' centres of mass (theory.md L2).

        Parameters
        ----------
        q, qd : array_like, shape (..., n)

        Returns
        -------
        velocities : ndarray, shape (..., n, 3)
            In the base frame [m/s].

        """
        return self._kinematics.point_velocities([link.com for link in self.chain.links],
                                                 *check_states(self.n, q=q, qd=qd))

    @property
    def extended_parameters(self) -> FloatArray:
        """Inertial parameters, armature, damping, friction: for the extended regressor (13 n,)."""
        armature = [joint.armature for joint in self.chain.joints]
        return np.concatenate([self.inertial_parameters, armature, self.damping,
                               self.coulomb_friction])

    def regressor(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *,
                  extended: bool = False) -> FloatArray:
        """
        Return the regressor Y, which multiplies the parameters to efforts (theory.md C4).

        ``Y @ inertial_parameters`` are the efforts of the bodies: those of
        :meth:`inverse_dynamics` less ``armature * qdd``. With `extended`, ``Y @
        extended_parameters`` is ``inverse_dynamics(q, qd, qdd, friction=True)`` of every arm.

        Parameters
        ----------
        q, qd, qdd : array_like, shape (..., n)
        extended : bool
            Whether there are columns for the armature, the viscous and the Coulomb friction of
            each joint, in this order, after those of the bodies.

        Returns
        -------
        Y : ndarray, shape (..., n, 10 n), or (..., n, 13 n) if extended

        """
        states = check_states(self.n, q=q, qd=qd, qdd=qdd)
        Y = self._engine.regressor(*states)
        return extended_regressor(Y, *states[1:]) if extended else Y

    def task_inverse_dynamics(self, pose: ArrayLike, velocity: ArrayLike | None = None,
                              acceleration: ArrayLike | None = None,
                              q0: ArrayLike | None = None, *, friction: bool = False,
                              **options: Any) -> TaskMotion:
        """
        Return the joints' motion and efforts for a motion of the tip (theory.md T1).

        Near a singularity the inverse of the Jacobian is damped: joint rates and efforts stay
        bounded, and what the tip lacks is reported.

        Parameters
        ----------
        pose : array_like, shape (4, 4), (3,) or (2,)
            Where the tip shall be, as for :meth:`inverse_kinematics`.
        velocity, acceleration : array_like, optional
            Of the tip, zero by default: (6,), linear then angular in the base's axes, for a pose;
            (3,) for a position; (2,) in a plane.
        q0 : array_like, shape (n,), optional
            Where inverse kinematics starts: the last sample's `q`, say.
        friction : bool
            Whether the efforts overcome the joints' friction too.
        **options
            Of :func:`~twolink_dynamics.kinematics.task.task_motion`: damping, kind, tolerances.

        Returns
        -------
        motion : TaskMotion
            ``.q``, ``.qd``, ``.qdd``, ``.tau`` (n,), ``.success``, residuals, ``.reason``.

        """
        def effort(q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> FloatArray:
            return self.inverse_dynamics(q, qd, qdd, friction=friction)

        return task_motion(self._inverse, pose, velocity, acceleration, q0, effort=effort,
                           **options)

    # --- other arms -----------------------------------------------------------------------------

    def with_gravity(self, gravity: ArrayLike) -> Arm:
        """
        Return this arm in another gravity: a tilted base, a ceiling, another planet.

        Parameters
        ----------
        gravity : array_like, shape (3,)
            In the base frame [m/s^2].

        Returns
        -------
        arm : Arm

        """
        return self._changed(gravity=gravity)

    def with_payload(self, mass: float, com: ArrayLike = (0.0, 0.0, 0.0),
                     inertia: ArrayLike | None = None) -> Arm:
        """
        Return this arm with a load fixed to its tip.

        Parameters
        ----------
        mass : float
            [kg], not negative.
        com : array_like, shape (3,)
            Its centre of mass in the tip's frame [m].
        inertia : array_like, shape (3, 3), optional
            About its centre of mass, in the tip's axes [kg m^2]; a point mass if not given.

        Returns
        -------
        arm : Arm

        Raises
        ------
        ParameterError
            If the mass is negative, or no body has such an inertia.
        ShapeError, NonFiniteError

        """
        return self._changed(chain=with_payload(self.chain, mass, com, inertia))

    def with_parameters(self, inertial: ArrayLike | None = None, *, unphysical: str = 'refuse',
                        **joint_values: PerJoint) -> Arm:
        """
        Return this arm with other parameters, such as identified ones.

        A least-squares estimate need not belong to bodies that can exist: ``'project'`` makes an
        arm of any.

        Parameters
        ----------
        inertial : array_like, shape (10 n,) or (13 n,), optional
            In the form of `inertial_parameters`, or of `extended_parameters`.
        unphysical : {'refuse', 'project', 'keep'}
            What is done with a body that cannot exist (a negative mass, an inertia that is not
            positive or breaks the triangle inequality): refuse it by its name, take the nearest
            one that can (theory.md C5), or take it literally. A rule that the description's own
            inertia breaks, of which loading warned, is not held against the new one.
        **joint_values : array_like, shape (n,), or float
            Of ``damping``, ``friction``, ``armature``, ``lower``, ``upper``, ``velocity``,
            ``effort``, one per joint or one for all.

        Returns
        -------
        arm : Arm

        Raises
        ------
        ParameterError
            If a body cannot exist, a value is impossible, or a name unknown.
        ShapeError, NonFiniteError

        """
        return self._changed(
            chain=with_body_parameters(self.chain, inertial, joint_values, unphysical))


def _put(result: FloatArray, out: FloatArray | None) -> FloatArray:
    if out is None:
        return result
    out[...] = result
    return out
