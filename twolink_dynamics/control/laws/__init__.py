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
The control laws, one a file, and how any of them is made by its name.

A law is a class derived from :class:`~twolink_dynamics.control.law.Law`.
:mod:`twolink_dynamics.registry` knows laws by name, those of other distributions, too.

"""

from typing import Any, TYPE_CHECKING

from twolink_dynamics import registry
from twolink_dynamics.control.law import Law
from twolink_dynamics.errors import ParameterError

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm

__all__ = ['make_law']


def make_law(name: str, arm: 'Arm', **options: Any) -> Law:
    """
    Return a control law by name.

    Parameters
    ----------
    name : str
        One of ``registry.names('law')``, or ``module:Class``.
    arm : Arm
    **options
        Gains, and what else the law takes.

    Returns
    -------
    law : Law

    Raises
    ------
    ParameterError
        If there is no such law, or it has no such option.
    ShapeError, NonFiniteError
        As the law says.

    Examples
    --------
    >>> import twolink_dynamics as tl
    >>> make_law('gravity_pd', tl.TwoLinkArm(), natural_frequency=10.0).gains[0]
    (100.0, 100.0)

    """
    law = registry.make('law', name, arm, **options)
    if not isinstance(law, Law):
        raise ParameterError('law', name, f'a class derived from Law, not {type(law).__name__}')
    return law
