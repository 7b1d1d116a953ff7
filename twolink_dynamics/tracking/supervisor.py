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

"""What the arm is watched for: contacts, and joints that are too fast."""

from twolink_dynamics.control.observer import ContactMonitor, MomentumObserver
from twolink_dynamics.tracking.safety import VelocityMonitor

__all__ = ['Supervisor']


class Supervisor:
    """
    Estimate the surroundings' efforts, and say why a motion must end: a contact, or the speed.

    Parameters
    ----------
    arm : Arm
    friction : bool
        Whether the description's friction is part of the model.

    Attributes
    ----------
    external : tuple of float, length n, or None
        The estimate [N m or N]; None: none is made.

    """

    def __init__(self, arm, friction=True):
        self._arm, self._friction = arm, friction
        self._observer = self._contact = self._velocity = None
        self._gain, self._touched = 0.0, None
        self.external = None

    def set_limits(self, gain, threshold, factor):
        """
        Change what is configured.

        Parameters
        ----------
        gain : float
            Of the estimate [1/s]; 0 for none.
        threshold : sequence of float
            What is a contact [N m or N]; 0 for none.
        factor : float
            Of the velocity limits; 0 for none.

        Raises
        ------
        TwoLinkError
            If there are not as many numbers as joints; nothing has changed then.

        """
        arm = self._arm
        contact = ContactMonitor(arm.joint_names, threshold) if any(threshold) else None
        if gain != self._gain:
            self._gain = gain
            self._observer = MomentumObserver(arm, gain, self._friction) if gain else None
            self.external = (0.0,) * arm.n if gain else None
        self._contact = contact
        self._velocity = VelocityMonitor(arm.joint_names, arm.limits.velocity,
                                         factor) if factor else None

    def set_arm(self, arm):
        """
        Go on with another model.

        Parameters
        ----------
        arm : Arm

        """
        self._arm = arm
        if self._observer is not None:
            self._observer.set_arm(arm)

    def restart(self):
        """Forget what was: the states broke off."""
        for part in (self._observer, self._contact, self._velocity):
            if part is not None:
                part.reset()
        self._touched = None

    def update(self, t, q, qd, tau):
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
        reason = None
        if self._velocity is not None:
            reason = self._velocity.check(t, qd)
            if reason is not None:
                self._velocity.reset()
        if self._observer is not None and tau is not None:
            self.external = self._observer.update(t, q, qd, tau)
            reason = self._touch(t) or reason
        return reason

    def _touch(self, t):
        if self._contact is None:
            return None
        before, self._touched = self._touched, self._contact.update(t, self.external)
        if self._touched is None or before is not None:
            return None
        k = self._arm.joint_names.index(self._touched)
        return (f'contact: joint "{self._touched}" feels {self.external[k]:.6g}, the threshold is '
                f'{self._contact.threshold[k]:.6g}')
