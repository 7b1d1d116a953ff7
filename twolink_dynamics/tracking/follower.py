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

"""A trajectory follower: it checks trajectories, puts them in their order, and ends them."""

import math
from typing import Any, Callable, Literal, Sequence, TYPE_CHECKING

from twolink_dynamics.array_types import DesiredState, Vector
from twolink_dynamics.errors import TrajectoryError
from twolink_dynamics.tracking.desired_motion import DesiredMotion, ScheduledMotion
from twolink_dynamics.tracking.goal_execution import AcceptedGoal, GoalExecution, GoalTolerances
from twolink_dynamics.trajectory.feasibility import check_motion
from twolink_dynamics.trajectory.goal import GoalPoint, INVALID_GOAL, read_goal, SUCCESSFUL
from twolink_dynamics.trajectory.trajectory import Trajectory

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm

__all__ = ['Follower']


class Follower:
    """
    Take trajectories, and know the desired motion of the arm: a controller without the efforts.

    A copy of it, by :mod:`copy` or :mod:`pickle`, goes on from the same state by itself, and
    reports no events: `on_event` belongs to the original.

    Parameters
    ----------
    arm : Arm
    on_event : callable, optional
        Called with a text when something happened that a user should know of.

    Attributes
    ----------
    model : Arm
        The arm with its payload and its gravity.
    ns : int or None
        The last state's stamp; None before the first.
    desired : tuple of three sequences of float, or None
        The desired position, velocity and acceleration at the last state.
    enabled : bool
    desired_motion : DesiredMotion
    execution : GoalExecution
    desired_motion_class, execution_class : type
        What these two are made of; a derived class may name others.
    dropped : int
        Trajectories that were over before they could begin.
    stop_duration, start_tolerance : float
        How long a stop takes [s]; how far a trajectory's point at time 0 may be from the desired
        position then (0: any distance).
    allow_motion_at_end, allow_partial : bool
        Whether a last point may have a velocity; whether joints may be left out.
    limit_policy : dict of str to {'reject', 'warn', 'ignore'}
        What to do with trajectories beyond the limits of ``'velocity'`` and ``'effort'``: see
        :func:`~twolink_dynamics.trajectory.feasibility.check_motion`.

    """

    ns: int | None
    desired: DesiredState | None
    limit_policy: dict[str, Literal['reject', 'warn', 'ignore']]
    desired_motion_class = DesiredMotion
    execution_class = GoalExecution

    def __init__(self, arm: 'Arm', on_event: Callable[[str], Any] | None = None) -> None:
        self.arm = self.model = arm
        self.desired_motion = self.desired_motion_class(
            arm.n, arm.limits, [kind == 'continuous' for kind in arm.joint_types])
        self.execution = self.execution_class(arm.joint_names)
        self.on_event = on_event
        self.ns = self.desired = None
        self.enabled = True
        self.stop_duration, self.start_tolerance, self.dropped = 0.3, 0.1, 0
        self.allow_motion_at_end = self.allow_partial = False
        self.limit_policy = {'velocity': 'reject', 'effort': 'warn'}
        self._waiting: list[tuple[AcceptedGoal, int]] = []
        self._stopping = False

    def __getstate__(self) -> dict[str, Any]:
        """Leave out whom the original reports to."""
        return {**self.__dict__, 'on_event': None}

    def _report(self, text: str) -> None:
        if self.on_event is not None:
            self.on_event(text)

    def accept(self, joint_names: Sequence[str], points: Sequence[GoalPoint], stamp: int = 0,
               key: object = None, tolerances: GoalTolerances | None = None) -> None:
        """
        Check a trajectory, and follow it from its start on.

        Parameters
        ----------
        joint_names : sequence of str
            Joints of the arm, in any order.
        points : sequence of GoalPoint
        stamp : int
            When it starts [ns]; 0: at the next state.
        key : object, optional
            Comes back with the result.
        tolerances : GoalTolerances, optional

        Raises
        ------
        TrajectoryError
            Why it is refused; what is under way then goes on.

        """
        now = self.ns if stamp != 0 else None
        joints, trajectory = read_goal(
            self.arm.joint_names, joint_names, points, self.arm.limits,
            stamp=0.0 if now is None else 1e-9 * (stamp - now), now=0.0,
            allow_nonzero_velocity_at_trajectory_end=self.allow_motion_at_end,
            allow_partial_joints_goal=self.allow_partial)
        goal = self.execution.prepare(key, trajectory, tolerances, joints)
        if not self.enabled:
            raise TrajectoryError('the controller is disabled; call ~/enable', INVALID_GOAL)
        self._check_limits(trajectory, joints)
        if self.ns is not None:
            self._check_start(goal, stamp or self.ns, self.ns)
        if now is not None:
            self._schedule(goal, stamp, now)
        else:
            self._waiting.append((goal, stamp))
        self.execution.accept(goal)

    def _check_limits(self, trajectory: Trajectory, joints: Sequence[int]) -> None:
        """Refuse what is beyond the limits, or report it, as the policy says."""
        some = None if len(joints) == self.arm.n else joints
        for excess in check_motion(self.model, trajectory, some,
                                   velocity=self.limit_policy['velocity'],
                                   effort=self.limit_policy['effort']):
            self._report(f'trajectory accepted, though {excess}')

    def _check_start(self, goal: AcceptedGoal, start: int, now: int) -> None:
        """Refuse a jump at time 0, and a way to the first point that is too fast."""
        trajectory, joints = goal.trajectory, goal.joints
        continuous = self.desired_motion.continuous
        q0, qd0, qdd0 = ([row[k] for k in joints]
                         for row in self.desired_motion.at(max(start, now)))
        if trajectory.start_time > 0.0:
            if start >= now:
                first = [d + math.remainder(q - d, math.tau) if continuous[k] else q
                         for k, q, d in zip(joints, trajectory.positions[0], q0)]
                way = Trajectory((0.0, trajectory.start_time), (q0, first),
                                 (qd0, trajectory.velocities[0]),
                                 (qdd0, trajectory.accelerations[0]))
                self._check_limits(way, joints)
            return
        if not self.start_tolerance or start < now:
            return
        for k, q, d in zip(joints, trajectory.positions[0], q0):
            distance = abs(math.remainder(q - d, math.tau) if continuous[k] else q - d)
            if distance > self.start_tolerance:
                raise TrajectoryError(
                    f'starts at {q:.6g}, {distance:.6g} away from {d:.6g}, where the joint is '
                    'to be then; give the first point a time above 0, so that there is a way',
                    INVALID_GOAL, joint=self.arm.joint_names[k], point=0)

    def cancel(self, key: object) -> bool:
        """
        Come to rest because a goal's client cancels it, and hold.

        Parameters
        ----------
        key : object

        Returns
        -------
        canceled : bool
            False if that goal is not active; nothing has changed then.

        """
        if not self.execution.end('canceled', SUCCESSFUL, 'canceled by its client', key):
            return False
        self._rest()
        return True

    def hold(self, reason: str = 'ended by ~/hold') -> bool:
        """
        Come to rest; what is under way is dropped.

        Parameters
        ----------
        reason : str, optional
            What the goal's client is told.

        Returns
        -------
        holding : bool
            False before the first state.

        """
        self._drop(INVALID_GOAL, reason)
        return self._rest()

    def _drop(self, code: int, text: str) -> None:
        """End what is accepted, what waits for a state included; the caller stops the arm."""
        self._waiting = []
        self.execution.drop(code, text)

    def _rest(self) -> bool:
        self._waiting = []
        if self.ns is None or self.desired is None:
            return False
        if self.enabled:
            self._stop(self.ns, *self.desired)
        return True

    def _stop(self, ns: int, q: Vector, qd: Vector, qdd: Vector | None = None) -> None:
        """Let the desired motion come to rest from a state."""
        self._stopping = True
        self.desired_motion.stop(ns, q, qd, qdd, self.stop_duration)

    def _begin_waiting(self, ns: int) -> None:
        """Let the trajectories begin that wait for a state."""
        for goal, stamp in self._waiting:
            try:
                self._schedule(goal, stamp or ns, ns)
            except TrajectoryError as error:
                self.dropped += 1
                self._report(f'trajectory dropped (code {error.code}): {error}')
                if self.execution.active is goal:
                    self.execution.end('aborted', error.code, str(error))
        self._waiting = []

    def _schedule(self, goal: AcceptedGoal, start: int, now: int) -> None:
        begin = self.desired_motion.follow(
            ScheduledMotion(start, goal.trajectory, goal.joints), now)
        self._stopping = False
        self.execution.schedule(goal, start, begin)
