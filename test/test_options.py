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

"""An option is declared in one place, and is the same wherever it is shown."""

import argparse
import copy
import math
from pathlib import Path
import pickle
import shutil
import subprocess
import sys

import numpy as np
import pytest

from twolink_dynamics.errors import NonFiniteError, ParameterError
from twolink_dynamics.options import check, declared, named_values, Option
from twolink_dynamics.options.command_line import add_arguments, argument_type, from_arguments
from twolink_dynamics.simulation.plant_options import Payload, PlantOptions

ROOT = Path(__file__).resolve().parents[1]
# What is written into one place, before the field that follows it there.
WIND = """    wind: PerJoint = option(
        'floats', 0.5, 'How strongly the wind blows on a joint', 'N m or N', minimum=-3.0,
        maximum=3.0, per_joint=True)
"""
PLACE = '    ledger: bool = option('
# Where it is found again: what a program prints that imports the package written into.
FOUND = {
    'field': ('from twolink_dynamics import PlantOptions; print(PlantOptions().wind)', '0.5'),
    'range of the field': (
        'from twolink_dynamics import PlantOptions; PlantOptions(wind=(0.0, 9.0))',
        'wind: expected a list of numbers in [-3, 3] [N m or N], got [0.0, 9.0]'),
    'docstring': (
        'from twolink_dynamics import PlantOptions; print(PlantOptions.__doc__)',
        'How strongly the wind blows on a joint, one number or one per joint [N m or N]'),
    'argument': ('from twolink_dynamics.cli.main import main; main(["simulate", "--help"])',
                 '--wind V [V ...]'),
    'range of the argument': (
        'from twolink_dynamics.cli.main import main; main(["simulate", "--wind", "9"])',
        "argument --wind: expected a number in [-3, 3] [N m or N], got '9'"),
    'parameter': (
        'from twolink_dynamics.tracking.node_options import NODE_OPTIONS\n'
        'from twolink_dynamics.nodes.parameters import descriptor\n'
        'wind, = [entry for entry in NODE_OPTIONS["simulator"] if entry.name == "wind"]\n'
        'a = descriptor(wind); r, = a.floating_point_range\n'
        'print(a.name, a.read_only, r.from_value, r.to_value, a.description)',
        'wind True -3.0 3.0 How strongly the wind blows on a joint, one number or one per joint '
        '[N m or N]'),
}


@pytest.fixture(scope='module')
def other_house(tmp_path_factory):
    """Return a copy of the package in which an option is declared that this one has not."""
    root = tmp_path_factory.mktemp('house')
    for folder in ('twolink_dynamics', 'docs', 'config'):
        shutil.copytree(ROOT / folder, root / folder,
                        ignore=shutil.ignore_patterns('__pycache__', 'figures'))
    path = root / 'twolink_dynamics' / 'simulation' / 'plant_options.py'
    text = path.read_text()
    assert text.count(PLACE) == 1
    path.write_text(text.replace(PLACE, WIND + PLACE))
    return root


def run_there(root, *arguments):
    """Return what Python says to arguments, with the package of a folder."""
    path = ':'.join([str(root), *(place for place in sys.path if place != str(ROOT))])
    run = subprocess.run([sys.executable, *arguments], cwd=root, capture_output=True, text=True,
                         env={'PYTHONPATH': path, 'COLUMNS': '200', 'PATH': '/usr/bin:/bin'})
    return run.stdout + run.stderr


@pytest.mark.parametrize('place', FOUND)
def test_an_option_that_is_declared_once_is_found_everywhere(other_house, place):
    if place == 'parameter':
        pytest.importorskip('rclpy', reason='ROS is not installed')
    code, words = FOUND[place]
    assert words in run_there(other_house, '-c', code)


def test_an_option_that_is_declared_once_is_found_in_the_documents(other_house):
    assert run_there(other_house, str(other_house / 'docs' / 'option_tables.py')) == ''
    page = (other_house / 'docs' / 'interfaces.md').read_text(encoding='utf-8')
    assert ('| `wind` | floats | [0.5] | [-3, 3] | N m or N |  | How strongly the wind blows on a '
            'joint, one number or one per joint |\n') in page
    assert ('    # How strongly the wind blows on a joint, one number or one per joint [N m or '
            'N].\n    wind: [0.5]\n') in (other_house / 'config' / 'simulator.yaml').read_text()


def test_what_the_documents_say_of_options_is_what_is_declared(other_house):
    before = {path: path.read_text(encoding='utf-8') for folder in ('config', 'docs')
              for path in (ROOT / folder).glob('*.[ym][ad]*')}
    run_there(ROOT, str(other_house / 'docs' / 'option_tables.py'))
    for path, text in before.items():
        there = (other_house / path.relative_to(ROOT)).read_text(encoding='utf-8')
        assert there == text, 'python docs/option_tables.py writes it'


def options_of(owner):
    """Return a test's parameters: the fields that are numbers, with their options."""
    return [pytest.param(owner, name, entry, id=f'{owner.__name__}-{name}')
            for name, entry in declared(owner).items() if entry.minimum is not None]


@pytest.mark.parametrize('owner, name, entry', options_of(PlantOptions) + options_of(Payload))
def test_a_field_a_parameter_and_an_argument_have_one_range(owner, name, entry):
    convert = argument_type(entry)
    others = {'mass': 1.0} if owner is Payload and name != 'mass' else {}
    for value in (entry.minimum, entry.maximum, math.nextafter(entry.minimum, -math.inf),
                  math.nextafter(entry.maximum, math.inf), math.nan):
        allowed = entry.minimum <= value <= entry.maximum
        several = [value] * (entry.length or 2) if entry.kind == 'floats' else value
        if allowed:
            owner(**{name: several}, **others)
            check(entry, several)
            assert convert(repr(value)) == value
            continue
        with pytest.raises(ParameterError):
            check(entry, several)
        with pytest.raises(argparse.ArgumentTypeError):
            convert(repr(value))
        if name != 'inertia':       # a matrix is checked as one, where it is used
            with pytest.raises(ParameterError) as caught:
                owner(**{name: several}, **others)
            assert caught.value.name == name


@pytest.mark.parametrize('value', ['x', 1j, 10 ** 400, [None, 1.0], [[1.0], 2.0], True,
                                   np.array([1.0, None])])
def test_what_is_no_number_is_refused_by_the_name_of_the_field(value):
    with pytest.raises(ParameterError, match='damping'):
        PlantOptions(damping=value)


def test_numbers_of_numpy_are_numbers_and_options_compare_by_what_they_say():
    options = PlantOptions(damping=np.array([1, 2]), restitution=np.float32(0.5),
                           mass_factor=np.int64(2), tip_wrench=range(6),
                           payloads=[Payload(np.float64(1.0), com=np.zeros(3))])
    plain = PlantOptions(damping=(1.0, 2.0), restitution=0.5, mass_factor=2.0,
                         tip_wrench=(0.0, 1.0, 2.0, 3.0, 4.0, 5.0), payloads=(Payload(1.0),))
    assert options == plain and hash(options) == hash(plain)
    assert type(options.restitution) is float and type(options.mass_factor) is float
    assert PlantOptions(damping=np.array(2.0), stops=np.bool_(False)) == PlantOptions(
        damping=2.0, stops=False)
    for other in (pickle.loads(pickle.dumps(options)), copy.deepcopy(options)):
        assert other == options


def test_a_number_that_is_infinite_is_refused_as_such_but_where_it_is_meant():
    with pytest.raises(NonFiniteError):
        PlantOptions(damping=math.inf)
    assert Payload(1.0, end=math.inf).end == math.inf


def test_a_number_that_is_needed_is_not_left_out():
    assert PlantOptions(damping=None).damping is None
    for make in (lambda: PlantOptions(restitution=None), lambda: Payload(None)):
        with pytest.raises(ParameterError, match='got None'):
            make()


def test_a_wrench_may_be_a_function_of_time():
    assert PlantOptions(tip_wrench=max).tip_wrench is max


def test_switches_are_given_or_taken_back_and_one_number_is_for_all_joints():
    options = declared(PlantOptions)
    parser = argparse.ArgumentParser()
    add_arguments(parser, options.values())
    args = parser.parse_args(['--no-stops', '--differentiate', '--damping', '1',
                              '--friction', '1', '2', '--method', 'rk8'])
    assert from_arguments(args, options) == {
        'stops': False, 'differentiate': True, 'damping': 1.0, 'friction': [1.0, 2.0],
        'method': 'rk8'}
    assert from_arguments(parser.parse_args([]), options) == {}


def test_names_of_a_registry_are_taken_and_what_can_be_imported():
    entry = Option('law', 'string', 'a', 'A law of some registry', choices=lambda: ('a', 'b'))
    assert check(entry, 'b') == 'b' and check(entry, 'my_module:MyLaw') == 'my_module:MyLaw'
    with pytest.raises(ParameterError, match='one of a, b, or module:name'):
        check(entry, 'c')


def test_options_of_a_law_or_a_motion_are_json_or_words():
    assert named_values('motion_options', "goal=[0.5,1] kind=fast name='two words'") == {
        'goal': [0.5, 1], 'kind': 'fast', 'name': 'two words'}
    assert named_values('motion_options', '') == {}
    for wrong in ('goal', '=1', "a='"):
        with pytest.raises(ParameterError, match='motion_options'):
            named_values('motion_options', wrong)
