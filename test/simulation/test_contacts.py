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

"""Friction and stops: sticking, impacts, and what they do to energy and momentum."""

import math

import numpy as np
import pytest

import twolink_dynamics as tl
from twolink_dynamics.errors import ParameterError
from twolink_dynamics.simulation import Plant, PlantOptions, simulate
from twolink_dynamics.simulation.event_location import first_of

HANGING = (-math.pi / 2, 0.0)


def watched(arm, options, q0, qd0=None, dt=1e-3):
    """Return a plant and the list its events go to."""
    plant, events = Plant(arm, dt, q0, qd0, options), []
    plant.on_event = events.append
    return plant, events


def kinds(events):
    """Return the kinds of events."""
    return [event.kind for event in events]


# --- friction -----------------------------------------------------------------------------------


@pytest.mark.parametrize('method', ['rk4', 'semi_implicit', 'rk8'])
def test_an_arm_below_breakaway_stays_for_a_minute_to_the_last_bit(method):
    arm = tl.TwoLinkArm(fc1=2.0, fc2=2.0)
    q0 = (HANGING[0] + 0.05, 0.02)
    assert 0.1 < np.abs(arm.gravity_vector(q0)).max() < 2.0
    plant, events = watched(arm, PlantOptions(method=method), q0, dt=5e-3)
    for k in range(12000):
        # Efforts that come and go, within what friction can hold.
        plant.step((0.9 * math.sin(0.1 * k), 0.0))
    assert tuple(plant.q) == q0 and tuple(plant.qd) == (0.0, 0.0)
    assert events == []


def test_an_arm_in_motion_comes_to_rest_without_chatter():
    plant, events = watched(tl.TwoLinkArm(fc1=1.5, fc2=0.8), None, (-0.8, 0.4))
    for _ in range(20000):
        plant.step((0.0, 0.0))
    # A swing back and forth ends in few sticks and slips; chatter would be thousands.
    assert tuple(plant.qd) == (0.0, 0.0) and 2 <= len(events) < 40
    for name in plant.arm.joint_names:
        sequence = [event.kind for event in events if event.joint == name]
        assert all(a != b for a, b in zip(sequence, sequence[1:]))


@pytest.mark.parametrize('effort, moves', [(1.999, False), (2.001, True), (-2.001, True)])
def test_a_joint_breaks_away_at_its_friction_and_not_before(effort, moves):
    arm = tl.TwoLinkArm(gravity=(0.0, 0.0), fc1=2.0, fc2=2.0)
    run = simulate(arm, 0.1, law=Held(effort, 0.0), q0=(0.0, 1.0))
    assert (run.q[-1, 0] != 0.0) == moves
    assert run.q[-1, 0] * effort >= 0.0


class Held:
    """A law that always wants the same effort."""

    def __init__(self, *tau):
        self.tau = tau

    def effort(self, *state):
        """Return the effort."""
        return self.tau

    def reset(self):
        """Do nothing."""


def test_a_held_joint_carries_what_the_others_do_to_it():
    # The elbow falls, the shoulder is held by friction: the motion is that of a pendulum.
    arm = tl.TwoLinkArm(fc1=1e3, fc2=0.0)
    run = simulate(arm, 2.0, q0=(0.0, 0.0), method='rk8')
    assert (run.q[:, 0] == 0.0).all()
    pendulum = 0.5 * (1.0 * 0.25 + 0.083) * run.qd[:, 1] ** 2 + 0.5 * 9.81 * np.sin(run.q[:, 1])
    assert np.abs(pendulum).max() < 1e-12


def test_friction_never_gives_energy():
    run = simulate(tl.TwoLinkArm(fc1=1.5, fc2=0.8, b1=0.1), 5.0, q0=(-0.8, 0.4), method='rk8',
                   plant=PlantOptions(ledger=True))
    for name in ('coulomb', 'viscous'):
        assert np.diff(run.work[name]).max() <= 0.0
    # With an eighth order what is left to rounding: some 5000 steps of 1e-15 of 20 J.
    assert np.diff(run.energy).max() < 1e-13


def test_events_within_the_step_keep_the_order_of_the_method(limited):
    def end(dt):
        run = simulate(limited, 0.6, dt=dt, q0=(0.3, 1.0), qd0=(-1.0, 1.5),
                       plant=PlantOptions(restitution=0.5))
        assert {'impact', 'stick'} <= {event.kind for event in run.events}
        return np.concatenate([run.q[-1], run.qd[-1]])

    exact = end(2e-4)
    errors = [np.abs(end(dt) - exact).max() for dt in (6e-3, 3e-3)]
    # To first order, as where an event counts from the next step on, the ratio would be 2; of the
    # fourth order's 16 the different fractions of steps between events leave a good part.
    assert errors[0] / errors[1] > 6.0 and errors[1] < 1e-6


# --- stops --------------------------------------------------------------------------------------

DROP = tl.TwoLinkArm().with_parameters(lower=-0.3, upper=(3.0, 3.0))


@pytest.mark.parametrize('restitution', [0.0, 0.5, 1.0])
def test_a_drop_onto_a_stop_keeps_the_impulse_balance(restitution):
    plant, events = watched(DROP, PlantOptions(restitution=restitution), (0.4, 0.3))
    while not events:
        before = plant.q, plant.qd
        plant.step((0.0, 0.0))
    event = events[0]
    joint = plant.arm.joint_names.index(event.joint)
    # The same way up to the stop, on an arm without one.
    free = Plant(DROP, event.t - (plant.t - plant.dt), *before, PlantOptions(stops=False))
    q, qd = map(np.array, free.step((0.0, 0.0)))
    assert q[joint] == pytest.approx(-0.3, abs=1e-12)
    assert event.value == pytest.approx(qd[joint], rel=1e-12)
    # The stop's impulse acts on its joint alone, and reverses its speed.
    W = np.linalg.inv(DROP.mass_matrix(q))
    after = qd - (1.0 + restitution) * qd[joint] * W[joint] / W[joint, joint]
    rest = Plant(DROP, plant.t - event.t, np.maximum(q, -0.3), after,
                 PlantOptions(restitution=restitution))
    expected = rest.step((0.0, 0.0))
    # Rounding of positions, times what an impact lets grow.
    np.testing.assert_allclose((plant.q, plant.qd), expected, atol=1e-11)
    assert len(events) == 1 or restitution == 0.0


@pytest.mark.parametrize('restitution', [0.0, 0.3, 0.7, 1.0])
@pytest.mark.parametrize('method', ['rk4', 'semi_implicit'])
def test_no_joint_is_ever_seen_beyond_its_stop(restitution, method):
    run = simulate(DROP, 3.0, q0=(0.4, 0.3), method=method,
                   plant=PlantOptions(restitution=restitution))
    assert (run.q >= -0.3).all() and (run.q <= 3.0).all()
    assert 'impact' in kinds(run.events)


def test_elastic_impacts_keep_the_energy_and_others_do_not():
    for restitution in (1.0, 0.5):
        run = simulate(DROP, 1.0, q0=(0.4, 0.3), method='rk8',
                       plant=PlantOptions(restitution=restitution, ledger=True))
        lost = run.energy[0] - run.energy[-1]
        assert abs(lost) < 1e-12 if restitution == 1.0 else lost > 1.0
        assert np.diff(run.work['impact']).max() <= 1e-14


@pytest.mark.parametrize('restitution', [0.0, 0.5, 0.9])
def test_an_arm_comes_to_rest_on_its_stops_and_stays(restitution):
    plant, events = watched(DROP, PlantOptions(restitution=restitution), (0.4, 0.3))
    for _ in range(8000):
        plant.step((0.0, 0.0))
    assert tuple(plant.qd) == (0.0, 0.0) and plant.q[0] == -0.3
    count, q = len(events), plant.q
    for _ in range(2000):
        plant.step((0.0, 0.0))
    assert plant.q == q and len(events) == count


def test_a_stop_pushes_and_does_not_pull():
    plant, events = watched(DROP, None, (-0.3, 0.0))
    for _ in range(100):
        plant.step((0.0, 0.0))
    assert plant.q[0] == -0.3
    for _ in range(100):
        plant.step((60.0, 0.0))
    assert plant.q[0] > -0.2
    assert kinds(events).count('slip') >= 1


def test_a_start_that_moves_into_a_stop_strikes_it_at_once():
    plant, events = watched(DROP, PlantOptions(restitution=1.0), (3.0, 0.5), (2.0, 0.0))
    plant.step((0.0, 0.0))
    assert kinds(events) == ['impact'] and events[0].t == 0.0
    assert plant.q[0] < 3.0 and plant.qd[0] < 0.0


def test_violence_at_the_stops_ends_well(limited):
    rng = np.random.default_rng(11)
    plant, events = watched(limited, PlantOptions(restitution=0.8), (0.5, 1.0))
    lower, upper = limited.limits.lower, limited.limits.upper
    for k in range(3000):
        if k % 200 == 0:
            tau = (30.0 * rng.normal(), 10.0 * rng.normal())
        q, qd = plant.step(tau)
        assert all(low <= x <= high for low, x, high in zip(lower, q, upper))
        assert max(map(abs, qd)) < 100.0
    assert len(events) > 100


@pytest.mark.parametrize('restitution', [-0.1, 1.1, math.nan])
def test_an_impossible_restitution_is_refused(restitution):
    with pytest.raises(ParameterError, match='restitution'):
        Plant(DROP, options=PlantOptions(restitution=restitution))


def test_too_many_events_are_done_at_once_and_within_bounds(monkeypatch, limited):
    from twolink_dynamics.simulation import contacts

    monkeypatch.setattr(contacts, 'EVENTS', 0)
    run = simulate(limited, 5.0, q0=(0.5, 1.0))
    assert (run.q >= limited.limits.lower).all() and (run.q <= limited.limits.upper).all()
    assert (run.qd[-1] == 0.0).all()
    monkeypatch.undo()
    exact = simulate(limited, 5.0, q0=(0.5, 1.0))
    # To first order: some dt of the way.
    np.testing.assert_allclose(run.q[-1], exact.q[-1], atol=5e-3)


# --- finding events -----------------------------------------------------------------------------


def test_the_first_of_several_events_is_found_to_the_last_digits():
    roots = {'late': 0.8, 'early': 0.3, 'flat': 0.5}
    margins = {'late': lambda t: t - 0.8, 'early': lambda t: (t - 0.3) * (1.0 + t),
               'flat': lambda t: (t - 0.5) ** 3}
    events, time = first_of(list(roots), 1.0, lambda event, t: margins[event](t), lambda t: [
        event for event in roots if margins[event](t) > 0.0])
    assert events == ['early'] and time == pytest.approx(0.3, rel=1e-13)


def test_an_event_that_is_undone_before_the_end_is_found_too():
    margins = {'end': lambda t: t - 0.7, 'passing': lambda t: 0.01 - (t - 0.65) ** 2}
    events, time = first_of(['end'], 1.0, lambda event, t: margins[event](t), lambda t: [
        event for event in margins if margins[event](t) > 0.0])
    assert events == ['passing'] and time == pytest.approx(0.55, rel=1e-12)


def test_an_event_on_the_edge_at_the_start_is_one_only_when_it_comes_back():
    rebound = first_of(['stop'], 1.0, lambda _, t: t * (t - 0.25), lambda t: ['stop'])
    assert rebound[1] == pytest.approx(0.25, rel=1e-12)
    assert first_of(['stop'], 1.0, lambda _, t: t, lambda t: ['stop'])[1] == 0.0
