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

"""A law and a motion of another package, installed beside this one: they are as our own are."""

import json
import os
from pathlib import Path
import re
import shutil
import subprocess
import sys

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
NODES = """
import twolink_dynamics as tl
from rclpy.parameter import Parameter
from ros_place import Ros
from twolink_dynamics.nodes.controller_node import ControllerNode
from twolink_dynamics.nodes.reference_node import ReferenceNode

arm = {'robot_description': str(tl.share_path('urdf', 'twolink.urdf'))}
ros = Ros()
controller = ros.start(ControllerNode, law='lqr', law_options='set_point=[0.1,0.2]', **arm)
print(type(controller.core.law).__name__, controller.core.law.set_point)
for law in 'passivity', 'set_point_lqr:SetPointLqr':
    result = controller.set_parameters_atomically([
        Parameter('law', value=law), Parameter('law_options', value='')])
    print(result.successful, controller.core.law.name)
print(ros.start(ReferenceNode, trajectory='trapezoidal', motion_options='goal=0.4', **arm)
      is not None)
ros.close()
"""


@pytest.fixture(scope='module')
def place(tmp_path_factory):
    """Return a folder into which the other package is installed as pip does it."""
    pytest.importorskip('pip', reason='nothing to install with')
    folder = tmp_path_factory.mktemp('beside')
    # setuptools builds where the sources are.
    source = shutil.copytree(HERE / 'plugin', folder / 'source')
    subprocess.run(
        [sys.executable, '-m', 'pip', 'install', '--quiet', '--no-deps', '--no-build-isolation',
         '--no-index', '--target', str(folder / 'site'), str(source)], check=True)
    return folder


def python(place, *arguments):
    """Return what Python prints where the other package is installed, too."""
    path = [place / 'site', ROOT, HERE, os.environ.get('PYTHONPATH', '')]
    run = subprocess.run(
        [sys.executable, *arguments], cwd=place, capture_output=True, text=True,
        env={**os.environ, 'PYTHONPATH': os.pathsep.join(filter(None, map(str, path)))})
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


def test_both_run_by_name_in_simulate_with_options_of_their_own(place):
    out = json.loads(python(
        place, '-m', 'twolink_dynamics.cli', 'simulate', '--law', 'lqr', '--trajectory',
        'trapezoidal', '--motion-option', 'ramp=0.3', '--law-option', 'set_point=[0.2,0.4]',
        '--duration', '2', '--tolerance', '0.01', '--json'))
    assert out['law'] == 'lqr' and out['followed']


def test_the_law_is_compared_with_all_others(place):
    laws = json.loads(python(place, '-m', 'twolink_dynamics.cli', 'compare', '--json', '--cases',
                             'true', '--cycles', '1'))['laws']
    assert laws['lqr']['true']['fails'] is None
    assert {'computed_torque', 'adaptive', 'adaptive, time 3', 'lqr'} < set(laws)


def test_both_run_by_name_in_the_nodes_of_a_run(place):
    pytest.importorskip('rclpy', reason='ROS is not installed')
    out = python(place, '-m', 'twolink_dynamics.cli', 'run', '--law', 'lqr', '--trajectory',
                 'trapezoidal', '--lockstep', '--duration', '1')
    assert 'followed' in out


def test_the_parameters_of_the_nodes_take_both(place):
    pytest.importorskip('rclpy', reason='ROS is not installed')
    assert python(place, '-c', NODES).splitlines() == [
        'SetPointLqr (0.1, 0.2)', 'True passivity', 'True lqr', 'True']


@pytest.mark.parametrize('tests, name, least', [
    ('control', 'lqr', 32), ('test_registry.py', 'trapezoidal', 2)])
def test_what_is_shown_of_all_of_ours_is_shown_of_them(place, tests, name, least):
    out = python(place, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', '-p', 'no:xdist', '-k',
                 name, '--rootdir', str(ROOT), '-c', str(ROOT / 'setup.cfg'), str(HERE / tests))
    passed = re.search(r'^(\d+) passed', out, re.MULTILINE)
    assert passed and int(passed[1]) >= least, out
