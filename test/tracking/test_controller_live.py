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

"""Laws, gains, load and gravity change while the arm is under control, and nothing jumps."""

from types import SimpleNamespace

import numpy as np
import pytest

from twolink_dynamics.control.law_parameters import law_of, model_of
from twolink_dynamics.diagnostics import MessageError
from twolink_dynamics.errors import ParameterError, ShapeError, TrajectoryError
from twolink_dynamics.registry import names
from twolink_dynamics.simulation.simulated_robot import SimulatedRobot
from twolink_dynamics.tracking.controller import TrackingController
from twolink_dynamics.tracking.controller_options import CONTROLLER
from twolink_dynamics.tracking.controller_setup import change_parameters, make_controller
from twolink_dynamics.tracking.effort_filter import EffortFilter
from twolink_dynamics.tracking.gravity_sensor import GravitySensor
from twolink_dynamics.tracking.velocity_estimate import VelocityEstimate
from twolink_dynamics.trajectory.goal import GoalPoint

MS = 1000000
START = (0.3, 0.5)


def values(**changed):
    """Return the controller's parameters at their defaults, but for some."""
    return SimpleNamespace(**{**{e.name: e.default for e in CONTROLLER}, **changed})


def start(arm, plant=None, **changed):
    """Return a controller and an arm, in lockstep."""
    given = values(**changed)
    controller = TrackingController(arm, law=law_of(given, model_of(given, arm)))
    return controller, SimulatedRobot(plant or arm, initial_position=START, brake=False)


def run(controller, sim, seconds):
    """Advance; return efforts and errors, one row per step."""
    tau, error = [], []
    for _ in range(round(1000 * seconds)):
        sim.command(controller.update(sim.ns, sim.q, sim.qd))
        tau.append(controller.tau)
        error.append(controller.error[0])
        sim.step()
    return np.array(tau), np.array(error)


def go(controller, target, duration=1.0, **options):
    """Send a trajectory of one point."""
    names = options.pop('names', controller.arm.joint_names)
    zero = (0.0,) * len(target)
    controller.accept(names, [GoalPoint(duration, target, zero, zero)], **options)


@pytest.mark.parametrize('law', names('law'))
def test_every_law_takes_over_at_speed_without_a_jump_and_follows(arm, law):
    controller, sim = start(arm)
    run(controller, sim, 0.1)
    go(controller, (-0.3, 0.9))
    before, _ = run(controller, sim, 0.4)
    controller.use_law(law_of(values(law=law), arm))
    after, error = run(controller, sim, 1.6)
    tau = np.concatenate([before, after])
    # The efforts of this motion change by 0.3 N m a step; a law that knows less of the model asks
    # for some 10 N m else, which fades within 200 steps.
    assert np.abs(np.diff(tau, axis=0)).max() < 0.6
    assert np.abs(error[-1]).max() < (0.1 if law == 'independent_pid' else 0.01)


@pytest.mark.parametrize('law', names('law'))
@pytest.mark.parametrize('gains', [
    {'kp': (50.0,)}, {'kd': (9.0, 8.0)}, {'natural_frequency': (9.0,)}, {'damping_ratio': (0.5,)},
    {'kp': (50.0,), 'kd': (9.0,)}])
def test_changed_parameters_mean_what_they_mean_at_the_start(arm, law, gains):
    for before, after in ((values(law=law), values(law=law, **gains)),
                          (values(law=law, **gains), values(law=law))):
        controller = make_controller(before, arm)
        change_parameters(controller, before, after)
        started = make_controller(after, arm).law
        assert controller.law.gains == started.gains
        given = 0.0, START, (0.1, -0.2), ((0.4, 0.4), (0.0, 0.1), (1.0, -1.0))
        assert list(controller.law.effort(*given)) == list(started.effort(*given))


def test_a_change_of_gains_spreads_its_jump_over_the_stated_time(arm):
    controller, sim = start(arm, arm.with_payload(2.0))
    run(controller, sim, 1.0)                   # it sags a little: the load is not known
    assert np.abs(controller.error[0]).max() > 1e-3
    before = controller.tau
    jump = np.abs(4.0 * np.subtract(before, arm.gravity_vector(sim.q))).max()
    controller.use_gains(natural_frequency=40.0)
    tau, _ = run(controller, sim, 0.3)
    steps = np.abs(np.diff(np.vstack([before, tau]), axis=0)).max()
    # The error becomes four times as expensive; that fades over 200 steps while the arm moves.
    assert steps < 3.0 * jump / 200.0


def test_a_load_that_is_made_known_is_held_where_it_is_to_be(arm):
    controller, sim = start(arm, arm.with_payload(2.0))
    _, error = run(controller, sim, 1.0)
    assert np.abs(error[-1]).max() > 1e-2
    controller.use_model(model_of(values(payload_mass=2.0), arm))
    tau, error = run(controller, sim, 1.5)
    assert np.abs(error[-1]).max() < 1e-5
    assert np.abs(np.diff(tau, axis=0)).max() < 1.0


def test_a_wrong_direction_of_gravity_is_made_good_by_the_sensor(arm):
    g = (1.0, 0.0, -9.7)
    controller, sim = start(arm, arm.with_gravity(g))
    _, error = run(controller, sim, 1.0)
    off = np.abs(error[-1]).max()
    sensor = GravitySensor(arm.gravity, arm.chain.base_link)
    rng = np.random.default_rng(1)
    for k in range(300):
        turned = sensor.read(k * 10 * MS, '', -np.array(g) + 0.2 * rng.standard_normal(3))
        if turned is not None:
            controller.use_model(model_of(values(), arm, turned))
    # A filter of 0.5 s at 100 Hz leaves a tenth of 0.2 m/s^2 in 9.81: two mrad, and five more that
    # are not worth another model.
    expected = np.array(g) * np.linalg.norm(arm.gravity) / np.linalg.norm(g)
    assert np.abs(controller.law.arm.gravity - expected).max() < 0.1
    _, error = run(controller, sim, 1.5)
    assert np.abs(error[-1]).max() < 0.1 * off


@pytest.mark.parametrize('frame, a, words', [
    ('camera', (0.0, 0.0, 9.81), 'another frame'), ('', (0.0, 0.0, 15.0), 'no gravity'),
    ('', (0.0, 0.0, 0.0), 'no gravity'), ('', (float('nan'), 0.0, 9.81), 'no gravity'),
    ('world', (float('inf'), 0.0, 9.81), 'no gravity')])
def test_what_is_not_gravity_is_refused(frame, a, words):
    sensor = GravitySensor((0.0, 0.0, -9.81), 'world')
    with pytest.raises(MessageError, match=words):
        sensor.read(MS, frame, a)


def test_gravity_that_has_not_turned_makes_no_new_model():
    sensor = GravitySensor((0.0, 0.0, -9.81), 'world')
    assert [sensor.read(k * MS, 'world', (0.0, 0.01, 9.80)) for k in range(20)] == [None] * 20
    assert sensor.read(MS, '', (0.0, 0.0, -9.81)) is None    # upside down for a moment: a glitch


def test_external_efforts_are_estimated_and_a_load_is_seen(arm):
    controller, sim = start(arm, arm.with_payload(1.0))
    controller.supervisor.set_limits(50.0, (0.0,), 0.0)
    run(controller, sim, 1.5)
    load = np.subtract(arm.gravity_vector(sim.q), arm.with_payload(1.0).gravity_vector(sim.q))
    difference = np.subtract(controller.supervisor.external, load)
    assert np.abs(difference).max() < 0.02 * np.abs(load).max()


def test_a_partial_goal_moves_its_joints_and_leaves_the_others_their_motion(arm):
    controller, sim = start(arm)
    run(controller, sim, 0.1)
    go(controller, (0.8, 1.0), 1.0)
    run(controller, sim, 0.3)
    with pytest.raises(TrajectoryError, match='missing'):
        go(controller, (0.2,), names=['joint2'])
    controller.allow_partial = True
    go(controller, (0.2,), 0.5, names=['joint2'])
    run(controller, sim, 1.2)
    assert controller.desired[0] == (0.8, 0.2)
    assert np.abs(np.subtract(sim.q, (0.8, 0.2))).max() < 1e-3


def test_a_way_to_the_first_point_that_is_too_fast_is_refused(arm):
    controller, sim = start(arm)
    run(controller, sim, 0.1)
    with pytest.raises(TrajectoryError, match='velocity .* is beyond the limit -6'):
        go(controller, (-2.0, 0.5), 0.1)
    controller.limit_policy = {'velocity': 'ignore', 'effort': 'ignore'}
    go(controller, (-2.0, 0.5), 0.5)


def test_a_trajectory_beyond_the_efforts_is_refused_or_said(arm):
    events = []
    controller, sim = start(arm)
    controller.on_event = events.append
    run(controller, sim, 0.1)
    controller.limit_policy = {'velocity': 'ignore', 'effort': 'warn'}
    go(controller, (0.3, 2.5), 0.2)
    assert any('effort' in event and 'beyond the limit' in event for event in events)
    controller.limit_policy = {'velocity': 'ignore', 'effort': 'reject'}
    with pytest.raises(TrajectoryError, match='effort'):
        go(controller, (0.3, 2.5), 0.2)


def test_soft_limits_push_back_and_the_rate_of_efforts_is_kept(arm):
    guard = EffortFilter(arm)
    guard.set_limits(1000.0, 0.1, 0.2)
    high = float(arm.limits.upper[1])
    inside = guard.apply(0.0, (0.0, high - 0.2), (0.0, 0.0), [0.0, 0.0])
    beyond = guard.apply(1.0, (0.0, high - 0.05), (0.0, 0.0), [0.0, 0.0])
    assert inside == [0.0, 0.0] and beyond[1] < 0.0 == beyond[0]
    assert guard.soft_limits.active == ('joint2',)
    first = guard.apply(1.001, (0.0, 0.0), (0.0, 0.0), [100.0, 10.0])
    assert np.abs(np.subtract(first, beyond)).max() <= 1.0 + 1e-9 and guard.saturated
    assert guard.apply(1.002, (0.0, 0.0), (0.0, 0.0), [float('nan'), 0.0]) is None
    with pytest.raises(ShapeError):
        guard.set_limits((1.0, 2.0, 3.0), 0.1, 0.2)
    assert guard.limiter.rate == (1000.0, 1000.0)


def test_with_a_rate_limit_the_arm_is_still_held_from_the_first_state_on(arm):
    controller, sim = start(arm)
    controller.effort_filter.set_limits(200.0, 0.0, 0.2)
    _, error = run(controller, sim, 1.0)
    assert np.abs(error).max() < 1e-6


@pytest.mark.parametrize('noise, bound', [(0.0, 2e-4), (1e-4, 2e-3)])
def test_velocities_are_estimated_without_a_lag_and_with_less_noise(noise, bound):
    rng, estimate = np.random.default_rng(2), VelocityEstimate(1, 5e-3)
    plain, filtered = [], []
    before = None
    for k in range(2000):
        t = 1e-3 * k
        q = np.sin(3.0 * t) + noise * rng.standard_normal()
        qd = estimate.estimate(1e-3, [q], [-9.0 * np.sin(3.0 * t - 1.5e-3)])
        estimate.feed([q], qd)
        if k > 100:
            filtered.append(qd[0] - 3.0 * np.cos(3.0 * t))
            plain.append((q - before) / 1e-3 - 3.0 * np.cos(3.0 * t))
        before = q
    if noise:
        # White noise through a first-order lag of 5 samples: sqrt(2) of it in a difference becomes
        # sqrt(2 a^2 / (2 - a)) with a = 1/6.
        assert np.std(filtered) < 0.25 * np.std(plain)
    else:
        assert np.abs(filtered).max() < bound < 2e-3


def test_zero_before_stale_is_refused_and_nothing_changes(arm):
    controller = TrackingController(arm)
    with pytest.raises(ParameterError, match='zero_timeout'):
        controller.set_timeouts(2.0, 1.0)
    assert controller.longest_gap == 0.5
