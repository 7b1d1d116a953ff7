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
The simulated arm: its clock, its brake, its pause, and its waiting for an answer.

No ROS is needed here.

"""

import threading

import numpy as np
import pytest

import twolink_dynamics as tl
from twolink_dynamics.errors import ParameterError
from twolink_dynamics.simulation.plant import Plant, PlantOptions
from twolink_dynamics.simulation.simulated_robot import SimulatedRobot

SECOND = 1000000000


def test_stamps_are_equidistant_to_the_nanosecond(arm):
    sim = SimulatedRobot(arm, rate=1000.0, brake=False)
    stamps = [sim.ns]
    for _ in range(100):
        assert sim.step()
        stamps.append(sim.ns)
    assert stamps == [SECOND + 1000000 * k for k in range(101)]


def test_the_brake_holds_the_arm_until_the_first_effort_while_time_goes_on(arm):
    sim = SimulatedRobot(arm, initial_position=(0.3, -0.2))
    for _ in range(500):
        sim.step()
    assert tuple(sim.q) == (0.3, -0.2)
    assert sim.ns == SECOND + 500 * 1000000
    sim.command((0.0, 0.0))
    sim.step()
    assert tuple(sim.q) != (0.3, -0.2)


def test_an_arm_that_starts_in_motion_is_not_braked(arm):
    sim = SimulatedRobot(arm, initial_velocity=(1.0, 0.0))
    sim.step()
    # One millisecond at 1 rad/s; gravity and friction change the speed by less than 5 % in it.
    assert sim.q[0] == pytest.approx(1e-3, rel=0.05)


@pytest.mark.parametrize('options', [
    PlantOptions(),
    PlantOptions(effort_limits=False, stops=False, friction=(0.5, 0.2), method='rk8'),
    PlantOptions(actuator_lag=0.02, command_delay=0.003, position_noise=1e-3, velocity_noise=0.1,
                 encoder_resolution=1e-4, differentiate=True, velocity_filter=0.01,
                 mass_factor=1.2, friction_factor=0.5, restitution=0.5)])
def test_released_it_moves_and_is_measured_exactly_as_the_plant(arm, options):
    sim = SimulatedRobot(arm, initial_position=(0.3, -0.2), brake=False, options=options, seed=4)
    plant = Plant(arm, 1e-3, (0.3, -0.2), options=options, seed=4)
    for run in range(2):
        for k in range(300):
            tau = (2.0 + k, -1.0)           # beyond the limits, in the end
            sim.command(tau)
            sim.step()
            plant.step(tau)
            assert tuple(sim.q) == tuple(plant.q)
            assert tuple(sim.qd) == tuple(plant.qd)
            assert tuple(sim.tau) == tuple(plant.tau)
            assert [*map(tuple, sim.measured)] == [*map(tuple, plant.measured)]
        sim.reset()
        plant.reset()


def test_efforts_are_limited_and_that_is_counted(arm):
    sim = SimulatedRobot(arm)
    limit = [float(x) for x in arm.limits.effort]
    sim.command((2.0 * limit[0], 0.0))
    sim.step()
    assert list(sim.tau) == [limit[0], 0.0]
    sim.command((0.0, 0.0))
    sim.step()
    assert sim.saturated_steps == 1


def test_a_push_at_the_tip_adds_to_the_effort_and_is_not_limited(arm):
    q = (0.4, 0.8)
    push = (30.0, 0.0, -400.0, 0.0, 5.0, 0.0)
    pushed = SimulatedRobot(arm, initial_position=q, brake=False)
    same = Plant(arm, 1e-3, q)
    same.push(push)
    pushed.push(push)
    for _ in range(2):
        pushed.step()
        same.step((0.0, 0.0))
        assert tuple(pushed.qd) == tuple(same.qd)
        assert list(pushed.tau) == [0.0, 0.0]
        pushed.push(None)
        same.push(None)
    limits = [float(x) for x in arm.limits.effort]
    assert (np.abs(arm.jacobian(q).T @ push) > limits).any()


def test_a_reset_goes_back_to_the_start_but_not_in_time(arm):
    sim = SimulatedRobot(arm, initial_position=(0.3, -0.2))
    sim.command((5.0, 5.0))
    for _ in range(10):
        sim.step()
    before = sim.ns
    sim.reset()
    assert tuple(sim.q) == (0.3, -0.2)
    assert sim.braked
    assert sim.ns == before + 1000000


def test_a_reset_of_the_clock_starts_time_anew(arm):
    sim = SimulatedRobot(arm)
    sim.step()
    sim.reset(clock=True)
    assert sim.ns == SECOND


def test_only_the_first_answer_to_the_present_state_is_used(arm):
    sim = SimulatedRobot(arm, lockstep=True)
    assert not sim.answer(sim.ns - 1, (1.0, 1.0))
    assert not sim.answered
    assert sim.answer(sim.ns, (1.0, 1.0))
    assert not sim.answer(sim.ns, (9.0, 9.0))
    sim.step()
    assert list(sim.tau) == [1.0, 1.0]
    assert not sim.answered


def test_waiting_ends_with_the_answer_or_with_patience(arm):
    sim = SimulatedRobot(arm, lockstep=True)
    assert not sim.await_answer(0.01)
    thread = threading.Thread(target=sim.answer, args=(sim.ns, (0.0, 0.0)))
    thread.start()
    assert sim.await_answer(60.0)
    thread.join()


def test_an_answer_from_before_a_reset_is_no_answer_to_the_state_after_it(arm):
    sim = SimulatedRobot(arm, lockstep=True)
    old = sim.ns
    assert sim.answer(old, (1.0, 1.0))
    sim.reset()
    assert not sim.await_answer(0.01)
    assert not sim.answer(old, (1.0, 1.0))
    assert sim.answer(sim.ns, (0.0, 0.0))
    assert sim.await_answer(0.01)


def test_a_simulation_that_diverges_stops_at_a_finite_state_until_a_reset():
    arm = tl.TwoLinkArm(m1=1e-9, m2=1e-9, I1=1e-12, I2=1e-12)      # no effort limits
    sim = SimulatedRobot(arm)
    sim.command((1e9, -1e9))
    steps = 0
    while sim.step():
        steps += 1
        assert steps < 1000
    assert 'diverged' in sim.diverged
    assert sim.paused
    assert all(abs(x) < 1e12 for x in (*sim.q, *sim.qd))
    assert not sim.step()
    sim.reset()
    assert not sim.paused
    assert sim.step()


@pytest.mark.parametrize('arguments, name', [
    ({'initial_position': (0.0,)}, 'initial_position'),
    ({'initial_velocity': (0.0, 0.0, 0.0)}, 'initial_velocity'),
])
def test_a_start_of_a_wrong_length_is_refused_by_the_parameters_name(arm, arguments, name):
    with pytest.raises(ParameterError, match=f'{name}: expected 2 numbers, one per joint'):
        SimulatedRobot(arm, **arguments)
