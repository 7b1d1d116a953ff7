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

"""The pictures by name: which panels they have, and what a motion must have for them."""

from __future__ import annotations

from typing import Any, Callable, Sequence, Tuple, TYPE_CHECKING

import numpy as np

from twolink_dynamics.array_types import FloatArray
from twolink_dynamics.errors import ParameterError
from twolink_dynamics.plotting import panels
from twolink_dynamics.plotting.phase import draw_phase
from twolink_dynamics.plotting.style import COLUMN, INCH, LINE, new_figure, PAGE, save, styled
from twolink_dynamics.plotting.tip import draw_tip
from twolink_dynamics.recordings.motion import Motion

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ['KINDS', 'WIDTHS', 'draw', 'overview', 'possible', 'save']

#: Every picture, and what it shows.
KINDS = {
    'overview': 'positions, errors, efforts and energy below each other',
    'tracking': 'positions of the joints, and what was desired',
    'error': 'desired minus actual position',
    'velocity': 'velocities against their limits',
    'effort': 'efforts against their limits',
    'energy': 'change of the energy, the works that explain it, and the rest',
    'tip': 'path of the tip in a plane, and what the tip reaches there',
    'phase': 'phase portrait: velocity over position',
}
WIDTHS = {'column': COLUMN, 'page': PAGE}
# What a panel is as high as, in widths of the figure: at column width, and less at page width.
PANEL, LOW_PANEL = 0.62, 0.34

#: What draws a panel, its arguments after axes and motion, and the panel's relative height.
Panel = Tuple[Callable[..., int], Tuple[Any, ...], float]


def _missing(motion: Motion, kind: str) -> str:
    """Return what a picture would need that a motion does not have, or an empty text."""
    def lacks(rows: FloatArray | None) -> bool:
        return rows is None or not np.isfinite(rows).any()

    if kind == 'error' and lacks(motion.q_desired):
        return 'desired positions'
    if kind == 'effort' and lacks(motion.tau):
        return 'efforts'
    if kind == 'tip' and motion.arm is None:
        return "the arm's URDF"
    if kind == 'energy' and motion.energy is None and motion.arm is None:
        return "energies, or the arm's URDF"
    return ''


def possible(motion: Motion) -> list[str]:
    """
    Return the pictures that can be drawn of a motion.

    Parameters
    ----------
    motion : Motion

    Returns
    -------
    kinds : list of str

    """
    return [kind for kind in KINDS if not _missing(motion, kind)]


def draw(motion: Motion, kind: str = 'overview', title: str = '',
         width: float | None = None) -> Figure:
    """
    Draw a picture of a motion.

    Parameters
    ----------
    motion : Motion
    kind : str
        One of `KINDS`.
    title : str
    width : float, optional
        On paper [m]: by default that of a column, of a page for the overview. Letters stay as
        high.

    Returns
    -------
    figure : matplotlib.figure.Figure

    Raises
    ------
    ParameterError
        If there is no such picture, or the motion lacks what it shows.
    MissingDependencyError
        If matplotlib is not installed.

    """
    if kind not in KINDS:
        raise ParameterError('kind', kind, 'one of ' + ', '.join(KINDS))
    missing = _missing(motion, kind)
    if missing:
        raise ParameterError('kind', kind, f'a picture of what is known; this needs {missing}')
    if kind == 'overview':
        return overview(motion, title, width or PAGE)
    width = width or COLUMN
    with styled():
        if kind in ('tip', 'phase'):
            return {'tip': draw_tip, 'phase': draw_phase}[kind](motion, title, width)
        return _stack(_panels_of(motion, kind), motion, title, width)


def overview(motion: Motion, title: str = '', width: float = PAGE,
             tolerance: float | None = None) -> Figure:
    """
    Draw positions, errors (or velocities), efforts and energy below each other.

    Parameters
    ----------
    motion : Motion
    title : str
    width : float
        On paper [m].
    tolerance : float, optional
        Drawn beside the errors [rad or m].

    Returns
    -------
    figure : matplotlib.figure.Figure

    """
    second = 'velocity' if _missing(motion, 'error') else 'error'
    kinds = [kind for kind in ('tracking', second, 'effort', 'energy')
             if not _missing(motion, kind)]
    with styled():
        rows = [panel for kind in kinds for panel in _panels_of(motion, kind, tolerance)]
        # The rest of the energy is for a picture of its own.
        return _stack([row for row in rows if row[0] is not panels.draw_residual], motion, title,
                      width)


def _panels_of(motion: Motion, kind: str, tolerance: float | None = None) -> list[Panel]:
    """Return (function, arguments, relative height) of each panel of a picture over time."""
    if kind == 'energy':
        return [(panels.draw_energy, (), 1.0), (panels.draw_residual, (), 0.5)]
    function = {'tracking': panels.draw_position, 'error': panels.draw_error,
                'velocity': panels.draw_velocity, 'effort': panels.draw_effort}[kind]
    # Angles and lengths have no scale in common.
    groups = [([k for k, s in enumerate(motion.slides) if s == slides], slides)
              for slides in (False, True)]
    return [(function, (*group, tolerance) if kind == 'error' else group,
             1.0 if kind == 'tracking' else 0.8) for group in groups if group[0]]


def _stack(rows: Sequence[Panel], motion: Motion, title: str, width: float) -> Figure:
    """Draw panels over time below each other."""
    heights = [height for _, _, height in rows]
    unit = (PANEL if width < 0.12 else LOW_PANEL) * width
    if len(rows) > 2:
        unit *= 0.8
    height = unit * sum(heights) + 0.012
    figure = new_figure(width, height)
    axes = figure.subplots(len(rows), 1, sharex=True, squeeze=False,
                           gridspec_kw={'height_ratios': heights})[:, 0]
    for panel, (function, arguments, _) in zip(axes, rows):
        # Long legends make the picture higher, not the panels lower.
        height += LINE * (function(panel, motion, *arguments) - 1)
        panel.grid(True)
        panel.margins(x=0.01)
    figure.align_ylabels(axes)
    axes[-1].set_xlabel('time [s]')
    figure.set_size_inches(width / INCH, height / INCH)
    if title:
        figure.suptitle(title, fontsize=8.0)
    return figure
