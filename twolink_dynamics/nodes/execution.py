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
from typing import Mapping, NamedTuple

from ..control.tolerances import GoalMonitor, resolve_tolerance, Tolerance
from ..errors import TrajectoryError

__all__ = ['Asked', 'Execution', 'Goal', 'Outcome']

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


class Goal:
    """
    A goal that was accepted.

    Attributes
    ----------
    key : object
    trajectory : object
        What is followed; its identity tells which goal is under way.
    joints : tuple of int
        Where the goal's joints stand in the arm.
    monitor : GoalMonitor
    ended : bool

    """

    def __init__(self, key, trajectory, joints, monitor):
        self.key, self.trajectory, self.joints = key, trajectory, joints
        self.monitor, self.ended = monitor, False


class Execution:
    """
    One goal under way, at most one that is to come, and how they end.

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
        self._running = self._coming = None
        self._outcomes = []

    @property
    def active(self):
        """The goal that was accepted last, if it has not ended."""
        for goal in (self._coming, self._running):
            if goal is not None and not goal.ended:
                return goal
        return None

    @property
    def running(self):
        """The goal whose motion is under way, if it has not ended."""
        goal = self._running
        return goal if goal is not None and not goal.ended else None

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
        joints : sequence of str, optional
            The goal's; all if not given.

        Returns
        -------
        goal : Goal

        Raises
        ------
        TrajectoryError
            If a tolerance is none, or for a joint that the goal does not have.

        """
        names = self.joint_names if joints is None else tuple(joints)
        asked = asked or Asked()
        for what, given in (('path_tolerance', asked.path), ('goal_tolerance', asked.goal)):
            _check_tolerances(what, given, names)
        if not isfinite(asked.goal_time):
            raise TrajectoryError(f'goal_time_tolerance is {asked.goal_time}', INVALID_GOAL)
        indices = tuple(self.joint_names.index(name) for name in names)
        nothing = Tolerance()
        path = [_resolved(asked.path.get(name, nothing), self.path[k], 0.0)
                for name, k in zip(names, indices)]
        end = [_resolved(asked.goal.get(name, nothing), self.goal[k], self.stopped_velocity)
               for name, k in zip(names, indices)]
        goal_time = (asked.goal_time if asked.goal_time > 0.0 else
                     inf if asked.goal_time < 0.0 else self.goal_time)
        # From its first moment on: the way to the first point begins at what was wanted before.
        monitor = GoalMonitor(names, trajectory.end_time, path, end, goal_time, -inf)
        return Goal(key, trajectory, indices, monitor)

    def begin(self, goal):
        """
        Let a goal be the one to come; the one before ends now, though its motion goes on.

        Parameters
        ----------
        goal : Goal
            Of :meth:`prepare`.

        """
        self.end('aborted', INVALID_GOAL, 'preempted: another trajectory was accepted')
        self._coming = goal

    def check(self, ns, start, trajectory, error, error_velocity):
        """
        Judge what is under way.

        Parameters
        ----------
        ns, start : int
            Now, and when the motion under way started [ns].
        trajectory : Trajectory
            The motion under way.
        error, error_velocity : sequence of float, length n
            Desired minus actual.

        Returns
        -------
        verdict : Verdict or None
            ``'aborted'``: the motion must end now. None: no goal's motion is under way.

        """
        goal = self._running
        if self._coming is not None and self._coming.trajectory is trajectory:
            goal = self._running = self._coming
            self._coming = None
        if goal is None or goal.trajectory is not trajectory:
            return None
        joints = goal.joints
        verdict = goal.monitor.check(1e-9 * (ns - start), [error[k] for k in joints],
                                     [error_velocity[k] for k in joints])
        if verdict.state == 'succeeded' and not goal.ended:
            self._finish(goal, 'succeeded', 0, '')
        if verdict.state != 'moving':
            # A goal that is over is watched no longer: its motion is at its end.
            self._running = None
            if verdict.state == 'aborted' and not goal.ended:
                self._finish(goal, 'aborted', verdict.code, verdict.text)
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
        goal = self.active
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
        self._running = self._coming = None

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
        if goal is self._coming:
            self._coming = None
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
