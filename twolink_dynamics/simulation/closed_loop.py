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

from itertools import chain
import math

import numpy as np

from twolink_dynamics.errors import ParameterError, ShapeError
from twolink_dynamics.simulation.actuators import whole_steps
from twolink_dynamics.simulation.energy import WORKS
from twolink_dynamics.simulation.fused import FUSED, fused_loop
from twolink_dynamics.simulation.plant import Plant
from twolink_dynamics.simulation.plant_options import number, Payload, with_method
from twolink_dynamics.simulation.result import SimulationResult

__all__ = ['desired_rows', 'period_in_steps', 'simulate', 'SimulationResult', 'steps_of']

BAR = '{percentage:3.0f} %|{bar}| {n:.1f} of {total:.1f} s simulated, {elapsed} < {remaining}'
# So many steps at a time have their states as Python objects; then they go into arrays. Millions
# of tuples would keep the garbage collector busier than the arm does.
STRETCH = 500


def period_in_steps(period, dt, name='control_period'):
    """Return how many time steps a period has; one if none is given."""
    if period is None:
        return 1
    steps = whole_steps(name, period, dt)
    if steps < 1:
        raise ParameterError(name, period, f'a whole multiple of the time step {dt:g} s')
    return steps


def steps_of(duration, dt):
    """Return the number of steps of a duration, rounded up."""
    if not number('duration', duration) > 0.0:
        raise ParameterError('duration', duration, 'a time in seconds, above 0')
    return math.ceil(duration / dt * (1.0 - 1e-12))


def desired_rows(trajectory, t, q0):
    """Return the desired state at each time, as three arrays; without trajectory rest at q0."""
    if trajectory is None:
        rest = np.zeros((len(t), len(q0)))
        return rest + q0, rest, rest
    return trajectory.sample_many(t)


def simulate(arm, duration, dt=1e-3, q0=None, qd0=None, law=None, trajectory=None,
             control_period=None, method='rk4', plant=None, seed=0, progress=False):
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
    method : str
        The integrator, see :data:`twolink_dynamics.simulation.integrators.METHODS`.
    plant : PlantOptions, optional
        Friction, stops, actuators, sensors, payloads, and how the arm differs from its model; its
        method gives way to `method`.
    seed : int
        Of the measurement noise.
    progress : bool
        Whether to show a progress bar on standard error.

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
    for name in ('effort', 'reset'):
        if law is not None and not callable(getattr(law, name, None)):
            raise ParameterError('law', law, f'an object with a method {name}')
    options = with_method(plant, method)
    body = Plant(arm, dt, q0, qd0, options, seed)
    steps, every = steps_of(duration, dt), period_in_steps(control_period, dt)
    t = np.arange(steps + 1) * dt
    desired = None if law is trajectory is None else desired_rows(trajectory, t, body.q)
    run = _Run(body, steps, law, every, desired)
    run.go(progress)
    return run.result(arm, t)


def _no_effort(*state):
    return (0.0,) * len(state[1])


class _Run:
    """A run under way, and what it leaves behind."""

    def __init__(self, body, steps, law, every, desired):
        self.body, self.steps, self.law, self.every = body, steps, law, every
        self.desired, self.held = desired, (0.0,) * body.n
        self.q, self.qd, self.tau = np.empty((3, steps + 1, body.n))
        self.q[0], self.qd[0] = body.q, body.qd
        self.measured = None if body.measured[0] is body.q else np.empty((2, steps + 1, body.n))
        if self.measured is not None:
            self.measured[:, 0] = body.measured
        self.work = None if body.ledger is None else np.zeros((steps + 1, len(WORKS)))
        self.events, self.moving = [], [(0, body.arm)]
        body.on_event = self.events.append
        self.wrench, self.bare = self._wrench_over_time(), True
        self.both = self._law_and_step()
        self.limited = hasattr(law, 'saturated') and math.isfinite(min(body.bounds[2]))

    def _wrench_over_time(self):
        wrench = self.body.options.tip_wrench
        if callable(wrench):
            return wrench
        self.body.push(wrench)
        return None

    def _changes(self):
        """Return what changes at which step: payloads, and where to show the progress."""
        changes: dict = {}
        for load in self.body.options.payloads:
            if not isinstance(load, Payload):
                raise ParameterError('payloads', load, 'a Payload')
            start, end = (round(t / self.body.dt) if math.isfinite(t) else self.steps
                          for t in (load.start, load.end))
            if not 0 <= start < end:
                raise ParameterError('payloads', load, 'a start of 0 or more, before the end')
            changes.setdefault(end, (self.body.drop, ()))
            # One that is picked up as another is dropped takes its place.
            changes[start] = (self.body.pick_up, (load.mass, load.com, load.inertia))
        return changes

    def go(self, progress):
        """Go through all steps."""
        if self.law is not None:
            self.law.reset()
        changes, bar = self._changes(), None
        if progress:
            from tqdm import tqdm
            bar = tqdm(total=self.steps * self.body.dt, bar_format=BAR)
        ends = {*changes, *range(STRETCH, self.steps, STRETCH)}
        start = 0
        try:
            for end in sorted(end for end in ends if 0 < end < self.steps) + [self.steps]:
                if start in changes:
                    self._change(start, *changes[start])
                self._stretch(start, end)
                if bar is not None:
                    bar.update((end - start) * self.body.dt)
                start = end
        finally:
            if bar is not None:
                bar.close()

    def _change(self, step, action, arguments):
        action(*arguments)
        self.both = self._law_and_step()
        if step:
            self.moving.append((step, self.body.arm))
        else:
            self.moving = [(0, self.body.arm)]
        if self.work is not None:
            self.work[step] = self.body.ledger.row()

    def _stretch(self, start, end):
        plain = self.measured is None and self.wrench is None and self.work is None
        if plain and self.bare and self.body.whole is not None:
            if self.both is not None:
                self._fused(start, end)
            else:
                self._bare(start, end)
            return
        rows = [], [], []
        (self._stepwise if plain else self._with_all)(start, end, rows)
        for block, row in zip((self.q[1:], self.qd[1:], self.tau), rows):
            block[start:end] = self._array(row)

    def _array(self, rows):
        numbers = chain.from_iterable(rows)
        return np.fromiter(numbers, float, len(rows) * self.body.n).reshape(-1, self.body.n)

    def _desired_rows(self, start, end):
        """Return the desired states as objects: they are known beforehand, all at once."""
        if self.law is None:
            return [None] * (end - start)
        return np.stack([rows[start:end] for rows in self.desired], axis=1).tolist()

    def _keep(self, start, q, qd, tau):
        """Look at states that bare arithmetic led to, and keep them."""
        self.body.accept(q, qd, tau)
        end = start + len(q)
        self.q[start + 1:end + 1], self.qd[start + 1:end + 1], self.tau[start:end] = q, qd, tau

    def _bare(self, start, end):
        """Go on with the arithmetic of the step alone, and look at its results afterwards."""
        body, held = self.body, self.held
        every, effort = ((self.steps + 1, _no_effort) if self.law is None else
                         (self.every, self.law.effort))
        whole, dt, x, v = body.whole, body.dt, body.q, body.qd
        q, qd, tau = [], [], []
        try:
            for k, state in enumerate(self._desired_rows(start, end), start):
                if k % every == 0:
                    held = effort(k * dt, x, v, state)
                tau.append(held)
                x, v = whole(x, v, held)
                q.append(x)
                qd.append(v)
        finally:
            # Whatever went wrong with it, a state beyond reason was wrong first.
            self._keep(start, self._array(q), self._array(qd), tau)
        self.held = held
        self.bare = x[0].__class__ is float  # NumPy's are three times as slow; `step` converts

    def _law_and_step(self):
        """Return computed torque and the step in one, where the law is that and nothing else."""
        form, body = getattr(self.law, 'compilable', None), self.body
        constants = getattr(body.arm, 'constants', None)
        model = None if form is None else getattr(form[0], 'constants', None)
        if (constants is None or model is None or self.every > 1
                or body.options.method not in FUSED):
            return None
        return fused_loop(body.options.method, constants, body.damping, body.dt, model, *form[1:])

    def _fused(self, start, end):
        both, state = self.both, (*self.body.q, *self.body.qd, 0.0, 0.0)
        columns = np.hstack([rows[start:end] for rows in self.desired]).T.tolist()
        states = []
        try:
            for q1, q2, v1, v2, a1, a2 in zip(*columns):
                state = both(state, q1, q2, v1, v2, a1, a2)
                states.append(state)
        finally:
            block = np.fromiter(chain.from_iterable(states), float, 6 * len(states)).reshape(-1, 6)
            self._keep(start, block[:, :2], block[:, 2:4], block[:, 4:])
        self.held = state[4:]

    def _stepwise(self, start, end, rows):
        body, every, held = self.body, self.every, self.held
        effort = None if self.law is None else self.law.effort
        step, dt, x, v = body.step, body.dt, body.q, body.qd
        add_q, add_qd, add_tau = (row.append for row in rows)
        for k, state in enumerate(self._desired_rows(start, end), start):
            if effort is not None and k % every == 0:
                held = effort(k * dt, x, v, state)
            x, v = step(held)
            if self.limited:
                self.law.saturated = body.saturated
            add_q(x)
            add_qd(v)
            add_tau(body.tau)
        self.held = held

    def _with_all(self, start, end, rows):
        body = self.body
        for k, state in enumerate(self._desired_rows(start, end), start):
            if self.law is not None and k % self.every == 0:
                self.held = self.law.effort(k * body.dt, *body.measured, state)
            if self.wrench is not None:
                body.push(self.wrench(k * body.dt))
            body.step(self.held)
            if self.limited:
                self.law.saturated = body.saturated
            for row, values in zip(rows, (body.q, body.qd, body.tau)):
                row.append(values)
            if self.measured is not None:
                self.measured[:, k + 1] = body.measured
            if self.work is not None:
                self.work[k + 1] = body.ledger.row()

    def result(self, arm, t):
        """Return what happened."""
        self.tau[-1] = self.tau[-2]
        measured = None if self.measured is None else tuple(self.measured)
        work = None if self.work is None else dict(zip(WORKS, self.work.T.copy()))
        return SimulationResult(arm, t, self.q, self.qd, self.tau, self.desired, measured, work,
                                self.events, moving=self.moving)
