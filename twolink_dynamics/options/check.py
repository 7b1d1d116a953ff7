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

"""Checks: whether a value is one that an option can have, and what to say if not."""

from dataclasses import MISSING, replace
import difflib
import json
import math
import shlex
from typing import Any, Container, Sequence

import numpy as np

from twolink_dynamics.errors import NonFiniteError, ParameterError
from twolink_dynamics.options.declaration import declared, Option
from twolink_dynamics.options.documents import described_range
from twolink_dynamics.validation import number

__all__ = ['check', 'check_fields', 'check_item', 'named_value', 'named_values', 'split_pair',
           'unknown']


def _is_of_kind(kind: str, value: Any) -> bool:
    if kind.startswith('string'):
        return isinstance(value, str)
    if kind == 'bool':
        return isinstance(value, (bool, np.bool_))
    return kind != 'int' or (hasattr(value, '__index__') and not isinstance(value, bool))


def _in_range(entry: Option, value: Any) -> bool:
    if entry.kind.startswith('string'):
        names = entry.allowed
        return not names or value in names or (callable(entry.choices) and ':' in value)
    return ((entry.minimum is None or value >= entry.minimum)
            and (entry.maximum is None or value <= entry.maximum))


def check_item(entry: Option, value: Any) -> Any:
    """Return one item in its own type; a ValueError if it is none."""
    if not _is_of_kind(entry.kind, value):
        raise ValueError
    if entry.kind.startswith('float') and not (value == math.inf == entry.maximum):
        value = number(entry.name, value)
    elif entry.kind in ('int', 'bool'):
        value = int(value) if entry.kind == 'int' else bool(value)
    if not _in_range(entry, value):
        raise ValueError
    return value


def _is_empty(entry: Option, value: Any) -> bool:
    return value is None or (entry.kind in ('floats', 'strings') and not isinstance(value, str)
                             and not _is_single(value) and len(value) == 0)


def _is_single(value: Any) -> bool:
    """Return whether a value is one item: a NumPy array of no axes is one, too."""
    return not hasattr(value, '__len__') or getattr(value, 'shape', None) == ()


def _items(entry: Option, value: Any) -> Any:
    if entry.kind not in ('floats', 'strings'):
        return check_item(entry, value)
    single = isinstance(value, (str, bytes)) or _is_single(value)
    items = tuple(check_item(entry, item) for item in ([value] if single else value))
    if entry.length not in (None, len(items)) or (
            entry.kind == 'strings' and len(set(items)) != len(items)):
        raise ValueError
    return items


def check(entry: Option, value: Any) -> Any:
    """
    Return a value for an option in the option's own type, or say why it cannot be.

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
    NonFiniteError
        If a number is NaN or infinite.
    ParameterError
        If it is anything else that the option cannot be.

    """
    kind = getattr(getattr(value, 'dtype', None), 'kind', None)
    if kind is not None:    # what NumPy has: a length and an iterator that may fail
        value = value.tolist() if kind in 'biufU' else str(value)
    if _is_empty(entry, value):
        return entry.default
    try:
        return _items(entry, value)
    except (TypeError, ValueError, OverflowError) as error:
        if isinstance(error, NonFiniteError) and isinstance(error.value, float):
            raise
        raise ParameterError(entry.name, _shown(value), described_range(entry)) from None


def check_fields(owner: Any, but: Container[str] = ()) -> None:
    """
    Check the fields of a frozen dataclass by their declarations, and keep them as plain values.

    Numbers become floats and arrays tuples, so that two objects compare and are hashed by what
    they say.

    Parameters
    ----------
    owner : object
    but : container of str
        Fields that hold something else than their parameter.

    Raises
    ------
    ParameterError
        As :func:`check`, by the name of the field.

    """
    for name, entry in declared(type(owner)).items():
        value = getattr(owner, name)
        if name in but or value is getattr(type(owner), name, MISSING):
            continue
        named = entry if entry.name == name else replace(entry, name=name)
        if value is None:
            raise ParameterError(name, None, described_range(named))
        plain = check(named, value)
        if entry.per_joint and _is_single(value):
            plain = plain[0]
        object.__setattr__(owner, name, plain)


def _shown(value: Any) -> Any:
    """Return a value short enough for one line, arrays as lists."""
    if isinstance(value, str):
        return value if len(value) <= 60 else value[:57] + '...'
    return value if _is_single(value) else list(value)


def unknown(name: str, value: Any, table: Sequence[Option]) -> ParameterError:
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


def split_pair(text: str, mark: str = '=') -> tuple[str, str]:
    """
    Return what stands before and after a mark.

    Parameters
    ----------
    text : str
    mark : str

    Returns
    -------
    name, value : str

    Raises
    ------
    ValueError
        If the mark or the name is missing.

    """
    name, found, value = text.partition(mark)
    if not (name and found):
        raise ValueError(text)
    return name, value


def named_value(text: str) -> tuple[str, Any]:
    """
    Return the name and the value that a word ``NAME=VALUE`` gives to a law or a motion.

    Parameters
    ----------
    text : str
        The value is JSON, such as ``0.5`` or ``[1, 2]``, or a word.

    Returns
    -------
    name : str
    value : object

    Raises
    ------
    ValueError
        If it is no such word.

    """
    name, value = split_pair(text)
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value


def named_values(name: str, text: str) -> dict[str, Any]:
    """
    Return what a text of ``NAME=VALUE``, separated by spaces, gives to a law or a motion.

    Parameters
    ----------
    name : str
        The option whose value the text is, for errors.
    text : str
        As of :func:`named_value`; what has a space in it stands in quotation marks.

    Returns
    -------
    values : dict

    Raises
    ------
    ParameterError

    Examples
    --------
    >>> named_values('motion_options', 'goal=[0.5,1] kind=fast')
    {'goal': [0.5, 1], 'kind': 'fast'}

    """
    try:
        return dict(map(named_value, shlex.split(text)))
    except ValueError:
        raise ParameterError(name, _shown(text), 'NAME=VALUE, separated by spaces') from None
