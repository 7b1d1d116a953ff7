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

"""Where the tip is: against oracles, and against differences of what is simpler."""

from corpus import corpus_file, corpus_names, needs_corpus, oracle
from kinematic_arms import (
    elbow_arm, planar_three, random_positions, scara, seven_joint_arm, tilted_two_link)
import numpy as np
import pytest
import twolink_dynamics as tl

ARMS = {'elbow': elbow_arm, 'seven': seven_joint_arm, 'scara': scara, 'planar': planar_three,
        'tilted': tilted_two_link}
# Five-point differences at this step err by h^4/30 = 3e-14 of the fifth derivative, which for
# chains of rotations is of the size of the arm, and by eps/h = 2e-13 of rounding.
STEP, DIFFERENCE = 1e-3, 1e-11


def slope(function):
    """Return the derivative at zero by five-point differences."""
    far, near = (function(k * STEP) - function(-k * STEP) for k in (2, 1))
    return (8.0 * near - far) / (12.0 * STEP)


def with_states():
    """Return the names of the models whose oracle has states of the chain."""
    return [name for name in corpus_names() if 'states' in (oracle(name).get('chain') or {})]


def loaded(name):
    """Return an arm of the corpus, with the oracle's base and tip."""
    facts = oracle(name)
    return tl.load_arm(corpus_file(name), facts['root'], facts['tip'])


@pytest.fixture(params=sorted(ARMS))
def arm(request):
    return ARMS[request.param]()


@pytest.fixture
def rng():
    return np.random.default_rng(4)


@needs_corpus
@pytest.mark.filterwarnings('ignore::twolink_dynamics.ModelWarning')
@pytest.mark.parametrize('name', with_states() or ['none'])
def test_pose_and_jacobian_are_the_oracles(name):
    try:
        arm = loaded(name)
    except tl.ModelError as error:
        pytest.skip(f'refused: {error}')
    states = oracle(name)['chain']['states']
    q = np.array([state['q'] for state in states])
    # n rotations and offsets, each with a rounding of eps of the arm's size, which is metres.
    tolerance = 1e-13 * max(1.0, arm._inverse.reach.size)
    np.testing.assert_allclose(
        arm.tip_pose(q), [state['T_world_tip'] for state in states], rtol=0, atol=tolerance)
    np.testing.assert_allclose(
        arm.jacobian(q), [state['J_tip_world_aligned_lin_ang'] for state in states], rtol=0,
        atol=tolerance)


def pinocchio_frame(name, pin, facts):
    """Return Pinocchio's model of a chain and the tip's frame."""
    model = pin.buildModelFromUrdf(str(corpus_file(name)))
    locked = [model.getJointId(joint) for joint in model.names[1:]
              if joint not in facts['chain_movable']]
    if locked:
        model = pin.buildReducedModel(model, locked, pin.neutral(model))
    return model, model.getFrameId(facts['tip'])


@needs_corpus
@pytest.mark.filterwarnings('ignore::twolink_dynamics.ModelWarning')
@pytest.mark.parametrize('name', ['ur5e_official', 'iiwa14_drake', 'scara_yguel', 'fanuc_moveit'])
def test_rates_of_the_tip_are_pinocchios(name, rng):
    pin = pytest.importorskip('pinocchio', reason='Pinocchio (pip: pin) is an oracle')
    arm, facts = loaded(name), oracle(name)
    model, frame = pinocchio_frame(name, pin, facts)
    if model.nq != model.nv:
        pytest.skip('continuous joints have two numbers in Pinocchio')
    data, where = model.createData(), pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    for q in random_positions(arm, rng, 5):
        qd, qdd = rng.normal(size=(2, arm.n))
        pin.forwardKinematics(model, data, q, qd, qdd)
        pin.computeJointJacobiansTimeVariation(model, data, q, qd)
        pin.updateFramePlacements(model, data)
        Jd = pin.getFrameJacobianTimeVariation(model, data, frame, where)
        np.testing.assert_allclose(arm.jacobian_derivative(q, qd), Jd, rtol=0, atol=1e-12)
        velocity = pin.getFrameVelocity(model, data, frame, where).vector
        np.testing.assert_allclose(arm.tip_velocity(q, qd), velocity, rtol=0, atol=1e-12)
        acceleration = pin.getFrameClassicalAcceleration(model, data, frame, where).vector
        np.testing.assert_allclose(arm.tip_acceleration(q, qd, qdd), acceleration, rtol=0,
                                   atol=1e-11)


def test_jacobian_is_the_slope_of_the_pose(arm, rng):
    for q in random_positions(arm, rng, 3):
        J, R = arm.jacobian(q), arm.tip_pose(q)[:3, :3]
        for k, unit in enumerate(np.eye(arm.n)):
            rate = slope(lambda h: arm.tip_pose(q + h * unit))
            np.testing.assert_allclose(J[:3, k], rate[:3, 3], rtol=0, atol=DIFFERENCE)
            spin = rate[:3, :3] @ R.T  # the cross-product matrix of the angular velocity
            np.testing.assert_allclose(J[3:, k], (spin[2, 1], spin[0, 2], spin[1, 0]), rtol=0,
                                       atol=DIFFERENCE)


def test_jacobian_derivative_is_the_slope_of_the_jacobian(arm, rng):
    for q in random_positions(arm, rng, 3):
        qd = rng.normal(size=arm.n)
        np.testing.assert_allclose(
            arm.jacobian_derivative(q, qd), slope(lambda h: arm.jacobian(q + h * qd)), rtol=0,
            atol=10 * DIFFERENCE)  # velocities of about 3 enter with their fifth power


def test_tip_acceleration_is_the_slope_of_the_velocity(arm, rng):
    q, qd, qdd = rng.normal(size=(3, arm.n))

    def velocity(h):
        return arm.tip_velocity(q + h * qd + 0.5 * h * h * qdd, qd + h * qdd)

    np.testing.assert_allclose(arm.tip_acceleration(q, qd, qdd), slope(velocity), rtol=0,
                               atol=100 * DIFFERENCE)


def test_a_tip_at_rest_has_no_acceleration(arm):
    zero = np.zeros(arm.n)
    assert np.all(arm.tip_acceleration(zero + 0.3, zero, zero) == 0.0)


def test_many_states_are_the_single_ones(arm, rng):
    q, qd, qdd = rng.normal(size=(3, 4, 3, arm.n))
    for name, arguments in (('tip_pose', (q,)), ('jacobian', (q,)),
                            ('jacobian_derivative', (q, qd)), ('tip_velocity', (q, qd)),
                            ('tip_acceleration', (q, qd, qdd))):
        method = getattr(arm, name)
        many = method(*arguments)
        assert many.shape[:2] == (4, 3) and many.flags.writeable
        single = method(*(values[2, 1] for values in arguments))
        # Two codes, one formula: they differ by the order of additions, over at most 7 joints.
        np.testing.assert_allclose(many[2, 1], single, rtol=0, atol=1e-13)


def test_arguments_broadcast_and_may_be_empty(arm):
    q = np.zeros((5, 1, arm.n))
    qd = np.ones((3, arm.n))
    assert arm.tip_velocity(q, qd).shape == (5, 3, 6)
    assert arm.jacobian(np.zeros((0, arm.n))).shape == (0, 6, arm.n)
    assert arm.tip_pose(np.zeros((0, arm.n))).shape == (0, 4, 4)


def test_poses_are_rigid(arm, rng):
    T = arm.tip_pose(100.0 * rng.normal(size=(50, arm.n)))
    R = T[:, :3, :3]
    np.testing.assert_allclose(R @ R.swapaxes(1, 2), np.broadcast_to(np.eye(3), R.shape), rtol=0,
                               atol=1e-14)
    assert np.all(np.linalg.det(R) > 0.0) and np.all(T[:, 3] == (0, 0, 0, 1))


def test_link_poses_end_at_the_tip():
    arm = elbow_arm()
    q = np.linspace(0.1, 0.6, 6)
    poses = arm.link_poses(q)
    assert list(poses)[0] == 'base_link' and np.array_equal(poses['base_link'], np.eye(4))
    np.testing.assert_allclose(poses['tool0'], arm.tip_pose(q), rtol=0, atol=1e-15)


@pytest.mark.parametrize('bad', [[0.0], [[1.0, 2.0]], [], 1.0])
def test_a_wrong_shape_is_named(bad):
    with pytest.raises(tl.ShapeError, match=r'q: expected shape \(\.\.\., 6\)'):
        elbow_arm().tip_pose(bad)


def test_a_nan_is_named():
    with pytest.raises(tl.NonFiniteError, match=r'qd\[3\]'):
        elbow_arm().tip_velocity(np.zeros(6), [0, 0, 0, np.nan, 0, 0])
