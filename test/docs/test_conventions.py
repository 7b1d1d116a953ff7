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

"""What docs/conventions.md says is so."""

import math
from pathlib import Path
import re
import subprocess
import sys

import numpy as np
import pytest

import twolink_dynamics as tl
from twolink_dynamics import load_arm, share_path, TwoLinkArm

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / 'docs' / 'conventions.md').read_text(encoding='utf-8')
TWOLINK = share_path('urdf', 'twolink.urdf')
G = 9.81


@pytest.fixture(scope='module')
def arm():
    return load_arm(TWOLINK)


def test_the_zero_pose_is_the_figures(arm):
    """Stretched out along x, 2 m up, each link beside the one before it."""
    poses = arm.link_poses([0.0, 0.0])
    np.testing.assert_allclose(poses['link1'][:3, 3], (0.0, -0.11, 2.0), atol=1e-15)
    np.testing.assert_allclose(poses['tip'][:3, 3], (1.8, -0.19, 2.0), atol=1e-15)
    assert all(np.array_equal(pose[:3, :3], np.eye(3)) for pose in poses.values())


def test_positive_angles_lift_the_arm_and_the_second_is_relative(arm):
    lifted = arm.tip_pose([math.pi / 2, 0.0])[:3, 3]
    np.testing.assert_allclose(lifted, (0.0, -0.19, 3.8), atol=1e-15)
    bent = arm.tip_pose([math.pi / 2, math.pi / 2])[:3, 3]
    np.testing.assert_allclose(bent, (-0.8, -0.19, 3.0), atol=1e-15)


def test_the_plane_of_the_package_arm_is_the_drawing(arm):
    k = arm.constants
    np.testing.assert_allclose(k.axes, np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]]).T, atol=1e-15)
    drawn = TwoLinkArm(m1=k.m1, m2=k.m2, l1=k.l1, l2=k.l2, lc1=k.lc1, lc2=k.lc2, I1=k.I1, I2=k.I2)
    state = ([0.3, -0.7], [1.0, 2.0], [-0.5, 0.4])
    np.testing.assert_allclose(arm.inverse_dynamics(*state), drawn.inverse_dynamics(*state),
                               rtol=1e-14)


def test_efforts_hold_the_arm_against_gravity_and_push_their_joint_forward(arm):
    assert (arm.gravity_vector([0.0, 0.0]) > 0.0).all()
    still = arm.gravity_vector([0.2, 0.1])
    for i in (0, 1):
        push = still + np.eye(2)[i]
        assert arm.forward_dynamics([0.2, 0.1], [0.0, 0.0], push)[i] > 0.0


def test_friction_has_the_sign_of_the_velocity_and_is_left_out_by_default(arm):
    assert arm.friction_torque([2.0, -1.0]).tolist() == [0.1, -0.05]
    state = ([0.2, 0.1], [2.0, -1.0], [0.0, 0.0])
    np.testing.assert_allclose(arm.inverse_dynamics(*state, friction=True)
                               - arm.inverse_dynamics(*state), (0.1, -0.05), rtol=1e-12)


def test_a_weight_on_the_tip_is_a_wrench_of_the_surroundings(arm):
    q, zero, m = [0.4, -0.2], [0.0, 0.0], 1.5
    weight = [0.0, 0.0, -G * m, 0.0, 0.0, 0.0]
    expected = arm.with_payload(m).gravity_vector(q)
    np.testing.assert_allclose(arm.inverse_dynamics(q, zero, zero, tip_wrench=weight), expected,
                               rtol=1e-13)
    np.testing.assert_allclose(
        expected, arm.gravity_vector(q) - arm.jacobian(q).T @ weight, rtol=1e-13)


def test_the_jacobian_is_linear_then_angular_in_the_bases_axes(arm):
    q, qd, step = np.array([0.4, -0.2]), np.array([1.0, 2.0]), 1e-6
    velocity = arm.jacobian(q) @ qd
    before, after = arm.tip_pose(q - step * qd), arm.tip_pose(q + step * qd)
    # Central differences: their error is the square of the step.
    np.testing.assert_allclose(velocity[:3], (after - before)[:3, 3] / (2 * step), atol=1e-8)
    np.testing.assert_allclose(velocity[3:], (0.0, -3.0, 0.0), atol=1e-14)


def test_gravity_is_a_vector_in_the_base_links_frame():
    wall = load_arm(TWOLINK, base_link='link1', gravity=(0.0, G, 0.0))
    assert wall.gravity.tolist() == [0.0, G, 0.0] and wall.n == 1
    np.testing.assert_allclose(wall.gravity_vector([0.3]), 0.0, atol=1e-14)  # along the axis
    assert load_arm(TWOLINK).gravity.tolist() == [0.0, 0.0, -G]
    assert TwoLinkArm().gravity.tolist() == [0.0, -G, 0.0]


def test_potential_energy_is_zero_for_a_mass_at_the_bases_origin():
    arm = TwoLinkArm(m1=2.0, m2=0.0, lc1=0.0, I2=0.1)
    assert arm.potential_energy([0.7, 0.2]) == 0.0


def test_reactions_are_on_the_link_from_the_one_before(arm):
    reactions = arm.joint_reactions([0.0, 0.0], [0.0, 0.0], [0.0, 0.0], frame='base')
    np.testing.assert_allclose(reactions[:, 2], (6.5 * G, 2.5 * G), rtol=1e-14)  # held up


def test_angles_are_neither_wrapped_nor_clamped():
    arm = TwoLinkArm()
    turned = arm.inverse_kinematics(arm.tip_pose([100.0, 0.5])[:3, 3], q0=[100.0, 0.4])
    np.testing.assert_allclose(turned.q, (100.0, 0.5), atol=1e-9)


LITERAL = """<robot name="r"><link name="base"/>
<link name="a"><inertial><origin xyz="1 0 0"/><mass value="2"/></inertial></link>
<joint name="j" type="{kind}"><parent link="base"/><child link="a"/><origin xyz="1 2 3"/>
<origin xyz="9 9 9"/>{inside}</joint></robot>"""


@pytest.mark.filterwarnings('ignore')
@pytest.mark.parametrize('kind, inside, name, expected', [
    ('revolute', '<limit effort="0" velocity="0"/>', 'effort', 0.0),
    ('revolute', '<limit effort="0" velocity="0"/>', 'lower', -math.inf),
    ('revolute', '<limit upper="2"/>', 'lower', 0.0),
    ('revolute', '<limit upper="2"/>', 'velocity', math.inf),
    ('revolute', '', 'effort', math.inf),
    ('continuous', '<limit lower="-1" upper="1"/>', 'upper', math.inf)])
def test_limits_are_taken_as_the_table_says(kind, inside, name, expected):
    arm = load_arm(LITERAL.format(kind=kind, inside=inside))
    assert getattr(arm.limits, name)[0] == expected


@pytest.mark.filterwarnings('ignore')
def test_axes_origins_and_point_masses_are_taken_as_the_table_says():
    arm = load_arm(LITERAL.format(kind='continuous', inside='<axis xyz="0 0 1.2"/>'))
    assert arm.chain.joints[0].axis.tolist() == [0.0, 0.0, 1.0]
    assert arm.chain.joints[0].origin[:3, 3].tolist() == [1.0, 2.0, 3.0]
    assert arm.mass_matrix([0.0]).tolist() == [[2.0]]
    default = load_arm(LITERAL.format(kind='continuous', inside=''))
    assert default.chain.joints[0].axis.tolist() == [1.0, 0.0, 0.0]


def test_rpy_turns_about_fixed_axes():
    text = LITERAL.format(kind='continuous', inside='').replace(
        'xyz="1 2 3"', 'rpy="0.3 -0.4 0.5"')

    def turn(axis, angle):
        c, s, R = math.cos(angle), math.sin(angle), np.eye(3)
        i, j = [k for k in range(3) if k != axis]
        R[i, i] = R[j, j] = c
        R[j, i], R[i, j] = (s, -s) if axis != 1 else (-s, s)
        return R

    expected = turn(2, 0.5) @ turn(1, -0.4) @ turn(0, 0.3)
    found = load_arm(text).chain.joints[0].origin[:3, :3]
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-16)


def test_the_python_on_the_page_runs(tmp_path, monkeypatch):
    (tmp_path / 'arm.urdf').write_text(
        '<robot name="r"><link name="shoulder"/><link name="a"><inertial><mass value="1"/>'
        '<inertia ixx="1" iyy="1" izz="1"/></inertial></link><joint name="j" type="continuous">'
        '<parent link="shoulder"/><child link="a"/></joint></robot>')
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r'```python\n(.*?)```', PAGE, re.DOTALL)
    names = {'tl': tl}
    for block in blocks:
        exec(block, names)
    assert blocks and not names['arm'].gravity.any()


def test_links_and_the_figure_are_there():
    for target in re.findall(r'\]\((.+?)\)', PAGE):
        assert (ROOT / 'docs' / target.partition('#')[0]).is_file(), target


def test_the_figure_can_be_drawn_again(tmp_path):
    pytest.importorskip('matplotlib', reason='matplotlib is not installed')
    target = tmp_path / 'figure.svg'
    run = subprocess.run([sys.executable, str(ROOT / 'docs' / 'figures' / 'conventions.py'),
                          str(target)], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    drawn, kept = target.read_text(), (ROOT / 'docs' / 'figures' / 'conventions.svg').read_text()
    # Versions of matplotlib differ in details, not in what is drawn.
    assert drawn.count('id="patch_') == kept.count('id="patch_') > 40
