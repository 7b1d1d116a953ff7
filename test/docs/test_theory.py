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

"""
Every equation of docs/theory.md, derived anew and compared with the numbers of the arms.

The tests are named by the tags: ``test_l4_…`` is for **(L4)**. SymPy derives from the energies or
from Newton's and Euler's laws; the façade gives the numbers.

"""

import math

import numpy as np
import pytest

import twolink_dynamics as tl
from twolink_dynamics import Arm, load_arm, TwoLinkArm

sympy = pytest.importorskip('sympy', reason='SymPy is not installed')

# --- symbols and numbers -------------------------------------------------------------------------

t = sympy.Symbol('t')
q1, q2 = (sympy.Function(f'q{i}')(t) for i in (1, 2))
w1, w2, a1, a2 = q1.diff(t), q2.diff(t), q1.diff(t, 2), q2.diff(t, 2)
m1, m2, l1, l2, lc1, lc2, I1, I2, g = sympy.symbols('m1 m2 l1 l2 lc1 lc2 I1 I2 g', positive=True)
c1, s1, c2, s2 = sympy.cos(q1), sympy.sin(q1), sympy.cos(q2), sympy.sin(q2)
c12, s12 = sympy.cos(q1 + q2), sympy.sin(q1 + q2)
q, w, a = (sympy.Matrix(pair) for pair in ((q1, q2), (w1, w2), (a1, a2)))

DRAWN = {'m1': 1.3, 'm2': 0.8, 'l1': 0.7, 'l2': 0.6, 'lc1': 0.3, 'lc2': 0.35, 'I1': 0.05,
         'I2': 0.02}
STATES = [((0.3, -0.8), (1.1, -0.6), (0.4, 2.0)), ((-2.0, 2.4), (-0.7, -1.9), (3.0, -1.0)),
          ((1.2, 0.1), (0.2, 3.0), (-2.0, 0.5))]


def drawn(**changes):
    """Return the arm of the drawing, with numbers that are not special, and those numbers."""
    numbers = {**DRAWN, **changes}
    gravity = numbers.pop('g', 9.81)
    arm = TwoLinkArm(**numbers, gravity=(0.0, -gravity))
    return arm, {**{sympy.Symbol(name, positive=True): value for name, value in numbers.items()},
                 g: gravity}


def value(expression, numbers, state):
    """Return an expression's number; accelerations go in first, as they hold the rates."""
    at = {}
    for symbols, values in zip((a, w, q), reversed(state)):
        at.update(zip(symbols, values))
    expression = sympy.Matrix([expression]) if not hasattr(expression, 'shape') else expression
    result = expression.subs({x: at[x] for x in a}).subs({x: at[x] for x in w}).subs(
        {x: at[x] for x in q}).subs(numbers)
    return np.array(result.tolist(), dtype=float).squeeze()


def assert_equal(left, right):
    """Assert that two expressions, or matrices of them, are the same."""
    difference = sympy.Matrix([left - right]) if not hasattr(left, 'shape') else left - right
    assert all(same(entry) for entry in difference), difference


def same(difference):
    """Return whether an expression is zero."""
    from sympy.simplify.fu import TR8
    return sympy.expand(TR8(sympy.expand(difference))) == 0


def differ(left, right):
    """Return whether two expressions differ, in a state that is not special."""
    _, numbers = drawn()
    return abs(value(left - right, numbers, STATES[0])) > 1e-3


# The formulas as docs/theory.md prints them.
PLACE1 = sympy.Matrix([lc1 * c1, lc1 * s1])
PLACE2 = sympy.Matrix([l1 * c1 + lc2 * c12, l1 * s1 + lc2 * s12])
SPEED1 = lc1**2 * w1**2
SPEED2 = l1**2 * w1**2 + lc2**2 * (w1 + w2)**2 + 2 * l1 * lc2 * c2 * w1 * (w1 + w2)
T = (m1 * lc1**2 + I1) * w1**2 / 2 + m2 * SPEED2 / 2 + I2 * (w1 + w2)**2 / 2
M = sympy.Matrix([
    [m1 * lc1**2 + I1 + m2 * (l1**2 + lc2**2 + 2 * l1 * lc2 * c2) + I2,
     m2 * (lc2**2 + l1 * lc2 * c2) + I2],
    [m2 * (lc2**2 + l1 * lc2 * c2) + I2, m2 * lc2**2 + I2]])
U = (m1 * lc1 + m2 * l1) * g * s1 + m2 * lc2 * g * s12
h = m2 * l1 * lc2 * s2
C = sympy.Matrix([[-h * w2, -h * (w1 + w2)], [h * w1, 0]])
G = sympy.Matrix([(m1 * lc1 + m2 * l1) * g * c1 + m2 * lc2 * g * c12, m2 * lc2 * g * c12])


def lagrange(kinetic, potential):
    """Return the efforts by Lagrange's equations."""
    L = kinetic - potential
    return sympy.Matrix([L.diff(x.diff(t)).diff(t) - L.diff(x) for x in (q1, q2)])


# --- L -------------------------------------------------------------------------------------------


def test_l1_centres_of_mass():
    arm, numbers = drawn()
    for state in STATES:
        found = arm.centers_of_mass(state[0])
        np.testing.assert_allclose(found[0, :2], value(PLACE1, numbers, state), atol=1e-15)
        np.testing.assert_allclose(found[1, :2], value(PLACE2, numbers, state), atol=1e-15)


def test_l2_squared_speeds_are_those_of_the_centres_differentiated():
    for place, speed in ((PLACE1, SPEED1), (PLACE2, SPEED2)):
        velocity = place.diff(t)
        assert_equal((velocity.T * velocity)[0], speed)


def test_l3_kinetic_energy_is_the_quadratic_form_of_the_mass_matrix():
    assert_equal(T, (w.T * M * w)[0] / 2)
    arm, numbers = drawn()
    for state in STATES:
        np.testing.assert_allclose(arm.kinetic_energy(*state[:2]), value(T, numbers, state),
                                   rtol=1e-14)


def test_l4_mass_matrix_is_the_second_derivative_of_the_kinetic_energy():
    assert_equal(M, sympy.Matrix(2, 2, lambda i, j: T.diff(w[i]).diff(w[j])))
    arm, numbers = drawn()
    for state in STATES:
        np.testing.assert_allclose(arm.mass_matrix(state[0]), value(M, numbers, state), rtol=1e-14)


def test_l5_potential_energy_is_that_of_weights():
    assert_equal(U, m1 * g * PLACE1[1] + m2 * g * PLACE2[1])
    arm, numbers = drawn()
    for state in STATES:
        np.testing.assert_allclose(arm.potential_energy(state[0]), value(U, numbers, state),
                                   rtol=1e-13)


def test_l6_coriolis_matrix_gives_the_velocity_terms_and_is_skew():
    assert_equal(lagrange(T, U) - M * a - U_gradient(), C * w)
    assert_equal(C * w, sympy.Matrix([-h * (2 * w1 * w2 + w2**2), h * w1**2]))
    skew = M.diff(t) - 2 * C
    assert_equal(skew, -skew.T)
    assert_equal(skew[0, 1], h * (2 * w1 + w2))
    arm, numbers = drawn()
    for state in STATES:
        np.testing.assert_allclose(arm.coriolis_matrix(*state[:2]), value(C, numbers, state),
                                   rtol=1e-14, atol=1e-15)


def U_gradient():
    """Return the gradient of L5."""
    return sympy.Matrix([U.diff(x) for x in (q1, q2)])


def test_l7_gravity_is_the_gradient_of_the_potential_energy():
    assert_equal(G, U_gradient())
    arm, numbers = drawn()
    for state in STATES:
        np.testing.assert_allclose(arm.gravity_vector(state[0]), value(G, numbers, state),
                                   rtol=1e-13)


def test_l8_equation_of_motion_is_that_of_lagrange():
    assert_equal(lagrange(T, U), M * a + C * w + G)
    arm, numbers = drawn(b1=0.3, b2=0.2)
    for state in STATES:
        tau = value(M * a + C * w + G, numbers, state)
        np.testing.assert_allclose(arm.inverse_dynamics(*state), tau, rtol=1e-13, atol=1e-14)
        tau = tau + np.array([0.3, 0.2]) * state[1]
        np.testing.assert_allclose(arm.inverse_dynamics(*state, friction=True), tau, rtol=1e-13,
                                   atol=1e-14)
        np.testing.assert_allclose(arm.forward_dynamics(*state[:2], tau, friction=True), state[2],
                                   rtol=1e-12)


def test_absolute_angles_are_a_change_of_coordinates():
    """The second text's angles from the vertical, 5.3.1."""
    S = -sympy.Matrix([[1, 0], [1, 1]])
    phi = S * q + sympy.Matrix([sympy.pi / 2, sympy.pi / 2])
    place = sympy.Matrix([l1 * sympy.sin(phi[0]) + lc2 * sympy.sin(phi[1]),
                          l1 * sympy.cos(phi[0]) + lc2 * sympy.cos(phi[1])])
    assert_equal(place, PLACE2)
    rates = sympy.Matrix(sympy.symbols('p1 p2'))
    in_q = S.inv() * rates
    absolute = S.inv().T * M * S.inv()
    assert_equal(T.subs({w1: in_q[0], w2: in_q[1]}), (rates.T * absolute * rates)[0] / 2)
    absolute = absolute.applyfunc(sympy.expand)
    assert not absolute[0, 0].has(q2) and not absolute[1, 1].has(q2)


# --- beyond the drawing --------------------------------------------------------------------------


@pytest.mark.parametrize('sign', [1, -1])
def test_the_closed_form_in_absolute_rates_is_that_of_lagrange(sign):
    e = sympy.Matrix(sympy.symbols('ex ey', real=True))
    r1 = sympy.Matrix(sympy.symbols('x1 y1', real=True))
    r2 = sympy.Matrix(sympy.symbols('x2 y2', real=True))
    gravity = sympy.Matrix(sympy.symbols('gx gy', real=True))
    bend = sign * q2

    def turn(angle):
        return sympy.Matrix([[sympy.cos(angle), -sympy.sin(angle)],
                             [sympy.sin(angle), sympy.cos(angle)]])

    places = turn(q1) * r1, turn(q1) * e + turn(q1 + bend) * r2
    rates = w1, w1 + bend.diff(t)
    kinetic = sum(m * (p.diff(t).T * p.diff(t))[0] / 2 + i * rate**2 / 2
                  for m, p, i, rate in zip((m1, m2), places, (I1, I2), rates))
    potential = -sum(m * (gravity.T * p)[0] for m, p in zip((m1, m2), places))
    # The constants of the page; a phase is written by its cosine and sine.
    alpha, delta = m1 * r1.dot(r1) + I1 + m2 * e.dot(e), m2 * r2.dot(r2) + I2
    B, B2 = m2 * e.dot(r2), m2 * (e[1] * r2[0] - e[0] * r2[1])
    b = B * sympy.cos(bend) + B2 * sympy.sin(bend)             # beta cos(t + phi)
    hh = B * sympy.sin(bend) - B2 * sympy.cos(bend)            # beta sin(t + phi)
    assert_equal(kinetic, alpha * rates[0]**2 / 2 + delta * rates[1]**2 / 2
                 + b * rates[0] * rates[1])
    pull = []
    for u, angle in ((m1 * r1 + m2 * e, q1), (m2 * r2, q1 + bend)):
        pull.append((gravity[0] * u[1] - gravity[1] * u[0]) * sympy.cos(angle)
                    + gravity.dot(u) * sympy.sin(angle))
    tau = lagrange(kinetic, potential)
    first = alpha * rates[0].diff(t) + b * rates[1].diff(t) - hh * rates[1]**2 + pull[0]
    second = b * rates[0].diff(t) + delta * rates[1].diff(t) + hh * rates[0]**2 + pull[1]
    assert_equal(tau[0] - sign * tau[1], first)
    assert_equal(sign * tau[1], second)


TILTED = """<robot name="tilted"><link name="base"/>
<link name="a"><inertial><origin xyz="0.3 0.1 0"/><mass value="2"/>
<inertia ixx="0.1" iyy="0.1" izz="0.2"/></inertial></link>
<link name="b"><inertial><origin xyz="0.2 -0.1 0.4"/><mass value="1"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial></link>
<joint name="one" type="continuous"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/>
<origin rpy="0.4 0.3 0.2"/></joint>
<joint name="two" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 SIGN"/>
<origin xyz="0.7 0.2 0.1"/></joint></robot>"""


@pytest.mark.parametrize('sign', ['1', '-1'])
def test_the_constants_are_those_the_page_defines_and_newton_euler_agrees(sign):
    arm = load_arm(TILTED.replace('SIGN', sign))
    k, general = arm.constants, Arm(arm.chain, arm.gravity)
    assert k.sign == float(sign)
    e, r1, r2 = k.elbow[:2], k.com1[:2], k.com2[:2]
    expected = (k.m1 * r1 @ r1 + k.I1 + k.m2 * e @ e, k.m2 * r2 @ r2 + k.I2, k.m2 * e @ r2,
                -k.m2 * (e[1] * r2[0] - e[0] * r2[1]))
    np.testing.assert_allclose((k.alpha, k.delta, k.beta * math.cos(k.phase),
                                k.beta * math.sin(k.phase)), expected, rtol=1e-14)
    for state in STATES:
        np.testing.assert_allclose(arm.inverse_dynamics(*state), general.inverse_dynamics(*state),
                                   rtol=1e-12)
        b = k.beta * math.cos(k.sign * state[0][1] + k.phase)
        np.testing.assert_allclose(np.linalg.det(arm.mass_matrix(state[0])),
                                   k.alpha * k.delta - b * b, rtol=1e-13)


# --- N -------------------------------------------------------------------------------------------


def newton_euler(links, inertias, gravity, force=None, torque=None):
    """
    Return joint reactions f_i, n_i and efforts by N1 to N6, for joints about z, in symbols.

    `links`: (mass, position of the frame in the one before, centre of mass) of each.
    """
    z, zero = sympy.Matrix([0, 0, 1]), sympy.zeros(3, 1)
    omega, alpha, acceleration = zero, zero, zero
    turns, motions = [], []
    for (m, p, com), inertia, angle in zip(links, inertias, (q1, q2)):
        R = sympy.Matrix([[sympy.cos(angle), sympy.sin(angle), 0],
                          [-sympy.sin(angle), sympy.cos(angle), 0], [0, 0, 1]])
        rate = angle.diff(t)
        acceleration = R * (alpha.cross(p) + omega.cross(omega.cross(p)) + acceleration)     # N2
        alpha = R * alpha + (R * omega).cross(rate * z) + rate.diff(t) * z                   # N1
        omega = R * omega + rate * z
        centre = alpha.cross(com) + omega.cross(omega.cross(com)) + acceleration             # N3
        motions.append((m * centre, inertia * alpha + omega.cross(inertia * omega)))         # N4
        turns.append(R)
    to_base = sympy.eye(3)
    in_frames = []
    for R in turns:
        to_base = to_base * R.T
        in_frames.append(to_base.T * gravity)
    tip = to_base.T * (force if force is not None else zero)
    f, n = tip, torque if torque is not None else zero
    place, reactions = sympy.Matrix([l2, 0, 0]), []
    for k in (1, 0):
        m, p, com = links[k]
        F, N = motions[k]
        back = turns[k + 1].T if k == 0 else sympy.eye(3)
        f, n = (F + back * f - m * in_frames[k],                                             # N5
                N + back * n + com.cross(F) + place.cross(back * f) - com.cross(m * in_frames[k]))
        place = p
        reactions.insert(0, (f, n))
    return reactions, sympy.Matrix([n[2] for _, n in reactions])                             # N6


def drawn_links(centre1=lc1, centre2=lc2):
    return [(m1, sympy.zeros(3, 1), sympy.Matrix([centre1, 0, 0])),
            (m2, sympy.Matrix([l1, 0, 0]), sympy.Matrix([centre2, 0, 0]))]


def about_z(*moments):
    return [sympy.diag(0, moment, moment) for moment in moments]


DOWN = sympy.Matrix([0, -g, 0])


@pytest.fixture(scope='module')
def recursion():
    """Return reactions and efforts of the drawing by the recursion."""
    return newton_euler(drawn_links(), about_z(I1, I2), DOWN)


def test_n1_n2_n3_n4_n6_the_recursion_gives_the_equations_of_lagrange(recursion):
    assert_equal(recursion[1], M * a + C * w + G)


def test_n5_reactions_of_the_bearings(recursion):
    arm, numbers = drawn()
    general = Arm(arm.chain, arm.gravity)
    for state in STATES:
        found = general.joint_reactions(*state)
        for i, (f, n) in enumerate(recursion[0]):
            np.testing.assert_allclose(found[i, :3], value(f, numbers, state), rtol=1e-12,
                                       atol=1e-13)
            np.testing.assert_allclose(found[i, 3:], value(n, numbers, state), rtol=1e-12,
                                       atol=1e-13)


def test_n5_gravity_is_subtracted_so_that_a_horizontal_arm_needs_positive_efforts(recursion):
    arm, numbers = drawn()
    rest = ((0.0, 0.0), (0.0, 0.0), (0.0, 0.0))
    assert (value(recursion[1], numbers, rest) > 0).all()
    assert (arm.inverse_dynamics(*rest) > 0).all()


SLIDING = """<robot name="sliding"><link name="base"/>
<link name="a"><inertial><origin xyz="0.3 0.1 0"/><mass value="2"/>
<inertia ixx="0.1" iyy="0.1" izz="0.2"/></inertial></link>
<link name="b"><inertial><origin xyz="0.2 -0.1 0"/><mass value="1.5"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial></link>
<joint name="turn" type="continuous"><parent link="base"/><child link="a"/>
<axis xyz="0 0 1"/></joint>
<joint name="slide" type="prismatic"><parent link="a"/><child link="b"/><axis xyz="1 0 0"/>
<origin xyz="0.7 0 0"/></joint></robot>"""


def test_n1_n2_n6_a_prismatic_joint_is_that_of_lagrange_too():
    """A slide on a turning arm: Coriolis acceleration, and a position that changes."""
    def turned(x, y):
        return sympy.Matrix([c1 * x - s1 * y, s1 * x + c1 * y])

    places = turned(0.3, 0.1), turned(0.7 + q2 + 0.2, -0.1)
    kinetic = sum(m * (p.diff(t).T * p.diff(t))[0] / 2 + i * w1**2 / 2
                  for m, p, i in zip((2, 1.5), places, (0.2, 0.1)))
    tau = lagrange(kinetic, sum(m * 9.81 * p[1] for m, p in zip((2, 1.5), places)))
    arm = load_arm(SLIDING, gravity=(0, -9.81, 0))
    for state in STATES:
        np.testing.assert_allclose(arm.inverse_dynamics(*state), value(tau, {}, state), rtol=1e-12)


def test_n7_mass_matrix_and_bias_are_inverse_dynamics_of_unit_accelerations_and_of_none():
    arm, _ = drawn()
    general = Arm(arm.chain, arm.gravity)
    for x, v, acceleration in STATES:
        still = np.zeros(2)
        G_now = general.inverse_dynamics(x, still, still)
        columns = [general.inverse_dynamics(x, still, unit) - G_now for unit in np.eye(2)]
        np.testing.assert_allclose(general.mass_matrix(x), np.column_stack(columns), rtol=1e-12)
        np.testing.assert_allclose(general.bias(x, v), general.inverse_dynamics(x, v, still))
        np.testing.assert_allclose(general.gravity_vector(x), G_now)
        tau = general.inverse_dynamics(x, v, acceleration)
        np.testing.assert_allclose(general.forward_dynamics(x, v, tau), acceleration, rtol=1e-12)


TAU2 = m2 * l2**2 * (a1 + a2) + m2 * l1 * l2 * c2 * a1 + m2 * l1 * l2 * s2 * w1**2 \
    + m2 * g * l2 * c12
TAU1 = TAU2 + (m1 + m2) * l1**2 * a1 + m2 * l1 * l2 * c2 * (a1 + a2) \
    - m2 * l1 * l2 * s2 * (w1 + w2)**2 + (m1 + m2) * g * l1 * c1
# The second text's boxed result (5.2), term by term.
BOXED1 = m1 * l1**2 * a1 + m2 * l1**2 * a1 + m2 * l2**2 * a1 + m2 * l2**2 * a2 \
    + 2 * m2 * l1 * l2 * a1 * c2 - 2 * m2 * l1 * l2 * w1 * w2 * s2 + m2 * l1 * l2 * a2 * c2 \
    - m2 * l1 * l2 * w2**2 * s2 + m1 * g * l1 * c1 + m2 * g * l1 * c1 + m2 * g * l2 * c12
POINTS = {lc1: l1, lc2: l2, I1: 0, I2: 0}


def test_n8_point_masses_are_the_drawing_with_lc_l_and_no_inertia():
    assert_equal((M * a + C * w + G).subs(POINTS), sympy.Matrix([TAU1, TAU2]))
    assert_equal(newton_euler(drawn_links(l1, l2), about_z(0, 0), DOWN)[1],
                 sympy.Matrix([TAU1, TAU2]))
    assert_equal(TAU1, BOXED1)
    arm, numbers = drawn(lc1=0.7, lc2=0.6, I1=0.0, I2=0.0)
    for state in STATES:
        tau = value(sympy.Matrix([TAU1, TAU2]), numbers, state)
        np.testing.assert_allclose(arm.inverse_dynamics(*state), tau, rtol=1e-13)
        np.testing.assert_allclose(arm.forward_dynamics(*state[:2], tau), state[2], rtol=1e-11)


# --- H -------------------------------------------------------------------------------------------

UNIFORM = {lc1: l1 / 2, lc2: l2 / 2}
Fx, Fy, torque = sympy.symbols('Fx Fy T', real=True)
quarter, half = sympy.Rational(1, 4), sympy.Rational(1, 2)
J11 = quarter * m1 * l1**2 + quarter * m2 * l2**2 + m2 * l1**2 + m2 * l1 * l2 * c2 + I1 + I2
J12 = quarter * m2 * l2**2 + half * m2 * l1 * l2 * c2 + I2
J22 = quarter * m2 * l2**2 + I2
D122, D211 = -half * m2 * l1 * l2 * s2, half * m2 * l1 * l2 * s2
TIP = sympy.Matrix([[-l1 * s1 - l2 * s12, -l2 * s12], [l1 * c1 + l2 * c12, l2 * c12]])
H1 = sympy.Matrix([J11 * a1 + J12 * a2 - m2 * l1 * l2 * s2 * w1 * w2 + D122 * w2**2,
                   J12 * a1 + J22 * a2 + D211 * w1**2]) \
    + TIP.T * sympy.Matrix([Fx, Fy]) + torque * sympy.Matrix([1, 1])


def test_h1_loaded_tip_by_newton_euler_and_by_the_arm():
    links = drawn_links(l1 / 2, l2 / 2)
    tau = newton_euler(links, about_z(I1, I2), sympy.zeros(3, 1), sympy.Matrix([Fx, Fy, 0]),
                       sympy.Matrix([0, 0, torque]))[1]
    assert_equal(tau, H1)
    tip = sympy.Matrix([l1 * c1 + l2 * c12, l1 * s1 + l2 * s12])
    assert_equal(TIP, tip.jacobian(q))
    arm, numbers = drawn(m1=2.0, m2=3.0, l1=1.5, l2=0.8, lc1=0.75, lc2=0.4,
                         I1=2.0 * 1.5**2 / 12, I2=3.0 * 0.8**2 / 12, g=0.0)
    state = (0.7, -1.1), (0.9, -0.4), (1.2, 0.3)
    exerted = {Fx: 4.0, Fy: -2.0, torque: 0.5}
    expected = value(H1, {**numbers, **exerted}, state)
    # The numbers of the page have twelve digits.
    np.testing.assert_allclose(expected, (6.27874855089, 0.912828396293), atol=6e-12)
    on_the_tip = -np.array([4.0, -2.0, 0.0, 0.0, 0.0, 0.5])
    np.testing.assert_allclose(arm.inverse_dynamics(*state, tip_wrench=on_the_tip), expected,
                               rtol=1e-14)


def christoffel(matrix):
    """Return D of a mass matrix, as H2 defines it."""
    return [[[(matrix[n, j].diff(q[k]) + matrix[n, k].diff(q[j]) - matrix[j, k].diff(q[n])) / 2
              for k in (0, 1)] for j in (0, 1)] for n in (0, 1)]


def test_h2_coefficients_are_the_mass_matrix_and_its_christoffel_symbols():
    uniform = M.subs(UNIFORM)
    assert_equal(uniform, sympy.Matrix([[J11, J12], [J12, J22]]))
    D = christoffel(uniform)
    for (n, j, k), expected in {(0, 0, 0): 0, (0, 1, 1): D122, (1, 0, 0): D211,
                                (1, 1, 1): 0}.items():
        assert_equal(D[n][j][k], expected)
    assert_equal(D[0][0][1] + D[0][1][0], -m2 * l1 * l2 * s2)
    assert_equal(D[1][0][1] + D[1][1][0], sympy.Integer(0))
    general = christoffel(M)
    assert_equal(C, sympy.Matrix(2, 2, lambda n, j: sum(general[n][j][k] * w[k] for k in (0, 1))))
    arm, numbers = drawn()
    for state in STATES:
        found = arm.christoffel(state[0])
        for n in (0, 1):
            np.testing.assert_allclose(found[n], value(sympy.Matrix(general[n]), numbers, state),
                                       rtol=1e-12, atol=1e-15)
    bends = np.linspace(-math.pi, math.pi, 101)
    assert arm.mass_matrix(np.stack([0 * bends, bends], axis=1))[:, 0, 0].argmax() == 50


def test_h3_without_coupling_the_joints_are_independent():
    """What independent joints neglect is small when the arm is slow, and not when it is fast."""
    arm, _ = drawn(g=0.0)
    x, acceleration = np.array([0.3, 0.9]), np.zeros(2)
    slow, fast = (np.abs(arm.inverse_dynamics(x, rate * np.ones(2), acceleration)).max()
                  for rate in (0.01, 10.0))
    assert slow * 1e6 == pytest.approx(fast, rel=1e-9)  # it grows as the square of the rates
    assert fast > 10.0


# --- K, T ----------------------------------------------------------------------------------------

ROWS = np.array([(0, 0, 0), (-90, 0, 0), (0, 24, 6), (-90, 2, 24), (90, 0, 0), (-90, 0, 0)], float)
DESIRED = np.array([[-0.707106, 0, 0.707106, 12], [0, -1, 0, 12], [0.707106, 0, 0.707106, -12],
                    [0, 0, 0, 1]])
START = np.radians([24, 103, 145, 215, 29.2, 30])
SOLUTION = np.radians([24.295, 102.857, 143.658, 216.602, 29.205, 129.342])


def handbook(convention='modified'):
    rows = np.column_stack([np.radians(ROWS[:, 0]), ROWS[:, 1:]])
    return tl.arm_from_dh(rows, convention=convention)


def test_k1_newtons_method_on_the_pose_error_converges_quadratically():
    arm, x, errors = handbook(), START.copy(), []
    U, _, Vt = np.linalg.svd(DESIRED[:3, :3])
    R = U @ Vt
    for _ in range(20):
        pose, J = arm.tip_pose(x), arm.jacobian(x)
        twist = R @ pose[:3, :3].T
        angle = 0.5 * np.array([twist[2, 1] - twist[1, 2], twist[0, 2] - twist[2, 0],
                                twist[1, 0] - twist[0, 1]])
        e = np.concatenate([DESIRED[:3, 3] - pose[:3, 3], angle])
        errors.append(np.linalg.norm(e))
        if errors[-1] < 1e-10:
            break
        x = x + np.clip(np.linalg.pinv(J) @ e, -0.5, 0.5)
    assert errors[-1] < 1e-10 and errors[-1] < errors[-2]**1.5
    # The page prints three decimals of degrees.
    off = np.remainder(x - SOLUTION + math.pi, 2 * math.pi) - math.pi
    assert np.abs(np.degrees(off)).max() < 6e-4


def test_k2_the_handbooks_example():
    found = handbook().inverse_kinematics(DESIRED, START)
    assert found.success
    off = np.remainder(found.q - SOLUTION + math.pi, 2 * math.pi) - math.pi
    assert np.abs(np.degrees(off)).max() < 6e-4
    assert not handbook('standard').inverse_kinematics(DESIRED, START).success


def test_k_planar_formulas_give_both_elbows():
    arm, _ = drawn()
    x, y = 0.9, -0.4
    cosine = (x * x + y * y - 0.7**2 - 0.6**2) / (2 * 0.7 * 0.6)
    for elbow in (math.acos(cosine), -math.acos(cosine)):
        first = math.atan2(y, x) - math.atan2(0.6 * math.sin(elbow), 0.7 + 0.6 * math.cos(elbow))
        np.testing.assert_allclose(arm.tip_pose([first, elbow])[:2, 3], (x, y), rtol=1e-14)
        r2 = x * x + y * y
        tangent = ((0.7 + 0.6)**2 - r2) / (r2 - (0.7 - 0.6)**2)
        assert math.tan(elbow / 2)**2 == pytest.approx(tangent, rel=1e-13)


def test_t1_rates_and_efforts_of_a_motion_of_the_tip():
    arm, _ = drawn()
    x, velocity, acceleration = np.array([0.9, -0.4]), np.array([0.3, 0.2]), np.array([-1.0, 0.5])
    motion = arm.task_inverse_dynamics(x, velocity, acceleration)
    J, Jd = (matrix[:2] for matrix in (arm.jacobian(motion.q),
                                       arm.jacobian_derivative(motion.q, motion.qd)))
    np.testing.assert_allclose(arm.tip_pose(motion.q)[:2, 3], x, rtol=1e-12)
    np.testing.assert_allclose(motion.qd, np.linalg.solve(J, velocity), rtol=1e-10)
    np.testing.assert_allclose(motion.qdd, np.linalg.solve(J, acceleration - Jd @ motion.qd),
                               rtol=1e-10)
    np.testing.assert_allclose(motion.tau, arm.inverse_dynamics(motion.q, motion.qd, motion.qdd))


# --- C -------------------------------------------------------------------------------------------


def test_c1_computed_torque_leaves_a_linear_error_equation():
    arm, _ = drawn()
    kp, kd = 30.0, 7.0
    law = tl.ComputedTorque(arm, kp=kp, kd=kd)
    for x, v, _ in STATES:
        desired = np.array([[0.1, 0.4], [0.5, -0.3], [1.0, 2.0]])
        tau = law.effort(0.0, list(x), list(v), desired.tolist())
        e, ed = desired[0] - x, desired[1] - v
        edd = desired[2] - arm.forward_dynamics(x, v, tau)
        np.testing.assert_allclose(edd + kd * ed + kp * e, 0.0, atol=1e-11)


def test_c1_with_an_integral_is_stable_below_the_bound_of_routh():
    for ki, stable in ((0.99 * 30 * 7, True), (1.01 * 30 * 7, False)):
        assert (np.roots([1, 7, 30, ki]).real.max() < 0) == stable


def test_c2_feedforward_is_the_inverse_dynamics_of_the_desired_motion():
    arm, _ = drawn()
    for state in STATES:
        x, v, acceleration = map(np.array, state)
        tau = arm.mass_matrix(x) @ acceleration + arm.coriolis_matrix(x, v) @ v \
            + arm.gravity_vector(x)
        np.testing.assert_allclose(arm.forward_dynamics(x, v, tau), acceleration, rtol=1e-11)


def test_c3_the_sliding_variable_loses_energy_at_the_rate_of_its_gain():
    arm, _ = drawn()
    K, Lambda = np.diag([3.0, 2.0]), np.diag([4.0, 5.0])
    for state in STATES:
        x, v, wanted_a = map(np.array, state)
        e, ed = np.array([0.2, -0.1]), np.array([-0.3, 0.4])
        vr, ar = v + ed + Lambda @ e, wanted_a + Lambda @ ed
        s = v - vr
        M_now, C_now = arm.mass_matrix(x), arm.coriolis_matrix(x, v)
        tau = M_now @ ar + C_now @ vr + arm.gravity_vector(x) - K @ s
        sd = arm.forward_dynamics(x, v, tau) - ar
        np.testing.assert_allclose(M_now @ sd + C_now @ s + K @ s, 0.0, atol=1e-12)
        step = 1e-6  # dM/dt by central differences, good to the square of the step
        Md = (arm.mass_matrix(x + step * v) - arm.mass_matrix(x - step * v)) / (2 * step)
        assert s @ M_now @ sd + 0.5 * s @ Md @ s == pytest.approx(-s @ K @ s, rel=1e-8)


def test_c4_efforts_are_linear_in_the_inertial_parameters():
    arm, _ = drawn()
    for state in STATES:
        Y = arm.regressor(*state)
        np.testing.assert_allclose(Y @ arm.inertial_parameters, arm.inverse_dynamics(*state),
                                   rtol=1e-12)
    # As many parameters matter as the page says: alpha, beta, delta, and two moments of which the
    # second is beta's again (u2 = m2 r2): alpha, delta, u1 and u2 in the plane.
    rng = np.random.default_rng(2)
    Y = np.concatenate([arm.regressor(*rng.uniform(-3, 3, (3, 2))) for _ in range(40)])
    assert np.linalg.matrix_rank(Y, tol=1e-9) == 6


# --- misprints: what the texts print is not what comes out ---------------------------------------


def test_misprint_third_text_4_23_has_the_sine_of_the_wrong_angle():
    printed = J12 * a1 + J22 * a2 + half * m2 * l1 * l2 * s1 * w1**2
    right = H1[1].subs({Fx: 0, Fy: 0, torque: 0})
    assert differ(printed, right)
    assert_equal(printed - half * m2 * l1 * l2 * (s1 - s2) * w1**2, right)


def test_misprint_third_text_after_4_29_lacks_a_half_in_the_coupling():
    printed = quarter * m2 * l2**2 + m2 * l1 * l2 * c2 + I2
    assert differ(printed, J12) and differ(printed, M[0, 1].subs(UNIFORM))
    # Its own (4.25) has the half.
    assert_equal(J12, H1[0].diff(a2))


def test_misprint_third_text_lost_superscripts_do_not_even_have_the_right_unit():
    lost = quarter * m1 * l1**2 + quarter * m2 * l2 + m2 * l1**2 + m2 * l1 * l2 * c2 + I1 + I2
    assert differ(lost, J11)
    scaled = {l1: 2 * l1, l2: 2 * l2, I1: 4 * I1, I2: 4 * I2}  # lengths in half metres
    assert_equal(J11.subs(scaled, simultaneous=True), 4 * J11)
    assert differ(lost.subs(scaled, simultaneous=True), 4 * lost)
    # (4.21), x: the centripetal acceleration of the first centre of mass goes with w1^2.
    x = (l1 / 2 * c1).diff(t, 2)
    assert_equal(x, -half * l1 * s1 * a1 - half * l1 * c1 * w1**2)
    assert differ(x, -half * l1 * s1 * a1 - half * l1 * c1 * w2)


def test_misprint_second_text_5_2_2_parentheses_of_the_moment():
    arm, numbers = drawn()
    general = Arm(arm.chain, arm.gravity)
    state = STATES[0]
    (f1, n1), (f2, n2) = [(row[:3], row[3:]) for row in general.joint_reactions(*state)]
    c, s = math.cos(state[0][1]), math.sin(state[0][1])
    back = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    f2, n2 = back @ f2, back @ n2
    com, elbow = np.array([DRAWN['lc1'], 0, 0]), np.array([DRAWN['l1'], 0, 0])
    # About the centre of mass: what is left of the moments is I wd; joint 1 is at the origin.
    right = n1 - n2 + np.cross(-com, f1) - np.cross(elbow - com, f2)
    printed = n1 - n2 + np.cross(-com, f1) - (elbow - np.cross(com, f2))
    np.testing.assert_allclose(right[2], DRAWN['I1'] * state[2][0], rtol=1e-10)
    assert abs(printed[2] - right[2]) > 0.1


def test_misprint_second_text_5_3_2_has_the_weight_of_the_first_mass_twice():
    printed = BOXED1 - m2 * g * l1 * c1 + m1 * g * l1 * c1
    assert differ(printed, TAU1)
