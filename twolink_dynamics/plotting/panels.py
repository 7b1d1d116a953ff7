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

"""The panels over time that pictures are made of: one quantity, in one unit, of some joints."""

from __future__ import annotations

from typing import Any, Sequence, TYPE_CHECKING

import numpy as np

from twolink_dynamics.array_types import FloatArray
from twolink_dynamics.errors import ParameterError
from twolink_dynamics.plotting.energy import balance
from twolink_dynamics.plotting.style import colour, COLOURS, GREY, legend
from twolink_dynamics.recordings.motion import Motion

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ['draw_effort', 'draw_energy', 'draw_error', 'draw_position', 'draw_residual',
           'draw_velocity', 'WORDS']

#: What the works are called in a picture.
WORDS = {'effort': 'work of efforts', 'viscous': 'viscous friction', 'coulomb': 'Coulomb friction',
         'wrench': 'tip wrench', 'impact': 'impacts', 'payload': 'payloads'}
# A limit further away than this many times the peak would press the curves into a line.
LIMIT_IN_SIGHT = 3.0


def _line(label: str, **options: Any) -> Any:
    from matplotlib.lines import Line2D
    return Line2D([], [], label=label, **options)


def _joints(motion: Motion, joints: Sequence[int]) -> list[Any]:
    """Return a legend entry for each joint."""
    return [_line(motion.joint_names[k], **colour(k)) for k in joints]


def _prefixed(values: FloatArray) -> tuple[FloatArray, str]:
    """Return values in a unit that suits them, and its SI prefix."""
    peak = np.abs(values).max()
    for power, prefix in ((0, ''), (-3, 'm'), (-6, 'µ'), (-9, 'n'), (-12, 'p'), (-15, 'f')):
        if peak >= 10.0 ** power:
            break
    return values * 10.0 ** -power, prefix


def _known(name: str, rows: FloatArray | None) -> FloatArray:
    if rows is None:
        raise ParameterError(name, None, 'a motion that has it')
    return rows


def draw_position(axes: Axes, motion: Motion, joints: Sequence[int], slides: bool) -> int:
    """
    Draw positions, and what was desired.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
    motion : Motion
    joints : sequence of int
        All of one kind.
    slides : bool
        Whether they are prismatic.

    Returns
    -------
    lines : int
        Of the legend.

    """
    handles = _joints(motion, joints)
    desired = motion.q_desired
    for k in joints:
        wide = desired is not None
        axes.plot(motion.t, motion.q[:, k], **colour(k), linewidth=1.8 if wide else 1.1,
                  alpha=0.6 if wide else 1.0)
        if desired is not None:
            axes.plot(motion.t, desired[:, k], color='black', linewidth=0.7, dashes=(4, 3))
    if desired is not None:
        handles.append(_line('desired', color='black', linewidth=0.7, dashes=(4, 3)))
    for t, name in motion.impacts:
        if motion.joint_names.index(name) in joints:
            axes.axvline(t, color=colour(motion.joint_names.index(name))['color'], linewidth=0.4,
                         alpha=0.5)
    axes.set_ylabel(f'position [{"m" if slides else "rad"}]')
    return legend(axes, handles)


def draw_velocity(axes: Axes, motion: Motion, joints: Sequence[int], slides: bool) -> int:
    """Draw velocities, and limits that are near; the arguments are :func:`draw_position`'s."""
    limits = None if motion.arm is None else motion.arm.limits.velocity
    axes.set_ylabel(f'velocity [{"m/s" if slides else "rad/s"}]')
    return _draw_limited(axes, motion, joints, motion.velocity, limits,
                         'm/s' if slides else 'rad/s')


def draw_error(axes: Axes, motion: Motion, joints: Sequence[int], slides: bool,
               tolerance: float | None = None) -> int:
    """
    Draw desired minus actual position, in thousandths.

    Parameters
    ----------
    axes, motion, joints, slides
        As for :func:`draw_position`.
    tolerance : float, optional
        Drawn where errors come near it [rad or m].

    """
    error = 1e3 * _known('q_desired', motion.error)
    unit = 'mm' if slides else 'mrad'
    for k in joints:
        rms = np.sqrt(np.nanmean(error[:, k] ** 2))
        axes.plot(motion.t, error[:, k], **colour(k),
                  label=f'{motion.joint_names[k]}, rms {rms:.2g} {unit}')
    if tolerance is not None and np.nanmax(np.abs(error[:, joints])) > 300.0 * tolerance:
        for side in (-1e3, 1e3):
            axes.axhline(side * tolerance, color=GREY, linewidth=0.7, linestyle=':')
    axes.set_ylabel(f'desired − actual [{unit}]')
    return legend(axes)


def draw_effort(axes: Axes, motion: Motion, joints: Sequence[int], slides: bool) -> int:
    """Draw efforts, and limits that are near; the arguments are :func:`draw_position`'s."""
    limits = None if motion.arm is None else motion.arm.limits.effort
    axes.set_ylabel(f'effort [{"N" if slides else "N m"}]')
    return _draw_limited(axes, motion, joints, _known('tau', motion.tau), limits,
                         'N' if slides else 'N m',
                         'steps-post' if motion.efforts_lead else 'steps-pre')


def _draw_limited(axes: Axes, motion: Motion, joints: Sequence[int], rows: FloatArray,
                  limits: FloatArray | None, unit: str, steps: Any = 'default') -> int:
    """Draw a quantity that has limits: all limits in words, those in sight as lines."""
    for k in joints:
        peak = np.nanmax(np.abs(rows[:, k])) if np.isfinite(rows[:, k]).any() else 0.0
        label, limit = motion.joint_names[k], np.inf if limits is None else limits[k]
        if np.isfinite(limit):
            label += f', limit ±{limit:.4g} {unit}'
            if limit <= LIMIT_IN_SIGHT * peak:
                for side in (-limit, limit):
                    axes.axhline(side, color=colour(k)['color'], linewidth=0.8, dashes=(1, 1.5))
        axes.plot(motion.t, rows[:, k], **colour(k), drawstyle=steps, label=label)
    return legend(axes)


def draw_energy(axes: Axes, motion: Motion) -> int:
    """
    Draw the energy's change and the works that explain it.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
    motion : Motion

    Returns
    -------
    lines : int
        Of the legend.

    """
    energy, works, _ = balance(motion)
    axes.plot(motion.t, energy - energy[0], color='black', linewidth=1.8, alpha=0.45,
              label='change of T + U')
    for k, (name, work) in enumerate(works.items()):
        axes.plot(motion.t, work, color=COLOURS[k % len(COLOURS)], label=WORDS.get(name, name))
    if len(works) > 1:
        axes.plot(motion.t, sum(works.values()), color='black', linewidth=0.7, dashes=(4, 3),
                  label='sum of works')
    axes.set_ylabel('energy, work [J]')
    return legend(axes)


def draw_residual(axes: Axes, motion: Motion) -> int:
    """Draw what of the energy's change no work explains; arguments are :func:`draw_energy`'s."""
    energy, works, kept = balance(motion)
    rest, prefix = _prefixed(energy - energy[0] - sum(works.values()))
    axes.plot(motion.t, rest, color=COLOURS[3], linewidth=0.8,
              label='unexplained' if kept else 'unexplained by efforts and friction')
    axes.set_ylabel(f'rest [{prefix}J]')
    return legend(axes)
