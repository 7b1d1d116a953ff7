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

"""Every control law on the same motion, with the true model and with what goes wrong."""

from dataclasses import dataclass
from typing import Mapping

import numpy as np

from twolink_dynamics.control import LAWS, make_law
from twolink_dynamics.errors import DivergenceError, ParameterError
from twolink_dynamics.simulation import PlantOptions, simulate
from twolink_dynamics.simulation.plant_options import Payload
from twolink_dynamics.trajectory import ahead, swing

__all__ = ['CASES', 'Case', 'Comparison', 'compare', 'comparison_motion']

PERIOD = 1e-3
# The second and third time an arm makes the motion show what a law has learnt.
LEARNING, TIMES = 'adaptive', 3


@dataclass(frozen=True)
class Case:
    """
    What is not as the law's model has it.

    Attributes
    ----------
    title : str
    text : str
        In words.
    options : callable
        ``(arm, tau) -> dict`` of :class:`PlantOptions`; `tau` (n,) is the largest effort of each
        joint in the motion [N m or N].

    """

    title: str
    text: str
    options: object


def _friction(arm, tau):
    joints = arm.chain.joints
    return {'damping': [j.damping + 0.05 * x for j, x in zip(joints, tau)],
            'friction': [j.friction + 0.05 * x for j, x in zip(joints, tau)]}


def _payload(arm, tau):
    return {'payloads': (Payload(0.25 * arm.chain.links[-1].mass),)}


CASES = {
    'true': Case('true', 'the model is true', lambda arm, tau: {}),
    'heavy': Case('+20 %', 'every mass and inertia is 20 % larger than the model says',
                  lambda arm, tau: {'mass_factor': 1.2}),
    'light': Case('-20 %', 'they are 20 % smaller', lambda arm, tau: {'mass_factor': 0.8}),
    'friction': Case('friction', 'friction the model does not know: 5 % of the largest effort as '
                     'Coulomb friction, and as much per rad/s (m/s)', _friction),
    'noise': Case('noise', 'measured positions and velocities are noisy, with standard '
                  'deviations of 0.0002 rad and 0.02 rad/s (m, m/s)',
                  lambda arm, tau: {'position_noise': 2e-4, 'velocity_noise': 2e-2}),
    'delay': Case('delay', 'each effort comes 10 ms late', lambda arm, tau: {
        'command_delay': 10e-3}),
    'payload': Case('payload', "the tip carries a quarter of the last link's mass", _payload),
}


@dataclass(frozen=True)
class Comparison:
    """
    What came of a comparison.

    Attributes
    ----------
    arm, trajectory
    settings : dict
        natural_frequency, damping_ratio, failure.
    rows : dict of dict of dict
        By law, then case: ``rms`` and ``peak`` errors of the worst joint [rad or m], ``effort``
        the largest of all joints [N m or N], ``use`` the largest part of a limit, or None,
        ``fails`` why, or None.

    """

    arm: object
    trajectory: object
    settings: Mapping
    rows: Mapping


def comparison_motion(arm, amplitude=0.6, period=2.0, cycles=2.0):
    """
    Return the motion of the comparison: a swing to both sides of a bent posture.

    Bent, so that a law of the tip's space has a tip that can move everywhere.

    Parameters
    ----------
    arm : Arm
    amplitude, period, cycles : float
        As of :func:`~twolink_dynamics.trajectory.swing`.

    Returns
    -------
    trajectory : Trajectory

    """
    lower, upper = arm.limits.lower, arm.limits.upper
    bent = np.array([0.3] + [1.2] * (arm.n - 1))
    for k, kind in enumerate(arm.joint_types):
        if kind == 'prismatic':
            bent[k] = 0.0
    finite = np.isfinite(lower) & np.isfinite(upper)
    room = np.where(finite, np.minimum(amplitude, 0.25 * (upper - lower)), amplitude)
    center = np.where(finite, np.clip(bent, lower + room, upper - room), bent)
    return swing(arm, amplitude, period=period, cycles=cycles, center=center)


def compare(arm, laws=None, cases=None, *, natural_frequency=20.0, damping_ratio=1.0,
            trajectory=None, failure=0.1, seed=0, progress=None):
    """
    Let every law follow the same motion in every case.

    Parameters
    ----------
    arm : Arm
        What the laws know.
    laws, cases : sequence of str, optional
        Of :data:`~twolink_dynamics.control.LAWS` and `CASES`; all if not given.
    natural_frequency, damping_ratio : float
        The same for all laws.
    trajectory : Trajectory, optional
        :func:`comparison_motion` if not given.
    failure : float
        A law fails whose error is ever beyond this [rad or m].
    seed : int
        Of the noise.
    progress : callable, optional
        Called with law and case before each run.

    Returns
    -------
    comparison : Comparison

    Raises
    ------
    ParameterError
        If there is no such law or case.

    """
    laws = list(LAWS) if laws is None else list(laws)
    cases = list(CASES) if cases is None else list(cases)
    for name, asked, known in (('laws', laws, LAWS), ('cases', cases, CASES)):
        for one in asked:
            if one not in known:
                raise ParameterError(name, one, 'one of ' + ', '.join(known))
    trajectory = trajectory or comparison_motion(arm)
    efforts = arm.inverse_dynamics(*trajectory.sample_many(trajectory.times), friction=True)
    efforts = np.abs(efforts).max(axis=0).tolist()
    rows = {}
    for name in laws:
        for k in range(TIMES if name == LEARNING else 1):
            rows[name if k == 0 else f'{name}, time {k + 1}'] = {}
        for case in cases:
            if progress is not None:
                progress(name, case)
            options = PlantOptions(**CASES[case].options(arm, efforts))
            law = make_law(name, arm, friction=True, natural_frequency=natural_frequency,
                           damping_ratio=damping_ratio)
            for k in range(TIMES if name == LEARNING else 1):
                row = rows[name if k == 0 else f'{name}, time {k + 1}']
                row[case] = _outcome(arm, law, trajectory, options, failure, seed)
    return Comparison(arm, trajectory, {
        'natural_frequency': natural_frequency, 'damping_ratio': damping_ratio,
        'failure': failure}, rows)


def _outcome(arm, law, trajectory, options, failure, seed):
    """Return the figures of one run."""
    desired = trajectory
    if law.name == 'sampled_computed_torque':
        desired = ahead(trajectory, 0.5 * PERIOD)
    try:
        run = simulate(arm, trajectory.duration, PERIOD, law=law, trajectory=desired,
                       plant=options, seed=seed)
    except DivergenceError as error:
        return {'rms': None, 'peak': None, 'effort': None, 'use': None,
                'fails': f'diverges at {error.t:.3g} s'}
    error, tau = np.abs(run.error), np.abs(run.tau).max(axis=0)
    peak = float(error.max())
    limited = np.isfinite(arm.limits.effort)
    use = (tau[limited] / np.asarray(arm.limits.effort)[limited]).max(initial=0.0)
    t = float(run.t[int(np.argmax((error > failure).any(axis=1)))])
    return {'rms': float(np.sqrt((error ** 2).mean(axis=0)).max()), 'peak': peak,
            'effort': float(tau.max()), 'use': float(use) if limited.any() else None,
            'fails': f'{failure:g} off at {t:.3g} s' if peak > failure else None}
