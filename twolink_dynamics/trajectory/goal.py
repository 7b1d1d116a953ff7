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

"""
Check an incoming joint trajectory: what is followed, and what is refused with a reason.

The rules and their order are those of joint_trajectory_controller, and beyond them what it lets
through: duplicate names, NaN and infinity, arrays of a wrong length, a first time before the
start, positions and velocities beyond the joints' limits. The goal comes as plain data, so that a
topic, an action and a file are checked in one place. What happens between the points is for
:mod:`.feasibility` to check.

"""

import math
from typing import NamedTuple, Sequence

import numpy as np

from twolink_dynamics.errors import TrajectoryError
from twolink_dynamics.trajectory.trajectory import Trajectory

__all__ = [
    'GOAL_TOLERANCE_VIOLATED', 'Goal', 'GoalPoint', 'INVALID_GOAL', 'INVALID_JOINTS',
    'OLD_HEADER_TIMESTAMP', 'PATH_TOLERANCE_VIOLATED', 'SUCCESSFUL', 'check_goal', 'read_goal',
]

# The error codes of control_msgs/FollowJointTrajectory.
SUCCESSFUL = 0
INVALID_GOAL, INVALID_JOINTS, OLD_HEADER_TIMESTAMP = -1, -2, -3
PATH_TOLERANCE_VIOLATED, GOAL_TOLERANCE_VIOLATED = -4, -5

# A limit and a target are often the same number, written with a few digits less.
POSITION_TOLERANCE = 1e-6
VELOCITY_TOLERANCE = 1e-9
LIMIT_TOLERANCE = 1e-6
# [s], thirty years: no motion lasts so long, and sums with it lose what is less than 1e-7 s.
LONGEST = 1e9


class GoalPoint(NamedTuple):
    """
    One point of a goal: numbers in the order of the goal's joint names, empty where missing.

    Attributes
    ----------
    time : float
        From the trajectory's start [s].
    positions, velocities, accelerations, effort : sequence of float
        `positions` are required. `effort` is checked and not used: the law computes the efforts.

    """

    time: float
    positions: Sequence[float] = ()
    velocities: Sequence[float] = ()
    accelerations: Sequence[float] = ()
    effort: Sequence[float] = ()


class Goal(NamedTuple):
    """
    A goal that may be followed.

    Attributes
    ----------
    joints : tuple of int
        Which of the arm's joints, in the arm's order; all unless the goal is a partial one.
    trajectory : Trajectory
        Of these joints; its times count from the goal's start.

    """

    joints: Sequence[int]
    trajectory: Trajectory


def _check_number_of_names(names, joint_names, partial):
    if not names:
        raise TrajectoryError('no joint names; expected ' + ', '.join(joint_names), INVALID_JOINTS)
    if len(names) != len(joint_names) and not partial:
        _check_names(names, joint_names)
        missing = next(name for name in joint_names if name not in names)
        raise TrajectoryError('missing; name every joint of the arm, or allow partial goals',
                              INVALID_JOINTS, joint=missing)


def _check_names(names, joint_names):
    for name in names:
        if name not in joint_names:
            raise TrajectoryError(('' if name else 'an empty name is ') + 'unknown; expected '
                                  + ', '.join(joint_names), INVALID_JOINTS, joint=name)
    for k, name in enumerate(names):
        if name in names[:k]:
            raise TrajectoryError('named twice; name every joint once', INVALID_JOINTS, joint=name)


def _check_rest_at_end(names, points):
    for name, velocity in zip(names, points[-1].velocities):
        if abs(velocity) > VELOCITY_TOLERANCE:
            raise TrajectoryError(
                f'the last point has a velocity of {velocity:.6g}; end at rest',
                INVALID_GOAL, joint=name, point=len(points) - 1)


def _check_times(points, stamp, now):
    if stamp and stamp + points[-1].time < now:
        raise TrajectoryError(
            f'the trajectory would have ended {now - stamp - points[-1].time:.6g} s ago; stamp it '
            'later, or with 0 to start at once', OLD_HEADER_TIMESTAMP)
    for k, point in enumerate(points):
        if not point.time <= LONGEST:
            raise TrajectoryError(f'time_from_start is {point.time} s, expected {LONGEST:g} at '
                                  'most', INVALID_GOAL, point=k)
    if points[0].time < 0.0:
        raise TrajectoryError(
            f'time_from_start is {points[0].time:g} s, before the start', INVALID_GOAL, point=0)
    for k in range(1, len(points)):
        if not points[k].time > points[k - 1].time:
            raise TrajectoryError(
                f'time_from_start must increase strictly, got {points[k].time:g} s after '
                f'{points[k - 1].time:g} s', INVALID_GOAL, point=k)


def _check_arrays(names, points):
    for k, point in enumerate(points):
        for field, values in zip(point._fields[1:], point[1:]):
            if field == 'positions' and not values:
                raise TrajectoryError('has no positions', INVALID_GOAL, point=k)
            if len(values) not in (0, len(names)):
                raise TrajectoryError(
                    f'{field}: expected {len(names)} numbers, one per joint named, got '
                    f'{len(values)}', INVALID_GOAL, point=k)
            for name, value in zip(names, values):
                if not math.isfinite(value):
                    raise TrajectoryError(f'{field}: expected a finite number, got {value}',
                                          INVALID_GOAL, joint=name, point=k)


def _check_limits(joint_names, joints, points, limits):
    lower, upper, fastest = ([float(row[j]) for j in joints] for row in (
        limits.lower, limits.upper, getattr(limits, 'velocity', [math.inf] * len(joint_names))))
    for k, point in enumerate(points):
        for j, q, low, high in zip(joints, point.positions, lower, upper):
            if not low - POSITION_TOLERANCE <= q <= high + POSITION_TOLERANCE:
                raise TrajectoryError(
                    f'position {q:.6g} is beyond the limits [{low:.6g}, {high:.6g}]',
                    INVALID_GOAL, joint=joint_names[j], point=k)
        for j, v, limit in zip(joints, point.velocities, fastest):
            if abs(v) > limit * (1.0 + LIMIT_TOLERANCE):
                raise TrajectoryError(f'velocity {v:.6g} is beyond the limit {limit:.6g}',
                                      INVALID_GOAL, joint=joint_names[j], point=k)


def _as_floats(point, k):
    """Return a point whose numbers are Python floats."""
    try:
        return GoalPoint(float(point[0]), *(tuple(map(float, values)) for values in point[1:]))
    except (TypeError, ValueError, OverflowError):
        raise TrajectoryError('has something that is no number', INVALID_GOAL, point=k) from None


def _in_arrays(points, n):
    """Return times and arrays of points that are alike and finite (None: has none), or None."""
    if not all(type(point) is GoalPoint for point in points):
        return None
    try:
        times, *fields = zip(*points)
        arrays = [np.array(times, dtype=np.float64)]
        for field in fields:
            lengths = {len(values) for values in field}
            if lengths == {0}:
                arrays.append(None)
            elif lengths == {n}:
                arrays.append(np.array(field, dtype=np.float64))
            else:
                return None
    except (TypeError, ValueError, OverflowError):
        return None
    shapes = [(len(points),)] + [(len(points), n)] * 4
    fine = arrays[1] is not None and all(
        array is None or array.shape == shape and np.isfinite(array).all()
        for array, shape in zip(arrays, shapes))
    return arrays if fine else None


def _at_once(names, joint_names, points, limits, stamp, now, may_move):
    """
    Return a goal that breaks no rule, checked all at once, or None: the rules then say what it is.

    A planner's goal has hundreds of points, and is checked while the arm is under control.

    """
    if not points or len(set(names)) != len(names) or not set(names) <= set(joint_names):
        return None
    arrays = _in_arrays(points, len(names))
    if arrays is None:
        return None
    order = sorted(range(len(names)), key=lambda k: joint_names.index(names[k]))
    joints = tuple(joint_names.index(names[k]) for k in order)
    times = arrays[0]
    q, qd, qdd = (None if array is None else array[:, order] for array in arrays[1:4])
    fine = (0.0 <= times[0] and times[-1] <= LONGEST and (np.diff(times) > 0.0).all()
            and not (stamp and stamp + times[-1] < now)
            and (may_move or qd is None or (np.abs(qd[-1]) <= VELOCITY_TOLERANCE).all()))
    if fine and limits is not None:
        low, high, fastest = (np.array([float(row[j]) for j in joints]) for row in (
            limits.lower, limits.upper,
            getattr(limits, 'velocity', [math.inf] * len(joint_names))))
        fine = (((low - POSITION_TOLERANCE <= q) & (q <= high + POSITION_TOLERANCE)).all()
                and (qd is None or (np.abs(qd) <= fastest * (1.0 + LIMIT_TOLERANCE)).all()))
    return Goal(joints, Trajectory(times, q, qd, qdd)) if fine else None


def read_goal(joint_names, names, points, limits=None, *, stamp=0.0, now=0.0,
              allow_nonzero_velocity_at_trajectory_end=False, allow_partial_joints_goal=False):
    """
    Return a goal as a trajectory of joints in the arm's order, or say what is wrong.

    Parameters
    ----------
    joint_names : sequence of str
        The arm's joints.
    names : sequence of str
        The goal's joints, in any order.
    points : sequence of GoalPoint
        Times from the trajectory's start; numbers in the order of `names`.
    limits : Limits, optional
        The arm's, in the order of `joint_names`; points beyond them are refused.
    stamp, now : float
        When the trajectory starts, and the present [s]; a stamp of 0 starts at once.
    allow_nonzero_velocity_at_trajectory_end : bool
        Whether the last point may have a velocity.
    allow_partial_joints_goal : bool
        Whether joints may be left out.

    Returns
    -------
    goal : Goal

    Raises
    ------
    TrajectoryError
        With `code`, `joint` and `point` of the first rule broken.

    """
    joint_names, names = list(joint_names), list(names)
    _check_number_of_names(names, joint_names, allow_partial_joints_goal)
    points = list(points)
    goal = _at_once(names, joint_names, points, limits, stamp, now,
                    allow_nonzero_velocity_at_trajectory_end)
    if goal is not None:
        return goal
    points = [_as_floats(point, k) for k, point in enumerate(points)]
    if not points:
        raise TrajectoryError('no points', INVALID_GOAL)
    _check_names(names, joint_names)
    if not allow_nonzero_velocity_at_trajectory_end:
        _check_rest_at_end(names, points)
    _check_times(points, stamp, now)
    _check_arrays(names, points)
    order = sorted(range(len(names)), key=lambda k: joint_names.index(names[k]))
    joints = tuple(joint_names.index(names[k]) for k in order)
    points = [GoalPoint(point.time, *(tuple(values[k] for k in order) if values else ()
                                      for values in point[1:])) for point in points]
    if limits is not None:
        _check_limits(joint_names, joints, points, limits)
    return Goal(joints, Trajectory(
        [point.time for point in points], [point.positions for point in points],
        [point.velocities for point in points], [point.accelerations for point in points]))


def check_goal(joint_names, names, points, limits=None, **options):
    """
    Return a goal as a trajectory of all the arm's joints, or say what is wrong.

    Parameters
    ----------
    joint_names, names, points, limits, **options
        As of :func:`read_goal`, without partial goals.

    Returns
    -------
    trajectory : Trajectory
        Its times count from the goal's start.

    Raises
    ------
    TrajectoryError
        With `code`, `joint` and `point` of the first rule broken.

    """
    return read_goal(joint_names, names, points, limits, **options).trajectory
