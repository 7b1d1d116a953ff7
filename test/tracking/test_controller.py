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
The controller holds, follows, stops and recovers, without a jump in what is desired.

No ROS is needed here: the loop is closed over a simulated arm, in simulated time.

"""

import math
import random
from types import SimpleNamespace

import numpy as np
import pytest

import twolink_dynamics as tl
from twolink_dynamics.control.law_parameters import gains
from twolink_dynamics.errors import TrajectoryError
from twolink_dynamics.simulation.simulated_robot import SimulatedRobot
from twolink_dynamics.tracking.controller import TrackingController
from twolink_dynamics.tracking.desired_motion import DesiredMotion, ScheduledMotion
from twolink_dynamics.trajectory import swing
from twolink_dynamics.trajectory.goal import GoalPoint

MS = 1000000
START = (0.3, 0.5)


class Loop:
    """A controller and an arm, in lockstep."""

    def __init__(self, arm, start=START, **options):
        self.events = []
        self.sim = SimulatedRobot(arm, initial_position=start, brake=False)
        self.controller = TrackingController(arm, on_event=self.events.append, **options)
        self.log, self.shift = [], 0         # of the stamps, against the simulator's [ns]

    def run(self, seconds):
        """Advance, and return the log of (ns, q, desired, tau)."""
        for _ in range(round(1000 * seconds)):
            sim, controller = self.sim, self.controller
            ns = sim.ns + self.shift
            sim.command(controller.update(ns, sim.q, sim.qd))
            self.log.append((ns, tuple(sim.q), controller.desired, tuple(controller.tau)))
            sim.step()
        return self.log

    def errors(self, first=0):
        """Return desired minus actual positions, one row per step."""
        return np.array([np.subtract(desired[0], q) for _, q, desired, _ in self.log[first:]])


def points(trajectory, shift=0.0):
    """Return a trajectory as a goal."""
    return [GoalPoint(t + shift, q, v, a) for t, q, v, a in zip(
        trajectory.times, trajectory.positions, trajectory.velocities, trajectory.accelerations)]


def largest_steps(log, what):
    """Return the largest change from one step to the next of position, velocity or effort."""
    rows = np.array([{'q': desired[0], 'qd': desired[1], 'tau': tau}[what]
                     for _, _, desired, tau in log])
    return np.abs(np.diff(rows, axis=0)).max()


def test_the_arm_is_held_against_gravity_from_the_first_state_on(arm):
    loop = Loop(arm)
    loop.run(2.0)
    # The model is the plant's own and it rests, so nothing but rounding moves it.
    assert np.abs(loop.errors()).max() < 1e-9
    assert loop.log[0][3] == pytest.approx(arm.gravity_vector(START), rel=1e-12)
    assert max(map(abs, loop.log[0][3])) > 1.0


def test_the_same_stamp_gets_the_same_effort_and_changes_nothing(arm):
    loop = Loop(arm)
    loop.run(0.1)
    controller = loop.controller
    controller.law.set_gains(100.0, 20.0, 50.0)
    first = controller.update(loop.sim.ns, (0.31, 0.5), (0.0, 0.0))
    integral = controller.law.integral
    assert controller.update(loop.sim.ns, (0.31, 0.5), (0.0, 0.0)) is first
    assert controller.law.integral == integral


@pytest.mark.parametrize('friction', [True, False])
def test_a_swing_is_followed(arm, friction):
    loop = Loop(arm, friction=friction)
    move = swing(arm, 0.6, 2.0, 2)
    loop.run(0.1)
    loop.controller.accept(arm.joint_names, points(move, 1.0))
    loop.run(1.0 + move.duration)
    rms = np.sqrt((loop.errors() ** 2).mean(axis=0))
    # Friction compensated: only the zero-order hold is left, of the order of dt * 1e-2 rad.
    # Not compensated: kp e = b qd / M, some mrad.
    assert (rms < (1e-4 if friction else 0.02)).all()
    if not friction:
        assert (rms > 1e-3).any()


def test_nothing_jumps_when_a_trajectory_begins_is_replaced_is_held_and_ends(arm):
    loop = Loop(arm)
    loop.run(0.1)
    move = swing(arm, 0.5, 2.0, 2)
    loop.controller.accept(arm.joint_names, points(move, 1.0))
    loop.run(1.7)                                  # in the middle of the swing
    assert loop.controller.mode == 'moving'
    loop.controller.accept(arm.joint_names[::-1], [
        GoalPoint(0.8, (-0.4, 0.2), (0.0, 0.0), (0.0, 0.0))])
    loop.run(0.5)
    loop.controller.hold()
    loop.run(0.5)
    assert loop.controller.mode == 'holding'
    loop.controller.accept(arm.joint_names, [GoalPoint(1.0, (0.0, 0.0), (0.0, 0.0), (0.0, 0.0))])
    loop.run(1.2)
    assert loop.controller.mode == 'holding'
    assert np.allclose(loop.log[-1][1], (0.0, 0.0), atol=1e-4)
    # Per millisecond, with speeds up to 3 rad/s, accelerations up to 10 rad/s^2, and efforts of up
    # to 100 N m that take tenths of a second to change: what is larger is a jump.
    assert largest_steps(loop.log, 'q') < 3e-3
    assert largest_steps(loop.log, 'qd') < 10e-3
    assert largest_steps(loop.log, 'tau') < 1.0


def test_a_later_start_is_met_to_the_nanosecond_and_the_old_motion_goes_on_until_then(arm):
    loop = Loop(arm)
    loop.run(0.1)
    first = swing(arm, 0.3, 2.0, 2, center=START)
    loop.controller.accept(arm.joint_names, points(first, 0.5), stamp=loop.sim.ns)
    t0 = loop.sim.ns
    loop.run(0.2)
    second = swing(arm, 0.3, 2.0, 2, center=START)
    start = t0 + round((0.5 + first.duration) * 1e9)
    loop.controller.accept(arm.joint_names, points(second), stamp=start)
    assert loop.controller.desired_motion.pending(loop.sim.ns)
    loop.run(0.3 + 2.0 * first.duration)
    for ns, _, desired, _ in loop.log:
        t = 1e-9 * (ns - t0)
        if 0.5 <= t < 0.5 + first.duration:
            assert np.allclose(desired[0], first.sample(t - 0.5)[0], atol=1e-9)
        elif t >= 0.5 + first.duration:
            assert np.allclose(desired[0], second.sample(t - 0.5 - first.duration)[0], atol=1e-9)


def test_a_trajectory_that_began_before_goes_on_with_what_is_left_of_it(arm):
    loop = Loop(arm)
    loop.run(1.0)
    now = loop.controller.ns
    loop.controller.accept(arm.joint_names, [
        GoalPoint(0.5, (1.0, 1.0), (0.0, 0.0)), GoalPoint(1.5, (0.2, 0.4), (0.0, 0.0))],
        stamp=now - 800 * MS)
    loop.run(1.0)
    assert largest_steps(loop.log, 'q') < 3e-3
    assert loop.log[-1][2][0] == (0.2, 0.4)
    reached = [ns for ns, _, desired, _ in loop.log if desired[0] == (0.2, 0.4)][0]
    assert reached == now + 700 * MS


def test_a_trajectory_before_the_first_state_begins_with_it(arm):
    loop = Loop(arm)
    loop.controller.accept(arm.joint_names, [GoalPoint(0.5, (0.4, 0.6), (0.0, 0.0), (0.0, 0.0))])
    loop.run(0.7)
    assert loop.log[0][2][0] == START
    assert loop.log[-1][2][0] == (0.4, 0.6)


def test_an_early_trajectory_that_is_over_at_the_first_state_is_dropped_and_said(arm):
    loop = Loop(arm)
    loop.controller.accept(arm.joint_names, [GoalPoint(0.1, (0.4, 0.6))], stamp=1)
    loop.run(0.1)
    assert loop.log[-1][2][0] == START
    [event] = loop.events
    assert 'dropped (code -3)' in event


@pytest.mark.parametrize('names, goal, stamp, code, words', [
    (['joint1'], [GoalPoint(1.0, (0.0,))], 0, -2, 'joint "joint2": missing'),
    (['joint1', 'nose'], [GoalPoint(1.0, (0.0, 0.0))], 0, -2, 'joint "nose": unknown'),
    (None, [], 0, -1, 'no points'),
    (None, [GoalPoint(1.0, (0.0, math.nan))], 0, -1, 'point 0, joint "joint2"'),
    (None, [GoalPoint(1.0, (99.0, 0.0))], 0, -1, 'point 0, joint "joint1"'),
    (None, [GoalPoint(1.0, (0.0, 0.0), (1.0, 0.0))], 0, -1, 'point 0, joint "joint1"'),
    (None, [GoalPoint(1.0, (0.0, 0.0)), GoalPoint(1.0, (0.1, 0.1))], 0, -1, 'point 1'),
    (None, [GoalPoint(0.01, (0.0, 0.0))], 1000 * MS, -3, 'ended'),
    (None, [GoalPoint(0.0, (0.3, 0.7)), GoalPoint(1.0, (0.3, 0.5))], 0, -1,
     'point 0, joint "joint2": starts at 0.7, 0.2 away from 0.5'),
])
def test_a_refusal_names_code_joint_and_point_and_the_motion_goes_on(
        arm, names, goal, stamp, code, words):
    loop = Loop(arm)
    loop.run(1.0)
    with pytest.raises(TrajectoryError) as caught:
        loop.controller.accept(names or arm.joint_names, goal, stamp)
    assert caught.value.code == code
    assert words in str(caught.value)
    loop.run(0.1)
    assert loop.log[-1][2][0] == START


def test_a_first_point_at_time_zero_near_enough_is_taken(arm):
    loop = Loop(arm)
    loop.run(0.1)
    goal = [GoalPoint(0.0, (0.305, 0.495)), GoalPoint(1.0, (0.3, 0.5))]
    loop.controller.accept(arm.joint_names, goal)
    loop.controller.start_tolerance = 0.001
    with pytest.raises(TrajectoryError):
        loop.controller.accept(arm.joint_names, goal)
    loop.controller.start_tolerance = 0.0
    loop.controller.accept(arm.joint_names, goal)


def test_a_stop_ends_within_the_limits(arm):
    loop = Loop(arm, start=(6.0, 0.0))
    loop.controller.stop_duration = 1.0
    loop.run(0.1)
    high = float(arm.limits.upper[0])
    loop.controller.accept(arm.joint_names, [
        GoalPoint(0.3, (high, 0.0), (0.0, 0.0), (0.0, 0.0))])
    loop.run(0.15)
    loop.controller.hold()
    loop.run(1.2)
    assert loop.log[-1][2][0][0] == high
    assert loop.log[-1][2][1] == (0.0, 0.0)


def test_without_velocities_the_difference_of_positions_is_taken(arm):
    loop = Loop(arm)
    move = swing(arm, 0.5, 2.0, 2, center=START)
    loop.controller.accept(arm.joint_names, points(move, 0.5))
    for _ in range(round(1000 * (0.5 + move.duration))):
        sim, controller = loop.sim, loop.controller
        sim.command(controller.update(sim.ns, sim.q))
        loop.log.append((sim.ns, tuple(sim.q), controller.desired, tuple(controller.tau)))
        sim.step()
    # A difference is half a period old: kd * qdd * dt / 2 / kp = 40 * 5 * 5e-4 / 400 rad.
    assert np.abs(loop.errors()).max() < 5e-4


def test_a_clock_set_back_stops_the_motion_where_it_was_desired_rows(arm):
    loop = Loop(arm)
    loop.run(0.1)
    loop.controller.accept(arm.joint_names, points(swing(arm, 0.5, 2.0, 2, center=START), 0.5))
    loop.run(1.3)
    loop.shift -= 1000 * MS
    before = len(loop.log)
    loop.run(1.0)
    assert loop.controller.mode == 'holding'
    [event] = loop.events
    assert 'went back by' in event
    assert largest_steps(loop.log, 'q') < 3e-3
    assert np.abs(loop.errors(before)).max() < 1e-3


def test_an_arm_that_was_put_elsewhere_is_held_where_it_is(arm):
    loop = Loop(arm)
    loop.run(0.1)
    loop.controller.accept(arm.joint_names, points(swing(arm, 0.5, 2.0, 2), 0.5))
    loop.run(1.3)
    loop.sim.reset(clock=True)
    before = len(loop.log)
    loop.run(1.0)
    assert np.abs(loop.errors(before)).max() < 1e-9
    assert loop.log[-1][1] == pytest.approx(START)


def test_a_pause_of_the_states_ends_the_motion(arm):
    loop = Loop(arm)
    loop.run(0.1)
    loop.controller.accept(arm.joint_names, points(swing(arm, 0.5, 2.0, 2, center=START), 0.5))
    loop.run(1.3)
    loop.shift += 600 * MS
    loop.run(0.5)
    assert 'made a pause of 0.601 s' in loop.events[0]
    assert loop.controller.mode == 'holding'


def test_disabled_it_sends_zero_and_enabled_again_it_catches_the_falling_arm(arm):
    loop = Loop(arm)
    loop.run(0.1)
    loop.controller.enable(False)
    loop.run(0.2)
    assert loop.log[-1][3] == (0.0, 0.0)
    with pytest.raises(TrajectoryError, match='disabled'):
        loop.controller.accept(arm.joint_names, [GoalPoint(1.0, START)])
    fallen = loop.log[-1][1]
    assert abs(fallen[0] - START[0]) > 0.05
    loop.controller.enable(True)
    before = len(loop.log)
    loop.run(1.0)
    assert np.abs(loop.errors(before)).max() < 1e-3
    assert loop.controller.mode == 'holding'
    assert largest_steps(loop.log[before:], 'tau') < 0.05 * max(map(float, arm.limits.effort))


def test_an_effort_is_within_the_limits_or_none_whatever_the_state(arm):
    rng = random.Random(7)
    controller = TrackingController(arm)
    limits = [float(x) for x in arm.limits.effort]
    numbers = [0.0, 1.0, -3.0, 1e3, -1e6, 1e150, 1e300]
    ns, none = 0, 0
    for _ in range(3000):
        ns += rng.choice((0, 1, MS, MS, MS, 3000 * MS, -500 * MS))
        q, qd = ([rng.choice(numbers) * rng.random() for _ in range(2)] for _ in range(2))
        tau = controller.update(ns, q, rng.choice((qd, qd, None)))
        if controller.state == 'fault' and rng.random() < 0.1:
            controller.enable(True)
        none += tau is None
        if tau is not None:
            assert all(-h <= x <= h for x, h in zip(tau, limits))
    assert 0 < none < 3000


def test_gains_mean_what_the_parameters_say():
    def values(**changed):
        return SimpleNamespace(**{'natural_frequency': (20.0,), 'damping_ratio': (1.0,),
                                  'kp': None, 'kd': None, 'ki': None, **changed})

    law = tl.ComputedTorque(tl.TwoLinkArm())
    for parameters, kp, kd in (
            (values(), (400.0, 400.0), (40.0, 40.0)),
            (values(natural_frequency=(10.0, 20.0), damping_ratio=(0.5,)),
             (100.0, 400.0), (10.0, 20.0)),
            (values(kp=(100.0,)), (100.0, 100.0), (20.0, 20.0)),
            (values(kd=(7.0, 8.0)), (400.0, 400.0), (7.0, 8.0)),
            (values(kp=(1.0, 4.0), kd=(5.0,)), (1.0, 4.0), (5.0, 5.0))):
        law.set_gains(**gains(parameters))
        assert law.gains[:2] == (pytest.approx(kp), pytest.approx(kd))


@pytest.mark.parametrize('late', [0.0, 0.25, 0.5, 0.8])
def test_the_way_to_the_first_point_is_that_of_a_trajectory_with_a_lead_in(arm, late):
    move = swing(arm, 0.3, 1.0, 1).shifted(0.4)
    desired = DesiredMotion(2, arm.limits)
    desired.stop(0, START, (0.3, -0.2), (1.0, 0.5))
    begin = round(1e9 * late)
    state = desired.at(begin)
    desired.follow(ScheduledMotion(0, move), begin)
    expected = move.with_lead_in(late, *state)
    for ns in range(begin, 1600 * MS, 7 * MS):
        for ours, theirs in zip(desired.at(ns), expected.sample(1e-9 * ns)):
            assert ours == pytest.approx(theirs, rel=1e-12, abs=1e-12)
