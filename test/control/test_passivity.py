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

"""Passivity-based and adaptive control: the energy shaped and what is learnt (theory.md C3)."""

from arms import three_joints
from chains import chain_of, random_segments
import numpy as np
import pytest

import twolink_dynamics as tl
from twolink_dynamics.control import Adaptive, make_law, Passivity
from twolink_dynamics.control.laws.passivity import reference_motion
from twolink_dynamics.dynamics.two_link_arm import arm_of_chain
from twolink_dynamics.errors import ParameterError
from twolink_dynamics.simulation import PlantOptions, simulate
from twolink_dynamics.trajectory import swing


def states(n, seed=0):
    """Return a state and a desired state."""
    return np.random.default_rng(seed).normal(size=(5, n)).tolist()


@pytest.mark.parametrize('make', [
    tl.TwoLinkArm, lambda: tl.load_arm(three_joints()),
    lambda: arm_of_chain(chain_of(random_segments(np.random.default_rng(4), 5), 0.3))])
def test_both_laws_are_their_formula_with_the_skew_coriolis_matrix(make):
    arm = make()
    q, qd, *desired = states(arm.n, 7)
    law = Passivity(arm, natural_frequency=8.0)
    qd_r, qdd_r = map(np.array, reference_motion(law.rates, q, qd, desired))
    s = np.array(qd) - qd_r
    expected = (arm.mass_matrix(q) @ qdd_r + arm.coriolis_matrix(q, qd) @ qd_r
                + arm.gravity_vector(q) - np.array(law.sliding_gain) * s)
    size = np.abs(expected).max()
    # Sums of some hundred products whose terms may be a few times the result.
    np.testing.assert_allclose(law.effort(0.0, q, qd, desired), expected, atol=1e-12 * size)
    tau = Adaptive(arm, natural_frequency=8.0).effort(0.0, q, qd, desired)
    np.testing.assert_allclose(tau, expected, atol=1e-11 * size)


def test_critical_gains_are_rates_and_their_product_is_kp():
    law = Passivity(tl.TwoLinkArm(), natural_frequency=10.0)
    assert law.rates == (10.0, 10.0)
    np.testing.assert_allclose(law.sliding_gain, np.multiply(10.0, law.inertia))
    law.set_gains(kp=100.0, kd=50.0)
    np.testing.assert_allclose(np.multiply(law.rates, law.sliding_gain),
                               np.multiply(100.0, law.inertia))


def test_the_shaped_energy_falls_by_what_the_gain_takes():
    arm = tl.TwoLinkArm()
    law = Passivity(arm, natural_frequency=6.0)
    motion = swing(arm, 0.8, period=1.0, cycles=2)
    run = simulate(arm, 1.0, dt=2e-4, q0=[0.4, -0.6], qd0=[1.0, -2.0], law=law, trajectory=motion)
    s = run.qd - (run.desired[1] + np.array(law.rates) * run.error)
    V = 0.5 * np.einsum('ti,tij,tj->t', s, arm.mass_matrix(run.q), s)
    lost = np.concatenate([[0.0], np.cumsum(
        0.5 * 2e-4 * ((s[1:] ** 2 + s[:-1] ** 2) @ law.sliding_gain))])
    assert V[0] > 1.0 and V[-1] < 1e-3 * V[0]
    # V + lost is constant, but for efforts held over h: h/2 times a rate of change of 100 / s at
    # the begin, 1 %.
    np.testing.assert_allclose(V + lost, V[0], rtol=0.01)


MISMATCH = PlantOptions(mass_factor=1.3, damping=(0.5, 0.3), friction=(0.5, 0.3))


def errors(law, arm, motion, plant=MISMATCH):
    """Return the root mean square of the error."""
    run = simulate(arm, motion.duration, dt=2e-3, law=law, trajectory=motion, plant=plant)
    return float(np.sqrt((run.error ** 2).mean()))


def test_under_mismatch_both_beat_independent_joints_and_adaptive_learns():
    arm = tl.TwoLinkArm()
    motion = swing(arm, 0.6, period=1.5, cycles=2)
    gains = {'natural_frequency': 10.0}
    baseline = errors(make_law('independent_pid', arm, **gains), arm, motion)
    assert errors(Passivity(arm, **gains), arm, motion) < 0.8 * baseline
    law = Adaptive(arm, **gains)
    repeated = [errors(law, arm, motion) for _ in range(3)]
    assert repeated[0] < 0.5 * baseline
    assert all(b < a for a, b in zip(repeated, repeated[1:]))
    assert repeated[-1] < 0.7 * repeated[0]
    law.forget()
    assert errors(law, arm, motion) == repeated[0]


def test_estimates_stay_within_bounds_and_masses_positive():
    arm = tl.TwoLinkArm()
    law = Adaptive(arm, natural_frequency=10.0, bound=0.2, adaptation=1e3)
    motion = swing(arm, 0.6, period=2.0, cycles=1)
    errors(law, arm, motion, PlantOptions(mass_factor=2.0))
    low, high = law.bounds
    p = law.estimates
    assert ((low <= p) & (p <= high)).all()
    assert (p == high).any()      # twice the mass is beyond: the bound is felt
    assert (low[[0, 10]] > 0.0).all() and (low[20:] == 0.0).all()
    # The arm keeps m and c, not m c: two roundings.
    np.testing.assert_allclose(law.estimated_arm().inertial_parameters, p[:20], rtol=1e-15,
                               atol=1e-15)


def test_learnt_efforts_are_those_of_the_true_arm():
    arm, motion = tl.TwoLinkArm(), None
    true = arm.with_parameters(1.3 * arm.inertial_parameters)
    law = Adaptive(arm, natural_frequency=10.0, adaptation=30.0)
    motion = swing(arm, 0.6, period=2.0, cycles=3)
    for _ in range(3):
        errors(law, arm, motion, PlantOptions(mass_factor=1.3))
    q, qd, qdd = motion.sample_many(np.linspace(1.0, 5.0, 50))
    learnt = law.estimated_arm().inverse_dynamics(q, qd, qdd)
    desired, first = true.inverse_dynamics(q, qd, qdd), arm.inverse_dynamics(q, qd, qdd)
    assert np.abs(learnt - desired).max() < 0.05 * np.abs(first - desired).max()


def test_adaptation_stands_still_in_saturation_and_over_gaps():
    arm = tl.TwoLinkArm()
    law = Adaptive(arm)
    q, qd, *desired = states(2, 1)
    law.effort(0.0, q, qd, desired)
    law.saturated = True
    law.effort(1e-3, q, qd, desired)
    law.saturated = False
    law.effort(5.0, q, qd, desired)
    law.effort(4.0, q, qd, desired)
    assert law.estimates.tolist() == Adaptive(arm).estimates.tolist()
    law.effort(4.001, q, qd, desired)
    assert law.estimates.tolist() != Adaptive(arm).estimates.tolist()
    learnt = law.estimates
    law.reset()
    assert law.estimates.tolist() == learnt.tolist()


@pytest.mark.parametrize('options', [{'adaptation': -1.0}, {'bound': float('nan')}])
def test_impossible_learning_is_refused(options):
    with pytest.raises(ParameterError):
        Adaptive(tl.TwoLinkArm(), **options)
