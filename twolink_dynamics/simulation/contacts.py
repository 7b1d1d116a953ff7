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

"""
Coulomb friction and joint stops: a step from event to event.

Between events the motion is smooth: each joint slides in one direction, with constant friction, or
is held where it is, by friction or by a stop. An event ends that: a joint comes to rest or to a
stop, or what holds one does not suffice any more. It is found to the last digits by integrating
less of the step; then the modes are chosen anew. What holds a joint does no work, so friction
never gives energy, and a joint that sticks does not creep.

"""

from __future__ import annotations

import math
from typing import Callable, Sequence, TYPE_CHECKING

from twolink_dynamics.array_types import Vector
from twolink_dynamics.dynamics.resting import resting_impulses
from twolink_dynamics.simulation.event_location import first_of
from twolink_dynamics.simulation.held_joints import HeldJoints
from twolink_dynamics.simulation.impulses import step_at_once
from twolink_dynamics.simulation.integrators import Acceleration, Advance, State

if TYPE_CHECKING:
    from twolink_dynamics.simulation.energy import Ledger

__all__ = ['Contacts', 'Report']

#: Kind and joint.
Something = tuple[str, int]
#: Called with the time left of the step [s], the kind of the event, the joint, and a value.
Report = Callable[[float, str, int, float], None]

# So many events in a step, and what is still bouncing on a stop, nearer and slower than this, has
# come to rest: a bouncing ball bounces infinitely often before it does.
REBOUNDS = 40
AT_STOP, SLOW = 1e-12, 1e-3
# So many, and the rest of the step is done at once, to first order.
EVENTS = 120


class Contacts:
    """
    Steps of an arm whose joints have Coulomb friction or stops.

    Parameters
    ----------
    n : int
    acceleration : callable
        ``(q, qd, tau) -> qdd`` of the n joints without Coulomb friction and stops.
    mass_matrix : callable
        ``(q) -> n rows``.
    integrator : callable
        Makes ``advance(q, qd, tau, dt)`` of an acceleration and of the joints that it holds. It
        may carry more than n numbers.
    friction, lower, upper : sequence of float, length n
    restitution : float
    ledger : Ledger or None
        Where the work is entered.
    advance : callable or None
        ``(q, qd, tau) -> (q, qd)`` a whole time step later, if there is a quicker way.
    written_out : callable or None
        ``(held) -> advance``: what `integrator` would make for these joints held, if there is a
        quicker way.

    Attributes
    ----------
    held : tuple of int or None
        The joints that were held last; None before the first step.
    report : Report or None
        Called with each event.

    """

    def __init__(self, n: int, acceleration: Acceleration,
                 mass_matrix: Callable[[Vector], Sequence[Vector]],
                 integrator: Callable[[Acceleration, tuple[int, ...]], Advance],
                 friction: Vector, lower: Vector, upper: Vector, restitution: float = 0.0,
                 ledger: Ledger | None = None,
                 advance: Callable[[Vector, Vector, Vector], State] | None = None,
                 written_out: Callable[[tuple[int, ...]], Advance] | None = None) -> None:
        self._n, self._joints = n, range(n)
        self._acceleration, self._mass_matrix = acceleration, mass_matrix
        self._integrator, self._written_out = integrator, written_out
        self._friction, self._lower, self._upper = friction, lower, upper
        self._restitution, self._ledger, self._advance = restitution, ledger, advance
        self.report: Report | None = None
        self._held = HeldJoints(n, acceleration, mass_matrix)
        self._advances: dict[tuple[int, ...], Advance] = {}
        self._zero = (0.0,) * n
        self.reset()

    def reset(self) -> None:
        """Forget which joints were held."""
        self.held: tuple[int, ...] | None = None

    def step(self, q: Vector, qd: Vector, tau: Vector, dt: float) -> State:
        """
        Advance by a step.

        Parameters
        ----------
        q, qd : sequence of float, length n or more
        tau : sequence of float, length n
        dt : float
            [s].

        Returns
        -------
        q, qd : sequence of float

        """
        slid = None if self.held else self._slid(q, qd, tau)
        if slid is not None:
            self.held = ()
            return slid
        left, events = dt, 0
        pinned: tuple[int, ...] = ()
        while True:
            held, friction = self._modes(q, qd, tau, pinned, left)
            effort = [t + f for t, f in zip(tau, friction)]
            advance = self._advance_of(held)
            q1, qd1 = advance(q, qd, effort, left)
            broken = self._broken(q1, qd1, effort, friction, held, pinned)
            if not broken:
                self._account(tau, friction, q, q1)
                return q1, qd1
            events += 1
            if events > EVENTS:
                return step_at_once(self._advance_of(()), self._mass_matrix, q, qd, tau, left,
                                    self._friction, self._lower, self._upper)

            states = {0.0: (q, qd), left: (q1, qd1)}

            def state(h: float) -> State:
                if h not in states:
                    states[h] = advance(q, qd, effort, h)
                return states[h]

            def margin(event: Something, h: float) -> float:
                return self._margin(event, *state(h), effort, friction, held)

            def broken_at(h: float) -> list[Something]:
                return self._broken(*state(h), effort, friction, held, pinned)

            now, h = first_of(broken, left, margin, broken_at)
            q1, qd1 = state(h)
            self._account(tau, friction, q, q1)
            if h == 0.0:
                # Rounding disagrees with the choice of modes: the joint stays for this step.
                pinned = (*pinned, *[i for _, i in now])
            left -= h
            q, qd = self._after(now, q1, qd1, events > REBOUNDS, left)
            if left <= 0.0:
                return q, qd

    def _slid(self, q: Vector, qd: Vector, tau: Vector) -> State | None:
        """Return the state a whole step later, or None unless all joints slide all the time."""
        if self._advance is None:
            return None
        effort = []
        for t, c, v in zip(tau, self._friction, qd):
            if v > 0.0:
                effort.append(t - c)
            elif v < 0.0:
                effort.append(t + c)
            else:
                return None
        q1, qd1 = self._advance(q, qd, effort)
        for p, low, high, v0, v1 in zip(q1, self._lower, self._upper, qd, qd1):
            if not low <= p <= high or v0 * v1 <= 0.0:
                return None
        return q1, qd1

    def _advance_of(self, held: tuple[int, ...]) -> Advance:
        advance = self._advances.get(held)
        if advance is None:
            if len(held) == self._n:
                advance = _stay
            elif self._written_out is not None:
                advance = self._written_out(held)
            else:
                advance = self._integrator(self._held.acceleration(held) if held else
                                           self._acceleration, held)
            self._advances[held] = advance
        return advance

    def _account(self, tau: Vector, friction: Vector, q0: Vector, q1: Vector) -> None:
        if self._ledger is not None:
            self._ledger.add_way(tau, friction, q0, q1)

    # --- modes ----------------------------------------------------------------------------------

    def _modes(self, q: Vector, qd: Vector, tau: Vector, pinned: tuple[int, ...], left: float
               ) -> tuple[tuple[int, ...], list[float]]:
        """Return the joints that are held, and the friction of those that slide."""
        friction, resting = [], []
        for i, c in enumerate(self._friction):
            v = qd[i]
            if v == 0.0 and (c or q[i] <= self._lower[i] or q[i] >= self._upper[i]):
                resting.append(i)
                friction.append(0.0)
            else:
                friction.append(-c if v > 0.0 else c)
        held = tuple(resting)
        if held and not self._suffices(q, qd, tau, friction, held, pinned):
            held = self._choose(q, qd, tau, friction, held, pinned)
        if self.report is not None and self.held is not None and held != self.held:
            for i in sorted(set(held).symmetric_difference(self.held)):
                self.report(left, 'stick' if i in held else 'slip', i, 0.0)
        self.held = held
        return held, friction

    def _suffices(self, q: Vector, qd: Vector, tau: Vector, friction: Vector,
                  held: tuple[int, ...], pinned: tuple[int, ...]) -> bool:
        effort = [t + f for t, f in zip(tau, friction)]
        for i, load in zip(held, self._held.loads(q, qd, effort, held)):
            low, high = self._bounds(i, q[i])
            if not low <= load <= high and i not in pinned:
                return False
        return True

    def _bounds(self, i: int, p: float) -> tuple[float, float]:
        """Return the least and greatest effort that friction and stops can hold joint i with."""
        c = self._friction[i]
        return (-math.inf if p >= self._upper[i] else -c,
                math.inf if p <= self._lower[i] else c)

    def _choose(self, q: Vector, qd: Vector, tau: Vector, friction: list[float],
                held: tuple[int, ...], pinned: tuple[int, ...]) -> tuple[int, ...]:
        """Return which joints stay at rest, and give the others their friction."""
        n = self._n
        effort = [t + f for t, f in zip(tau, friction)]
        q, qd = q[:n], qd[:n]
        free = self._acceleration(q, qd, effort)
        bounds = {i: (-math.inf, math.inf) if i in pinned else self._bounds(i, q[i])
                  for i in held}
        change, resting = resting_impulses(self._mass_matrix(q), free, bounds)
        for i in held:
            if i not in resting:
                a = free[i] + change[i]
                friction[i] = -self._friction[i] if a > 0.0 else self._friction[i]
        return tuple(i for i in held if i in resting)

    # --- events ---------------------------------------------------------------------------------

    def _broken(self, q: Vector, qd: Vector, effort: Vector, friction: Vector,
                held: tuple[int, ...], pinned: tuple[int, ...]) -> list[Something]:
        """Return the events that lie before a state: pairs of kind and joint."""
        found = []
        for i in self._joints:
            if i in held:
                continue
            if q[i] > self._upper[i]:
                found.append(('upper', i))
            elif q[i] < self._lower[i]:
                found.append(('lower', i))
            if friction[i] * qd[i] > 0.0:
                found.append(('reversal', i))
        if held and len(held) < self._n:
            for i, load in zip(held, self._held.loads(q, qd, effort, held)):
                low, high = self._bounds(i, q[i])
                if not low <= load <= high and i not in pinned:
                    found.append(('loose', i))
        return found

    def _margin(self, event: Something, q: Vector, qd: Vector, effort: Vector, friction: Vector,
                held: tuple[int, ...]) -> float:
        """Return a number that is positive where an event has happened."""
        kind, i = event
        if kind == 'upper':
            return q[i] - self._upper[i]
        if kind == 'lower':
            return self._lower[i] - q[i]
        if kind == 'reversal':
            return friction[i] * qd[i]
        load = self._held.loads(q, qd, effort, held)[held.index(i)]
        low, high = self._bounds(i, q[i])
        return max(low - load, load - high)

    def _after(self, events: Sequence[Something], q0: Vector, qd0: Vector, settles: bool,
               left: float) -> State:
        """Return the state after events: at rest, or at the stop with the rebound's velocity."""
        q, qd = list(q0), list(qd0)
        struck = False
        for kind, i in events:
            if kind == 'reversal':
                qd[i] = 0.0
            elif kind != 'loose':
                q[i] = self._upper[i] if kind == 'upper' else self._lower[i]
                struck = True
                if self.report is not None:
                    self.report(left, 'impact', i, qd[i])
        if struck:
            self._strike(q, qd, settles)
        return q, qd

    def _strike(self, q: list[float], qd: list[float], settles: bool) -> None:
        """Change the velocities as the stops' impulses do (Newton's law of impact)."""
        bounds, before = {}, qd[:self._n]
        doomed, e = list(before), 0.0 if settles else self._restitution
        for i, v in enumerate(before):
            out = (q[i] >= self._upper[i]) - (q[i] <= self._lower[i])
            if settles and abs(v) < SLOW:
                near = self._upper[i] if q[i] > self._upper[i] - AT_STOP else self._lower[i]
                if abs(q[i] - near) < AT_STOP:
                    q[i], bounds[i] = near, (-math.inf, math.inf)
            elif out:
                bounds[i] = (-math.inf, 0.0) if out > 0 else (0.0, math.inf)
                if out * v > 0.0:
                    doomed[i] = (1.0 + e) * v
        M = self._mass_matrix(q[:self._n])
        change, resting = resting_impulses(M, doomed, bounds)
        for i, v in enumerate(before):
            qd[i] = v + change[i]
            if i in resting:
                qd[i] = 0.0 - e * v if doomed[i] != v else 0.0
        if self._ledger is not None:
            self._ledger.add_impact(M, before, qd)


def _stay(q: Vector, qd: Vector, tau: Vector, dt: float) -> State:
    return q, qd
