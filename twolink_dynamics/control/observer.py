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

"""Efforts of the surroundings, estimated from the arm's momentum without a force sensor."""

import math
from typing import Sequence, TYPE_CHECKING

from twolink_dynamics.array_types import PerJoint, Vector
from twolink_dynamics.control.friction_compensation import friction_coefficients, friction_effort
from twolink_dynamics.control.law import LONGEST_STEP
from twolink_dynamics.validation import number, per_joint

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm

__all__ = ['ContactMonitor', 'MomentumObserver']


class MomentumObserver:
    r"""
    Estimate the efforts that the surroundings exert on the joints (De Luca and Mattone, 2003).

    The generalised momentum :math:`p = M \dot q` changes by
    :math:`\dot p = \tau + C^T \dot q - G - F + \tau_{ext}`. The estimate r follows
    :math:`\tau_{ext}` in first order, ``r' = gain (tau_ext - r)``, from positions, velocities and
    the efforts that were applied: no acceleration is measured or differentiated. Whatever the
    model does not know (a payload, friction) is in the estimate, too.

    Parameters
    ----------
    arm : Arm
    gain : float or array_like, shape (n,)
        [1/s]; what is faster than ``1 / gain`` is smoothed away, noise as well.
    friction : bool
        Whether the description's friction is part of the model.

    Attributes
    ----------
    external : tuple of float, length n
        The estimate [N m or N].

    Raises
    ------
    ShapeError, NonFiniteError, ParameterError
        If a gain is none.

    """

    def __init__(self, arm: 'Arm', gain: PerJoint = 50.0, friction: bool = True) -> None:
        self.n, self._compensates_friction = arm.n, bool(friction)
        MomentumObserver.set_gain(self, gain)
        self._take_arm(arm)
        MomentumObserver.reset(self)

    def set_gain(self, gain: PerJoint) -> None:
        """
        Change the gain: the estimate goes on from where it is.

        Parameters
        ----------
        gain : float or array_like, shape (n,)

        """
        self.gain = per_joint('gain', gain, self.n, above=0.0)
        self._t: float | None = None

    def set_arm(self, arm: 'Arm') -> None:
        """
        Go on with another model, from an estimate of zero.

        Parameters
        ----------
        arm : Arm
            Of the same joints.

        """
        self._take_arm(arm)
        self.reset()

    def _take_arm(self, arm: 'Arm') -> None:
        self.arm = arm
        self._friction = friction_coefficients(arm) if self._compensates_friction else None

    def reset(self) -> None:
        """Forget everything; the estimate is zero until the second state."""
        self.external: tuple[float, ...] = (0.0,) * self.n
        self._t = None

    def update(self, t: float, q: Vector, qd: Vector, tau: Vector) -> tuple[float, ...]:
        """
        Return the estimate for a state.

        Parameters
        ----------
        t : float
            The state's time [s].
        q, qd : sequence of float, length n
        tau : sequence of float, length n
            The efforts that were held from the last state to this one [N m or N].

        Returns
        -------
        external : tuple of float, length n
            As before if a number is not finite or the time did not advance. After a gap the
            estimate goes on from where it is.

        """
        if not all(map(math.isfinite, (t, *q, *qd, *tau))):
            return self.external
        dt = 0.0 if self._t is None else t - self._t
        if self._t is not None and dt == 0.0:
            return self.external
        if 0.0 < dt <= LONGEST_STEP:
            needed = self._needed(dt, q, qd)
            # The first-order lag, solved exactly for what is constant over the step.
            self.external = tuple(
                r + (1.0 - math.exp(-k * dt)) * (x - y - r)
                for r, k, x, y in zip(self.external, self.gain, needed, tau))
        self._t, self._before = t, (tuple(q), tuple(qd))
        return self.external

    def _needed(self, dt: float, q: Vector, qd: Vector) -> Vector:
        """
        Return the efforts that explain how the momentum changed over a step.

        ``(p - p0) / dt - C' qd + G + F``, but without a Coriolis matrix: as ``C' qd`` is
        ``M' qd - C qd``, and M' times the step is the difference of M, it is the inverse dynamics
        in the middle of the step with the mean acceleration, to the second order in the step.

        """
        q0, qd0 = self._before
        middle = [0.5 * (a + b) for a, b in zip(q, q0)]
        rate = [0.5 * (a + b) for a, b in zip(qd, qd0)]
        tau = self.arm.scalar.inverse_dynamics(
            middle, rate, [(a - b) / dt for a, b in zip(qd, qd0)])
        if self._friction is None:
            return tau
        return friction_effort(tau, self._friction, rate, rate)


class ContactMonitor:
    """
    Tell contact from the estimated efforts of the surroundings.

    Parameters
    ----------
    joint_names : sequence of str
    threshold : float or array_like, shape (n,)
        [N m or N]; 0 for a joint that is not watched.
    patience : float
        How long an estimate must be beyond the threshold [s].

    Attributes
    ----------
    contact : str or None
        The joint that feels the contact, the most in proportion; with two fifths less than the
        threshold it is over.

    """

    RELEASE = 0.6

    def __init__(self, joint_names: Sequence[str], threshold: PerJoint,
                 patience: float = 0.0) -> None:
        self.joint_names = tuple(joint_names)
        self.threshold = per_joint('threshold', threshold, len(self.joint_names), low=0.0)
        self.patience = number('patience', patience, 0.0)
        ContactMonitor.reset(self)

    def reset(self) -> None:
        """Forget the contact."""
        self.contact: str | None = None
        self._since: float | None = None

    def update(self, t: float, external: Vector) -> str | None:
        """
        Return the joint that feels a contact, or None.

        Parameters
        ----------
        t : float
            [s].
        external : sequence of float, length n

        Returns
        -------
        joint : str or None

        """
        use = [abs(x) / h if h else 0.0 for x, h in zip(external, self.threshold)]
        largest = max(use)
        if self.contact is not None:
            if largest < self.RELEASE:
                self.reset()
            return self.contact
        if not largest > 1.0:
            self._since = None
            return None
        if self._since is None or t < self._since:
            self._since = t
        if t - self._since >= self.patience:
            self.contact = self.joint_names[use.index(largest)]
        return self.contact
