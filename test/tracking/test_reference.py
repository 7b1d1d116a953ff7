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
The reference's trajectories join end to start, and begin anew when the arm is elsewhere.

No ROS is needed here.

"""

from types import SimpleNamespace

import numpy as np
import pytest

from twolink_dynamics.errors import ParameterError
from twolink_dynamics.registry import names
from twolink_dynamics.tracking.reference import motion_of, REFERENCE, Sender
from twolink_dynamics.trajectory.generators import make_motion
from twolink_dynamics.trajectory.trajectory import Trajectory

SECOND = 1000000000


@pytest.fixture(scope='module', params=['swing', 'circle'])
def move(request, arm):
    """Return each kind of motion."""
    return make_motion(request.param, arm, period=2.0, cycles=2)


def sender_after_first(arm, move):
    """Return a sender that sent its first trajectory, and when that starts and ends."""
    sender = Sender(arm, move, approach=1.0)
    assert sender.due(10 * SECOND)
    start, trajectory, continues = sender.next(10 * SECOND, (0.1, 0.1))
    assert not continues
    return sender, start, trajectory


def test_the_first_one_has_a_way_from_where_the_arm_is(arm, move):
    _, start, trajectory = sender_after_first(arm, move)
    assert start > 10 * SECOND
    assert trajectory.start_time >= 1.0
    assert trajectory.positions == move.positions


def test_a_long_way_takes_the_time_that_the_velocity_limits_need(arm, move):
    far = np.array(move.positions[0]) + (50.0, 0.0)
    _, trajectory, _ = Sender(arm, move, approach=1.0).next(10 * SECOND, far)
    # A quintic from rest to rest peaks at 15/8 of its mean speed.
    peak = 1.875 * 50.0 / trajectory.start_time
    assert peak <= 0.5 * float(arm.limits.velocity[0]) * (1.0 + 1e-9)


def test_nothing_is_due_until_shortly_before_the_end(arm, move):
    sender, start, trajectory = sender_after_first(arm, move)
    end = start + round(trajectory.end_time * 1e9)
    assert not sender.due(start)
    assert not sender.due(end - SECOND)
    assert sender.due(end - SECOND // 4)
    assert sender.due(end + 100 * SECOND)


def test_the_next_one_starts_at_the_very_end_of_the_one_before(arm, move):
    sender, start, trajectory = sender_after_first(arm, move)
    end = start + round(trajectory.end_time * 1e9)
    for _ in range(3):
        now = end - SECOND // 2
        q = trajectory.sample(1e-9 * (now - start))[0]
        start, trajectory, continues = sender.next(now, q)
        assert continues
        assert start == end
        assert trajectory.start_time == 0.0
        assert np.allclose(trajectory.positions[0], move.positions[-1], atol=1e-9)
        end = start + round(trajectory.end_time * 1e9)


def test_an_arm_that_went_astray_is_led_back(arm, move):
    sender, start, trajectory = sender_after_first(arm, move)
    now = start + round((trajectory.end_time - 0.4) * 1e9)
    q = np.array(trajectory.sample(1e-9 * (now - start))[0]) + 0.5
    start, trajectory, continues = sender.next(now, q)
    assert not continues
    assert trajectory.start_time >= 1.0
    assert start > now


def test_a_clock_set_back_makes_one_due(arm, move):
    sender, start, _ = sender_after_first(arm, move)
    assert sender.due(start - 5 * SECOND)


def test_the_count_is_kept(arm, move):
    sender = Sender(arm, move, count=1)
    sender.next(10 * SECOND, (0.0, 0.0))
    assert not sender.due(1000 * SECOND)


def test_a_motion_that_does_not_close_is_led_back_each_time(arm):
    move = Trajectory([0.0, 1.0], [(0.0, 0.0), (0.5, 0.0)], [(0.0, 0.0)] * 2)
    sender, start, trajectory = sender_after_first(arm, move)
    now = start + round((trajectory.end_time - 0.1) * 1e9)
    _, trajectory, continues = sender.next(now, trajectory.sample(1e-9 * (now - start))[0])
    assert not continues
    assert trajectory.start_time >= 1.0


@pytest.mark.parametrize('kind', ['swing', 'circle'])
def test_a_motion_is_from_rest_to_rest_and_closes(arm, kind):
    move = make_motion(kind, arm, period=2.0, cycles=3)
    assert np.allclose(move.positions[0], move.positions[-1], atol=1e-9)
    for velocities in (move.velocities[0], move.velocities[-1]):
        assert np.allclose(velocities, 0.0, atol=1e-9)


def test_the_circle_is_one(arm):
    move = make_motion('circle', arm, period=2.0, cycles=1, radius=0.2)
    tips = np.array([arm.tip_pose(q)[:3, 3] for q in move.positions])
    center = 0.5 * (tips.min(axis=0) + tips.max(axis=0))
    radii = np.linalg.norm(tips - center, axis=1)
    # The centre is estimated from points about 6 degrees apart: 0.2 (1 - cos 3 deg) at worst.
    assert np.allclose(radii, 0.2, atol=1e-3)


def motion_with(arm, **values):
    """Return the motion that parameters mean."""
    defaults = {entry.name: entry.default for entry in REFERENCE}
    return motion_of(SimpleNamespace(**{**defaults, **values}), arm)


@pytest.mark.parametrize('name', [
    *names('motion'), 'twolink_dynamics.trajectory.generators.line:line'])
def test_every_motion_can_be_sent_by_name(arm, name):
    move = motion_with(arm, trajectory=name)
    assert not np.any(move.velocities[0]) and not np.any(move.velocities[-1])


def test_the_parameters_are_those_of_the_motion_where_it_has_them(arm):
    values = {'period': 2.0, 'cycles': 2, 'radius': 0.1, 'amplitude': (0.3,)}
    assert motion_with(arm, **values).positions == make_motion(
        'swing', arm, amplitude=0.3, period=2.0, cycles=2).positions
    assert motion_with(arm, trajectory='circle', **values).positions == make_motion(
        'circle', arm, radius=0.1, period=2.0, cycles=2).positions


def test_what_else_the_motion_takes_is_given_as_text(arm):
    move = motion_with(arm, motion_options='duration=6 phase=[0,0]')
    assert move.positions == make_motion('swing', arm, duration=6.0, phase=[0, 0]).positions


@pytest.mark.parametrize('values, words', [
    ({'trajectory': 'no_module:zigzag'}, 'no_module'), ({'motion_options': 'zig=zag'}, 'zig'),
    ({'motion_options': 'zigzag'}, 'NAME=VALUE')])
def test_a_motion_that_cannot_be_is_refused_by_name(arm, values, words):
    with pytest.raises(ParameterError, match=words):
        motion_with(arm, **values)
