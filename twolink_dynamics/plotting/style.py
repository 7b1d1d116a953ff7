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

"""What all pictures have in common: their sizes, their letters, their colours, their files."""

from __future__ import annotations

from contextlib import contextmanager
import os
from pathlib import Path
from typing import Any, Iterator, Sequence, TYPE_CHECKING

from twolink_dynamics.errors import MissingDependencyError, ParameterError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ['COLUMN', 'GREY', 'LINE', 'PAGE', 'check_file', 'colour', 'legend', 'new_figure',
           'save', 'styled']

# Okabe and Ito's palette: told apart with any kind of colour vision. The pale ones come last.
COLOURS = ('#0072B2', '#D55E00', '#009E73', '#CC79A7', '#56B4E9', '#E69F00')
# Where the colours begin again, another line.
LINES = ('-', '-.', ':')
GREY = '0.35'
#: Height of a line of a legend [m].
LINE = 0.0037
#: Widths of a column and of a page of a two-column journal [m].
COLUMN, PAGE = 0.085, 0.175
INCH = 0.0254
LETTER = 7.0
STYLE = {
    'font.size': 7.5, 'axes.titlesize': 8.0, 'axes.labelsize': 7.5, 'legend.fontsize': LETTER,
    'xtick.labelsize': 7.0, 'ytick.labelsize': 7.0, 'axes.linewidth': 0.6,
    'xtick.major.width': 0.6, 'ytick.major.width': 0.6, 'lines.linewidth': 1.0,
    'grid.linewidth': 0.4, 'grid.alpha': 0.35, 'legend.frameon': False,
    'legend.handlelength': 1.6, 'legend.handletextpad': 0.5, 'legend.columnspacing': 1.2,
    'legend.borderaxespad': 0.2, 'axes.spines.top': False, 'axes.spines.right': False,
    'axes.formatter.useoffset': False, 'axes.formatter.limits': (-4, 5),
    'axes.formatter.use_mathtext': True,
    # The same picture is the same file: nothing of the hour, nothing of chance.
    'svg.hashsalt': 'twolink', 'savefig.dpi': 300, 'path.simplify_threshold': 0.2,
}
UNDATED = {'svg': {'Date': None}, 'pdf': {'CreationDate': None}, 'ps': {'CreationDate': None},
           'eps': {'CreationDate': None}}


@contextmanager
def styled() -> Iterator[None]:
    """
    Draw in the style of this package, and leave matplotlib's settings as they were.

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.

    """
    with _matplotlib().rc_context(STYLE):
        yield


def _matplotlib() -> Any:
    try:
        import matplotlib
    except ImportError:
        raise MissingDependencyError('matplotlib', 'a picture', 'plot') from None
    return matplotlib


def colour(k: int) -> dict[str, Any]:
    """Return colour and line style of joint k, as keyword arguments."""
    return {'color': COLOURS[k % len(COLOURS)],
            'linestyle': LINES[k // len(COLOURS) % len(LINES)]}


def new_figure(width: float, height: float) -> Figure:
    """
    Return a figure without a window.

    Parameters
    ----------
    width, height : float
        On paper [m].

    Returns
    -------
    figure : matplotlib.figure.Figure

    """
    _matplotlib()
    from matplotlib.figure import Figure
    return Figure(figsize=(width / INCH, height / INCH), layout='constrained')


def legend(axes: Axes, handles: list[Any] | None = None) -> int:
    """Put the legend above the axes, in as many columns as have room; return how many lines."""
    handles = axes.get_legend_handles_labels()[0] if handles is None else handles
    if not handles:
        return 0
    longest = max(len(str(handle.get_label())) for handle in handles)
    # A letter is about half as wide as it is high; the sample of the line is four letters wide.
    letter = 0.55 * LETTER / 72.0
    figure: Any = axes.get_figure()
    room = figure.get_figwidth() - 0.5
    columns = max(1, min(len(handles), int(room / (letter * (longest + 6)))))
    axes.legend(handles=handles, loc='lower left', bbox_to_anchor=(0.0, 1.0), ncol=columns)
    return -(-len(handles) // columns)


def check_file(option: str, path: str | os.PathLike[str],
               formats: Sequence[str] | None = None) -> None:
    """
    Find out before the work whether its picture can be written after it.

    Parameters
    ----------
    option : str
        What the user wrote the path behind.
    path : path-like
    formats : sequence of str, optional
        Suffixes without the dot; matplotlib's if not given.

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.
    ParameterError
        If no picture has such a suffix, or its folder does not exist.

    """
    _matplotlib()
    from matplotlib.figure import Figure
    path = Path(path)
    formats = formats or sorted(Figure().canvas.get_supported_filetypes())
    if path.suffix[1:].lower() not in formats:
        raise ParameterError(option, str(path), 'a file that ends in .' + ', .'.join(formats))
    if path.is_dir() or not path.resolve().parent.is_dir():
        raise ParameterError(option, str(path), 'a file in a folder that exists')


def save(figure: Figure, path: str | os.PathLike[str]) -> None:
    """
    Write a picture; the same picture gives the same file.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
    path : path-like
        Its suffix chooses the format.

    Raises
    ------
    ParameterError
        If no picture has such a suffix, or its folder does not exist.
    OSError
        If the file cannot be written.

    """
    check_file('path', path)
    with styled():
        figure.savefig(path, metadata=UNDATED.get(Path(path).suffix[1:].lower()))
