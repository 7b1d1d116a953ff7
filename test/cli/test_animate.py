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

"""``twolink animate`` shows the arm where the log has it, as long as the log lasts."""

import os
from pathlib import Path
import shutil
import subprocess
import sys

from arms import three_joints
import numpy as np
import pytest

import twolink_dynamics as tl
from twolink_dynamics.cli.main import main
from twolink_dynamics.errors import MissingDependencyError
from twolink_dynamics.plotting.style import COLOURS
from twolink_dynamics.plotting.video import find_encoder, frame_times
from twolink_dynamics.recordings import Motion

pytest.importorskip('matplotlib', reason='frames are drawn by matplotlib')
Image = pytest.importorskip('PIL.Image', reason='frames are written by Pillow')
URDF = str(Path(__file__).resolve().parents[2] / 'urdf' / 'twolink.urdf')
SMALL = ('--size', '160')


@pytest.fixture
def log(tmp_path, monkeypatch):
    """Return the name of a log of a turn of joint 1, in the current folder."""
    monkeypatch.chdir(tmp_path)
    arm = tl.load_arm(URDF)
    t = np.linspace(0.0, 1.0, 101)
    q = np.column_stack([np.pi * t, 0.0 * t])
    tl.SimulationResult(arm, t, q, np.zeros_like(q), np.zeros_like(q)).save('turn.npz')
    return 'turn.npz'


def frames(path):
    """Return the frames of a GIF, and how long each is shown [ms]."""
    with Image.open(path) as file:
        shown = []
        for k in range(file.n_frames):
            file.seek(k)
            shown.append((np.asarray(file.convert('RGB')).astype(int), file.info['duration']))
    return [picture for picture, _ in shown], [time for _, time in shown]


def where(picture, colour):
    """Return the rows and columns of pixels of about a colour."""
    rgb = [int(colour[k:k + 2], 16) for k in (1, 3, 5)]
    return np.nonzero(np.abs(picture - rgb).max(axis=2) < 40)


def test_a_gif_lasts_as_long_as_the_log(log, capsys):
    assert main(['animate', log, URDF, *SMALL, '--fps', '10']) == 0
    assert capsys.readouterr().out == 'turn.gif\n'
    pictures, times = frames('turn.gif')
    assert len(pictures) == 11 and set(times) == {100}
    assert pictures[0].shape == (160, 160, 3)
    assert (pictures[0][0, 0] == 255).all()     # white stays white


def test_the_arm_moves_as_in_the_log(log):
    main(['animate', log, URDF, *SMALL, '--fps', '10'])
    pictures, _ = frames('turn.gif')
    middle = [where(picture, COLOURS[0])[1].mean() for picture in pictures]
    # From stretched to the right to stretched to the left.
    assert (np.diff(middle) < 0.0).all()
    height = [where(picture, COLOURS[0])[0].mean() for picture in pictures]
    assert min(height) == height[5] and height[0] - height[5] > 20
    # The trail is orange, and fades: nothing else is more red than blue.
    trail = [(picture[..., 0] - picture[..., 2] > 60).sum() for picture in pictures]
    assert trail[0] == 0 and min(trail[3:]) > 20


def test_speed_and_part_decide_on_the_frames(log):
    main(['animate', log, URDF, *SMALL, '--fps', '10', '--speed', '0.5', '--from', '0.5'])
    assert len(frames('turn.gif')[0]) == 11


def test_the_last_moment_is_shown():
    motion = Motion(np.array([1.0, 2.04]), ('a',), np.zeros((2, 1)))
    assert frame_times(motion, 0.1)[-1] == pytest.approx(2.0)
    assert frame_times(motion, 0.5)[-1] == pytest.approx(2.0)
    motion = Motion(np.array([1.0, 2.08]), ('a',), np.zeros((2, 1)))
    assert frame_times(motion, 0.1)[-1] == 2.08


def test_an_arm_in_space_is_seen_from_aside(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / 'arm.urdf').write_text(three_joints())
    run = tl.simulate(tl.load_arm('arm.urdf'), 0.3, 1e-2, q0=[0.1, 0.2, 0.3])
    run.save('run.csv')
    assert main(['animate', 'run.csv', 'arm.urdf', *SMALL, '--fps', '10']) == 0
    pictures, _ = frames('run.gif')
    assert all(len(where(pictures[-1], colour)[0]) for colour in COLOURS[:3])


def encoder():
    """Return whether an .mp4 can be written here."""
    try:
        import imageio_ffmpeg
        return bool(imageio_ffmpeg.get_ffmpeg_exe())
    except (ImportError, RuntimeError):
        return bool(shutil.which('ffmpeg'))


@pytest.mark.skipif(not encoder(), reason='neither ffmpeg nor imageio-ffmpeg is installed')
def test_an_mp4_is_written(log):
    assert main(['animate', log, URDF, *SMALL, '--fps', '10', '-o', 'turn.mp4']) == 0
    assert Path('turn.mp4').read_bytes()[4:8] == b'ftyp'


def test_an_encoder_that_fails_is_named_in_one_line(log, tmp_path, monkeypatch, capsys):
    program = tmp_path / 'bin' / 'ffmpeg'
    program.parent.mkdir()
    program.write_text('#!/bin/sh\necho Unknown encoder libx264 >&2\nexit 3\n')
    program.chmod(0o755)
    monkeypatch.setenv('PATH', str(program.parent))
    assert main(['animate', log, URDF, *SMALL, '-o', 'turn.mp4']) == 1
    assert 'Unknown encoder libx264' in capsys.readouterr().err
    assert sorted(os.listdir()) == ['bin', 'turn.npz']


def test_without_an_encoder_the_extra_is_named(log, monkeypatch):
    monkeypatch.setenv('PATH', '')
    monkeypatch.setitem(sys.modules, 'imageio_ffmpeg', None)
    with pytest.raises(MissingDependencyError, match=r'twolink_dynamics\[video\]'):
        find_encoder()


def test_what_is_interrupted_leaves_nothing_half_done(log, monkeypatch):
    Path('turn.gif').write_text('the old one')

    def interrupted(self, t):
        raise KeyboardInterrupt
    monkeypatch.setattr('twolink_dynamics.plotting.animation.Animation.frame', interrupted)
    assert main(['animate', log, URDF, *SMALL]) == 130
    assert sorted(os.listdir()) == ['turn.gif', 'turn.npz']
    assert Path('turn.gif').read_text() == 'the old one'


@pytest.mark.parametrize('arguments, words', [
    (('-o', 'a.avi'), '.gif, .mp4'), (('--speed', '0'), 'above 0'), (('--size', '9'), 'pixels'),
    (('--speed', '1e-6'), 'frames'), (('--from', '9'), 'two samples'), (('--fps', 'x'), 'number')])
def test_what_cannot_be_is_refused_in_one_line(arguments, words, log, capsys):
    assert main(['animate', log, URDF, *arguments]) == 2
    err = capsys.readouterr().err
    assert len(err.splitlines()) == 1 and words in err


def test_progress_is_for_terminals(log):
    run = subprocess.run(
        [sys.executable, '-m', 'twolink_dynamics.cli', 'animate', log, URDF, *SMALL, '--fps', '5'],
        capture_output=True, text=True, env={**os.environ, 'PYTHONPATH': os.pathsep.join(
            [str(Path(__file__).resolve().parents[2]), *sys.path])})
    assert (run.returncode, run.stdout, run.stderr) == (0, 'turn.gif\n', '')
