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

"""Loading takes work in proportion to the model: counted in lines run, not in time."""

import sys

import numpy as np
import pytest

import twolink_dynamics as tl
from twolink_dynamics.dynamics.packed_model import _rounding_floor
from twolink_dynamics.model.audit import audit_urdf

BODY = ('<inertial><origin xyz="0.05 0.01 0"/><mass value="0.1"/><inertia ixx="1e-4" iyy="2e-4" '
        'izz="2e-4" ixy="0" ixz="0" iyz="0"/></inertial>')


def joint(name, kind, parent):
    """Return a joint and the link it moves."""
    return (f'<link name="{name}">{BODY}</link><joint name="to_{name}" type="{kind}">'
            f'<parent link="{parent}"/><child link="{name}"/><origin xyz="0.1 0 0" rpy="0.3 0 0"/>'
            '<axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="5" velocity="2"/></joint>')


def chain(n):
    """Return a URDF of n moving joints, every third behind a fixed one, every fifth branching."""
    parts, parent = [], 'base'
    for i in range(n):
        parts.append(joint(f'link{i}', 'prismatic' if i % 7 == 6 else 'revolute', parent))
        parent = f'link{i}'
        if i % 3 == 0:
            parts.append(joint(f'fixed{i}', 'fixed', parent))
            parent = f'fixed{i}'
        if i % 5 == 0:
            parts.append(joint(f'cover{i}', 'fixed', f'link{i}'))
    return robot(*parts)


def hanging(n, kind):
    """Return a URDF of two moving joints with n joints in a row beyond the tip, link1."""
    parts = [joint('link0', 'revolute', 'base'), joint('link1', 'revolute', 'link0')]
    parts += [joint(f'link{i}', kind, f'link{i - 1}') for i in range(2, n + 2)]
    return robot(*parts)


def robot(*parts):
    """Return a URDF of its parts."""
    return '<robot name="long"><link name="base"/>' + ''.join(parts) + '</robot>'


def lines_run(action):
    """Return how many lines of this package run in an action."""
    count = 0

    def trace(frame, event, _):
        nonlocal count
        if 'twolink_dynamics' not in frame.f_code.co_filename:
            return None
        count += event == 'line'
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        action()
    finally:
        sys.settrace(before)
    return count


ACTIONS = {
    'the only chain': lambda n: tl.load_arm(chain(n)),
    'a chain chosen': lambda n: tl.load_arm(chain(n), tip_link=f'link{n - 1}'),
    'fixed joints in a row': lambda n: tl.load_arm(hanging(n, 'fixed')),
    'locked joints in a row': lambda n: tl.load_arm(hanging(n, 'revolute'), tip_link='link1'),
    'every fault': lambda n: audit_urdf(chain(n), tip_link=f'link{n - 1}'),
}


@pytest.mark.parametrize('action', ACTIONS.values(), ids=ACTIONS)
def test_loading_is_linear_in_the_joints(action):
    action(3)   # what is imported or compiled at the first call
    # A multiple of 3, 5 and 7, so that each step adds just the same joints.
    lines = [lines_run(lambda k=k: action(105 * k)) for k in (1, 2, 3)]
    assert lines[0] > 105
    assert lines[2] - lines[1] == lines[1] - lines[0]


@pytest.mark.parametrize('text, tip, n', [
    (chain(3000), None, 3000), (hanging(3000, 'fixed'), None, 2),
    (hanging(3000, 'prismatic'), 'link1', 2), (hanging(3000, 'fixed'), 'link1', 2)],
    ids=['moving', 'fixed', 'locked', 'beyond'])
def test_no_chain_is_too_long_for_the_stack(text, tip, n):
    arm = tl.load_arm(text, tip_link=tip)
    assert arm.n == n
    np.testing.assert_allclose(
        sum(link.mass for link in arm.chain.links), 0.1 * text.count('<mass'), rtol=1e-12)


@pytest.mark.parametrize('n', [1, 2, 30])
def test_the_floor_of_rounding_is_the_sum_over_the_bodies_beyond(n):
    arm = tl.load_arm(chain(n), tip_link=f'link{n - 1}')
    links, joints = arm.chain.links, arm.chain.joints
    expected = []
    for i in range(n):
        reach, total = 0.0, 0.0
        for j in range(i, n):
            r = reach + np.linalg.norm(links[j].com)
            total += links[j].mass if joints[i].type == 'prismatic' else (
                np.abs(links[j].inertia).max() + links[j].mass * r * r)
            if j + 1 < n:
                reach += np.linalg.norm(joints[j + 1].origin[:3, 3])
        expected.append(32 * n * np.finfo(float).eps * total)
    # Sums of the same positive terms, in another order: n eps each.
    np.testing.assert_allclose(_rounding_floor(arm.chain), expected, rtol=4 * n * 2.3e-16)
