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

"""Work and energy: what changes T + U is accounted for, with everything on."""

import math

from arms import LIMITED, three_joints
import numpy as np
import pytest

import twolink_dynamics as tl
from twolink_dynamics.simulation import Payload, PlantOptions, simulate

EVERYTHING = PlantOptions(
    restitution=0.2, ledger=True, actuator_lag=0.02, command_delay=0.01,
    tip_wrench=lambda t: (2.0 * math.sin(3.0 * t), 0.3, -1.0, 0.1, 0.2 * math.cos(t), 0.0),
    payloads=(Payload(0.4, (0.05, 0.0, 0.02), start=3.0, end=7.0),))


class Wild:
    """Efforts that drive the arm against its stops again and again."""

    def effort(self, t, q, qd, desired):
        """Return the efforts."""
        return [(6.0 * math.sin((2.0 + k) * t) - 4.0) / (1 + k) for k in range(len(q))]

    def reset(self):
        """Do nothing."""


def test_every_joule_is_accounted_for_over_ten_seconds_with_everything_on():
    arm = tl.load_arm(LIMITED)
    run = simulate(arm, 10.0, dt=5e-3, q0=(0.5, 1.0), law=Wild(), method='rk8', plant=EVERYTHING)
    assert {'impact', 'stick', 'slip', 'pick up', 'drop'} == {e.kind for e in run.events}
    assert all(np.abs(rows).max() > 1e-2 for rows in run.work.values()), run.work
    # Positions at a stop and velocities at rest are set to what they are to 1e-14: some hundred
    # events, forces of 1e1.
    assert np.abs(run.energy_residual).max() < 1e-11


def test_the_fourth_order_accounts_for_what_it_can():
    arm = tl.load_arm(LIMITED)
    run = simulate(arm, 2.0, q0=(0.5, 1.0), law=Wild(), plant=EVERYTHING)
    assert 1e-14 < np.abs(run.energy_residual).max() < 1e-8


def test_three_joints_are_accounted_for_as_two_are():
    arm = tl.load_arm(three_joints()).with_parameters(
        lower=-1.0, upper=1.0, friction=(0.4, 0.3, 0.1), damping=(0.1, 0.2, 0.0))
    run = simulate(arm, 1.5, dt=5e-3, q0=(0.5, 0.2, -0.3), law=Wild(), method='rk8',
                   plant=EVERYTHING)
    assert 'impact' in {event.kind for event in run.events}
    assert np.abs(run.energy_residual).max() < 1e-11


def test_the_wrench_acts_through_the_jacobian():
    for arm in (tl.TwoLinkArm(), tl.load_arm(LIMITED), tl.load_arm(three_joints())):
        effort = arm.scalar.wrench_effort
        q, w = np.linspace(0.3, 1.2, arm.n), np.linspace(-1.0, 2.0, 6)
        np.testing.assert_allclose(effort(q.tolist(), w.tolist()), arm.jacobian(q).T @ w,
                                   atol=1e-14)


def test_a_push_moves_the_arm_as_its_dynamics_say():
    arm, wrench = tl.TwoLinkArm(), (1.0, 2.0, 0.0, 0.0, 0.0, 0.5)
    run = simulate(arm, 1e-4, dt=1e-5, q0=(0.3, 0.5), plant=PlantOptions(tip_wrench=wrench))
    expected = arm.forward_dynamics([0.3, 0.5], [0.0, 0.0], [0.0, 0.0], tip_wrench=wrench)
    # Over 1e-4 s the accelerations change by some 1e-6 of them.
    np.testing.assert_allclose(run.qd[-1] / 1e-4, expected, rtol=1e-5)


def test_a_load_changes_the_motion_from_when_it_is_picked_up_to_when_it_is_dropped():
    arm = tl.TwoLinkArm()
    loaded = simulate(arm, 1.0, q0=(0.3, 0.5),
                      plant=PlantOptions(payloads=(Payload(2.0, start=0.2, end=0.6),)))
    free = simulate(arm, 1.0, q0=(0.3, 0.5))
    assert (loaded.q[:201] == free.q[:201]).all()
    assert np.abs(loaded.q[300] - free.q[300]).max() > 1e-3
    heavy = simulate(arm.with_payload(2.0), 0.4, q0=loaded.q[200], qd0=loaded.qd[200])
    assert (loaded.q[200:601] == heavy.q).all()
    again = simulate(arm, 0.4, q0=loaded.q[600], qd0=loaded.qd[600])
    assert (loaded.q[600:] == again.q).all()
    assert [(e.t, e.kind, e.value) for e in loaded.events] == [
        (pytest.approx(0.2), 'pick up', 2.0), (pytest.approx(0.6), 'drop', 0.0)]
    # The energy is that of arm and load; it jumps with the load and is constant in between.
    jumps = np.abs(np.diff(loaded.energy)) > 1e-6
    assert np.flatnonzero(jumps).tolist() == [199, 599]
