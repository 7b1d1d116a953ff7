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

"""Results: to file and back, and as a picture."""

from arms import LIMITED
import pytest
import twolink_dynamics as tl
from twolink_dynamics.errors import ParameterError
from twolink_dynamics.simulation import Payload, PlantOptions, simulate, SimulationResult


@pytest.fixture(scope='module')
def run():
    """Return a run with everything a result can have."""
    arm = tl.load_arm(LIMITED)
    motion = tl.Trajectory([0.0, 0.1], [[0.5, 1.0], [0.6, 0.9]], [[0.0, 0.0], [0.0, 0.0]])
    return simulate(arm, 0.2, law=tl.ComputedTorque(arm), trajectory=motion, plant=PlantOptions(
        ledger=True, position_noise=1e-3, payloads=(Payload(0.5, start=0.1),)))


@pytest.mark.parametrize('suffix', ['.csv', '.npz'])
def test_a_run_reads_back_to_the_same_bits(run, tmp_path, suffix):
    path = tmp_path / f'run{suffix}'
    run.save(path)
    for arm in (None, run.arm):
        back = SimulationResult.load(path, arm)
        assert back.joint_names == run.joint_names == ('shoulder', 'elbow')
        for name in ('t', 'q', 'qd', 'tau', 'energy', 'error', 'energy_residual'):
            assert (getattr(back, name) == getattr(run, name)).all(), name
        for ours, theirs in ((back.desired, run.desired), (back.measured, run.measured),
                             (list(back.work.values()), list(run.work.values()))):
            assert all((a == b).all() for a, b in zip(ours, theirs))
        assert list(back.work) == list(run.work)
    if suffix == '.npz':
        assert back.events == run.events and {'pick up'} <= {e.kind for e in back.events}


def test_a_plain_run_reads_back_without_what_it_does_not_have(tmp_path):
    run = simulate(tl.TwoLinkArm(), 0.01, q0=(0.1, 0.2))
    for path in (tmp_path / 'run.csv', str(tmp_path / 'run.npz')):
        run.save(path)
        back = SimulationResult.load(path)
        assert back.desired is back.measured is back.work is back.error is None
        assert (back.q == run.q).all() and back.events == []


def test_the_table_has_the_columns_that_are_promised(run, tmp_path):
    run.save(tmp_path / 'run.csv')
    header = (tmp_path / 'run.csv').read_text().splitlines()[0].split(',')
    assert header[:7] == ['t', 'q[shoulder]', 'q[elbow]', 'qd[shoulder]', 'qd[elbow]',
                          'tau[shoulder]', 'tau[elbow]']
    assert {'q_desired[elbow]', 'q_measured[elbow]', 'energy', 'work_effort'} <= set(header)


@pytest.mark.parametrize('name, content, problem', [
    ('run.txt', '', 'ends in .csv or .npz'), ('run.csv', '', 'table of numbers'),
    ('run.csv', 't,q[a]\n0.0,zero\n', 'table of numbers'),
    ('run.csv', 't,q[a]\n0.0,1.0\n', 'energy, qd, tau'),
    ('run.csv', 't,q[a]\n0.0\n', 'table of numbers'), ('run.npz', 'text', 'arrays'),
])
def test_a_file_that_is_no_run_is_refused(tmp_path, name, content, problem):
    path = tmp_path / name
    path.write_text(content)
    with pytest.raises(ParameterError, match=problem):
        SimulationResult.load(path)


def test_a_file_of_another_arm_is_refused(run, tmp_path):
    run.save(tmp_path / 'run.csv')
    with pytest.raises(ParameterError, match='shoulder, elbow'):
        SimulationResult.load(tmp_path / 'run.csv', tl.TwoLinkArm())
    with pytest.raises(ParameterError, match='.csv or .npz'):
        run.save(tmp_path / 'run.xls')


def test_a_run_is_drawn(run, tmp_path):
    pytest.importorskip('matplotlib')
    figure = run.plot(tmp_path / 'run.png', 'a run')
    assert (tmp_path / 'run.png').stat().st_size > 10000
    assert [axes.get_ylabel().split(' [')[0] for axes in figure.axes] == [
        'position', 'desired − actual', 'effort', 'energy, work']
    free = simulate(tl.TwoLinkArm(), 0.01)
    assert free.plot().axes[1].get_ylabel() == 'velocity [rad/s]'


def test_a_progress_bar_ends_at_the_duration(capsys):
    simulate(tl.TwoLinkArm(), 1.2, progress=True)
    assert '1.2 of 1.2 s' in capsys.readouterr().err
    simulate(tl.TwoLinkArm(), 0.1)
    assert capsys.readouterr().err == ''
