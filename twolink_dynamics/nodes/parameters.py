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

from dataclasses import dataclass
import difflib
import math

from ..errors import ParameterError

__all__ = ['CONTROLLER', 'Entry', 'REFERENCE', 'SIMULATOR', 'TABLES', 'check',
           'described_range', 'unknown']


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
          maximum=1000.0),
    Entry('max_catch_up', 'float', 0.05,
          'A loop late by less makes up for it step by step; beyond it the time is let slip', 's',
          minimum=0.0, maximum=10.0),
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
    Entry('reset_clock', 'bool', False,
          'Whether ~/reset also sets the time back to the start'),
    Entry('lockstep', 'bool', False,
          'Whether the plant waits for the effort (joint_commands) that answers its last state; '
          'time is then simulated time, beginning at 1 s'),
    Entry('lockstep_timeout', 'float', 1.0,
          'In lockstep: how long to wait for the effort before saying so and sending the state '
          'again', 's', minimum=0.01, maximum=3600.0),
)

CONTROLLER = COMMON + (
    Entry('joints', 'strings', None,
          'Order of the joints in the effort array; not set: base to tip'),
    Entry('command_interface', 'string', 'joint_state',
          'Efforts by name on joint_commands (joint_state), as an array on '
          'forward_effort_controller/commands (array), or both',
          choices=('joint_state', 'array', 'both')),
    Entry('natural_frequency', 'floats', (20.0,),
          'Of the error, one number or one per joint: kp is its square', 'rad/s',
          minimum=0.0, maximum=1000.0, live=True),
    Entry('damping_ratio', 'floats', (1.0,),
          'Of the error, one number or one per joint: kd is twice this times the square root of '
          'kp', minimum=0.0, maximum=100.0, live=True),
    Entry('kp', 'floats', None,
          'Gain on position, one number or one per joint; set: natural_frequency is not used',
          '1/s^2', minimum=0.0, maximum=1e6, live=True),
    Entry('kd', 'floats', None,
          'Gain on velocity, one number or one per joint; set: damping_ratio is not used',
          '1/s', minimum=0.0, maximum=1e6, live=True),
    Entry('ki', 'floats', (0.0,), 'Gain on the integral, one number or one per joint', '1/s^3',
          minimum=0.0, maximum=1e9, live=True),
    Entry('friction_compensation', 'bool', True,
          'Whether to make up for the damping and friction of the URDF'),
    Entry('allow_nonzero_velocity_at_trajectory_end', 'bool', False,
          'Whether a trajectory may end in motion', live=True),
    Entry('start_tolerance', 'float', 0.1,
          'How far the point at time 0 of a trajectory may be from where the arm is to be then; '
          '0: any distance', 'rad or m', minimum=0.0, maximum=1e6, live=True),
    Entry('stop_duration', 'float', 0.3, 'How long ~/hold takes to bring the motion to rest', 's',
          minimum=0.01, maximum=10.0, live=True),
    Entry('state_timeout', 'float', 0.5,
          'A longer silence of joint_states makes them stale, and ends the motion under way', 's',
          minimum=0.001, maximum=3600.0, live=True),
)

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
