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

"""A supervisor of the arm: contacts, speeds and errors too large, efforts that act wrongly."""

from typing import TYPE_CHECKING

from twolink_dynamics.array_types import Vector
from twolink_dynamics.control.observer import ContactMonitor, MomentumObserver
from twolink_dynamics.tracking.effort_direction import DirectionMonitor
from twolink_dynamics.tracking.velocity_monitor import VelocityMonitor

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm

__all__ = ['Supervisor']


class Supervisor:
    """
    Estimate the external efforts, and say why a motion must end: a contact, or the speed.

    Parameters
    ----------
    arm : Arm
    friction : bool
        Whether the description's friction is part of the model.

    Attributes
    ----------
    external : tuple of float, length n, or None
        The estimate [N m or N]; None if there is no observer.
    direction_monitor : DirectionMonitor
        What the arm does with its efforts.
    too_fast : bool
        Whether the last reason was a speed.
    hold_tolerance : tuple of float, length n
        A larger error without a trajectory is too large [rad or m]; 0 for unlimited.
    observer_class, contact_monitor_class, velocity_monitor_class, direction_monitor_class : type
        What it watches with; a derived class may name others.

    """

    observer_class = MomentumObserver
    contact_monitor_class = ContactMonitor
    velocity_monitor_class = VelocityMonitor
    direction_monitor_class = DirectionMonitor
    hold_tolerance: Vector
    external: tuple[float, ...] | None
    _observer: MomentumObserver | None
    _contact_monitor: ContactMonitor | None
    _velocity_monitor: VelocityMonitor | None
    _contact: str | None

    def __init__(self, arm: 'Arm', friction: bool = True) -> None:
        self._arm, self._friction = arm, friction
        self._observer = self._contact_monitor = self._velocity_monitor = None
        self.external = self._contact = None
        self._gain = 0.0
        self.direction_monitor = self.direction_monitor_class(arm, friction)
        self.hold_tolerance, self.too_fast = (0.0,) * arm.n, False

    def set_limits(self, gain: float, threshold: Vector, factor: float) -> None:
        """
        Change what is configured.

        Parameters
        ----------
        gain : float
            Of the estimate [1/s]; 0 for no estimate.
        threshold : sequence of float
            A larger external effort is a contact [N m or N]; 0 for none.
        factor : float
            A joint is too fast beyond so many times its velocity limit; 0 for unlimited.

        Raises
        ------
        ShapeError, NonFiniteError, ParameterError
            If a number is wrong; nothing has changed then.

        """
        arm = self._arm
        contact = (self.contact_monitor_class(arm.joint_names, threshold) if any(threshold)
                   else None)
        if gain != self._gain:
            if gain and self._observer is not None:
                self._observer.set_gain(gain)
                self._observer.reset()
            else:
                self._observer = self.observer_class(arm, gain, self._friction) if gain else None
            self._gain, self.external = gain, (0.0,) * arm.n if gain else None
        self._contact_monitor = contact
        self._velocity_monitor = self.velocity_monitor_class(
            arm.joint_names, arm.limits.velocity, factor) if factor else None

    def set_arm(self, arm: 'Arm') -> None:
        """
        Go on with another model.

        Parameters
        ----------
        arm : Arm
            Of the same joints.

        """
        self._arm = arm
        self.direction_monitor.set_arm(arm)
        if self._observer is not None:
            self._observer.set_arm(arm)

    def restart(self) -> None:
        """Forget what was: the states broke off."""
        for part in (self._observer, self._contact_monitor, self._velocity_monitor,
                     self.direction_monitor):
            if part is not None:
                part.reset()
        self._contact = None

    def update(self, t: float, q: Vector, qd: Vector, tau: Vector | None) -> str | None:
        """
        Return why the motion must end now, or None.

        Parameters
        ----------
        t : float
            [s].
        q, qd : sequence of float, length n
        tau : sequence of float, length n, or None
            What was held since the last state.

        Returns
        -------
        reason : str or None
            Once for each contact.

        """
        reason, self.too_fast = None, False
        if self._velocity_monitor is not None:
            reason = self._velocity_monitor.check(t, qd)
            if reason is not None:
                self.too_fast = True
                self._velocity_monitor.reset()
        if self._observer is not None and tau is not None:
            self.external = self._observer.update(t, q, qd, tau)
            reason = self._new_contact(t, self.external) or reason
        return reason

    def large_error(self, error: Vector, share: float = 1.0) -> str | None:
        """
        Return which joint is too far from where it is to be, in words, or None.

        Parameters
        ----------
        error : sequence of float, length n
            Desired minus actual position.
        share : float
            Of the tolerance.

        Returns
        -------
        reason : str or None

        """
        for name, x, most in zip(self._arm.joint_names, error, self.hold_tolerance):
            if most and not abs(x) <= share * most:
                return f'joint "{name}" has a position error of {x:.6g}, the tolerance of ' \
                       f'holding is {most:.6g}'
        return None

    def _new_contact(self, t: float, external: Vector) -> str | None:
        monitor, before = self._contact_monitor, self._contact
        if monitor is None:
            return None
        self._contact = joint = monitor.update(t, external)
        if joint is None or before is not None:
            return None
        k = self._arm.joint_names.index(joint)
        return (f'contact: joint "{joint}" feels {external[k]:.6g}, the threshold is '
                f'{monitor.threshold[k]:.6g}')
