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
Declarations: an option with all that is known of it, in one place.

An :class:`Option` stands in a table, or is a field made by :func:`option` in a frozen dataclass,
beside what it configures.

"""

from dataclasses import dataclass, Field, field, fields, MISSING, replace
from functools import lru_cache
from typing import Any, Callable

__all__ = ['Option', 'declared', 'option', 'parameters']


@dataclass(frozen=True)
class Option:
    """
    One option of a node, a command or a class.

    Attributes
    ----------
    name : str
        Of the ROS parameter.
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
    choices : tuple of str or callable
        The only values a string may have; empty: any. A function returns the names of a registry,
        and ``module:name`` is let pass beside them.
    length : int or None
        The only length a list may have (beside being not set); None: any.
    live : bool
        Whether the parameter may be changed while the node runs.
    per_joint : bool
        Whether a list is one number for all joints, or one per joint.
    parameter : bool
        Whether nodes have it.
    flag : str or None
        How the command line spells it, without dashes; empty: as the name, None: not at all.

    """

    name: str
    kind: str
    default: Any
    description: str
    unit: str = ''
    minimum: float | None = None
    maximum: float | None = None
    choices: tuple[str, ...] | Callable[[], tuple[str, ...]] = ()
    length: int | None = None
    live: bool = False
    per_joint: bool = False
    parameter: bool = True
    flag: str | None = ''

    @property
    def allowed(self) -> tuple[str, ...]:
        """The names among which to choose; empty: any text."""
        return self.choices() if callable(self.choices) else self.choices

    @property
    def destination(self) -> str:
        """The attribute of the parsed arguments."""
        return (self.flag or self.name).replace('-', '_')


def option(kind: str, default: Any, description: str, unit: str = '', *, name: str = '',
           required: bool = False, **more: Any) -> Any:
    """
    Return a field of a frozen dataclass that declares an option.

    Parameters
    ----------
    kind, default, description, unit
        As of :class:`Option`. The field's default for ``'floats'`` may be one number.
    name : str
        The parameter's, where it is not the field's.
    required : bool
        Whether the field has no default; that of the parameter remains.
    **more
        What else :class:`Option` has.

    Returns
    -------
    field : dataclasses.Field

    """
    single = kind == 'floats' and isinstance(default, float)
    # ROS has no text that is not set.
    plain = (default,) if single else '' if kind == 'string' and default is None else default
    declaration = Option(name, kind, plain, description, unit, **more)
    return field(default=MISSING if required else default, metadata={'option': declaration})


def declared(owner: Any) -> dict[str, Option]:
    """
    Return the options that a dataclass declares, by field.

    Parameters
    ----------
    owner : type
        A dataclass; its fields that no :func:`option` made are left out.

    Returns
    -------
    options : dict of str to Option

    """
    return _declared(owner)


# Whoever makes a thousand objects checks as many by these.
@lru_cache(maxsize=None)
def _declared(owner: Any) -> dict[str, Option]:
    def named(one: 'Field[Any]') -> Option:
        declaration: Option = one.metadata['option']
        return replace(declaration, name=declaration.name or one.name)

    return {one.name: named(one) for one in fields(owner) if 'option' in one.metadata}


def parameters(owner: type) -> tuple[Option, ...]:
    """
    Return the options of a dataclass that nodes have.

    Parameters
    ----------
    owner : type

    Returns
    -------
    table : tuple of Option

    """
    return tuple(one for one in declared(owner).values() if one.parameter)
