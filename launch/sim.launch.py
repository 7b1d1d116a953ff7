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
Start the arm: simulator, controller, reference, and what shows them.

``ros2 launch twolink_dynamics sim.launch.py --show-args`` lists the arguments. All topics are
relative, /tf and /clock too (by remapping), so that several arms run beside each other, each
whole in its own `namespace`.

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

    def switch(name, description, default='true'):
        return argument(name, default, description, choices=['true', 'false', 'True', 'False'])

    return [
        argument('urdf', share('urdf', 'twolink.urdf.xacro'),
                 'The arm: path of a URDF or xacro file.'),
        argument('xacro_args', '', "What to hand to xacro, such as 'm2:=1.0 l2:=0.5' [kg, m]."),
        argument('base_link', '',
                 'Link the arm stands on; empty: the only sensible one.'),
        argument('tip_link', '', 'Link at the end of the arm; empty: the only sensible one.'),
        argument('trajectory', 'swing',
                 'What the reference asks for: both joints swing, or the tip draws a circle.',
                 choices=['swing', 'circle']),
        argument('namespace', '',
                 'Namespace of everything, so that several arms can run beside each other.'),
        switch('use_sim_time',
               "Run all nodes on the simulator's clock instead of the system's.", 'false'),
        switch('simulator', 'Simulate the arm; false with a real one, or another simulator.'),
        switch('controller', 'Control the arm; false leaves the efforts to another controller.'),
        switch('reference', 'Send trajectories; false leaves that to you: the arm holds still.'),
        switch('robot_state_publisher', "Publish the arm's description and its frames on tf."),
        switch('ghost', f'Publish the frames of the desired arm on tf, below {GHOST}/.'),
        switch('trail', 'Publish the way of the tip, and of the desired tip, for RViz.'),
        switch('gui', 'Open RViz.'),
        argument('simulator_params', share('config', 'simulator.yaml'),
                 "YAML file with the simulator's parameters."),
        argument('controller_params', share('config', 'controller.yaml'),
                 "YAML file with the controller's parameters."),
        argument('reference_params', share('config', 'reference.yaml'),
                 "YAML file with the reference's parameters."),
        argument('trail_params', share('config', 'trail.yaml'),
                 "YAML file with the trail's parameters."),
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
        `robot_description`, the URDF's text, and `root_link`, where tf's tree begins.

    Raises
    ------
    TwoLinkError
        In one line, where the description is wrong and how.

    """
    def value_of(argument):
        return LaunchConfiguration(argument).perform(context)

    path = value_of('urdf')
    xacro_args = {}
    for word in shlex.split(value_of('xacro_args')):
        name, separator, value = word.partition(':=')
        if not separator:
            raise ParameterError('xacro_args', word, 'name:=value')
        xacro_args[name] = value
    if 'true' in [value_of(name).lower() for name in ('simulator', 'controller', 'reference')]:
        with warnings.catch_warnings():
            # What is merely implausible, the nodes say.
            warnings.simplefilter('ignore', ModelWarning)
            load_arm(path, value_of('base_link') or None, value_of('tip_link') or None,
                     xacro_args=xacro_args)
    root = read_urdf(path, xacro_args).root
    text, _ = read_source(path, xacro_args)
    if isinstance(text, bytes):
        text = text.decode('utf-8-sig')
    return [SetLaunchConfiguration('robot_description', text),
            SetLaunchConfiguration('root_link', root)]


def ends_the_launch(name, only_if_failed=False):
    """
    Return what to do when a process ends while the others still run.

    Parameters
    ----------
    name : str
        What the process is, for people.
    only_if_failed : bool
        Whether the others go on if it ended well.

    Returns
    -------
    on_exit : callable
        For an action's `on_exit`.

    """
    def on_exit(event, context):
        if context.is_shutdown:
            return None
        if event.returncode:
            # An exception is the only way to make `ros2 launch` itself end with an exit code.
            raise RuntimeError(f'the {name} ended with exit code {event.returncode}')
        return None if only_if_failed else Shutdown(reason=f'the {name} ended')
    return on_exit


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
    remappings : sequence of tuple of str
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


def arm():
    """
    Return the parameters that say which arm a node of this package is about.

    Returns
    -------
    parameters : dict

    """
    return {name: text(name) for name in ('robot_description', 'base_link', 'tip_link')}


def loop():
    """
    Return the nodes of the control loop.

    Returns
    -------
    nodes : list of Node

    """
    publish_clock = ParameterValue(LaunchConfiguration('use_sim_time'), value_type=bool)
    return [
        node(PACKAGE, 'simulator', 'simulator', name='simulator',
             parameters=[LaunchConfiguration('simulator_params'), arm(),
                         {'publish_clock': publish_clock}],
             on_exit=ends_the_launch('simulator')),
        node(PACKAGE, 'controller', 'controller', name='computed_torque_controller',
             parameters=[LaunchConfiguration('controller_params'), arm()],
             on_exit=ends_the_launch('controller')),
        node(PACKAGE, 'reference', 'reference', name='reference',
             parameters=[LaunchConfiguration('reference_params'), arm(),
                         {'trajectory': text('trajectory')}],
             on_exit=ends_the_launch('reference', only_if_failed=True)),
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
             name='robot_state_publisher', parameters=[description]),
        node('robot_state_publisher', 'robot_state_publisher', 'ghost',
             name='desired_state_publisher',
             parameters=[description, {'frame_prefix': f'{GHOST}/'}],
             remappings=[('robot_description', f'{GHOST}/robot_description'),
                         ('joint_states', 'computed_torque_controller/reference')]),
        node('tf2_ros', 'static_transform_publisher', 'ghost', name='desired_root_publisher',
             arguments=['--frame-id', root, '--child-frame-id', [f'{GHOST}/', root]]),
        node(PACKAGE, 'trail', 'trail', name='trail',
             parameters=[LaunchConfiguration('trail_params'), arm()]),
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
        *arguments(), OpaqueFunction(function=read_arm), *loop(), *view()])
