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

"""Whatever meshes are missing, each link of an arm has something to show."""

from pathlib import Path

from corpus import corpus_file, corpus_names, needs_corpus
from lxml import etree
import numpy as np
import pytest

from twolink_dynamics.clients.shapes import displayable, find_mesh
from twolink_dynamics.errors import UrdfError
from twolink_dynamics.spatial import rpy_rotation

ARM = """<robot name="arm"><link name="base"/>
<link name="one">{visual}</link><link name="two"><inertial><mass value="1"/>
<origin xyz="0 0.3 0"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="a" type="revolute"><parent link="base"/><child link="one"/><axis xyz="0 1 0"/>
<limit effort="1" velocity="1"/></joint>
<joint name="b" type="continuous"><parent link="one"/><child link="two"/>
<origin xyz="0.3 -0.4 1.2"/><axis xyz="0 0 1"/></joint></robot>"""
MESH = '<visual><geometry><mesh filename="{}"/></geometry></visual>'


def ends(xml, link):
    """Return the ends of the cylinders a link is shown as, longest first, shape (k, 2, 3)."""
    rods = []
    for visual in etree.fromstring(xml).xpath(f'link[@name="{link}"]/visual'):
        cylinder = visual.find('geometry/cylinder')
        middle, rpy = ([float(x) for x in visual.find('origin').get(key).split()]
                       for key in ('xyz', 'rpy'))
        half = 0.5 * float(cylinder.get('length')) * rpy_rotation(*rpy)[:, 2]
        rods.append((middle - half, middle + half))
    return np.array(sorted(rods, key=lambda rod: -np.linalg.norm(rod[1] - rod[0])))


def test_a_link_without_its_mesh_is_a_rod_to_the_next_joint():
    shown = displayable(ARM.format(visual=MESH.format('package://gone/one.stl')), 'arm.urdf')
    assert shown.missing == ['package://gone/one.stl'] and shown.stand_ins == ['one']
    rod, axis = ends(shown.xml, 'one')
    assert np.allclose(rod, [[0, 0, 0], [0.3, -0.4, 1.2]], rtol=0, atol=1e-12)
    # The joint is a hub along its axis.
    assert np.allclose(np.cross(axis[1] - axis[0], [0, 1, 0]), 0.0, rtol=0, atol=1e-12)
    assert str(shown) == ('package://gone/one.stl: not found; primitives stand for 1 links '
                          '(source the workspace that has the meshes)')


def test_an_arm_without_visuals_is_all_rods():
    shown = displayable(ARM.format(visual=''), 'arm.urdf')
    assert shown.stand_ins == ['one', 'two'] and 'no visuals' in str(shown)
    # The last link ends as far beyond its centre of mass as it begins before it.
    assert np.allclose(ends(shown.xml, 'two')[0], [[0, 0, 0], [0, 0.6, 0]], rtol=0, atol=1e-12)


def test_what_can_be_shown_is_left_alone(tmp_path):
    box = '<visual><geometry><box size="1 2 3"/></geometry></visual>'
    shown = displayable(ARM.format(visual=box), 'arm.urdf')
    assert str(shown) == '' and b'size="1 2 3"' in shown.xml and b'cylinder' not in shown.xml
    (tmp_path / 'one.stl').write_text('solid')
    shown = displayable(ARM.format(visual=MESH.format('one.stl')), str(tmp_path / 'arm.urdf'))
    assert str(tmp_path / 'one.stl').encode() in shown.xml and not shown.missing


def test_collision_shapes_stand_in_before_rods():
    solid = '<collision><origin xyz="1 0 0"/><geometry><box size="3 2 1"/></geometry></collision>'
    shown = displayable(ARM.format(visual=MESH.format('gone.stl') + solid), 'arm.urdf')
    visual = etree.fromstring(shown.xml).find('link[@name="one"]/visual')
    assert visual.find('geometry/box').get('size') == '3 2 1'
    assert visual.find('origin').get('xyz') == '1 0 0'


def test_a_mesh_nobody_can_read_is_missing(tmp_path):
    (tmp_path / 'one.stl').write_text('rubbish')
    text = ARM.format(visual=MESH.format('one.stl'))
    shown = displayable(text, str(tmp_path / 'arm.urdf'), readable=lambda path: False)
    assert shown.missing == ['one.stl'] and shown.stand_ins == ['one']


def test_namespaces_are_seen_through():
    text = ARM.format(visual='').replace('<robot', '<robot xmlns="http://drake.mit.edu"')
    assert [e.tag for e in etree.fromstring(displayable(text, 'a.urdf').xml)][:2] == ['link'] * 2


def test_shapes_of_no_size_are_no_shapes():
    dot = '<visual><geometry><sphere radius="0"/></geometry></visual>'
    assert b'sphere' not in displayable(ARM.format(visual=dot), 'arm.urdf').xml


@pytest.mark.parametrize('uri', ['package://my_arm/meshes/a.stl', 'file://{}/a.stl', 'a.stl'])
def test_meshes_are_found_where_urdfs_say_they_are(uri, tmp_path, monkeypatch):
    monkeypatch.delenv('AMENT_PREFIX_PATH', raising=False)
    meshes = tmp_path / 'my_arm' / 'meshes'
    meshes.mkdir(parents=True)
    (meshes / 'a.stl').write_text('solid')
    folder = meshes if uri == 'a.stl' else tmp_path / 'my_arm' / 'urdf'
    assert find_mesh(uri.format(meshes), folder) == meshes / 'a.stl'
    assert find_mesh(uri.format(meshes).replace('a.stl', 'b.stl'), folder) is None


def test_meshes_of_an_installed_package_are_found(tmp_path, monkeypatch):
    mesh = tmp_path / 'share' / 'my_arm' / 'a.stl'
    mesh.parent.mkdir(parents=True)
    mesh.write_text('solid')
    monkeypatch.setenv('AMENT_PREFIX_PATH', f'/nowhere:{tmp_path}')
    assert find_mesh('package://my_arm/a.stl', Path('/')) == mesh
    assert find_mesh('http://example.org/a.stl', Path('/')) is None


@needs_corpus
@pytest.mark.parametrize('name', corpus_names() or [None])
def test_real_arms_can_be_shown_without_their_meshes(name):
    path = corpus_file(name)
    try:
        shown = displayable(path.read_bytes(), str(path))
    except UrdfError:
        pytest.skip('not a URDF that can be read')
    robot = etree.fromstring(shown.xml)
    meshes = [mesh for mesh in robot.iterfind('link/visual//mesh')
              if not Path(mesh.get('filename')).is_file()]
    assert not meshes
    if robot.xpath('joint[@type="revolute" or @type="continuous"]'):
        assert robot.xpath('link/visual')


@needs_corpus
def test_every_real_arm_is_shown_by_yourdfpy():
    pytest.importorskip('yourdfpy', reason='comes with the extra view, 430 MB')
    pytest.importorskip('viser', reason='comes with the extra view, 430 MB')
    from twolink_dynamics.clients.viewer import open_robot
    failed = []
    for path in map(corpus_file, corpus_names()):
        try:
            shown = displayable(path.read_bytes(), str(path))
        except UrdfError:
            continue
        try:
            open_robot(shown.xml)
        except Exception as error:      # noqa: B902 - any is a finding
            failed.append(f'{path.stem}: {error}')
    # Its spherical joint is none that yourdfpy knows.
    assert [line for line in failed if 'hinge_spherical' not in line] == []
