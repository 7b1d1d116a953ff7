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

"""Moving pictures: the frames of an animation as a GIF or an MP4."""

import math
import os
from pathlib import Path
import shutil
import subprocess
import sys
from typing import Any, cast, IO, Iterable, TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from twolink_dynamics.array_types import FloatArray
from twolink_dynamics.errors import MissingDependencyError, ParameterError, TwoLinkError
from twolink_dynamics.recordings import Motion

if TYPE_CHECKING:
    from twolink_dynamics.plotting.animation import Animation

__all__ = ['FORMATS', 'VideoError', 'find_encoder', 'frame_times', 'write_video']

#: What a moving picture may be.
FORMATS = ('gif', 'mp4')
MOST_FRAMES = 20000
COLOURS_OF_A_GIF = 255

Pixels = npt.NDArray[np.uint8]


class VideoError(TwoLinkError, RuntimeError):
    """A moving picture could not be written."""


def frame_times(motion: Motion, step: float) -> FloatArray:
    """
    Return the times of the frames; the last is the motion's end.

    Parameters
    ----------
    motion : Motion
    step : float
        Between two frames [s], of the motion's time.

    Returns
    -------
    times : ndarray, shape (m,)

    Raises
    ------
    ParameterError
        If there are more than 20,000.

    """
    whole = motion.t[-1] - motion.t[0]
    count = math.floor(whole / step * (1.0 + 1e-12)) + 1
    if count > MOST_FRAMES:
        raise ParameterError('speed', f'{count} frames', f'{MOST_FRAMES} frames at most: show a '
                             'part (--from, --to) or go faster (--speed)')
    times = motion.t[0] + step * np.arange(count)
    return times if times[-1] > motion.t[-1] - 0.5 * step else np.append(times, motion.t[-1])


def find_encoder() -> str:
    """
    Return the path of what encodes an MP4.

    Raises
    ------
    MissingDependencyError

    """
    found = shutil.which('ffmpeg')
    if found:
        return found
    try:
        import imageio_ffmpeg
        return imageio_ffmpeg.get_ffmpeg_exe()
    except (ImportError, RuntimeError):
        raise MissingDependencyError('ffmpeg', 'an .mp4 file', 'video') from None


def write_video(animation: 'Animation', path: Path, period: float, size: int) -> None:
    """
    Write an animation; no part of it is left behind if that fails.

    Parameters
    ----------
    animation : Animation
    path : pathlib.Path
        Its suffix chooses the format.
    period : float
        From frame to frame [s]; a GIF counts in hundredths.
    size : int
        Width and height [pixels].

    Raises
    ------
    VideoError
        If the encoder fails.
    MissingDependencyError
        If there is none.
    OSError

    """
    part = path.with_name(f'.{path.stem}.part{path.suffix}')
    try:
        if path.suffix.lower() == '.gif':
            _write_gif(animation, part, period)
        else:
            _write_mp4(animation, part, period, size, find_encoder())
        os.replace(part, path)
    finally:
        if part.exists():
            part.unlink()


def _with_progress(animation: 'Animation') -> Iterable[Pixels]:
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

    def __init__(self, inks: Pixels, pixels: Pixels) -> None:
        colours, counts = np.unique(self._packed(pixels), return_counts=True)
        most = colours[np.argsort(-counts, kind='stable')]
        most = np.stack([most >> 16, most >> 8 & 255, most & 255], axis=1).astype(np.uint8)
        self._colours = np.vstack([inks, most])[:COLOURS_OF_A_GIF]
        self._nearest = np.full(1 << 24, -1, dtype=np.int16)

    @staticmethod
    def _packed(pixels: Pixels) -> npt.NDArray[np.int32]:
        return (pixels[..., :3].astype(np.int32) @ [1 << 16, 1 << 8, 1]).astype(np.int32)

    def picture(self, pixels: Pixels) -> Any:
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


def _write_gif(animation: 'Animation', path: Path, period: float) -> None:
    middle = animation.times[len(animation.times) // 2]
    palette = _Palette(animation.inks(), animation.frame(middle))
    pictures = map(palette.picture, _with_progress(animation))
    next(pictures).save(path, save_all=True, append_images=pictures,
                        duration=round(1000.0 * period), loop=0)


def _write_mp4(animation: 'Animation', path: Path, period: float, size: int,
               encoder: str) -> None:
    command = [encoder, '-y', '-loglevel', 'error', '-f', 'rawvideo', '-pix_fmt', 'rgba',
               '-s', f'{size}x{size}', '-r', f'{1.0 / period:.6g}', '-i', '-', '-an',
               '-c:v', 'libx264', '-pix_fmt', 'yuv420p', '-crf', '20',
               '-movflags', '+faststart', str(path)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    pipe, complaints = cast(IO[bytes], process.stdin), cast(IO[bytes], process.stderr)
    try:
        with pipe:
            for pixels in _with_progress(animation):
                pipe.write(pixels.tobytes())
    except BrokenPipeError:
        pass  # it has said why
    except BaseException:
        process.kill()
        raise
    finally:
        complaint = complaints.read().decode(errors='replace').strip()
        complaints.close()
        process.wait()
    if process.returncode:
        raise VideoError(f'{encoder} could not write {path.suffix[1:]}: '
                         + (complaint.splitlines() or ['no reason given'])[-1])
