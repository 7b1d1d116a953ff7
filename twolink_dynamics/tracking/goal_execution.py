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
Goal execution: goals are accepted, under way, and end in exactly one of three ways.

Without ROS; :mod:`twolink_dynamics.nodes.action_server` gives it the goals of an action.
Trajectories by topic are goals like any other, whose client does not listen.

"""

from math import inf, isfinite
from typing import Mapping, NamedTuple, Sequence, TYPE_CHECKING

from twolink_dynamics.array_types import Vector
from twolink_dynamics.errors import TrajectoryError
from twolink_dynamics.tracking.tolerances import (
    GoalMonitor, GoalStatus, resolve_tolerance, Tolerance)
from twolink_dynamics.trajectory.goal import INVALID_GOAL, INVALID_JOINTS, SUCCESSFUL

if TYPE_CHECKING:
    from twolink_dynamics.trajectory.trajectory import Trajectory

__all__ = ['AcceptedGoal', 'GoalExecution', 'GoalFeedback', 'GoalResult', 'GoalTolerances']


class GoalTolerances(NamedTuple):
    """
    The tolerances that a goal requests: above 0 use it, 0 the default, -1 unlimited.

    Attributes
    ----------
    path, goal : dict of str to Tolerance
        By joint.
    goal_time : float
        [s].

    """

    path: Mapping[str, Tolerance] = {}
    goal: Mapping[str, Tolerance] = {}
    goal_time: float = 0.0


class GoalResult(NamedTuple):
    """
    How a goal ended.

    Attributes
    ----------
    key : object
        Whose goal; None: of the topic.
    state : str
        ``'succeeded'``, ``'aborted'`` or ``'canceled'``.
    code : int
        Of FollowJointTrajectory.
    text : str
        Why.

    """

    key: object
    state: str
    code: int = SUCCESSFUL
    text: str = ''


class GoalFeedback(NamedTuple):
    """
    The progress of a goal under way, for its client.

    Attributes
    ----------
    key : object
        Whose goal.
    ns : int
        The state's stamp [ns].
    joint_names : sequence of str
        The goal's.
    point_index : int
        Of the point that the arm is on its way to.
    desired, actual, error : sequence of sequences of float
        Positions, velocities and, of `desired`, accelerations of the goal's joints.

    """

    key: object
    ns: int
    joint_names: Sequence[str]
    point_index: int
    desired: Sequence[Vector]
    actual: Sequence[Vector]
    error: Sequence[Vector]


class AcceptedGoal:
    """
    A goal that was accepted.

    Attributes
    ----------
    key : object
    trajectory : Trajectory
        Its times count from the goal's start.
    joints : tuple of int
        Where its columns stand in the arm.
    monitor : GoalMonitor
    start, begin : int
        When it starts, and when the arm begins to follow it, later if it came late [ns]; 0 as
        long as that is not known.
    ended : bool

    """

    def __init__(self, key: object, trajectory: 'Trajectory', joints: tuple[int, ...],
                 monitor: GoalMonitor) -> None:
        self.key, self.trajectory, self.joints = key, trajectory, joints
        self.monitor, self.ended = monitor, False
        self.start = self.begin = 0


class GoalExecution:
    """
    The goals, one of which is active at a time, and how they end.

    Parameters
    ----------
    joint_names : sequence of str
        The arm's.

    Attributes
    ----------
    path_tolerance, goal_tolerance : tuple of float, length n
        The defaults [rad or m]; 0 for unlimited.
    stopped_velocity_tolerance : float
        The default tolerance of velocities at the goal; 0 for unlimited.
    goal_time : float
        By when a goal must be reached, after its end [s].
    succeeded, aborted, canceled : int
        How many goals ended so.
    last_failure : GoalResult or None
        The last goal that did not succeed.
    monitor_class : type
        What checks a goal against its tolerances; a derived class may name another.

    """

    monitor_class = GoalMonitor
    path_tolerance: Vector
    goal_tolerance: Vector
    last_failure: GoalResult | None
    _active: AcceptedGoal | None
    _moving: AcceptedGoal | None
    _to_come: list[AcceptedGoal]
    _results: list[GoalResult]

    def __init__(self, joint_names: Sequence[str]) -> None:
        self.joint_names = tuple(joint_names)
        self.path_tolerance = self.goal_tolerance = (0.0,) * len(self.joint_names)
        self.stopped_velocity_tolerance, self.goal_time = 0.0, inf
        self.succeeded = self.aborted = self.canceled = 0
        self.last_failure = self._active = self._moving = None
        self._to_come, self._results = [], []

    @property
    def active(self) -> AcceptedGoal | None:
        """The goal that was accepted last, if it has not ended."""
        return self._active

    @property
    def moving(self) -> AcceptedGoal | None:
        """The goal whose motion is under way, if it has not ended."""
        return self._active if self._active is self._moving else None

    @property
    def watched(self) -> bool:
        """Whether the tolerances of a goal's path apply now."""
        return self._moving is not None

    def prepare(self, key: object, trajectory: 'Trajectory',
                tolerances: GoalTolerances | None = None,
                joints: Sequence[int] | None = None) -> AcceptedGoal:
        """
        Return a goal, not yet begun, after checking its tolerances.

        Parameters
        ----------
        key : object
            Given back with its result.
        trajectory : Trajectory
            Its times count from the goal's start.
        tolerances : GoalTolerances, optional
        joints : sequence of int, optional
            Where the columns of the trajectory stand in the arm; all if not given.

        Returns
        -------
        goal : AcceptedGoal

        Raises
        ------
        TrajectoryError
            If a tolerance is no such number, or for a joint that the goal does not have.

        """
        indices = tuple(range(len(self.joint_names)) if joints is None else joints)
        names = tuple(self.joint_names[k] for k in indices)
        requested = tolerances or GoalTolerances()
        for what, by_joint in (('path_tolerance', requested.path),
                               ('goal_tolerance', requested.goal)):
            _check_tolerances(what, by_joint, names)
        if not isfinite(requested.goal_time):
            raise TrajectoryError(f'goal_time_tolerance is {requested.goal_time}', INVALID_GOAL)
        path = [_resolved(requested.path.get(name), self.path_tolerance[k], 0.0)
                for name, k in zip(names, indices)]
        end = [_resolved(requested.goal.get(name), self.goal_tolerance[k],
                         self.stopped_velocity_tolerance) for name, k in zip(names, indices)]
        goal_time = (requested.goal_time if requested.goal_time > 0.0 else
                     inf if requested.goal_time < 0.0 else self.goal_time)
        # From its first moment on: the way to the first point begins at the desired state.
        monitor = self.monitor_class(names, trajectory.end_time, path, end, goal_time, -inf)
        return AcceptedGoal(key, trajectory, indices, monitor)

    def accept(self, goal: AcceptedGoal) -> None:
        """
        Make a goal the active one; the one before ends now, though its motion may go on.

        Parameters
        ----------
        goal : AcceptedGoal
            Of :meth:`prepare`.

        """
        self.end('aborted', INVALID_GOAL, 'preempted: another trajectory was accepted')
        self._active = goal

    def schedule(self, goal: AcceptedGoal, start: int, begin: int) -> None:
        """
        Set when a goal starts, and when the arm begins to follow it.

        Parameters
        ----------
        goal : AcceptedGoal
        start, begin : int
            [ns].

        """
        goal.start, goal.begin = start, begin
        self._to_come = [other for other in self._to_come if other.begin < begin] + [goal]

    def check(self, ns: int, error: Vector, error_velocity: Vector) -> GoalStatus | None:
        """
        Check the goal under way against its tolerances.

        Parameters
        ----------
        ns : int
            Now [ns].
        error, error_velocity : sequence of float, length n
            Desired minus actual.

        Returns
        -------
        status : GoalStatus or None
            ``'aborted'``: the goal was not reached, or, with PATH_TOLERANCE_VIOLATED, its motion
            must end now. None: no goal is under way.

        """
        while self._to_come and self._to_come[0].begin <= ns:
            self._moving = self._to_come.pop(0)
        goal = self._moving
        if goal is None:
            return None
        status = goal.monitor.check(1e-9 * (ns - goal.start), [error[k] for k in goal.joints],
                                    [error_velocity[k] for k in goal.joints])
        if status.state != 'moving':
            # A goal that is over is no longer watched: its motion is at its end.
            if not goal.ended:
                self._finish(goal, status.state, status.code, status.text)
            self._moving = None
        return status

    def end(self, state: str, code: int, text: str, key: object = None) -> bool:
        """
        End the active goal, if there is one.

        Parameters
        ----------
        state : str
            ``'aborted'`` or ``'canceled'``.
        code : int
        text : str
        key : object, optional
            Only this one's goal; any if not given.

        Returns
        -------
        ended : bool

        """
        goal = self._active
        if goal is None or key is not None and goal.key != key:
            return False
        self._finish(goal, state, code, text)
        return True

    def drop(self, code: int, text: str) -> None:
        """
        Abort the active goal, and forget what is under way or to come: the motion ends.

        Parameters
        ----------
        code : int
        text : str

        """
        self.end('aborted', code, text)
        self._moving, self._to_come = None, []

    def take_results(self) -> list[GoalResult]:
        """
        Return which goals ended since the last call, and how.

        Returns
        -------
        results : list of GoalResult

        """
        results, self._results = self._results, []
        return results

    def _finish(self, goal: AcceptedGoal, state: str, code: int, text: str) -> None:
        goal.ended = True
        if goal is self._active:
            self._active = None
        result = GoalResult(goal.key, state, code, text)
        self._results.append(result)
        if state == 'succeeded':
            self.succeeded += 1
            return
        self.aborted += state == 'aborted'
        self.canceled += state == 'canceled'
        self.last_failure = result


def _resolved(requested: Tolerance | None, position: float, velocity: float) -> Tolerance:
    return Tolerance(*map(resolve_tolerance, requested or Tolerance(), (position, velocity)))


def _check_tolerances(what: str, by_joint: Mapping[str, Tolerance], names: Sequence[str]) -> None:
    for name, tolerance in by_joint.items():
        if name not in names:
            raise TrajectoryError(f'{what} is for a joint that the goal does not have: '
                                  f'{", ".join(names)}', INVALID_JOINTS, joint=name)
        for value in tolerance:
            if not (value >= 0.0 or value == -1.0) or value == inf:
                raise TrajectoryError(f'{what} is {value}; expected a number above 0, 0 for the '
                                      'default, or -1 for unlimited', INVALID_GOAL, joint=name)
