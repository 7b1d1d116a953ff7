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

"""A recorder of the last seconds before a fault, in the files that ``twolink plot`` reads."""

from collections import deque
from pathlib import Path
from typing import Sequence

import numpy as np

from twolink_dynamics.array_types import DesiredState, Vector
from twolink_dynamics.errors import ParameterError

__all__ = ['FaultRecorder']

Row = tuple[int, Vector, Vector, DesiredState, Vector]
# [ns], and how many states at most, whatever their rate.
KEPT, MOST = 5000000000, 20000
EVENTS = 100


class FaultRecorder:
    """
    Keep the last 5 s of states, desired states, efforts and events; write them to a file.

    Parameters
    ----------
    joint_names : sequence of str

    Attributes
    ----------
    directory : str
        Where files go; empty: nothing is kept, and none is written.

    """

    def __init__(self, joint_names: Sequence[str]) -> None:
        self._names, self.directory = tuple(joint_names), ''
        self._rows: deque[Row] = deque(maxlen=MOST)
        self._events: deque[tuple[int, str]] = deque(maxlen=EVENTS)

    def add(self, ns: int, q: Vector, qd: Vector, desired: DesiredState,
            tau: Vector | None) -> None:
        """
        Keep a state that was answered.

        Parameters
        ----------
        ns : int
            Its stamp [ns]. A clock that was set back begins anew.
        q, qd : sequence of float, length n
        desired : tuple of (q, qd, qdd)
        tau : sequence of float, length n, or None

        """
        if not self.directory:
            return
        if self._rows and ns <= self._rows[-1][0]:
            self._rows.clear()
        self._rows.append((ns, q, qd, desired, tau or (0.0,) * len(q)))
        while self._rows[0][0] < ns - KEPT:
            self._rows.popleft()

    def note(self, ns: int, text: str) -> None:
        """
        Keep an event.

        Parameters
        ----------
        ns : int
            [ns].
        text : str

        """
        self._events.append((ns, text))

    def save(self, name: str) -> Path | None:
        """
        Write what is kept.

        Parameters
        ----------
        name : str
            Of the fault, for the file's name.

        Returns
        -------
        path : Path or None
            None if nothing is kept.

        Raises
        ------
        ParameterError
            If the directory cannot be written.

        """
        if not self.directory or len(self._rows) < 2:
            return None
        stamps, q, qd, desired, tau = zip(*self._rows)
        first, last = stamps[0], stamps[-1]
        events = [(1e-9 * (ns - last), text) for ns, text in self._events if ns >= first]
        path = Path(self.directory).expanduser() / f'fault_{name}_{last}.npz'
        t = 1e-9 * (np.array(stamps) - last)
        q_desired, qd_desired, qdd_desired = (np.array(rows) for rows in zip(*desired))
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            np.savez(path, joint_names=np.array(self._names), t=t, q=np.array(q), qd=np.array(qd),
                     tau=np.array(tau), q_desired=q_desired, qd_desired=qd_desired,
                     qdd_desired=qdd_desired, log_t=np.array([at for at, _ in events]),
                     log_text=np.array([text for _, text in events], dtype=str))
        except OSError as error:
            raise ParameterError('fault_directory', self.directory,
                                 f'a directory that can be written ({error})') from None
        return path
