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

"""``twolink plot`` draws a log as it was, for print, or says in one line why it cannot."""

from pathlib import Path

import numpy as np
import pytest

import twolink_dynamics as tl
from twolink_dynamics.cli.logs import read_log
from twolink_dynamics.cli.main import main
from twolink_dynamics.clients.run_record import RunRecord
from twolink_dynamics.trajectory import minimum_jerk

pytest.importorskip('matplotlib', reason='pictures are drawn by matplotlib')
URDF = Path(__file__).resolve().parents[2] / 'urdf' / 'twolink.urdf'


@pytest.fixture(scope='module')
def arm():
    return tl.load_arm(URDF)


@pytest.fixture(scope='module')
def result(arm):
    way = tl.trajectories.circle(arm, period=1.0)
    return tl.simulate(arm, way.duration, 5e-3, law=tl.ComputedTorque(arm), trajectory=way)


@pytest.fixture
def log(result, tmp_path, monkeypatch):
    """Return the name of a log in the current folder."""
    monkeypatch.chdir(tmp_path)
    result.save('run.csv')
    return 'run.csv'


def complaint(capsys, *arguments):
    """Return the one line that says what is wrong with what was given."""
    assert main(['plot', *map(str, arguments)]) == 2
    out, err = capsys.readouterr()
    assert len(err.splitlines()) == 1, err
    return err


@pytest.mark.parametrize('suffix', ['csv', 'npz'])
def test_a_log_reads_back_to_the_same_bits(suffix, result, tmp_path):
    result.save(tmp_path / f'run.{suffix}')
    motion = read_log(tmp_path / f'run.{suffix}')
    assert motion.joint_names == ('joint1', 'joint2') and motion.efforts_lead
    for name in ('t', 'q', 'qd', 'tau', 'energy'):
        assert (getattr(motion, name) == getattr(result, name)).all()
    assert (motion.q_desired == result.desired[0]).all()


def test_the_log_of_a_run_is_one_of_joint_states(arm, tmp_path):
    move = minimum_jerk([0.0, 0.0], [0.1, -0.1], 0.1)
    states = {k * 1000000: (*move.sample(1e-3 * k)[:2], [1.0, -2.0]) for k in range(101)}
    RunRecord(arm, move, states, set(states), 0, 1e-3, 0.1).write_csv(tmp_path / 'run.csv')
    motion = read_log(tmp_path / 'run.csv')
    assert not motion.efforts_lead and motion.energy is None
    assert (motion.tau == [1.0, -2.0]).all() and motion.q_desired.shape == (101, 2)
    assert motion.t[-1] == pytest.approx(0.1, rel=1e-12)


def test_all_pictures_are_drawn_and_named(log, capsys):
    assert main(['plot', log, str(URDF), '--kind', 'all', '--format', 'svg']) == 0
    files = capsys.readouterr().out.split()
    assert files == [f'run-{kind}.svg' for kind in (
        'overview', 'tracking', 'error', 'velocity', 'effort', 'energy', 'tip', 'phase')]
    assert all(Path(file).stat().st_size > 4000 for file in files)


def test_one_picture_has_the_name_it_was_given(log, capsys):
    assert main(['plot', log, str(URDF), '--kind', 'tip', '-o', 'a.pdf', '--width', '12']) == 0
    assert capsys.readouterr().out == 'a.pdf\n'
    assert main(['plot', log, '--kind', 'tracking', '--kind', 'phase', '-o', 'b.png']) == 0
    assert capsys.readouterr().out.split() == ['b-tracking.png', 'b-phase.png']


def test_a_picture_is_as_wide_as_the_column_it_is_for(log):
    from matplotlib.image import imread
    main(['plot', log, '--kind', 'effort', '-o', 'a.png', '--width', 'column'])
    # 8.5 cm at 300 dots an inch.
    assert imread('a.png').shape[1] == pytest.approx(0.085 / 0.0254 * 300, abs=1)


def test_the_arm_of_this_package_is_taken_only_for_its_joints(log, result, arm, capsys):
    main(['plot', log, '--kind', 'tip'])
    assert 'two-link arm of this package' in capsys.readouterr().err
    other = tl.SimulationResult(arm, result.t, result.q, result.qd, result.tau,
                                joint_names=('a', 'b'))
    other.save('other.npz')
    assert 'URDF' in complaint(capsys, 'other.npz', '--kind', 'tip')
    assert 'joints of the motion, which are a, b' in complaint(capsys, 'other.npz', URDF)


def test_a_part_is_drawn_alone(log, capsys):
    assert main(['plot', log, '--from', '0.5', '--to', '0.7']) == 0
    capsys.readouterr()
    assert '1.5 s' in complaint(capsys, log, URDF, '--from', '7')


@pytest.mark.parametrize('text, words', [
    ('', 'numbers'), ('t,q[a]\n', 'numbers'), ('t,q[a]\n0,1\n', 'two samples'),
    ('t,q[a]\n0,1\n1,x\n', 'numbers'), ('t,q[a]\n0,1\n1\n', 'numbers'),
    ('t,q[a]\n0,1\n0,1\n', 'increasing'), ('t,q[a]\n0,1\n1,nan\n', 'finite'),
    ('t,q[a]\n0,1\ninf,1\n', 'finite'), ('time,angle\n0,1\n1,2\n', 'q[<joint>]'),
    ('t,q[a],q[b],tau[a]\n0,1,1,1\n1,1,1,1\n', 'tau of 2 x 2'), ('\x00\xff', 'numbers'),
])
def test_a_table_that_is_no_log_is_refused(text, words, tmp_path, capsys):
    (tmp_path / 'log.csv').write_text(text, encoding='latin-1')
    assert words in complaint(capsys, tmp_path / 'log.csv')


def test_other_files_are_refused(log, tmp_path, capsys):
    (tmp_path / 'broken.npz').write_bytes(b'PK\x03\x04 but not really')
    np.savez(tmp_path / 'other.npz', a=np.zeros(3))
    np.savez(tmp_path / 'objects.npz', t=np.array([object()]))
    for name, words in (('broken.npz', 'arrays'), ('other.npz', 'q[<joint>]'),
                        ('objects.npz', 'arrays'), ('none.csv', 'No such file'),
                        (str(URDF), '.csv, .npz')):
        assert words in complaint(capsys, name)
    assert '--topic' in complaint(capsys, log, '--topic', '/joint_states')


@pytest.mark.parametrize('arguments, words', [
    (('-o', 'a.txt'), '.png'), (('-o', 'no/a.png'), 'folder'), (('--format', 'doc'), '.png'),
    (('-o', 'a.png', '--format', 'svg'), '--format'), (('--kind', 'portrait'), 'portrait'),
    (('--width', '1000'), 'cm'), (('--width', 'wide'), 'cm')])
def test_a_picture_that_cannot_be_is_refused(arguments, words, log, capsys):
    assert words in complaint(capsys, log, *arguments)
