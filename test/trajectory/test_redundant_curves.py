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

"""The tip of redundant arms follows curves by one joint motion, within every limit in between."""

from chains import random_segments, urdf_of
from corpus import corpus_file, corpus_names, needs_corpus
import numpy as np
import pytest

import twolink_dynamics as tl
from twolink_dynamics.errors import TrajectoryError
from twolink_dynamics.trajectory import circle, figure_of_eight, find_excess, line

CURVES = (circle, figure_of_eight, line)
ARMS = 200


def random_arm(seed):
    """Return an arm of four to seven joints with limits that it can hold itself within."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 8))
    kinds = ('revolute', 'revolute', 'continuous', 'prismatic')
    while True:
        segments = random_segments(rng, n, kinds=kinds)
        if sum(segment.type == 'prismatic' for segment in segments) < 3:
            break
    arm = tl.load_arm(urdf_of(segments))
    prismatic = np.array([kind == 'prismatic' for kind in arm.joint_types])
    free = np.array([kind == 'continuous' for kind in arm.joint_types])
    middle = np.where(prismatic, rng.uniform(-0.2, 0.2, n), rng.uniform(-1.5, 1.5, n))
    half = np.where(prismatic, rng.uniform(0.1, 0.4, n), rng.uniform(0.5, 3.0, n))
    lower, upper = (np.where(free, side * np.inf, middle + side * half) for side in (-1, 1))
    q = rng.uniform(np.where(free, -np.pi, lower), np.where(free, np.pi, upper), (500, n))
    heaviest = np.abs(arm.gravity_vector(q)).max(axis=0)
    return arm.with_parameters(
        lower=lower, upper=upper, velocity=rng.uniform(0.5, 3.0, n),
        effort=1.5 * heaviest + rng.uniform(1.0, 20.0, n), damping=0.1, friction=0.05)


def assert_follows(arm, motion):
    """Assert that a motion is one, and within the limits between its points, too."""
    assert find_excess(arm, motion) == []
    # Sixty-four times as many looks as the checks of the motion take.
    times = np.linspace(motion.start_time, motion.end_time, 5001)
    q, qd, qdd = motion.sample_many(times)
    h = times[1] - times[0]
    np.testing.assert_allclose(
        np.diff(q, axis=0), 0.5 * h * (qd[1:] + qd[:-1]), rtol=0.0,
        atol=1e-9 + 0.25 * h ** 2 * np.abs(np.diff(qdd, axis=0)).max())


@pytest.mark.parametrize('curve', CURVES)
@pytest.mark.parametrize('seed', range(4))
def test_random_redundant_arms_keep_to_every_limit_between_points(seed, curve):
    arm = random_arm(seed)
    assert_follows(arm, curve(arm))
