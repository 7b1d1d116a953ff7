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

"""The recorder of `twolink run` hears what ends a run, and the session ends it and says why."""

import argparse
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip('rclpy', reason='ROS is not installed')

from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus  # noqa: E402, I100
from sensor_msgs.msg import JointState  # noqa: E402

from twolink_dynamics.clients import session as sessions  # noqa: E402
from twolink_dynamics.clients.run_recorder import RunRecorder  # noqa: E402
from twolink_dynamics.clients.session import RunError, Session  # noqa: E402

DIVERGED = 'the simulation diverged at t = 0.202 s (stamp 1.201000 s)'


@pytest.fixture
def recorder(ros):
    """Return a recorder beside the probe's publishers."""
    recorder = RunRecorder(['a'], '/left')
    yield recorder
    recorder.close()


def array(*statuses):
    """Return diagnostics of name and level."""
    return DiagnosticArray(status=[
        DiagnosticStatus(name=name, level=level, message=DIVERGED) for name, level in statuses])


def test_an_error_of_its_own_simulator_is_the_verdict_and_nothing_else_is(recorder):
    for status in (('left/simulator', DiagnosticStatus.WARN),
                   ('simulator', DiagnosticStatus.ERROR),
                   ('left/computed_torque_controller', DiagnosticStatus.ERROR)):
        recorder._on_diagnostics(array(status))
        assert recorder.verdict == ''
    recorder._on_diagnostics(array(('left/simulator', DiagnosticStatus.ERROR)))
    assert recorder.verdict == DIVERGED


def test_it_listens_to_the_diagnostics(ros, recorder):
    publisher = ros.publisher(DiagnosticArray, '/diagnostics')

    def heard():
        publisher.publish(array(('left/simulator', DiagnosticStatus.ERROR)))
        recorder.spin(0.01)
        return recorder.verdict

    ros.until(heard, 'the verdict')


def test_the_same_stamp_again_does_not_advance(recorder, monkeypatch):
    state = JointState(name=['a'], position=[0.0])
    state.header.stamp.sec = 1
    now = 10.0
    monkeypatch.setattr('twolink_dynamics.clients.run_recorder.time.monotonic', lambda: now)
    recorder._on_state(state)
    now = 20.0
    recorder._on_state(state)
    assert (recorder.arrived, recorder.advanced) == (20.0, 10.0)
    state.header.stamp.sec = 2
    recorder._on_state(state)
    assert recorder.advanced == 20.0


@pytest.mark.parametrize('state, words', [
    ({'verdict': DIVERGED}, f'the simulator: {DIVERGED}'),
    ({'arrived': 0.0}, 'no joint_states for 10 s'),
    ({'advanced': 0.0}, 'simulated time stands still for 10 s'),
    ({'answered': 0.0}, 'no answers of the controller for 10 s'),
])
def test_a_session_ends_a_run_that_does_not_go_on(arm, monkeypatch, state, words):
    monkeypatch.setattr(sessions.time, 'monotonic', lambda: 20.0)
    session = Session(arm, Path('arm.urdf'), argparse.Namespace())
    session._recorder = SimpleNamespace(**{
        'verdict': '', 'total': 0, 'arrived': 20.0, 'advanced': 20.0, 'answered': 20.0,
        'spin': lambda seconds: None, 'complete': lambda end: False, **state})
    with pytest.raises(RunError, match='^' + words.replace('(', r'\(').replace(')', r'\)')):
        session._watch(0, 1)
