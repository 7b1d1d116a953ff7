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

"""Friction of the joints: what `<dynamics damping friction>` describes."""

from __future__ import annotations

import numpy as np

from twolink_dynamics.array_types import FloatArray

__all__ = ['friction_torque']


def friction_torque(qd: FloatArray, damping: FloatArray, coulomb: FloatArray) -> FloatArray:
    """
    Return viscous and Coulomb friction, ``B qd + fc sign(qd)`` (theory.md L8).

    At rest the Coulomb part is zero: what holds a joint that sticks depends on the effort too, and
    is the integrator's business.

    Parameters
    ----------
    qd : ndarray, shape (..., n)
        Joint velocities [rad/s or m/s].
    damping : ndarray, shape (n,)
        Viscous coefficients [N m s/rad or N s/m].
    coulomb : ndarray, shape (n,)
        Coulomb friction [N m or N].

    Returns
    -------
    tau : ndarray, shape (..., n)
        What friction takes of the joint efforts, with the sign of the velocity [N m or N].

    """
    return damping * qd + coulomb * np.sign(qd)
