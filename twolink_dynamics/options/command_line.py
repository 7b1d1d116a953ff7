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

"""The command line: the arguments that come of options, and what was given for them."""

import argparse
from dataclasses import replace
from functools import partial
from typing import Any, Callable, Iterable, Mapping

from twolink_dynamics.options.check import check_item
from twolink_dynamics.options.declaration import Option
from twolink_dynamics.options.documents import described_range, in_words, shown_default

__all__ = ['add_arguments', 'argument_type', 'from_arguments']


def argument_type(entry: Option) -> Callable[[str], Any]:
    """
    Return what makes a value of a word of the command line, for argparse.

    Parameters
    ----------
    entry : Option

    Returns
    -------
    convert : callable
        It raises ``argparse.ArgumentTypeError`` for a word that the option cannot be.

    """
    def convert(text: str) -> Any:
        try:
            if entry.kind.startswith('string'):
                return check_item(entry, text)
            return check_item(entry, int(text) if entry.kind == 'int' else float(text))
        except ValueError:
            words = described_range(replace(entry, kind=entry.kind.rstrip('s'), length=None))
            raise argparse.ArgumentTypeError(f'expected {words}, got {text!r}') from None

    return convert


def _help(entry: Option) -> str:
    words = in_words(entry)
    words = words if words[:2].isupper() else words[0].lower() + words[1:]
    default = '' if entry.default in (None, '') else shown_default(entry).strip('[]')
    others = ', '.join(name for name in entry.allowed if name != default)
    default += ('; or ' + others if others else '') + (
        ', module:name' if callable(entry.choices) else '')
    return (words + (f' ({default})' if default else '')).replace('%', '%%')


def _names(entry: Option, **_: object) -> tuple[str, ...]:
    return entry.allowed


def add_arguments(parser: 'argparse._ActionsContainer', options: Iterable[Option]) -> None:
    """
    Give a command the arguments of options.

    Parameters
    ----------
    parser : argparse.ArgumentParser or argument group
    options : iterable of Option
        Those without a flag are left out. What is on can be switched off by ``--no-NAME``.

    """
    for entry in options:
        if entry.flag is None:
            continue
        flag = '--' + entry.destination.replace('_', '-')
        if entry.kind == 'bool':
            parser.add_argument(flag, action=argparse.BooleanOptionalAction, help=_help(entry))
            continue
        listed = entry.kind in ('floats', 'strings')
        action = parser.add_argument(
            flag, type=argument_type(entry), help=_help(entry),
            nargs=(entry.length or '+') if listed else None,
            metavar='V' if entry.per_joint else 'NAME' if entry.choices else 'TEXT' if
            entry.kind == 'string' else 'X')
        if entry.choices:
            # What argcomplete looks for; argparse's own choices would refuse `module:name`.
            setattr(action, 'completer', partial(_names, entry))


def from_arguments(args: argparse.Namespace, options: Mapping[str, Option]) -> dict[str, Any]:
    """
    Return what was given for options on the command line.

    Parameters
    ----------
    args : argparse.Namespace
    options : mapping of str to Option
        By the names wanted, such as :func:`declared` returns them.

    Returns
    -------
    values : dict
        Without those that were not given.

    """
    given = {name: getattr(args, entry.destination) for name, entry in options.items()
             if entry.flag is not None}
    return {name: value[0] if options[name].per_joint and len(value) == 1 else value
            for name, value in given.items() if value is not None}
