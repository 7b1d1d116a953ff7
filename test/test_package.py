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

"""The package installs what it says it does, and its metadata agree with each other."""

import ast
import importlib.metadata
import os
from pathlib import Path
import re
import shutil
import stat
import subprocess
import sys

from lxml import etree
import pytest

from twolink_dynamics.nodes.run_node import NODES

PACKAGE = 'twolink_dynamics'
ROOT = Path(__file__).resolve().parents[1]
MANIFEST = etree.parse(str(ROOT / 'package.xml')).getroot()
EXECUTABLES = sorted(path.name for path in (ROOT / 'scripts').iterdir())
# Python's names of what rosdep calls python3-…
PYTHON_NAMES = {'yaml': 'pyyaml'}


def setup_arguments():
    """Return setup.py's literal arguments, `extras` among them, without running it."""
    tree = ast.parse((ROOT / 'setup.py').read_text())
    call = next(node for node in ast.walk(tree)
                if isinstance(node, ast.Call) and getattr(node.func, 'id', '') == 'setup')
    literals = {k.arg: k.value for k in call.keywords}
    literals['extras'] = next(
        node.value for node in tree.body
        if isinstance(node, ast.Assign) and node.targets[0].id == 'extras')
    return {name: ast.literal_eval(node) for name, node in literals.items()
            if isinstance(node, (ast.Constant, ast.List, ast.Dict)) and name != 'data_files'}


def names(requirements):
    """Return the bare names of requirements such as 'numpy>=1.21'."""
    return {re.match(r'[\w-]+', text).group().lower() for text in requirements}


def depends(*tags):
    """Return what package.xml lists under these tags."""
    return {node.text for tag in tags for node in MANIFEST.findall(tag)}


@pytest.fixture(scope='module')
def prefix(tmp_path_factory):
    """Install the package with pip under a folder of its own, dependencies apart."""
    pytest.importorskip('pip')
    version = importlib.metadata.version('setuptools')
    if tuple(map(int, version.split('.')[:2])) < (70, 1):
        pytest.skip(f'setuptools {version} builds no wheel offline; 70.1 does')
    source, target = tmp_path_factory.mktemp('source'), tmp_path_factory.mktemp('prefix')
    # A copy, since building leaves files beside setup.py.
    for name in ('setup.py', 'setup.cfg', 'package.xml', 'LICENSE'):
        shutil.copy(ROOT / name, source)
    for name in (PACKAGE, 'resource', 'scripts', 'launch', 'config', 'urdf'):
        shutil.copytree(ROOT / name, source / name)
    run = subprocess.run(
        [sys.executable, '-m', 'pip', 'install', '-qq', '--no-deps', '--no-build-isolation',
         '--no-index', '--ignore-installed', '--prefix', str(target), str(source)],
        cwd=source, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return target


def test_all_versions_agree():
    text = (ROOT / PACKAGE / '__init__.py').read_text()
    changes = re.search(r'^(\d+\.\d+\.\d+) ', (ROOT / 'CHANGELOG.rst').read_text(), re.MULTILINE)
    version = MANIFEST.findtext('version')
    assert setup_arguments()['version'] == version
    assert re.search(r"^__version__ = '(.*)'$", text, re.MULTILINE).group(1) == version
    assert changes.group(1) == version


def test_package_xml_is_what_ament_expects():
    assert MANIFEST.get('format') == '3'
    assert MANIFEST.findtext('name') == PACKAGE
    assert MANIFEST.findtext('license') == setup_arguments()['license'] == 'Apache-2.0'
    assert (ROOT / MANIFEST.find('license').get('file')).is_file()
    assert MANIFEST.findtext('export/build_type') == 'ament_python'
    assert (ROOT / 'resource' / PACKAGE).is_file()


def test_package_xml_is_valid():
    catkin_pkg = pytest.importorskip('catkin_pkg.package', reason='comes with colcon')
    warnings = []
    package = catkin_pkg.parse_package(str(ROOT / 'package.xml'), warnings=warnings)
    package.validate(warnings=warnings)
    assert warnings == []


def test_package_xml_has_what_pip_installs():
    rosdep = {PYTHON_NAMES.get(key, key) for key in (
        name.replace('python3-', '') for name in depends('exec_depend', 'depend'))}
    arguments = setup_arguments()
    required = names(arguments['install_requires']) | names(arguments['extras']['plot'])
    assert required - rosdep == set()


@pytest.mark.parametrize('folder', ['launch', f'{PACKAGE}/nodes'])
def test_package_xml_has_every_ros_package_imported(folder):
    listed = depends('exec_depend', 'depend') | set(sys.stdlib_module_names) | {PACKAGE}
    listed |= {'numpy', 'rcl_interfaces', 'builtin_interfaces'}  # the latter come with rclpy
    for path in sorted((ROOT / folder).rglob('*.py')):
        for node in ast.walk(ast.parse(path.read_text())):
            modules = [node.module] if isinstance(node, ast.ImportFrom) and not node.level else [
                alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            assert {name.partition('.')[0] for name in modules} - listed == set(), path.name


def test_pip_installs_the_share_files_the_marker_and_the_executables(prefix):
    share = prefix / 'share' / PACKAGE
    for folder in ('launch', 'config', 'urdf'):
        expected = {path.name for path in (ROOT / folder).iterdir() if path.is_file()}
        assert {path.name for path in (share / folder).iterdir() if path.is_file()} == expected
    assert (share / 'package.xml').is_file()
    assert (prefix / 'share/ament_index/resource_index/packages' / PACKAGE).is_file()
    programs = list((prefix / 'lib' / PACKAGE).iterdir())
    assert sorted(path.name for path in programs) == EXECUTABLES
    assert all(path.stat().st_mode & stat.S_IXUSR for path in programs)
    assert (prefix / 'bin' / 'twolink').is_file()


def test_pip_installs_every_module(prefix):
    installed = next(prefix.rglob(f'site-packages/{PACKAGE}'))
    assert {path.relative_to(installed) for path in installed.rglob('*.py')} == {
        path.relative_to(ROOT / PACKAGE) for path in (ROOT / PACKAGE).rglob('*.py')}


def test_an_installed_copy_finds_its_own_share_files(prefix):
    code = 'from twolink_dynamics.share import share_path; print(share_path("package.xml"))'
    site = next(prefix.rglob(f'site-packages/{PACKAGE}')).parent
    run = subprocess.run(
        [sys.executable, '-c', code], cwd=prefix, capture_output=True, text=True, check=True,
        env={**os.environ, 'PYTHONPATH': os.pathsep.join([str(site), *sys.path[1:]])})
    assert Path(run.stdout.strip()) == prefix / 'share' / PACKAGE / 'package.xml'


@pytest.mark.parametrize('name', EXECUTABLES)
def test_an_executable_runs_with_the_python_of_its_prefix(tmp_path, name):
    program = tmp_path / 'lib' / PACKAGE / name
    python = tmp_path / 'bin' / 'python3'
    for path in (program, python):
        path.parent.mkdir(parents=True)
    shutil.copy(ROOT / 'scripts' / name, program)
    python.write_text('#!/bin/sh\nprintf "%s\\n" "prefix" "$@"\n')
    python.chmod(0o755)
    run = subprocess.run(
        [program, '--ros-args', 'a b'], cwd='/', capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == ['prefix', str(program), '--ros-args', 'a b']


@pytest.mark.parametrize('name', EXECUTABLES)
def test_an_executable_without_a_prefix_runs_with_the_python_on_path(tmp_path, name):
    program = tmp_path / 'lib' / PACKAGE / name
    program.parent.mkdir(parents=True)
    shutil.copy(ROOT / 'scripts' / name, program)
    module = tmp_path / 'modules' / PACKAGE / 'nodes' / 'run_node.py'
    module.parent.mkdir(parents=True)
    module.write_text(
        'import sys\n\n\ndef run(name):\n    print(name, sys.argv[1:])\n    return 3\n')
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ['PATH']])
    run = subprocess.run(
        [program, '--ros-args', 'a b'], cwd='/', capture_output=True, text=True,
        env={**os.environ, 'PATH': path, 'PYTHONPATH': str(module.parents[2])})
    assert (run.stdout.strip(), run.returncode) == (f"{name} ['--ros-args', 'a b']", 3)


@pytest.mark.parametrize('name', EXECUTABLES)
def test_what_an_executable_starts_exists(name):
    program = (ROOT / 'scripts' / name).read_text()
    assert re.findall(r"import run  # noqa: E402\n\nsys.exit\(run\('(\w+)'\)\)", program) == [name]
    module, node_class = NODES[name]
    source = (ROOT / PACKAGE / 'nodes' / f'{module}.py').read_text()
    assert re.search(rf'^class {node_class}\(', source, re.MULTILINE)


def test_what_the_command_starts_exists():
    source = (ROOT / PACKAGE / 'cli/main.py').read_text()
    assert re.search(r'^def main\(\w+[^)]*= ?None\)', source, re.MULTILINE)
