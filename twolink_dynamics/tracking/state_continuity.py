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

"""The continuity of measured states: wraps of encoders followed, unexplained jumps named."""

from math import inf, pi, tau as turn
from typing import NamedTuple, Sequence

from twolink_dynamics.array_types import FloatArray, Vector

__all__ = ['Jump', 'StateContinuity']

# [rad or m]: no noise of a position is larger.
ROOM = 0.05
# Between two states a joint may reach this share of its velocity limit, though neither has it; for
# a joint without a limit, of SPEED [rad/s or m/s].
SHARE, SPEED = 0.5, 10.0
# [rad]: so close to a whole turn, a jump is a wrap.
CLOSE = 0.05


class Jump(NamedTuple):
    """
    A jump of a position that velocity cannot explain.

    Attributes
    ----------
    kind : str
        ``'jump'``, or ``'wrap'`` of a joint that is not continuous.
    text : str

    """

    kind: str
    text: str


class StateContinuity:
    """
    Follow continuous joints across their encoders' wraps, and find jumps.

    Parameters
    ----------
    joint_names, joint_types : sequence of str
    velocity_limit : sequence of float, length n
        Infinite for unlimited.

    """

    def __init__(self, joint_names: Sequence[str], joint_types: Sequence[str],
                 velocity_limit: Vector | FloatArray) -> None:
        self._names, self._types = tuple(joint_names), tuple(joint_types)
        self._continuous = tuple(kind == 'continuous' for kind in joint_types)
        self._speeds = tuple(float(x) if x < inf else SPEED for x in velocity_limit)
        self._last: Vector | None = None
        self._last_velocity: Vector | None = None

    def follow(self, q: Vector) -> Vector:
        """
        Return positions in which continuous joints are closest to where they were.

        Parameters
        ----------
        q : sequence of float, length n

        Returns
        -------
        q : sequence of float, length n
            The same where nothing wrapped.

        """
        last = self._last
        if last is None or not any(
                c and abs(x - x0) > pi for c, x, x0 in zip(self._continuous, q, last)):
            return q
        return [x - turn * round((x - x0) / turn) if c else x
                for c, x, x0 in zip(self._continuous, q, last)]

    def check(self, gap: float, q: Vector, qd: Vector | None) -> Jump | None:
        """
        Return how a state jumps from the last one, or None.

        Parameters
        ----------
        gap : float
            Since the last state [s].
        q, qd : sequence of float, length n
            Of :meth:`follow`; None where velocities are not measured.

        Returns
        -------
        jump : Jump or None

        """
        if self._last is None:
            return None
        before = self._last_velocity
        for k, (x, x0, speed) in enumerate(zip(q, self._last, self._speeds)):
            if qd is None or before is None:
                explained, room = 0.0, 2.0 * speed * gap
            else:
                explained = 0.5 * (qd[k] + before[k]) * gap
                room = (0.5 * abs(qd[k] - before[k]) + SHARE * speed) * gap
            left = abs(x - x0 - explained)
            if left <= ROOM + room:
                continue
            name = self._names[k]
            if self._types[k] == 'revolute' and abs(left - turn) < CLOSE + room:
                return Jump('wrap', f'the encoder of joint "{name}" wraps from {x0:.6g} to '
                            f'{x:.6g}, and only a continuous joint may')
            return Jump('jump', f'joint "{name}" jumped from {x0:.6g} to {x:.6g} within '
                        f'{gap:.6g} s, which no velocity explains')
        return None

    def take(self, q: Vector, qd: Vector | None) -> None:
        """
        Take a state as the last one.

        Parameters
        ----------
        q, qd : sequence of float, length n
            Of :meth:`follow`; None where velocities are not measured.

        """
        self._last, self._last_velocity = q, qd
