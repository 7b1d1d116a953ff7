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

"""What a simulation is made of can be pickled and copied; a copy moves only itself."""

import copy
import pickle

from arms import LIMITED, three_joints
from hypothesis import given, settings, strategies as st
import numpy as np
import pytest
import twolink_dynamics as tl
from twolink_dynamics.simulation import BatchResult, Payload, Plant, PlantOptions, simulate, \
    simulate_batch, SimulationResult
from twolink_dynamics.simulation.energy import Ledger
from twolink_dynamics.simulation.simulated_robot import SimulatedRobot

ARMS = {'bare': tl.TwoLinkArm(b1=0.1), 'limited': tl.load_arm(LIMITED),
        'three': tl.load_arm(three_joints())}
WAYS = [copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing))]


def options():
    """Return a strategy of options of every kind."""
    return st.builds(
        PlantOptions, friction=st.sampled_from([None, 0.3]), stops=st.booleans(),
        effort_limits=st.booleans(), method=st.sampled_from(['rk4', 'rk8', 'semi_implicit']),
        restitution=st.sampled_from([0.0, 0.4]), actuator_lag=st.sampled_from([0.0, 0.01]),
        command_delay=st.sampled_from([0.0, 2e-3]), position_noise=st.sampled_from([0.0, 1e-3]),
        encoder_resolution=st.sampled_from([0.0, 1e-4]), differentiate=st.booleans(),
        velocity_filter=st.sampled_from([0.0, 0.01]), ledger=st.booleans(),
        mass_factor=st.sampled_from([1.0, 1.2]))


def state(plant):
    """Return all that can be seen of a plant."""
    ledger = None if plant.ledger is None else plant.ledger.row()
    return (plant.t, tuple(plant.q), tuple(plant.qd), tuple(plant.tau),
            *map(tuple, plant.measured), plant.energy, plant.saturated, ledger)


def drive(plant, steps):
    """Move a plant, with a push and a load on the way; return the states."""
    states = []
    for k in range(steps):
        if k == steps // 3:
            plant.push((1.0, 0.0, -2.0, 0.0, 0.1, 0.0))
        if k == steps // 2:
            plant.pick_up(0.4)
        plant.step([2.0 * np.sin(0.3 * k + i) for i in range(plant.n)])
        states.append(state(plant))
    return states


@settings(max_examples=40, deadline=None)
@given(arm=st.sampled_from(sorted(ARMS)), chosen=options(), before=st.integers(0, 40),
       seed=st.integers(0, 9), way=st.sampled_from(WAYS))
def test_a_copy_of_a_plant_goes_on_and_moves_only_itself(arm, chosen, before, seed, way):
    arm = ARMS[arm]
    plant = Plant(arm, q0=[0.3, 0.5, 0.1][:arm.n], options=chosen, seed=seed)
    drive(plant, before)
    other = way(plant)
    at_copy = state(plant)
    assert state(other) == at_copy
    moved = drive(other, 12)
    assert state(plant) == at_copy
    assert drive(plant, 12) == moved


@pytest.mark.parametrize('way', WAYS)
def test_nobody_listens_to_a_copy(way):
    plant, heard = Plant(ARMS['limited']), []
    plant.on_event = heard.append
    other = way(plant)
    other.pick_up(1.0)
    assert heard == []
    plant.pick_up(1.0)
    assert len(heard) == 1


@settings(max_examples=20, deadline=None)
@given(arm=st.sampled_from(sorted(ARMS)), chosen=options(), braked=st.booleans(),
       way=st.sampled_from(WAYS))
def test_a_copy_of_a_robot_goes_on_and_has_a_lock_of_its_own(arm, chosen, braked, way):
    arm = ARMS[arm]
    robot = SimulatedRobot(arm, initial_position=[0.3, 0.5, 0.1][:arm.n], options=chosen)

    def go(robot):
        rows = []
        for k in range(10):
            assert robot.step()
            rows.append((robot.ns, tuple(robot.q), *map(tuple, robot.measured), robot.braked))
        robot.carry((0.3,))
        return rows

    if not braked:
        robot.command([0.1 * k for k in range(arm.n)])
    go(robot)
    with robot.lock:
        other = way(robot)
    before = robot.ns, tuple(robot.q)
    moved = go(other)
    assert (robot.ns, tuple(robot.q)) == before
    assert go(robot) == moved
    assert other.lock is not robot.lock and not other.lock.locked()


@settings(max_examples=20, deadline=None)
@given(chosen=options(), way=st.sampled_from(WAYS))
def test_options_and_payloads_travel_and_compare(chosen, way):
    assert way(chosen) == chosen
    load = Payload(1.0, (0.1, 0.0, 0.0), start=0.5)
    assert way(load) == load


@pytest.mark.parametrize('way', WAYS)
def test_results_travel_and_a_copy_is_its_own(way):
    arm = ARMS['limited']
    truth = PlantOptions(ledger=True, position_noise=1e-3, payloads=(Payload(0.3, start=0.01),))
    run = simulate(arm, 0.05, q0=(0.3, 0.5), law=tl.ComputedTorque(arm), plant=truth)
    batch = simulate_batch([arm] * 2, 0.05, q0=(0.3, 0.5))
    for result, kind in ((run, SimulationResult), (batch, BatchResult)):
        other = way(result)
        assert isinstance(other, kind) and repr(other) == repr(result)
        for name in ('t', 'q', 'qd', 'tau'):
            assert (getattr(other, name) == getattr(result, name)).all()
        kept = result.q.copy()
        other.q[:] = 9.0
        assert (result.q == kept).all()
    again = way(run)
    assert again.events == run.events and (again.energy == run.energy).all()
    assert (again.energy_residual == run.energy_residual).all()
    assert again.joint_names == run.joint_names == batch.joint_names


@pytest.mark.parametrize('way', WAYS)
def test_a_ledger_travels(way):
    ledger = Ledger()
    ledger.add_way((1.0, 2.0), (0.0, -0.5), (0.0, 0.0), (0.1, 0.2))
    other = way(ledger)
    assert other.row() == ledger.row()
    other.reset()
    assert ledger.effort == 0.5 and other.effort == 0.0
