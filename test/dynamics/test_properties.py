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

"""What holds of the dynamics of any chain, whatever its numbers."""

import cmath

from chains import chain_of, random_segments, split, urdf_of
from hypothesis import assume, given, settings, strategies as st
import numpy as np

from twolink_dynamics import load_arm
from twolink_dynamics.dynamics import quantities
from twolink_dynamics.dynamics.serial_dynamics import SerialDynamics
from twolink_dynamics.model.chain import Chain
from twolink_dynamics.spatial import homogeneous, rpy_rotation

GRAVITY = np.array([1.0, -2.0, -9.0])
# See test_random_chains.py: two computations of one number differ by this much of the largest.
ROUNDING = 2e-12

some = settings(derandomize=True, deadline=None, max_examples=25)


@st.composite
def cases(draw, most=6):
    """Draw a chain's segments and a state: the numbers of a chain come from one seed."""
    rng = np.random.default_rng(draw(st.integers(0, 2 ** 32 - 1)))
    n = draw(st.integers(1, most))
    segments = random_segments(rng, n)
    scale = draw(st.sampled_from([0.0, 0.3, 1.0, 4.0]))
    return segments, rng.uniform(-3, 3, n), scale * rng.normal(size=n), rng.normal(size=n) * 3


def close(actual, expected, tolerance=ROUNDING, scale=0.0):
    scale = max(np.abs(expected).max(), scale)
    np.testing.assert_allclose(actual, expected, rtol=0.0, atol=tolerance * scale)


@some
@given(cases())
def test_mass_matrix_is_symmetric_positive_definite(case):
    segments, q, _, _ = case
    M = SerialDynamics(chain_of(segments), GRAVITY).mass_matrix(q)
    assert np.array_equal(M, M.T)
    assert np.linalg.eigvalsh(M).min() > 0.0


def derivative_along(function, q, qd):
    """
    Return d/dt of a program along qd by a complex step, exact to rounding.

    The kernels are plain arithmetic: given complex numbers they compute with complex numbers.

    """
    step = 1e-30
    complex_q = [x + 1j * step * v for x, v in zip(q.tolist(), qd.tolist())]
    return np.imag(np.array(function(complex_q, cmath.cos, cmath.sin), dtype=complex)) / step


@some
@given(cases())
def test_rate_of_mass_matrix_less_two_coriolis_is_skew(case):
    segments, q, qd, _ = case
    dynamics = SerialDynamics(chain_of(segments), GRAVITY)
    table = dynamics._packed.table.tolist()
    Md = derivative_along(lambda *state: quantities.mass_matrix(table, *state), q, qd)
    N = Md - 2.0 * dynamics.coriolis_matrix(q, qd)
    # The entries of Md and C are as large as M's times the velocity.
    scale = np.abs(dynamics.mass_matrix(q)).max() * np.abs(qd).max()
    np.testing.assert_allclose(N, -N.T, rtol=0.0, atol=10 * ROUNDING * scale)


@some
@given(cases(most=4))
def test_christoffel_symbols_are_those_of_the_mass_matrix(case):
    segments, q, qd, _ = case
    dynamics = SerialDynamics(chain_of(segments), GRAVITY)
    table = dynamics._packed.table.tolist()
    dM = np.array([
        derivative_along(lambda *state: quantities.mass_matrix(table, *state), q, unit)
        for unit in np.eye(len(q))])  # [k, i, j]
    expected = 0.5 * (np.einsum('kij->ijk', dM) + np.einsum('jik->ijk', dM)
                      - np.einsum('ijk->ijk', dM))
    D = dynamics.christoffel(q)
    scale = np.abs(dynamics.mass_matrix(q)).max()
    close(D, expected, 10 * ROUNDING, scale)
    close(D @ qd, dynamics.coriolis_matrix(q, qd), 10 * ROUNDING, scale * np.abs(qd).max())


@some
@given(cases())
def test_coriolis_matrix_times_velocity_and_gravity_make_the_bias(case):
    segments, q, qd, _ = case
    dynamics = SerialDynamics(chain_of(segments), GRAVITY)
    G = dynamics.gravity_vector(q)
    scale = np.abs(dynamics.mass_matrix(q)).max() * np.abs(qd).max() ** 2 + np.abs(G).max()
    close(dynamics.coriolis_matrix(q, qd) @ qd + G, dynamics.bias(q, qd), 10 * ROUNDING, scale)


@some
@given(cases())
def test_rate_of_energy_is_the_power_of_the_efforts(case):
    segments, q, qd, qdd = case
    dynamics = SerialDynamics(chain_of(segments), GRAVITY)

    def energy(t):
        at, velocity = q + qd * t + 0.5 * qdd * t * t, qd + qdd * t
        return dynamics.kinetic_energy(at, velocity) + dynamics.potential_energy(at)

    # Fourth-order difference: its error is (h w)^4 / 30 of the power at the frequencies w there
    # are, up to some 8 |qd|: 1e-3 to the fourth, 1e-12 and a factor; rounding is eps E / h.
    h = 1e-3 / (1.0 + 8 * np.abs(qd).max())
    slope = (8 * (energy(h) - energy(-h)) - (energy(2 * h) - energy(-2 * h))) / (12 * h)
    power = qd @ dynamics.inverse_dynamics(q, qd, qdd)
    size = abs(dynamics.kinetic_energy(q, qd)) + np.abs(dynamics.potential_energy(q)) + 1.0
    assert abs(slope - power) < 1e-9 * abs(power) + 10 * np.finfo(float).eps * size / h * len(q)


@some
@given(cases(most=10))
def test_forward_dynamics_undoes_inverse_dynamics(case):
    segments, q, qd, qdd = case
    dynamics = SerialDynamics(chain_of(segments), GRAVITY)
    wrench = np.arange(6.0)
    back = dynamics.forward_dynamics(
        q, qd, dynamics.inverse_dynamics(q, qd, qdd, wrench), wrench)
    M = dynamics.mass_matrix(q)
    effort = np.abs(dynamics.inverse_dynamics(q, qd, qdd, wrench)).max()
    # An error of the effort comes back times the inverse of M.
    np.testing.assert_allclose(
        back, qdd, rtol=0.0, atol=ROUNDING * (effort * np.linalg.norm(np.linalg.inv(M), 2)
                                              + np.linalg.cond(M) * np.abs(qdd).max()))


@some
@given(cases())
def test_effort_is_linear_in_acceleration_by_the_mass_matrix(case):
    segments, q, qd, qdd = case
    dynamics = SerialDynamics(chain_of(segments), GRAVITY)
    M, bias = dynamics.mass_matrix(q), dynamics.bias(q, qd)
    close(M @ qdd + bias, dynamics.inverse_dynamics(q, qd, qdd),
          scale=np.abs(M).max() * np.abs(qdd).max() + np.abs(bias).max())
    close(0.5 * qd @ M @ qd, dynamics.kinetic_energy(q, qd), scale=np.abs(M).max() * (qd @ qd)
          + 1e-300)


@some
@given(cases(most=4), st.floats(0.1, 0.9), st.integers(0, 3))
def test_splitting_a_link_by_a_fixed_joint_changes_nothing(case, share, which):
    segments, q, qd, qdd = case
    index = [k for k, s in enumerate(segments) if s.type != 'fixed'][which % len(q)]
    pose = ((0.1, -0.2, 0.3), (0.4, -0.5, 0.6))
    parts = split(segments, index, share, pose)
    whole, halves = (load_arm(urdf_of(each), 'link0', f'link{len(each)}')
                     for each in (segments, parts))
    assert halves.joint_names == whole.joint_names
    wrench = np.array([1.0, -2.0, 3.0, 0.4, -0.5, 0.6])
    close(halves.tip_pose(q), whole.tip_pose(q))
    tau = whole.inverse_dynamics(q, qd, qdd, wrench)
    scale = np.abs(tau).max() + np.abs(whole.mass_matrix(q)).max() * np.abs(qdd).max()
    close(halves.inverse_dynamics(q, qd, qdd, wrench), tau, 10 * ROUNDING, scale)
    close(halves.mass_matrix(q), whole.mass_matrix(q), 10 * ROUNDING)


@some
@given(cases(), st.tuples(*[st.floats(-3, 3)] * 3))
def test_turning_base_and_gravity_together_changes_nothing(case, rpy):
    segments, q, qd, qdd = case
    chain, R = chain_of(segments), rpy_rotation(*rpy)
    first = chain.joints[0]
    turned = type(first)(**{**vars(first), 'origin': homogeneous(R, np.zeros(3)) @ first.origin})
    turned = Chain(chain.name, 'base', 'tip', (turned, *chain.joints[1:]), chain.links, chain.tip)
    one, other = SerialDynamics(chain, GRAVITY), SerialDynamics(turned, R @ GRAVITY)
    scale = np.abs(one.inverse_dynamics(q, qd, qdd)).max()
    close(other.inverse_dynamics(q, qd, qdd), one.inverse_dynamics(q, qd, qdd), scale=scale)
    close(other.mass_matrix(q), one.mass_matrix(q))
    close(other.joint_reactions(q, qd, qdd), one.joint_reactions(q, qd, qdd))
    close(other.centers_of_mass(q), one.centers_of_mass(q) @ R.T)
    close(other.potential_energy(q), one.potential_energy(q), 10 * ROUNDING, scale=100.0)


@some
@given(cases(), st.integers(0, 5))
def test_reversing_an_axis_reverses_its_coordinate(case, which):
    segments, q, qd, qdd = case
    chain, i = chain_of(segments), which % len(q)
    joint = chain.joints[i]
    joints = list(chain.joints)
    joints[i] = type(joint)(**{**vars(joint), 'axis': -joint.axis})
    other = SerialDynamics(Chain('', '', '', joints, chain.links, chain.tip), GRAVITY)
    one = SerialDynamics(chain, GRAVITY)
    sign = np.ones(len(q))
    sign[i] = -1.0
    tau = one.inverse_dynamics(q, qd, qdd)
    close(other.inverse_dynamics(sign * q, sign * qd, sign * qdd), sign * tau,
          scale=np.abs(one.mass_matrix(q)).max() * np.abs(qdd).max())


@some
@given(cases())
def test_wrench_on_the_tip_acts_through_the_jacobian(case):
    segments, q, qd, qdd = case
    arm = load_arm(urdf_of(segments), 'link0', f'link{len(segments)}', gravity=GRAVITY)
    wrench = np.array([10.0, -20.0, 30.0, 4.0, -5.0, 6.0])
    free = arm.inverse_dynamics(q, qd, qdd)
    loaded = arm.inverse_dynamics(q, qd, qdd, tip_wrench=wrench)
    help_of_tip = arm.jacobian(q).T @ wrench  # what the surroundings give, the joints need not
    close(loaded, free - help_of_tip, scale=np.abs(free).max() + np.abs(help_of_tip).max())


@some
@given(cases())
def test_reactions_carry_the_efforts_and_balance_the_weight_at_rest(case):
    segments, q, qd, qdd = case
    dynamics = SerialDynamics(chain_of(segments), GRAVITY)
    reactions = dynamics.joint_reactions(q, qd, qdd)
    prismatic = [joint.type == 'prismatic' for joint in chain_of(segments).joints]
    along = [r[:3] @ j.axis if p else r[3:] @ j.axis
             for r, j, p in zip(reactions, chain_of(segments).joints, prismatic)]
    close(np.array(along), dynamics.inverse_dynamics(q, qd, qdd), scale=np.abs(reactions).max())
    still = np.zeros(len(q))
    weight = GRAVITY * sum(link.mass for link in chain_of(segments).links)
    close(dynamics.joint_reactions(q, still, still, frame='base')[0, :3], -weight)


@some
@given(cases(), st.floats(0.01, 100.0))
def test_efforts_scale_with_the_masses(case, factor):
    segments, q, qd, qdd = case
    assume(factor != 1.0)
    chain = chain_of(segments)
    links = [type(link)(link.name, factor * link.mass, link.com, factor * link.inertia)
             for link in chain.links]
    heavier = SerialDynamics(Chain('', '', '', chain.joints, links, chain.tip), GRAVITY)
    tau = SerialDynamics(chain, GRAVITY).inverse_dynamics(q, qd, qdd)
    close(heavier.inverse_dynamics(q, qd, qdd), factor * tau, 10 * ROUNDING)
