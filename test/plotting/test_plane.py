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

"""The plane a tip is drawn in, and what of it the tip reaches."""

from pathlib import Path

from arms import LIMITED, three_joints
import numpy as np
import pytest

import twolink_dynamics as tl
from twolink_dynamics.plotting.plane import bones, plane_of, reachable

URDF = Path(__file__).resolve().parents[2] / 'urdf' / 'twolink.urdf'


def test_a_vertical_arm_is_drawn_with_gravity_down():
    arm = tl.load_arm(URDF)
    plane = plane_of(arm, np.zeros((1, 3)))
    assert plane.labels == ('x [m]', 'z [m]')
    assert np.allclose(plane.axes.T @ arm.gravity, [0.0, -9.81], rtol=0, atol=1e-12)


def test_an_arm_seen_from_behind_is_drawn_from_its_front():
    # Joint axes along +y: counterclockwise seen from +y, where x is to the left.
    plane = plane_of(tl.load_arm(LIMITED), np.zeros((1, 3)))
    assert plane.labels == ('−x [m]', 'z [m]')


def test_a_horizontal_arm_is_seen_from_above():
    arm = tl.TwoLinkArm(gravity=(0, 0))
    assert plane_of(arm, np.zeros((1, 3))).labels == ('x [m]', 'y [m]')


def test_an_arm_in_space_is_seen_where_most_is_to_be_seen():
    arm = tl.load_arm(three_joints())
    assert plane_of(arm, np.array([[0, 0, 0], [1, 0.1, 2]])).labels == ('x [m]', 'z [m]')
    assert plane_of(arm, np.array([[0, 0, 0], [0.1, 1, 2]])).labels == ('y [m]', 'z [m]')


def test_bones_begin_at_the_first_joint_and_end_at_the_tip():
    arm = tl.load_arm(URDF)
    q = np.array([[0.3, 0.4], [1.0, -2.0]])
    points = bones(arm, q)
    assert points.shape == (2, 3, 3)
    assert (points[:, -1] == arm.tip_pose(q)[:, :3, 3]).all()
    assert np.allclose(np.linalg.norm(np.diff(points, axis=1)[:, :, [0, 2]], axis=2), [1.0, 0.8])


@pytest.mark.parametrize('elbow', [('0.1', '2.5'), ('-2.5', '-0.1'), ('-1.0', '2.0')])
def test_what_the_tip_reaches_is_in_the_workspace_and_the_rest_is_not(elbow):
    arm = tl.load_arm(LIMITED.replace('lower="0.1" upper="2.5"', 'lower="{}" upper="{}"'.format(
        *elbow)))
    plane = plane_of(arm, np.zeros((1, 3)))
    x, y, reached = reachable(arm, plane)['mesh']
    low, high = arm.limits.lower, arm.limits.upper
    q = np.random.default_rng(0).uniform(low, high, (4000, 2))
    tips = plane.flat(arm.tip_pose(q)[:, :3, 3])
    cell = x[1] - x[0]
    column, row = (np.rint((tips - [x[0], y[0]]) / cell).astype(int)).T
    # A tip and the mesh's next point are up to a cell apart: one on the edge may be outside.
    near = np.zeros(len(q), dtype=bool)
    for i in (-1, 0, 1):
        for j in (-1, 0, 1):
            near |= reached[np.clip(row + i, 0, len(y) - 1), np.clip(column + j, 0, len(x) - 1)]
    assert near.all()
    # And every point called reached has a solution within the limits.
    rows, columns = np.nonzero(reached)
    for k in np.random.default_rng(1).choice(len(rows), 60, replace=False):
        target = plane.axes @ [x[columns[k]], y[rows[k]]]
        found = arm.all_solutions(target)
        assert any((solution >= low - 1e-9).all() and (solution <= high + 1e-9).all()
                   for solution in found), target


def test_an_arm_that_turns_freely_reaches_a_ring():
    shapes = reachable(tl.load_arm(URDF), plane_of(tl.load_arm(URDF), np.zeros((1, 3))))
    assert shapes['mesh'] is None and shapes['exact']
    assert (shapes['nearest'], shapes['farthest']) == pytest.approx((0.2, 1.8))
    assert shapes['centre'] == pytest.approx([0.0, 2.0])
