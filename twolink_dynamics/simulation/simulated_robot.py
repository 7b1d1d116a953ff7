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
The simulated robot: a plant with a clock, brakes, a pause, and a way to wait for its controller.

Everything here is without ROS; :mod:`.simulator_node` gives it messages.

Time: simulated time counts steps, so stamps are equidistant to the nanosecond. With a clock of the
simulator's own (`publish_clock`, `lockstep`) it begins at 1 s, for a stamp of 0 means "none" in
ROS; otherwise it begins at the wall clock's time, once: a pause, or time that the loop let slip,
makes it lag behind the wall clock by as much, and no stamp ever jumps.

"""

from __future__ import annotations

import threading
import time
from typing import Any, Callable, TYPE_CHECKING

from twolink_dynamics.array_types import ArrayLike, Vector
from twolink_dynamics.errors import DivergenceError, ParameterError
from twolink_dynamics.simulation.clock import SECOND, SteppedClock
from twolink_dynamics.simulation.closed_loop import make_plant
from twolink_dynamics.simulation.command_watch import CommandWatch
from twolink_dynamics.simulation.integrators import State
from twolink_dynamics.simulation.plant import Plant

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm
    from twolink_dynamics.simulation.plant_options import PlantOptions

__all__ = ['SimulatedRobot']

# A state nobody has answered yet is sent again this often [s]: the controller may start later.
FIRST_ANSWER_SLICE = 0.05
# A loop that is late waits for a command only if one came within so long [ns].
CONVERSATION = 100000000


class SimulatedRobot:
    """
    A plant with a clock, a brake and a pause.

    Parameters
    ----------
    arm : Arm
        The model.
    rate : float
        Steps per second.
    initial_position, initial_velocity : sequence of float, length n, optional
    brake : bool
        Whether the arm stands still until the first effort. An arm that starts in motion is not
        braked.
    paused : bool
    lockstep : bool
        Whether a step needs the effort that answers the last state: see :meth:`await_answer`.
    start_ns : int
        The stamp of the first state [ns]; 1 s: a clock of the simulator's own, by which others
        may stamp what they send.
    options : PlantOptions, optional
    seed : int
        Of the noise.
    watch : CommandWatch, optional
        Says when the last command is stale, and what to do then; never, if not given.
    plant_class : callable
        A subclass of :class:`.Plant` with effects of its own, or whatever makes one of the
        arguments of `Plant`.

    Attributes
    ----------
    arm : Arm
    plant : Plant
    lock : threading.Lock
        Held by whoever steps, resets or reads more than one attribute. A copy has a lock of its
        own, which nobody holds.
    clock : SteppedClock
    paused : bool
    diverged : str
        Why the simulation stopped, or empty.
    steps, saturated_steps : int

    """

    def __init__(self, arm: Arm, rate: float = 1000.0, initial_position: Vector | None = None,
                 initial_velocity: Vector | None = None, brake: bool = True, paused: bool = False,
                 lockstep: bool = False, start_ns: int = SECOND,
                 options: PlantOptions | None = None, seed: int = 0,
                 watch: CommandWatch | None = None,
                 plant_class: Callable[..., Plant] = Plant) -> None:
        for name, value in (('initial_position', initial_position),
                            ('initial_velocity', initial_velocity)):
            if value is not None and len(value) != arm.n:
                raise ParameterError(name, list(value), f'{arm.n} numbers, one per joint')
        self.arm, self.lockstep, self.paused = arm, lockstep, paused
        self.clock = SteppedClock(start_ns, round(SECOND / rate))
        self.plant = make_plant(plant_class, arm, self.clock.period_ns * 1e-9, initial_position,
                                initial_velocity, options, seed)
        self._starts_braked = brake and not any(self.plant.qd)
        self.watch = watch or CommandWatch()
        self._make_locks()
        self.ever_answered = False
        self.steps = self.saturated_steps = 0
        self._load: tuple[Any, ...] | None = None
        self._zero: Vector = (0.0,) * arm.n
        self._forget_commands()

    def _make_locks(self) -> None:
        self.lock = threading.Lock()
        self._answers, self._commanded = threading.Semaphore(0), threading.Event()

    def __getstate__(self) -> dict[str, Any]:
        """Return what a copy is made of: all but who holds the lock and who waits."""
        return {name: value for name, value in self.__dict__.items()
                if name not in ('lock', '_answers', '_commanded')}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._make_locks()

    def _forget_commands(self) -> None:
        self.watch.restart()
        self._command = self._zero
        self._waiting, self.diverged = self._starts_braked, ''
        self._answer_ns: int | None = None

    @property
    def ns(self) -> int:
        """The stamp of the present state [ns]."""
        return self.clock.ns

    @property
    def q(self) -> Vector:
        """The present positions, sequence of float, length n."""
        return self.plant.q

    @property
    def qd(self) -> Vector:
        """The present velocities, sequence of float, length n; zero after a divergence."""
        return self._zero if self.diverged else self.plant.qd

    @property
    def tau(self) -> Vector:
        """The efforts applied to come to the present state, sequence of float, length n."""
        return self.plant.tau

    @property
    def measured(self) -> State:
        """The present state as the sensors see it: q and qd."""
        q, qd = self.plant.measured
        return (q, self._zero) if self.diverged else (q, qd)

    @property
    def energy(self) -> float:
        """Kinetic and potential energy of the arm and its load [J]; the caller holds the lock."""
        return self.plant.energy

    @property
    def braked(self) -> bool:
        """Whether the brakes are on."""
        return self._waiting or self.watch.stale and self.watch.action == 'brake'

    def command(self, tau: Vector, named: bool = False, stamp: int = 0) -> bool:
        """
        Take an effort that holds from the next step on.

        Parameters
        ----------
        tau : sequence of float, length n
            Finite [N m or N].
        named : bool
            Whether it came by name, as a topic-based driver sends it.
        stamp : int
            Of the command [ns]; 0: none.

        Returns
        -------
        used : bool
            False if its stamp is one of a state from before the last reset.

        """
        if stamp and self.clock.is_obsolete(stamp):
            return False
        self._command = tau = tuple(tau)  # whoever sent it may write its next into the same list
        self.watch.heard(self.ns, tau, named, self.clock.is_recent(stamp))
        self._waiting = False
        self._commanded.set()
        return True

    def await_command(self, timeout: float) -> None:
        """
        Wait until a command has come since the last step, if a controller is there to send one.

        Parameters
        ----------
        timeout : float
            [s].

        """
        heard = self.watch.heard_ns
        if not (self.paused or self.braked or heard is None or self.ns - heard > CONVERSATION):
            self._commanded.wait(timeout)

    def answer(self, ns: int, tau: Vector) -> bool:
        """
        Take the effort that answers a state, in lockstep.

        Parameters
        ----------
        ns : int
            The stamp of the state it answers.
        tau : sequence of float, length n

        Returns
        -------
        used : bool
            Whether it answers the present state, for the first time.

        """
        with self.lock:
            if ns != self.ns or self._answer_ns == ns:
                return False
            self._command = tuple(tau)
            self._waiting = False
            self._answer_ns = self.watch.heard_ns = ns
            self.ever_answered = True
        self._answers.release()
        return True

    @property
    def answered(self) -> bool:
        """Whether the present state was answered."""
        return self._answer_ns == self.ns

    def await_answer(self, timeout: float) -> bool:
        """
        Wait until the present state is answered.

        Parameters
        ----------
        timeout : float
            [s].

        Returns
        -------
        answered : bool

        """
        # Answers to states that a reset made obsolete may have left a count: look at the stamp.
        end = time.monotonic() + timeout
        while not self.answered:
            left = end - time.monotonic()
            if left <= 0.0 or not self._answers.acquire(timeout=left):
                return self.answered
        return True

    def push(self, wrench: ArrayLike | None) -> None:
        """
        Take the wrench the surroundings exert on the tip; it holds until the next.

        Parameters
        ----------
        wrench : array_like, shape (6,), or None
            Force and moment, base-aligned at the tip [N, N m].

        """
        with self.lock:
            self.plant.push(wrench)

    def carry(self, load: tuple[Any, ...] | None) -> None:
        """
        Pick up a load, or let it go; a reset does not change what is carried.

        Parameters
        ----------
        load : tuple of mass, com, inertia, or None
            As :meth:`.Plant.pick_up` takes it.

        Raises
        ------
        ParameterError, ShapeError, NonFiniteError, ModelError
            If there is no such load; the arm then carries what it did.

        """
        with self.lock:
            if load is not None:
                self.plant.pick_up(*load)
            elif self._load is not None:
                self.plant.drop()
            self._load = load

    def step(self) -> bool:
        """
        Advance by one step; the caller holds the lock.

        Returns
        -------
        advanced : bool
            False if the simulation diverged: the arm then stays at the last finite state, paused.

        """
        if self.diverged:
            return False
        self._commanded.clear()
        self.watch.stale = stale = not self.lockstep and self.watch.look(self.ns, self.tau)
        self.plant.begin_step()
        if self.braked:
            self.plant.brake()
        else:
            try:
                self.plant.step(
                    self._zero if stale and self.watch.action == 'zero' else self._command)
            except DivergenceError as error:
                self.diverged = f'{error} (stamp {self.ns * 1e-9:.6f} s)'
                self.paused = True
                return False
            self.saturated_steps += self.plant.saturated
        self.steps += 1
        self.clock.advance()
        return True

    def reset(self, clock: bool = False) -> None:
        """
        Go back to the start, with no effort and the brake as it was; the caller holds the lock.

        Commands that answer states from before are not used any more.

        Parameters
        ----------
        clock : bool
            Whether time starts anew, too; otherwise the start is one step later than the present.

        """
        self.clock.restart(clock)
        self.paused = self.paused and not self.diverged
        self.plant.reset()
        if self._load is not None:
            self.plant.pick_up(*self._load)
        self._forget_commands()
