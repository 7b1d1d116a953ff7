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

"""The topics listed are those of the nodes; PlotJuggler's layout names them, too."""

import json
from pathlib import Path
import re

from lxml import etree
import pytest

from twolink_dynamics.cli.main import main
from twolink_dynamics.cli.topics import TOPICS

ROOT = Path(__file__).resolve().parents[2]


def documented():
    """Return the topics of the table in docs/interfaces.md."""
    names = set()
    for line in (ROOT / 'docs' / 'interfaces.md').read_text(encoding='utf-8').splitlines():
        cells = line.split(' | ')
        if len(cells) == 5 and cells[0].startswith('| `'):
            names |= set(re.findall('`([^`]+)`', cells[2] + cells[3]))
    return {name.replace('~/', 'computed_torque_controller/') for name in names}


@pytest.mark.skipif(not (ROOT / 'docs').is_dir(), reason='the documents are not installed')
def test_the_topics_listed_are_those_of_the_nodes():
    known = documented()
    assert len(known) > 8
    listed = {name for name, _, _, _ in TOPICS}
    # What every node has, the table has not.
    assert listed - known == {'robot_description', '/diagnostics'}
    assert known - listed == set()


def test_names_go_on_the_line_of_ros2_bag_record(capsys):
    assert main(['topics', '--names', '--namespace', 'left']) == 0
    names = capsys.readouterr().out.split()
    assert '/left/joint_states' in names and '/left/computed_torque_controller/reference' in names
    assert not [name for name in names if not name.startswith('/left/')]


def test_the_table_is_json_for_machines(capsys):
    assert main(['topics', '--json']) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {row['topic']: row['type'] for row in rows}['/joint_states'] == (
        'sensor_msgs/msg/JointState')
    assert main(['topics']) == 0
    assert len(capsys.readouterr().out.splitlines()) == len(rows) + 1


def test_the_layout_of_plotjuggler_is_one_it_reads():
    # What its xmlLoadState looks for: plotjuggler_app/{mainwindow,tabbedplotwidget,plot_docker,
    # plotwidget}.cpp of PlotJuggler 3.
    root = etree.parse(str(ROOT / 'config' / 'plotjuggler.xml')).getroot()
    assert root.tag == 'root'
    window, = root.findall('tabbed_widget')
    assert window.attrib == {'name': 'Main Window', 'parent': 'main_window'}
    tabs = window.findall('Tab')
    assert len(tabs) == 2
    assert 0 <= int(window.find('currentTabIndex').get('index')) < len(tabs)
    for tab in tabs:
        assert tab.get('tab_name') and len(tab) == int(tab.get('containers'))
        splitter = tab.find('Container/DockSplitter')
        assert splitter.get('orientation') in '|-'
        areas = splitter.findall('DockArea')
        sizes = [float(size) for size in splitter.get('sizes').split(';')]
        assert len(areas) == len(splitter) == len(sizes) == int(splitter.get('count'))
        assert abs(sum(sizes) - 1.0) < 1e-9
        for area in areas:
            plot, = area.findall('plot')
            assert plot.get('mode') in ('TimeSeries', 'XYPlot')
            for curve in plot.findall('curve'):
                assert re.fullmatch('#[0-9a-f]{6}', curve.get('color'))
                names = ([curve.get('curve_x'), curve.get('curve_y')]
                         if plot.get('mode') == 'XYPlot' else [curve.get('name')])
                assert all(map(is_series, names))


def is_series(name):
    """Tell whether PlotJuggler's parser of JointState names a series so, of one of our topics."""
    topic, joint, field = name.rsplit('/', 2)
    states = {f'/{name}' for name, kind, _, _ in TOPICS if kind.endswith('JointState')}
    return topic in states and joint in ('joint1', 'joint2') and field in (
        'position', 'velocity', 'effort')
