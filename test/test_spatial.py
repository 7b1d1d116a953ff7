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

"""Rotations: a vector of a turn, and a turn of a vector."""

import numpy as np
import pytest

from twolink_dynamics.spatial import axis_rotation, rotation_vector, rpy_rotation


@pytest.mark.parametrize('angle', [0.0, 1e-9, 1e-5, 0.3, 1.7, 3.0, np.pi - 1e-9, np.pi])
def test_a_rotation_vector_is_axis_times_angle(angle):
    axis = np.array([0.36, -0.48, 0.8])
    start = rpy_rotation(0.3, -0.2, 1.0)
    turned = axis_rotation(axis, angle) @ start
    found = np.array(rotation_vector(turned.ravel().tolist(), start.ravel().tolist()))
    if angle == np.pi:     # either way round is the short way
        found *= np.sign(found @ axis)
    # Near half a turn the axis comes of the symmetric part, whose columns turn by the angle that
    # is missing to half a turn; elsewhere eps over the sine, at most 10.
    np.testing.assert_allclose(found, angle * axis, rtol=0.0, atol=4e-9 if angle > 3.1 else 2e-14)


def test_a_rotation_and_its_inverse_have_opposite_vectors():
    a, b = (rpy_rotation(*angles).ravel().tolist() for angles in ((0.3, 1.0, -2.0), (1, -0.4, 2)))
    # Both are sums of the same products in another order.
    np.testing.assert_allclose(rotation_vector(a, b), -np.array(rotation_vector(b, a)), atol=1e-14)
