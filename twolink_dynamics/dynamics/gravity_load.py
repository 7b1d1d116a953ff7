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

"""Gravity load of each joint in its worst pose: whether the motors can hold the arm."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from twolink_dynamics.array_types import FloatArray
from twolink_dynamics.kinematics.coordinate_ascent import maximize

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm

__all__ = ['gravity_load']


def gravity_load(arm: Arm) -> tuple[FloatArray, FloatArray]:
    """
    Return the largest effort each joint needs to hold the arm against gravity.

    Within the joints' limits; a prismatic joint without limits is held at zero.

    Parameters
    ----------
    arm : Arm

    Returns
    -------
    effort : ndarray, shape (n,)
        Magnitudes of the holding efforts [N m or N], each at its own worst pose (theory.md L7).
    q : ndarray, shape (n, n)
        The worst pose for each joint [rad or m].

    """
    n = arm.n
    prismatic = [kind == 'prismatic' for kind in arm.joint_types]

    def both_ways(q: FloatArray) -> FloatArray:
        G = arm.gravity_vector(q)
        return np.concatenate([G, -G], axis=1)

    effort, q = maximize(both_ways, arm.limits, prismatic)
    pick = np.where(effort[:n] >= effort[n:], np.arange(n), n + np.arange(n))
    return effort[pick], q[pick]
