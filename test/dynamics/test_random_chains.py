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

"""A thousand random chains equal Pinocchio, and those that MuJoCo accepts equal MuJoCo."""

import warnings

from chains import chain_of, pinocchio_of, random_segments, urdf_of
import numpy as np
import pytest

from twolink_dynamics import load_arm
from twolink_dynamics.dynamics import serial_dynamics
from twolink_dynamics.dynamics.serial_dynamics import SerialDynamics

# An effort or a matrix element is a sum over at most 8 joints of products some 60 operations deep,
# each right to eps, in two programs: 2 * 8 * 60 * eps = 2e-13 of the largest element, and an order
# of magnitude for what cancels within it. (A thousand chains are seen to differ by 5e-14.)
TOLERANCE = 2e-12
CHAINS = 1000


def difference(actual, expected, scale=0.0):
    """Return the largest difference relative to the largest number expected."""
    return np.abs(actual - expected).max() / max(np.abs(expected).max(), scale)


def states(rng, n):
    return rng.uniform(-3, 3, n), rng.uniform(-2, 2, n), rng.uniform(-5, 5, n)


def symmetric(upper):
    return np.triu(upper) + np.triu(upper, 1).T


def compare(pin, dynamics, model, rng):
    """Return the worst difference of everything Pinocchio also computes, in units of tolerance."""
    n = dynamics.n
    q, qd, qdd = states(rng, n)
    wrench = rng.normal(size=6) * 10.0
    data = model.createData()
    pin.framesForwardKinematics(model, data, q)
    tip = data.oMf[model.getFrameId('tip')].translation
    # Ours is base-aligned at the tip, Pinocchio's in the joint's own frame.
    forces = [pin.Force.Zero() for _ in range(n)] + [
        data.oMi[n].actInv(pin.SE3(np.eye(3), tip).act(pin.Force(wrench)))]
    M = symmetric(pin.crba(model, data, q))
    acceleration = pin.aba(model, data, q, qd, qdd, forces)
    effort = pin.rnea(model, data, q, qd, qdd).copy()
    bias = pin.nonLinearEffects(model, data, q, qd).copy()
    # Efforts can all but cancel: their rounding is that of what they are made of.
    scale = np.abs(M).max() * np.abs(qdd).max() + np.abs(bias).max()
    worst = max(
        difference(dynamics.inverse_dynamics(q, qd, qdd), effort, scale),
        difference(dynamics.inverse_dynamics(q, qd, qdd, wrench),
                   pin.rnea(model, data, q, qd, qdd, forces), scale),
        difference(dynamics.mass_matrix(q), M),
        difference(dynamics.bias(q, qd), bias, scale),
        difference(dynamics.gravity_vector(q), pin.computeGeneralizedGravity(model, data, q),
                   scale))
    # Solving multiplies errors of M by its condition, in Pinocchio as here.
    solved = difference(dynamics.forward_dynamics(q, qd, qdd, wrench), acceleration)
    assert solved < 1e-9
    return max(worst, solved / max(1.0, np.linalg.cond(M) / 100.0))


@pytest.mark.parametrize('part', range(10))
def test_thousand_random_chains_equal_pinocchio(part, monkeypatch):
    pin = pytest.importorskip('pinocchio')
    rng = np.random.default_rng(part)
    for k in range(CHAINS // 10):
        # Unrolling a chain costs more than a hundred runs of its loops: every tenth is enough,
        # since the two are the same to the last bit (test_newton_euler.py).
        monkeypatch.setattr(serial_dynamics, 'WRITTEN_OUT_JOINTS', 8 if k % 10 == 0 else 0)
        segments = random_segments(rng, int(rng.integers(1, 9)))
        gravity, armature = rng.normal(size=3) * 6.0, float(rng.choice([0.0, 0.2]))
        dynamics = SerialDynamics(chain_of(segments, armature), gravity)
        assert compare(pin, dynamics, pinocchio_of(segments, gravity, armature), rng) < TOLERANCE


def test_random_chains_written_as_urdf_and_loaded_equal_pinocchio():
    pin = pytest.importorskip('pinocchio')
    rng = np.random.default_rng(100)
    for _ in range(100):
        segments = random_segments(rng, int(rng.integers(1, 9)))
        arm = load_arm(urdf_of(segments), 'link0', f'link{len(segments)}')
        assert arm.joint_names == tuple(f'joint{i + 1}' for i in range(arm.n))
        model, (q, qd, qdd) = pinocchio_of(segments), states(rng, arm.n)
        data = model.createData()
        assert difference(arm.inverse_dynamics(q, qd, qdd),
                          pin.rnea(model, data, q, qd, qdd)) < TOLERANCE
        M = symmetric(pin.crba(model, data, q))
        assert difference(arm.mass_matrix(q), M) < TOLERANCE
        assert difference(arm.forward_dynamics(q, qd, qdd), pin.aba(model, data, q, qd, qdd)) \
            < TOLERANCE * max(1.0, np.linalg.cond(M) / 100.0)


def test_random_chains_equal_mujoco():
    mujoco = pytest.importorskip('mujoco')
    rng = np.random.default_rng(200)
    for _ in range(CHAINS):
        segments = random_segments(rng, int(rng.integers(1, 9)), fixed=0.2)
        arm = load_arm(urdf_of(segments), 'link0', f'link{len(segments)}')
        spec = mujoco.MjSpec.from_string(urdf_of(segments))
        spec.compiler.balanceinertia = False
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            model = spec.compile()
        model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
        data = mujoco.MjData(model)
        data.qpos[:], data.qvel[:], data.qacc[:] = q, qd, qdd = states(rng, arm.n)
        mujoco.mj_inverse(model, data)
        # MuJoCo keeps inertias as principal moments and a quaternion, found by an iteration that
        # stops at 1e-10: so the axes, and what hangs on them, are right to that.
        assert difference(arm.inverse_dynamics(q, qd, qdd), data.qfrc_inverse) < 1e-9
        M = np.zeros((arm.n, arm.n))
        mujoco.mj_fullM(model, data, M)
        assert difference(arm.mass_matrix(q), M) < 1e-9
