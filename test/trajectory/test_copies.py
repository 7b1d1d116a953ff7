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

"""Motions travel: copied or pickled in mid-way they go on alike, and apart."""

import copy
import pickle

from hypothesis import given, settings, strategies as st
import numpy as np
import pytest

import twolink_dynamics as tl
from twolink_dynamics.recordings import Motion
from twolink_dynamics.trajectory import ahead, find_excess, GoalPoint, read_goal, Schedule, \
    Trajectory

TRAVEL = [copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing))]
NAMES = ['deepcopy', 'pickle']
TIMES = np.linspace(-0.5, 4.5, 41).tolist()
NUMBERS = st.floats(-10.0, 10.0)


@st.composite
def trajectories(draw, n=2):
    """Return a trajectory whose points have what they like."""
    m = draw(st.integers(1, 4))
    rows = st.lists(NUMBERS, min_size=n, max_size=n)
    times = np.cumsum(draw(st.lists(st.floats(0.1, 1.0), min_size=m, max_size=m)))
    fields = [draw(st.one_of(st.none(), st.lists(st.one_of(st.none(), rows), min_size=m,
                                                 max_size=m))) for _ in range(2)]
    return Trajectory(times, draw(st.lists(rows, min_size=m, max_size=m)), *fields)


@pytest.mark.parametrize('travel', TRAVEL, ids=NAMES)
@given(trajectories())
@settings(max_examples=50, deadline=None)
def test_a_copied_trajectory_is_the_same_motion(travel, trajectory):
    copied = travel(trajectory)
    for name in ('n', 'times', 'positions', 'velocities', 'accelerations', 'segments'):
        assert getattr(copied, name) == getattr(trajectory, name)
    assert [copied.sample(t) for t in TIMES] == [trajectory.sample(t) for t in TIMES]
    for a, b in zip(copied.sample_many(TIMES), trajectory.sample_many(TIMES)):
        assert a.tobytes() == b.tobytes()


@pytest.mark.parametrize('travel', TRAVEL, ids=NAMES)
@given(trajectories(), trajectories(), st.floats(0.0, 2.0))
@settings(max_examples=50, deadline=None)
def test_a_schedule_copied_on_the_way_goes_on_alike_and_apart(travel, first, second, start):
    schedule = Schedule([0.0, 0.5])
    schedule.replace(first, start)
    copied = travel(schedule)
    before = [schedule.sample(t) for t in TIMES]
    assert [copied.sample(t) for t in TIMES] == before
    copied.replace(second, start + 0.01)
    assert [schedule.sample(t) for t in TIMES] == before
    after = [copied.sample(t) for t in TIMES]
    schedule.stop(start)
    schedule.forget_before(start + 1.0)
    assert [copied.sample(t) for t in TIMES] == after


@pytest.mark.parametrize('travel', TRAVEL, ids=NAMES)
def test_goals_excesses_and_views_travel(travel):
    trajectory = Trajectory([0.0, 1.0], [[0.0, 0.0], [3.0, 3.0]])
    goal = read_goal(['a', 'b'], ['b', 'a'], [GoalPoint(1.0, (0.1, 0.2))])
    copied = travel(goal)
    assert copied.joints == goal.joints and copied.trajectory.times == goal.trajectory.times
    view = ahead(trajectory, 0.1)
    assert travel(view).sample(0.5) == view.sample(0.5)
    excess = find_excess(tl.TwoLinkArm().with_parameters(velocity=1.0), trajectory)
    assert excess and travel(excess) == excess


@pytest.mark.parametrize('travel', TRAVEL, ids=NAMES)
def test_a_copied_recording_changes_alone(travel):
    motion = Motion(np.arange(3.0), ('a', 'b'), np.ones((3, 2)), tau=np.zeros((3, 2)),
                    work={'effort': np.zeros(3)}, impacts=((1.0, 'a'),))
    copied = travel(motion)
    copied.q[0] = 7.0
    copied.work['effort'][0] = 7.0
    assert motion.q.max() == 1.0 and not motion.work['effort'].any()
    assert copied.joint_names == motion.joint_names and copied.impacts == motion.impacts
