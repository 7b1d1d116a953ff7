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

"""One motion takes over from another: with a bridge, joint by joint, and the short way round."""

import math

from hypothesis import given, settings
from hypothesis import strategies as st
import numpy as np
import pytest

from twolink_dynamics.errors import NonFiniteError, ShapeError, TrajectoryError
from twolink_dynamics.trajectory import minimum_jerk, Schedule, Trajectory

REST = (0.0, 0.0)


def move(a, b, begin=1.0, end=2.0):
    """Return a minimum-jerk move of both joints, whose first point is at `begin`."""
    return Trajectory([begin, end], [a, b], [REST, REST], [REST, REST])


def test_without_a_motion_it_rests():
    schedule = Schedule((0.3, 0.4))
    assert schedule.sample(-5.0) == schedule.sample(1e9) == ((0.3, 0.4), REST, REST)
    assert schedule.end_time == -math.inf


def test_a_motion_is_led_to_by_a_segment_of_its_kind():
    schedule = Schedule(REST)
    assert schedule.replace(move((1.0, 1.0), (2.0, 0.0)), 10.0) == 10.0
    bridge = minimum_jerk(REST, (1.0, 1.0), 1.0, start_time=10.0)
    for t in (10.0, 10.2, 10.7):
        np.testing.assert_allclose(schedule.sample(t), bridge.sample(t), atol=1e-12)
    assert schedule.sample(9.9) == (REST, REST, REST)
    assert schedule.sample(11.5) == move((1.0, 1.0), (2.0, 0.0)).sample(1.5)
    assert schedule.sample(20.0) == ((2.0, 0.0), REST, REST)
    assert schedule.end_time == 12.0
    linear = Schedule(REST)
    linear.replace(Trajectory([1.0], [(1.0, 2.0)]), 0.0)
    assert linear.sample(0.5) == ((0.5, 1.0), (1.0, 2.0), REST)


def test_the_old_motion_runs_until_the_new_one_starts_and_the_bridge_is_smooth():
    schedule = Schedule(REST)
    old = move((0.0, 0.0), (1.0, -1.0))
    schedule.replace(old, 0.0)
    schedule.replace(move((0.2, 0.3), (0.0, 0.0)), 1.4)
    assert schedule.sample(1.3) == old.sample(1.3)
    before, after = schedule.sample(1.4 - 1e-9), schedule.sample(1.4)
    # 1e-9 s of a jerk of 60 rad/s^3.
    np.testing.assert_allclose(before, after, atol=1e-6)
    np.testing.assert_allclose(schedule.sample(2.4)[0], (0.2, 0.3), atol=1e-12)


def test_a_first_point_at_the_start_is_not_led_to():
    schedule = Schedule(REST)
    schedule.replace(Trajectory([0.0, 1.0], [(5.0, 5.0), (6.0, 6.0)]), 3.0)
    assert schedule.sample(3.0)[0] == (5.0, 5.0)


def test_a_motion_that_started_before_begins_with_what_is_left():
    schedule = Schedule(REST)
    motion = Trajectory([1.0, 2.0, 3.0], [(1.0, 1.0), (2.0, 2.0), (3.0, 3.0)])
    assert schedule.replace(motion, 10.0, now=11.5) == 11.5
    assert schedule.sample(11.5)[0] == REST
    assert schedule.sample(12.0)[0] == (2.0, 2.0)
    with pytest.raises(TrajectoryError) as caught:
        schedule.replace(motion, 10.0, now=13.5)
    assert caught.value.code == -3
    assert schedule.sample(12.5)[0] == (2.5, 2.5)     # as it was


def test_joints_that_are_left_out_keep_their_old_tail():
    schedule = Schedule(REST)
    old = move((0.0, 0.0), (1.0, -1.0), 1.0, 3.0)
    schedule.replace(old, 0.0)
    schedule.replace(Trajectory([1.0], [(0.0,)], [(0.0,)], [(0.0,)]), 1.5, joints=(1,))
    for t in (1.2, 1.6, 2.2, 2.9, 3.5):
        for row, desired in zip(schedule.sample(t), old.sample(t)):
            assert row[0] == desired[0]
            if t < 1.5:
                assert row[1] == desired[1]
    bridge = Trajectory([1.5, 2.5], [(old.sample(1.5)[0][1],), (0.0,)],
                        [(old.sample(1.5)[1][1],), (0.0,)], [(old.sample(1.5)[2][1],), (0.0,)])
    np.testing.assert_allclose([row[1] for row in schedule.sample(2.0)],
                               [row[0] for row in bridge.sample(2.0)], atol=1e-12)


def test_a_partial_motion_goes_over_one_that_is_still_to_come():
    schedule = Schedule(REST)
    schedule.replace(move((1.0, 1.0), (2.0, 2.0)), 10.0)
    schedule.replace(Trajectory([1.0], [(7.0,)]), 5.0, joints=(0,))
    assert schedule.sample(9.0)[0] == (7.0, 0.0)
    assert schedule.sample(12.0)[0] == (7.0, 2.0)
    schedule.replace(move((3.0, 3.0), (4.0, 4.0)), 6.0)    # all joints: nothing is to come
    assert schedule.sample(20.0)[0] == (4.0, 4.0)
    assert schedule.sample(5.5)[0] == (3.5, 0.0)


def test_columns_may_be_in_any_order():
    schedule = Schedule(REST)
    schedule.replace(Trajectory([1.0, 2.0], [(1.0, 2.0), (3.0, 4.0)]), 0.0, joints=(1, 0))
    assert schedule.sample(1.0)[0] == (2.0, 1.0) and schedule.sample(3.0)[0] == (4.0, 3.0)


@pytest.mark.parametrize('present, goal, shifted', [
    (3.0, -3.0, 2.0 * math.pi - 3.0), (0.1, 6.2, 6.2 - 2.0 * math.pi), (100.0, 0.0, 32 * math.pi),
    (0.5, 0.4, 0.4)])
def test_continuous_joints_go_the_short_way_and_others_as_told(present, goal, shifted):
    schedule = Schedule((present, present), continuous=(True, False))
    schedule.replace(Trajectory([1.0, 2.0], [(goal, goal), (goal + 7.0, goal + 7.0)]), 0.0)
    (a, b), _, _ = schedule.sample(1.0)
    assert a == pytest.approx(shifted, abs=1e-12) and b == goal
    assert abs(a - present) <= math.pi + 1e-12
    # A motion of more than a turn is meant so: only its begin is shifted.
    assert schedule.sample(2.0)[0][0] == pytest.approx(shifted + 7.0, abs=1e-12)


def test_a_stop_comes_to_rest_from_what_is_wanted_and_drops_the_rest():
    schedule = Schedule(REST)
    old = move((0.0, 0.0), (1.0, -1.0))
    schedule.replace(old, 0.0)
    schedule.replace(move((5.0, 5.0), (6.0, 6.0)), 50.0)
    schedule.stop(1.5, duration=0.4)
    np.testing.assert_allclose(schedule.sample(1.5), old.sample(1.5), atol=1e-12)
    q, qd, qdd = schedule.sample(1.9)
    np.testing.assert_allclose(q, np.add((0.5, -0.5), np.multiply(0.2, old.sample(1.5)[1])))
    assert schedule.sample(100.0) == (q, REST, REST)


def test_a_stop_ends_within_the_limits():
    from types import SimpleNamespace
    schedule = Schedule(REST)
    schedule.stop(0.0, ((0.9, 0.0), (4.0, 4.0), REST), 0.5,
                  SimpleNamespace(lower=(-1.0, -1.0), upper=(1.0, 2.0)))
    np.testing.assert_allclose(schedule.sample(9.0)[0], (1.0, 1.0))


def test_what_is_over_can_be_forgotten():
    schedule = Schedule(REST)
    for k in range(5):
        schedule.replace(move((float(k), 0.0), (k + 1.0, 0.0)), 3.0 * k)
    later = [schedule.sample(t) for t in (9.5, 12.5, 20.0)]
    schedule.forget_before(9.5)
    assert len(schedule._pieces) == 2
    assert [schedule.sample(t) for t in (9.5, 12.5, 20.0)] == later


@given(st.lists(st.tuples(st.floats(0.0, 5.0), st.floats(0.1, 2.0), st.sampled_from(
    [(0,), (1,), (2,), (0, 1), (2, 0), (0, 1, 2)])), min_size=1, max_size=8),
    st.integers(0, 2 ** 32 - 1))
@settings(derandomize=True, deadline=None, max_examples=100)
def test_no_replacement_makes_a_jump(motions, seed):
    rng = np.random.default_rng(seed)
    schedule = Schedule((0.0, 0.0, 0.0))
    now = 0.0
    for delay, duration, joints in motions:
        now += delay
        rows = rng.normal(size=(3, 2, len(joints)))
        schedule.replace(Trajectory([0.5, 0.5 + duration], *rows), now, joints=joints)
        before, after = schedule.sample(np.nextafter(now, -1.0)), schedule.sample(now)
        for a, b in zip(before[:2], after[:2]):
            # A bit of time, 1e-15 s, times a speed and acceleration below 1e4; a motion with a
            # last velocity has its end in the jump to rest, which is its own.
            ends = any(abs(s.start + s.trajectory.end_time - now) < 1e-9
                       for piece in schedule._pieces for s in piece)
            if not ends:
                np.testing.assert_allclose(a, b, atol=1e-9)


def test_what_does_not_fit_is_refused():
    schedule = Schedule(REST)
    for trajectory, joints in ((Trajectory([1.0], [(1.0,)]), None),
                               (Trajectory([1.0], [(1.0, 2.0)]), (0,)),
                               (Trajectory([1.0], [(1.0, 2.0)]), (1, 1))):
        with pytest.raises(ShapeError):
            schedule.replace(trajectory, 0.0, joints=joints)
    with pytest.raises(NonFiniteError):
        schedule.replace(move(REST, REST), float('nan'))
    with pytest.raises(ShapeError):
        Schedule(REST, continuous=(True,))
