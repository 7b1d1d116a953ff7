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

"""What came of a simulation: states, efforts, energy, events; to file and back."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast, Iterable, Sequence, TYPE_CHECKING
from zipfile import BadZipFile

import numpy as np

from twolink_dynamics.array_types import FloatArray
from twolink_dynamics.errors import ParameterError
from twolink_dynamics.simulation.energy import WORKS
from twolink_dynamics.simulation.events import Event

if TYPE_CHECKING:
    from os import PathLike

    from matplotlib.figure import Figure

    from twolink_dynamics.dynamics.arm import Arm

__all__ = ['SimulationResult']

VECTORS = ('q', 'qd', 'tau')
DESIRED = ('q_desired', 'qd_desired', 'qdd_desired')
MEASURED = ('q_measured', 'qd_measured')
# What the files hold; a reader of another version can tell.
#: Positions, velocities and accelerations, or without the last.
Rows = tuple[FloatArray, ...]
FORMAT = 'twolink_dynamics simulation 1'


class SimulationResult:
    """
    What happened in a simulation.

    Attributes
    ----------
    arm : Arm or None
        The model; None if read from a file without one.
    joint_names : tuple of str, length n
    t : ndarray, shape (N + 1,)
        Times [s].
    q, qd : ndarray, shape (N + 1, n)
        States.
    tau : ndarray, shape (N + 1, n)
        Efforts as applied from each time on; the last row repeats the one before it.
    desired : tuple of three ndarrays, each of shape (N + 1, n), or None
        Desired positions, velocities and accelerations, if there was a law or a trajectory.
    measured : tuple of two ndarrays, each of shape (N + 1, n), or None
        What the sensors said, if they were not perfect.
    work : dict of str to ndarray, shape (N + 1,), or None
        The work done since the start [J], if the plant kept a ledger: by ``effort``, ``viscous``,
        ``coulomb`` friction, ``wrench``, ``impact`` and ``payload``.
    events : list of Event
        Impacts, joints that stick and slip, payloads, in the order of time.

    """

    def __init__(self, arm: Arm | None, t: FloatArray, q: FloatArray, qd: FloatArray,
                 tau: FloatArray, desired: Rows | None = None, measured: Rows | None = None,
                 work: dict[str, FloatArray] | None = None, events: Iterable[Event] = (),
                 energy: FloatArray | None = None, joint_names: Iterable[str] | None = None,
                 moving: Sequence[tuple[int, Any]] | None = None) -> None:
        self.arm, self.t, self.q, self.qd, self.tau = arm, t, q, qd, tau
        self.desired, self.measured, self.work, self.events = desired, measured, work, list(events)
        self.joint_names = tuple(cast(Any, arm).joint_names if joint_names is None else
                                 joint_names)
        self._energy = energy
        # The arms that moved, with and without payload, and from which row on.
        self._moving = moving or [(0, arm)]

    @property
    def energy(self) -> FloatArray:
        """Kinetic plus potential energy of arm and payload at each time [J], shape (N + 1,)."""
        if self._energy is None:
            ends = [row for row, _ in self._moving[1:]] + [len(self.t)]
            self._energy = np.concatenate([
                arm.kinetic_energy(self.q[row:end], self.qd[row:end])
                + arm.potential_energy(self.q[row:end])
                for (row, arm), end in zip(self._moving, ends)])
        return self._energy

    @property
    def error(self) -> FloatArray | None:
        """The tracking error, desired minus actual position, shape (N + 1, n), or None."""
        return None if self.desired is None else self.desired[0] - self.q

    @property
    def energy_residual(self) -> FloatArray | None:
        """What of the energy's change no work explains [J], shape (N + 1,), or None."""
        if self.work is None:
            return None
        return self.energy - self.energy[0] - sum(self.work.values())

    def __repr__(self) -> str:
        """Say how long and how many joints."""
        return (f'<SimulationResult of {self.q.shape[1]} joints, {len(self.t) - 1} steps to '
                f'{self.t[-1]:g} s>')

    # --- files ----------------------------------------------------------------------------------

    def _blocks(self) -> dict[str, FloatArray]:
        """Return the per-joint arrays by name."""
        blocks = {name: getattr(self, name) for name in VECTORS}
        blocks.update(zip(DESIRED, self.desired or ()))
        blocks.update(zip(MEASURED, self.measured or ()))
        return blocks

    def save(self, path: str | PathLike[str]) -> None:
        """
        Write the run to a file.

        Parameters
        ----------
        path : path-like
            ``.csv``: a table of ``t``, ``q[joint]``, ``qd[joint]``, ``tau[joint]`` … and
            ``energy``, whose numbers read back to the same bits. ``.npz``: the same as NumPy
            arrays, and the events.

        Raises
        ------
        ParameterError
            If the suffix is another one.
        OSError
            If the file cannot be written.

        """
        path = Path(path)
        if path.suffix == '.csv':
            self._save_csv(path)
        elif path.suffix == '.npz':
            self._save_npz(path)
        else:
            raise ParameterError('path', str(path), 'a file that ends in .csv or .npz')

    def _save_csv(self, path: Path) -> None:
        import csv
        header, columns = ['t'], [self.t[:, None]]
        for name, rows in self._blocks().items():
            header += [f'{name}[{joint}]' for joint in self.joint_names]
            columns.append(rows)
        scalars = {'energy': self.energy,
                   **{f'work_{name}': rows for name, rows in (self.work or {}).items()}}
        header += scalars
        columns += [rows[:, None] for rows in scalars.values()]
        with open(path, 'w', encoding='utf-8', newline='') as file:
            writer = csv.writer(file, lineterminator='\n')
            writer.writerow(header)
            # repr of a float is the shortest text that reads back to the same bits.
            writer.writerows(map(repr, row) for row in np.hstack(columns).tolist())

    def _save_npz(self, path: Path) -> None:
        arrays: dict[str, Any] = {
            't': self.t, 'energy': self.energy, **self._blocks(),
            **{f'work_{name}': rows for name, rows in (self.work or {}).items()}}
        for k, field in enumerate(Event._fields):
            values = [event[k] for event in self.events]
            arrays[f'event_{field}'] = np.array(values, dtype=str if k in (1, 2) else float)
        np.savez_compressed(path, format=FORMAT, joint_names=np.array(self.joint_names), **arrays)

    @classmethod
    def load(cls, path: str | PathLike[str], arm: Arm | None = None) -> SimulationResult:
        """
        Read a run that :meth:`save` wrote.

        Parameters
        ----------
        path : path-like
        arm : Arm, optional
            To have it in the result.

        Returns
        -------
        result : SimulationResult

        Raises
        ------
        ParameterError
            If the file is none of those, or of another arm.
        OSError
            If it cannot be read.

        """
        path = Path(path)
        if path.suffix not in ('.csv', '.npz'):
            raise ParameterError('path', str(path), 'a file that ends in .csv or .npz')
        names, arrays = (read_csv if path.suffix == '.csv' else read_npz)(path)
        missing = [name for name in ('t', 'energy', *VECTORS) if name not in arrays]
        if missing:
            raise ParameterError('path', str(path), 'a run that save() wrote, with '
                                 + ', '.join(missing))
        if arm is not None and arm.joint_names != names:
            raise ParameterError('arm', list(arm.joint_names),
                                 f'the joints of {path}: ' + ', '.join(names))
        work = {name: arrays[f'work_{name}'] for name in WORKS if f'work_{name}' in arrays}
        desired, measured = (tuple(arrays[name] for name in kind) if kind[0] in arrays else None
                             for kind in (DESIRED, MEASURED))
        events = zip(*(arrays[f'event_{field}'].tolist() for field in Event._fields)) \
            if 'event_t' in arrays else ()
        return cls(arm, arrays['t'], arrays['q'], arrays['qd'], arrays['tau'], desired, measured,
                   work or None, [Event(*event) for event in events], arrays['energy'], names)

    def plot(self, path: str | PathLike[str] | None = None, title: str = '',
             kind: str = 'overview') -> Figure:
        """
        Draw positions, errors or velocities, efforts and energy over time, or another picture.

        Parameters
        ----------
        path : path-like, optional
            Where to write the picture; its suffix chooses the format.
        title : str
        kind : str
            One of :data:`twolink_dynamics.plotting.KINDS`.

        Returns
        -------
        figure : matplotlib.figure.Figure

        Raises
        ------
        MissingDependencyError
            If matplotlib is not installed.
        ParameterError
            If the run lacks what the picture shows, or no picture has such a suffix.

        """
        from twolink_dynamics.plotting import draw, save
        from twolink_dynamics.recordings import Motion
        figure = draw(Motion.of(self), kind, title)
        if path is not None:
            save(figure, path)
        return figure


def read_csv(path: str | PathLike[str]) -> tuple[tuple[str, ...], dict[str, FloatArray]]:
    """
    Return what a table of numbers holds, ``joint`` columns put together.

    Parameters
    ----------
    path : path-like
        Columns such as ``t`` and ``q[elbow]`` under one line of names.

    Returns
    -------
    joint_names : tuple of str
        The joints that have a ``q``.
    arrays : dict of str to ndarray
        Of shape (N,), or (N, n) for what each joint has.

    Raises
    ------
    ParameterError
        If it is no such table.

    """
    import csv
    with open(path, encoding='utf-8', newline='') as file:
        rows = csv.reader(file)
        try:
            header = next(rows, [])
            table = np.array([[float(x) for x in row] for row in rows])
        except (ValueError, csv.Error) as error:  # UnicodeDecodeError is a ValueError
            raise ParameterError('path', str(path), f'a table of numbers ({error})') from None
    if table.ndim != 2 or table.shape[1:] != (len(header),):
        raise ParameterError('path', str(path), 'a table of numbers under a line of names')
    names = tuple(column[2:-1] for column in header if column.startswith('q['))
    arrays: dict[str, Any] = {}
    for k, column in enumerate(header):
        block, bracket, _ = column.partition('[')
        arrays.setdefault(block, []).append(table[:, k]) if bracket else arrays.update(
            {column: table[:, k]})
    return names, {name: np.column_stack(rows) if isinstance(rows, list) else rows
                   for name, rows in arrays.items()}


def read_npz(path: str | PathLike[str]) -> tuple[tuple[str, ...], dict[str, FloatArray]]:
    """Return joint names and arrays of a file of arrays; raises ParameterError if it is none."""
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except (ValueError, BadZipFile) as error:
        raise ParameterError('path', str(path), f'a file of arrays ({error})') from None
    return tuple(arrays.get('joint_names', np.array([], dtype=str)).tolist()), arrays
