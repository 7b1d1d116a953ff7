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

"""``twolink view`` serves an arm to a browser of this machine, moves it, and ends when told."""

import os
from pathlib import Path
import signal
import subprocess
import sys
import urllib.request

from arms import three_joints
import numpy as np
import pytest

import twolink_dynamics as tl
from twolink_dynamics.cli.main import main
from twolink_dynamics.clients.shapes import displayable
from twolink_dynamics.recordings import Motion

ROOT = Path(__file__).resolve().parents[2]
URDF = ROOT / 'urdf' / 'twolink.urdf'


def complaint(capsys, *arguments):
    """Return the status and the one line that says what is wrong."""
    status = main(['view', *map(str, arguments)])
    err = capsys.readouterr().err
    assert len(err.splitlines()) == 1, err
    return status, err


@pytest.mark.parametrize('arguments, words', [
    (('missing.urdf',), 'missing.urdf'), (('missing.csv',), 'missing.csv'),
    ((URDF, URDF), 'LOG'), ((URDF, '--port', '0'), '65535'),
    ((URDF, '--namespace', 'a'), '--live'), (('missing.csv', '--live'), '--live')])
def test_what_cannot_be_is_refused_in_one_line(arguments, words, capsys):
    status, line = complaint(capsys, *arguments)
    assert status == 2 and words in line


def test_a_log_of_another_arm_wants_its_urdf(tmp_path, capsys):
    (tmp_path / 'log.csv').write_text('t,q[a]\n0,0\n1,1\n')
    status, line = complaint(capsys, tmp_path / 'log.csv')
    assert status == 2 and 'URDF' in line and 'joints are a' in line


def test_without_viser_the_extra_is_named(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, 'viser', None)
    monkeypatch.setitem(sys.modules, 'viser.extras', None)
    status, line = complaint(capsys, URDF)
    assert status == 1 and "'twolink_dynamics[view]'" in line


@pytest.mark.parametrize('number, status', [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_that_a_library_swallows_at_the_start_still_ends_it(
        monkeypatch, capsys, number, status):
    def swallowing(args, motion, listener):
        try:
            os.kill(os.getpid(), number)
        except BaseException:       # noqa: B902 - as a library does
            pass
        while True:                 # a start that takes long
            pass

    monkeypatch.setattr('twolink_dynamics.cli.view._open', swallowing)
    assert main(['view', str(URDF)]) == status
    assert 'Traceback' not in capsys.readouterr().err


# --- in a browser -------------------------------------------------------------------------------


@pytest.fixture
def viewer_of():
    """Return a function that opens a viewer on a free port; all are closed at the end."""
    pytest.importorskip('viser', reason='comes with the extra view, 430 MB')
    pytest.importorskip('yourdfpy', reason='comes with the extra view, 430 MB')
    from twolink_dynamics.clients.viewer import open_robot, Viewer
    viewers = []

    def make(text, motion=None):
        robot = open_robot(displayable(text, '<string>').xml)
        arm = tl.load_arm(text) if motion is None else motion.arm
        viewers.append(Viewer(robot, arm, port=18080, motion=motion))
        return viewers[-1]
    yield make
    for viewer in viewers:
        viewer.close()


def tip_of(viewer):
    """Return the tip as the viewer says it."""
    return [float(x) for x in viewer._where.content[5:-2].split(', ')]


def by_hand(slider, value):
    """Move a slider as a hand in a browser does."""
    slider.handle.value = value
    slider._on_update(None)


def test_sliders_move_the_arm(viewer_of):
    viewer = viewer_of(URDF.read_text())
    assert tip_of(viewer) == pytest.approx([1.8, -0.19, 2.0], abs=1e-3)
    by_hand(viewer._sliders['joint1'], np.pi / 2)
    # The slider has steps of a thousandth.
    assert tip_of(viewer) == pytest.approx([0.0, -0.19, 3.8], abs=3e-3)
    frame = viewer._robot.get_transform('tip')[:3, 3]
    assert frame == pytest.approx(tip_of(viewer), abs=1e-3)


def test_two_viewers_find_two_ports(viewer_of):
    one, other = viewer_of(URDF.read_text()), viewer_of(URDF.read_text())
    assert one.url != other.url and one.url.startswith('http://127.0.0.1:')


def test_a_log_is_played_at_its_pace_and_again(viewer_of):
    arm = tl.load_arm(URDF)
    t = np.linspace(5.0, 6.0, 11)
    motion = Motion(t, arm.joint_names, np.column_stack([t - 5.0, 0.0 * t]), arm=arm)
    viewer = viewer_of(URDF.read_text(), motion)
    for step, position in ((0.25, 0.25), (0.5, 0.75), (0.5, 0.0)):
        viewer.tick(step)
        assert viewer.q['joint1'] == pytest.approx(position, abs=1e-9)
    viewer._player._speed.value = '0.5'
    viewer.tick(0.5)
    assert viewer.q['joint1'] == pytest.approx(0.25, abs=1e-9)
    viewer._player.pause()
    viewer.tick(0.5)
    assert viewer.q['joint1'] == pytest.approx(0.25, abs=1e-9)


def test_the_trail_begins_anew_with_the_log(viewer_of):
    arm = tl.load_arm(URDF)
    t = np.linspace(0.0, 1.0, 11)
    motion = Motion(t, arm.joint_names, np.column_stack([t, 0.0 * t]), arm=arm)
    viewer = viewer_of(URDF.read_text(), motion)
    lengths = []
    for _ in range(24):
        viewer.tick(0.1)
        lengths.append(len(viewer._trail))
    # One point more each step, but where it begins again.
    assert max(lengths) <= 12 and lengths.count(1) == 2
    assert sum(np.diff(lengths) == 1) == 21


def test_a_hand_pauses_the_playback_and_an_echo_does_not(viewer_of):
    arm = tl.load_arm(URDF)
    t = np.linspace(0.0, 2.0, 11)
    motion = Motion(t, arm.joint_names, np.column_stack([t, 0.0 * t]), arm=arm)
    viewer = viewer_of(URDF.read_text(), motion)
    for _ in range(5):
        viewer.tick(0.1)
    # What a browser was told three steps ago comes back.
    by_hand(viewer._sliders['joint1'], 0.2)
    by_hand(viewer._player._slider, 0.2)
    viewer.tick(0.1)
    assert viewer.q['joint1'] == pytest.approx(0.6, abs=1e-9)
    by_hand(viewer._player._slider, 1.5)
    viewer.tick(0.1)
    assert viewer.q['joint1'] == pytest.approx(1.6, abs=1e-9)
    by_hand(viewer._sliders['joint2'], 0.75)
    viewer.tick(0.1)
    assert viewer.q['joint2'] == 0.75 and not viewer._player._playing.value


def test_the_arm_is_in_the_picture(viewer_of):
    for text in (URDF.read_text(), three_joints()):
        viewer = viewer_of(text)
        camera = viewer._server.initial_camera
        sight = np.subtract(camera.look_at, camera.position)
        sight /= np.linalg.norm(sight)
        rng = np.random.default_rng(3)
        arm = viewer._arm
        for q in [np.zeros(arm.n), *rng.uniform(-1.5, 1.5, (20, arm.n))]:
            to_tip = viewer._tip(q) - camera.position
            angle = np.arccos(to_tip @ sight / np.linalg.norm(to_tip))
            # Half the field of view, up and down; there is more to the sides.
            assert angle < 1.1 * 0.5 * camera.fov


def test_joints_that_are_not_there_are_left_alone(viewer_of):
    viewer = viewer_of(URDF.read_text())
    viewer.show({'joint2': 0.5, 'gripper': 3.0})
    assert viewer.q == {'joint1': 0.0, 'joint2': 0.5}


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM])
def test_it_serves_this_machine_until_it_is_told_to_end(number, tmp_path):
    pytest.importorskip('viser', reason='comes with the extra view, 430 MB')
    process = subprocess.Popen(
        [sys.executable, '-m', 'twolink_dynamics.cli', 'view', '--port', '18180'],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path,
        env={**os.environ, 'PYTHONPATH': os.pathsep.join([str(ROOT), *sys.path])})
    with process:
        url = process.stdout.readline().split()[0]
        assert url.startswith('http://127.0.0.1:')
        with urllib.request.urlopen(url, timeout=60) as page:
            assert b'<html' in page.read()
        process.send_signal(number)
        assert process.wait(60) == 0
        assert process.stdout.read() == '' and process.stderr.read() == ''
