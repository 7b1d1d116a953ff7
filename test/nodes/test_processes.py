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

"""The nodes as processes: they end with one line for a fault, and quietly when told to."""

import os
from pathlib import Path
import signal
import subprocess
import sys

import pytest

ROOT = Path(__file__).resolve().parents[2]
URDF = ROOT / 'urdf' / 'twolink.urdf'
# No assertion is about time: this is when a test that hangs is given up [s].
PATIENCE = 120.0


STARTED = []


@pytest.fixture
def rclpy():
    """Skip where there is no rclpy; leave no node behind, whatever a test found."""
    yield pytest.importorskip('rclpy', reason='no rclpy: neither a sourced ROS 2 nor the wheels')
    while STARTED:
        process = STARTED.pop()
        process.kill()
        process.wait()
        process.stderr.close()


def arguments(node, *ros_args, description=str(URDF)):
    """Return the command line of a node."""
    given = ['-p', f'robot_description:={description}'] if description is not None else []
    return [sys.executable, '-m', 'twolink_dynamics.nodes.run_node', node, '--ros-args',
            *given,
            *ros_args]


def run(command, **environment):
    """Run a node that should end by itself; return status and lines of stderr."""
    path = os.pathsep.join(filter(None, [environment.pop('path', ''), str(ROOT),
                                         os.environ.get('PYTHONPATH', '')]))
    result = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, cwd=ROOT,
                            env={**os.environ, 'PYTHONPATH': path, **environment})
    assert result.stdout == ''
    return result.returncode, result.stderr.splitlines()


@pytest.mark.parametrize('node, given, words', [
    ('simulator', ['-p', 'ratee:=5'], ['ratee: expected', 'rate?', 'got 5']),
    ('simulator', ['-p', 'rate:=fast'], ['rate: expected a number in [1, 10000]', "'fast'"]),
    ('simulator', ['-p', 'initial_position:=[99.0, 0.0]'], ['"joint1"', 'limits', '99']),
    ('simulator', ['-p', 'initial_position:=[1.0]'], ['initial_position', '2 numbers']),
    ('simulator', ['-p', 'joints:=[a, b]'], ['joints', 'joint1, joint2', "['a', 'b']"]),
    ('simulator', ['-p', 'tip_link:=nose'], ['tip_link', 'nose']),
    ('controller', ['-p', 'gravity:=[1, 2]'], ['gravity: expected 3 numbers', '[1, 2]']),
    ('controller', ['-p', 'command_interface:=velocity'], ['command_interface', 'joint_state']),
    ('controller', ['-p', 'kp:=[1.0, 2.0, 3.0]'], ['kp']),
    ('controller', ['-p', 'ki:=1e9'], ['ki']),
    ('controller', ['-p', 'gravity_topic:=bad topic!'], ['gravity_topic', "'bad topic!'"]),
    ('controller', ['-p', 'use_sim_time:=7'], ['use_sim_time']),
    ('reference', ['-p', 'trajectory:=square'], ['trajectory', 'swing, circle', "'square'"]),
    ('reference', ['-p', 'trajectory:=circle', '-p', 'center:=[9.0, 0.0, 0.0]', '-p',
                   'radius:=0.1'], ['circle', '[9']),
    ('reference', ['-p', 'cycles:=1.5'], ['cycles: expected an integer', '1.5']),
    ('simulator', ['-p', 'gravity:=[1, 2.5]'], ['gravity:=[1, 2.5]']),
    ('simulator', ['--params-file', '/no/such/file.yaml'], ['/no/such/file.yaml']),
    ('simulator', ['-r', '__node:=a-b'], ['__node:=a-b']),
    ('simulator', ['-r', '__ns:=/a//b'], ['/a//b']),
])
def test_an_unknown_or_impossible_value_ends_the_node_with_one_line(rclpy, node, given, words):
    status, lines = run(arguments(node, *given))
    assert len(lines) == 1, '\n'.join(lines)
    assert status == 1
    assert lines[0].startswith(f'{node}: error: ')
    assert all(word in lines[0] for word in words), lines[0]


@pytest.mark.parametrize('description, words', [
    ('/no/such/arm.urdf', ['/no/such/arm.urdf']),
    ('<robot name="r">', ['robot_description']),
    ('<robot name="r"/>', ['robot_description', 'link']),
    ('<robot name="r"><link name="a"/></robot>', ['robot_description', 'joint']),
])
def test_a_bad_description_ends_the_node_with_one_line(rclpy, description, words):
    status, lines = run(arguments('controller', description=description))
    assert len(lines) == 1, '\n'.join(lines)
    assert status == 1
    assert all(word in lines[0] for word in words), lines[0]


def test_a_bad_description_is_named_with_file_line_and_element(rclpy, tmp_path):
    path = tmp_path / 'arm.urdf'
    path.write_text(URDF.read_text(encoding='utf-8').replace('<axis xyz="0 -1 0"/>',
                                                             '<axis xyz="0 0 0"/>'))
    status, [line] = run(arguments('simulator', description=path))
    assert status == 1
    assert f'{path}:' in line
    assert 'joint1' in line


def test_a_file_of_parameters_serves_all_nodes_and_its_mistakes_are_found(rclpy, tmp_path):
    path = tmp_path / 'all.yaml'
    path.write_text('/**:\n  ros__parameters:\n    rate: 500\n    natural_frequency: 10\n'
                    '    joints: []\n    trajectory: swing\n    stop_durration: 1.0\n')
    for node in ('simulator', 'controller', 'reference'):
        status, [line] = run(arguments(node, '--params-file', str(path)))
        assert status == 1
        # The only name that no node has.
        assert line.startswith(f'{node}: error: stop_durration: expected a parameter')


def start(node, *given, **options):
    """Return a node's process once it has said its first line, and that line."""
    process = subprocess.Popen(
        arguments(node, *given, **options), stderr=subprocess.PIPE, text=True, cwd=ROOT,
        env={**os.environ, 'PYTHONPATH': os.pathsep.join(
            filter(None, [str(ROOT), os.environ.get('PYTHONPATH', '')]))})
    STARTED.append(process)
    # Where control_msgs is missing the controller says so first.
    line = next((line for line in process.stderr if 'control_msgs' not in line), '')
    return process, line


def end(process, *numbers):
    """Send signals; return status and the rest of stderr."""
    try:
        for number in numbers:
            process.send_signal(number)
        _, rest = process.communicate(timeout=PATIENCE)
    finally:
        process.kill()
        process.wait()
    return process.returncode, rest


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize('node', ['simulator', 'controller', 'reference'])
def test_a_signal_ends_a_node_with_status_0_and_without_a_word(rclpy, node, number):
    process, line = start(node)
    assert 'twolink' in line or 'waiting' in line
    status, rest = end(process, number)
    assert 'Traceback' not in rest
    assert 'rror' not in rest
    assert status == 0


def test_a_signal_ends_a_node_that_waits_for_its_description(rclpy):
    process, line = start('simulator', description=None)
    assert 'waiting for the topic /robot_description' in line
    assert end(process, signal.SIGTERM) == (0, '')


def test_a_signal_while_the_package_is_imported_ends_the_executable_without_a_word(
        rclpy, tmp_path):
    """The signal comes of the first import of the package's, so that there is no luck in it."""
    (tmp_path / 'twolink_dynamics').mkdir()
    (tmp_path / 'twolink_dynamics' / '__init__.py').write_text(
        'import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n')
    for node in ('controller', 'reference', 'simulator', 'trail'):
        script = (ROOT / 'scripts' / node).read_text(encoding='utf-8')
        result = subprocess.run(
            [sys.executable, '-c', script], capture_output=True, text=True, timeout=PATIENCE,
            cwd=tmp_path, env={**os.environ, 'PYTHONPATH': str(tmp_path)})
        assert (result.returncode, result.stdout, result.stderr) == (0, '', '')


def test_an_impatient_user_ends_it_as_well(rclpy):
    process, _ = start('simulator', '-p', 'lockstep:=true')
    status, rest = end(process, signal.SIGINT, signal.SIGINT, signal.SIGTERM, signal.SIGINT)
    assert (status, rest) == (0, '')


@pytest.mark.parametrize('node', ['simulator', 'controller', 'reference'])
def test_without_rclpy_one_line_says_how_to_get_it(node, tmp_path):
    (tmp_path / 'rclpy.py').write_text('raise ImportError("no such luck")\n')
    status, lines = run(arguments(node), path=str(tmp_path))
    assert len(lines) == 1, '\n'.join(lines)
    assert status == 1
    assert "pip install 'twolink_dynamics[ros]'" in lines[0]
    assert 'sourced ROS 2' in lines[0]
