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
from functools import partial
from typing import Any, Callable, Mapping, Sequence, TYPE_CHECKING

import numpy as np

from twolink_dynamics import registry
from twolink_dynamics.control import Law, make_law
from twolink_dynamics.errors import DivergenceError, ParameterError
from twolink_dynamics.simulation import PlantOptions, simulate
from twolink_dynamics.simulation.plant_options import Payload
from twolink_dynamics.trajectory import ahead, swing, Trajectory

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm

__all__ = ['CASES', 'Case', 'Comparison', 'compare', 'comparison_motion']

PERIOD = 1e-3
# The second and third time an arm makes the motion show what a law has learnt.
TIMES = 3

Options = dict[str, Any]


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
    options: 'Callable[[Arm, list[float]], Options]'


def _friction(arm: 'Arm', tau: list[float]) -> Options:
    joints = arm.chain.joints
    return {'damping': [j.damping + 0.05 * x for j, x in zip(joints, tau)],
            'friction': [j.friction + 0.05 * x for j, x in zip(joints, tau)]}


def _payload(arm: 'Arm', tau: list[float]) -> Options:
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

    arm: 'Arm'
    trajectory: Trajectory
    settings: Mapping[str, float]
    rows: Mapping[str, Mapping[str, Mapping[str, Any]]]


def comparison_motion(arm: 'Arm', amplitude: float = 0.6, period: float = 2.0,
                      cycles: float = 2.0) -> Trajectory:
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


def compare(arm: 'Arm', laws: Sequence[str] | None = None, cases: Sequence[str] | None = None, *,
            natural_frequency: float = 20.0, damping_ratio: float = 1.0,
            trajectory: Trajectory | None = None, failure: float = 0.1, seed: int = 0,
            progress: Callable[[str, str], Any] | None = None) -> Comparison:
    """
    Let every law follow the same motion in every case.

    Parameters
    ----------
    arm : Arm
        What the laws know.
    laws : sequence of str, optional
        Names as :func:`~twolink_dynamics.control.make_law` takes them; by default all that are
        registered.
    cases : sequence of str, optional
        Of `CASES`; all if not given.
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
    laws = registry.available('law') if laws is None else laws
    cases = list(CASES) if cases is None else cases
    for case in cases:
        if case not in CASES:
            raise ParameterError('cases', case, 'one of ' + ', '.join(CASES))
    trajectory = trajectory or comparison_motion(arm)
    q, qd, qdd = trajectory.sample_many(np.array(trajectory.times))
    efforts = np.abs(arm.inverse_dynamics(q, qd, qdd, friction=True)).max(axis=0).tolist()
    gains = {'natural_frequency': natural_frequency, 'damping_ratio': damping_ratio}
    makers = {name: partial(make_law, name, arm, friction=True, **gains) for name in laws}
    rows: dict[str, dict[str, Options]] = {
        row: {} for name, make in makers.items() for row in _rows(name, make())}
    for name, make in makers.items():
        for case in cases:
            if progress is not None:
                progress(name, case)
            options, law = PlantOptions(**CASES[case].options(arm, efforts)), make()
            for row in _rows(name, law):
                rows[row][case] = _outcome(arm, law, trajectory, options, failure, seed)
    return Comparison(arm, trajectory, {**gains, 'failure': failure}, rows)


def _rows(name: str, law: Law) -> list[str]:
    """Return the rows of a law: one for each time it makes the motion."""
    return [name, *(f'{name}, time {k}' for k in range(2, TIMES + 1) if law.learns)]


def _outcome(arm: 'Arm', law: Law, trajectory: Trajectory, options: PlantOptions, failure: float,
             seed: int) -> Options:
    """Return the figures of one run."""
    desired: Any = ahead(trajectory, law.lead) if law.lead else trajectory
    try:
        run = simulate(arm, trajectory.duration, PERIOD, law=law, trajectory=desired,
                       plant=options, seed=seed)
    except DivergenceError as error:
        return {'rms': None, 'peak': None, 'effort': None, 'use': None,
                'fails': f'diverges at {error.t:.3g} s'}
    off, tau = np.abs(np.asarray(run.error)), np.abs(run.tau).max(axis=0)
    peak = float(off.max())
    limited = np.isfinite(arm.limits.effort)
    use = (tau[limited] / np.asarray(arm.limits.effort)[limited]).max(initial=0.0)
    t = float(run.t[int(np.argmax((off > failure).any(axis=1)))])
    return {'rms': float(np.sqrt((off ** 2).mean(axis=0)).max()), 'peak': peak,
            'effort': float(tau.max()), 'use': float(use) if limited.any() else None,
            'fails': f'{failure:g} off at {t:.3g} s' if peak > failure else None}
