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

"""The ladder of the state watchdog, and changes without a jump."""

import numpy as np
import pytest

import twolink_dynamics as tl
from twolink_dynamics.control import make_law
from twolink_dynamics.errors import ParameterError
from twolink_dynamics.registry import names
from twolink_dynamics.simulation import simulate
from twolink_dynamics.tracking import BumplessTransfer, Watchdog
from twolink_dynamics.trajectory import Trajectory

INF = float('inf')


def test_before_the_first_state_there_is_no_effort():
    dog = Watchdog()
    assert dog.level(5.0) == 'zero' and dog.effort(5.0) is None


def test_the_ladder_goes_down_by_the_stated_times():
    dog = Watchdog(hold=0.02, gravity=0.1, zero=1.0)
    dog.feed(10.0, (5.0, -1.0), (3.0, 1.0))
    levels = [(10.0, 'live'), (10.019, 'live'), (10.021, 'hold'), (10.099, 'hold'),
              (10.101, 'gravity'), (10.99, 'gravity'), (11.01, 'zero'), (1e9, 'zero')]
    assert [dog.level(t) for t, _ in levels] == [level for _, level in levels]
    assert dog.effort(10.01) == [5.0, -1.0]
    assert dog.effort(10.3) == [3.0, 1.0]
    assert dog.effort(12.0) == [0.0, 0.0]
    dog.feed(12.0, (4.0, 0.0), (3.0, 1.0))
    assert dog.level(12.0) == 'live' and dog.effort(12.0) == [4.0, 0.0]


def test_no_rung_is_a_jump():
    dog = Watchdog(hold=0.02, gravity=0.1, zero=1.0)
    dog.feed(0.0, (5.0,), (3.0,))
    t = np.linspace(0.0, 1.2, 12001)
    tau = np.array([dog.effort(x)[0] for x in t])
    # The stated bounds: 2 N m over 0.08 s and 2 * 3 N m over 0.9 s, in steps of 0.1 ms.
    assert np.abs(np.diff(tau)).max() <= 1e-4 * max(2.0 / 0.08, 6.0 / 0.9) * (1 + 1e-9)


def test_a_clock_set_back_counts_as_no_time():
    dog = Watchdog()
    dog.feed(100.0, (1.0,), (1.0,))
    assert dog.level(0.0) == 'live' and dog.effort(0.0) == [1.0]


def test_a_level_may_be_left_out():
    dog = Watchdog(hold=0.02, gravity=0.02, zero=INF)
    dog.feed(0.0, (5.0,), (3.0,))
    assert dog.level(0.021) == 'gravity' and dog.effort(0.021) == [3.0]
    assert dog.level(1e6) == 'gravity' and dog.effort(1e6) == [3.0]


@pytest.mark.parametrize('times', [(0.0, 1.0, 2.0), (0.2, 0.1, 2.0), (0.1, 3.0, 2.0),
                                   (float('nan'), 1.0, 2.0)])
def test_times_that_are_no_ladder_are_refused(times):
    with pytest.raises(ParameterError):
        Watchdog(*times)


@pytest.mark.parametrize('new', names('law'))
def test_a_change_of_the_law_makes_no_jump(new):
    arm = tl.TwoLinkArm()
    laws = [make_law('computed_torque', arm), make_law(new, arm, natural_frequency=20.0)]
    bumpless = BumplessTransfer(2, duration=0.2)

    from_law = []

    class Changing:
        def reset(self):
            pass

        def effort(self, t, q, qd, desired):
            if t == 0.5:
                bumpless.change()
            from_law.append(laws[t >= 0.5].effort(t, q, qd, desired))
            return bumpless.apply(t, from_law[-1])

    # With a load that the model does not know the laws do not agree at all.
    q = [0.4, 0.9]
    run = simulate(arm.with_payload(0.3), 1.0, q0=q, law=Changing(),
                   trajectory=Trajectory([0.0], [q]))
    k = int(np.argmin(np.abs(run.t - 0.5)))
    difference = np.abs(run.tau[k - 1] - from_law[k])
    assert run.tau[k] == pytest.approx(run.tau[k - 1], abs=1e-12)
    steps, own = (np.abs(np.diff(rows[k:1000], axis=0)) for rows in (run.tau, np.array(from_law)))
    # The bound that is stated, and rounding.
    assert (steps <= own + difference * (1e-3 / 0.2) + 1e-12).all()
    np.testing.assert_allclose(run.tau[k + 201:1000], from_law[k + 201:], rtol=0, atol=0)


@pytest.mark.parametrize('change', [
    lambda arm: arm.with_payload(1.0, (0.1, 0.0, 0.0)),
    lambda arm: arm.with_gravity((4.0, -8.0, 0.0))], ids=['payload', 'tilt'])
def test_another_load_or_gravity_makes_no_jump(change):
    arm = tl.TwoLinkArm()
    law, bumpless = make_law('computed_torque', arm), BumplessTransfer(2, duration=0.2)
    q, rest, from_law, applied = (0.4, 0.9), (0.0, 0.0), [], []
    for k in range(1000):
        if k == 500:
            law.set_arm(change(arm))
            bumpless.change()
        from_law.append(law.effort(1e-3 * k, q, rest, (q, rest, rest)))
        applied.append(bumpless.apply(1e-3 * k, from_law[-1]))
    jump = np.abs(np.subtract(from_law[500], from_law[499]))
    assert jump.max() > 1.0
    # The stated bound: a two-hundredth of the jump in each of 200 periods.
    assert (np.abs(np.diff(applied, axis=0)) <= jump / 200.0 + 1e-12).all()
    np.testing.assert_allclose(applied[-1], change(arm).gravity_vector(q), rtol=1e-12)


def test_the_difference_fades_linearly_and_then_is_gone():
    bumpless = BumplessTransfer(1, duration=1.0)
    assert bumpless.apply(0.0, [3.0]) == [3.0]
    bumpless.change()
    assert [bumpless.apply(t, [7.0]) for t in (2.0, 2.25, 2.5)] == [[3.0], [4.0], [5.0]]
    bumpless.change()       # again, in the middle: from what is applied now
    assert [bumpless.apply(t, [9.0]) for t in (2.6, 3.1, 3.7)] == [[5.0], [7.0], [9.0]]


def test_a_start_from_what_the_arm_has():
    bumpless = BumplessTransfer(1, duration=1.0)
    bumpless.change()
    assert bumpless.apply(0.0, [2.0]) == [2.0]      # nothing is known to start from
    bumpless.change(before=[10.0])
    assert bumpless.apply(1.0, [2.0]) == [10.0]


def test_bad_numbers_and_a_clock_set_back_do_not_get_stuck():
    bumpless = BumplessTransfer(1, duration=1.0)
    bumpless.change(before=[10.0])
    assert not np.isfinite(bumpless.apply(0.0, [float('nan')])[0])
    assert bumpless.apply(0.1, [2.0]) == [10.0]
    assert bumpless.apply(-5.0, [2.0]) == [2.0]
