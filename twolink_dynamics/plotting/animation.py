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

"""Moving pictures: the arm, its trail and the desired arm, frame by frame."""

from __future__ import annotations

from typing import Any, Iterator, TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from twolink_dynamics.array_types import FloatArray
from twolink_dynamics.plotting.plane import bones, Plane, plane_of, reachable
from twolink_dynamics.plotting.style import COLOURS, new_figure, styled
from twolink_dynamics.plotting.tip import draw_bones, draw_reach
from twolink_dynamics.recordings.motion import Motion

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ['Animation']

DPI = 100
# Points of the trail: enough for a smooth line.
TRAIL = 150
# A joint that leaves a plane by more than this part of the arm's size moves in space.
FLAT = 1e-3
# From where an arm in space is looked at [rad].
AZIMUTH, ELEVATION = -1.05, 0.45


def _view_in_space() -> Plane:
    """Return an oblique view, from above and from the side."""
    ca, sa, ce, se = np.cos(AZIMUTH), np.sin(AZIMUTH), np.cos(ELEVATION), np.sin(ELEVATION)
    right = np.array([-sa, ca, 0.0])
    up = np.array([-se * ca, -se * sa, ce])
    return Plane(np.column_stack([right, up]), ('', ''))


def _fading(pieces: int) -> FloatArray:
    """Return the colours of the trail's pieces, the oldest nearly white, shape (pieces, 3)."""
    from matplotlib.colors import to_rgb
    ink = np.array(to_rgb(COLOURS[1]))
    return ink + (1.0 - ink) * 0.85 * np.linspace(1.0, 0.0, pieces)[:, None]


class Animation:
    """
    An arm in motion.

    Parameters
    ----------
    motion : Motion
        With a model.
    times : ndarray, shape (F,)
        Of the frames, in the motion's time [s].
    trail : float
        How long a point of the tip's way is shown [s].
    size : int
        Width and height of a frame [pixels].
    title : str

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.

    """

    def __init__(self, motion: Motion, times: FloatArray, trail: float = 2.0, size: int = 640,
                 title: str = '') -> None:
        self._motion, self.times, self._trail = motion, times, trail
        arm = motion.arm
        samples = motion.q[::max(1, len(motion.t) // 400)]
        points = bones(arm, samples)
        self._plane = plane_of(arm, points[:, -1])
        normal = np.cross(*self._plane.axes.T)
        extent = np.ptp(points.reshape(-1, 3), axis=0).max()
        self._flat = np.ptp(points @ normal, axis=0).max() <= FLAT * max(extent, 1e-9)
        if not self._flat:
            self._plane = _view_in_space()
        with styled():
            self._set_up(points, size, title)

    def _set_up(self, points: FloatArray, size: int, title: str) -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.collections import LineCollection
        figure = new_figure(size / DPI * 0.0254, size / DPI * 0.0254)
        figure.set_dpi(DPI)
        self._canvas = FigureCanvasAgg(figure)
        axes = figure.subplots()
        self._frame(axes, points)
        if title:
            axes.set_title(title, fontsize=9.0)
        start = self._plane.flat(points[0])
        self._ghost: list[Any] | None = None
        if self._motion.q_desired is not None:
            self._ghost = draw_bones(axes, start, color='0.75', linewidth=3.0, zorder=2)
        self._arm = draw_bones(axes, start, color=COLOURS[0], linewidth=5.0, zorder=4)
        self._line = LineCollection([], linewidths=1.8, zorder=3, colors=_fading(TRAIL - 1))
        axes.add_collection(self._line, autolim=False)
        self._clock = axes.text(0.98, 0.98, '', transform=axes.transAxes, ha='right', va='top',
                                fontsize=10.0, family='monospace')
        self._moving = [*(self._ghost or ()), self._line, *self._arm, self._clock]
        for artist in self._moving:
            artist.set_animated(True)
        self._axes = axes
        self._canvas.draw()
        self._still = self._canvas.copy_from_bbox(figure.bbox)

    def _frame(self, axes: Axes, points: FloatArray) -> None:
        """Draw what stands still."""
        arm, plane = self._motion.arm, self._plane
        if self._flat:
            draw_reach(axes, reachable(arm, plane))
            axes.set_xlabel(plane.labels[0])
            axes.set_ylabel(plane.labels[1])
            axes.grid(True)
        else:
            reach = np.abs(points - points[:, :1]).max()
            for direction, name, colour in zip(np.eye(3), 'xyz', (
                    COLOURS[1], COLOURS[2], COLOURS[0])):
                end = plane.flat(0.25 * reach * direction)
                axes.annotate(name, tuple(end), color=colour, fontsize=8.0)
                axes.plot([0.0, end[0]], [0.0, end[1]], color=colour, linewidth=1.2)
            column = plane.flat(np.stack([np.zeros(3), points[0, 0]]))
            axes.plot(*column.T, color='0.6', linewidth=5.0, solid_capstyle='round')
            axes.axis('off')
        flat = plane.flat(points).reshape(-1, 2)
        if not self._flat:
            flat = np.vstack([flat, [[0.0, 0.0]]])
        middle = 0.5 * (flat.max(axis=0) + flat.min(axis=0))
        half = 0.5 * np.ptp(flat, axis=0).max()
        axes.set_aspect('equal', adjustable='box')
        half = 1.15 * max(half, 1e-6)
        axes.set_xlim(middle[0] - half, middle[0] + half)
        axes.set_ylim(middle[1] - half, middle[1] + half)

    def _at(self, rows: FloatArray, times: FloatArray) -> FloatArray:
        """Return rows of the motion at some times, shape (len(times), n)."""
        return np.column_stack([np.interp(times, self._motion.t, column) for column in rows.T])

    @staticmethod
    def inks() -> npt.NDArray[np.uint8]:
        """Return the colours that frames are drawn in, ndarray of uint8, shape (m, 3)."""
        from matplotlib.colors import to_rgb
        inks = [to_rgb(colour) for colour in (*COLOURS[:3], 'white', 'black', '0.6', '0.75')]
        return np.rint(255.0 * np.vstack([inks, _fading(24)])).astype(np.uint8)

    def frame(self, t: float) -> npt.NDArray[np.uint8]:
        """
        Draw one frame.

        Parameters
        ----------
        t : float
            In the motion's time [s].

        Returns
        -------
        pixels : ndarray of uint8, shape (size, size, 4)
            Red, green, blue, alpha; valid until the next one is drawn.

        """
        self._pose(self._arm, self._motion.q, t)
        if self._ghost and self._motion.q_desired is not None:
            self._pose(self._ghost, self._motion.q_desired, t)
        times = np.linspace(max(self._motion.t[0], t - self._trail), t, TRAIL)
        path = self._plane.flat(self._motion.arm.tip_pose(
            self._at(self._motion.q, times))[:, :3, 3])
        self._line.set_segments(list(np.stack([path[:-1], path[1:]], axis=1)))
        self._clock.set_text(f'{t - self._motion.t[0]:6.2f} s')
        self._canvas.restore_region(self._still)
        for artist in self._moving:
            self._axes.draw_artist(artist)
        return np.asarray(self._canvas.buffer_rgba())

    def frames(self) -> Iterator[npt.NDArray[np.uint8]]:
        """Yield the frames in turn, as :meth:`frame` draws them."""
        return map(self.frame, self.times)

    def _pose(self, artists: list[Any], rows: FloatArray, t: float) -> None:
        q = self._at(rows, np.array([t]))[0]
        for artist in artists:
            artist.set_visible(bool(np.isfinite(q).all()))
        if artists[0].get_visible():
            flat = self._plane.flat(bones(self._motion.arm, q))
            artists[0].set_data(*flat.T)
            artists[1].set_data(*flat[:-1].T)
