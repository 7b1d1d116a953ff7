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

"""Documents: an option in words, as a row of a table, and as lines of a configuration file."""

import inspect
import json
import textwrap
from typing import TypeVar

from twolink_dynamics.options.declaration import declared, Option

__all__ = ['described_range', 'documented', 'in_words', 'shown_default', 'shown_range',
           'table_row', 'yaml_lines']

T = TypeVar('T')
YAML_WIDTH = 100

_WORDS = {'bool': 'true or false', 'int': 'an integer', 'float': 'a number', 'string': 'a text',
          'floats': 'a list of numbers', 'strings': 'a list of texts'}
# What a field of a dataclass takes.
_HINTS = {'bool': 'bool', 'int': 'int', 'float': 'float', 'string': 'str',
          'floats': 'float or sequence of float', 'strings': 'sequence of str'}


def shown_range(entry: Option) -> str:
    """Return the range of a number as ``[low, high]``; empty where there is none."""
    if entry.minimum is None or entry.maximum is None:
        return ''
    return f'[{entry.minimum:g}, {entry.maximum:g}]'


def described_range(entry: Option) -> str:
    """
    Return what an option may be, in words.

    Parameters
    ----------
    entry : Option

    Returns
    -------
    words : str

    """
    words = _WORDS[entry.kind]
    if entry.length is not None:
        words = words.replace('a list of', f'{entry.length}')
    if entry.choices:
        words = 'one of ' + ', '.join(entry.allowed)
        words += ', or module:name' if callable(entry.choices) else ''
    if shown_range(entry):
        words += f' in {shown_range(entry)}'
    return words + (f' [{entry.unit}]' if entry.unit else '')


def in_words(entry: Option, unit: bool = True) -> str:
    """
    Return what an option is, with what a list for the joints means, and the unit.

    Parameters
    ----------
    entry : Option
    unit : bool
        Whether to name the unit.

    Returns
    -------
    words : str

    """
    head, mark, rest = entry.description.partition(';')
    scope = ', one number or one per joint' if entry.per_joint else ''
    measure = f' [{entry.unit}]' if unit and entry.unit else ''
    return head + scope + measure + mark + rest


def shown_default(entry: Option) -> str:
    """Return the default as the documentation writes it."""
    value = entry.default
    if value is None or value == '':
        return 'empty' if value == '' else 'not set'
    if isinstance(value, tuple):
        return '[' + ', '.join(f'{x:g}' for x in value) + ']'
    return value if isinstance(value, str) else json.dumps(value) if isinstance(
        value, bool) else f'{value:g}'


def table_row(entry: Option) -> str:
    """
    Return the row of an option in the documentation's table of parameters.

    Parameters
    ----------
    entry : Option

    Returns
    -------
    row : str
        In Markdown: name, kind, default, range, unit, live, what it is.

    """
    cells = (f'`{entry.name}`', entry.kind, shown_default(entry),
             ', '.join(entry.allowed) or shown_range(entry), entry.unit,
             'yes' if entry.live else '', in_words(entry, unit=False))
    return '| ' + ' | '.join(cells) + ' |'


def yaml_lines(entry: Option) -> list[str]:
    """
    Return the lines of an option in a configuration file: what it is, and its default.

    Parameters
    ----------
    entry : Option

    Returns
    -------
    lines : list of str
        An option that is not set stands there as a comment, with a value as it might have.

    """
    words = in_words(entry)
    words += f': {", ".join(entry.allowed)}.' if entry.choices else '.'
    value = entry.default
    if value is None:
        value = ['joint1', 'joint2'] if entry.kind == 'strings' else [0.0] * (entry.length or 2)
    if isinstance(value, str):
        text = value or "''"
    else:
        text = json.dumps(value).replace('"', '')
    return [*textwrap.wrap(words, YAML_WIDTH, initial_indent='    # ', subsequent_indent='    # ',
                           break_on_hyphens=False),
            f'    {"# " if entry.default is None else ""}{entry.name}: {text}']


def documented(owner: 'type[T]') -> 'type[T]':
    """
    Complete the docstring of a dataclass by the options that it declares.

    Parameters
    ----------
    owner : type

    Returns
    -------
    owner : type

    """
    lines = [line for name, entry in declared(owner).items() for line in (
        f'{name} : {_HINTS[entry.kind]}', f'    {in_words(entry)}')]
    owner.__doc__ = '\n'.join([
        inspect.cleandoc(owner.__doc__ or ''), '', 'Attributes', '----------', *lines, ''])
    return owner
