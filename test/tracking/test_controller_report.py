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

"""A controller's report says what it did since the last one, and the worst of it."""

from types import SimpleNamespace

import pytest

from twolink_dynamics.diagnostics import EventLog, Level
from twolink_dynamics.errors import TrajectoryError
from twolink_dynamics.tracking import TrackingController
from twolink_dynamics.tracking.controller_report import ControllerReport
from twolink_dynamics.trajectory.goal import GoalPoint

MS = 1000000
REST = (0.0, 0.0)


@pytest.fixture
def pair(arm):
    """Return a controller and its report."""
    controller = TrackingController(arm)
    return controller, ControllerReport(controller, SimpleNamespace(state_timeout=0.5), 0.0)


def answer(pair, ms, q=(0.1, 0.2), qd=REST, stamp=None):
    """Let the controller answer a state."""
    controller, report = pair
    controller.update(stamp or ms * MS, q, qd, 1e-3 * ms)
    report.count_state(1e-3 * ms)


def test_a_controller_without_states_waits_and_one_without_new_states_has_stale_ones(pair):
    report = pair[1]
    assert report.make(0.1)[:2] == (Level.WARN, 'waiting for joint_states')
    answer(pair, 200)
    assert report.make(0.3)[:2] == (Level.OK, 'holding')
    assert report.make(0.8)[:2] == (Level.WARN, 'joint_states are stale')


def test_states_whose_stamp_stands_are_frozen(pair):
    for ms in range(1, 802, 100):
        answer(pair, ms, stamp=MS)
    assert pair[1].make(0.85)[:2] == (
        Level.WARN, 'joint_states are frozen: their stamp does not change')


def test_counts_are_of_the_time_since_the_last_report(pair):
    controller, report = pair
    for ms in range(1, 11):
        answer(pair, ms)
    figures = report.make(0.01).figures
    assert figures['states answered [Hz]'] == pytest.approx(1000.0)
    controller.law.set_gains(kp=1e9, kd=1e6)
    answer(pair, 11, (0.14, 0.2))
    level, text, figures = report.make(0.011)
    assert (level, text) == (Level.WARN, 'effort saturated for 1 states')
    assert figures['peak tracking error [rad or m]'] == pytest.approx(0.04, abs=1e-3)
    assert report.make(0.012).figures['saturated steps'] == 0


def test_a_state_without_a_finite_effort_is_an_error_once(pair):
    answer(pair, 1)
    answer(pair, 2, qd=(1e200, 1e200))
    assert pair[1].make(0.002)[:2] == (Level.ERROR, 'no finite effort for 1 states')
    assert pair[1].make(0.003)[0] != Level.ERROR and pair[1].without_effort == 1


def test_refused_goals_are_counted_with_the_last_reason(pair, arm):
    controller, report = pair
    with pytest.raises(TrajectoryError) as refusal:
        controller.accept(arm.joint_names, [GoalPoint(1.0, (0.0, 9.0))])
    text = report.count_rejection(refusal.value)
    assert text.startswith('trajectory rejected (code -1: ')
    figures = report.make(0.1).figures
    assert figures['trajectories rejected'] == 1 and figures['last rejection'] in text


def test_an_event_that_comes_again_and_again_is_logged_once_a_second():
    lines, now = [], [0.0]
    log = EventLog(lines.append, lambda: now[0])
    for k in range(21):
        now[0] = 0.125 * k
        log(f'trajectory dropped (code -3): {k}')
        if k == 4:
            log('motion stopped: too fast')
    # At 0 s, and when more than a second has passed: after 9 and 18 times an eighth.
    assert lines == ['trajectory dropped (code -3): 0', 'motion stopped: too fast',
                     'trajectory dropped (code -3): 9', 'trajectory dropped (code -3): 18']
