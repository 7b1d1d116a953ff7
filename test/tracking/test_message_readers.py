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
Messages become numbers or a reason, never something in between.

No ROS is needed here: a message is anything with its fields.

"""

from math import inf, isfinite, nan
import random
from types import SimpleNamespace

import pytest

from twolink_dynamics.diagnostics import MessageError, Rejections
from twolink_dynamics.errors import ParameterError
from twolink_dynamics.tracking.message_readers import (
    EffortReader, joint_order, LARGEST, StateReader)

JOINTS = ('shoulder', 'elbow', 'wrist')


def state(name=JOINTS, position=(), velocity=(), effort=()):
    """Return what a JointState is to a reader."""
    return SimpleNamespace(name=list(name), position=list(position), velocity=list(velocity),
                           effort=list(effort))


def array(*data):
    """Return what a Float64MultiArray is to a reader."""
    return SimpleNamespace(data=list(data))


def refusal(read, message):
    """Return the error of reading a message."""
    with pytest.raises(MessageError) as caught:
        read(message)
    return caught.value


def test_efforts_are_matched_by_name():
    reader = EffortReader(JOINTS)
    read = reader.from_joint_state
    assert read(state(effort=[1.0, 2.0, 3.0])) == (1.0, 2.0, 3.0)
    assert read(state(['wrist', 'shoulder', 'elbow'], effort=[3.0, 1.0, 2.0])) == (1.0, 2.0, 3.0)
    # The order found is remembered, and must not outlive a change of order.
    assert read(state(['wrist', 'shoulder', 'elbow'], effort=[3.0, 1.0, 2.0])) == (1.0, 2.0, 3.0)
    assert read(state(effort=[1.0, 2.0, 3.0])) == (1.0, 2.0, 3.0)


def test_an_array_is_in_the_configured_order():
    reader = EffortReader(JOINTS, ['wrist', 'shoulder', 'elbow'])
    assert reader.from_array(array(3.0, 1.0, 2.0)) == (1.0, 2.0, 3.0)
    assert reader.from_joint_state(state(effort=[1.0, 2.0, 3.0])) == (1.0, 2.0, 3.0)


@pytest.mark.parametrize('message, kind, word', [
    (state(['shoulder', 'elbow'], effort=[1.0, 2.0]), 'a joint missing', 'wrist'),
    (state([], effort=[]), 'a joint missing', 'no names'),
    (state(['shoulder', 'elbow', 'elbow'], effort=[1.0] * 3), 'a joint named twice', 'elbow'),
    (state(['shoulder', 'elbow', 'wrist', 'hand'], effort=[1.0] * 4), 'an unknown joint', 'hand'),
    (state(effort=[1.0, 2.0]), 'a wrong length', '2 efforts for 3 names'),
    (state(effort=[]), 'a wrong length', '0 efforts'),
    (state(effort=[1.0, nan, 1.0]), 'an effort not finite', '"elbow"'),
    (state(effort=[1.0, 1.0, -inf]), 'an effort not finite', '"wrist"'),
    (state(effort=[1e300, 1.0, 1.0]), 'an effort beyond reason', '"shoulder"'),
])
def test_a_wrong_effort_by_name_is_refused_with_its_kind(message, kind, word):
    error = refusal(EffortReader(JOINTS).from_joint_state, message)
    assert error.kind == kind
    assert word in str(error)


@pytest.mark.parametrize('data, kind', [
    ((), 'a wrong length'), ((1.0, 2.0), 'a wrong length'), ((1.0,) * 4, 'a wrong length'),
    ((nan, 0.0, 0.0), 'an effort not finite'), ((0.0, inf, 0.0), 'an effort not finite'),
    ((0.0, 0.0, -2e9), 'an effort beyond reason'),
])
def test_a_wrong_array_is_refused_with_its_kind(data, kind):
    assert refusal(EffortReader(JOINTS).from_array, array(*data)).kind == kind


def test_states_are_matched_by_name_with_other_joints_among_them():
    read = StateReader(JOINTS).read
    names = ['wheel', 'wrist', 'shoulder', 'finger', 'elbow']
    q, qd = read(state(names, [9.0, 3.0, 1.0, 9.0, 2.0], [9.0, 0.3, 0.1, nan, 0.2]))
    assert q == [1.0, 2.0, 3.0]
    assert qd == [0.1, 0.2, 0.3]


@pytest.mark.parametrize('velocity', [[], [nan] * 3, [0.1, nan, 0.3]])
def test_a_velocity_that_is_missing_is_no_fault(velocity):
    assert StateReader(JOINTS).read(state(JOINTS, [1.0, 2.0, 3.0], velocity)) == (
        [1.0, 2.0, 3.0], None)


@pytest.mark.parametrize('message, kind', [
    (state(JOINTS, []), 'a wrong length'),
    (state(JOINTS, [1.0, 2.0]), 'a wrong length'),
    (state(JOINTS, [1.0, 2.0, 3.0], [0.0]), 'a wrong length'),
    (state(['shoulder', 'elbow'], [1.0, 2.0]), 'a joint missing'),
    (state(['shoulder', 'elbow', 'wrist', 'wrist'], [1.0] * 4), 'a joint named twice'),
    (state(JOINTS, [1.0, nan, 3.0]), 'a position not finite'),
    (state(JOINTS, [1.0, 2.0, inf]), 'a position not finite'),
    (state(JOINTS, [1.0, 2.0, 3.0], [0.0, inf, 0.0]), 'a velocity not finite'),
])
def test_a_wrong_state_is_refused_with_its_kind(message, kind):
    assert refusal(StateReader(JOINTS).read, message).kind == kind


def test_a_refused_message_does_not_disturb_the_next():
    reader = EffortReader(JOINTS)
    refusal(reader.from_joint_state, state(['wrist', 'elbow', 'nose'], effort=[1.0] * 3))
    assert reader.from_joint_state(state(effort=[1.0, 2.0, 3.0])) == (1.0, 2.0, 3.0)


def test_every_fuzzed_command_is_either_all_finite_numbers_or_a_reason():
    rng = random.Random(20)
    names = list(JOINTS) + ['hand', '', 'elbow']
    numbers = [0.0, -0.0, 1.5, -2.0, nan, inf, -inf, 1e300, -1e300, 5e-324, 1e9, 2e9]
    reader, states = EffortReader(JOINTS), StateReader(JOINTS)
    taken = refused = 0
    for _ in range(5000):
        message = state(rng.choices(names, k=rng.randrange(5)) if rng.random() < 0.5
                        else rng.sample(JOINTS, 3),
                        *([rng.choice(numbers) for _ in range(rng.choice((0, 2, 3, 3, 3, 4)))]
                          for _ in range(3)))
        message.data = message.effort
        for read in (reader.from_joint_state, reader.from_array, states.read):
            try:
                result = read(message)
            except MessageError as error:
                refused += 1
                assert error.kind and '\n' not in str(error)
            else:
                taken += 1
                vectors = result if read == states.read else (result,)
                for vector in filter(None, vectors):
                    assert len(vector) == 3
                    assert all(isfinite(x) for x in vector)
                    if read != states.read:
                        assert max(map(abs, vector)) <= LARGEST
    # Both must occur often, or the fuzzing shows nothing.
    assert taken > 300 and refused > 300


def test_each_kind_is_said_once_and_counted_always():
    said = []
    rejections = Rejections(said.append)
    for _ in range(3):
        rejections.add('joint_commands', MessageError('a wrong length', '2 efforts for 3 names'))
    rejections.add('joint_commands', MessageError('a joint missing', 'wrist'))
    rejections.add('joint_states', MessageError('a wrong length', '1'))
    assert len(said) == 3
    assert 'joint_commands' in said[0] and '2 efforts for 3 names' in said[0]
    assert rejections.total == 5
    assert rejections.counts == {'joint_commands, a wrong length': 3,
                                 'joint_commands, a joint missing': 1,
                                 'joint_states, a wrong length': 1}


def test_an_order_of_joints_must_be_all_of_them_once():
    arm = SimpleNamespace(n=3, joint_names=JOINTS)
    assert joint_order(arm, None) == (0, 1, 2)
    assert joint_order(arm, ('wrist', 'shoulder', 'elbow')) == (2, 0, 1)
    for wrong in (('wrist',), ('wrist', 'shoulder', 'nose'), ('wrist', 'wrist', 'elbow')):
        with pytest.raises(ParameterError, match='every joint of the arm once'):
            joint_order(arm, wrong)
