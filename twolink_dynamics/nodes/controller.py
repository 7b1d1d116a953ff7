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
The controller: what the arm is to do at each moment, and the effort for it.

Everything here is without ROS; :mod:`.controller_node` gives it messages. The controller has no
clock of its own: its time is the stamps of the joint states, so it works the same on an arm, on a
simulator that is slower or faster than real time, and in lockstep.

"""

from . import entry
from .wanted import Motion, Wanted
from ..control.laws import ComputedTorque
from ..control.safety import all_finite, clamp_effort
from ..errors import TrajectoryError
from ..trajectory.goal import check_goal, INVALID_GOAL

__all__ = ['TrackingController', 'gains', 'main']

# [rad or m]: an arm further than this from where it is to be, after its states broke off or its
# clock was set back, was moved by something else: what was wanted before is no place to stop at.
MOVED = 0.1


class TrackingController:
    """
    Follow trajectories by computed torque; hold where there is none.

    Parameters
    ----------
    arm : Arm
    friction : bool
        Whether the arm's joint friction is compensated.
    on_event : callable, optional
        Called with a text when something happened that a user should know of.

    Attributes
    ----------
    q, qd, desired, tau : sequence of float, or None
        The last state, what was wanted (position, velocity, acceleration) and the effort for it.
    ns : int or None
        The last state's stamp; None before the first.
    saturated : bool
        Whether the last effort was limited.
    enabled : bool
    dropped : int
        Trajectories that were over before they could begin.
    stop_duration, start_tolerance, longest_gap : float
        How long a stop takes [s]; how far a trajectory's point at time 0 may be from what is
        wanted then (0: any distance); a longer gap between two states ends the motion [s].

    """

    def __init__(self, arm, friction=True, on_event=None):
        self.arm = arm
        self.law = ComputedTorque(arm, friction=friction)
        self.wanted = Wanted(arm.n, arm.limits)
        self._say = on_event or (lambda text: None)
        self._effort_limits = tuple(float(x) for x in arm.limits.effort)
        self._zero = (0.0,) * arm.n
        self.ns = self.q = self.qd = self.desired = self.tau = None
        self.saturated, self.enabled = False, True
        self.stop_duration, self.start_tolerance, self.longest_gap = 0.3, 0.1, 0.5
        self.dropped = 0
        self._early, self._origin = None, 0

    def update(self, ns, q, qd=None):
        """
        Return the effort for a state.

        Parameters
        ----------
        ns : int
            The state's stamp [ns]. The same stamp again gets the same effort again.
        q : sequence of float, length n
            Finite.
        qd : sequence of float, length n, optional
            Finite; the difference of positions is taken if not given.

        Returns
        -------
        tau : sequence of float, length n, or None
            Within the arm's limits; None if there is no finite effort.

        """
        if ns == self.ns:
            return self.tau
        qd = self._velocity(ns, q) if qd is None else qd
        if self.ns is None:
            self._first(ns, q, qd)
        elif not 0 < ns - self.ns <= 1e9 * self.longest_gap:
            self._resume(ns, q, qd)
        self.ns, self.q, self.qd = ns, q, qd
        try:
            self.desired = self.wanted.at(ns)
        except TrajectoryError as error:
            self.dropped += 1
            self._say(f'trajectory dropped (code {error.code}): {error}')
            self.desired = self.wanted.at(ns)
        self.tau = self._effort(ns) if self.enabled else self._zero
        return self.tau

    def _effort(self, ns):
        tau = self.law.effort(1e-9 * (ns - self._origin), self.q, self.qd, self.desired)
        if not all_finite(tau):
            return None
        tau, self.saturated = clamp_effort(tau, self._effort_limits)
        return tau

    def _velocity(self, ns, q):
        if self.ns is None or not 0 < ns - self.ns <= 1e9 * self.longest_gap:
            return self._zero
        dt = 1e-9 * (ns - self.ns)
        return [(new - old) / dt for new, old in zip(q, self.q)]

    def _first(self, ns, q, qd):
        self._origin = ns
        self.wanted.stop(ns, q, qd, duration=self.stop_duration)
        if self._early is not None:
            self.wanted.follow(self._early)
            self._early = None

    def _resume(self, ns, q, qd):
        """Come to rest after the states broke off, or after the clock was set back."""
        gap = 1e-9 * (ns - self.ns)
        happened = 'went back by' if gap < 0.0 else 'made a pause of'
        self._say(f'the stamps of joint_states {happened} {abs(gap):.6g} s: holding the arm, a '
                  'trajectory under way is dropped')
        self.law.reset()
        moved = any(abs(x - d) > MOVED for x, d in zip(q, self.desired[0]))
        self.wanted.stop(ns, *((q, qd) if moved else self.desired), duration=self.stop_duration)

    def accept(self, joint_names, points, stamp=0, allow_motion_at_end=False):
        """
        Check a trajectory, and follow it from its start on.

        Parameters
        ----------
        joint_names : sequence of str
            Every joint of the arm, in any order.
        points : sequence of GoalPoint
        stamp : int
            When it starts [ns]; 0: at the next state.
        allow_motion_at_end : bool
            Whether the last point may have a velocity.

        Raises
        ------
        TrajectoryError
            Why it is refused; what is under way then goes on.

        """
        timely = stamp != 0 and self.ns is not None
        trajectory = check_goal(
            self.arm.joint_names, joint_names, points, self.arm.limits,
            stamp=1e-9 * (stamp - self.ns) if timely else 0.0, now=0.0,
            allow_nonzero_velocity_at_trajectory_end=allow_motion_at_end)
        motion = Motion(stamp or None, trajectory)
        if not self.enabled:
            raise TrajectoryError('the controller is disabled; call ~/enable', INVALID_GOAL)
        if self.ns is None:
            self._early = motion
            return
        if trajectory.start_time == 0.0 and (stamp == 0 or stamp >= self.ns):
            self._check_start(trajectory, stamp or self.ns)
        self.wanted.follow(motion, self.ns)

    def _check_start(self, trajectory, start):
        """Refuse a jump: a trajectory with a point at time 0 has no way there."""
        if not self.start_tolerance:
            return
        there = self.wanted.foreseen(start)[0]
        for name, q, d in zip(self.arm.joint_names, trajectory.positions[0], there):
            if abs(q - d) > self.start_tolerance:
                raise TrajectoryError(
                    f'starts at {q:.6g}, {abs(q - d):.6g} away from {d:.6g}, where the joint is '
                    'to be then; give the first point a time above 0, so that there is a way',
                    INVALID_GOAL, joint=name, point=0)

    def hold(self):
        """
        Come to rest; what is under way is dropped.

        Returns
        -------
        holding : bool
            False before the first state.

        """
        self._early = None
        if self.ns is None:
            return False
        self.wanted.stop(self.ns, *self.desired, duration=self.stop_duration)
        return True

    def enable(self, enabled):
        """
        Switch the efforts on, from rest where the arm is then; or off, to zero.

        Parameters
        ----------
        enabled : bool

        """
        if enabled and not self.enabled and self.ns is not None:
            self.law.reset()
            self.wanted.stop(self.ns, self.q, self.qd, duration=self.stop_duration)
        elif not enabled and self.ns is not None:
            self.wanted.stop(self.ns, self.q)
            self._early = None
        self.enabled = enabled

    @property
    def mode(self):
        """What the controller does, in a word or two."""
        if not self.enabled:
            return 'disabled'
        if self.ns is None:
            return 'waiting for joint_states'
        if self.wanted.until_end(self.ns) > 0.0:
            return 'moving'
        return 'holding, a trajectory is to come' if self.wanted.pending else 'holding'

    @property
    def error(self):
        """Desired minus actual position and velocity, two lists of n floats."""
        q_d, qd_d, _ = self.desired
        return ([d - x for d, x in zip(q_d, self.q)], [d - x for d, x in zip(qd_d, self.qd)])


def gains(values):
    """
    Return the gains that the parameters mean, as arguments of a law.

    Parameters
    ----------
    values : namespace
        With kp, kd, ki, natural_frequency, damping_ratio; lists, None where not set.

    Returns
    -------
    gains : dict

    """
    kp = values.kp if values.kp is not None else [w * w for w in values.natural_frequency]
    arguments = {'kp': kp, 'ki': values.ki}
    if values.kd is not None:
        arguments['kd'] = values.kd
    else:
        arguments['damping_ratio'] = values.damping_ratio
    return arguments


def main(args=None):
    """
    Run the controller node until it is told to stop.

    Parameters
    ----------
    args : list of str, optional
        Command line, with ROS arguments; ``sys.argv`` if not given.

    Returns
    -------
    status : int
        The exit status.

    """
    return entry.run('controller', 'controller_node', 'ControllerNode', args)


if __name__ == '__main__':
    raise SystemExit(main())
