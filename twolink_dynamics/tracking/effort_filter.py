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

"""What stands between the law and the arm: efforts that may be sent, and no others."""

from twolink_dynamics.tracking.bumpless import Bumpless
from twolink_dynamics.tracking.safety import all_finite, EffortLimiter, SoftPositionLimits

__all__ = ['EffortFilter']


class EffortFilter:
    """
    Make of a law's efforts those that may be sent.

    In this order: finite or none; no jump where law, gains or model changed; pushed back at the
    position limits; within the effort limits, and within their rate.

    Parameters
    ----------
    arm : Arm

    Attributes
    ----------
    bumpless : Bumpless
    limiter : EffortLimiter
    soft : SoftPositionLimits

    """

    def __init__(self, arm):
        self._arm = arm
        self.bumpless = Bumpless(arm.n)
        self.limiter = EffortLimiter(arm.limits.effort)
        self.soft = SoftPositionLimits(arm, 0.0)
        self._applied = (None, None)

    @property
    def saturated(self):
        """Whether the last effort was limited."""
        return any(self.limiter.saturated)

    def set_limits(self, rate, margin, blend):
        """
        Change what is configured.

        Parameters
        ----------
        rate : float or sequence of float, or None
            Largest change of effort [N m/s or N/s].
        margin : float or sequence of float
            Of the soft position limits [rad or m].
        blend : float
            How long a jump fades [s].

        Raises
        ------
        TwoLinkError
            If there are not as many numbers as joints; nothing has changed then.

        """
        limiter = EffortLimiter(self._arm.limits.effort, rate)
        soft = SoftPositionLimits(self._arm, margin)
        limiter.reset(*self._applied)
        self.limiter, self.soft, self.bumpless.duration = limiter, soft, float(blend)

    def effort(self, t, q, qd, tau):
        """
        Return what may be sent.

        Parameters
        ----------
        t : float
            [s].
        q, qd : sequence of float, length n
        tau : sequence of float, length n
            The law's.

        Returns
        -------
        tau : list of float, length n, or None
            None where it is not finite.

        """
        if not all_finite(tau):
            return None
        tau = self.bumpless.apply(t, tau)
        push = self.soft.effort(q, qd)
        if self.soft.active:
            tau = [x + y for x, y in zip(tau, push)]
            if not all_finite(tau):
                return None
        tau = self.limiter.apply(t, tau)
        self._applied = t, tau
        return tau

    def restart(self, t, tau):
        """
        Begin anew with what is applied now: no difference fades, the rate counts from here.

        Parameters
        ----------
        t : float
            [s].
        tau : sequence of float, length n, or None
            None: the next effort may be any.

        """
        self.bumpless.reset()
        self.limiter.reset(t, tau)
        self._applied = t, tau
