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

"""Every public object travels: to another process and back, and through a copy, whole."""

import ast
import collections
import copy
import enum
import importlib
import math
from pathlib import Path
import pickle
from types import ModuleType, SimpleNamespace

from arms import LIMITED, three_joints
from chains import chain_of, random_segments
from hypothesis import given, settings, strategies as st
from kinematic_arms import handbook_arm, planar_three
import numpy as np
import pytest
from test_errors import an_error

import twolink_dynamics as tl
from twolink_dynamics.codegen.tracer import Recorder, trace
from twolink_dynamics.control.laws import make_law
from twolink_dynamics.dynamics.arm import Arm
from twolink_dynamics.dynamics.symbolic import arm_equations
from twolink_dynamics.kinematics.forward import SerialKinematics
from twolink_dynamics.kinematics.newton import NewtonSolver
from twolink_dynamics.kinematics.target import plane_of, read_target
from twolink_dynamics.kinematics.workspace import workspace
from twolink_dynamics.model.two_link import two_link_constants
from twolink_dynamics.simulation import Payload, Plant, PlantOptions, simulate, simulate_batch
from twolink_dynamics.simulation.robot_inputs import RobotInputs
from twolink_dynamics.simulation.robot_loop import RobotLoop
from twolink_dynamics.simulation.simulated_robot import SimulatedRobot
from twolink_dynamics.tracking import TrackingController
from twolink_dynamics.tracking.tolerances import Tolerance
from twolink_dynamics.trajectory import from_tip_path, swing

PACKAGE = Path(tl.__file__).parent
# These rooms hold threads, sockets and what belongs to one process.
OF_ONE_PROCESS = ('clients', 'nodes')
WAYS = {'deepcopy': copy.deepcopy, 'pickle': lambda thing: pickle.loads(pickle.dumps(thing))}
ARM, LIMITED_ARM, THREE = tl.TwoLinkArm(b1=0.1), tl.load_arm(LIMITED), tl.load_arm(three_joints())
KIN = SerialKinematics(ARM.chain)
PLANE = plane_of(KIN)


def public_classes():
    """Return 'room.module.Class' of every public class, protocols apart."""
    found = []
    for path in sorted(PACKAGE.rglob('*.py')):
        place = path.relative_to(PACKAGE).with_suffix('').parts
        if place[0] in OF_ONE_PROCESS or place[-1] == '__init__':
            continue
        tree = ast.parse(path.read_text(encoding='utf-8'))
        public = next((ast.literal_eval(node.value) for node in tree.body
                       if isinstance(node, ast.Assign)
                       and getattr(node.targets[0], 'id', '') == '__all__'), ())
        found += ['.'.join((*place, node.name)) for node in tree.body
                  if isinstance(node, ast.ClassDef) and node.name in public
                  and not any('Protocol' in ast.dump(base) for base in node.bases)]
    return found


def square(q, cos, sin):
    """Return a few numbers of two."""
    return cos(q[0]) * q[1], sin(q[0]) + q[1] * q[1]


def nothing(*_, **__):
    """Stand for what hears of events."""


def spring(q, qd, tau):
    """Return accelerations that make joints swing."""
    return [-x for x in q]


def unit_masses(q):
    """Return the mass matrix of two bodies on their own."""
    return [[1.0, 0.0], [0.0, 1.0]]


def no_wrench(t):
    """Return a wrench that is none."""
    return (0.0,) * 6


def a_motion(arm=ARM):
    """Return a swing of an arm."""
    return swing(arm, 0.3)


def a_robot():
    """Return a robot that has taken a step."""
    robot = SimulatedRobot(ARM, initial_position=(0.3, 0.5))
    robot.command((1.0, 0.0))
    robot.step()
    return robot


def a_loop():
    """Return the loop of a robot."""
    return RobotLoop(a_robot(), nothing, nothing)


def a_solver():
    """Return Newton's method for the arm."""
    return NewtonSolver(KIN, 2.0, (-math.inf, -1.0), (math.inf, 2.0))


def a_run(**options):
    """Return a short simulation."""
    return simulate(LIMITED_ARM, 0.01, q0=(0.3, 0.5), law=tl.ComputedTorque(LIMITED_ARM),
                    **options)


def a_page(cls):
    """Return a page of equations."""
    pytest.importorskip('sympy')
    return cls(arm_equations(ARM), ARM, 'an arm', ['drawn'], [0.1, 0.0], 6)


def a_sum():
    """Return a symbol that others led to."""
    recorder = Recorder()
    return recorder.make('+', recorder.make('name', 'a'), recorder.cos(recorder.make('name', 'b')))


def used(thing, *calls):
    """Return a thing whose methods were called, so that it holds what it keeps for later."""
    for name, *arguments in calls:
        getattr(thing, name)(*arguments)
    return thing


def of_law(cls):
    """Return a law that has run."""
    law = make_law(cls.name, ARM, natural_frequency=7.0)
    for k in range(3):
        law.effort(1e-3 * k, (0.1, 0.2), (0.3, 0.4), ((0.0, 0.1), (0.2, 0.0), (1.0, -1.0)))
    return law


# How an object of each class comes about; errors are made of their constructors' arguments.
FACTORIES = {
    'cli.equations_format.Page': a_page,
    'cli.expressions.Arranged': lambda cls: cls(((1.0, (('x', 2),)),)),
    'cli.expressions.Style': lambda cls: cls(str, str, nothing, nothing, ' '),
    'codegen.program.Guard': lambda cls: cls([1e-9, 0.0], nothing),
    'codegen.program.Loops': lambda cls: cls('', 'f(k, q, out)', np.zeros((2, 2))),
    'codegen.program.Program': lambda cls: used(
        cls('square', square, {'q': 2}, (2,)), ('evaluate', np.ones((50, 2))),
        ('floats', [0.1, 0.2]), ('compile',), ('evaluate', np.ones((50, 2)))),
    'codegen.tracer.Recorder': lambda cls: a_sum().recorder,
    'codegen.tracer.Symbol': lambda cls: a_sum(),
    'codegen.tracer.Trace': lambda cls: trace(square, {'q': 2}),
    'control.gains.Gains': lambda cls: cls((1.0,), (2.0,), (0.0,)),
    'control.law.CompilableLaw': lambda cls: tl.ComputedTorque(ARM).compilable,
    'control.law.Law': lambda cls: tl.ComputedTorque(ARM, kp=(3.0, 4.0)),
    'control.joint_feedback.JointFeedback': lambda cls: make_law('gravity_pd', ARM),
    'control.observer.ContactMonitor': lambda cls: cls(ARM.joint_names, 2.0),
    'control.observer.MomentumObserver': lambda cls: cls(ARM),
    'diagnostics.EventLog': lambda cls: cls(nothing),
    'diagnostics.Rejections': lambda cls: cls(nothing),
    'diagnostics.Status': lambda cls: cls(member('diagnostics.Level'), 'well', {'rate': 1.0}),
    'dynamics.arm.Arm': lambda cls: used(
        THREE, ('mass_matrix', np.zeros(3)), ('jacobian', np.zeros((4, 3)))),
    'dynamics.packed_model.Packed': lambda cls: THREE._engine._packed,
    'dynamics.quantities.Quantity': lambda cls: cls(square, ('q',), loop='f(k, q, out)'),
    'dynamics.serial_dynamics.SerialDynamics': lambda cls: used(
        cls(THREE.chain, (0.0, 0.0, -9.81)), ('mass_matrix', np.zeros(3)), ('warm_up',)),
    'dynamics.serial_dynamics.TwoLinkDynamics': lambda cls: used(
        cls(ARM.chain, ARM.gravity, ARM.constants), ('mass_matrix', np.zeros(2)), ('warm_up',)),
    'dynamics.single_state.Scalar': lambda cls: ARM.scalar,
    'dynamics.symbolic.Equations': lambda cls: pytest.importorskip('sympy') and arm_equations(
        ARM, symbols=True),
    'dynamics.two_link_arm.TwoLinkArm': lambda cls: used(
        cls(b1=0.1), ('warm_up',), ('inverse_kinematics', (1.0, 0.5))),
    'kinematics.arm.KinematicArm': lambda cls: used(
        cls(THREE.chain), ('inverse_kinematics', (0.4, 0.3, 0.2))),
    'kinematics.forward.SerialKinematics': lambda cls: used(
        cls(THREE.chain), ('jacobian', np.zeros(3)), ('tip_pose', np.zeros((50, 3)))),
    'kinematics.initial_guesses.InitialGuesses': lambda cls: used(
        cls(a_solver()), ('nearest_first', read_target((0.4, 0.3, 0.0), None, KIN, PLANE), 9, 1)),
    'kinematics.inverse.InverseKinematics': lambda cls: used(
        cls(KIN), ('solve', (0.4, 0.3)), ('solve', (0.4, 0.3, 1.0))),
    'kinematics.kernels.Offsets': lambda cls: KIN.offsets,
    'kinematics.newton.Candidate': lambda cls: cls([0.1, 0.2], 0.3, 0.4, 0.0, 5),
    'kinematics.newton.NewtonSolver': lambda cls: a_solver(),
    'kinematics.planar.ClosedForm': lambda cls: cls(KIN, PLANE),
    'kinematics.planar.PlanarTwoR': lambda cls: cls(KIN, PLANE),
    'kinematics.reach.Reach': lambda cls: cls(KIN),
    'kinematics.result.IKResult': lambda cls: ARM.inverse_kinematics((0.4, 0.3)),
    'kinematics.target.Plane': lambda cls: PLANE,
    'kinematics.target.Target': lambda cls: read_target((0.4, 0.3, 1.0), 'planar', KIN, PLANE),
    'kinematics.task.TaskMotion': lambda cls: ARM.task_inverse_dynamics((0.4, 0.3)),
    'kinematics.workspace.Workspace': lambda cls: workspace(ARM),
    'model.chain.Chain': lambda cls: THREE.chain,
    'model.chain.Frame': lambda cls: THREE.chain.frames[0],
    'model.chain.Frozen': lambda cls: THREE.chain.joints[0],
    'model.chain.Joint': lambda cls: THREE.chain.joints[0],
    'model.chain.Limits': lambda cls: LIMITED_ARM.limits,
    'model.chain.Link': lambda cls: THREE.chain.links[0],
    'model.chain.Mimic': lambda cls: cls('joint1', 2.0),
    'model.checks.Finding': lambda cls: cls('error', 'bad-number', 'link "a"', 'is no number'),
    'model.audit.Audit': lambda cls: module('model.audit').audit_urdf(LIMITED),
    'model.tolerant_reader.Collector': lambda cls: cls('a.urdf', member(
        'model.tolerant_reader.Findings')('a.urdf')),
    'model.tolerant_reader.Findings': lambda cls: used(
        cls('a.urdf'), ('__call__', 'error', 'rule', 'link "a"', 'is no number', 3)),
    'model.tolerant_reader.Structure': lambda cls: cls(
        list(THREE.chain.links), list(THREE.chain.joints), [], nothing),
    'model.tree.Tree': lambda cls: module('model.urdf').read_urdf(LIMITED),
    'model.two_link.TwoLinkConstants': lambda cls: two_link_constants(ARM.chain, ARM.gravity),
    'model.urdf.Reader': lambda cls: cls('a.urdf'),
    'options.declaration.Option': lambda cls: cls('mass', 'float', 1.0, 'A mass', 'kg', 0.0),
    'periodic.Timing': lambda cls: cls(),
    'plotting.plane.Plane': lambda cls: module('plotting.plane').plane_of(
        ARM, np.array([[0.4, 0.3, 0.0], [0.1, 0.3, 0.0], [0.4, 0.7, 0.0]])),
    'recordings.motion.Motion': lambda cls: cls(
        np.array([0.0, 1.0]), ('a',), np.array([[0.0], [1.0]]), arm=ARM,
        work={'a': np.array([0.0, 1.0])}),
    'simulation.actuators.Actuators': lambda cls: used(
        cls(1e-3, (1.0, 2.0), 2e-3, 0.01), ('applied', (0.5, 3.0))),
    'simulation.batch_result.BatchResult': lambda cls: simulate_batch([ARM] * 2, 0.01),
    'simulation.brakes.Brakes': lambda cls: cls(1e-3, (-1.0, -1.0), (1.0, 1.0)),
    'simulation.clock.SteppedClock': lambda cls: cls(10 ** 9, 10 ** 6),
    'simulation.closed_loop.Run': lambda cls: cls(
        Plant(ARM), 5, tl.ComputedTorque(ARM), 1, a_motion()),
    'simulation.command_watch.CommandWatch': lambda cls: cls(0.1, 'hold'),
    'simulation.energy.Ledger': lambda cls: used(
        cls(), ('add_way', (1.0, 2.0), (0.0, -0.5), (0.0, 0.0), (0.1, 0.2))),
    'simulation.fast_path.ComputedTorqueForm': lambda cls: cls(
        ARM.constants, (1.0, 2.0), (3.0, 4.0)),
    'simulation.held_joints.HeldJoints': lambda cls: cls(2, spring, unit_masses),
    'simulation.mechanics.Mechanics': lambda cls: Plant(LIMITED_ARM).mechanics,
    'simulation.plant.Plant': lambda cls: used(
        cls(LIMITED_ARM, options=PlantOptions(position_noise=1e-3)), ('step', (1.0, 2.0))),
    'simulation.plant.PlantLimits': lambda cls: Plant(LIMITED_ARM).limits,
    'simulation.plant_options.Payload': lambda cls: cls(1.0, (0.1, 0.0, 0.0)),
    'simulation.plant_options.PlantOptions': lambda cls: cls(
        arm=ARM, tip_wrench=no_wrench, payloads=(Payload(0.5),)),
    'simulation.result.SimulationResult': lambda cls: a_run(
        plant=PlantOptions(ledger=True, payloads=(Payload(0.3, start=2e-3),))),
    'simulation.robot_inputs.RobotInputs': lambda cls: cls(a_robot()),
    'simulation.robot_loop.RobotLoop': lambda cls: a_loop(),
    'simulation.sensors.Sensors': lambda cls: cls(
        2, 1e-3, PlantOptions(position_noise=1e-3, velocity_filter=0.01), 3),
    'simulation.simulated_robot.SimulatedRobot': lambda cls: a_robot(),
    'simulation.simulator_report.SimulatorReport': lambda cls: cls(
        a_loop(), RobotInputs(a_robot()), member('periodic.Timing')(),
        SimpleNamespace(rate=1000.0), 0),
    'studies.law_comparison.Case': lambda cls: cls('none', 'nothing is wrong', nothing),
    'studies.law_comparison.Comparison': lambda cls: cls(
        ARM, a_motion(), {'damping_ratio': 1.0}, {'gravity_pd': {'none': {'rms': 0.1}}}),
    'tracking.bumpless_transfer.BumplessTransfer': lambda cls: cls(2),
    'tracking.controller.TrackingController': lambda cls: used(
        cls(ARM), ('update', 10 ** 9, (0.1, 0.2), (0.0, 0.0))),
    'tracking.controller_report.ControllerReport': lambda cls: cls(
        TrackingController(ARM), SimpleNamespace(rate=1000.0), 0.0),
    'tracking.desired_motion.DesiredMotion': lambda cls: cls(2, ARM.limits),
    'tracking.desired_motion.ScheduledMotion': lambda cls: cls(10 ** 9, a_motion(), (0, 1)),
    'tracking.effort_direction.DirectionMonitor': lambda cls: cls(ARM),
    'tracking.effort_direction.Explanation': lambda cls: cls('drives', 'no effort acts'),
    'tracking.fault_latch.FaultLatch': lambda cls: cls(ARM),
    'tracking.fault_recorder.FaultRecorder': lambda cls: cls(('a', 'b')),
    'tracking.faults.Fault': lambda cls: cls('name', 'something', 'at once', 'zero'),
    'tracking.state_continuity.Jump': lambda cls: cls('jump', 'joint "a" jumped'),
    'tracking.state_continuity.StateContinuity': lambda cls: cls(
        ('a', 'b'), ('continuous', 'revolute'), (1.0, 2.0)),
    'tracking.effort_filter.EffortFilter': lambda cls: cls(ARM),
    'tracking.effort_limits.EffortLimiter': lambda cls: cls((1.0, 2.0), 10.0),
    'tracking.follower.Follower': lambda cls: cls(ARM, nothing),
    'tracking.goal_execution.AcceptedGoal': lambda cls: cls(
        'key', a_motion(), (0, 1), a_monitor()),
    'tracking.goal_execution.GoalExecution': lambda cls: cls(ARM.joint_names),
    'tracking.goal_execution.GoalFeedback': lambda cls: cls(
        'key', 0, ('a',), 1, ((0.0,),), ((0.1,),), ((-0.1,),)),
    'tracking.goal_execution.GoalResult': lambda cls: cls('key', 'succeeded'),
    'tracking.goal_execution.GoalTolerances': lambda cls: cls({'a': Tolerance(0.1)}),
    'tracking.gravity_sensor.GravitySensor': lambda cls: cls((0.0, 0.0, -9.81), 'base_link'),
    'tracking.message_readers.EffortReader': lambda cls: cls(('a', 'b'), ('b', 'a')),
    'tracking.message_readers.StateReader': lambda cls: cls(('a', 'b')),
    'tracking.reference.Sender': lambda cls: cls(ARM, a_motion()),
    'tracking.shutdown.Shutdown': lambda cls: cls(
        member('tracking.controller.TrackingController')(ARM)),
    'tracking.soft_position_limits.SoftPositionLimits': lambda cls: cls(LIMITED_ARM),
    'tracking.supervisor.Supervisor': lambda cls: cls(ARM),
    'tracking.tip_trail.Trail': lambda cls: cls(2.0),
    'tracking.tolerances.GoalMonitor': lambda cls: a_monitor(),
    'tracking.tolerances.GoalStatus': lambda cls: cls('aborted', -4, 'a', 'too far'),
    'tracking.tolerances.Tolerance': lambda cls: cls(0.1, 0.2),
    'tracking.velocity_estimate.VelocityEstimate': lambda cls: cls(2),
    'tracking.velocity_monitor.VelocityMonitor': lambda cls: cls(('a', 'b'), (1.0, 2.0)),
    'tracking.watchdog.Watchdog': lambda cls: cls(),
    'trajectory.feasibility.Excess': lambda cls: cls('velocity', 'a', 1.0, 2.0, 1.5),
    'trajectory.goal.Goal': lambda cls: cls((0, 1), a_motion()),
    'trajectory.goal.GoalPoint': lambda cls: cls(1.0, (0.1, 0.2)),
    'trajectory.look_ahead.Ahead': lambda cls: cls(a_motion(), 0.01),
    'trajectory.schedule.Schedule': lambda cls: cls((0.1, 0.2)),
    'trajectory.tip_path.TipPathMotion': lambda cls: from_tip_path(
        ARM, (0.0, 0.5, 1.0), [(1.0, 0.5), (1.1, 0.5), (1.2, 0.6)]),
    'trajectory.trajectory.Trajectory': lambda cls: used(a_motion(), ('sample', 0.4)),
}
# What does not travel, and why.
STAYS = {
    'periodic.PeriodicLoop': 'it is a thread',
    'plotting.animation.Animation': 'it is a drawing under way',
    'signals.Signals': 'it belongs to its process',
    'simulation.contacts.Contacts': 'it is made of functions that its Mechanics makes again',
}


def a_monitor():
    """Return the monitor of a goal."""
    tolerances = [Tolerance(0.1)] * 2
    return member('tracking.tolerances.GoalMonitor')(('a', 'b'), 1.0, tolerances, tolerances)


def module(name):
    """Return a module of the package."""
    return importlib.import_module(f'twolink_dynamics.{name}')


def member(name):
    """Return a class of the package."""
    where, _, cls = name.rpartition('.')
    return getattr(module(where), cls)


def an_object(name):
    """Return an object of a class."""
    cls = member(name)
    if issubclass(cls, BaseException):
        return an_error(cls)
    if issubclass(cls, enum.Enum):
        return next(iter(cls))
    if name in FACTORIES:
        return FACTORIES[name](cls)
    if name.startswith('control.laws.'):
        return of_law(cls)
    raise AssertionError(f'{name} has no factory: say in FACTORIES how one comes about')


# --- what an object is made of -----------------------------------------------------------------


ATOMS = (type(None), bool, int, float, complex, str, bytes, type, enum.Enum, ModuleType,
         type(nothing), type(len), range, np.generic, np.dtype)


def parts(thing):
    """Return what an object is made of, as it would travel."""
    if isinstance(thing, dict):
        return list(thing.items())
    if isinstance(thing, (list, tuple, collections.deque)):
        return list(thing)
    made = thing.__reduce_ex__(4)
    if isinstance(made, str):  # a name
        return []
    rest = [list(items) for items in made[3:5] if items is not None]
    return [*made[:3], *rest]


def assert_same(found, thing, seen):
    """Check that two objects are of the same class, and made of the same parts."""
    if id(thing) in seen:
        return
    seen[id(thing)] = thing, found  # kept alive, so that no other object gets the number
    assert type(found) is type(thing)
    if isinstance(thing, np.ndarray):
        assert found.dtype == thing.dtype and found.flags.writeable == thing.flags.writeable
        np.testing.assert_array_equal(found, thing)
    elif isinstance(thing, float):
        assert found == thing or math.isnan(found) and math.isnan(thing)
    elif isinstance(thing, (*ATOMS, set, frozenset)):
        assert found == thing
    elif hasattr(thing, 'free_symbols'):  # SymPy's
        assert found == thing
    else:
        ours, theirs = parts(thing), parts(found)
        assert len(theirs) == len(ours)
        for part, other in zip(ours, theirs):
            assert_same(other, part, seen)


def changeable(thing, seen, found):
    """Collect the containers and arrays that an object is made of and that can be changed."""
    if id(thing) in seen or isinstance(thing, ATOMS) or hasattr(thing, 'free_symbols'):
        return found
    seen[id(thing)] = thing
    if isinstance(thing, np.ndarray):
        if thing.flags.writeable:
            found[id(thing)] = thing
        return found
    if isinstance(thing, (dict, list, set, collections.deque)):
        found[id(thing)] = thing
    if not isinstance(thing, (set, frozenset)):
        for part in parts(thing):
            changeable(part, seen, found)
    return found


def assert_apart(found, thing):
    """Check that nothing that can be changed belongs to both of two objects."""
    seen_of_one, seen_of_other = {}, {}
    ours, theirs = changeable(thing, seen_of_one, {}), changeable(found, seen_of_other, {})
    assert [ours[key] for key in ours.keys() & theirs.keys()] == []


@pytest.mark.parametrize('way', WAYS.values(), ids=WAYS)
@pytest.mark.parametrize('name', public_classes())
def test_every_public_object_travels_whole_and_a_copy_is_its_own(name, way):
    if name in STAYS:
        pytest.skip(STAYS[name])
    thing = an_object(name)
    assert isinstance(thing, member(name))
    found = way(thing)
    assert_same(found, thing, {})
    assert_apart(found, thing)


def test_no_factory_is_left_over():
    assert not {*FACTORIES, *STAYS} - set(public_classes())


# --- arms --------------------------------------------------------------------------------------


class Loaded(Arm):
    """An arm that feels a little more, and remembers what it was told."""

    def __init__(self, chain, more):
        self.more = more
        super().__init__(chain)

    def bias(self, q, qd):
        """Return it, and a little more."""
        return super().bias(q, qd) + self.more


def figures(arm, rng):
    """Return quantities of an arm at random states."""
    q, qd, qdd, tau = rng.normal(size=(4, 5, arm.n))
    wrench = rng.normal(size=6)
    return [arm.inverse_dynamics(q, qd, qdd, tip_wrench=wrench, friction=True),
            arm.inverse_dynamics(q[0], qd[0], qdd[0]), arm.forward_dynamics(q, qd, tau),
            arm.forward_dynamics(q[0], qd[0], tau[0]), arm.mass_matrix(q[0]),
            arm.coriolis_matrix(q, qd), arm.bias(q, qd), arm.gravity_vector(q),
            arm.regressor(q, qd, qdd), arm.joint_reactions(q, qd, qdd), arm.kinetic_energy(q, qd),
            arm.potential_energy(q), arm.center_of_mass_velocities(q, qd),
            arm.tip_pose(q), arm.jacobian_derivative(q, qd), *arm.link_poses(q).values(),
            np.array(arm.scalar.bias(q[1].tolist(), qd[1].tolist())), arm.gravity,
            arm.inertial_parameters, arm.damping, arm.limits.upper]


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 10 ** 6), n=st.integers(1, 7), more=st.none() | st.floats(-1.0, 1.0),
       gravity=st.tuples(*[st.floats(-9.81, 9.81)] * 3), way=st.sampled_from(sorted(WAYS)),
       before=st.booleans())
def test_any_arm_travels_with_its_numbers_and_its_class(seed, n, more, gravity, way, before):
    chain = chain_of(random_segments(np.random.default_rng(seed), n))
    arm = (Arm(chain) if more is None else Loaded(chain, more)).with_gravity(gravity)
    if before:  # it has made its code by then
        figures(arm, np.random.default_rng(seed))
    found = WAYS[way](arm)
    assert type(found) is type(arm) and found.overridden == arm.overridden
    assert getattr(found, 'more', None) == more
    for ours, theirs in zip(figures(arm, np.random.default_rng(seed)),
                            figures(found, np.random.default_rng(seed))):
        np.testing.assert_array_equal(theirs, ours)
    assert_apart(found, arm)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10 ** 6), way=st.sampled_from(sorted(WAYS)),
       arm=st.sampled_from([ARM, LIMITED_ARM, THREE, planar_three(), handbook_arm()]))
def test_a_copy_of_an_arm_finds_the_same_joint_positions(seed, way, arm):
    q = np.random.default_rng(seed).uniform(-1.0, 1.0, arm.n)
    target = arm.tip_pose(q)[:3, 3]
    found, result = WAYS[way](arm).inverse_kinematics(target), arm.inverse_kinematics(target)
    assert_same(found, result, {})


@pytest.mark.parametrize('way', WAYS.values(), ids=WAYS)
def test_an_arm_that_uses_compiled_code_travels_and_takes_it_up_again(way):
    arm = THREE.with_gravity((0.0, 0.0, -9.81))
    arm.warm_up()
    found = way(arm)
    found.warm_up()
    for ours, theirs in zip(figures(arm, np.random.default_rng(0)),
                            figures(found, np.random.default_rng(0))):
        np.testing.assert_array_equal(theirs, ours)


@pytest.mark.parametrize('found, thing', [
    ([1.0], [2.0]), ([1], [1.0]), ({'a': 1}, {'b': 1}), ((1,), (1, 2)), ({1, 2}, {1}),
    (np.zeros(2), np.zeros(3)), (tl.TwoLinkArm(b1=0.2), ARM),
    (tl.ComputedTorque(ARM, kp=1.0), tl.ComputedTorque(ARM, kp=2.0)),
])
def test_what_is_lost_on_the_way_is_found(found, thing):
    with pytest.raises(AssertionError):
        assert_same(found, thing, {})


def test_what_two_objects_share_is_found():
    shared = [1.0]
    one, other = SimpleNamespace(a=(shared,)), SimpleNamespace(b={'c': shared})
    with pytest.raises(AssertionError):
        assert_apart(one, other)
    assert_apart(SimpleNamespace(a=(1.0, 'x')), SimpleNamespace(a=(1.0, 'x')))
