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

"""The planar 2R in closed form: both elbows, the boundary, what lies beyond, any plane."""

import math

from hypothesis import assume, given, settings, strategies
from kinematic_arms import tilted_two_link, two_link
import numpy as np
import pytest
import twolink_dynamics as tl

LENGTH = strategies.floats(0.05, 20.0)
ANGLE = strategies.floats(-math.pi, math.pi)
# A closed form of a dozen operations on numbers of the arm's size.
ROUNDING = 1e-14
fast = settings(derandomize=True, deadline=None, max_examples=200)


def tip(arm, q):
    """Return the tip in the plane of the drawing."""
    return arm.tip_pose(q)[:2, 3]


@fast
@given(LENGTH, LENGTH, ANGLE, ANGLE)
def test_what_is_reached_is_found_again(l1, l2, q1, q2):
    arm = two_link(l1=l1, l2=l2)
    target = tip(arm, (q1, q2))
    result = arm.inverse_kinematics(target)
    assert result.success and result.reason == '' and result.iterations == 0
    np.testing.assert_allclose(tip(arm, result.q), target, rtol=0, atol=ROUNDING * (l1 + l2))


@fast
@given(LENGTH, LENGTH, ANGLE, strategies.floats(0.01, math.pi - 0.01))
def test_there_are_two_elbows_and_no_third(l1, l2, q1, q2):
    arm = two_link(l1=l1, l2=l2)
    assume(abs(np.linalg.norm(tip(arm, (q1, q2)))) > 1e-3)
    solutions = arm.all_solutions(tip(arm, (q1, q2)))
    assert solutions.shape == (2, 2)
    for elbow in (q2, -q2):
        # Near the boundary the elbow's angle is the root of a difference: sqrt(eps) at worst.
        gap = np.abs(np.remainder(solutions[:, 1] - elbow + math.pi, 2 * math.pi) - math.pi)
        assert gap.min() < 1e-7
    for q in solutions:
        np.testing.assert_allclose(tip(arm, q), tip(arm, (q1, q2)), rtol=0,
                                   atol=ROUNDING * (l1 + l2))


@fast
@given(LENGTH, LENGTH, ANGLE, strategies.booleans())
def test_the_boundary_is_reached_to_the_last_digits(l1, l2, q1, stretched):
    arm = two_link(l1=l1, l2=l2)
    target = tip(arm, (q1, 0.0 if stretched else math.pi))
    result = arm.inverse_kinematics(target)
    assert result.success
    assert result.position_error <= ROUNDING * (l1 + l2)
    assert 1 <= len(arm.all_solutions(target)) <= 2


def test_exactly_stretched_is_exactly_straight():
    result = two_link(l1=1.0, l2=0.5).inverse_kinematics([1.5, 0.0])
    assert result.q.tolist() == [0.0, 0.0] and result.position_error == 0.0
    assert two_link(l1=1.0, l2=0.5).all_solutions([0.0, 1.5]).shape == (1, 2)


@fast
@given(LENGTH, LENGTH, ANGLE, strategies.floats(1.001, 100.0))
def test_beyond_reach_the_nearest_point_is_on_the_line_to_joint_1(l1, l2, direction, factor):
    arm = two_link(l1=l1, l2=l2)
    outwards = np.array([math.cos(direction), math.sin(direction)])
    result = arm.inverse_kinematics(factor * (l1 + l2) * outwards)
    assert not result.success and 'the stretched arm reaches' in result.reason
    np.testing.assert_allclose(result.nearest, (l1 + l2) * outwards, rtol=0,
                               atol=ROUNDING * (l1 + l2))
    np.testing.assert_allclose(tip(arm, result.q), result.nearest, rtol=0,
                               atol=ROUNDING * (l1 + l2))
    assert result.position_error == pytest.approx((factor - 1.0) * (l1 + l2), rel=1e-9)
    assert arm.all_solutions(factor * (l1 + l2) * outwards).shape == (0, 2)


@fast
@given(LENGTH, LENGTH, ANGLE, strategies.floats(0.0, 0.99))
def test_inside_the_hole_the_nearest_point_is_its_rim(l1, l2, direction, factor):
    hole = abs(l1 - l2)
    assume(hole > 1e-3)
    outwards = np.array([math.cos(direction), math.sin(direction)])
    result = two_link(l1=l1, l2=l2).inverse_kinematics(factor * hole * outwards)
    assert not result.success and 'the folded arm stays' in result.reason
    assert result.position_error == pytest.approx((1.0 - factor) * hole, rel=1e-9)
    if factor > 1e-3:
        np.testing.assert_allclose(result.nearest, hole * outwards, rtol=0, atol=1e-12 * (l1 + l2))


def test_on_the_axis_of_joint_1_its_angle_stays():
    result = two_link(l1=0.7, l2=0.7).inverse_kinematics([0.0, 0.0], q0=[0.4, 0.1])
    assert result.success and result.q[0] == pytest.approx(0.4)
    assert abs(result.q[1]) == pytest.approx(math.pi)


LIMITS = ((-0.5, 1.2), (0.3, 2.0))


def nearest_by_search(arm, target):
    """Return the least distance to a target within limits, to 1e-5 or so, by trying all."""
    (a, b), (c, d) = LIMITS
    q = np.stack(np.meshgrid(np.linspace(a, b, 401), np.linspace(c, d, 401)), axis=-1)
    return float(np.linalg.norm(arm.tip_pose(q)[..., :2, 3] - target, axis=-1).min())


@pytest.mark.parametrize('seed', range(12))
def test_within_limits_the_nearest_point_is_the_nearest(seed):
    arm = two_link(limits=LIMITS)
    target = np.random.default_rng(seed).uniform(-2.5, 2.5, 2)
    result = arm.inverse_kinematics(target)
    assert np.all(result.q >= arm.limits.lower) and np.all(result.q <= arm.limits.upper)
    best = nearest_by_search(arm, target)
    # The grid is off by half a cell, 4 mrad times 1.8 m, where the nearest point is no corner.
    assert result.position_error <= best + 1e-9
    assert result.position_error >= best - 8e-3
    assert result.success == (result.position_error <= 1e-9)


def test_limits_shut_the_other_elbow():
    arm = two_link(limits=((-math.pi, math.pi), (0.0, 3.0)))
    target = tip(arm, (0.3, 1.0))
    np.testing.assert_allclose(arm.all_solutions(target), [[0.3, 1.0]], rtol=0, atol=1e-14)
    # Even from a start on the side that is shut.
    np.testing.assert_allclose(arm.inverse_kinematics(target, q0=[1.0, -1.0]).q, [0.3, 1.0],
                               rtol=0, atol=1e-14)


def test_the_elbow_nearest_to_the_start_is_taken():
    arm = two_link()
    target = tip(arm, (0.3, 1.0))
    for start in ([0.0, 1.5], [0.3, 1.0]):
        assert arm.inverse_kinematics(target, q0=start).q[1] == pytest.approx(1.0)
    assert arm.inverse_kinematics(target, q0=[1.5, -1.2]).q[1] == pytest.approx(-1.0)


def test_continuous_joints_are_not_clamped_at_a_half_turn():
    arm = two_link()
    start = np.array([3.0 + 2 * math.pi * 4, -2 * math.pi * 2 + 0.9])
    target = tip(arm, start + 0.3)
    np.testing.assert_allclose(arm.inverse_kinematics(target, q0=start).q, start + 0.3, rtol=0,
                               atol=1e-12)


@pytest.mark.parametrize('seed', range(5))
def test_any_plane_any_axis_sign_any_zero_pose(seed):
    arm = tilted_two_link(seed)
    rng = np.random.default_rng(seed)
    for q in rng.uniform(-3, 3, (20, 2)):
        position = arm.tip_pose(q)[:3, 3]
        result = arm.inverse_kinematics(position, q0=q)
        assert result.success and result.iterations == 0
        np.testing.assert_allclose(result.q, q, rtol=0, atol=1e-7)  # sqrt(eps) when straight
        assert len(arm.all_solutions(position)) == 2


def test_plane_coordinates_begin_at_joint_1_with_x_to_joint_2():
    arm = tilted_two_link()
    folded = arm.inverse_kinematics([5.0, 0.0])  # beyond reach, along x
    assert folded.q[0] == pytest.approx(0.0, abs=1e-14)  # link 1 points along x at q1 = 0
    turned = arm.inverse_kinematics([0.0, 5.0])
    assert turned.q[0] == pytest.approx(0.5 * math.pi)   # and turns towards y
    np.testing.assert_allclose(turned.nearest, [0.0, 0.6 + 0.45], rtol=0, atol=1e-14)


def test_off_the_plane_is_out_of_reach_by_the_distance_from_it():
    result = two_link().inverse_kinematics([1.0, 0.5, 0.2])
    assert not result.success and '0.2 m off the plane' in result.reason
    assert result.position_error == pytest.approx(0.2)
    np.testing.assert_allclose(result.nearest, [1.0, 0.5, 0.0], rtol=0, atol=1e-14)


def test_a_pose_that_two_joints_can_give_is_found():
    arm = two_link()
    pose = arm.tip_pose([0.4, -1.3])
    result = arm.inverse_kinematics(pose)
    assert result.success and result.rotation_error <= 1e-9
    np.testing.assert_allclose(result.q, [0.4, -1.3], rtol=0, atol=1e-9)
    pose[:3, :3] = np.eye(3)  # at that place, but not with that attitude
    assert not arm.inverse_kinematics(pose).success


@pytest.mark.parametrize('target', [
    [1.0], [[1.0, 0.0]], [], 1.0, np.eye(3), [1, 2, 3, 4], np.zeros((2, 3))])
def test_a_wrong_shape_is_an_error_at_once(target):
    with pytest.raises(tl.ShapeError, match='target'):
        two_link().inverse_kinematics(target)


@pytest.mark.parametrize('target', [[np.nan, 0.0], [0.0, np.inf], ['a', 'b'], None, [1.0, None]])
def test_what_is_no_number_is_an_error_at_once(target):
    with pytest.raises(tl.NonFiniteError, match='target'):
        two_link().inverse_kinematics(target)
    with pytest.raises(tl.NonFiniteError, match='target'):
        two_link().all_solutions(target)


def test_a_bad_start_is_an_error_at_once():
    with pytest.raises(tl.ShapeError, match='q0'):
        two_link().inverse_kinematics([1.0, 0.0], q0=[0.0])
    with pytest.raises(tl.NonFiniteError, match='q0'):
        two_link().inverse_kinematics([1.0, 0.0], q0=[0.0, np.nan])


def test_huge_targets_and_starts_give_finite_answers():
    result = two_link().inverse_kinematics([1e150, -1e150], q0=[1e9, -1e9])
    assert not result.success and np.isfinite(result.q).all()
    assert np.isfinite(result.position_error)
    assert two_link().inverse_kinematics([1.0, 0.5], q0=[1e300, -1e300]).success
    assert two_link().inverse_kinematics([1.0, 0.5], q0=[99999.0, -99999.0]).success
