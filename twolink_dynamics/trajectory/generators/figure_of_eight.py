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

"""A figure of eight of the tip, from rest to rest."""

import math
from typing import TYPE_CHECKING

from twolink_dynamics.array_types import FloatArray, PerJoint, Vector
from twolink_dynamics.trajectory.generators.profiles import period_and_cycles
from twolink_dynamics.trajectory.generators.tip_curves import closed_curve, RAMPS, TipCurve
from twolink_dynamics.trajectory.trajectory import Trajectory

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm

__all__ = ['figure_of_eight']


def figure_of_eight(arm: 'Arm', center: Vector | None = None, radius: float | None = None,
                    period: float | None = None, cycles: float | None = None,
                    q0: PerJoint | None = None, *, duration: float | None = None) -> Trajectory:
    """
    Return the joints' motion for a figure of eight of the tip, in the plane the tip moves in.

    It is Gerono's: twice as long as it is high, crossing itself in the center, where it starts.

    Parameters
    ----------
    arm, center, period, cycles, q0, duration
        As of :func:`~twolink_dynamics.trajectory.circle`.
    radius : float, optional
        Half of its length [m]; by default as of a circle.

    Returns
    -------
    trajectory : Trajectory

    Raises
    ------
    TrajectoryError, UnsupportedModelError, ShapeError, ParameterError
        As of a circle.

    """
    def shape(axes: FloatArray, radius: float) -> TipCurve:
        return lambda phi: (
            radius * (math.sin(phi) * axes[0] + 0.5 * math.sin(2.0 * phi) * axes[1]),
            radius * (math.cos(phi) * axes[0] + math.cos(2.0 * phi) * axes[1]),
            -radius * (math.sin(phi) * axes[0] + 2.0 * math.sin(2.0 * phi) * axes[1]))

    return closed_curve(arm, 'figure of eight', shape, center, radius, q0,
                        period_and_cycles(period, cycles, duration, RAMPS))
