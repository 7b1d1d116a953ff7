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

"""Stiff arms: damping of any size is stable and accurate, and nothing else changes."""

import math
import pickle

from chains import chain_of, random_segments
from corpus import corpus_file, needs_corpus
import numpy as np
import pytest
import twolink_dynamics as tl
from twolink_dynamics.simulation import Payload, Plant, PlantOptions, simulate, simulate_batch
from twolink_dynamics.simulation.integrators import METHODS
from twolink_dynamics.simulation.simulated_robot import SimulatedRobot
from twolink_dynamics.simulation.stiffness import fastest_decay, may_be_stiff
from twolink_dynamics.trajectory.generators import make_motion

# What a stiff joint may be off by [rad], and what rounding and the reference's own error leave.
ACCURATE = 1e-3

WRIST = """<robot name="stiff"><link name="base"/>
  <link name="upper"><inertial><origin xyz="0.2 0 0"/><mass value="1"/>
    <inertia ixx="0.001" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="wrist"><inertial><origin xyz="{com} 0 0"/><mass value="0.01"/>
    <inertia ixx="1e-6" iyy="1e-6" izz="1e-6" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/>
    <axis xyz="0 1 0"/></joint>
  <joint name="wrist" type="continuous"><parent link="upper"/><child link="wrist"/>
    <origin xyz="0.4 0 0"/><axis xyz="{axis}"/>
    <dynamics damping="{damping}" friction="{friction}"/></joint></robot>"""


def wrist(damping, com=0.0, axis='0 1 0', friction=0.0):
    """Return an arm with a wrist of 1e-6 kg m^2, planar or with another axis."""
    return tl.load_arm(WRIST.format(damping=damping, com=com, axis=axis, friction=friction))


def decay(arm, q):
    """Return the fastest rate at which velocities decay [1/s]."""
    rates = np.linalg.eigvals(np.linalg.solve(arm.mass_matrix(q), np.diag(arm.damping)))
    return np.abs(rates).max()


class Swaying:
    """Smooth efforts."""

    def __init__(self, size):
        self.size = size

    def effort(self, t, q, qd, desired):
        """Return the efforts."""
        return [s * math.sin((3.0 + k) * t + k) for k, s in enumerate(self.size)]

    def reset(self):
        """Do nothing."""


@pytest.mark.parametrize('damping', [2.7e-3, 3e-3, 5e-3, 1e-2, 0.1, 2.0, 1e3])
@pytest.mark.parametrize('axis', ['0 1 0', '0.6 0 0.8'], ids=['planar', 'spatial'])
def test_a_light_joint_with_any_damping_moves_as_it_does_to_a_fine_reference(damping, axis):
    arm = wrist(damping, com=0.003, axis=axis)
    reference = simulate(arm, 0.15, dt=0.05, q0=(0.0, 0.5), qd0=(0.0, 1.0), method='adaptive')
    for method in ('rk4', 'rk8', 'semi_implicit'):
        run = simulate(arm, 0.15, q0=(0.0, 0.5), qd0=(0.0, 1.0), method=method)
        assert np.abs(run.q[-1] - reference.q[-1]).max() < ACCURATE, method
        assert (run.energy - run.energy[0]).max() < 1e-9  # nothing drives it


@pytest.mark.parametrize('seed', range(8))
def test_random_stiff_arms_move_as_they_do_to_a_fine_reference(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 5))
    arm = tl.Arm(chain_of(random_segments(rng, n)))
    q0 = rng.uniform(-1.0, 1.0, n)
    share = 10.0 ** rng.uniform(0.0, 7.0, n) * (rng.random(n) < 0.7)  # some are hardly damped
    share[-1] = max(share[-1], 3e3)
    damping = share / np.linalg.inv(arm.mass_matrix(q0)).diagonal() + 0.5
    arm = arm.with_parameters(damping=damping, friction=0.0, lower=-math.inf, upper=math.inf)
    assert decay(arm, q0) > 1e3
    law = Swaying(rng.uniform(0.0, 3.0, n))
    options = PlantOptions(effort_limits=False)
    arguments = {'q0': q0, 'law': law, 'control_period': 0.02, 'plant': options}
    run = simulate(arm, 0.2, **arguments)
    reference = simulate(arm, 0.2, dt=0.02, method='adaptive', **{**arguments,
                                                                  'control_period': None})
    scale = 1.0 + np.abs(reference.q).max()
    assert np.abs(run.q[::20] - reference.q).max() < ACCURATE * scale


@pytest.mark.parametrize('damping', [5e-3, 20.0])
def test_friction_stops_wrench_and_account_hold_for_a_stiff_arm(damping):
    arm = wrist(damping, com=0.003, axis='0.6 0 0.8', friction=0.05).with_parameters(
        lower=(-0.4, 0.45), upper=(0.6, 0.52), friction=(0.3, 0.05))
    options = PlantOptions(
        restitution=0.3, ledger=True, actuator_lag=1e-5, tip_wrench=(1.0, 0.0, 2.0, 0.1, 0.0, 0.0),
        payloads=(Payload(0.001, start=0.2, end=0.3),))
    law = Swaying((9.0, max(0.2, damping)))
    runs = [simulate(arm, 0.45, dt=dt, q0=(0.0, 0.5), law=law, control_period=1e-3, plant=options)
            for dt in (1e-3, 2.5e-4)]
    coarse, fine = runs
    kinds = {event.kind for event in coarse.events}
    assert kinds == {'impact', 'stick', 'slip', 'pick up', 'drop'}
    assert np.abs(coarse.q - fine.q[::4]).max() < ACCURATE
    for run in runs:
        assert np.diff(run.work['viscous']).max() <= 0.0
        assert np.diff(run.work['coulomb']).max() <= 1e-15
        # A stiff joint comes to its speed within the step, and the stages see but the end of that:
        # what is not accounted for is the energy it lost. At the worst impact the shoulder throws
        # the wrist of 1e-6 kg m^2 to 27 rad/s: 4e-4 J of the 2 J that impact takes.
        assert np.abs(run.energy_residual).max() < 5e-4


def test_what_is_not_stiff_moves_to_the_last_bit_as_its_method_has_it():
    arm, q, qd, tau = wrist(0.9e-3, axis='0.6 0 0.8'), (0.1, 0.5), (0.3, -1.0), (0.2, 1e-4)
    assert 0.5 < 1e-3 * decay(arm, q) < 1.0  # not stiff, but looked at in every step
    assert may_be_stiff(arm, tuple(arm.damping), 1e-3)

    def acceleration(q, qd, tau):
        return arm.scalar.forward_dynamics(
            q, qd, [x - b * v for x, b, v in zip(tau, arm.damping.tolist(), qd)])

    for method in ('rk4', 'rk8', 'semi_implicit'):
        expected = METHODS[method](acceleration, 2)(q, qd, tau, 1e-3)
        plant = Plant(arm, 1e-3, q, qd, PlantOptions(method=method, effort_limits=False))
        assert [*map(list, plant.step(tau))] == [*map(list, expected)]


def test_the_rate_that_decides_is_the_largest_eigenvalue():
    rng = np.random.default_rng(3)
    for n in (1, 3, 7):
        arm = tl.Arm(chain_of(random_segments(rng, n)))
        q, damping = rng.uniform(-1.0, 1.0, n), rng.uniform(0.0, 2.0, n)
        held = arm.with_parameters(damping=damping)
        M = arm.mass_matrix(q)
        found = fastest_decay(M, damping, 0.0)
        assert found == pytest.approx(decay(held, q), rel=1e-9)
        # A sum below what is asked for is an answer, and never less than the rate.
        assert fastest_decay(M, damping, math.inf) >= found * (1.0 - 1e-9)


def test_a_bound_over_all_postures_lets_the_planar_arm_keep_its_quick_loop():
    rng = np.random.default_rng(5)
    for _ in range(20):
        arm = tl.TwoLinkArm(lc2=rng.uniform(0.1, 0.9)).with_parameters(
            damping=rng.uniform(0.0, 3.0, 2))
        fastest = max(decay(arm, (0.0, x)) for x in np.linspace(-math.pi, math.pi, 50))
        damping = tuple(arm.damping)
        assert not may_be_stiff(arm, damping, 0.3 / fastest)  # a sum of two, and room
        assert may_be_stiff(arm, damping, 1.01 / fastest)


def test_a_stiff_arm_moves_alike_in_a_run_a_batch_and_a_robot_and_as_a_copy():
    arm = wrist(0.05, com=0.003)
    law = tl.ComputedTorque(arm)
    run = simulate(arm, 0.05, q0=(0.3, 0.5), law=law)
    batch = simulate_batch([arm] * 2 + [tl.TwoLinkArm()], 0.05, q0=(0.3, 0.5), law=law)
    assert (batch.q[:2] == run.q).all()
    robot = SimulatedRobot(arm, initial_position=(0.3, 0.5), brake=False)
    rest = ((0.3, 0.5), (0.0, 0.0), (0.0, 0.0))
    for k in range(50):
        if k == 25:
            robot = pickle.loads(pickle.dumps(robot))
        robot.command(law.effort(k * 1e-3, *robot.measured, rest))
        robot.step()
        assert (np.array(robot.q) == run.q[k + 1]).all()


def test_the_implicit_method_is_of_high_order():
    arm = wrist(2e-2, com=0.003, axis='0.6 0 0.8')
    start = {'q0': (0.0, 0.5), 'qd0': (2.0, 0.0)}
    ends = [simulate(arm, 0.4, dt=0.4 / steps, **start).q[-1] for steps in (8, 16, 256)]
    errors = [np.abs(end - ends[-1]).max() for end in ends[:2]]
    # Five, or as many as its stages have where what is stiff follows what is not.
    assert math.log2(errors[0] / errors[1]) > 2.7, errors


def test_a_lag_much_shorter_than_a_step_is_no_lag():
    arm = wrist(0.05, com=0.003)
    runs = [simulate(arm, 0.2, q0=(0.0, 0.5), law=Swaying((2.0, 0.1)),
                     plant=PlantOptions(actuator_lag=lag)) for lag in (0.0, 1e-9, 1e-6)]
    for run in runs[1:]:
        assert np.abs(run.q - runs[0].q).max() < ACCURATE


@needs_corpus
@pytest.mark.parametrize('name, tip', [
    ('xarm6', None), ('fetch', 'wrist_roll_link'), ('z1_erd', None)])
@pytest.mark.filterwarnings('ignore::twolink_dynamics.errors.ModelWarning')
def test_real_arms_with_stiff_wrists_are_simulated_and_followed(name, tip):
    arm = tl.load_arm(corpus_file(name), tip_link=tip)
    falling = simulate(arm, 0.1)
    assert np.isfinite(falling.q).all()
    motion = make_motion('swing', arm, duration=4.0)
    law = tl.control.SampledComputedTorque(arm, natural_frequency=20.0, friction=True)
    run = simulate(arm, motion.duration / 2, law=law, trajectory=motion)
    assert np.sqrt((run.error ** 2).mean(axis=0)).max() < 5e-3
