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

"""Actuators, sensors, and plants that are not as their model says."""

import math

from arms import LIMITED
import numpy as np
import pytest
import twolink_dynamics as tl
from twolink_dynamics.errors import NonFiniteError, ParameterError, ShapeError
from twolink_dynamics.simulation import Payload, Plant, PlantOptions, simulate
from twolink_dynamics.simulation.actuators import Actuators
from twolink_dynamics.simulation.sensors import Sensors

INF = (math.inf, math.inf)


def test_the_lag_is_the_mean_of_an_exponential_over_each_step():
    dt, T = 2e-3, 0.05
    actuators = Actuators(dt, INF, lag=T)
    applied = np.array([actuators.applied((1.0, -2.0)) for _ in range(100)])
    edges = 1.0 - np.exp(-np.arange(101) * dt / T)
    means = 1.0 - T / dt * -np.diff(np.exp(-np.arange(101) * dt / T))
    np.testing.assert_allclose(applied, np.outer(means, (1.0, -2.0)), rtol=1e-12)
    assert (applied[:, 0] > edges[:-1]).all() and (applied[:, 0] < edges[1:]).all()


def test_a_lag_far_below_the_step_is_none_and_one_far_above_lets_nothing_through():
    quick = Actuators(1e-3, INF, lag=1e-9).applied((1.0, 1.0))
    assert quick == pytest.approx((1.0, 1.0), abs=2e-6)
    slow = Actuators(1e-3, INF, lag=1e9).applied((1.0, 1.0))
    assert slow == pytest.approx((0.5e-12, 0.5e-12), rel=1e-6)


def test_a_command_acts_after_its_delay():
    actuators = Actuators(1e-3, INF, delay=3e-3)
    applied = [actuators.applied((float(k), 0.0))[0] for k in range(1, 8)]
    assert applied == [0.0, 0.0, 0.0, 1.0, 2.0, 3.0, 4.0]
    actuators.reset()
    assert actuators.applied((9.0, 0.0)) == [0.0, 0.0]


def test_saturation_comes_first_and_is_told():
    actuators = Actuators(1e-3, (5.0, math.inf), lag=0.1)
    actuators.applied((100.0, 100.0))
    assert actuators.saturated
    actuators.applied((5.0, 100.0))
    assert not actuators.saturated
    limited = Actuators(1e-3, (5.0, math.inf))
    assert limited.applied((-100.0, 100.0)) == [-5.0, 100.0]


def test_a_law_hears_that_its_efforts_saturate():
    arm = tl.load_arm(LIMITED)

    class Greedy:
        """A law that notes what it is told."""

        saturated, told = None, []

        def effort(self, t, q, qd, desired):
            self.told.append(self.saturated)
            return (1e6, 0.0) if t < 5e-3 else (0.0, 0.0)

        def reset(self):
            pass

    law = Greedy()
    simulate(arm, 1e-2, q0=(0.0, 1.0), law=law)
    assert law.told == [None, *[True] * 5, *[False] * 4]


def test_noise_is_what_was_asked_and_repeats_with_its_seed():
    options = PlantOptions(position_noise=(1e-3, 0.0), velocity_noise=0.02)
    sensors = Sensors(2, 1e-3, options, seed=3)
    rows = np.array([sensors.measure((1.0, 2.0), (0.0, 0.0)) for _ in range(4000)])
    assert (rows[:, 0, 1] == 2.0).all()
    # The standard deviation of 4000 samples is known to 1 / sqrt(8000) = 1.1 %; four times that.
    assert rows[:, 0, 0].std() == pytest.approx(1e-3, rel=0.045)
    assert rows[:, 1].std() == pytest.approx(0.02, rel=0.045)
    assert abs(rows[:, 0, 0].mean() - 1.0) < 4.0 * 1e-3 / math.sqrt(4000)
    sensors.reset()
    assert (np.array([sensors.measure((1.0, 2.0), (0.0, 0.0)) for _ in range(4000)]) == rows).all()
    other = Sensors(2, 1e-3, options, seed=4)
    assert (np.array(other.measure((1.0, 2.0), (0.0, 0.0))) != rows[0]).any()


def test_an_encoder_knows_multiples_of_its_resolution():
    sensors = Sensors(2, 1e-3, PlantOptions(encoder_resolution=(0.1, 0.0)))
    assert sensors.measure((0.26, 0.26), (1.0, 1.0)) == ([pytest.approx(0.3), 0.26], (1.0, 1.0))


def test_a_differentiated_velocity_is_made_of_encoder_steps():
    sensors = Sensors(1, 1e-3, PlantOptions(encoder_resolution=1e-3, differentiate=True))
    velocities = [sensors.measure((0.4e-3 * k,), (0.4,))[1][0] for k in range(11)]
    assert velocities[0] == 0.0
    assert set(np.round(velocities, 9)) == {0.0, 1.0}
    assert np.mean(velocities[1:]) == pytest.approx(0.4)


def test_a_low_pass_follows_in_first_order():
    sensors = Sensors(1, 1e-3, PlantOptions(velocity_filter=0.01))
    sensors.measure((0.0,), (0.0,))
    seen = [sensors.measure((0.0,), (1.0,))[1][0] for _ in range(20)]
    np.testing.assert_allclose(seen, 1.0 - np.exp(-np.arange(1, 21) * 0.1), rtol=1e-12)


def test_the_law_sees_what_is_measured_and_the_result_has_both():
    arm = tl.TwoLinkArm()
    seen = []

    class Watching:
        """A law that notes what it sees."""

        def effort(self, t, q, qd, desired):
            seen.append([*q, *qd])
            return (0.0, 0.0)

        def reset(self):
            pass

    options = PlantOptions(position_noise=1e-3, encoder_resolution=1e-4)
    run = simulate(arm, 0.05, law=Watching(), plant=options, q0=(0.3, 0.5), seed=5)
    assert (np.hstack(run.measured)[:-1] == seen).all()
    np.testing.assert_allclose(run.measured[0] / 1e-4, np.round(run.measured[0] / 1e-4), atol=1e-6)
    assert 1e-4 < (run.measured[0] - run.q).std() < 3e-3
    free = simulate(arm, 0.05, q0=(0.3, 0.5))
    assert (run.q == free.q).all() and free.measured is None
    same, other = (simulate(arm, 0.05, plant=options, q0=(0.3, 0.5), seed=seed) for seed in (5, 6))
    assert (same.measured[0] == run.measured[0]).all()
    assert (other.measured[0] != run.measured[0]).any()


def test_a_plant_may_differ_from_its_model_by_factors():
    model = tl.load_arm(LIMITED)
    plant = Plant(model, options=PlantOptions(
        mass_factor=(1.2, 0.9), damping_factor=2.0, friction_factor=(0.5, 1.0), armature=0.01))
    masses = [link.mass for link in plant.arm.chain.links]
    assert masses == pytest.approx([2.4, 0.9], rel=1e-14)
    assert [j.damping for j in plant.arm.chain.joints] == [1.0, 0.6]
    assert [j.friction for j in plant.arm.chain.joints] == [0.1, 0.1]
    twice = Plant(model, options=PlantOptions(mass_factor=2.0)).arm
    q = [0.3, 0.5]
    # The same shape of twice the density: M and G are twice what they were.
    np.testing.assert_allclose(twice.mass_matrix(q), 2.0 * model.mass_matrix(q), rtol=1e-13)
    geared = Plant(model, options=PlantOptions(armature=(0.5, 0.25))).arm
    np.testing.assert_allclose(geared.mass_matrix(q), model.mass_matrix(q) + np.diag([0.5, 0.25]),
                               rtol=1e-13)


def test_a_plant_may_be_another_arm_than_its_model():
    model, truth = tl.TwoLinkArm(), tl.TwoLinkArm(m2=2.0, l2=1.3)
    law = tl.ComputedTorque(model)
    run = simulate(model, 1.0, law=law, q0=(0.3, 0.5), plant=PlantOptions(arm=truth))
    direct = simulate(truth, 1.0, law=law, q0=(0.3, 0.5))
    assert (run.q == direct.q).all()
    assert np.abs(run.error[-1]).max() > 0.01
    np.testing.assert_allclose(run.energy, direct.energy)


@pytest.mark.parametrize('options, error, name', [
    ({'command_delay': 1.5e-3}, ParameterError, 'command_delay'),
    ({'command_delay': -1e-3}, ParameterError, 'command_delay'),
    ({'command_delay': math.nan}, ParameterError, 'command_delay'),
    ({'actuator_lag': -1.0}, ParameterError, 'actuator_lag'),
    ({'actuator_lag': (0.1, 0.1, 0.1)}, ShapeError, 'actuator_lag'),
    ({'position_noise': math.inf}, NonFiniteError, 'position_noise'),
    ({'velocity_filter': -1.0}, ParameterError, 'velocity_filter'),
    ({'mass_factor': -1.0}, ParameterError, 'mass_factor'),
    ({'mass_factor': 'heavy'}, ParameterError, 'mass_factor'),
    ({'armature': (1.0, 1.0, 1.0)}, ShapeError, 'armature'),
    ({'tip_wrench': (1.0, 2.0)}, ParameterError, 'wrench'),
    ({'tip_wrench': lambda t: (math.nan,) * 6}, NonFiniteError, 'wrench'),
    ({'payloads': (Payload(1.0, start=2.0, end=1.0),)}, ParameterError, 'payloads'),
    ({'payloads': (1.0,)}, ParameterError, 'payloads'),
    ({'arm': 'other'}, ParameterError, 'plant.arm'),
    ({'restitution': 'high'}, ParameterError, 'restitution'),
    ({'velocity_filter': 'low'}, ParameterError, 'velocity_filter'),
])
def test_an_impossible_option_is_refused_by_its_name(options, error, name):
    with pytest.raises(error, match=name):
        simulate(tl.TwoLinkArm(), 3e-3, plant=PlantOptions(**options))


def test_a_reset_repeats_noise_lag_and_load_to_the_last_bit():
    options = PlantOptions(position_noise=1e-3, actuator_lag=0.01, command_delay=2e-3, ledger=True)
    plant = Plant(tl.TwoLinkArm(fc1=0.1), q0=(0.3, 0.5), options=options, seed=2)
    runs = []
    for _ in range(2):
        for k in range(60):
            if k == 20:
                plant.pick_up(1.0)
            plant.step((1.0, -0.5))
        runs.append((list(plant.q), list(plant.qd), plant.measured, plant.ledger.row()))
        plant.reset()
        assert plant.arm.chain.links[-1].mass == 1.0
    assert runs[0] == runs[1]
