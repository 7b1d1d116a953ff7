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

"""A trajectory beyond the effort limits: a clean abort or a scaled trajectory, never a windup."""

from arms import LIMITED
import numpy as np
import pytest

import twolink_dynamics as tl
from twolink_dynamics.control import make_law
from twolink_dynamics.registry import find, names
from twolink_dynamics.simulation import simulate
from twolink_dynamics.tracking import EffortLimiter, GoalMonitor, resolve_tolerance, Tolerance
from twolink_dynamics.trajectory import check_motion, find_excess, minimum_jerk, Schedule, \
    time_optimal

START, GOAL = (-0.4, 0.5), (0.8, 2.0)
GAINS = {'natural_frequency': 20.0}


class Guarded:
    """A loop as a controller has it: limiter, schedule, tolerances on the path, stop."""

    def __init__(self, arm, law, motion, tolerance):
        self.law, self.limiter = law, EffortLimiter(arm.limits.effort)
        self.schedule = Schedule(motion.positions[0])
        self.schedule.replace(motion, 0.0)
        self.goal = GoalMonitor(arm.joint_names, motion.end_time,
                                [Tolerance(resolve_tolerance(0.0, tolerance))] * arm.n,
                                [Tolerance(0.01)] * arm.n)
        self.verdict, self.stopped, self.limited = None, None, []

    def reset(self):
        self.law.reset()

    def effort(self, t, q, qd, _):
        if self.stopped is None:
            q_d, qd_d, _ = self.schedule.sample(t)
            self.verdict = self.goal.check(t, np.subtract(q_d, q), np.subtract(qd_d, qd))
            if self.verdict.state == 'aborted':
                self.stopped = t
                self.schedule.stop(t, (q, qd, (0.0, 0.0)))
                self.law.reset()
        tau = self.limiter.apply(t, self.law.effort(t, q, qd, self.schedule.sample(t)))
        self.law.saturated = any(self.limiter.saturated)
        self.limited.append(self.law.saturated)
        return tau


@pytest.fixture(scope='module')
def arm():
    """Return an arm whose efforts are some."""
    return tl.load_arm(LIMITED).with_parameters(velocity=100.0)


@pytest.fixture(scope='module')
def beyond(arm):
    """Return a move that takes twice the efforts there are."""
    move = minimum_jerk(START, GOAL, 0.3)
    assert max(abs(e.value / e.limit) for e in find_excess(arm, move)) > 2.0
    return move


def test_a_check_beforehand_warns_of_it_or_refuses_it(arm, beyond):
    assert {w.what for w in check_motion(arm, beyond)} == {'effort'}
    with pytest.raises(tl.TrajectoryError, match='effort'):
        check_motion(arm, beyond, effort='reject')


@pytest.mark.parametrize('name', sorted(set(names('law')) - {'adaptive', 'operational_space'}))
def test_it_ends_in_a_clean_abort_and_a_stop(arm, beyond, name):
    options = {'ki': 2000.0} if find('law', name).integrates else {}
    loop = Guarded(arm, make_law(name, arm, friction=True, **GAINS, **options), beyond, 0.1)
    run = simulate(arm, 2.5, q0=START, law=loop, trajectory=beyond)
    assert any(loop.limited)
    assert loop.verdict.code == -4 and loop.verdict.joint in arm.joint_names
    assert loop.stopped < beyond.end_time
    # It comes to rest where the stop leads, within the limits of everything.
    after = run.t > loop.stopped + 1.5
    rest = loop.schedule.sample(9.0)[0]
    # PID's integral has still to take gravity over: 8 N m over 0.9 kg m^2 times 400.
    assert np.abs(run.q - rest)[after].max() < (0.05 if 'pid' in name else 5e-3)
    assert (np.abs(run.tau) <= np.asarray(arm.limits.effort)).all()
    # No windup: what it overshoots is what efforts that saturate cannot stop, a few hundredths.
    beyond_rest = (run.q - rest)[run.t > loop.stopped + 0.3]
    assert np.abs(beyond_rest).max() < 0.15


def test_without_an_abort_it_lags_and_comes_in_without_a_windup(arm, beyond):
    overshoot = {}
    for ki in (0.0, 4000.0):
        loop = Guarded(arm, make_law('computed_torque', arm, friction=True, ki=ki, **GAINS),
                       beyond, 0.0)
        run = simulate(arm, 2.5, q0=START, law=loop, trajectory=beyond)
        overshoot[ki] = float((run.q - GOAL).max())
        # Without an integral the elbow may stick where friction, 0.1 N m, is as much as feedback:
        # 0.09 kg m^2 times 400 / s^2.
        assert np.abs(run.error[-1]).max() < 5e-3
    # ki is half of what is unstable; wound up over 0.3 s it would overshoot by much more.
    assert overshoot[4000.0] < overshoot[0.0] + 0.08


def test_scaled_to_the_limits_it_is_followed_without_saturation(arm, beyond):
    scaled = time_optimal(arm, beyond, use=0.9)
    assert find_excess(arm, scaled) == [] and scaled.duration > beyond.duration
    loop = Guarded(arm, make_law('computed_torque', arm, friction=True, **GAINS), scaled, 0.02)
    run = simulate(arm, scaled.duration + 0.5, q0=START, law=loop, trajectory=scaled)
    assert loop.verdict.state == 'succeeded' and not any(loop.limited)
    # A time step of the jumps between the limits: 1e-3 s of 30 rad/s^2, over 2 wn.
    assert np.abs(run.error).max() < 2e-3
