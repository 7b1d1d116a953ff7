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

"""The numbers that books print for known arms, and the misprints of the texts shown wrong."""

import math

import numpy as np
import pytest

from twolink_dynamics.dynamics.serial_dynamics import SerialDynamics
from twolink_dynamics.kinematics.forward import SerialKinematics
from twolink_dynamics.model.chain import Chain, Joint, Link
from twolink_dynamics.spatial import homogeneous, inverse_pose, rpy_rotation

Z = (0.0, 0.0, 1.0)


def planar(masses, lengths, coms, inertias, armature=(0.0, 0.0)):
    """Return the drawing of the texts: two links in the x-y plane, turning about z."""
    joints = [Joint('shoulder', 'revolute', 'base', 'upper', axis=Z, armature=armature[0]),
              Joint('elbow', 'revolute', 'upper', 'fore', axis=Z, armature=armature[1],
                    origin=homogeneous(np.eye(3), (lengths[0], 0.0, 0.0)))]
    links = [Link(name, m, (lc, 0.0, 0.0), np.diag([0.0, 0.0, inertia])) for name, m, lc, inertia
             in zip(('upper', 'fore'), masses, coms, inertias)]
    return Chain('planar', 'base', 'tip', joints, links,
                 homogeneous(np.eye(3), (lengths[1], 0.0, 0.0)))


def puma560():
    """
    Return the Puma 560 of Corke's Robotics Toolbox for MATLAB, with its motors.

    Standard Denavit-Hartenberg: joint i turns about the z axis before the row i, and what the row
    describes is fixed to the link it moves.

    """
    d = (0.0, 0.0, 0.15005, 0.4318, 0.0, 0.0)
    a = (0.0, 0.4318, 0.0203, 0.0, 0.0, 0.0)
    alpha = (math.pi / 2, 0.0, -math.pi / 2, math.pi / 2, -math.pi / 2, 0.0)
    masses = (0.0, 17.4, 4.8, 0.82, 0.34, 0.09)
    coms = ((0, 0, 0), (-0.3638, 0.006, 0.2275), (-0.0203, -0.0141, 0.070), (0, 0.019, 0),
            (0, 0, 0), (0, 0, 0.032))
    inertias = ((0, 0.35, 0), (0.13, 0.524, 0.539), (0.066, 0.086, 0.0125),
                (1.8e-3, 1.3e-3, 1.8e-3), (0.3e-3, 0.4e-3, 0.3e-3), (0.15e-3, 0.15e-3, 0.04e-3))
    rotors = (200e-6, 200e-6, 200e-6, 33e-6, 33e-6, 33e-6)
    gears = (-62.6111, 107.815, -53.7063, 76.0364, 71.923, 76.686)
    joints, links, pose = [], [], np.eye(4)
    for i in range(6):
        joints.append(Joint(f'joint{i + 1}', 'revolute', '', '', pose, Z,
                            armature=rotors[i] * gears[i] ** 2))
        pose = homogeneous(rpy_rotation(alpha[i], 0.0, 0.0), (a[i], 0.0, d[i]))
        R = pose[:3, :3]
        links.append(Link(f'link{i + 1}', masses[i], R @ np.array(coms[i]) + pose[:3, 3],
                          R @ np.diag(inertias[i]) @ R.T))
    return Chain('puma560', 'base', 'tip', joints, links, pose)


QN = np.array([0.0, math.pi / 4, math.pi, 0.0, math.pi / 4, 0.0])


def test_puma560_carries_its_weight_as_corke_prints_it():
    G = SerialDynamics(puma560(), (0.0, 0.0, -9.81)).gravity_vector(QN)
    # Printed with four decimals.
    np.testing.assert_allclose(G, [0.0, 31.6399, 6.0351, 0.0, 0.0283, 0.0], rtol=0, atol=5e-5)


def test_puma560_mass_matrix_with_its_motors_is_the_one_corke_prints():
    M = SerialDynamics(puma560(), (0.0, 0.0, -9.81)).mass_matrix(QN)
    printed = np.array([
        [3.6594, -0.4044, 0.1006, -0.0025, 0.0, 0.0],
        [-0.4044, 4.4137, 0.3509, 0.0, 0.0024, 0.0],
        [0.1006, 0.3509, 0.9378, 0.0, 0.0015, 0.0],
        [-0.0025, 0.0, 0.0, 0.1925, 0.0, 0.0],
        [0.0, 0.0024, 0.0015, 0.0, 0.1713, 0.0],
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.1941]])
    np.testing.assert_allclose(M, printed, rtol=0, atol=5.1e-5)


def test_modern_robotics_three_joint_example():
    """
    The example of InverseDynamics in the code of Lynch and Park's Modern Robotics, chapter 8.

    Its first screw axis, (1, 0, 1; 0, 1, 0), is not of unit length: its coordinate is 1/sqrt(2) of
    ours, and its effort sqrt(2) times ours. Its tip wrench is what the arm exerts, moment first,
    in the tip's own frame: ours with the opposite sign, force first, base-aligned.

    """
    M01 = homogeneous(np.eye(3), (0, 0, 0.089159))
    M12 = homogeneous([[0, 0, 1], [0, 1, 0], [-1, 0, 0]], (0.28, 0.13585, 0))
    M23 = homogeneous(np.eye(3), (0, -0.1197, 0.395))
    M34 = homogeneous(np.eye(3), (0, 0, 0.14225))
    screws = np.array([[1, 0, 1, 0, 1, 0], [0, 1, 0, -0.089, 0, 0], [0, 1, 0, -0.089, 0, 0.425]])
    inertias = ([0.010267, 0.010267, 0.00666], [0.22689, 0.22689, 0.0151074],
                [0.0494433, 0.0494433, 0.004095])
    masses = (3.7, 8.393, 2.275)
    homes = [M01, M01 @ M12, M01 @ M12 @ M23]
    lengths = np.linalg.norm(screws[:, :3], axis=1)
    points = np.cross(screws[:, :3], screws[:, 3:]) / lengths[:, None] ** 2
    joints, links = [], []
    for i in range(3):
        before = points[i - 1] if i else np.zeros(3)
        joints.append(Joint(f'joint{i + 1}', 'revolute', '', '',
                            homogeneous(np.eye(3), points[i] - before),
                            screws[i, :3] / lengths[i]))
        R = homes[i][:3, :3]
        links.append(Link(f'link{i + 1}', masses[i], homes[i][:3, 3] - points[i],
                          R @ np.diag(inertias[i]) @ R.T))
    tip = homes[2] @ M34
    tip[:3, 3] -= points[2]
    chain = Chain('modern robotics', 'base', 'tip', joints, links, tip)
    q, qd, qdd = lengths * [0.1, 0.1, 0.1], lengths * [0.1, 0.2, 0.3], lengths * [2.0, 1.5, 1.0]
    R = SerialKinematics(chain).tip_pose(q)[:3, :3]
    wrench = -np.concatenate([R @ np.ones(3), R @ np.ones(3)])
    tau = SerialDynamics(chain, (0.0, 0.0, -9.8)).inverse_dynamics(q, qd, qdd, wrench)
    np.testing.assert_allclose(lengths * tau, [74.69616155, -33.06766016, -3.23057314], rtol=1e-9)


def test_lewis_two_link_arm_of_point_masses():
    """Lewis, Dawson and Abdallah's arm, unit masses at the ends of unit links, stretched out."""
    M = SerialDynamics(planar((1, 1), (1, 1), (1, 1), (0, 0)), (0, 0, 0)).mass_matrix(np.zeros(2))
    np.testing.assert_allclose(M, [[5.0, 2.0], [2.0, 1.0]], rtol=1e-15)


def test_siciliano_two_link_arm_with_motors():
    """
    Siciliano et al., Robotics, example 7.2: the motor of the elbow sits on the first link.

    Its mass and its rotor's inertia belong to link 1, and the armature adds k_r^2 I_m to the
    diagonal. What neither can give is the coupling k_r I_m: turning link 1 turns the elbow's rotor
    along, so that its spin joins the off-diagonal terms. A rotor is one more body; on its own it
    adds I_m (1, k_r)'(1, k_r), which completes the book's matrix.

    """
    a, lc, m, inertia, gear, motor_mass, rotor = 1.0, 0.5, 50.0, 10.0, 100.0, 5.0, 0.01
    published = np.array([[250.01, 48.5], [48.5, 122.5]])
    # Link 1 and the elbow's motor at its end, as one body about their common centre of mass.
    mass = m + motor_mass
    com = (m * lc + motor_mass * a) / mass
    lumped = inertia + m * (lc - com) ** 2 + motor_mass * (a - com) ** 2

    def mass_matrix(elbow_rotor, armature):
        chain = planar((mass, m), (a, a), (com, lc), (lumped + elbow_rotor, inertia), armature)
        return SerialDynamics(chain, (0, 0, 0)).mass_matrix(np.zeros(2))

    by_armature = mass_matrix(rotor, (gear ** 2 * rotor, gear ** 2 * rotor))
    np.testing.assert_allclose(np.diag(by_armature), np.diag(published), rtol=1e-14)
    np.testing.assert_allclose(published[0, 1] - by_armature[0, 1], gear * rotor, rtol=1e-12)
    spinning = mass_matrix(0.0, (gear ** 2 * rotor, 0.0)) + rotor * np.outer([1, gear], [1, gear])
    np.testing.assert_allclose(spinning, published, rtol=1e-14)


# --- the third text: uniform links in a horizontal plane with a loaded tip (theory.md H1) --------

M_, L_ = (2.0, 3.0), (1.5, 0.8)
Q, QD, QDD = (0.7, -1.1), (0.9, -0.4), (1.2, 0.3)
FORCE, TORQUE = (4.0, -2.0), 0.5


def handbook(s_of_centripetal=math.sin(Q[1]), j12_factor=0.5):
    """Return H1's efforts, or those of a misprint."""
    (m1, m2), (l1, l2) = M_, L_
    c2, s2 = math.cos(Q[1]), math.sin(Q[1])
    i1, i2 = m1 * l1 ** 2 / 12, m2 * l2 ** 2 / 12
    j11 = m1 * l1 ** 2 / 4 + m2 * l2 ** 2 / 4 + m2 * l1 ** 2 + m2 * l1 * l2 * c2 + i1 + i2
    j12 = m2 * l2 ** 2 / 4 + j12_factor * m2 * l1 * l2 * c2 + i2
    j22 = m2 * l2 ** 2 / 4 + i2
    k = m2 * l1 * l2
    tau1 = (j11 * QDD[0] + j12 * QDD[1] - k * s2 * QD[0] * QD[1]
            - 0.5 * k * s_of_centripetal * QD[1] ** 2)
    tau2 = j12 * QDD[0] + j22 * QDD[1] + 0.5 * k * s2 * QD[0] ** 2
    s1, c1 = math.sin(Q[0]), math.cos(Q[0])
    s12, c12 = math.sin(Q[0] + Q[1]), math.cos(Q[0] + Q[1])
    fx, fy = FORCE
    return (tau1 + (-l1 * s1 - l2 * s12) * fx + (l1 * c1 + l2 * c12) * fy + TORQUE,
            tau2 - l2 * s12 * fx + l2 * c12 * fy + TORQUE)


def horizontal():
    inertias = [m * length ** 2 / 12 for m, length in zip(M_, L_)]
    coms = [length / 2 for length in L_]
    return SerialDynamics(planar(M_, L_, coms, inertias), (0.0, 0.0, -9.81))


def loaded(sign):
    wrench = sign * np.array([*FORCE, 0.0, 0.0, 0.0, TORQUE])
    return horizontal().inverse_dynamics(*map(np.array, (Q, QD, QDD)), wrench)


def test_loaded_tip_in_the_plane_as_the_third_text_derives_it():
    tau = loaded(-1.0)  # the text counts what the arm exerts, we what is exerted on it
    np.testing.assert_allclose(tau, (6.27874855089, 0.912828396293), rtol=1e-11)
    np.testing.assert_allclose(tau, handbook(), rtol=1e-13)


@pytest.mark.parametrize('wrong', [
    {'s_of_centripetal': math.sin(Q[0])},  # (4.23) prints S1 in the centripetal term
    {'j12_factor': 1.0},                   # after (4.29) J12 has m2 l1 l2 C2
])
def test_misprints_of_the_third_text_are_wrong(wrong):
    assert abs(handbook(**wrong)[0] - loaded(-1.0)[0]) > 0.1


def test_wrench_with_the_sign_of_the_third_text_is_another_load():
    assert np.abs(loaded(1.0) - handbook()).min() > 0.1


def test_handbook_symbols_are_the_christoffel_symbols():
    (m2, (l1, l2)), s2 = (M_[1], L_), math.sin(Q[1])
    D = horizontal().christoffel(np.array(Q))
    k = m2 * l1 * l2 * s2
    assert abs(D[0, 0, 0]) < 1e-15 and abs(D[1, 1, 1]) < 1e-15
    assert D[0, 0, 1] + D[0, 1, 0] == pytest.approx(-k, rel=1e-13)
    assert D[0, 1, 1] == pytest.approx(-0.5 * k, rel=1e-13)
    assert D[1, 0, 0] == pytest.approx(0.5 * k, rel=1e-13)
    assert abs(D[1, 0, 1] + D[1, 1, 0]) < 1e-15


def test_point_masses_in_a_vertical_plane_as_the_second_text_derives_them():
    """theory.md N8: zero inertia, and no division by it."""
    (m1, m2), (l1, l2), g = (1.3, 0.7), (0.6, 0.9), 9.81
    dynamics = SerialDynamics(planar((m1, m2), (l1, l2), (l1, l2), (0, 0)), (0.0, -g, 0.0))
    (q1, q2), (v1, v2), (a1, a2) = Q, QD, QDD
    c1, c2, s2, c12 = math.cos(q1), math.cos(q2), math.sin(q2), math.cos(q1 + q2)
    tau2 = (m2 * l2 ** 2 * (a1 + a2) + m2 * l1 * l2 * c2 * a1 + m2 * l1 * l2 * s2 * v1 ** 2
            + m2 * g * l2 * c12)
    tau1 = (tau2 + (m1 + m2) * l1 ** 2 * a1 + m2 * l1 * l2 * c2 * (a1 + a2)
            - m2 * l1 * l2 * s2 * (v1 + v2) ** 2 + (m1 + m2) * g * l1 * c1)
    state = [np.array(x) for x in (Q, QD, QDD)]
    tau = dynamics.inverse_dynamics(*state)
    np.testing.assert_allclose(tau, (tau1, tau2), rtol=1e-13)
    np.testing.assert_allclose(dynamics.forward_dynamics(*state[:2], tau), QDD, rtol=1e-12)
    # The Lagrange section prints m1 g l1 c1 where m2 g l1 c1 is meant: that is another effort.
    misprinted = tau1 - m2 * g * l1 * c1 + m1 * g * l1 * c1
    assert abs(misprinted - tau[0]) > 1.0


def test_horizontal_arm_needs_positive_effort_against_gravity_along_minus_y():
    G = SerialDynamics(planar((1, 1), (1, 1), (0.5, 0.5), (0.1, 0.1)),
                       (0.0, -9.81, 0.0)).gravity_vector(np.zeros(2))
    np.testing.assert_allclose(G, (2 * 9.81, 0.5 * 9.81), rtol=1e-14)


def test_poses_of_the_published_arms_are_consistent():
    """The Puma's tip by the engine's own frames equals the kinematics written apart from it."""
    chain = puma560()
    q = np.array([0.3, -0.4, 0.5, -0.6, 0.7, -0.8])
    com = SerialDynamics(chain, (0, 0, 0)).centers_of_mass(q)[-1]
    link_frame = SerialKinematics(chain).tip_pose(q) @ inverse_pose(chain.tip)
    expected = link_frame[:3, :3] @ chain.links[-1].com + link_frame[:3, 3]
    np.testing.assert_allclose(com, expected, rtol=1e-13)
