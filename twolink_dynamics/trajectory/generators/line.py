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

"""A straight line of the tip, from rest to rest at minimum jerk."""

import numpy as np

from twolink_dynamics.errors import ParameterError
from twolink_dynamics.trajectory.generators.profiles import equidistant, POINTS_PER_PERIOD, \
    positive_number, smooth_step, vector
from twolink_dynamics.trajectory.generators.tip_curves import bent_posture, plane_of_motion, \
    position, reachable_size, tip_motion
from twolink_dynamics.trajectory.limit_scaling import fit_period

__all__ = ['line']


def line(arm, goal=None, start=None, duration=2.0, q0=None):
    """
    Return the joints' motion for a straight line of the tip, at minimum jerk.

    Parameters
    ----------
    arm : Arm
    goal : array_like, shape (3,), optional
        In the base frame [m]; by default a fifth of the arm's reach from the start in the plane
        the tip moves in, or less where that cannot be reached.
    start : array_like, shape (3,), optional
        By default where the tip is at `q0`.
    duration : float
        [s]; longer if the velocity or effort limits need it.
    q0 : array_like, shape (n,), optional
        A posture that the start shall be near to; by default each joint but the first at a right
        angle.

    Returns
    -------
    trajectory : Trajectory

    Raises
    ------
    TrajectoryError
        If the arm cannot reach a point of the line, or not without a jump of its joints.
    ShapeError, ParameterError
        If an argument cannot be.

    """
    duration = positive_number('duration', duration)
    bent = bent_posture(arm)
    near = bent if q0 is None else vector('q0', q0, arm.n)
    start = arm.tip_pose(near)[:3, 3] if start is None else position('start', start)

    def to(goal, duration):
        way = goal - start
        name = f'line from {np.round(start, 4).tolist()} to {np.round(goal, 4).tolist()}'
        t = equidistant(duration, POINTS_PER_PERIOD)
        u, ud, udd, _ = smooth_step(t / t[-1])
        return tip_motion(arm, name, lambda u: (start + u * way, way, 0.0 * way),
                          (t, u, ud / t[-1], udd / t[-1] ** 2), near)

    if goal is None:
        ahead = plane_of_motion(arm, bent, 'line')[0]
        goal = start + ahead * reachable_size(arm, lambda size: to(start + size * ahead, duration))
    goal = position('goal', goal)
    if not (goal - start).any():
        raise ParameterError('goal', np.round(start, 6).tolist(), 'another place than the start')
    return fit_period(arm, duration, lambda T: to(goal, T))
