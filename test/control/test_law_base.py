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

"""The base of laws: hooks, gains that are kept, what is refused, what travels."""

import copy
import math
import pickle
from types import SimpleNamespace

from arms import LIMITED, three_joints
from hypothesis import given, settings, strategies as st
import numpy as np
import pytest

import twolink_dynamics as tl
from twolink_dynamics.control import ComputedTorque, ContactMonitor, GravityPD, IndependentPID, \
    JointImpedance, Law, make_law, MomentumObserver
from twolink_dynamics.control.law_parameters import DEFAULTS, gains, law_of
from twolink_dynamics.errors import ParameterError, ShapeError
from twolink_dynamics.registry import names
from twolink_dynamics.simulation import simulate, simulate_batch

ARM = tl.TwoLinkArm(b1=0.2, fc2=0.1)
ARMS = {'two': ARM, 'three': tl.load_arm(three_joints()), 'limited': tl.load_arm(LIMITED)}
REST = (0.0, 0.0)


class Recorder(Law):
    """A law that writes down when its hooks are called, and what there is then."""

    name = 'recorder'
    refuse = False

    def __init__(self, arm, **options):
        super().__init__(arm, **options)
        self.calls = ()

    def _arm_changed(self):
        self.calls += (('arm', self.arm),)

    def _gains_changed(self):
        self.calls += (('gains', self._kp),)
        if self.refuse:
            raise ParameterError('gains', self._kp, 'others')

    def reset(self):
        """Write it down."""
        super().reset()
        self.calls += ('reset',)

    def effort(self, t, q, qd, desired):
        """Return the efforts of the model."""
        return self._model.inverse_dynamics(*desired)


# --- hooks ---

def test_hooks_are_called_once_when_the_object_is_complete():
    # With `calls` set by the constructor of the subclass, after that of the base.
    assert Recorder(ARM, kp=9.0).calls == (('arm', ARM), ('gains', (9.0, 9.0)), 'reset')


def test_hooks_are_called_at_every_change_and_for_what_changed():
    law = Recorder(ARM)
    law.calls = ()
    law.set_gains(kp=4.0)
    assert law.calls == (('gains', (4.0, 4.0)),)
    law.calls, heavy = (), ARM.with_payload(1.0)
    law.set_arm(heavy)
    assert law.calls == (('arm', heavy), ('gains', (4.0, 4.0)))


def test_a_hook_that_raises_leaves_the_law_as_it_was():
    law = Recorder(ARM, kp=9.0)
    before, law.refuse = law.calls, True
    for change in (lambda: law.set_gains(kp=4.0), lambda: law.set_arm(ARM.with_payload(1.0))):
        with pytest.raises(ParameterError):
            change()
        assert law.gains.kp == (9.0, 9.0) and law.arm is ARM and law.calls == before


def test_a_law_without_an_effort_cannot_be_made():
    with pytest.raises(TypeError, match='effort'):
        type('Idle', (Law,), {'name': 'idle'})(ARM)


# --- gains ---

@pytest.mark.parametrize('first, then, kp, kd, ki', [
    ({}, {}, 100.0, 20.0, 0.0),
    ({}, {'kp': 50.0}, 50.0, 20.0, 0.0),
    ({}, {'natural_frequency': 20.0}, 400.0, 40.0, 0.0),
    ({'kp': 50.0, 'kd': 9.0, 'ki': 5.0}, {'kd': 8.0}, 50.0, 8.0, 5.0),
    ({'kp': 50.0, 'kd': 9.0, 'ki': 5.0}, {'natural_frequency': 20.0}, 400.0, 9.0, 5.0),
    ({'natural_frequency': 10.0, 'damping_ratio': 0.5}, {'natural_frequency': 20.0}, 400.0, 20.0,
     0.0),
    ({'natural_frequency': 10.0, 'damping_ratio': 0.5}, {'kp': 25.0}, 25.0, 5.0, 0.0),
    ({'natural_frequency': 10.0}, {'kd': 7.0}, 100.0, 7.0, 0.0),
    ({'natural_frequency': 10.0, 'kd': 7.0}, {'damping_ratio': 2.0}, 100.0, 40.0, 0.0),
])
def test_a_gain_that_is_not_given_stays_and_the_other_form_makes_way(first, then, kp, kd, ki):
    law = ComputedTorque(ARM, **first)
    law.set_gains(**then)
    assert law.gains == ((kp,) * 2, (kd,) * 2, (ki,) * 2)


def test_gains_are_kept_as_they_were_given_not_as_the_array_is_later():
    kp = np.array([50.0, 60.0])
    law = ComputedTorque(ARM, kp)
    kp[:] = 1.0
    law.set_gains(kd=9.0)
    assert law.gains.kp == (50.0, 60.0)


@pytest.mark.parametrize('name', names('law'))
@pytest.mark.parametrize('one, other', [('kp', 'natural_frequency'), ('kd', 'damping_ratio')])
def test_both_forms_of_one_gain_are_refused_everywhere_by_name(name, one, other):
    both = {one: 30.0, other: 3.0}
    law = make_law(name, ARM)
    parameters = {'law': name, 'kp': None, 'kd': None, 'ki': None, 'law_options': '',
                  'friction_compensation': True, **DEFAULTS}
    for make in (lambda: make_law(name, ARM, **both), lambda: law.set_gains(**both),
                 lambda: law_of(SimpleNamespace(**{**parameters, one: (30.0,), other: (3.0,)}),
                                ARM)):
        with pytest.raises(ParameterError, match=f'{other}.*beside {one}'):
            make()
    # A default that nobody set makes way.
    assert make_law(name, ARM, **{one: 30.0, **{
        k: v for k, v in DEFAULTS.items() if k != other}}).gains == law_of(
            SimpleNamespace(**{**parameters, one: (30.0,)}), ARM).gains


def test_parameters_without_a_value_say_nothing():
    values = SimpleNamespace(kp=None, kd=(7.0,), ki=None, **DEFAULTS)
    assert gains(values) == {'natural_frequency': (20.0,), 'kd': (7.0,)}


def test_the_integral_of_pid_follows_its_gains_until_it_is_given():
    law = IndependentPID(ARM, 50.0, 10.0)
    assert law.gains.ki == (0.2 * 50.0 * 10.0,) * 2
    law.set_gains(kp=20.0)
    assert law.gains.ki == (0.2 * 20.0 * 10.0,) * 2
    law.set_gains(ki=3.0)
    law.set_gains(kp=50.0)
    assert law.gains.ki == (3.0, 3.0)


def test_stiffness_keeps_the_damping_ratio_that_was_said():
    law = JointImpedance(ARM, stiffness=50.0, damping_ratio=0.5)
    law.set_gains(stiffness=80.0)
    np.testing.assert_allclose(law.damping, [math.sqrt(80.0 * j) for j in law.inertia], rtol=1e-15)
    with pytest.raises(ShapeError):
        law.set_gains(stiffness=1.0, damping=[1.0, 2.0, 3.0])
    assert law.stiffness == (80.0, 80.0)


def test_what_a_law_shows_of_itself_are_its_class_and_its_gains():
    assert repr(ComputedTorque(ARM, [100.0, 64.0], 20.0)) == (
        '<ComputedTorque of 2 joints: kp (100, 64), kd 20, ki 0>')


# --- overriding ---

def public(cls):
    """Return the public methods and properties of a class, by name."""
    return {name: value for name in dir(cls) if not name.startswith('_')
            and (callable(value := getattr(cls, name)) or isinstance(value, property))}


LAWS = {name: type(make_law(name, ARM)) for name in names('law')}


@pytest.mark.parametrize('name', sorted(LAWS))
def test_every_property_tells_and_cannot_be_overridden(name):
    told = {key for key, value in public(LAWS[name]).items() if isinstance(value, property)}
    assert {'gains', 'integral', 'compilable'} <= told
    for key in told:
        for value in (property(lambda self: None), (1.0, 1.0)):
            with pytest.raises(TypeError, match=f'Mine.{key}.*cannot be overridden'):
                type('Mine', (LAWS[name],), {key: value})


@pytest.mark.parametrize('name', sorted(LAWS))
def test_every_method_is_one_that_a_test_overrides(name):
    methods = {key for key, value in public(LAWS[name]).items() if not isinstance(value, property)}
    # The last two are for whoever asks: nothing of the package calls them.
    assert methods <= {'effort', 'reset', 'set_gains', 'set_arm', 'estimated_arm', 'forget'}


@pytest.mark.parametrize('base', sorted(LAWS))
def test_an_effort_that_is_overridden_is_heard_by_every_loop(base):
    def effort(self, t, q, qd, desired):
        return [0.25] * self.n

    law = type('Mine', (LAWS[base],), {'effort': effort})(ARM)
    assert law.compilable is None
    run = simulate(ARM, 0.02, q0=REST, law=law)
    batch = simulate_batch([ARM, ARM], duration=0.02, q0=REST, law=law)
    assert (run.tau == 0.25).all()
    np.testing.assert_array_equal(batch.q[0, -1], run.q[-1])
    # An attribute of the object counts as much.
    law = LAWS[base](ARM)
    law.effort = lambda t, q, qd, desired: [0.25] * 2
    assert (simulate(ARM, 0.02, q0=REST, law=law).tau == 0.25).all()


def test_only_computed_torque_itself_is_done_by_loops_in_its_place():
    assert ComputedTorque(ARM).compilable == (ARM, (100.0,) * 2, (20.0,) * 2)
    for law in (ComputedTorque(ARM, ki=1.0), ComputedTorque(ARM, friction=True), GravityPD(ARM),
                type('Named', (ComputedTorque,), {'name': 'named'})(ARM)):
        assert law.compilable is None


@pytest.mark.parametrize('base', sorted(LAWS))
def test_a_reset_that_is_overridden_is_called_before_a_run(base):
    def reset(self):
        calls.append(self)
        LAWS[base].reset(self)

    calls = []
    law = type('Mine', (LAWS[base],), {'reset': reset})(ARM)
    assert calls == [law]
    simulate(ARM, 0.01, law=law)
    assert len(calls) > 1


def test_what_an_observer_overrides_is_heard():
    class Mine(MomentumObserver):
        resets = 0

        def reset(self):
            super().reset()
            self.resets += 1

    observer = Mine(ARM)
    assert observer.resets == 0     # the constructor calls nothing of the subclass
    observer.set_arm(ARM.with_payload(1.0))
    assert observer.resets == 1


# --- travelling ---

def travelled(thing, way):
    """Return a copy."""
    return copy.deepcopy(thing) if way else pickle.loads(pickle.dumps(thing))


def drive(law, seed, steps=5, start=0.0):
    """Return efforts over some states."""
    rng = np.random.default_rng(seed)
    return [tuple(law.effort(start + 1e-3 * k, *rng.normal(size=(2, law.n)).tolist(),
                             tuple(rng.normal(size=(3, law.n)).tolist()))) for k in range(steps)]


@settings(max_examples=60, deadline=None)
@given(name=st.sampled_from(names('law')), arm=st.sampled_from(sorted(ARMS)), way=st.booleans(),
       seed=st.integers(0, 99), friction=st.booleans(), frequency=st.floats(1.0, 30.0))
def test_a_copy_of_a_law_goes_on_as_the_law_does_and_moves_only_itself(
        name, arm, way, seed, friction, frequency):
    law = make_law(name, ARMS[arm], friction=friction, natural_frequency=frequency)
    drive(law, seed)
    twin, witness = travelled(law, way), travelled(law, way)
    # The twin moves, has other gains and another arm; the law knows nothing of it.
    drive(twin, seed + 1, start=1.0)
    twin.set_gains(kp=9.0)
    twin.set_arm(ARMS[arm].with_payload(0.5))
    assert law.gains == witness.gains and law.arm is ARMS[arm]
    assert drive(law, seed + 2, start=2.0) == drive(witness, seed + 2, start=2.0)


@settings(max_examples=30, deadline=None)
@given(arm=st.sampled_from(sorted(ARMS)), way=st.booleans(), seed=st.integers(0, 99))
def test_a_copy_of_an_observer_and_a_monitor_moves_only_itself(arm, way, seed):
    arm = ARMS[arm]
    rng = np.random.default_rng(seed)
    observer, monitor = MomentumObserver(arm), ContactMonitor(arm.joint_names, 0.5, 2e-3)
    states = [(1e-3 * k, *rng.normal(size=(3, arm.n)).tolist()) for k in range(9)]
    for state in states[:5]:
        monitor.update(state[0], observer.update(*state))
    (far, seen), (twin, eye) = (travelled((observer, monitor), way) for _ in range(2))
    for state in states[5:]:
        twin.update(*state)
        eye.update(state[0], [9.0] * arm.n)
    for state in states[5:]:
        assert observer.update(*state) == far.update(*state)
        assert monitor.update(state[0], observer.external) == seen.update(state[0], far.external)
