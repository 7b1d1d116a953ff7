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

"""The law, the model and their gains, as parameters say them."""

from twolink_dynamics.control.laws import make_law

__all__ = ['gains', 'law_of', 'model_of']


def gains(values):
    """
    Return the gains that the parameters mean, as arguments of a law.

    Parameters
    ----------
    values : namespace
        With kp, kd, ki, natural_frequency, damping_ratio; lists, None where not set.

    Returns
    -------
    gains : dict

    """
    kp = values.kp if values.kp is not None else [w * w for w in values.natural_frequency]
    arguments = {'kp': kp}
    if values.ki is not None:
        arguments['ki'] = values.ki
    if values.kd is not None:
        arguments['kd'] = values.kd
    else:
        arguments['damping_ratio'] = values.damping_ratio
    return arguments


def law_of(values, arm):
    """
    Return the law that the parameters mean.

    Parameters
    ----------
    values : namespace
    arm : Arm
        The model.

    Returns
    -------
    law : Law

    Raises
    ------
    TwoLinkError
        If a gain does not fit.

    """
    special = {
        'joint_impedance': {'stiffness': values.stiffness, 'damping': values.damping},
        'adaptive': {'adaptation': values.adaptation},
        'sampled_computed_torque': {'period': values.period},
    }.get(values.law, {})
    return make_law(values.law, arm, friction=values.friction_compensation, **gains(values),
                    **special)


def model_of(values, arm, gravity=None):
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
