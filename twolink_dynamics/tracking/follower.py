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

"""What the arm is to follow: trajectories checked, put in their order, ended."""

import math

from twolink_dynamics.errors import TrajectoryError
from twolink_dynamics.tracking.desired_motion import DesiredMotion, Motion
from twolink_dynamics.tracking.goal_execution import Execution, INVALID_GOAL
from twolink_dynamics.trajectory.feasibility import check_motion
from twolink_dynamics.trajectory.goal import read_goal
from twolink_dynamics.trajectory.trajectory import Trajectory

__all__ = ['Follower']


class Follower:
    """
    Take trajectories, and know what is desired of the arm: a controller without the efforts.

    Parameters
    ----------
    arm : Arm
    on_event : callable, optional
        Called with a text when something happened that a user should know of.

    Attributes
    ----------
    model : Arm
        The arm with what it carries, and its gravity.
    ns : int or None
        The last state's stamp; None before the first.
    desired : tuple of three sequences of float, or None
        What was desired at the last state.
    enabled : bool
    desired : DesiredMotion
    execution : Execution
        The goals.
    dropped : int
        Trajectories that were over before they could begin.
    stop_duration, start_tolerance : float
        How long a stop takes [s]; how far a trajectory's point at time 0 may be from what is
        desired then (0: any distance).
    allow_motion_at_end, allow_partial : bool
        Whether a last point may have a velocity; whether joints may be left out.
    beyond : dict of str to str
        What is done about trajectories beyond the velocity and effort limits: see
        :func:`~twolink_dynamics.trajectory.feasibility.check_motion`.

    """

    def __init__(self, arm, on_event=None):
        self.arm = self.model = arm
        self.desired_motion = DesiredMotion(
            arm.n, arm.limits, [kind == 'continuous' for kind in arm.joint_types])
        self.execution = Execution(arm.joint_names)
        self._say = on_event or (lambda text: None)
        self.ns = self.desired = None
        self.enabled = True
        self.stop_duration, self.start_tolerance, self.dropped = 0.3, 0.1, 0
        self.allow_motion_at_end = self.allow_partial = False
        self.beyond = {'velocity': 'reject', 'effort': 'warn'}
        self._waiting = []

    def accept(self, joint_names, points, stamp=0, key=None, asked=None):
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
            Comes back with the outcome.
        asked : Asked, optional
            The tolerances.

        Raises
        ------
        TrajectoryError
            Why it is refused; what is under way then goes on.

        """
        timely = stamp != 0 and self.ns is not None
        joints, trajectory = read_goal(
            self.arm.joint_names, joint_names, points, self.arm.limits,
            stamp=1e-9 * (stamp - self.ns) if timely else 0.0, now=0.0,
            allow_nonzero_velocity_at_trajectory_end=self.allow_motion_at_end,
            allow_partial_joints_goal=self.allow_partial)
        goal = self.execution.prepare(key, trajectory, asked, joints)
        if not self.enabled:
            raise TrajectoryError('the controller is disabled; call ~/enable', INVALID_GOAL)
        self._check_motion(trajectory, joints)
        if self.ns is not None:
            self._check_way(goal, stamp or self.ns)
        if timely:
            self._place(goal, stamp, self.ns)
        else:
            self._waiting.append((goal, stamp))
        self.execution.accept(goal)

    def _check_motion(self, trajectory, joints):
        whole = None if len(joints) == self.arm.n else joints
        for excess in check_motion(self.model, trajectory, whole, **self.beyond):
            self._say(f'trajectory accepted, though {excess}')

    def _check_way(self, goal, start):
        """Refuse a jump at time 0, and a way to the first point that is too fast."""
        trajectory, joints = goal.trajectory, goal.joints
        state = [[row[k] for k in joints] for row in self.desired_motion.at(max(start, self.ns))]
        if trajectory.start_time > 0.0:
            if start >= self.ns and self.enabled and not any(
                    self.desired_motion.continuous[k] for k in joints):
                first = [rows[0] for rows in (trajectory.positions, trajectory.velocities,
                                              trajectory.accelerations)]
                self._check_motion(Trajectory((0.0, trajectory.start_time),
                                              *zip(state, first)), joints)
            return
        if not self.start_tolerance or start < self.ns:
            return
        for k, q, d in zip(joints, trajectory.positions[0], state[0]):
            distance = abs(q - d)
            if self.desired_motion.continuous[k]:
                distance = abs(math.remainder(q - d, math.tau))
            if distance > self.start_tolerance:
                raise TrajectoryError(
                    f'starts at {q:.6g}, {distance:.6g} away from {d:.6g}, where the joint is '
                    'to be then; give the first point a time above 0, so that there is a way',
                    INVALID_GOAL, joint=self.arm.joint_names[k], point=0)

    def cancel(self, key):
        """
        Come to rest because a goal's client wants it, and hold.

        Parameters
        ----------
        key : object

        Returns
        -------
        canceled : bool
            False if that goal is not under way; nothing has changed then.

        """
        if not self.execution.end('canceled', 0, 'canceled by its client', key):
            return False
        self._rest()
        return True

    def hold(self):
        """
        Come to rest; what is under way is dropped.

        Returns
        -------
        holding : bool
            False before the first state.

        """
        self._drop(INVALID_GOAL, 'ended by ~/hold')
        return self._rest()

    def _drop(self, code, text):
        """End what is accepted, what waits for a state included; the caller stops the arm."""
        self._waiting = []
        self.execution.drop(code, text)

    def _rest(self):
        self._waiting = []
        if self.ns is None:
            return False
        if self.enabled:
            self.desired_motion.stop(self.ns, *self.desired, duration=self.stop_duration)
        return True

    def _begin_waiting(self, ns):
        """Let the trajectories begin that wait for a state."""
        for goal, stamp in self._waiting:
            try:
                self._place(goal, stamp or ns, ns)
            except TrajectoryError as error:
                self.dropped += 1
                self._say(f'trajectory dropped (code {error.code}): {error}')
                if self.execution.active is goal:
                    self.execution.end('aborted', error.code, str(error))
        self._waiting = []

    def _place(self, goal, start, now):
        begin = self.desired_motion.follow(Motion(start, goal.trajectory, goal.joints), now)
        self.execution.place(goal, start, begin)
