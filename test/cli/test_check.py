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

"""``twolink check`` names every fault of a URDF, by line, and never stops at the first."""

import json
from pathlib import Path

from corpus import corpus_file, corpus_names, needs_corpus
import pytest

from twolink_dynamics.cli.main import main

INERTIA = '<inertia ixx="1" iyy="1" izz="1"/>'
BODY = f'<inertial><mass value="1"/>{INERTIA}</inertial>'
LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'


def robot(*lines):
    """Return a URDF with one element a line, the first in line 2."""
    return '\n'.join(['<robot name="r">', *lines, '</robot>'])


def link(name, inside=BODY):
    return f'<link name="{name}">{inside}</link>'


def joint(name, parent, child, inside='', kind='continuous'):
    return (f'<joint name="{name}" type="{kind}"><parent link="{parent}"/>'
            f'<child link="{child}"/>{inside}</joint>')


@pytest.fixture
def check(tmp_path, capsys):
    """Return a function of a URDF's text that gives exit status and findings of the command."""
    def run(text, *options):
        path = tmp_path / 'arm.urdf'
        path.write_text(text, encoding='utf-8')
        status = main(['check', str(path), '--json', *options])
        out, err = capsys.readouterr()
        assert err == ''
        report = json.loads(out)
        return status, {(f['rule'], f['severity'], f['line']) for f in report['findings']}, report
    return run


SOUND = (link('base', ''), link('a'), link('b'), joint('j1', 'base', 'a'),
         joint('j2', 'a', 'b', LIMIT, 'revolute'))


def test_a_sound_arm_passes_with_nothing_to_say(check):
    status, found, report = check(robot(*SOUND), '--strict')
    assert (status, found, report['passed']) == (0, set(), True)
    assert report['chains'] == [{'base_link': 'base', 'tip_link': 'b', 'joints': ['j1', 'j2']}]


def test_all_faults_are_named_at_once_past_those_that_cannot_be_read(check):
    text = robot(
        link('base', ''),
        link('a', '<inertial><mass value="heavy"/></inertial>'),                 # 3
        link('b', '<inertial><mass value="-1"/></inertial>'),                    # 4
        link('b'),                                                               # 5
        link('c', BODY.replace('iyy="1"', 'iyy="nan"').replace('izz="1"', '')),  # 6
        joint('j1', 'base', 'a', '<axis xyz="0 0 0"/><origin xyz="1 2"/>'),      # 7
        joint('j2', 'a', 'b', kind='ball'),                                      # 8
        joint('j3', 'b', 'nobody'),                                              # 9
        joint('j4', 'base', 'c', '<limit effort="-1" velocity="0"/>'),           # 10
        joint('j5', 'base', 'c'),                                                # 11
        link('alone'))                                                           # 12
    status, found, _ = check(text)
    assert status == 1
    assert found == {
        ('bad-number', 'error', 3), ('negative-mass', 'error', 4), ('repeated-name', 'error', 5),
        ('bad-number', 'error', 6), ('zero-axis', 'error', 7), ('bad-number', 'error', 7),
        ('joint-type', 'error', 8), ('unknown-link', 'error', 9), ('negative-limit', 'error', 10),
        ('zero-velocity-limit', 'warning', 10), ('two-parents', 'error', 11),
        ('several-roots', 'error', 12)}


ONE = {
    'not XML': ('<robot name="r">\n<link name="a">\n</robot>', 'not-a-urdf', 'error', 3),
    'not a robot': ('<urdf/>', 'not-a-urdf', 'error', 1),
    'xacro': (robot(link('${name}')), 'unexpanded-xacro', 'error', 2),
    'a loop': (robot(*SOUND, link('c'), link('d'), joint('cd', 'c', 'd'), joint('dc', 'd', 'c')),
               'loop', 'error', 10),
    'no links': ('<robot name="r"/>', 'no-links', 'error', None),
    'no joint': (robot(link('a')), 'no-movable-joint', 'error', 1),
    'spherical': (robot(link('a'), link('b'), joint('j', 'a', 'b', kind='spherical')),
                  'untreated-joint', 'error', 4),
    'two origins': (robot(*SOUND[:-1], joint('j2', 'a', 'b', LIMIT + '<origin/><origin/>')),
                    'repeated-element', 'warning', 6),
    'two inertias': (robot(*SOUND[:2], link('b', BODY.replace(INERTIA, 2 * INERTIA)), *SOUND[3:]),
                     'repeated-element', 'warning', 4),
    'no limit': (robot(*SOUND[:-1], joint('j2', 'a', 'b', '', 'revolute')),
                 'missing-limit', 'warning', 6),
    'no effort': (robot(*SOUND[:-1], joint('j2', 'a', 'b', LIMIT.replace('effort="1"', ''),
                                           'revolute')), 'missing-limit', 'warning', 6),
    'no lower': (robot(*SOUND[:-1], joint('j2', 'a', 'b', LIMIT.replace('lower="-1"', ''),
                                          'revolute')), 'missing-limit', 'note', 6),
    'no bounds': (robot(*SOUND[:-1], joint('j2', 'a', 'b', '<limit effort="1" velocity="1"/>',
                                           'revolute')), 'missing-limit', 'warning', 6),
    'no range': (robot(*SOUND[:-1], joint('j2', 'a', 'b', LIMIT.replace('-1', '1'), 'revolute')),
                 'no-range', 'warning', 6),
    'reversed': (robot(*SOUND[:-1], joint('j2', 'a', 'b', LIMIT.replace('-1', '2'), 'revolute')),
                 'limits-reversed', 'warning', 6),
    'an undeclared world': (robot(*SOUND, joint('w', 'world', 'base', '', 'fixed')),
                            'undeclared-world', 'note', 7),
    'one name for both': (robot(link('base', ''), link('a'), joint('a', 'base', 'a')),
                          'same-name', 'note', 4),
    'a point mass': (robot(link('base', ''), link('a', '<inertial><origin xyz="1 0 0"/>'
                                                  '<mass value="1"/></inertial>'),
                           joint('j', 'base', 'a', '<axis xyz="0 0 1"/>')),
                     'point-mass', 'note', 3),
    'a zero axis that does not matter': (
        robot(*SOUND, link('c', ''), joint('f', 'b', 'c', '<axis xyz="0 0 0"/>', 'fixed')),
        'zero-axis', 'note', 8),
    'mimics': (robot(*SOUND, link('c'), joint('j3', 'a', 'c', '<mimic joint="j2"/>')),
               'mimic', 'note', 8),
    'mimics nobody': (robot(*SOUND, link('c'), joint('j3', 'a', 'c', '<mimic joint="j9"/>')),
                      'mimic', 'warning', 8),
    'a base with a wrong mass': (robot(link('base', BODY.replace('"1"', '"-1"', 1)), *SOUND[1:]),
                                 'negative-mass', 'warning', 2),
}

ARM = """<robot name="r"><link name="base"/>
<link name="a"><inertial>%s<mass value="1.5"/>%s</inertial></link>
<link name="b"><inertial><mass value="1"/>
<inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial></link>
<joint name="j1" type="revolute"><parent link="base"/><child link="a"/>%s</joint>
<joint name="j2" type="revolute"><parent link="a"/><child link="b"/><origin xyz="0.4 0 0"/>
<limit effort="9" velocity="2" lower="-1" upper="1"/></joint></robot>"""
GOOD = ('<origin xyz="0.2 0 0"/>', '<inertia ixx="0.01" iyy="0.01" izz="0.01"/>',
        '<limit effort="10" velocity="2" lower="-1" upper="1"/>')
# What is put in place of which part of ARM, the rule, and what is said.
SEEN = [
    (0, '<orign xyz="1 0 0"/>', 'unknown-name', 'did you mean <origin>'),
    (0, '<origin xzy="1 0 0"/>', 'unknown-name', 'did you mean "xyz"'),
    (0, '<origin>1 0 0</origin>', 'text', 'which is not read'),
    (0, '<origin xyz="200 0 0"/>', 'com-scale', 'is it in metres?'),
    (1, '<inertia ixx="9" iyy="9" izz="9"/>', 'inertia-scale', 'is the inertia in kg m^2?'),
    (1, '<inertia ixx="1" iyy="1" izz="1"/>', 'inertia-scale', 'placeholder'),
    (1, '<inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="1e-3" iyx="-1e-3"/>',
     'contradictory-inertia', 'only ixy is read'),
    (2, GOOD[2] + '<dynamics dampng="1"/>', 'unknown-name', 'did you mean "damping"'),
    (2, GOOD[2] + '<axes xyz="0 0 1"/>', 'unknown-name', 'did you mean <axis>'),
    (2, GOOD[2].replace('/>', '><velocity>1</velocity></limit>'), 'unknown-name',
     'expected velocity="..."'),
    (2, GOOD[2] + '<mass value="1"/>', 'unknown-name', 'not read there'),
]


@pytest.mark.parametrize('place, part, rule, said', SEEN)
def test_what_a_reader_skips_or_cannot_be_is_named(check, place, part, rule, said):
    parts = list(GOOD)
    parts[place] = part
    status, _, report = check(ARM % tuple(parts))
    findings = report['findings']
    assert [(f['rule'], f['severity']) for f in findings] == [(rule, 'warning')]
    assert said in findings[0]['problem'] and status == 0


@pytest.mark.parametrize('place, part', [
    (2, GOOD[2] + '<axis xyz="0.999999 0.0010000 0"/>'),  # six digits of a unit vector
    (1, '<inertia ixx="3.11110e-5" iyy="4.94649e-5" izz="8.0576e-5"/>'),  # and of a plate
    (1, GOOD[1].replace('ixx', 'iyx="0" ixx')), (0, GOOD[0] + '<drake:more xmlns:drake="d"/>'),
    (2, GOOD[2] + '<safety_controller k_velocity="1"/><calibration rising="0"/>')])
def test_rounding_and_what_belongs_to_others_is_no_finding(check, place, part):
    parts = list(GOOD)
    parts[place] = part
    extensions = '<gazebo/><transmission/><ros2_control name="a"/><mujoco/></robot>'
    assert check((ARM % tuple(parts)).replace('</robot>', extensions))[2]['findings'] == []


def test_an_unknown_name_that_resembles_none_is_a_note(check):
    _, found, _ = check(robot(*SOUND, '<wibble/>'))
    assert found == {('unknown-name', 'note', 7)}


def test_a_joint_locked_beside_the_chain_outside_its_limits_is_named(check):
    finger = joint('f', 'b', 'c', '<limit lower="0.2" upper="1" effort="5" velocity="1"/>',
                   'revolute')
    text = robot(*SOUND, link('c'), finger)
    assert ('locked-outside-limits', 'warning', 8) in check(text, '--tip-link', 'b')[1]
    for options in (('--tip-link', 'c'), ('--tip-link', 'b', '--side-branches', 'drop')):
        assert check(text, *options)[1] == set()


def test_effort_limits_that_nobody_chose_are_notes(check):
    status, found, _ = check((ARM % GOOD).replace('effort="10"', 'effort="1"')
                             .replace('effort="9"', 'effort="1"'))
    assert {rule[:2] for rule in found} == {('placeholder-limit', 'note')} and status == 0
    _, _, report = check((ARM % GOOD).replace('effort="10"', 'effort="-1"'))
    assert 'for no limit, leave it out' in report['findings'][0]['problem']


@pytest.mark.parametrize('case', ONE)
def test_a_fault_is_named_with_rule_severity_and_line(case, check):
    text, rule, severity, line = ONE[case]
    status, found, report = check(text)
    assert (rule, severity, line) in found
    assert {(r, s) for r, s, _ in found} - {('choose-tip', 'note')} == {(rule, severity)}
    assert status == (severity == 'error') and report['passed'] is (severity != 'error')


def test_strict_lets_warnings_fail_but_not_notes(check):
    assert check(ONE['two origins'][0], '--strict')[0] == 1
    assert check(ONE['an undeclared world'][0], '--strict')[0] == 0


def test_joints_that_move_no_inertia_are_found_where_the_chain_as_a_whole_has_mass(check):
    empty = robot(link('base', ''), link('a'), link('b', ''), joint('j1', 'base', 'a'),
                  joint('j2', 'a', 'b'))
    assert check(empty)[1] == {('missing-inertial', 'warning', 4),
                               ('singular-mass-matrix', 'warning', 6)}
    # A massless link between two bodies moves what hangs on it: nothing is singular.
    between = robot(link('base', ''), link('a', ''), link('b'),
                    joint('j1', 'base', 'a', '<axis xyz="0 0 1"/>'),
                    joint('j2', 'a', 'b', '<axis xyz="0 1 0"/><origin xyz="1 0 0"/>'))
    assert check(between)[1] == {('missing-inertial', 'warning', 3)}


FORK = robot(*SOUND, link('c'), joint('j3', 'a', 'c'), link('d'),
             joint('j4', 'c', 'd', '<mimic joint="j3"/>'))


def test_a_tree_is_checked_whole_and_the_tips_to_choose_from_are_listed(check, capsys, tmp_path):
    faulty = FORK.replace('<child link="c"/>', '<child link="c"/><limit effort="-1"/>')
    status, found, report = check(faulty)
    assert status == 1 and ('negative-limit', 'error', 8) in found
    status, found, report = check(FORK)
    assert status == 0 and report['ambiguous'] and ('choose-tip', 'note', 1) in found
    assert [chain['tip_link'] for chain in report['chains']] == ['b', 'c']
    main(['check', str(tmp_path / 'arm.urdf')])
    assert '--tip-link b  2 joints  j1 to j2' in capsys.readouterr().out
    status, found, report = check(FORK, '--tip-link', 'c')
    assert not report['ambiguous'] and report['chains'][0]['joints'] == ['j1', 'j3']
    assert check(FORK, '--tip-link', 'd')[0] == 1


def test_one_line_a_finding_where_there_is_no_terminal(check, capsys, tmp_path):
    check(ONE['mimics'][0])
    assert main(['check', str(tmp_path / 'arm.urdf')]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith(': note: several chains are possible: choose a tip link [choose-tip]')
    assert lines[1].startswith(f'{tmp_path}/arm.urdf:8: note: joint "j3": mimics joint "j2"')
    assert lines[-1] == '0 errors, 0 warnings, 2 notes'


@pytest.mark.parametrize('arguments', [
    ['/nowhere/arm.urdf'], ['/'], ['--tip-link', 'nowhere'], ['--base-link', 'nowhere']])
def test_what_cannot_be_looked_at_is_one_line_and_status_2(arguments, tmp_path, capsys):
    (tmp_path / 'arm.urdf').write_text(robot(*SOUND))
    if arguments[0].startswith('--'):
        arguments = [str(tmp_path / 'arm.urdf'), *arguments]
    assert main(['check', *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == '' and err.startswith('twolink: error: ') and err.count('\n') == 1


# --- real files --------------------------------------------------------------------------------

# What the corpus says of its files, or what is seen in them: (rule, how many findings).
KNOWN = {
    'drake_double_pendulum': ('point-mass', 3),
    'bullet_twojoint_fixed': ('triangle-inequality', 2),
    'underactuated_double_pendulum': ('undeclared-world', 1),
    'pinocchio_3dof_planar': ('missing-inertial', 3), 'drake_acrobot': ('undeclared-world', 1),
    'pinocchio_link_joint_same_name': ('same-name', 1),
    'kdl_inertia_rpy2': ('triangle-inequality', 1), 'idyntree_twolinks': ('zero-axis', 1),
    'idyntree_onelink': ('no-movable-joint', 1), 'drake_joint_parsing': ('joint-type', 5),
    'drake_massless_robot': ('no-movable-joint', 1), 'scara_roma': ('non-unit-axis', 1),
    'fer_hand': ('triangle-inequality', 1), 'panda_moveit': ('missing-inertial', 9),
    'fanuc_moveit': ('missing-inertial', 6), 'gen3_lite': ('mimic', 3),
    'kinova_jaco_erd': ('choose-tip', 1), 'xarm6': ('triangle-inequality', 2),
    'xarm7_gripper': ('mimic', 5), 'sawyer': ('choose-tip', 1), 'fetch': ('choose-tip', 1),
    'openarm_v10': ('triangle-inequality', 2), 'openarm_v10_bimanual': ('choose-tip', 1),
    'puma560_rtb': ('missing-inertial', 6), 'irb140_rtb': ('missing-inertial', 6),
    'jsp_mimic_cycle': ('not-a-urdf', 1), 'rsp_mimic': ('no-movable-joint', 1),
    'bullet_hinge_spherical': ('untreated-joint', 1), 'erd_double_pendulum': ('no-range', 2),
    'bullet_tendon_cart_pendulum': ('limits-reversed', 15), 'al5d_rtb': ('zero-velocity-limit', 4),
    'dfki_pendubot_A2_1': ('zero-effort-limit', 1), 'rrbot_gazebo': ('choose-tip', 1),
    'bullet_cartpole': ('inertia-without-mass', 1), 'talos_left_arm': ('triangle-inequality', 1),
    'drake_kuka_bench': ('missing-limit', 7), 'ur5e_official': ('', 0), 'r6bot': ('', 0)}
SINGULAR = ('pinocchio_3dof_planar', 'scara_roma', 'panda_moveit', 'fanuc_moveit',
            'widowx_bullet', 'puma560_rtb', 'irb140_rtb', 'al5d_rtb',
            'bullet_tendon_cart_pendulum')
# What has nothing to compute (class E of the corpus).
REFUSED = ('pinocchio_link_joint_same_name', 'idyntree_onelink', 'drake_joint_parsing',
           'drake_massless_robot', 'rsp_mimic', 'jsp_mimic_cycle', 'bullet_hinge_spherical')


@needs_corpus
@pytest.mark.parametrize('name', corpus_names())
def test_each_known_fault_of_a_real_file_is_named(name, capsys):
    status = main(['check', str(corpus_file(name)), '--json'])
    out, err = capsys.readouterr()
    report = json.loads(out)
    assert err == '' and status == (name in REFUSED) == (not report['passed'])
    rules = [finding['rule'] for finding in report['findings']]
    rule, count = KNOWN.get(name, ('', None))
    assert rules.count(rule) == (count or 0)
    assert count != 0 or rules == []
    assert ('singular-mass-matrix' in rules) == (name in SINGULAR)
    size = len(Path(corpus_file(name)).read_text().splitlines())
    assert all(1 <= finding['line'] <= size for finding in report['findings'])


def test_the_lines_of_a_xacro_are_said_to_be_those_of_the_expanded_file(tmp_path, capsys):
    pytest.importorskip('xacro', reason='xacro is not installed')
    path = tmp_path / 'arm.urdf.xacro'
    path.write_text(robot(*SOUND[:-1], joint('j2', 'a', 'b', '', 'revolute')).replace(
        '<robot', '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"'))
    assert main(['check', str(path)]) == 0
    assert f'lines are those of the expanded file: xacro {path}' in capsys.readouterr().out
