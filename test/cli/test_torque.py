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

"""``twolink torque`` gives the efforts of a motion of the tip, or of the joints."""

import json
from pathlib import Path

import numpy as np
import pytest
import twolink_dynamics as tl
from twolink_dynamics.cli.main import main

URDF = """<robot name="two">
  <link name="base"/>
  <link name="one"><inertial><origin xyz="0.5 0 0"/><mass value="1"/>
    <inertia ixx="0.01" iyy="0.083" izz="0.083" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="two"><inertial><origin xyz="0.5 0 0"/><mass value="1"/>
    <inertia ixx="0.01" iyy="0.083" izz="0.083" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="tip"/>
  <joint name="a" type="revolute"><parent link="base"/><child link="one"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" effort="20" velocity="5"/><dynamics damping="0.5"/></joint>
  <joint name="b" type="revolute"><parent link="one"/><child link="two"/><origin xyz="1 0 0"/>
    <axis xyz="0 0 1"/><limit lower="-3" upper="3" effort="20" velocity="5"/></joint>
  <joint name="c" type="fixed"><parent link="two"/><child link="tip"/><origin xyz="1 0 0"/></joint>
</robot>"""
DOWN = ('--gravity', '0', '-9.81', '0')


@pytest.fixture
def urdf(tmp_path):
    path = tmp_path / 'two.urdf'
    path.write_text(URDF, encoding='utf-8')
    return str(path)


@pytest.fixture
def arm(urdf):
    return tl.load_arm(urdf, tip_link='tip', gravity=(0, -9.81, 0))


def answer(capsys, *arguments):
    """Return the status and what machines get."""
    status = main(['torque', *arguments, '--json'])
    return status, json.loads(capsys.readouterr().out)


def test_a_tip_at_rest_is_held(urdf, arm, capsys):
    status, facts = answer(capsys, urdf, '--tip-link', 'tip', *DOWN, '--xy', '1.2', '0.4')
    assert status == 0 and facts['joint_names'] == ['a', 'b']
    np.testing.assert_allclose(facts['tau'], arm.gravity_vector(facts['q']), rtol=1e-12)
    assert facts['effort_limits'] == [20, 20] and facts['qd'] == [0, 0]


def test_a_motion_of_the_tip_has_its_efforts(urdf, arm, capsys):
    status, facts = answer(
        capsys, urdf, '--tip-link', 'tip', *DOWN, '--xy', '1.2', '0.4', '--velocity', '0.3', '0.1',
        '--acceleration', '1', '-2', '--friction')
    wanted = arm.task_inverse_dynamics([1.2, 0.4], [0.3, 0.1], [1, -2], friction=True)
    assert status == 0
    np.testing.assert_allclose(facts['tau'], wanted.tau, rtol=1e-12)
    np.testing.assert_allclose(facts['qdd'], wanted.qdd, rtol=1e-12)


def test_a_motion_of_the_joints_has_its_efforts(urdf, arm, capsys):
    status, facts = answer(
        capsys, urdf, '--tip-link', 'tip', *DOWN, '--q', '0.4', '-0.5', '--qd', '1', '2', '--qdd',
        '3', '4', '--wrench', '1', '2', '0', '0', '0', '0.5')
    wanted = arm.inverse_dynamics([0.4, -0.5], [1, 2], [3, 4], tip_wrench=[1, 2, 0, 0, 0, .5])
    assert status == 0
    np.testing.assert_allclose(facts['tau'], wanted, rtol=1e-12)


def test_the_table_shows_joint_effort_and_limit(urdf, capsys):
    assert main(['torque', urdf, '--tip-link', 'tip', *DOWN, '--q', '0', '0']) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split()[0] == 'joint' and lines[0].split()[-1] == 'limit'
    row = lines[1].split()
    assert row[0] == 'a' and float(row[-2]) == pytest.approx(2 * 9.81) and row[-1] == '20'
    assert all(len(line) <= 100 for line in lines)


def test_what_is_beyond_the_motors_is_said(urdf, capsys):
    assert main(['torque', urdf, *DOWN, '--q', '0', '0', '--qdd', '50', '0']) == 0
    assert 'beyond the effort limit: a' in capsys.readouterr().out


def test_out_of_reach_and_singular_exit_1(urdf, capsys):
    status, facts = answer(capsys, urdf, '--tip-link', 'tip', '--xy', '5', '0')
    assert status == 1 and 'out of reach' in facts['reason'] and np.isfinite(facts['tau']).all()
    status, facts = answer(capsys, urdf, '--tip-link', 'tip', '--xy', '2', '0', '--velocity', '-1',
                           '0')
    assert status == 1 and facts['damped'] and 'singularity' in facts['reason']


def test_rows_and_links_are_an_arm_too(tmp_path, capsys):
    Path(tmp_path / 'dh.dat').write_text('0 0 0\n0 1 0\n')
    Path(tmp_path / 'links.dat').write_text('1 .5 0 0 .01 .083 .083\n1 .5 0 0 .01 .083 .083\n')
    command = ['--dh', str(tmp_path / 'dh.dat'), '--links', str(tmp_path / 'links.dat')]
    status, facts = answer(capsys, *command, *DOWN, '--q', '0', '0')
    assert status == 0
    np.testing.assert_allclose(facts['tau'], [2 * 9.81, 0.5 * 9.81], rtol=1e-12)
    assert facts['effort_limits'] == [None, None]


@pytest.mark.parametrize('arguments, words', [
    ([], '--q'), (['--xy', '1', '0', '--q', '0', '0'], 'either a target'),
    (['--q', '0'], '--q'), (['--q', '0', '0', '--qd', '1'], '--qd'),
    (['--q', '0', '0', '--velocity', '1', '0'], '--velocity'),
    (['--xy', '1', '0', '--qd', '1', '0'], '--qd'),
    (['--xy', '1', '0', '--velocity', '1', '0', '0'], 'velocity'),
    (['--xy', '1', '0', '--wrench', '1', '0', '0', '0', '0', '0'], '--wrench'),
    (['--xy', '1', '0', '--damping', '0'], 'damping')])
def test_a_mistake_is_one_line_and_status_2(urdf, capsys, arguments, words):
    assert main(['torque', urdf, *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == '' and len(captured.err.splitlines()) == 1
    assert words in captured.err


def test_rows_without_masses_have_no_efforts(tmp_path, capsys):
    Path(tmp_path / 'dh.dat').write_text('0 0 0\n0 1 0\n')
    assert main(['torque', '--dh', str(tmp_path / 'dh.dat'), '--q', '0', '0']) == 2
    assert '--links' in capsys.readouterr().err
    Path(tmp_path / 'links.dat').write_text('1 .5 0 0\n')
    assert main(['torque', '--dh', str(tmp_path / 'dh.dat'), '--links',
                 str(tmp_path / 'links.dat'), '--q', '0', '0']) == 2
    assert 'expected 2 links' in capsys.readouterr().err
