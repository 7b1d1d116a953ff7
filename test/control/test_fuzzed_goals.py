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

"""
Whatever comes as a goal: refused with code and reason, or followed with efforts within limits.

``TWOLINK_FUZZ`` says how many goals are tried, some thousands if it is not set.

"""

import math
import os

from arms import LIMITED
import numpy as np
import pytest

import twolink_dynamics as tl
from twolink_dynamics.control import ComputedTorque
from twolink_dynamics.errors import TrajectoryError
from twolink_dynamics.tracking import EffortLimiter
from twolink_dynamics.trajectory import check_motion, GoalPoint, read_goal, Schedule

GOALS = int(os.environ.get('TWOLINK_FUZZ', 3000))
ODD = (math.nan, math.inf, -math.inf, 1e308, -1e308, 1e-308, 5e-324, -0.0, 1e16, 1e6, 'x', None)


def number(rng, scale=1.0):
    """Return a number, now and then an odd one."""
    if rng.random() < 0.01:
        return ODD[rng.integers(len(ODD))]
    return float(scale * rng.normal())


def numbers(rng, n, scale=1.0):
    """Return numbers, as many as there are joints or not quite."""
    n += (rng.random() < 0.02) * int(rng.integers(-n, 3))
    return [number(rng, scale) for _ in range(n)]


def goal(rng, joints):
    """Return names and points: good ones, with whatever can go wrong."""
    names = [str(name) for name in rng.permutation(joints)]
    kind = rng.random()
    if kind < 0.1:
        names = names[:int(rng.integers(0, len(names) + 1))]
    elif kind < 0.15:
        names[int(rng.integers(len(names)))] = str(rng.choice(['', 'wrist', *joints]))
    elif kind < 0.18:
        names.append(str(rng.choice(joints)))
    m = int(rng.integers(0, 2) if rng.random() < 0.05 else rng.integers(1, 7))
    quickest = -3.0 if rng.random() < 0.1 else 0.0
    times = np.cumsum(10.0 ** rng.uniform(quickest, 1.0, m)) - 0.2 * (rng.random() < 0.05)
    if rng.random() < 0.05:
        times = rng.permutation(times)
    times = [float(t) if rng.random() > 0.005 else ODD[rng.integers(len(ODD))] for t in times]
    given = rng.random(3) < (0.7, 0.5, 0.1)
    points = []
    for k, t in enumerate(times):
        rows = [numbers(rng, len(names), s) if have and rng.random() > 0.05 else []
                for have, s in zip(given, (0.2, 0.3, 10.0))]
        if k == m - 1 and rng.random() < 0.9:
            rows[0] = [0.0] * len(rows[0])
        positions = [] if rng.random() < 0.005 else numbers(rng, len(names), 0.2)
        positions = [x + 0.5 if type(x) is float else x for x in positions]
        points.append(GoalPoint(t, positions, *rows))
    return names, points


@pytest.mark.parametrize('limits', ['limits', 'none'])
def test_fuzzed_goals_are_refused_with_a_reason_or_followed_within_the_limits(limits):
    arm = tl.load_arm(LIMITED)
    if limits == 'none':
        arm = arm.with_parameters(lower=-math.inf, upper=math.inf, velocity=math.inf)
    lower, upper = np.maximum(arm.limits.lower, -3.0), np.minimum(arm.limits.upper, 3.0)
    rng = np.random.default_rng(20)
    law, limiter = ComputedTorque(arm, friction=True), EffortLimiter(arm.limits.effort)
    counts = {'taken': 0, -1: 0, -2: 0, -3: 0}
    reasons = set()
    for _ in range(GOALS // 2):
        names, points = goal(rng, arm.joint_names)
        stamp = float(rng.choice([0.0, 100.0, 95.0]))
        q = rng.uniform(lower, upper)
        try:
            desired = read_goal(arm.joint_names, names, points, arm.limits, stamp=stamp, now=100.0,
                                allow_partial_joints_goal=bool(rng.random() < 0.5))
            check_motion(arm, desired.trajectory, desired.joints)
            schedule = Schedule(q.tolist(), [kind == 'continuous' for kind in arm.joint_types])
            schedule.replace(desired.trajectory, stamp or 100.0, 100.0, desired.joints)
        except TrajectoryError as error:
            assert error.code in counts and str(error)
            counts[error.code] += 1
            reasons.add(error.problem.split(';')[0].rstrip('0123456789.e+-[]() ,')[:20])
            continue
        counts['taken'] += 1
        end = max(schedule.end_time, 100.0) + 0.1
        for t in (100.0, *rng.uniform(100.0, end, 3).tolist(), schedule.end_time, 1e9):
            desired = schedule.sample(t)
            assert np.isfinite(desired).all()
            tau = limiter.apply(t, law.effort(t, q.tolist(), rng.normal(size=2).tolist(), desired))
            assert np.isfinite(tau).all() and (np.abs(tau) <= arm.limits.effort).all()
    # The fuzzing reaches everything: each code, acceptance, and many reasons.
    assert min(counts.values()) > 0.01 * sum(counts.values())
    assert counts['taken'] > 0.1 * sum(counts.values())
    assert len(reasons) > 12
