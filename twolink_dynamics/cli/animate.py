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

"""``twolink animate``: a moving picture of a log, the arm with the trail of its tip."""

import argparse
import math
import os
from pathlib import Path
import shutil
import subprocess
import sys

import numpy as np

from twolink_dynamics.cli.arguments import add_command, finite_number, positive_number, \
    Subparsers, whole_number
from twolink_dynamics.cli.arm_options import add_arm_arguments
from twolink_dynamics.cli.logs import add_log_arguments, read_log, URDF_HELP, with_arm
from twolink_dynamics.cli.text import say
from twolink_dynamics.errors import MissingDependencyError, ParameterError, TwoLinkError
from twolink_dynamics.plotting.style import check_file

__all__ = ['VideoError', 'add_parser', 'run']

DESCRIPTION = (
    'Draw a log as a moving picture: the arm, the trail of its tip, the desired arm in grey. An '
    'arm that moves in a plane is seen in it, with the workspace; any other from above and aside.')
EXAMPLE = """examples:
  twolink simulate --trajectory circle --log circle.csv
  twolink animate circle.csv
  twolink animate run.csv my_arm.urdf -o run.mp4 --speed 0.5 --trail 4
"""
FORMATS = ('gif', 'mp4')
# More frames than this are a mistake in --speed or --fps, not a picture.
MOST_FRAMES = 20000
COLOURS_OF_A_GIF = 255


class VideoError(TwoLinkError, RuntimeError):
    """A moving picture could not be written."""


def _size(text: str) -> int:
    value = whole_number(text, 100, 4000, '100 to 4000 pixels')
    return value + value % 2  # video formats want even numbers


def add_parser(subparsers: Subparsers) -> None:
    """
    Add the arguments of this command.

    Parameters
    ----------
    subparsers : argparse action

    """
    parser = add_command(
        subparsers, 'animate', 'draw a log as a moving picture (GIF or MP4)',
        DESCRIPTION, EXAMPLE, run)
    add_log_arguments(parser)
    add_arm_arguments(parser, nargs='?', default=None, help=URDF_HELP)
    add = parser.add_argument
    add('-o', '--output', metavar='FILE',
        help='a .gif or .mp4 file; the name of the log with .gif if not given')
    add('--fps', type=positive_number, default=25.0, metavar='F', help='frames a second (25)')
    add('--speed', type=positive_number, default=1.0, metavar='X', help='times real time (1)')
    add('--trail', type=positive_number, default=2.0, metavar='S',
        help="how long a point of the tip's way is shown [s] (2)")
    add('--size', type=_size, default=640, metavar='PX', help='width and height [pixels] (640)')
    add('--from', dest='start', type=finite_number, metavar='S', help='from this time [s]')
    add('--to', dest='end', type=finite_number, metavar='S', help='up to this time [s]')
    add('--title', default='', help='above the picture; none if not given')


def run(args: argparse.Namespace) -> int:
    """
    Run the command.

    Parameters
    ----------
    args : argparse.Namespace

    Returns
    -------
    status : int

    """
    path = Path(args.output or Path(args.log).resolve().stem + '.gif')
    check_file('--output', path, FORMATS)
    write = {'.gif': _write_gif, '.mp4': _write_mp4}[path.suffix.lower()]
    encoder = _ffmpeg() if write is _write_mp4 else None
    motion = with_arm(read_log(args.log, args.topic), args)
    if motion.arm is None:
        raise ParameterError('URDF', None, 'the arm of the log, whose joints are '
                             + ', '.join(motion.joint_names))
    if args.start is not None or args.end is not None:
        motion = motion.between(args.start, args.end)
    period = 1.0 / args.fps
    if write is _write_gif:
        period = max(0.02, round(100.0 * period) / 100.0)  # a GIF counts in hundredths
    from twolink_dynamics.plotting.animation import Animation
    animation = Animation(motion, _times(motion, args.speed * period), args.trail, args.size,
                          args.title)
    part = path.with_name(f'.{path.stem}.part{path.suffix}')
    try:
        write(animation, part, period, args.size, encoder)
        os.replace(part, path)
    finally:
        if part.exists():
            part.unlink()
    say(str(path))
    return 0


def _times(motion, step):
    """Return the times of the frames; the last is the motion's end."""
    whole = motion.t[-1] - motion.t[0]
    count = math.floor(whole / step * (1.0 + 1e-12)) + 1
    if count > MOST_FRAMES:
        raise ParameterError('--speed', f'{count} frames', f'{MOST_FRAMES} frames at most: show a '
                             'part (--from, --to) or go faster (--speed)')
    times = motion.t[0] + step * np.arange(count)
    return times if times[-1] > motion.t[-1] - 0.5 * step else np.append(times, motion.t[-1])


def _with_progress(animation):
    """Return the frames, shown on a terminal as they are drawn."""
    frames = animation.frames()
    if sys.stderr.isatty():
        from tqdm import tqdm
        frames = tqdm(frames, total=len(animation.times), unit='frame', leave=False)
    return frames


class _Palette:
    """
    The colours of all frames of a GIF, so that none flickers; Pillow's own search is not exact.

    Parameters
    ----------
    inks : ndarray of uint8, shape (m, 3)
        What must be among them.
    pixels : ndarray of uint8, shape (height, width, 4)
        A frame, whose most frequent colours are, too.

    """

    def __init__(self, inks, pixels):
        colours, counts = np.unique(self._packed(pixels), return_counts=True)
        most = colours[np.argsort(-counts, kind='stable')]
        most = np.stack([most >> 16, most >> 8 & 255, most & 255], axis=1).astype(np.uint8)
        self._colours = np.vstack([inks, most])[:COLOURS_OF_A_GIF]
        self._nearest = np.full(1 << 24, -1, dtype=np.int16)

    @staticmethod
    def _packed(pixels):
        return (pixels[..., :3].astype(np.int32) @ [1 << 16, 1 << 8, 1]).astype(np.int32)

    def picture(self, pixels):
        """Return a frame in these colours, as Pillow's image."""
        from PIL import Image
        packed = self._packed(pixels)
        new = np.unique(packed[self._nearest[packed] < 0])
        if len(new):
            rgb = np.stack([new >> 16, new >> 8 & 255, new & 255], axis=1).astype(float)
            away = ((rgb[:, None] - self._colours.astype(float)) ** 2).sum(axis=2)
            self._nearest[new] = away.argmin(axis=1)
        picture = Image.fromarray(self._nearest[packed].astype(np.uint8), 'P')
        picture.putpalette(self._colours.ravel().tolist())
        return picture


def _write_gif(animation, path, period, size, encoder):
    middle = animation.times[len(animation.times) // 2]
    palette = _Palette(animation.inks(), animation.frame(middle))
    pictures = map(palette.picture, _with_progress(animation))
    next(pictures).save(path, save_all=True, append_images=pictures,
                        duration=round(1000.0 * period), loop=0)


def _ffmpeg():
    """Return the path of an encoder."""
    found = shutil.which('ffmpeg')
    if found:
        return found
    try:
        import imageio_ffmpeg
        return imageio_ffmpeg.get_ffmpeg_exe()
    except (ImportError, RuntimeError):
        raise MissingDependencyError('ffmpeg', 'an .mp4 file', 'video') from None


def _write_mp4(animation, path, period, size, encoder):
    command = [encoder, '-y', '-loglevel', 'error', '-f', 'rawvideo', '-pix_fmt', 'rgba',
               '-s', f'{size}x{size}', '-r', f'{1.0 / period:.6g}', '-i', '-', '-an',
               '-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-crf', '20',
               '-movflags', '+faststart', str(path)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        with process.stdin:
            for pixels in _with_progress(animation):
                process.stdin.write(pixels.tobytes())
    except BrokenPipeError:
        pass  # it has said why
    except BaseException:
        process.kill()
        raise
    finally:
        complaint = process.stderr.read().decode(errors='replace').strip()
        process.stderr.close()
        process.wait()
    if process.returncode:
        raise VideoError(f'{encoder} could not write {path.suffix[1:]}: '
                         + (complaint.splitlines() or ['no reason given'])[-1])
