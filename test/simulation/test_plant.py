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

"""The simulated arm: order of the integrators, energy, friction, stops, and what it refuses."""

import math

from arms import three_joints
import numpy as np
import pytest

import twolink_dynamics as tl
from twolink_dynamics.dynamics.resting import resting_impulses
from twolink_dynamics.errors import DivergenceError, NonFiniteError, ParameterError, ShapeError
from twolink_dynamics.simulation import Plant, PlantOptions, simulate
from twolink_dynamics.trajectory import Trajectory

HANGING = (-math.pi / 2, 0.0)


@pytest.fixture(scope='module')
def arm():
    """Return the drawing of the texts."""
    return tl.TwoLinkArm()


def end_of(arm, dt, method):
    """Return where the arm is after a second of a swing through large angles."""
    return simulate(arm, 1.0, dt=dt, q0=[0.3, 0.5], method=method).q[-1]


@pytest.mark.parametrize('method, order', [('rk4', 4), ('semi_implicit', 1)])
def test_the_error_falls_with_the_order_of_the_method(arm, method, order):
    exact = end_of(arm, 1e-4 if order == 4 else 2e-5, 'rk4')
    errors = [np.abs(end_of(arm, dt, method) - exact).max() for dt in (4e-3, 2e-3, 1e-3)]
    orders = [math.log2(a / b) for a, b in zip(errors, errors[1:])]
    # The next term of the error is a few dt of the leading one.
    assert np.allclose(orders, order, atol=0.15), orders


def test_a_passive_swing_keeps_its_energy(arm):
    run = simulate(arm, 20.0, q0=[HANGING[0] + 0.5, 0.3])
    span = np.ptp(arm.potential_energy(run.q))
    # RK4's error of a step is of order (w dt)^5 with w near 10 rad/s: 1e-10 of the energy moved.
    assert np.abs(run.energy - run.energy[0]).max() < 1e-9 * span


def test_the_effort_works_on_the_arm(arm):
    run = simulate(arm, 1.0, law=Constant(3.0, -1.0), q0=HANGING)
    # The effort is held over each step, so its work is exactly effort times way.
    work = np.cumsum((run.tau[:-1] * np.diff(run.q, axis=0)).sum(axis=1))
    np.testing.assert_allclose(run.energy[1:] - run.energy[0], work, atol=1e-8)


class Constant:
    """A law that always wants the same effort."""

    def __init__(self, *tau):
        self.tau, self.calls = tau, []

    def effort(self, t, q, qd, desired):
        """Return the effort."""
        self.calls.append(t)
        return self.tau

    def reset(self):
        """Forget the calls."""
        self.calls.clear()


def test_viscous_friction_takes_what_it_should(arm):
    rubbing = tl.TwoLinkArm(b1=0.3, b2=0.2)
    run = simulate(rubbing, 2.0, q0=[0.0, 0.0])
    power = (np.array([0.3, 0.2]) * run.qd ** 2).sum(axis=1)
    lost = np.concatenate([[0.0], np.cumsum(0.5 * (power[1:] + power[:-1]) * 1e-3)])
    # The trapezoidal rule is off by dt^2/12 of the second derivative: a power of 1e2 W, 1e3/s^2.
    np.testing.assert_allclose(run.energy[0] - run.energy, lost, atol=1e-4)


def test_an_arm_below_its_breakaway_effort_does_not_move_at_all():
    sticking = tl.TwoLinkArm(fc1=2.0, fc2=2.0)
    q0 = [HANGING[0] + 0.05, 0.02]
    assert np.abs(sticking.gravity_vector(q0)).max() < 2.0
    run = simulate(sticking, 10.0, q0=q0)
    assert (run.q == q0).all() and (run.qd == 0.0).all()


def test_an_arm_above_its_breakaway_effort_moves():
    slipping = tl.TwoLinkArm(fc1=2.0, fc2=2.0)
    run = simulate(slipping, 0.5, q0=[0.0, 0.0])
    assert np.abs(run.q[-1]).max() > 0.1


def test_coulomb_friction_brings_an_arm_to_rest_and_keeps_it_there():
    run = simulate(tl.TwoLinkArm(fc1=1.5, fc2=0.8), 20.0, q0=[-0.8, 0.4])
    moving = np.flatnonzero(np.abs(run.qd).max(axis=1) > 0.0)
    assert moving[-1] < 15000
    assert (run.q[moving[-1] + 1:] == run.q[-1]).all()


def test_coulomb_friction_never_gives_energy():
    run = simulate(tl.TwoLinkArm(fc1=1.5, fc2=0.8), 5.0, q0=[-0.8, 0.4])
    # What rises is the error of the integrator.
    assert np.diff(run.energy).max() < 1e-6
    assert run.energy[-1] < run.energy[0] - 1.0


def test_sliding_friction_decelerates_by_its_coefficient():
    flat = tl.TwoLinkArm(gravity=(0.0, 0.0), m1=2.0, fc1=0.5, fc2=0.0)
    run = simulate(flat, 0.05, qd0=[1.0, 0.0], q0=[0.0, 0.0])
    expected = flat.forward_dynamics([0.0, 0.0], [1.0, 0.0], [-0.5, 0.0])
    np.testing.assert_allclose((run.qd[1] - run.qd[0]) / 1e-3, expected, rtol=2e-3)


def test_a_falling_arm_stays_within_its_stops_and_rests_on_them(limited):
    lower, upper = limited.limits.lower, limited.limits.upper
    run = simulate(limited, 5.0, q0=[0.5, 1.0])
    assert (run.q >= lower).all() and (run.q <= upper).all()
    assert (run.qd[-1] == 0.0).all()
    assert run.q[-1, 0] == upper[0]


def test_a_stop_passes_its_impulse_on_to_the_other_joints():
    M, qd = [[2.0, 0.5], [0.5, 1.0]], [1.0, 0.5]
    change, resting = resting_impulses(M, qd, {0: (-math.inf, 0.0)})
    after = np.add(qd, change)
    assert resting == {0} and after[0] == pytest.approx(0.0, abs=1e-15)
    momentum = np.array(M) @ change
    assert momentum[1] == pytest.approx(0.0, abs=1e-15) and momentum[0] < 0.0


def test_a_stop_does_not_pull():
    change, resting = resting_impulses([[2.0, 0.5], [0.5, 1.0]], [-1.0, 0.5],
                                       {0: (-math.inf, 0.0)})
    assert change == [0.0, 0.0] and resting == set()


def test_impulses_at_their_bounds_oppose_the_motion_that_remains():
    rng = np.random.default_rng(3)
    for _ in range(50):
        A = rng.normal(size=(4, 4))
        M, qd = A @ A.T + 0.1 * np.eye(4), rng.normal(size=4)
        bounds = {k: (-c, c) for k, c in enumerate(rng.uniform(0.0, 1.0, 4))}
        change, resting = resting_impulses(M, qd.tolist(), bounds)
        impulses, after = M @ change, qd + change
        scale = np.abs(np.linalg.inv(M)).max()
        for k in range(4):
            if k in resting:
                assert abs(after[k]) < 1e-9 * scale
            else:
                assert after[k] * impulses[k] <= 1e-9 * scale
                assert abs(impulses[k]) == pytest.approx(bounds[k][1], rel=1e-9)


def test_efforts_saturate_at_the_limits(limited):
    plant = Plant(limited, q0=[0.0, 1.0])
    plant.step((1e6, -1e6))
    assert list(plant.tau) == [30.0, -10.0]
    free = Plant(limited, q0=[0.0, 1.0], options=PlantOptions(effort_limits=False))
    free.step((50.0, 0.0))
    assert list(free.tau) == [50.0, 0.0]


def test_a_plant_starts_at_zero_or_at_the_limit_next_to_it(limited, arm):
    assert Plant(arm).q == (0.0, 0.0)
    assert Plant(limited).q == (0.0, 0.1)


def test_a_reset_repeats_the_run_to_the_last_bit(arm):
    plant = Plant(arm, q0=[0.1, 0.2], qd0=[0.3, 0.4])
    runs = []
    for _ in range(2):
        runs.append([plant.step((1.0, -1.0)) for _ in range(100)])
        assert plant.t == pytest.approx(0.1)
        plant.reset()
        assert (plant.q, plant.qd, plant.t) == ((0.1, 0.2), (0.3, 0.4), 0.0)
    assert runs[0] == runs[1]


def test_a_refused_reset_changes_nothing(limited):
    plant = Plant(limited)
    plant.step((0.0, 0.0))
    before = plant.q, plant.qd, plant.t
    with pytest.raises(ParameterError, match='shoulder'):
        plant.reset(q0=[9.0, 1.0])
    assert (plant.q, plant.qd, plant.t) == before


def test_a_step_refused_leaves_the_plant_as_it_was(arm):
    plant = Plant(arm)
    with pytest.raises(NonFiniteError, match=r'tau\[1\]'):
        plant.step((0.0, float('nan')))
    assert plant.t == 0.0 and plant.q == (0.0, 0.0)


def test_a_blow_up_is_reported_with_its_last_finite_state(arm):
    plant = Plant(arm, dt=1e-2)
    with pytest.raises(DivergenceError) as caught:
        for _ in range(10000):
            plant.step((1e7, -1e7))
    assert all(map(math.isfinite, caught.value.q + caught.value.qd))
    assert caught.value.t == pytest.approx(plant.t + 1e-2)


@pytest.mark.parametrize('options, error', [
    ({'dt': 0.0}, ParameterError), ({'dt': float('nan')}, ParameterError),
    ({'dt': -1e-3}, ParameterError), ({'q0': [0.0]}, ShapeError),
    ({'q0': [0.0, float('nan')]}, NonFiniteError), ({'qd0': [0, 0, 0]}, ShapeError),
    ({'options': PlantOptions(friction=(1.0, 1.0, 1.0))}, ShapeError),
])
def test_an_impossible_plant_is_refused(arm, options, error):
    with pytest.raises(error):
        Plant(arm, **options)


def test_the_law_is_asked_once_per_control_period(arm):
    law = Constant(1.0, 0.0)
    run = simulate(arm, 0.1, dt=1e-3, law=law, control_period=5e-3)
    assert len(law.calls) == 20
    np.testing.assert_allclose(law.calls, np.arange(20) * 5e-3, atol=1e-15)
    assert run.t.shape == (101,) and run.q.shape == run.qd.shape == run.tau.shape == (101, 2)


def test_a_run_starts_where_its_trajectory_does(arm):
    run = simulate(arm, 0.01, law=Constant(0, 0), trajectory=Trajectory([0], [[0.3, 0.4]]))
    assert run.q[0].tolist() == [0.3, 0.4]
    assert run.desired[0].shape == (11, 2)


@pytest.mark.parametrize('options, error', [
    ({'duration': 0.0}, ParameterError), ({'duration': float('inf')}, ParameterError),
    ({'duration': float('nan')}, ParameterError), ({'control_period': 1.5e-3}, ParameterError),
    ({'control_period': 1e-4}, ParameterError), ({'control_period': 0.0}, ParameterError),
    ({'duration': 'long'}, ParameterError), ({'control_period': 'slow'}, ParameterError),
    ({'law': 3}, ParameterError), ({'plant': {'stops': False}}, ParameterError),
    ({'method': ['rk4']}, ParameterError),
    ({'method': 'magic'}, ParameterError), ({'trajectory': Trajectory([0], [[1.0]])}, ShapeError),
])
def test_an_impossible_run_is_refused(arm, options, error):
    with pytest.raises(error):
        simulate(arm, **{'duration': 1.0, **options})


def test_an_arm_that_moves_no_inertia_is_refused_by_the_joints_name():
    for massless in (tl.TwoLinkArm(m2=0.0, I2=0.0), tl.TwoLinkArm(m2=0.0, I2=0.0, fc2=1.0)):
        with pytest.raises(tl.SingularMassMatrixError, match='joint2'):
            simulate(massless, 0.1)


def test_many_joints_run_as_two_do():
    three = tl.load_arm(three_joints())
    run = simulate(three, 1.0, q0=[0.1, 0.2, 0.3])
    assert np.ptp(run.energy) < 1e-7 * np.ptp(three.potential_energy(run.q))
