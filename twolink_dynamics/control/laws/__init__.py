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

from inspect import signature

from twolink_dynamics.control.friction_compensation import friction_coefficients
from twolink_dynamics.control.gains import gains_of
from twolink_dynamics.control.laws.adaptive import Adaptive
from twolink_dynamics.control.laws.computed_torque import ComputedTorque
from twolink_dynamics.control.laws.joint_feedback import FeedforwardPD, GravityPD, IndependentPID
from twolink_dynamics.control.laws.joint_impedance import JointImpedance
from twolink_dynamics.control.laws.operational_space import OperationalSpace
from twolink_dynamics.control.laws.passivity import Passivity
from twolink_dynamics.control.laws.sampled_computed_torque import SampledComputedTorque
from twolink_dynamics.errors import ParameterError

__all__ = ['ComputedTorque', 'LAWS', 'friction_coefficients', 'gains_of', 'make_law']

LAWS = {law.name: law for law in (
    ComputedTorque, SampledComputedTorque, FeedforwardPD, GravityPD, IndependentPID, Passivity,
    Adaptive, OperationalSpace, JointImpedance)}


def make_law(name, arm, **options):
    """
    Return a control law.

    Parameters
    ----------
    name : str
        One of `LAWS`.
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
    if name not in LAWS:
        raise ParameterError('law', name, 'one of ' + ', '.join(LAWS))
    law = LAWS[name]
    known = {key for base in law.__mro__[:-1] if '__init__' in vars(base)
             for key in signature(base.__init__).parameters} - {'self', 'arm', 'args', 'options'}
    for key in options:
        if key not in known:
            raise ParameterError(key, options[key],
                                 f'to be left out: {name} takes {", ".join(sorted(known))}')
    return law(arm, **options)
