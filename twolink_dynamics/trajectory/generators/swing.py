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

"""A swing of all joints to both sides of a posture, from rest to rest."""

import math
from typing import TYPE_CHECKING

import numpy as np

from twolink_dynamics.array_types import FloatArray, PerJoint
from twolink_dynamics.trajectory.generators.profiles import equidistant, period_and_cycles, \
    POINTS_PER_PERIOD, smooth_step
from twolink_dynamics.trajectory.limit_scaling import fit_period, room_to_swing
from twolink_dynamics.trajectory.trajectory import Trajectory
from twolink_dynamics.validation import per_joint

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm

__all__ = ['swing']


def _swing(center: FloatArray, amplitude: FloatArray, period: float, cycles: float,
           phase: FloatArray) -> Trajectory:
    """Return a sine in a smooth envelope."""
    duration = cycles * period
    t = equidistant(duration, max(2, math.ceil(cycles * POINTS_PER_PERIOD)))
    duration = t[-1]
    ramp = min(period, 0.5 * duration)
    side = np.where(t <= 0.5 * duration, 1.0, -1.0)
    E, Ed, Edd, _ = smooth_step(np.minimum(t, duration - t) / ramp)
    Ed, Edd = side * Ed / ramp, Edd / ramp ** 2
    w = 2.0 * math.pi / period
    angle = w * t[:, None] + phase
    S, Sd, Sdd = np.sin(angle), w * np.cos(angle), -w * w * np.sin(angle)
    E, Ed, Edd = E[:, None], Ed[:, None], Edd[:, None]
    qd = amplitude * (Ed * S + E * Sd)
    qdd = amplitude * (Edd * S + 2.0 * Ed * Sd + E * Sdd)
    qdd[0] = qdd[-1] = 0.0  # they are: but for the rounding of the times
    qd[0] = qd[-1] = 0.0
    return Trajectory(t, center + amplitude * E * S, qd, qdd)


def swing(arm: 'Arm', amplitude: PerJoint = 0.6, period: float | None = None,
          cycles: float | None = None, center: PerJoint | None = None,
          phase: PerJoint | None = None, *, duration: float | None = None) -> Trajectory:
    """
    Return a swing of all joints to both sides of a posture, within the arm's limits.

    Each joint follows a sine in an envelope that opens and closes over one period (half of the
    duration for less than two periods).

    Parameters
    ----------
    arm : Arm
    amplitude : float or array_like, shape (n,)
        [rad or m]; smaller for a joint whose limits need it.
    period : float, optional
        [s], 4 by default; longer if the velocity or effort limits need it.
    cycles : float, optional
        How many periods, ramps included; 1 by default.
    center : array_like, shape (n,), optional
        The middle posture, and where the swing starts and ends; by default zero, or what is next
        to it and has room for the amplitude.
    phase : array_like, shape (n,), optional
        [rad]; by default each joint is a quarter of a period ahead of the one before, so that the
        joints do not all turn back at once.
    duration : float, optional
        [s]: as many whole periods as come nearest to the `period`, or as long a one as gives the
        `cycles`.

    Returns
    -------
    trajectory : Trajectory

    Raises
    ------
    ShapeError, ParameterError
        If an argument is none of the arm's.
    TrajectoryError
        If the arm's efforts do not even suffice for a slow swing.

    """
    n = arm.n
    first, count = period_and_cycles(period, cycles, duration)
    size = np.abs(per_joint('amplitude', amplitude, n))
    ahead = 0.5 * math.pi * np.arange(n) if phase is None else phase
    angle = np.array(per_joint('phase', ahead, n))
    middle, size = room_to_swing(
        arm, size, None if center is None else np.array(per_joint('center', center, n)))
    return fit_period(arm, first, lambda p: _swing(middle, size, p, count, angle))
