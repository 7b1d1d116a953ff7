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

from typing import NamedTuple

__all__ = [
    'GOAL_TOLERANCE_VIOLATED', 'GoalMonitor', 'PATH_TOLERANCE_VIOLATED', 'Tolerance', 'Verdict',
    'resolve_tolerance',
]

PATH_TOLERANCE_VIOLATED, GOAL_TOLERANCE_VIOLATED = -4, -5


def resolve_tolerance(asked, default):
    """
    Return the tolerance that a goal means.

    Parameters
    ----------
    asked : float
        Above 0: use it; 0: the default; -1 (or any below 0): none.
    default : float
        The controller's own; 0 is none.

    Returns
    -------
    tolerance : float
        Above 0, or 0 for none.

    """
    return asked if asked > 0.0 else 0.0 if asked < 0.0 else default


class Tolerance(NamedTuple):
    """
    What a joint's errors may be; 0 is no tolerance.

    Attributes
    ----------
    position, velocity : float
        [rad or m, and per second].

    """

    position: float = 0.0
    velocity: float = 0.0


class Verdict(NamedTuple):
    """
    How a goal stands.

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
    code: int = 0
    joint: str = None
    text: str = ''


MOVING, SUCCEEDED = Verdict('moving'), Verdict('succeeded')


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
        How long after the last point the goal must be reached [s]. joint_trajectory_controller
        takes 0 for ever; here it is at once, and infinite for ever.
    start_time : float
        No path tolerance before it [s]: the way to the first point is no part of the path.

    """

    def __init__(self, joint_names, end_time, path, goal, goal_time=1.0, start_time=0.0):
        self.joint_names = tuple(joint_names)
        self.start_time, self.end_time, self.goal_time = start_time, end_time, goal_time
        self.path, self.goal = tuple(path), tuple(goal)

    def check(self, t, error, error_velocity):
        """
        Return how the goal stands.

        Parameters
        ----------
        t : float
            [s].
        error, error_velocity : sequence of float
            Desired minus actual, for each joint of the goal. NaN is beyond every tolerance.

        Returns
        -------
        verdict : Verdict

        """
        if t < self.end_time:
            beyond = t >= self.start_time and self._beyond(self.path, error, error_velocity)
            if not beyond:
                return MOVING
            joint, text = beyond
            return Verdict('aborted', PATH_TOLERANCE_VIOLATED, joint,
                           f'on the path at {t:.6g} s: {text}')
        beyond = self._beyond(self.goal, error, error_velocity)
        if not beyond:
            return SUCCEEDED
        if t - self.end_time < self.goal_time:
            return MOVING
        joint, text = beyond
        return Verdict('aborted', GOAL_TOLERANCE_VIOLATED, joint,
                       f'{t - self.end_time:.6g} s after the end: {text}')

    def _beyond(self, tolerances, error, error_velocity):
        """Return the joint that is beyond its tolerance the most, and by what, or nothing."""
        worst, found = 1.0, None
        for name, tolerance, *errors in zip(self.joint_names, tolerances, error, error_velocity):
            for what, allowed, actual in zip(('position', 'velocity'), tolerance, errors):
                part = abs(actual) / allowed if allowed else 0.0
                if not part <= worst:
                    worst = part if part == part else float('inf')
                    found = (name, f'joint "{name}" has a {what} error of {actual:.6g}, the '
                             f'tolerance is {allowed:.6g}')
        return found
