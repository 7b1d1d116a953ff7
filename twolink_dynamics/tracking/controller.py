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
simulator that is slower or faster than real time, and in lockstep. Only the silence of joint
states is measured by the caller's clock.

"""

from bisect import bisect_right
import math

from twolink_dynamics.control.law_parameters import gains
from twolink_dynamics.control.laws import ComputedTorque
from twolink_dynamics.errors import ParameterError
from twolink_dynamics.tracking.effort_filter import EffortFilter
from twolink_dynamics.tracking.follower import Follower
from twolink_dynamics.tracking.goal_execution import GoalFeedback, INVALID_GOAL
from twolink_dynamics.tracking.safety import clamp_effort
from twolink_dynamics.tracking.supervisor import Supervisor
from twolink_dynamics.tracking.tolerances import PATH_TOLERANCE_VIOLATED
from twolink_dynamics.tracking.velocity_estimate import VelocityEstimate
from twolink_dynamics.tracking.watchdog import Watchdog

__all__ = ['TrackingController', 'gains']

# [rad or m, and per second]: an arm whose state differs by more from what is desired, after its
# states broke off or its clock was set back, was moved by something else: what was desired before
# is no state to stop from.
MOVED, MOVED_SPEED = 0.1, 0.5
# A state repeated so often is not sent again by a simulator that waits: its source is stuck.
STUCK = 20


class TrackingController(Follower):
    """
    Follow trajectories by a control law; hold where there is none.

    Parameters
    ----------
    arm : Arm
    friction : bool
        Whether the arm's joint friction is compensated.
    on_event : callable, optional
        Called with a text when something happened that a user should know of.
    law : Law, optional
        Computed torque if not given.

    Attributes
    ----------
    q, qd, desired, tau : sequence of float, or None
        The last state, what was desired (position, velocity, acceleration) and the effort for it.
    law : Law
    effort_filter, supervisor : EffortFilter, Supervisor
    watchdog : Watchdog
    longest_gap : float
        A longer gap between two states ends the motion [s].

    Its goals and what is desired: see :class:`.follower.Follower`.

    """

    def __init__(self, arm, friction=True, on_event=None, law=None):
        super().__init__(arm, on_event)
        self.law = law or ComputedTorque(arm, friction=friction)
        self.model = self.law.arm
        # Whether compensated or not, the joints' friction is none of the surroundings' efforts.
        self.effort_filter, self.supervisor = EffortFilter(arm), Supervisor(self.model)
        self.velocity = VelocityEstimate(arm.n)
        self.watchdog = Watchdog(0.1, 0.5, 60.0)
        self._effort_limits = tuple(float(x) for x in arm.limits.effort)
        self._zero = (0.0,) * arm.n
        self.q = self.qd = self.tau = None
        self.longest_gap = 0.5
        self._origin, self._repeats, self._lost = 0, 0, False

    @property
    def saturated(self):
        """Whether the last effort was limited."""
        return self.enabled and self.effort_filter.saturated

    def update(self, ns, q, qd=None, now=None):
        """
        Return the effort for a state.

        Parameters
        ----------
        ns : int
            The state's stamp [ns]. The same stamp again gets the same effort again.
        q : sequence of float, length n
            Finite.
        qd : sequence of float, length n, optional
            Finite; estimated from positions if not given.
        now : float, optional
            The caller's clock [s], for :meth:`silence`; one that is not set back.

        Returns
        -------
        tau : sequence of float, length n, or None
            Within the arm's limits; None if there is no finite effort.

        """
        if ns == self.ns:
            return self._again(now)
        gap = 0.0 if self.ns is None else 1e-9 * (ns - self.ns)
        steady = 0.0 < gap <= self.longest_gap and not self._lost
        if qd is None:
            qd = self.velocity.estimate(gap, q, self.desired[2]) if steady else self._zero
        self.velocity.seen(q, qd)
        if self.ns is None:
            self._first(ns, q, qd)
        elif not steady:
            self._resume(ns, q, qd)
        self.ns, self.q, self.qd, self._repeats, self._lost = ns, q, qd, 0, False
        if self._waiting:
            self._begin_waiting(ns)
        self.desired = self.desired_motion.at(ns)
        self._judge(1e-9 * (ns - self._origin))
        self.tau = self._effort(ns) if self.enabled else self._zero
        if now is not None and self.tau is not None:
            self._seen(now)
        return self.tau

    def _judge(self, t):
        """End the motion if it must not go on: too large an error, a contact, too fast."""
        reason = self.supervisor.update(t, self.q, self.qd, self.tau)
        code = PATH_TOLERANCE_VIOLATED
        verdict = self.execution.check(self.ns, *self.error)
        if verdict is not None and verdict.state == 'aborted':
            self._say(f'trajectory aborted (code {verdict.code}): {verdict.text}')
            if verdict.code == PATH_TOLERANCE_VIOLATED:
                reason = reason or verdict.text
        if reason is None or not self.enabled:
            return
        if self.execution.active is not None or self.mode != 'holding':
            self._say(f'motion stopped: {reason}')
        self._drop(code, reason)
        # From where the arm is, not from where it is to be: it may be stuck, or pushed away.
        self.effort_filter.bumpless.change()
        self.desired_motion.stop(self.ns, self.q, self.qd, duration=self.stop_duration)
        self.desired = self.desired_motion.at(self.ns)

    def _effort(self, ns):
        t = 1e-9 * (ns - self._origin)
        desired = self.desired
        half = 0.5 * getattr(self.law, 'period', 0.0)
        if half:
            # The effort is held: what it must give on the average is due in the middle.
            desired = (*desired[:2], self.desired_motion.at(ns + round(1e9 * half))[2])
        try:
            tau = self.law.effort(t, self.q, self.qd, desired)
        except (ArithmeticError, ValueError):
            return None         # an overflow, or a matrix (LinAlgError) of numbers beyond reason
        tau = self.effort_filter.effort(t, self.q, self.qd, tau)
        self.law.saturated = self.effort_filter.saturated
        return tau

    def _again(self, now):
        """Answer a state that came before: it may be lost, or its source may be stuck."""
        self._repeats += 1
        if now is not None and self._repeats > STUCK and self.enabled:
            if self.watchdog.level(now) not in ('live', 'hold'):
                return self.watchdog.effort(now)
        return self.tau

    def _seen(self, now):
        gravity = self.law.arm.scalar.gravity_vector(self.q)
        if all(map(math.isfinite, gravity)):
            self.watchdog.seen(now, self.tau, clamp_effort(gravity, self._effort_limits)[0])

    def silence(self, now):
        """
        Return what to send because no new state came for long, or None.

        The last effort goes over to gravity alone, and after a long time to zero.

        Parameters
        ----------
        now : float
            [s], of the clock of :meth:`update`.

        Returns
        -------
        tau : list of float, length n, or None

        """
        level = self.watchdog.level(now) if self.enabled and self.ns is not None else 'live'
        if level == 'live':
            return None
        if level == 'zero' and not self._lost:
            self._lost = True
            text = f'no new joint_states for {self.watchdog.times[2]:.6g} s: the effort is zero'
            self._say(text)
            self._drop(PATH_TOLERANCE_VIOLATED, text)
        return self.watchdog.effort(now)

    def _first(self, ns, q, qd):
        self._origin = ns
        self.desired_motion.stop(ns, q, qd, duration=self.stop_duration)

    def _resume(self, ns, q, qd):
        """Come to rest after the states broke off, or after the clock was set back."""
        gap = 1e-9 * (ns - self.ns)
        happened = 'went back by' if gap < 0.0 else 'made a pause of'
        text = (f'the stamps of joint_states {happened} {abs(gap):.6g} s: holding the arm, a '
                'trajectory under way is dropped')
        self._say(text)
        self._drop(INVALID_GOAL, text)
        self.law.reset()
        self.supervisor.restart()
        self.effort_filter.restart(1e-9 * (ns - self._origin), self.tau)
        moved = any(abs(x - d) > most for now, before, most in (
            (q, self.desired[0], MOVED), (qd, self.desired[1], MOVED_SPEED))
            for x, d in zip(now, before))
        state = (q, qd) if moved else self.desired
        self.desired_motion.stop(ns, *state, duration=self.stop_duration)

    def enable(self, enabled):
        """
        Switch the efforts on, from rest where the arm is then; or off, to zero.

        Parameters
        ----------
        enabled : bool

        """
        if enabled and not self.enabled and self.ns is not None:
            self.law.reset()
            self.effort_filter.restart(1e-9 * (self.ns - self._origin), None)
            self.desired_motion.stop(self.ns, self.q, self.qd, duration=self.stop_duration)
        elif not enabled:
            self._drop(INVALID_GOAL, 'ended by ~/enable: the controller was disabled')
            if self.ns is not None:
                self.desired_motion.stop(self.ns, self.q)
        self.enabled = enabled

    def use_law(self, law):
        """
        Go on with another law, without a jump of the effort.

        Parameters
        ----------
        law : Law

        """
        self.effort_filter.bumpless.change()
        self.law = law

    def use_gains(self, **gains):
        """
        Go on with other gains, without a jump of the effort.

        Parameters
        ----------
        **gains
            Of :meth:`Law.set_gains`.

        Raises
        ------
        TwoLinkError
            If a gain does not fit; nothing has changed then.

        """
        self.law.set_gains(**gains)
        self.effort_filter.bumpless.change()

    def use_model(self, arm):
        """
        Go on with another load or gravity, without a jump of the effort.

        Parameters
        ----------
        arm : Arm
            Of the same joints.

        """
        self.law.set_arm(arm)
        self.supervisor.set_arm(arm)
        self.model = arm
        self.effort_filter.bumpless.change()

    def set_timeouts(self, stale, zero):
        """
        Say what a silence of joint states means.

        Parameters
        ----------
        stale : float
            The motion under way ends, and the effort is gravity alone [s]; from a fifth of it on
            the last effort goes over to gravity.
        zero : float
            The effort is zero [s].

        Raises
        ------
        ParameterError

        """
        if not zero >= stale:
            raise ParameterError('zero_timeout', zero, f'at least state_timeout = {stale:g} s')
        self.watchdog.set_times(0.2 * stale, stale, zero)
        self.longest_gap = stale

    @property
    def mode(self):
        """What the controller does, in a word or two."""
        if not self.enabled:
            return 'disabled'
        if self.ns is None:
            return 'waiting for joint_states'
        if self.desired_motion.until_end(self.ns) > 0.0:
            return 'moving'
        pending = self._waiting or self.desired_motion.pending(self.ns)
        return 'holding, a trajectory is to come' if pending else 'holding'

    @property
    def error(self):
        """Desired minus actual position and velocity, two lists of n floats."""
        q_d, qd_d, _ = self.desired
        return ([d - x for d, x in zip(q_d, self.q)], [d - x for d, x in zip(qd_d, self.qd)])

    def feedback(self):
        """
        Return how the goal under way goes at the last state.

        Returns
        -------
        feedback : GoalFeedback or None
            None if no goal is under way, or nobody waits for it (it has no key).

        """
        goal = self.execution.running
        if goal is None or goal.key is None:
            return None
        times = goal.trajectory.times
        index = min(bisect_right(times, 1e-9 * (self.ns - goal.start)), len(times) - 1)
        rows = ([[vector[k] for k in goal.joints] for vector in vectors]
                for vectors in (self.desired, (self.q, self.qd), self.error))
        return GoalFeedback(goal.key, self.ns, [self.arm.joint_names[k] for k in goal.joints],
                            index, *rows)
