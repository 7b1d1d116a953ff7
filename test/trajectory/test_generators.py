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

"""Generated motions are smooth, start and end at rest, and fit the arm."""

import copy
import pickle

from arms import LIMITED
from hypothesis import given, settings, strategies as st
import numpy as np
import pytest

import twolink_dynamics as tl
from twolink_dynamics.errors import NonFiniteError, ParameterError, ShapeError, TrajectoryError
from twolink_dynamics.registry import find, names
from twolink_dynamics.trajectory import circle, find_excess, make_motion, minimum_jerk, swing


@pytest.fixture(scope='module')
def arm():
    """Return the drawing of the texts."""
    return tl.TwoLinkArm()


def assert_smooth(trajectory):
    """Assert that velocities and accelerations are the derivatives of positions."""
    t = np.linspace(trajectory.start_time, trajectory.end_time, 20001)
    q, qd, qdd = trajectory.sample_many(t)
    h = t[1] - t[0]
    # Central differences are off by h^2/6 of the third derivative, and where that jumps (the ramps
    # join with a jump under 1e3) by h/4 of the jump; h is below 5e-4 s.
    np.testing.assert_allclose((q[2:] - q[:-2]) / (2 * h), qd[1:-1], rtol=0, atol=2e-5)
    np.testing.assert_allclose((qd[2:] - qd[:-2]) / (2 * h), qdd[1:-1], rtol=0, atol=250 * h)


def assert_rest_at_both_ends(trajectory):
    """Assert that nothing jumps where the motion begins and ends."""
    for t in (trajectory.start_time, trajectory.end_time):
        _, qd, qdd = trajectory.sample(t)
        assert max(map(abs, qd + qdd)) == 0.0


def test_minimum_jerk_is_the_known_quintic():
    move = minimum_jerk([1.0], [3.0], 2.0, start_time=5.0)
    for u in np.linspace(0.0, 1.0, 21):
        q, qd, _ = move.sample(5.0 + 2.0 * u)
        assert q[0] == pytest.approx(1 + 2 * (10 * u ** 3 - 15 * u ** 4 + 6 * u ** 5), abs=1e-14)
        assert qd[0] == pytest.approx(30 * u * u * (1 - u) ** 2, abs=1e-14)
    assert_rest_at_both_ends(move)


@pytest.mark.parametrize('start, goal, duration, error', [
    ([0.0], [1.0, 2.0], 1.0, ShapeError),
    ([0.0], [1.0], 0.0, ParameterError),
    ([0.0], [1.0], float('nan'), ParameterError),
    ([0.0], [float('nan')], 1.0, NonFiniteError),
])
def test_an_impossible_move_is_refused(start, goal, duration, error):
    with pytest.raises(error):
        minimum_jerk(start, goal, duration)


@pytest.mark.parametrize('cycles', [0.5, 1.0, 3.0])
def test_a_swing_is_smooth_and_rests_at_its_center(arm, cycles):
    motion = swing(arm, 0.5, period=2.0, cycles=cycles, center=[0.2, -0.3])
    assert motion.end_time == pytest.approx(2.0 * cycles, rel=1e-15)
    assert motion.sample(0.0)[0] == motion.sample(motion.end_time)[0] == (0.2, -0.3)
    assert_rest_at_both_ends(motion)
    assert_smooth(motion)


def test_a_long_swing_reaches_its_amplitude_to_both_sides(arm):
    motion = swing(arm, [0.5, 0.25], period=2.0, cycles=5)
    q = motion.sample_many(np.linspace(0, 10, 4001))[0]
    # Samples 2.5 ms apart miss the top of a sine of 2 s by at most (1 - cos(0.004)) of it.
    np.testing.assert_allclose(q.max(axis=0), [0.5, 0.25], rtol=1e-5)
    np.testing.assert_allclose(q.min(axis=0), [-0.5, -0.25], rtol=1e-5)


def test_a_swing_keeps_within_the_limits_of_the_arm(limited):
    motion = swing(limited, 0.8, period=0.3, cycles=3)
    t = np.linspace(motion.start_time, motion.end_time, 5001)
    q, qd, qdd = motion.sample_many(t)
    limits = limited.limits
    assert (q >= limits.lower).all() and (q <= limits.upper).all()
    assert (np.abs(qd) <= limits.velocity).all()
    assert (np.abs(limited.inverse_dynamics(q, qd, qdd, friction=True)) <= limits.effort).all()


def test_an_arm_too_weak_to_swing_is_named(limited):
    weak = limited.with_gravity([0.0, 0.0, -2000.0])
    with pytest.raises(TrajectoryError, match='effort limit 30 is not enough') as caught:
        swing(weak)
    assert caught.value.joint == 'shoulder'


def test_an_arm_whose_limits_are_zero_is_named():
    with pytest.warns(tl.ModelWarning, match='velocity limit 0'):
        frozen = tl.load_arm(LIMITED.replace('velocity="3.0"', 'velocity="0"'))
    with pytest.raises(TrajectoryError, match='velocity limit 0 is not enough') as caught:
        swing(frozen)
    assert caught.value.joint == 'elbow'


@pytest.mark.parametrize('options, error', [
    ({'amplitude': [1, 2, 3]}, ShapeError), ({'amplitude': float('nan')}, ParameterError),
    ({'period': 0.0}, ParameterError), ({'period': float('inf')}, ParameterError),
    ({'cycles': -1}, ParameterError), ({'center': [0, 0, 0]}, ShapeError),
    ({'phase': 'early'}, ParameterError),
])
def test_an_impossible_swing_is_refused(arm, options, error):
    with pytest.raises(error):
        swing(arm, **options)


def test_a_center_beyond_the_limits_is_refused_by_name(limited):
    with pytest.raises(ParameterError, match='shoulder'):
        swing(limited, center=[2.0, 0.0])


def test_a_circle_is_a_circle_of_the_tip(arm):
    motion = circle(arm, center=[1.0, 0.6, 0.0], radius=0.4, period=2.0, cycles=1.5)
    assert motion.end_time == pytest.approx(4.0)
    q, qd, _ = motion.sample_many(np.linspace(0.0, 4.0, 801))
    tip = arm.tip_pose(q)[:, :3, 3]
    # Between the points a quintic stands for the motion: (2 pi / 60)^6 / 46080 of its size, and
    # joint angles that are no pure sines a hundred times that.
    np.testing.assert_allclose(np.linalg.norm(tip - [1.0, 0.6, 0.0], axis=1), 0.4, rtol=1e-7)
    speed = np.linalg.norm(arm.tip_velocity(q, qd)[:, :3], axis=1)
    assert speed.max() == pytest.approx(0.4 * np.pi, rel=1e-6)
    assert_rest_at_both_ends(motion)
    assert_smooth(motion)


def test_a_circle_goes_round_as_often_as_asked(arm):
    motion = circle(arm, center=[1.0, 0.6, 0.0], radius=0.4, period=2.0, cycles=2)
    tip = arm.tip_pose(motion.sample_many(np.linspace(0.0, motion.end_time, 1001))[0])[:, :2, 3]
    angle = np.unwrap(np.arctan2(*(tip - [1.0, 0.6]).T[::-1]))
    assert angle[-1] - angle[0] == pytest.approx(4.0 * np.pi, rel=1e-6)


def test_a_circle_needs_no_center_or_radius(arm):
    motion = circle(arm)
    tip = arm.tip_pose(np.array(motion.positions))[:, :3, 3]
    assert np.ptp(tip, axis=0)[:2].min() > 0.2


def test_a_default_circle_fits_an_arm_of_unequal_links():
    arm = tl.TwoLinkArm(l1=1.0, l2=0.1, lc2=0.05)
    tip = arm.tip_pose(np.array(circle(arm).positions))[:, :3, 3]
    assert np.ptp(tip, axis=0)[0] > 0.01


@pytest.mark.parametrize('options, error, says', [
    ({'center': [5, 0, 0], 'radius': 0.3}, TrajectoryError, 'cannot reach'),
    ({'center': [1, 0, 0.5], 'radius': 0.3}, TrajectoryError, 'cannot reach'),
    ({'radius': 3.0}, TrajectoryError, 'cannot reach'),
    ({'radius': -1.0}, ParameterError, 'radius'),
    ({'period': 0.0}, ParameterError, 'period'),
    ({'cycles': 0.25}, ParameterError, 'half a turn'),
    ({'center': [1, 0]}, ShapeError, 'center'),
])
def test_an_impossible_circle_is_refused(arm, options, error, says):
    with pytest.raises(error, match=says):
        circle(arm, **options)


MOTIONS = {name: find('motion', name) for name in names('motion')}
SEVERAL = {'two': tl.TwoLinkArm(), 'limited': tl.load_arm(LIMITED)}


@pytest.mark.parametrize('name', sorted(MOTIONS))
@pytest.mark.parametrize('which', sorted(SEVERAL))
def test_every_motion_by_name_is_within_the_limits_and_as_long_as_asked(name, which):
    arm = SEVERAL[which]
    motion = make_motion(name, arm, duration=6.0)
    assert find_excess(arm, motion) == []
    # Slowed down where it has to be; times are to the nanosecond.
    assert motion.duration > 6.0 - 1e-8
    assert_rest_at_both_ends(motion)


@settings(max_examples=10, deadline=None)
@given(name=st.sampled_from(sorted(MOTIONS)), which=st.sampled_from(sorted(SEVERAL)),
       duration=st.floats(2.0, 9.0), way=st.booleans())
def test_a_motion_and_what_makes_it_travel(name, which, duration, way):
    def travelled(thing):
        return copy.deepcopy(thing) if way else pickle.loads(pickle.dumps(thing))

    arm = SEVERAL[which]
    motion = MOTIONS[name](arm, duration=duration)
    again = travelled(MOTIONS[name])(travelled(arm), duration=duration)
    for other in (again, travelled(motion)):
        assert other.times == motion.times and other.positions == motion.positions
        assert other.sample(0.3 * duration) == motion.sample(0.3 * duration)
