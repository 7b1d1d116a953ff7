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

"""Denavit-Hartenberg rows make the arm they describe, in either convention, and files are read."""

import math

import numpy as np
import pytest

import twolink_dynamics as tl
from twolink_dynamics.model.dh import chain_from_dh
from twolink_dynamics.model.dh_files import read_dh, read_links, read_numbers, read_pose, \
    read_start
from twolink_dynamics.spatial import axis_rotation, homogeneous

X, Z = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
RIGHT = 0.5 * math.pi
RNG = np.random.default_rng(11)


def turn(axis, angle):
    return homogeneous(axis_rotation(axis, angle), (0, 0, 0))


def shift(x, z):
    return homogeneous(np.eye(3), (x, 0, z))


def by_definition(rows, convention, q, types):
    """Return the poses of all frames, by multiplying the four elementary motions of each row."""
    T, poses = np.eye(4), []
    for (alpha, a, d, theta), value, kind in zip(rows, q, types):
        angle = theta + (0.0 if kind == 'P' else value)
        along = d + (value if kind == 'P' else 0.0)
        first, second = turn(X, alpha) @ shift(a, 0), turn(Z, angle) @ shift(0, along)
        T = T @ (first @ second if convention == 'modified' else
                 second @ shift(a, 0) @ turn(X, alpha))
        poses.append(T)
    return np.array(poses)


@pytest.mark.parametrize('convention', ['modified', 'standard'])
@pytest.mark.parametrize('types', ['RRRRRR', 'RRP', 'PRP', 'P', 'R'])
def test_the_frames_are_those_of_the_definition(convention, types):
    rows = RNG.uniform(-2, 2, (len(types), 4))
    arm = tl.arm_from_dh(rows, convention, joint_types=types)
    for q in RNG.uniform(-3, 3, (5, len(types))):
        wanted = by_definition(rows, convention, q, types)
        poses = arm.link_poses(q)
        found = [poses[f'link{k + 1}'] for k in range(len(types))]
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-13)
        np.testing.assert_allclose(arm.tip_pose(q), wanted[-1], rtol=0, atol=1e-13)


def test_three_columns_leave_theta_zero():
    rows = RNG.uniform(-2, 2, (4, 3))
    q = RNG.normal(size=4)
    np.testing.assert_array_equal(
        tl.arm_from_dh(rows).tip_pose(q),
        tl.arm_from_dh(np.column_stack([rows, np.zeros(4)])).tip_pose(q))


def test_right_angles_are_exact():
    arm = tl.arm_from_dh([(0, 0, 0), (-RIGHT, 1, 0), (math.pi, 0, 2)])
    for joint in arm.chain.joints:
        assert set(np.abs(joint.origin[:3, :3]).ravel()) <= {0.0, 1.0}


@pytest.mark.parametrize('convention', ['modified', 'standard'])
def test_the_planar_two_link_arm_has_the_dynamics_of_the_texts(convention):
    m, l, lc, inertia = (2.0, 3.0), (1.5, 0.8), (0.75, 0.4), (0.375, 0.16)  # noqa: E741
    # The link's frame is at its near end in the modified convention, at its far one else.
    near = convention == 'modified'
    rows = [(0, 0, 0), (0, l[0], 0)] if near else [(0, l[0], 0), (0, l[1], 0)]
    links = [(m[k], (lc[k] if near else lc[k] - l[k], 0, 0), (0, inertia[k], inertia[k]))
             for k in range(2)]
    arm = tl.arm_from_dh(rows, convention, links, gravity=(0, -9.81, 0),
                         tool=shift(l[1], 0) if near else None)
    drawn = tl.TwoLinkArm(*m, *l, *lc, *inertia)
    q, qd, qdd = RNG.normal(size=(3, 2))
    np.testing.assert_allclose(arm.inverse_dynamics(q, qd, qdd),
                               drawn.inverse_dynamics(q, qd, qdd), rtol=1e-13)
    np.testing.assert_allclose(arm.tip_pose(q), drawn.tip_pose(q), rtol=0, atol=1e-14)


def test_the_two_conventions_agree_on_one_arm():
    """The same arm in both: dynamics may not depend on where the frames were put."""
    rows = [(0.3, 0.4, 0.2, 0.1), (-0.8, 0.1, 0.3, 0.2), (1.2, 0.2, 0.1, -0.3)]
    links = [(1.5, (.1, -.2, .05), (.02, .03, .04))] * 3
    standard = tl.arm_from_dh(rows, 'standard', links)
    # Standard rows shifted by one are modified rows: alpha and a of a row move to the next.
    shifted = [(0, 0, *rows[0][2:]), (*rows[0][:2], *rows[1][2:]), (*rows[1][:2], *rows[2][2:])]
    ends = [shift(a, 0) @ turn(X, alpha) for alpha, a, _, _ in rows]
    moved = [(m, end[:3, :3] @ np.array(c) + end[:3, 3], end[:3, :3] @ np.diag(i) @ end[:3, :3].T)
             for (m, c, i), end in zip(links, ends)]
    modified = tl.arm_from_dh(shifted, 'modified', moved, tool=ends[-1])
    q, qd, qdd = RNG.normal(size=(3, 3))
    np.testing.assert_allclose(standard.tip_pose(q), modified.tip_pose(q), rtol=0, atol=1e-14)
    np.testing.assert_allclose(standard.inverse_dynamics(q, qd, qdd),
                               modified.inverse_dynamics(q, qd, qdd), rtol=1e-12)


def test_masses_are_felt():
    arm = tl.arm_from_dh([(0, 0, 0), (-RIGHT, 0.1, 0)], links=[(1, (0, 0, 0), (.1, .1, .1)),
                                                               (2, (.5, 0, 0), (.1, .1, .1))])
    # Gravity pulls the second link down, about an axis that is horizontal.
    np.testing.assert_allclose(arm.gravity_vector([0.0, 0.0]), [0.0, -2 * 9.81 * 0.5], atol=1e-12)


def test_limits_and_types_reach_the_arm():
    arm = tl.arm_from_dh([(0, 0, 0)] * 3, joint_types=['revolute', 'prismatic', 'continuous'],
                         limits=[(-1, 1), (0, 2), (-math.inf, math.inf)])
    assert arm.joint_types == ('revolute', 'prismatic', 'continuous')
    assert arm.limits.lower.tolist() == [-1, 0, -math.inf]
    assert arm.joint_names == ('joint1', 'joint2', 'joint3')


@pytest.mark.parametrize('rows, error', [
    ([], tl.ShapeError), ([1, 2, 3], tl.ShapeError), ([(1, 2)], tl.ShapeError),
    ([(1, 2, 3, 4, 5)], tl.ShapeError), ([(0, math.nan, 0)], tl.NonFiniteError),
    ([('a', 0, 0)], tl.NonFiniteError), ([(0, 0, 0), (0, 0)], tl.NonFiniteError)])
def test_rows_that_are_none_are_refused(rows, error):
    with pytest.raises(error, match='rows'):
        chain_from_dh(rows)


@pytest.mark.parametrize('options, error', [
    ({'convention': 'craig'}, tl.ParameterError), ({'joint_types': 'RX'}, tl.ParameterError),
    ({'joint_types': ['R']}, tl.ShapeError), ({'limits': [(0, 1)]}, tl.ShapeError),
    ({'limits': [(1, 0), (0, 1)]}, tl.ParameterError),
    ({'limits': [(math.nan, 0), (0, 1)]}, tl.ParameterError), ({'tool': np.eye(3)}, tl.ShapeError),
    ({'links': [(1, (0, 0, 0), (1, 1, 1))]}, tl.ShapeError),
    ({'links': [(-1, (0, 0, 0), (1, 1, 1))] * 2}, tl.ModelError),
    ({'links': [(1, (0, 0), (1, 1, 1))] * 2}, tl.ShapeError),
    ({'links': [(1, (0, 0, math.inf), (1, 1, 1))] * 2}, tl.NonFiniteError)])
def test_options_that_cannot_be_are_refused(options, error):
    with pytest.raises(error):
        chain_from_dh([(0, 0, 0), (0, 1, 0)], **options)


# --- files ---------------------------------------------------------------------------------------

def written(tmp_path, text, name='file.dat'):
    path = tmp_path / name
    path.write_text(text, encoding='utf-8')
    return path


def test_the_third_texts_files_are_read(tmp_path):
    rows = read_dh(written(tmp_path, '0 0 0\n-90 0 0\n0 24 6\n-90 2 24\n90 0 0\n-90 0 0\n'))
    np.testing.assert_array_equal(rows, [
        (0, 0, 0), (-RIGHT, 0, 0), (0, 24, 6), (-RIGHT, 2, 24), (RIGHT, 0, 0), (-RIGHT, 0, 0)])
    pose = read_pose(written(
        tmp_path, '-0.707106 0 0.707106 12\n0 -1 0 12\n0.707106 0 0.707106 -12\n0 0 0 1\n'))
    assert pose[0].tolist() == [-0.707106, 0, 0.707106, 12]
    start = read_start(written(tmp_path, '24.0\n103.0\n145.0\n215.0\n29.2\n30.0\n'))
    np.testing.assert_allclose(np.degrees(start), [24, 103, 145, 215, 29.2, 30], rtol=1e-15)


def test_blanks_tabs_commas_comments_and_empty_lines_are_fine(tmp_path):
    text = '# alpha a d theta\r\n\r\n 90,\t1, 2e-1, 45 # first\n\n\t0 0 0 -30\n'
    np.testing.assert_allclose(read_dh(written(tmp_path, text)),
                               [(RIGHT, 1, .2, RIGHT / 2), (0, 0, 0, -RIGHT / 3)])


def test_the_start_of_a_slide_is_a_length(tmp_path):
    path = written(tmp_path, '90 0.25')
    np.testing.assert_allclose(read_start(path, ['revolute', 'prismatic']), [RIGHT, 0.25])


def test_links_have_masses_and_may_have_inertias(tmp_path):
    links = read_links(written(
        tmp_path, '2 .1 .2 .3\n1 0 0 0 4 5 6\n1 0 0 0 4 5 6 .1 .2 .3\n'))
    assert [link[0] for link in links] == [2, 1, 1] and links[0][1] == [.1, .2, .3]
    assert links[2][2] == [[4, .1, .2], [.1, 5, .3], [.2, .3, 6]]


@pytest.mark.parametrize('reader, text, match', [
    (read_numbers, '1 2\n3 x\n', r'file.dat:2: .*"x"'), (read_numbers, '1 nan', r':1: .*"nan"'),
    (read_numbers, '1 1e999', 'finite'), (read_dh, '', 'nothing'),
    (read_dh, '1 2', 'rows of three'),
    (read_dh, '1 2 3\n1 2 3 4', 'rows of three'), (read_pose, '1 2 3 4', 'four rows'),
    (read_pose, '', 'nothing'), (read_start, '# none\n', '0 numbers'),
    (read_links, '1 2 3', '4, 7 or 10')])
def test_a_file_that_is_none_is_refused_by_name(tmp_path, reader, text, match):
    with pytest.raises(tl.ModelError, match='file.dat') as caught:
        reader(written(tmp_path, text))
    assert caught.match(match)


def test_a_file_that_is_not_there_or_no_text_is_refused(tmp_path):
    with pytest.raises(tl.ModelError, match='No such file'):
        read_dh(tmp_path / 'none.dat')
    path = tmp_path / 'bytes.dat'
    path.write_bytes(b'\xff\xfe\x00')
    with pytest.raises(tl.ModelError, match='not a text file'):
        read_dh(path)
