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

"""What the model is made of is frozen, and stays so in copies and in other processes."""

import copy
from dataclasses import fields, FrozenInstanceError, is_dataclass
import pickle

import numpy as np
import pytest

import twolink_dynamics as tl
from twolink_dynamics.model.chain import Limits, Link, Mimic
from twolink_dynamics.model.checks import Finding
from twolink_dynamics.model.urdf import read_urdf

URDF = """
<robot name="small"><link name="base"/>
<link name="a"><inertial><origin xyz="0.1 0 0"/><mass value="1"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="b"><visual><geometry><box size="1 2 3"/></geometry></visual></link>
<joint name="j" type="revolute"><parent link="base"/><child link="a"/><origin xyz="0 0 1"/>
<axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="2" velocity="3"/></joint>
<joint name="k" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/>
<mimic joint="j" multiplier="2"/></joint></robot>"""


def parts():
    """Return one of each thing a model is made of."""
    tree = read_urdf(URDF)
    chain = tree.chain(tip_link='a')
    return [tree, chain, *chain.joints, *chain.links, *chain.frames, chain.limits, tree.links['b'],
            tree.joints['k'], tl.TwoLinkArm().constants, Mimic('j', 2.0), Limits(*np.eye(4)),
            Finding('warning', 'zero-mass', 'link "b"', 'has no mass'),
            Link('c', bounds=np.eye(3))]


def assert_same(a, b, path=''):
    """Check that two things hold the same; return every array of the second."""
    assert type(a) is type(b), path
    if isinstance(a, np.ndarray):
        assert a.tobytes() == b.tobytes() and a.shape == b.shape, path
        return [b]
    if is_dataclass(a) or hasattr(a, '__dict__'):
        names = [field.name for field in fields(a)] if is_dataclass(a) else vars(a)
        return [array for name in names for array in assert_same(
            getattr(a, name), getattr(b, name), f'{path}.{name}')]
    if isinstance(a, (list, tuple)):
        assert len(a) == len(b), path
        return [array for k, (x, y) in enumerate(zip(a, b))
                for array in assert_same(x, y, f'{path}[{k}]')]
    if isinstance(a, dict):
        assert list(a) == list(b), path
        return [array for key in a for array in assert_same(a[key], b[key], f'{path}[{key}]')]
    assert a == b, path
    return []


TRAVEL = [copy.deepcopy, copy.copy, lambda part: pickle.loads(pickle.dumps(part))]


@pytest.mark.parametrize('travel', TRAVEL, ids=['deepcopy', 'copy', 'pickle'])
@pytest.mark.parametrize('part', parts(), ids=lambda part: type(part).__name__)
def test_a_copy_holds_the_same_and_is_as_frozen(part, travel):
    copied = travel(part)
    arrays = assert_same(part, copied)
    for array in arrays:
        with pytest.raises(ValueError, match='read-only'):
            array[...] = 7.0
    if is_dataclass(part):
        name = fields(part)[0].name
        with pytest.raises(FrozenInstanceError):
            setattr(copied, name, 'other')


@pytest.mark.parametrize('travel', TRAVEL[::2], ids=['deepcopy', 'pickle'])
def test_a_copied_tree_changes_alone(travel):
    tree = read_urdf(URDF)
    copied = travel(tree)
    copied.links['d'] = Link('d')
    copied.child_joints['base'].clear()
    assert 'd' not in tree.links and tree.find_tip('base') == 'b'


def test_a_frozen_array_is_no_view_of_what_was_given():
    com = np.zeros(3)
    link = Link('a', 1.0, com)
    com[0] = 1.0
    assert link.com.tolist() == [0.0, 0.0, 0.0]
