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

"""``twolink simulate`` runs arm, law and trajectory without ROS, and says how well they did."""

import json
from pathlib import Path

from arms import LIMITED
import numpy as np
import pytest

import twolink_dynamics as tl
from twolink_dynamics.cli.main import main
from twolink_dynamics.control import make_law
from twolink_dynamics.registry import names
from twolink_dynamics.simulation import Payload, PlantOptions
from twolink_dynamics.trajectory import minimum_jerk
from twolink_dynamics.trajectory.generators import make_motion

URDF = Path(__file__).resolve().parents[2] / 'urdf' / 'twolink.urdf'
SHORT = ('--goal', '0.3', '-0.2', '--duration', '0.4')


@pytest.fixture(scope='module')
def arm():
    return tl.load_arm(URDF)


@pytest.fixture(scope='module')
def move():
    return minimum_jerk([0.0, 0.0], [0.3, -0.2], 0.4)


def answer(capsys, *arguments):
    """Return the status and what machines get."""
    status = main(['simulate', *map(str, arguments), '--json'])
    return status, json.loads(capsys.readouterr().out)


def complaint(capsys, *arguments):
    """Return the status and the one line that says what is wrong."""
    status = main(['simulate', *map(str, arguments)])
    out, err = capsys.readouterr()
    assert len(err.splitlines()) == 1, err
    return status, err


def test_the_log_is_what_the_library_simulates(arm, move, tmp_path, capsys):
    assert main(['simulate', *SHORT, '--log', str(tmp_path / 'run.csv')]) == 0
    log = tl.SimulationResult.load(tmp_path / 'run.csv', arm)
    own = tl.simulate(arm, 0.4, law=tl.ComputedTorque(arm), trajectory=move)
    for name in ('t', 'q', 'qd', 'tau', 'energy'):
        assert (getattr(log, name) == getattr(own, name)).all(), name
    assert (log.desired[0] == own.desired[0]).all()


def test_both_kinds_of_log_hold_the_same(tmp_path, capsys):
    for suffix in ('csv', 'npz'):
        main(['simulate', *SHORT, '--energy', '--log', str(tmp_path / f'run.{suffix}')])
    one, other = (tl.SimulationResult.load(tmp_path / f'run.{s}') for s in ('csv', 'npz'))
    assert (one.q == other.q).all() and (one.work['effort'] == other.work['effort']).all()


def test_options_of_the_plant_reach_the_plant(arm, move, tmp_path, capsys):
    main(['simulate', *SHORT, '--mass-factor', '1.3', '--friction', '1', '2', '--armature', '0.1',
          '--payload', '0.5', '--payload-com', '0.1', '0', '0', '--payload-from', '0.2',
          '--position-noise', '1e-3', '--seed', '4', '--wrench', '1', '0', '0', '0', '0', '0',
          '--no-stops', '--command-delay', '0.002', '--log', str(tmp_path / 'run.npz')])
    log = tl.SimulationResult.load(tmp_path / 'run.npz')
    own = tl.simulate(
        arm, 0.4, law=tl.ComputedTorque(arm), trajectory=move, seed=4, plant=PlantOptions(
            mass_factor=1.3, friction=(1.0, 2.0), armature=0.1, position_noise=1e-3, stops=False,
            payloads=(Payload(0.5, (0.1, 0.0, 0.0), start=0.2),), command_delay=0.002,
            tip_wrench=(1, 0, 0, 0, 0, 0)))
    assert (log.q == own.q).all() and (log.measured[0] == own.measured[0]).all()
    assert [event.kind for event in log.events if event.kind == 'pick up'] == ['pick up']


@pytest.mark.parametrize('name', names('law'))
def test_every_law_can_be_asked_for(name, arm, move, capsys):
    status, facts = answer(capsys, *SHORT, '--law', name)
    own = tl.simulate(arm, 0.4, law=make_law(name, arm), trajectory=move)
    assert status == 0 and facts['law'] == name
    assert facts['joints'][0]['peak_error'] == np.abs(own.error[:, 0]).max()


def test_gains_reach_the_law(arm, move, capsys):
    _, facts = answer(capsys, *SHORT, '--law', 'gravity_pd', '--natural-frequency', '8', '12',
                      '--damping-ratio', '0.7', '--compensate-friction')
    law = make_law('gravity_pd', arm, natural_frequency=[8, 12], damping_ratio=0.7, friction=True)
    own = tl.simulate(arm, 0.4, law=law, trajectory=move)
    assert facts['joints'][1]['final_error'] == own.error[-1, 1]


def test_an_option_of_one_law_only_reaches_it(arm, move, capsys):
    _, facts = answer(capsys, *SHORT, '--law', 'passivity', '--law-option', 'kd=[3.0, 2.0]')
    own = tl.simulate(arm, 0.4, law=make_law('passivity', arm, kd=[3.0, 2.0]), trajectory=move)
    assert facts['joints'][0]['peak_error'] == np.abs(own.error[:, 0]).max()


def test_a_free_arm_swings_and_its_energy_is_explained(capsys):
    status, facts = answer(capsys, '--law', 'none', '--q0', '0.5', '0', '--duration', '2',
                           '--energy')
    assert status == 0 and facts['joints'][0]['rms_error'] is None
    work, swing = facts['energy']['work'], facts['joints'][0]
    assert work['effort'] == 0.0 and work['viscous'] < -0.1
    assert swing['lowest'] < -1.0 and swing['highest'] == pytest.approx(0.5, abs=1e-9)
    # RK4 at a millisecond: far below a millionth of the 150 J at play.
    assert facts['energy']['unexplained'] < 1e-6 * abs(facts['energy']['start'])


def test_a_log_can_be_followed(tmp_path, capsys):
    log = tmp_path / 'way.csv'
    main(['simulate', *SHORT, '--log', str(log)])
    capsys.readouterr()
    status, facts = answer(capsys, '--trajectory', log)
    assert status == 0 and facts['duration'] == 0.4
    assert facts['joints'][0]['highest'] == pytest.approx(0.3, abs=1e-3)


def test_the_tolerance_decides_on_the_status(capsys):
    assert main(['simulate', *SHORT, '--tolerance', '0.01']) == 0
    assert 'followed: rms error of every joint within 10 mrad' in capsys.readouterr().out
    status, facts = answer(capsys, *SHORT, '--tolerance', '1e-9')
    assert status == 1 and facts['followed'] is False
    assert main(['simulate', *SHORT, '--tolerance', '1e-9']) == 1
    assert 'not followed: joint "joint' in capsys.readouterr().out


def test_the_table_has_every_joint_with_units(capsys):
    assert main(['simulate', *SHORT, '--energy']) == 0
    text = capsys.readouterr().out
    for words in ('joint1', 'joint2', '[mrad]', '[rad/s]', '[N m]', '215.8', 'energy:'):
        assert words in text
    assert 'J unexplained' in text


def test_other_arms_have_their_limits_in_the_table(tmp_path, capsys):
    (tmp_path / 'arm.urdf').write_text(LIMITED)
    status, facts = answer(capsys, tmp_path / 'arm.urdf', '--duration', '1',
                           '--trajectory', 'rest')
    assert status == 0 and facts['robot'] == 'limited'
    assert [joint['effort_limit'] for joint in facts['joints']] == [30.0, 10.0]
    assert facts['joints'][1]['lowest'] >= 0.1 - 1e-12


def test_no_limit_is_null_for_machines(tmp_path, capsys):
    text = LIMITED.replace('type="revolute"', 'type="continuous"').replace(
        '<limit lower="-0.5" upper="1.0" velocity="2.0" effort="30"/>', '')
    (tmp_path / 'arm.urdf').write_text(text)
    _, facts = answer(capsys, tmp_path / 'arm.urdf', '--trajectory', 'rest', '--duration', '0.1')
    assert facts['joints'][0]['effort_limit'] is None


@pytest.mark.parametrize('arguments, words', [
    (('--law', 'none', '--kp', '3'), 'gains'),
    (('--law', 'none', '--goal', '1', '1'), 'trajectory'),
    (('--law', 'none', '--tolerance', '1'), 'law'),
    (('--law', 'gravity_pd', '--law-option', 'nonsense=1'), 'nonsense'),
    (('--law', 'bang_bang'), 'bang_bang'),
    (('--kp', '-1'), 'kp'),
    (('--goal', '1'), 'joint1, joint2'),
    (('--goal', '1', 'nan'), 'nan'),
    (('--goal', '1', '1', '--trajectory', 'swing'), '--goal'),
    (('--move-time', '1'), '--goal'),
    (('--q0', '1', '2', '3'), '--q0'),
    (('--trajectory', 'zigzag'), 'zigzag'),
    (('--trajectory', 'no_module:zigzag'), 'no_module'),
    (('--motion-option', 'zigzag'), 'NAME=VALUE'),
    (('--motion-option', 'zig=zag'), 'zig'),
    (('--law', 'no_module:Law'), 'no_module'),
    (('--trajectory', 'none.csv'), 'none.csv'),
    (('--duration', '0'), 'above 0'),
    (('--duration', '1', '--dt', '-1'), 'above 0'),
    ((*SHORT, '--payload', '-1'), '[0, 10000]'),
    ((*SHORT, '--payload-com', '0', '0', '0'), '--payload'),
    ((*SHORT, '--mass-factor', '1', '1', '1'), 'mass_factor'),
    ((*SHORT, '--command-delay', '0.0015'), 'command_delay'),
    ((*SHORT, '--log', 'run.txt'), '.csv or .npz'),
    ((*SHORT, '--log', 'no/such/folder/run.csv'), 'folder'),
    ((*SHORT, '--plot', 'run.doc'), '.png'),
    (('missing.urdf',), 'missing.urdf'),
    ((*SHORT, '--plant', 'missing.urdf'), 'missing.urdf'),
])
def test_what_cannot_be_is_refused_in_one_line(arguments, words, capsys):
    status, line = complaint(capsys, *arguments)
    assert status == 2 and words in line


@pytest.mark.parametrize('name', [
    *names('motion'), 'twolink_dynamics.trajectory.generators.line:line'])
def test_every_motion_can_be_followed_by_name(name, capsys):
    status, facts = answer(capsys, '--trajectory', name, '--duration', '1.5',
                           '--compensate-friction', '--tolerance', '1e-3')
    assert status == 0 and facts['followed']
    assert facts['duration'] >= 1.5 - 1e-9


def test_a_motion_takes_what_it_is_given(arm, capsys):
    status, facts = answer(capsys, '--trajectory', 'circle', '--motion-option', 'radius=0.1',
                           '--motion-option', 'period=1.0', '--motion-option', 'cycles=2')
    own = make_motion('circle', arm, radius=0.1, period=1.0, cycles=2)
    assert status == 0 and facts['duration'] == pytest.approx(own.duration, abs=1e-3)


def test_a_motion_beyond_reason_fails_in_one_line(capsys):
    status, line = complaint(capsys, *SHORT, '--kp', '1e6', '--kd', '1e6', '--no-effort-limits',
                             '--no-stops')
    assert status == 1 and 'diverged' in line


def test_help_shows_examples(capsys):
    assert main(['simulate', '--help']) == 0
    assert 'twolink simulate --trajectory circle --log circle.csv' in capsys.readouterr().out
