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

import numpy as np

from twolink_dynamics.errors import DivergenceError, ParameterError, ShapeError
from twolink_dynamics.simulation.batch_result import BatchResult
from twolink_dynamics.simulation.closed_loop import period_in_steps, simulate, steps_of
from twolink_dynamics.simulation.planar_batch import constants_of, DIVERGED, FINE, run_compiled, \
    run_numpy, TOUCHED
from twolink_dynamics.simulation.plant import Plant
from twolink_dynamics.simulation.plant_options import in_force, PlantOptions, with_method

__all__ = ['scattered', 'simulate_batch']

VECTORISED = ('rk4', 'rk8', 'semi_implicit')


def scattered(arm, count, mass=0.2, damping=0.0, friction=0.0, seed=0):
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
    for name, spread in (('mass', mass), ('damping', damping), ('friction', friction)):
        if not 0.0 <= spread < 1.0:
            raise ParameterError(name, spread, 'a relative spread of 0 or more, below 1')
    factors = 1.0 + np.array([mass, damping, friction])[:, None] * np.random.default_rng(
        seed).uniform(-1.0, 1.0, (count, 3, arm.n))
    return [in_force(arm, PlantOptions(mass_factor=m, damping_factor=b, friction_factor=c))
            for m, b, c in factors]


def simulate_batch(arms, duration, dt=1e-3, q0=None, qd0=None, law=None, trajectory=None,
                   control_period=None, method='rk4', plant=None, seed=0, progress=False,
                   sample_period=None):
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

    Returns
    -------
    result : BatchResult
        A run that diverged is told by ``result.diverged``; it raises nothing.

    Raises
    ------
    ParameterError, ShapeError, NonFiniteError
        If an argument does not fit the others.

    """
    arms, laws, plants, starts, count = _spread_out(arms, law, plant, q0, qd0, trajectory)
    plants = [with_method(options, method) for options in plants]
    every = period_in_steps(control_period, dt)
    keep = period_in_steps(sample_period, dt, 'sample_period')
    steps = -(-steps_of(duration, dt) // keep) * keep
    bodies = [Plant(arm, dt, *start, options, seed + k)
              for k, (arm, options, start) in enumerate(zip(arms, plants, starts))]
    result = BatchResult.empty(arms, np.arange(0, steps + 1, keep) * dt)
    desired = _desired_rows(trajectory, np.arange(steps + 1) * dt, bodies)
    result.desired = desired[:, ::keep]
    one_by_one = np.ones(count, dtype=bool)
    if _vectorises(bodies, laws, method):
        one_by_one = _all_at_once(bodies, laws, desired, steps, every, keep, result)
    numbers = np.flatnonzero(one_by_one)
    if progress and len(numbers):
        from tqdm import tqdm
        numbers = tqdm(numbers, unit='run')
    for k in numbers:
        _one(result, k, arms[k], plants[k], starts[k], laws[k], trajectory, steps * dt, dt,
             control_period, method, seed + k, keep)
    return result


def _many(value, kinds=(list, tuple)):
    return list(value) if isinstance(value, kinds) else None


def _spread_out(arms, law, plant, q0, qd0, trajectory):
    """Return as many arms, laws, options and starts as there are runs, and their number."""
    given = {'arms': _many(arms), 'law': _many(law), 'plant': _many(plant)}
    first = given['arms'][0] if given['arms'] else arms
    for name, value in (('q0', q0), ('qd0', qd0)):
        array = None if value is None else np.asarray(value, dtype=float)
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
    return arms, laws, plants, list(zip(q0, qd0)), count


def _form(law):
    """Return model, kp and kd of a law that is computed torque and nothing else, or None."""
    return getattr(law, 'compilable', None)


def _vectorises(bodies, laws, method):
    """Tell whether all runs are of planar 2R arms, rigid bodies but for viscous friction."""
    if method not in VECTORISED or (laws[0] is None) != all(law is None for law in laws):
        return False
    for body, law in zip(bodies, laws):
        if not body.is_smooth or getattr(body.arm, 'constants', None) is None:
            return False
        if law is not None:
            form = _form(law)
            sign = None if form is None else getattr(
                getattr(form[0], 'constants', None), 'sign', None)
            if sign != body.arm.constants.sign:
                return False
    return True


def _desired_rows(trajectory, t, bodies):
    """Return the desired states of all runs, shape (1 or B, 1 or N, 3, n)."""
    if trajectory is not None:
        desired = np.empty((1, len(t), 3, bodies[0].n))
        desired[0, :, 0], desired[0, :, 1], desired[0, :, 2] = trajectory.sample_many(t)
        return desired
    rest = np.zeros((len(bodies), 1, 3, bodies[0].n))
    rest[:, 0, 0] = [body.q for body in bodies]
    return rest


def _all_at_once(bodies, laws, desired, steps, every, keep, result):
    """Run all in one loop; return which have to be run again, for they touched a stop."""
    mirror = np.array([[1.0, body.arm.constants.sign] for body in bodies])
    limits = np.array([body.bounds for body in bodies])
    # An elbow that turns the other way is the same arm with its second coordinate negated.
    reversed_elbow = mirror[:, 1] < 0.0
    limits[reversed_elbow, :2, 1] = -limits[reversed_elbow, 1::-1, 1]
    forms = [] if laws[0] is None else [_form(law) for law in laws]
    gains = np.array([form[1:] for form in forms] or [np.zeros((2, 2))] * len(bodies))
    if reversed_elbow.any():
        desired = desired * mirror[:, None, None, :]
    q, qd = (np.array([getattr(body, name) for body in bodies]) * mirror for name in ('q', 'qd'))
    rows = np.full((len(bodies), len(result.t), 3, 2), np.nan)
    sums, peaks = np.zeros((2, len(bodies), 2))
    how = np.zeros((len(bodies), 2), dtype=np.int64)
    arguments = (constants_of([body.arm for body in bodies]),
                 np.array([body.damping for body in bodies]),
                 constants_of([form[0] for form in forms]).reshape(-1, 8),
                 np.ascontiguousarray(gains[:, 0]), np.ascontiguousarray(gains[:, 1]), limits,
                 np.ascontiguousarray(desired), q, qd, bodies[0].dt, every, keep, rows, sums,
                 peaks, how)
    method = bodies[0].options.method
    run_compiled(method, *arguments) or run_numpy(method, *arguments)
    for block, k in ((result.q, 0), (result.qd, 1), (result.tau, 2)):
        block[:] = rows[:, :, k] * mirror[:, None]
    count = np.where(how[:, :1] == FINE, steps + 1, how[:, 1:])
    result.rms_error[:], result.peak_error[:] = np.sqrt(sums / count), peaks
    diverged = how[:, 0] == DIVERGED
    result.diverged[diverged] = how[diverged, 1] * bodies[0].dt
    return how[:, 0] == TOUCHED


def _one(result, k, arm, options, start, law, trajectory, duration, dt, control_period, method,
         seed, keep):
    """Run one as :func:`simulate` does, and put it in its place."""
    try:
        run = simulate(arm, duration, dt, *start, law, trajectory, control_period, method, options,
                       seed)
    except DivergenceError as error:
        result.diverged[k] = error.t
        for block in (result.q, result.qd, result.tau, result.rms_error, result.peak_error):
            block[k] = np.nan
        return
    result.q[k], result.qd[k], result.tau[k] = run.q[::keep], run.qd[::keep], run.tau[::keep]
    error = run.q - (run.q[0] if run.desired is None else run.desired[0])
    result.rms_error[k] = np.sqrt((error ** 2).mean(axis=0))
    result.peak_error[k] = np.abs(error).max(axis=0)
