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

"""``twolink topics``: the topics of the nodes, and how to record them."""

import argparse
import json

from twolink_dynamics.cli.arguments import add_command, Subparsers
from twolink_dynamics.cli.text import say, table

__all__ = ['add_parser', 'run', 'TOPICS']

DESCRIPTION = (
    'List the topics of the nodes and what is in them. Those marked are what a log of a motion '
    'needs: twolink plot, animate and view read a bag of them.')
EXAMPLE = """examples:
  twolink topics
  ros2 bag record $(twolink topics --names) -o run
  ros2 bag record $(twolink topics --names --namespace left) -o left
  twolink plot run my_arm.urdf
"""
CONTROLLER = 'computed_torque_controller'
#: Topic, its type, whether a log of a motion needs it, what is in it.
TOPICS = (
    ('joint_states', 'sensor_msgs/msg/JointState', True, 'position, velocity, effort applied'),
    (f'{CONTROLLER}/reference', 'sensor_msgs/msg/JointState', True,
     'desired position, velocity, of the same stamps'),
    (f'{CONTROLLER}/error', 'sensor_msgs/msg/JointState', True, 'desired minus actual'),
    ('joint_commands', 'sensor_msgs/msg/JointState', True, 'efforts by name'),
    ('forward_effort_controller/commands', 'std_msgs/msg/Float64MultiArray', True,
     'efforts in the order of the joints'),
    (f'{CONTROLLER}/joint_trajectory', 'trajectory_msgs/msg/JointTrajectory', True,
     'what shall be followed'),
    (f'{CONTROLLER}/external_effort', 'sensor_msgs/msg/JointState', True,
     'what the surroundings exert on the joints, estimated'),
    (f'{CONTROLLER}/estimates', 'std_msgs/msg/Float64MultiArray', True,
     'what an adaptive law believes of the parameters'),
    (f'{CONTROLLER}/controller_state', 'control_msgs/msg/JointTrajectoryControllerState', False,
     'all of it in one message, where control_msgs is installed'),
    ('tip_wrench', 'geometry_msgs/msg/WrenchStamped', True, 'force and moment on the tip'),
    ('robot_description', 'std_msgs/msg/String', True, 'the URDF'),
    ('tip_trail', 'visualization_msgs/msg/Marker', False, 'the way of the tip, for RViz'),
    ('/clock', 'rosgraph_msgs/msg/Clock', False, 'simulated time, with publish_clock'),
    ('/diagnostics', 'diagnostic_msgs/msg/DiagnosticArray', False, 'how the nodes are'),
)


def add_parser(subparsers: Subparsers) -> None:
    """
    Add the arguments of this command.

    Parameters
    ----------
    subparsers : argparse action

    """
    parser = add_command(
        subparsers, 'topics', 'list the topics, to look at or to record',
        DESCRIPTION, EXAMPLE, run)
    parser.add_argument('--namespace', default='', metavar='NS', help='of the nodes')
    form = parser.add_mutually_exclusive_group()
    form.add_argument('--names', action='store_true',
                      help='print only the names of what a log needs, for ros2 bag record')
    form.add_argument('--json', action='store_true', help='print the table as JSON')


def run(args: argparse.Namespace) -> int:
    """
    Run the command.

    Parameters
    ----------
    args : argparse.Namespace

    Returns
    -------
    status : int

    """
    prefix = f'/{args.namespace.strip("/")}/'.replace('//', '/')
    rows = [(name if name.startswith('/') else prefix + name, kind, logged, words)
            for name, kind, logged, words in TOPICS]
    if args.names:
        say(' '.join(name for name, _, logged, _ in rows if logged))
    elif args.json:
        keys = ('topic', 'type', 'in_a_log', 'content')
        say(json.dumps([dict(zip(keys, row)) for row in rows], indent=2))
    else:
        say(*table(('topic', 'log', 'type', 'content'),
                   [(name, '*' if logged else '', kind, words)
                    for name, kind, logged, words in rows], indent=''))
    return 0
