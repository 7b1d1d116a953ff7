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
The control laws by name.

A law is a small object with ``effort(t, q, qd, desired) -> tau``, ``reset()``, ``set_gains()`` and
``set_arm()``: see :class:`~twolink_dynamics.control.law.Law`.

"""

from typing import Any, TYPE_CHECKING

from twolink_dynamics import registry
from twolink_dynamics.control.friction_compensation import friction_coefficients
from twolink_dynamics.control.gains import gains_of
from twolink_dynamics.control.law import Law
from twolink_dynamics.control.laws.adaptive import Adaptive
from twolink_dynamics.control.laws.computed_torque import ComputedTorque
from twolink_dynamics.control.laws.feedforward_pd import FeedforwardPD
from twolink_dynamics.control.laws.gravity_pd import GravityPD
from twolink_dynamics.control.laws.independent_pid import IndependentPID
from twolink_dynamics.control.laws.joint_impedance import JointImpedance
from twolink_dynamics.control.laws.operational_space import OperationalSpace
from twolink_dynamics.control.laws.passivity import Passivity
from twolink_dynamics.control.laws.sampled_computed_torque import SampledComputedTorque
from twolink_dynamics.errors import ParameterError

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm

__all__ = ['ComputedTorque', 'LAWS', 'friction_coefficients', 'gains_of', 'make_law']

LAWS = {law.name: law for law in (
    ComputedTorque, SampledComputedTorque, FeedforwardPD, GravityPD, IndependentPID, Passivity,
    Adaptive, OperationalSpace, JointImpedance)}


def make_law(name: str, arm: 'Arm', **options: Any) -> Law:
    """
    Return a control law by name.

    Parameters
    ----------
    name : str
        One of ``registry.names('law')``, or ``module:Class``.
    arm : Arm
    **options
        Gains, and what else the law takes.

    Returns
    -------
    law : Law

    Raises
    ------
    ParameterError
        If there is no such law, or it has no such option.
    ShapeError, NonFiniteError
        As the law says.

    Examples
    --------
    >>> import twolink_dynamics as tl
    >>> make_law('gravity_pd', tl.TwoLinkArm(), natural_frequency=10.0).gains[0]
    (100.0, 100.0)

    """
    law = registry.make('law', name, arm, **options)
    if not isinstance(law, Law):
        raise ParameterError('law', name, f'a class derived from Law, not {type(law).__name__}')
    return law
