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

"""Tolerances along the path and at the goal, as joint_trajectory_controller has them."""

from typing import NamedTuple, Sequence

from twolink_dynamics.array_types import Vector
from twolink_dynamics.trajectory.goal import (
    GOAL_TOLERANCE_VIOLATED, PATH_TOLERANCE_VIOLATED, SUCCESSFUL)

__all__ = ['GoalMonitor', 'GoalStatus', 'Tolerance', 'resolve_tolerance']


def resolve_tolerance(requested: float, default: float) -> float:
    """
    Return the tolerance that a goal means.

    Parameters
    ----------
    requested : float
        Above 0: use it; 0: the default; -1 (or any below 0): unlimited.
    default : float
        The controller's own; 0 is unlimited.

    Returns
    -------
    tolerance : float
        Above 0, or 0 for unlimited.

    """
    return requested if requested > 0.0 else 0.0 if requested < 0.0 else default


class Tolerance(NamedTuple):
    """
    How large a joint's errors may be; 0 is unlimited.

    Attributes
    ----------
    position, velocity : float
        [rad or m, and per second].

    """

    position: float = 0.0
    velocity: float = 0.0


class GoalStatus(NamedTuple):
    """
    The status of a goal: under way, reached, or missed.

    Attributes
    ----------
    state : str
        ``'moving'``, ``'succeeded'`` or ``'aborted'``.
    code : int
        0, or the error code of FollowJointTrajectory.
    joint : str or None
    text : str
        Why, with the numbers.

    """

    state: str
    code: int = SUCCESSFUL
    joint: str | None = None
    text: str = ''


MOVING, SUCCEEDED = GoalStatus('moving'), GoalStatus('succeeded')


class GoalMonitor:
    """
    Judge a goal while it is followed.

    Parameters
    ----------
    joint_names : sequence of str
        The joints of the goal.
    end_time : float
        When the last point is due [s], on the clock that :meth:`check` is given.
    path : sequence of Tolerance
        For each joint, while it moves.
    goal : sequence of Tolerance
        For each joint, at the end.
    goal_time : float
        How long after the last point the goal must be reached [s]. For
        joint_trajectory_controller 0 means no limit; here it means at once, and infinity no limit.
    start_time : float
        Before it [s] there is no path tolerance: the way to the first point is not on the path.

    """

    def __init__(self, joint_names: Sequence[str], end_time: float, path: Sequence[Tolerance],
                 goal: Sequence[Tolerance], goal_time: float = 1.0,
                 start_time: float = 0.0) -> None:
        self.joint_names = tuple(joint_names)
        self.start_time, self.end_time, self.goal_time = start_time, end_time, goal_time
        self.path, self.goal = tuple(path), tuple(goal)

    def check(self, t: float, error: Vector, error_velocity: Vector) -> GoalStatus:
        """
        Return the status of the goal.

        Parameters
        ----------
        t : float
            [s].
        error, error_velocity : sequence of float
            Desired minus actual, for each joint of the goal. NaN violates every tolerance.

        Returns
        -------
        status : GoalStatus

        """
        if t < self.end_time:
            if t < self.start_time:
                return MOVING
            violation = self._worst_violation(self.path, error, error_velocity)
            where, code = f'on the path at {t:.6g} s', PATH_TOLERANCE_VIOLATED
        else:
            violation = self._worst_violation(self.goal, error, error_velocity)
            where, code = f'{t - self.end_time:.6g} s after the end', GOAL_TOLERANCE_VIOLATED
            if violation is None:
                return SUCCEEDED
        if violation is None or 0.0 <= t - self.end_time < self.goal_time:
            return MOVING
        joint, text = violation
        return GoalStatus('aborted', code, joint, f'{where}: {text}')

    def _worst_violation(self, tolerances: Sequence[Tolerance], error: Vector,
                         error_velocity: Vector) -> tuple[str, str] | None:
        """Return the joint that exceeds its tolerance the most, and by how much, or None."""
        worst, found = 1.0, None
        for name, tolerance, *errors in zip(self.joint_names, tolerances, error, error_velocity):
            for what, allowed, actual in zip(('position', 'velocity'), tolerance, errors):
                share = abs(actual) / allowed if allowed else 0.0
                if not share <= worst:
                    worst = share if share == share else float('inf')
                    found = (name, f'joint "{name}" has a {what} error of {actual:.6g}, the '
                             f'tolerance is {allowed:.6g}')
        return found
