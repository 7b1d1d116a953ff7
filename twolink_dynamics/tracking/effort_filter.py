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

"""An effort filter between the law and the arm: only efforts that may be sent pass it."""

from typing import TYPE_CHECKING

from twolink_dynamics.array_types import PerJoint, Vector
from twolink_dynamics.tracking.bumpless_transfer import BumplessTransfer
from twolink_dynamics.tracking.effort_limits import all_finite, clamp_effort, EffortLimiter
from twolink_dynamics.tracking.soft_position_limits import SoftPositionLimits

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm

__all__ = ['EffortFilter']


class EffortFilter:
    """
    Turn a law's efforts into those that may be sent.

    In this order: none if one is not finite; no jump where law, gains or model changed; pushed
    back at the position limits; within the effort limits, and within their rate.

    Parameters
    ----------
    arm : Arm

    Attributes
    ----------
    bumpless : BumplessTransfer
    limiter : EffortLimiter
    soft_limits : SoftPositionLimits
    lagging : float
        How long the rate limit has kept the effort from what it is to be [s].
    bumpless_class, limiter_class, soft_limits_class : type
        What these are made of; a derived class may name others.

    """

    bumpless_class = BumplessTransfer
    limiter_class = EffortLimiter
    soft_limits_class = SoftPositionLimits

    def __init__(self, arm: 'Arm') -> None:
        self._arm = arm
        self.bumpless = self.bumpless_class(arm.n)
        self.limiter = self.limiter_class(arm.limits.effort)
        self.soft_limits = self.soft_limits_class(arm, 0.0)
        self._applied: tuple[float | None, Vector | None] = (None, None)
        self.lagging = 0.0

    @property
    def saturated(self) -> bool:
        """Whether the last effort was limited."""
        return any(self.limiter.saturated)

    def set_limits(self, rate: PerJoint | None, margin: PerJoint, blend: float) -> None:
        """
        Change what is configured.

        Parameters
        ----------
        rate : float or sequence of float, or None
            Largest change of effort [N m/s or N/s]; None for unlimited.
        margin : float or sequence of float
            Of the soft position limits [rad or m].
        blend : float
            How long a jump fades [s].

        Raises
        ------
        ShapeError, NonFiniteError, ParameterError
            If a number is wrong; nothing has changed then.

        """
        limiter = self.limiter_class(self._arm.limits.effort, rate)
        soft_limits = self.soft_limits_class(self._arm, margin)
        limiter.reset(*self._applied)
        self.limiter, self.soft_limits = limiter, soft_limits
        self.bumpless.duration = float(blend)

    def apply(self, t: float, q: Vector, qd: Vector, tau: Vector) -> list[float] | None:
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
        push = self.soft_limits.effort(q, qd)
        if self.soft_limits.active:
            tau = [x + y for x, y in zip(tau, push)]
            if not all_finite(tau):
                return None
        sent = self.limiter.apply(t, tau)
        if self.limiter.rate is not None:
            late = sent != clamp_effort(tau, self.limiter.limit)[0]
            before = t if self._applied[0] is None else self._applied[0]
            self.lagging = self.lagging + max(t - before, 0.0) if late else 0.0
        self._applied = t, sent
        return sent

    def restart(self, t: float, tau: Vector | None) -> None:
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
        self.lagging = 0.0
        self.limiter.reset(t, tau)
        self._applied = t, tau
