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

"""A motion keeps its joints, times and energies straight, wherever it comes from."""

from pathlib import Path

from arms import LIMITED
import numpy as np
import pytest

import twolink_dynamics as tl
from twolink_dynamics.plotting import balance
from twolink_dynamics.recordings import Motion
from twolink_dynamics.simulation import PlantOptions

URDF = Path(__file__).resolve().parents[2] / 'urdf' / 'twolink.urdf'


@pytest.fixture(scope='module')
def arm():
    return tl.load_arm(URDF)


@pytest.fixture(scope='module')
def swing(arm):
    """Return a controlled swing, with a ledger."""
    way = tl.trajectories.swing(arm, period=1.0)
    return tl.simulate(arm, 1.0, law=tl.ComputedTorque(arm), trajectory=way,
                       plant=PlantOptions(ledger=True))


def test_an_arm_takes_its_joints_by_name(arm, swing):
    own = Motion.of(swing)
    turned = Motion(own.t, ('joint2', 'other', 'joint1'),
                    np.column_stack([own.q[:, 1], own.t, own.q[:, 0]]), energy=own.energy)
    motion = turned.of_arm(arm)
    assert motion.joint_names == arm.joint_names and (motion.q == own.q).all()
    # The energy recorded was that of more joints than these.
    assert motion.energy is None
    with pytest.raises(tl.ParameterError, match='joint1'):
        Motion(own.t, ('a', 'b'), own.q).of_arm(arm)


def test_a_part_has_the_times_asked_for_and_works_from_its_start(swing):
    part = Motion.of(swing).between(0.25, 0.5)
    assert part.t[0] >= 0.25 and part.t[-1] <= 0.5 and len(part.t) == 251
    assert part.work['effort'][0] == 0.0
    energy, works, _ = balance(part)
    assert np.abs(energy - energy[0] - sum(works.values())).max() < 1e-9
    with pytest.raises(tl.ParameterError, match='two samples'):
        part.between(0.7, 0.9)


def test_a_ledger_explains_the_energy(swing):
    energy, works, kept = balance(Motion.of(swing))
    assert kept and set(works) == {'effort', 'viscous'}
    # RK4 at a millisecond, of an energy of 150 J.
    assert np.abs(energy - energy[0] - sum(works.values())).max() < 1e-9


@pytest.mark.parametrize('stride, bound', [(1, 2e-5), (4, 32e-5)])
def test_without_a_ledger_samples_explain_the_energy(arm, stride, bound):
    # The trapezoidal rule over samples four times as far apart is off by sixteen times as much.
    way = tl.trajectories.swing(arm, period=1.0)
    run = tl.simulate(arm, 1.0, law=tl.ComputedTorque(arm), trajectory=way,
                      control_period=4e-3)
    t, q, qd, tau = (rows[::stride] for rows in (run.t, run.q, run.qd, run.tau))
    motion = Motion(t, arm.joint_names, q, qd, tau, arm=arm, efforts_lead=True)
    energy, works, kept = balance(motion)
    assert not kept and set(works) == {'effort', 'viscous'}
    assert np.abs(energy - energy[0] - sum(works.values())).max() < bound


def test_efforts_of_joint_states_act_before_their_stamp(arm, swing):
    states = np.vstack([swing.tau[:1], swing.tau[:-1]])
    motion = Motion(swing.t, arm.joint_names, swing.q, swing.qd, states, arm=arm)
    led = Motion(swing.t, arm.joint_names, swing.q, swing.qd, swing.tau, arm=arm,
                 efforts_lead=True)
    assert (balance(motion)[1]['effort'] == balance(led)[1]['effort']).all()


def test_an_energy_nobody_knows_is_not_made_up(swing):
    with pytest.raises(tl.ParameterError, match='URDF'):
        balance(Motion(swing.t, ('joint1', 'joint2'), swing.q, swing.qd))


def test_velocities_not_recorded_are_differences(swing):
    motion = Motion(swing.t, ('joint1', 'joint2'), swing.q)
    # Central differences of a motion with third derivatives up to some 200 rad/s^3.
    assert np.abs(motion.velocity - swing.qd)[1:-1].max() < 200.0 * 1e-6


def test_impacts_are_those_of_the_joints_shown():
    arm = tl.load_arm(LIMITED)
    run = tl.simulate(arm, 1.0, q0=[0.0, 0.2])
    assert run.events
    motion = Motion.of(run)
    assert motion.impacts and {name for _, name in motion.impacts} <= set(arm.joint_names)
