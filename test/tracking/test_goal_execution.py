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

"""Every goal that was accepted ends once, in one of three ways, with code and reason."""

from math import inf, nan
import random

import pytest

from twolink_dynamics.errors import TrajectoryError
from twolink_dynamics.tracking.goal_execution import GoalExecution, GoalTolerances
from twolink_dynamics.tracking.tolerances import Tolerance
from twolink_dynamics.trajectory.trajectory import Trajectory

SECOND = 1000000000
MOVE = Trajectory([0.0, 1.0], [(0.0, 0.0), (1.0, 1.0)])
NONE = (0.0, 0.0)


@pytest.fixture
def execution():
    """Return the goals of an arm of two joints."""
    execution = GoalExecution(('a', 'b'))
    execution.path_tolerance, execution.goal_tolerance = (0.5, 0.5), (0.1, 0.1)
    execution.stopped_velocity_tolerance, execution.goal_time = 0.01, 2.0
    return execution


def begin(execution, key='k', start=SECOND, tolerances=None, joints=None, move=MOVE):
    """Accept a goal that begins at once."""
    goal = execution.prepare(key, move, tolerances, joints)
    execution.accept(goal)
    execution.schedule(goal, start, start)
    return goal


def results(execution):
    """Return what ended, in short."""
    return [(o.key, o.state, o.code) for o in execution.take_results()]


def test_a_goal_succeeds_at_its_end_and_not_before(execution):
    begin(execution)
    assert execution.check(SECOND, NONE, NONE).state == 'moving'
    assert execution.check(2 * SECOND - 1, NONE, NONE).state == 'moving'
    assert execution.moving is execution.active is not None
    assert execution.check(2 * SECOND, NONE, NONE).state == 'succeeded'
    assert results(execution) == [('k', 'succeeded', 0)]
    assert execution.check(3 * SECOND, (9.0, 9.0), NONE) is None
    assert execution.active is None and results(execution) == []


def test_nothing_is_judged_before_a_goal_begins(execution):
    begin(execution, start=5 * SECOND)
    assert execution.check(SECOND, (9.0, 9.0), NONE) is None
    assert execution.moving is None and execution.active is not None


@pytest.mark.parametrize('requested, error, aborted', [
    (0.0, 0.49, False), (0.0, 0.51, True),          # the default
    (0.1, 0.09, False), (0.1, 0.11, True),          # the goal's
    (-1.0, 100.0, False),                           # none
    (0.0, nan, True),
])
def test_path_tolerances_are_those_of_the_goal_or_the_default_or_none(
        execution, requested, error, aborted):
    begin(execution, tolerances=GoalTolerances({'b': Tolerance(requested)}))
    status = execution.check(SECOND, (0.0, error), NONE)
    assert (status.state == 'aborted') == aborted
    assert results(execution) == ([('k', 'aborted', -4)] if aborted else [])
    if aborted:
        assert 'joint "b"' in execution.last_failure.text


@pytest.mark.parametrize('requested, error, velocity, reached', [
    (0.0, 0.09, 0.0, True), (0.0, 0.11, 0.0, False), (0.0, 0.0, 0.02, False),
    (0.2, 0.19, 0.0, True), (-1.0, 9.0, 0.0, True),
])
def test_goal_tolerances_and_rest_are_asked_for_at_the_end(
        execution, requested, error, velocity, reached):
    begin(execution, tolerances=GoalTolerances(goal={'a': Tolerance(requested)}))
    status = execution.check(2 * SECOND, (error, 0.0), (velocity, 0.0))
    assert status.state == ('succeeded' if reached else 'moving')
    status = execution.check(4 * SECOND, (error, 0.0), (velocity, 0.0))
    assert results(execution) == [('k', 'succeeded', 0) if reached else ('k', 'aborted', -5)]


@pytest.mark.parametrize('goal_time, end', [(0.0, 2.0), (0.5, 0.5), (-1.0, inf)])
def test_the_goal_time_is_that_of_the_goal_or_the_default_or_for_ever(execution, goal_time, end):
    begin(execution, tolerances=GoalTolerances(goal_time=goal_time))
    wrong = (9.0, 0.0)
    late = 1000 * SECOND if end == inf else round((2.0 + end) * SECOND)
    assert execution.check(late - 1, wrong, NONE).state == 'moving'
    assert execution.check(late, wrong, NONE).state == ('moving' if end == inf else 'aborted')


def test_a_second_goal_ends_the_first_at_once_whose_motion_is_watched_till_its_end(execution):
    begin(execution, 'one')
    execution.check(SECOND, NONE, NONE)
    begin(execution, 'two', start=round(1.5 * SECOND))
    [result] = execution.take_results()
    assert (result.key, result.state, result.code) == ('one', 'aborted', -1)
    assert 'preempted' in result.text
    status = execution.check(round(1.4 * SECOND), (0.6, 0.0), NONE)
    assert (status.state, status.code) == ('aborted', -4)
    assert results(execution) == []                # it had ended already
    execution.drop(-4, status.text)
    assert results(execution) == [('two', 'aborted', -4)]
    assert execution.check(2 * SECOND, NONE, NONE) is None


def test_only_the_joints_of_a_partial_goal_are_judged(execution):
    begin(execution, joints=(1,), move=Trajectory([1.0], [(0.3,)]))
    assert execution.check(SECOND, (9.0, 0.0), NONE).state == 'moving'
    assert execution.check(2 * SECOND, (9.0, 0.0), (9.0, 0.0)).state == 'succeeded'


@pytest.mark.parametrize('tolerances, code, words', [
    (GoalTolerances({'c': Tolerance(0.1)}), -2, 'joint "c"'),
    (GoalTolerances({'a': Tolerance(nan)}), -1, 'path_tolerance is nan'),
    (GoalTolerances(goal={'a': Tolerance(0.0, inf)}), -1, 'goal_tolerance is inf'),
    (GoalTolerances({'a': Tolerance(-0.5)}), -1, '-0.5'),
    (GoalTolerances(goal_time=nan), -1, 'goal_time'),
])
def test_an_impossible_tolerance_is_refused_with_joint_and_number(
        execution, tolerances, code, words):
    with pytest.raises(TrajectoryError, match=words) as caught:
        execution.prepare('k', MOVE, tolerances)
    assert caught.value.code == code


def test_only_its_own_client_can_cancel_a_goal(execution):
    begin(execution, 'mine')
    assert not execution.end('canceled', 0, '', 'yours')
    assert execution.end('canceled', 0, '', 'mine')
    assert not execution.end('canceled', 0, '', 'mine')
    assert results(execution) == [('mine', 'canceled', 0)]


def test_whatever_happens_each_goal_ends_exactly_once(execution):
    rng = random.Random(3)
    ns, accepted, ended = SECOND, [], []
    for key in range(6000):
        ns += rng.choice((0, 1000000, 300000000))
        what = rng.randrange(16)
        if what == 0:
            begin(execution, key, start=ns + rng.choice((0, SECOND, -SECOND // 2)))
            accepted.append(key)
        elif what == 1 and accepted:
            execution.end('canceled', 0, '', rng.choice(accepted[-2:]))
        elif what == 2 and rng.random() < 0.3:
            execution.drop(-1, 'dropped')
        else:
            execution.check(ns, (rng.choice([0.0] * 30 + [9.0, nan]), 0.0), NONE)
        ended += [o.key for o in execution.take_results()]
    execution.drop(-1, 'the end')
    ended += [o.key for o in execution.take_results()]
    assert ended == accepted
    assert execution.succeeded + execution.aborted + execution.canceled == len(accepted)
    assert min(execution.succeeded, execution.aborted, execution.canceled) > 10
