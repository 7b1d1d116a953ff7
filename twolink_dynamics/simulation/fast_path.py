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
Quick ways: which of them may stand for the plain one, decided in one place.

The plain way of a run calls in every step the law's `effort` and the plant's `step`, which looks
at its arguments and asks the arm's `scalar` functions. The quick ways do the same operations in
the same order without the calls in between. They may stand for the plain way only where nobody
can tell: what a subclass overrides of an arm, a law or a plant closes them.

"""

from __future__ import annotations

from typing import Any, NamedTuple, Sequence, TYPE_CHECKING

from twolink_dynamics.array_types import Vector
from twolink_dynamics.dynamics.serial_dynamics import LOOP_CALLS
from twolink_dynamics.simulation.stiffness import may_be_stiff

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm
    from twolink_dynamics.model.two_link import TwoLinkConstants
    from twolink_dynamics.simulation.plant import Plant

__all__ = ['closed_form', 'computed_torque_form', 'ComputedTorqueForm', 'forms_in_one_loop',
           'forms_in_one_step', 'steps_unchecked']

#: The methods whose step can be written out: they use but sums and products.
WRITTEN_OUT = ('rk4', 'rk8', 'semi_implicit')


class ComputedTorqueForm(NamedTuple):
    """
    A law that is computed torque on a planar 2R model, and nothing else.

    Attributes
    ----------
    model : TwoLinkConstants
    kp, kd : sequence of float, length 2

    """

    model: TwoLinkConstants
    kp: Vector
    kd: Vector


def closed_form(arm: Arm, method: str = 'rk4') -> TwoLinkConstants | None:
    """
    Return the constants by which the steps of an arm can be written out.

    Parameters
    ----------
    arm : Arm
    method : str
        The integrator.

    Returns
    -------
    constants : TwoLinkConstants or None
        None unless it is a planar 2R arm that moves by the closed form alone.

    """
    if not arm.overridden.isdisjoint(LOOP_CALLS) or method not in WRITTEN_OUT:
        return None
    return getattr(arm, 'constants', None)


def computed_torque_form(law: Any) -> ComputedTorqueForm | None:
    """Return the form of a law that may be written out, or None."""
    form = getattr(law, 'compilable', None)
    if form is None:
        return None
    model = closed_form(form[0])
    return None if model is None else ComputedTorqueForm(model, *form[1:])


def steps_unchecked(plant: Plant) -> bool:
    """Tell whether :attr:`.Mechanics.advance` may stand for the plant's `step`."""
    return (not plant.overridden and plant.actuators.transparent and plant.sensors.perfect
            and plant.mechanics.rigid_bodies_only)


def forms_in_one_step(plant: Plant, law: Any
                      ) -> tuple[TwoLinkConstants, ComputedTorqueForm] | None:
    """Return what arm and law are where the unchecked step may have the law in it, or None."""
    constants, form = _form_of_steps(plant), computed_torque_form(law)
    return None if constants is None or form is None else (constants, form)


def forms_in_one_loop(plants: Sequence[Plant], laws: Sequence[Any]
                      ) -> tuple[list[TwoLinkConstants], list[ComputedTorqueForm]] | None:
    """
    Return what all arms and laws are where their runs may be one loop over arrays, or None.

    They may if all are of planar 2R arms, rigid bodies but for viscous friction, effort limits and
    stops, all under nothing or all under computed torque with a model of their elbow's direction.
    Without laws there are no forms.

    """
    constants = [_form_of_body(plant) for plant in plants]
    forms = [computed_torque_form(law) for law in laws if law is not None]
    if None in constants or None in forms or len(forms) not in (0, len(plants)):
        return None
    arms, models = [k for k in constants if k], [form for form in forms if form]
    if any(k.sign != form.model.sign for k, form in zip(arms, models)):
        return None
    return arms, models


def _form_of_body(plant: Plant) -> TwoLinkConstants | None:
    """Return what the arm is, of a plant that has but what a loop over arrays has."""
    options = plant.options
    if (plant.overridden or any(plant.friction) or options.ledger or options.payloads
            or options.tip_wrench is not None
            or not (plant.actuators.immediate and plant.sensors.perfect)):
        return None
    return _form_of_steps(plant)


def _form_of_steps(plant: Plant) -> TwoLinkConstants | None:
    """Return what the arm is, if its steps can be written out: a stiff arm's cannot."""
    if may_be_stiff(plant.arm, plant.damping, plant.dt):
        return None
    return closed_form(plant.arm, plant.options.method)
