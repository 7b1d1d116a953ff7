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

"""Every option of a plant acts wherever a plant runs, or is refused: none is ignored."""

from dataclasses import fields
import math

from arms import LIMITED
import numpy as np
import pytest
import twolink_dynamics as tl
from twolink_dynamics.cli.main import main
from twolink_dynamics.errors import ParameterError, TwoLinkError
from twolink_dynamics.options import declared
from twolink_dynamics.simulation import Payload, Plant, PlantOptions, simulate, simulate_batch
from twolink_dynamics.simulation.simulated_robot import SimulatedRobot

ARM, STEPS = tl.load_arm(LIMITED), 150
# So fast and far that it saturates and strikes a stop.
MOTION = tl.Trajectory([0.0, 0.1], [[0.8, 0.4], [1.3, 0.0]], [[0.0, 0.0], [0.0, 0.0]])
# Options that are no number, no word and no switch.
OTHERS = {'arm': ARM.with_payload(0.3), 'tip_wrench': (3.0, 0.0, 5.0, 0.0, 0.0, 0.0),
          'payloads': (Payload(0.4, start=0.01),)}


def toggled(name):
    """Return the value of an option that is not its default, by its declaration."""
    if name in OTHERS:
        return OTHERS[name]
    entry = declared(PlantOptions)[name]
    if entry.kind == 'bool':
        return not entry.default
    if entry.choices:
        return next(x for x in entry.allowed if x not in (entry.default, 'adaptive'))
    return 0.01 if not entry.default else 1.3


def of_run(options):
    """Return what a run shows, by `simulate`."""
    run = simulate(ARM, STEPS * 1e-3, law=tl.ComputedTorque(ARM), trajectory=MOTION, plant=options)
    return run.q, None if run.work is None else run.work['effort']


def of_batch(options):
    """Return what a run shows, in a batch."""
    batch = simulate_batch([ARM] * 2, STEPS * 1e-3, law=tl.ComputedTorque(ARM), trajectory=MOTION,
                           plant=options)
    return batch.q[0], None if batch.work is None else batch.work['effort'][0]


def of_stepping(plant, step):
    """Return what stepping shows, of a plant or of a robot around one."""
    law, q, work = tl.ComputedTorque(ARM), [plant.q], [0.0]
    for k in range(STEPS):
        step(law.effort(k * 1e-3, *plant.measured, MOTION.sample(k * 1e-3)))
        q.append(plant.q)
        work.append(plant.ledger.effort if plant.ledger else None)
    return np.array(q), None if plant.ledger is None else np.array(work)


def of_plant(options):
    """Return what a bare plant shows."""
    plant = Plant(ARM, 1e-3, MOTION.positions[0], options=options)
    return of_stepping(plant, plant.step)


def of_robot(options):
    """Return what a simulated robot shows."""
    robot = SimulatedRobot(ARM, initial_position=list(MOTION.positions[0]), brake=False,
                           options=options)

    def step(tau):
        robot.command(tau)
        robot.step()
    return of_stepping(robot.plant, step)


@pytest.mark.parametrize('name', [field.name for field in fields(PlantOptions)])
def test_every_option_acts_alike_in_runs_batches_plants_and_robots(name):
    options = PlantOptions(**{name: toggled(name)})
    q, work = of_run(options)
    usual, none = of_run(PlantOptions())
    assert (q != usual).any() or (work is None) != (none is None)
    for other in (of_batch, of_plant, of_robot):
        theirs, their_work = other(options)
        assert (theirs == q).all(), other.__name__
        assert (their_work is None) == (work is None)
        assert work is None or (their_work == work).all(), other.__name__


@pytest.fixture(scope='module')
def files(tmp_path_factory):
    """Return a folder with the arm, another, and a motion."""
    folder = tmp_path_factory.mktemp('options')
    (folder / 'arm.urdf').write_text(LIMITED)
    (folder / 'other.urdf').write_text(LIMITED.replace('<mass value="1"/>', '<mass value="1.3"/>'))
    t = np.linspace(0.0, 0.15, 76)
    rows = [','.join(map(str, [x, *MOTION.sample(x)[0]])) for x in t]
    (folder / 'motion.csv').write_text('\n'.join(['t,q[shoulder],q[elbow]', *rows]))
    return folder


def of_command(folder, *more):
    """Return what the command writes, and its summary."""
    log = folder / 'log.csv'
    status = main(['simulate', str(folder / 'arm.urdf'), '--trajectory',
                   str(folder / 'motion.csv'), '--log', str(log), *more])
    return status, log.read_text() if status == 0 else ''


@pytest.mark.parametrize('name', [field.name for field in fields(PlantOptions)])
def test_every_option_of_a_plant_is_an_argument_that_acts(name, files, capsys):
    _, usual = of_command(files)
    value = toggled(name)
    entry = declared(Payload)['mass'] if name == 'payloads' else declared(PlantOptions)[name]
    flag = '--' + entry.destination.replace('_', '-')
    if entry.kind == 'bool':
        words = [flag if value else flag.replace('--', '--no-', 1)]
    elif name == 'arm':
        words = [flag, str(files / 'other.urdf')]
    else:
        values = [0.4] if name == 'payloads' else np.atleast_1d(value)
        words = [flag, *map(str, values)]
    status, text = of_command(files, *words)
    assert status == 0, capsys.readouterr().err
    assert text != usual


def test_a_method_is_that_of_the_plant_or_given_apart_but_not_two():
    precise = PlantOptions(method='rk8')
    run = simulate(ARM, 0.1, q0=(0.5, 1.0), plant=precise)
    assert (run.q == simulate(ARM, 0.1, q0=(0.5, 1.0), method='rk8').q).all()
    assert (run.q != simulate(ARM, 0.1, q0=(0.5, 1.0)).q).any()
    for go in (simulate, simulate_batch):
        with pytest.raises(ParameterError, match='rk8'):
            go(ARM, 0.1, method='semi_implicit', plant=precise)


def test_loads_that_overlap_are_refused_and_others_follow_each_other():
    for loads in ((Payload(1.0), Payload(2.0, start=1.0)), (Payload(1.0), Payload(1.0)),
                  (Payload(1.0, start=0.5, end=2.0), Payload(2.0, start=0.0, end=1.0))):
        with pytest.raises(ParameterError, match='one at a time'):
            PlantOptions(payloads=loads)
    plant = Plant(ARM, 1e-2, options=PlantOptions(payloads=(
        Payload(2.0, start=0.02, end=0.04), Payload(1.0, start=0.0, end=0.02))))
    events = []
    plant.on_event = events.append
    for _ in range(6):
        plant.step((0.0, 0.0))
    assert [(event.kind, event.value) for event in events if event.joint == ''] == [
        ('pick up', 1.0), ('pick up', 2.0), ('drop', 0.0)]
    plant.reset()
    assert plant.arm is not None and math.isclose(plant.energy, Plant(ARM, 1e-2).energy)
    with pytest.raises(TwoLinkError, match='a time step'):
        Plant(ARM, 1e-2, options=PlantOptions(payloads=(Payload(1.0, start=0.0, end=1e-3),)))


def test_without_effort_limits_a_motion_need_not_keep_to_them(tmp_path, capsys):
    path = tmp_path / 'weak.urdf'
    path.write_text(LIMITED.replace('effort="30"', 'effort="0.5"').replace(
        'effort="10"', 'effort="0.5"'))
    words = ['simulate', str(path), '--trajectory', 'swing', '--duration', '2']
    assert main(words) == 1 and 'effort' in capsys.readouterr().err
    assert main([*words, '--no-effort-limits']) == 0
