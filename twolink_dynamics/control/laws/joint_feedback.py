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

"""Laws whose feedback is the joint's own: PID, gravity, feedforward (theory.md C2, H3)."""

from twolink_dynamics.control.gains import gains_of, reflected_inertia
from twolink_dynamics.control.law import Law

__all__ = ['FeedforwardPD', 'GravityPD', 'IndependentPID', 'JointFeedback']


class JointFeedback(Law):
    """
    A law that feeds each joint's error back to that joint alone.

    The gains are accelerations, as those of every law; each joint's reflected inertia, the
    largest over postures (theory.md H2), makes efforts of them. So one natural frequency means
    the same for all laws, and an error is damped as said, or more.

    The integral of a joint stands still while its effort is beyond its limit and the error drives
    it further.

    """

    def _use(self, arm):
        super()._use(arm)
        self._inertia = reflected_inertia(arm)

    def _apply_gains(self):
        self._scaled = [tuple(j * k for j, k in zip(self._inertia, row)) for row in self._gains]

    @property
    def inertia(self):
        """The inertia that makes efforts of the gains [kg m^2 or kg], a tuple of n floats."""
        return self._inertia

    def _feedback(self, t, tau, q, qd, desired):
        """Return efforts with the feedback added."""
        kp, kd, ki = self._scaled
        q_d, qd_d, _ = desired
        tau = [x + p * (a - b) + d * (v - w) + i for x, p, a, b, d, v, w, i in
               zip(tau, kp, q_d, q, kd, qd_d, qd, self._integral)]
        if self._integrates:
            dt, total = self._elapsed(t), sum(tau)
            # A sum that is not finite is not equal to itself, less itself.
            if dt and not self.saturated and total - total == 0.0:
                self._integral = [
                    s + k * dt * (a - b) if abs(x) < h or x * (a - b) < 0.0 else s
                    for s, k, a, b, x, h in zip(self._integral, ki, q_d, q, tau, self._limits)]
        return tau


class IndependentPID(JointFeedback):
    """
    Each joint for itself, without a model: the baseline of theory.md H3.

    Gravity, inertia and coupling are disturbances to it. Without an integral the arm sags.

    Parameters
    ----------
    arm : Arm
    kp, kd, ki, natural_frequency, damping_ratio, friction
        As of :class:`~twolink_dynamics.control.law.Law`; `ki` is ``0.2 kp kd`` if not given, a
        fifth of what would be unstable.

    """

    name = 'independent_pid'

    def __init__(self, arm, kp=100.0, kd=20.0, ki=None, **options):
        super().__init__(arm, kp, kd, ki, **options)

    def set_gains(self, kp=100.0, kd=20.0, ki=None, *, natural_frequency=None, damping_ratio=None):
        """Change the gains: see :meth:`Law.set_gains`; `ki` as for the class."""
        ways = {'natural_frequency': natural_frequency, 'damping_ratio': damping_ratio}
        if ki is None:
            p, d, _ = gains_of(self.n, kp, kd, **ways)
            ki = [0.2 * x * y for x, y in zip(p, d)]
        super().set_gains(kp, kd, ki, **ways)

    def effort(self, t, q, qd, desired):
        """Return the efforts: see :meth:`Law.effort`."""
        tau = self._feedback(t, (0.0,) * self.n, q, qd, desired)
        return self._with_friction(tau, qd, desired[1])


class GravityPD(JointFeedback):
    """
    PD with the gravity of the actual posture: what set-point control needs, and no more.

    Parameters
    ----------
    arm : Arm
    kp, kd, ki, natural_frequency, damping_ratio, friction
        As of :class:`~twolink_dynamics.control.law.Law`.

    """

    name = 'gravity_pd'

    def _use(self, arm):
        super()._use(arm)
        self._gravity_vector = arm.scalar.gravity_vector

    def effort(self, t, q, qd, desired):
        """Return the efforts: see :meth:`Law.effort`."""
        tau = self._feedback(t, self._gravity_vector(q), q, qd, desired)
        return self._with_friction(tau, qd, desired[1])


class FeedforwardPD(JointFeedback):
    """
    Feedforward of the desired motion, and PD (theory.md C2).

    The model sees the desired state only: no measured number goes through it, so noise is not
    amplified by it, and the feedforward can be had beforehand.

    Parameters
    ----------
    arm : Arm
    kp, kd, ki, natural_frequency, damping_ratio, friction
        As of :class:`~twolink_dynamics.control.law.Law`.

    """

    name = 'feedforward_pd'

    def effort(self, t, q, qd, desired):
        """Return the efforts: see :meth:`Law.effort`."""
        tau = self._feedback(t, self._inverse_dynamics(*desired), q, qd, desired)
        return self._with_friction(tau, desired[1], desired[1])
