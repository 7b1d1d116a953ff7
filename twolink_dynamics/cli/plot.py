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

"""The picture of a run: desired and actual motion, the error between them, the efforts."""

import math
from pathlib import Path

import numpy as np

from .record import units
from ..errors import MissingDependencyError, ParameterError

__all__ = ['check_plot', 'write_plot']

# Okabe and Ito's palette: told apart with any kind of colour vision.
COLOURS = ('#0072B2', '#D55E00', '#009E73', '#CC79A7', '#E69F00', '#56B4E9', '#000000')


def check_plot(path):
    """
    Find out before a run whether its picture can be drawn after it.

    Parameters
    ----------
    path : str

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.
    ParameterError
        If no picture has such a suffix.

    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingDependencyError('matplotlib', '--plot', 'plot') from None
    formats = Figure().canvas.get_supported_filetypes()
    if Path(path).suffix[1:].lower() not in formats:
        raise ParameterError('--plot', path, 'a file that ends in .' + ', .'.join(sorted(formats)))


def _label(what, names):
    return f'{what} [{" or ".join(sorted(set(names), reverse=True))}]'


def _draw_motion(axes, record, position_units):
    for k, name in enumerate(record.arm.joint_names):
        colour = COLOURS[k % len(COLOURS)]
        axes.plot(record.t, record.q[:, k], color=colour, linewidth=2.2, alpha=0.55,
                  label=f'{name}, actual')
        axes.plot(record.t, record.desired[:, k], color=colour, linewidth=1.2, linestyle='--',
                  dashes=(4, 3), label=f'{name}, desired')
    axes.set_ylabel(_label('position', position_units))


def _draw_error(axes, record, position_units, tolerance):
    for k, name in enumerate(record.arm.joint_names):
        axes.plot(record.t, 1e3 * record.error[:, k], color=COLOURS[k % len(COLOURS)],
                  linewidth=1.2,
                  label=f'{name}, rms {1e3 * record.rms[k]:.3g} m{position_units[k]}')
    largest = 1e3 * np.abs(record.error).max()
    if largest > 300.0 * tolerance:
        for side in (-1e3, 1e3):
            axes.axhline(side * tolerance, color='0.4', linewidth=0.9, linestyle=':')
    axes.set_ylabel(_label('desired − actual', [f'm{unit}' for unit in position_units]))


def _draw_effort(axes, record, effort_units):
    peak = np.abs(record.tau).max()
    for k, (name, limit) in enumerate(zip(record.arm.joint_names, record.arm.limits.effort)):
        colour = COLOURS[k % len(COLOURS)]
        text = f'{name}, no limit'
        if math.isfinite(limit):
            text = f'{name}, limit ±{limit:g}'
            # A limit far beyond the efforts would press them into a line.
            if limit < 3.0 * peak:
                text += ' (dotted)'
                for side in (-limit, limit):
                    axes.axhline(side, color=colour, linewidth=0.9, linestyle=':')
        axes.plot(record.t, record.tau[:, k], color=colour, linewidth=1.2, label=text)
    axes.set_ylabel(_label('effort', effort_units))


def write_plot(record, path, title, tolerance):
    """
    Draw a run.

    Parameters
    ----------
    record : RunRecord
        With two samples at least.
    path : str
        The picture; its suffix chooses the format.
    title : str
    tolerance : float
        Drawn where errors come near it [rad or m].

    Raises
    ------
    OSError
        If the file cannot be written.

    """
    from matplotlib.figure import Figure

    position_units, effort_units = units(record.arm.joint_types)
    figure = Figure(figsize=(9.0, 8.5), dpi=120, layout='constrained')
    motion, error, effort = figure.subplots(
        3, 1, sharex=True, gridspec_kw={'height_ratios': (3, 2, 2)})
    _draw_motion(motion, record, position_units)
    _draw_error(error, record, position_units, tolerance)
    _draw_effort(effort, record, effort_units)
    motion.set_title(title)
    for axes in (motion, error, effort):
        axes.grid(alpha=0.3)
        axes.margins(x=0.01)
        axes.legend(loc='upper left', bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize=9)
    effort.set_xlabel('time [s]')
    figure.savefig(path)
