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

"""The planar 2R in closed form is the equations of the texts, and holds beyond their drawing."""

import math

import numpy as np
import pytest

from twolink_dynamics import load_arm, NonFiniteError, ParameterError, ShapeError, \
    SingularMassMatrixError, TwoLinkArm
from twolink_dynamics.dynamics.arm import Arm
from twolink_dynamics.dynamics.two_link_arm import arm_of_chain
from twolink_dynamics.model.chain import Chain, Joint, Link
from twolink_dynamics.spatial import axis_rotation, homogeneous

EPS = np.finfo(float).eps
RNG = np.random.default_rng(20)
DRAWN = {'m1': 1.3, 'm2': 0.7, 'l1': 0.9, 'l2': 0.6, 'lc1': 0.4, 'lc2': 0.25, 'I1': 0.11,
         'I2': 0.03}
G = 9.81


def states(count, n=2):
    """Return q, qd, qdd, each (count, n)."""
    return RNG.uniform(-3.0, 3.0, (3, count, n))


# Each formula sums some twenty products of numbers of order ten, each rounded a few times.
def assert_close(actual, expected):
    np.testing.assert_allclose(actual, expected, rtol=0, atol=200 * EPS * max(
        1.0, np.abs(expected).max()))


def textbook(q, qd, qdd, m1, m2, l1, l2, lc1, lc2, I1, I2):
    """Return M, C, G and tau as theory.md L4-L8 print them, for one state."""
    c2, s2 = math.cos(q[1]), math.sin(q[1])
    c1, c12 = math.cos(q[0]), math.cos(q[0] + q[1])
    M = np.array([[m1 * lc1**2 + I1 + m2 * (l1**2 + lc2**2 + 2 * l1 * lc2 * c2) + I2,
                   m2 * (lc2**2 + l1 * lc2 * c2) + I2],
                  [m2 * (lc2**2 + l1 * lc2 * c2) + I2, m2 * lc2**2 + I2]])
    h = m2 * l1 * lc2 * s2
    C = np.array([[-h * qd[1], -h * (qd[0] + qd[1])], [h * qd[0], 0.0]])
    gravity = np.array([(m1 * lc1 + m2 * l1) * G * c1 + m2 * lc2 * G * c12, m2 * lc2 * G * c12])
    return M, C, gravity, M @ qdd + C @ qd + gravity


def test_l4_to_l8_are_the_textbook_equations():
    arm = TwoLinkArm(**DRAWN)
    for q, qd, qdd in zip(*states(100)):
        M, C, gravity, tau = textbook(q, qd, qdd, **DRAWN)
        assert_close(arm.mass_matrix(q), M)
        assert_close(arm.coriolis_matrix(q, qd), C)
        assert_close(arm.gravity_vector(q), gravity)
        assert_close(arm.bias(q, qd), C @ qd + gravity)
        assert_close(arm.inverse_dynamics(q, qd, qdd), tau)
        assert_close(arm.forward_dynamics(q, qd, tau), qdd)


def test_l1_and_l2_place_the_centres_of_mass_and_move_them():
    arm = TwoLinkArm(**DRAWN)
    (q, qd, _), k = states(1)[:, 0], DRAWN
    c1, s1 = np.cos(q[0]), np.sin(q[0])
    c12, s12 = np.cos(q.sum()), np.sin(q.sum())
    expected = [[k['lc1'] * c1, k['lc1'] * s1, 0.0],
                [k['l1'] * c1 + k['lc2'] * c12, k['l1'] * s1 + k['lc2'] * s12, 0.0]]
    assert_close(arm.centers_of_mass(q), np.array(expected))
    w = qd.sum()
    squares = [(k['lc1'] * qd[0])**2, (k['l1'] * qd[0])**2 + (k['lc2'] * w)**2
               + 2 * k['l1'] * k['lc2'] * np.cos(q[1]) * qd[0] * w]
    assert_close((arm.center_of_mass_velocities(q, qd)**2).sum(axis=1), np.array(squares))


def test_l3_and_l5_are_the_energies():
    arm, k = TwoLinkArm(**DRAWN), DRAWN
    q, qd, _ = states(50)
    M = arm.mass_matrix(q)
    assert_close(arm.kinetic_energy(q, qd), 0.5 * np.einsum('ki,kij,kj->k', qd, M, qd))
    U = (k['m1'] * k['lc1'] + k['m2'] * k['l1']) * G * np.sin(q[:, 0]) \
        + k['m2'] * k['lc2'] * G * np.sin(q.sum(axis=1))
    assert_close(arm.potential_energy(q), U)


def test_n8_point_masses_need_no_inertia():
    arm = TwoLinkArm(m1=1.5, m2=2.0, l1=0.8, l2=0.6, lc1=0.8, lc2=0.6, I1=0, I2=0)
    m1, m2, l1, l2 = 1.5, 2.0, 0.8, 0.6
    for q, qd, qdd in zip(*states(20)):
        c2, s2, c12 = math.cos(q[1]), math.sin(q[1]), math.cos(q.sum())
        tau2 = m2 * l2**2 * qdd.sum() + m2 * l1 * l2 * c2 * qdd[0] \
            + m2 * l1 * l2 * s2 * qd[0]**2 + m2 * G * l2 * c12
        tau1 = tau2 + (m1 + m2) * l1**2 * qdd[0] + m2 * l1 * l2 * c2 * qdd.sum() \
            - m2 * l1 * l2 * s2 * qd.sum()**2 + (m1 + m2) * G * l1 * math.cos(q[0])
        assert_close(arm.inverse_dynamics(q, qd, qdd), np.array([tau1, tau2]))
        assert_close(arm.forward_dynamics(q, qd, [tau1, tau2]), qdd)


def test_h1_with_the_wrench_exerted_by_the_arm():
    """Uniform rods in a horizontal plane, loaded tip: the numbers that tell misprints apart."""
    m, length = (2.0, 3.0), (1.5, 0.8)
    inertias = [mass * size**2 / 12 for mass, size in zip(m, length)]
    arm = TwoLinkArm(m[0], m[1], length[0], length[1], length[0] / 2, length[1] / 2, *inertias,
                     gravity=(0, 0))
    on_tip = -np.array([4.0, -2.0, 0.0, 0.0, 0.0, 0.5])  # what the surroundings exert on the arm
    tau = arm.inverse_dynamics([0.7, -1.1], [0.9, -0.4], [1.2, 0.3], tip_wrench=on_tip)
    # The reference is printed with twelve digits.
    np.testing.assert_allclose(tau, (6.27874855089, 0.912828396293), rtol=0, atol=6e-12)


def test_lewis_mass_matrix_of_unit_point_masses():
    arm = TwoLinkArm(1, 1, 1, 1, 1, 1, 0, 0)
    assert arm.mass_matrix([0.4, 0.0]).tolist() == [[5.0, 2.0], [2.0, 1.0]]


# --- beyond the drawing --------------------------------------------------------------------------


def random_planar_chain(rng):
    """Return a 2R chain with everything a URDF can do and the drawing does not have."""
    def rotation():
        axis = rng.normal(size=3)
        return axis_rotation(axis / np.linalg.norm(axis), rng.uniform(-3, 3))

    def body(name):
        A = rng.normal(size=(3, 3))
        return Link(name, rng.uniform(0.2, 3), rng.uniform(-0.5, 0.5, 3), A @ A.T)

    frame1, frame2 = rotation(), rotation()
    axis1 = rng.normal(size=3)
    axis1 /= np.linalg.norm(axis1)
    # Joint 2's axis is joint 1's or its opposite, whatever frame 2's axes are.
    axis2 = rng.choice([-1.0, 1.0]) * frame2.T @ axis1
    joints = (Joint('j1', 'continuous', 'base', 'a', homogeneous(frame1, rng.normal(size=3)),
                    axis1),
              Joint('j2', 'revolute', 'a', 'b', homogeneous(frame2, rng.normal(size=3)), axis2))
    tip = homogeneous(rotation(), rng.normal(size=3))
    return Chain('planar', 'base', 'tip', joints, (body('a'), body('b')), tip)


@pytest.mark.parametrize('seed', range(20))
def test_closed_form_and_newton_euler_are_each_others_test(seed):
    rng = np.random.default_rng(seed)
    chain, gravity = random_planar_chain(rng), rng.normal(size=3) * 10
    closed, general = arm_of_chain(chain, gravity), Arm(chain, gravity)
    assert isinstance(closed, TwoLinkArm)
    q, qd, x = states(30)
    wrench = rng.normal(size=(30, 6)) * 5
    for name, arguments in {
            'mass_matrix': (q,), 'gravity_vector': (q,), 'coriolis_matrix': (q, qd),
            'bias': (q, qd), 'inverse_dynamics': (q, qd, x, wrench),
            'kinetic_energy': (q, qd), 'potential_energy': (q,)}.items():
        assert_close(getattr(closed, name)(*arguments), getattr(general, name)(*arguments))
    # Solving with M multiplies the rounding of its parts by its condition number.
    condition = np.linalg.cond(closed.mass_matrix(q)).max()
    expected = general.forward_dynamics(q, qd, x, wrench)
    np.testing.assert_allclose(closed.forward_dynamics(q, qd, x, wrench), expected, rtol=0,
                               atol=200 * EPS * condition * np.abs(expected).max())


def test_axes_that_are_parallel_only_to_seven_digits_are_left_to_newton_euler():
    chain = random_planar_chain(np.random.default_rng(1))
    first, second = chain.joints
    tilted = homogeneous(axis_rotation((0.6, 0.0, 0.8), 1e-7) @ second.origin[:3, :3],
                         second.origin[:3, 3])
    bent = Chain('bent', 'base', 'tip', (first, Joint(
        'j2', 'revolute', 'a', 'b', tilted, second.axis)), chain.links, chain.tip)
    assert type(arm_of_chain(bent)) is Arm and type(arm_of_chain(chain)) is TwoLinkArm


def test_joints_on_one_axis_are_an_arm_too():
    links = (Link('a', 1.0, (0.3, 0, 0), np.eye(3)), Link('b', 1.0, (0, 0.2, 0), np.eye(3)))
    joints = (Joint('j1', 'continuous', 'base', 'a', axis=(0, 0, 1)),
              Joint('j2', 'continuous', 'a', 'b', homogeneous(np.eye(3), (0, 0, 0.5)), (0, 0, 1)))
    chain = Chain('coaxial', 'base', 'b', joints, links)
    q, qd, qdd = states(5)
    assert_close(arm_of_chain(chain).inverse_dynamics(q, qd, qdd),
                 Arm(chain).inverse_dynamics(q, qd, qdd))


# --- the façade's short way and long way ---------------------------------------------------------


@pytest.mark.parametrize('seed', range(4))
def test_one_state_as_array_list_or_tuple_and_a_batch_all_agree(seed):
    arm = arm_of_chain(random_planar_chain(np.random.default_rng(seed)))
    q, qd, x = states(6)
    for name in ('inverse_dynamics', 'forward_dynamics'):
        call = getattr(arm, name)
        batch = call(q, qd, x)
        for i in range(6):
            single = call(q[i], qd[i], x[i])
            # NumPy's cosine may differ from the C library's in the last bit.
            assert_close(single, batch[i])
            assert np.array_equal(single, call(q[i].tolist(), tuple(qd[i]), x[i], out=np.empty(2)))
            assert np.array_equal(single, call(q[i], qd[i], x[i], out=np.empty(2)))
            assert np.array_equal(single, getattr(arm.scalar, name)(
                *(v[i].tolist() for v in (q, qd, x))))
    assert call(q[:, None], qd, x[0]).shape == (6, 6, 2)


def test_integers_are_numbers():
    arm = TwoLinkArm()
    assert np.array_equal(arm.inverse_dynamics(np.array([0, 1]), np.array([2, 0]), [1, 1]),
                          arm.inverse_dynamics([0.0, 1.0], [2.0, 0.0], [1.0, 1.0]))


@pytest.mark.parametrize('method', ['inverse_dynamics', 'forward_dynamics'])
@pytest.mark.parametrize('wrap', [np.array, list])
def test_wrong_shapes_and_numbers_are_refused_whichever_way_is_taken(method, wrap):
    arm = TwoLinkArm()
    call, good = getattr(arm, method), wrap([0.1, 0.2])
    for bad in ([0.1], [0.1, 0.2, 0.3], [], [[1.0], [2.0]]):
        with pytest.raises(ShapeError, match=r'q: expected shape \(\.\.\., 2\)'):
            call(wrap(bad), good, good)
    for bad in ([0.1, math.nan], [math.inf, 0.0], [0.0, -math.inf]):
        for arguments in ((bad, good, good), (good, bad, good), (good, good, bad)):
            with pytest.raises(NonFiniteError, match='expected a finite number'):
                call(*[wrap(a) for a in arguments])
    with pytest.raises(ShapeError, match='leading axes'):
        call(np.zeros((3, 2)), np.zeros((4, 2)), good)
    for bad in ('text', ['a', 'b'], [[1, 2], [3]], None):
        with pytest.raises(NonFiniteError):
            call(bad, good, good)


def test_a_two_by_two_batch_is_a_batch():
    arm = TwoLinkArm(**DRAWN)
    q, qd, x = states(2)
    assert_close(arm.inverse_dynamics(q, qd, x)[1], arm.inverse_dynamics(q[1], qd[1], x[1]))


@pytest.mark.parametrize('name', ['m1', 'l2', 'I1', 'b2', 'fc1'])
def test_negative_numbers_of_the_drawing_are_refused_by_name(name):
    with pytest.raises(ParameterError, match=f'{name}: expected a number of 0 or more'):
        TwoLinkArm(**{name: -0.1})
    with pytest.raises(NonFiniteError, match=f'{name}'):
        TwoLinkArm(**{name: math.nan})


def test_an_arm_does_not_change():
    arm = TwoLinkArm()
    with pytest.raises(AttributeError, match='an arm does not change'):
        arm.gravity = (0, 0, 0)
    with pytest.raises(ValueError, match='read-only'):
        arm.gravity[0] = 1.0
    with pytest.raises(ValueError, match='read-only'):
        arm.limits.effort[0] = 1.0


def test_a_joint_that_moves_no_inertia_is_named():
    arm = TwoLinkArm(m2=0, I2=0)
    assert np.isfinite(arm.inverse_dynamics([0.1, 0.2], [1.0, 2.0], [3.0, 4.0])).all()
    with pytest.raises(SingularMassMatrixError, match='joint "joint2"'):
        arm.forward_dynamics(np.zeros(2), np.zeros(2), np.zeros(2))
    folded = TwoLinkArm(1, 1, 1, 1, 0, 1, 0, 0)  # M is singular only where the elbow is straight
    assert np.isfinite(folded.forward_dynamics([0.0, 1.0], [0.0, 0.0], [1.0, 1.0])).all()
    with pytest.raises(SingularMassMatrixError):
        folded.forward_dynamics([0.0, 0.0], [0.0, 0.0], [1.0, 1.0])


def test_friction_opposes_motion_and_is_off_unless_asked_for():
    arm = TwoLinkArm(b1=0.5, b2=0.25, fc1=0.1, fc2=0.2)
    q, qd, qdd = [0.1, 0.2], [2.0, -4.0], [1.0, 1.0]
    assert arm.friction_torque(qd).tolist() == [1.1, -1.2]
    bare = arm.inverse_dynamics(q, qd, qdd)
    felt = arm.inverse_dynamics(q, qd, qdd, friction=True)
    assert np.array_equal(felt, bare + [1.1, -1.2])
    assert_close(arm.forward_dynamics(q, qd, felt, friction=True), np.array(qdd))


def test_a_payload_is_a_heavier_link():
    arm = TwoLinkArm(**DRAWN)
    loaded = arm.with_payload(0.5)
    assert isinstance(loaded, TwoLinkArm)
    # A point mass at the tip: its kinetic energy is that of the tip's speed.
    q, qd, _ = states(1)[:, 0]
    extra = loaded.kinetic_energy(q, qd) - arm.kinetic_energy(q, qd)
    speed = arm.tip_velocity(q, qd)[:3]
    np.testing.assert_allclose(extra, 0.25 * speed @ speed, rtol=1e-12)
    for bad in (-1.0, math.nan, [1.0, 2.0]):
        with pytest.raises(ValueError):
            arm.with_payload(bad)


def test_gravity_can_be_turned():
    arm = TwoLinkArm(**DRAWN)
    sideways = arm.with_gravity((-9.81, 0.0, 0.0))
    # Gravity along -x is gravity along -y for an arm turned back by a quarter.
    q = np.array([0.3, -0.8])
    assert_close(sideways.gravity_vector(q), arm.gravity_vector(q + [math.pi / 2, 0.0]) * 1.0)
    with pytest.raises(ParameterError, match='gravity: expected three numbers'):
        arm.with_gravity((0.0, -9.81))


def test_parameters_go_round_through_the_inertial_vector():
    arm = TwoLinkArm(**DRAWN)
    again = arm.with_parameters(arm.inertial_parameters, damping=0.3, effort=[5, 6])
    q, qd, qdd = states(3)
    assert_close(again.inverse_dynamics(q, qd, qdd), arm.inverse_dynamics(q, qd, qdd))
    assert again.friction_torque([1.0, 1.0]).tolist() == [0.3, 0.3]
    assert again.limits.effort.tolist() == [5.0, 6.0]
    with pytest.raises(ParameterError, match='with_parameters: expected one of damping'):
        arm.with_parameters(colour='red')
    with pytest.raises(ShapeError, match='damping'):
        arm.with_parameters(damping=[1, 2, 3])
    with pytest.raises(ParameterError, match='friction: expected numbers of 0 or more'):
        arm.with_parameters(friction=-1)


def test_a_geared_rotor_takes_the_arm_out_of_the_closed_form_and_adds_to_the_diagonal():
    arm = TwoLinkArm(**DRAWN)
    geared = arm.with_parameters(armature=[0.5, 0.25])
    assert type(geared) is Arm
    q = np.array([0.3, 0.9])
    assert_close(geared.mass_matrix(q), arm.mass_matrix(q) + np.diag([0.5, 0.25]))


def test_compiled_batches_give_the_same_numbers():
    pytest.importorskip('numba', reason='numba is not installed')
    rng = np.random.default_rng(3)
    chain = random_planar_chain(rng)
    plain, compiled = arm_of_chain(chain), arm_of_chain(chain)
    compiled.warm_up()
    q, qd, x = states(50)
    for name in ('inverse_dynamics', 'forward_dynamics'):
        expected = getattr(plain, name)(q, qd, x)
        # 1e-13 relative: the same formula; compilers may fuse a product and a sum.
        np.testing.assert_allclose(getattr(compiled, name)(q, qd, x), expected, rtol=0,
                                   atol=1e-13 * np.abs(expected).max())


def test_load_arm_takes_the_closed_form_for_a_planar_urdf():
    text = ('<robot name="r"><link name="base"/>'
            + ''.join(f'<link name="{name}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" '
                      'izz="1"/></inertial></link>' for name in 'ab')
            + ''.join(f'<joint name="j{child}" type="continuous"><parent link="{parent}"/>'
                      f'<child link="{child}"/><axis xyz="0 {sign} 0"/></joint>'
                      for parent, child, sign in (('base', 'a', 1), ('a', 'b', -1))) + '</robot>')
    arm = load_arm(text)
    assert isinstance(arm, TwoLinkArm) and arm.constants.sign == -1.0
    assert repr(arm) == '<TwoLinkArm "r", base to b: ja, jb>'
