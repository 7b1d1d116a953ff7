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

"""The phase portrait: each joint's velocity over its position."""

from __future__ import annotations

from typing import TYPE_CHECKING

from twolink_dynamics.plotting.style import colour, GREY, new_figure
from twolink_dynamics.recordings.motion import Motion

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ['draw_phase']

# Side by side at most, at the width of a column and of a page.
BESIDE = {False: 2, True: 4}


def draw_phase(motion: Motion, title: str, width: float) -> Figure:
    """
    Draw the phase portrait.

    Parameters
    ----------
    motion : Motion
    title : str
    width : float
        On paper [m].

    Returns
    -------
    figure : matplotlib.figure.Figure

    """
    columns = min(motion.n, BESIDE[width > 0.12])
    rows = -(-motion.n // columns)
    height = width / columns * 0.95 * rows
    figure = new_figure(width, height + 0.010)
    grid = figure.add_gridspec(rows + 1, columns,
                               height_ratios=[1.0] * rows + [0.004 / height * rows])
    for k in range(motion.n):
        axes = figure.add_subplot(grid[k // columns, k % columns])
        _draw_joint(axes, motion, k)
        unit = 'm' if motion.slides[k] else 'rad'
        axes.set_title(motion.joint_names[k], color=colour(k)['color'], fontsize=7.5)
        axes.set_xlabel(f'position [{unit}]')
        axes.set_ylabel(f'velocity [{unit}/s]')
        axes.grid(True)
    # A legend of the figure would be laid over the panels by older matplotlibs.
    below = figure.add_subplot(grid[rows, :])
    below.axis('off')
    handles = axes.get_legend_handles_labels()[0]
    below.legend(handles=handles, loc='center', ncol=len(handles))
    if title:
        figure.suptitle(title, fontsize=8.0)
    return figure


def _draw_joint(axes: Axes, motion: Motion, k: int) -> None:
    q, qd = motion.q[:, k], motion.velocity[:, k]
    q_desired, qd_desired = motion.q_desired, motion.qd_desired
    desired = q_desired is not None and qd_desired is not None
    axes.plot(q, qd, color=colour(k)['color'], linewidth=1.5 if desired else 0.9,
              alpha=0.6 if desired else 0.9)
    if q_desired is not None and qd_desired is not None:
        axes.plot(q_desired[:, k], qd_desired[:, k], color='black', linewidth=0.7,
                  dashes=(4, 3), label='desired')
    axes.plot(q[:1], qd[:1], 'o', color='black', markersize=3.5, label='start')
    axes.plot(q[-1:], qd[-1:], 's', color='white', markeredgecolor='black', markersize=3.5,
              label='end')
    axes.axhline(0.0, color=GREY, linewidth=0.4)
