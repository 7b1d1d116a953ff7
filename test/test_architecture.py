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

"""Arrows run one way: who imports whom, and what an import costs."""

import ast
from pathlib import Path
import subprocess
import sys

import pytest

PACKAGE = 'twolink_dynamics'
ROOT = Path(__file__).resolve().parents[1]

# What each room may import of the other rooms. A new room takes its place here, or a test fails.
_BASE = {
    'errors', 'array_types', 'diagnostics', 'validation', 'options', 'registry', 'spatial'}
_ARM = _BASE | {'codegen', 'recordings', 'model', 'kinematics', 'dynamics'}
_MOTION = _ARM | {'trajectory'}
_CORE = _MOTION | {'plotting', 'control', 'simulation'}
_ALL = _CORE | {'studies', 'tracking', 'periodic', 'share', 'signals', ''}
MAY_IMPORT = {
    'errors': {'array_types'},
    'array_types': set(),
    'diagnostics': {'errors'},
    'validation': {'errors', 'array_types'},
    'options': {'errors', 'array_types', 'validation'},
    'registry': {'errors', 'array_types', 'validation'},
    'spatial': {'errors', 'array_types', 'validation'},
    'share': {'errors'},
    'periodic': {'errors'},
    'signals': set(),
    'codegen': {'errors', 'array_types', 'validation'},
    'recordings': _BASE,
    'model': _BASE,
    'kinematics': _BASE | {'codegen', 'model'},
    'dynamics': _BASE | {'codegen', 'model', 'kinematics'},
    'trajectory': _ARM,
    'plotting': _MOTION,
    'control': _MOTION | {'plotting'},
    'simulation': _MOTION | {'plotting'},
    'studies': _CORE,
    'tracking': _CORE,
    '': _CORE | {'share', 'tracking', 'studies'},  # twolink_dynamics/__init__.py: public names
    'nodes': _ALL,
    'clients': _ALL | {'nodes'},
    'cli': _ALL | {'clients'},
}
ROS = {
    'ament_index_python', 'builtin_interfaces', 'launch', 'launch_ros', 'rcl_interfaces', 'rclpy',
    'rosidl_runtime_py', 'std_srvs', 'tf2_ros', 'unique_identifier_msgs',
}
HEAVY = {'lxml', 'matplotlib', 'numba', 'scipy', 'tqdm', 'xacro', 'yaml'}
HEADER = (ROOT / 'setup.py').read_text().split('\n\n')[0]

MODULES = sorted((ROOT / PACKAGE).rglob('*.py'))
SOURCES = sorted(
    path for folder in ('.', PACKAGE, 'launch', 'test', 'tools', 'benchmarks', 'docs')
    for path in (ROOT / folder).glob('*.py' if folder == '.' else '**/*.py'))


def name_of(path):
    """Return a test's name for a file."""
    return path.relative_to(ROOT).as_posix()


def imports(text, module):
    """Return (absolute module, line, at module level) of each import of a module's source."""
    tree = ast.parse(text)
    top = set(map(id, tree.body))
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            # A module's own name is its last part, so level 1 drops one part.
            base = module.split('.')[:-node.level] if node.level else []
            base = '.'.join(base + ([node.module] if node.module else []))
            names = [base] if base != PACKAGE else [f'{PACKAGE}.{a.name}' for a in node.names]
        else:
            continue
        found += [(name, node.lineno, id(node) in top) for name in names]
    return found


def module_name(path):
    """Return the dotted name of a file; a package's is that of its __init__."""
    return '.'.join(path.relative_to(ROOT).with_suffix('').parts)


def room_of(module):
    """Return the room of a module of this package; '' for __init__ and the public names in it."""
    part = (module.split('.') + [''])[1]
    file = ROOT / PACKAGE / part
    public = part not in MAY_IMPORT and not file.is_dir() and not file.with_suffix('.py').is_file()
    return '' if public or part == '__init__' else part


def wrong_arrows(text, module):
    """Return the imports of a module that run against the arrows."""
    room = module.split('.')[1].replace('__init__', '')
    if room not in MAY_IMPORT:
        return [f'{module}: give {room} its place in MAY_IMPORT']
    return [
        f'{module}:{line}: {room or "__init__"} must not import {name}'
        for name, line, _ in imports(text, module)
        if name.split('.')[0] == PACKAGE and room_of(name) not in MAY_IMPORT[room] | {room}]


def ros_imports(text, module):
    """Return the imports of ROS in a module."""
    return [
        f'{module}:{line}: only nodes/, clients/ and launch/ import ROS: {name}'
        for name, line, _ in imports(text, module)
        if name.split('.')[0] in ROS or name.split('.')[0].endswith('_msgs')]


def eager_ros_imports(text, module):
    """Return the imports of nodes/ and clients/ that run as soon as a module is imported."""
    return [
        f'{module}:{line}: import {name} inside the function that needs it'
        for name, line, top in imports(text, module)
        if top and room_of(name) in ('nodes', 'clients')]


@pytest.mark.parametrize('path', MODULES, ids=name_of)
def test_arrows_between_rooms_run_one_way(path):
    assert wrong_arrows(path.read_text(), module_name(path)) == []


@pytest.mark.parametrize('path', MODULES, ids=name_of)
def test_only_nodes_and_their_clients_import_ros(path):
    module = module_name(path)
    if room_of(module) not in ('nodes', 'clients'):
        assert ros_imports(path.read_text(), module) == []


def test_only_one_file_knows_numba():
    users = [module_name(path) for path in MODULES
             if any(name.split('.')[0] == 'numba'
                    for name, _, _ in imports(path.read_text(), module_name(path)))]
    # What it compiles begins with the imports of HEADER, as text.
    assert users == []
    mention = [path for path in MODULES if 'from numba import' in path.read_text()]
    assert [module_name(path) for path in mention] == [f'{PACKAGE}.codegen.numba_backend']


@pytest.mark.parametrize('path', sorted((ROOT / PACKAGE / 'nodes').glob('*.py')), ids=name_of)
def test_every_file_of_nodes_is_a_shell_around_ros(path):
    if path.name != '__init__.py':
        assert ros_imports(path.read_text(), module_name(path)) != []


@pytest.mark.parametrize('path', sorted((ROOT / PACKAGE / 'cli').glob('*.py')), ids=name_of)
def test_the_command_imports_what_is_on_ros_only_where_it_needs_it(path):
    assert eager_ros_imports(path.read_text(), module_name(path)) == []


@pytest.mark.parametrize('module, text', [
    ('errors', 'import twolink_dynamics.spatial'),
    ('spatial', 'from .model.chain import Chain'),
    ('model.chain', 'from ..dynamics import arm'),
    ('model.chain', 'from .. import load_arm'),
    ('model.__init__', 'from ..kinematics import forward'),
    ('kinematics.forward', 'def f():\n    from twolink_dynamics.dynamics.arm import Arm'),
    ('dynamics.arm', 'from twolink_dynamics import simulate'),
    ('trajectory.trajectory', 'import twolink_dynamics.control.laws'),
    ('control.law', 'from ..nodes import parameters'),
    ('simulation.plant', 'if True:\n    from ..share import share_path'),
    ('nodes.simulator_node', 'from twolink_dynamics.cli import main'),
    ('tracking.controller', 'from ..nodes import messages'),
    ('clients.session', 'from twolink_dynamics.cli.text import say'),
    ('cli.run', 'from ..nodes.messages import nanoseconds'),
    ('share', 'from . import spatial'),
    ('__init__', 'from .cli.main import main'),
    ('shed.saw', 'import math'),
])
def test_a_wrong_arrow_is_seen(module, text):
    assert len(wrong_arrows(text, f'{PACKAGE}.{module}')) == 1


@pytest.mark.parametrize('module, text', [
    ('model.urdf', 'from ..errors import UrdfError\nfrom .chain import Chain\nimport lxml.etree'),
    ('dynamics.__init__', 'from .arm import Arm\nfrom ..kinematics.forward import tip_pose'),
    ('nodes.simulator_node', 'import twolink_dynamics\nfrom ..simulation.plant import Plant'),
    ('cli.run', 'from .. import load_arm\nfrom ..share import share_path'),
])
def test_a_right_arrow_is_let_pass(module, text):
    assert wrong_arrows(text, f'{PACKAGE}.{module}') == []


@pytest.mark.parametrize('text', [
    'import rclpy', 'def f():\n    from sensor_msgs.msg import JointState',
    'from launch_ros.actions import Node', 'import rclpy.node as node'])
def test_an_import_of_ros_is_seen(text):
    assert len(ros_imports(text, f'{PACKAGE}.cli.run')) == 1


def test_an_eager_import_of_a_client_is_seen():
    lazy = 'def run():\n    from ..clients import session\n'
    assert eager_ros_imports(lazy, f'{PACKAGE}.cli.run') == []
    assert len(eager_ros_imports('from ..clients import session', f'{PACKAGE}.cli.run')) == 1


def test_importing_the_package_imports_nothing_heavy():
    code = (
        'import sys, numpy; before = set(sys.modules); import twolink_dynamics; '
        'print(*{name.partition(".")[0] for name in set(sys.modules) - before})')
    run = subprocess.run(
        [sys.executable, '-c', code], cwd=ROOT, capture_output=True, text=True, check=True)
    loaded = set(run.stdout.split())
    assert PACKAGE in loaded
    assert {name for name in loaded if name in ROS | HEAVY or name.endswith('_msgs')} == set()


@pytest.mark.parametrize('path', SOURCES, ids=name_of)
def test_every_source_starts_with_the_licence(path):
    lines = path.read_text().splitlines()
    assert lines[:len(HEADER.splitlines())] == HEADER.splitlines()


@pytest.mark.parametrize('path', sorted((ROOT / 'scripts').iterdir()), ids=name_of)
def test_every_executable_carries_the_licence(path):
    assert HEADER in path.read_text()
