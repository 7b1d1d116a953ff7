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

from chains import limited_arm
from corpus import corpus_file, corpus_names, needs_corpus
import numpy as np
import pytest

import twolink_dynamics as tl
from twolink_dynamics.errors import ModelError, TrajectoryError
from twolink_dynamics.trajectory import circle, figure_of_eight, find_excess, line

CURVES = (circle, figure_of_eight, line)
ARMS, SAMPLE = 200, 2


def random_arm(seed):
    """Return an arm of four to seven joints with limits between which it can hold itself."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 8))
    arm, q = limited_arm(rng, n)
    heaviest = np.abs(arm.gravity_vector(q(500))).max(axis=0)
    return arm.with_parameters(
        velocity=rng.uniform(0.5, 3.0, n), effort=1.5 * heaviest + rng.uniform(1.0, 20.0, n),
        damping=0.1, friction=0.05)


def assert_one_motion_within_limits(arm, motion):
    """Assert that velocities are the positions' rates, and limits hold between points."""
    assert find_excess(arm, motion) == []
    times = np.linspace(motion.start_time, motion.end_time, 5001)
    q, qd, qdd = motion.sample_many(times)
    h = times[1] - times[0]
    # The trapezoidal rule is off by h^2 / 12 of the change of acceleration in a step.
    np.testing.assert_allclose(
        np.diff(q, axis=0), 0.5 * h * (qd[1:] + qd[:-1]), rtol=0.0,
        atol=1e-9 + 0.25 * h ** 2 * np.abs(np.diff(qdd, axis=0)).max())


def assert_motion_or_out_of_reach(arm, curve):
    """Assert that a curve is followed, or that a point of it is out of reach."""
    try:
        motion = curve(arm)
    except TrajectoryError as error:
        assert 'cannot reach' in str(error)
        return
    assert_one_motion_within_limits(arm, motion)


@pytest.mark.parametrize('curve', CURVES)
@pytest.mark.parametrize('seed', range(SAMPLE))
def test_random_redundant_arms_keep_to_every_limit_between_points(seed, curve):
    arm = random_arm(seed)
    assert_one_motion_within_limits(arm, curve(arm))


@pytest.mark.slow
@pytest.mark.parametrize('seed', range(SAMPLE, ARMS))
def test_two_hundred_redundant_arms_keep_to_every_limit_between_points(seed):
    arm = random_arm(seed)
    for curve in CURVES:
        assert_motion_or_out_of_reach(arm, curve)


@needs_corpus
@pytest.mark.slow
@pytest.mark.parametrize('name', corpus_names())
@pytest.mark.filterwarnings('ignore')
def test_real_redundant_arms_keep_to_every_limit_between_points(name):
    try:
        arm = tl.load_arm(corpus_file(name))
    except ModelError as error:
        pytest.skip(str(error))
    # A limit of zero is how some files say that they know none.
    if arm.n < 4 or not (arm.limits.velocity.all() and arm.limits.effort.all()):
        pytest.skip('no redundant arm with limits it can move within')
    for curve in CURVES:
        assert_motion_or_out_of_reach(arm, curve)


def test_the_tip_of_a_redundant_arm_is_on_its_line_between_points():
    arm = random_arm(2)
    motion = line(arm)
    times = np.linspace(motion.start_time, motion.end_time, 1501)
    tip = arm.tip_pose(motion.sample_many(times)[0])[:, :3, 3]
    way = tip[-1] - tip[0]
    u = times / motion.end_time
    # 1e-6 is the bound of the middles between the points, where a quintic is off the most.
    np.testing.assert_allclose(
        tip, tip[0] + (10 * u ** 3 - 15 * u ** 4 + 6 * u ** 5)[:, None] * way, atol=1e-6)


def test_a_redundant_arm_rests_at_both_ends():
    motion = circle(random_arm(2), cycles=2.0)
    for t in (motion.start_time, motion.end_time):
        assert not np.any(motion.sample(t)[1:])
