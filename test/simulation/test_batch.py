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

"""Many runs at once: they are the runs one by one, whatever way they go."""

from arms import LIMITED, three_joints
import numpy as np
import pytest

import twolink_dynamics as tl
from twolink_dynamics.errors import ParameterError, ShapeError
from twolink_dynamics.simulation import planar_batch, PlantOptions, scattered, simulate, \
    simulate_batch

MOTION = tl.Trajectory([0.0, 0.5], [[0.3, 0.5], [1.0, -0.6]], [[0.0, 0.0], [0.0, 0.0]])


@pytest.fixture(params=['numba', 'numpy'])
def way(request, monkeypatch):
    """Run a test with numba and without."""
    if request.param == 'numba':
        pytest.importorskip('numba')
        monkeypatch.delenv('TWOLINK_NUMBA', raising=False)
    else:
        monkeypatch.setattr(planar_batch, 'compiled_loop', lambda method: None)
    return request.param


def reversed_elbow():
    """Return a planar arm whose second axis is against the first."""
    return tl.load_arm(LIMITED.replace('<axis xyz="0 1 0"/><limit lower="0.1" upper="2.5"',
                                       '<axis xyz="0 -1 0"/><limit lower="-2.5" upper="-0.1"'))


def check(batch, arms, keep=1, **options):
    """Assert that a batch is what its runs are one by one."""
    for k, arm in enumerate(arms):
        one = {name: values[k] if isinstance(values, list) else values
               for name, values in options.items()}
        run = simulate(arm, **one)
        # The very same operations; sine and cosine of two libraries differ in the last bit, which
        # half a second lets grow to some hundred.
        for name in ('q', 'qd', 'tau'):
            np.testing.assert_allclose(getattr(batch, name)[k], getattr(run, name)[::keep],
                                       atol=1e-11, err_msg=name)
        error = run.q - run.q[0] if run.error is None else run.error
        np.testing.assert_allclose(batch.rms_error[k], np.sqrt((error ** 2).mean(axis=0)),
                                   atol=1e-12)
        np.testing.assert_allclose(batch.peak_error[k], np.abs(error).max(axis=0), atol=1e-12)
    assert not np.isfinite(batch.diverged).any()


def test_many_arms_gains_and_starts_run_as_they_do_one_by_one(way):
    arms = scattered(tl.TwoLinkArm(b1=0.2), 3, damping=0.5)
    laws = [tl.ComputedTorque(tl.TwoLinkArm(), kp, 2.0 * kp ** 0.5) for kp in (50.0, 100.0, 200.0)]
    options = {'duration': 0.6, 'q0': [(0.3, 0.5), (0.2, 0.6), (0.0, 0.0)], 'law': laws,
               'trajectory': MOTION, 'control_period': 2e-3}
    batch = simulate_batch(arms, sample_period=0.01, **options)
    assert batch.q.shape == (3, 61, 2) and len(batch) == 3
    check(batch, arms, 10, **options)


@pytest.mark.parametrize('method', ['rk8', 'semi_implicit'])
def test_every_fixed_step_method_runs_at_once(way, method):
    arms = [tl.TwoLinkArm(), tl.TwoLinkArm(m2=2.0)]
    options = {'duration': 0.1, 'q0': [(0.3, 0.5), (1.0, 2.0)], 'method': method}
    check(simulate_batch(arms, **options), arms, **options)


def test_efforts_saturate_and_an_elbow_turns_the_other_way(way):
    arm = reversed_elbow().with_parameters(friction=0.0)
    motion = tl.Trajectory([0.0, 0.3], [[0.0, -0.5], [0.8, -2.0]], [[0.0, 0.0], [0.0, 0.0]])
    options = {'duration': 0.4, 'law': tl.ComputedTorque(arm), 'trajectory': motion}
    batch = simulate_batch(arm, **options)
    check(batch, [arm], **options)
    assert np.abs(batch.tau).max(axis=(0, 1)).tolist() == [30.0, 10.0]


def test_an_arm_that_touches_a_stop_runs_as_if_it_were_alone(way):
    arm = tl.load_arm(LIMITED).with_parameters(friction=0.0)
    starts = [(0.3, 0.5), (0.9, 2.4), (-0.4, 1.0)]
    options = {'duration': 0.5, 'q0': starts, 'plant': PlantOptions(restitution=0.5)}
    batch = simulate_batch(arm, **options)
    check(batch, [arm] * 3, **options)
    assert (batch.q >= arm.limits.lower).all() and (batch.q <= arm.limits.upper).all()


def test_what_cannot_run_at_once_runs_one_by_one():
    arm = tl.load_arm(LIMITED)
    plants = [None, PlantOptions(actuator_lag=0.01), PlantOptions(position_noise=1e-3)]
    batch = simulate_batch([arm] * 3, 0.3, q0=(0.3, 0.5), plant=plants,
                           law=tl.ComputedTorque(arm, ki=1.0), seed=7)
    for k, plant in enumerate(plants):
        run = simulate(arm, 0.3, q0=(0.3, 0.5), plant=plant, law=tl.ComputedTorque(arm, ki=1.0),
                       seed=7 + k)
        assert (batch.q[k] == run.q).all() and (batch.tau[k] == run.tau).all()
    three = tl.load_arm(three_joints())
    batch = simulate_batch(scattered(three, 2), 0.1, q0=(0.1, 0.2, 0.3))
    assert batch.q.shape == (2, 101, 3) and np.isfinite(batch.q).all()


def test_a_run_that_diverges_is_told_and_the_others_go_on(way):
    arm = tl.TwoLinkArm()
    laws = [tl.ComputedTorque(arm, 1e7, 1e5), tl.ComputedTorque(arm)]
    batch = simulate_batch(arm, 0.5, q0=(0.5, 0.5), law=laws, trajectory=MOTION)
    with pytest.raises(tl.DivergenceError) as caught:
        simulate(arm, 0.5, q0=(0.5, 0.5), law=laws[0], trajectory=MOTION)
    assert batch.diverged[0] == pytest.approx(caught.value.t)
    assert np.isnan(batch.q[0, -1]).all()
    assert np.isnan(batch.diverged[1]) and np.isfinite(batch.q[1]).all()
    summary = batch.summary()
    assert summary['runs'] == 2 and summary['diverged'] == 1
    assert summary['joint1']['rms']['max'] == batch.rms_error[1, 0]


def test_the_spread_of_the_error_over_scattered_masses_is_summed_up(tmp_path):
    arm = tl.TwoLinkArm()
    arms = scattered(arm, 200, mass=0.2, seed=1)
    factors = np.array([[link.mass for link in other.chain.links] for other in arms])
    assert factors.min() >= 0.8 and factors.max() <= 1.2 and factors.std() == pytest.approx(
        0.4 / np.sqrt(12.0), rel=0.1)
    batch = simulate_batch(arms, 0.8, law=tl.ComputedTorque(arm), trajectory=MOTION,
                           sample_period=0.05)
    summary = batch.summary((10, 50, 90))
    rms = summary['joint1']['rms']
    assert 0.0 < rms['p10'] < rms['p50'] < rms['p90'] < rms['max'] < 0.05
    # Not knowing the mass by 20 % costs more than not knowing it by 2 %.
    near = simulate_batch(scattered(arm, 200, mass=0.02, seed=1), 0.8, law=tl.ComputedTorque(arm),
                          trajectory=MOTION, sample_period=0.05)
    assert near.summary()['joint1']['rms']['p50'] < 0.2 * rms['p50']
    text = '\n'.join(batch.table())
    assert 'joint2' in text and '200 runs, 0 diverged' in text
    batch.save(tmp_path / 'batch.npz')
    with np.load(tmp_path / 'batch.npz') as file:
        assert (file['rms_error'] == batch.rms_error).all() and file['q'].shape == batch.q.shape
    with pytest.raises(ParameterError, match='.npz'):
        batch.save(tmp_path / 'batch.csv')
    pytest.importorskip('matplotlib')
    batch.plot(tmp_path / 'spread.png')
    assert (tmp_path / 'spread.png').stat().st_size > 10000


def test_a_subclass_with_a_law_of_its_own_is_asked():
    arm = tl.TwoLinkArm()

    class Doubled(tl.ComputedTorque):
        """Twice as much."""

        def effort(self, *state):
            return [2.0 * x for x in super().effort(*state)]

    batch = simulate_batch(arm, 0.05, law=Doubled(arm), q0=(0.3, 0.5))
    run = simulate(arm, 0.05, law=Doubled(arm), q0=(0.3, 0.5))
    plain = simulate(arm, 0.05, law=tl.ComputedTorque(arm), q0=(0.3, 0.5))
    assert (batch.q[0] == run.q).all() and (run.q != plain.q).any()


def test_a_progress_bar_counts_the_runs(capsys):
    simulate_batch([tl.TwoLinkArm(fc1=0.1)] * 3, 0.01, progress=True)
    assert '3/3' in capsys.readouterr().err


@pytest.mark.parametrize('options, error, name', [
    ({'q0': [(0.0, 0.0)] * 3}, ShapeError, 'arms, q0'),
    ({'arms': []}, ShapeError, 'arms'),
    ({'law': []}, ShapeError, 'law'),
    ({'sample_period': 1.5e-3}, ParameterError, 'sample_period'),
    ({'duration': 0.0}, ParameterError, 'duration'),
    ({'method': 'magic'}, ParameterError, 'method'),
    ({'trajectory': tl.Trajectory([0.0], [[0.0]])}, ShapeError, 'trajectory'),
])
def test_an_impossible_batch_is_refused(options, error, name):
    arguments = {'arms': [tl.TwoLinkArm()] * 2, 'duration': 0.1, **options}
    with pytest.raises(error, match=name):
        simulate_batch(**arguments)


@pytest.mark.parametrize('options', [{'mass': -0.1}, {'mass': 1.0}, {'damping': float('nan')}])
def test_an_impossible_spread_is_refused(options):
    with pytest.raises(ParameterError):
        scattered(tl.TwoLinkArm(), 2, **options)
