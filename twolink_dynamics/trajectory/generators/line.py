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

from typing import Callable, TYPE_CHECKING

import numpy as np

from twolink_dynamics.array_types import FloatArray, PerJoint, Vector
from twolink_dynamics.errors import ParameterError
from twolink_dynamics.trajectory.generators.profiles import equidistant, POINTS_PER_PERIOD, \
    smooth_step
from twolink_dynamics.trajectory.generators.tip_curves import bent_posture, Pace, \
    PaceMaker, plane_of_motion, reachable_size, start_posture, tip_mover
from twolink_dynamics.trajectory.limit_scaling import fit_period
from twolink_dynamics.trajectory.trajectory import Trajectory
from twolink_dynamics.validation import number, vector

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm

__all__ = ['line']


def line(arm: 'Arm', goal: Vector | None = None, start: Vector | None = None,
         duration: float = 2.0, q0: PerJoint | None = None) -> Trajectory:
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
    duration = number('duration', duration, above=0.0)
    bent = bent_posture(arm)
    near = start_posture(arm, q0)
    first = arm.tip_pose(near)[:3, 3] if start is None else np.array(vector('start', start, 3))

    def pace_of(duration: float) -> PaceMaker:
        def pace(dense: int) -> Pace:
            t = equidistant(duration, dense * POINTS_PER_PERIOD)
            u, ud, udd, _ = smooth_step(t / t[-1])
            return t, u, ud / t[-1], udd / t[-1] ** 2
        return pace

    def to(last: FloatArray) -> Callable[[PaceMaker], Trajectory]:
        way = last - first
        name = f'line from {np.round(first, 4).tolist()} to {np.round(last, 4).tolist()}'
        return tip_mover(arm, name, lambda u: (first + u * way, way, 0.0 * way), near)

    if goal is None:
        ahead = plane_of_motion(arm, bent, 'line')[0]
        last = first + ahead * reachable_size(arm, lambda size: to(
            first + size * ahead)(pace_of(duration)))
    else:
        last = np.array(vector('goal', goal, 3))
    if not (last - first).any():
        raise ParameterError('goal', np.round(first, 6).tolist(), 'another place than the start')
    move = to(last)
    return fit_period(arm, duration, lambda T: move(pace_of(T)))
