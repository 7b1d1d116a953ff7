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
The parameters of the nodes: one table a node, plain data, and the checks that follow from it.

The tables can be imported without ROS: configuration files, documentation and tests are held
against them. :func:`.declaring.declare` gives them to a node.

"""

from dataclasses import replace
import difflib
import math

from .control_parameters import CONTROL
from .plant_parameters import PLANT
from .table import Entry
from ..errors import ParameterError

__all__ = ['CONTROLLER', 'Entry', 'REFERENCE', 'SIMULATOR', 'TABLES', 'check',
           'described_range', 'unknown']


COMMON = (
    Entry('robot_description', 'string', '',
          'The URDF: its text, or a path to it; empty: the robot_description topic'),
    Entry('base_link', 'string', '', 'First link of the chain; empty: the only sensible one'),
    Entry('tip_link', 'string', '', 'Last link of the chain; empty: the only sensible one'),
    Entry('gravity', 'floats', (0.0, 0.0, -9.81), 'Gravity in the base frame', 'm/s^2',
          minimum=-1000.0, maximum=1000.0, length=3),
)

SIMULATOR = COMMON + (
    Entry('joints', 'strings', None,
          'Order of the joints in joint_states and in the effort array; not set: base to tip'),
    Entry('rate', 'float', 1000.0, 'Steps of the plant per second of simulated time', 'Hz',
          minimum=1.0, maximum=10000.0),
    Entry('real_time_factor', 'float', 1.0,
          'Simulated seconds per second; 0: as fast as the machine can', minimum=0.0,
          maximum=1000.0, live=True),
    Entry('max_catch_up', 'float', 0.05,
          'A loop late by less makes up for it as fast as efforts come; beyond it time slips',
          's', minimum=0.0, maximum=10.0),
    Entry('initial_position', 'floats', None,
          'Where the arm starts, one number per joint; not set: 0, or the nearest within limits',
          'rad or m', minimum=-1e6, maximum=1e6),
    Entry('initial_velocity', 'floats', None,
          'How fast the arm starts, one number per joint; not set: at rest', 'rad/s or m/s',
          minimum=-1e6, maximum=1e6),
    Entry('brake', 'bool', True,
          'Whether the arm stands still, as with brakes on, until the first valid effort arrives'),
    Entry('start_paused', 'bool', False, 'Whether time stands still until ~/pause says otherwise'),
    Entry('publish_clock', 'bool', False,
          'Whether to publish /clock; time is then simulated time, beginning at 1 s'),
    Entry('clock_rate', 'float', 100.0,
          'How often /clock is published, by simulated time, at most once per step; each message '
          'costs every node that uses simulated time', 'Hz', minimum=1.0, maximum=10000.0),
    Entry('reset_clock', 'bool', False,
          'Whether ~/reset also sets the time back to the start'),
    Entry('lockstep', 'bool', False,
          'Whether the plant waits for the effort (joint_commands) that answers its last state; '
          'time is then simulated time, beginning at 1 s'),
    Entry('lockstep_timeout', 'float', 1.0,
          'In lockstep: how long to wait for the effort before saying so; the state is sent again '
          'and again meanwhile', 's', minimum=0.01, maximum=3600.0),
    Entry('command_timeout', 'float', 0.0,
          'Commands are stale after such a silence, by simulated time; 0: never', 's', minimum=0.0,
          maximum=3600.0, live=True),
    Entry('command_timeout_action', 'string', 'brake',
          'What is done about a stale command: hold it, no effort, or the brakes',
          choices=('hold', 'zero', 'brake'), live=True),
) + PLANT

# Here gravity may turn while the node runs: a payload and a tilted base are one model.
CONTROLLER = tuple(replace(entry, live=True) if entry.name == 'gravity' else entry
                   for entry in COMMON) + CONTROL

REFERENCE = COMMON + (
    Entry('trajectory', 'string', 'swing',
          'What to send: a swing of the joints, or a circle of the tip',
          choices=('swing', 'circle')),
    Entry('period', 'float', 4.0, 'One swing there and back, or one turn', 's',
          minimum=0.05, maximum=3600.0),
    Entry('amplitude', 'floats', (0.6,),
          'Swing: how far each joint goes to either side, one number or one per joint',
          'rad or m', minimum=-1e3, maximum=1e3),
    Entry('center', 'floats', None,
          'Swing: the middle posture, one number per joint; not set: 0, or next to it within '
          'limits. Circle: the centre in the base frame, 3 numbers; not set: within reach',
          'rad or m', minimum=-1e6, maximum=1e6),
    Entry('radius', 'float', 0.0, 'Circle: its radius; 0: a fifth of the reach, or less', 'm',
          minimum=0.0, maximum=1e3),
    Entry('approach', 'float', 2.0,
          'How long the way to the first point takes; longer if the arm is too slow for it', 's',
          minimum=0.1, maximum=3600.0),
    Entry('cycles', 'int', 5, 'Periods in one trajectory, from rest to rest', minimum=1,
          maximum=1000),
    Entry('count', 'int', 0, 'How many trajectories to send; 0: without end', minimum=0,
          maximum=1000000),
)

#: The table of each node, by node name.
TABLES = {
    'simulator': SIMULATOR,
    'computed_torque_controller': CONTROLLER,
    'reference': REFERENCE,
}

_WORDS = {'bool': 'true or false', 'int': 'an integer', 'float': 'a number', 'string': 'a text',
          'floats': 'a list of numbers', 'strings': 'a list of texts'}


def described_range(entry):
    """
    Return what a parameter may be, in words.

    Parameters
    ----------
    entry : Entry

    Returns
    -------
    words : str

    """
    words = _WORDS[entry.kind]
    if entry.length is not None:
        words = words.replace('a list of', f'{entry.length}')
    if entry.choices:
        words = 'one of ' + ', '.join(entry.choices)
    if entry.minimum is not None and entry.maximum is not None:
        words += f' in [{entry.minimum:g}, {entry.maximum:g}]'
    return words + (f' [{entry.unit}]' if entry.unit else '')


def _as_float(value):
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ValueError
    value = float(value)
    if not math.isfinite(value):
        raise ValueError
    return value


def _as_list(value, convert):
    if isinstance(value, (str, bytes)) or not hasattr(value, '__iter__'):
        value = [value]
    return tuple(convert(item) for item in value)


def _as_string(value):
    if not isinstance(value, str):
        raise ValueError
    return value


def _converted(kind, value):
    if kind in ('floats', 'strings'):
        return _as_list(value, _as_float if kind == 'floats' else _as_string)
    if kind == 'float':
        return _as_float(value)
    if kind == 'string':
        return _as_string(value)
    if isinstance(value, bool) != (kind == 'bool') or not isinstance(value, int):
        raise ValueError
    return value


def check(entry, value):
    """
    Return a value for a parameter in the parameter's own type, or say why it cannot be.

    Parameters
    ----------
    entry : Entry
    value : object
        As it came from YAML or a command line: an integer where a float is meant, and one item
        where a list is meant, are understood. None or an empty list: not set, so the default.

    Returns
    -------
    value : object

    Raises
    ------
    ParameterError

    """
    if value is None or (entry.kind in ('floats', 'strings') and not isinstance(value, str)
                         and hasattr(value, '__len__') and len(value) == 0):
        return entry.default
    try:
        converted = _converted(entry.kind, value)
    except (ValueError, OverflowError):
        raise ParameterError(entry.name, _shown(value), described_range(entry)) from None
    items = converted if isinstance(converted, tuple) else (converted,)
    wrong = (entry.length is not None and len(items) != entry.length
             or entry.choices and any(item not in entry.choices for item in items)
             or entry.minimum is not None and any(item < entry.minimum for item in items)
             or entry.maximum is not None and any(item > entry.maximum for item in items)
             or entry.kind == 'strings' and len(set(items)) != len(items))
    if wrong:
        raise ParameterError(entry.name, _shown(value), described_range(entry))
    return converted


def _shown(value):
    """Return a value short enough for one line, arrays as lists."""
    if isinstance(value, str):
        return value if len(value) <= 60 else value[:57] + '...'
    return list(value) if hasattr(value, '__iter__') else value


def unknown(name, value, table):
    """
    Return the error for a parameter that is in no table, with a near match if there is one.

    Parameters
    ----------
    name : str
    value : object
    table : sequence of Entry
        The node's.

    Returns
    -------
    error : ParameterError

    """
    names = [entry.name for entry in table]
    near = difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    hint = f'{near[0]}?' if near else 'one of ' + ', '.join(names)
    return ParameterError(name, _shown(value), f'a parameter this node has ({hint})')
