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

"""The momentum observer feels what pushes the arm, and only that."""

import math

import numpy as np
import pytest

import twolink_dynamics as tl
from twolink_dynamics.control import ComputedTorque, ContactMonitor, MomentumObserver
from twolink_dynamics.errors import ParameterError, ShapeError
from twolink_dynamics.simulation import PlantOptions, simulate
from twolink_dynamics.trajectory import swing


def observed(run, observer):
    """Return the estimates along a run."""
    rows = [observer.update(run.t[0], run.q[0].tolist(), run.qd[0].tolist(), run.tau[0].tolist())]
    for t, q, qd, tau in zip(run.t[1:], run.q[1:], run.qd[1:], run.tau):
        rows.append(observer.update(t, q.tolist(), qd.tolist(), tau.tolist()))
    return np.array(rows)


def moved(arm, wrench=None, model=None, **plant):
    """Return a swing with a push."""
    motion = swing(tl.TwoLinkArm(), 0.6, period=1.5, cycles=2)
    return simulate(arm, motion.duration, law=ComputedTorque(model or arm, 400.0, 40.0),
                    trajectory=motion, plant=PlantOptions(tip_wrench=wrench, **plant))


def test_a_free_arm_feels_nothing():
    arm = tl.TwoLinkArm(b1=0.4, b2=0.2)
    estimates = observed(moved(arm), MomentumObserver(arm))
    # The trapezoid over 1 ms: h^2 / 12 times the second derivative of the drive, some 1e3 N m/s^2.
    assert np.abs(estimates).max() < 1e-3


def test_a_push_is_followed_in_first_order():
    arm = tl.TwoLinkArm()
    force = np.array([4.0, -3.0, 0.0, 0.0, 0.0, 1.0])
    run = moved(arm, lambda t: force * (t >= 1.0))
    gain = 80.0
    estimates = observed(run, MomentumObserver(arm, gain))
    external = np.einsum('tij,i->tj', arm.jacobian(run.q), force) * (run.t >= 1.0)[:, None]
    expected = np.zeros_like(external)
    decay = math.exp(-gain * 1e-3)
    for k in range(1, len(expected)):
        expected[k] = external[k - 1] + (expected[k - 1] - external[k - 1]) * decay
    assert np.abs(external).max() > 4.0
    # The push moves with the arm within a step: 1e-3 of its rate, some 20 N m/s.
    np.testing.assert_allclose(estimates, expected, atol=0.05)
    settled = run.t > 1.2
    assert np.abs(estimates - external)[settled].max() < 0.4    # 20 N m/s over the gain


def test_a_payload_is_felt_as_its_weight_and_known_it_is_not():
    arm = tl.TwoLinkArm()
    loaded = arm.with_payload(0.5)
    q = [0.3, 0.4]
    run = simulate(loaded, 1.0, q0=q, law=ComputedTorque(loaded))
    estimates = observed(run, MomentumObserver(arm))
    np.testing.assert_allclose(estimates[-1], arm.gravity_vector(q) - loaded.gravity_vector(q),
                               rtol=1e-6)
    observer = MomentumObserver(arm)
    observer.set_arm(loaded)
    assert np.abs(observed(run, observer)).max() < 1e-9


def test_gaps_repetitions_and_bad_numbers_leave_the_estimate():
    arm = tl.TwoLinkArm(gravity=(0.0, 0.0))
    observer = MomentumObserver(arm, 50.0)
    q, qd, tau = [0.1, 0.2], [0.0, 0.0], [1.0, 0.0]
    assert observer.update(0.0, q, qd, tau) == (0.0, 0.0)
    first = observer.update(1e-3, q, qd, tau)   # an effort that moves nothing: something holds
    assert first[0] == pytest.approx(-(1.0 - math.exp(-0.05)), rel=1e-12)
    for t, state in ((1e-3, q), (2e-3, [math.nan, 0.0]), (5.0, q), (4.0, q)):
        assert observer.update(t, state, qd, tau) == first
    assert observer.update(4.001, q, qd, tau)[0] < first[0]
    observer.reset()
    assert observer.external == (0.0, 0.0)


@pytest.mark.parametrize('gain, error', [
    (0.0, ParameterError), (-1.0, ParameterError), ([1, 2, 3], ShapeError)])
def test_an_impossible_gain_is_refused(gain, error):
    with pytest.raises(error):
        MomentumObserver(tl.TwoLinkArm(), gain)


def test_a_contact_is_told_with_its_joint_and_over_with_some_room():
    monitor = ContactMonitor(('a', 'b', 'c'), (2.0, 4.0, 0.0), patience=0.01)
    assert monitor.update(0.0, (1.9, -3.9, 1e6)) is None      # c is not watched
    assert monitor.update(0.001, (2.1, -5.0, 0.0)) is None    # not for long enough
    assert monitor.update(0.005, (0.0, 0.0, 0.0)) is None
    assert monitor.update(0.006, (2.1, -5.0, 0.0)) is None
    assert monitor.update(0.016, (2.1, -5.0, 0.0)) == 'b'
    assert monitor.update(0.017, (1.5, 0.0, 0.0)) == 'b'      # 0.75 of a threshold
    assert monitor.update(0.018, (1.1, 0.0, 0.0)) is None
