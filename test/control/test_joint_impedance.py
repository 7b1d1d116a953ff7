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

"""Joint impedance: what the surroundings feel is what was set."""

import numpy as np
import pytest

import twolink_dynamics as tl
from twolink_dynamics.control import JointImpedance
from twolink_dynamics.errors import ParameterError, ShapeError
from twolink_dynamics.simulation import PlantOptions, simulate
from twolink_dynamics.trajectory import Trajectory

STIFFNESS = (200.0, 80.0)


@pytest.mark.parametrize('wrench', [(10.0, -20.0, 0.0, 0.0, 0.0, 0.0), (0, 0, 0, 0, 0, 5.0)])
def test_a_wrench_moves_the_arm_by_its_effort_over_the_stiffness(wrench):
    arm = tl.TwoLinkArm()
    q_d = np.array([0.3, 1.1])
    law = JointImpedance(arm, stiffness=STIFFNESS)
    run = simulate(arm, 4.0, law=law, trajectory=Trajectory([0.0], [q_d]),
                   plant=PlantOptions(tip_wrench=wrench))
    pushed = arm.jacobian(run.q[-1]).T @ wrench
    assert np.abs(pushed).max() > 1.0
    np.testing.assert_allclose(STIFFNESS * (run.q[-1] - q_d), pushed, rtol=1e-6, atol=1e-6)


def test_the_effort_is_its_formula():
    arm = tl.TwoLinkArm()
    q, qd, q_d, qd_d, qdd_d = np.random.default_rng(2).normal(size=(5, 2))
    law = JointImpedance(arm, stiffness=STIFFNESS, damping=(30.0, 10.0))
    expected = (arm.mass_matrix(q) @ qdd_d + arm.coriolis_matrix(q, qd) @ qd_d
                + arm.gravity_vector(q) + STIFFNESS * (q_d - q) + (30.0, 10.0) * (qd_d - qd))
    np.testing.assert_allclose(law.effort(0.0, *map(list, (q, qd)), (q_d, qd_d, qdd_d)), expected,
                               rtol=1e-12)


def test_the_energy_of_spring_and_arm_never_grows():
    arm = tl.TwoLinkArm(gravity=(0.0, 0.0))
    law = JointImpedance(arm, stiffness=STIFFNESS, damping=10.0)
    run = simulate(arm, 3.0, q0=[0.5, -0.7], law=law, trajectory=Trajectory([0.0], [[0.0, 0.0]]))
    E = arm.kinetic_energy(run.q, run.qd) + 0.5 * (run.q ** 2) @ STIFFNESS
    # A held spring gives back h/2 K e per step more than it took: the damper takes more.
    assert (np.diff(E) < 0.02).all() and E[-1] < 0.01 * E[0]


def test_damping_follows_the_stiffness_unless_given_and_both_are_live():
    law = JointImpedance(tl.TwoLinkArm(), stiffness=STIFFNESS)
    J = np.array(law.inertia)
    np.testing.assert_allclose(law.damping, 2.0 * np.sqrt(STIFFNESS * J))
    law.set_gains(stiffness=50.0, damping_ratio=0.5)
    assert law.stiffness == (50.0, 50.0)
    np.testing.assert_allclose(law.damping, np.sqrt(50.0 * J))
    law.set_gains(damping=3.0)
    assert (law.stiffness, law.damping) == ((50.0, 50.0), (3.0, 3.0))


def test_without_a_stiffness_the_gains_say_it():
    law = JointImpedance(tl.TwoLinkArm(), natural_frequency=10.0)
    np.testing.assert_allclose(law.stiffness, np.multiply(100.0, law.inertia))


@pytest.mark.parametrize('options, error', [
    ({'stiffness': -1.0}, ParameterError), ({'damping': [1, 2, 3]}, ShapeError)])
def test_impossible_springs_are_refused_and_change_nothing(options, error):
    law = JointImpedance(tl.TwoLinkArm(), stiffness=STIFFNESS)
    with pytest.raises(error):
        law.set_gains(**options)
    with pytest.raises(ParameterError):
        law.set_gains(stiffness=1.0, kp=-1.0)
    assert law.stiffness == STIFFNESS
