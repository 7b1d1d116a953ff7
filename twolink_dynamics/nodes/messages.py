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
From messages to numbers and back: names matched, lengths and numbers checked, messages reused.

What reads a message needs only its fields, so it works on any object that has them, and no ROS is
imported to read. What is wrong with a message is a :class:`.rejections.MessageError`.

"""

from array import array
from math import isfinite

from twolink_dynamics.errors import ParameterError
from twolink_dynamics.simulation.clock import SECOND
from twolink_dynamics.tracking.rejections import MessageError
from twolink_dynamics.trajectory.goal import GoalPoint

__all__ = ['EffortReader', 'JointStateWriter', 'LARGEST_EFFORT', 'LARGEST_STATE', 'StateReader',
           'goal_points', 'joint_order', 'joint_trajectory', 'nanoseconds', 'set_stamp']

#: No arm has an effort beyond it [N m or N]: such a number is a fault of the sender.
LARGEST_EFFORT = 1e9

#: No joint is beyond it [rad or m, and per second]: such a number is a fault of the sender.
LARGEST_STATE = 1e9


def nanoseconds(stamp):
    """
    Return a stamp or a duration in nanoseconds.

    Parameters
    ----------
    stamp : builtin_interfaces Time or Duration

    Returns
    -------
    nanoseconds : int

    """
    return stamp.sec * SECOND + stamp.nanosec


def set_stamp(stamp, ns):
    """
    Set a stamp in place.

    Parameters
    ----------
    stamp : builtin_interfaces Time
    ns : int
        Nanoseconds.

    """
    stamp.sec, stamp.nanosec = divmod(ns, SECOND)


def _beyond_reason(values):
    for value in values:
        if not -LARGEST_STATE <= value <= LARGEST_STATE:
            return True
    return False


class _Order:
    """Where the arm's joints stand in a message's names; remembered, for they rarely change."""

    def __init__(self, joint_names):
        self._joints = tuple(joint_names)
        self._names, self.indices = list(self._joints), tuple(range(len(self._joints)))

    def find(self, names, extra):
        """Return the indices of the arm's joints in `names`, among others if `extra` may be."""
        if names == self._names:
            return self.indices
        places = {name: k for k, name in enumerate(names)}
        if len(places) != len(names):
            twice = sorted({name for name in names if names.count(name) > 1})
            raise MessageError('a joint named twice', ', '.join(twice))
        missing = [name for name in self._joints if name not in places]
        if missing:
            raise MessageError('a joint missing', f'{", ".join(missing)} not among '
                               f'{", ".join(names) or "no names"}')
        if not extra and len(names) != len(self._joints):
            unknown = [name for name in names if name not in self._joints]
            raise MessageError('an unknown joint', f'{", ".join(unknown)}; expected '
                               + ', '.join(self._joints))
        self._names, self.indices = list(names), tuple(places[name] for name in self._joints)
        return self.indices


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

    def __init__(self, joint_names, array_order=None):
        self._joints = tuple(joint_names)
        order = list(array_order or joint_names)
        self._array = tuple(order.index(name) for name in self._joints)
        self._order = _Order(joint_names)

    def _checked(self, values, indices):
        tau = tuple([values[k] for k in indices])
        for name, value in zip(self._joints, tau):
            if not isfinite(value):
                raise MessageError('an effort not finite', f'joint "{name}": {value}')
            if not -LARGEST_EFFORT <= value <= LARGEST_EFFORT:
                raise MessageError('an effort beyond reason', f'joint "{name}": {value:g}')
        return tau

    def from_array(self, message):
        """
        Return the efforts of a Float64MultiArray.

        Raises
        ------
        MessageError

        """
        data = message.data
        if len(data) != len(self._array):
            raise MessageError('a wrong length',
                               f'{len(data)} efforts, expected {len(self._array)}')
        return self._checked(data, self._array)

    def from_joint_state(self, message):
        """
        Return the efforts of a JointState, matched by name.

        Raises
        ------
        MessageError

        """
        indices = self._order.find(message.name, extra=False)
        if len(message.effort) != len(message.name):
            raise MessageError('a wrong length', f'{len(message.effort)} efforts for '
                               f'{len(message.name)} names')
        return self._checked(message.effort, indices)


class StateReader:
    """
    Read the arm's state from JointState messages: any order, other joints among them.

    Parameters
    ----------
    joint_names : sequence of str

    """

    def __init__(self, joint_names):
        self._joints = tuple(joint_names)
        self._order = _Order(joint_names)

    def read(self, message):
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
        indices = self._order.find(names, extra=True)
        if len(position) != len(names):
            raise MessageError('a wrong length',
                               f'{len(position)} positions for {len(names)} names')
        q = [position[k] for k in indices]
        if _beyond_reason(q):
            self._refuse('position', q)
        if not velocity:
            return q, None
        if len(velocity) != len(names):
            raise MessageError('a wrong length',
                               f'{len(velocity)} velocities for {len(names)} names')
        qd = [velocity[k] for k in indices]
        if _beyond_reason(qd):
            if any(abs(value) > LARGEST_STATE for value in qd):
                self._refuse('velocity', qd)
            return q, None
        return q, qd

    def _refuse(self, what, values):
        name, value = next(pair for pair in zip(self._joints, values)
                           if not abs(pair[1]) <= LARGEST_STATE)
        if isfinite(value):
            raise MessageError(f'a {what} beyond reason', f'joint "{name}": {value:g}')
        raise MessageError(f'a {what} not finite', f'joint "{name}": {value}')


class JointStateWriter:
    """
    One JointState, made once and filled in place: assigning costs a tenth of building.

    Parameters
    ----------
    joint_names : sequence of str
        In the order they are to be sent.
    fields : sequence of str
        Which of position, velocity and effort are there; they are always full length.
    order : sequence of int, optional
        Where each of these joints stands in what is given to :meth:`fill`.

    Attributes
    ----------
    message : sensor_msgs.msg.JointState

    """

    def __init__(self, joint_names, fields=('position', 'velocity', 'effort'), order=None):
        from sensor_msgs.msg import JointState

        self.message = JointState(name=list(joint_names))
        self._stamp = self.message.header.stamp
        self._arrays = []
        for field in fields:
            setattr(self.message, field, array('d', [0.0] * len(joint_names)))
            self._arrays.append(getattr(self.message, field))
        self._order = tuple(order) if order is not None else tuple(range(len(joint_names)))

    def fill(self, ns, *vectors):
        """
        Fill the message.

        Parameters
        ----------
        ns : int
            The stamp [ns].
        *vectors : sequence of float
            One per field.

        Returns
        -------
        message : sensor_msgs.msg.JointState
            Always the same.

        """
        self._stamp.sec, self._stamp.nanosec = divmod(ns, SECOND)
        order = self._order
        for values, vector in zip(self._arrays, vectors):
            for k, source in enumerate(order):
                values[k] = vector[source]
        return self.message


def joint_order(arm, joints):
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


def goal_points(message):
    """
    Return the points of a JointTrajectory as plain data, for the check of goals.

    Parameters
    ----------
    message : trajectory_msgs.msg.JointTrajectory

    Returns
    -------
    points : list of GoalPoint

    """
    return [GoalPoint(point.time_from_start.sec + 1e-9 * point.time_from_start.nanosec,
                      point.positions, point.velocities, point.accelerations, point.effort)
            for point in message.points]


def joint_trajectory(joint_names, times, positions, velocities=None, accelerations=None, stamp=0):
    """
    Return a JointTrajectory message.

    Parameters
    ----------
    joint_names : sequence of str, length n
    times : sequence of float, length m
        From the start [s].
    positions : array_like, shape (m, n)
    velocities, accelerations : array_like, shape (m, n), optional
    stamp : int
        When it starts [ns]; 0: on receipt.

    Returns
    -------
    message : trajectory_msgs.msg.JointTrajectory

    """
    from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

    message = JointTrajectory(joint_names=list(joint_names))
    set_stamp(message.header.stamp, stamp)
    for k, time in enumerate(times):
        point = JointTrajectoryPoint(positions=[float(x) for x in positions[k]])
        if velocities is not None:
            point.velocities = [float(x) for x in velocities[k]]
        if accelerations is not None:
            point.accelerations = [float(x) for x in accelerations[k]]
        point.time_from_start.sec, point.time_from_start.nanosec = divmod(
            round(float(time) * 1e9), SECOND)
        message.points.append(point)
    return message
