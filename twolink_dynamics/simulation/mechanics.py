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

"""How an arm moves in a time step: put together once of what acts on it, called in a loop."""

from __future__ import annotations

import functools
import math
from typing import Any, Callable, TYPE_CHECKING

from twolink_dynamics.array_types import Vector
from twolink_dynamics.simulation.contacts import Contacts, Report
from twolink_dynamics.simulation.energy import INTEGRALS, Ledger
from twolink_dynamics.simulation.fast_path import closed_form
from twolink_dynamics.simulation.fused import fused_advance, fused_advance_held
from twolink_dynamics.simulation.integrators import Acceleration, adaptive_stiff, Advance, State, \
    stepper
from twolink_dynamics.simulation.stiffness import may_be_stiff, radau, where_stiff

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm

__all__ = ['Mechanics']


class Mechanics:
    """
    The motion of an arm under what acts on it.

    Parameters
    ----------
    arm : Arm
    dt : float
        [s].
    method : str
        The integrator.
    damping, friction, lower, upper : sequence of float, length n
        Infinite limits where a joint has no stop.
    restitution : float
    wrench : list of float, length 6, or None
        On the tip. The numbers in it may be changed; it is looked at in every step.
    ledger : Ledger or None
        Where the work is entered.

    Attributes
    ----------
    rigid_bodies_only : bool
        Whether there is nothing but rigid bodies, viscous friction and the wrench.
    advance : callable
        ``(q, qd, tau) -> (q, qd)`` a time step later, where that is so.

    """

    def __init__(self, arm: Arm, dt: float, method: str, damping: tuple[float, ...],
                 friction: Vector, lower: Vector, upper: Vector, restitution: float,
                 wrench: list[float] | None, ledger: Ledger | None) -> None:
        self._made_of = (arm, dt, method, damping, friction, lower, upper, restitution, wrench,
                         ledger)
        self._n, self._dt, self._ledger = arm.n, dt, ledger
        pushed = None if wrench is None else _pushed(arm, wrench)
        acceleration = _acceleration(arm, damping, pushed)

        may_stiffen = may_be_stiff(arm, damping, dt)

        def integrator(acceleration: Acceleration, held: tuple[int, ...] = ()) -> Advance:
            n = arm.n
            if ledger is not None:
                acceleration = ledger.extended(acceleration, arm.n, damping, pushed)
                n += INTEGRALS
            chosen = stepper(method, acceleration, n)
            if not may_stiffen:
                return chosen
            movers = [i for i in range(arm.n) if i not in held]
            implicit = (adaptive_stiff(acceleration, n) if method == 'adaptive' else
                        radau(acceleration, arm.scalar.mass_matrix, damping, movers))
            return where_stiff(chosen, implicit, arm.scalar.mass_matrix, damping, movers, dt)

        self._integrate = integrator(acceleration)
        bare = wrench is None and ledger is None and not may_stiffen
        constants = closed_form(arm, method) if bare else None
        advance = written_out = None
        if constants is not None:
            advance = fused_advance(method, constants, damping, dt)
            written_out = functools.partial(fused_advance_held, method, constants, damping)
        self._contacts = None
        if any(friction) or any(map(math.isfinite, (*lower, *upper))):
            self._contacts = Contacts(
                arm.n, acceleration, arm.scalar.mass_matrix, integrator, friction, lower, upper,
                restitution, ledger, advance, written_out)
        self.rigid_bodies_only = self._contacts is None and ledger is None
        self.advance: Callable[[Vector, Vector, Vector], State] = advance or functools.partial(
            self._integrate, dt=dt)

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel as what it is made of, and the joints that are held: functions do not."""
        held = None if self._contacts is None else self._contacts.held
        return type(self), self._made_of, held

    def __setstate__(self, held: tuple[int, ...]) -> None:
        if self._contacts is not None:
            self._contacts.held = held

    def step(self, q: Vector, qd: Vector, tau: Vector, report: Report | None = None) -> State:
        """
        Return the state a time step later.

        Parameters
        ----------
        q, qd, tau : sequence of float, length n
        report : callable, optional
            Of events: ``(time left of the step, kind, joint, value)``.

        Returns
        -------
        q, qd : sequence of float, length n

        """
        if self.rigid_bodies_only:
            return self.advance(q, qd, tau)
        contacts, ledger, n = self._contacts, self._ledger, self._n
        if ledger is not None:
            q, qd = [*q, *[0.0] * INTEGRALS], [*qd, *[0.0] * INTEGRALS]
        if contacts is None:
            q1, qd1 = self._integrate(q, qd, tau, self._dt)
            if ledger is not None:
                ledger.add_way(tau, (0.0,) * n, q, q1)
        else:
            contacts.report = report
            q1, qd1 = contacts.step(q, qd, tau, self._dt)
        if ledger is not None:
            ledger.viscous += qd1[n]
            ledger.wrench += qd1[n + 1]
            q1, qd1 = q1[:n], qd1[:n]
        return q1, qd1

    def reset(self) -> None:
        """Forget which joints were held."""
        if self._contacts is not None:
            self._contacts.reset()


def _pushed(arm: Arm, wrench: Vector) -> Callable[[Vector], Vector]:
    effort = arm.scalar.wrench_effort

    def pushed(q: Vector) -> Vector:
        return effort(q, wrench)
    return pushed


def _acceleration(arm: Arm, damping: Vector, pushed: Callable[[Vector], Vector] | None
                  ) -> Acceleration:
    """Return the acceleration without Coulomb friction and stops."""
    forward_dynamics: Acceleration = arm.scalar.forward_dynamics
    if pushed is not None:
        def pushed_too(q: Vector, qd: Vector, tau: Vector) -> Vector:
            return forward_dynamics(q, qd, [
                x - b * v + w for x, b, v, w in zip(tau, damping, qd, pushed(q))])
        return pushed_too
    if not any(damping):
        return forward_dynamics

    def damped(q: Vector, qd: Vector, tau: Vector) -> Vector:
        return forward_dynamics(q, qd, [x - b * v for x, b, v in zip(tau, damping, qd)])
    return damped
