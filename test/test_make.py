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
make sim and make test: what they install, when, and what they say where they cannot.

pip is not run here: the commands that would be run are recorded instead.

"""

import importlib.util
import os
from pathlib import Path
import shutil
import subprocess
import sys

import pytest

ROOT = Path(__file__).resolve().parents[1]

if not (ROOT / 'tools').is_dir():
    pytest.skip('not a source tree: tools/ is not installed', allow_module_level=True)


class Tool:
    """tools/environment.py of a tree of its own, with the commands it ran."""

    def __init__(self, root, monkeypatch):
        self.commands = []
        self.fails = False
        for name in ('tools/environment.py', 'setup.py', 'setup.cfg'):
            (root / name).parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / name, root / name)
        path = root / 'tools' / 'environment.py'
        spec = importlib.util.spec_from_file_location('environment_tool', path)
        self.module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(self.module)
        monkeypatch.setattr(self.module, 'run', self.record)

    def record(self, command):
        """Stand for what a command does: venv makes a folder, pip succeeds or fails."""
        self.commands.append(command)
        if 'venv' in command:
            shutil.rmtree(command[-1], ignore_errors=True)
            os.makedirs(command[-1])
        elif self.fails and '--editable' in command:
            sys.exit('failed')

    def installed(self, profile):
        """Run the tool; return what it had pip install, [] if nothing."""
        before = len(self.commands)
        self.module.main([profile])
        return [command[-1] for command in self.commands[before:] if '--editable' in command]


@pytest.fixture
def tool(tmp_path, monkeypatch):
    """Return the tool in a shell where no ROS is sourced."""
    monkeypatch.delenv('AMENT_PREFIX_PATH', raising=False)
    monkeypatch.delenv('ROS_DISTRO', raising=False)
    return Tool(tmp_path, monkeypatch)


@pytest.fixture
def ros(tmp_path, monkeypatch):
    """Source a ROS 2 that has nothing but rclpy and launch_testing."""
    prefix = tmp_path / 'opt' / 'ros' / 'jazzy'
    for name in ('rclpy', 'launch_testing'):
        (prefix / 'lib' / 'python' / name).mkdir(parents=True)
        (prefix / 'lib' / 'python' / name / '__init__.py').touch()
    marker = prefix / 'share' / 'ament_index' / 'resource_index' / 'packages' / 'rclpy'
    marker.parent.mkdir(parents=True)
    marker.touch()
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(prefix))
    monkeypatch.setenv('ROS_DISTRO', 'jazzy')
    monkeypatch.setenv('PYTHONPATH', str(prefix / 'lib' / 'python'))
    return prefix


def test_sim_installs_the_wheels_and_the_second_sim_nothing(tool, tmp_path, capsys):
    assert tool.installed('sim') == [f'{tmp_path}[ros,plot]']
    assert capsys.readouterr().out.strip() == str(tmp_path / '.venv')
    assert tool.installed('sim') == []
    assert capsys.readouterr() == (f'{tmp_path}/.venv\n', '')


def test_what_test_installed_serves_sim_but_not_the_other_way_round(tool, tmp_path):
    tool.installed('sim')
    assert tool.installed('test') == [f'{tmp_path}[ros,fast,plot,test]']
    assert tool.installed('sim') == tool.installed('test') == []


def test_a_changed_setup_py_installs_again(tool, tmp_path):
    tool.installed('sim')
    (tmp_path / 'setup.py').write_text((tmp_path / 'setup.py').read_text() + '# changed\n')
    assert len(tool.installed('sim')) == 1
    assert tool.installed('sim') == []


def test_a_failed_install_leaves_no_stamp(tool):
    tool.fails = True
    with pytest.raises(SystemExit):
        tool.installed('sim')
    tool.fails = False
    assert len(tool.installed('sim')) == 1


def test_a_failed_install_takes_back_what_was_installed_before(tool):
    """The failed one may have taken half of it away."""
    tool.installed('sim')
    tool.fails = True
    with pytest.raises(SystemExit):
        tool.installed('test')
    tool.fails = False
    assert len(tool.installed('sim')) == 1


def test_another_python_makes_the_environment_anew(tool, monkeypatch):
    tool.installed('sim')
    monkeypatch.setattr(tool.module.sys, 'version', '3.10.99 (another one)')
    assert len(tool.installed('sim')) == 1
    assert sum('venv' in command for command in tool.commands) == 2


def test_a_sourced_ros_is_used_instead_of_the_wheels(tool, ros, tmp_path, capsys):
    assert tool.installed('sim') == [f'{tmp_path}[plot]']
    assert capsys.readouterr().out.strip() == str(tmp_path / '.venv-jazzy')
    create = tool.commands[0]
    assert '--system-site-packages' in create
    assert (tmp_path / '.venv-jazzy' / 'constraints.txt').read_text().endswith('pytest<8.4\n')


def test_the_wheels_and_a_sourced_ros_have_environments_of_their_own(tool, tmp_path, request):
    tool.installed('sim')
    request.getfixturevalue('ros')
    assert tool.installed('sim') == [f'{tmp_path}[plot]']
    assert tool.installed('sim') == []


def test_a_workspace_without_ros_is_no_sourced_ros(tool, tmp_path, monkeypatch):
    monkeypatch.setenv('AMENT_PREFIX_PATH', str(tmp_path / 'install'))
    assert tool.installed('sim') == [f'{tmp_path}[ros,plot]']


def test_a_sourced_ros_of_another_python_is_one_clear_line(tool, ros, monkeypatch):
    monkeypatch.delenv('PYTHONPATH')
    with pytest.raises(SystemExit) as caught:
        tool.installed('sim')
    assert 'cannot import its rclpy' in caught.value.code
    assert '\n' not in caught.value.code
    assert tool.commands == []


@pytest.mark.skipif(sys.prefix == sys.base_prefix, reason='runs in no virtual environment')
def test_an_environment_is_made_from_the_python_below_any_environment(tool):
    code = 'import sys; print(sys.prefix == sys.base_prefix == sys.argv[1])'
    run = subprocess.run([tool.module.PYTHON, '-c', code, sys.base_prefix],
                         capture_output=True, text=True, check=True)
    assert run.stdout.strip() == 'True'


@pytest.mark.parametrize('version, words', [
    ((3, 9, 18), 'Python 3.10 or newer is needed'),
    ((3, 14, 0), 'the rclpy wheels are for Python 3.10 to 3.13')])
def test_a_python_that_cannot_do_is_one_clear_line(tool, monkeypatch, version, words):
    monkeypatch.setattr(tool.module.sys, 'version_info', version)
    with pytest.raises(SystemExit, match=words) as caught:
        tool.installed('sim')
    assert '\n' not in caught.value.code
    assert 'make PYTHON=' in caught.value.code
    assert tool.commands == []


def test_a_python_without_venv_is_one_clear_line(tool, monkeypatch):
    monkeypatch.setitem(sys.modules, 'ensurepip', None)  # as Debian's python3 without python3-venv
    with pytest.raises(SystemExit, match='has no venv; install it') as caught:
        tool.installed('sim')
    assert '\n' not in caught.value.code


@pytest.mark.skipif(shutil.which('make') is None, reason='make is not installed')
def test_a_missing_python_is_one_clear_line():
    run = subprocess.run(['make', '-s', 'sim', 'PYTHON=python3.99'], cwd=ROOT,
                         capture_output=True, text=True)
    assert run.returncode != 0
    assert run.stderr.splitlines()[0].startswith('python3.99: not found')


@pytest.mark.skipif(shutil.which('make') is None, reason='make is not installed')
def test_make_alone_tells_what_there_is():
    run = subprocess.run(['make', '-s'], cwd=ROOT, capture_output=True, text=True, check=True)
    for target in ('make sim', 'make test', 'make lint', 'make clean'):
        assert target in run.stdout
