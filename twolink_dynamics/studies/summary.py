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

"""The figures that sum up a simulation."""

from collections import Counter
from typing import Any, Mapping, Sequence, TYPE_CHECKING

import numpy as np

from twolink_dynamics.errors import ParameterError
from twolink_dynamics.model.units import units

if TYPE_CHECKING:
    from twolink_dynamics.simulation.result import SimulationResult

__all__ = ['figures_of', 'not_followed']


def figures_of(result: 'SimulationResult', wall: float | None = None) -> dict[str, Any]:
    """
    Return what sums up a simulation.

    Parameters
    ----------
    result : SimulationResult
        With a model.
    wall : float, optional
        How long it took [s].

    Returns
    -------
    figures : dict
        Of plain Python values. Positions in rad or m, efforts in N m or N, energies in J.
        Of each joint ``rms_error``, ``peak_error`` and ``final_error`` are None without a desired
        motion. ``energy``: at start and end, and the works and what they leave unexplained, where
        the plant kept account.

    """
    arm, desired_error, residual = result.arm, result.error, result.energy_residual
    if arm is None:
        raise ParameterError('result', None, 'a simulation with its model')
    position_units, effort_units = units(arm.joint_types)
    limits, joints = arm.limits, []
    for k, name in enumerate(result.joint_names):
        joint = {'name': name, 'unit': position_units[k], 'effort_unit': effort_units[k]}
        error = None if desired_error is None else desired_error[:, k]
        joint.update(
            rms_error=None if error is None else float(np.sqrt((error ** 2).mean())),
            peak_error=None if error is None else float(np.abs(error).max()),
            final_error=None if error is None else float(error[-1]),
            lowest=float(result.q[:, k].min()), highest=float(result.q[:, k].max()),
            peak_velocity=float(np.abs(result.qd[:, k]).max()),
            velocity_limit=float(limits.velocity[k]),
            peak_effort=float(np.abs(result.tau[:, k]).max()),
            rms_effort=float(np.sqrt((result.tau[:, k] ** 2).mean())),
            effort_limit=float(limits.effort[k]))
        joints.append(joint)
    energy: dict[str, Any] = {
        'start': float(result.energy[0]), 'end': float(result.energy[-1]), 'work': None,
        'unexplained': None}
    if result.work is not None and residual is not None:
        energy['work'] = {name: float(work[-1]) for name, work in result.work.items()}
        energy['unexplained'] = float(np.abs(residual).max())
    steps = len(result.t) - 1
    return {
        'robot': arm.chain.name, 'duration': float(result.t[-1]), 'steps': steps,
        'wall': wall, 'real_time_factor': float(result.t[-1]) / wall if wall else None,
        'joints': joints, 'energy': energy,
        'events': dict(Counter(event.kind for event in result.events))}


def not_followed(joints: Sequence[Mapping[str, Any]], tolerance: float) -> str:
    """
    Return why an arm did not follow, or an empty text.

    Parameters
    ----------
    joints : sequence of dict
        ``name``, ``unit`` and ``rms_error`` of each joint, as in :func:`figures_of`.
    tolerance : float
        Largest rms error of a joint that counts as followed [rad or m].

    Returns
    -------
    reason : str

    """
    failed = [joint for joint in joints if not joint['rms_error'] <= tolerance]
    if not failed:
        return ''
    worst = max(failed, key=lambda joint: joint['rms_error'])
    return (f'joint "{worst["name"]}" has an rms error of {1e3 * worst["rms_error"]:.4g} '
            f'm{worst["unit"]}, more than {1e3 * tolerance:g}')
