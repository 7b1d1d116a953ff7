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

"""
Options: how one is declared, and whether a value is one.

An option is declared once, beside what it configures; the tables can be read without ROS.

"""

from dataclasses import dataclass
import difflib
import math

from twolink_dynamics.errors import ParameterError

__all__ = ['Option', 'check', 'described_range', 'unknown']


@dataclass(frozen=True)
class Option:
    """
    One parameter of a node.

    Attributes
    ----------
    name : str
    kind : str
        ``'bool'``, ``'int'``, ``'float'``, ``'string'``, ``'floats'`` or ``'strings'``. A float
        may be given as an integer, and one number stands for a list of one.
    default : object
        None: not set.
    description : str
        One line.
    unit : str
        Empty where there is none.
    minimum, maximum : float or None
        The range of a number, or of every number of a list; both ends are allowed.
    choices : tuple of str
        The only values a string may have; empty: any.
    length : int or None
        The only length a list may have (beside being not set); None: any.
    live : bool
        Whether the parameter may be changed while the node runs.

    """

    name: str
    kind: str
    default: object
    description: str
    unit: str = ''
    minimum: float = None
    maximum: float = None
    choices: tuple = ()
    length: int = None
    live: bool = False


_WORDS = {'bool': 'true or false', 'int': 'an integer', 'float': 'a number', 'string': 'a text',
          'floats': 'a list of numbers', 'strings': 'a list of texts'}


def described_range(entry):
    """
    Return what a parameter may be, in words.

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
        words = 'one of ' + ', '.join(entry.choices)
    if entry.minimum is not None and entry.maximum is not None:
        words += f' in [{entry.minimum:g}, {entry.maximum:g}]'
    return words + (f' [{entry.unit}]' if entry.unit else '')


def _as_float(value):
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError
    value = float(value)
    if not math.isfinite(value):
        raise ValueError
    return value


def _as_list(value, convert):
    if isinstance(value, (str, bytes)) or not hasattr(value, '__iter__'):
        value = [value]
    return tuple(convert(item) for item in value)


def _as_string(value):
    if not isinstance(value, str):
        raise ValueError
    return value


def _converted(kind, value):
    if kind in ('floats', 'strings'):
        return _as_list(value, _as_float if kind == 'floats' else _as_string)
    if kind == 'float':
        return _as_float(value)
    if kind == 'string':
        return _as_string(value)
    if isinstance(value, bool) != (kind == 'bool') or not isinstance(value, int):
        raise ValueError
    return value


def check(entry, value):
    """
    Return a value for a parameter in the parameter's own type, or say why it cannot be.

    Parameters
    ----------
    entry : Option
    value : object
        As it came from YAML or a command line: an integer where a float is meant, and one item
        where a list is meant, are understood. None or an empty list: not set, so the default.

    Returns
    -------
    value : object

    Raises
    ------
    ParameterError

    """
    if value is None or (entry.kind in ('floats', 'strings') and not isinstance(value, str)
                         and hasattr(value, '__len__') and len(value) == 0):
        return entry.default
    try:
        converted = _converted(entry.kind, value)
    except (ValueError, OverflowError):
        raise ParameterError(entry.name, _shown(value), described_range(entry)) from None
    items = converted if isinstance(converted, tuple) else (converted,)
    wrong = (entry.length is not None and len(items) != entry.length
             or entry.choices and any(item not in entry.choices for item in items)
             or entry.minimum is not None and any(item < entry.minimum for item in items)
             or entry.maximum is not None and any(item > entry.maximum for item in items)
             or entry.kind == 'strings' and len(set(items)) != len(items))
    if wrong:
        raise ParameterError(entry.name, _shown(value), described_range(entry))
    return converted


def _shown(value):
    """Return a value short enough for one line, arrays as lists."""
    if isinstance(value, str):
        return value if len(value) <= 60 else value[:57] + '...'
    return list(value) if hasattr(value, '__iter__') else value


def unknown(name, value, table):
    """
    Return the error for a parameter that is in no table, with a near match if there is one.

    Parameters
    ----------
    name : str
    value : object
    table : sequence of Option
        The node's.

    Returns
    -------
    error : ParameterError

    """
    names = [entry.name for entry in table]
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    hint = f'{near[0]}?' if near else 'one of ' + ', '.join(names)
    return ParameterError(name, _shown(value), f'a parameter this node has ({hint})')
