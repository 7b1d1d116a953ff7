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


"""The simulated arm: rigid bodies with joint friction, effort limits and joint stops."""

from dataclasses import dataclass
import math

import numpy as np

from ..errors import DivergenceError, NonFiniteError, ParameterError, ShapeError
from .impulses import resting_impulses
from .integrators import stepper

__all__ = ['Plant', 'PlantOptions']

# [rad/s or m/s]: no arm moves so fast; a simulation that does has left the finite in all but name.
SPEED_BEYOND_REASON = 1e6


@dataclass(frozen=True)
class PlantOptions:
    """
    What a simulated arm has besides its rigid bodies.

    Attributes
    ----------
    damping, friction : sequence of float, length n, or None
        Viscous coefficients [N m s/rad or N s/m] and Coulomb friction [N m or N] in place of those
        of the arm's description.
    stops : bool
        Whether joints stop (without rebound) at their position limits.
    effort_limits : bool
        Whether efforts saturate at the joints' limits.
    method : str
        The integrator: see :data:`twolink_dynamics.simulation.integrators.METHODS`.

    """

    damping: tuple = None
    friction: tuple = None
    stops: bool = True
    effort_limits: bool = True
    method: str = 'rk4'


def _vector(name, values, n):
    array = np.array(values, dtype=np.float64)
    if array.shape != (n,):
        raise ShapeError(name, f'({n},), one per joint', array.shape)
    for k, value in enumerate(array.tolist()):
        if not math.isfinite(value):
            raise NonFiniteError(name, (k,), value)
    return tuple(array.tolist())


def _not_negative(name, values, n):
    values = _vector(name, values, n)
    if min(values) < 0.0:
        raise ParameterError(name, values, 'no negative coefficient')
    return values


class Plant:
    """
    An arm that moves in time steps, with the effort held over each step.

    Viscous friction acts in the equations of motion. Coulomb friction is constant while a joint
    slides; where it comes to rest, or rests, impulses within the friction's bound keep it there,
    so that it sticks truly. A joint that reaches a position limit stops there without rebound; the
    impulse acts through the mass matrix on the others.

    Parameters
    ----------
    arm : Arm
    dt : float
        Time step [s].
    q0, qd0 : array_like, shape (n,), optional
        Where :meth:`reset` starts; the default is rest at zero, or at the limit next to it.
    options : PlantOptions, optional

    Attributes
    ----------
    t : float
        Time [s].
    q, qd : sequence of float, length n
        The present state.
    tau : sequence of float, length n
        The efforts of the last step, as they were applied.

    Raises
    ------
    ShapeError, NonFiniteError, ParameterError
        If an argument is none of the arm's, such as a start beyond the limits.

    """

    def __init__(self, arm, dt=1e-3, q0=None, qd0=None, options=None):
        self.arm, self.n = arm, arm.n
        self.options = options = options or PlantOptions()
        if not (isinstance(dt, (int, float)) and 0.0 < dt < math.inf):
            raise ParameterError('dt', dt, 'a time step in seconds, above 0')
        self.dt = float(dt)
        joints = arm.chain.joints
        damping = [j.damping for j in joints] if options.damping is None else options.damping
        friction = [j.friction for j in joints] if options.friction is None else options.friction
        self._damping = _not_negative('damping', damping, self.n)
        self._friction = _not_negative('friction', friction, self.n)
        self._set_limits()
        zero = (0.0,) * self.n
        self._start = self._checked_start(q0, zero if qd0 is None else qd0)
        self._advance = stepper(options.method, self._acceleration(), self.n)
        self.reset()

    def _set_limits(self):
        limits, options = self.arm.limits, self.options
        infinite = np.full(self.n, math.inf)
        lower, upper = (limits.lower, limits.upper) if options.stops else (-infinite, infinite)
        effort = limits.effort if options.effort_limits else infinite
        self._lower, self._upper = tuple(map(float, lower)), tuple(map(float, upper))
        self._effort = tuple(map(float, effort))
        self._has_contact = (any(self._friction) or any(map(math.isfinite, self._lower))
                             or any(map(math.isfinite, self._upper)))

    def _checked_start(self, q0, qd0):
        if q0 is None:
            q0 = [min(max(0.0, low), high) for low, high in zip(self._lower, self._upper)]
        q0, qd0 = _vector('q0', q0, self.n), _vector('qd0', qd0, self.n)
        for name, q, low, high in zip(self.arm.joint_names, q0, self._lower, self._upper):
            if not low <= q <= high:
                raise ParameterError(f'q0 of joint "{name}"', q,
                                     f'a position within its limits [{low:g}, {high:g}]')
        return q0, qd0

    def _acceleration(self):
        forward_dynamics, damping = self.arm.scalar.forward_dynamics, self._damping
        if not any(damping):
            return forward_dynamics
        if self.n == 2:
            b1, b2 = damping

            def damped_two(q, qd, tau):
                v1, v2 = qd
                return forward_dynamics(q, qd, (tau[0] - b1 * v1, tau[1] - b2 * v2))
            return damped_two

        def damped(q, qd, tau):
            return forward_dynamics(q, qd, [x - b * v for x, b, v in zip(tau, damping, qd)])
        return damped

    def reset(self, q0=None, qd0=None):
        """
        Go back to the start, at time zero.

        Parameters
        ----------
        q0, qd0 : array_like, shape (n,), optional
            Another start, from now on.

        Raises
        ------
        ShapeError, NonFiniteError, ParameterError
            If the start is none; the plant then stays as it was.

        """
        if q0 is not None or qd0 is not None:
            self._start = self._checked_start(self._start[0] if q0 is None else q0,
                                              (0.0,) * self.n if qd0 is None else qd0)
        self.q, self.qd = self._start
        self.tau = (0.0,) * self.n
        self.steps = 0
        self.saturated = False

    @property
    def t(self):
        """Time since the start [s]."""
        return self.steps * self.dt

    def step(self, tau):
        """
        Advance by one time step.

        Parameters
        ----------
        tau : sequence of float, length n
            Efforts [N m or N], held over the step; applied within the effort limits.

        Returns
        -------
        q, qd : sequence of float, length n
            The new state.

        Raises
        ------
        NonFiniteError
            If an effort is no finite number; the plant then stays as it was.
        DivergenceError
            If the state leaves the finite; it then stays at the last finite one.

        """
        applied = [h if x > h else -h if x < -h else x for x, h in zip(tau, self._effort)]
        for k, x in enumerate(applied):
            if x - x != 0.0:
                raise NonFiniteError('tau', (k,), tau[k])
        try:
            q, qd = (self._contact_step(applied) if self._has_contact else
                     self._advance(self.q, self.qd, applied, self.dt))
            for v in qd:
                if not -SPEED_BEYOND_REASON < v < SPEED_BEYOND_REASON:
                    raise OverflowError
        except (OverflowError, ValueError, ZeroDivisionError):
            # Trigonometry refuses infinity, products overflow: both are the same event.
            raise DivergenceError(self.t + self.dt, self.q, self.qd) from None
        self.q, self.qd, self.tau = q, qd, applied
        self.steps += 1
        return q, qd

    def _contact_step(self, tau):
        """Return the state after a step with Coulomb friction and stops."""
        q0, qd0, dt = self.q, self.qd, self.dt
        sliding = [-c if v > 0.0 else c if v < 0.0 else 0.0 for c, v in zip(self._friction, qd0)]
        q, qd = self._advance(q0, qd0, [x + f for x, f in zip(tau, sliding)], dt)
        bounds = {}
        for i, (c, f) in enumerate(zip(self._friction, sliding)):
            if c and qd0[i] * qd[i] <= 0.0:
                bounds[i] = ((-c - f) * dt, (c - f) * dt)
        for i, (p, low, high) in enumerate(zip(q, self._lower, self._upper)):
            if p >= high:
                bounds[i] = (-math.inf, bounds.get(i, (0.0, 0.0))[1])
            elif p <= low:
                bounds[i] = (bounds.get(i, (0.0, 0.0))[0], math.inf)
        return self._at_rest(q, qd, bounds) if bounds else (q, qd)

    def _at_rest(self, q, qd, bounds):
        q0, qd0 = self.q, self.qd
        change, resting = resting_impulses(self.arm.scalar.mass_matrix(q0), qd, bounds)
        h = 0.5 * self.dt
        # The impulse is a force held over the step, so half of its velocity change times the step
        # is its displacement; a joint that rested and rests has none, to the last bit.
        q = [a if i in resting and v == 0.0 else p + h * dv
             for i, (a, v, p, dv) in enumerate(zip(q0, qd0, q, change))]
        qd = [0.0 if i in resting else v + dv for i, (v, dv) in enumerate(zip(qd, change))]
        return ([min(max(p, low), high) for p, low, high in zip(q, self._lower, self._upper)], qd)
