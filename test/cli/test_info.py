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

"""``twolink info`` shows an arm's own numbers, and what follows from them."""

import json
import math

from corpus import corpus_file, corpus_names, needs_corpus
import numpy as np
import pytest

from twolink_dynamics import load_arm, share_path, TwoLinkArm
from twolink_dynamics.cli.main import main
from twolink_dynamics.dynamics.gravity_load import gravity_load
from twolink_dynamics.kinematics.workspace import planar_reach, workspace

TWOLINK = str(share_path('urdf', 'twolink.urdf'))
G = 9.81


def facts(capsys, *arguments):
    """Return what the command prints as JSON."""
    assert main(['info', '--json', *map(str, arguments)]) == 0
    out, err = capsys.readouterr()
    assert err == ''
    return json.loads(out)


def test_the_package_arm_is_shown_in_the_names_of_the_drawing(capsys):
    found = facts(capsys, TWOLINK)
    assert found['engine'] == 'closed form' and found['base_link'] == 'world'
    two = found['two_link']
    assert {name: two[name] for name in ('m1', 'm2', 'l1', 'l2', 'lc1', 'lc2', 'b1', 'b2')} == {
        'm1': 4.0, 'm2': 2.5, 'l1': 1.0, 'l2': 0.8, 'lc1': 0.5, 'lc2': 0.4, 'b1': 0.05, 'b2': 0.05}
    assert two['com1_angle'] == two['com2_angle'] == 0.0 and two['elbow'] == 'as drawn'
    assert two['plane_gravity'] == pytest.approx([0.0, -G], abs=1e-15)
    # A box of 1 m x 0.08 m x 0.08 m.
    assert two['I1'] == pytest.approx(4.0 * (1.0 + 0.08**2) / 12, rel=1e-15)


def test_reach_and_gravity_load_of_the_package_arm_are_those_of_its_drawing(capsys):
    found = facts(capsys, TWOLINK)
    assert found['reach']['exact']
    assert (found['reach']['nearest'], found['reach']['farthest']) == pytest.approx((0.2, 1.8))
    assert found['reach']['centre'] == pytest.approx([0.0, -0.19, 2.0])
    worst = (4.0 * 0.5 + 2.5 * 1.0) * G + 2.5 * 0.4 * G  # stretched out horizontally
    assert [joint['gravity_load'] for joint in found['joints']] == pytest.approx(
        [worst, 2.5 * 0.4 * G])
    assert found['joints'][0]['gravity_load_of_limit'] == pytest.approx(worst / 215.8)


def test_gravity_and_the_ends_of_the_chain_are_the_users(capsys):
    flat = facts(capsys, TWOLINK, '--gravity', 0, -G, 0)
    assert [joint['gravity_load'] for joint in flat['joints']] == pytest.approx([0, 0], abs=1e-12)
    one = facts(capsys, TWOLINK, '--tip-link', 'link1')
    assert one['n'] == 1 and one['mass'] == 6.5 and one['two_link'] is None
    assert facts(capsys, TWOLINK, '--tip-link', 'link1', '--side-branches', 'drop')['mass'] == 4.0


def test_the_text_fits_a_terminal_of_80_columns(capsys):
    assert main(['info', TWOLINK]) == 0
    lines = capsys.readouterr().out.splitlines()
    tables = [line for line in lines if line.startswith('  joint') or line.startswith('  link')]
    assert len(tables) == 12 and max(map(len, tables)) <= 80
    assert '  joint1   53.96  N m   215.8       25%' in lines
    assert '  link 1  m1 = 4    l1 = 1    lc1 = 0.5  I1 = 0.3355  b1 = 0.05  fc1 = 0' in lines


def test_a_motor_too_weak_to_hold_the_arm_is_named(capsys, tmp_path):
    weak = tmp_path / 'weak.urdf'
    with open(TWOLINK, encoding='utf-8') as stream:
        weak.write_text(stream.read().replace('effort="39.2"', 'effort="9.7"'))
    assert main(['info', str(weak)]) == 0
    assert 'too weak to hold the arm everywhere: joint2\n' in capsys.readouterr().out


@pytest.mark.parametrize('arguments, problem', [
    (['/nowhere.urdf'], 'cannot be read'), ([TWOLINK, '--tip-link', 'x'], 'tip_link'),
    ([TWOLINK, '--gravity', '0', '0', 'nan'], 'expected a number')])
def test_wrong_arguments_end_in_status_2_without_a_traceback(arguments, problem, capsys):
    assert main(['info', *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == '' and problem in err.splitlines()[-1] and 'Traceback' not in err


# --- what is behind it -------------------------------------------------------------------------


@pytest.mark.parametrize('lower, upper', [
    (-math.inf, math.inf), (-1.0, 1.0), (0.5, 2.5), (-2.0, -0.1), (2.0, 5.0), (3.0, 9.9),
    (-7.0, -5.9), (1.0, 1.0)])
@pytest.mark.parametrize('l1, l2, angle', [(1.0, 0.6, 0.0), (0.5, 0.9, 1.2), (0.7, 0.7, -2.0)])
def test_the_reach_of_a_planar_2r_within_limits_is_that_of_a_grid(lower, upper, l1, l2, angle):
    nearest, farthest = planar_reach(l1, l2, angle, lower, upper)
    low, high = (lower, upper) if lower < upper < math.inf else (-math.pi, math.pi)
    bend = angle + np.linspace(low, high, 20001)
    distance = np.hypot(l1 + l2 * np.cos(bend), l2 * np.sin(bend))
    # A grid of steps s misses an extreme by l s^2 at most, by l s where the arm folds to zero.
    assert nearest <= distance.min() + 1e-15 and farthest >= distance.max() - 1e-15
    assert distance.min() - nearest < 5e-4 and distance.max() - farthest < 1e-6


def test_gravity_load_is_the_closed_form_of_a_planar_2r():
    arm = TwoLinkArm(m1=2, m2=3, l1=1.5, l2=0.8, lc1=0.7, lc2=0.4)
    effort, q = gravity_load(arm)
    expected = [(2 * 0.7 + 3 * 1.5) * G + 3 * 0.4 * G, 3 * 0.4 * G]
    np.testing.assert_allclose(effort, expected, rtol=1e-12)
    np.testing.assert_allclose(np.abs(np.diag(arm.gravity_vector(q))), effort, rtol=1e-12)


ARMS = [('ur5e_official', 'tool0'), ('iiwa14_drake', 'iiwa_link_ee'), ('scara_yguel', 'tool0'),
        ('fetch', 'gripper_link'), ('fer_hand', 'fer_hand_tcp'), ('bullet_pendulum5', 'link4')]


@needs_corpus
@pytest.mark.filterwarnings('ignore')
@pytest.mark.parametrize('name, tip', ARMS)
def test_no_random_pose_beats_gravity_load_or_reach(name, tip):
    arm = load_arm(corpus_file(name), tip_link=tip)
    rng = np.random.default_rng(7)
    lower = np.where(np.isfinite(arm.limits.lower), arm.limits.lower, -math.pi)
    upper = np.where(np.isfinite(arm.limits.upper), arm.limits.upper, math.pi)
    q = rng.uniform(lower, upper, (2000, arm.n))
    effort, worst = gravity_load(arm)
    assert np.all(np.abs(arm.gravity_vector(q)).max(axis=0) <= effort * (1 + 1e-6) + 1e-12)
    space = workspace(arm)
    distance = np.linalg.norm(arm.tip_pose(q)[:, :3, 3] - space.centre, axis=1)
    assert space.nearest <= distance.min() and distance.max() <= space.farthest * (1 + 1e-6)
    assert space.farthest <= space.bound * (1 + 1e-9)
    # What is claimed is held somewhere within the limits.
    assert np.all(worst >= arm.limits.lower - 1e-9) and np.all(worst <= arm.limits.upper + 1e-9)
    np.testing.assert_allclose(np.abs(np.diag(arm.gravity_vector(worst))), effort, rtol=1e-9,
                               atol=1e-9)


@needs_corpus
@pytest.mark.parametrize('name', [name for name in corpus_names() if 'tendon' not in name])
def test_every_real_file_is_shown_or_refused_in_one_line(name, capsys):
    status = main(['info', str(corpus_file(name))])
    out, err = capsys.readouterr()
    if status == 0:
        assert err == '' and 'gravity' in out
    else:
        assert status == 2 and out == '' and err.count('\n') == 1 and name in err
