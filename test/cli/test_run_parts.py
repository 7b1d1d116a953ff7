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

"""The parts of ``twolink run`` that need no ROS: parameters, record, progress, leash."""

import io
import os
import signal
import subprocess
import sys

import numpy as np
import pytest

import twolink_dynamics as tl
from twolink_dynamics.clients.processes import NodeProcess, stop_all, write_parameters
from twolink_dynamics.clients.progress import Progress
from twolink_dynamics.clients.run_record import RunRecord
from twolink_dynamics.trajectory import minimum_jerk

START = 5_000_000_000
MS = 1_000_000


@pytest.fixture(scope='module')
def arm():
    """Return the drawing of the texts."""
    return tl.TwoLinkArm()


def record_of(arm, offset=(0.0, 0.0), missing=()):
    """Return the record of a move of a tenth of a second that was off by a constant."""
    move = minimum_jerk([0.0, 0.0], [0.1, -0.1], 0.1)
    states = {}
    for k in range(-3, 105):
        q, qd, _ = move.sample(1e-3 * k)
        if k not in missing:
            states[START + k * MS] = (np.subtract(q, offset).tolist(), qd, [1.0, -2.0])
    return RunRecord(arm, move, states, set(states), START, 1e-3, 0.05)


def test_the_record_counts_what_lies_within_the_trajectory(arm):
    record = record_of(arm)
    assert len(record.t) == record.expected == record.answers == 101
    assert (record.t[0], record.t[-1]) == (0.0, 0.1)
    assert record.coverage == 1.0
    # Stamps are whole nanoseconds: 1e-3 k and 1e-9 ns differ by an eps of the time.
    assert np.abs(record.error).max() < 1e-14


def test_an_offset_is_the_rms_and_the_peak_error(arm):
    figures = record_of(arm, offset=(0.003, -0.004)).figures()
    for joint, error in zip(figures['joints'], (0.003, 0.004)):
        assert joint['rms_error'] == pytest.approx(error, rel=1e-9)
        assert joint['peak_error'] == pytest.approx(error, rel=1e-9)
    assert [joint['peak_effort'] for joint in figures['joints']] == [1.0, 2.0]
    assert figures['real_time_factor'] == pytest.approx(2.0)


def test_states_that_are_missing_are_missed(arm):
    record = record_of(arm, missing=range(10, 35))
    assert len(record.t) == 76 and record.coverage == pytest.approx(76 / 101)


def test_a_record_without_states_has_no_error_to_show(arm):
    record = record_of(arm, missing=range(-3, 105))
    assert record.coverage == 0.0 and np.isnan(record.rms).all()
    assert len(record.table()) == 4


def test_the_table_lines_up_and_has_units(arm):
    lines = record_of(arm, offset=(0.003, -0.004)).table()
    assert '3.000 mrad' in lines[1] and '4.000 mrad' in lines[2] and '2.00 N m' in lines[2]
    assert len({line.index('mrad') for line in lines[1:3]}) == 1


def test_a_log_reads_back_to_the_same_bits(arm, tmp_path):
    record = record_of(arm, offset=(0.1, 1.0 / 3.0))
    record.write_csv(tmp_path / 'log.csv')
    log = np.loadtxt(tmp_path / 'log.csv', delimiter=',', skiprows=1)
    assert (log[:, 1:3] == record.q).all() and (log[:, 7:9] == record.desired).all()


def test_parameters_are_read_back_by_yaml(tmp_path):
    yaml = pytest.importorskip('yaml', reason='PyYAML reads the parameter file for this test')
    values = {'text': 'a: "b" # c\n<robot/>', 'number': 1e-7, 'large': 1e22, 'whole': 2.0,
              'flag': True, 'list': [0.0, -1e-30, 0.25], 'empty': ''}
    write_parameters(tmp_path / 'p.yaml', values)
    read = yaml.safe_load((tmp_path / 'p.yaml').read_text())['/**']['ros__parameters']
    assert read == values
    assert all(isinstance(x, float) for x in [read['number'], read['whole'], *read['list']])


def test_progress_without_a_terminal_is_a_few_lines():
    stream = io.StringIO()
    progress = Progress(10.0, 'mrad', stream)
    for k in range(101):
        progress.update(0.1 * k, 1000.0, 0.25)
    progress.close()
    lines = stream.getvalue().splitlines()
    assert len(lines) == 4
    assert lines[-1] == '10.0 of 10.0 s, 1000 Hz, error 0.250 mrad'


def test_progress_on_a_terminal_is_one_line_that_goes():
    pytest.importorskip('tqdm', reason='the live line is drawn by tqdm')

    class Terminal(io.StringIO):
        def isatty(self):
            return True

    stream = Terminal()
    progress = Progress(10.0, 'mrad', stream)
    progress.update(2.5, 1000.0, 0.25)
    assert '25 %' in stream.getvalue() and 'error 0.250 mrad' in stream.getvalue()
    progress.close()
    assert '\n' not in stream.getvalue()


@pytest.fixture
def module(tmp_path, monkeypatch):
    """Return a function that makes a module which can be run with ``python -m``."""
    monkeypatch.setenv('PYTHONPATH', os.pathsep.join([str(tmp_path), *sys.path]))

    def make(code):
        (tmp_path / 'leashed_module.py').write_text(code)
        return 'leashed_module'
    return make


LEASH = [sys.executable, '-m', 'twolink_dynamics.clients.leash']


def test_a_leashed_module_ends_when_the_pipe_closes(module):
    process = subprocess.Popen(
        [*LEASH, module('import time\nprint("here", flush=True)\ntime.sleep(600)')],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout.readline() == b'here\n'
    process.stdin.close()
    assert process.wait(60) == -signal.SIGTERM
    process.stdout.close()


def test_a_leashed_module_that_will_not_end_is_ended(module):
    process = subprocess.Popen(
        [*LEASH, module('import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n'
                        'print("here", flush=True)\ntime.sleep(600)')],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout.readline() == b'here\n'
    process.stdin.close()
    assert process.wait(60) == -signal.SIGKILL
    process.stdout.close()


def test_a_leashed_module_gets_its_arguments_and_keeps_its_status(module):
    process = subprocess.Popen(
        [*LEASH, module('import sys\nprint(sys.argv[1:])\nsys.exit(7)'), 'a', 'b'],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    with process:
        assert process.stdout.read() == "['a', 'b']\n"
        assert process.wait(60) == 7


def test_a_process_says_how_it_ended_and_what_it_said(module, tmp_path):
    name = module('print("[INFO] fine")\nprint("[WARN] beware")\nraise SystemExit(3)')
    process = NodeProcess('node', name, tmp_path, {})
    process._process.wait(60)
    assert process.ended == 'ended with status 3'
    assert process.complaints() == ['[WARN] beware']
    assert process.last_words() == ['[INFO] fine', '[WARN] beware']
    stop_all([process])


def test_many_complaints_are_counted(module, tmp_path):
    name = module('for k in range(100): print("[WARN] beware")')
    process = NodeProcess('node', name, tmp_path, {})
    process._process.wait(60)
    assert len(process.complaints()) == 6
    assert '95 more' in process.complaints()[-1]
    stop_all([process])


def test_all_processes_are_stopped(module, tmp_path):
    name = module('import time\ntime.sleep(600)')
    processes = [NodeProcess(f'node{k}', name, tmp_path, {}) for k in range(2)]
    stop_all(processes)
    assert all(process.ended == 'was killed by SIGTERM' for process in processes)
