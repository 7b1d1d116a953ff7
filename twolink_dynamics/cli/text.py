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

"""What goes to the terminal: lines that fit it, tables that line up."""

import json
import math
import shutil
import sys
import textwrap
from typing import Any, Iterable, Sequence

__all__ = ['as_json', 'filled', 'number', 'say', 'table', 'wrapped']

# Wider text than this is tiring to read, however wide the terminal.
WIDEST = 100


def say(*lines: str) -> None:
    """
    Write lines to standard output.

    Parameters
    ----------
    *lines : str

    """
    sys.stdout.write(''.join(f'{line}\n' for line in lines))
    sys.stdout.flush()


def as_json(value: Any) -> str:
    """
    Return plain values as JSON: null where there is no finite number.

    Parameters
    ----------
    value : object

    Returns
    -------
    text : str

    """
    def finite(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: finite(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [finite(item) for item in value]
        return None if isinstance(value, float) and not math.isfinite(value) else value

    return json.dumps(finite(value), indent=2, allow_nan=False)


def wrapped(text: str, indent: str = '    ') -> str:
    """
    Fold a line to the terminal's width; leave it alone where there is no terminal.

    Parameters
    ----------
    text : str
    indent : str
        What the lines after the first begin with.

    Returns
    -------
    text : str

    """
    if not sys.stdout.isatty():
        return text
    width = min(WIDEST, max(40, shutil.get_terminal_size().columns - 1))
    return textwrap.fill(text, width, subsequent_indent=indent, break_long_words=False,
                         break_on_hyphens=False)


def filled(text: str) -> str:
    """
    Return a paragraph in lines, for a help text whose examples must keep theirs.

    Parameters
    ----------
    text : str

    Returns
    -------
    text : str

    """
    return textwrap.fill(text, max(40, min(WIDEST, shutil.get_terminal_size().columns - 2)))


def number(value: float, digits: int = 4) -> str:
    """
    Return a number in a few digits; infinite is a dash: there is none.

    Parameters
    ----------
    value : float
    digits : int

    Returns
    -------
    text : str

    """
    if value in (float('inf'), -float('inf')):
        return '-'
    return f'{value + 0.0:.{digits}g}'


def table(header: Sequence[str], rows: Iterable[Sequence[object]], indent: str = '  '
          ) -> list[str]:
    """
    Return the lines of a table: words to the left, numbers to the right.

    Parameters
    ----------
    header : sequence of str
    rows : sequence of sequences of str
    indent : str

    Returns
    -------
    lines : list of str

    """
    if not rows:
        return []
    cells = [list(map(str, row)) for row in [header, *rows]]
    widths = [max(map(len, column)) for column in zip(*cells)]
    words = [not any(_is_number(row[k]) for row in cells[1:]) for k in range(len(header))]
    return [(indent + '  '.join(cell.ljust(width) if left else cell.rjust(width)
                                for cell, width, left in zip(row, widths, words))).rstrip()
            for row in cells]


def _is_number(text: str) -> bool:
    try:
        float(text.rstrip('%'))
    except ValueError:
        return text == '-'
    return True
