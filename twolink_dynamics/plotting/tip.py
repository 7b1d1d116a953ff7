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

"""The path of the tip in a plane, the arm at its start, and what the tip reaches there."""

from __future__ import annotations

from typing import Any, TYPE_CHECKING

import numpy as np

from twolink_dynamics.array_types import FloatArray
from twolink_dynamics.plotting.plane import bones, plane_of, Reach, reachable
from twolink_dynamics.plotting.style import COLOURS, GREY, new_figure
from twolink_dynamics.recordings.motion import Motion

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ['draw_bones', 'draw_reach', 'draw_tip']

GROUND = '0.91'


def draw_reach(axes: Axes, shapes: Reach | None) -> None:
    """
    Draw what the tip reaches.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
    shapes : dict or None
        From :func:`~twolink_dynamics.plotting.plane.reachable`.

    """
    if shapes is None:
        return
    from matplotlib.patches import Circle, Wedge
    near, far, centre = shapes['nearest'], shapes['farthest'], shapes['centre']
    if not shapes['exact']:
        axes.add_patch(Circle(centre, far, fill=False, edgecolor=GREY, linewidth=0.6,
                              linestyle=(0, (1, 2)), label='farthest reach'))
    elif shapes['mesh'] is None:
        axes.add_patch(Wedge(centre, far, 0.0, 360.0, width=far - near, facecolor=GROUND,
                             edgecolor='none', label='workspace', zorder=0))
    else:
        x, y, reached = shapes['mesh']
        axes.contourf(x, y, reached.astype(float), levels=(0.5, 1.5), colors=[GROUND], zorder=0)
        axes.add_patch(Wedge(centre, 0.0, 0.0, 0.0, facecolor=GROUND, edgecolor='none',
                             label='workspace'))
    # Patches do not widen the limits by their whole extent on their own.
    axes.update_datalim([np.subtract(centre, 1.03 * far), np.add(centre, 1.03 * far)])


def draw_bones(axes: Axes, points: FloatArray, **options: Any) -> list[Any]:
    """
    Draw an arm as lines between its joints.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
    points : ndarray, shape (n + 1, 2)
    **options
        Of the line.

    Returns
    -------
    artists : list
        The line, the joints.

    """
    line, = axes.plot(*points.T, solid_capstyle='round', solid_joinstyle='round', **options)
    dots, = axes.plot(*points[:-1].T, 'o', color='white', markeredgecolor=line.get_color(),
                      markersize=1.1 * line.get_linewidth(),
                      markeredgewidth=0.35 * line.get_linewidth(), zorder=line.get_zorder())
    return [line, dots]


def draw_tip(motion: Motion, title: str, width: float) -> Figure:
    """
    Draw the path of the tip.

    Parameters
    ----------
    motion : Motion
        With a model.
    title : str
    width : float
        On paper [m].

    Returns
    -------
    figure : matplotlib.figure.Figure

    """
    arm = motion.arm
    path = arm.tip_pose(motion.q)[:, :3, 3]
    plane = plane_of(arm, path)
    figure = new_figure(width, 0.98 * width + 0.006)
    axes = figure.subplots()
    draw_reach(axes, reachable(arm, plane))
    draw_bones(axes, plane.flat(bones(arm, motion.q[0])), color='0.6', linewidth=2.5, zorder=2,
               label='arm at the start')
    desired = motion.q_desired
    wide = desired is not None
    axes.plot(*plane.flat(path).T, color=COLOURS[0], linewidth=1.8 if wide else 1.0,
              alpha=0.65 if wide else 1.0, label='tip', zorder=3)
    if desired is not None:
        good = np.isfinite(desired).all(axis=1)
        axes.plot(*plane.flat(arm.tip_pose(desired[good])[:, :3, 3]).T, color='black',
                  linewidth=0.7, dashes=(4, 3), label='desired', zorder=4)
    axes.plot(*plane.flat(path[:1]).T, 'o', color='black', markersize=3.5, label='start', zorder=5)
    axes.plot(*plane.flat(path[-1:]).T, 's', color='white', markeredgecolor='black',
              markersize=3.5, label='end', zorder=5)
    axes.set_aspect('equal')
    axes.autoscale_view()
    axes.set_xlabel(plane.labels[0])
    axes.set_ylabel(plane.labels[1])
    axes.locator_params(nbins=6)
    axes.grid(True)
    axes.legend(loc='lower left', bbox_to_anchor=(0.0, 1.0), ncol=3 if width < 0.12 else 6)
    if title:
        figure.suptitle(title, fontsize=8.0)
    return figure
