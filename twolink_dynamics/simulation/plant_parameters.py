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

"""The simulator's parameters about its plant, and the options that they make."""

from dataclasses import replace
from typing import Any, TYPE_CHECKING

import numpy as np

from twolink_dynamics.array_types import FloatArray
from twolink_dynamics.dynamics.factory import load_arm
from twolink_dynamics.errors import ParameterError
from twolink_dynamics.options import declared, Option, parameters
from twolink_dynamics.simulation.plant_options import Payload, PlantOptions, SEED

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm

__all__ = ['PAYLOAD', 'PLANT', 'payload', 'plant_options']

# A finer encoder than this has more steps in a turn than a float can count.
FINEST_RESOLUTION = 1e-12


def _of_a_node(entry: Option) -> Option:
    """Return the option as a node has it: it steps at its rate, whatever the error of a step."""
    if entry.name != 'integrator':
        return entry
    return replace(entry, choices=tuple(x for x in entry.allowed if x != 'adaptive'))


#: The parameters of the plant.
PLANT = (*map(_of_a_node, parameters(PlantOptions)), SEED, *parameters(Payload))

#: The names of what says what is carried.
PAYLOAD = tuple(entry.name for entry in parameters(Payload))


def plant_options(values: Any, model: 'Arm') -> PlantOptions:
    """
    Return the options of the simulator's plant.

    Parameters
    ----------
    values : object
        One attribute per parameter of `PLANT`; ``base_link``, ``tip_link``, ``gravity``.
    model : Arm
        The arm that the controller knows.

    Returns
    -------
    options : PlantOptions

    Raises
    ------
    ParameterError
        If a parameter does not fit the arm.
    ModelError
        If there is no such other arm.

    """
    options = {field: getattr(values, entry.name)
               for field, entry in declared(PlantOptions).items() if entry.parameter}
    for field, entry in declared(PlantOptions).items():
        given = options.get(field)
        if not entry.per_joint or given is None:
            continue
        if len(given) not in (1, model.n):
            raise ParameterError(field, list(given),
                                 f'one number, or {model.n}, one per joint from base to tip')
        options[field] = given * model.n if len(given) == 1 else given
    if any(0.0 < x < FINEST_RESOLUTION for x in options['encoder_resolution']):
        raise ParameterError('encoder_resolution', list(values.encoder_resolution),
                             f'0, or not below {FINEST_RESOLUTION:g}')
    return PlantOptions(**{**options, 'arm': _other_arm(values, model)})


def _other_arm(values: Any, model: 'Arm') -> 'Arm | None':
    if not values.plant_description:
        return None
    arm = load_arm(values.plant_description, base_link=values.base_link or None,
                   tip_link=values.tip_link or None, gravity=values.gravity)
    if arm.joint_names != model.joint_names:
        raise ParameterError('plant_description', ', '.join(arm.joint_names),
                             f'an arm with the joints {", ".join(model.joint_names)}')
    arm.warm_up()
    return arm


def payload(values: Any) -> tuple[float, tuple[float, ...], FloatArray | None] | None:
    """
    Return what the arm carries.

    Parameters
    ----------
    values : object
        One attribute per parameter of `PLANT`.

    Returns
    -------
    load : tuple of mass, com, inertia, or None
        As :meth:`.Plant.pick_up` takes it; None for nothing.

    Raises
    ------
    ParameterError
        If no body has such an inertia.

    """
    if not values.payload_mass:
        return None
    inertia = None
    if values.payload_inertia is not None:
        xx, xy, xz, yy, yz, zz = values.payload_inertia
        inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        principal = np.linalg.eigvalsh(inertia)
        # For every body two principal moments add up to the third or more; 1e-9 is for rounding.
        if principal[2] * (1.0 - 1e-9) > principal[0] + principal[1] or principal[2] < 0.0:
            raise ParameterError(
                'payload_inertia', list(values.payload_inertia),
                'an inertia that a body can have: no principal moment (here '
                f'{", ".join(f"{x:.4g}" for x in principal)}) larger than the other two together')
    return values.payload_mass, values.payload_com, inertia
