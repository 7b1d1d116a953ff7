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

"""Pictures have the size of paper, units on every axis, and are the same whenever drawn."""

from itertools import combinations
from pathlib import Path
import re

import numpy as np
import pytest

import twolink_dynamics as tl
from twolink_dynamics.errors import MissingDependencyError
from twolink_dynamics.plotting import draw, KINDS, save
from twolink_dynamics.plotting.figures import possible
from twolink_dynamics.plotting.style import COLOURS
from twolink_dynamics.recordings import Motion
from twolink_dynamics.simulation import PlantOptions

pytest.importorskip('matplotlib', reason='pictures are drawn by matplotlib')
URDF = Path(__file__).resolve().parents[2] / 'urdf' / 'twolink.urdf'
UNIT = re.compile(r'\[[^\]]+\]')
# A revolute and a prismatic joint: two units of everything.
RP = """<robot name="rp"><link name="a"/>
<link name="b"><inertial><mass value="1"/><origin xyz="0.1 0 0"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="c"><inertial><mass value="1"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="turn" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 1 0"/>
<limit lower="-2" upper="2" effort="5" velocity="3"/></joint>
<joint name="slide" type="prismatic"><parent link="b"/><child link="c"/><axis xyz="1 0 0"/>
<limit lower="-1" upper="1" effort="300" velocity="2"/></joint></robot>"""


@pytest.fixture(scope='module')
def motion():
    arm = tl.load_arm(URDF)
    way = tl.trajectories.circle(arm, period=1.0)
    return Motion.of(tl.simulate(arm, way.duration, 5e-3, law=tl.ComputedTorque(arm),
                                 trajectory=way, plant=PlantOptions(ledger=True)))


def axes_of(figure):
    return [axes for axes in figure.axes if axes.axison]


@pytest.mark.parametrize('kind', KINDS)
def test_every_axis_has_its_unit(kind, motion):
    axes = axes_of(draw(motion, kind))
    assert axes
    for panel in axes:
        assert UNIT.search(panel.get_ylabel())
    assert UNIT.search(axes[-1].get_xlabel())


@pytest.mark.parametrize('kind', KINDS)
@pytest.mark.parametrize('width', [0.085, 0.175])
def test_letters_and_lines_are_legible_in_print(kind, width, motion):
    figure = draw(motion, kind, width=width)
    assert figure.get_figwidth() * 0.0254 == pytest.approx(width)
    figure.canvas.draw()
    for axes in axes_of(figure):
        for text in [axes.xaxis.label, axes.yaxis.label, *axes.get_xticklabels()]:
            assert text.get_fontsize() >= 6.5
        for line in axes.lines:
            assert line.get_linewidth() >= 0.4


@pytest.mark.parametrize('kind', KINDS)
def test_nothing_is_cut_off(kind, motion):
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    figure = draw(motion, kind, title='a title')
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw(renderer)
    for axes in axes_of(figure):
        box = axes.get_tightbbox(renderer)
        # Positions are rounded to pixels.
        assert box.x0 >= -1 and box.y0 >= -1
        assert box.x1 <= figure.bbox.x1 + 1 and box.y1 <= figure.bbox.y1 + 1


@pytest.mark.parametrize('suffix, magic', [
    ('png', b'\x89PNG'), ('svg', b'<?xml'), ('pdf', b'%PDF')])
def test_the_same_picture_is_the_same_file(suffix, magic, motion, tmp_path):
    for name in ('one', 'other'):
        save(draw(motion, 'tip'), tmp_path / f'{name}.{suffix}')
    one = (tmp_path / f'one.{suffix}').read_bytes()
    assert one.startswith(magic) and one == (tmp_path / f'other.{suffix}').read_bytes()


def test_angles_and_lengths_have_panels_of_their_own():
    arm = tl.load_arm(RP)
    run = tl.simulate(arm, 0.2, q0=[0.1, 0.1])
    motion = Motion(run.t, arm.joint_names, run.q, run.qd, run.tau, run.q, run.qd, arm)
    for kind, units in (('tracking', ('rad', 'm')), ('error', ('mrad', 'mm')),
                        ('velocity', ('rad/s', 'm/s')), ('effort', ('N m', 'N'))):
        labels = [axes.get_ylabel() for axes in axes_of(draw(motion, kind))]
        assert [label.rpartition('[')[2] for label in labels] == [f'{unit}]' for unit in units]


def test_only_limits_in_sight_are_lines_but_all_are_words(motion):
    axes, = axes_of(draw(motion, 'effort'))
    peak = np.abs(motion.tau).max(axis=0)
    near = [k for k, limit in enumerate(motion.arm.limits.effort) if limit <= 3.0 * peak[k]]
    assert len(axes.lines) == 2 + 2 * len(near)
    words = [text.get_text() for text in axes.get_legend().get_texts()]
    assert words == ['joint1, limit ±215.8 N m', 'joint2, limit ±39.2 N m']


def lab(rgb):
    """Return CIE L*a*b* of linear sRGB (D65)."""
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722],
                    [0.0193, 0.1192, 0.9505]]) @ np.clip(rgb, 0.0, 1.0) / [0.9505, 1.0, 1.089]
    x, y, z = np.where(xyz > 216 / 24389, np.cbrt(xyz), (24389 / 27 * xyz + 16.0) / 116.0)
    return np.array([116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)])


# What is left of linear red, green and blue (Machado, Oliveira, Fernandes 2009, severity 1).
VISIONS = {
    'normal': np.eye(3),
    'protanopia': [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
                   [-0.003882, -0.048116, 1.051998]],
    'deuteranopia': [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
                     [-0.011820, 0.042940, 0.968881]],
    'tritanopia': [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
                   [0.004733, 0.691367, 0.303900]],
}


@pytest.mark.parametrize('vision', VISIONS)
def test_colours_are_told_apart_with_any_colour_vision(vision):
    from matplotlib.colors import to_rgb
    srgb = np.array([to_rgb(colour) for colour in COLOURS])
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    seen = [lab(np.array(VISIONS[vision]) @ rgb) for rgb in linear]
    # Differences of 2.3 are just noticeable; of 10, seen at a glance.
    assert min(np.linalg.norm(a - b) for a, b in combinations(seen, 2)) > 10.0


def test_a_picture_that_lacks_something_says_what(motion):
    bare = Motion(motion.t, motion.joint_names, motion.q)
    assert possible(bare) == ['overview', 'tracking', 'velocity', 'phase']
    for kind, words in (('error', 'desired'), ('effort', 'efforts'), ('tip', 'URDF'),
                        ('energy', 'URDF')):
        with pytest.raises(tl.ParameterError, match=words):
            draw(bare, kind)
    with pytest.raises(tl.ParameterError, match='one of'):
        draw(bare, 'portrait')


def test_drawing_leaves_the_settings_of_matplotlib_alone(motion):
    import matplotlib
    before = dict(matplotlib.rcParams)
    draw(motion, 'overview')
    assert dict(matplotlib.rcParams) == before


def test_without_matplotlib_the_extra_is_named(motion, monkeypatch):
    import sys
    monkeypatch.setitem(sys.modules, 'matplotlib', None)
    with pytest.raises(MissingDependencyError, match=r'twolink_dynamics\[plot\]'):
        draw(motion, 'tip')
