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

"""The façade: an arm, and everything that can be asked of it."""

from twolink_dynamics.dynamics.friction import friction_torque
from twolink_dynamics.dynamics.newton_euler import SerialDynamics
from twolink_dynamics.errors import ParameterError
from twolink_dynamics.kinematics.arm import KinematicArm
from twolink_dynamics.kinematics.point_velocities import point_velocities
from twolink_dynamics.kinematics.task import task_motion
from twolink_dynamics.model.chain import frozen_array
from twolink_dynamics.model.variants import with_body_parameters, with_payload
from twolink_dynamics.validation import broadcast_leading, check_array, check_states

__all__ = ['Arm']

STANDARD_GRAVITY = (0.0, 0.0, -9.81)


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

    """

    def __init__(self, chain, gravity=STANDARD_GRAVITY):
        super().__init__(chain)
        self._set_dynamics(gravity)
        self._frozen = True

    def _set_dynamics(self, gravity):
        gravity = check_array('gravity', gravity)
        if gravity.shape != (3,):
            raise ParameterError('gravity', gravity.tolist(), 'three numbers, in the base frame')
        self.gravity = frozen_array(gravity)
        self._serial = self._engine = SerialDynamics(self.chain, self.gravity)
        self.scalar = self._engine.scalar
        self.inertial_parameters = frozen_array(self._serial.inertial_parameters)
        self.damping = frozen_array([joint.damping for joint in self.chain.joints])
        self.coulomb_friction = frozen_array([joint.friction for joint in self.chain.joints])

    def warm_up(self):
        """
        Make ready what a loop calls, before it begins.

        Where numba is installed its compiled kernels are used from then on, unless
        ``TWOLINK_NUMBA=0`` stands in the environment. Compiling them takes seconds, the first time
        on a machine; without this call a loop goes on without them.

        """
        if self._engine.warm_up() and self._engine is self._serial:
            # As functions of the instance they cost less than as methods that look about first.
            names = ('inverse_dynamics', 'forward_dynamics', 'mass_matrix')
            methods = [getattr(type(self), name).__get__(self) for name in names]
            vars(self).update(zip(names, self._serial.short_ways(*methods)))

    def _with_wrench(self, tip_wrench, **states):
        """Return checked states and wrench, broadcast against each other."""
        arrays = check_states(self.n, **states)
        if tip_wrench is None:
            return arrays + [None]
        wrench = check_array('tip_wrench', tip_wrench, (6,))
        return broadcast_leading([*states, 'tip_wrench'], arrays + [wrench])

    # --- efforts and accelerations --------------------------------------------------------------

    def inverse_dynamics(self, q, qd, qdd, tip_wrench=None, friction=False):
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

        Returns
        -------
        tau : ndarray, shape (..., n)
            Joint efforts [N m or N].

        """
        q, qd, qdd, wrench = self._with_wrench(tip_wrench, q=q, qd=qd, qdd=qdd)
        tau = self._engine.inverse_dynamics(q, qd, qdd, wrench)
        return tau + self.friction_torque(qd) if friction else tau

    def forward_dynamics(self, q, qd, tau, tip_wrench=None, friction=False):
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
            Whether the joints' viscous and Coulomb friction acts.

        Returns
        -------
        qdd : ndarray, shape (..., n)
            Joint accelerations [rad/s^2 or m/s^2].

        Raises
        ------
        SingularMassMatrixError
            If a joint moves no inertia; it names the joint.

        """
        q, qd, tau, wrench = self._with_wrench(tip_wrench, q=q, qd=qd, tau=tau)
        if friction:
            tau = tau - self.friction_torque(qd)
        return self._engine.forward_dynamics(q, qd, tau, wrench)

    def friction_torque(self, qd):
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
        return friction_torque(*check_states(self.n, qd=qd), self.damping, self.coulomb_friction)

    def joint_reactions(self, q, qd, qdd, tip_wrench=None, frame='joint'):
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
        return self._serial.joint_reactions(
            *self._with_wrench(tip_wrench, q=q, qd=qd, qdd=qdd), frame=frame)

    # --- the terms of the equations -------------------------------------------------------------

    def mass_matrix(self, q):
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
        return self._engine.mass_matrix(*check_states(self.n, q=q))

    def coriolis_matrix(self, q, qd):
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

    def christoffel(self, q):
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
        return self._serial.christoffel(*check_states(self.n, q=q))

    def gravity_vector(self, q):
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

    def bias(self, q, qd):
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

    def kinetic_energy(self, q, qd):
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

    def potential_energy(self, q):
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

    def centers_of_mass(self, q):
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
        return self._serial.centers_of_mass(*check_states(self.n, q=q))

    def center_of_mass_velocities(self, q, qd):
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
        return point_velocities(self._kinematics, [link.com for link in self.chain.links],
                                *check_states(self.n, q=q, qd=qd))

    def regressor(self, q, qd, qdd):
        """
        Return the regressor Y: ``Y @ inertial_parameters == inverse_dynamics`` (theory.md C4).

        Parameters
        ----------
        q, qd, qdd : array_like, shape (..., n)

        Returns
        -------
        Y : ndarray, shape (..., n, 10 n)

        """
        return self._serial.regressor(*check_states(self.n, q=q, qd=qd, qdd=qdd))

    def task_inverse_dynamics(self, pose, velocity=None, acceleration=None, q0=None, *,
                              friction=False, **options):
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
        def effort(q, qd, qdd):
            return self.inverse_dynamics(q, qd, qdd, friction=friction)

        return task_motion(self._inverse, pose, velocity, acceleration, q0, effort=effort,
                           **options)

    def __reduce__(self):
        """Pickle as what the arm is made of: its functions are derived anew."""
        return self._remake, (self.chain, self.gravity)

    # --- other arms -----------------------------------------------------------------------------

    @staticmethod
    def _remake(chain, gravity):
        """Return the arm of another chain."""
        return Arm(chain, gravity)

    def with_gravity(self, gravity):
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
        return self._remake(self.chain, gravity)

    def with_payload(self, mass, com=(0.0, 0.0, 0.0), inertia=None):
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

        """
        return self._remake(with_payload(self.chain, mass, com, inertia), self.gravity)

    def with_parameters(self, inertial=None, **joint_values):
        """
        Return this arm with other parameters, such as identified ones.

        Parameters
        ----------
        inertial : array_like, shape (10 n,), optional
            In the form of `inertial_parameters`.
        **joint_values : array_like, shape (n,), or float
            Of ``damping``, ``friction``, ``armature``, ``lower``, ``upper``, ``velocity``,
            ``effort``, one per joint or one for all.

        Returns
        -------
        arm : Arm

        """
        return self._remake(with_body_parameters(self.chain, inertial, joint_values), self.gravity)
