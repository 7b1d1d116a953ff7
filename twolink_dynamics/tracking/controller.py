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
The tracking controller: the desired state of the arm at each moment, and the effort for it.

Everything here is without ROS; :mod:`twolink_dynamics.nodes.controller_node` gives it messages.
The controller has no clock of its own: its time is the stamps of the joint states, so it works
the same on an arm, on a simulator that is slower or faster than real time, and in lockstep. Only
the silence of joint states is measured by the caller's clock.

"""

from bisect import bisect_right
import math
from typing import Any, Callable, Literal, Sequence, TYPE_CHECKING

from twolink_dynamics.array_types import DesiredState, Vector
from twolink_dynamics.control.gains import reflected_inertia
from twolink_dynamics.control.laws.computed_torque import ComputedTorque
from twolink_dynamics.errors import ParameterError, TrajectoryError
from twolink_dynamics.tracking.effort_filter import EffortFilter
from twolink_dynamics.tracking.effort_limits import clamp_effort
from twolink_dynamics.tracking.fault_latch import FaultLatch
from twolink_dynamics.tracking.fault_recorder import FaultRecorder
from twolink_dynamics.tracking.follower import Follower
from twolink_dynamics.tracking.goal_execution import GoalFeedback, GoalTolerances
from twolink_dynamics.tracking.state_continuity import Jump, StateContinuity
from twolink_dynamics.tracking.supervisor import Supervisor
from twolink_dynamics.tracking.velocity_estimate import VelocityEstimate
from twolink_dynamics.tracking.watchdog import Watchdog
from twolink_dynamics.trajectory.goal import GoalPoint, INVALID_GOAL, PATH_TOLERANCE_VIOLATED

if TYPE_CHECKING:
    from twolink_dynamics.control.law import Law
    from twolink_dynamics.dynamics.arm import Arm

__all__ = ['TrackingController']

# [rad or m, and per second]: an arm whose state differs by more from the desired one, after its
# states broke off or its clock was set back, was moved by something else: the desired state of
# before is none to stop from.
MOVED, MOVED_SPEED = 0.1, 0.5
# A simulator that waits does not repeat a state so often: its source is stuck.
STUCK = 20
# [s]: how long the arm is followed as it moves without effort; drives that come back within half
# of it have no fault.
DEAD = 0.5
# [s]: a rate limit that keeps the effort back for longer has taken the loop's stability.
LAG = 0.25
# [s]: of an arm that was caught faster than it can be stopped in the usual time.
LONGEST_STOP = 1.5


class TrackingController(Follower):
    """
    Follow trajectories by a control law; hold the arm where there is none.

    The goals and the desired motion: see :class:`.follower.Follower`.

    Parameters
    ----------
    arm : Arm
    friction : bool
        Whether the arm's joint friction is compensated, if no law is given.
    on_event : callable, optional
        Called with a text when something happened that a user should know of.
    law : Law, optional
        Computed torque if not given.

    Attributes
    ----------
    q, qd, desired, tau : sequence of float, or None
        The last state, the desired one (position, velocity, acceleration) and the effort for it.
    law : Law
    effort_filter : EffortFilter
    supervisor : Supervisor
    velocity_estimate : VelocityEstimate
    watchdog : Watchdog
    latch : FaultLatch
        The fault that is latched, if one is: :mod:`twolink_dynamics.tracking.faults`.
    recorder : FaultRecorder
        Of the last 5 s before a fault.
    effort_filter_class, supervisor_class, velocity_estimate_class, watchdog_class : type
        What these are made of; a derived class may name others.
    latch_class, recorder_class, continuity_class : type
        The same.
    on_position_jump : {'rebase', 'fault'}
        What a jump of positions is answered by that no velocity explains.
    longest_gap : float
        A longer gap between two states ends the motion [s].

    """

    law: 'Law'
    q: Vector | None
    qd: Vector | None
    tau: Vector | None
    effort_filter_class = EffortFilter
    supervisor_class = Supervisor
    velocity_estimate_class = VelocityEstimate
    watchdog_class = Watchdog
    latch_class = FaultLatch
    recorder_class = FaultRecorder
    continuity_class = StateContinuity
    on_position_jump: Literal['rebase', 'fault']

    def __init__(self, arm: 'Arm', friction: bool = True,
                 on_event: Callable[[str], Any] | None = None, law: 'Law | None' = None) -> None:
        super().__init__(arm, on_event)
        self.law = law or ComputedTorque(arm, friction=friction)
        self.model = self.law.arm
        # Compensated or not, the joints' friction is not an external effort.
        self.effort_filter = self.effort_filter_class(arm)
        self.supervisor = self.supervisor_class(self.model)
        self.velocity_estimate = self.velocity_estimate_class(arm.n)
        self.watchdog = self.watchdog_class(0.1, 0.5, 60.0)
        self._effort_limits = tuple(float(x) for x in arm.limits.effort)
        self._zero = (0.0,) * arm.n
        self.q = self.qd = self.tau = None
        self.longest_gap = 0.5
        self._origin, self._repeats, self._lost = 0, 0, False
        self.latch = self.latch_class(self.model)
        self.recorder = self.recorder_class(arm.joint_names)
        self.on_position_jump, self._dead, self._fastest = 'rebase', 0.0, 0.0
        # [s^2/rad]: what a joint takes per speed, at its effort limit.
        self._slow = tuple(
            j / x for j, x in zip(reflected_inertia(arm), self._effort_limits))
        self._continuity = self.continuity_class(arm.joint_names, arm.joint_types,
                                                 arm.limits.velocity)

    @property
    def saturated(self) -> bool:
        """Whether the last effort was limited."""
        return self.enabled and self.effort_filter.saturated

    def update(self, ns: int, q: Vector, qd: Vector | None = None,
               now: float | None = None) -> Vector | None:
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
            return self._repeated_state(now)
        last, desired = self.ns, self.desired
        gap = 0.0 if last is None else 1e-9 * (ns - last)
        steady = 0.0 < gap <= self.longest_gap and not self._lost
        q = self._continuity.follow(q)
        jump = self._continuity.check(gap, q, qd) if steady and self.enabled else None
        self._continuity.take(q, qd)
        if qd is None:
            qd = (self.velocity_estimate.estimate(gap, q, desired[2])
                  if steady and desired and jump is None else self._zero)
        self.velocity_estimate.feed(q, qd)
        if desired is None:
            self._origin = ns
            self._stop(ns, q, qd)
        elif jump is not None:
            self._jumped(ns, q, qd, jump)
        elif not steady:
            self._resume(ns, gap, q, qd, desired)
        self.ns, self.q, self.qd, self._repeats, self._lost = ns, q, qd, 0, False
        if self._waiting:
            self._begin_waiting(ns)
        self.desired = self.desired_motion.at(ns)
        if self.latch.fault is None:
            self._supervise(ns, q, qd, gap if steady else 0.0)
        self.tau = self._answer(ns, q, qd, self.desired)
        self.recorder.add(ns, q, qd, self.desired, self.tau)
        if now is not None and self.tau is not None:
            self._feed_watchdog(now, q, self.tau)
        return self.tau

    def _answer(self, ns: int, q: Vector, qd: Vector, desired: DesiredState) -> Vector | None:
        if not self.enabled:
            return self._zero
        if self.latch.fault is not None:
            return self.latch.efforts(self.law.arm, q, qd)
        return self._effort(ns, q, qd, desired)

    def _seconds(self, ns: int) -> float:
        return 1e-9 * (ns - self._origin)

    def _supervise(self, ns: int, q: Vector, qd: Vector, dt: float) -> None:
        """End the motion if it must not go on; latch what must not be tried again."""
        self.latch.advance(dt)
        supervisor, t = self.supervisor, self._seconds(ns)
        contact = supervisor.update(t, q, qd, self.tau)
        status = self.execution.check(ns, *self.error)
        large = None
        if status is not None and status.state == 'aborted':
            self._report(f'trajectory aborted (code {status.code}): {status.text}')
            if status.code == PATH_TOLERANCE_VIOLATED:
                large = status.text
        if not self.enabled:
            return
        if not self.execution.watched:
            large = large or supervisor.large_error(self.error[0])
        if self.tau is not None and self._judge_efforts(ns, q, qd, dt, self.tau):
            return
        # What was too fast when its stop began is so for a while.
        braking = self.state == 'stopping' and max(map(abs, qd)) <= 1.1 * self._fastest
        if large is not None or supervisor.too_fast and not braking:
            self._rebase(ns, q, qd, contact or large or '')
        elif self.effort_filter.lagging > LAG:
            self._end_motion(f'the rate limit has kept the effort back for {LAG:g} s')
            self._rest_here(ns, q, qd)
        elif contact is not None and not supervisor.too_fast:
            self._end_motion(contact)
            # From where the arm is, not from where it is desired: it was pushed away.
            self.effort_filter.bumpless.change()
            self._stop(ns, q, qd)
            self.desired = self.desired_motion.at(ns)

    def _judge_efforts(self, ns: int, q: Vector, qd: Vector, dt: float, tau: Vector) -> bool:
        """Answer efforts that act the wrong way, or not at all; tell whether they do."""
        monitor = self.supervisor.direction_monitor
        found = monitor.update(self._seconds(ns), q, qd, tau)
        suspicion = monitor.suspicion
        if found is None and suspicion is not None and suspicion.kind == 'direction' \
                and self.supervisor.large_error(self.error[0], 0.5) is not None:
            found = suspicion
        if found is None:
            self._dead = 0.0
            return False
        if found.kind == 'direction' or self._dead > DEAD:
            self._latch(ns, found.kind, found.text)
            return True
        if not self._dead or self.execution.active is not None:
            self._end_motion(f'{found.text}: its motion is followed until they act')
        self._dead += dt
        self._rest_here(ns, q, qd)
        return True

    def _end_motion(self, reason: str) -> None:
        moved = self.execution.active is not None or self.state == 'moving'
        self._report(f'{"motion stopped" if moved else "resting where the arm is"}: {reason}')
        self._drop(PATH_TOLERANCE_VIOLATED, reason)

    def _rest_here(self, ns: int, q: Vector, qd: Vector) -> None:
        """Let the arm rest where it is, with no memory of what went wrong."""
        self.law.reset()
        self.effort_filter.restart(self._seconds(ns), None)
        self._stop(ns, q, qd)
        # The peak of a stop's deceleration, for half of what the effort limits give.
        duration = max(self.stop_duration, *(3.75 * abs(v) * j for v, j in zip(qd, self._slow)))
        if duration > self.stop_duration:
            self.desired_motion.stop(ns, q, qd, None, min(duration, LONGEST_STOP))
        self._fastest = max(map(abs, qd))
        self.desired = self.desired_motion.at(ns)

    def _rebase(self, ns: int, q: Vector, qd: Vector, reason: str) -> None:
        """Rest where the arm is; what recurs is latched."""
        if self.latch.count():
            self._latch(ns, 'recurring', reason)
            return
        self._end_motion(reason)
        self._rest_here(ns, q, qd)

    def _jumped(self, ns: int, q: Vector, qd: Vector, jump: Jump) -> None:
        self.supervisor.restart()
        if jump.kind == 'wrap' or self.on_position_jump == 'fault':
            self._latch(ns, jump.kind, jump.text)
        elif self.latch.fault is None:
            self._rebase(ns, q, qd, jump.text)

    def _latch(self, ns: int, name: str, reason: str) -> None:
        """Latch a fault: everything ends, until ~/enable."""
        if self.latch.fault is not None:
            return
        self.latch.latch(name, reason)
        text = f'fault: {name}: {reason}; the arm is left to fault_effort until ~/enable'
        if self.latch.gives_nothing:
            text = f'fault: {name}: {reason}; the effort is zero until ~/enable'
        self._report(text)
        self._drop(PATH_TOLERANCE_VIOLATED, text)
        try:
            path = self.recorder.save(name)
        except ParameterError as error:
            self._report(str(error))
        else:
            if path is not None:
                self._report(f'the last seconds before the fault are in {path}')

    def _report(self, text: str) -> None:
        self.recorder.note(self.ns or 0, text)
        super()._report(text)

    def accept(self, joint_names: Sequence[str], points: Sequence[GoalPoint], stamp: int = 0,
               key: object = None, tolerances: GoalTolerances | None = None) -> None:
        """Check a trajectory, and follow it: :meth:`.Follower.accept`; none while in a fault."""
        if self.latch.fault is not None:
            raise TrajectoryError(f'the controller is in a fault ({self.latch.text}); call '
                                  '~/enable', INVALID_GOAL)
        super().accept(joint_names, points, stamp, key, tolerances)

    def _effort(self, ns: int, q: Vector, qd: Vector, desired: DesiredState) -> Vector | None:
        t = self._seconds(ns)
        half = 0.5 * getattr(self.law, 'period', 0.0)
        if half:
            # The effort is held: the acceleration it is to give on the average is the middle's.
            desired = (*desired[:2], self.desired_motion.at(ns + round(1e9 * half))[2])
        try:
            tau = self.law.effort(t, q, qd, desired)
        except (ArithmeticError, ValueError):
            return None         # an overflow, or a matrix (LinAlgError) of numbers beyond reason
        sent = self.effort_filter.apply(t, q, qd, tau)
        self.law.saturated = self.effort_filter.saturated
        return sent

    def _repeated_state(self, now: float | None) -> Vector | None:
        """Answer a state that came before: it may be lost, or its source may be stuck."""
        self._repeats += 1
        if now is not None and self._repeats > STUCK and self.enabled:
            if self.watchdog.level(now) not in ('live', 'hold'):
                return self.watchdog.effort(now)
        return self.tau

    def _feed_watchdog(self, now: float, q: Vector, tau: Vector) -> None:
        gravity = self.law.arm.scalar.gravity_vector(q)
        if self.latch.gives_nothing:
            gravity = self._zero
        if all(map(math.isfinite, gravity)):
            self.watchdog.feed(now, tau, clamp_effort(gravity, self._effort_limits)[0])

    def silence(self, now: float) -> Vector | None:
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
            self._report(text)
            self._drop(PATH_TOLERANCE_VIOLATED, text)
        return self.watchdog.effort(now)

    def _resume(self, ns: int, gap: float, q: Vector, qd: Vector, desired: DesiredState) -> None:
        """Come to rest after the states broke off, or after the clock was set back."""
        if self.latch.fault is not None:
            return
        happened = 'went back by' if gap < 0.0 else 'made a pause of'
        text = (f'the stamps of joint_states {happened} {abs(gap):.6g} s: holding the arm, a '
                'trajectory under way is dropped')
        self._report(text)
        self._drop(INVALID_GOAL, text)
        self.law.reset()
        self.supervisor.restart()
        self.effort_filter.restart(self._seconds(ns), self.tau)
        moved = any(abs(x - d) > most for now, before, most in (
            (q, desired[0], MOVED), (qd, desired[1], MOVED_SPEED)) for x, d in zip(now, before))
        self._stop(ns, *((q, qd) if moved else desired))

    def enable(self, enabled: bool) -> None:
        """
        Switch the efforts on, from rest where the arm is then; or off, to zero.

        A fault that is latched ends when they are switched on.

        Parameters
        ----------
        enabled : bool

        """
        if not enabled:
            self._drop(INVALID_GOAL, 'ended by ~/enable: the controller was disabled')
        if self.ns is not None and self.q is not None and self.qd is not None:
            if not enabled:
                self._stop(self.ns, self.q, self._zero)
            elif not self.enabled or self.latch.fault is not None:
                self.supervisor.restart()
                self._rest_here(self.ns, self.q, self.qd)
        if enabled:
            self.latch.clear()
            self._dead = 0.0
        self.enabled = enabled

    def use_law(self, law: 'Law') -> None:
        """
        Go on with another law, without a jump of the effort.

        Parameters
        ----------
        law : Law

        """
        self.effort_filter.bumpless.change()
        self.law = law

    def use_gains(self, **gains: Any) -> None:
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

    def use_model(self, arm: 'Arm') -> None:
        """
        Go on with another payload or gravity, without a jump of the effort.

        Parameters
        ----------
        arm : Arm
            Of the same joints.

        """
        self.law.set_arm(arm)
        self.supervisor.set_arm(arm)
        self.model = arm
        self.effort_filter.bumpless.change()

    def set_timeouts(self, stale: float, zero: float) -> None:
        """
        Set what happens in a silence of joint states.

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
    def state(self) -> str:
        """What the controller does: one of :data:`twolink_dynamics.tracking.faults.STATES`."""
        if not self.enabled:
            return 'disabled'
        if self.latch.fault is not None:
            return 'fault'
        if self.ns is None:
            return 'waiting'
        if self.desired_motion.until_end(self.ns) > 0.0:
            return 'stopping' if self._stopping else 'moving'
        return 'holding'

    @property
    def mode(self) -> str:
        """The state, with what is to be said of it."""
        state = self.state
        if state == 'fault':
            return f'fault: {self.latch.text}'
        if state == 'waiting':
            return 'waiting for joint_states'
        if state == 'holding' and (self._waiting or self.ns is not None
                                   and self.desired_motion.pending(self.ns)):
            return 'holding, a trajectory is to come'
        return state

    @property
    def error(self) -> tuple[list[float], list[float]]:
        """Desired minus actual position and velocity; empty lists before the first state."""
        q_d, qd_d, _ = self.desired or ((), (), ())
        return ([d - x for d, x in zip(q_d, self.q or ())],
                [d - x for d, x in zip(qd_d, self.qd or ())])

    def feedback(self) -> GoalFeedback | None:
        """
        Return the progress of the goal under way at the last state.

        Returns
        -------
        feedback : GoalFeedback or None
            None if no goal is under way, or nobody waits for it (it has no key).

        """
        goal = self.execution.moving
        if goal is None or goal.key is None or self.ns is None:
            return None
        times = goal.trajectory.times
        index = min(bisect_right(times, 1e-9 * (self.ns - goal.start)), len(times) - 1)
        desired, actual, error = (
            [[vector[k] for k in goal.joints] for vector in vectors or ()]
            for vectors in (self.desired, (self.q or (), self.qd or ()), self.error))
        return GoalFeedback(goal.key, self.ns, [self.arm.joint_names[k] for k in goal.joints],
                            index, desired, actual, error)
