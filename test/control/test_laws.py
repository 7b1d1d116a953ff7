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

"""Laws: what they compute, what they refuse, and what comes of them in a closed loop."""

import math

from arms import three_joints
import numpy as np
import pytest

import twolink_dynamics as tl
from twolink_dynamics.control import ComputedTorque
from twolink_dynamics.control.gains import gains_of
from twolink_dynamics.errors import NonFiniteError, ParameterError, ShapeError
from twolink_dynamics.simulation import PlantOptions, simulate
from twolink_dynamics.tracking import all_finite, clamp_effort
from twolink_dynamics.trajectory import minimum_jerk, swing, Trajectory

REST = ((0.0, 0.0), (0.0, 0.0), (0.0, 0.0))
STATE = ((0.3, -0.8), (0.5, 0.2))
DESIRED = ((0.4, -0.7), (0.6, 0.1), (1.0, -2.0))


@pytest.fixture(scope='module')
def arm():
    """Return the drawing of the texts."""
    return tl.TwoLinkArm()


@pytest.fixture(scope='module')
def three():
    """Return an arm of three joints, for what is written out for two."""
    return tl.load_arm(three_joints())


def test_computed_torque_is_its_formula(arm):
    kp, kd = np.array([100.0, 64.0]), np.array([20.0, 12.0])
    q, qd, (q_d, qd_d, qdd_d) = *map(np.array, STATE), map(np.array, DESIRED)
    expected = (arm.mass_matrix(q) @ (qdd_d + kd * (qd_d - qd) + kp * (q_d - q))
                + arm.coriolis_matrix(q, qd) @ qd + arm.gravity_vector(q))
    # A dozen products of numbers under 100.
    np.testing.assert_allclose(ComputedTorque(arm, kp, kd).effort(0.0, *STATE, DESIRED), expected,
                               rtol=1e-13)


def test_computed_torque_is_its_formula_for_three_joints(three):
    rng = np.random.default_rng(5)
    q, qd, q_d, qd_d, qdd_d = rng.normal(size=(5, 3))
    tau = ComputedTorque(three, 30.0, 8.0).effort(
        0.0, q.tolist(), qd.tolist(), (q_d.tolist(), qd_d.tolist(), qdd_d.tolist()))
    expected = (three.mass_matrix(q) @ (qdd_d + 8.0 * (qd_d - qd) + 30.0 * (q_d - q))
                + three.bias(q, qd))
    np.testing.assert_allclose(tau, expected, rtol=1e-12, atol=1e-12)


def test_friction_is_compensated_where_the_arm_has_it():
    rubbing = tl.TwoLinkArm(b1=0.5, b2=0.25, fc1=0.3, fc2=0.1)
    without = ComputedTorque(rubbing).effort(0.0, *STATE, DESIRED)
    tau = ComputedTorque(rubbing, friction=True).effort(0.0, *STATE, DESIRED)
    # tanh(desired velocity / 0.01) is 1 to 1e-8 at 0.1 rad/s.
    np.testing.assert_allclose(np.subtract(tau, without),
                               [0.5 * 0.5 + 0.3, 0.25 * 0.2 + 0.1], rtol=1e-7)


def test_coulomb_compensation_has_no_jump_at_rest():
    rubbing = tl.TwoLinkArm(fc1=5.0, fc2=5.0)
    law = ComputedTorque(rubbing, kp=0.0, kd=0.0, friction=True)
    still = law.effort(0.0, *REST[:2], REST)
    creeping = law.effort(0.0, *REST[:2], (REST[0], (1e-6, -1e-6), REST[2]))
    assert np.abs(np.subtract(creeping, still)).max() < 1e-2


def test_gains_may_be_said_as_frequency_and_damping():
    assert gains_of(2, natural_frequency=20.0, damping_ratio=0.5) == (
        (400.0, 400.0), (20.0, 20.0), (0.0, 0.0))
    assert gains_of(2, natural_frequency=[10.0, 20.0])[1] == (20.0, 40.0)
    assert gains_of(1, kp=25.0, damping_ratio=1.0)[:2] == ((25.0,), (10.0,))


@pytest.mark.parametrize('gains, error', [
    ({'kp': [1, 2, 3]}, ShapeError), ({'kd': [[1, 2]]}, ShapeError),
    ({'kp': float('nan')}, NonFiniteError), ({'kd': [1, float('inf')]}, NonFiniteError),
    ({'kp': -1}, ParameterError), ({'ki': [0, -1]}, ParameterError),
    ({'kp': 'high'}, ParameterError), ({'natural_frequency': -2}, ParameterError),
    ({'ki': 2000.0, 'kp': 100.0, 'kd': 20.0}, ParameterError),
])
def test_impossible_gains_are_refused_and_change_nothing(arm, gains, error):
    with pytest.raises(error):
        ComputedTorque(arm, **gains)
    law = ComputedTorque(arm, 50.0, 10.0)
    with pytest.raises(error):
        law.set_gains(**gains)
    assert law.gains == ((50.0, 50.0), (10.0, 10.0), (0.0, 0.0))


def test_gravity_is_held_by_a_law_that_wants_rest(arm):
    q = (0.4, -1.1)
    run = simulate(arm, 2.0, q0=q, law=ComputedTorque(arm))
    np.testing.assert_allclose(run.tau[0], arm.gravity_vector(q), rtol=1e-14)
    # The effort cancels gravity up to rounding; feedback keeps it there.
    assert np.abs(run.q - q).max() < 1e-14


def test_the_error_obeys_its_differential_equation(arm):
    e0, wn = np.array([0.1, -0.05]), np.array([10.0, 5.0])
    q_d = np.array([0.3, 0.7])
    run = simulate(arm, 1.0, dt=1e-4, q0=q_d - e0,
                   law=ComputedTorque(arm, natural_frequency=wn, damping_ratio=1.0),
                   trajectory=Trajectory([0.0], [q_d]))
    t = run.t[:, None]
    # Critically damped: e = e0 (1 + wn t) exp(-wn t). Holding the effort for h delays it by h/2 on
    # the average, a relative change of the damping of wn h / 2 = 5e-4 at most: 5e-5 of 0.1 rad.
    np.testing.assert_allclose(run.error, e0 * (1.0 + wn * t) * np.exp(-wn * t), atol=5e-5)


def test_an_underdamped_error_oscillates_at_its_damped_frequency(arm):
    wn, zeta = 10.0, 0.2
    run = simulate(arm, 2.0, dt=1e-4, q0=[0.1, 0.0],
                   law=ComputedTorque(arm, natural_frequency=wn, damping_ratio=zeta),
                   trajectory=Trajectory([0.0], [[0.0, 0.0]]))
    wd = wn * math.sqrt(1.0 - zeta ** 2)
    expected = -0.1 * np.exp(-zeta * wn * run.t) * (
        np.cos(wd * run.t) + zeta * wn / wd * np.sin(wd * run.t))
    np.testing.assert_allclose(run.error[:, 0], expected, atol=2e-4)


def test_a_published_tracking_case_comes_out(arm):
    # F. L. Lewis et al., Robot Manipulator Control, example 4.4.1: two point masses of 1 kg at the
    # ends of links of 1 m, sin and cos of amplitude 0.1 and period 2 s, from rest at zero,
    # Kp = 100, Kv = 20.
    points = tl.TwoLinkArm(m1=1, m2=1, l1=1, l2=1, lc1=1, lc2=1, I1=0, I2=0, gravity=(0, -9.8))
    t = np.linspace(0.0, 2.0, 401)
    s, c, w = 0.1 * np.sin(np.pi * t), 0.1 * np.cos(np.pi * t), np.pi
    desired = Trajectory(t, np.stack([s, c], 1), w * np.stack([c, -s], 1),
                         -w * w * np.stack([s, c], 1))
    run = simulate(points, 2.0, q0=[0.0, 0.0], law=ComputedTorque(points), trajectory=desired)
    # The first effort is M(0) (qdd_d + 20 qd_d + 100 e) + G(0), to the six digits published.
    np.testing.assert_allclose(run.tau[0], [78.8420, 31.3794], atol=6e-5)
    # e1 = -w/10 t exp(-10 t) + ...: a critically damped error whose peak is w/10/(10 e) at 0.1 s.
    peak = np.abs(run.error[:, 0]).argmax()
    assert run.t[peak] == pytest.approx(0.1, abs=2e-3)
    assert np.abs(run.error[peak, 0]) == pytest.approx(0.01156, abs=1e-4)


def test_the_integral_removes_what_an_unknown_load_leaves(arm):
    loaded = tl.TwoLinkArm(m2=1.3)
    desired = Trajectory([0.0], [[0.2, 0.3]])
    left = [np.abs(simulate(loaded, 6.0, law=ComputedTorque(arm, ki=ki), trajectory=desired)
                   .error[-1]).max() for ki in (0.0, 300.0)]
    assert left[0] > 1e-3
    assert left[1] < 1e-6


def test_the_integral_stands_still_in_saturation():
    weak = tl.load_arm(WEAK)
    law = ComputedTorque(weak, ki=300.0)
    desired = ((1.0,), (0.0,), (0.0,))
    for k in range(1000):
        law.effort(1e-3 * k, (0.0,), (0.0,), desired)
    assert law.integral == (0.0,)
    law.reset()
    for k in range(100):
        law.effort(1e-3 * k, (0.9999,), (0.0,), desired)
    assert law.integral[0] > 0.0


def test_the_integral_ignores_time_that_stands_or_jumps(arm):
    law = ComputedTorque(arm, ki=100.0)
    for t in (5.0, 5.0, 4.0, 1e9):
        law.effort(t, (0.0, 0.0), (0.0, 0.0), DESIRED)
    assert law.integral == (0.0, 0.0)


def test_not_a_number_in_is_not_a_number_out_and_leaves_no_trace(arm):
    law = ComputedTorque(arm, ki=100.0)
    for k, q in enumerate([(0.0, 0.0), (float('nan'), 0.0), (0.0, 0.0)]):
        tau = law.effort(1e-3 * k, q, (0.0, 0.0), REST)
        assert all_finite(tau) == all_finite(q)
    assert all_finite(law.integral)


def test_a_swing_is_followed_through_friction_and_limits(limited):
    motion = swing(limited, 0.5, period=2.0, cycles=2)
    run = simulate(limited, motion.duration, trajectory=motion,
                   law=ComputedTorque(limited, natural_frequency=20.0, friction=True))
    assert np.sqrt((run.error ** 2).mean(axis=0)).max() < 5e-3
    assert (np.abs(run.tau) <= limited.limits.effort).all()


def test_a_minimum_jerk_move_is_followed_within_what_the_hold_costs(arm):
    motion = minimum_jerk([0.0, 0.0], [1.0, 1.0], 1.0)
    # The effort held for h acts half a period late: h/2 of the jerk, up to 60 rad/s^3 here, is an
    # acceleration of 3e-2 rad/s^2 amiss, and its error that over wn^2; half of it in the mean.
    for wn, bound in ((20.0, 7.5e-5), (40.0, 1.9e-5)):
        run = simulate(arm, 1.0, trajectory=motion, law=ComputedTorque(arm, natural_frequency=wn))
        assert np.sqrt((run.error ** 2).mean(axis=0)).max() < bound


@pytest.mark.parametrize('tau, clamped, saturated', [
    ((1.0, -2.0), [1.0, -2.0], False), ((3.0, -2.0), [2.0, -2.0], True),
    ((-1e300, 7.0), [-2.0, 7.0], True), ((float('inf'), 0.0), [2.0, 0.0], True),
])
def test_efforts_are_clamped_to_the_limits(tau, clamped, saturated):
    assert clamp_effort(tau, (2.0, math.inf)) == (clamped, saturated)


def test_options_of_the_plant_stand_for_a_model_that_is_wrong(arm):
    motion = minimum_jerk([0.0, 0.0], [1.0, 1.0], 1.0)
    law = ComputedTorque(arm, natural_frequency=20.0)
    exact = simulate(arm, 1.0, trajectory=motion, law=law)
    rubbing = simulate(arm, 1.0, trajectory=motion, law=law, plant=PlantOptions(damping=(1, 1)))
    assert np.abs(rubbing.error).max() > 10.0 * np.abs(exact.error).max()


WEAK = """
<robot name="weak"><link name="base"/>
  <link name="arm"><inertial><origin xyz="0.5 0 0"/><mass value="1"/>
    <inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="j" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
    <limit lower="-2" upper="2" velocity="10" effort="1"/></joint></robot>
"""
