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

"""One row of a node's parameter table."""

from dataclasses import dataclass

__all__ = ['Entry']


@dataclass(frozen=True)
class Entry:
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
