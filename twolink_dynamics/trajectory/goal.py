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

from __future__ import annotations

import math
from typing import Any, Iterable, NamedTuple, Sequence

import numpy as np

from twolink_dynamics.array_types import FloatArray
from twolink_dynamics.errors import TrajectoryError
from twolink_dynamics.trajectory.trajectory import Trajectory
from twolink_dynamics.validation import float_array

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


def _check_number_of_names(names: list[str], joint_names: list[str], partial: bool) -> None:
    if not names:
        raise TrajectoryError('no joint names; expected ' + ', '.join(joint_names), INVALID_JOINTS)
    if len(names) != len(joint_names) and not partial:
        _check_names(names, joint_names)
        missing = next(name for name in joint_names if name not in names)
        raise TrajectoryError('missing; name every joint of the arm, or allow partial goals',
                              INVALID_JOINTS, joint=missing)


def _check_names(names: list[str], joint_names: list[str]) -> None:
    for name in names:
        if name not in joint_names:
            raise TrajectoryError(('' if name else 'an empty name is ') + 'unknown; expected '
                                  + ', '.join(joint_names), INVALID_JOINTS, joint=name)
    for k, name in enumerate(names):
        if name in names[:k]:
            raise TrajectoryError('named twice; name every joint once', INVALID_JOINTS, joint=name)


class _Numbers(NamedTuple):
    """The numbers of m points for n joints, NaN where a point has none."""

    times: list[float]
    lengths: Any            # ndarray of int, shape (m, 4): how many of each field
    values: FloatArray      # shape (m, 4, n)


def _numbers(points: Sequence[GoalPoint], n: int, first: int = 0) -> _Numbers:
    """Return the numbers of points, all at once: a planner's goal has hundreds of points."""
    try:
        points = [GoalPoint(*point) for point in points]
        times = float_array('time', [point.time for point in points]).reshape(len(points)).tolist()
        lengths = np.array([list(map(len, point[1:])) for point in points]).reshape(-1, 4)
        values = np.full((*lengths.shape, n), np.nan)
        for field, name in enumerate(GoalPoint._fields[1:]):
            rows, full = [point[field + 1] for point in points], lengths[:, field] == n
            if full.any():
                whole = float_array(name, [row for row, fits in zip(rows, full) if fits])
                values[full, field] = whole.reshape(-1, n)
            for k in np.flatnonzero(~full & (lengths[:, field] > 0)).tolist():
                some = float_array(name, rows[k])[:n]   # refused later, if nothing else is wrong
                values[k, field, :len(some)] = some
        return _Numbers(times, lengths, values)
    except (TypeError, ValueError):
        if len(points) == 1:
            raise TrajectoryError('has something that is no number', INVALID_GOAL,
                                  point=first) from None
    for k, point in enumerate(points):
        _numbers([point], n, k)
    raise TrajectoryError('have something that is no number', INVALID_GOAL)


def _check_rest_at_end(names: list[str], numbers: _Numbers) -> None:
    for name, velocity in zip(names, numbers.values[-1, 1].tolist()):
        if abs(velocity) > VELOCITY_TOLERANCE:
            raise TrajectoryError(
                f'the last point has a velocity of {velocity:.6g}; end at rest',
                INVALID_GOAL, joint=name, point=len(numbers.times) - 1)


def _check_times(times: list[float], stamp: float, now: float) -> None:
    if stamp and stamp + times[-1] < now:
        raise TrajectoryError(
            f'the trajectory would have ended {now - stamp - times[-1]:.6g} s ago; stamp it '
            'later, or with 0 to start at once', OLD_HEADER_TIMESTAMP)
    for k, time in enumerate(times):
        if not time <= LONGEST:
            raise TrajectoryError(f'time_from_start is {time} s, expected {LONGEST:g} at most',
                                  INVALID_GOAL, point=k)
    if times[0] < 0.0:
        raise TrajectoryError(
            f'time_from_start is {times[0]:g} s, before the start', INVALID_GOAL, point=0)
    for k in range(1, len(times)):
        if not times[k] > times[k - 1]:
            raise TrajectoryError(
                f'time_from_start must increase strictly, got {times[k]:g} s after '
                f'{times[k - 1]:g} s', INVALID_GOAL, point=k)


def _check_arrays(names: list[str], numbers: _Numbers) -> None:
    lengths, n = numbers.lengths, len(names)
    wrong = (lengths != n) & (lengths != 0)
    wrong[:, 0] |= lengths[:, 0] == 0
    bad = ~np.isfinite(numbers.values) & (lengths == n)[:, :, None]
    # The first fault of each kind: of these the one of the earlier point, and the earlier field.
    faults = [np.argwhere(kind)[0].tolist() for kind in (wrong, bad) if kind.any()]
    if not faults:
        return
    k, field, *joint = min(faults)
    name = GoalPoint._fields[field + 1]
    if joint:
        raise TrajectoryError(
            f'{name}: expected a finite number, got {numbers.values[k, field, joint[0]]}',
            INVALID_GOAL, joint=names[joint[0]], point=k)
    raise TrajectoryError(
        f'{name}: expected {n} numbers, one per joint named, got {lengths[k, field]}'
        if lengths[k, field] else 'has no positions', INVALID_GOAL, point=k)


def _check_limits(joint_names: list[str], joints: tuple[int, ...], numbers: _Numbers,
                  limits: Any) -> None:
    lower, upper, fastest = (np.array([float(row[j]) for j in joints]) for row in (
        limits.lower, limits.upper, getattr(limits, 'velocity', [math.inf] * len(joint_names))))
    q, qd = numbers.values[:, 0], numbers.values[:, 1]
    far = (q < lower - POSITION_TOLERANCE) | (q > upper + POSITION_TOLERANCE)
    fast = np.abs(qd) > fastest * (1.0 + LIMIT_TOLERANCE)
    for k, what, c in np.argwhere(np.stack([far, fast], axis=1))[:1].tolist():
        value, j = numbers.values[k, what, c], joint_names[joints[c]]
        raise TrajectoryError(
            f'velocity {value:.6g} is beyond the limit {fastest[c]:.6g}' if what else
            f'position {value:.6g} is beyond the limits [{lower[c]:.6g}, {upper[c]:.6g}]',
            INVALID_GOAL, joint=j, point=k)


def read_goal(joint_names: Sequence[str], names: Sequence[str], points: Iterable[GoalPoint],
              limits: Any = None, *, stamp: float = 0.0, now: float = 0.0,
              allow_nonzero_velocity_at_trajectory_end: bool = False,
              allow_partial_joints_goal: bool = False) -> Goal:
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
    known, named, given = list(joint_names), list(names), list(points)
    _check_number_of_names(named, known, allow_partial_joints_goal)
    numbers = _numbers(given, len(named)) if given else None
    if numbers is None:
        raise TrajectoryError('no points', INVALID_GOAL)
    _check_names(named, known)
    if not allow_nonzero_velocity_at_trajectory_end:
        _check_rest_at_end(named, numbers)
    _check_times(numbers.times, stamp, now)
    _check_arrays(named, numbers)
    order = sorted(range(len(named)), key=lambda k: known.index(named[k]))
    joints = tuple(known.index(named[k]) for k in order)
    numbers = numbers._replace(values=numbers.values[:, :, order])
    if limits is not None:
        _check_limits(known, joints, numbers, limits)
    rows = ([row if length else None for row, length in zip(values, lengths)]
            for values, lengths in zip(numbers.values.swapaxes(0, 1), numbers.lengths.T))
    q, qd, qdd, _ = rows
    return Goal(joints, Trajectory(numbers.times, np.array(q), qd, qdd))


def check_goal(joint_names: Sequence[str], names: Sequence[str], points: Iterable[GoalPoint],
               limits: Any = None, **options: Any) -> Trajectory:
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
