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

"""What came of many simulations, and how it spreads."""

from __future__ import annotations

from typing import Any, Sequence, TYPE_CHECKING

import numpy as np

from twolink_dynamics.array_types import FloatArray
from twolink_dynamics.errors import ParameterError
from twolink_dynamics.simulation.energy import WORKS

if TYPE_CHECKING:
    from os import PathLike

    from matplotlib.figure import Figure

    from twolink_dynamics.dynamics.arm import Arm

__all__ = ['BatchResult']

PERCENTILES = (5.0, 50.0, 95.0)


class BatchResult:
    """
    What happened in B simulations.

    Attributes
    ----------
    arms : list of Arm, length B
    joint_names : tuple of str, length n
    t : ndarray, shape (R,)
        Times of the samples kept [s].
    q, qd, tau : ndarray, shape (B, R, n)
        States, and efforts applied from each time on; NaN after a run diverged.
    desired : ndarray, shape (1 or B, 1 or R, 3, n)
        Desired positions, velocities and accelerations; the start at rest without a trajectory.
    rms_error, peak_error : ndarray, shape (B, n)
        Of desired minus actual position, over all steps, those not kept too, up to a divergence.
    diverged : ndarray, shape (B,)
        When a run left the finite [s]; NaN if it did not.
    work : dict of str to ndarray, shape (B, R), or None
        The account of energy [J], as in :class:`.SimulationResult`, if a plant keeps one; NaN
        where it does not.

    """

    def __init__(self, arms: Sequence[Arm], t: FloatArray, q: FloatArray, qd: FloatArray,
                 tau: FloatArray, rms_error: FloatArray, peak_error: FloatArray,
                 diverged: FloatArray, desired: FloatArray,
                 work: dict[str, FloatArray] | None = None) -> None:
        self.arms, self.t, self.q, self.qd, self.tau = arms, t, q, qd, tau
        self.rms_error, self.peak_error = rms_error, peak_error
        self.diverged, self.desired, self.work = diverged, desired, work
        self.joint_names = tuple(arms[0].joint_names) if arms else ()

    @classmethod
    def empty(cls, arms: Sequence[Arm], t: FloatArray, desired: FloatArray,
              ledger: bool = False) -> BatchResult:
        """Return one to be filled in."""
        count, n = len(arms), arms[0].n
        q, qd, tau = np.full((3, count, len(t), n), np.nan)
        rms_error, peak_error = np.full((2, count, n), np.nan)
        work = {name: np.full((count, len(t)), np.nan) for name in WORKS} if ledger else None
        return cls(arms, t, q, qd, tau, rms_error, peak_error, np.full(count, np.nan), desired,
                   work)

    def __len__(self) -> int:
        """Return the number of runs."""
        return len(self.q)

    def __repr__(self) -> str:
        """Say how many runs, how long, and how many diverged."""
        return (f'<BatchResult of {len(self)} runs of {self.q.shape[2]} joints to '
                f'{self.t[-1]:g} s, {np.isfinite(self.diverged).sum()} diverged>')

    @property
    def error(self) -> FloatArray:
        """Desired minus actual position, shape (B, R, n)."""
        return self.desired[:, :, 0] - self.q

    def summary(self, percentiles: Sequence[float] = PERCENTILES) -> dict[str, Any]:
        """
        Return how the tracking error spreads over the runs that did not diverge.

        Parameters
        ----------
        percentiles : sequence of float
            [%].

        Returns
        -------
        summary : dict
            ``runs``, ``diverged``, and for each joint's name a dict of ``rms`` and ``peak``, each
            a dict of ``mean``, ``std``, ``max`` and the percentiles (``'p5'`` …) [rad or m].

        """
        fine = ~np.isfinite(self.diverged)
        summary: dict[str, Any] = {'runs': len(self), 'diverged': int((~fine).sum())}
        for i, name in enumerate(self.joint_names):
            summary[name] = {}
            for kind, values in (('rms', self.rms_error), ('peak', self.peak_error)):
                column = values[fine, i]
                if not len(column):
                    column = np.array([np.nan])
                summary[name][kind] = {
                    'mean': float(column.mean()), 'std': float(column.std()),
                    'max': float(column.max()),
                    **{f'p{p:g}': float(np.percentile(column, p)) for p in percentiles}}
        return summary

    def table(self, percentiles: Sequence[float] = PERCENTILES) -> list[str]:
        """
        Return the summary as lines of text.

        Parameters
        ----------
        percentiles : sequence of float
            [%].

        Returns
        -------
        lines : list of str

        """
        summary = self.summary(percentiles)
        keys = ['mean', 'std', *[f'p{p:g}' for p in percentiles], 'max']
        rows = [['joint', 'error', *keys]]
        for name in self.joint_names:
            for kind in ('rms', 'peak'):
                rows.append([name, kind, *[f'{summary[name][kind][key]:.3g}' for key in keys]])
        widths = [max(map(len, column)) for column in zip(*rows)]
        lines = ['  '.join([row[0].ljust(widths[0]), row[1].ljust(widths[1]),
                            *[x.rjust(w) for x, w in zip(row[2:], widths[2:])]]) for row in rows]
        return [*lines, f'{summary["runs"]} runs, {summary["diverged"]} diverged']

    def save(self, path: str | PathLike[str]) -> None:
        """
        Write the runs to a file of NumPy arrays, by the names of the attributes.

        Parameters
        ----------
        path : path-like
            It ends in ``.npz``.

        Raises
        ------
        ParameterError, OSError

        """
        if not str(path).endswith('.npz'):
            raise ParameterError('path', str(path), 'a file that ends in .npz')
        works: dict[str, Any] = {f'work_{name}': rows for name, rows in (self.work or {}).items()}
        np.savez_compressed(
            path, joint_names=np.array(self.joint_names), t=self.t, q=self.q, qd=self.qd,
            tau=self.tau, desired=self.desired, rms_error=self.rms_error,
            peak_error=self.peak_error, diverged=self.diverged,
            **works)

    def plot(self, path: str | PathLike[str] | None = None, title: str = '') -> Figure:
        """
        Draw how the tracking error spreads over time.

        Parameters
        ----------
        path : path-like, optional
            Where to write the picture; its suffix chooses the format.
        title : str

        Returns
        -------
        figure : matplotlib.figure.Figure

        Raises
        ------
        MissingDependencyError
            If matplotlib is not installed.

        """
        from twolink_dynamics.plotting.spread import plot_spread
        fine = ~np.isfinite(self.diverged)
        units = sorted({'mm' if kind == 'prismatic' else 'mrad' for arm in self.arms[:1]
                        for kind in arm.joint_types}, reverse=True)
        figure = plot_spread(self.t, 1e3 * self.error[fine], self.joint_names,
                             f'error [{" or ".join(units)}]', title)
        if path is not None:
            figure.savefig(path)
        return figure
