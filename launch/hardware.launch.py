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
Control an arm whose driver is running: the controller alone, and what shows the arm if wanted.

``ros2 launch twolink_dynamics hardware.launch.py --show-args`` lists the arguments. Read
docs/hardware.md before the first run: it says what to check, and in which order. All topics are
relative, /tf and /clock too (by remapping).

"""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction, SetLaunchConfiguration
from launch.launch_context import LaunchContext
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from twolink_dynamics.errors import ParameterError
from twolink_dynamics.nodes.launch_parts import argument, arm, arm_arguments, description, \
    ends_the_launch, node, PACKAGE, share, show, switch, trail, value_of, view_arguments

JOINT_STATES = ('joint_states', LaunchConfiguration('joint_states'))


def arguments() -> list[DeclareLaunchArgument]:
    """
    Return the arguments, each with what it means.

    Returns
    -------
    arguments : list of DeclareLaunchArgument

    """
    return [
        argument('urdf', '',
                 "The arm: path of a URDF or xacro file; empty: the driver's robot_description "
                 'topic. What shows the arm needs the file.'),
        *arm_arguments(),
        argument('namespace', '', "The driver's namespace."),
        argument('joint_states', 'joint_states', "The driver's topic of joint states."),
        argument('joint_commands', 'joint_commands',
                 "The driver's topic of commands by name (command_interface joint_state)."),
        argument('effort_commands', 'forward_effort_controller/commands',
                 "The driver's topic of commands in an array (command_interface array)."),
        argument('controller_params', share('config', 'hardware.yaml'),
                 "YAML file with the controller's parameters: copy it and make it your arm's."),
        switch('use_sim_time', 'Run on a /clock: for a driver that is a simulator.', 'false'),
        switch('controller', 'Control the arm; false only shows it.'),
        switch('robot_state_publisher', "Publish the arm's frames on tf; false where the driver's "
               'own launch file does.', 'false'),
        *view_arguments('false'),
    ]


def read_arm(context: LaunchContext) -> list[SetLaunchConfiguration]:
    """
    Read the description once; without one the controller waits for the driver's.

    Parameters
    ----------
    context : LaunchContext

    Returns
    -------
    actions : list of SetLaunchConfiguration

    Raises
    ------
    TwoLinkError
        In one line, where the description is wrong and how, or what needs one.

    """
    if value_of('urdf', context):
        return description(context)
    for name in ('robot_state_publisher', 'ghost', 'gui', 'xacro_args'):
        if value_of(name, context).lower() not in ('false', ''):
            raise ParameterError('urdf', '', f'the path of the description, for {name}')
    return [SetLaunchConfiguration(name, '') for name in ('robot_description', 'root_link')]


def control() -> list[Node]:
    """
    Return the controller, connected to the driver.

    Returns
    -------
    nodes : list of Node

    """
    return [
        node(PACKAGE, 'controller', 'controller', name='computed_torque_controller',
             parameters=[LaunchConfiguration('controller_params'), arm()],
             remappings=[
                 JOINT_STATES, ('joint_commands', LaunchConfiguration('joint_commands')),
                 ('forward_effort_controller/commands', LaunchConfiguration('effort_commands'))],
             on_exit=ends_the_launch('controller')),
        trail([JOINT_STATES]),
    ]


def generate_launch_description() -> LaunchDescription:
    """
    Return what `ros2 launch` starts.

    Returns
    -------
    description : LaunchDescription

    """
    return LaunchDescription([
        *arguments(), OpaqueFunction(function=read_arm), *control(), *show([JOINT_STATES])])
