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
The generators of motions, one a file, and how any of them is made by its name.

A generator is a function ``(arm, ..., duration=None) -> Trajectory``: the arm comes first, every
other argument has a default, and `duration` is how long the motion is to take [s], longer where
the arm's limits need it. The motion starts and ends at rest, without a jump in velocity, within
the limits. :mod:`twolink_dynamics.registry` knows generators by name, those
of other distributions, too.

"""

from typing import Any, TYPE_CHECKING

from twolink_dynamics import registry
from twolink_dynamics.errors import ParameterError
from twolink_dynamics.trajectory.trajectory import Trajectory

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm

__all__ = ['make_motion']


def make_motion(name: str, arm: 'Arm', **options: Any) -> Trajectory:
    """
    Return a motion by name.

    Parameters
    ----------
    name : str
        One of ``registry.names('motion')``, or ``module:function``.
    arm : Arm
    **options
        Arguments of the generator, `duration` among them.

    Returns
    -------
    trajectory : Trajectory

    Raises
    ------
    ParameterError
        If there is no such motion, or it has no such option.
    TwoLinkError
        As the generator says.

    Examples
    --------
    >>> import twolink_dynamics as tl
    >>> make_motion('swing', tl.TwoLinkArm(), duration=9.0).duration
    9.0

    """
    motion = registry.make('motion', name, arm, **options)
    if not isinstance(motion, Trajectory):
        raise ParameterError('motion', name, f'a generator of a Trajectory, not of {motion!r}')
    return motion
