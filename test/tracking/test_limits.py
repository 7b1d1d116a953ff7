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

"""Efforts within limits and rates, springs before limits, speeds that are told."""

from arms import LIMITED
from hypothesis import given, settings, strategies as st
import numpy as np
import pytest

import twolink_dynamics as tl
from twolink_dynamics.control import ComputedTorque
from twolink_dynamics.errors import ParameterError, ShapeError
from twolink_dynamics.simulation import simulate
from twolink_dynamics.tracking import clamp_effort, EffortLimiter, SoftPositionLimits, \
    VelocityMonitor
from twolink_dynamics.trajectory import Trajectory

INF = float('inf')
finite = st.floats(-1e6, 1e6)


@given(st.lists(st.tuples(finite, finite), min_size=1, max_size=30),
       st.lists(st.floats(-0.01, 0.05), min_size=30, max_size=30))
@settings(derandomize=True, deadline=None, max_examples=100)
def test_what_leaves_is_within_limit_and_rate_whatever_comes(rows, steps):
    limiter = EffortLimiter((10.0, INF), rate=(100.0, 50.0))
    t, before = 0.0, None
    for row, dt in zip(rows, steps):
        t += dt
        tau = limiter.apply(t, row)
        assert abs(tau[0]) <= 10.0
        if before is not None:
            change = np.abs(np.subtract(tau, before))
            # The sum before + rate dt is rounded, by eps of numbers below 1e6.
            assert (change <= np.multiply((100.0, 50.0), max(dt, 0.0)) * (1 + 1e-9) + 1e-9).all()
        assert limiter.saturated == tuple(a != b for a, b in zip(tau, row))
        before = tau


def test_a_rate_limit_starts_from_what_is_applied():
    limiter = EffortLimiter((10.0,), rate=100.0)
    assert limiter.apply(0.0, [8.0]) == [8.0]
    limiter.reset(1.0, [2.0])
    assert limiter.apply(1.015625, [8.0]) == [3.5625] and limiter.saturated == (True,)
    assert limiter.apply(1.03125, [3.5]) == [3.5] and limiter.saturated == (False,)
    assert limiter.apply(0.5, [8.0]) == [3.5]


def test_without_a_rate_it_is_the_clamp():
    limiter = EffortLimiter((10.0, 1.0))
    assert limiter.apply(0.0, (-30.0, 0.5)) == clamp_effort((-30.0, 0.5), (10.0, 1.0))[0]
    assert limiter.saturated == (True, False)


@pytest.mark.parametrize('rate, error', [
    (0.0, ParameterError), ((1.0, -1.0), ParameterError), ((1.0, 1.0, 1.0), ShapeError)])
def test_an_impossible_rate_is_refused(rate, error):
    with pytest.raises(error):
        EffortLimiter((10.0, 10.0), rate)


def test_soft_limits_push_back_only_beyond_them_and_never_outwards():
    arm = tl.load_arm(LIMITED)      # shoulder -0.5 to 1.0, elbow 0.1 to 2.5
    soft = SoftPositionLimits(arm, margin=(0.1, 0.05))
    assert soft.effort((0.0, 1.0), (9.0, -9.0)) == [0.0, 0.0] and soft.active == ()
    tau = soft.effort((0.95, 0.12), (0.0, 0.0))
    assert tau[0] < 0.0 < tau[1] and soft.active == ('shoulder', 'elbow')
    assert soft.effort((0.95, 1.0), (-50.0, 0.0)) == [0.0, 0.0]   # on its way back already
    np.testing.assert_allclose((soft.lower, soft.upper), ((-0.4, 0.15), (0.9, 2.45)))


def test_a_joint_thrown_at_its_limit_comes_back_before_it():
    arm = tl.load_arm(LIMITED)
    soft = SoftPositionLimits(arm, margin=0.1, natural_frequency=60.0)
    law = ComputedTorque(arm, kp=0.0, kd=0.0)

    class Guarded:
        def reset(self):
            law.reset()

        def effort(self, t, q, qd, desired):
            return [a + b for a, b in zip(law.effort(t, q, qd, desired), soft.effort(q, qd))]

    run = simulate(arm.with_parameters(effort=1e3), 0.6, q0=[0.7, 1.2], qd0=[1.8, 0.0],
                   law=Guarded(), trajectory=Trajectory([0.0], [[0.7, 1.2]]))
    # Critically damped with 60 rad/s, 1.8 rad/s goes 1.8 / (60 e) = 0.011 rad in.
    assert 0.9 < run.q[:, 0].max() < 0.93
    assert run.q[-1, 0] < 0.93


def test_a_continuous_joint_has_no_soft_limits():
    assert SoftPositionLimits(tl.TwoLinkArm()).effort((1e6, -1e6), (0.0, 0.0)) == [0.0, 0.0]


def test_a_range_smaller_than_its_margins_is_held_in_the_middle():
    soft = SoftPositionLimits(tl.load_arm(LIMITED), margin=5.0)
    assert soft.lower == soft.upper == pytest.approx((0.25, 1.3))


def test_speed_is_told_after_a_moment_and_with_its_joint():
    monitor = VelocityMonitor(('a', 'b'), (1.0, INF), factor=1.5, patience=0.01)
    assert monitor.check(0.0, (1.6, 1e9)) is None
    assert monitor.check(0.005, (1.4, 0.0)) is None     # one noisy measurement
    assert monitor.check(0.010, (-1.6, 0.0)) is None
    assert monitor.check(0.019, (-1.6, 0.0)) is None
    assert 'joint "a" moves at -1.6, faster than 1.5' in monitor.check(0.02, (-1.6, 0.0))
