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

"""Progress of a run: one live line on a terminal (with tqdm), a few plain lines elsewhere."""

import shutil
import sys
from typing import Any, TextIO

__all__ = ['Progress']

# Of the duration, between two plain lines.
PLAIN_STEP = 0.25


def _bar(duration: float, stream: TextIO) -> Any:
    try:
        from tqdm import tqdm
    except ImportError:
        return None
    # Room for the ^C that a terminal echoes: the line must not wrap, or it is not cleared.
    width = max(20, shutil.get_terminal_size().columns - 4)
    return tqdm(total=duration, file=stream, leave=False, mininterval=0.0, ncols=width,
                bar_format='{percentage:3.0f} %|{bar}| {n:.1f} of {total:.1f} s{postfix}')


class Progress:
    """
    Progress of a run of a known duration.

    Parameters
    ----------
    duration : float
        [s].
    unit : str
        Of the error.
    stream : file, optional
        Standard error if not given.

    """

    def __init__(self, duration: float, unit: str, stream: TextIO | None = None) -> None:
        self._duration, self._unit = duration, unit
        self._stream = stream or sys.stderr
        self._next = PLAIN_STEP
        self._bar = _bar(duration, self._stream) if self._stream.isatty() else None

    def update(self, t: float, rate: float, error: float) -> None:
        """
        Show where the run is.

        Parameters
        ----------
        t : float
            Time since the start [s].
        rate : float
            States per second at present [Hz].
        error : float
            The largest tracking error of a joint at present [mrad or mm].

        """
        t = min(max(t, 0.0), self._duration)
        text = f'{rate:.0f} Hz, error {error:.3f} {self._unit}'
        if self._bar is not None:
            self._bar.n = t
            self._bar.set_postfix_str(text)
        elif t >= self._next * self._duration:
            while t >= self._next * self._duration:
                self._next += PLAIN_STEP
            self._stream.write(f'{t:.1f} of {self._duration:.1f} s, {text}\n')
            self._stream.flush()

    def close(self) -> None:
        """Clear the live line."""
        if self._bar is not None:
            self._bar.close()
