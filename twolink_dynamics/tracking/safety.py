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

"""What stands between a law and an arm: efforts are finite and within the limits, or not sent."""

from math import inf, isfinite

from twolink_dynamics.control.gains import per_joint, reflected_inertia
from twolink_dynamics.errors import ParameterError

__all__ = [
    'EffortLimiter', 'SoftPositionLimits', 'VelocityMonitor', 'all_finite', 'clamp_effort',
    'first_non_finite',
]


def all_finite(*vectors):
    """
    Tell whether every number is finite.

    Parameters
    ----------
    *vectors : sequence of float

    Returns
    -------
    finite : bool

    """
    for vector in vectors:
        for value in vector:
            if not isfinite(value):
                return False
    return True


def first_non_finite(vector):
    """
    Return the index of the first number that is not finite, or None.

    Parameters
    ----------
    vector : sequence of float

    Returns
    -------
    index : int or None

    """
    return next((k for k, value in enumerate(vector) if not isfinite(value)), None)


def clamp_effort(tau, limit):
    """
    Return the efforts within their limits, and whether that changed any.

    Parameters
    ----------
    tau : sequence of float, length n
        Efforts [N m or N]. NaN is not for here: ask :func:`all_finite` before.
    limit : sequence of float, length n
        Largest magnitudes, not negative; infinite where there is none.

    Returns
    -------
    tau : list of float
    saturated : bool

    """
    clamped = [h if x > h else -h if x < -h else x for x, h in zip(tau, limit)]
    return clamped, clamped != list(tau)


class EffortLimiter:
    """
    Keep efforts, and how fast they change, within limits.

    Parameters
    ----------
    limit : sequence of float, length n
        Largest magnitudes [N m or N]; infinite where there is none.
    rate : float or array_like, shape (n,), optional
        Largest change per second [N m/s or N/s], above 0; no limit if not given.

    Attributes
    ----------
    saturated : tuple of bool, length n
        Which efforts the last call changed: tell the law (``law.saturated = any(...)``), so that
        nothing winds up.

    """

    def __init__(self, limit, rate=None):
        self.limit = tuple(map(float, limit))
        self.n = len(self.limit)
        if rate is not None:
            rate = per_joint('rate', rate, self.n)
            if not all(rate):
                raise ParameterError('rate', rate, 'numbers above 0')
        self.rate = rate
        self.reset()

    def reset(self, t=None, tau=None):
        """
        Begin anew.

        Parameters
        ----------
        t : float, optional
            Now [s].
        tau : sequence of float, length n, optional
            What is applied now, for the rate limit; without it the first effort may be any.

        """
        self._t, self._tau = t, tau
        self.saturated = (False,) * self.n

    def apply(self, t, tau):
        """
        Return efforts that may be sent.

        Parameters
        ----------
        t : float
            [s]. A time that stands or goes back allows no change with a rate limit.
        tau : sequence of float, length n
            Finite.

        Returns
        -------
        tau : list of float, length n

        """
        limited, _ = clamp_effort(tau, self.limit)
        if self.rate is not None:
            if self._tau is not None:
                dt = max(t - self._t, 0.0)
                limited = [min(max(x, b - r * dt), b + r * dt)
                           for x, b, r in zip(limited, self._tau, self.rate)]
            self._t, self._tau = t, limited
        self.saturated = tuple(x != y for x, y in zip(limited, tau))
        return limited


class SoftPositionLimits:
    """
    A spring and damper before every position limit: the arm is pushed back, not stopped hard.

    Parameters
    ----------
    arm : Arm
    margin : float or array_like, shape (n,)
        How far before a limit it begins [rad or m]; 0 for at the limit.
    natural_frequency : float
        Of the joint's reflected inertia on the spring [rad/s]; damped critically.

    Attributes
    ----------
    active : tuple of str
        The joints that were pushed back in the last call.

    """

    def __init__(self, arm, margin=0.05, natural_frequency=40.0):
        self.joint_names, n = arm.joint_names, arm.n
        margin, (w, *_) = per_joint('margin', margin, n), per_joint(
            'natural_frequency', natural_frequency, n)
        ranges = [(float(a), float(b)) for a, b in zip(arm.limits.lower, arm.limits.upper)]
        # A joint whose range is less than its margins has them meet in the middle.
        margin = [min(m, 0.5 * (b - a)) for m, (a, b) in zip(margin, ranges)]
        self.lower = tuple(a + m for m, (a, _) in zip(margin, ranges))
        self.upper = tuple(b - m for m, (_, b) in zip(margin, ranges))
        self._springs = tuple((w * w * j, 2.0 * w * j) for j in reflected_inertia(arm))
        self.active = ()

    def effort(self, q, qd):
        """
        Return what is to be added to a law's efforts.

        Parameters
        ----------
        q, qd : sequence of float, length n

        Returns
        -------
        tau : list of float, length n
            Zero within the soft limits; else towards them, and never pulling outwards.

        """
        tau = [0.0] * len(self.lower)
        active = ()
        for k, (x, v, low, high) in enumerate(zip(q, qd, self.lower, self.upper)):
            if low <= x <= high:
                continue
            active += (self.joint_names[k],)
            stiffness, damping = self._springs[k]
            if x > high:
                tau[k] = -max(0.0, stiffness * (x - high) + damping * v)
            elif x < low:
                tau[k] = max(0.0, stiffness * (low - x) - damping * v)
        self.active = active
        return tau


class VelocityMonitor:
    """
    Tell when a joint is faster than it may be, for longer than a moment.

    Parameters
    ----------
    joint_names : sequence of str
    limit : sequence of float, length n
        [rad/s or m/s]; infinite where there is none.
    factor : float
        The limit times this is too fast: feedback needs some room.
    patience : float
        How long it must be so [s]: a single noisy measurement is no reason to stop.

    """

    def __init__(self, joint_names, limit, factor=1.2, patience=0.02):
        self.joint_names = tuple(joint_names)
        self.limit = tuple(factor * float(x) for x in limit)
        self.patience = float(patience)
        self._since = None

    def reset(self):
        """Forget what was."""
        self._since = None

    def check(self, t, qd):
        """
        Return what is too fast, in words, or None.

        Parameters
        ----------
        t : float
            [s].
        qd : sequence of float, length n

        Returns
        -------
        problem : str or None

        """
        worst = max(range(len(self.limit)), key=lambda k: _part(abs(qd[k]), self.limit[k]))
        if not abs(qd[worst]) > self.limit[worst]:
            self._since = None
            return None
        if self._since is None or t < self._since:
            self._since = t
        if t - self._since < self.patience:
            return None
        return (f'joint "{self.joint_names[worst]}" moves at {qd[worst]:.6g}, faster than '
                f'{self.limit[worst]:.6g}')


def _part(value, limit):
    return value / limit if limit > 0.0 else inf if value > 0.0 else 0.0
