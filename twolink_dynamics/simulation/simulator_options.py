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

"""The options of the simulator."""

from twolink_dynamics.dynamics.arm_options import ARM_OPTIONS
from twolink_dynamics.options import Option
from twolink_dynamics.simulation.plant_parameters import PLANT

__all__ = ['SIMULATOR']

SIMULATOR = ARM_OPTIONS + (
    Option('joints', 'strings', None,
           'Order of the joints in joint_states and in the effort array; not set: base to tip'),
    Option('rate', 'float', 1000.0, 'Steps of the plant per second of simulated time', 'Hz',
           minimum=1.0, maximum=10000.0),
    Option('real_time_factor', 'float', 1.0,
           'Simulated seconds per second; 0: as fast as the machine can', minimum=0.0,
           maximum=1000.0, live=True),
    Option('max_catch_up', 'float', 0.05,
           'A loop late by less makes up for it as fast as efforts come; beyond it time slips',
           's', minimum=0.0, maximum=10.0),
    Option('initial_position', 'floats', None,
           'Where the arm starts, one number per joint; not set: 0, or the nearest within limits',
           'rad or m', minimum=-1e6, maximum=1e6),
    Option('initial_velocity', 'floats', None,
           'How fast the arm starts, one number per joint; not set: at rest', 'rad/s or m/s',
           minimum=-1e6, maximum=1e6),
    Option('brake', 'bool', True,
           'Whether the arm stands still, as with brakes on, until the first valid '
           'effort arrives'),
    Option('start_paused', 'bool', False,
           'Whether time stands still until ~/pause says otherwise'),
    Option('publish_clock', 'bool', False,
           'Whether to publish /clock; time is then simulated time, beginning at 1 s'),
    Option('clock_rate', 'float', 100.0,
           'How often /clock is published, by simulated time, at most once per step; each message '
           'costs every node that uses simulated time', 'Hz', minimum=1.0, maximum=10000.0),
    Option('reset_clock', 'bool', False,
           'Whether ~/reset also sets the time back to the start'),
    Option('lockstep', 'bool', False,
           'Whether the plant waits for the effort (joint_commands) that answers its last state; '
           'time is then simulated time, beginning at 1 s'),
    Option('lockstep_timeout', 'float', 1.0,
           'In lockstep: how long to wait for the effort before saying so; the state is sent '
           'again and again meanwhile', 's', minimum=0.01, maximum=3600.0),
    Option('command_timeout', 'float', 0.0,
           'Commands are stale after such a silence, by simulated time; 0: never', 's',
           minimum=0.0, maximum=3600.0, live=True),
    Option('command_timeout_action', 'string', 'brake',
           'What is done about a stale command: hold it, no effort, or the brakes',
           choices=('hold', 'zero', 'brake'), live=True),
) + PLANT
