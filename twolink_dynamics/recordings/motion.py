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

"""What is drawn: a motion of an arm's joints, and what else is known of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Mapping

import numpy as np

from twolink_dynamics.array_types import FloatArray
from twolink_dynamics.errors import ParameterError
from twolink_dynamics.validation import number

__all__ = ['Motion']


@dataclass(frozen=True, eq=False)
class Motion:
    """
    A motion of joints over time.

    Attributes
    ----------
    t : ndarray, shape (N,)
        Times, increasing [s].
    joint_names : tuple of str, length n
    q : ndarray, shape (N, n)
        Positions [rad or m].
    qd, tau, q_desired, qd_desired : ndarray, shape (N, n), or None
        Velocities, efforts, what was desired.
    arm : Arm or None
        The model: it gives limits, units, energies and the tip.
    energy : ndarray, shape (N,), or None
        Kinetic plus potential energy [J].
    work : dict of str to ndarray, shape (N,), or None
        The work done since the start [J], by what did it.
    impacts : tuple of (float, str)
        When [s] which joint hit a stop.
    efforts_lead : bool
        Whether row k of `tau` acts from ``t[k]`` on (as simulations say it), rather than up to
        ``t[k]`` (as joint states say it).

    """

    t: FloatArray
    joint_names: tuple[str, ...]
    q: FloatArray
    qd: FloatArray | None = None
    tau: FloatArray | None = None
    q_desired: FloatArray | None = None
    qd_desired: FloatArray | None = None
    arm: Any = None
    energy: FloatArray | None = None
    work: Mapping[str, FloatArray] | None = None
    impacts: tuple[tuple[float, str], ...] = ()
    efforts_lead: bool = False

    @classmethod
    def of(cls, result: Any) -> Motion:
        """
        Return the motion that a simulation is.

        Parameters
        ----------
        result : SimulationResult

        Returns
        -------
        motion : Motion

        """
        q_desired, qd_desired, _ = result.desired or (None, None, None)
        return cls(result.t, tuple(result.joint_names), result.q, result.qd, result.tau,
                   q_desired, qd_desired, result.arm, result.energy, result.work,
                   tuple((e.t, e.joint) for e in result.events if e.kind == 'impact'), True)

    @property
    def n(self) -> int:
        """The number of joints."""
        return len(self.joint_names)

    @property
    def slides(self) -> list[bool]:
        """Whether each joint is prismatic, a list of n; without a model none is."""
        if self.arm is None:
            return [False] * self.n
        return [kind == 'prismatic' for kind in self.arm.joint_types]

    @property
    def error(self) -> FloatArray | None:
        """Desired minus actual position, shape (N, n), or None."""
        return None if self.q_desired is None else self.q_desired - self.q

    @property
    def velocity(self) -> FloatArray:
        """Velocities as recorded, or else the differences of the positions, shape (N, n)."""
        if self.qd is not None:
            return self.qd
        return np.gradient(self.q, self.t, axis=0)

    def of_arm(self, arm: Any) -> Motion:
        """
        Return the motion of an arm's joints, in its order.

        Parameters
        ----------
        arm : Arm

        Returns
        -------
        motion : Motion

        Raises
        ------
        ParameterError
            If the motion lacks a joint of the arm.

        """
        missing = [name for name in arm.joint_names if name not in self.joint_names]
        if missing:
            raise ParameterError(
                'arm', ', '.join(arm.joint_names), 'joints of the motion, which are '
                + ', '.join(self.joint_names))
        columns = [self.joint_names.index(name) for name in arm.joint_names]
        rows = {name: getattr(self, name) for name in (
            'q', 'qd', 'tau', 'q_desired', 'qd_desired')}
        blocks: dict[str, Any] = {name: None if values is None else values[:, columns]
                                  for name, values in rows.items()}
        # What other joints did is in the energy recorded, too: then it is not this arm's.
        whole = len(columns) == self.n
        return replace(
            self, arm=arm, joint_names=tuple(arm.joint_names),
            energy=self.energy if whole else None, work=self.work if whole else None,
            impacts=tuple((t, name) for t, name in self.impacts if name in arm.joint_names),
            **blocks)

    def between(self, start: float | None = None, end: float | None = None) -> Motion:
        """
        Return a part of the motion; energies and works count from its start.

        Parameters
        ----------
        start, end : float, optional
            [s].

        Returns
        -------
        motion : Motion

        Raises
        ------
        ParameterError
            If fewer than two samples are left.

        """
        start = float(self.t[0]) if start is None else number('start', start)
        end = float(self.t[-1]) if end is None else number('end', end)
        kept = (self.t >= start) & (self.t <= end)
        if kept.sum() < 2:
            raise ParameterError('times', (start, end),
                                 f'a part of {self.t[0]:g} to {self.t[-1]:g} s with two samples')
        rows: dict[str, Any] = {name: None if value is None else value[kept] for name, value in (
            (name, getattr(self, name)) for name in (
                't', 'q', 'qd', 'tau', 'q_desired', 'qd_desired', 'energy'))}
        work = None if self.work is None else {
            name: values[kept] - values[kept][0] for name, values in self.work.items()}
        return replace(self, work=work, impacts=tuple(
            (t, name) for t, name in self.impacts if start <= t <= end), **rows)
