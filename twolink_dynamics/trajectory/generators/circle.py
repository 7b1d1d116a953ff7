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

"""A circle of the tip, from rest to rest."""

import math
from typing import TYPE_CHECKING

from twolink_dynamics.array_types import FloatArray, PerJoint, Vector
from twolink_dynamics.trajectory.generators.profiles import period_and_cycles
from twolink_dynamics.trajectory.generators.tip_curves import closed_curve, RAMPS, TipCurve
from twolink_dynamics.trajectory.trajectory import Trajectory

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm

__all__ = ['circle']


def circle(arm: 'Arm', center: Vector | None = None, radius: float | None = None,
           period: float | None = None, cycles: float | None = None,
           q0: PerJoint | None = None, *, duration: float | None = None) -> Trajectory:
    """
    Return the joints' motion for a circle of the tip, in the plane the tip moves in.

    The tip gathers speed over half a period, keeps it, and comes to rest likewise: the duration is
    ``(cycles + 1/2) period``. Positions come from the arm's inverse kinematics, velocities and
    accelerations from its Jacobian (theory.md T1); the joints of a redundant arm follow one motion
    with its own derivatives, and need not come back to where they started.

    Parameters
    ----------
    arm : Arm
        One whose tip moves in a plane at least; one that moves in space draws in the base's xy.
    center : array_like, shape (3,), optional
        In the base frame [m]; by default where the tip is with the elbow at a right angle.
    radius : float, optional
        [m]; by default a fifth of the arm's reach, or less where that cannot be reached.
    period : float, optional
        Of one turn at full speed [s], 4 by default; longer if the velocity or effort limits need
        it.
    cycles : float, optional
        How many turns; 1 by default.
    q0 : array_like, shape (n,), optional
        A posture that the start shall be near to (it chooses the side the elbow is on).
    duration : float, optional
        [s]: as many whole turns as come nearest to the `period`, or as slow ones as give the
        `cycles`.

    Returns
    -------
    trajectory : Trajectory

    Raises
    ------
    TrajectoryError
        If the arm cannot reach a point of the circle; the message says how near it gets.
    UnsupportedModelError
        If the arm's tip moves along a line only.
    ShapeError, ParameterError
        If an argument cannot be.

    """
    def shape(axes: FloatArray, radius: float) -> TipCurve:
        return lambda phi: (radius * (math.cos(phi) * axes[0] + math.sin(phi) * axes[1]),
                            radius * (math.cos(phi) * axes[1] - math.sin(phi) * axes[0]),
                            -radius * (math.cos(phi) * axes[0] + math.sin(phi) * axes[1]))

    return closed_curve(arm, 'circle', shape, center, radius, q0,
                        period_and_cycles(period, cycles, duration, RAMPS))
