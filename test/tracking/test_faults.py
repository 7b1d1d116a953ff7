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

"""Faults that latch, and those that pass: what the arm does, in simulated time."""

import math
from pathlib import Path
import re
from types import SimpleNamespace

from arms import three_joints
import numpy as np
import pytest

import twolink_dynamics as tl
from twolink_dynamics.cli.main import main
from twolink_dynamics.diagnostics import Level
from twolink_dynamics.errors import ParameterError, TrajectoryError
from twolink_dynamics.simulation.simulated_robot import SimulatedRobot
from twolink_dynamics.tracking.controller import TrackingController
from twolink_dynamics.tracking.controller_options import CONTROLLER
from twolink_dynamics.tracking.controller_report import ControllerReport
from twolink_dynamics.tracking.controller_setup import change_parameters, make_controller
from twolink_dynamics.tracking.effort_limits import EffortLimiter
from twolink_dynamics.tracking.faults import fault_rows, FAULTS, STATES
from twolink_dynamics.trajectory.goal import GoalPoint

MS = 1000000
START, TARGET = (0.3, 0.2), (0.9, -0.5)
FAULT = 0.3                                     # [s]: in the middle of a motion, if there is one
HARDWARE = {
    'natural_frequency': (5.0,), 'effort_rate': (500.0,), 'soft_limit_margin': (0.05,),
    'velocity_factor': 1.0, 'path_tolerance': (0.1,), 'hold_tolerance': (0.1,),
    'on_position_jump': 'fault', 'state_timeout': 0.1, 'zero_timeout': 5.0}
CONFIGURATIONS = {'default': {}, 'hardware': HARDWARE}


class Drives:
    """An arm under control, between whose controller and drives something goes wrong."""

    def __init__(self, arm, payload=0.0, **changed):
        values = {**{o.name: o.default for o in CONTROLLER}, **changed}
        self.arm, self.events = arm, []
        self.limits = [float(x) for x in arm.limits.effort]
        self.controller = make_controller(SimpleNamespace(**values), arm, self.events.append)
        self.sim = SimulatedRobot(arm, initial_position=START, brake=False)
        if payload:
            self.sim.carry((payload, (0.0, 0.0, 0.0), None))
        self.latched_at = None                  # position and velocity
        self.results = []

    def run(self, seconds, spoil=lambda tau: tau, sense=lambda q: q):
        """Advance; `spoil` is what the drives make of an effort, `sense` what encoders say."""
        sim, controller = self.sim, self.controller
        fastest = np.zeros(self.arm.n)
        for _ in range(round(1000 * seconds)):
            q, qd = sense(list(sim.q)), list(sim.qd)
            tau = controller.update(sim.ns, q, qd, 1e-9 * sim.ns)
            if controller.state == 'fault' and self.latched_at is None:
                self.latched_at = np.array(sim.q), np.array(sim.qd)
            fastest = np.maximum(fastest, np.abs(sim.qd))
            sim.command([min(max(x, -h), h) for x, h in zip(spoil(list(tau)), self.limits)])
            sim.step()
            self.results += controller.execution.take_results()
        return fastest

    def go(self, target=TARGET, duration=1.0):
        """Send a trajectory of one point."""
        zero = (0.0,) * self.arm.n
        self.controller.accept(self.arm.joint_names, [GoalPoint(duration, target, zero)], key='it')

    def until_fault(self, moving):
        """Go on to where the fault is to come; return where the arm is."""
        if moving:
            self.run(0.001)
            self.go()
        self.run(FAULT)
        return np.array(self.sim.q), np.array(self.sim.qd)

    def rests(self):
        """Tell whether the arm stands."""
        return np.abs(self.sim.qd).max() < 1e-2


def off(tau):
    """Cut the drives."""
    return [0.0] * len(tau)


def exchanged(tau):
    """Give the joints each other's efforts."""
    return tau[::-1]


def reversed_sign(k):
    """Reverse the sign of one joint's effort."""
    return lambda tau: [-x if j == k else x for j, x in enumerate(tau)]


every = pytest.mark.parametrize('name', CONFIGURATIONS)
both = pytest.mark.parametrize('moving', [False, True], ids=['holding', 'moving'])


@every
@both
@pytest.mark.parametrize('outage', [0.1, 0.2, 0.3])
def test_drives_off_for_up_to_300_ms_pass_without_a_latch(arm, name, moving, outage):
    drives = Drives(arm, **CONFIGURATIONS[name])
    drives.until_fault(moving)
    drives.run(outage, off)
    speed = np.abs(drives.sim.qd)
    fastest = drives.run(2.5)
    assert drives.controller.state == 'holding' and drives.rests()
    assert fastest.max() <= max(1.1 * speed.max(), 0.25 * float(min(arm.limits.velocity)))


@every
@both
def test_drives_off_for_a_second_latch_and_do_not_throw_the_arm(arm, name, moving):
    drives = Drives(arm, **CONFIGURATIONS[name])
    drives.until_fault(moving)
    drives.run(1.0, off)
    assert drives.controller.latch.fault is FAULTS['drives']
    speed = np.abs(drives.sim.qd).max()
    assert drives.run(4.0).max() <= 1.1 * speed
    assert drives.rests() and drives.controller.state == 'fault'


@every
@both
@pytest.mark.parametrize('spoil', [exchanged, reversed_sign(0), reversed_sign(1)],
                         ids=['exchanged', 'sign of 1', 'sign of 2'])
def test_efforts_in_a_wrong_direction_latch_before_they_have_thrown_the_arm(
        arm, name, moving, spoil):
    twin, drives = (Drives(arm, **CONFIGURATIONS[name]) for _ in range(2))
    for one in (twin, drives):
        one.until_fault(moving)
    for _ in range(500):
        twin.run(0.001)
        drives.run(0.001, spoil)
        if drives.controller.state == 'fault':
            break
    assert drives.controller.latch.fault is FAULTS['direction']
    q, qd = drives.latched_at
    assert np.abs(q - twin.sim.q).max() < 0.2
    assert (np.abs(qd - twin.sim.qd) < 0.5 * np.array(arm.limits.velocity)).all()
    assert drives.controller.tau == [0.0, 0.0]
    drives.run(1.0, spoil)
    assert drives.controller.tau == [0.0, 0.0] and drives.controller.state == 'fault'


@every
@both
def test_a_payload_that_is_lost_is_no_fault(arm, name, moving):
    drives = Drives(arm, payload=0.3, **CONFIGURATIONS[name])
    drives.until_fault(moving)
    drives.sim.carry(None)
    drives.run(3.0)
    assert drives.controller.state == 'holding' and drives.rests()


@pytest.mark.parametrize('moving', [False, True], ids=['holding', 'moving'])
def test_an_arm_put_elsewhere_rests_there(arm, moving):
    drives = Drives(arm)
    drives.until_fault(moving)
    drives.sim.plant.reset()
    elsewhere = np.array([-1.2, 0.9])
    shift = elsewhere - np.array(drives.sim.q)
    fastest = drives.run(1.5, sense=lambda q: list(q + shift))
    assert drives.controller.state == 'holding' and fastest.max() < 1.5
    assert any('which no velocity explains' in event for event in drives.events)


def test_a_jump_on_hardware_latches_at_once_and_its_client_is_told(arm):
    drives = Drives(arm, **HARDWARE)
    drives.until_fault(True)
    drives.run(0.001, sense=lambda q: [q[0] + 0.2, q[1]])
    assert drives.controller.latch.fault is FAULTS['jump']
    [result] = drives.results
    assert (result.key, result.state, result.code) == ('it', 'aborted', -4)
    assert result.text.startswith('fault: jump: joint "joint1" jumped from ')


def test_a_second_source_of_states_latches_at_its_third_jump(arm):
    drives = Drives(arm)
    drives.run(0.1)
    for _ in range(2):
        drives.run(0.02)
        drives.run(0.001, sense=lambda q: [q[0] + 1.0, q[1]])
    assert drives.controller.latch.fault is FAULTS['recurring']


def test_jumps_that_are_far_apart_do_not_add_up(arm):
    drives, turned = Drives(arm), [0.0]
    drives.run(0.1)
    for _ in range(5):
        turned[0] += 0.2
        drives.run(2.1, sense=lambda q: [q[0] + turned[0], q[1]])
    assert drives.controller.state == 'holding'


def test_only_enable_ends_a_fault(arm):
    drives = Drives(arm)
    drives.run(0.3)
    drives.run(0.1, exchanged)
    controller = drives.controller
    assert controller.state == 'fault' and controller.mode.startswith('fault: joints ')
    with pytest.raises(TrajectoryError, match='in a fault .*call ~/enable'):
        drives.go()
    controller.hold()
    drives.run(0.1)
    assert controller.state == 'fault'
    controller.enable(False)
    drives.run(0.1)
    assert controller.state == 'disabled'
    controller.enable(True)
    drives.run(2.0)
    assert controller.state == 'holding' and drives.rests()


def test_diagnostics_are_an_error_while_a_fault_is_latched(arm):
    drives = Drives(arm)
    report = ControllerReport(drives.controller, SimpleNamespace(state_timeout=0.5), 0.0)
    drives.run(0.3)
    drives.run(0.1, exchanged)
    status = report.make(0.4)
    assert status.level is Level.ERROR and 'exchanged' in status.text
    assert status.figures['fault'] == 'direction'


@pytest.mark.parametrize('effort', ['gravity', 'damping', 'zero'])
def test_the_effort_of_a_fault_is_the_one_that_was_asked_for(arm, effort):
    drives = Drives(arm, **HARDWARE | {'fault_effort': effort})
    drives.run(0.1)
    drives.run(0.001, sense=lambda q: [q[0] + 0.2, q[1]])
    q, qd = [0.4, 0.1], [1.0, -1.0]
    tau = np.array(drives.controller.update(drives.sim.ns + MS, q, qd))
    gravity = arm.gravity_vector(np.array(q))
    if effort == 'zero':
        assert not tau.any()
    elif effort == 'gravity':
        assert np.allclose(tau, gravity)
    else:
        assert ((tau - gravity) * qd < 0.0).all()


def test_a_slow_push_beyond_the_tolerance_while_holding_ends_at_rest_there(arm):
    drives = Drives(arm, natural_frequency=(5.0,))
    drives.run(0.1)
    drives.sim.push([0.0, 0.0, 30.0, 0.0, 0.0, 0.0])
    drives.run(0.3)
    drives.sim.push(None)
    drives.run(2.0)
    assert drives.controller.state == 'holding' and drives.rests()
    assert any('tolerance of holding' in event for event in drives.events)


def test_every_state_has_its_name(arm):
    drives = Drives(arm)
    seen = [drives.controller.state]
    drives.run(0.01)
    seen.append(drives.controller.state)
    drives.go()
    drives.run(0.3)
    seen.append(drives.controller.state)
    drives.controller.hold()
    drives.run(0.01)
    seen.append(drives.controller.state)
    drives.run(0.1, exchanged)
    seen.append(drives.controller.state)
    drives.controller.enable(False)
    seen.append(drives.controller.state)
    assert seen == ['waiting', 'holding', 'moving', 'stopping', 'fault', 'disabled']
    assert set(seen) == set(STATES)


# --- joints that wrap ---------------------------------------------------------------------------

def wrapped(x):
    """Return an angle as an encoder of (-pi, pi] has it."""
    return math.remainder(x, math.tau)


def test_a_continuous_joint_is_followed_across_the_wrap_of_its_encoder():
    arm = tl.load_arm(three_joints())
    plain, wrapping = (TrackingController(arm) for _ in range(2))
    for k in range(200):
        q, qd = [3.0 + 2e-3 * k, -3.0 - 2e-3 * k, 0.0], [2.0, -2.0, 0.0]
        efforts = [np.array(controller.update(k * MS + 1, sensed, qd)) for controller, sensed in (
            (plain, q), (wrapping, [wrapped(x) for x in q]))]
        # Positions agree to the last digits of a turn; kp is 400, inertias are below 2.
        assert np.abs(efforts[0] - efforts[1]).max() < 1e-9
    assert wrapping.state != 'fault' and max(wrapping.q) > math.pi


def test_a_revolute_joint_that_wraps_is_refused_by_name(arm):
    controller = TrackingController(arm)
    for k in range(3):
        controller.update(k * MS + 1, (0.3, 3.12 + 1e-3 * k), (0.0, 1.0))
    controller.update(3 * MS + 1, (0.3, 3.13 - math.tau), (0.0, 1.0))
    assert controller.latch.fault is FAULTS['wrap']
    assert 'the encoder of joint "joint2" wraps' in controller.latch.text


def test_one_continuous_joint_leaves_the_way_to_the_first_point_checked():
    text = three_joints().replace('<axis xyz="0 1 0"/></joint>', '<axis xyz="0 1 0"/>'
                                  '<limit effort="50" velocity="2"/></joint>')
    text = text.replace('name="j1" type="continuous"', 'name="j1" type="revolute"').replace(
        'velocity="2"', 'velocity="2" lower="-3" upper="3"')
    controller = TrackingController(tl.load_arm(text))
    controller.update(1, (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    with pytest.raises(TrajectoryError, match='velocity'):
        controller.accept(controller.arm.joint_names, [
            GoalPoint(0.01, (0.0, 2.5, 0.0)), GoalPoint(1.0, (0.0, 2.5, 0.0))])
    controller.accept(controller.arm.joint_names, [     # a whole turn away is no way at all
        GoalPoint(0.5, (math.tau, 0.1, 0.0)), GoalPoint(1.0, (math.tau, 0.1, 0.0))])


# --- what a rate limit may take -----------------------------------------------------------------

@pytest.mark.parametrize('frequency', [5.0, 10.0, 20.0, 40.0])
@pytest.mark.parametrize('rate', [100.0, 300.0, 500.0, 1000.0, 5000.0])
def test_a_rate_limit_catches_an_arm_that_fell_or_is_refused_with_the_one_that_would_do(
        arm, frequency, rate):
    changed = {**HARDWARE, 'natural_frequency': (frequency,)}
    del changed['effort_rate']
    try:
        drives = Drives(arm, **changed, effort_rate=(rate,))
    except ParameterError as error:
        assert error.name == 'effort_rate' and rate < 5000.0
        enough = float(re.search('at least (.*?) for', str(error)).group(1))
        drives = Drives(arm, **changed, effort_rate=(enough,))
    drives.until_fault(True)
    drives.run(0.3, off)
    speed = np.abs(drives.sim.qd).max()
    assert drives.run(2.5).max() <= 1.1 * speed
    assert drives.controller.state == 'holding' and drives.rests()


def test_a_refused_rate_limit_leaves_what_was_there(arm):
    drives = Drives(arm)
    values = SimpleNamespace(**{o.name: o.default for o in CONTROLLER})
    refused = SimpleNamespace(**vars(values) | {'effort_rate': (100.0,), 'stop_duration': 0.2})
    with pytest.raises(ParameterError, match='at least'):
        change_parameters(drives.controller, values, refused)
    assert drives.controller.effort_filter.limiter.rate is None
    assert drives.controller.stop_duration == 0.3


# --- what is left of it -------------------------------------------------------------------------

def test_a_rate_limit_outlasts_an_effort_that_is_no_number():
    limiter = EffortLimiter((100.0, 100.0), 10.0)
    limiter.apply(0.0, (1.0, 1.0))
    limiter.apply(0.001, (math.nan, 1.0))
    assert limiter.apply(0.002, (50.0, 50.0)) == pytest.approx([1.01, 1.01])


def test_the_last_seconds_before_a_fault_are_in_a_file_that_plot_reads(arm, tmp_path, monkeypatch):
    drives = Drives(arm, fault_directory=str(tmp_path / 'faults'))
    drives.run(5.5)
    drives.run(0.1, exchanged)
    [path] = (tmp_path / 'faults').glob('fault_direction_*.npz')
    with np.load(path) as file:
        t, q = file['t'], file['q']
        assert file['log_text'].tolist()[-1].startswith('fault: direction: ')
    assert t[-1] == 0.0 and t[0] == pytest.approx(-5.0, abs=2e-3)
    assert np.abs(q[-1] - drives.latched_at[0]).max() < 0.01
    monkeypatch.chdir(tmp_path)
    assert main(['plot', str(path)]) == 0


def test_a_directory_that_cannot_be_written_is_reported_and_the_fault_latches(arm, tmp_path):
    (tmp_path / 'file').touch()
    drives = Drives(arm, fault_directory=str(tmp_path / 'file'))
    drives.run(0.3)
    drives.run(0.1, exchanged)
    assert drives.controller.state == 'fault'
    assert any('fault_directory' in event for event in drives.events)


def test_the_page_has_the_table_of_faults():
    page = Path(__file__).resolve().parents[2] / 'docs' / 'hardware.md'
    assert '\n'.join(fault_rows()) in page.read_text(encoding='utf-8')
