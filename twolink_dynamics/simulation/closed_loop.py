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

from dataclasses import replace
import math

import numpy as np

from ..errors import ParameterError, ShapeError
from .plant import Plant, PlantOptions

__all__ = ['SimulationResult', 'simulate']


class SimulationResult:
    """
    What happened in a simulation.

    Attributes
    ----------
    arm : Arm
    t : ndarray, shape (N + 1,)
        Times [s].
    q, qd : ndarray, shape (N + 1, n)
        States.
    tau : ndarray, shape (N + 1, n)
        Efforts as applied from each time on; the last row repeats the one before it.
    desired : tuple of three ndarrays, each of shape (N + 1, n), or None
        Desired positions, velocities and accelerations, if there was a law.

    """

    def __init__(self, arm, t, q, qd, tau, desired):
        self.arm, self.t, self.q, self.qd, self.tau, self.desired = arm, t, q, qd, tau, desired
        self._energy = None

    @property
    def energy(self):
        """Kinetic plus potential energy at each time [J], shape (N + 1,)."""
        if self._energy is None:
            self._energy = (self.arm.kinetic_energy(self.q, self.qd)
                            + self.arm.potential_energy(self.q))
        return self._energy

    @property
    def error(self):
        """The tracking error, desired minus actual position, shape (N + 1, n), or None."""
        return None if self.desired is None else self.desired[0] - self.q

    def __repr__(self):
        """Say how long and how many joints."""
        return (f'<SimulationResult of {self.q.shape[1]} joints, {len(self.t) - 1} steps to '
                f'{self.t[-1]:g} s>')


def _period_in_steps(control_period, dt):
    """Return how many time steps a control period has."""
    if control_period is None:
        return 1
    ratio = control_period / dt
    steps = round(ratio) if math.isfinite(ratio) else 0
    if steps < 1 or abs(ratio - steps) > 1e-6 * steps:
        raise ParameterError('control_period', control_period,
                             f'a whole multiple of the time step {dt:g} s')
    return steps


def _desired_rows(trajectory, t, q0):
    """Return the desired state at each time, as three lists of rows."""
    if trajectory is None:
        rest = np.zeros((len(t), len(q0)))
        return rest + q0, rest, rest
    return trajectory.sample_many(t)


def simulate(arm, duration, dt=1e-3, q0=None, qd0=None, law=None, trajectory=None,
             control_period=None, method='rk4', plant=None):
    """
    Simulate an arm, free or driven by a law, as fast as it goes.

    Parameters
    ----------
    arm : Arm
        The arm that moves; the law has its own.
    duration : float
        [s], rounded up to whole steps.
    dt : float
        Time step of the integrator [s].
    q0, qd0 : array_like, shape (n,), optional
        The start; by default where the trajectory starts, at rest, or rest at zero without one.
    law : object, optional
        Its ``effort(t, q, qd, desired)`` is called every `control_period`, and the efforts are
        held in between; without a law they are zero. It is reset first.
    trajectory : Trajectory, optional
        What the law shall follow; without one, rest at the start.
    control_period : float, optional
        [s], a multiple of `dt`; by default `dt`.
    method : str
        The integrator, see :data:`twolink_dynamics.simulation.integrators.METHODS`.
    plant : PlantOptions, optional
        Friction, stops and limits; its method gives way to `method`.

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
    if not 0.0 < duration < math.inf:
        raise ParameterError('duration', duration, 'a time in seconds, above 0')
    if trajectory is not None and trajectory.n != arm.n:
        raise ShapeError('trajectory', f'{arm.n} joints', (trajectory.n,))
    if trajectory is not None and q0 is None:
        q0 = trajectory.positions[0]
    body = Plant(arm, dt, q0, qd0, replace(plant or PlantOptions(), method=method))
    steps = math.ceil(duration / dt * (1.0 - 1e-12))
    every = _period_in_steps(control_period, dt)
    t = np.arange(steps + 1) * dt
    desired = None if law is None else _desired_rows(trajectory, t, body.q)
    q, qd, tau = _run(body, steps, law, every, desired)
    return SimulationResult(arm, t, *map(np.array, (q, qd, tau)), desired)


def _run(body, steps, law, every, desired):
    """Return the rows of positions, velocities and efforts."""
    q, qd, tau = [body.q], [body.qd], []
    step, held = body.step, (0.0,) * body.n
    if law is None:
        for _ in range(steps):
            state = step(held)
            q.append(state[0])
            qd.append(state[1])
        return q, qd, [body.tau] * (steps + 1)
    law.reset()
    effort, dt = law.effort, body.dt
    # The desired states are known beforehand, so they are sampled all at once.
    wanted = zip(*(rows.tolist() for rows in desired))
    x, v = body.q, body.qd
    for k, state in zip(range(steps), wanted):
        if k % every == 0:
            held = effort(k * dt, x, v, state)
        x, v = step(held)
        q.append(x)
        qd.append(v)
        tau.append(body.tau)
    return q, qd, tau + tau[-1:]
