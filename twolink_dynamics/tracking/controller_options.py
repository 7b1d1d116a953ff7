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

"""The parameters of the controller beside those that say which arm it is about."""

from dataclasses import replace
from functools import partial

from twolink_dynamics.control.law_parameters import DEFAULTS
from twolink_dynamics.dynamics.arm_options import ARM_OPTIONS
from twolink_dynamics.options import Option
from twolink_dynamics.registry import names
from twolink_dynamics.tracking.fault_latch import EFFORTS
from twolink_dynamics.tracking.shutdown import LAST_EFFORTS

__all__ = ['CONTROL', 'CONTROLLER']

OUTPUT = (
    Option('joints', 'strings', None,
           'Order of the joints in the effort array; not set: base to tip'),
    Option('command_interface', 'string', 'joint_state',
           'Efforts by name on joint_commands (joint_state), as an array on '
           'forward_effort_controller/commands (array), or both',
           choices=('joint_state', 'array', 'both')),
    Option('state_publish_rate', 'float', 50.0,
           'How often ~/controller_state, ~/estimates and the feedback of an action are sent, at '
           'most', 'Hz', minimum=0.1, maximum=10000.0, live=True),
)

LAW = (
    Option('law', 'string', 'computed_torque', 'What makes efforts of the error',
           choices=partial(names, 'law'), live=True),
    Option('natural_frequency', 'floats', DEFAULTS['natural_frequency'],
           'Natural frequency of the error; its square is kp', 'rad/s', minimum=0.0,
           maximum=1000.0, live=True, per_joint=True),
    Option('damping_ratio', 'floats', DEFAULTS['damping_ratio'],
           'Damping ratio of the error; kd is twice this times the square root of kp',
           minimum=0.0, maximum=100.0, live=True, per_joint=True),
    Option('kp', 'floats', None, 'Gain on position, in place of natural_frequency', '1/s^2',
           minimum=0.0, maximum=1e6, live=True, per_joint=True),
    Option('kd', 'floats', None, 'Gain on velocity, in place of damping_ratio', '1/s',
           minimum=0.0, maximum=1e6, live=True, per_joint=True),
    Option('ki', 'floats', None,
           'Gain on the integral; not set: 0, but with independent_pid 0.2 kp kd', '1/s^3',
           minimum=0.0, maximum=1e9, live=True, per_joint=True),
    Option('stiffness', 'floats', None, 'Of joint_impedance; not set: as the gains say',
           'N m/rad or N/m', minimum=0.0, maximum=1e9, live=True, per_joint=True, flag=None),
    Option('damping', 'floats', None, 'Of joint_impedance; not set: as damping_ratio says',
           'N m s/rad or N s/m', minimum=0.0, maximum=1e9, live=True, per_joint=True, flag=None),
    Option('adaptation', 'float', 10.0, 'Of adaptive: how fast it learns; 0: not at all',
           minimum=0.0, maximum=1e6, live=True, flag=None),
    Option('period', 'float', 0.001,
           'Of sampled_computed_torque: between two states', 's', minimum=1e-5, maximum=1.0,
           live=True, flag=None),
    Option('law_options', 'string', '',
           'What else the law takes: NAME=VALUE, separated by spaces', live=True, flag=None),
    Option('friction_compensation', 'bool', True,
           'Whether to make up for the damping and friction of the URDF', live=True,
           flag='compensate-friction'),
)

MODEL = (
    Option('payload_mass', 'float', 0.0, 'A load fixed to the tip link', 'kg', minimum=0.0,
           maximum=1e4, live=True),
    Option('payload_com', 'floats', (0.0, 0.0, 0.0),
           "The load's centre of mass in the tip link's frame", 'm', minimum=-100.0, maximum=100.0,
           length=3, live=True),
    Option('gravity_topic', 'string', '',
           'Topic of an accelerometer (sensor_msgs/Imu) in the axes of the base link, that tells '
           'the direction of gravity; empty: none'),
    Option('observer_gain', 'float', 50.0,
           'Of the estimate of external efforts (~/external_effort), the inverse of its time '
           'constant; 0: no estimate', '1/s', minimum=0.0, maximum=1e4, live=True),
    Option('contact_threshold', 'floats', (0.0,),
           'An external effort beyond it stops the motion; 0: none', 'N m or N',
           minimum=0.0, maximum=1e9, live=True, per_joint=True),
)

MOTION = (
    Option('allow_nonzero_velocity_at_trajectory_end', 'bool', False,
           'Whether a trajectory may end in motion', live=True),
    Option('allow_partial_joints_goal', 'bool', False,
           'Whether a trajectory may leave out joints, which go on with what they did', live=True),
    Option('beyond_velocity', 'string', 'reject',
           'What to do with a trajectory that is faster than the velocity limits',
           choices=('reject', 'warn', 'ignore'), live=True),
    Option('beyond_effort', 'string', 'warn',
           'What to do with a trajectory that needs more than the effort limits',
           choices=('reject', 'warn', 'ignore'), live=True),
    Option('start_tolerance', 'float', 0.1,
           'How far the point at time 0 of a trajectory may be from where the arm is to be then; '
           '0: any distance', 'rad or m', minimum=0.0, maximum=1e6, live=True),
    Option('path_tolerance', 'floats', (0.2,),
           'A larger error ends a trajectory; 0: none', 'rad or m', minimum=0.0, maximum=1e6,
           live=True, per_joint=True),
    Option('goal_tolerance', 'floats', (0.02,),
           'A goal is reached with a smaller error; 0: any error', 'rad or m', minimum=0.0,
           maximum=1e6, live=True, per_joint=True),
    Option('stopped_velocity_tolerance', 'float', 0.05,
           'A goal is reached at a smaller velocity; 0: at any', 'rad/s or m/s', minimum=0.0,
           maximum=1e6, live=True),
    Option('goal_time', 'float', 1.0,
           'How long after the end of a trajectory its goal must be reached; 0: at once', 's',
           minimum=0.0, maximum=3600.0, live=True),
    Option('stop_duration', 'float', 0.3,
           'How long ~/hold and the end of the node take to bring the motion to rest', 's',
           minimum=0.01, maximum=10.0, live=True),
)

SAFETY = (
    Option('effort_rate', 'floats', (0.0,),
           'Largest change of effort; 0: none', 'N m/s or N/s', minimum=0.0,
           maximum=1e9, live=True, per_joint=True),
    Option('soft_limit_margin', 'floats', (0.0,),
           'How far before its position limits a joint begins to be pushed back', 'rad or m',
           minimum=0.0, maximum=1e3, live=True, per_joint=True),
    Option('velocity_factor', 'float', 1.2,
           'A joint faster than so many times its velocity limit for 0.02 s is brought to rest; '
           '0: no limit', minimum=0.0, maximum=1000.0, live=True),
    Option('hold_tolerance', 'floats', (0.2,),
           'A larger error without a trajectory is answered by rest where the arm is, and is a '
           'fault when it recurs; 0: none, as always under joint_impedance', 'rad or m',
           minimum=0.0, maximum=1e6, live=True, per_joint=True),
    Option('on_position_jump', 'string', 'rebase',
           'What a jump of positions is answered by that no velocity explains: rest where the arm '
           'is then, or a fault', choices=('rebase', 'fault'), live=True),
    Option('fault_effort', 'string', 'damping',
           'What the arm gets in a fault: what holds its weight (gravity), also against its speed '
           '(damping), or zero; always zero where efforts act in a wrong direction',
           choices=EFFORTS, live=True),
    Option('fault_directory', 'string', '',
           'Where the last 5 s before a fault are written, for twolink plot; empty: nowhere',
           live=True),
    Option('velocity_filter', 'float', 0.001,
           'Time constant of the velocity where joint_states have none', 's', minimum=0.0,
           maximum=1.0, live=True),
    Option('blend_duration', 'float', 0.2,
           'How long the jump of effort fades that another law, gain or model would make', 's',
           minimum=0.0, maximum=10.0, live=True),
    Option('state_timeout', 'float', 0.5,
           'A longer silence of joint_states makes them stale: it ends the motion under way, and '
           'the effort has gone over to gravity alone', 's', minimum=0.001, maximum=3600.0,
           live=True),
    Option('shutdown_effort', 'string', 'gravity',
           'The last effort when the node ends, which a driver may hold: what gravity takes, the '
           'last one (hold), or zero', choices=LAST_EFFORTS, live=True),
    Option('zero_timeout', 'float', 60.0,
           'After so long a silence of joint_states the effort has gone to zero, from half of it '
           'on; at least state_timeout', 's', minimum=0.001, maximum=1e6, live=True),
)

CONTROL = OUTPUT + LAW + MODEL + MOTION + SAFETY

# Here gravity may turn while the node runs: a payload and a tilted base are one model.
CONTROLLER = tuple(replace(option, live=True) if option.name == 'gravity' else option
                   for option in ARM_OPTIONS) + CONTROL
