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

"""Points fixed to the bodies move as the bodies do."""

from chains import chain_of, random_segments
import numpy as np
import pytest

from twolink_dynamics.dynamics.arm import Arm


@pytest.mark.parametrize('n', [1, 2, 5])
def test_velocities_of_the_centres_of_mass_are_the_derivatives_of_their_positions(n):
    rng = np.random.default_rng(n)
    arm = Arm(chain_of(random_segments(rng, n)))
    q, qd = rng.uniform(-2, 2, (2, 4, n))
    step = 1e-6
    ahead, behind = arm.centers_of_mass(q + step * qd), arm.centers_of_mass(q - step * qd)
    expected = (ahead - behind) / (2.0 * step)
    # Central differences: the cube of the motion in a step, and eps / step of rounding.
    np.testing.assert_allclose(arm.center_of_mass_velocities(q, qd), expected, rtol=0, atol=1e-8)
    one = arm.center_of_mass_velocities(q[2], qd[2])
    # n products of turns of at most qd, each rounded: BLAS may sum one state in another order.
    bound = 8 * n * np.finfo(float).eps * np.abs(expected).max()
    np.testing.assert_allclose(one, arm.center_of_mass_velocities(q, qd)[2], rtol=0, atol=bound)
