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

"""Joint impedance: a spring and a damper between the arm and what is desired, for contact."""

import math

from twolink_dynamics.control.gains import per_joint
from twolink_dynamics.control.joint_feedback import JointFeedback

__all__ = ['JointImpedance']


class JointImpedance(JointFeedback):
    r"""
    Joint impedance: the surroundings feel a spring and a damper at every joint, as set.

    .. math:: \tau = M(q) \ddot q_d + C(q, \dot q) \dot q_d + G + F + K e + D \dot e

    An effort of the surroundings moves the arm by ``K^-1 tau``. The arm's own inertia is left as
    it is: with a true model ``M e'' + (C + D) e' + K e`` is minus the surroundings' effort,
    passive for any stiffness, and stable in contact with whatever is passive.

    Parameters
    ----------
    arm : Arm
    kp, kd, natural_frequency, damping_ratio, friction
        As of :class:`~twolink_dynamics.control.law.Law`: stiffness and damping are these gains
        times the reflected inertia, unless given. There is no integral: it would push harder and
        harder.
    stiffness : float or array_like, shape (n,), optional
        [N m/rad or N/m].
    damping : float or array_like, shape (n,), optional
        [N m s/rad or N s/m]; with a stiffness it is by default that of the damping ratio (1 if
        not given) for the reflected inertia.

    """

    name = 'joint_impedance'
    integrates = False

    def __init__(self, arm, kp=100.0, kd=20.0, ki=0.0, *, stiffness=None, damping=None, **options):
        self._given = self._checked(arm.n, stiffness, damping)
        super().__init__(arm, kp, kd, ki, **options)

    @staticmethod
    def _checked(n, stiffness, damping):
        return tuple(None if value is None else per_joint(name, value, n)
                     for name, value in (('stiffness', stiffness), ('damping', damping)))

    def set_gains(self, kp=100.0, kd=20.0, ki=0.0, *, stiffness=None, damping=None, **ways):
        """
        Change the gains: see :meth:`Law.set_gains`, and the class.

        A stiffness or damping that was given before stays, unless another one is given.

        """
        self._ratio = ways.get('damping_ratio')
        given = self._checked(self.n, stiffness, damping)
        before = self._given
        self._given = tuple(b if g is None else g for g, b in zip(given, before))
        try:
            super().set_gains(kp, kd, ki, **ways)
        except Exception:
            self._given = before
            raise

    def _use(self, arm):
        super()._use(arm)
        self._gravity_vector = arm.scalar.gravity_vector
        self._bias = arm.scalar.bias

    def _apply_gains(self):
        super()._apply_gains()
        stiffness, damping = self._given
        ratio = per_joint('damping_ratio', 1.0 if self._ratio is None else self._ratio, self.n)
        self._K = self._scaled[0] if stiffness is None else stiffness
        if damping is not None:
            self._D = damping
        elif stiffness is not None:
            self._D = tuple(2.0 * z * math.sqrt(k * j)
                            for z, k, j in zip(ratio, stiffness, self._inertia))
        else:
            self._D = self._scaled[1]

    @property
    def stiffness(self):
        """The stiffness in force [N m/rad or N/m], a tuple of n floats."""
        return self._K

    @property
    def damping(self):
        """The damping in force [N m s/rad or N s/m], a tuple of n floats."""
        return self._D

    def effort(self, t, q, qd, desired):
        """Return the efforts: see :meth:`Law.effort`."""
        q_d, qd_d, qdd_d = desired
        # C(q, qd) qd_d by polarisation, as in the passivity law.
        middle = [0.5 * (w + v) for w, v in zip(qd, qd_d)]
        half = [0.5 * (w - v) for w, v in zip(qd, qd_d)]
        tau = [x - b + g + k * (a - y) - 2.0 * d * s for x, b, g, k, a, y, d, s in zip(
            self._inverse_dynamics(q, middle, qdd_d), self._bias(q, half),
            self._gravity_vector(q), self._K, q_d, q, self._D, half)]
        return self._with_friction(tau, qd, qd_d)
