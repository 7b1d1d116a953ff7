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

"""The law and the model that parameters mean: the one way from their values to a law."""

from types import SimpleNamespace
from typing import Any, TYPE_CHECKING

from twolink_dynamics import registry
from twolink_dynamics.array_types import Vector
from twolink_dynamics.control.gains import FORMS
from twolink_dynamics.control.law import Law
from twolink_dynamics.control.laws import make_law
from twolink_dynamics.options import named_values

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm

__all__ = ['DEFAULTS', 'gains', 'law_of', 'model_of']

#: What the parameters of the gains are if nobody sets them; the others are not set then.
DEFAULTS = {'natural_frequency': (20.0,), 'damping_ratio': (1.0,)}


def gains(values: SimpleNamespace) -> dict[str, Any]:
    """
    Return the gains that the parameters mean, as arguments of a law.

    Parameters
    ----------
    values : namespace
        With kp, kd, ki, natural_frequency, damping_ratio; lists, None where not set. A default
        makes way for the other form of the gain; two forms that somebody set do not go together.

    Returns
    -------
    gains : dict

    """
    said = {name: getattr(values, name) for name in ('ki', *sum(FORMS, ()))}
    for form, other in FORMS:
        if said[form] is not None and tuple(said[other] or ()) == DEFAULTS[other]:
            said[other] = None
    return {name: value for name, value in said.items() if value is not None}


def law_of(values: SimpleNamespace, arm: 'Arm') -> Law:
    """
    Return the law that the parameters mean.

    Parameters
    ----------
    values : namespace
        With `law`, a name or ``module:Class``, the gains, `friction_compensation`, whatever a law
        takes by the name it has there, and `law_options`, a text of ``NAME=VALUE`` for what has no
        parameter of its own.
    arm : Arm
        The model.

    Returns
    -------
    law : Law

    Raises
    ------
    TwoLinkError
        If a value does not fit.

    """
    known = set(registry.options(registry.find('law', values.law))) - set(sum(FORMS, ('ki',)))
    options = {name: value for name, value in vars(values).items() if name in known}
    options.update(named_values('law_options', values.law_options))
    return make_law(values.law, arm, **{**gains(values), **options,
                                        'friction': values.friction_compensation})


def model_of(values: SimpleNamespace, arm: 'Arm', gravity: Vector | None = None) -> 'Arm':
    """
    Return the arm with the load and the gravity that the parameters mean.

    Parameters
    ----------
    values : namespace
    arm : Arm
        As its description says.
    gravity : sequence of float, length 3, optional
        From a sensor; that of the parameters if not given.

    Returns
    -------
    arm : Arm

    """
    if values.payload_mass:
        arm = arm.with_payload(values.payload_mass, values.payload_com)
    gravity = tuple(values.gravity if gravity is None else gravity)
    return arm if gravity == tuple(arm.gravity) else arm.with_gravity(gravity)
