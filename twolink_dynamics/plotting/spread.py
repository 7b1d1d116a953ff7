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

"""Pictures of many simulations; those of one are in :mod:`twolink_dynamics.plotting`."""

from __future__ import annotations

from typing import Sequence, TYPE_CHECKING

import numpy as np

from twolink_dynamics.array_types import FloatArray
from twolink_dynamics.plotting.style import colour, legend, new_figure, PAGE, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ['plot_spread']


def plot_spread(t: FloatArray, values: FloatArray, joint_names: Sequence[str], label: str,
                title: str = '') -> Figure:
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
    bands = np.percentile(values, (5, 25, 50, 75, 95), axis=0)
    with styled():
        figure = new_figure(PAGE, 0.012 + 0.055 * n)
        panels = figure.subplots(n, 1, sharex=True, squeeze=False)[:, 0]
        for k, (axes, name) in enumerate(zip(panels, joint_names)):
            own = colour(k)['color']
            for low, high, alpha, text in ((0, 4, 0.2, '90 % of the runs'), (1, 3, 0.35, '50 %')):
                axes.fill_between(t, bands[low, :, k], bands[high, :, k], color=own, alpha=alpha,
                                  linewidth=0.0, label=text)
            axes.plot(t, bands[2, :, k], color=own, label='median')
            axes.set_ylabel(f'{name}\n{label}')
            axes.grid(True)
            axes.margins(x=0.01)
            legend(axes)
        panels[-1].set_xlabel('time [s]')
        if title:
            figure.suptitle(title, fontsize=8.0)
    return figure
