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

"""Held efforts: what half a period costs, and what is left when the law reckons with it."""

import numpy as np
import pytest

import twolink_dynamics as tl
from twolink_dynamics.control import ComputedTorque, SampledComputedTorque
from twolink_dynamics.control.laws.sampled_computed_torque import sampled_gains
from twolink_dynamics.errors import ParameterError
from twolink_dynamics.simulation import simulate
from twolink_dynamics.trajectory import ahead, minimum_jerk, Trajectory

MOVE = minimum_jerk([0.0, 0.0], [1.0, 1.0], 1.0)


def rms(run):
    """Return the root mean square of the error of the worst joint."""
    return np.sqrt((run.error ** 2).mean(axis=0)).max()


def tracked(law_type, wn, trajectory=MOVE, h=1e-3):
    """Return how well a move is followed with the true model."""
    arm = tl.TwoLinkArm()
    options = {'period': h} if law_type is SampledComputedTorque else {}
    return rms(simulate(arm, 1.0, dt=h, trajectory=trajectory,
                        law=law_type(arm, natural_frequency=wn, **options)))


@pytest.mark.parametrize('gains', [(400.0, 40.0), (400.0, 8.0), (400.0, 100.0), (0.0, 5.0)])
def test_sampled_gains_give_the_held_loop_its_poles(gains):
    kp, kd = gains
    h = 0.01
    (p,), (d,) = sampled_gains([kp], [kd], h)
    held = np.array([[1.0 - 0.5 * h * h * p, h - 0.5 * h * h * d], [-h * p, 1.0 - h * d]])
    expected = np.exp(h * np.roots([1.0, kd, kp]))
    # A double root splits by the square root of a rounding: compare what does not split.
    assert np.trace(held) == pytest.approx(expected.sum().real, rel=1e-12)
    assert np.linalg.det(held) == pytest.approx(expected.prod().real, rel=1e-12)


def test_sampled_gains_of_a_short_period_are_the_gains():
    (p,), (d,) = sampled_gains([400.0], [40.0], 1e-5)
    # They differ by the order of wn h = 2e-4.
    assert p == pytest.approx(400.0, rel=1e-3) and d == pytest.approx(40.0, rel=1e-3)


@pytest.mark.parametrize('wn, allowed', [(20.0, 1e-6), (40.0, 5e-7)])
def test_a_second_of_minimum_jerk_at_1_khz(wn, allowed):
    # The targets of plain computed torque are 5e-5 at 20 rad/s and 1e-5 at 40: for joint 1 moved
    # 1 rad in 1 s with joint 2. What the half period costs falls with wn^2.
    plain = tracked(ComputedTorque, wn)
    assert plain < {20.0: 6e-5, 40.0: 1.6e-5}[wn]
    assert tracked(SampledComputedTorque, wn, ahead(MOVE, 0.5e-3)) < allowed < 0.05 * plain


def test_what_is_left_is_of_the_second_order_in_the_period():
    coarse, fine = (tracked(SampledComputedTorque, 20.0, ahead(MOVE, 0.5 * h), h)
                    for h in (4e-3, 2e-3))
    assert 3.5 < coarse / fine < 4.5
    coarse, fine = (tracked(ComputedTorque, 20.0, MOVE, h) for h in (4e-3, 2e-3))
    assert 1.7 < coarse / fine < 2.4


@pytest.mark.parametrize('zeta', [0.3, 1.0, 1.5])
def test_the_error_obeys_its_differential_equation_at_1_khz(zeta):
    arm, wn, q_d = tl.TwoLinkArm(), 10.0, [0.3, 0.7]
    law = SampledComputedTorque(arm, natural_frequency=wn, damping_ratio=zeta)
    e0 = np.array([0.1, -0.05])
    run = simulate(arm, 1.0, q0=q_d - e0, law=law, trajectory=Trajectory([0.0], [q_d]))
    s = np.roots([1.0, 2.0 * zeta * wn, wn * wn]).astype(complex)
    if zeta == 1.0:
        shape = (1.0 + wn * run.t) * np.exp(-wn * run.t)
    else:
        shape = ((s[1] * np.exp(s[0] * run.t) - s[0] * np.exp(s[1] * run.t))
                 / (s[1] - s[0])).real
    # The poles are exact; what the first step lacks is of the order (wn h)^2 = 1e-4, and the
    # model moves on within a period: together a thousandth of the 1e-4 that are needed.
    np.testing.assert_allclose(run.error, e0 * shape[:, None], atol=1e-5)


def test_sampling_ahead_halves_what_holding_costs_the_plain_law():
    # Without gravity it is the late acceleration that costs most, at the first joint.
    arm = tl.TwoLinkArm(gravity=(0.0, 0.0))
    costs = [np.sqrt((simulate(arm, 1.0, trajectory=trajectory,
                               law=ComputedTorque(arm, natural_frequency=20.0))
                      .error[:, 0] ** 2).mean()) for trajectory in (MOVE, ahead(MOVE, 0.5e-3))]
    assert costs[1] < 0.6 * costs[0]


def test_only_accelerations_are_of_later():
    view = ahead(MOVE, 0.1)
    q, qd, qdd = view.sample(0.3)
    assert (q, qd) == MOVE.sample(0.3)[:2] and qdd == MOVE.sample(0.4)[2]
    assert (view.duration, view.n, view.positions) == (MOVE.duration, 2, MOVE.positions)
    many = view.sample_many(np.array([0.3, 0.95]))
    np.testing.assert_allclose([row[0] for row in many], view.sample(0.3), rtol=1e-12)
    assert many[2][1].tolist() == [0.0, 0.0]  # after the end it rests
    assert view.sample_many([0.3])[2].tolist() == many[2][:1].tolist()


@pytest.mark.parametrize('lead', [-1e-3, float('nan'), float('inf')])
def test_a_lead_that_is_none_is_refused(lead):
    with pytest.raises(ParameterError, match='lead'):
        ahead(MOVE, lead)


@pytest.mark.parametrize('period', [0.0, -1e-3, float('inf'), float('nan')])
def test_a_period_that_is_none_is_refused(period):
    with pytest.raises(ParameterError, match='period'):
        SampledComputedTorque(tl.TwoLinkArm(), period=period)


def test_a_published_tracking_case_comes_out_to_its_digits():
    # F. L. Lewis et al., Robot Manipulator Control, example 4.4.1, as in test_laws.py: the error
    # is that of the differential equation, 0.1 pi t exp(-10 t) and 0.1 exp(-10 t)(1 + 10 t).
    points = tl.TwoLinkArm(m1=1, m2=1, l1=1, l2=1, lc1=1, lc2=1, I1=0, I2=0, gravity=(0, -9.8))
    t = np.linspace(0.0, 2.01, 805)
    s, c, w = 0.1 * np.sin(np.pi * t), 0.1 * np.cos(np.pi * t), np.pi
    desired = Trajectory(t, np.stack([s, c], 1), w * np.stack([c, -s], 1),
                         -w * w * np.stack([s, c], 1))
    law = SampledComputedTorque(points, 100.0, 20.0)
    run = simulate(points, 2.0, q0=[0.0, 0.0], law=law, trajectory=ahead(desired, 0.5e-3))
    decay = np.exp(-10.0 * run.t)
    np.testing.assert_allclose(run.error[:, 0], 0.1 * np.pi * run.t * decay, atol=2e-6)
    np.testing.assert_allclose(run.error[:, 1], 0.1 * (1.0 + 10.0 * run.t) * decay, atol=2e-6)
    peak = np.abs(run.error[:, 0]).argmax()
    assert run.t[peak] == pytest.approx(0.1, abs=1.5e-3)
    assert round(float(run.error[peak, 0]), 5) == 0.01156
