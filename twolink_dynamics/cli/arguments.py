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

"""Arguments that several commands have, and how a command is added to the parser."""

import argparse
from functools import partial
from pathlib import Path
from typing import Any, Callable, Sequence

from twolink_dynamics.cli.text import filled
from twolink_dynamics.errors import ParameterError
from twolink_dynamics.options import named_value, split_pair
from twolink_dynamics.validation import number

__all__ = ['Subparsers', 'add_command', 'assignment', 'check_folder', 'finite_number',
           'positive_number', 'whole_number']

#: What a command is added to.
Subparsers = argparse._SubParsersAction


def add_command(subparsers: Subparsers, name: str, summary: str, description: str, examples: str,
                run: Callable[[argparse.Namespace], int]) -> argparse.ArgumentParser:
    """
    Add a command to the parser.

    Parameters
    ----------
    subparsers : argparse action
    name : str
    summary : str
        What stands in the list of commands.
    description : str
        A paragraph for its own ``--help``.
    examples : str
        The lines below the arguments.
    run : callable
        From the parsed arguments to the exit status.

    Returns
    -------
    parser : argparse.ArgumentParser

    """
    parser = subparsers.add_parser(
        name, help=summary, description=filled(description), epilog=examples,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.set_defaults(run=run)
    return parser


def finite_number(text: str, words: str = 'a number', **limits: float) -> float:
    """
    Return the number an argument is, for argparse.

    Parameters
    ----------
    text : str
    words : str
        What it should be, for the error.
    **limits
        As of :func:`twolink_dynamics.validation.number`.

    Returns
    -------
    value : float

    Raises
    ------
    argparse.ArgumentTypeError
        If it is no finite number within the limits.

    """
    try:
        return number('argument', float(text), **limits)
    except ValueError:
        raise argparse.ArgumentTypeError(f'expected {words}, got {text!r}') from None


#: A number above zero, for argparse.
positive_number = partial(finite_number, words='a number above 0', above=0.0)


def whole_number(text: str, low: int, high: int, words: str) -> int:
    """
    Return the whole number an argument is, for argparse.

    Parameters
    ----------
    text : str
    low, high : int
        Its range.
    words : str
        What it should be, for the error.

    Returns
    -------
    value : int

    Raises
    ------
    argparse.ArgumentTypeError
        If it is no such number.

    """
    value = int(text) if text.isdecimal() and text.isascii() else low - 1
    if not low <= value <= high:
        raise argparse.ArgumentTypeError(f'expected {words}, got {text!r}')
    return value


def assignment(text: str, mark: str = '=') -> tuple[str, Any]:
    """
    Return the name and the value of an argument ``NAME=VALUE``, for argparse.

    Parameters
    ----------
    text : str
    mark : {'=', ':='}
        Of xacro, ``:=``, whose values stay texts.

    Returns
    -------
    name : str
    value : object

    Raises
    ------
    argparse.ArgumentTypeError
        If it is none.

    """
    try:
        return named_value(text) if mark == '=' else split_pair(text, mark)
    except ValueError:
        raise argparse.ArgumentTypeError(f'expected NAME{mark}VALUE, got {text!r}') from None


def check_folder(option: str, path: str, suffixes: Sequence[str]) -> None:
    """
    Find out before the work whether its file can be written after it.

    Parameters
    ----------
    option : str
        The argument, for the error.
    path : str
    suffixes : sequence of str
        Those that the file may have; none: any.

    Raises
    ------
    ParameterError
        If the file has another suffix, or its folder does not exist.

    """
    if suffixes and (Path(path).suffix not in suffixes or Path(path).is_dir()):
        raise ParameterError(option, path, f'a file that ends in {" or ".join(suffixes)}')
    folder = Path(path).resolve().parent
    if not folder.is_dir():
        raise ParameterError(option, path, f'a file in a folder that exists; {folder} does not')
