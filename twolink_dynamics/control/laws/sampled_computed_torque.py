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

"""Computed torque for efforts that are held over a period: exact to the second order in it."""

import math
from typing import Any, TYPE_CHECKING

from twolink_dynamics.array_types import DesiredState, PerJoint, Vector
from twolink_dynamics.control.laws.computed_torque import ComputedTorque
from twolink_dynamics.validation import number

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm

__all__ = ['SampledComputedTorque', 'sampled_gains']


def sampled_gains(kp: Vector, kd: Vector,
                  period: float) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """
    Return the gains that give a double integrator the same poles when its input is held.

    Parameters
    ----------
    kp, kd : sequence of float, length n
        Of the error equation in continuous time [1/s^2, 1/s].
    period : float
        How long an input is held [s].

    Returns
    -------
    kp, kd : tuple of float, length n
        The sampled error has the poles ``exp(s period)`` for the poles s of
        ``s^2 + kd s + kp = 0``.

    """
    held = []
    for p, d in zip(kp, kd):
        rest = 0.25 * d * d - p
        root, decay = math.sqrt(abs(rest)) * period, 0.5 * d * period
        trace = (math.exp(root - decay) + math.exp(-root - decay) if rest > 0.0 else
                 2.0 * math.exp(-decay) * math.cos(root))
        det = math.exp(-2.0 * decay)
        held.append(((1.0 - trace + det) / (period * period), (3.0 - trace - det) / (2 * period)))
    return tuple(p for p, _ in held), tuple(d for _, d in held)


class SampledComputedTorque(ComputedTorque):
    """
    Computed torque that reckons with its effort being held until the next call.

    An effort is right for the state it was computed from; held over a period it is half a period
    late on the average. Here the model is evaluated for the middle of the period, where the arm
    will be then, and the gains are those that give the held loop its poles
    (:func:`sampled_gains`). What is left is of the second order in the period.

    Give it the desired acceleration of the middle of the period, too
    (:attr:`lead`, :func:`~twolink_dynamics.trajectory.ahead`), and position and velocity of now.

    Parameters
    ----------
    arm : Arm
    period : float
        Between two calls [s].
    kp, kd, ki, natural_frequency, damping_ratio, friction
        As of :class:`~twolink_dynamics.control.laws.computed_torque.ComputedTorque`.

    Raises
    ------
    ParameterError
        If the period is not above 0, or as there.

    """

    name = 'sampled_computed_torque'

    def __init__(self, arm: 'Arm', kp: PerJoint | None = None, kd: PerJoint | None = None,
                 ki: PerJoint | None = None, *, period: float = 1e-3, **options: Any) -> None:
        super().__init__(arm, kp, kd, ki, **options)
        self.period = number('period', period, above=0.0)
        self.lead = 0.5 * self.period

    def _gains_changed(self) -> None:
        self._held = sampled_gains(self._kp, self._kd, self.period)

    def effort(self, t: float, q: Vector, qd: Vector, desired: DesiredState) -> Vector:
        """Return the efforts: see :meth:`Law.effort`, and the class for `desired`."""
        kp, kd = self._held
        q_d, qd_d, qdd_d = desired
        qdd = [a + d * (v - w) + p * (x - y) + i for a, d, v, w, p, x, y, i in
               zip(qdd_d, kd, qd_d, qd, kp, q_d, q, self._integral)]
        half = self.lead
        # An acceleration beyond reason (a first error, a jump of the desired state) makes the
        # prediction no worse than none: it is what the arm does, if nothing limits the effort.
        middle = [y + half * (w + 0.5 * half * a) for y, w, a in zip(q, qd, qdd)]
        rate = [w + half * a for w, a in zip(qd, qdd)]
        tau = self._with_friction(self._model.inverse_dynamics(middle, rate, qdd), rate, qd_d)
        if self._integrates:
            self._integrate(t, q, q_d, tau)
        return tau
