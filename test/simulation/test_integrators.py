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

"""Integrators: their order, their agreement with others', and that writing out changes nothing."""

from dataclasses import replace
import math

from corpus import corpus_file, needs_corpus
import numpy as np
import pytest
from simulated_arms import CART, chaotic, mujoco_end, two_links, without_shapes

import twolink_dynamics as tl
from twolink_dynamics.errors import DivergenceError, ParameterError
from twolink_dynamics.simulation import Plant, PlantOptions, simulate
from twolink_dynamics.simulation.fast_path import WRITTEN_OUT
from twolink_dynamics.simulation.fused import fused_advance, fused_loop
from twolink_dynamics.simulation.integrators import METHODS, stepper

RNG = np.random.default_rng(7)


def end(arm, q0, method, steps, duration=0.5):
    """Return where an arm comes to without efforts."""
    run = simulate(arm, duration, dt=duration / steps, q0=q0, method=method)
    assert run.t[-1] == pytest.approx(duration, rel=1e-12)
    return np.concatenate([run.q[-1], run.qd[-1]])


@pytest.mark.parametrize('method, order, steps', [
    ('semi_implicit', 1, (1000, 2000, 4000)), ('rk4', 4, (100, 200, 400)),
    ('rk8', 8, (9, 12, 18))])
def test_the_error_falls_with_the_order_of_the_method_from_a_chaotic_start(method, order, steps):
    arm, q0 = chaotic()
    exact = end(arm, q0, 'rk8', 500)
    errors = [np.abs(end(arm, q0, method, count) - exact).max() for count in steps]
    orders = [math.log(a / b, m / n) for a, b, n, m in zip(errors, errors[1:], steps, steps[1:])]
    # The next term of the error is a few per cent of the leading one; between the rounding of
    # 1e-14 and steps too long for that, an eighth order has a decade or two.
    assert np.allclose(orders, order, atol=0.1), orders


def test_the_adaptive_method_agrees_with_the_eighth_order():
    arm, q0 = chaotic()
    np.testing.assert_allclose(end(arm, q0, 'adaptive', 20), end(arm, q0, 'rk8', 500), atol=1e-10)


@pytest.mark.parametrize('method', WRITTEN_OUT)
@pytest.mark.parametrize('gravity', [(0.0, -9.81), (3.0, 1.0)])
def test_a_step_written_out_is_the_step_to_the_last_bit(method, gravity):
    arm, damping, dt = tl.TwoLinkArm(m2=0.7, lc2=0.4, gravity=gravity), (0.3, 0.0), 1e-2

    def acceleration(q, qd, tau):
        return arm.scalar.forward_dynamics(
            q, qd, [t - b * v for t, b, v in zip(tau, damping, qd)])

    step = METHODS[method](acceleration, 2)
    written_out = fused_advance(method, arm.constants, damping, dt)
    for q, qd, tau in RNG.normal(size=(20, 3, 2)).tolist():
        expected = [x for pair in step(q, qd, tau, dt) for x in pair]
        # Folding 0.0 * x and x + 0.0 away changes nothing but the sign of a zero.
        assert [x for pair in written_out(q, qd, tau) for x in pair] == expected


def test_law_and_step_in_one_are_the_law_and_the_step_to_the_last_bit():
    arm, model = tl.TwoLinkArm(m2=1.3), tl.TwoLinkArm()
    law = tl.ComputedTorque(model, kp=(90.0, 50.0), kd=(18.0, 12.0))
    both = fused_loop('rk4', arm.constants, (0.1, 0.2), 1e-3, model.constants, *law.gains[:2])
    step = fused_advance('rk4', arm.constants, (0.1, 0.2), 1e-3)
    for q, qd, *desired in RNG.normal(size=(20, 5, 2)).tolist():
        tau = law.effort(0.0, q, qd, desired)
        expected = [x for pair in (*step(q, qd, tau), tau) for x in pair]
        assert list(both((*q, *qd, 0.0, 0.0), *sum(desired, []))) == expected


def test_a_closed_loop_does_not_depend_on_how_it_is_run():
    arm = tl.TwoLinkArm()
    law, motion = tl.ComputedTorque(arm), tl.Trajectory(
        [0.0, 1.0], [[0.3, 0.5], [1.0, -0.6]], [[0.0, 0.0], [0.0, 0.0]])

    class Own:
        """The same law, of which nothing is known; with arrays, as users may write it."""

        def __init__(self, kind):
            self.kind = kind

        def effort(self, *state):
            return self.kind(law.effort(*state))

        def reset(self):
            pass

    runs = [simulate(arm, 1.2, law=used, trajectory=motion, plant=options) for used, options in (
        (law, None), (Own(list), None), (Own(np.array), None),
        (law, PlantOptions(position_noise=1e-300)), (law, PlantOptions(ledger=True)))]
    for run in runs[1:]:
        for name in ('q', 'qd', 'tau'):
            assert (getattr(run, name) == getattr(runs[0], name)).all()


@pytest.mark.parametrize('urdf, q0', [
    (two_links(), (0.3, 0.5)), (CART, (0.1, 0.6, 0.05))], ids=['2R', 'prismatic'])
def test_the_motion_is_that_of_mujoco_and_of_scipy(urdf, q0):
    check_motion(urdf, tl.load_arm(urdf), q0)


@needs_corpus
def test_the_motion_of_a_ur5e_is_that_of_mujoco_and_of_scipy():
    urdf = without_shapes(corpus_file('ur5e_official').read_text())
    arm = tl.load_arm(urdf, side_branches='lump')
    # Damped as gears are: its wrist turns so easily that a free fall would have it whirl.
    check_motion(urdf, arm, (0.2, -1.0, 0.8, -0.5, 0.3, 0.1), (20.0, 20.0, 10.0, 0.5, 0.5, 0.02))


def check_motion(urdf, arm, q0, damping=(0.0, 0.0, 0.0)):
    """Assert that two seconds under constant efforts agree with two others' results."""
    n, steps, dt = arm.n, 2000, 1e-3
    damping, qd0, tau = np.array(damping[:n]), np.linspace(0.2, -0.3, n), np.linspace(0.5, -0.2, n)
    options = PlantOptions(damping=damping, friction=(0.0,) * n, stops=False,
                           effort_limits=False, armature=(0.0,) * n)
    ends = {}
    for method, count in (('rk4', steps), ('rk8', steps // 4)):
        plant = Plant(arm, 2.0 / count, q0, qd0, replace(options, method=method))
        for _ in range(count):
            plant.step(tau)
        ends[method] = np.concatenate([plant.q, plant.qd])
    from scipy.integrate import solve_ivp
    exact = solve_ivp(lambda t, x: [*x[n:], *arm.scalar.forward_dynamics(
        x[:n].tolist(), x[n:].tolist(), (tau - damping * x[n:]).tolist())], (0.0, 2.0),
        [*q0, *qd0], method='DOP853', rtol=1e-12, atol=1e-13).y[:, -1]
    scale = 1.0 + np.abs(exact).max()
    # Fourth order: dt^4 times fifth derivatives of 1e3 /s^5 and more over 2 s.
    assert np.abs(ends['rk4'] - exact).max() < 1e-8 * scale
    # Both to rounding, which the motion lets grow.
    assert np.abs(ends['rk8'] - exact).max() < 1e-10 * scale
    mujoco = pytest.importorskip('mujoco')
    theirs = mujoco_end(mujoco, urdf, arm, q0, qd0, tau, damping, steps, dt)
    # The same method with the same step: what differs is rounding, of 2000 steps, that the motion
    # lets grow by some orders of magnitude.
    assert np.abs(ends['rk4'] - np.concatenate(theirs)).max() < 1e-11 * scale


def test_the_energy_of_a_free_arm_drifts_by_no_more_than_is_promised():
    arm = tl.TwoLinkArm()
    span = 2.0 * (1.5 + 0.5) * 9.81
    for q0, method, bound in (((0.0, 0.0), 'rk4', 2e-8), ((0.0, 0.0), 'rk8', 1e-12),
                              ((-1.27, 0.2), 'rk4', 2e-12), ((-1.27, 0.2), 'rk8', 1e-14)):
        run = simulate(arm, 20.0, q0=q0, method=method)
        # It grows with time: a fifth of what 100 s may have (benchmarks/simulation.py).
        assert np.abs(run.energy - run.energy[0]).max() < bound * span


def test_a_motion_too_fast_for_the_step_is_divergence():
    arm = tl.TwoLinkArm(gravity=(0.0, 0.0))
    with pytest.raises(DivergenceError, match='t = 0.1 s'):
        # 70 rad/s is more than a turn in 0.1 s: nothing that samples it sees which way it goes.
        simulate(arm, 1.0, dt=0.1, qd0=(70.0, 0.0))


def test_an_unknown_method_is_refused_with_those_there_are():
    with pytest.raises(ParameterError, match='rk4, rk8, semi_implicit, adaptive'):
        stepper('euler', None, 2)
