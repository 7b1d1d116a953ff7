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

"""Trapezoidal velocity: a motion of another package."""

import numpy as np

from twolink_dynamics.trajectory import Trajectory
from twolink_dynamics.trajectory.limit_scaling import fit_period, room_to_swing
from twolink_dynamics.validation import number, per_joint


def trapezoidal(arm, goal=None, start=0.0, *, ramp=0.25, duration=4.0):
    """
    Return a move that gathers speed evenly, keeps it, and comes to rest evenly.

    Parameters
    ----------
    arm : Arm
    goal, start : float or array_like, shape (n,), optional
        [rad or m]; the goal is by default what is within reach of half a radian or metre.
    ramp : float
        The part of the duration in which it gathers speed, less than half.
    duration : float
        [s]; longer if the velocity or effort limits need it.

    Returns
    -------
    trajectory : Trajectory

    """
    ramp = number('ramp', ramp, high=0.49, above=0.0)
    duration = number('duration', duration, above=0.0)
    first = np.array(per_joint('start', start, arm.n))
    first, room = room_to_swing(arm, np.full(arm.n, 0.5), first)
    way = room if goal is None else np.subtract(per_joint('goal', goal, arm.n), first)

    def make(T):
        speed, u = way / (T * (1.0 - ramp)), np.array([0.0, 0.5 * ramp / (1.0 - ramp)])
        parts = np.concatenate([u, 1.0 - u[::-1]])
        return Trajectory(np.array([0.0, ramp, 1.0 - ramp, 1.0]) * T,
                          first + parts[:, None] * way, [0.0 * way, speed, speed, 0.0 * way])

    return fit_period(arm, duration, make)
