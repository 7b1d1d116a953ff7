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

"""What a run keeps is its own: a law, a plant or a sender may write on into what it gave."""

import math

from arms import LIMITED
import numpy as np
import pytest
import twolink_dynamics as tl
from twolink_dynamics.simulation import Plant, PlantOptions, simulate, simulate_batch
from twolink_dynamics.simulation.simulated_robot import SimulatedRobot

STEPS, START = 40, (0.3, 0.5)


class Overwriting:
    """A law that writes all its efforts into one object, or gives new ones each time."""

    def __init__(self, kind, same):
        self.kind, self.same, self.given = kind, same, kind((0.0, 0.0))

    def effort(self, t, q, qd, desired):
        """Return the efforts."""
        given = self.given if self.same else self.kind((0.0, 0.0))
        given[0], given[1] = math.sin(40.0 * t) - q[0], 0.2 * math.cos(30.0 * t)
        return given

    def reset(self):
        """Do nothing."""


class InPlace(Plant):
    """A plant that moves its joints on in place."""

    def step(self, tau):
        """Advance by a step."""
        self.q = list(self.q) if self.steps == 0 else self.q
        super().step(tau)
        self.q[0] += 1e-4
        self.tau[1] = self.t
        return self.q, self.qd


@pytest.mark.parametrize('arm', [tl.TwoLinkArm(), tl.load_arm(LIMITED)], ids=['bare', 'limited'])
@pytest.mark.parametrize('kind', [list, np.array])
@pytest.mark.parametrize('period', [1e-3, 3e-3])
@pytest.mark.parametrize('options', [None, PlantOptions(actuator_lag=2e-3, ledger=True)],
                         ids=['bare', 'lag'])
def test_a_law_that_returns_one_array_leaves_the_efforts_of_each_step(arm, kind, period, options):
    runs = []
    for same in (True, False):
        law = Overwriting(kind, same)
        runs += [simulate(arm, STEPS * 1e-3, q0=START, law=law, control_period=period,
                          plant=options),
                 simulate_batch([arm] * 2, STEPS * 1e-3, q0=START, law=law,
                                control_period=period, plant=options)]
    for one, fresh in zip(runs[:2], runs[2:]):
        for name in ('q', 'qd', 'tau'):
            assert (getattr(one, name) == getattr(fresh, name)).all(), name
    tau = runs[0].tau
    assert len(np.unique(tau[:, 0])) > STEPS // 4 and (runs[1].tau == tau).all()


def test_what_a_plant_writes_in_place_leaves_the_rows_before():
    arm = tl.load_arm(LIMITED).with_parameters(friction=50.0)  # held throughout: nothing moves
    run = simulate(arm, STEPS * 1e-3, q0=START, law=Overwriting(list, True), plant_class=InPlace)
    np.testing.assert_allclose(run.q[:, 0], 0.3 + 1e-4 * np.arange(STEPS + 1), atol=1e-12)
    np.testing.assert_allclose(run.tau[:-1, 1], 1e-3 * np.arange(1, STEPS + 1), atol=1e-12)


def test_a_robot_keeps_the_command_it_was_given():
    commands = [[1.0, 0.5], [1.0, 0.5]]
    robots = [SimulatedRobot(tl.TwoLinkArm(), initial_position=START, lockstep=lockstep)
              for lockstep in (False, True)]
    for robot, command in zip(robots, commands):
        assert robot.answer(robot.ns, command) if robot.lockstep else robot.command(command)
        command[:] = [-9.0, 7.0]
        with robot.lock:
            robot.step()
        assert tuple(robot.tau) == (1.0, 0.5)
