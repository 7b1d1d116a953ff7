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

"""What all control laws have in common."""

from twolink_dynamics.control.friction_compensation import friction_coefficients, friction_effort
from twolink_dynamics.control.gains import gains_of
from twolink_dynamics.errors import ParameterError, ShapeError

__all__ = ['Law']

# A longer pause between two calls says nothing about the error in between [s].
LONGEST_STEP = 0.1


class Law:
    """
    A control law: from the arm's state and the desired state to joint efforts.

    A law works on Python floats and asks the arm's unchecked scalar interface where it can, for
    it is called in every cycle. What comes in is checked where it comes in; what goes out is
    limited by :mod:`twolink_dynamics.tracking.effort_limits`. What is not finite going in is not
    finite coming out, and leaves no trace in the law.

    Parameters
    ----------
    arm : Arm
        The model.
    kp, kd, ki : float or array_like, shape (n,)
        Gains of the error [1/s^2, 1/s, 1/s^3].
    natural_frequency, damping_ratio : float or array_like, shape (n,), optional
        Another way to say `kp` and `kd`: see :func:`~twolink_dynamics.control.gains.gains_of`.
    friction : bool
        Whether the joint friction of the arm's description is compensated.

    Attributes
    ----------
    name : str
        What the law is called in parameters.
    arm : Arm
        The model in force.
    saturated : bool
        To be set by whoever limits the efforts: integrals and adaptation stand still meanwhile.

    Raises
    ------
    ShapeError, NonFiniteError, ParameterError
        If a gain is not one number or one per joint, not finite, negative, or unstable.

    """

    name = ''
    integrates = True

    def __init__(self, arm, kp=100.0, kd=20.0, ki=0.0, *, natural_frequency=None,
                 damping_ratio=None, friction=False):
        self.n, self._compensates_friction = arm.n, bool(friction)
        self.arm, self._gains, self.saturated = arm, None, False
        self._use(arm)
        self.set_gains(kp, kd, ki, natural_frequency=natural_frequency,
                       damping_ratio=damping_ratio)
        self.reset()

    def set_gains(self, kp=100.0, kd=20.0, ki=0.0, *, natural_frequency=None, damping_ratio=None):
        """
        Change the gains; the arguments are those of the constructor.

        Raises
        ------
        ShapeError, NonFiniteError, ParameterError
            Then the gains stay as they were.

        """
        gains = gains_of(self.n, kp, kd, ki, natural_frequency=natural_frequency,
                         damping_ratio=damping_ratio)
        if any(gains[2]) and not self.integrates:
            raise ParameterError('ki', gains[2], f'0, for the law {self.name} has no integral')
        self._gains, self._integrates = gains, any(gains[2])
        self._apply_gains()

    def _apply_gains(self):
        """Derive from gains and arm what the law needs of them."""

    @property
    def gains(self):
        """The gains kp, kd, ki, each a tuple of n floats."""
        return self._gains

    def set_arm(self, arm):
        """
        Go on with another model of the same joints: a payload, another direction of gravity.

        The effort jumps by what the models differ in;
        :class:`~twolink_dynamics.tracking.bumpless_transfer.BumplessTransfer` spreads that over
        time.

        Parameters
        ----------
        arm : Arm

        Raises
        ------
        ShapeError
            If it has other joints; the law then stays as it was.

        """
        if tuple(arm.joint_names) != tuple(self.arm.joint_names):
            raise ShapeError('arm', f'joints {", ".join(self.arm.joint_names)}', (arm.n,),
                             'its joints are ' + ', '.join(arm.joint_names))
        self._use(arm)
        self._apply_gains()

    def _use(self, arm):
        self.arm = arm
        self._inverse_dynamics = arm.scalar.inverse_dynamics
        self._limits = tuple(float(x) for x in arm.limits.effort)
        coefficients = friction_coefficients(arm)
        compensated = self._compensates_friction and any(map(any, coefficients))
        self._friction = coefficients if compensated else None

    @property
    def integral(self):
        """The integral's part of what the gains act on, a tuple of n floats."""
        return tuple(self._integral)

    def reset(self):
        """Forget the integral and the time of the last call."""
        self._integral = [0.0] * self.n
        self._t = None

    def effort(self, t, q, qd, desired):
        """
        Return the efforts that drive the arm to the desired state.

        Parameters
        ----------
        t : float
            Time [s]; only what integrates needs it.
        q, qd : sequence of float, length n
            The arm's position and velocity.
        desired : tuple of three sequences of float, length n
            Desired position, velocity and acceleration.

        Returns
        -------
        tau : sequence of float, length n
            Joint efforts [N m or N], not yet limited.

        """
        raise NotImplementedError

    def _with_friction(self, tau, qd, qd_d):
        if self._friction is None:
            return tau
        return friction_effort(tau, self._friction, qd, qd_d)

    def _elapsed(self, t):
        """Return the time since the last call, 0 where that says nothing."""
        dt, self._t = (0.0 if self._t is None else t - self._t), t
        return dt if 0.0 < dt <= LONGEST_STEP else 0.0
