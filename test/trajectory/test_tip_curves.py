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

"""The tip follows lines and figures of eight, within the arm's limits, from rest to rest."""

from kinematic_arms import elbow_arm
import numpy as np
import pytest

import twolink_dynamics as tl
from twolink_dynamics.errors import ParameterError, ShapeError, TrajectoryError
from twolink_dynamics.trajectory import figure_of_eight, find_excess, line


def tips(arm, motion, samples=400):
    """Return the tip's positions along a motion."""
    t = np.linspace(motion.start_time, motion.end_time, samples)
    return t, arm.tip_pose(motion.sample_many(t)[0])[:, :3, 3]


@pytest.mark.parametrize('make', [tl.TwoLinkArm, elbow_arm])
def test_the_tip_goes_straight_at_minimum_jerk(make):
    arm = make()
    q0 = np.linspace(0.2, 1.4, arm.n)
    start = arm.tip_pose(q0)[:3, 3]
    goal = start - (0.15, 0.2, 0.0)
    motion = line(arm, goal, duration=2.0, q0=q0)
    t, p = tips(arm, motion)
    u = t / 2.0
    # Quintic segments of 1/30 s through the joints' motion: their sixth derivative over 46080.
    np.testing.assert_allclose(
        p, start + (10 * u ** 3 - 15 * u ** 4 + 6 * u ** 5)[:, None] * (goal - start), atol=1e-6)


def test_a_line_takes_longer_where_the_limits_need_it(limited):
    q0 = (0.2, 1.2)
    start = limited.tip_pose(q0)[:3, 3]
    motion = line(limited, start + (0.1, 0.0, 0.1), duration=0.05, q0=q0)
    assert motion.duration > 0.05 and find_excess(limited, motion) == []


def test_a_line_out_of_reach_or_through_the_base_is_refused():
    arm = tl.TwoLinkArm()
    with pytest.raises(TrajectoryError, match='line from .* stays'):
        line(arm, (2.5, 0.0, 0.0))
    unequal = tl.TwoLinkArm(l1=1.0, l2=0.8)     # a hole of 0.2 m around the base
    with pytest.raises(TrajectoryError, match='line'):
        line(unequal, (-1.0, 0.05, 0.0), start=(1.0, 0.05, 0.0), q0=(0.0, 1.5))


@pytest.mark.parametrize('options, error', [
    ({'goal': (1.0, 1.0)}, ShapeError), ({'goal': (1.0, 1.0, np.nan)}, ParameterError),
    ({'goal': (1.0, 1.0, 0.0), 'start': (1.0, 1.0, 0.0)}, ParameterError),
    ({'goal': (1.0, 1.0, 0.0), 'duration': 0.0}, ParameterError)])
def test_an_impossible_line_is_refused(options, error):
    with pytest.raises(error):
        line(tl.TwoLinkArm(), **options)


def test_a_figure_of_eight_is_geronos():
    arm = tl.TwoLinkArm()
    motion = figure_of_eight(arm, center=(1.0, 0.8, 0.0), radius=0.3, period=2.0)
    t, p = tips(arm, motion, 2000)
    x, y = ((p - (1.0, 0.8, 0.0)) / 0.3).T[:2]
    # x^4 - x^2 + y^2 = 0 turned into its axes, whichever way they are.
    along, across = (x, y) if np.ptp(x) > np.ptp(y) else (y, x)
    np.testing.assert_allclose(along ** 4, along ** 2 - across ** 2, atol=1e-4)
    assert (along.min(), along.max(), across.min(), across.max()) == pytest.approx(
        (-1.0, 1.0, -0.5, 0.5), abs=1e-4)
    for state in (motion.sample(0.0), motion.sample(motion.end_time)):
        np.testing.assert_allclose(arm.tip_pose(state[0])[:3, 3], (1.0, 0.8, 0.0), atol=1e-9)
        np.testing.assert_allclose(state[1:], 0.0, atol=1e-12)


def test_a_figure_of_eight_fits_the_arm_unless_told(limited):
    motion = figure_of_eight(limited, q0=(0.2, 1.2), center=limited.tip_pose((0.2, 1.2))[:3, 3])
    assert find_excess(limited, motion) == []
    with pytest.raises(TrajectoryError, match='figure of eight of radius 3 m'):
        figure_of_eight(limited, radius=3.0)
