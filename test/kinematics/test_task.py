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

"""From the motion of the tip to efforts: exact, bounded near singularities, never NaN."""

import math

from kinematic_arms import elbow_arm, planar_three, scara, two_link
import numpy as np
import pytest
import twolink_dynamics as tl
from twolink_dynamics.kinematics.task import damped_inverse

from_tip_path = tl.trajectories.from_tip_path
PERIOD, CENTRE, RADIUS = 2.0, np.array([1.0, 0.6]), 0.3


def with_masses():
    """Return a 6R arm with masses, by Denavit-Hartenberg rows."""
    rows = [(0, 0, .1, .2), (math.pi / 2, .05, .1, 0), (0, .4, 0, .3), (0, .4, .1, 0),
            (math.pi / 2, 0, .1, 0), (-math.pi / 2, .02, .1, 0)]
    return tl.arm_from_dh(rows, links=[(2.0, (.1, .02, .03), (.02, .03, .04))] * 6)


def circle(t):
    """Return position, velocity and acceleration of a tip on a circle."""
    w = 2.0 * math.pi / PERIOD
    out = np.array([math.cos(w * t), math.sin(w * t)])
    along = np.array([-out[1], out[0]])
    return CENTRE + RADIUS * out, RADIUS * w * along, -RADIUS * w * w * out


def test_the_motion_found_is_the_motion_asked_for():
    arm, rng = with_masses(), np.random.default_rng(0)
    for _ in range(20):
        q, qd, qdd = rng.normal(size=(3, 6))
        pose = arm.tip_pose(q)
        velocity, acceleration = arm.tip_velocity(q, qd), arm.tip_acceleration(q, qd, qdd)
        motion = arm.task_inverse_dynamics(pose, velocity, acceleration, q0=q)
        if motion.damped:
            continue
        # The inverse multiplies roundings by at most 1/damping = 100, the drift twice.
        np.testing.assert_allclose(motion.q, q, rtol=0, atol=1e-8)
        np.testing.assert_allclose(motion.qd, qd, rtol=0, atol=1e-6)
        np.testing.assert_allclose(motion.qdd, qdd, rtol=0, atol=1e-4)
        np.testing.assert_array_equal(
            motion.tau, arm.inverse_dynamics(motion.q, motion.qd, motion.qdd))
        assert motion.success and motion.reason == ''


def test_a_tip_at_rest_takes_the_efforts_of_gravity():
    arm = two_link()
    motion = arm.task_inverse_dynamics([1.0, 0.5])
    np.testing.assert_array_equal(motion.tau, arm.gravity_vector(motion.q))


def test_friction_is_added_on_request():
    arm = tl.TwoLinkArm(b1=0.5, b2=0.2)
    plain = arm.task_inverse_dynamics([1.0, 0.5], [0.3, 0.1])
    rubbed = arm.task_inverse_dynamics([1.0, 0.5], [0.3, 0.1], friction=True)
    np.testing.assert_allclose(rubbed.tau - plain.tau, arm.friction_torque(plain.qd), rtol=1e-12)


@pytest.mark.parametrize('arm, target, kind, width', [
    (two_link(), [1.0, 0.5], None, 2), (two_link(), [1.0, 0.5, 0.0], None, 3),
    (planar_three(), [0.7, 0.3, 0.5], 'planar', 3), (elbow_arm(), [0.3, 0.4, 0.5], None, 3),
    (elbow_arm(), elbow_arm().tip_pose([0.3, -1.0, 1.2, 0.4, 1.0, 0.2]), None, 6),
    (scara(), scara().tip_pose([0.3, 0.8, 0.1, 0.2]), None, 6)])
def test_each_kind_of_target_has_its_velocity(arm, target, kind, width):
    velocity = np.zeros(width)
    velocity[0] = 0.1
    motion = arm.task_inverse_dynamics(target, velocity, kind=kind)
    assert motion.success, motion.reason
    assert motion.velocity_residual.shape == (width,)
    np.testing.assert_allclose(arm.tip_velocity(motion.q, motion.qd)[0], 0.1, rtol=0, atol=1e-9)
    with pytest.raises(tl.ShapeError, match='velocity'):
        arm.task_inverse_dynamics(target, np.zeros(width + 1), kind=kind)


def test_planar_rates_are_those_of_x_y_and_phi():
    arm = planar_three()
    motion = arm.task_inverse_dynamics([0.7, 0.3, 0.5], [0.1, -0.2, 0.3], [1, 2, 3],
                                       kind='planar')
    J = arm.jacobian(motion.q)[[0, 1, 5]]
    np.testing.assert_allclose(J @ motion.qd, [0.1, -0.2, 0.3], rtol=0, atol=1e-9)
    assert motion.qd.sum() == pytest.approx(0.3) and motion.qdd.sum() == pytest.approx(3.0)


@pytest.mark.parametrize('distance', [0.0, 1e-15, 1e-9, 1e-6, 1e-4])
def test_through_the_stretched_singularity_efforts_stay_bounded(distance):
    arm = two_link(l1=1.0, l2=1.0)
    motion = arm.task_inverse_dynamics([2.0 - distance, 0.0], [1.0, 0.5], [0.0, 0.0])
    assert np.isfinite(motion.tau).all() and motion.damped and not motion.success
    assert 'singularity' in motion.reason
    # The bound that is promised: 1/damping times what is asked, in sizes of the arm (2 m).
    assert np.linalg.norm(motion.qd) <= 100.0 * math.hypot(1.0, 0.5) / 2.0
    actual = arm.tip_velocity(motion.q, motion.qd)[:2]
    np.testing.assert_allclose(motion.velocity_residual, [1.0, 0.5] - actual, rtol=0, atol=1e-12)
    # Across the arm nothing is lost, and the arm is within 0.01 rad of the x axis.
    assert abs(motion.velocity_residual[1]) < 0.01


def test_out_of_reach_the_answer_is_near_finite_and_marked():
    arm = two_link()
    motion = arm.task_inverse_dynamics([3.0, 0.0], [1.0, 0.0], [0.0, 0.0])
    assert not motion and 'out of reach' in motion.reason
    assert motion.position_error == pytest.approx(1.2)
    assert np.isfinite(motion.tau).all()


def test_the_damped_inverse_is_exact_away_from_singularities_and_bounded_near():
    rng = np.random.default_rng(1)
    for smallest in (0.5, 0.02, 0.01, 0.005, 1e-8, 0.0):
        U, V = (np.linalg.qr(rng.normal(size=(3, 3)))[0] for _ in range(2))
        J = U @ np.diag([1.0, 0.8, smallest]) @ V
        inverse, damped = damped_inverse(J, 0.01, 3)
        assert np.linalg.norm(inverse, 2) <= 100.0 * (1 + 1e-9)
        assert damped == (smallest < 0.01 * (1 - 1e-9)) or smallest == 0.01
        if smallest > 0.01:
            np.testing.assert_allclose(inverse, np.linalg.inv(J), rtol=0, atol=1e-11)


def test_a_direction_that_is_shut_for_good_is_no_singularity():
    motion = two_link().task_inverse_dynamics([1.0, 0.5, 0.0], [0.1, 0.0, 0.0])
    assert motion.success and not motion.damped
    motion = two_link().task_inverse_dynamics([1.0, 0.5, 0.0], [0.1, 0.0, 0.2])
    assert not motion.success and 'cannot move its tip that way' in motion.reason


@pytest.mark.parametrize('damping', [0.0, -1.0, 1.0, math.nan, 'much'])
def test_an_impossible_damping_is_an_error(damping):
    with pytest.raises(tl.ParameterError, match='damping'):
        two_link().task_inverse_dynamics([1.0, 0.5], damping=damping)


# --- in time ------------------------------------------------------------------------------------

def open_loop(arm, hold, dt=1e-3):
    """
    Drive the arm round the circle by efforts alone, and return how far the tip strays [m].

    The efforts are those of the moment at each of RK4's stages, or held for a step.
    """
    q = np.array(arm.inverse_kinematics(circle(0.0)[0]).q)
    motion = arm.task_inverse_dynamics(*circle(0.0), q0=q)
    q, qd, strayed = motion.q, motion.qd, 0.0
    last, memory = motion.q, {}

    def effort(t):
        nonlocal last
        if t not in memory:
            found = arm.task_inverse_dynamics(*circle(t), q0=last)
            memory.clear()
            memory[t], last = found.tau, found.q
        return memory[t]

    for k in range(round(PERIOD / dt)):
        t = k * dt
        times = (t, t, t) if hold else (t, t + 0.5 * dt, t + dt)
        q, qd = runge_kutta(arm, q, qd, [effort(time) for time in times], dt)
        strayed = max(strayed, np.linalg.norm(arm.tip_pose(q)[:2, 3] - circle(t + dt)[0]))
    return strayed


def runge_kutta(arm, q, qd, tau, dt):
    """Return the state one step later, with the efforts at its start, middle and end."""
    def rate(q, qd, tau):
        return np.array([qd, arm.forward_dynamics(q, qd, tau)])

    state = np.array([q, qd])
    k1 = rate(*state, tau[0])
    k2 = rate(*(state + 0.5 * dt * k1), tau[1])
    k3 = rate(*(state + 0.5 * dt * k2), tau[1])
    k4 = rate(*(state + dt * k3), tau[2])
    return state + dt / 6.0 * (k1 + 2 * k2 + 2 * k3 + k4)


def test_open_loop_the_tip_stays_on_the_circle_with_efforts_of_the_moment():
    assert open_loop(tl.TwoLinkArm(), hold=False) < 1e-6


def test_open_loop_the_tip_strays_from_the_circle_with_efforts_that_are_held():
    # A delay of half a millisecond, and nothing to correct it: why feedback is needed.
    assert 1e-4 < open_loop(tl.TwoLinkArm(), hold=True) < 1.0


def test_a_tip_path_becomes_a_trajectory_and_efforts():
    arm, times = tl.TwoLinkArm(), np.linspace(0.0, PERIOD, 101)
    motion = from_tip_path(arm, times, circle)
    assert motion.success and motion.reason == ''
    for k in (0, 33, 100):
        q, qd, qdd = motion.trajectory.sample(times[k])
        position, velocity, acceleration = circle(times[k])
        np.testing.assert_allclose(arm.tip_pose(q)[:2, 3], position, rtol=0, atol=1e-12)
        np.testing.assert_allclose(arm.tip_velocity(q, qd)[:2], velocity, rtol=0, atol=1e-12)
        np.testing.assert_allclose(arm.tip_acceleration(q, qd, qdd)[:2], acceleration, rtol=0,
                                   atol=1e-11)
        np.testing.assert_allclose(motion.tau[k], arm.inverse_dynamics(q, qd, qdd), rtol=1e-12)
    # Between the points, 20 ms apart, the quintic follows to its sixth derivative's size.
    q, _, _ = motion.trajectory.sample(0.51)
    np.testing.assert_allclose(arm.tip_pose(q)[:2, 3], circle(0.51)[0], rtol=0, atol=1e-7)


def test_rates_of_a_path_are_found_where_they_are_not_given():
    arm, times = tl.TwoLinkArm(), np.linspace(0.0, PERIOD, 401)
    path, velocities, _ = map(np.array, zip(*map(circle, times)))
    exact = from_tip_path(arm, times, circle).tau
    # A cubic spline's acceleration errs by w^2 h^2 / 12 = 2e-5 of 3 m/s^2 inside.
    inside = slice(10, -10)
    by_positions = from_tip_path(arm, times, path).tau
    np.testing.assert_allclose(by_positions[inside], exact[inside], rtol=0, atol=2e-3)
    by_velocities = from_tip_path(arm, times, path, velocities).tau
    np.testing.assert_allclose(by_velocities[inside], exact[inside], rtol=0, atol=1e-5)


def test_a_path_of_poses_turns_the_tip_too():
    arm, times = with_masses(), np.linspace(0.0, 1.0, 81)
    joints = np.array([0.3, -1.0, 1.2, 0.4, 1.0, 0.2]) + 0.3 * np.sin(times)[:, None]
    motion = from_tip_path(arm, times, arm.tip_pose(joints), q0=joints[0])
    inside = slice(10, -10)
    np.testing.assert_allclose(motion.trajectory.positions, joints, rtol=0, atol=1e-8)
    rates = np.array([motion.trajectory.sample(t)[1] for t in times])
    np.testing.assert_allclose(rates[inside], np.broadcast_to(
        0.3 * np.cos(times)[:, None], joints.shape)[inside], rtol=0, atol=1e-4)


def beyond(t):
    """Return a straight line that leaves the reach of the unit arm at 1.8 m."""
    return np.array([1.3 + t, 0.1]), np.array([1.0, 0.0]), np.zeros(2)


def test_a_path_out_of_reach_is_refused_with_point_and_reason():
    with pytest.raises(tl.TrajectoryError, match='t = 0.5') as caught:
        from_tip_path(two_link(), np.linspace(0.0, 1.0, 101), beyond)
    assert caught.value.point >= 50


def test_a_path_out_of_reach_is_followed_nearby_on_request():
    motion = from_tip_path(two_link(), np.linspace(0.0, 1.0, 101), beyond,
                           when_impossible='report')
    assert not motion and motion.reason.startswith('point ')
    assert np.isfinite(motion.tau).all() and np.abs(motion.tau).max() < 1e3
    assert motion.position_error[-1] == pytest.approx(math.hypot(2.3, 0.1) - 1.8)
    assert motion.position_error[0] < 1e-12


def test_a_jump_to_another_solution_is_refused():
    # All the way round joint 1, which has stops: there the elbow would have to change sides.
    arm, angles = two_link(limits=((-2.9, 2.9), (-3.0, 3.0))), np.linspace(0.0, 6.2, 201)
    path = 1.2 * np.column_stack([np.cos(angles), np.sin(angles)])
    with pytest.raises(tl.TrajectoryError, match='joint "joint[12]" would have to jump'):
        from_tip_path(arm, angles, path)
    motion = from_tip_path(arm, angles, path, when_impossible='report')
    assert not motion and 'jump' in motion.reason and motion.position_error.max() < 1e-12


@pytest.mark.parametrize('times, path, error', [
    ([0.0, 0.0], [[1, 0], [1, 0]], tl.ParameterError), ([], [], tl.ShapeError),
    ([0.0, 1.0], [[1, 0]], tl.ShapeError), ([0.0, math.nan], [[1, 0], [1, 0]], tl.NonFiniteError),
    ([0.0, 1.0], [[1, 0], [1, math.inf]], tl.NonFiniteError),
    ([0.0, 1.0], [[1, 0, 0, 0], [1, 0, 0, 0]], tl.ShapeError)])
def test_what_is_no_path_is_an_error(times, path, error):
    with pytest.raises(error):
        from_tip_path(two_link(), times, path)
