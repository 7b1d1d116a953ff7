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

"""An arm, a control law and a trajectory in one offline loop, without ROS."""

from __future__ import annotations

from itertools import chain
import math
from typing import Any, Callable, Protocol, Sequence, TYPE_CHECKING

import numpy as np

from twolink_dynamics.array_types import ArrayLike, DesiredState, FloatArray, Vector
from twolink_dynamics.errors import ParameterError, ShapeError
from twolink_dynamics.simulation.actuators import whole_steps
from twolink_dynamics.simulation.energy import WORKS
from twolink_dynamics.simulation.events import Event
from twolink_dynamics.simulation.fast_path import forms_in_one_step, steps_unchecked
from twolink_dynamics.simulation.fused import fused_loop
from twolink_dynamics.simulation.plant import Plant
from twolink_dynamics.simulation.plant_options import PlantOptions, with_method
from twolink_dynamics.simulation.result import SimulationResult
from twolink_dynamics.validation import number

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm
    from twolink_dynamics.trajectory.trajectory import Trajectory

__all__ = ['desired_rows', 'LawLike', 'make_plant', 'period_in_steps', 'Run', 'simulate',
           'SimulationResult', 'steps_of']

BAR = '{percentage:3.0f} %|{bar}| {n:.1f} of {total:.1f} s simulated, {elapsed} < {remaining}'
# So many steps at a time have their states as Python objects; then they go into arrays. Millions
# of tuples would keep the garbage collector busier than the arm does.
STRETCH = 500


class LawLike(Protocol):
    """What a simulation needs of a law."""

    def effort(self, t: float, q: Vector, qd: Vector, desired: DesiredState) -> Vector:
        """Return the efforts."""

    def reset(self) -> None:
        """Forget what was before."""


def period_in_steps(period: float | None, dt: float, name: str = 'control_period') -> int:
    """Return how many time steps a period has; one if none is given."""
    if period is None:
        return 1
    steps = whole_steps(name, period, dt)
    if steps < 1:
        raise ParameterError(name, period, f'a whole multiple of the time step {dt:g} s')
    return steps


def steps_of(duration: float, dt: float) -> int:
    """Return the number of steps of a duration, rounded up."""
    return math.ceil(number('duration', duration, above=0.0) / dt * (1.0 - 1e-12))


def desired_rows(trajectory: Trajectory | None, t: FloatArray, q0: Vector
                 ) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the desired state at each time, as three arrays; without trajectory rest at q0."""
    if trajectory is None:
        rest = np.zeros((len(t), len(q0)))
        return rest + q0, rest, rest
    return trajectory.sample_many(t)


def make_plant(plant_class: Callable[..., Plant], arm: Arm, dt: float, q0: ArrayLike | None,
               qd0: ArrayLike | None, options: PlantOptions | None, seed: int) -> Plant:
    """
    Return a plant of a user's class, reset.

    Raises
    ------
    ParameterError
        If what was given makes no plant, or if it is an error that making one raises.

    """
    plant = plant_class(arm, dt, q0, qd0, options, seed) if callable(plant_class) else None
    if not isinstance(plant, Plant):
        raise ParameterError('plant_class', plant_class, 'a subclass of Plant, or a callable with '
                             'its arguments that returns one')
    plant.reset()
    return plant


def simulate(arm: Arm, duration: float, dt: float = 1e-3, q0: ArrayLike | None = None,
             qd0: ArrayLike | None = None, law: LawLike | None = None,
             trajectory: Trajectory | None = None, control_period: float | None = None,
             method: str | None = None, plant: PlantOptions | None = None, seed: int = 0,
             progress: bool = False, plant_class: Callable[..., Plant] = Plant
             ) -> SimulationResult:
    """
    Simulate an arm, free or driven by a law, as fast as it goes.

    Parameters
    ----------
    arm : Arm
        The arm that moves, unless `plant` says otherwise; the law has its own.
    duration : float
        [s], rounded up to whole steps.
    dt : float
        Time step of the integrator [s].
    q0, qd0 : array_like, shape (n,), optional
        The start; by default where the trajectory starts, at rest, or rest at zero without one.
    law : object, optional
        Its ``effort(t, q, qd, desired)`` is called every `control_period` with the state as it is
        measured, and the efforts are held in between; without a law they are zero. It is reset
        first.
    trajectory : Trajectory, optional
        What the law shall follow; without one, rest at the start.
    control_period : float, optional
        [s], a multiple of `dt`; by default `dt`.
    method : str, optional
        The integrator, see :data:`twolink_dynamics.simulation.integrators.METHODS`; by default
        that of `plant`, which is rk4 by default.
    plant : PlantOptions, optional
        Friction, stops, actuators, sensors, payloads, and how the arm differs from its model.
    seed : int
        Of the measurement noise.
    progress : bool
        Whether to show a progress bar on standard error.
    plant_class : callable
        A subclass of :class:`Plant` with effects of its own, or whatever makes one of the
        arguments of `Plant`. The plant is reset first.

    Returns
    -------
    result : SimulationResult

    Raises
    ------
    ParameterError, ShapeError, NonFiniteError
        If an argument does not fit the arm or the others.
    DivergenceError
        If the motion leaves the finite.

    """
    if trajectory is not None and trajectory.n != arm.n:
        raise ShapeError('trajectory', f'{arm.n} joints', (trajectory.n,))
    if trajectory is not None and q0 is None:
        q0 = trajectory.positions[0]
    body = make_plant(plant_class, arm, dt, q0, qd0, with_method(plant, method), seed)
    steps, every = steps_of(duration, dt), period_in_steps(control_period, dt)
    return Run(body, steps, law, every, trajectory).go(arm, progress)


def _no_effort(t: float, q: Vector, qd: Vector, desired: Any) -> Vector:
    return (0.0,) * len(qd)


class Run:
    """
    A run of a plant under a law.

    Parameters
    ----------
    plant : Plant
    steps : int
    law : object or None
    every : int
        After how many steps the law is asked again.
    trajectory : Trajectory or None

    """

    def __init__(self, plant: Plant, steps: int, law: LawLike | None, every: int,
                 trajectory: Trajectory | None) -> None:
        for name in ('effort', 'reset'):
            if law is not None and not callable(getattr(law, name, None)):
                raise ParameterError('law', law, f'an object with a method {name}')
        self.plant, self.steps, self.law = plant, steps, law
        # Without a law the efforts are zero from the first step on.
        self.effort: Callable[..., Vector] = _no_effort if law is None else law.effort
        self.every = steps + 1 if law is None else every
        self.t: FloatArray = np.multiply(np.arange(steps + 1), plant.dt)
        self.desired = None if law is trajectory is None else desired_rows(
            trajectory, self.t, plant.q)
        self.held: Vector = (0.0,) * plant.n
        self.q, self.qd, self.tau = np.empty((3, steps + 1, plant.n))
        sees_truth = plant.sensors.perfect and 'measured' not in plant.overridden
        self.measured = None if sees_truth else np.empty((2, steps + 1, plant.n))
        self.work = None if plant.ledger is None else np.zeros((steps + 1, len(WORKS)))
        self.events: list[Event] = []
        self.arms = [(0, plant.arm)]
        self.informs_law = hasattr(law, 'saturated') and (
            'saturated' in plant.overridden or math.isfinite(min(plant.limits.effort)))

    def go(self, arm: Arm, progress: bool = False) -> SimulationResult:
        """
        Go through all steps.

        Parameters
        ----------
        arm : Arm
            The model, for the result.
        progress : bool

        Returns
        -------
        result : SimulationResult

        """
        plant, bar = self.plant, None
        if self.law is not None:
            self.law.reset()
        plant.on_event = self.events.append
        if plant.options.tip_wrench is None:
            plant.push(None)
        if progress:
            from tqdm import tqdm
            bar = tqdm(total=self.steps * plant.dt, bar_format=BAR)
        ends = {*plant.changes, *range(STRETCH, self.steps, STRETCH)}
        start = 0
        self._note(0)
        try:
            for end in sorted(end for end in ends if 0 < end < self.steps) + [self.steps]:
                self._begin(start)
                self.way(start, end)
                if bar is not None:
                    bar.update((end - start) * plant.dt)
                start = end
        finally:
            if bar is not None:
                bar.close()
            plant.on_event = None
        return self._result(arm)

    def _begin(self, step: int) -> None:
        """Have the plant do what it does at a time; another load is another arm."""
        self.plant.begin_step()
        if step in self.plant.changes:
            if step == 0:
                self.arms.clear()
            self.arms.append((step, self.plant.arm))
            self._note_work(step)
        if step == 0 or step in self.plant.changes:
            self._choose_way()

    # --- ways to go: the plain one, and those that fast_path allows to stand for it --------------

    def _choose_way(self) -> None:
        self.way = self._step_by_step
        if callable(self.plant.options.tip_wrench) or not steps_unchecked(self.plant):
            return
        self.way = self._unchecked
        plant = self.plant
        forms = forms_in_one_step(plant, self.law) if self.every == 1 else None
        if forms is not None:
            constants, law = forms
            self.law_and_step = fused_loop(plant.options.method, constants, plant.damping,
                                           plant.dt, *law)
            self.way = self._written_out

    def _desired_states(self, start: int, end: int) -> Sequence[Any]:
        """Return the desired states as objects: they are known beforehand, all at once."""
        if self.law is None or self.desired is None:
            return [None] * (end - start)
        return np.stack([rows[start:end] for rows in self.desired], axis=1).tolist()

    def _step_by_step(self, start: int, end: int) -> None:
        plant, every, held, effort = self.plant, self.every, self.held, self.effort
        begin, step, dt = plant.begin_step, plant.step, plant.dt
        law: Any = self.law
        sees_truth = self.measured is None
        notes = not sees_truth or self.work is not None
        rows: tuple[list[Vector], ...] = ([], [], [])
        add_q, add_qd, add_tau = (row.append for row in rows)
        for k, state in enumerate(self._desired_states(start, end), start):
            if k % every == 0:
                held = (effort(k * dt, plant.q, plant.qd, state) if sees_truth else
                        effort(k * dt, *plant.measured, state))
            begin()
            step(held)
            if self.informs_law:
                law.saturated = plant.saturated
            # Tuples: a plant or a law may go on writing into what it gave.
            add_q(tuple(plant.q))
            add_qd(tuple(plant.qd))
            add_tau(tuple(plant.tau))
            if notes:
                self._note(k + 1)
        self.held = held
        self._keep(start, *map(self._array, rows))

    def _note(self, step: int) -> None:
        """Keep what is measured and accounted for."""
        if step == 0:
            self.q[0], self.qd[0] = self.plant.q, self.plant.qd
        if self.measured is not None:
            self.measured[:, step] = self.plant.measured
        self._note_work(step)

    def _note_work(self, step: int) -> None:
        if self.work is not None and self.plant.ledger is not None:
            self.work[step] = self.plant.ledger.row()

    def _unchecked(self, start: int, end: int) -> None:
        """Go on with the arithmetic of the step alone, and look at its results afterwards."""
        plant, held, every, effort = self.plant, self.held, self.every, self.effort
        advance, dt, x, v = plant.mechanics.advance, plant.dt, plant.q, plant.qd
        q: list[Vector] = []
        qd: list[Vector] = []
        tau: list[Vector] = []
        try:
            for k, state in enumerate(self._desired_states(start, end), start):
                if k % every == 0:
                    held = effort(k * dt, x, v, state)
                tau.append(held)
                tau[-1] = held = [*held]  # a law may write its next efforts into the same array
                x, v = advance(x, v, held)
                q.append(x)
                qd.append(v)
        finally:
            # Whatever went wrong with it, a state beyond reason was wrong first.
            self._accept(start, self._array(q), self._array(qd), tau)
        self.held = held
        if x[0].__class__ is not float:  # NumPy's are three times as slow; `step` converts
            self.way = self._step_by_step

    def _written_out(self, start: int, end: int) -> None:
        """Go on with the arithmetic of law and step in one."""
        plant, law_and_step = self.plant, self.law_and_step
        state: tuple[float, ...] = (*plant.q, *plant.qd, 0.0, 0.0)
        states = []
        columns = np.hstack([rows[start:end] for rows in self.desired or ()]).T.tolist()
        try:
            for q1, q2, v1, v2, a1, a2 in zip(*columns):
                state = law_and_step(state, q1, q2, v1, v2, a1, a2)
                states.append(state)
        finally:
            block = np.fromiter(chain.from_iterable(states), float, 6 * len(states)).reshape(-1, 6)
            self._accept(start, block[:, :2], block[:, 2:4], block[:, 4:])
        self.held = state[4:]

    def _array(self, rows: Sequence[Vector]) -> FloatArray:
        numbers = chain.from_iterable(rows)
        return np.fromiter(numbers, float, len(rows) * self.plant.n).reshape(-1, self.plant.n)

    def _accept(self, start: int, q: FloatArray, qd: FloatArray, tau: Any) -> None:
        """Have the plant look at states that bare arithmetic led to, and keep them."""
        self.plant.accept(q, qd, tau)
        self._keep(start, q, qd, tau)

    def _keep(self, start: int, q: FloatArray, qd: FloatArray, tau: Any) -> None:
        end = start + len(q)
        self.q[start + 1:end + 1], self.qd[start + 1:end + 1], self.tau[start:end] = q, qd, tau

    def _result(self, arm: Arm) -> SimulationResult:
        self.tau[-1] = self.tau[-2]
        measured = None if self.measured is None else tuple(self.measured)
        work = None if self.work is None else dict(zip(WORKS, self.work.T.copy()))
        return SimulationResult(arm, self.t, self.q, self.qd, self.tau, self.desired, measured,
                                work, self.events, moving=self.arms)
