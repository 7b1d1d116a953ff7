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
``twolink run`` as a user meets it: a process with an exit status and words.

Whatever is about numbers runs in lockstep, so that it holds on a machine of any load; what runs in
real time is about processes and signals.

"""

import csv
import importlib.util
import json
import os
from pathlib import Path
import signal
import subprocess
import sys
import time

from corpus import corpus_file, needs_corpus
import numpy as np
import pytest
from ros_domain import take_domain

import twolink_dynamics as tl
from twolink_dynamics.cli import main as command
from twolink_dynamics.trajectory import swing

ROOT = Path(__file__).resolve().parents[2]
# No assertion is about time: this is when a test that hangs is given up [s].
PATIENCE = 90.0

needs_ros = pytest.mark.skipif(importlib.util.find_spec('rclpy') is None,
                               reason="no rclpy: pip install 'twolink_dynamics[ros]'")


@pytest.fixture(scope='module')
def environment(tmp_path_factory):
    """Return the environment of the commands: a domain of their own."""
    domain, lock = take_domain()
    yield {**os.environ, 'ROS_DOMAIN_ID': str(domain), 'PYTHONUNBUFFERED': '1',
           'PYTHONPATH': os.pathsep.join([str(ROOT), os.environ.get('PYTHONPATH', '')]),
           'TMPDIR': str(tmp_path_factory.mktemp('tmp'))}
    lock.close()


class Run:
    """A ``twolink run`` under way."""

    def __init__(self, environment, *arguments):
        self._process = subprocess.Popen(
            [sys.executable, '-m', 'twolink_dynamics.cli', 'run', *map(str, arguments)],
            env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            start_new_session=True)
        self.pid = self._process.pid

    def wait(self):
        """Return exit status, output and error output."""
        try:
            out, err = self._process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            out, err = self._process.communicate()
            raise AssertionError(f'still running after {PATIENCE:g} s: {out} {err}') from None
        return self._process.returncode, out, err

    def await_motion(self):
        """Wait until the arm moves: the first progress is said."""
        line = self._process.stderr.readline()
        assert ' Hz' in line, line + self._process.stderr.read()

    def children(self):
        """Return the pids of the nodes, by name."""
        found = {}
        for folder in Path('/proc').glob('[0-9]*'):
            try:
                parent = int((folder / 'stat').read_text().rsplit(')', 1)[1].split()[1])
                words = (folder / 'cmdline').read_text().split('\0')
            except (OSError, IndexError, ValueError):
                continue
            if parent == self.pid:
                found.update({name: int(folder.name) for name in ('simulator', 'controller')
                              if name in words and 'twolink_dynamics.nodes.run_node' in words})
        return found


def alive(pid):
    """Tell whether a process runs; a zombie does not."""
    try:
        return Path(f'/proc/{pid}/stat').read_text().rsplit(')', 1)[1].split()[0] != 'Z'
    except OSError:
        return False


def assert_all_end(pids):
    """Wait until processes are gone."""
    end = time.monotonic() + PATIENCE
    while left := [pid for pid in pids if alive(pid)]:
        assert time.monotonic() < end, f'left running: {left}'
        time.sleep(0.02)


@pytest.fixture(scope='module')
def swung(environment, tmp_path_factory):
    """Run a swing of the default arm in lockstep, with all that can be written."""
    folder = tmp_path_factory.mktemp('swung')
    files = folder / 'run.png', folder / 'run.csv'
    status, out, err = Run(environment, '--lockstep', '--duration', 2, '--json',
                           '--plot', files[0], '--log', files[1]).wait()
    assert status == 0, out + err
    return json.loads(out), *files


@needs_ros
def test_the_default_arm_follows_the_swing(swung):
    figures, _, _ = swung
    assert figures['followed'] is True
    assert figures['samples'] == figures['samples_expected'] == 2001
    assert [joint['name'] for joint in figures['joints']] == ['joint1', 'joint2']
    for joint in figures['joints']:
        assert 0.0 < joint['rms_error'] <= joint['peak_error'] < 5e-3
        assert 0.0 < joint['peak_effort'] < joint['effort_limit']


@needs_ros
def test_the_log_of_a_lockstep_run_is_the_run_without_ros(swung):
    with open(swung[2], newline='') as file:
        rows = list(csv.reader(file))
    assert rows[0][:3] == ['t', 'q[joint1]', 'q[joint2]']
    log = np.array(rows[1:], dtype=float)
    arm = tl.load_arm(tl.share_path('urdf', 'twolink.urdf'))
    law = tl.ComputedTorque(arm, natural_frequency=20.0, damping_ratio=1.0, friction=True)
    run = tl.simulate(arm, 2.0, law=law, trajectory=swing(arm, period=2.0, cycles=1))
    # Times are counted in ns there and in steps here: they differ by an eps of 2 s.
    np.testing.assert_allclose(log[:, 1:5], np.hstack([run.q, run.qd]), rtol=0, atol=1e-12)
    np.testing.assert_allclose(log[1:, 5:7], run.tau[:-1], rtol=1e-10, atol=1e-10)


@needs_ros
def test_a_plot_is_written(swung):
    from matplotlib.image import imread

    picture = imread(swung[1])
    assert picture.shape[0] > 500 and picture.shape[1] > 500
    assert picture[..., :3].std() > 0.01


@needs_ros
@needs_corpus
def test_a_urdf_of_ros2_control_follows_the_swing(environment):
    status, out, err = Run(environment, corpus_file('rrbot_ros2_control'), '--lockstep',
                           '--duration', 2, '--tolerance', 1e-3).wait()
    assert status == 0, out + err
    assert 'followed' in out and 'joint2' in out


@needs_ros
def test_the_tip_follows_a_circle(environment):
    status, out, err = Run(environment, '--lockstep', '--duration', 3, '--trajectory', 'circle',
                           '--tolerance', 1e-3).wait()
    assert status == 0, out + err


@needs_ros
def test_motion_and_law_take_what_they_are_given(environment):
    status, out, err = Run(
        environment, '--lockstep', '--trajectory', 'line', '--motion-option', 'duration=1.5',
        '--law', 'twolink_dynamics.control.laws.gravity_pd:GravityPD', '--law-option', 'ki=5',
        '--tolerance', 1, '--json').wait()
    assert status == 0, err
    assert json.loads(out)['duration'] == 1.5


@needs_ros
def test_an_arm_that_misses_the_tolerance_is_a_failure_with_a_reason(environment):
    status, out, _ = Run(environment, '--lockstep', '--duration', 1, '--tolerance', 1e-9).wait()
    assert status == 1
    assert 'not followed: joint "joint' in out


@needs_ros
def test_two_runs_in_two_namespaces_do_not_meet(environment):
    runs = [Run(environment, '--lockstep', '--duration', 2, '--namespace', name)
            for name in ('/left', 'right/arm')]
    for run in runs:
        status, out, err = run.wait()
        assert status == 0, out + err


@needs_ros
def test_a_second_run_on_the_same_topics_is_refused(environment):
    first = Run(environment, '--duration', 600)
    try:
        wait_for_children(first)
        status, _, err = Run(environment, '--duration', 1).wait()
        assert status == 1
        assert 'joint_states' in err and '--namespace' in err
        assert err.count('\n') == 1
    finally:
        os.kill(first.pid, signal.SIGTERM)
        assert first.wait()[0] == 128 + signal.SIGTERM


def wait_for_children(run):
    """Wait until both nodes of a run are there, and return their pids."""
    end = time.monotonic() + PATIENCE
    while len(children := run.children()) < 2:
        assert time.monotonic() < end
        time.sleep(0.02)
    return children


@needs_ros
@pytest.mark.parametrize('victim', ['simulator', 'controller'])
def test_a_run_ends_when_a_node_is_killed(environment, victim):
    run = Run(environment, '--duration', 6)
    children = wait_for_children(run)
    run.await_motion()
    os.kill(children[victim], signal.SIGKILL)
    status, _, err = run.wait()
    assert status == 1
    assert f'the {victim} (pid {children[victim]}) was killed by SIGKILL' in err
    assert 'Traceback' not in err
    assert_all_end(children.values())


@needs_ros
@pytest.mark.parametrize('victim', ['simulator', 'controller'])
def test_a_run_ends_when_a_node_is_killed_before_it_is_connected(environment, victim):
    run = Run(environment, '--duration', 6)
    children = wait_for_children(run)
    os.kill(children[victim], signal.SIGKILL)
    status, _, err = run.wait()
    assert status == 1 and 'was killed by SIGKILL' in err
    assert_all_end(children.values())


@needs_ros
def test_nodes_end_when_the_run_is_killed(environment):
    run = Run(environment, '--duration', 6)
    children = wait_for_children(run)
    run.await_motion()
    os.kill(run.pid, signal.SIGKILL)
    assert run.wait()[0] == -signal.SIGKILL
    assert_all_end(children.values())


@needs_ros
@pytest.mark.parametrize('number, status', [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize('when', ['in motion', 'at the start'])
def test_a_signal_ends_the_run_and_its_nodes(environment, tmp_path, number, status, when):
    run = Run({**environment, 'TMPDIR': str(tmp_path)}, '--duration', 6)
    children = wait_for_children(run)
    if when == 'in motion':
        run.await_motion()
    os.kill(run.pid, number)
    ended, _, err = run.wait()
    assert ended == status, err
    assert 'Traceback' not in err
    assert_all_end(children.values())
    assert not list(tmp_path.glob('twolink_run_*'))


@pytest.mark.parametrize('arguments, says', [
    (['no_such.urdf'], 'no_such.urdf'),
    ([__file__], 'XML'),
    (['--base-link', 'nowhere'], 'nowhere'),
    (['--tip-link', 'nowhere'], 'nowhere'),
    (['--duration', '0'], '--duration'),
    (['--duration', 'nan'], '--duration'),
    (['--duration', 'long'], '--duration'),
    (['--tolerance', '-1'], '--tolerance'),
    (['--trajectory', 'zigzag'], '--trajectory'),
    (['--motion-option', 'zigzag'], '--motion-option'),
    (['--motion-option', 'zig=zag'], 'zig'),
    (['--law-option', 'zigzag'], '--law-option'),
    (['--law', 'bang_bang'], '--law'),
    (['--namespace', '1st'], '--namespace'),
    (['--namespace', 'a b'], '--namespace'),
    (['--namespace', 'a__b'], '--namespace'),
    (['--plot', 'no_such_folder/run.png'], '--plot'),
    (['--plot', 'run.xyz'], '--plot'),
    (['--log', 'no_such_folder/run.csv'], '--log'),
    (['--log', str(ROOT)], '--log'),
    (['--gravity-please'], '--gravity-please'),
])
def test_a_wrong_argument_is_one_line_and_status_2(capsys, arguments, says):
    assert command.main(['run', *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ''
    assert err.count('\n') == 1 and says in err


def test_a_missing_ros_is_one_line_that_says_what_to_install(environment):
    # In a process of its own: in this one ROS may be imported already.
    code = ('import sys; sys.modules["rclpy"] = None; from twolink_dynamics.cli.main import main; '
            'sys.exit(main(["run", "--duration", "1"]))')
    run = subprocess.run([sys.executable, '-c', code], env=environment, capture_output=True,
                         text=True, timeout=PATIENCE)
    assert run.returncode == 1
    assert run.stderr.count('\n') == 1 and 'pip install' in run.stderr


def test_the_version_is_said(capsys):
    assert command.main(['--version']) == 0
    assert capsys.readouterr().out == f'twolink {tl.__version__}\n'


def test_no_command_is_a_mistake(capsys):
    assert command.main([]) == 2
    assert capsys.readouterr().err.count('\n') == 1


def test_a_reader_that_is_gone_is_no_traceback(environment):
    reader, writer = os.pipe()
    os.close(reader)
    run = subprocess.run([sys.executable, '-m', 'twolink_dynamics.cli', '--help'],
                         env={**environment, 'PYTHONUNBUFFERED': ''}, stdout=writer,
                         stderr=subprocess.PIPE, text=True, timeout=PATIENCE)
    os.close(writer)
    assert run.returncode == 1 and run.stderr == ''


def test_a_fault_of_the_program_is_one_line(capsys, monkeypatch):
    def broken(*args):
        raise KeyError('what')

    monkeypatch.delenv('TWOLINK_DEBUG', raising=False)
    monkeypatch.setattr(command, '_run', broken)
    assert command.main([]) == 1
    assert capsys.readouterr().err.startswith('twolink: internal error: KeyError')


@needs_ros
def test_a_home_is_not_needed(environment, tmp_path):
    homeless = {name: value for name, value in environment.items()
                if name not in ('HOME', 'ROS_HOME', 'ROS_LOG_DIR')}
    status, out, err = Run(homeless, '--lockstep', '--duration', 1).wait()
    assert status == 0, err
    status, out, err = Run({**homeless, 'HOME': str(tmp_path / 'none')}, '--lockstep',
                           '--duration', 1).wait()
    assert status == 0, err


@needs_ros
def test_the_law_is_the_one_that_was_asked_for(environment):
    errors = {}
    for law in ('sampled_computed_torque', 'independent_pid'):
        status, out, err = Run(environment, '--lockstep', '--duration', 2, '--law', law,
                               '--tolerance', 1, '--json').wait()
        assert status == 0, err
        errors[law] = max(joint['rms_error'] for joint in json.loads(out)['joints'])
    # In lockstep the numbers are the same on any machine: without a model the error is of
    # milliradians, with the sampled one of the rounding of message times.
    assert errors['sampled_computed_torque'] < 1e-6 < 1e-3 < errors['independent_pid']
