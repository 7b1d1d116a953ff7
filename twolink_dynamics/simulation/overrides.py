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
Overrides: which public methods of a class a subclass has replaced, and which it must not.

What a subclass overrides acts in every path: quick ways around a method are taken only where
nothing is overridden (:mod:`.fast_path`), and what could not act everywhere is refused when the
class is made.

"""

from __future__ import annotations

from typing import Mapping

__all__ = ['overrides']


def overrides(cls: type, base: type, refused: Mapping[str, str]) -> frozenset[str]:
    """
    Return the public methods and properties of a base class that a subclass replaces.

    Parameters
    ----------
    cls : type
        The subclass that is being made.
    base : type
    refused : mapping of str to str
        What must not be overridden, and what to do instead.

    Returns
    -------
    names : frozenset of str

    Raises
    ------
    TypeError
        If it overrides what must not be; it names class and method.

    """
    names = {name for name, value in vars(base).items()
             if not name.startswith('_') and (callable(value) or isinstance(value, property))
             and getattr(cls, name) is not value}
    for name in sorted(names & set(refused)):
        raise TypeError(f'{cls.__name__}.{name}: {base.__name__}.{name} cannot be overridden; '
                        f'{refused[name]}')
    return frozenset(names)
