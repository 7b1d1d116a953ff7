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

"""Inverse dynamics is linear in the inertial parameters, and the regressor is the matrix of it."""

from chains import chain_of, random_segments, urdf_of
import numpy as np
import pytest

from twolink_dynamics import load_arm
from twolink_dynamics.dynamics.serial_dynamics import SerialDynamics

GRAVITY = (0.3, -0.6, -9.7)


def case(seed):
    rng = np.random.default_rng(seed)
    segments = random_segments(rng, int(rng.integers(1, 7)))
    dynamics = SerialDynamics(chain_of(segments), GRAVITY)
    return segments, dynamics, rng.normal(size=(3, dynamics.n)), rng


@pytest.mark.parametrize('seed', range(20))
def test_regressor_times_parameters_is_inverse_dynamics(seed):
    _, dynamics, state, _ = case(seed)
    Y = dynamics.regressor(*state)
    assert Y.shape == (dynamics.n, 10 * dynamics.n)
    tau = dynamics.inverse_dynamics(*state)
    scale = np.abs(Y * dynamics.inertial_parameters).sum(axis=1).max()
    np.testing.assert_allclose(Y @ dynamics.inertial_parameters, tau, rtol=0, atol=1e-13 * scale)


@pytest.mark.parametrize('seed', range(5))
def test_regressor_predicts_the_efforts_of_other_parameters(seed):
    """Not only the arm's own: each of the 10 n columns is right."""
    segments, dynamics, state, rng = case(seed)
    arm = load_arm(urdf_of(segments), 'link0', f'link{len(segments)}', gravity=GRAVITY)
    parameters = dynamics.inertial_parameters.reshape(-1, 10).copy()
    parameters[:, 0] = rng.uniform(1, 3, size=dynamics.n)  # a mass that stands for m c / m
    parameters[:, 1:] += rng.normal(size=parameters[:, 1:].shape) * 0.1
    other = arm.with_parameters(parameters.ravel(), unphysical='keep')
    tau = other.inverse_dynamics(*state)
    np.testing.assert_allclose(arm.regressor(*state) @ parameters.ravel(), tau, rtol=0,
                               atol=1e-11 * np.abs(tau).max())
    np.testing.assert_allclose(other.inertial_parameters, parameters.ravel(), rtol=0, atol=1e-13)


@pytest.mark.parametrize('seed', range(5))
def test_regressor_equals_pinocchio(seed):
    pin = pytest.importorskip('pinocchio')
    from chains import pinocchio_of
    segments, dynamics, state, _ = case(seed)
    model = pinocchio_of(segments, GRAVITY)
    expected = pin.computeJointTorqueRegressor(model, model.createData(), *state)
    # Pinocchio's order of the inertia is xx, xy, yy, xz, yz, zz.
    order = np.concatenate([10 * i + np.array([0, 1, 2, 3, 4, 5, 7, 6, 8, 9])
                            for i in range(dynamics.n)])
    np.testing.assert_allclose(dynamics.regressor(*state), expected[:, order], rtol=0,
                               atol=1e-13 * np.abs(expected).max())


def test_armature_comes_on_top():
    rng = np.random.default_rng(3)
    segments = random_segments(rng, 3)
    dynamics = SerialDynamics(chain_of(segments, armature=0.4), GRAVITY)
    q, qd, qdd = rng.normal(size=(3, 3))
    np.testing.assert_allclose(
        dynamics.regressor(q, qd, qdd) @ dynamics.inertial_parameters + 0.4 * qdd,
        dynamics.inverse_dynamics(q, qd, qdd), rtol=1e-11)


def test_parameters_are_about_the_joint_in_the_links_axes():
    segments, dynamics, _, _ = case(0)
    link = chain_of(segments).links[0]
    own = dynamics.inertial_parameters[:10]
    c = link.com
    I = link.inertia + link.mass * (c @ c * np.eye(3) - np.outer(c, c))  # noqa: E741
    expected = [link.mass, *link.mass * c, I[0, 0], I[0, 1], I[0, 2], I[1, 1], I[1, 2], I[2, 2]]
    np.testing.assert_allclose(own, expected, rtol=1e-13, atol=1e-15)
