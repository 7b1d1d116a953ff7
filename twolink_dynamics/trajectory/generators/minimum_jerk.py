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

import numpy as np

from twolink_dynamics.errors import ShapeError
from twolink_dynamics.trajectory.feasibility import check_motion
from twolink_dynamics.trajectory.generators.profiles import equidistant, \
    POINTS_PER_PERIOD, positive_number, vector
from twolink_dynamics.trajectory.limit_scaling import fit_period, room_to_swing
from twolink_dynamics.trajectory.trajectory import Trajectory

__all__ = ['minimum_jerk', 'minimum_jerk_move']

# How far a move goes that is not given its goal [rad or m].
STEP = 0.6


def minimum_jerk(start, goal, duration, start_time=0.0):
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
    duration = positive_number('duration', duration)
    start, goal = np.atleast_1d(start), np.atleast_1d(goal)
    if start.shape != goal.shape or start.ndim != 1:
        raise ShapeError('goal', f'that of start, {start.shape}', goal.shape)
    rest = np.zeros((2, len(start)))
    return Trajectory([start_time, start_time + duration], [start, goal], rest, rest)


def minimum_jerk_move(arm, goal=None, start=None, *, duration=2.0):
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
    duration = positive_number('duration', duration)
    step = np.full(arm.n, STEP) if goal is None else np.zeros(arm.n)
    start, step = room_to_swing(
        arm, step, None if start is None else vector('start', start, arm.n))
    goal = start + step if goal is None else vector('goal', goal, arm.n)
    check_motion(arm, minimum_jerk(start, goal, duration), velocity='ignore', effort='ignore')

    def sampled(T):
        t = equidistant(T, POINTS_PER_PERIOD)
        return Trajectory(t, *minimum_jerk(start, goal, T).sample_many(t))

    return minimum_jerk(start, goal, fit_period(arm, duration, sampled).duration)
