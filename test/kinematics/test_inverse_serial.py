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

"""Newton's method for any chain: what is reachable is reached, what is not is said to be so."""

import math

from corpus import corpus_file, needs_corpus, oracle
from kinematic_arms import (
    elbow_arm, handbook_arm, HANDBOOK_POSE, HANDBOOK_SOLUTION, HANDBOOK_START, planar_three,
    random_positions, scara, seven_joint_arm, two_link)
import numpy as np
import pytest
import twolink_dynamics as tl
from twolink_dynamics.spatial import axis_rotation, rotation_vector

ARMS = {'elbow': elbow_arm, 'handbook': handbook_arm, 'seven': seven_joint_arm, 'scara': scara}
CORPUS = ['ur5e_official', 'iiwa14_drake', 'scara_yguel']
TOLERANCE = 1e-9


def errors(arm, q, pose):
    """Return how far the tip is from a pose [m], [rad]."""
    tip = arm.tip_pose(q)
    turn = rotation_vector(pose[:3, :3].ravel().tolist(), tip[:3, :3].ravel().tolist())
    return np.linalg.norm(tip[:3, 3] - pose[:3, 3]), math.hypot(*turn)


def assert_all_solved(arm, starts, seed=0):
    """Solve for the poses of random joint positions."""
    rng = np.random.default_rng(seed)
    for q, start in zip(random_positions(arm, rng, len(starts)), starts):
        pose = arm.tip_pose(q)
        result = arm.inverse_kinematics(pose, q0=start)
        assert result.success, (q, start, result)
        assert max(errors(arm, result.q, pose)) <= TOLERANCE
        assert np.all(result.q >= arm.limits.lower) and np.all(result.q <= arm.limits.upper)
        assert np.all(np.isfinite(result.q)) and result.reason == ''


@pytest.mark.parametrize('name', sorted(ARMS))
def test_reachable_poses_are_reached_from_random_starts(name):
    arm = ARMS[name]()
    assert_all_solved(arm, random_positions(arm, np.random.default_rng(1), 100))


@pytest.mark.parametrize('name', sorted(ARMS))
def test_reachable_poses_are_reached_from_a_singular_start(name):
    arm = ARMS[name]()
    assert_all_solved(arm, np.zeros((100, arm.n)))


@needs_corpus
@pytest.mark.filterwarnings('ignore::twolink_dynamics.ModelWarning')
@pytest.mark.parametrize('name', CORPUS)
def test_reachable_poses_of_real_arms_are_reached(name):
    facts = oracle(name)
    arm = tl.load_arm(corpus_file(name), facts['root'], facts['tip'])
    assert_all_solved(arm, random_positions(arm, np.random.default_rng(1), 150))
    assert_all_solved(arm, np.zeros((150, arm.n)), seed=2)


def test_no_stretched_start_keeps_the_tip_from_a_target_on_its_line():
    # The gradient is zero there: every step along the line is none that the joints can take.
    arm = planar_three()
    result = arm.inverse_kinematics([0.3, 0.0, 0.0], q0=[0.0, 0.0, 0.0])
    assert result.success and result.starts > 1


def test_a_half_turn_away_is_no_trap():
    arm = elbow_arm()
    start = np.array([0.3, -1.0, 1.2, 0.4, 1.0, 0.2])
    pose = arm.tip_pose(start)
    for axis in np.eye(3):
        pose[:3, :3] = axis_rotation(axis, math.pi) @ arm.tip_pose(start)[:3, :3]
        assert arm.inverse_kinematics(pose, q0=start).success


def test_the_third_text_is_solved_as_printed():
    result = handbook_arm().inverse_kinematics(HANDBOOK_POSE, q0=HANDBOOK_START)
    assert result.success and result.starts == 1 and result.iterations <= 10
    gap = np.remainder(result.q - HANDBOOK_SOLUTION + math.pi, 2 * math.pi) - math.pi
    # The printed target is a rotation to 1e-6 and the solution has six decimals of a degree.
    assert np.degrees(np.abs(gap)).max() < 1e-5
    assert 1e-6 < result.rounding < 2e-6


@needs_corpus
def test_the_third_texts_exact_solution_is_met():
    import json
    facts = json.loads((corpus_file('').parent.parent / 'handbook_ik.json').read_text())
    result = handbook_arm().inverse_kinematics(HANDBOOK_POSE, q0=HANDBOOK_START)
    gap = np.remainder(np.degrees(result.q) - facts['newton_solution_exact_T_deg'] + 180, 360)
    np.testing.assert_allclose(gap, 180, rtol=0, atol=1e-11)
    wanted = np.array(facts['all_solutions_deg'])
    found = np.degrees(handbook_arm().all_solutions(HANDBOOK_POSE))
    assert len(found) == len(wanted) == 8
    for row in wanted:
        gap = np.abs(np.remainder(found - row + 180, 360) - 180).max(axis=1)
        assert gap.min() < 2e-6  # six decimals are printed


def test_the_third_text_has_eight_solutions_whatever_the_seed():
    arm = handbook_arm()
    first = arm.all_solutions(HANDBOOK_POSE)
    assert first.shape == (8, 6) and np.abs(first).max() <= math.pi
    for seed in (1, 2, 3):
        np.testing.assert_allclose(arm.all_solutions(HANDBOOK_POSE, seed=seed), first, rtol=0,
                                   atol=1e-9)


def test_in_the_other_convention_the_target_is_out_of_reach():
    arm = handbook_arm('standard')
    result = arm.inverse_kinematics(HANDBOOK_POSE, q0=HANDBOOK_START)
    assert not result.success and result.reason.startswith('out of reach')
    assert result.position_error > 1.0
    assert arm.all_solutions(HANDBOOK_POSE).shape == (0, 6)


def test_all_solutions_are_distinct_and_right():
    arm = elbow_arm()
    pose = arm.tip_pose([0.3, -1.0, 1.2, 0.4, 1.0, 0.2])
    solutions = arm.all_solutions(pose)
    assert 2 <= len(solutions) <= 16
    for k, q in enumerate(solutions):
        assert max(errors(arm, q, pose)) <= TOLERANCE
        apart = np.abs(np.remainder(solutions[:k] - q + math.pi, 2 * math.pi) - math.pi)
        assert np.all(apart.max(axis=1) > 1e-3)


def test_all_solutions_keep_to_the_limits():
    limits = np.array([(-3.0, 3.0)] * 6)
    free, limited = elbow_arm(), elbow_arm()
    limited = limited.with_parameters(lower=limits[:, 0], upper=[3.0, 3.0, 0.0, 3.0, 3.0, 3.0])
    pose = free.tip_pose([0.3, -1.0, -1.2, 0.4, 1.0, 0.2])
    every, some = free.all_solutions(pose), limited.all_solutions(pose)
    within = every[(every >= limited.limits.lower).all(axis=1)
                   & (every <= limited.limits.upper).all(axis=1)]
    assert 0 < len(some) < len(every)
    np.testing.assert_allclose(some, within, rtol=0, atol=1e-7)


@pytest.mark.parametrize('arm, target', [
    (seven_joint_arm(), 'pose'), (elbow_arm(), 'position'), (planar_three(), 'position')])
def test_a_continuum_of_solutions_is_refused(arm, target):
    pose = arm.tip_pose(np.full(arm.n, 0.4))
    with pytest.raises(tl.UnsupportedModelError, match='continuum'):
        arm.all_solutions(pose if target == 'pose' else pose[:3, 3])


def test_the_same_call_gives_the_same_answer():
    arm = seven_joint_arm()
    pose = arm.tip_pose(np.full(7, 0.9))
    first, second = (arm.inverse_kinematics(pose, q0=np.full(7, -1.5)) for _ in range(2))
    assert np.array_equal(first.q, second.q)
    again = seven_joint_arm().inverse_kinematics(pose, q0=np.full(7, -1.5))
    assert np.array_equal(first.q, again.q)


def test_joints_that_turn_freely_stay_near_the_start():
    arm = elbow_arm()
    start = np.array([0.3, -1.0, 1.2, 0.4, 1.0, 0.2]) + 2 * math.pi * np.array([3, 0, -2, 0, 5, 1])
    result = arm.inverse_kinematics(arm.tip_pose(start + 0.05), q0=start)
    assert result.success
    np.testing.assert_allclose(result.q, start + 0.05, rtol=0, atol=1e-7)


def test_a_prismatic_joint_is_not_wrapped():
    arm = tl.arm_from_dh([(0, 0, 0), (0, .5, 0)], joint_types='RP')
    pose = arm.tip_pose([0.4, 17.0])
    result = arm.inverse_kinematics(pose)
    assert result.success and result.q[1] == pytest.approx(17.0)


def test_a_position_alone_leaves_the_rotation_free():
    arm = elbow_arm()
    result = arm.inverse_kinematics([0.3, 0.4, 0.5])
    assert result.success and result.rotation_error == 0.0
    np.testing.assert_allclose(arm.tip_pose(result.q)[:3, 3], [0.3, 0.4, 0.5], rtol=0, atol=1e-9)


def test_a_planar_pose_is_x_y_and_phi():
    arm = planar_three()
    q = np.array([0.4, 0.7, -0.9])
    target = [*arm.tip_pose(q)[:2, 3], q.sum()]
    result = arm.inverse_kinematics(target, q0=q + 0.3, kind='planar')
    assert result.success
    np.testing.assert_allclose(result.q, q, rtol=0, atol=1e-8)
    np.testing.assert_allclose(result.nearest, target, rtol=0, atol=1e-9)
    assert len(arm.all_solutions(target, kind='planar')) == 2


def test_a_target_in_a_plane_needs_a_planar_arm():
    with pytest.raises(tl.UnsupportedModelError, match='does not move in one'):
        elbow_arm().inverse_kinematics([0.3, 0.2])


def nearest_by_search(arm, target, count=40):
    """Return the least distance that many local searches by SciPy find [m]."""
    from scipy.optimize import minimize
    starts = random_positions(arm, np.random.default_rng(9), count)
    bounds = list(zip(arm.limits.lower, arm.limits.upper))

    def square(q):
        return float(((arm.tip_pose(q)[:3, 3] - target) ** 2).sum())

    def slope(q):
        return 2.0 * arm.jacobian(q)[:3].T @ (arm.tip_pose(q)[:3, 3] - target)

    return math.sqrt(min(minimize(square, q, jac=slope, bounds=bounds, method='L-BFGS-B',
                                  options={'ftol': 1e-16, 'gtol': 1e-12}).fun for q in starts))


@pytest.mark.parametrize('build', [elbow_arm, seven_joint_arm, scara])
def test_out_of_reach_the_nearest_point_is_the_nearest(build):
    arm = build()
    for direction in np.random.default_rng(3).normal(size=(6, 3)):
        target = 3.0 * direction / np.linalg.norm(direction)
        result = arm.inverse_kinematics(target)
        assert not result.success and result.reason.startswith('out of reach by at least')
        assert result.position_error <= nearest_by_search(arm, target) + 1e-6
        np.testing.assert_allclose(result.nearest, arm.tip_pose(result.q)[:3, 3], rtol=0,
                                   atol=1e-15)
        assert np.all(result.q >= arm.limits.lower) and np.all(result.q <= arm.limits.upper)


def test_a_target_beyond_the_limits_alone_is_not_called_reached():
    arm = elbow_arm().with_parameters(lower=-0.5, upper=0.5)
    result = arm.inverse_kinematics(elbow_arm().tip_pose([2.0, 1.0, 2.0, 1.0, 2.0, 1.0]))
    assert not result.success and 'within the joint limits' in result.reason
    assert np.all(np.abs(result.q) <= 0.5)


def test_an_inclined_pose_is_out_of_a_scaras_reach():
    arm = scara()
    pose = arm.tip_pose([0.3, 0.8, 0.1, 0.2])
    assert arm.inverse_kinematics(pose).success
    pose[:3, :3] = axis_rotation((1.0, 0.0, 0.0), 0.2) @ pose[:3, :3]
    result = arm.inverse_kinematics(pose)
    assert not result.success and 'inclined' in result.reason
    assert result.rotation_error == pytest.approx(0.2, rel=0.1)


@pytest.mark.parametrize('decimals', [4, 6, 9])
def test_a_rounded_rotation_is_taken_for_the_nearest_one(decimals):
    arm = elbow_arm()
    pose = arm.tip_pose([0.3, -1.0, 1.2, 0.4, 1.0, 0.2])
    rounded = pose.copy()
    rounded[:3, :3] = pose[:3, :3].round(decimals)
    result = arm.inverse_kinematics(rounded)
    assert result.success and max(result.position_error, result.rotation_error) <= TOLERANCE
    assert 0.0 < result.rounding < 2.0 * 10.0 ** -decimals
    R = arm.tip_pose(result.q)[:3, :3]
    assert np.linalg.norm(R - rounded[:3, :3]) <= result.rounding + 1e-9


def test_an_arm_of_few_joints_may_miss_a_rounded_rotation_by_its_rounding():
    arm = scara()
    pose = arm.tip_pose([0.3, 0.8, 0.1, 0.2]).round(6)
    pose[0, 2] = 1e-6  # inclined by what rounding may do
    result = arm.inverse_kinematics(pose)
    assert result.success and 1e-9 < result.rotation_error <= result.rounding


@pytest.mark.parametrize('spoil', [
    lambda T: T * np.array([[1.1], [1], [1], [1]]), lambda T: T[[1, 0, 2, 3]],
    lambda T: T + np.array([[0], [0], [0], [0.5]]), np.transpose, np.zeros_like])
def test_what_is_no_pose_is_an_error_at_once(spoil):
    pose = elbow_arm().tip_pose(np.full(6, 0.4))
    with pytest.raises(tl.ParameterError, match='target'):
        elbow_arm().inverse_kinematics(spoil(pose))


def test_a_nan_in_a_pose_is_an_error_at_once():
    pose = np.eye(4)
    pose[2, 3] = np.nan
    with pytest.raises(tl.NonFiniteError, match=r'target\[2, 3\]'):
        elbow_arm().inverse_kinematics(pose)


@pytest.mark.parametrize('options', [
    {'position_tolerance': 0.0}, {'rotation_tolerance': math.nan}, {'max_iterations': 0},
    {'max_iterations': 2.5}, {'restarts': -1}, {'kind': 'spline'}])
def test_an_impossible_option_is_an_error_at_once(options):
    with pytest.raises(tl.ParameterError, match=next(iter(options))):
        elbow_arm().inverse_kinematics(np.eye(4), **options)


def test_without_restarts_only_the_start_is_tried():
    arm = planar_three()
    result = arm.inverse_kinematics([0.3, 0.0, 0.0], q0=[0.0, 0.0, 0.0], restarts=0)
    assert not result.success and result.starts == 1


def test_an_answer_is_as_good_as_a_boolean():
    arm = two_link()
    assert arm.inverse_kinematics([1.0, 0.2]) and not arm.inverse_kinematics([9.0, 0.2])


@pytest.mark.parametrize('target, kind', [([0.3, 0.2], None), ([0.3, 0.2, 0.0], None)])
def test_one_joint_turns_towards_a_target(target, kind):
    arm = tl.arm_from_dh([(0, 0, 0)], tool=[[1, 0, 0, .4], [0, 1, 0, 0], [0, 0, 1, 0],
                                            [0, 0, 0, 1]])
    result = arm.inverse_kinematics(target, kind=kind)
    assert not result.success
    assert result.q[0] == pytest.approx(math.atan2(0.2, 0.3))
    assert result.position_error == pytest.approx(0.4 - math.hypot(0.3, 0.2), rel=1e-9)


def test_slides_alone_are_solved():
    arm = tl.arm_from_dh([(0, 0, 0), (0.5 * math.pi, 0, 0)], joint_types='PP',
                         limits=[(-1, 1), (0, 2)])
    pose = arm.tip_pose([0.7, 1.3])
    np.testing.assert_allclose(arm.inverse_kinematics(pose).q, [0.7, 1.3], rtol=0, atol=1e-9)
    far = arm.inverse_kinematics(arm.tip_pose([3.0, 5.0]))
    assert not far.success
    np.testing.assert_allclose(far.q, [1.0, 2.0], rtol=0, atol=1e-9)
