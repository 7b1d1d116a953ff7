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

"""Coulomb friction at rest: forward dynamics holds what it can, consistently, and only there."""

from chains import chain_of, random_segments
import numpy as np
import pytest
import twolink_dynamics as tl


def random_arm(rng, n):
    """Return a random arm whose joints have friction, and a position."""
    arm = tl.Arm(chain_of(random_segments(rng, n))).with_parameters(
        friction=rng.uniform(0.1, 2.0, n), damping=rng.uniform(0.0, 1.0, n))
    return arm, rng.uniform(-1.0, 1.0, n)


@pytest.mark.parametrize('seed', range(8))
def test_joints_at_rest_stick_or_slip_as_coulomb_says_all_at_once(seed):
    rng = np.random.default_rng(seed)
    arm, q = random_arm(rng, int(rng.integers(1, 5)))
    qd = np.where(rng.random(arm.n) < 0.6, 0.0, rng.normal(size=arm.n))
    tau = arm.bias(q, qd) + rng.uniform(-2.5, 2.5, arm.n)
    qdd = arm.forward_dynamics(q, qd, tau, friction=True)
    # What friction exerts, from the equation of motion alone.
    friction = tau - arm.inverse_dynamics(q, qd, qdd) - arm.damping * qd
    c = arm.coulomb_friction
    size = 1e-9 * (1.0 + np.abs(tau).max())
    still = qd == 0.0
    np.testing.assert_allclose(friction[~still], (c * np.sign(qd))[~still], atol=size)
    assert (np.abs(friction) <= c + size).all()
    slips = still & (qdd != 0.0)
    np.testing.assert_allclose(friction[slips], (c * np.sign(qdd))[slips], atol=size)


def test_below_breakaway_an_arm_at_rest_stays_and_just_above_it_moves():
    rng = np.random.default_rng(1)
    for n in (1, 3):
        arm, q = random_arm(rng, n)
        rest, c = np.zeros(n), arm.coulomb_friction
        hold = arm.gravity_vector(q)
        share = rng.uniform(-0.999, 0.999, (50, n))
        assert not arm.forward_dynamics(q, rest, hold + share * c, friction=True).any()
        for i in range(n):
            push = hold + np.eye(n)[i] * 1.001 * c[i]
            assert arm.forward_dynamics(q, rest, push, friction=True)[i] > 0.0
        assert arm.forward_dynamics(q, rest, hold + 0.5 * c).any()  # without friction it moves


def test_forward_undoes_inverse_dynamics_with_friction_where_no_joint_is_at_rest():
    rng = np.random.default_rng(2)
    arm, q = random_arm(rng, 4)
    qd, qdd = rng.uniform(0.1, 1.0, (30, 4)) * rng.choice([-1.0, 1.0], (30, 4)), rng.normal(
        size=(30, 4))
    tau = arm.inverse_dynamics(q, qd, qdd, friction=True)
    back = arm.forward_dynamics(q, qd, tau, friction=True)
    np.testing.assert_allclose(back, qdd, atol=1e-8 * np.abs(tau).max())


def test_many_states_are_held_as_each_is():
    rng = np.random.default_rng(4)
    arm, q = random_arm(rng, 3)
    qd = np.where(rng.random((2, 5, 3)) < 0.5, 0.0, 1.0)
    tau = arm.bias(q, qd) + rng.uniform(-2.0, 2.0, (2, 5, 3))
    out = np.empty((2, 5, 3))
    many = arm.forward_dynamics(q, qd, tau, friction=True, out=out)
    assert many is out
    for k in np.ndindex(2, 5):
        np.testing.assert_allclose(
            many[k], arm.forward_dynamics(q, qd[k], tau[k], friction=True), rtol=1e-9, atol=1e-9)
