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

"""LQR at a set point: a law of another package."""

import numpy as np
from scipy.linalg import block_diag, solve_continuous_are

from twolink_dynamics.control import Law
from twolink_dynamics.validation import per_joint


class SetPointLqr(Law):
    """
    The desired motion's own efforts, and the optimal feedback of the arm at a set point.

    Errors and accelerations are weighted so that without gravity and coupling the gains would be
    `kp` and `kd`.

    """

    name = 'lqr'
    integrates = False

    def __init__(self, arm, kp=None, kd=None, ki=None, *, set_point=0.0, **options):
        super().__init__(arm, kp, kd, ki, **options)
        self.set_point = per_joint('set_point', set_point, arm.n)

    def _arm_changed(self):
        n, q, step = self.n, np.array(self.set_point), 1e-5 * np.eye(self.n)
        stiffness = (self.arm.gravity_vector(q + step) - self.arm.gravity_vector(q - step)) / 2e-5
        inverse = np.linalg.inv(self.arm.mass_matrix(q))
        zero = np.zeros((n, n))
        self._A = np.block([[zero, np.eye(n)], [-inverse @ stiffness.T, zero]])
        self._B = np.vstack([zero, inverse])
        self._R = inverse.T @ inverse

    def _gains_changed(self):
        kp, kd = np.array(self._kp), np.array(self._kd)
        Q = block_diag(np.diag(kp ** 2), np.diag(np.maximum(kd ** 2 - 2.0 * kp, 0.0)))
        S = solve_continuous_are(self._A, self._B, Q, self._R)
        self._K = np.linalg.solve(self._R, self._B.T @ S)

    def effort(self, t, q, qd, desired):
        """Return the efforts."""
        q_d, qd_d, _ = desired
        feedback = self._K @ np.concatenate([np.subtract(q_d, q), np.subtract(qd_d, qd)])
        tau = np.add(self._model.inverse_dynamics(*desired), feedback).tolist()
        return self._with_friction(tau, qd_d, qd_d)
