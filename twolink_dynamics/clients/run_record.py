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

"""The record of a run: states beside the desired ones, the figures that sum it up, and a log."""

import math
import os
from typing import Any, Collection, Mapping, Sequence, TYPE_CHECKING

import numpy as np

from twolink_dynamics.array_types import FloatArray
from twolink_dynamics.model.units import units

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm
    from twolink_dynamics.trajectory.trajectory import Trajectory

__all__ = ['RunRecord']


class RunRecord:
    """
    States beside the desired ones, from the trajectory's start to its end.

    Parameters
    ----------
    arm : Arm
    trajectory : Trajectory
        What was sent; its times count from `start`.
    states : dict of int to (q, qd, tau)
        By stamp [ns].
    answered : set of int
        The stamps of the states that the controller answered.
    start : int
        When the trajectory started [ns].
    period : float
        Of the simulator's steps [s].
    wall : float
        How long it took [s].

    Attributes
    ----------
    t : ndarray, shape (N,)
        From the trajectory's start [s].
    q, qd, tau, desired, desired_velocity, error : ndarray, shape (N, n)
        `error` is desired minus actual position; `tau` was applied in the step before.
    answers : int
        How many of these states' answers by the controller arrived here, too.

    """

    def __init__(self, arm: 'Arm', trajectory: 'Trajectory',
                 states: Mapping[int, Sequence[Sequence[float]]], answered: Collection[int],
                 start: int, period: float, wall: float) -> None:
        self.arm, self.wall, self.duration = arm, wall, trajectory.end_time
        end = start + round(1e9 * self.duration)
        stamps = sorted(ns for ns in states if start <= ns <= end)
        self.answers = sum(ns in answered for ns in stamps)
        self.ns = np.array(stamps, dtype=np.int64) - start
        self.t = self.ns * 1e-9
        self.q, self.qd, self.tau = (
            np.array([states[ns][k] for ns in stamps]).reshape(-1, arm.n) for k in range(3))
        self.desired, self.desired_velocity, _ = trajectory.sample_many(self.t)
        self.error = self.desired - self.q
        # Stamps are whole steps from the simulator's start, which need not be the trajectory's.
        self.expected = math.floor(self.duration / period * (1.0 + 1e-9)) + 1

    @property
    def coverage(self) -> float:
        """Which share of the expected states was recorded."""
        return min(1.0, len(self.t) / self.expected)

    @property
    def rms(self) -> FloatArray:
        """Root mean square of each joint's error, shape (n,); NaN without samples."""
        if not len(self.t):
            return np.full(self.arm.n, math.nan)
        return np.sqrt((self.error ** 2).mean(axis=0))

    def figures(self) -> dict[str, Any]:
        """
        Return what sums up the run.

        Returns
        -------
        figures : dict
            Plain numbers, texts and lists, for JSON. Positions in rad or m, efforts in N m or N;
            an effort limit is None where there is none.

        """
        n = self.arm.n
        peak = np.abs(self.error).max(axis=0) if len(self.t) else [math.nan] * n
        effort = np.abs(self.tau).max(axis=0) if len(self.t) else [math.nan] * n
        position_units, effort_units = units(self.arm.joint_types)
        joints = [
            {'name': name, 'unit': unit, 'rms_error': float(rms), 'peak_error': float(top),
             'effort_unit': effort_unit, 'peak_effort': float(tau),
             'effort_limit': float(limit) if math.isfinite(limit) else None}
            for name, unit, rms, top, effort_unit, tau, limit in zip(
                self.arm.joint_names, position_units, self.rms, peak, effort_units, effort,
                self.arm.limits.effort)]
        simulated = float(self.t[-1] - self.t[0]) if len(self.t) > 1 else 0.0
        return {'robot': self.arm.chain.name, 'duration': self.duration, 'joints': joints,
                'samples': len(self.t), 'samples_expected': self.expected,
                'answers': self.answers,
                'rate': (len(self.t) - 1) / self.wall if self.wall > 0.0 else 0.0,
                'real_time_factor': simulated / self.wall if self.wall > 0.0 else 0.0}

    def table(self) -> list[str]:
        """
        Return the figures as lines of text.

        Returns
        -------
        lines : list of str

        """
        figures = self.figures()
        rows = [('joint', 'rms error', 'peak error', 'peak effort', 'effort limit')]
        for joint in figures['joints']:
            small = f'm{joint["unit"]}'
            limit = joint['effort_limit']
            share = f'{limit:g} {joint["effort_unit"]}' if limit is not None else 'none'
            if limit:
                share += f' ({100.0 * joint["peak_effort"] / limit:.0f} % used)'
            rows.append((joint['name'], f'{1e3 * joint["rms_error"]:.3f} {small}',
                         f'{1e3 * joint["peak_error"]:.3f} {small}',
                         f'{joint["peak_effort"]:.2f} {joint["effort_unit"]}', share))
        widths = [max(map(len, column)) for column in zip(*rows)]
        lines = ['  '.join([row[0].ljust(widths[0])] + [
            text.rjust(width) for text, width in zip(row[1:], widths[1:])]).rstrip()
            for row in rows]
        lines.append(f'{figures["samples"]} of {figures["samples_expected"]} states, '
                     f'{figures["rate"]:.1f} a second, '
                     f'{figures["real_time_factor"]:.3f} x real time')
        return lines

    def write_csv(self, path: str | os.PathLike[str]) -> None:
        """
        Write the run as a table: time, and of each joint q, qd, tau, q_desired, qd_desired.

        Numbers are written so that they read back to the same bits.

        Parameters
        ----------
        path : path-like

        Raises
        ------
        OSError

        """
        fields = ('q', 'qd', 'tau', 'q_desired', 'qd_desired')
        columns = [f'{field}[{name}]' for field in fields for name in self.arm.joint_names]
        rows = np.hstack([self.q, self.qd, self.tau, self.desired, self.desired_velocity])
        with open(path, 'w', encoding='utf-8', newline='\n') as file:
            file.write(','.join(['t', *columns]) + '\n')
            for ns, row in zip(self.ns.tolist(), rows.tolist()):
                file.write(f'{ns // 10**9}.{ns % 10**9:09d},' + ','.join(map(repr, row)) + '\n')
