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

"""Parameters of an arm follow the rules of a URDF, and any estimate makes an arm on request."""

import pickle

from chains import random_segments, urdf_of
import numpy as np
import pytest

from twolink_dynamics import load_arm, ParameterError, ShapeError, SingularMassMatrixError, \
    TwoLinkArm
from twolink_dynamics.model.variants import physical_parameters


def random_arm(seed, **values):
    rng = np.random.default_rng(seed)
    segments = random_segments(rng, int(rng.integers(2, 6)))
    arm = load_arm(urdf_of(segments), 'link0', f'link{len(segments)}')
    return arm.with_parameters(**values), rng


def pseudo_inertia(row):
    xx, xy, xz, yy, yz, zz = row[4:]
    inertia = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    J = np.empty((4, 4))
    J[:3, :3] = 0.5 * np.trace(inertia) * np.eye(3) - inertia
    J[3, :3] = J[:3, 3] = row[1:4]
    J[3, 3] = row[0]
    return J


def changed(arm, body, **entries):
    rows = arm.inertial_parameters.reshape(-1, 10).copy()
    for name, value in entries.items():
        rows[body, ('m', 'x', 'y', 'z', 'xx', 'xy', 'xz', 'yy', 'yz', 'zz').index(name)] = value
    return rows.ravel()


@pytest.mark.parametrize('entries, problem', [
    ({'m': -1.0}, 'mass -1 kg'), ({'zz': 1e3}, 'exceeds the sum'),
    ({'xx': -1.0, 'yy': -1.0, 'zz': -1.0}, 'none may be negative')])
def test_a_body_that_cannot_exist_is_refused_by_its_name(entries, problem):
    arm, _ = random_arm(1)
    with pytest.raises(ParameterError, match='inertial') as caught:
        arm.with_parameters(changed(arm, 1, **entries))
    assert f'link "{arm.chain.links[1].name}"' in str(caught.value)
    assert problem in str(caught.value)
    assert "unphysical='project'" in str(caught.value)


@pytest.mark.parametrize('inertia', [np.diag([-1e-3, 1e-3, 1e-3]), np.diag([1e-3, 1e-3, 1.0])])
def test_a_payload_has_the_inertia_of_a_body(inertia):
    with pytest.raises(ParameterError, match='inertia: .*"payload"'):
        TwoLinkArm().with_payload(1.0, inertia=inertia)


def test_rounding_makes_no_body_impossible():
    """Point masses, rods and plates are on the edge; so is what was moved to the origin."""
    arm = TwoLinkArm(lc1=1.0, lc2=1.0, I1=0.0, I2=0.0)
    again = arm.with_parameters(arm.inertial_parameters)
    np.testing.assert_allclose(again.inertial_parameters, arm.inertial_parameters, atol=1e-15)
    far = arm.with_payload(0.3, (100.0 / 3.0, 7.0, -1.1))
    far.with_parameters(far.inertial_parameters)
    arm.with_payload(1.0, inertia=np.diag([0.1, 0.2, 0.3]))


@pytest.mark.parametrize('seed', range(10))
def test_any_vector_is_projected_onto_bodies_that_exist(seed):
    arm, rng = random_arm(seed)
    vector = np.concatenate([arm.inertial_parameters, np.zeros(3 * arm.n)]) \
        + rng.normal(size=13 * arm.n) * 10.0 ** rng.uniform(-3, 2)
    other = arm.with_parameters(vector, unphysical='project')
    for row in other.inertial_parameters.reshape(-1, 10):
        values = np.linalg.eigvalsh(pseudo_inertia(row))
        assert values[0] >= -1e-12 * values[3]
    again = other.with_parameters(other.extended_parameters)  # what it made is not refused
    assert (again.extended_parameters[10 * arm.n:] >= 0.0).all()
    q = rng.normal(size=(20, arm.n))
    assert np.linalg.eigvalsh(other.mass_matrix(q)).min() > 0.0 or \
        (other.inertial_parameters.reshape(-1, 10)[:, 0] == 0.0).any()


@pytest.mark.parametrize('seed', range(5))
def test_projection_is_the_nearest_and_leaves_bodies_that_exist_alone(seed):
    rng = np.random.default_rng(seed)
    row = rng.normal(size=10)
    near = physical_parameters(row)
    J, P = pseudo_inertia(row), pseudo_inertia(near)
    # The distance of a symmetric matrix to the positive ones is its negative eigenvalues' norm.
    negative = np.minimum(np.linalg.eigvalsh(J), 0.0)
    # The floor of 1e-9 of the greatest eigenvalue adds at most twice as much for each of three.
    greatest = np.linalg.eigvalsh(J)[-1]
    assert np.linalg.norm(P - J) <= np.linalg.norm(negative) + 4e-9 * greatest
    np.testing.assert_array_equal(physical_parameters(near), near)
    arm, _ = random_arm(seed)
    np.testing.assert_array_equal(physical_parameters(arm.inertial_parameters),
                                  arm.inertial_parameters)


@pytest.mark.parametrize('seed', range(10))
def test_extended_regressor_is_inverse_dynamics_with_armature_and_friction(seed):
    arm, rng = random_arm(seed, armature=0.4, damping=0.7, friction=1.3)
    q, qd, qdd = rng.normal(size=(3, 7, arm.n))
    Y = arm.regressor(q, qd, qdd, extended=True)
    assert Y.shape == (7, arm.n, 13 * arm.n)
    tau = arm.inverse_dynamics(q, qd, qdd, friction=True)
    scale = np.abs(Y * arm.extended_parameters).sum(axis=-1).max()
    np.testing.assert_allclose(Y @ arm.extended_parameters, tau, rtol=0, atol=1e-13 * scale)
    np.testing.assert_array_equal(Y[..., :10 * arm.n], arm.regressor(q, qd, qdd))


def test_the_extended_vector_makes_the_arm_again():
    arm, rng = random_arm(3, armature=0.4, damping=0.7, friction=1.3)
    bare = arm.with_parameters(armature=0.0, damping=0.0, friction=0.0)
    again = bare.with_parameters(arm.extended_parameters)
    np.testing.assert_allclose(again.extended_parameters, arm.extended_parameters, rtol=1e-12,
                               atol=1e-12)
    with pytest.raises(ParameterError, match='given once'):
        bare.with_parameters(arm.extended_parameters, damping=1.0)
    with pytest.raises(ShapeError, match='inertial'):
        bare.with_parameters(np.zeros(11 * arm.n))
    with pytest.raises(ParameterError, match='unphysical'):
        bare.with_parameters(unphysical='maybe')


def test_an_indefinite_mass_matrix_is_called_indefinite():
    arm, _ = random_arm(2)
    negative = arm.with_parameters(-arm.inertial_parameters, unphysical='keep')
    zero = np.zeros(arm.n)
    with pytest.raises(SingularMassMatrixError, match='indefinite') as caught:
        negative.forward_dynamics(zero, zero, zero)
    assert caught.value.indefinite and 'moves no inertia' not in str(caught.value)
    assert pickle.loads(pickle.dumps(caught.value)).indefinite
    massless = arm.with_parameters(0.0 * arm.inertial_parameters)
    with pytest.raises(SingularMassMatrixError, match='moves no inertia') as caught:
        massless.forward_dynamics(zero, zero, zero)
    assert not caught.value.indefinite
