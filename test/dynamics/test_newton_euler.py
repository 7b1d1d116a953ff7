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

"""The engine at its edges: singular arms, point masses, extreme numbers, one joint and fifty."""

import pickle

from chains import chain_of, pinocchio_of, random_segments
import numpy as np
import pytest

import twolink_dynamics as tl
from twolink_dynamics.dynamics.serial_dynamics import SerialDynamics
from twolink_dynamics.errors import SingularMassMatrixError
from twolink_dynamics.model.chain import Chain, Joint, Link
from twolink_dynamics.spatial import homogeneous, rpy_rotation

GRAVITY = (0.0, 0.0, -9.81)
X, Y, Z = np.eye(3)
BOX = Link('box', 2.0, (0.05, 0.02, 0.2), np.diag([0.03, 0.02, 0.01]))
EMPTY = Link('empty')


def arm(*bodies):
    """Return the dynamics of (axis, offset, link) or (axis, offset, link, armature) per joint."""
    joints = [Joint(f'joint{i + 1}', 'revolute', '', '', homogeneous(np.eye(3), offset), axis,
                    armature=rest[0] if rest else 0.0)
              for i, (axis, offset, _, *rest) in enumerate(bodies)]
    return SerialDynamics(Chain('arm', 'base', 'tip', joints, [body[2] for body in bodies]),
                          GRAVITY)


def singular_joint(dynamics, q=None):
    """Return the joint that forward dynamics blames, by arrays, by floats and in a batch alike."""
    n = dynamics.n
    q = np.full(n, 0.3) if q is None else q
    qd, tau = np.full(n, 0.2), np.ones(n)
    names = []
    for call in (lambda: dynamics.forward_dynamics(q, qd, tau),
                 lambda: dynamics.program('forward_dynamics').floats(
                    q.tolist(), qd.tolist(), tau.tolist()),
                 lambda: dynamics.forward_dynamics(*np.array([[q, qd, tau]] * 3).swapaxes(0, 1)),
                 lambda: dynamics.forward_dynamics(*np.array([[q, qd, tau]] * 99).swapaxes(0, 1)),
                 lambda: dynamics.forward_dynamics(q, qd, tau, np.ones(6))):
        with pytest.raises(SingularMassMatrixError) as caught:
            call()
        names.append(caught.value.joint)
    assert len(set(names)) == 1
    efforts = dynamics.inverse_dynamics(q, qd, np.ones(n))
    assert np.isfinite(efforts).all()
    # Exact: the same efforts as M and bias give.
    expected = dynamics.mass_matrix(q) @ np.ones(n) + dynamics.bias(q, qd)
    np.testing.assert_allclose(efforts, expected, rtol=0, atol=1e-13 * np.abs(expected).max())
    return names[0]


def test_massless_leaf_is_named():
    assert singular_joint(arm((Z, (0, 0, 0), BOX), (X, (0, 0, 0.5), BOX),
                              (Z, (0, 0, 0.3), EMPTY))) == 'joint3'


def test_of_two_massless_leaves_the_last_is_named():
    assert singular_joint(arm((Z, (0, 0, 0), BOX), (X, (0, 0, 0.5), EMPTY),
                              (Y, (0, 0, 0.3), EMPTY))) == 'joint3'


def test_massless_long_chain_goes_by_articulated_bodies_to_the_same_error():
    bodies = [((Z, X, Y)[i % 3], (0, 0, 0.2), BOX) for i in range(11)]
    assert singular_joint(arm(*bodies, (X, (0, 0, 0.2), EMPTY))) == 'joint12'


def test_massless_leaf_with_a_rotor_moves():
    dynamics = arm((Z, (0, 0, 0), BOX), (X, (0, 0, 0.5), EMPTY, 0.1))
    qdd = dynamics.forward_dynamics(np.zeros(2), np.zeros(2), np.array([0.0, 1.0]))
    assert qdd[1] == pytest.approx(10.0)


def test_massless_link_between_crossed_axes_is_regular():
    """A universal joint: no mass between its axes, and none is needed."""
    dynamics = arm((Z, (0, 0, 0), BOX), (X, (0, 0, 0.5), EMPTY), (Y, (0, 0, 0), BOX))
    q, qd, qdd = np.array([0.1, 0.2, 0.3]), np.array([1.0, -1.0, 0.5]), np.array([3.0, 2.0, 1.0])
    back = dynamics.forward_dynamics(q, qd, dynamics.inverse_dynamics(q, qd, qdd))
    np.testing.assert_allclose(back, qdd, rtol=1e-12)


def test_massless_link_between_coincident_axes_is_singular():
    """Only the sum of the two angles moves anything."""
    assert singular_joint(arm((X, (0, 0, 0), BOX), (Z, (0, 0, 0.5), EMPTY),
                              (Z, (0, 0, 0.1), BOX))) == 'joint2'


def test_arm_is_singular_only_in_the_pose_where_it_is():
    """Two crossed axes about a point mass: in line with the first axis, that one moves nothing."""
    ball = Link('ball', 1.0, (0.0, 0.0, 0.5))
    dynamics = arm((Z, (0, 0, 0), EMPTY), (X, (0, 0, 0), ball))
    assert singular_joint(dynamics, np.zeros(2)) == 'joint1'
    q, qdd = np.array([0.3, 0.4]), np.array([1.0, 2.0])
    tau = dynamics.inverse_dynamics(q, qdd, qdd)
    np.testing.assert_allclose(dynamics.forward_dynamics(q, qdd, tau), qdd, rtol=1e-13)
    batch = np.array([q, np.zeros(2), q])
    with pytest.raises(SingularMassMatrixError, match='joint1'):
        dynamics.forward_dynamics(batch, batch, batch)


def test_point_mass_on_its_axis_is_singular_although_rounding_says_otherwise():
    """Turned by arbitrary angles its inertia comes out as 1e-17 or so, not zero."""
    R = rpy_rotation(0.3, 1.1, -0.7)
    axis = R @ Z
    ball = Link('ball', 3.0, 0.7 * axis)
    dynamics = arm((X, (0, 0, 0), BOX), (axis, (0.1, 0.2, 0.3), ball))
    assert singular_joint(dynamics) == 'joint2'


def test_small_inertia_of_a_thin_rod_is_not_mistaken_for_none():
    rod = Link('rod', 1.0, (0, 0, 0.5), np.diag([1 / 12, 1 / 12, 1e-9]))
    dynamics = arm((X, (0, 0, 0), BOX), (Z, (0, 0, 0.5), rod))
    qdd = dynamics.forward_dynamics(np.zeros(2), np.zeros(2), np.array([0.0, 1e-9]))
    # The rotor's 1e-9 of the rod's 1/3 is known to eps times 3e8.
    assert qdd[1] == pytest.approx(1.0, rel=1e-6)


@pytest.mark.parametrize('factor', [1e-12, 1e12])
def test_extreme_masses_give_the_same_motion(factor):
    rng = np.random.default_rng(3)
    chain = chain_of(random_segments(rng, 5))
    links = [Link(x.name, factor * x.mass, x.com, factor * x.inertia) for x in chain.links]
    scaled = SerialDynamics(Chain('', '', '', chain.joints, links, chain.tip), GRAVITY)
    q, qd, tau = rng.normal(size=(3, 5))
    np.testing.assert_allclose(scaled.forward_dynamics(q, qd, factor * tau),
                               SerialDynamics(chain, GRAVITY).forward_dynamics(q, qd, tau),
                               rtol=1e-9)


def test_light_gripper_on_a_heavy_arm_and_heavy_load_on_a_light_arm():
    for masses in ((1e4, 1.0, 1e-4), (1e-3, 1.0, 1e3)):
        links = [Link('', m, BOX.com, m * BOX.inertia) for m in masses]
        dynamics = arm((Z, (0, 0, 0), links[0]), (X, (0, 0, 0.5), links[1]),
                       (Y, (0, 0, 0.5), links[2]))
        q, qd, qdd = np.array([[0.3, 0.8, -0.5], [1.0, -1.0, 2.0], [1.0, 2.0, 3.0]])
        back = dynamics.forward_dynamics(q, qd, dynamics.inverse_dynamics(q, qd, qdd))
        cond = np.linalg.cond(dynamics.mass_matrix(q))
        np.testing.assert_allclose(back, qdd, rtol=1e-14 * cond)


def test_single_joints():
    slide = Joint('slide', 'prismatic', '', '', homogeneous(np.eye(3), (1, 2, 3)), Z)
    dynamics = SerialDynamics(Chain('', '', '', [slide], [BOX]), GRAVITY)
    one, zero = np.ones(1), np.zeros(1)
    assert dynamics.inverse_dynamics(zero, one, one) == pytest.approx(2.0 * (1.0 + 9.81))
    assert dynamics.coriolis_matrix(one, one) == 0.0
    assert dynamics.potential_energy(one) == pytest.approx(2.0 * 9.81 * (3.0 + 1.0 + 0.2))
    pendulum = arm((X, (0, 0, 0), BOX))
    inertia = 0.03 + 2.0 * (0.02 ** 2 + 0.2 ** 2)
    assert pendulum.mass_matrix(zero) == pytest.approx(inertia, rel=1e-14)
    falls = -2 * 9.81 * 0.02 / inertia
    assert pendulum.forward_dynamics(zero, zero, zero) == pytest.approx(falls)


def test_fifty_joints_equal_pinocchio():
    pin = pytest.importorskip('pinocchio')
    rng = np.random.default_rng(50)
    segments = random_segments(rng, 50)
    dynamics, model = SerialDynamics(chain_of(segments), GRAVITY), pinocchio_of(segments)
    data, (q, qd, qdd) = model.createData(), rng.normal(size=(3, 50))
    # As in test_random_chains.py, with 50 joints for 8.
    tau = pin.rnea(model, data, q, qd, qdd).copy()
    np.testing.assert_allclose(dynamics.inverse_dynamics(q, qd, qdd), tau, rtol=0,
                               atol=1e-11 * np.abs(tau).max())
    M = np.triu(pin.crba(model, data, q))
    M = M + np.triu(M, 1).T
    np.testing.assert_allclose(dynamics.mass_matrix(q), M, rtol=0, atol=1e-11 * M.max())
    # What articulated bodies solve, put back: an error of the accelerations shows in the efforts.
    found = dynamics.forward_dynamics(q, qd, tau)
    np.testing.assert_allclose(dynamics.inverse_dynamics(q, qd, found), tau, rtol=0,
                               atol=1e-9 * np.abs(tau).max())
    np.testing.assert_allclose(found, pin.aba(model, data, q, qd, tau), rtol=0,
                               atol=1e-15 * np.linalg.cond(M) * np.abs(found).max())


def test_base_reaction_is_what_a_scale_and_a_lever_show():
    dynamics = arm((Y, (0, 0, 1.0), Link('beam', 4.0, (0.5, 0, 0))))
    zero = np.zeros(1)
    reaction = dynamics.joint_reactions(zero, zero, zero)[0]
    np.testing.assert_allclose(reaction, [0, 0, 4 * 9.81, 0, -0.5 * 4 * 9.81, 0], atol=1e-14)
    # Hung down, in the link's axes the same force is along x; in the base's still along z.
    down = np.array([np.pi / 2])
    np.testing.assert_allclose(dynamics.joint_reactions(down, zero, zero)[0, :3],
                               [-4 * 9.81, 0, 0], atol=1e-13)
    np.testing.assert_allclose(dynamics.joint_reactions(down, zero, zero, frame='base')[0, :3],
                               [0, 0, 4 * 9.81], atol=1e-13)


def test_reactions_of_mixed_chains_equal_pinocchio():
    pin = pytest.importorskip('pinocchio')
    rng = np.random.default_rng(9)
    for _ in range(20):
        segments = random_segments(rng, int(rng.integers(1, 7)))
        dynamics, model = SerialDynamics(chain_of(segments), GRAVITY), pinocchio_of(segments)
        data, (q, qd, qdd) = model.createData(), rng.normal(size=(3, dynamics.n))
        pin.rnea(model, data, q, qd, qdd)
        expected = np.array([data.f[i + 1].vector for i in range(dynamics.n)])
        np.testing.assert_allclose(dynamics.joint_reactions(q, qd, qdd), expected, rtol=0,
                                   atol=2e-12 * np.abs(expected).max())


def test_rotor_and_gear_add_to_the_diagonal_alone():
    rng = np.random.default_rng(4)
    segments = random_segments(rng, 4)
    plain, geared = (SerialDynamics(chain_of(segments, armature), GRAVITY)
                     for armature in (0.0, 0.25))
    q, qd, qdd = rng.normal(size=(3, 4))
    np.testing.assert_allclose(geared.mass_matrix(q), plain.mass_matrix(q) + 0.25 * np.eye(4),
                               rtol=1e-15)
    np.testing.assert_allclose(geared.inverse_dynamics(q, qd, qdd),
                               plain.inverse_dynamics(q, qd, qdd) + 0.25 * qdd, rtol=1e-13)
    np.testing.assert_allclose(geared.coriolis_matrix(q, qd), plain.coriolis_matrix(q, qd))
    np.testing.assert_array_equal(
        SerialDynamics(chain_of(segments), GRAVITY, armature=[0.25] * 4).mass_matrix(q),
        geared.mass_matrix(q))


def test_closed_form_and_newton_euler_are_each_others_test():
    rng = np.random.default_rng(5)
    two = tl.TwoLinkArm(m1=2, m2=3, l1=1.5, l2=0.8, lc1=0.7, lc2=0.5, I1=0.3, I2=0.2)
    general = SerialDynamics(two.chain, two.gravity)
    q, qd, x = rng.normal(size=(3, 100, 2))
    wrench = rng.normal(size=(100, 6))
    for name, arguments in (('inverse_dynamics', (q, qd, x, wrench)), ('mass_matrix', (q,)),
                            ('forward_dynamics', (q, qd, x, wrench)), ('bias', (q, qd)),
                            ('coriolis_matrix', (q, qd)), ('gravity_vector', (q,)),
                            ('kinetic_energy', (q, qd)), ('potential_energy', (q,))):
        ours, closed = getattr(general, name)(*arguments), getattr(two, name)(*arguments)
        np.testing.assert_allclose(ours, closed, rtol=0, atol=1e-13 * np.abs(closed).max())


def test_arms_survive_pickling_after_use():
    segments = random_segments(np.random.default_rng(6), 3)
    dynamics = SerialDynamics(chain_of(segments), GRAVITY)
    q = np.array([0.1, 0.2, 0.3])
    expected = dynamics.mass_matrix(q)
    dynamics.warm_up()
    copy = pickle.loads(pickle.dumps(dynamics))
    np.testing.assert_array_equal(copy.mass_matrix(q), expected)
