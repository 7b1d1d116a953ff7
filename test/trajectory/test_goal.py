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

"""A goal is taken in the arm's order, or refused with code, joint and point."""

import math
import random
from types import SimpleNamespace

import numpy as np
import pytest

from twolink_dynamics.errors import TrajectoryError
from twolink_dynamics.trajectory import check_goal, GoalPoint, read_goal
from twolink_dynamics.trajectory.goal import (
    INVALID_GOAL, INVALID_JOINTS, OLD_HEADER_TIMESTAMP, SUCCESSFUL)

NAN = float('nan')
JOINTS = ('shoulder', 'elbow')
LIMITS = SimpleNamespace(lower=np.array([-1.0, -np.inf]), upper=np.array([2.0, np.inf]),
                         velocity=np.array([3.0, np.inf]))


def points(**changes):
    """Return three good points, with fields of the middle one changed."""
    middle = {'time': 1.0, 'positions': (0.5, -0.5), 'velocities': (0.1, 0.2),
              'accelerations': (0.0, 0.0), 'effort': (), **changes}
    rest = [(0.0, 0.0)] * 3
    return [GoalPoint(0.5, *rest), GoalPoint(**middle), GoalPoint(2.0, *rest)]


def test_a_good_goal_becomes_the_trajectory_of_its_points():
    trajectory = check_goal(JOINTS, JOINTS, points(), LIMITS)
    assert trajectory.times == (0.5, 1.0, 2.0)
    assert trajectory.positions[1] == (0.5, -0.5)
    assert trajectory.velocities[1] == (0.1, 0.2)


def test_numbers_follow_their_joint_into_the_order_of_the_arm():
    trajectory = check_goal(JOINTS, ('elbow', 'shoulder'), points(effort=(1.0, 2.0)), LIMITS)
    assert trajectory.positions[1] == (-0.5, 0.5)
    assert trajectory.velocities[1] == (0.2, 0.1)


def test_velocities_and_accelerations_may_be_missing_point_by_point():
    trajectory = check_goal(JOINTS, JOINTS, points(velocities=(), accelerations=()))
    assert trajectory.velocities[1] is None and trajectory.velocities[0] == (0.0, 0.0)


def test_a_single_point_is_a_goal():
    trajectory = check_goal(JOINTS, JOINTS, [GoalPoint(1.0, (0.0, 0.0))])
    assert trajectory.sample(1.0)[0] == (0.0, 0.0)


def test_a_limit_written_with_a_digit_less_is_no_violation():
    check_goal(JOINTS, JOINTS, points(positions=(2.0000005, 0.0)), LIMITS)


def test_a_joint_without_limits_goes_anywhere():
    check_goal(JOINTS, JOINTS, points(positions=(0.0, 1e6)), LIMITS)


@pytest.mark.parametrize('names, code, joint', [
    ((), -2, None),
    (('shoulder', 'wrist'), -2, 'wrist'),
    (('shoulder', 'shoulder'), -2, 'shoulder'),
    (('shoulder', 'elbow', 'elbow'), -2, 'elbow'),
    (('elbow',), -2, 'shoulder'),
    (('shoulder', ''), -2, ''),
])
def test_wrong_names_are_refused(names, code, joint):
    with pytest.raises(TrajectoryError) as caught:
        check_goal(JOINTS, names, points(), LIMITS)
    assert (caught.value.code, caught.value.joint) == (code, joint)


@pytest.mark.parametrize('change, joint, point, says', [
    ({'positions': ()}, None, 1, 'no positions'),
    ({'positions': (0.0,)}, None, 1, 'positions: expected 2'),
    ({'positions': (0.0, 0.0, 0.0)}, None, 1, 'positions: expected 2'),
    ({'velocities': (0.0,)}, None, 1, 'velocities: expected 2'),
    ({'accelerations': (0.0,)}, None, 1, 'accelerations: expected 2'),
    ({'effort': (0.0,)}, None, 1, 'effort: expected 2'),
    ({'positions': (NAN, 0.0)}, 'shoulder', 1, 'positions.*nan'),
    ({'velocities': (0.0, float('inf'))}, 'elbow', 1, 'velocities.*inf'),
    ({'accelerations': (NAN, 0.0)}, 'shoulder', 1, 'accelerations.*nan'),
    ({'effort': (0.0, NAN)}, 'elbow', 1, 'effort.*nan'),
    ({'time': NAN}, None, 1, 'nan'),
    ({'time': float('inf')}, None, 1, 'inf'),
    ({'time': 1.1e9}, None, 1, 'at most'),
    ({'time': 0.5}, None, 1, 'increase'),
    ({'time': 2.0}, None, 2, 'increase'),
    ({'positions': (2.1, 0.0)}, 'shoulder', 1, r'2\.1 is beyond the limits \[-1, 2\]'),
    ({'positions': (-1.1, 0.0)}, 'shoulder', 1, 'beyond'),
    ({'velocities': (-3.1, 9.0)}, 'shoulder', 1, r'velocity -3\.1 is beyond the limit 3'),
    ({'positions': (0.0, 'up')}, None, 1, 'no number'),
    ({'velocities': None}, None, 1, 'no number'),
])
def test_a_wrong_point_is_refused(change, joint, point, says):
    with pytest.raises(TrajectoryError, match=says) as caught:
        check_goal(JOINTS, JOINTS, points(**change), LIMITS)
    assert (caught.value.code, caught.value.joint, caught.value.point) == (-1, joint, point)


def test_limits_are_those_of_the_joint_named_not_of_the_place():
    with pytest.raises(TrajectoryError) as caught:
        check_goal(JOINTS, ('elbow', 'shoulder'), points(positions=(5.0, 5.0)), LIMITS)
    assert caught.value.joint == 'shoulder'


def test_no_points_are_no_goal():
    with pytest.raises(TrajectoryError, match='no points') as caught:
        check_goal(JOINTS, JOINTS, [])
    assert caught.value.code == -1


def test_a_negative_first_time_is_refused():
    with pytest.raises(TrajectoryError, match='before the start') as caught:
        check_goal(JOINTS, JOINTS, [GoalPoint(-0.1, (0.0, 0.0)), GoalPoint(1.0, (0.0, 0.0))])
    assert (caught.value.code, caught.value.point) == (-1, 0)


def test_a_first_point_at_time_zero_is_taken():
    assert check_goal(JOINTS, JOINTS, [GoalPoint(0.0, (0.0, 0.0))]).start_time == 0.0


def test_a_last_velocity_is_refused_unless_allowed():
    moving = points()[:2]
    with pytest.raises(TrajectoryError, match='end at rest') as caught:
        check_goal(JOINTS, JOINTS, moving)
    assert (caught.value.joint, caught.value.point) == ('shoulder', 1)
    check_goal(JOINTS, JOINTS, moving, allow_nonzero_velocity_at_trajectory_end=True)


def test_a_trajectory_of_the_past_is_refused_and_stamp_zero_is_none():
    with pytest.raises(TrajectoryError) as caught:
        check_goal(JOINTS, JOINTS, points(), stamp=100.0, now=102.1)
    assert caught.value.code == -3
    check_goal(JOINTS, JOINTS, points(), stamp=100.0, now=101.9)
    check_goal(JOINTS, JOINTS, points(), stamp=0.0, now=1e9)


# What breaks each rule alone, in the order in which joint_trajectory_controller looks at them: of
# two that are broken the first one is told.
RULES = [
    ('names missing', {'names': ('elbow',)}, 'missing'),
    ('no points', {'points': []}, 'no points'),
    ('unknown', {'names': ('shoulder', 'wrist')}, 'unknown'),
    ('twice', {'names': ('elbow', 'elbow')}, 'twice'),
    ('moving at the end', {'last': {'velocities': (0.0, 1.0)}}, 'end at rest'),
    ('past', {'stamp': 1.0, 'now': 9.0}, 'ago'),
    ('not increasing', {'middle': {'time': 0.5}}, 'increase'),
    ('wrong size', {'middle': {'accelerations': (0.0,)}}, 'expected 2'),
    ('beyond', {'middle': {'positions': (9.0, 0.0)}}, 'beyond'),
]


def broken(*changes):
    """Return the arguments of a goal with some rules broken."""
    arguments = {'names': JOINTS, 'stamp': 0.0, 'now': 0.0}
    three = points()
    for change in changes:
        for key, value in change.items():
            if key in ('middle', 'last'):
                k = {'middle': 1, 'last': 2}[key]
                three[k] = three[k]._replace(**value)
            else:
                arguments[key] = value
    arguments.setdefault('points', three)
    return arguments


@pytest.mark.parametrize('first', range(len(RULES)), ids=[rule[0] for rule in RULES])
def test_of_two_broken_rules_the_earlier_one_is_told(first):
    names = [rule[0] for rule in RULES]
    for second in range(first, len(RULES)):
        if {'names' in RULES[k][1] for k in (first, second)} == {True} and first != second:
            continue    # one list of names cannot break two rules
        with pytest.raises(TrajectoryError, match=RULES[first][2]):
            arguments = broken(RULES[second][1], RULES[first][1])
            check_goal(JOINTS, arguments.pop('names'), arguments.pop('points'), LIMITS,
                       **arguments)
            pytest.fail(f'{names[first]} and {names[second]} were taken')


def test_a_partial_goal_is_taken_where_it_is_allowed():
    only = [GoalPoint(1.0, (0.5,)), GoalPoint(2.0, (0.0,))]
    with pytest.raises(TrajectoryError, match='allow partial') as caught:
        read_goal(JOINTS, ('elbow',), only)
    assert (caught.value.code, caught.value.joint) == (-2, 'shoulder')
    goal = read_goal(JOINTS, ('elbow',), only, LIMITS, allow_partial_joints_goal=True)
    assert goal.joints == (1,) and goal.trajectory.positions == ((0.5,), (0.0,))


def test_a_partial_goal_is_checked_like_any_other():
    for names, changes, code, joint in [
            ((), {}, -2, None), (('wrist',), {}, -2, 'wrist'),
            (('elbow', 'elbow'), {}, -2, 'elbow'),
            (('shoulder',), {'positions': (2.1,)}, -1, 'shoulder')]:
        point = GoalPoint(1.0, **{'positions': (0.5,), **changes})
        with pytest.raises(TrajectoryError) as caught:
            read_goal(JOINTS, names, [point], LIMITS, allow_partial_joints_goal=True)
        assert (caught.value.code, caught.value.joint) == (code, joint)


def test_numbers_of_a_partial_goal_follow_their_joint():
    three = ('a', 'b', 'c')
    goal = read_goal(three, ('c', 'a'), [GoalPoint(1.0, (3.0, 1.0), (0.3, 0.1)),
                                         GoalPoint(2.0, (0.0, 0.0))],
                     allow_partial_joints_goal=True)
    assert goal.joints == (0, 2)
    assert goal.trajectory.positions[0] == (1.0, 3.0)
    assert goal.trajectory.velocities[0] == (0.1, 0.3)


def code_of(names, points, stamp, now):
    """Return the code that a goal for two joints gets, rule by rule and number by number."""
    if len(set(names)) < len(names) or not set(names) <= {'a', 'b'}:
        return INVALID_JOINTS
    if any(abs(v) > 1e-9 for v in points[-1].velocities):
        return INVALID_GOAL
    times = [point.time for point in points]
    if stamp and stamp + times[-1] < now:
        return OLD_HEADER_TIMESTAMP
    columns = ['ab'.index(name) for name in names]
    for point in points:
        for x, v, j in zip(point.positions, point.velocities or [0.0] * len(names), columns):
            if not LIMITS.lower[j] <= x <= LIMITS.upper[j] or not abs(v) <= LIMITS.velocity[j]:
                return INVALID_GOAL
        if not all(map(math.isfinite, (*point.positions, *point.velocities,
                                       *point.accelerations))):
            return INVALID_GOAL
    increasing = all(a < b for a, b in zip(times, times[1:]))
    return SUCCESSFUL if times[0] >= 0.0 and increasing else INVALID_GOAL


def test_a_random_goal_is_taken_or_refused_as_the_rules_say():
    rng = random.Random(8)
    numbers = [0.0, 0.1, -0.2, 1.0, 3.2, 9.0, math.nan, math.inf, 1e-10]

    def some(n):
        return [rng.choice(numbers[:4] * 12 + numbers) for _ in range(n)]

    codes = []
    for _ in range(2000):
        names = rng.choice((['a', 'b'], ['b', 'a'], ['b'], ['a', 'a'], ['c', 'a']))
        fields = rng.choice(((2,), (2, 2), (2, 2, 2), (2, 0, 2)))
        points = [GoalPoint(
            0.5 * k + rng.choice((0.0, 0.0, 0.0, 0.6)),
            *(some(len(names) if n else 0) for n in fields)) for k in range(rng.randint(1, 3))]
        if points and len(fields) > 1 and rng.random() < 0.8:
            points[-1] = points[-1]._replace(velocities=[0.0] * len(points[-1].velocities))
        stamp = rng.choice((0.0, 0.0, 4.5, 1.0))
        try:
            goal = read_goal(['a', 'b'], names, points, LIMITS, stamp=stamp, now=5.0,
                             allow_partial_joints_goal=True)
            code = SUCCESSFUL
            assert [['a', 'b'][j] for j in goal.joints] == sorted(names)
            assert goal.trajectory.times == tuple(point.time for point in points)
        except TrajectoryError as error:
            code = error.code
        assert code == code_of(names, points, stamp, 5.0)
        codes.append(code)
    assert min(codes.count(code) for code in (0, -1, -2, -3)) > 20
