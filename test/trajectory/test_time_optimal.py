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

"""The fastest motion along a path: within every limit, at one of them always, on the path."""

import math

from chains import chain_of, random_segments
import numpy as np
import pytest

import twolink_dynamics as tl
from twolink_dynamics.dynamics.two_link_arm import arm_of_chain
from twolink_dynamics.errors import NonFiniteError, ParameterError, ShapeError, TrajectoryError
from twolink_dynamics.trajectory import circle, find_excess, minimum_jerk, swing, time_optimal

LINE = [(-0.4, 0.3), (0.9, 2.3)]


def uses(arm, motion, samples=5000):
    """Return what part of its limits a motion takes at each time: efforts, velocities."""
    t = np.linspace(motion.start_time, motion.end_time, samples, endpoint=False)
    q, qd, qdd = motion.sample_many(t)
    tau = arm.inverse_dynamics(q, qd, qdd, friction=True)
    return np.abs(tau) / arm.limits.effort, np.abs(qd) / arm.limits.velocity


PATHS = {
    'line': lambda arm: LINE,
    'waypoints': lambda arm: [(-0.4, 0.3), (0.3, 1.5), (0.9, 1.0), (0.2, 2.2)],
    'move': lambda arm: minimum_jerk(*LINE, 3.0),
    'swing': lambda arm: swing(arm, 0.5, period=4.0, cycles=2),
    'circle': circle,
    'function': lambda arm: lambda u: (0.5 * math.sin(3.0 * u), 1.0 + u * u),
}


@pytest.mark.parametrize('path', sorted(PATHS))
def test_limits_are_met_and_touched_all_the_time(limited, path):
    path = PATHS[path](limited)
    motion = time_optimal(limited, path)
    effort, velocity = uses(limited, motion)
    # Checked at five times of 400 segments: between these the effort bends by 1e-4.
    assert max(effort.max(), velocity.max()) < 1.0 + 1e-3
    assert find_excess(limited.with_parameters(effort=(1.001 * 30.0, 1.001 * 10.0),
                                               velocity=(2.002, 3.003)), motion) == []
    most = np.maximum(effort.max(axis=1), velocity.max(axis=1))
    # Some limit is in force: but for the 0.1 % the limits are drawn closer by at a time, and the
    # moments around the end of a circle's or swing's way, where the path bends sharply.
    assert np.median(most) > 0.995
    assert (most > 0.97).mean() > 0.85
    for state in (motion.sample(motion.start_time), motion.sample(motion.end_time)):
        assert not np.any(state[1])


@pytest.mark.parametrize('make', [lambda arm: minimum_jerk(*LINE, 3.0), circle])
def test_the_motion_stays_on_its_path(limited, make):
    path = make(limited)
    motion = time_optimal(limited, path)
    t = np.linspace(0.0, motion.duration, 500)
    there = path.sample_many(np.linspace(path.start_time, path.end_time, 40000))[0]
    q = motion.sample_many(t)[0]
    apart = [np.abs(there - x).max(axis=1).min() for x in q]
    # The path is compared at 40000 places, some 1e-4 rad apart.
    assert max(apart) < 2e-4
    np.testing.assert_allclose(q[[0, -1]], there[[0, -1]], atol=1e-9)


def test_it_is_faster_than_minimum_jerk_within_the_same_limits(limited):
    best = time_optimal(limited, LINE).duration
    durations = np.linspace(best, 4.0 * best, 60)
    possible = [T for T in durations if not find_excess(limited, minimum_jerk(*LINE, T))]
    assert possible[0] > 1.2 * best


def test_a_double_integrator_is_driven_bang_bang():
    # One link in no gravity with I = 0.5 kg m^2: from rest to rest over D the least time is
    # 2 sqrt(D I / tau).
    arm = tl.TwoLinkArm(gravity=(0.0, 0.0)).with_parameters(effort=(1e3, 1e3))
    M = arm.mass_matrix((0.0, 1.0))
    # Along the first joint the second has to be held: that effort is far from its limit.
    motion = time_optimal(arm.with_parameters(effort=(4.0, 1e3)), [(0.0, 1.0), (1.0, 1.0)])
    assert motion.duration == pytest.approx(2.0 * math.sqrt(M[0, 0] / 4.0), rel=1e-3)


def test_a_velocity_limit_makes_a_plateau():
    arm = tl.TwoLinkArm(gravity=(0.0, 0.0)).with_parameters(effort=(4.0, 1e3), velocity=(0.5, 9.0))
    a = 4.0 / arm.mass_matrix((0.0, 1.0))[0, 0]
    motion = time_optimal(arm, [(0.0, 1.0), (1.0, 1.0)])
    assert motion.duration == pytest.approx(1.0 / 0.5 + 0.5 / a, rel=1e-3)


def test_an_acceleration_limit_is_kept_to():
    arm = tl.TwoLinkArm()
    motion = time_optimal(arm, [(0.0, 1.0), (1.0, 0.5)], acceleration=2.0)
    assert motion.duration == pytest.approx(2.0 * math.sqrt(1.0 / 2.0), rel=1e-3)
    qdd = motion.sample_many(np.linspace(0.0, motion.duration, 2000, endpoint=False))[2]
    assert np.abs(qdd).max() < 2.0 * (1.0 + 1e-6)


def test_a_share_of_the_limits_is_what_is_used(limited):
    effort, velocity = uses(limited, time_optimal(limited, LINE, use=0.8))
    assert 0.79 < max(effort.max(), velocity.max()) < 0.801


def test_a_way_that_turns_back_rests_there(limited):
    there = time_optimal(limited, LINE)
    back = time_optimal(limited, [*LINE, LINE[0]])
    # Back is not there reversed: gravity and friction are not.
    assert back.duration > 1.8 * there.duration
    t = back.times[int(np.argmax([q[0] for q in back.positions]))]
    assert not np.any(back.sample(t)[1])
    effort, velocity = uses(limited, back)
    assert max(effort.max(), velocity.max()) < 1.001


def test_six_joints_are_scaled_too():
    rng = np.random.default_rng(8)
    arm = arm_of_chain(chain_of(random_segments(rng, 6, kinds=('revolute',)), 0.1))
    hold = np.abs(arm.gravity_vector(rng.uniform(-2, 2, (500, 6)))).max(axis=0)
    arm = arm.with_parameters(effort=2.0 * hold + 1.0, velocity=3.0)
    motion = time_optimal(arm, rng.uniform(-1.0, 1.0, (5, 6)))
    effort, velocity = uses(arm, motion)
    most = np.maximum(effort.max(axis=1), velocity.max(axis=1))
    assert most.max() < 1.005 and np.median(most) > 0.99


def test_efforts_that_cannot_hold_the_arm_are_told_with_joint_and_place(limited):
    weak = limited.with_parameters(effort=(5.0, 10.0))
    with pytest.raises(TrajectoryError, match='gravity and friction alone') as caught:
        time_optimal(weak, LINE)
    assert caught.value.joint == 'shoulder'


@pytest.mark.parametrize('what', ['velocity', 'effort'])
def test_a_limit_of_zero_is_no_limit_to_move_with(what):
    arm = tl.TwoLinkArm(gravity=(0.0, 0.0)).with_parameters(velocity=1.0, effort=9.0)
    with pytest.raises(TrajectoryError, match=f'the {what} limit is 0') as caught:
        time_optimal(arm.with_parameters(**{what: (1.0, 0.0)}), LINE)
    assert caught.value.joint == 'joint2'


def test_friction_at_the_limit_of_a_weak_joint_is_no_obstacle():
    # A tangent to the square root of the speed is a load at rest, too, as large as the room that
    # gravity leaves: it has to come closer.
    arm = tl.TwoLinkArm(b1=3.0, b2=3.0).with_parameters(effort=(30.5, 6.0), velocity=5.0)
    motion = time_optimal(arm, [(0.0, 0.0), (0.5, 0.5)])
    effort, velocity = uses(arm, motion)
    assert 0.99 < max(effort.max(), velocity.max()) < 1.001


def test_without_any_limit_there_is_no_least_time():
    with pytest.raises(TrajectoryError, match='no limit bounds the speed'):
        time_optimal(tl.TwoLinkArm(), [(0.0, 1.0), (1.0, 1.0)])


@pytest.mark.parametrize('path, options, error', [
    ([(0.0, 1.0), (0.0, 1.0)], {}, TrajectoryError), ([(0.0, 1.0)], {}, TrajectoryError),
    ([(0.0, 1.0, 2.0)] * 2, {}, ShapeError), ('way', {}, ParameterError),
    ([(0.0, np.nan), (1.0, 1.0)], {}, NonFiniteError),
    (LINE, {'use': 0.0}, ParameterError), (LINE, {'places': math.inf}, ParameterError),
    (LINE, {'acceleration': -1.0}, ParameterError),
    (LINE, {'acceleration': (1, 2, 3)}, ShapeError),
])
def test_what_is_no_path_or_limit_is_refused(limited, path, options, error):
    with pytest.raises(error):
        time_optimal(limited, path, **options)
