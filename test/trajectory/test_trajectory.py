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

"""A trajectory is sampled by the closed formulas, and refuses what has none."""

from hypothesis import given, settings, strategies as st
import numpy as np
import pytest

from twolink_dynamics.errors import NonFiniteError, ParameterError, ShapeError, TrajectoryError
from twolink_dynamics.trajectory import Trajectory

reproducible = settings(derandomize=True, deadline=None, max_examples=60)


@st.composite
def motions(draw):
    """Return times and random rows of positions, velocities and accelerations."""
    m, n = draw(st.integers(2, 8)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2 ** 32 - 1)))
    times = np.cumsum(rng.uniform(0.05, 2.0, m)) + rng.uniform(-3.0, 3.0)
    return times, rng.normal(size=(m, n)), rng.normal(size=(m, n)), rng.normal(size=(m, n))


def hermite(times, rows, t):
    """Solve for the polynomial that has the values at both ends, by linear algebra."""
    k = min(np.searchsorted(times, t, side='right') - 1, len(times) - 2)
    T, s = times[k + 1] - times[k], t - times[k]
    order = 2 * len(rows)
    powers = np.arange(order)

    def row(x, derivative):
        factor = np.ones(order)
        for d in range(derivative):
            factor *= np.maximum(powers - d, 0)
        return factor * np.where(powers >= derivative, x ** np.maximum(powers - derivative, 0), 0)

    A = np.array([row(x, d) for x in (0.0, T) for d in range(len(rows))])
    b = np.array([r[j] for j in (k, k + 1) for r in rows])
    c = np.linalg.solve(A, b)
    return [row(s, d) @ c for d in range(3)], np.linalg.cond(A)


@pytest.mark.parametrize('given_rows', [1, 2, 3], ids=['linear', 'cubic', 'quintic'])
@given(motion=motions(), where=st.floats(0.0, 1.0, exclude_max=True))
@reproducible
def test_a_sample_is_that_of_the_polynomial_through_both_ends(given_rows, motion, where):
    times, rows = motion[0], motion[1:1 + given_rows]
    t = min(times[0] + where * (times[-1] - times[0]), np.nextafter(times[-1], -np.inf))
    expected, cond = hermite(times, rows, t)
    # The oracle solves a linear system: its error is eps times the condition number; numbers are
    # of order 10, and divided by T^2 >= 1/400 in the acceleration.
    tolerance = 1e-12 + 1e-15 * cond
    for actual, desired in zip(Trajectory(times, *rows).sample(t), expected):
        np.testing.assert_allclose(actual, desired, rtol=tolerance, atol=tolerance)


@given(motion=motions())
@reproducible
def test_points_are_met_to_the_last_bits(motion):
    times, q, qd, qdd = motion
    trajectory = Trajectory(times, q, qd, qdd)
    for k in range(len(times)):
        for actual, desired in zip(trajectory.sample(times[k]), (q[k], qd[k], qdd[k])):
            # Coefficients are the given numbers scaled by T^2 and back: a few roundings.
            np.testing.assert_allclose(actual, desired, rtol=1e-15, atol=0)


@given(motion=motions())
@reproducible
def test_quintic_segments_join_without_a_jump(motion):
    times, q, qd, qdd = motion
    trajectory = Trajectory(times, q, qd, qdd)
    for t in times[1:-1]:
        before = trajectory.sample(np.nextafter(t, -np.inf))
        for a, b in zip(before, trajectory.sample(t)):
            # The acceleration at u = 1 is a sum of coefficients of 1e2 over T^2 >= 1/400.
            np.testing.assert_allclose(a, b, rtol=0, atol=1e-9)


@given(motion=motions())
@reproducible
def test_many_samples_are_single_samples(motion):
    times, q, qd, qdd = motion
    trajectory = Trajectory(times, q, qd, qdd)
    at = np.concatenate([times, np.linspace(times[0] - 1.0, times[-1] + 1.0, 50)])
    for many, single in zip(trajectory.sample_many(at[:, None]),
                            zip(*map(trajectory.sample, at))):
        assert many.shape == (len(at), 1, q.shape[1])
        # The same operations in the same order: equal but for fused multiply-adds.
        np.testing.assert_allclose(many.reshape(len(at), -1), single, rtol=1e-12, atol=1e-12)


def test_the_degree_is_decided_by_both_ends_of_each_segment():
    trajectory = Trajectory([0, 1, 2, 3], [[0.0], [1.0], [0.0], [1.0]],
                            [None, [0.5], [0.25], [0.0]], [None, None, [2.0], [0.0]])
    assert trajectory.sample(0.25) == ((0.25,), (1.0,), (0.0,))       # linear: no first velocity
    q, qd, qdd = trajectory.sample(1.0)                               # cubic from here
    assert (q, qd) == ((1.0,), (0.5,))
    assert qdd == (2.0 * (-3.0 - 2.0 * 0.5 - 0.25),)
    assert trajectory.sample(2.0) == ((0.0,), (0.25,), (2.0,))        # quintic from here


def test_the_first_point_holds_before_and_the_last_after():
    trajectory = Trajectory([1, 2], [[3.0, 4.0], [5.0, 6.0]], [[1.0, 1.0], [1.0, 1.0]])
    rest = (0.0, 0.0)
    assert trajectory.sample(0.999) == trajectory.sample(-np.inf) == ((3.0, 4.0), rest, rest)
    assert trajectory.sample(2.001) == trajectory.sample(np.inf) == ((5.0, 6.0), rest, rest)
    assert trajectory.sample(1.0)[1] == trajectory.sample(2.0)[1] == (1.0, 1.0)


def test_a_single_point_holds_always():
    trajectory = Trajectory([1.0], [[0.5]])
    assert trajectory.duration == 0.0
    for t in (0.0, 1.0, 2.0):
        assert trajectory.sample(t) == ((0.5,), (0.0,), (0.0,))
    assert trajectory.sample_many([0.0, 1.0, 2.0])[0].tolist() == [[0.5]] * 3


@given(motion=motions())
@reproducible
def test_accelerations_without_velocities_give_back_the_cubic_spline_they_are_of(motion):
    from scipy.interpolate import CubicSpline

    times, q, _, _ = motion
    spline = CubicSpline(times, q, bc_type='natural')
    trajectory = Trajectory(times, q, None, spline(times, 2))
    at = np.linspace(times[0], times[-1], 40)[:-1]
    for actual, derivative in zip(trajectory.sample_many(at), range(3)):
        # The spline solves a tridiagonal system; intervals of 0.05 s make slopes of 1e2 and
        # accelerations of 1e4, and both sides round them.
        np.testing.assert_allclose(actual, spline(at, derivative), rtol=1e-9, atol=1e-8)


def test_accelerations_without_velocities_make_no_jump_in_velocity():
    trajectory = Trajectory([0, 1, 3], [[0.0], [1.0], [0.0]], None, [[0.0], [-5.0], [0.0]])
    before, after = trajectory.sample(1.0 - 1e-9), trajectory.sample(1.0)
    assert before[1][0] == pytest.approx(after[1][0], abs=1e-7)   # 1e-9 s of |qdd| < 100
    assert after[2] == (-5.0,)


def test_a_lead_in_starts_at_the_given_state_and_joins_the_first_point():
    trajectory = Trajectory([2, 3], [[1.0], [2.0]], [[0.5], [0.0]], [[0.0], [0.0]])
    led = trajectory.with_lead_in(1.0, [0.3], [-0.4], [0.7])
    assert (led.start_time, led.end_time) == (1.0, 3.0)
    for actual, desired in zip(led.sample(1.0), (0.3, -0.4, 0.7)):
        assert actual[0] == pytest.approx(desired, rel=1e-15)
    assert led.sample(2.0) == trajectory.sample(2.0)
    assert led.sample(2.5) == trajectory.sample(2.5)


def test_a_lead_in_without_velocity_is_linear():
    led = Trajectory([2, 3], [[1.0], [2.0]]).with_lead_in(1.0, [0.0])
    assert led.sample(1.5) == ((0.5,), (1.0,), (0.0,))


def test_a_first_point_at_the_present_is_not_led_to():
    trajectory = Trajectory([1, 2], [[1.0], [2.0]])
    assert trajectory.with_lead_in(1.0, [0.0], [0.0]).sample(1.0)[0] == (1.0,)


def test_a_lead_in_amid_the_trajectory_goes_to_the_next_point():
    led = Trajectory([0, 1, 2], [[0.0], [1.0], [2.0]]).with_lead_in(0.5, [5.0])
    assert led.times == (0.5, 1.0, 2.0)
    assert led.sample(0.5)[0] == (5.0,)


def test_a_trajectory_of_the_past_cannot_be_led_to():
    with pytest.raises(TrajectoryError) as caught:
        Trajectory([0, 1], [[0.0], [1.0]]).with_lead_in(1.5, [0.0])
    assert caught.value.code == -3


def test_a_shifted_trajectory_is_the_same_later():
    trajectory = Trajectory([0, 1], [[0.0], [1.0]], [[0.0], [0.0]])
    assert trajectory.shifted(4.0).sample(4.25) == trajectory.sample(0.25)


@pytest.mark.parametrize('arguments, error, says', [
    (([], []), ShapeError, 'm >= 1'),
    (([0, 1], [0, 1]), ShapeError, 'one column per joint'),
    (([0, 1], [[0, 1]]), ShapeError, 'one row per time'),
    (([0, 1], [[], []]), ShapeError, 'one column per joint'),
    (([[0, 1]], [[0], [1]]), ShapeError, 'times'),
    (([0, 1], [[0], [1, 2]]), ParameterError, 'as many in every row'),
    (([0, 1], [['a'], [1]]), ParameterError, 'positions'),
    (([0, np.nan], [[0], [1]]), NonFiniteError, r'times\[1\]'),
    (([0, 1], [[0], [np.inf]]), NonFiniteError, r'positions\[1, 0\]'),
    (([0, 1], [[0], [1]], [[0], [np.nan]]), NonFiniteError, r'velocities\[1\]\[0\]'),
    (([0, 1], [[0], [1]], [[0]]), ShapeError, 'velocities'),
    (([0, 1], [[0], [1]], [[0], [1, 2]]), ShapeError, r'velocities\[1\]'),
    (([0, 1], [[0], [1]], None, [[0], [np.inf]]), NonFiniteError, r'accelerations\[1\]'),
    (([0, 0], [[0], [1]]), TrajectoryError, 'point 1.*increase'),
    (([1, 0], [[0], [1]]), TrajectoryError, 'point 1.*increase'),
    (([0, 5e-324], [[0], [1]]), TrajectoryError, 'too close'),
    (([0, 1e-200], [[0], [1]], [[0], [0]], [[0], [0]]), TrajectoryError, 'too close'),
])
def test_what_is_no_trajectory_is_refused_by_name(arguments, error, says):
    with pytest.raises(error, match=says):
        Trajectory(*arguments)


def test_nan_has_no_sample():
    trajectory = Trajectory([0, 1], [[0.0], [1.0]])
    with pytest.raises(NonFiniteError):
        trajectory.sample(float('nan'))
    with pytest.raises(NonFiniteError):
        trajectory.sample_many([0.0, float('nan')])
