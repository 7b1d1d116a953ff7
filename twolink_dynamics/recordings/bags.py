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

"""Read a motion from a bag of joint states and efforts, without ROS."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Iterator, Sequence, Tuple

import numpy as np

from twolink_dynamics.array_types import FloatArray
from twolink_dynamics.errors import MissingDependencyError, ParameterError
from twolink_dynamics.recordings import Motion

__all__ = ['read_bag']

STATE, ARRAY = 'sensor_msgs/msg/JointState', 'std_msgs/msg/Float64MultiArray'
STATES, REFERENCE = 'joint_states', 'computed_torque_controller/reference'
NAMED, ORDERED = 'joint_commands', 'forward_effort_controller/commands'

#: Stamp [ns], message, and when it was recorded [ns].
State = Tuple[int, Any, int]


def read_bag(path: str | os.PathLike[str], topic: str | None = None) -> Motion:
    """
    Read the motion in a bag.

    Positions, velocities and efforts are those of the joint states. Where these have no efforts,
    the commands are taken (by name, or of the array in the joint states' order), each until the
    next. What was desired is the controller's ``reference``, of the same stamps.

    Parameters
    ----------
    path : pathlib.Path
        The folder of a bag, or a file of it.
    topic : str, optional
        Of the joint states; the others are taken from the same namespace.

    Returns
    -------
    motion : Motion
        Its times count from the first state.

    Raises
    ------
    ParameterError
        If there are no joint states in it, or several to choose from.
    MissingDependencyError
        If `rosbags` is not installed.

    """
    try:
        from rosbags.highlevel import AnyReader, AnyReaderError
        from rosbags.typesys import get_typestore, Stores
    except ImportError:
        raise MissingDependencyError('rosbags', f'{path}: reading a bag', 'bag') from None
    try:
        with AnyReader([Path(path)],
                       default_typestore=get_typestore(Stores.LATEST)) as reader:
            return _read(reader, path, topic)
    except ParameterError:
        raise
    except (AnyReaderError, AssertionError, FileNotFoundError, KeyError, ValueError) as error:
        # A bag cut short breaks its reader in many ways.
        raise ParameterError('log', str(path), f'a readable bag ({error or "it is broken"}); '
                             '`ros2 bag reindex` may mend it') from None


def _read(reader: Any, path: str | os.PathLike[str], topic: str | None) -> Motion:
    topics: dict[str, list[Any]] = {}
    for connection in reader.connections:
        topics.setdefault(connection.topic, []).append(connection)
    topic = _states_topic(reader, topic, path)
    prefix = topic[:-len(STATES)] if topic.endswith(STATES) else topic.rpartition('/')[0] + '/'

    def states_of(name: str) -> list[State]:
        return [message for c in topics.get(name, ()) if c.msgtype == STATE
                for message in _states(reader, c)]

    states = sorted(states_of(topic), key=lambda state: state[0])
    if not states:
        raise ParameterError('log', str(path), f'joint states; the topic {topic} is empty')
    names = tuple(states[0][1].name)
    rows = _unique(states)
    ns = np.array(list(rows), dtype=np.int64)
    q, qd, tau = (_block(list(rows.values()), names, field)
                  for field in ('position', 'velocity', 'effort'))
    if tau is None:
        tau = _commands(reader, topics, states_of(prefix + NAMED), prefix + ORDERED, rows, names)
    references = {stamp: message for stamp, message, _ in states_of(prefix + REFERENCE)}
    desired = [references.get(stamp) for stamp in rows] if references else []
    q_desired, qd_desired = (_block(desired, names, field) for field in ('position', 'velocity'))
    if q is None:
        raise ParameterError('log', str(path), f'positions; {topic} has none')
    return Motion((ns - ns[0]) * 1e-9, names, q, qd, tau, q_desired, qd_desired)


def _states_topic(reader: Any, topic: str | None, path: str | os.PathLike[str]) -> str:
    """Return the topic of the joint states."""
    found = sorted({c.topic for c in reader.connections if c.msgtype == STATE and c.msgcount})
    if topic is not None:
        topic = '/' + topic.strip('/')
        if topic not in found:
            raise ParameterError('--topic', topic, 'one of ' + (', '.join(found) or 'none: the '
                                 'bag has no joint states'))
        return topic
    named = [name for name in found if name.rpartition('/')[2] == STATES]
    if len(named) == 1 or (not named and len(found) == 1):
        return (named or found)[0]
    if not found:
        raise ParameterError('log', str(path), f'a bag with a topic of {STATE}')
    raise ParameterError('--topic', None, 'one of ' + ', '.join(named or found))


def _states(reader: Any, connection: Any) -> Iterator[State]:
    """Yield (stamp, message, when recorded) of the joint states of a connection [ns]."""
    for _, recorded, data in reader.messages([connection]):
        message = reader.deserialize(data, connection.msgtype)
        stamp = message.header.stamp
        yield stamp.sec * 10**9 + stamp.nanosec or recorded, message, recorded


def _unique(states: list[State]) -> dict[int, Any]:
    """Return the states by stamp: a simulator that waits sends the same one again."""
    rows: dict[int, Any] = {}
    for stamp, message, _ in states:
        rows.setdefault(stamp, message)
    return rows


def _block(messages: Sequence[Any], names: Sequence[str], field: str) -> FloatArray | None:
    """Return a field of messages as rows (N, n); NaN where missing; None if all of it is."""
    rows = np.full((len(messages), len(names)), np.nan)
    order = None
    for row, message in zip(rows, messages):
        values = [] if message is None else getattr(message, field)
        if message is None or len(values) != len(message.name):
            continue
        if order is None or order[0] != message.name:
            known = {name: k for k, name in enumerate(message.name)}
            order = message.name, [known.get(name) for name in names]
        row[:] = [np.nan if k is None else values[k] for k in order[1]]
    return rows if np.isfinite(rows).any() else None


def _commands(reader: Any, topics: dict[str, list[Any]], named: list[State], ordered: str,
              rows: dict[int, Any], names: Sequence[str]) -> FloatArray | None:
    """Return the efforts commanded at each state, or None."""
    commands = []
    if named:
        block = _block([message for _, message, _ in named], names, 'effort')
        commands = [] if block is None else list(zip((s for s, _, _ in named), block))
    for connection in topics.get(ordered, ()) if not commands else ():
        for _, recorded, data in reader.messages([connection]):
            values = reader.deserialize(data, connection.msgtype).data
            if connection.msgtype == ARRAY and len(values) == len(names):
                commands.append((recorded, values))
    if not commands:
        return None
    # Arrays have no stamp; with stamps of simulated time they cannot be put beside the states.
    stamps = np.array([stamp for stamp, _ in commands], dtype=np.int64)
    order = np.argsort(stamps, kind='stable')
    at = np.searchsorted(stamps[order], np.array(list(rows), dtype=np.int64), side='right') - 1
    efforts = np.array([command for _, command in commands], dtype=np.float64)[order]
    tau = efforts[np.maximum(at, 0)]
    tau[at < 0] = np.nan
    return tau if np.isfinite(tau).any() else None
