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

"""A colcon workspace builds the package, finds what it installs, and runs its tests."""

import os
from pathlib import Path
import shutil
import subprocess
import sys

import pytest

PACKAGE = 'twolink_dynamics'
ROOT = Path(__file__).resolve().parents[1]
SOURCES = [
    'package.xml', 'setup.py', 'setup.cfg', 'LICENSE', 'CHANGELOG.rst', PACKAGE, 'config',
    'launch', 'resource', 'scripts', 'test', 'urdf']

pytest.importorskip('colcon_core', reason='colcon is not installed: pip install '
                                          'colcon-common-extensions')
pytest.importorskip('colcon_ros', reason='colcon-ros is not installed: pip install colcon-ros')


def shell(command, cwd):
    """Run a command in bash with the Python of this test first on PATH; return its output."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ['PATH']])
    env = {**os.environ, 'PATH': path, 'COLCON_HOME': str(cwd), 'PYTHONWARNINGS': 'ignore'}
    for name in ('PYTEST_ADDOPTS', 'PYTEST_CURRENT_TEST', 'COLCON_PREFIX_PATH'):
        env.pop(name, None)
    run = subprocess.run(['bash', '-c', command], cwd=cwd, env=env, stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert run.returncode == 0, run.stdout
    return run.stdout


@pytest.fixture(scope='module', params=['', '--symlink-install'], ids=['copied', 'symlinked'])
def workspace(request, tmp_path_factory):
    """Build a workspace that holds nothing but this package."""
    folder = tmp_path_factory.mktemp('workspace')
    source = folder / 'src' / PACKAGE
    source.mkdir(parents=True)
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, source / name)
        else:
            shutil.copy(ROOT / name, source)
    shell(f'python3 -m colcon build {request.param}', folder)
    return folder


def test_ros2_run_finds_the_executables(workspace):
    programs = workspace / 'install' / PACKAGE / 'lib' / PACKAGE
    for name in os.listdir(ROOT / 'scripts'):
        assert os.access(programs / name, os.X_OK)


def test_ros_finds_the_package_and_its_share_files(workspace):
    prefix = workspace / 'install' / PACKAGE
    assert (prefix / 'share/ament_index/resource_index/packages' / PACKAGE).is_file()
    for folder in ('launch', 'config', 'urdf'):
        for path in (ROOT / folder).iterdir():
            if path.is_file():
                assert (prefix / 'share' / PACKAGE / folder / path.name).is_file()


def test_a_sourced_workspace_has_twolink_on_its_path(workspace):
    output = shell('. install/setup.bash && cd / && command -v twolink', workspace)
    assert output.strip() == str(workspace / 'install' / PACKAGE / 'bin' / 'twolink')


def test_a_sourced_workspace_imports_its_own_copy_and_finds_its_share_files(workspace):
    code = (
        'from twolink_dynamics import share; '
        "print(share.__file__); print(share.share_path('package.xml'))")
    output = shell(f'. install/setup.bash && cd / && python3 -c "{code}"', workspace)
    module, path = map(Path, output.splitlines())
    assert workspace in module.parents
    assert workspace in path.parents


def test_colcon_test_runs_the_tests_of_the_package(workspace):
    """One file of them: the whole suite is what runs this test."""
    shell('python3 -m colcon test --pytest-args test/test_share.py', workspace)
    # Says how many tests ran, and fails where one failed.
    result = shell('python3 -m colcon test-result', workspace)
    assert int(result.split('Summary: ')[1].split(' tests')[0]) >= 5
