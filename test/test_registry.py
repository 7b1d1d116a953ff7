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

"""The registry: what is found by name, and what a distribution that is wrong can do."""

import math
import warnings

import pytest

import twolink_dynamics as tl
from twolink_dynamics import registry
from twolink_dynamics.control import Law, make_law
from twolink_dynamics.errors import ParameterError, TrajectoryError
from twolink_dynamics.trajectory import make_motion


@pytest.fixture
def declare(tmp_path, monkeypatch):
    """Return a function that installs a distribution with entry points and a module."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def declared(distribution, kind, *entries):
        folder = tmp_path / f'{distribution}-1.0.dist-info'
        folder.mkdir()
        (folder / 'METADATA').write_text(f'Metadata-Version: 2.1\nName: {distribution}\n')
        (folder / 'entry_points.txt').write_text(
            f'[{registry.GROUPS[kind]}]\n' + '\n'.join(entries))
        registry._entries.cache_clear()

    (tmp_path / 'plugged_in.py').write_text(PLUGGED_IN)
    yield declared
    registry._entries.cache_clear()


PLUGGED_IN = """
from twolink_dynamics.trajectory import Trajectory

def rest(arm, *, duration=1.0):
    return Trajectory([0.0, duration], [[0.0] * arm.n] * 2)

def nothing(arm):
    return None
"""


@pytest.mark.parametrize('name', registry.names('law'))
def test_a_law_of_the_registry_has_the_name_it_is_found_by(name):
    law = registry.find('law', name)
    assert issubclass(law, Law) and law.name == name


@pytest.mark.parametrize('name', registry.names('motion'))
@pytest.mark.parametrize('duration', [2.0, 9.0])
def test_a_motion_of_the_registry_needs_nothing_but_a_duration(name, duration):
    motion = make_motion(name, tl.TwoLinkArm(), duration=duration)
    assert motion.end_time == pytest.approx(duration, rel=1e-9)
    for t in (motion.start_time, motion.end_time):
        # At rest: the rates are exact but for the Jacobian's solution of a zero.
        assert max(map(abs, motion.sample(t)[1])) < 1e-12


def test_a_name_of_another_distribution_is_found_after_our_own(declare):
    own = registry.names('motion')
    declare('others', 'motion', 'rest = plugged_in:rest')
    assert registry.names('motion') == (*own, 'rest')
    assert make_motion('rest', tl.TwoLinkArm(), duration=3.0).duration == 3.0
    with pytest.raises(ParameterError, match='computed_torque.*module:name'):
        registry.find('law', 'rest')


def test_what_can_be_imported_is_found_by_module_and_name():
    assert registry.find('law', 'twolink_dynamics.control:Passivity').name == 'passivity'
    assert make_motion('twolink_dynamics.trajectory:swing', tl.TwoLinkArm()).duration == 4.0


@pytest.mark.parametrize('name, said', [
    ('compute_torque', 'did you mean computed_torque'), ('no_such_module:Law', 'no_such_module'),
    ('math:no_such_law', 'no_such_law'), ('math:pi', 'class or function'), (':Law', 'one of'),
    ('a:b:c', 'one of'), ('', 'one of'), (3, 'one of'), (None, 'one of')])
def test_a_name_that_is_none_is_refused_with_what_there_is(name, said):
    with pytest.raises(ParameterError, match=said):
        registry.find('law', name)


def test_a_broken_distribution_is_named_and_stops_nobody_else(declare):
    declare('breaker', 'law', 'broken = no_such_module:Law', 'half = math:no_such_law')
    assert {'broken', 'half'} < set(registry.names('law'))
    for name in ('broken', 'half'):
        with pytest.raises(ParameterError, match=f'{name} = .* of breaker.*no_such'):
            registry.find('law', name)
    assert registry.find('law', 'passivity').name == 'passivity'


def test_a_name_of_ours_is_not_taken_over(declare):
    declare('usurper', 'law', 'passivity = math:sin')
    with pytest.warns(UserWarning, match='passivity = math:sin of usurper'):
        assert registry.find('law', 'passivity').name == 'passivity'
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        registry.find('law', 'adaptive')  # it is said once


def test_a_name_that_two_distributions_claim_is_refused_with_both(declare):
    declare('first', 'law', 'same = math:sin')
    declare('second', 'law', 'same = math:cos')
    assert 'same' not in registry.names('law')
    with pytest.raises(ParameterError, match='math:(sin|cos) of .* and .*math:(sin|cos) of '):
        registry.find('law', 'same')


def test_what_makes_no_law_and_no_motion_is_refused(declare):
    arm = tl.TwoLinkArm()
    with pytest.raises(ParameterError, match='derived from Law'):
        make_law('plugged_in:nothing', arm)
    with pytest.raises(ParameterError, match='generator of a Trajectory'):
        make_motion('plugged_in:nothing', arm)


def test_options_are_those_of_all_constructors_that_hand_them_on():
    adaptive = registry.options(registry.find('law', 'adaptive'))
    assert {'kp', 'kd', 'friction', 'adaptation', 'bound'} < set(adaptive)
    assert not {'self', 'arm', 'options'} & set(adaptive)
    assert list(registry.options(registry.find('motion', 'line'))) == [
        'goal', 'start', 'duration', 'q0']


def test_an_option_that_is_needed_or_unknown_is_named():
    with pytest.raises(ParameterError, match='start: .*to be given'):
        registry.make('motion', 'twolink_dynamics.trajectory:minimum_jerk', None, goal=[0.0])
    with pytest.raises(ParameterError, match='radius: .*left out: swing takes amplitude'):
        make_motion('swing', tl.TwoLinkArm(), radius=1.0)


def test_period_cycles_and_duration_are_two_of_three():
    arm = tl.TwoLinkArm()
    assert make_motion('swing', arm, duration=6.0, cycles=3).duration == pytest.approx(6.0)
    assert make_motion('circle', arm, duration=6.0, period=2.1).duration == pytest.approx(6.0)
    with pytest.raises(ParameterError, match='duration.*beside period and cycles'):
        make_motion('swing', arm, duration=6.0, cycles=3, period=2.0)


def test_a_move_goes_where_it_is_told_within_the_limits(limited):
    move = make_motion('minimum_jerk', limited, goal=[0.5, 0.2], start=0.1, duration=0.01)
    assert move.sample(0.0)[0] == (0.1, 0.1)
    assert move.sample(move.end_time)[0] == (0.5, 0.2)
    assert move.duration > 0.01
    with pytest.raises(TrajectoryError, match='beyond the limit'):
        make_motion('minimum_jerk', limited, goal=[100.0, 0.0])
    with pytest.raises(ParameterError, match='within its limits'):
        make_motion('minimum_jerk', limited, start=[100.0, 0.0])
    assert all(map(math.isfinite, make_motion('minimum_jerk', limited).sample(1.0)[0]))
