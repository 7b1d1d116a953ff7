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

"""Compensation of joint friction: how much effort the joints themselves take."""

import math
from typing import TYPE_CHECKING

from twolink_dynamics.array_types import Vector

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm

__all__ = ['COULOMB_VELOCITY', 'Coefficients', 'friction_coefficients', 'friction_effort']

# [rad/s or m/s]: below it the desired motion counts as slow, and Coulomb compensation fades out.
COULOMB_VELOCITY = 1e-2

#: Viscous and Coulomb friction of each joint.
Coefficients = tuple[tuple[float, ...], tuple[float, ...]]


def friction_coefficients(arm: 'Arm') -> Coefficients:
    """
    Return an arm's joint friction, as its description gives it.

    Parameters
    ----------
    arm : Arm

    Returns
    -------
    viscous, coulomb : tuple of float, length n
        [N m s/rad or N s/m] and [N m or N].

    """
    joints = arm.chain.joints
    return (tuple(float(joint.damping) for joint in joints),
            tuple(float(joint.friction) for joint in joints))


def friction_effort(tau: Vector, coefficients: Coefficients, qd: Vector,
                    qd_d: Vector) -> list[float]:
    """
    Return efforts with those added that overcome friction.

    The Coulomb part has the direction of the desired velocity, since the sign of a measured one
    near zero would chatter.

    Parameters
    ----------
    tau : sequence of float, length n
    coefficients : tuple of two sequences of float, length n
        Viscous and Coulomb.
    qd, qd_d : sequence of float, length n
        The velocity for the viscous part, and the desired one.

    Returns
    -------
    tau : list of float, length n

    """
    viscous, coulomb = coefficients
    return [x + b * w + c * math.tanh(v / COULOMB_VELOCITY)
            for x, b, w, c, v in zip(tau, viscous, qd, coulomb, qd_d)]
