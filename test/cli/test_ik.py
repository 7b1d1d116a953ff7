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

"""``twolink ik`` answers for a URDF and for the third text's files, to people and machines."""

import json
import re

from kinematic_arms import HANDBOOK_SOLUTION
import numpy as np
import pytest
from twolink_dynamics.cli.main import main

DH = '0 0 0\n-90 0 0\n0 24 6\n-90 2 24\n90 0 0\n-90 0 0\n'
POSE = '-0.707106 0 0.707106 12\n0 -1 0 12\n0.707106 0 0.707106 -12\n0 0 0 1\n'
START = '24.0\n103.0\n145.0\n215.0\n29.2\n30.0\n'
URDF = """<robot name="two">
  <link name="base"/><link name="one"/><link name="two"/><link name="tip"/>
  <joint name="a" type="continuous"><parent link="base"/><child link="one"/>
    <axis xyz="0 0 1"/></joint>
  <joint name="b" type="continuous"><parent link="one"/><child link="two"/>
    <origin xyz="1 0 0"/><axis xyz="0 0 1"/></joint>
  <joint name="c" type="fixed"><parent link="two"/><child link="tip"/>
    <origin xyz="0.8 0 0"/></joint>
</robot>"""


@pytest.fixture
def files(tmp_path):
    """Write the third text's three files and a URDF; return their paths."""
    paths = {}
    for name, text in (('dh', DH), ('pose', POSE), ('start', START), ('urdf', URDF)):
        paths[name] = str(tmp_path / f'{name}.dat')
        (tmp_path / f'{name}.dat').write_text(text, encoding='utf-8')
    return paths


@pytest.fixture
def handbook(files):
    """Return the arguments of the third text's example."""
    return ['ik', '--dh', files['dh'], '--pose', files['pose'], '--start-file', files['start']]


def test_the_third_texts_files_give_its_solution(handbook, capsys):
    assert main(handbook) == 0
    out = capsys.readouterr().out
    for degrees in np.degrees(HANDBOOK_SOLUTION):
        assert f'{degrees:.6f}' in out
    # Whether a seventh is taken hangs on the last bits of a linear solver.
    assert re.search('reached in [5-9] iterations', out)
    assert 'the nearest rotation was taken' in out


def test_machines_get_the_same_in_full(handbook, capsys):
    assert main([*handbook, '--json', '--all']) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts['success'] is True and facts['reason'] == ''
    np.testing.assert_allclose(facts['q'], HANDBOOK_SOLUTION, rtol=0, atol=1e-7)
    assert facts['joint_names'] == [f'joint{k}' for k in range(1, 7)]
    assert facts['iterations'] <= 10 and facts['position_error'] < 1e-9
    assert np.shape(facts['solutions']) == (8, 6) and np.shape(facts['nearest']) == (4, 4)
    assert 1e-6 < facts['rounding'] < 2e-6


def test_in_the_other_convention_the_status_says_unreachable(handbook, capsys):
    assert main([*handbook, '--convention', 'standard']) == 1
    assert 'NOT reached: out of reach by at least' in capsys.readouterr().out


def test_all_solutions_are_listed(handbook, capsys):
    assert main([*handbook, '--all']) == 0
    out = capsys.readouterr().out
    assert 'solutions found: 8' in out
    assert '-114.295189' in out and '169.604552' in out


def test_a_planar_urdf_takes_plane_coordinates(files, capsys):
    assert main(['ik', files['urdf'], '--tip-link', 'tip', '--xy', '1.8', '0', '--json']) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts['q'] == [0.0, 0.0] and facts['joint_names'] == ['a', 'b']
    assert main(['ik', files['urdf'], '--tip-link', 'tip', '--xy', '1.0', '0.3', '--all']) == 0
    out = capsys.readouterr().out
    assert 'reached in closed form' in out and 'solutions found: 2' in out


def test_out_of_reach_shows_the_nearest_and_exits_1(files, capsys):
    assert main(['ik', files['urdf'], '--xy', '0', '3', '--json']) == 1
    facts = json.loads(capsys.readouterr().out)
    assert facts['success'] is False and 'the stretched arm reaches 1.8 m' in facts['reason']
    np.testing.assert_allclose(facts['nearest'], [0, 1.8], rtol=0, atol=1e-14)


def test_position_and_rpy_make_a_pose(files, capsys):
    command = ['ik', files['urdf'], '--position', '1.0', '0.3', '0', '--json', '--rpy', '0', '0']
    assert main([*command, '5']) == 1     # two joints cannot choose the attitude
    facts = json.loads(capsys.readouterr().out)
    assert facts['rotation_error'] > 0.01 and np.shape(facts['nearest']) == (4, 4)


@pytest.mark.parametrize('arguments, words', [
    (['{urdf}'], '--xy'), (['--xy', '1', '0'], 'either a URDF or --dh'),
    (['{urdf}', '--dh', '{dh}', '--xy', '1', '0'], 'either a URDF or --dh'),
    (['{urdf}', '--links', '{dh}', '--xy', '1', '0'], '--links'),
    (['{urdf}', '--xy', '1', '0', '--rpy', '0', '0', '0'], '--rpy'),
    (['{urdf}', '--xy', '1', '0', '--start', '0'], 'q0'),
    (['{urdf}', '--xy', '1', '0', '--seed', '-1'], '--seed'),
    (['--dh', '{dh}', '--xy', '1', '0'], 'does not move in one'),
    (['--dh', 'none.dat', '--xy', '1', '0'], 'none.dat'),
    (['--dh', '{start}', '--xy', '1', '0'], 'rows of three'),
    (['--dh', '{dh}', '--pose', '{start}'], 'four rows'),
    (['--dh', '{dh}', '--pose', '{pose}', '--start-file', '{pose}'], 'expected 6 numbers'),
    (['none.urdf', '--xy', '1', '0'], 'none.urdf')])
def test_a_mistake_is_one_line_and_status_2(files, capsys, arguments, words):
    assert main(['ik', *(word.format(**files) for word in arguments)]) == 2
    captured = capsys.readouterr()
    assert captured.out == '' and len(captured.err.splitlines()) == 1
    assert words in captured.err


@pytest.mark.parametrize('arguments', [
    ['{urdf}', '--xy', 'nan', '0'], ['{urdf}', '--xy', '1'],
    ['{urdf}', '--xy', '1', '0', '--position', '1', '0', '0']])
def test_what_the_parser_can_see_it_says(files, capsys, arguments):
    assert main(['ik', *(word.format(**files) for word in arguments)]) == 2
    assert '--xy' in capsys.readouterr().err
