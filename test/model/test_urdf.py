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

"""What a URDF says is read literally, and what it says wrongly is refused by name."""

import math
import warnings

import numpy as np
import pytest

from twolink_dynamics.dynamics.factory import load_arm
from twolink_dynamics.errors import AmbiguousChainError, FaultyModelError, ModelError, \
    ModelWarning, ParameterError, UnsupportedModelError, UrdfError
from twolink_dynamics.model.urdf import read_urdf
from twolink_dynamics.spatial import rpy_rotation

INERTIA = '<inertia ixx="1" ixy="0" ixz="0" iyy="2" iyz="0" izz="2.5"/>'
INERTIAL = f'<inertial><origin xyz="0.5 0 0"/><mass value="2"/>{INERTIA}</inertial>'
AXIS = '<axis xyz="0 0 1"/>'


def link(name, inside=INERTIAL):
    return f'<link name="{name}">{inside}</link>\n'


def joint(name, parent, child, inside=AXIS, kind='continuous'):
    return (f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
            f'{inside}</joint>\n')


def robot(*parts, attributes='name="r"'):
    return f'<robot {attributes}>\n' + ''.join(parts) + '</robot>'


TWO = (link('base'), link('a'), link('b'),
       joint('j1', 'base', 'a'), joint('j2', 'a', 'b', AXIS + '<origin xyz="1 0 0"/>'))


def one_joint(inside=AXIS, kind='continuous', body=INERTIAL):
    return robot(link('base'), link('a', body), joint('j1', 'base', 'a', inside, kind))


# --- what is read --------------------------------------------------------------------------------


def test_origin_may_be_missing_or_have_rpy_or_a_quaternion():
    half = math.sqrt(0.5)
    forms = {'': np.eye(3), '<origin/>': np.eye(3),
             '<origin rpy="0.1 -0.2 0.3"/>': rpy_rotation(0.1, -0.2, 0.3),
             f'<origin quat_xyzw="0 0 {half} {half}"/>': rpy_rotation(0, 0, math.pi / 2),
             '<origin quat_xyzw="0 0 2 2"/>': rpy_rotation(0, 0, math.pi / 2)}
    for text, expected in forms.items():
        chain = read_urdf(one_joint(AXIS + text)).chain()
        np.testing.assert_allclose(chain.joints[0].origin[:3, :3], expected, rtol=0, atol=3e-16)


def test_the_first_of_two_origins_counts():
    chain = read_urdf(one_joint(AXIS + '<origin xyz="1 2 3"/><origin xyz="9 9 9"/>')).chain()
    assert chain.joints[0].origin[:3, 3].tolist() == [1.0, 2.0, 3.0]


def test_inertia_is_turned_into_the_link_frame_by_inertial_rpy():
    body = INERTIAL.replace('xyz="0.5 0 0"', 'xyz="0.5 0 0" rpy="0.4 0.5 -0.6"')
    found = read_urdf(one_joint(body=body)).chain().links[0].inertia
    R = rpy_rotation(0.4, 0.5, -0.6)
    np.testing.assert_allclose(found, R @ np.diag([1.0, 2.0, 2.5]) @ R.T, rtol=0, atol=1e-15)


def test_axis_is_normalised_and_its_length_reported():
    with pytest.warns(ModelWarning, match=r'joint "j1": axis of length 5: normalised'):
        arm = load_arm(one_joint('<axis xyz="0 -3 4"/>'))
    assert arm.chain.joints[0].axis.tolist() == [0.0, -0.6, 0.8]


def test_missing_axis_is_x_and_a_fixed_joint_needs_none():
    text = robot(link('base'), link('a'), link('b'), joint('j1', 'base', 'a', ''),
                 joint('j2', 'a', 'b', '<axis xyz="0 0 0"/>', 'fixed'))
    chain = read_urdf(text).chain()
    assert chain.n == 1 and chain.joints[0].axis.tolist() == [1.0, 0.0, 0.0]


@pytest.mark.parametrize('kind, limit, expected', [
    ('revolute', '<limit lower="-1" upper="2" velocity="3" effort="4"/>', (-1, 2, 3, 4)),
    ('revolute', '<limit upper="2" velocity="3" effort="4"/>', (0, 2, 3, 4)),
    ('revolute', '<limit velocity="3" effort="4"/>', (-math.inf, math.inf, 3, 4)),
    ('revolute', '', (-math.inf, math.inf, math.inf, math.inf)),
    ('revolute', '<limit lower="-inf" upper="Infinity" effort="INF" velocity="1"/>',
     (-math.inf, math.inf, 1, math.inf)),
    ('continuous', '<limit lower="-1" upper="2" velocity="3" effort="4"/>',
     (-math.inf, math.inf, 3, 4)),
    ('prismatic', '<limit lower="0" upper="0.4" effort="0" velocity="0"/>', (0, 0.4, 0, 0)),
])
def test_limits_are_literal_and_infinite_where_there_are_none(kind, limit, expected):
    limits = read_urdf(one_joint(AXIS + limit, kind)).chain().limits
    assert [float(v[0]) for v in (limits.lower, limits.upper, limits.velocity, limits.effort)] \
        == list(expected)


def test_damping_and_friction_are_read_and_zero_by_default():
    with_both = read_urdf(one_joint(AXIS + '<dynamics damping="0.7" friction="0.2"/>')).chain()
    assert (with_both.joints[0].damping, with_both.joints[0].friction) == (0.7, 0.2)
    without = read_urdf(one_joint()).chain().joints[0]
    assert (without.damping, without.friction) == (0.0, 0.0)


def test_only_direct_children_of_robot_count():
    inside = ('<transmission><joint name="j1" type="nonsense"/></transmission>'
              '<ros2_control><joint name="j1"><param name="x">${unexpanded}</param></joint>'
              '</ros2_control><gazebo><link name="base"/></gazebo>')
    assert read_urdf(robot(*TWO, inside)).chain().n == 2


def test_namespaces_do_not_matter():
    default = robot(*TWO, attributes='name="r" xmlns="http://drake.mit.edu"')
    prefixed = default.replace('xmlns=', 'xmlns:d=').replace('</', '</d:').replace(
        '<', '<d:').replace('<d:/d:', '</d:')
    for text in (default, prefixed):
        assert read_urdf(text).chain().n == 2


def test_text_bytes_declarations_and_byte_order_marks_are_all_read(tmp_path):
    text = '<?xml version="1.0" encoding="utf-8"?>\n<!-- größe -->\n' + robot(*TWO)
    path = tmp_path / 'größe.urdf'
    path.write_bytes(b'\xef\xbb\xbf' + text.encode('utf-8'))
    for source in (text, '\n  ' + text, '\ufeff' + text, text.encode('utf-8'), path, str(path)):
        assert read_urdf(source).chain().n == 2


def test_an_undeclared_world_is_the_ground():
    text = robot(*TWO, joint('weld', 'world', 'base', '', 'fixed'))
    chain = read_urdf(text).chain()
    assert chain.base_link == 'world' and chain.n == 2


def test_links_and_joints_may_share_a_name():
    assert read_urdf(robot(link('base'), link('a'), joint('a', 'base', 'a'))).chain().n == 1


@pytest.mark.parametrize('kind', ['text', 'bytes', 'file'])
def test_arguments_of_xacro_are_refused_where_nothing_is_expanded(kind, tmp_path):
    path = tmp_path / 'arm.urdf'
    path.write_text(one_joint())
    source = {'text': one_joint(), 'bytes': one_joint().encode(), 'file': path}[kind]
    load_arm(source, xacro_args={})
    with pytest.raises(ParameterError, match='xacro_args.*no .xacro file'):
        load_arm(source, xacro_args={'m': '2'})


def test_an_undefined_argument_of_xacro_names_the_remedy(tmp_path):
    pytest.importorskip('xacro', reason='xacro is not installed')
    path = tmp_path / 'arm.urdf.xacro'
    path.write_text('<robot xmlns:xacro="http://www.ros.org/wiki/xacro" name="r">'
                    '<link name="$(arg prefix)a"/></robot>')
    with pytest.raises(UrdfError, match='argument prefix; --xacro-arg NAME:=VALUE'):
        load_arm(path)


def test_digits_of_other_scripts_are_no_number():
    with pytest.raises(UrdfError, match='expected a finite number'):
        load_arm(one_joint(body=INERTIAL.replace('"2"', '"\u0662"')))


def test_xacro_is_expanded_with_arguments(tmp_path):
    pytest.importorskip('xacro', reason='xacro is not installed')
    path = tmp_path / 'arm.urdf.xacro'
    path.write_text('<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
                    '<xacro:arg name="m" default="1"/>' + ''.join(TWO).replace(
                        'value="2"', 'value="$(arg m)"') + '</robot>')
    assert read_urdf(path).chain().links[0].mass == 1.0
    assert read_urdf(path, {'m': 7}).chain().links[0].mass == 7.0
    path.write_text('<robot xmlns:xacro="http://www.ros.org/wiki/xacro">'
                    '<link name="${undefined + 1}"/></robot>')
    with pytest.raises(UrdfError, match='xacro cannot expand it.*undefined'):
        read_urdf(path)


# --- lumping -------------------------------------------------------------------------------------


def test_splitting_a_link_with_a_turned_fixed_joint_changes_nothing():
    whole = robot(link('base'), link('a', '<inertial><origin xyz="0.1 0.2 0.3"/><mass value="2"/>'
                                     + INERTIA + '</inertial>'), joint('j1', 'base', 'a'))
    # The same body, described in a link that is fixed at a pose to an empty one.
    R = rpy_rotation(0.3, -0.7, 1.1)
    com = R.T @ (np.array([0.1, 0.2, 0.3]) - np.array([1.0, -2.0, 0.5]))
    inertia = R.T @ np.diag([1.0, 2.0, 2.5]) @ R
    names = zip(('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz'), inertia[np.triu_indices(3)])
    part = (f'<inertial><origin xyz="{com[0]!r} {com[1]!r} {com[2]!r}"/><mass value="2"/><inertia '
            + ' '.join(f'{name}="{float(value)!r}"' for name, value in names) + '/></inertial>')
    part = part.replace('np.float64(', '').replace(')', '')
    split = robot(link('base'), link('a', ''), link('part', part), joint('j1', 'base', 'a'),
                  joint('weld', 'a', 'part', '<origin xyz="1 -2 0.5" rpy="0.3 -0.7 1.1"/>',
                        'fixed'))
    one, two = read_urdf(whole).chain().links[0], read_urdf(split).chain().links[0]
    assert one.mass == two.mass
    # A handful of products of numbers of order one, each rounded once.
    np.testing.assert_allclose(two.com, one.com, rtol=0, atol=2e-15)
    np.testing.assert_allclose(two.inertia, one.inertia, rtol=0, atol=5e-15)


def test_what_hangs_at_the_side_is_felt_unless_dropped():
    text = robot(*TWO, link('finger'), joint('grip', 'b', 'finger', AXIS, 'prismatic'),
                 link('tool', ''), joint('mount', 'b', 'tool', '', 'fixed'))
    lumped = read_urdf(text).chain(tip_link='tool')
    dropped = read_urdf(text).chain(tip_link='tool', side_branches='drop')
    assert [body.mass for body in lumped.links] == [2.0, 4.0]
    assert [body.mass for body in dropped.links] == [2.0, 2.0]
    beyond = read_urdf(text).chain(tip_link='a')
    assert beyond.n == 1 and beyond.links[0].mass == 6.0


def test_a_turned_base_mount_is_part_of_the_first_joint():
    text = robot(link('world', ''), *TWO, joint(
        'mount', 'world', 'base', '<origin xyz="0 0 1" rpy="1.5 0 0"/>', 'fixed'))
    origin = read_urdf(text).chain().joints[0].origin
    np.testing.assert_allclose(origin[:3, :3], rpy_rotation(1.5, 0, 0), rtol=0, atol=1e-16)
    assert origin[:3, 3].tolist() == [0.0, 0.0, 1.0]


# --- which chain ---------------------------------------------------------------------------------


FORKED = robot(*TWO, link('left'), link('right'), joint('jl', 'b', 'left'),
               joint('jr', 'b', 'right'))


def test_an_ambiguous_tip_is_an_error_that_lists_the_candidates():
    with pytest.raises(AmbiguousChainError) as caught:
        read_urdf(FORKED).chain()
    assert caught.value.candidates == ('left', 'right')
    assert caught.value.which == 'tip_link'
    assert [j.name for j in read_urdf(FORKED).chain(tip_link='left').joints] == ['j1', 'j2', 'jl']


def test_tool0_is_the_tip_among_leaves_fixed_to_one_flange():
    text = robot(*TWO, *(part for name in ('camera', 'tool0') for part in (
        link(name, ''), joint('to_' + name, 'b', name, '', 'fixed'))))
    assert read_urdf(text).chain().tip_link == 'tool0'
    with pytest.raises(AmbiguousChainError, match='camera, tool1'):
        read_urdf(text.replace('tool0', 'tool1')).chain()


def test_a_branch_fixed_to_the_ground_does_not_make_a_tip():
    text = robot(*TWO, link('table'), joint('t', 'base', 'table', '', 'fixed'))
    assert read_urdf(text).chain().tip_link == 'b'


def test_links_asked_for_must_exist_and_hang_together():
    tree = read_urdf(FORKED)
    with pytest.raises(ParameterError, match='tip_link: expected a link of .*base, a, b, left'):
        tree.chain(tip_link='lefty')
    with pytest.raises(ParameterError, match='base_link: expected a link'):
        tree.chain(base_link='nowhere')
    with pytest.raises(ParameterError, match='tip_link: expected a link below "right"'):
        tree.chain('right', 'left')
    with pytest.raises(ParameterError, match='side_branches'):
        tree.chain(tip_link='left', side_branches='cut')
    assert [joint.name for joint in tree.chain('a', 'left').joints] == ['j2', 'jl']


# --- what is refused: (text, the line, what the message must say) --------------------------------


BAD = {
    'not XML': ('<robot name="r"><link name="a"></robot>', 1, 'not well-formed XML'),
    'no robot': ('<sdf><model/></sdf>', 1, 'the root element is <sdf>, expected <robot>'),
    'urdf wrapper': ('<urdf><robot name="r"/></urdf>', 1, 'the root element is <urdf>'),
    'xacro expression': (one_joint(body=INERTIAL.replace('"2"', '"${m}"')), 3,
                         'value="${m}" is an unexpanded xacro expression'),
    'xacro element': ('<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">\n'
                      '<xacro:include filename="x"/></robot>', 2, 'is xacro, not URDF'),
    'entities': ('<!DOCTYPE r [<!ENTITY e SYSTEM "file:///etc/passwd">]>\n' + robot(*TWO), 1,
                 'declares XML entities'),
    'zero axis': (one_joint('<axis xyz="0 0 0"/>'), 4, '"j1": <axis xyz="0 0 0">: expected a dir'),
    'NaN': (one_joint(body=INERTIAL.replace('"2"', '"nan"')), 3,
            'link "a": <mass value="nan">: expected a finite number'),
    'infinite mass': (one_joint(body=INERTIAL.replace('"2"', '"inf"')), 3, 'link "a": <mass valu'),
    'overflow': (one_joint(body=INERTIAL.replace('"2"', '"1e999"')), 3, 'too large a number'),
    'underscore': (one_joint(body=INERTIAL.replace('"2"', '"1_0"')), 3, 'finite number'),
    'text': (one_joint('<axis xyz="0 zero 1"/>'), 4, '<axis xyz="0 zero 1">: expected 3 finite'),
    'two numbers': (one_joint('<axis xyz="0 1"/>'), 4, '<axis xyz="0 1">: expected 3 finite'),
    'NaN in a limit': (one_joint('<limit effort="nan" velocity="1"/>'), 4, '<limit effort="nan">'),
    'mass without value': (one_joint(body='<inertial><mass/></inertial>'), 3,
                           'link "a": <mass> has no attribute "value"'),
    'incomplete inertia': (one_joint(body=INERTIAL.replace('izz="2.5"', '')), 3,
                           'link "a": <inertia> has no attribute "izz"'),
    'negative mass': (one_joint(body=INERTIAL.replace('"2"', '"-2"')), 3,
                      'link "a": mass -2 kg, expected 0 or more'),
    'unknown parent': (robot(*TWO, link('c'), joint('j3', 'nobody', 'c')), 8,
                       'joint "j3": its parent link "nobody" does not exist'),
    'unknown child': (robot(*TWO, joint('j3', 'b', 'nobody')), 7, 'its child link "nobody"'),
    'two roots': (robot(*TWO, link('other')), 7, 'link "other": several links have no parent: ba'),
    'a loop with a root': (robot(*TWO, joint('back', 'b', 'a')), 7,
                           'joint "back": its child link "a" already is the child of joint "j1"'),
    'a loop without': (robot(*TWO, link('c'), link('d'), joint('cd', 'c', 'd'),
                             joint('dc', 'd', 'c')), 10, 'closes a loop of the links c, d'),
    'repeated link': (robot(*TWO, link('a')), 7, 'link "a": a second link of this name'),
    'repeated joint': (robot(*TWO, link('c'), joint('j1', 'b', 'c')), 8, 'a second joint of this'),
    'no name': (robot(*TWO, link('')), 7, '<link> has no name'),
    'no parent': (robot(link('a'), '<joint name="j" type="fixed"><child link="a"/></joint>'), 3,
                  'joint "j": has no <parent>'),
    'no type': (one_joint().replace(' type="continuous"', ''), 4, 'joint "j1": type="None"'),
    'unknown type': (one_joint(kind='ball'), 4, 'joint "j1": type="ball": expected one of'),
    'two rotations': (one_joint(AXIS + '<origin rpy="0 0 0" quat_xyzw="0 0 0 1"/>'), 4,
                      'has both rpy and quat_xyzw'),
    'zero quaternion': (one_joint(AXIS + '<origin quat_xyzw="0 0 0 0"/>'), 4, 'is zero'),
    'no links': ('<robot name="r"/>', None, '<robot> has no links'),
    'no movable joint': (robot(link('base'), link('a'), joint('j', 'base', 'a', '', 'fixed')),
                         None, 'no movable joint below link "base"'),
    'floating': (one_joint(kind='floating'), 4, 'joint "j1" is floating'),
    'planar': (one_joint(kind='planar'), 4, 'joint "j1" is planar'),
    'mimic': (robot(*TWO).replace('<origin xyz="1 0 0"/>', '<mimic joint="j1"/>'), 6,
              'joint "j2" mimics joint "j1"'),
    'negative effort limit': (one_joint(AXIS + '<limit effort="-1" velocity="1"/>'), 4,
                              'joint "j1": effort limit -1, expected 0 or more'),
    'negative damping': (one_joint(AXIS + '<dynamics damping="-1"/>'), 4, 'damping -1, expected'),
}


@pytest.mark.parametrize('case', BAD)
def test_bad_input_is_refused_in_one_line_with_file_line_and_element(case, tmp_path):
    text, line, problem = BAD[case]
    path = tmp_path / 'bad.urdf'
    path.write_text(text)
    for source, name in ((path, str(path)), (text, '<string>')):
        with pytest.raises(ModelError) as caught:
            load_arm(source)
        message = str(caught.value)
        assert problem in message and '\n' not in message
        assert message.startswith(f'{name}:{line}: ' if line else f'{name}: ')


@pytest.mark.parametrize('source, problem', [
    ('/nowhere/arm.urdf', '/nowhere/arm.urdf: cannot be read: No such file'),
    ('/nowhere/arm.urdf.xacro', 'No such file'), ('/', 'cannot be read: Is a directory'),
    ('a\0b', 'cannot be read'), (None, 'expected a path or XML text, got NoneType'),
    (3, 'got int'), ('', 'got an empty string'), ('/dev/null', 'not well-formed XML')])
def test_what_is_no_file_is_refused(source, problem):
    with pytest.raises(UrdfError, match=problem):
        load_arm(source)


def test_entities_are_not_resolved_and_do_not_blow_up():
    bomb = '<!DOCTYPE r [<!ENTITY a "' + 'x' * 100 + '">' + ''.join(
        f'<!ENTITY {new} "{f"&{old};" * 100}">' for old, new in zip('abcd', 'bcde')) + ']>'
    with pytest.raises(UrdfError):
        read_urdf(bomb + '<robot name="&e;"><link name="a"/></robot>')


def test_all_faults_of_a_model_are_named_at_once():
    text = robot(link('base'), link('a', INERTIAL.replace('"2"', '"-2"')),
                 link('b', INERTIAL.replace('"2"', '"-3"')), joint('j1', 'base', 'a'),
                 joint('j2', 'a', 'b', AXIS + '<limit effort="-1"/>', 'revolute'))
    with pytest.raises(FaultyModelError) as caught:
        load_arm(text)
    assert [finding.rule for finding in caught.value.findings] == [
        'negative-mass', 'negative-mass', 'negative-limit']


@pytest.mark.parametrize('body, inside, rule', [
    (INERTIAL.replace('izz="2.5"', 'izz="3.5"'), AXIS, 'triangle-inequality'),
    (INERTIAL.replace('ixx="1"', 'ixx="-1"'), AXIS, 'inertia-not-positive'),
    ('', AXIS, 'missing-inertial'), (f'<inertial>{INERTIA}</inertial>', AXIS,
                                     'inertia-without-mass'),
    ('<inertial><mass value="0"/></inertial>', AXIS, 'zero-mass'),
    (INERTIAL + '<visual><geometry><box size="0.1 0.1 0.1"/></geometry></visual>', AXIS,
     'com-outside-geometry'),
    (INERTIAL, AXIS + '<limit effort="0" velocity="1"/>', 'zero-effort-limit'),
    (INERTIAL, '<axis xyz="0 0 2"/>', 'non-unit-axis')])
def test_an_implausible_model_loads_with_a_warning_and_strictly_not(body, inside, rule):
    text = one_joint(inside, body=body)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter('always')
        load_arm(text)
    assert caught and all(issubclass(w.category, ModelWarning) for w in caught)
    with pytest.raises(FaultyModelError) as strict:
        load_arm(text, strict=True)
    assert rule in [finding.rule for finding in strict.value.findings]
    assert len(strict.value.findings) == len(caught)


def test_a_sound_model_loads_strictly():
    with warnings.catch_warnings():
        warnings.simplefilter('error')
        assert load_arm(robot(*TWO), strict=True).n == 2


def test_a_side_branch_that_cannot_be_locked_is_refused_by_name():
    text = robot(*TWO, link('ball'), joint('loose', 'a', 'ball', '', 'floating'))
    with pytest.raises(UnsupportedModelError, match='joint "loose" is floating') as caught:
        read_urdf(text).chain(tip_link='b')
    assert caught.value.names == ('loose',)
    assert read_urdf(text).chain(tip_link='b', side_branches='drop').n == 2
