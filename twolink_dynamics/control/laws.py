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
Control laws: from the arm's state and the desired state to joint efforts.

A law is a small object with ``effort(t, q, qd, desired) -> tau`` and ``reset()``. It works on
Python floats and asks the arm's unchecked scalar interface, for it is called in every cycle; what
comes in is checked where it comes in, and what goes out is clamped by
:mod:`twolink_dynamics.control.safety`.

"""

import math

import numpy as np

from ..errors import NonFiniteError, ParameterError, ShapeError

__all__ = ['ComputedTorque', 'friction_coefficients', 'gains_of']

# A longer pause between two calls says nothing about the error in between.
LONGEST_INTEGRATION_STEP = 0.1
# [rad/s]: below it the desired motion counts as slow, and Coulomb compensation fades out.
COULOMB_VELOCITY = 1e-2


def _per_joint(name, value, n):
    """Return a gain as n floats, from a scalar or one per joint."""
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(name, value, 'a number, or one per joint') from None
    if array.shape not in ((), (1,), (n,)):
        raise ShapeError(name, f'() or ({n},)', array.shape)
    for index, number in np.ndenumerate(array):
        if not math.isfinite(number):
            raise NonFiniteError(name, index, float(number))
        if number < 0.0:
            raise ParameterError(name, value, 'no negative number')
    return tuple(np.broadcast_to(array, (n,)).tolist())


def gains_of(n, kp=100.0, kd=20.0, ki=0.0, *, natural_frequency=None, damping_ratio=None):
    """
    Return the gains of a second-order error equation, one per joint (theory.md C1).

    Parameters
    ----------
    n : int
        The number of joints.
    kp, kd, ki : float or array_like, shape (n,)
        Gains on position, velocity and integral [1/s^2, 1/s, 1/s^3].
    natural_frequency : float or array_like, shape (n,), optional
        [rad/s]; ``kp`` is then its square, whatever `kp` says.
    damping_ratio : float or array_like, shape (n,), optional
        ``kd`` is then ``2 damping_ratio sqrt(kp)``, whatever `kd` says. With a natural frequency
        it is 1 if not given: no overshoot.

    Returns
    -------
    kp, kd, ki : tuple of float, length n

    Raises
    ------
    ShapeError, NonFiniteError, ParameterError
        If a gain is not one number or one per joint, not finite, or negative.

    """
    kp, kd, ki = (_per_joint(name, value, n)
                  for name, value in (('kp', kp), ('kd', kd), ('ki', ki)))
    if natural_frequency is not None:
        wn = _per_joint('natural_frequency', natural_frequency, n)
        kp = tuple(w * w for w in wn)
        damping_ratio = 1.0 if damping_ratio is None else damping_ratio
    if damping_ratio is not None:
        zeta = _per_joint('damping_ratio', damping_ratio, n)
        kd = tuple(2.0 * z * math.sqrt(p) for z, p in zip(zeta, kp))
    return kp, kd, ki


def friction_coefficients(arm):
    """
    Return an arm's joint friction, as its description gives it.

    Parameters
    ----------
    arm : Arm

    Returns
    -------
    viscous, coulomb : tuple of float, length n
        [N m s/rad or N s/m] and [N m or N].

    """
    joints = arm.chain.joints
    return (tuple(float(joint.damping) for joint in joints),
            tuple(float(joint.friction) for joint in joints))


class ComputedTorque:
    r"""
    Computed torque: the model cancels the arm's dynamics, a linear law shapes the error.

    .. math:: \tau = M(q)(\ddot q_d + K_d \dot e + K_p e + K_i \int e) + C \dot q + G + F

    with :math:`e = q_d - q` (theory.md C1). With a true model each joint's error obeys
    ``e'' + kd e' + kp e = 0``. With a desired state that rests it holds the arm there.

    Parameters
    ----------
    arm : Arm
        Its ``scalar`` interface, ``n`` and effort limits are used.
    kp, kd, ki : float or array_like, shape (n,)
        Gains on position, velocity and integral [1/s^2, 1/s, 1/s^3]; stable for ``ki < kp kd``.
    natural_frequency, damping_ratio : float or array_like, shape (n,), optional
        Another way to say `kp` and `kd`: see :func:`gains_of`.
    friction : bool
        Whether the joint friction of the arm's description is compensated: the viscous part at the
        actual velocity, the Coulomb part in the direction of the desired one (the sign of a
        measured velocity near zero would chatter).

    Raises
    ------
    ShapeError, NonFiniteError, ParameterError
        If a gain is not one number or one per joint, not finite, negative, or unstable.

    Notes
    -----
    The integral stands still while a joint's effort is beyond its limit (anti-windup). A change of
    `ki` makes no jump: it is the integral term that is kept, not the integral.

    """

    def __init__(self, arm, kp=100.0, kd=20.0, ki=0.0, *, natural_frequency=None,
                 damping_ratio=None, friction=False):
        self.arm = arm
        self.n = arm.n
        self._of_two = arm.n == 2
        self._inverse_dynamics = arm.scalar.inverse_dynamics
        self._limits = tuple(float(x) for x in arm.limits.effort)
        coefficients = friction_coefficients(arm)
        self._friction = coefficients if friction and any(map(any, coefficients)) else None
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
        kp, kd, ki = gains_of(self.n, kp, kd, ki, natural_frequency=natural_frequency,
                              damping_ratio=damping_ratio)
        for i, p, d in zip(ki, kp, kd):
            if i > 0.0 and not i < p * d:
                raise ParameterError('ki', i, f'less than kp kd = {p * d:g}, or the error grows')
        self._gains, self._integrates = (kp, kd, ki), any(ki)

    @property
    def gains(self):
        """The gains kp, kd, ki, each a tuple of n floats."""
        return self._gains

    @property
    def integral(self):
        """The integral's part of the acceleration [rad/s^2 or m/s^2], a tuple of n floats."""
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
            Time [s]; only the integral needs it.
        q, qd : sequence of float, length n
            The arm's position and velocity.
        desired : tuple of three sequences of float, length n
            Desired position, velocity and acceleration.

        Returns
        -------
        tau : sequence of float, length n
            Joint efforts [N m or N], not yet limited. What is not finite going in is not finite
            coming out.

        """
        kp, kd, ki = self._gains
        q_d, qd_d, qdd_d = desired
        if self._of_two:
            # Written out: a third of the time of the loop below, and most arms here have two.
            (p1, p2), (d1, d2), (i1, i2) = kp, kd, self._integral
            (x1, x2), (v1, v2), (a1, a2) = q_d, qd_d, qdd_d
            q1, q2 = q
            w1, w2 = qd
            qdd = (a1 + d1 * (v1 - w1) + p1 * (x1 - q1) + i1,
                   a2 + d2 * (v2 - w2) + p2 * (x2 - q2) + i2)
        else:
            qdd = [a + d * (v - w) + p * (x - y) + i for a, d, v, w, p, x, y, i in
                   zip(qdd_d, kd, qd_d, qd, kp, q_d, q, self._integral)]
        tau = self._inverse_dynamics(q, qd, qdd)
        if self._friction is not None:
            viscous, coulomb = self._friction
            tau = [x + b * w + c * math.tanh(v / COULOMB_VELOCITY)
                   for x, b, w, c, v in zip(tau, viscous, qd, coulomb, qd_d)]
        if self._integrates:
            self._integrate(t, q, q_d, tau, ki)
        return tau

    def _integrate(self, t, q, q_d, tau, ki):
        dt, self._t = (0.0 if self._t is None else t - self._t), t
        if not 0.0 < dt <= LONGEST_INTEGRATION_STEP:
            return
        # Through M every joint's integral acts on every effort: one joint in saturation stops all.
        # The comparison is false for NaN, so a non-finite effort leaves the integral alone, too.
        if all(abs(x) < limit for x, limit in zip(tau, self._limits)):
            self._integral = [s + i * dt * (x_d - x) for s, i, x_d, x in
                              zip(self._integral, ki, q_d, q)]
