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
Readers of joint messages: names matched, lengths and numbers checked.

What reads a message needs only its fields, so it works on any object that has them, without ROS.
What is wrong with a message is a :class:`~twolink_dynamics.diagnostics.MessageError`.

"""

from math import isfinite, isnan
from typing import Protocol, Sequence, TYPE_CHECKING

from twolink_dynamics.array_types import Vector
from twolink_dynamics.diagnostics import MessageError
from twolink_dynamics.errors import ParameterError

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm

__all__ = ['EffortArrayMessage', 'EffortReader', 'JointMessage', 'LARGEST', 'StateReader',
           'joint_order']

#: No joint has a larger position [rad or m], velocity or effort [N m or N]: such a number is a
#: fault of the sender.
LARGEST = 1e9


class JointMessage(Protocol):
    """The fields of sensor_msgs/JointState, as far as they are read."""

    name: Sequence[str]
    position: Vector
    velocity: Vector
    effort: Vector


class EffortArrayMessage(Protocol):
    """The field of std_msgs/Float64MultiArray that is read."""

    data: Vector


class _JointOrder:
    """Where the arm's joints are in a message's names; remembered, for it rarely changes."""

    def __init__(self, joint_names: Sequence[str]) -> None:
        self._joints = tuple(joint_names)
        self._names, self._indices = list(self._joints), tuple(range(len(self._joints)))

    def find(self, names: Sequence[str], others_allowed: bool) -> tuple[int, ...]:
        """Return the indices of the arm's joints in `names`."""
        if names == self._names:
            return self._indices
        places = {name: k for k, name in enumerate(names)}
        if len(places) != len(names):
            twice = sorted({name for name in names if names.count(name) > 1})
            raise MessageError('a joint named twice', ', '.join(twice))
        missing = [name for name in self._joints if name not in places]
        if missing:
            raise MessageError('a joint missing', f'{", ".join(missing)} not among '
                               f'{", ".join(names) or "no names"}')
        if not others_allowed and len(names) != len(self._joints):
            unknown = [name for name in names if name not in self._joints]
            raise MessageError('an unknown joint', f'{", ".join(unknown)}; expected '
                               + ', '.join(self._joints))
        self._names, self._indices = list(names), tuple(places[name] for name in self._joints)
        return self._indices


def _check_length(values: Vector, names: Sequence[str], plural: str) -> None:
    if len(values) != len(names):
        raise MessageError('a wrong length', f'{len(values)} {plural} for {len(names)} names')


def _check_numbers(what: str, joints: Sequence[str], values: Vector) -> None:
    for name, value in zip(joints, values):
        if not -LARGEST <= value <= LARGEST:
            problem = 'beyond reason' if isfinite(value) else 'not finite'
            raise MessageError(f'{what} {problem}', f'joint "{name}": {value:g}')


class EffortReader:
    """
    Read effort commands.

    Parameters
    ----------
    joint_names : sequence of str
        The arm's, base to tip: efforts are returned in this order.
    array_order : sequence of str, optional
        The order of the joints in an array; the same if not given.

    """

    def __init__(self, joint_names: Sequence[str],
                 array_order: Sequence[str] | None = None) -> None:
        self._joints = tuple(joint_names)
        order = list(array_order or joint_names)
        self._array = tuple(order.index(name) for name in self._joints)
        self._order = _JointOrder(joint_names)

    def _checked(self, values: Vector, indices: Sequence[int]) -> tuple[float, ...]:
        tau = tuple([values[k] for k in indices])
        _check_numbers('an effort', self._joints, tau)
        return tau

    def from_array(self, message: EffortArrayMessage) -> tuple[float, ...]:
        """
        Return the efforts of a Float64MultiArray.

        Parameters
        ----------
        message : Float64MultiArray

        Returns
        -------
        tau : tuple of float, length n
            [N m or N], in the arm's order.

        Raises
        ------
        MessageError

        """
        data = message.data
        if len(data) != len(self._array):
            raise MessageError('a wrong length',
                               f'{len(data)} efforts, expected {len(self._array)}')
        return self._checked(data, self._array)

    def from_joint_state(self, message: JointMessage) -> tuple[float, ...]:
        """
        Return the efforts of a JointState, matched by name.

        Parameters
        ----------
        message : JointState

        Returns
        -------
        tau : tuple of float, length n
            [N m or N], in the arm's order.

        Raises
        ------
        MessageError

        """
        indices = self._order.find(message.name, others_allowed=False)
        _check_length(message.effort, message.name, 'efforts')
        return self._checked(message.effort, indices)


class StateReader:
    """
    Read the arm's state from JointState messages: any order, other joints among them.

    Parameters
    ----------
    joint_names : sequence of str

    """

    def __init__(self, joint_names: Sequence[str]) -> None:
        self._joints = tuple(joint_names)
        self._order = _JointOrder(joint_names)

    def read(self, message: JointMessage) -> tuple[list[float], list[float] | None]:
        """
        Return positions and velocities in the arm's order.

        Parameters
        ----------
        message : JointState

        Returns
        -------
        q : list of float
        qd : list of float or None
            None where the message has no velocity, or NaN as a placeholder for one.

        Raises
        ------
        MessageError

        """
        names, position, velocity = message.name, message.position, message.velocity
        indices = self._order.find(names, others_allowed=True)
        _check_length(position, names, 'positions')
        q = [position[k] for k in indices]
        _check_numbers('a position', self._joints, q)
        if not velocity:
            return q, None
        _check_length(velocity, names, 'velocities')
        qd = [velocity[k] for k in indices]
        if any(map(isnan, qd)) and not any(abs(value) > LARGEST for value in qd):
            return q, None
        _check_numbers('a velocity', self._joints, qd)
        return q, qd


def joint_order(arm: 'Arm', joints: Sequence[str] | None) -> tuple[int, ...]:
    """
    Return where each of the joints named stands in the arm.

    Parameters
    ----------
    arm : Arm
    joints : sequence of str or None
        None: the arm's own order.

    Returns
    -------
    order : tuple of int

    Raises
    ------
    ParameterError
        If they are not the arm's joints.

    """
    if joints is None:
        return tuple(range(arm.n))
    if sorted(joints) != sorted(arm.joint_names):
        raise ParameterError('joints', list(joints),
                             'every joint of the arm once: ' + ', '.join(arm.joint_names))
    return tuple(arm.joint_names.index(name) for name in joints)
