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

"""Result of inverse kinematics."""

from __future__ import annotations

from dataclasses import dataclass

from twolink_dynamics.array_types import FloatArray

__all__ = ['IKResult']


@dataclass(frozen=True, eq=False)
class IKResult:
    """
    The joint positions that put the tip on the target, or as near as it gets.

    Attributes
    ----------
    q : ndarray, shape (n,)
        Joint positions [rad or m], within the limits; for a turning joint the multiple of a turn
        that is nearest to the start.
    success : bool
        Whether the tip is there to the tolerances.
    iterations : int
        Newton iterations of the start that is answered; 0 for the closed form.
    position_error : float
        Distance of the tip from the target [m].
    rotation_error : float
        Angle of the tip from the target [rad]; 0 where the target has no rotation.
    reason : str
        Why not, in words; empty on success.
    nearest : ndarray, shape of the target
        What the tip does reach at `q`, in the target's own terms.
    starts : int
        How many start vectors were tried; 0 for the closed form.
    rounding : float
        How far the target's rotation was from being one (Frobenius norm): `rotation_error` is
        measured from the nearest that is one.

    """

    q: FloatArray
    success: bool
    iterations: int
    position_error: float
    rotation_error: float
    reason: str
    nearest: FloatArray
    starts: int = 0
    rounding: float = 0.0

    def __bool__(self) -> bool:
        """Whether the target is reached, so that ``if arm.inverse_kinematics(x):`` works."""
        return self.success
