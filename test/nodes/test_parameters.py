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
The parameter tables: complete, consistent, and checked with words a user can act on.

No ROS is needed here.

"""

from dataclasses import replace
from pathlib import Path
import subprocess
import sys

import pytest

from twolink_dynamics.errors import ParameterError
from twolink_dynamics.options import check, Option, unknown
from twolink_dynamics.options.documents import table_row
from twolink_dynamics.simulation.simulator_options import SIMULATOR
from twolink_dynamics.tracking.controller_options import CONTROLLER
from twolink_dynamics.tracking.node_options import NODE_OPTIONS

ROOT = Path(__file__).resolve().parents[2]
ENTRIES = [(node, entry) for node, table in NODE_OPTIONS.items() for entry in table]
NUMBERS = [(node, entry) for node, entry in ENTRIES if entry.kind in ('int', 'float', 'floats')]


def over(entries):
    """Let a test run for each of these entries."""
    return pytest.mark.parametrize('entry', [entry for _, entry in entries],
                                   ids=[f'{node}-{entry.name}' for node, entry in entries])


RATE = next(entry for entry in SIMULATOR if entry.name == 'rate')
GRAVITY = next(entry for entry in SIMULATOR if entry.name == 'gravity')
INTERFACE = next(entry for entry in CONTROLLER if entry.name == 'command_interface')
KP = next(entry for entry in CONTROLLER if entry.name == 'kp')
JOINTS = next(entry for entry in CONTROLLER if entry.name == 'joints')
BRAKE = next(entry for entry in SIMULATOR if entry.name == 'brake')
COUNT = Option('count', 'int', 0, 'A number', minimum=0, maximum=9)


@over(ENTRIES)
def test_every_parameter_is_described_and_its_default_is_possible(entry):
    assert len(entry.description) > 10
    assert not entry.description.endswith('.')
    assert check(entry, entry.default) == entry.default


@over(NUMBERS)
def test_every_number_has_a_range(entry):
    assert entry.minimum is not None and entry.maximum is not None
    assert entry.minimum < entry.maximum


@over(NUMBERS)
def test_numbers_just_outside_the_range_are_refused_and_the_ends_are_not(entry):
    step = 1 if entry.kind == 'int' else 1e-3 * (entry.maximum - entry.minimum)

    def value(x):
        x = int(x) if entry.kind == 'int' else x
        return [x] * (entry.length or 1) if entry.kind == 'floats' else x

    for end, beyond in ((entry.minimum, entry.minimum - step), (entry.maximum,
                                                                entry.maximum + step)):
        check(entry, value(end))
        with pytest.raises(ParameterError) as caught:
            check(entry, value(beyond))
        assert caught.value.name == entry.name


def test_no_name_stands_twice_in_a_table():
    for table in NODE_OPTIONS.values():
        names = [entry.name for entry in table]
        assert len(set(names)) == len(names)


def test_a_parameter_that_nodes_share_is_the_same_in_each():
    tables = list(NODE_OPTIONS.values())
    for name in ('robot_description', 'base_link', 'tip_link', 'gravity'):
        # The controller may change its gravity while it runs.
        assert len({replace(next(e for e in table if e.name == name), live=False)
                    for table in tables}) == 1


@pytest.mark.parametrize('entry, value, expected', [
    (RATE, 500, 500.0),                                 # an integer is a good float
    (GRAVITY, [0, 0, -9], (0.0, 0.0, -9.0)),
    (KP, 100, (100.0,)),                                # one number stands for a list of one
    (KP, [], None), (JOINTS, [], None), (JOINTS, None, None),
    (JOINTS, ['b', 'a'], ('b', 'a')),
    (COUNT, 3, 3), (BRAKE, False, False),
])
def test_values_are_understood_as_yaml_writes_them(entry, value, expected):
    result = check(entry, value)
    assert result == expected
    assert type(result) is type(expected)


@pytest.mark.parametrize('entry, value, words', [
    (RATE, 'fast', "rate: expected a number in [1, 10000] [Hz], got 'fast'"),
    (RATE, True, 'rate: expected a number in [1, 10000] [Hz], got True'),
    (RATE, float('nan'), 'rate: expected a finite number, got nan'),
    (RATE, float('inf'), 'rate: expected a finite number, got inf'),
    (RATE, [1.0, 2.0], 'got [1.0, 2.0]'),
    (GRAVITY, [0.0, 1.0], 'gravity: expected 3 numbers in [-1000, 1000] [m/s^2], got [0.0, 1.0]'),
    (GRAVITY, 'down', "got 'down'"),
    (GRAVITY, [0.0, 0.0, float('nan')], 'gravity: expected a finite number, got nan'),
    (INTERFACE, 'torque', 'expected one of joint_state, array, both'),
    (INTERFACE, 1, 'got 1'),
    (JOINTS, ['a', 'a'], "got ['a', 'a']"),
    (JOINTS, [1], 'expected a list of texts'),
    (KP, [1.0, -1.0], 'got [1.0, -1.0]'),
    (KP, [10 ** 400], 'kp: expected'),
    (COUNT, 1.5, 'expected an integer'), (COUNT, True, 'got True'), (BRAKE, 1, 'true or false'),
    (BRAKE, 'on', "got 'on'"),
])
def test_a_refusal_says_what_was_expected_and_what_came(entry, value, words):
    with pytest.raises(ParameterError) as caught:
        check(entry, value)
    assert words in str(caught.value)
    assert '\n' not in str(caught.value)
    assert caught.value.name == entry.name


def test_a_long_text_is_cut_in_the_refusal():
    with pytest.raises(ParameterError) as caught:
        check(RATE, '<robot>\n' * 1000)
    assert len(str(caught.value)) < 200
    assert '\n' not in str(caught.value)


def test_an_unknown_name_is_answered_with_the_nearest_one():
    error = unknown('natural_frequncy', 3.0, CONTROLLER)
    assert str(error).startswith('natural_frequncy: expected')
    assert 'natural_frequency?' in str(error)


def test_a_name_like_no_other_is_answered_with_all_of_them():
    text = str(unknown('zzzzzz', 3.0, CONTROLLER))
    assert all(entry.name in text for entry in CONTROLLER)


def test_the_documentation_has_every_parameter_as_it_is_declared():
    text = (ROOT / 'docs' / 'interfaces.md').read_text(encoding='utf-8')
    for node, table in NODE_OPTIONS.items():
        section = text.split(f'### Parameters of `{node}`')[1].split('\n#')[0]
        rows = [row for row in section.splitlines() if row.startswith('| `')]
        assert rows == list(map(table_row, table)), 'python docs/option_tables.py writes them'


def test_the_tables_can_be_read_without_ros():
    code = ('import sys; sys.modules["rclpy"] = None; sys.modules["rcl_interfaces"] = None\n'
            'from twolink_dynamics.tracking.node_options import NODE_OPTIONS\n'
            'print(len(NODE_OPTIONS))')
    result = subprocess.run([sys.executable, '-c', code], capture_output=True, text=True,
                            cwd=ROOT)
    assert result.stdout.strip() == '4', result.stderr
