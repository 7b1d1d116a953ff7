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

"""What a motion does between its points is found where it is worst."""

from hypothesis import given, settings, strategies as st
import numpy as np
import pytest

import twolink_dynamics as tl
from twolink_dynamics.errors import ParameterError, TrajectoryError
from twolink_dynamics.trajectory import check_motion, find_excess, minimum_jerk, Trajectory

CENTER = (0.2, 1.2)      # of the limited arm: -0.5 to 1 with 2 rad/s, 0.1 to 2.5 with 3 rad/s


def test_a_gentle_motion_is_within_everything(limited):
    assert find_excess(limited, minimum_jerk(CENTER, (0.4, 1.0), 2.0)) == []
    assert check_motion(limited, minimum_jerk(CENTER, (0.4, 1.0), 2.0)) == []


def test_points_within_and_a_bulge_beyond_is_found_at_its_peak(limited):
    bulging = Trajectory([0, 1], [(0.9, 1.2), (0.9, 1.2)], [(1.0, 0.0), (-1.0, 0.0)])
    (excess,) = [e for e in find_excess(limited, bulging) if e.what == 'position']
    # The cubic is 0.9 + u - u^2: 1.15 in the middle.
    assert (excess.joint, excess.limit) == ('shoulder', 1.0)
    assert excess.time == pytest.approx(0.5, abs=1e-9)
    assert excess.value == pytest.approx(1.15, abs=1e-12)
    with pytest.raises(TrajectoryError, match=r'position 1\.15 at 0\.5 s') as caught:
        check_motion(limited, bulging)
    assert (caught.value.code, caught.value.joint) == (-1, 'shoulder')


def test_a_speed_between_points_is_found_and_a_slight_one_is_a_warning(limited):
    # Minimum jerk is fastest halfway: 1.875 times the mean speed.
    fast, slight = (minimum_jerk((-0.4, 1.2), (0.8, 1.2), 1.2 * 1.875 / v) for v in (2.4, 2.1))
    (excess,) = [e for e in find_excess(limited, fast) if e.what == 'velocity']
    assert excess.value == pytest.approx(2.4, rel=1e-9) and excess.limit == 2.0
    with pytest.raises(TrajectoryError, match='velocity 2.4'):
        check_motion(limited, fast)
    assert [e.what for e in check_motion(limited, fast, velocity='warn', effort='ignore')] == [
        'velocity']
    assert [e.what for e in check_motion(limited, slight, effort='ignore')] == ['velocity']
    with pytest.raises(TrajectoryError):
        check_motion(limited, slight, velocity_slack=0.0)
    assert check_motion(limited, fast, velocity='ignore', effort='ignore') == []


def test_efforts_are_those_of_the_arm_and_a_warning_unless_told(limited):
    weak = limited.with_parameters(effort=(12.0, 10.0))
    hard = minimum_jerk((-0.4, 1.2), (0.6, 1.2), 0.5)
    (warning,) = check_motion(weak, hard, velocity='ignore')
    t = np.linspace(0.0, 0.5, 4001)[:-1]
    tau = limited.inverse_dynamics(*hard.sample_many(t), friction=True)
    k = np.abs(tau[:, 0]).argmax()
    assert np.abs(tau[k, 0]) > 12.0
    assert (warning.what, warning.joint, warning.limit) == ('effort', 'shoulder', 12.0)
    # Eight samples a segment: within an eighth of it, where the effort bends.
    assert warning.value == pytest.approx(tau[k, 0], rel=0.05)
    assert str(warning).startswith('effort')
    with pytest.raises(TrajectoryError, match='effort .* beyond the limit 12'):
        check_motion(weak, hard, velocity='ignore', effort='reject')


@pytest.mark.parametrize('times, rows, says', [
    ([0.0, 1.0], [(0.0, 0.5), (1e200, 0.5)], 'position of up to 1e'),
    ([0.0, 1e-12], [(0.0, 0.5), (0.01, 0.5)], 'velocity of up to 1e'),
    ([0.0], [(1e10, 0.0)], 'position'),
])
def test_numbers_beyond_reason_are_always_refused(times, rows, says):
    arm = tl.TwoLinkArm()      # no limits at all
    with pytest.raises(TrajectoryError, match=says):
        check_motion(arm, Trajectory(times, rows), velocity='ignore', effort='ignore')
    check_motion(arm, Trajectory([0.0, 1.0], [(0.0, 0.0), (100.0, 0.0)]))


def test_a_last_acceleration_that_no_segment_uses_is_looked_at():
    unused = Trajectory([0, 1], [(0.0, 0.0)] * 2, None, [None, (1e200, 0.0)])
    assert unused.sample(1.0)[2] == (1e200, 0.0)
    with pytest.raises(TrajectoryError, match='acceleration of 1e') as caught:
        check_motion(tl.TwoLinkArm(), unused)
    assert caught.value.point == 1


def test_a_single_point_is_looked_at_too(limited):
    (excess,) = [e for e in find_excess(limited, Trajectory([0.0], [(2.0, 1.0)]))
                 if e.what == 'position']
    assert excess.value == 2.0


def test_a_partial_motion_is_checked_for_its_joints(limited):
    partial = Trajectory([0.0, 1.0], [(1.0,), (3.0,)])
    (excess,) = find_excess(limited, partial, joints=(1,))
    assert (excess.what, excess.joint, excess.value) == ('position', 'elbow', 3.0)


@given(st.integers(0, 2 ** 32 - 1), st.integers(1, 3))
@settings(derandomize=True, deadline=None, max_examples=40)
def test_nothing_is_missed_that_fine_sampling_finds(seed, given_rows):
    from arms import LIMITED
    limited = tl.load_arm(LIMITED)
    rng = np.random.default_rng(seed)
    rows = [CENTER + 0.5 * rng.normal(size=(4, 2)), *rng.normal(size=(2, 4, 2))][:given_rows]
    motion = Trajectory(np.cumsum(rng.uniform(0.3, 1.5, 4)), *rows)
    t = np.linspace(motion.start_time, motion.end_time, 3000)[:-1]
    q, qd, qdd = motion.sample_many(t)
    found = {(e.what, e.joint): e for e in find_excess(limited, motion) if e.what != 'effort'}
    for what, rows, low, high in (
            ('position', q, limited.limits.lower, limited.limits.upper),
            ('velocity', qd, -limited.limits.velocity, limited.limits.velocity)):
        for j, name in enumerate(limited.joint_names):
            beyond = np.maximum(low[j] - rows[:, j], rows[:, j] - high[j]).max()
            excess = found.get((what, name))
            if excess is None:
                assert beyond <= 1e-5
            else:
                worst = max(low[j] - excess.value, excess.value - high[j])
                # Sampling misses a peak by at most a step times the slope there.
                slope = np.abs(qd if what == 'position' else qdd).max()
                assert beyond <= worst + 1e-9 and worst <= beyond + 2.0 * (t[1] - t[0]) * slope


@pytest.mark.parametrize('options', [{'velocity': 'perhaps'}, {'effort': True}])
def test_a_policy_is_one_of_three(limited, options):
    with pytest.raises(ParameterError):
        check_motion(limited, minimum_jerk(CENTER, CENTER, 1.0), **options)
