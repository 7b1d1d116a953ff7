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

"""What a subclass of an arm overrides is heard in every simulation of it."""

from arms import LIMITED, three_joints
import numpy as np
import pytest
import twolink_dynamics as tl
from twolink_dynamics.dynamics.arm import Arm
from twolink_dynamics.simulation import PlantOptions, simulate, simulate_batch
from twolink_dynamics.simulation.simulated_robot import SimulatedRobot

STEPS = 50


class Sluggish:
    """An arm that some unmodelled thing slows down."""

    def forward_dynamics(self, q, qd, tau, *more, **options):
        """Return three quarters of the accelerations."""
        return 0.75 * super().forward_dynamics(q, qd, tau, *more, **options)


class Coupled:
    """An arm whose joints are coupled otherwise than its links say, where impulses act."""

    def mass_matrix(self, q):
        """Return another mass matrix."""
        return super().mass_matrix(q) + np.diag([0.5, 0.1])


class Offset:
    """A model that knows of a constant effort."""

    def inverse_dynamics(self, q, qd, qdd, *more, **options):
        """Return the efforts, and some more."""
        return super().inverse_dynamics(q, qd, qdd, *more, **options) + 0.5


def arm_of(mixin, arm):
    """Return an arm like another, of a class that overrides a method."""
    if isinstance(arm, tl.TwoLinkArm):
        return type('Own', (mixin, tl.TwoLinkArm), {}).from_chain(arm.chain, arm.gravity)
    return type('Own', (mixin, Arm), {})(arm.chain, arm.gravity)


ARMS = {'closed form': tl.TwoLinkArm(), 'limited': tl.load_arm(LIMITED),
        'serial': tl.load_arm(three_joints())}


def runs(arm, model, method='rk4'):
    """Return the positions from `simulate`, `simulate_batch` and a `SimulatedRobot`."""
    q0 = (0.95, 0.15, 0.3)[:arm.n]
    qd0 = (2.0, -1.0, 0.5)[:arm.n]
    law = None if model is None else tl.ComputedTorque(model)
    options = {'q0': q0, 'qd0': qd0, 'law': law, 'method': method}
    rest = (q0, (0.0,) * arm.n, (0.0,) * arm.n)
    robot = SimulatedRobot(arm, initial_position=q0, initial_velocity=qd0,
                           options=PlantOptions(method=method))
    rows = [robot.q]
    for k in range(STEPS):
        robot.command((0.0,) * arm.n if law is None else law.effort(k * 1e-3, robot.q, robot.qd,
                                                                    rest))
        assert robot.step()
        rows.append(robot.q)
    return [simulate(arm, STEPS * 1e-3, **options).q,
            simulate_batch([arm] * 2, STEPS * 1e-3, **options).q[1], np.array(rows)]


@pytest.mark.parametrize('arm', ARMS.values(), ids=list(ARMS))
@pytest.mark.parametrize('method', ['rk4', 'rk8', 'semi_implicit', 'adaptive'])
def test_forward_dynamics_of_ones_own_moves_the_arm_in_every_run(arm, method):
    own = arm_of(Sluggish, arm)
    expected, batch, robot = runs(own, None, method)
    assert (batch == expected).all() and (robot == expected).all()
    assert np.abs(runs(arm, None, method)[0] - expected).max() > 1e-4


def test_a_run_is_what_forward_dynamics_of_ones_own_says_step_by_step():
    arm = arm_of(Sluggish, ARMS['closed form'])
    run = simulate(arm, STEPS * 1e-3, q0=(0.3, 0.5), method='semi_implicit')
    q, qd = np.array([0.3, 0.5]), np.zeros(2)
    for k in range(STEPS):
        qd = qd + 1e-3 * arm.forward_dynamics(q, qd, [0.0, 0.0])
        q = q + 1e-3 * qd
        assert (run.q[k + 1] == q).all()


def test_a_mass_matrix_of_ones_own_acts_at_the_stops_in_every_run():
    own = arm_of(Coupled, ARMS['limited'])
    expected, batch, robot = runs(own, None)
    assert (batch == expected).all() and (robot == expected).all()
    assert (expected[:, 0] == own.limits.upper[0]).any()
    assert np.abs(runs(ARMS['limited'], None)[0] - expected).max() > 1e-4


@pytest.mark.parametrize('arm', ARMS.values(), ids=list(ARMS))
def test_inverse_dynamics_of_ones_own_is_what_the_law_goes_by_in_every_run(arm):
    expected, batch, robot = runs(arm, arm_of(Offset, arm))
    assert (batch == expected).all() and (robot == expected).all()
    assert np.abs(runs(arm, arm)[0] - expected).max() > 1e-5


@pytest.mark.parametrize('options', [
    PlantOptions(mass_factor=1.1), PlantOptions(friction=(0.2, 0.1)),
    PlantOptions(payloads=(tl.Payload(0.5, start=0.01),))])
def test_an_arm_that_differs_from_its_model_or_carries_a_load_keeps_its_methods(options):
    arm = ARMS['closed form']
    own = simulate(arm_of(Sluggish, arm), 0.05, q0=(0.3, 0.5), plant=options)
    assert np.abs(own.q - simulate(arm, 0.05, q0=(0.3, 0.5), plant=options).q).max() > 1e-4


def test_what_an_arm_derives_in_more_than_one_place_is_refused_of_a_mixin_too():
    class Shifted:
        """A tip somewhere else."""

        def tip_pose(self, q):
            """Return a pose."""

    with pytest.raises(TypeError, match=r'Own\.tip_pose would not be heard everywhere'):
        arm_of(Shifted, ARMS['closed form'])
