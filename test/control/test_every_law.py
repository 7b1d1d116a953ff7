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

"""What holds of every law: one interface, no trace of bad numbers, live gains, a swapped model."""

import math

from arms import LIMITED, three_joints
from chains import chain_of, random_segments
import numpy as np
import pytest

import twolink_dynamics as tl
from twolink_dynamics.control import make_law
from twolink_dynamics.control.gains import reflected_inertia
from twolink_dynamics.dynamics.two_link_arm import arm_of_chain
from twolink_dynamics.errors import NonFiniteError, ParameterError, ShapeError
from twolink_dynamics.registry import find, names
from twolink_dynamics.simulation import simulate
from twolink_dynamics.tracking import all_finite
from twolink_dynamics.trajectory import minimum_jerk, Trajectory

NAMES = sorted(names('law'))
MODELLED = sorted(set(NAMES) - {'independent_pid'})
INTEGRATING = [name for name in NAMES if find('law', name).integrates]


def seven_joints():
    """Return an arm of seven skew joints."""
    segments = random_segments(np.random.default_rng(6), 7, kinds=('revolute',))
    return arm_of_chain(chain_of(segments, 0.1))


ARMS = {'two': lambda: tl.TwoLinkArm(b1=0.2, fc2=0.1),
        'three': lambda: tl.load_arm(three_joints()), 'seven': seven_joints}


@pytest.fixture(scope='module', params=sorted(ARMS))
def arm(request):
    """Return an arm."""
    return ARMS[request.param]()


def state(arm, seed=0):
    """Return a position, velocity and desired state in lists, away from singular postures."""
    rng = np.random.default_rng(seed)
    q, qd, e, ed, a = rng.uniform(0.2, 0.8, size=(5, arm.n))
    return q.tolist(), qd.tolist(), ((q + 0.1 * e).tolist(), (qd + ed).tolist(), a.tolist())


@pytest.mark.parametrize('name', NAMES)
def test_an_effort_is_n_finite_python_floats(arm, name):
    tau = make_law(name, arm).effort(0.0, *state(arm))
    assert len(tau) == arm.n and all_finite(tau)
    assert all(type(x) is float for x in tau)


@pytest.mark.parametrize('name', MODELLED)
def test_an_arm_at_rest_where_it_is_wanted_is_held_against_gravity(arm, name):
    q = state(arm)[0]
    zero = [0.0] * arm.n
    tau = make_law(name, arm, friction=True).effort(0.0, q, zero, (q, zero, zero))
    # All else is multiplied by zero; gravity is summed in another order.
    np.testing.assert_allclose(tau, arm.gravity_vector(q), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize('name', sorted(set(MODELLED) - {'gravity_pd', 'sampled_computed_torque'}))
def test_on_the_desired_motion_the_effort_is_the_inverse_dynamics(arm, name):
    q, qd, (_, _, qdd) = state(arm)
    tau = make_law(name, arm).effort(0.0, q, qd, (q, qd, qdd))
    np.testing.assert_allclose(tau, arm.inverse_dynamics(q, qd, qdd), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize('name', NAMES)
@pytest.mark.parametrize('where', range(5))
def test_not_a_number_in_is_none_out_and_leaves_no_trace(arm, name, where):
    options = {'ki': 10.0} if name in INTEGRATING else {}
    bad, clean = make_law(name, arm, **options), make_law(name, arm, **options)
    q, qd, desired = state(arm)
    numbers = [list(row) for row in (q, qd, *desired)]
    numbers[where][0] = math.nan
    for law in (bad, clean):
        law.effort(0.0, q, qd, desired)
    tau = bad.effort(1e-3, numbers[0], numbers[1], tuple(numbers[2:]))
    needed = where < 4 or name not in ('gravity_pd', 'independent_pid')
    assert all_finite(tau) != needed
    if needed:
        clean._t = bad._t  # the time went on, whatever the state
        assert bad.effort(2e-3, q, qd, desired) == clean.effort(2e-3, q, qd, desired)


@pytest.mark.parametrize('name', NAMES)
def test_gains_are_live_and_a_bad_one_changes_nothing(arm, name):
    law = make_law(name, arm, natural_frequency=10.0)
    law.set_gains(natural_frequency=20.0, damping_ratio=0.5)
    assert law.gains[:2] == ((400.0,) * arm.n, (20.0,) * arm.n)
    before = law.effort(0.0, *state(arm))
    for gains, error in (({'kp': [1.0] * (arm.n + 1)}, ShapeError), ({'kd': -1.0}, ParameterError),
                         ({'kp': math.inf}, NonFiniteError), ({'ki': 1e9}, ParameterError)):
        with pytest.raises(error):
            law.set_gains(**gains)
    law.reset()
    assert law.effort(0.0, *state(arm)) == before


@pytest.mark.parametrize('name', NAMES)
def test_another_model_is_taken_live_and_other_joints_are_refused(arm, name):
    law = make_law(name, arm)
    loaded = arm.with_payload(0.5, (0.05, 0.0, 0.0))
    law.set_arm(loaded)
    # The same sums of the same numbers, but for estimates that are kept as differences.
    np.testing.assert_allclose(law.effort(0.0, *state(arm)),
                               make_law(name, loaded).effort(0.0, *state(arm)), rtol=1e-12)
    other = tl.load_arm(LIMITED)
    with pytest.raises(ShapeError, match='shoulder'):
        law.set_arm(other)
    assert law.arm is loaded


@pytest.mark.parametrize('name', NAMES)
def test_a_move_is_followed_with_the_true_model(name):
    two = tl.TwoLinkArm(b1=0.3, b2=0.1)
    move = minimum_jerk([-0.5, 0.8], [0.5, 1.8], 1.0)
    run = simulate(two, 1.5, law=make_law(name, two, natural_frequency=20.0, friction=True),
                   trajectory=move)
    # Laws with the whole model are off by the holding of the effort only; gravity_pd by
    # M qdd / (J wn^2), 5.8 rad/s^2 of largest acceleration over 400 / s^2, three times that for
    # the elbow, whose coupling M21 is as large as its J; PID by gravity before its integral takes
    # it over, 15 N m over 3 kg m^2 times 400.
    allowed = {'gravity_pd': 0.05, 'independent_pid': 0.1}.get(name, 4e-4)
    assert np.abs(run.error).max() < allowed
    assert np.abs(run.error[-1]).max() < 0.5 * allowed


@pytest.mark.parametrize('name', INTEGRATING)
def test_the_integral_stands_still_in_saturation_and_moves_else(name):
    arm = tl.load_arm(LIMITED)
    law = make_law(name, arm, ki=300.0, kp=400.0, kd=40.0)
    q, zero = (0.2, 1.0), (0.0, 0.0)
    for k in range(50):
        law.effort(1e-3 * k, q, zero, ((5.0, 5.0), zero, zero))
    assert law.integral == (0.0, 0.0)
    law.saturated = True
    for k in range(50, 100):
        law.effort(1e-3 * k, q, zero, ((0.2001, 1.0001), zero, zero))
    assert law.integral == (0.0, 0.0)
    law.saturated = False
    for k in range(100, 150):
        law.effort(1e-3 * k, q, zero, ((0.2001, 1.0001), zero, zero))
    assert min(law.integral) > 0.0
    law.reset()
    assert law.integral == (0.0, 0.0)


@pytest.mark.parametrize('name', sorted(set(NAMES) - set(INTEGRATING)))
def test_a_law_without_an_integral_says_so(name):
    with pytest.raises(ParameterError, match='ki'):
        make_law(name, tl.TwoLinkArm(), ki=1.0)


def test_an_unknown_law_or_option_is_refused_with_those_there_are():
    with pytest.raises(ParameterError, match='computed_torque.*gravity_pd'):
        make_law('magic', tl.TwoLinkArm())
    with pytest.raises(ParameterError, match='kp'):
        make_law('gravity_pd', tl.TwoLinkArm(), stiffness=3.0)


def test_the_reflected_inertia_is_the_largest_of_the_mass_matrix():
    arm = tl.TwoLinkArm()
    # J11 is largest with the arm stretched (theory.md H2), which is among the postures.
    np.testing.assert_allclose(reflected_inertia(arm), np.diag(arm.mass_matrix([0.0, 0.0])),
                               rtol=1e-12)
    seven = seven_joints()
    rng = np.random.default_rng(1)
    low, high = (np.where(np.isfinite(x), x, s * np.pi) for x, s in (
        (seven.limits.lower, -1), (seven.limits.upper, 1)))
    drawn = seven.mass_matrix(rng.uniform(low, high, (2000, 7)))
    largest = np.diagonal(drawn, axis1=1, axis2=2).max(axis=0)
    # 129 even postures against 2000 random ones.
    assert (np.array(reflected_inertia(seven)) > 0.8 * largest).all()


def test_a_swapped_model_holds_the_new_weight():
    arm = tl.TwoLinkArm()
    heavy = arm.with_payload(1.0)
    law = make_law('computed_torque', arm)
    q = [0.3, 0.4]
    law.set_arm(heavy)
    run = simulate(heavy, 0.5, q0=q, law=law, trajectory=Trajectory([0.0], [q]))
    assert np.abs(run.q - q).max() < 1e-12
