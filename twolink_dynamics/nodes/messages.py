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

"""Messages of ROS from numbers and back: stamps, joint states reused, trajectories."""

from array import array
from typing import Sequence

from builtin_interfaces.msg import Duration, Time
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from twolink_dynamics.array_types import Vector
from twolink_dynamics.simulation.clock import SECOND
from twolink_dynamics.trajectory.goal import GoalPoint

__all__ = [
    'JointStateWriter', 'fill_point', 'goal_points', 'joint_trajectory', 'nanoseconds',
    'set_stamp']


def nanoseconds(stamp: Time | Duration) -> int:
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


def set_stamp(stamp: Time | Duration, ns: int) -> None:
    """
    Set a stamp in place.

    Parameters
    ----------
    stamp : builtin_interfaces Time or Duration
    ns : int
        Nanoseconds.

    """
    stamp.sec, stamp.nanosec = divmod(ns, SECOND)


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

    def __init__(self, joint_names: Sequence[str],
                 fields: Sequence[str] = ('position', 'velocity', 'effort'),
                 order: Sequence[int] | None = None) -> None:
        self.message = JointState(name=list(joint_names))
        self._stamp = self.message.header.stamp
        self._arrays = []
        for field in fields:
            setattr(self.message, field, array('d', [0.0] * len(joint_names)))
            self._arrays.append(getattr(self.message, field))
        self._order = tuple(order) if order is not None else tuple(range(len(joint_names)))

    def fill(self, ns: int, *vectors: Vector) -> JointState:
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
        set_stamp(self._stamp, ns)
        order = self._order
        for values, vector in zip(self._arrays, vectors):
            for k, source in enumerate(order):
                values[k] = vector[source]
        return self.message


def goal_points(message: JointTrajectory) -> list[GoalPoint]:
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


def fill_point(point: JointTrajectoryPoint, positions: Vector = (),
               velocities: Vector | None = None, accelerations: Vector | None = None,
               effort: Vector | None = None) -> None:
    """
    Fill a JointTrajectoryPoint.

    Parameters
    ----------
    point : trajectory_msgs.msg.JointTrajectoryPoint
    positions, velocities, accelerations, effort : sequence of float
        None, or nothing, where there are none.

    """
    point.positions, point.velocities = list(positions), list(velocities or ())
    point.accelerations, point.effort = list(accelerations or ()), list(effort or ())


def joint_trajectory(joint_names: Sequence[str], times: Vector, positions: Sequence[Vector],
                     velocities: Sequence[Vector | None] | None = None,
                     accelerations: Sequence[Vector | None] | None = None,
                     stamp: int = 0) -> JointTrajectory:
    """
    Return a JointTrajectory message.

    Parameters
    ----------
    joint_names : sequence of str, length n
    times : sequence of float, length m
        From the start [s].
    positions : sequence of sequence of float, shape (m, n)
    velocities, accelerations : sequence of sequence of float, shape (m, n), optional
        A row may be None where a point has none.
    stamp : int
        When it starts [ns]; 0: on receipt.

    Returns
    -------
    message : trajectory_msgs.msg.JointTrajectory

    """
    message = JointTrajectory(joint_names=list(joint_names))
    set_stamp(message.header.stamp, stamp)
    missing = [None] * len(times)
    for time, q, qd, qdd in zip(times, positions, velocities or missing, accelerations or missing):
        point = JointTrajectoryPoint()
        fill_point(point, q, qd, qdd)
        set_stamp(point.time_from_start, round(float(time) * 1e9))
        message.points.append(point)
    return message
