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

"""The direction of gravity from an accelerometer on the arm's base."""

import math

from twolink_dynamics.array_types import Vector
from twolink_dynamics.diagnostics import MessageError

__all__ = ['GravitySensor']


class GravitySensor:
    """
    Filter the measurements of an accelerometer, and tell when gravity has turned.

    At rest an accelerometer measures minus gravity, in its own axes: they must be those of the
    arm's base link. Only the direction is taken from it; the magnitude stays the configured one.

    Parameters
    ----------
    gravity : sequence of float, length 3
        The configured gravity [m/s^2], not zero: the first guess.
    frame : str
        The base link.
    time_constant : float
        Of the filter [s].

    """

    #: A base that is shaken, or falls: the magnitude is off by more than this share.
    OFF = 0.2
    #: Another model is made when gravity has turned by more [rad].
    TURN = 0.005
    #: And at most this often [ns]: to make one takes some milliseconds off the loop.
    PAUSE = 500000000

    def __init__(self, gravity: Vector, frame: str, time_constant: float = 0.5) -> None:
        self.frame, self.time_constant = frame, time_constant
        self.magnitude = math.sqrt(sum(x * x for x in gravity))
        self._unit = [x / self.magnitude for x in gravity] if self.magnitude else [0.0, 0.0, -1.0]
        self._filtered: list[float] | None = None
        self._ns, self._used = 0, tuple(self._unit)
        self._last_turn: int | None = None

    def read(self, ns: int, frame: str, acceleration: Vector) -> tuple[float, ...] | None:
        """
        Take a measurement.

        Parameters
        ----------
        ns : int
            Its stamp [ns].
        frame : str
            Its frame; empty: the base link.
        acceleration : sequence of float, length 3
            [m/s^2].

        Returns
        -------
        gravity : tuple of float, length 3, or None
            In the base frame, if it has turned enough for another model.

        Raises
        ------
        MessageError

        """
        if frame not in ('', self.frame):
            raise MessageError('another frame',
                               f'"{frame}"; expected the base link "{self.frame}"')
        size = math.sqrt(sum(x * x for x in acceleration))
        if not abs(size - self.magnitude) <= self.OFF * self.magnitude:
            raise MessageError('no gravity', f'{size:.4g} m/s^2, expected about '
                               f'{self.magnitude:.4g}: is the base shaken?')
        now = [-x / size for x in acceleration]
        if self._filtered is None:
            self._filtered = now
        else:
            dt = min(max(1e-9 * (ns - self._ns), 0.0), self.time_constant)
            share = dt / (dt + self.time_constant)
            self._filtered = [f + share * (x - f) for f, x in zip(self._filtered, now)]
        self._ns = ns
        return self._turned(ns, self._filtered)

    def _turned(self, ns: int, filtered: Vector) -> tuple[float, ...] | None:
        if self._last_turn is not None and 0 <= ns - self._last_turn < self.PAUSE:
            return None
        length = math.sqrt(sum(x * x for x in filtered))
        if not length > 0.5:                # opposite directions cancel: wait for a clear one
            return None
        unit = tuple(x / length for x in filtered)
        if math.dist(unit, self._used) < self.TURN:
            return None
        self._used, self._last_turn = unit, ns
        return tuple(self.magnitude * x for x in unit)
