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

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, OpaqueFunction, SetLaunchConfiguration
from launch.launch_context import LaunchContext
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

from twolink_dynamics.nodes.launch_parts import argument, arm, arm_arguments, description, \
    ends_the_launch, node, PACKAGE, share, show, switch, text, trail, value_of, view_arguments
from twolink_dynamics.registry import names


def arguments() -> list[DeclareLaunchArgument]:
    """
    Return the arguments, each with what it means.

    Returns
    -------
    arguments : list of DeclareLaunchArgument

    """
    return [
        argument('urdf', share('urdf', 'twolink.urdf.xacro'),
                 'The arm: path of a URDF or xacro file.'),
        *arm_arguments(),
        argument('trajectory', 'swing',
                 f'What the reference sends: {", ".join(names("motion"))}, or module:function.'),
        argument('motion_options', '',
                 "What else the motion takes, such as 'radius=0.2 duration=6'."),
        argument('namespace', '',
                 'Namespace of everything, so that several arms can run beside each other.'),
        switch('use_sim_time',
               "Run all nodes on the simulator's clock instead of the system's.", 'false'),
        switch('simulator', 'Simulate the arm; false with a real one, or another simulator.'),
        switch('controller', 'Control the arm; false leaves the efforts to another controller.'),
        switch('reference', 'Send trajectories; false leaves that to you: the arm holds still.'),
        switch('robot_state_publisher', "Publish the arm's description and its frames on tf."),
        argument('simulator_params', share('config', 'simulator.yaml'),
                 "YAML file with the simulator's parameters."),
        argument('controller_params', share('config', 'controller.yaml'),
                 "YAML file with the controller's parameters."),
        argument('reference_params', share('config', 'reference.yaml'),
                 "YAML file with the reference's parameters."),
        *view_arguments('true'),
    ]


def read_arm(context: LaunchContext) -> list[SetLaunchConfiguration]:
    """
    Read the description once; try to load the arm if a node will.

    Parameters
    ----------
    context : LaunchContext

    Returns
    -------
    actions : list of SetLaunchConfiguration

    """
    return description(context, 'true' in [
        value_of(name, context).lower() for name in ('simulator', 'controller', 'reference')])


def loop() -> list[Node]:
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
                         {name: text(name) for name in ('trajectory', 'motion_options')}],
             on_exit=ends_the_launch('reference', only_if_failed=True)),
    ]


def generate_launch_description() -> LaunchDescription:
    """
    Return what `ros2 launch` starts.

    Returns
    -------
    description : LaunchDescription

    """
    return LaunchDescription([
        *arguments(), OpaqueFunction(function=read_arm), *loop(), trail(), *show()])
