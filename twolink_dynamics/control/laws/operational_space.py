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

"""Operational-space control: the error is the tip's, the joints follow (Khatib, 1987)."""

import math
from typing import Any, TYPE_CHECKING

import numpy as np

from twolink_dynamics.array_types import DesiredState, FloatArray, PerJoint, Vector
from twolink_dynamics.control.law import Law
from twolink_dynamics.errors import ParameterError
from twolink_dynamics.spatial import rotation_vector

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm

__all__ = ['OperationalSpace']

# Directions in which the tip is this much harder to move than in the easiest (square roots of the
# eigenvalues of J M^-1 J') are damped; below the second, they are none of the tip's.
SINGULAR, NONE = 0.05, 1e-6


class OperationalSpace(Law):
    r"""
    Operational-space control: the error of the tip obeys ``e'' + kd e' + kp e = 0``.

    .. math:: \ddot q = \bar J (\ddot x_d + K_d \dot e_x + K_p e_x - \dot J \dot q)
              + (1 - \bar J J) \ddot q_0, \quad \tau = M \ddot q + C \dot q + G + F

    with the dynamically consistent inverse :math:`\bar J = M^{-1} J^T (J M^{-1} J^T)^{-1}`. The
    desired tip motion is that of the desired joint motion. What the tip leaves free (a redundant
    arm's null space) follows the desired joint motion with the same gains, without accelerating
    the tip. Near a singularity the inverse is damped, and the null space takes over the directions
    that are lost: there the law is computed torque in the joints, never NaN.

    Parameters
    ----------
    arm : Arm
    kp, kd, natural_frequency, damping_ratio, friction
        As of :class:`~twolink_dynamics.control.law.Law`: of the joints in the null space, and of
        the tip; there the joints' mean, if they differ.
    task : {'position', 'pose'}, optional
        What of the tip; by default the pose for 6 joints and more.

    """

    name = 'operational_space'
    integrates = False

    def __init__(self, arm: 'Arm', kp: PerJoint | None = None, kd: PerJoint | None = None,
                 ki: PerJoint | None = None, *, task: str | None = None, **options: Any) -> None:
        super().__init__(arm, kp, kd, ki, **options)
        if task not in (None, 'position', 'pose'):
            raise ParameterError('task', task, "'position' or 'pose'")
        self.task = task or ('pose' if arm.n >= 6 else 'position')

    def _gains_changed(self) -> None:
        self._tip_gains = sum(self._kp) / self.n, sum(self._kd) / self.n

    def effort(self, t: float, q: Vector, qd: Vector, desired: DesiredState) -> Vector:
        """Return the efforts: see :meth:`Law.effort`."""
        numbers = np.array([q, qd, *desired], dtype=float)
        if not np.isfinite(numbers).all():
            return [math.nan] * self.n
        q_, qd_, q_d, qd_d, qdd_d = numbers
        joint = qdd_d + np.array(self._kd) * (qd_d - qd_) + np.array(self._kp) * (q_d - q_)
        J, tip, drift = self._tip_motion(q_, qd_, q_d, qd_d, qdd_d)
        try:
            Minv_Jt = np.linalg.solve(self.arm.mass_matrix(q_), J.T)
            inverse = Minv_Jt @ _damped_inverse(J @ Minv_Jt)
            joint = joint + inverse @ (tip - drift - J @ joint)
        except np.linalg.LinAlgError:
            pass  # a joint that moves no inertia: the tip is not to be moved by efforts
        tau = self._model.inverse_dynamics(q, qd, joint.tolist())
        return self._with_friction(tau, qd, desired[1])

    def _tip_motion(self, q: FloatArray, qd: FloatArray, q_d: FloatArray, qd_d: FloatArray,
                    qdd_d: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return J, the acceleration desired of the tip, and its acceleration if qdd were zero."""
        arm, rows = self.arm, 6 if self.task == 'pose' else 3
        # One state at a time: of two at once each would take longer.
        J, J_d = arm.jacobian(q)[:rows], arm.jacobian(q_d)[:rows]
        Jd = arm.jacobian_derivative(q, qd)[:rows]
        Jd_d = arm.jacobian_derivative(q_d, qd_d)[:rows]
        pose, pose_d = arm.tip_pose(q), arm.tip_pose(q_d)
        error = pose_d[:3, 3] - pose[:3, 3]
        if rows == 6:
            turn = rotation_vector(pose_d[:3, :3].ravel().tolist(), pose[:3, :3].ravel().tolist())
            error = np.concatenate([error, turn])
        kp, kd = self._tip_gains
        desired = J_d @ qdd_d + Jd_d @ qd_d + kd * (J_d @ qd_d - J @ qd) + kp * error
        return J, desired, Jd @ qd


def _damped_inverse(A: FloatArray) -> FloatArray:
    """Return the inverse of a symmetric positive semidefinite matrix, damped where it has none."""
    w, V = np.linalg.eigh(A)
    size = np.sqrt(np.maximum(w, 0.0) / max(w[-1], 1e-300))
    damping = np.where(size < SINGULAR, 1.0 - (size / SINGULAR) ** 2, 0.0) * SINGULAR ** 2 * w[-1]
    gain = np.where(size > NONE, w / (w * w + damping ** 2 + 1e-300), 0.0)
    return (V * gain) @ V.T
