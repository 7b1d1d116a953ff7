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

"""A velocity monitor: which joint moves faster than it may, for longer than a moment."""

from math import inf
from typing import Sequence

from twolink_dynamics.array_types import FloatArray, Vector

__all__ = ['VelocityMonitor']


class VelocityMonitor:
    """
    Tell when a joint is faster than it may be, for longer than a moment.

    Parameters
    ----------
    joint_names : sequence of str
    limit : sequence of float, length n
        [rad/s or m/s]; infinite for unlimited.
    factor : float
        A joint is too fast beyond so many times its limit: feedback needs some room.
    patience : float
        How long it must be so [s]: a single noisy measurement is no reason to stop.

    """

    def __init__(self, joint_names: Sequence[str], limit: Vector | FloatArray,
                 factor: float = 1.2, patience: float = 0.02) -> None:
        self.joint_names = tuple(joint_names)
        self.limit = tuple(factor * float(x) for x in limit)
        self.patience = float(patience)
        self.reset()

    def reset(self) -> None:
        """Forget since when a joint has been too fast."""
        self._since: float | None = None

    def check(self, t: float, qd: Vector) -> str | None:
        """
        Return what is too fast, in words, or None.

        Parameters
        ----------
        t : float
            [s].
        qd : sequence of float, length n

        Returns
        -------
        problem : str or None

        """
        worst = max(range(len(self.limit)), key=lambda k: _share(abs(qd[k]), self.limit[k]))
        if not abs(qd[worst]) > self.limit[worst]:
            self._since = None
            return None
        if self._since is None or t < self._since:
            self._since = t
        if t - self._since < self.patience:
            return None
        return (f'joint "{self.joint_names[worst]}" moves at {qd[worst]:.6g}, faster than '
                f'{self.limit[worst]:.6g}')


def _share(value: float, limit: float) -> float:
    """Return a value as a multiple of its limit."""
    return value / limit if limit > 0.0 else inf if value > 0.0 else 0.0
