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

"""Many simulations at once: other starts, gains, parameters, arms."""

from __future__ import annotations

from typing import Any, Callable, Sequence, TYPE_CHECKING

import numpy as np

from twolink_dynamics.array_types import ArrayLike, FloatArray
from twolink_dynamics.errors import DivergenceError, ParameterError, ShapeError
from twolink_dynamics.simulation.batch_result import BatchResult
from twolink_dynamics.simulation.closed_loop import LawLike, make_plant, period_in_steps, Run, \
    steps_of
from twolink_dynamics.simulation.fast_path import ComputedTorqueForm, forms_in_one_loop
from twolink_dynamics.simulation.planar_batch import DIVERGED, FINE, packed_constants, \
    run_compiled, run_numpy, TOUCHED
from twolink_dynamics.simulation.plant import Plant
from twolink_dynamics.simulation.plant_options import in_force, PlantOptions, with_method
from twolink_dynamics.validation import check_array, count as counted, number

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm
    from twolink_dynamics.model.two_link import TwoLinkConstants
    from twolink_dynamics.trajectory.trajectory import Trajectory

__all__ = ['scattered', 'simulate_batch']


def scattered(arm: Arm, count: int, mass: float = 0.2, damping: float = 0.0,
              friction: float = 0.0, seed: int = 0) -> list[Arm]:
    """
    Return arms whose parameters scatter about those of one.

    Each parameter is multiplied by ``1 + s u``, u uniform in [-1, 1] and its own.

    Parameters
    ----------
    arm : Arm
    count : int
    mass : float
        s of each body's mass, with its first moments and inertia: the same shape of another
        density.
    damping, friction : float
        s of each joint's viscous and Coulomb friction.
    seed : int

    Returns
    -------
    arms : list of Arm

    """
    spreads = [number(name, spread, 0.0) for name, spread in (
        ('mass', mass), ('damping', damping), ('friction', friction))]
    if not max(spreads) < 1.0:
        raise ParameterError('mass, damping, friction', spreads, 'relative spreads below 1')
    factors = 1.0 + np.array(spreads)[:, None] * np.random.default_rng(
        counted('seed', seed)).uniform(-1.0, 1.0, (counted('count', count), 3, arm.n))
    return [in_force(arm, PlantOptions(mass_factor=m, damping_factor=b, friction_factor=c))
            for m, b, c in factors]


def simulate_batch(
        arms: Arm | Sequence[Arm], duration: float, dt: float = 1e-3,
        q0: ArrayLike | None = None, qd0: ArrayLike | None = None,
        law: LawLike | Sequence[LawLike] | None = None, trajectory: Trajectory | None = None,
        control_period: float | None = None, method: str | None = None,
        plant: PlantOptions | Sequence[PlantOptions | None] | None = None, seed: int = 0,
        progress: bool = False, sample_period: float | None = None,
        plant_class: Callable[..., Plant] = Plant) -> BatchResult:
    """
    Simulate many arms, gains, parameters or starts at once.

    What is given once is the same in all runs; everything given many times has one entry per run.
    Planar 2R arms without Coulomb friction run as one vectorised loop, compiled where numba is
    installed; those that touch a stop, and everything else a plant can have, run one after the
    other, as :func:`simulate` does it.

    Parameters
    ----------
    arms : Arm or sequence of Arm
        The arms that move.
    duration, dt, trajectory, control_period, method
        As for :func:`simulate`, the same in all runs.
    q0, qd0 : array_like, shape (n,) or (B, n), optional
        The starts.
    law : object or sequence of objects, optional
        With ``effort``; vectorised is :class:`~twolink_dynamics.ComputedTorque` without integral
        and friction.
    plant : PlantOptions or sequence of PlantOptions, optional
    seed : int
        Of the measurement noise: run b has ``seed + b``.
    progress : bool
        Whether to show a progress bar on standard error.
    sample_period : float, optional
        Time between the samples that are kept [s], a multiple of `dt`; by default `dt`. Errors are
        summed up over all steps in any case.
    plant_class : callable
        As for :func:`simulate`, the same in all runs.

    Returns
    -------
    result : BatchResult
        A run that diverges raises nothing: ``result.diverged`` says when it did.

    Raises
    ------
    ParameterError, ShapeError, NonFiniteError
        If an argument does not fit the others.

    """
    chosen: Any = plant
    chosen = ([with_method(one, method) for one in chosen] if isinstance(chosen, (list, tuple))
              else with_method(chosen, method))
    arms, laws, options, starts = _spread_out(arms, law, chosen, q0, qd0, trajectory)
    dt, seed = number('dt', dt, above=0.0), counted('seed', seed)
    every = period_in_steps(control_period, dt)
    keep = period_in_steps(sample_period, dt, 'sample_period')
    steps = -(-steps_of(duration, dt) // keep) * keep
    plants = [make_plant(plant_class, arm, dt, starts[k][0], starts[k][1],
                         options[k], seed + k) for k, arm in enumerate(arms)]
    t: FloatArray = np.multiply(np.arange(steps + 1), dt)
    desired = _desired_rows(trajectory, t, plants)
    result = BatchResult.empty(arms, t[::keep], desired[:, ::keep],
                               any(plant.ledger is not None for plant in plants))
    alone = np.ones(len(plants), dtype=bool)
    forms = forms_in_one_loop(plants, laws)
    if forms is not None:
        for reset in [law.reset for law in laws if law is not None]:
            reset()
        alone = _all_at_once(plants, *forms, desired, steps, every, keep, result)
    numbers: Any = np.flatnonzero(alone)
    if progress and len(numbers):
        from tqdm import tqdm
        numbers = tqdm(numbers, unit='run')
    for k in numbers:
        _one(result, k, Run(plants[k], steps, laws[k], every, trajectory), keep)
    return result


def _many(value: Any) -> list[Any] | None:
    return list(value) if isinstance(value, (list, tuple)) else None


def _spread_out(arms: Any, law: Any, plant: Any, q0: Any, qd0: Any, trajectory: Trajectory | None
                ) -> tuple[list[Arm], list[Any], list[Any], list[Any]]:
    """Return as many arms, laws, options and starts as there are runs."""
    given = {'arms': _many(arms), 'law': _many(law), 'plant': _many(plant)}
    first = given['arms'][0] if given['arms'] else arms
    for name, value in (('q0', q0), ('qd0', qd0)):
        array = None if value is None else check_array(name, value)
        given[name] = list(array) if array is not None and array.ndim == 2 else None
    counts = {name: len(values) for name, values in given.items() if values is not None}
    if 0 in counts.values() or len(set(counts.values())) > 1:
        raise ShapeError(', '.join(counts), 'as many entries each, one per run',
                         tuple(counts.values()))
    count = max(counts.values(), default=1)
    if trajectory is not None and trajectory.n != first.n:
        raise ShapeError('trajectory', f'{first.n} joints', (trajectory.n,))
    if trajectory is not None and q0 is None:
        q0 = trajectory.positions[0]
    once = {'arms': arms, 'law': law, 'plant': plant, 'q0': q0, 'qd0': qd0}
    arms, laws, plants, q0, qd0 = (given[name] or [once[name]] * count for name in once)
    if {arm.n for arm in arms} != {first.n}:
        raise ShapeError('arms', f'{first.n} joints each', tuple(arm.n for arm in arms))
    return arms, laws, plants, list(zip(q0, qd0))


def _desired_rows(trajectory: Trajectory | None, t: FloatArray, plants: Sequence[Plant]
                  ) -> FloatArray:
    """Return the desired states of all runs, shape (1 or B, 1 or N, 3, n)."""
    n = plants[0].n
    if trajectory is not None:
        desired = np.empty((1, len(t), 3, n))
        desired[0, :, 0], desired[0, :, 1], desired[0, :, 2] = trajectory.sample_many(t)
        return desired
    rest = np.zeros((len(plants), 1, 3, n))
    rest[:, 0, 0] = [plant.q for plant in plants]
    return rest


def _all_at_once(plants: Sequence[Plant], constants: Sequence[TwoLinkConstants],
                 laws: Sequence[ComputedTorqueForm], desired: FloatArray, steps: int, every: int,
                 keep: int, result: BatchResult) -> np.ndarray:
    """Run all in one loop; return which have to be run again, for they touched a stop."""
    mirror = np.array([[1.0, k.sign] for k in constants])
    limits = np.array([plant.limits for plant in plants])
    # An elbow that turns the other way is the same arm with its second coordinate negated.
    reversed_elbow = mirror[:, 1] < 0.0
    limits[reversed_elbow, :2, 1] = -limits[reversed_elbow, 1::-1, 1]
    gains = np.array([law[1:] for law in laws]) if laws else np.zeros((len(plants), 2, 2))
    if reversed_elbow.any():
        desired = desired * mirror[:, None, None, :]
    q, qd = (np.array([getattr(plant, name) for plant in plants]) * mirror for name in ('q', 'qd'))
    rows = np.full((len(plants), len(result.t), 3, 2), np.nan)
    sums, peaks = np.zeros((2, len(plants), 2))
    how = np.zeros((len(plants), 2), dtype=np.int64)
    dt, method = plants[0].dt, plants[0].options.method
    arguments = (packed_constants(constants), np.array([plant.damping for plant in plants]),
                 packed_constants([law.model for law in laws]).reshape(-1, 8),
                 np.ascontiguousarray(gains[:, 0]), np.ascontiguousarray(gains[:, 1]), limits,
                 np.ascontiguousarray(desired), q, qd, dt, every, keep, rows, sums, peaks, how)
    if not run_compiled(method, *arguments):
        run_numpy(method, *arguments)
    for block, k in ((result.q, 0), (result.qd, 1), (result.tau, 2)):
        block[:] = rows[:, :, k] * mirror[:, None]
    count = np.where(how[:, :1] == FINE, steps + 1, how[:, 1:])
    result.rms_error[:], result.peak_error[:] = np.sqrt(sums / count), peaks
    diverged = how[:, 0] == DIVERGED
    result.diverged[diverged] = how[diverged, 1] * dt
    return how[:, 0] == TOUCHED


def _one(result: BatchResult, k: int, run: Run, keep: int) -> None:
    """Run one as :func:`simulate` does, and put it in its place."""
    try:
        done = run.go(result.arms[k])
    except DivergenceError as divergence:
        result.diverged[k] = divergence.t
        for block in (result.q, result.qd, result.tau, result.rms_error, result.peak_error):
            block[k] = np.nan
        return
    result.q[k], result.qd[k], result.tau[k] = done.q[::keep], done.qd[::keep], done.tau[::keep]
    if result.work is not None and done.work is not None:
        for name, work in done.work.items():
            result.work[name][k] = work[::keep]
    error = done.q - (done.q[0] if done.desired is None else done.desired[0])
    result.rms_error[k] = np.sqrt((error ** 2).mean(axis=0))
    result.peak_error[k] = np.abs(error).max(axis=0)
