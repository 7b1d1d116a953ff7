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

"""One source, four ways to run it: loops, written out, on arrays, compiled; all agree."""

import math
import os
import pickle
import subprocess
import sys

from chains import chain_of, random_segments
import numpy as np
import pytest

from twolink_dynamics.codegen import numba_backend, program
from twolink_dynamics.dynamics.arm import Arm
from twolink_dynamics.dynamics.quantities import by_articulated_bodies, QUANTITIES
from twolink_dynamics.dynamics.serial_dynamics import LOOP_CALLS, SerialDynamics
from twolink_dynamics.errors import NonFiniteError, ShapeError

GRAVITY = (0.5, -1.0, -9.0)
ARGUMENTS = {'inverse_dynamics': 3, 'forward_dynamics': 3, 'mass_matrix': 1, 'bias': 2,
             'gravity_vector': 1, 'coriolis_matrix': 2, 'christoffel': 1, 'kinetic_energy': 2,
             'potential_energy': 1, 'centers_of_mass': 1, 'joint_reactions': 3, 'regressor': 3}
# The ways differ in their cosines and sines, which libraries round differently in the last bit,
# and by what that becomes: the difference asked for between plain Python and numba.
SAME = 1e-13

needs_numba = pytest.mark.skipif(
    not numba_backend.numba_allowed(), reason='numba is not installed')


def dynamics_of(n, seed=0):
    return SerialDynamics(chain_of(random_segments(np.random.default_rng(seed), n)), GRAVITY)


def arguments(name, states, rng):
    return [rng.normal(size=states) for _ in range(ARGUMENTS[name])]


def assert_same(actual, expected, tolerance=SAME):
    scale = np.abs(expected).max()
    np.testing.assert_allclose(actual, expected, rtol=0.0, atol=tolerance * scale)


@pytest.mark.parametrize('n', [1, 2, 5, 7])
def test_code_written_out_gives_what_the_loops_give_to_the_last_bit(n):
    engine = dynamics_of(n, seed=n)
    rng = np.random.default_rng(n)
    for name, quantity in QUANTITIES.items():
        state = [rng.normal(size=6 if key == 'wrench' else n).tolist()
                 for key in quantity.arguments]
        looped = quantity.function(engine._tables[quantity.weightless], *state, math.cos, math.sin)
        written = engine.program(name).floats(*state)
        if quantity.guarded:
            looped = looped[0]
        np.testing.assert_array_equal(np.array(written), np.array(looped), err_msg=name)


def test_articulated_bodies_and_the_mass_matrix_give_the_same_accelerations():
    for seed in range(20):
        n = 2 + seed % 7
        engine = dynamics_of(n, seed)
        rng = np.random.default_rng(seed)
        q, qd, tau = rng.normal(size=(3, n))
        wrench = rng.normal(size=6)
        found = by_articulated_bodies(engine._tables[0], q.tolist(), qd.tolist(),
                                      tau.tolist(), None, math.cos, math.sin)[0]
        cond = np.linalg.cond(engine.mass_matrix(q))
        assert_same(np.array(found), engine.forward_dynamics(q, qd, tau), 1e-14 * cond)
        wrench = engine._base_wrench(wrench)
        found = by_articulated_bodies(engine._tables[0], q.tolist(), qd.tolist(),
                                      tau.tolist(), wrench.tolist(), math.cos, math.sin)[0]
        expected = engine.program('forward_dynamics_wrench').floats(
            q.tolist(), qd.tolist(), tau.tolist(), wrench.tolist())
        assert_same(np.array(found), np.array(expected), 1e-14 * cond)


@pytest.mark.parametrize('n', [1, 3, 6, 10])
@pytest.mark.parametrize('name', sorted(ARGUMENTS))
def test_batch_is_the_loop_over_its_states(name, n):
    engine = dynamics_of(n, seed=10 + n)
    states = arguments(name, (5, 11, n), np.random.default_rng(1))
    method = getattr(engine, name)
    batch = method(*states)
    loop = np.array([[method(*[x[i, j] for x in states]) for j in range(11)] for i in range(5)])
    assert batch.shape == loop.shape
    assert_same(batch, loop, SAME * (100 if name == 'forward_dynamics' else 1))


def test_batches_of_every_length_meet_at_the_seams_of_the_blocks(monkeypatch):
    monkeypatch.setattr(program, 'BLOCK', 64)
    monkeypatch.setattr(program, 'LEAST_BLOCK', 64)
    engine = dynamics_of(3)
    states = np.random.default_rng(2).normal(size=(3, 200, 3))
    whole = engine.inverse_dynamics(*states)
    for length in (0, 1, 39, 40, 63, 64, 65, 128, 129):
        part = engine.inverse_dynamics(*states[:, :length])
        assert part.shape == (length, 3)
        np.testing.assert_allclose(part, whole[:length], rtol=1e-12)


def test_many_states_of_no_particular_memory_layout():
    engine = dynamics_of(4)
    states = np.random.default_rng(3).normal(size=(4, 3, 60)).T  # (60, 3, 4), columns first
    q, qd, qdd = states[:, 0], states[:, 1], states[:, 2]
    expected = engine.inverse_dynamics(*[np.ascontiguousarray(x) for x in (q, qd, qdd)])
    np.testing.assert_array_equal(engine.inverse_dynamics(q, qd, qdd), expected)
    still = np.broadcast_to(np.zeros(4), (60, 4))
    assert engine.inverse_dynamics(q, still, still).shape == (60, 4)


@needs_numba
@pytest.mark.parametrize('n', [1, 2, 3, 6, 9, 20])
def test_compiled_code_gives_what_plain_python_gives(n):
    plain, fast = dynamics_of(n, seed=30 + n), dynamics_of(n, seed=30 + n)
    assert fast.warm_up()
    rng = np.random.default_rng(n)
    for name in ARGUMENTS:
        for shape in ((n,), (3, n), (2, 50, n)):
            states = arguments(name, shape, rng)
            expected = getattr(plain, name)(*states)
            cond = 100.0 if name == 'forward_dynamics' else 1.0
            assert_same(getattr(fast, name)(*states), expected, SAME * cond)
            if name in ('inverse_dynamics', 'forward_dynamics'):
                wrench = rng.normal(size=(*shape[:-1], 6))
                assert_same(getattr(fast, name)(*states, wrench),
                            getattr(plain, name)(*states, wrench), SAME * cond)
        if name in LOOP_CALLS:
            state = [x.tolist() for x in arguments(name, n, rng)]
            ours = fast.program(name).floats(*state)
            assert all(type(x) is float for x in np.array(ours, dtype=object).ravel())
            assert_same(np.array(ours), np.array(plain.program(name).floats(*state)), 100 * SAME)


@needs_numba
def test_warmed_up_arm_takes_the_short_way_only_where_nothing_is_out_of_the_ordinary():
    chain = chain_of(random_segments(np.random.default_rng(4), 4))
    arm, cold = Arm(chain, GRAVITY), Arm(chain, GRAVITY)
    arm.warm_up()
    q, qd, x = np.random.default_rng(5).normal(size=(3, 4))
    nan, longer = np.array([0.0, np.nan, 0.0, 0.0]), np.zeros(5)
    for name in ('inverse_dynamics', 'forward_dynamics'):
        short, full = getattr(arm, name), getattr(cold, name)
        assert short.__doc__ == full.__doc__
        # Some of these would be misread as numbers by compiled code that did not look.
        for state in ((q, qd, x), (q.tolist(), qd, x), (q, qd.tolist(), x), (q, qd, tuple(x)),
                      (q.astype('f4'), qd, x), (np.arange(4), qd, x), (q, np.arange(4), x),
                      (np.repeat(q, 2)[::2], qd, x), (np.flip(q), qd, x), (q[None], qd, x),
                      (q, qd[None], x), (np.broadcast_to(0.5, 4), qd, x)):
            assert_same(short(*state), full(*state), 100 * SAME)
        wrench = np.arange(6.0)
        assert_same(short(q, qd, x, wrench), full(q, qd, x, wrench), 100 * SAME)
        for state in ((nan, qd, x), (q, nan, x), (q, qd, nan), (q, qd, np.inf * x)):
            with pytest.raises(NonFiniteError):
                short(*state)
        for state in ((longer, qd, x), (q, longer, x), (q, qd, longer), (q, qd, longer[:3]),
                      (0.0, qd, x), (np.zeros(0), qd, x)):
            with pytest.raises(ShapeError):
                short(*state)
    for state in (q, q.tolist(), q.astype('f4'), np.arange(4), np.flip(q), q[None]):
        assert_same(arm.mass_matrix(state), cold.mass_matrix(state))
    for state, error in ((nan, NonFiniteError), (np.full(4, np.inf), NonFiniteError),
                         (np.array([np.nan, 0, 0, 0]), NonFiniteError), (longer, ShapeError)):
        with pytest.raises(error):
            arm.mass_matrix(state)


@needs_numba
def test_warming_up_twice_and_copying_an_arm_is_harmless():
    arm = Arm(chain_of(random_segments(np.random.default_rng(4), 4)), GRAVITY)
    arm.warm_up()
    arm.warm_up()
    q, qd, x = np.random.default_rng(5).normal(size=(3, 4))
    copy = pickle.loads(pickle.dumps(arm))
    np.testing.assert_allclose(copy.inverse_dynamics(q, qd, x), arm.inverse_dynamics(q, qd, x),
                               rtol=1e-12)


@needs_numba
def test_very_large_batches_compile_unasked_and_single_states_never(monkeypatch):
    monkeypatch.setattr(program, 'MANY_NUMBERS', 300)
    engine, plain = dynamics_of(3), dynamics_of(3)
    states = np.random.default_rng(6).normal(size=(3, 100, 3))
    for _ in range(500):
        engine.inverse_dynamics(*states[:, 0])
    engine.inverse_dynamics(*states[:, :99])
    assert engine.program('inverse_dynamics')._compiled is None
    found = engine.inverse_dynamics(*states)
    assert engine.program('inverse_dynamics')._compiled is not None
    monkeypatch.undo()
    assert_same(found, plain.inverse_dynamics(*states))


@needs_numba
def test_compiled_scalar_functions_refuse_wrong_lengths():
    engine = dynamics_of(4)
    engine.warm_up()
    good, bad = [0.1] * 4, [0.1] * 3
    for name in LOOP_CALLS:
        count = ARGUMENTS[name]
        for k in range(count):
            state = [good] * count
            state[k] = bad
            with pytest.raises(ShapeError):
                engine.program(name).floats(*state)


@pytest.mark.parametrize('warm', [False, True])
@pytest.mark.parametrize('n', [2, 5, 10])
def test_scalar_functions_give_nan_for_nan_and_for_infinity(n, warm):
    engine = dynamics_of(n, seed=40)
    if warm:
        engine.warm_up()
    for bad in (math.nan, math.inf):
        for k in range(n):
            state = [0.1] * n
            state[k] = bad
            tau = engine.program('inverse_dynamics').floats([0.1] * n, state, [0.1] * n)
            assert not all(map(math.isfinite, tau))
        state = [0.1] * (n - 1) + [bad]
        for found in (engine.program('inverse_dynamics').floats(state, [0.1] * n, [0.1] * n),
                      engine.program('forward_dynamics').floats(state, [0.1] * n, [0.1] * n),
                      engine.program('forward_dynamics').floats([0.1] * n, state, [0.1] * n)):
            assert not all(map(math.isfinite, found))


def run_python(code, **environment):
    done = subprocess.run([sys.executable, '-c', code], env={**os.environ, **environment},
                          capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


SETUP = ('import sys; import numpy as np; from twolink_dynamics import load_arm, TwoLinkArm; '
         'from twolink_dynamics.dynamics.serial_dynamics import SerialDynamics; '
         'two = TwoLinkArm(); engine = SerialDynamics(two.chain, two.gravity); ')


def test_numba_stays_out_until_asked_for_and_can_be_turned_off():
    ask = SETUP + ('engine.inverse_dynamics(*np.zeros((3, 2))); '
                   'print("numba" in sys.modules, engine.warm_up(), "numba" in sys.modules)')
    assert run_python(ask, TWOLINK_NUMBA='0') == ['False', 'False', 'False']
    if numba_backend.numba_allowed():
        assert run_python(ask, TWOLINK_NUMBA='1') == ['False', 'True', 'True']


PROBE = "@njit('float64(float64)')\ndef probe(x):\n    return cos(x) + {}\n"


@needs_numba
def test_compiled_code_is_kept_for_other_processes(tmp_path, monkeypatch):
    monkeypatch.setenv('TWOLINK_CACHE_DIR', str(tmp_path / 'new' / 'folder'))
    assert numba_backend.compiled_module(PROBE.format(1)).probe(0.0) == 2.0
    kept = sorted(path.suffix for path in (tmp_path / 'new' / 'folder').rglob('*.*'))
    assert kept == ['.nbc', '.nbi', '.py']
    ask = ('from twolink_dynamics.codegen.numba_backend import compiled_module; '
           f'module = compiled_module({PROBE.format(1)!r}); '
           'print(*module.probe.stats.cache_hits.values(), module.probe(0.0))')
    assert run_python(ask) == ['1', '2.0']


@needs_numba
def test_compiling_needs_no_place_for_a_cache(tmp_path, monkeypatch):
    (tmp_path / 'file').write_text('')
    monkeypatch.setenv('TWOLINK_CACHE_DIR', str(tmp_path / 'file'))
    assert numba_backend.compiled_module(PROBE.format(2)).probe(0.0) == 3.0


@needs_numba
def test_arms_of_one_structure_share_their_compiled_code(tmp_path, monkeypatch):
    monkeypatch.setenv('TWOLINK_CACHE_DIR', str(tmp_path))
    arm = Arm(chain_of(random_segments(np.random.default_rng(4), 3)), GRAVITY)
    for one in (arm, arm.with_payload(1.5, (0.1, 0.2, 0.3)), arm.with_gravity((1.0, 2.0, 3.0))):
        one.warm_up()
        q, qd, x = np.random.default_rng(5).normal(size=(3, 3))
        np.testing.assert_allclose(one.forward_dynamics(q, qd, one.inverse_dynamics(q, qd, x)), x,
                                   rtol=1e-9)
    assert len(list(tmp_path.glob('*.py'))) == len(LOOP_CALLS)
