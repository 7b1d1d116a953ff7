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

"""Inverse kinematics reaches what random arms with limits reach, joints on their stops or not."""

from chains import limited_arm, random_segments, urdf_of
import numpy as np
import pytest

import twolink_dynamics as tl

TARGETS, ARMS, SAMPLE = 100, 200, 4


def assert_every_target_is_reached(seed):
    """Assert it for positions and poses, a third of them with half of the joints on stops."""
    rng = np.random.default_rng(seed)
    arm, draw = limited_arm(rng, int(rng.integers(2, 8)))
    lower, upper = np.asarray(arm.limits.lower), np.asarray(arm.limits.upper)
    for k, (q, start) in enumerate(zip(draw(TARGETS), draw(TARGETS))):
        if k % 3 == 0:
            stop = np.where(rng.random(arm.n) < 0.5, lower, upper)
            q = np.where((rng.random(arm.n) < 0.5) & np.isfinite(stop), stop, q)
        pose = arm.tip_pose(q)
        result = arm.inverse_kinematics(pose if k % 2 else pose[:3, 3], q0=start)
        assert result.success, (seed, k, result.reason)
        assert (lower <= result.q).all() and (result.q <= upper).all()
        np.testing.assert_allclose(arm.tip_pose(result.q)[:3, 3], pose[:3, 3], atol=1e-8)


@pytest.mark.parametrize('seed', range(SAMPLE))
def test_random_arms_reach_every_target_within_their_limits(seed):
    assert_every_target_is_reached(seed)


def test_a_target_on_stops_is_reached_that_few_starts_lead_to():
    # The nearest minimum is 0.4 mm away; of the 1900 starts that bring the tip nearest 15 lead to
    # the target, the first of them after 300 others.
    rng = np.random.default_rng([21, 7])
    arm = tl.load_arm(urdf_of(random_segments(rng, int(rng.integers(2, 8))))).with_parameters(
        lower=[-np.inf, -2.1276, -2.2804, -0.1695, -np.inf, -0.1555, -np.inf],
        upper=[np.inf, 2.6738, 2.3229, 0.4155, np.inf, 0.267, np.inf])
    pose = arm.tip_pose([-3.1416, -2.1276, -2.2804, -0.0548, 1.7717, -0.0537, -1.8555])
    start = [0.5492, 0.8009, 1.0537, 0.2664, -2.375, -0.1376, 0.6836]
    assert arm.inverse_kinematics(pose, q0=start)


@pytest.mark.slow
@pytest.mark.parametrize('seed', range(SAMPLE, ARMS))
def test_two_hundred_arms_reach_twenty_thousand_targets_within_their_limits(seed):
    assert_every_target_is_reached(seed)
