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

"""What a subclass of an arm overrides is heard wherever it is asked for, or refused by name."""

import copy
import pickle

from arms import LIMITED, three_joints
import numpy as np
import pytest

import twolink_dynamics as tl
from twolink_dynamics.control.laws import make_law
from twolink_dynamics.dynamics.arm import Arm, OVERRIDABLE
from twolink_dynamics.errors import NonFiniteError, SingularMassMatrixError
from twolink_dynamics.registry import names
from twolink_dynamics.simulation import Payload, PlantOptions, simulate, simulate_batch
from twolink_dynamics.simulation.simulated_robot import SimulatedRobot
from twolink_dynamics.tracking import TrackingController

ARMS = {'closed form': tl.load_arm(LIMITED), 'serial': tl.load_arm(three_joints())}
# What neither laws nor plants ask an arm for.
UNASKED = {'all_solutions', 'center_of_mass_velocities', 'centers_of_mass', 'christoffel',
           'coriolis_matrix', 'inverse_kinematics', 'joint_reactions', 'task_inverse_dynamics',
           'warm_up', 'with_gravity'}


def subclass(base, members):
    """Return a subclass of an arm's class."""
    return type('Own', (base,), members)


def arm_like(arm, members):
    """Return an arm of the same chain, of a subclass of its class."""
    own = subclass(type(arm), members)
    return own.from_chain(arm.chain, arm.gravity) if hasattr(own, 'from_chain') else own(
        arm.chain, arm.gravity)


def counting(arm, name, calls):
    """Return an arm that counts the calls of one of its methods."""
    def method(self, *args, **options):
        calls.append(name)
        return getattr(super(type(self), self), name)(*args, **options)

    return arm_like(arm, {name: method})


# --- what may be overridden, and what not ------------------------------------------------------


@pytest.mark.parametrize('arm', ARMS.values(), ids=list(ARMS))
def test_every_public_name_of_an_arm_may_be_overridden_or_is_refused(arm):
    public = {name for name in (*dir(type(arm)), *vars(arm)) if not name.startswith('_')}
    assert OVERRIDABLE < public
    for name in sorted(public - {'overridden'}):
        for value in (lambda self, *args: None, property(lambda self: None), 7):
            if name in OVERRIDABLE:
                assert subclass(type(arm), {name: value}).overridden == {name}
                continue
            with pytest.raises(TypeError, match=rf'^Own\.{name} would not be heard everywhere'):
                subclass(type(arm), {name: value})


def test_what_an_arm_does_not_have_is_free():
    own = subclass(tl.TwoLinkArm, {'grip': lambda self: 3, '_helper': 1, 'colour': 'red'})
    assert own.overridden == frozenset() and own().grip() == 3 and own().colour == 'red'


# --- heard wherever it is asked for ------------------------------------------------------------


def busy():
    """Return a plant that has everything there is to be asked for."""
    return PlantOptions(ledger=True, mass_factor=1.1, payloads=(Payload(0.5, start=2e-3),),
                        tip_wrench=(1.0, 0.0, 0.0, 0.0, 0.0, 0.0))


def start(arm):
    """Return a state that meets a stop within ten steps."""
    return (0.99, 0.2, 0.1)[:arm.n], (3.0, 0.0, 0.0)[:arm.n]


def by_simulate(arm, law):
    """Run a simulation."""
    q0, qd0 = start(arm)
    simulate(arm, 0.01, q0=q0, qd0=qd0, law=law, plant=busy())


def by_simulate_batch(arm, law):
    """Run two at once."""
    q0, qd0 = start(arm)
    simulate_batch([arm] * 2, 0.01, q0=q0, qd0=qd0, law=law, plant=busy())


def by_controller(arm, law):
    """Run what the two nodes wrap."""
    q0, qd0 = start(arm)
    robot = SimulatedRobot(arm, initial_position=q0, initial_velocity=qd0, options=busy())
    controller = TrackingController(arm, law=law)
    for k in range(10):
        robot.command(controller.update(robot.ns, robot.q, robot.qd, 1e-9 * robot.ns))
        if k == 2:
            robot.carry((0.5,))
        robot.step()
    assert np.isfinite(robot.energy)


def heard(arm, name, run):
    """Return the laws under which a run asks an arm for something."""
    found = set()
    for law in names('law'):
        calls = []
        own = counting(arm, name, calls)
        run(own, make_law(law, own))
        found |= {law} if calls else set()
    return found


@pytest.mark.parametrize('arm', ARMS.values(), ids=list(ARMS))
@pytest.mark.parametrize('name', sorted(OVERRIDABLE))
def test_what_is_overridden_is_heard_in_every_run(arm, name):
    found = heard(arm, name, by_simulate)
    assert bool(found) == (name not in UNASKED)
    assert heard(arm, name, by_simulate_batch) == found
    assert heard(arm, name, by_controller) >= found


@pytest.mark.parametrize('arm', ARMS.values(), ids=list(ARMS))
@pytest.mark.parametrize('name', ['bias', 'forward_dynamics', 'gravity_vector',
                                  'inverse_dynamics', 'mass_matrix'])
def test_the_scalar_interface_asks_the_subclass(arm, name):
    def doubled(self, *args, **options):
        return 2.0 * getattr(super(type(self), self), name)(*args, **options)

    own = arm_like(arm, {name: doubled})
    states = {'bias': 2, 'forward_dynamics': 3, 'inverse_dynamics': 3}.get(name, 1)
    rows = np.random.default_rng(3).normal(size=(states, arm.n)).tolist()
    np.testing.assert_array_equal(getattr(own.scalar, name)(*rows),
                                  getattr(own, name)(*rows))
    own.warm_up()  # compiled code takes nothing away from it
    np.testing.assert_array_equal(getattr(own.scalar, name)(*rows),
                                  getattr(own, name)(*rows))
    np.testing.assert_allclose(getattr(own, name)(*rows), 2.0 * getattr(arm, name)(*rows),
                               rtol=1e-13)


def test_a_state_that_is_not_finite_gives_nan_whoever_is_asked():
    own = arm_like(ARMS['closed form'], {'bias': lambda self, q, qd: Arm.bias(self, q, qd)})
    assert np.isnan(own.scalar.bias([np.nan, 0.0], [0.0, 0.0])).all()
    with pytest.raises(NonFiniteError):
        own.bias([np.nan, 0.0], [0.0, 0.0])


def test_an_error_of_a_subclass_is_what_a_run_ends_with():
    def stuck(self, *args, **options):
        raise SingularMassMatrixError('elbow')

    own = arm_like(ARMS['closed form'], {'forward_dynamics': stuck})
    with pytest.raises(SingularMassMatrixError):
        simulate(own, 0.01)


# --- what is made of an arm of one's own -------------------------------------------------------


class Springy(tl.TwoLinkArm):
    """A closed form with a spring at its second joint."""

    def __init__(self, stiffness, notes, **numbers):
        self.stiffness, self.notes = stiffness, notes
        super().__init__(**numbers)

    def gravity_vector(self, q):
        """Return gravity's efforts and the spring's."""
        return super().gravity_vector(q) + [0.0, self.stiffness] * np.asarray(q)


class Serial(Arm):
    """An arm of a chain with a name of its own for its maker."""

    def __init__(self, chain, maker):
        self.maker = maker
        super().__init__(chain)

    def bias(self, q, qd):
        """Return it, and a little more."""
        return super().bias(q, qd) + 0.1


OWN = {'closed form': Springy(5.0, ['soft'], m1=2.0),
       'serial': Serial(ARMS['serial'].chain, 'us')}
WAYS = {
    'with_payload': lambda arm: arm.with_payload(0.5, (0.1, 0.0, 0.0)),
    'with_gravity': lambda arm: arm.with_gravity((0.0, -1.6, 0.0)),
    'with_parameters': lambda arm: arm.with_parameters(damping=0.2),
    'with_inertial_parameters': lambda arm: arm.with_parameters(1.1 * arm.inertial_parameters),
    'pickle': lambda arm: pickle.loads(pickle.dumps(arm)), 'copy': copy.copy,
    'deepcopy': copy.deepcopy,
}


@pytest.mark.parametrize('way', WAYS.values(), ids=list(WAYS))
@pytest.mark.parametrize('arm', OWN.values(), ids=list(OWN))
def test_what_is_made_of_an_arm_of_ones_own_keeps_class_attributes_and_methods(arm, way):
    other = way(arm)
    assert type(other) is type(arm) and other.overridden == arm.overridden
    own = {'stiffness', 'notes', 'maker'}
    assert {k: v for k, v in vars(other).items() if k in own} == {
        k: v for k, v in vars(arm).items() if k in own} != {}
    q = np.full(arm.n, 0.3)
    plain = (tl.TwoLinkArm.from_chain if arm.n == 2 else Arm)(other.chain, other.gravity)
    more = {2: other.gravity_vector(q) - plain.gravity_vector(q),
            3: other.bias(q, q) - plain.bias(q, q)}[arm.n]
    # Sums of two numbers and a difference: a few eps of the largest of them.
    np.testing.assert_allclose(more, [0.0, 1.5] if arm.n == 2 else [0.1] * 3, atol=1e-13)
    with pytest.raises(AttributeError, match='an arm does not change'):
        other.stiffness = 7.0


def test_a_deep_copy_of_an_arm_of_ones_own_has_attributes_of_its_own():
    arm = Springy(5.0, ['soft'])
    copy.deepcopy(arm).notes.append('worn')
    assert arm.notes == ['soft']


def test_a_subclass_of_the_closed_form_refuses_what_has_none():
    with pytest.raises(tl.errors.UnsupportedModelError, match='is not a planar 2R arm'):
        OWN['closed form'].with_parameters(armature=1.0)
    assert type(tl.TwoLinkArm().with_parameters(armature=1.0)) is Arm
