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

"""The tip as what is controlled: straight error, free null space, damped singularities."""

from dataclasses import replace

from chains import chain_of, random_segments, Segment
from kinematic_arms import planar_three as massless_three
import numpy as np
import pytest

import twolink_dynamics as tl
from twolink_dynamics.control import OperationalSpace
from twolink_dynamics.dynamics.two_link_arm import arm_of_chain
from twolink_dynamics.errors import ParameterError
from twolink_dynamics.simulation import simulate
from twolink_dynamics.tracking import all_finite
from twolink_dynamics.trajectory import Trajectory


def planar_three():
    """Return three links of 0.5 m in a plane."""
    def link(x):
        return Segment('continuous', (x, 0.0, 0.0), (0.0,) * 3, (0.0, 0.0, 1.0), 1.0,
                       (0.25, 0.0, 0.0), (0.0,) * 3, tuple(map(tuple, 0.02 * np.eye(3))))

    chain = chain_of([link(0.0), link(0.5), link(0.5)])
    tip = np.eye(4)
    tip[0, 3] = 0.5
    return tl.Arm(replace(chain, tip=tip), gravity=(0.0, -9.81, 0.0))


def test_the_tips_error_decays_along_a_straight_line():
    arm = tl.TwoLinkArm()
    q0, q_d = np.array([0.3, 1.2]), np.array([0.8, 0.9])
    law = OperationalSpace(arm, natural_frequency=10.0)
    run = simulate(arm, 1.0, dt=5e-4, q0=q0, law=law, trajectory=Trajectory([0.0], [q_d]))
    goal, start = arm.tip_pose(q_d)[:3, 3], arm.tip_pose(q0)[:3, 3]
    error = goal - arm.tip_pose(run.q)[:, :3, 3]
    shape = (1.0 + 10.0 * run.t) * np.exp(-10.0 * run.t)
    # Holding the effort for h: wn h / 2 = 2.5e-3 of the damping, of 0.4 m; and the tip's motion
    # bends by as much.
    np.testing.assert_allclose(error, (goal - start) * shape[:, None], atol=1.5e-3)


def test_the_null_space_does_not_move_the_tip():
    arm = planar_three()
    q0 = np.array([0.4, 0.7, 0.9])
    J = arm.jacobian(q0)[:2]
    null = np.linalg.svd(J)[2][-1]
    q_d = q0.copy()
    law = OperationalSpace(arm, natural_frequency=10.0)
    # A velocity error in the null space alone: the joints are slowed down, the tip is not felt.
    tau = np.array(law.effort(0.0, q0, null, (q_d, np.zeros(3), np.zeros(3))))
    qdd = arm.forward_dynamics(q0, null, tau)
    tip = J @ qdd + arm.jacobian_derivative(q0, null)[:2] @ null
    np.testing.assert_allclose(tip, 0.0, atol=1e-10)
    assert qdd @ null < -1.0


def test_a_redundant_arm_comes_to_the_desired_joints_too():
    arm = planar_three()
    q0, q_d = np.array([0.4, 0.7, 0.9]), np.array([0.5, 0.9, 0.6])
    run = simulate(arm, 3.0, q0=q0, law=OperationalSpace(arm, natural_frequency=10.0),
                   trajectory=Trajectory([0.0], [q_d]))
    assert np.abs(run.error[-1]).max() < 1e-6


def test_a_pose_is_controlled_with_seven_joints():
    rng = np.random.default_rng(3)
    arm = arm_of_chain(chain_of(random_segments(rng, 7, kinds=('revolute',))))
    q0 = rng.uniform(0.3, 0.8, 7)
    q_d = q0 + rng.uniform(-0.15, 0.15, 7)
    law = OperationalSpace(arm, natural_frequency=10.0)
    assert law.task == 'pose'
    run = simulate(arm, 2.0, dt=2e-3, q0=q0, law=law, trajectory=Trajectory([0.0], [q_d]))
    assert np.abs(run.error[-1]).max() < 1e-4
    np.testing.assert_allclose(arm.tip_pose(run.q[-1]), arm.tip_pose(q_d), atol=1e-6)


@pytest.mark.parametrize('q', [(0.3, 0.0), (0.3, 1e-9), (0.3, 0.02), (0.3, np.pi)])
def test_a_singular_posture_is_left_with_bounded_efforts(q):
    arm = tl.TwoLinkArm()
    law = OperationalSpace(arm, natural_frequency=10.0)
    q_d = (q[0], q[1] + 0.3)
    run = simulate(arm, 2.0, q0=q, law=law, trajectory=Trajectory([0.0], [q_d]))
    assert all_finite(run.tau.ravel())
    # Computed torque in the joints would ask for M kp e = 3.2 * 100 * 0.3 and gravity's 20 N m;
    # damping lets the tip ask for up to 1 / SINGULAR times as much near the border.
    assert np.abs(run.tau).max() < 500.0
    assert np.abs(run.error[-1]).max() < 1e-3


def test_an_arm_without_masses_gets_the_efforts_it_needs_none():
    arm = massless_three()
    zero = [0.0] * 3
    tau = OperationalSpace(arm).effort(0.0, [0.1, 0.2, 0.3], zero, ([0.2] * 3, zero, zero))
    assert tuple(tau) == (0.0, 0.0, 0.0)


def test_a_task_is_a_position_or_a_pose():
    with pytest.raises(ParameterError, match='pose'):
        OperationalSpace(tl.TwoLinkArm(), task='colour')
