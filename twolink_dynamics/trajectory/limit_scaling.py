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

"""Motions that an arm can follow: within its positions, velocities and efforts."""

from __future__ import annotations

import itertools
import math
from typing import Callable, TYPE_CHECKING

import numpy as np

from twolink_dynamics.array_types import ArrayLike, FloatArray
from twolink_dynamics.errors import ParameterError, TrajectoryError
from twolink_dynamics.trajectory.feasibility import find_excess
from twolink_dynamics.trajectory.trajectory import Trajectory

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm

__all__ = ['fit_period', 'largest_effort_use', 'largest_velocity_use', 'room_to_swing']

# What a trajectory may use of a limit; the rest is the feedback's.
POSITION_SHARE, SHARE = 0.98, 0.9
SLOWER, TRIES = 1.3, 16


def _use(values: FloatArray, limits: ArrayLike) -> FloatArray:
    """Return the largest part of its limit that each column uses; of a limit of 0, inf or 0."""
    largest, limits = np.abs(values).max(axis=0), np.asarray(limits)
    with np.errstate(divide='ignore', invalid='ignore'):
        return np.where(largest > 0.0, largest / limits, 0.0)


def largest_velocity_use(arm: Arm, trajectory: Trajectory) -> FloatArray:
    """
    Return the largest part of its velocity limit that each joint uses at the points.

    Parameters
    ----------
    arm : Arm
    trajectory : Trajectory

    Returns
    -------
    use : ndarray, shape (n,)
        1 is the limit; 0 where there is none.

    """
    _, qd, _ = trajectory.sample_many(trajectory.times)
    return _use(qd, arm.limits.velocity)


def largest_effort_use(arm: Arm, trajectory: Trajectory) -> FloatArray:
    """
    Return the largest part of its effort limit that each joint uses at the points.

    Parameters
    ----------
    arm : Arm
    trajectory : Trajectory

    Returns
    -------
    use : ndarray, shape (n,)
        1 is the limit; 0 where there is none. Joint friction counts.

    """
    inverse_dynamics = arm.scalar.inverse_dynamics
    q, qd, qdd = trajectory.sample_many(trajectory.times)
    tau = np.array([inverse_dynamics(*state)
                    for state in zip(q.tolist(), qd.tolist(), qdd.tolist())])
    joints = arm.chain.joints
    tau = tau + qd * [j.damping for j in joints] + np.sign(qd) * [j.friction for j in joints]
    return _use(tau, arm.limits.effort)


def room_to_swing(arm: Arm, amplitude: FloatArray,
                  center: FloatArray | None = None) -> tuple[FloatArray, FloatArray]:
    """
    Return a middle posture and an amplitude that keep every joint within its positions.

    Parameters
    ----------
    arm : Arm
    amplitude : ndarray, shape (n,)
    center : ndarray, shape (n,), optional
        The posture next to zero with room for the amplitude, if not given.

    Returns
    -------
    center, amplitude : ndarray, shape (n,)

    Raises
    ------
    ParameterError
        If the center is beyond the limits.

    """
    lower, upper = (np.asarray(side) for side in (arm.limits.lower, arm.limits.upper))
    amplitude = np.minimum(amplitude, 0.5 * POSITION_SHARE * (upper - lower))
    if center is None:
        room = amplitude / POSITION_SHARE
        return np.minimum(np.maximum(0.0, lower + room), upper - room), amplitude
    for name, q, low, high in zip(arm.joint_names, center, lower, upper):
        if not low <= q <= high:
            raise ParameterError(f'center of joint "{name}"', float(q),
                                 f'a position within its limits [{low:g}, {high:g}]')
    return center, np.minimum(amplitude, POSITION_SHARE * np.minimum(center - lower,
                                                                     upper - center))


def fit_period(arm: Arm, period: float, make: Callable[[float], Trajectory]) -> Trajectory:
    """
    Return a motion within an arm's velocity and effort limits: slower, as far as they need it.

    Parameters
    ----------
    arm : Arm
    period : float
        [s]; the first that is tried.
    make : callable
        ``period -> Trajectory``.

    Returns
    -------
    trajectory : Trajectory

    Raises
    ------
    TrajectoryError
        If the limits do not suffice even for a slow motion.

    """
    worst = math.inf
    for tries in itertools.count(1):
        trajectory = make(period)
        uses = {'effort': largest_effort_use(arm, trajectory),
                'velocity': largest_velocity_use(arm, trajectory)}
        last, worst = worst, max(use.max() for use in uses.values())
        # What is within at the points may be beyond in between; positions slowness cannot help.
        if worst <= SHARE and all(
                excess.what == 'position' for excess in find_excess(arm, trajectory)):
            return trajectory
        # A peak of velocity may need more tries; efforts end at those of a pose held.
        if tries >= TRIES and worst >= 0.95 * last:
            break
        period *= SLOWER
    what = max(uses, key=lambda name: uses[name].max())
    k = int(np.argmax(uses[what]))
    limit = float(getattr(arm.limits, what)[k])
    needed = f', which needs {limit * uses[what][k]:.3g}' if limit else ''
    raise TrajectoryError(
        f'the {what} limit {limit:g} is not enough even for a slow motion{needed}; choose a '
        'smaller motion, another place for it, or raise the limit', joint=arm.joint_names[k])
