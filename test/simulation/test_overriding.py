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

"""What a subclass of a plant overrides is heard wherever a plant runs, or refused by its name."""

import math

from arms import LIMITED
import numpy as np
import pytest
import twolink_dynamics as tl
from twolink_dynamics.errors import ParameterError
from twolink_dynamics.simulation import Payload, Plant, PlantOptions, simulate, simulate_batch
from twolink_dynamics.simulation.command_watch import CommandWatch
from twolink_dynamics.simulation.simulated_robot import SimulatedRobot

START = (0.3, 0.5)
STEPS = 40


class Windy(Plant):
    """A wind that swells and calms, and a breeze in the efforts."""

    def step(self, tau):
        """Advance by a step in the wind."""
        self.push([8.0 * math.sin(40.0 * self.t), 1.0, -5.0, 0.0, 0.0, 0.1])
        return super().step([x + 0.1 for x in tau])


class Biased(Plant):
    """Encoders mounted a little off."""

    @property
    def measured(self):
        """What they say."""
        q, qd = super().measured
        return [x + 0.01 for x in q], qd


def robot_states(arm, plant_class, law=None, options=None):
    """Return the positions of a robot without brakes, under a law or under nothing."""
    robot = SimulatedRobot(arm, initial_position=START, brake=False, options=options,
                           plant_class=plant_class)
    rows = [robot.q]
    rest = (START, (0.0,) * arm.n, (0.0,) * arm.n)
    for k in range(STEPS):
        robot.command((0.0,) * arm.n if law is None else
                      law.effort(k * 1e-3, *robot.measured, rest))
        robot.step()
        rows.append(robot.q)
    return np.array(rows)


@pytest.mark.parametrize('arm', [tl.TwoLinkArm(), tl.load_arm(LIMITED)], ids=['bare', 'limited'])
@pytest.mark.parametrize('plant_class', [Windy, Biased])
@pytest.mark.parametrize('driven', [False, True])
def test_a_plant_of_ones_own_moves_alike_wherever_it_runs(arm, plant_class, driven):
    law = tl.ComputedTorque(arm) if driven else None
    run = simulate(arm, STEPS * 1e-3, q0=START, law=law, plant_class=plant_class)
    batch = simulate_batch([arm] * 2, STEPS * 1e-3, q0=START, law=law, plant_class=plant_class)
    assert (batch.q == run.q).all()
    assert (robot_states(arm, plant_class, law) == run.q).all()
    usual = simulate(arm, STEPS * 1e-3, q0=START, law=law)
    assert (usual.q != run.q).any() == (driven or plant_class is Windy)


def public_names():
    """Return the public methods and properties of a plant."""
    return sorted(name for name, value in vars(Plant).items() if not name.startswith('_')
                  and (callable(value) or isinstance(value, property)))


def counting(name, calls):
    """Return a subclass that counts the calls of a method, or the reads of a property."""
    original = vars(Plant)[name]

    def counted(self, *args, **kwargs):
        calls.append(name)
        return (original.fget if isinstance(original, property) else original)(
            self, *args, **kwargs)

    value = property(counted) if isinstance(original, property) else counted
    return type('Counting', (Plant,), {name: value})


BUSY = PlantOptions(tip_wrench=lambda t: (1.0, 0.0, 0.0, 0.0, 0.0, 0.0),
                    payloads=(Payload(0.5, start=2e-3, end=4e-3),))


def by_simulate(arm, plant_class):
    """Run a plant that has everything there is to be heard of."""
    simulate(arm, 1e-2, q0=START, law=tl.ComputedTorque(arm), plant=BUSY, plant_class=plant_class)


def by_simulate_at_rest(arm, plant_class):
    """Run a plant on which nothing acts."""
    simulate(arm, 1e-2, q0=START, law=tl.ComputedTorque(arm), plant_class=plant_class)


def by_simulate_batch(arm, plant_class):
    """Run two such plants at once."""
    simulate_batch([arm] * 2, 1e-2, q0=START, law=tl.ComputedTorque(arm), plant=BUSY,
                   plant_class=plant_class)


def by_robot(arm, plant_class):
    """Run a robot through all it can do."""
    robot = SimulatedRobot(arm, initial_position=START, plant_class=plant_class)
    robot.step()
    robot.command((1.0, 0.0))
    robot.step()
    robot.push((1.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    robot.carry((0.5,))
    robot.carry(None)
    robot.reset()
    assert len(robot.measured) == 2 and robot.saturated_steps == 0


@pytest.mark.parametrize('run', [by_simulate, by_simulate_batch, by_robot])
@pytest.mark.parametrize('name', public_names())
def test_every_public_method_of_a_plant_is_heard_when_overridden_or_refused(name, run):
    calls = []
    try:
        plant_class = counting(name, calls)
    except TypeError as error:
        assert f'Counting.{name}: Plant.{name} cannot be overridden; ' in str(error)
        return
    run(tl.load_arm(LIMITED), plant_class)
    # A run has no brakes: they belong to a robot without a command.
    assert bool(calls) == (name != 'brake' or run is by_robot)


@pytest.mark.parametrize('name', ['measured', 'push', 'reset', 'saturated', 'step'])
def test_an_override_is_heard_where_a_quick_way_would_pass_it_by(name):
    calls = []
    by_simulate_at_rest(tl.TwoLinkArm(), counting(name, calls))
    simulate_batch([tl.TwoLinkArm()] * 2, 1e-2, plant_class=counting(name, calls))
    assert calls.count(name) >= 2


@pytest.mark.parametrize('name', ['accept', 'energy', 'mechanics', 't'])
def test_what_could_not_act_everywhere_is_refused_by_a_mixins_too(name):
    mixin = type('Mixin', (), {name: None})
    with pytest.raises(TypeError, match=rf'Own\.{name}: .* cannot be overridden; '):
        type('Own', (mixin, Windy), {})


def test_a_subclass_of_a_subclass_is_heard_whole():
    class Both(Biased, Windy):
        """Wind and encoders."""

    assert Both.overridden == {'step', 'measured'}
    assert Plant.overridden == frozenset()


def test_a_robot_asks_itself_what_a_subclass_of_it_overrides():
    class Cautious(SimulatedRobot):
        """A robot whose brakes engage when it is fast."""

        @property
        def braked(self):
            """Whether the brakes are on."""
            return super().braked or abs(self.plant.qd[0]) > 0.5

    arm = tl.TwoLinkArm()
    robots = [kind(arm, initial_position=START, brake=False)
              for kind in (SimulatedRobot, Cautious)]
    for robot in robots:
        for _ in range(300):
            robot.step()
    fast, cautious = (abs(robot.qd[0]) for robot in robots)
    # In a step gravity adds far less than 0.1 rad/s.
    assert fast > 1.0 and cautious < 0.6


@pytest.mark.parametrize('name, use', [
    ('answered', lambda robot: robot.await_answer(0.0)), ('braked', lambda robot: robot.step()),
    ('ns', lambda robot: robot.command((0.0, 0.0))), ('tau', lambda robot: robot.step())])
def test_no_property_of_a_robot_is_passed_by(name, use):
    asked = []
    original = vars(SimulatedRobot)[name]

    def read(robot):
        asked.append(name)
        return original.fget(robot)

    robot = type('Own', (SimulatedRobot,), {name: property(read)})(tl.TwoLinkArm())
    use(robot)
    assert asked


@pytest.mark.parametrize('stale', [False, True])
def test_a_watch_of_ones_own_says_what_is_stale(stale):
    class Strict(CommandWatch):
        """A watch with a mind of its own."""

        def look(self, ns, effort):
            """Say so."""
            return stale

    robot = SimulatedRobot(tl.TwoLinkArm(), initial_position=START, brake=False, watch=Strict())
    robot.step()
    assert robot.braked == stale and (tuple(robot.q) == START) == stale


@pytest.mark.parametrize('plant_class', [None, 'Plant', lambda *arguments: 'a plant'])
def test_what_makes_no_plant_is_refused(plant_class):
    for run in (lambda: simulate(tl.TwoLinkArm(), 0.1, plant_class=plant_class),
                lambda: simulate_batch(tl.TwoLinkArm(), 0.1, plant_class=plant_class),
                lambda: SimulatedRobot(tl.TwoLinkArm(), plant_class=plant_class)):
        with pytest.raises(ParameterError, match='plant_class'):
            run()
