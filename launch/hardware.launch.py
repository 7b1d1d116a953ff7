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

import shlex
import warnings

from launch import LaunchDescription
from launch.actions import (
    DeclareLaunchArgument, OpaqueFunction, SetLaunchConfiguration, Shutdown)
from launch.conditions import IfCondition
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

from twolink_dynamics import load_arm
from twolink_dynamics.errors import ModelWarning, ParameterError
from twolink_dynamics.model.source import read_source
from twolink_dynamics.model.urdf import read_urdf

PACKAGE = 'twolink_dynamics'

# tf2 and the clock of use_sim_time are global names; relative, they follow the namespace.
REMAPPINGS = [('/tf', 'tf'), ('/tf_static', 'tf_static'), ('/clock', 'clock')]

# The frames of the desired arm, beside those of the arm.
GHOST = 'desired'


def share(*parts):
    """
    Return the substitution for a file of this package.

    Parameters
    ----------
    *parts : str
        Folders and name, below share/twolink_dynamics.

    Returns
    -------
    path : PathJoinSubstitution

    """
    return PathJoinSubstitution([FindPackageShare(PACKAGE), *parts])


def arguments():
    """
    Return the arguments, each with what it means.

    Returns
    -------
    arguments : list of DeclareLaunchArgument

    """
    def argument(name, default, description, **options):
        return DeclareLaunchArgument(
            name, default_value=default, description=description, **options)

    def switch(name, description, default='false'):
        return argument(name, default, description, choices=['true', 'false', 'True', 'False'])

    return [
        argument('urdf', '',
                 "The arm: path of a URDF or xacro file; empty: the driver's robot_description "
                 'topic. What shows the arm needs the file.'),
        argument('xacro_args', '', "What to hand to xacro, such as 'm2:=1.0 l2:=0.5' [kg, m]."),
        argument('base_link', '',
                 'Link the arm stands on; empty: the only sensible one.'),
        argument('tip_link', '', 'Link at the end of the arm; empty: the only sensible one.'),
        argument('namespace', '', "The driver's namespace."),
        argument('joint_states', 'joint_states', "The driver's topic of joint states."),
        argument('joint_commands', 'joint_commands',
                 "The driver's topic of commands by name (command_interface joint_state)."),
        argument('effort_commands', 'forward_effort_controller/commands',
                 "The driver's topic of commands in an array (command_interface array)."),
        argument('controller_params', share('config', 'hardware.yaml'),
                 "YAML file with the controller's parameters: copy it and make it your arm's."),
        switch('use_sim_time', 'Run on a /clock: for a driver that is a simulator.'),
        switch('controller', 'Control the arm; false only shows it.', 'true'),
        switch('robot_state_publisher',
               "Publish the arm's frames on tf; false where the driver's own launch file does."),
        switch('ghost', f'Publish the frames of the desired arm on tf, below {GHOST}/.'),
        switch('trail', 'Publish the way of the tip, and of the desired tip, for RViz.'),
        argument('trail_params', share('config', 'trail.yaml'),
                 "YAML file with the trail's parameters."),
        switch('gui', 'Open RViz.'),
        argument('rviz_config', share('config', 'twolink.rviz'), "RViz's configuration."),
    ]


def read_arm(context):
    """
    Read the description once, for all nodes; a broken one ends the launch before it starts.

    Parameters
    ----------
    context : LaunchContext

    Returns
    -------
    actions : list of SetLaunchConfiguration
        `robot_description`, the URDF's text or nothing, and `root_link`, where tf's tree begins.

    Raises
    ------
    TwoLinkError
        In one line, where the description is wrong and how.

    """
    def value_of(argument):
        return LaunchConfiguration(argument).perform(context)

    path, xacro_args = value_of('urdf'), {}
    for word in shlex.split(value_of('xacro_args')):
        name, separator, value = word.partition(':=')
        if not separator:
            raise ParameterError('xacro_args', word, 'name:=value')
        xacro_args[name] = value
    base, tip = (value_of(name) or None for name in ('base_link', 'tip_link'))
    if not path:
        for name in ('robot_state_publisher', 'ghost', 'gui'):
            if value_of(name).lower() == 'true':
                raise ParameterError('urdf', path, f'the path of the description, for {name}')
        return [SetLaunchConfiguration('robot_description', ''),
                SetLaunchConfiguration('root_link', '')]
    with warnings.catch_warnings():
        # What is merely implausible, the controller says.
        warnings.simplefilter('ignore', ModelWarning)
        load_arm(path, base, tip, xacro_args=xacro_args)
    text, _ = read_source(path, xacro_args)
    if isinstance(text, bytes):
        text = text.decode('utf-8-sig')
    return [SetLaunchConfiguration('robot_description', text),
            SetLaunchConfiguration('root_link', read_urdf(path, xacro_args).root)]


def ends_the_launch(event, context):
    """
    End the launch when the controller ends while the others still run.

    Parameters
    ----------
    event : ProcessExited
    context : LaunchContext

    Returns
    -------
    action : Shutdown or None

    Raises
    ------
    RuntimeError
        If it failed: the only way to make `ros2 launch` itself end with an exit code.

    """
    if context.is_shutdown:
        return None
    if event.returncode:
        raise RuntimeError(f'the controller ended with exit code {event.returncode}')
    return Shutdown(reason='the controller ended')


def node(package, executable, switch, parameters=(), remappings=(), **options):
    """
    Return a node in the namespace, on the right clock, that an argument switches.

    Parameters
    ----------
    package, executable : str
    switch : str
        The argument.
    parameters : sequence
        Files and dictionaries; those named on the command line win over those in files.
    remappings : sequence of tuple
        Beside those that every node has.
    **options
        Handed on to :class:`launch_ros.actions.Node`.

    Returns
    -------
    node : Node

    """
    clock = {'use_sim_time': ParameterValue(LaunchConfiguration('use_sim_time'), value_type=bool)}
    return Node(
        package=package, executable=executable, namespace=LaunchConfiguration('namespace'),
        parameters=[*parameters, clock], remappings=[*REMAPPINGS, *remappings],
        condition=IfCondition(LaunchConfiguration(switch)), output='screen', **options)


def text(argument):
    """
    Return a parameter that stays a string, whatever it looks like.

    Parameters
    ----------
    argument : str
        The launch argument with its value.

    Returns
    -------
    value : ParameterValue

    """
    return ParameterValue(LaunchConfiguration(argument), value_type=str)


def control():
    """
    Return the controller, connected to the driver.

    Returns
    -------
    nodes : list of Node

    """
    arm = {name: text(name) for name in ('robot_description', 'base_link', 'tip_link')}
    topics = [('joint_states', LaunchConfiguration('joint_states')),
              ('joint_commands', LaunchConfiguration('joint_commands')),
              ('forward_effort_controller/commands', LaunchConfiguration('effort_commands'))]
    return [
        node(PACKAGE, 'controller', 'controller', name='computed_torque_controller',
             parameters=[LaunchConfiguration('controller_params'), arm], remappings=topics,
             on_exit=ends_the_launch),
        node(PACKAGE, 'trail', 'trail', name='trail',
             parameters=[LaunchConfiguration('trail_params'), arm], remappings=topics[:1]),
    ]


def view():
    """
    Return the nodes that show the arm and where it should be.

    Returns
    -------
    nodes : list of Node

    """
    description = {'robot_description': text('robot_description'), 'publish_frequency': 60.0}
    root = LaunchConfiguration('root_link')
    return [
        node('robot_state_publisher', 'robot_state_publisher', 'robot_state_publisher',
             name='robot_state_publisher', parameters=[description],
             remappings=[('joint_states', LaunchConfiguration('joint_states'))]),
        node('robot_state_publisher', 'robot_state_publisher', 'ghost',
             name='desired_state_publisher',
             parameters=[description, {'frame_prefix': f'{GHOST}/'}],
             remappings=[('robot_description', f'{GHOST}/robot_description'),
                         ('joint_states', 'computed_torque_controller/reference')]),
        node('tf2_ros', 'static_transform_publisher', 'ghost', name='desired_root_publisher',
             arguments=['--frame-id', root, '--child-frame-id', [f'{GHOST}/', root]]),
        node('rviz2', 'rviz2', 'gui', name='rviz',
             arguments=['--display-config', LaunchConfiguration('rviz_config'),
                        '--fixed-frame', root]),
    ]


def generate_launch_description():
    """
    Return what `ros2 launch` starts.

    Returns
    -------
    description : LaunchDescription

    """
    return LaunchDescription([
        *arguments(), OpaqueFunction(function=read_arm), *control(), *view()])
