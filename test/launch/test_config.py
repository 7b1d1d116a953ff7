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

"""The configuration files say what the nodes understand, and RViz looks where something is."""

from pathlib import Path
import re

import pytest

from twolink_dynamics.errors import ParameterError
from twolink_dynamics.options import check, unknown
from twolink_dynamics.tracking.node_options import NODE_OPTIONS

yaml = pytest.importorskip('yaml', reason='PyYAML is not installed')

CONFIG = Path(__file__).resolve().parents[2] / 'config'
FILES = {'simulator': 'simulator.yaml', 'computed_torque_controller': 'controller.yaml',
         'reference': 'reference.yaml', 'trail': 'trail.yaml'}
# Given by the launch file, which reads the arm.
ELSEWHERE = {'robot_description', 'base_link', 'tip_link'}


def parameters(text):
    """Return the parameters of a YAML file, for any node."""
    (key, content), = yaml.safe_load(text).items()
    assert key == '/**'
    (key, content), = content.items()
    assert key == 'ros__parameters'
    return content


def check_all(node, given):
    """Raise for a parameter that the node does not have, or a value it does not take."""
    entries = {entry.name: entry for entry in NODE_OPTIONS[node]}
    for name, value in given.items():
        if name not in entries:
            raise unknown(name, value, NODE_OPTIONS[node])
        check(entries[name], value)


@pytest.fixture(params=FILES)
def node(request):
    """Each node of the package, by name."""
    return request.param


@pytest.fixture
def text(node):
    """Return the configuration file of the node."""
    return (CONFIG / FILES[node]).read_text()


def test_every_configured_parameter_is_one_the_node_takes(node, text):
    """Names and values pass the node's own checks."""
    check_all(node, parameters(text))


def test_the_configured_values_are_the_defaults(node, text):
    """With the file or without, the node does the same."""
    entries = {entry.name: entry for entry in NODE_OPTIONS[node]}
    for name, value in parameters(text).items():
        assert check(entries[name], value) == entries[name].default


def test_every_parameter_of_the_node_is_in_its_file(node, text):
    """What has no default stands there as a comment, with a value that would be taken."""
    entries = {entry.name: entry for entry in NODE_OPTIONS[node]}
    commented = re.findall(r'^    # (\w+): (\S.*)$', text, re.MULTILINE)
    examples = {name: yaml.safe_load(value) for name, value in commented if name in entries}
    check_all(node, examples)
    assert set(parameters(text)) | set(examples) | ELSEWHERE == set(entries)


def test_every_parameter_has_a_comment_with_its_unit(node, text):
    """A person who reads the file needs no other."""
    blocks = re.split(r'\n\s*\n', text.split('ros__parameters:')[1])
    for entry in NODE_OPTIONS[node]:
        block, = [b for b in blocks if re.search(rf'^    (# )?{entry.name}:', b, re.MULTILINE)
                  ] or [None]
        if block is None:
            assert entry.name in ELSEWHERE
            continue
        words = ' '.join(block.replace('#', ' ').split())
        assert block.lstrip().startswith('# ')
        for unit in entry.unit.replace(' or ', ' ').split():
            assert re.search(rf'[\[ ,(]{re.escape(unit)}[\], )]', words), (entry.name, unit)


@pytest.mark.parametrize('name', ['hardware.yaml', 'hardware_joint_state.yaml'])
def test_the_files_for_hardware_say_what_the_controller_takes_each_with_its_unit(name):
    """They differ from the defaults on purpose, so only what is there is checked."""
    text = (CONFIG / name).read_text()
    check_all('computed_torque_controller', parameters(text))
    entries = {entry.name: entry for entry in NODE_OPTIONS['computed_torque_controller']}
    commented = re.findall(r'^    # (\w+): (\S.*)$', text, re.MULTILINE)
    check_all('computed_torque_controller',
              {name: yaml.safe_load(value) for name, value in commented if name in entries})
    assert 'state_timeout' in parameters(text) and 'effort_rate' in parameters(text)


@pytest.mark.parametrize('name, value', [('natural_frequncy', 20.0), ('kp', -1.0)])
def test_a_parameter_that_does_not_fit_is_noticed(name, value):
    """The checks above can fail."""
    with pytest.raises(ParameterError, match=name):
        check_all('computed_torque_controller', {name: value})


@pytest.fixture(scope='module')
def rviz():
    """Return RViz's configuration."""
    return yaml.safe_load((CONFIG / 'twolink.rviz').read_text())


def items(value, key):
    """Yield what stands under a key anywhere below."""
    if isinstance(value, dict):
        for name, item in value.items():
            if name == key:
                yield item
            yield from items(item, key)
    elif isinstance(value, list):
        for item in value:
            yield from items(item, key)


def test_rviz_has_every_class_that_is_named(rviz):
    """All of them come with rviz_common and rviz_default_plugins, from Humble on."""
    assert set(items(rviz, 'Class')) - {''} <= {
        'rviz_common/Displays', 'rviz_common/Time', 'rviz_common/Views',
        'rviz_default_plugins/FocusCamera', 'rviz_default_plugins/Grid',
        'rviz_default_plugins/Interact', 'rviz_default_plugins/MarkerArray',
        'rviz_default_plugins/Measure', 'rviz_default_plugins/MoveCamera',
        'rviz_default_plugins/Orbit', 'rviz_default_plugins/RobotModel',
        'rviz_default_plugins/TF'}


def test_rviz_shows_the_arm_where_it_should_be_and_the_way_of_its_tip(rviz):
    """By relative topics, so that RViz in a namespace shows that namespace's arm."""
    displays = rviz['Visualization Manager']['Displays']
    topics = {display['Name']: (display.get('Description Topic') or display['Topic'])['Value']
              for display in displays if {'Description Topic', 'Topic'} & set(display)}
    assert topics == {'Arm': 'robot_description', 'Desired arm': 'desired/robot_description',
                      'Way of the tip': 'tip_trail'}
    assert {display['Class'].split('/')[1] for display in displays if display['Enabled']} == {
        'Grid', 'RobotModel', 'MarkerArray', 'TF'}


def test_rviz_gets_the_description_however_late_it_comes(rviz):
    """robot_state_publisher sends it once, latched."""
    policies = [topic['Durability Policy'] for topic in items(rviz, 'Description Topic')]
    assert policies == ['Transient Local', 'Transient Local']


def test_the_ghost_is_transparent_and_has_frames_of_its_own(rviz):
    """Its frames are those that the launch file makes robot_state_publisher prefix."""
    arm, ghost = [display for display in rviz['Visualization Manager']['Displays']
                  if display['Class'].endswith('RobotModel')]
    assert (arm['Alpha'], arm['TF Prefix']) == (1, '')
    assert 0 < ghost['Alpha'] < 0.5
    parts = (CONFIG.parent / 'twolink_dynamics' / 'nodes' / 'launch_parts.py').read_text()
    assert f"GHOST = '{ghost['TF Prefix']}'\n" in parts
