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

"""A goal is judged by its tolerances, with the codes clients know."""

import pytest

from twolink_dynamics.tracking import GoalMonitor, resolve_tolerance, Tolerance

NAMES = ('a', 'b')
INF = float('inf')


def monitor(**changes):
    """Return a monitor of a motion from 1 s to 3 s."""
    options = {'path': [Tolerance(0.1), Tolerance(0.2)],
               'goal': [Tolerance(0.01, 0.05), Tolerance(0.02)], 'goal_time': 0.5,
               'start_time': 1.0, **changes}
    return GoalMonitor(NAMES, 3.0, **options)


@pytest.mark.parametrize('requested, meant', [(0.3, 0.3), (0.0, 0.7), (-1.0, 0.0)])
def test_a_tolerance_means_what_clients_know(requested, meant):
    assert resolve_tolerance(requested, 0.7) == meant


def test_a_goal_moves_and_succeeds():
    goal = monitor()
    assert goal.check(2.0, (0.05, 0.05), (9.0, 9.0)).state == 'moving'
    assert goal.check(3.0, (0.05, 0.0), (0.0, 0.0)).state == 'moving'      # there is time yet
    assert goal.check(3.2, (0.005, 0.0), (0.0, 9.0)) == ('succeeded', 0, None, '')


def test_the_path_is_left_by_the_joint_that_is_worst_in_proportion():
    status = monitor().check(2.0, (0.15, -0.5), (0.0, 0.0))
    assert status[:3] == ('aborted', -4, 'b')
    assert 'position error of -0.5' in status.text and '0.2' in status.text


def test_the_way_to_the_first_point_is_no_path():
    assert monitor().check(0.9, (5.0, 5.0), (0.0, 0.0)).state == 'moving'
    assert monitor().check(1.0, (5.0, 5.0), (0.0, 0.0)).state == 'aborted'


def test_a_goal_missed_is_told_after_its_time():
    goal = monitor()
    assert goal.check(3.49, (0.0, 0.03), (0.0, 0.0)).state == 'moving'
    status = goal.check(3.5, (0.0, 0.03), (0.0, 0.0))
    assert status[:3] == ('aborted', -5, 'b') and '0.03' in status.text


def test_a_joint_must_stand_still_at_the_goal_if_that_is_asked():
    status = monitor(goal_time=0.0).check(3.0, (0.0, 0.0), (0.06, 9.0))
    assert status[:3] == ('aborted', -5, 'a') and 'velocity error' in status.text


def test_for_ever_is_for_ever_and_none_is_none():
    assert monitor(goal_time=INF).check(1e9, (1.0, 1.0), (0.0, 0.0)).state == 'moving'
    free = monitor(path=[Tolerance()] * 2, goal=[Tolerance()] * 2)
    assert free.check(2.0, (1e9, 1e9), (0.0, 0.0)).state == 'moving'
    assert free.check(3.0, (1e9, 1e9), (0.0, 0.0)).state == 'succeeded'


@pytest.mark.parametrize('t, code', [(2.0, -4), (4.0, -5)])
def test_not_a_number_is_beyond_every_tolerance(t, code):
    assert monitor().check(t, (float('nan'), 0.0), (0.0, 0.0))[:3] == ('aborted', code, 'a')
