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


"""Pictures of simulations; matplotlib is imported when one is drawn."""

import numpy as np

from ..errors import MissingDependencyError

__all__ = ['new_figure', 'plot_run', 'plot_spread']

# Okabe and Ito's colours, which colour-blind readers can tell apart.
COLOURS = ('#0072B2', '#D55E00', '#009E73', '#CC79A7', '#E69F00', '#56B4E9', '#000000')


def new_figure(**options):
    """
    Return a figure of matplotlib's without a window.

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.

    """
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingDependencyError('matplotlib', 'a plot', 'plot') from None
    return Figure(dpi=120, layout='constrained', **options)


def _unit(run, angle, length):
    kinds = () if run.arm is None else run.arm.joint_types
    prismatic = [kind == 'prismatic' for kind in kinds]
    if not prismatic or not any(prismatic):
        return angle
    return length if all(prismatic) else f'{angle} or {length}'


def _finish(figure, title, panels):
    panels[0].set_title(title)
    for axes in panels:
        axes.grid(alpha=0.3)
        axes.margins(x=0.01)
        if axes.get_legend_handles_labels()[0]:
            axes.legend(loc='upper left', bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize=9)
    panels[-1].set_xlabel('time [s]')
    return figure


def plot_run(run, title=''):
    """
    Draw a run.

    Parameters
    ----------
    run : SimulationResult
    title : str

    Returns
    -------
    figure : matplotlib.figure.Figure

    """
    figure = new_figure(figsize=(9.0, 9.0))
    motion, second, effort, energy = panels = figure.subplots(
        4, 1, sharex=True, gridspec_kw={'height_ratios': (3, 2, 2, 2)})
    tracked = run.desired is not None
    for k, name in enumerate(run.joint_names):
        colour = COLOURS[k % len(COLOURS)]
        motion.plot(run.t, run.q[:, k], color=colour, label=name)
        if tracked:
            motion.plot(run.t, run.desired[0][:, k], color=colour, linestyle='--', linewidth=1.0,
                        label=f'{name}, desired')
        second.plot(run.t, 1e3 * run.error[:, k] if tracked else run.qd[:, k], color=colour,
                    label=name, linewidth=1.2)
        effort.step(run.t, run.tau[:, k], where='post', color=colour, label=name, linewidth=1.2)
    for event in run.events:
        if event.kind == 'impact':
            colour = COLOURS[run.joint_names.index(event.joint) % len(COLOURS)]
            motion.axvline(event.t, color=colour, linewidth=0.4, alpha=0.4)
    motion.set_ylabel(f'position [{_unit(run, "rad", "m")}]')
    second.set_ylabel(f'desired − actual [{_unit(run, "mrad", "mm")}]' if tracked else
                      f'velocity [{_unit(run, "rad/s", "m/s")}]')
    effort.set_ylabel(f'effort [{_unit(run, "N m", "N")}]')
    energy.plot(run.t, run.energy, color='0.2', label='T + U')
    for k, (name, rows) in enumerate((run.work or {}).items()):
        if np.any(rows):
            energy.plot(run.t, rows, color=COLOURS[k % len(COLOURS)], linewidth=1.0,
                        label=f'work, {name}')
    energy.set_ylabel('energy [J]')
    return _finish(figure, title, panels)


def plot_spread(t, values, joint_names, label, title=''):
    """
    Draw how a quantity of many runs spreads: median, and the bands of 50 % and 90 % of the runs.

    Parameters
    ----------
    t : ndarray, shape (N,)
    values : ndarray, shape (B, N, n)
    joint_names : sequence of str, length n
    label : str
        Of the quantity, with its unit.
    title : str

    Returns
    -------
    figure : matplotlib.figure.Figure

    """
    n = len(joint_names)
    figure = new_figure(figsize=(9.0, 2.2 + 2.2 * n))
    panels = figure.subplots(n, 1, sharex=True, squeeze=False)[:, 0]
    bands = np.percentile(values, (5, 25, 50, 75, 95), axis=0)
    for k, (axes, name) in enumerate(zip(panels, joint_names)):
        colour = COLOURS[k % len(COLOURS)]
        for low, high, alpha, text in ((0, 4, 0.2, '90 % of the runs'), (1, 3, 0.35, '50 %')):
            axes.fill_between(t, bands[low, :, k], bands[high, :, k], color=colour, alpha=alpha,
                              linewidth=0.0, label=text)
        axes.plot(t, bands[2, :, k], color=colour, label='median')
        axes.set_ylabel(f'{name}\n{label}')
    return _finish(figure, title, panels)
