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

"""The arm that comes with the package: its xacro, the expanded copy, and what they describe."""

from pathlib import Path

from lxml import etree
import numpy as np
import pytest

from twolink_dynamics.model.urdf import read_urdf
from twolink_dynamics.spatial import homogeneous, rpy_rotation

URDF = Path(__file__).resolve().parents[2] / 'urdf'
XACRO_FILE = URDF / 'twolink.urdf.xacro'
URDF_FILE = URDF / 'twolink.urdf'


def expand(**arguments):
    """Return the root element of the expanded xacro."""
    xacro = pytest.importorskip('xacro', reason='xacro is not installed')
    mappings = {name: str(value) for name, value in arguments.items()}
    return etree.fromstring(xacro.process_file(str(XACRO_FILE), mappings=mappings).toxml())


def canonical(robot):
    """Return an element as text without comments, blanks, and the order of attributes."""
    return etree.tostring(
        etree.fromstring(etree.tostring(robot), etree.XMLParser(remove_blank_text=True)),
        method='c14n', with_comments=False)


def floats(text):
    """Return the numbers of an attribute."""
    return np.array([float(word) for word in text.split()])


def test_the_expanded_copy_is_what_xacro_makes():
    """The .urdf is regenerated whenever the .xacro changes."""
    assert canonical(etree.parse(str(URDF_FILE)).getroot()) == canonical(expand())


@pytest.mark.parametrize('link', ['link1', 'link2'])
def test_the_inertia_is_that_of_the_uniform_box_that_is_drawn(link):
    """
    The inertial equals the first visual's mass distribution.

    Both are computed from the same few numbers in double precision: a handful of roundings.

    """
    robot = etree.parse(str(URDF_FILE)).getroot()
    element = robot.find(f"link[@name='{link}']")
    visual, inertia = element.find('visual'), element.find('inertial/inertia')
    mass = float(element.find('inertial/mass').get('value'))
    x, y, z = floats(visual.find('geometry/box').get('size')) ** 2
    expected = mass / 12 * np.array([y + z, x + z, x + y])
    actual = [float(inertia.get(key)) for key in ('ixx', 'iyy', 'izz')]
    np.testing.assert_allclose(actual, expected, rtol=1e-15 * 8)
    assert visual.find('origin').attrib == element.find('inertial/origin').attrib


def test_positive_angles_lift_the_tip_counterclockwise():
    """At q = 0 the arm points along x; q1 is measured from there, q2 from link 1."""
    chain = read_urdf(URDF_FILE).chain('base_link', 'tip')
    pose = np.eye(4)
    q = 0.3, 0.4
    for joint, angle in zip(chain.joints, q):
        np.testing.assert_array_equal(joint.axis, [0, -1, 0])
        pose = pose @ joint.origin @ homogeneous(rpy_rotation(0, -angle, 0), np.zeros(3))
    x, _, z = (pose @ chain.tip)[:3, 3]
    height = chain.joints[0].origin[2, 3]
    # Links of 1 m and 0.8 m; a few roundings of numbers of order 1.
    assert x == pytest.approx(np.cos(0.3) + 0.8 * np.cos(0.7), abs=1e-14)
    assert z == pytest.approx(height + np.sin(0.3) + 0.8 * np.sin(0.7), abs=1e-14)


def test_the_only_sensible_chain_is_the_two_joints():
    """Neither base nor tip need be given."""
    chain = read_urdf(URDF_FILE).chain()
    assert [joint.name for joint in chain.joints] == ['joint1', 'joint2']
    assert chain.tip_link == 'tip'


def test_every_joint_can_hold_the_stretched_arm():
    """The effort limits are four times what gravity asks for, rounded to 0.1 N m."""
    joints = read_urdf(URDF_FILE).chain().joints
    hold2 = 9.81 * 2.5 * 0.4
    hold1 = 9.81 * (4.0 * 0.5 + 2.5 * 1.0) + hold2
    assert [joint.effort for joint in joints] == pytest.approx([4 * hold1, 4 * hold2], abs=0.05)
    for joint in joints:
        assert -np.inf < joint.lower < 0 < joint.upper < np.inf
        assert 0 < joint.velocity < np.inf


def test_masses_and_lengths_are_arguments():
    """The inertias, the limits and the column's height follow."""
    robot = expand(m1=1, m2=0.5, l1=0.4, l2=0.3, damping=0.01, friction=0.2)
    joint = robot.find("joint[@name='joint2']")
    assert robot.find("link[@name='link2']/inertial/mass").get('value') == '0.5'
    assert floats(robot.find("link[@name='link1']/inertial/origin").get('xyz'))[0] == 0.2
    assert floats(joint.find('origin').get('xyz'))[0] == 0.4
    assert dict(joint.find('dynamics').attrib) == {'damping': '0.01', 'friction': '0.2'}
    assert float(joint.find('limit').get('effort')) == pytest.approx(
        4 * 9.81 * 0.5 * 0.15, abs=0.05)
    height = floats(robot.find("joint[@name='joint1']/origin").get('xyz'))[2]
    assert height > 0.4 + 0.3


@pytest.mark.parametrize('plugin, topics', [
    ('mock_components/GenericSystem', False),
    ('joint_state_topic_hardware_interface/JointStateTopicSystem', True),
    ('topic_based_ros2_control/TopicBasedSystem', True),
])
def test_ros2_control_commands_efforts_through_the_plugin_that_is_asked_for(plugin, topics):
    """A plugin that speaks by topics is told ours."""
    control = expand(plugin=plugin).find('ros2_control')
    assert control.find('hardware/plugin').text == plugin
    named = {param.get('name'): param.text for param in control.iterfind('hardware/param')}
    assert (named.get('joint_commands_topic') == 'joint_commands') is topics
    assert (named.get('joint_states_topic') == 'joint_states') is topics
    for joint in control.iterfind('joint'):
        assert [item.get('name') for item in joint.iterfind('command_interface')] == ['effort']
        assert [item.get('name') for item in joint.iterfind('state_interface')] == [
            'position', 'velocity', 'effort']
