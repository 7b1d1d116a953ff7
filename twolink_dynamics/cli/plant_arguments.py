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

"""The arguments that say what a simulated arm has besides its rigid bodies."""

import argparse
from typing import Callable, TYPE_CHECKING

from twolink_dynamics.errors import ParameterError
from twolink_dynamics.options import declared
from twolink_dynamics.options.command_line import add_arguments, from_arguments
from twolink_dynamics.simulation.plant_options import Payload, PlantOptions, SEED

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm

__all__ = ['add_plant_arguments', 'plant_options']


def add_plant_arguments(parser: argparse.ArgumentParser) -> None:
    """
    Add the options of the plant.

    Parameters
    ----------
    parser : argparse.ArgumentParser

    """
    group = parser.add_argument_group(
        'the plant', 'What the simulated arm has that the model of the law has not. V ... is one '
        'number for all joints, or one for each.')
    add_arguments(group, (*declared(PlantOptions).values(), SEED, *declared(Payload).values()))


def plant_options(args: argparse.Namespace, arm_of: 'Callable[[str], Arm]') -> PlantOptions:
    """
    Return the options of the plant.

    Parameters
    ----------
    args : argparse.Namespace
    arm_of : callable
        From a path to an arm.

    Returns
    -------
    options : PlantOptions

    Raises
    ------
    TwoLinkError
        If an option cannot be.

    """
    given = from_arguments(args, declared(PlantOptions))
    load = from_arguments(args, declared(Payload))
    if load:
        if 'mass' not in load:
            raise ParameterError('--payload', None, 'a mass, where the load is described')
        given['payloads'] = (Payload(**load),)
    if 'arm' in given:
        given['arm'] = arm_of(given['arm'])
    return PlantOptions(**given)
