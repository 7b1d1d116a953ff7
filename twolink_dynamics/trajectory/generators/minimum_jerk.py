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

"""The move between two postures whose jerk is least: a quintic from rest to rest."""

from typing import TYPE_CHECKING

import numpy as np

from twolink_dynamics.array_types import ArrayLike, PerJoint
from twolink_dynamics.errors import ShapeError
from twolink_dynamics.trajectory.feasibility import check_motion
from twolink_dynamics.trajectory.generators.profiles import equidistant, POINTS_PER_PERIOD
from twolink_dynamics.trajectory.limit_scaling import fit_period, room_to_swing
from twolink_dynamics.trajectory.trajectory import Trajectory
from twolink_dynamics.validation import check_array, number, per_joint

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm

__all__ = ['minimum_jerk', 'minimum_jerk_move']

# How far a move goes that is not given its goal [rad or m].
STEP = 0.6


def minimum_jerk(start: ArrayLike, goal: ArrayLike, duration: float,
                 start_time: float = 0.0) -> Trajectory:
    """
    Return the move between two postures whose jerk is least: a quintic from rest to rest.

    Parameters
    ----------
    start, goal : array_like, shape (n,)
        Joint positions [rad or m].
    duration : float
        [s].
    start_time : float
        [s].

    Returns
    -------
    trajectory : Trajectory
        Two points; the largest velocity is 1.875 times the mean one, halfway.

    Raises
    ------
    ShapeError, NonFiniteError, ParameterError
        If the postures differ in length or the duration is not above zero.

    """
    duration = number('duration', duration, above=0.0)
    ends = (np.atleast_1d(check_array('start', start)),
            np.atleast_1d(check_array('goal', goal)))
    start_time = number('start_time', start_time)
    if ends[0].shape != ends[1].shape or ends[0].ndim != 1:
        raise ShapeError('goal', f'that of start, {ends[0].shape}', ends[1].shape)
    rest = np.zeros((2, len(ends[0])))
    return Trajectory([start_time, start_time + duration], ends, rest, rest)


def minimum_jerk_move(arm: 'Arm', goal: PerJoint | None = None, start: PerJoint | None = None, *,
                      duration: float = 2.0) -> Trajectory:
    """
    Return a minimum-jerk move of an arm within its limits: the motion ``minimum_jerk``.

    Parameters
    ----------
    arm : Arm
    goal : float or array_like, shape (n,), optional
        [rad or m]; by default 0.6 beyond the start in every joint, less where its limits need it.
    start : float or array_like, shape (n,), optional
        [rad or m]; by default zero, or what is next to it within the limits.
    duration : float
        [s]; longer if the velocity or effort limits need it.

    Returns
    -------
    trajectory : Trajectory

    Raises
    ------
    ShapeError, NonFiniteError, ParameterError
        If an argument is none of the arm's.
    TrajectoryError
        If start or goal is beyond the limits, or the efforts do not suffice.

    """
    duration = number('duration', duration, above=0.0)
    step = np.full(arm.n, STEP) if goal is None else np.zeros(arm.n)
    first, step = room_to_swing(
        arm, step, None if start is None else np.array(per_joint('start', start, arm.n)))
    last = first + step if goal is None else per_joint('goal', goal, arm.n)
    check_motion(arm, minimum_jerk(first, last, duration), velocity='ignore', effort='ignore')

    def sampled(T: float) -> Trajectory:
        t = equidistant(T, POINTS_PER_PERIOD)
        return Trajectory(t, *minimum_jerk(first, last, T).sample_many(t))

    return minimum_jerk(first, last, fit_period(arm, duration, sampled).duration)
