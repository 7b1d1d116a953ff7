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

"""The simulated arm: rigid bodies, friction, stops, actuators and sensors, in time steps."""

from __future__ import annotations

import math
from typing import Any, Callable, NamedTuple, TYPE_CHECKING

import numpy as np

from twolink_dynamics.array_types import ArrayLike, FloatArray, Vector
from twolink_dynamics.errors import DivergenceError, ParameterError, ShapeError
from twolink_dynamics.simulation.actuators import Actuators
from twolink_dynamics.simulation.brakes import Brakes
from twolink_dynamics.simulation.energy import Ledger
from twolink_dynamics.simulation.events import Event
from twolink_dynamics.simulation.fast_path import closed_form
from twolink_dynamics.simulation.integrators import check_method, State
from twolink_dynamics.simulation.mechanics import Mechanics
from twolink_dynamics.simulation.overrides import overrides
from twolink_dynamics.simulation.plant_options import in_force, Payload, PlantOptions
from twolink_dynamics.simulation.sensors import Sensors
from twolink_dynamics.validation import check_array, finite_efforts, number, vector

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm

__all__ = ['Event', 'Payload', 'Plant', 'PlantLimits', 'PlantOptions']

# [rad/s or m/s]: no arm moves so fast, and its energy is 1e12 times that of 1 rad/s. A simulation
# that comes here has left the finite in all but name.
SPEED_BEYOND_REASON = 1e6


class PlantLimits(NamedTuple):
    """
    What bounds a plant's joints; infinite where nothing does.

    Attributes
    ----------
    lower, upper : tuple of float, length n
        The stops [rad or m].
    effort : tuple of float, length n
        Where efforts saturate [N m or N].
    speed : tuple of float, length n
        From here on a simulation has diverged [rad/s or m/s].

    """

    lower: tuple[float, ...]
    upper: tuple[float, ...]
    effort: tuple[float, ...]
    speed: tuple[float, ...]


class Plant:
    """
    An arm that moves in time steps, with the effort held over each step.

    Viscous friction acts in the equations of motion. Coulomb friction is constant while a joint
    slides; a joint at rest is held as long as friction suffices, so that it sticks truly. At a
    position limit a joint stops, or rebounds; the impulse acts through the mass matrix on the
    others. These events are found within the step, to the last digits.

    A subclass may override `step`, `brake`, `reset`, `push`, `pick_up`, `drop`, `measured` and
    `saturated`; whatever runs it (:func:`.simulate`, :func:`.simulate_batch`,
    :class:`.SimulatedRobot`) calls what it overrides. Pickled and copied plants go on as the
    original would; `on_event` stays with the original.

    Parameters
    ----------
    arm : Arm
        The model; `options` may put another arm in its place.
    dt : float
        Time step [s].
    q0, qd0 : array_like, shape (n,), optional
        Where :meth:`reset` starts; the default is rest at zero, or at the limit next to it.
    options : PlantOptions, optional
    seed : int
        Of the measurement noise.

    Attributes
    ----------
    arm : Arm
        The arm that moves, with its payload if it carries one.
    n : int
        The number of joints.
    dt : float
        Time step [s].
    options : PlantOptions
    changes : dict of int to (Payload or None)
        What the options have the arm carry from a step on.
    overridden : frozenset of str
        What the class overrides.
    damping, friction : tuple of float, length n
        Viscous coefficients [N m s/rad or N s/m] and Coulomb friction [N m or N] of the joints.
    limits : PlantLimits
    actuators : Actuators
    sensors : Sensors
    q, qd : sequence of float, length n
        The present state.
    tau : sequence of float, length n
        The efforts of the last step, as they were applied.
    steps : int
        Taken since the start.
    ledger : Ledger or None
        The work done since the start, if the options want it; that of the brakes apart.
    on_event : callable or None
        Called with each :class:`Event`.

    Raises
    ------
    ShapeError, NonFiniteError, ParameterError
        If an argument is none of the arm's, such as a start beyond the limits.
    SingularMassMatrixError
        If a joint moves no inertia.
    TypeError
        From a subclass that overrides anything else, when it is made.

    """

    overridden: frozenset[str] = frozenset()

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        cls.overridden = overrides(cls, Plant, {
            'accept': 'override step, which then is called for every step',
            'begin_step': 'override step, or push, pick_up and drop, which it calls',
            'energy': 'it is that of `arm`: override kinetic_energy and potential_energy there',
            'mechanics': 'override step, and change efforts before or the state after it',
            't': 'time counts the steps; for time of another kind, add a name of your own'})

    def __init__(self, arm: Arm, dt: float = 1e-3, q0: ArrayLike | None = None,
                 qd0: ArrayLike | None = None, options: PlantOptions | None = None,
                 seed: int = 0) -> None:
        self.n = arm.n
        self.options = options = options or PlantOptions()
        self.dt = number('dt', dt, above=0.0)
        check_method(options.method)
        self.arm = self._unloaded = in_force(arm, options)
        self._restitution = number('restitution', options.restitution, 0.0, 1.0)
        self.damping, self.friction = (
            tuple(row.tolist()) for row in (self.arm.damping, self.arm.coulomb_friction))
        for name, row in (('damping', self.damping), ('friction', self.friction)):
            if not min(row) >= 0.0:
                raise ParameterError(name, row, 'no negative number')
        self.limits = self._limits_in_force()
        self.actuators = Actuators(self.dt, self.limits.effort, options.command_delay,
                                   options.actuator_lag)
        self.sensors = Sensors(self.n, self.dt, options, seed)
        self._brakes = Brakes(self.dt, self.limits.lower, self.limits.upper)
        self.ledger = Ledger() if options.ledger else None
        self.on_event: Callable[[Event], object] | None = None
        self.changes = self._changes_of_load()
        self._wrench: list[float] | None = None
        self._mechanics: Mechanics | None = None
        self._start = self._checked_start(q0, (0.0,) * self.n if qd0 is None else qd0)
        # Whoever moves no inertia has no acceleration: better to hear it now than amid a loop.
        constants = closed_form(self.arm)
        if constants is None or constants.may_be_singular:
            self.arm.forward_dynamics(*self._start, [0.0] * self.n)
        self._restart()

    def _limits_in_force(self) -> PlantLimits:
        limits, options = self.arm.limits, self.options
        infinite = np.full(self.n, math.inf)
        lower, upper = (limits.lower, limits.upper) if options.stops else (-infinite, infinite)
        effort = limits.effort if options.effort_limits else infinite
        # More than a turn in a step no fixed-step method can follow: it sees a slow motion.
        turn = math.inf if options.method == 'adaptive' else 2.0 * math.pi / self.dt
        speed = [SPEED_BEYOND_REASON if kind == 'prismatic' else min(turn, SPEED_BEYOND_REASON)
                 for kind in self.arm.joint_types]
        return PlantLimits(*[tuple(map(float, row)) for row in (lower, upper, effort, speed)])

    def _changes_of_load(self) -> dict[int, Payload | None]:
        """Return what is carried from which step on."""
        changes: dict[int, Payload | None] = {}
        for load in sorted(self.options.payloads, key=lambda load: load.start):
            start, end = (t if math.isinf(t) else round(t / self.dt)
                          for t in (load.start, load.end))
            if not start < end:
                raise ParameterError('payloads', load, 'a start before the end, by a time step')
            if end != math.inf:
                changes[int(end)] = None
            # One that is picked up as another is dropped takes its place.
            changes[int(start)] = load
        return changes

    def _checked_start(self, q0: ArrayLike | None, qd0: ArrayLike
                       ) -> tuple[tuple[float, ...], tuple[float, ...]]:
        lower, upper = self.limits.lower, self.limits.upper
        if q0 is None:
            q0 = [min(max(0.0, low), high) for low, high in zip(lower, upper)]
        q0, qd0 = vector('q0', q0, self.n), vector('qd0', qd0, self.n)
        for name, q, low, high in zip(self.arm.joint_names, q0, lower, upper):
            if not low <= q <= high:
                raise ParameterError(f'q0 of joint "{name}"', q,
                                     f'a position within its limits [{low:g}, {high:g}]')
        return q0, qd0

    def _restart(self) -> None:
        self.q: Vector
        self.qd: Vector
        self.q, self.qd = self._start
        self.tau: Vector = (0.0,) * self.n
        self.steps, self._begun = 0, -1
        if self.arm is not self._unloaded:
            self.arm, self._mechanics = self._unloaded, None
        if self._mechanics is not None:
            self._mechanics.reset()
        if self.ledger is not None:
            self.ledger.reset()
        self.actuators.reset()
        self._brakes.release()
        self.sensors.reset()
        self._measure()

    def _measure(self) -> None:
        self._measured = (None if self.sensors.perfect else
                          self.sensors.measure(self.q, self.qd))

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy is made of; nobody listens to it yet."""
        return {**self.__dict__, 'on_event': None}

    # --- what users call ------------------------------------------------------------------------

    def reset(self, q0: ArrayLike | None = None, qd0: ArrayLike | None = None) -> None:
        """
        Go back to the start, at time zero, without payload.

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
        self._restart()

    @property
    def t(self) -> float:
        """Time since the start [s]."""
        return self.steps * self.dt

    @property
    def measured(self) -> State:
        """The present state as the sensors see it: q and qd."""
        return (self.q, self.qd) if self._measured is None else self._measured

    @property
    def saturated(self) -> bool:
        """Whether the last command was beyond an effort limit."""
        return self.actuators.saturated

    @property
    def energy(self) -> float:
        """Kinetic plus potential energy of the arm and its payload [J]."""
        return float(self.arm.kinetic_energy(self.q, self.qd) + self.arm.potential_energy(self.q))

    @property
    def mechanics(self) -> Mechanics:
        """How the arm moves under what acts on it now."""
        if self._mechanics is None:
            self._mechanics = Mechanics(
                self.arm, self.dt, self.options.method, self.damping, self.friction,
                self.limits.lower, self.limits.upper, self._restitution, self._wrench, self.ledger)
        return self._mechanics

    def begin_step(self) -> None:
        """
        Do what the options have for the present time: loads and the wrench on the tip.

        Each step does this, once. Who runs a plant that may override `step` calls it before.

        """
        if self._begun == self.steps:
            return
        self._begun = self.steps
        wrench = self.options.tip_wrench
        if callable(wrench):
            self.push(wrench(self.t))
        elif wrench is not None and self.steps == 0:
            self.push(wrench)
        if self.steps in self.changes:
            load = self.changes[self.steps]
            if load is None:
                self.drop()
            else:
                self.pick_up(load.mass, load.com, load.inertia)

    def step(self, tau: Vector) -> State:
        """
        Advance by one time step.

        Parameters
        ----------
        tau : sequence of float, length n
            Efforts [N m or N], held over the step; applied as the actuators do.

        Returns
        -------
        q, qd : sequence of float, length n
            The new state.

        Raises
        ------
        ShapeError, NonFiniteError
            If the efforts are not n finite numbers; the plant then stays as it was.
        DivergenceError
            If the state leaves the finite; it then stays at the last finite one.

        """
        applied = finite_efforts(tau, self.n)
        self.begin_step()
        if not self.actuators.transparent:
            applied = self.actuators.applied(applied)
        self._brakes.release()
        try:
            q, qd = self.mechanics.step(self.q, self.qd, applied,
                                        None if self.on_event is None else self._report)
            for v, s in zip(qd, self.limits.speed):
                if not -s < v < s:
                    raise OverflowError
        except (OverflowError, ValueError, ZeroDivisionError):
            # Trigonometry refuses infinity, products overflow: both are the same event.
            raise DivergenceError(self.t + self.dt, self.q, self.qd) from None
        self._arrive(q, qd, applied)
        return q, qd

    def brake(self) -> State:
        """
        Advance by one time step with brakes on, which are stronger than whatever moves the arm.

        The actuators are given no effort meanwhile, and what they still have does not act.

        Returns
        -------
        q, qd : sequence of float, length n
            The new state.

        """
        zero = (0.0,) * self.n
        self.begin_step()
        self.actuators.applied(zero)
        self._arrive(*self._brakes.step(self.q, self.qd), zero)
        return self.q, self.qd

    def _arrive(self, q: Vector, qd: Vector, tau: Vector) -> None:
        self.q, self.qd, self.tau = q, qd, tau
        self.steps += 1
        self._measure()

    def accept(self, q: FloatArray, qd: FloatArray, tau: list[Vector]) -> None:
        """
        Take over states that the bare arithmetic of a step led to, one after the other.

        Parameters
        ----------
        q, qd : ndarray, shape (m, n)
        tau : sequence of m efforts, or m + 1
            What led to the states; one more where its step failed.

        Raises
        ------
        DivergenceError, NonFiniteError, ShapeError
            As :meth:`step` would have; the plant is then at the state before.

        """
        valid = (np.abs(qd) < self.limits.speed).all(axis=1)
        try:
            fits = set(map(len, tau)) <= {self.n}
        except TypeError:
            fits = False
        if not fits:
            valid &= np.array([np.shape(x) == (self.n,) for x in tau[:len(qd)]], dtype=bool)
        count = len(qd) if valid.all() else int(np.argmin(valid))
        if count:
            self.q, self.qd = tuple(q[count - 1].tolist()), tuple(qd[count - 1].tolist())
            self.tau = tau[count - 1]
            self.steps += count
        if count < len(tau):
            self.step(tau[count])

    def _report(self, left: float, kind: str, joint: int, value: float) -> None:
        if self.on_event is not None:
            self.on_event(Event(self.t + self.dt - left, kind, self.arm.joint_names[joint],
                                value))

    def push(self, wrench: ArrayLike | None) -> None:
        """
        Let the surroundings push at the tip, until the next push.

        Parameters
        ----------
        wrench : array_like, shape (6,), or None
            Force and moment on the tip, in the base's axes [N, N m].

        Raises
        ------
        ShapeError, NonFiniteError

        """
        given = None
        if wrench is not None:
            array = check_array('wrench', wrench, (6,))
            if array.shape != (6,):
                raise ShapeError('wrench', '(6,)', array.shape)
            given = array.tolist() if array.any() else None
        if self._wrench is not None and given is not None:
            self._wrench[:] = given  # the mechanics look at this list
        elif self._wrench is not given:
            self._wrench, self._mechanics = given, None

    def pick_up(self, mass: float, com: ArrayLike = (0.0, 0.0, 0.0),
                inertia: ArrayLike | None = None) -> None:
        """
        Fix a load to the tip, in place of the one it carries.

        The load moves as the tip does already: the velocities of the joints do not change.

        Parameters
        ----------
        mass, com, inertia
            See :class:`Payload`.

        Raises
        ------
        ParameterError, ShapeError, NonFiniteError

        """
        self._carry(self._unloaded.with_payload(mass, com, inertia), 'pick up', float(mass))

    def drop(self) -> None:
        """Let go of the load; it flies on with the tip's velocity."""
        self._carry(self._unloaded, 'drop', 0.0)

    def _carry(self, arm: Arm, kind: str, mass: float) -> None:
        before = self.energy if self.ledger is not None else 0.0
        self.arm, self._mechanics = arm, None
        if self.ledger is not None:
            self.ledger.payload += self.energy - before
        if self.on_event is not None:
            self.on_event(Event(self.t, kind, '', mass))
