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

"""Passivity-based tracking, after Slotine and Li (theory.md C3)."""

from twolink_dynamics.array_types import DesiredState, Vector
from twolink_dynamics.control.joint_feedback import JointFeedback

__all__ = ['Passivity', 'reference_motion']


def reference_motion(rates: Vector, q: Vector, qd: Vector,
                     desired: DesiredState) -> tuple[list[float], list[float]]:
    """
    Return the reference velocity and acceleration: the desired ones, corrected by the error.

    Parameters
    ----------
    rates : sequence of float, length n
        Lambda of theory.md C3 [1/s].
    q, qd : sequence of float, length n
    desired : tuple of three sequences of float, length n

    Returns
    -------
    qd_r, qdd_r : list of float, length n
        ``qd_d + Lambda e`` and its derivative.

    """
    q_d, qd_d, qdd_d = desired
    return ([v + r * (a - b) for v, r, a, b in zip(qd_d, rates, q_d, q)],
            [u + r * (v - w) for u, r, v, w in zip(qdd_d, rates, qd_d, qd)])


class Passivity(JointFeedback):
    r"""
    Passivity-based tracking: the model shapes the arm's energy instead of cancelling its motion.

    .. math:: \tau = M \ddot q_r + C(q, \dot q) \dot q_r + G + F - K s, \quad
              s = \dot q - \dot q_r, \quad \dot q_r = \dot q_d + \Lambda e

    With this C, ``dM/dt - 2 C`` is skew-symmetric, so ``s' M s / 2`` falls by ``s' K s`` in any
    posture at any speed (theory.md C3), whatever K.

    Parameters
    ----------
    arm : Arm
    kp, kd, natural_frequency, damping_ratio, friction
        As of :class:`~twolink_dynamics.control.law.Law`. With critical damping Lambda is the
        natural frequency, and K that times the joint's reflected inertia. In general Lambda is
        ``kd / 2`` and K is ``2 kp / kd`` times the inertia, whose product is `kp`. There is no
        integral.

    Notes
    -----
    ``C(q, qd) qd_r`` is the symmetric bilinear form of the velocity products whose quadratic form
    the engine evaluates: ``b(u, v) = b(m, m) - b(d, d)`` with half of the sum and half of the
    difference, ``m = (u + v) / 2`` and ``d = (u - v) / 2``. It takes inverse dynamics twice.

    """

    name = 'passivity'
    integrates = False

    def _gains_changed(self) -> None:
        super()._gains_changed()
        self._rates = tuple(0.5 * d for d in self._kd)
        self._K = tuple(2.0 * j * p / d if d else 0.0
                        for j, p, d in zip(self._inertia, self._kp, self._kd))

    @property
    def rates(self) -> tuple[float, ...]:
        """Lambda, the rates at which the error decays along s = 0 [1/s], a tuple of n floats."""
        return self._rates

    @property
    def sliding_gain(self) -> tuple[float, ...]:
        """K, what drives the arm to s = 0 [N m s/rad or N s/m], a tuple of n floats."""
        return self._K

    def effort(self, t: float, q: Vector, qd: Vector, desired: DesiredState) -> Vector:
        """Return the efforts: see :meth:`Law.effort`."""
        qd_r, qdd_r = reference_motion(self._rates, q, qd, desired)
        middle = [0.5 * (w + v) for w, v in zip(qd, qd_r)]
        half = [0.5 * (w - v) for w, v in zip(qd, qd_r)]
        tau = [x - b + g - 2.0 * k * s for x, b, g, k, s in zip(
            self._model.inverse_dynamics(q, middle, qdd_r), self._model.bias(q, half),
            self._model.gravity_vector(q), self._K, half)]
        return self._with_friction(tau, qd, desired[1])
