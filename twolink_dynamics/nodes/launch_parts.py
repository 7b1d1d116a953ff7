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
Parts of the launch files: what starts an arm in a simulation, and what starts one on hardware.

They are here, and not in a launch file of their own, because `ros2 launch` executes a file without
a place to import its neighbours from.

"""

import shlex
from typing import Any, Callable, Sequence
import warnings

from launch.actions import DeclareLaunchArgument, SetLaunchConfiguration, Shutdown
from launch.conditions import IfCondition
from launch.launch_context import LaunchContext
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

from twolink_dynamics import load_arm
from twolink_dynamics.errors import ModelWarning, ParameterError
from twolink_dynamics.model.source import read_source
from twolink_dynamics.model.urdf import read_urdf
from twolink_dynamics.options import split_pair

__all__ = ['PACKAGE', 'arm', 'argument', 'arm_arguments', 'description', 'ends_the_launch', 'node',
           'share', 'show', 'switch', 'text', 'trail', 'value_of', 'view_arguments']

PACKAGE = 'twolink_dynamics'

# tf2 and the clock of use_sim_time are global names; relative, they follow the namespace.
REMAPPINGS = [('/tf', 'tf'), ('/tf_static', 'tf_static'), ('/clock', 'clock')]

# The frames of the desired arm, beside those of the arm.
GHOST = 'desired'


def share(*parts: str) -> PathJoinSubstitution:
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


# --- arguments ----------------------------------------------------------------------------------

def argument(name: str, default: Any, description: str, **options: Any) -> DeclareLaunchArgument:
    """
    Return an argument of the launch file.

    Parameters
    ----------
    name : str
    default : str or substitution
    description : str
        A sentence.
    **options
        Handed on to :class:`launch.actions.DeclareLaunchArgument`.

    Returns
    -------
    argument : DeclareLaunchArgument

    """
    return DeclareLaunchArgument(name, default_value=default, description=description, **options)


def switch(name: str, description: str, default: str = 'true') -> DeclareLaunchArgument:
    """
    Return an argument that turns something on or off.

    Parameters
    ----------
    name, description : str
    default : {'true', 'false'}

    Returns
    -------
    argument : DeclareLaunchArgument

    """
    return argument(name, default, description, choices=['true', 'false', 'True', 'False'])


def arm_arguments() -> list[DeclareLaunchArgument]:
    """
    Return the arguments that say which arm is meant, beside its file.

    Returns
    -------
    arguments : list of DeclareLaunchArgument

    """
    return [
        argument('xacro_args', '', "What to hand to xacro, such as 'm2:=1.0 l2:=0.5' [kg, m]."),
        argument('base_link', '', 'Link the arm stands on; empty: the only sensible one.'),
        argument('tip_link', '', 'Link at the end of the arm; empty: the only sensible one.'),
    ]


def view_arguments(default: str) -> list[DeclareLaunchArgument]:
    """
    Return the arguments about what shows the arm.

    Parameters
    ----------
    default : {'true', 'false'}
        Whether to show it if nothing is said.

    Returns
    -------
    arguments : list of DeclareLaunchArgument

    """
    return [
        switch('ghost', f'Publish the frames of the desired arm on tf, below {GHOST}/.', default),
        switch('trail', 'Publish the way of the tip, and of the desired tip, for RViz.', default),
        switch('gui', 'Open RViz.', default),
        argument('trail_params', share('config', 'trail.yaml'),
                 "YAML file with the trail's parameters."),
        argument('rviz_config', share('config', 'twolink.rviz'), "RViz's configuration."),
    ]


# --- the description ----------------------------------------------------------------------------

def value_of(name: str, context: LaunchContext) -> str:
    """
    Return the value of an argument.

    Parameters
    ----------
    name : str
    context : LaunchContext

    Returns
    -------
    value : str

    """
    value: str = LaunchConfiguration(name).perform(context)
    return value


def description(context: LaunchContext, load: bool = True) -> list[SetLaunchConfiguration]:
    """
    Read the description once, for all nodes; a broken one ends the launch before it starts.

    Parameters
    ----------
    context : LaunchContext
    load : bool
        Whether a node will load the arm, so that it is well to try that first.

    Returns
    -------
    actions : list of SetLaunchConfiguration
        `robot_description`, the URDF's text, and `root_link`, where tf's tree begins.

    Raises
    ------
    TwoLinkError
        In one line, where the description is wrong and how.

    """
    path, words = value_of('urdf', context), value_of('xacro_args', context)
    try:
        xacro_args = dict(split_pair(word, ':=') for word in shlex.split(words))
    except ValueError:
        raise ParameterError('xacro_args', words, 'name:=value, separated by spaces') from None
    if load:
        with warnings.catch_warnings():
            # What is merely implausible, the nodes say.
            warnings.simplefilter('ignore', ModelWarning)
            load_arm(path, value_of('base_link', context) or None,
                     value_of('tip_link', context) or None, xacro_args=xacro_args)
    root = read_urdf(path, xacro_args).root
    text, _ = read_source(path, xacro_args)
    if isinstance(text, bytes):
        text = text.decode('utf-8-sig')
    return [SetLaunchConfiguration('robot_description', text),
            SetLaunchConfiguration('root_link', root)]


# --- nodes --------------------------------------------------------------------------------------

def ends_the_launch(name: str, only_if_failed: bool = False) -> Callable[..., Any]:
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
    def on_exit(event: Any, context: LaunchContext) -> Shutdown | None:
        if context.is_shutdown:
            return None
        if event.returncode:
            # An exception is the only way to make `ros2 launch` itself end with an exit code.
            raise RuntimeError(f'the {name} ended with exit code {event.returncode}')
        return None if only_if_failed else Shutdown(reason=f'the {name} ended')
    return on_exit


def node(package: str, executable: str, switch: str, parameters: Sequence[Any] = (),
         remappings: Sequence[tuple[str, Any]] = (), **options: Any) -> Node:
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


def text(argument: str) -> ParameterValue:
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


def arm() -> dict[str, ParameterValue]:
    """
    Return the parameters that say which arm a node of this package is about.

    Returns
    -------
    parameters : dict

    """
    return {name: text(name) for name in ('robot_description', 'base_link', 'tip_link')}


def trail(remappings: Sequence[tuple[str, Any]] = ()) -> Node:
    """
    Return the node that draws the way of the tip.

    Parameters
    ----------
    remappings : sequence of tuple of str

    Returns
    -------
    node : Node

    """
    return node(PACKAGE, 'trail', 'trail', name='trail', remappings=remappings,
                parameters=[LaunchConfiguration('trail_params'), arm()])


def show(remappings: Sequence[tuple[str, Any]] = ()) -> list[Node]:
    """
    Return the nodes that show the arm and where it should be.

    Parameters
    ----------
    remappings : sequence of tuple of str
        Of the arm's own joint states.

    Returns
    -------
    nodes : list of Node

    """
    model = {'robot_description': text('robot_description'), 'publish_frequency': 60.0}
    root = LaunchConfiguration('root_link')
    return [
        node('robot_state_publisher', 'robot_state_publisher', 'robot_state_publisher',
             name='robot_state_publisher', parameters=[model], remappings=remappings),
        node('robot_state_publisher', 'robot_state_publisher', 'ghost',
             name='desired_state_publisher',
             parameters=[model, {'frame_prefix': f'{GHOST}/'}],
             remappings=[('robot_description', f'{GHOST}/robot_description'),
                         ('joint_states', 'computed_torque_controller/reference')]),
        node('tf2_ros', 'static_transform_publisher', 'ghost', name='desired_root_publisher',
             arguments=['--frame-id', root, '--child-frame-id', [f'{GHOST}/', root]]),
        node('rviz2', 'rviz2', 'gui', name='rviz',
             arguments=['--display-config', LaunchConfiguration('rviz_config'),
                        '--fixed-frame', root]),
    ]
