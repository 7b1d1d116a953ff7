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
The life of goals: accepted, under way, and ended in exactly one of three ways.

Without ROS; :mod:`.action_server` gives it the goals of an action. Trajectories by topic are goals
like any other, whose client does not listen.

"""

from math import inf, isfinite
from typing import Mapping, NamedTuple, Sequence

from twolink_dynamics.array_types import Vector
from twolink_dynamics.errors import TrajectoryError
from twolink_dynamics.tracking.tolerances import GoalMonitor, resolve_tolerance, Tolerance

__all__ = ['Asked', 'Execution', 'Goal', 'GoalFeedback', 'Outcome']

INVALID_GOAL, INVALID_JOINTS = -1, -2


class Asked(NamedTuple):
    """
    The tolerances that a goal asks for: above 0 use it, 0 the default, -1 none.

    Attributes
    ----------
    path, goal : dict of str to Tolerance
        By joint.
    goal_time : float
        [s].

    """

    path: Mapping = {}
    goal: Mapping = {}
    goal_time: float = 0.0


class Outcome(NamedTuple):
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
    code: int = 0
    text: str = ''


class GoalFeedback(NamedTuple):
    """
    How a goal under way goes, for its client.

    Attributes
    ----------
    key : object
        Whose goal.
    ns : int
        The state's stamp [ns].
    joint_names : sequence of str
        The goal's.
    index : int
        Of the point that the arm is on its way to.
    desired, actual, error : sequence of sequences of float
        Positions, velocities and, of `desired`, accelerations of the goal's joints.

    """

    key: object
    ns: int
    joint_names: Sequence[str]
    index: int
    desired: Sequence[Vector]
    actual: Sequence[Vector]
    error: Sequence[Vector]


class Goal:
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
    start, begin : int or None
        When it starts, and when the arm begins to follow it, later if it came late [ns]; None as
        long as that is not known.
    ended : bool

    """

    def __init__(self, key, trajectory, joints, monitor):
        self.key, self.trajectory, self.joints = key, trajectory, joints
        self.monitor, self.ended = monitor, False
        self.start = self.begin = None


class Execution:
    """
    The goals, one of which counts at a time, and how they end.

    Parameters
    ----------
    joint_names : sequence of str
        The arm's.

    Attributes
    ----------
    path, goal : tuple of float, length n
        The default tolerances [rad or m]; 0 for none.
    stopped_velocity : float
        The default tolerance of velocities at the goal; 0 for none.
    goal_time : float
        By when a goal must be reached, after its end [s].
    succeeded, aborted, canceled : int
        How many goals ended so.
    last : Outcome or None
        The last goal that did not succeed.

    """

    def __init__(self, joint_names):
        self.joint_names = tuple(joint_names)
        n = len(self.joint_names)
        self.path = self.goal = (0.0,) * n
        self.stopped_velocity, self.goal_time = 0.0, inf
        self.succeeded = self.aborted = self.canceled = 0
        self.last = None
        self._active = self._running = None
        self._to_come, self._outcomes = [], []

    @property
    def active(self):
        """The goal that was accepted last, if it has not ended."""
        return self._active

    @property
    def running(self):
        """The goal whose motion is under way, if it has not ended."""
        return self._active if self._active is self._running else None

    def prepare(self, key, trajectory, asked=None, joints=None):
        """
        Return a goal, not yet begun: what it asks for is checked first.

        Parameters
        ----------
        key : object
            Given back with its outcome.
        trajectory : Trajectory
            Its times count from the goal's start.
        asked : Asked, optional
        joints : sequence of int, optional
            Where the columns of the trajectory stand in the arm; all if not given.

        Returns
        -------
        goal : Goal

        Raises
        ------
        TrajectoryError
            If a tolerance is none, or for a joint that the goal does not have.

        """
        indices = tuple(range(len(self.joint_names)) if joints is None else joints)
        names = tuple(self.joint_names[k] for k in indices)
        asked = asked or Asked()
        for what, given in (('path_tolerance', asked.path), ('goal_tolerance', asked.goal)):
            _check_tolerances(what, given, names)
        if not isfinite(asked.goal_time):
            raise TrajectoryError(f'goal_time_tolerance is {asked.goal_time}', INVALID_GOAL)
        nothing = Tolerance()
        path = [_resolved(asked.path.get(name, nothing), self.path[k], 0.0)
                for name, k in zip(names, indices)]
        end = [_resolved(asked.goal.get(name, nothing), self.goal[k], self.stopped_velocity)
               for name, k in zip(names, indices)]
        goal_time = (asked.goal_time if asked.goal_time > 0.0 else
                     inf if asked.goal_time < 0.0 else self.goal_time)
        # From its first moment on: the way to the first point begins at what was desired before.
        monitor = GoalMonitor(names, trajectory.end_time, path, end, goal_time, -inf)
        return Goal(key, trajectory, indices, monitor)

    def accept(self, goal):
        """
        Let a goal be the one that counts; the one before ends now, though its motion may go on.

        Parameters
        ----------
        goal : Goal
            Of :meth:`prepare`.

        """
        self.end('aborted', INVALID_GOAL, 'preempted: another trajectory was accepted')
        self._active = goal

    def place(self, goal, start, begin):
        """
        Say when a goal starts, and when the arm begins to follow it.

        Parameters
        ----------
        goal : Goal
        start, begin : int
            [ns].

        """
        goal.start, goal.begin = start, begin
        self._to_come = [other for other in self._to_come if other.begin < begin] + [goal]

    def check(self, ns, error, error_velocity):
        """
        Judge what is under way.

        Parameters
        ----------
        ns : int
            Now [ns].
        error, error_velocity : sequence of float, length n
            Desired minus actual.

        Returns
        -------
        verdict : Verdict or None
            ``'aborted'``: the goal was not reached, or, with PATH_TOLERANCE_VIOLATED, its motion
            must end now. None: there is none.

        """
        while self._to_come and self._to_come[0].begin <= ns:
            self._running = self._to_come.pop(0)
        goal = self._running
        if goal is None:
            return None
        joints = goal.joints
        verdict = goal.monitor.check(1e-9 * (ns - goal.start), [error[k] for k in joints],
                                     [error_velocity[k] for k in joints])
        if verdict.state != 'moving':
            # A goal that is over is watched no longer: its motion is at its end.
            if not goal.ended:
                self._finish(goal, verdict.state, verdict.code, verdict.text)
            self._running = None
        return verdict

    def end(self, state, code, text, key=None):
        """
        End the goal that has not ended yet, if there is one.

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

    def drop(self, code, text, state='aborted'):
        """
        End what is accepted, because the motion is dropped.

        Parameters
        ----------
        code : int
        text : str
        state : str

        """
        self.end(state, code, text)
        self._running, self._to_come = None, []

    def take_outcomes(self):
        """
        Return what ended since the last call.

        Returns
        -------
        outcomes : list of Outcome

        """
        outcomes, self._outcomes = self._outcomes, []
        return outcomes

    def _finish(self, goal, state, code, text):
        goal.ended = True
        if goal is self._active:
            self._active = None
        outcome = Outcome(goal.key, state, code, text)
        self._outcomes.append(outcome)
        if state == 'succeeded':
            self.succeeded += 1
            return
        self.aborted += state == 'aborted'
        self.canceled += state == 'canceled'
        self.last = outcome


def _resolved(asked, position, velocity):
    return Tolerance(resolve_tolerance(asked.position, position),
                     resolve_tolerance(asked.velocity, velocity))


def _check_tolerances(what, given, names):
    for name, tolerance in given.items():
        if name not in names:
            raise TrajectoryError(f'{what} is for a joint that the goal does not have: '
                                  f'{", ".join(names)}', INVALID_JOINTS, joint=name)
        for value in tolerance:
            if not (value >= 0.0 or value == -1.0) or value == inf:
                raise TrajectoryError(f'{what} is {value}; expected a number above 0, 0 for the '
                                      'default, or -1 for none', INVALID_GOAL, joint=name)
