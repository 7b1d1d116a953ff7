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

"""The balance of a motion's energy: how much it changed, and what explains that."""

from __future__ import annotations

import numpy as np

from twolink_dynamics.array_types import FloatArray
from twolink_dynamics.errors import ParameterError
from twolink_dynamics.recordings.motion import Motion

__all__ = ['balance']


def balance(motion: Motion) -> tuple[FloatArray, dict[str, FloatArray], bool]:
    """
    Return a motion's energy and the works that explain its change.

    Where the plant kept a ledger, these are its works. Else they are found from the samples: the
    effort held between two samples does the work ``tau . dq`` exactly; friction is that of the
    arm's description, integrated by the trapezoidal rule, whose error falls with the square of the
    time between samples.

    Parameters
    ----------
    motion : Motion

    Returns
    -------
    energy : ndarray, shape (N,)
        Kinetic plus potential [J].
    works : dict of str to ndarray, shape (N,)
        Since the start [J]; what is zero throughout is left out.
    kept : bool
        Whether the plant kept the works itself.

    Raises
    ------
    ParameterError
        If neither energies nor a model are known.

    """
    energy = motion.energy
    if energy is None:
        if motion.arm is None:
            raise ParameterError('energy', None, "the arm's URDF, for the log has no energy")
        energy = (motion.arm.kinetic_energy(motion.q, motion.velocity)
                  + motion.arm.potential_energy(motion.q))
    works = _estimated(motion) if motion.work is None else motion.work
    return (energy, {name: work for name, work in works.items() if np.any(work)},
            motion.work is not None)


def _estimated(motion: Motion) -> dict[str, FloatArray]:
    """Return the works found from the samples."""
    works = {}
    way = np.diff(motion.q, axis=0)
    if motion.tau is not None:
        tau = motion.tau[:-1] if motion.efforts_lead else motion.tau[1:]
        works['effort'] = _since_start((tau * way).sum(axis=1))
    if motion.arm is not None:
        joints = motion.arm.chain.joints
        power = (motion.velocity ** 2 * [joint.damping for joint in joints]).sum(axis=1)
        works['viscous'] = _since_start(-0.5 * (power[:-1] + power[1:]) * np.diff(motion.t))
        works['coulomb'] = _since_start(
            -(np.abs(way) * [joint.friction for joint in joints]).sum(axis=1))
    return works


def _since_start(steps: FloatArray) -> FloatArray:
    return np.concatenate([[0.0], np.cumsum(steps)])
