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

"""
Whatever number a public function is given, it takes it or answers with an error of this package.

Each case is a call that works; one argument at a time is replaced by what is no number, no finite
number, or a number of another type.

"""

from fractions import Fraction
import math

import numpy as np
import pytest

import twolink_dynamics as tl
from twolink_dynamics import control, trajectory as motions
from twolink_dynamics.simulation import Plant

ARM = tl.TwoLinkArm(b1=0.1, fc2=0.1)
SERIAL = tl.arm_from_dh([(0.0, 0.3, 0.1), (1.5, 0.2, 0.0), (0.0, 0.2, 0.1)], links=[
    (1.0, (0.1, 0.0, 0.0), (0.01, 0.02, 0.02))] * 3)
TWO, THREE = [0.3, 0.9], [0.3, 0.9, 0.4]
POSE = SERIAL.tip_pose(THREE)
MOVE = motions.Trajectory([0.0, 1.0], [TWO, [0.5, 0.4]], [[0.0, 0.0]] * 2)
DYNAMICS = {
    'mass_matrix': 'q', 'gravity_vector': 'q', 'christoffel': 'q', 'centers_of_mass': 'q',
    'potential_energy': 'q', 'friction_torque': 'qd', 'coriolis_matrix': 'q qd', 'bias': 'q qd',
    'kinetic_energy': 'q qd', 'inverse_dynamics': 'q qd qdd tip_wrench',
    'forward_dynamics': 'q qd tau tip_wrench', 'joint_reactions': 'q qd qdd tip_wrench',
    'regressor': 'q qd qdd', 'tip_pose': 'q', 'jacobian': 'q', 'jacobian_derivative': 'q qd',
    'tip_velocity': 'q qd', 'tip_acceleration': 'q qd qdd',
}


def dynamics():
    """Yield the methods of arms that take states, of both kinds of arm."""
    for label, arm, state in (('planar', ARM, TWO), ('serial', SERIAL, THREE)):
        for name, arguments in DYNAMICS.items():
            yield f'{label} {name}', getattr(arm, name), {
                argument: [0.1] * 6 if argument == 'tip_wrench' else state
                for argument in arguments.split()}


def plant(**options):
    """Return a step of a plant with options."""
    return Plant(ARM, options=tl.PlantOptions(**options)).step([0.0, 0.0])


def gains(**changes):
    """Change the gains of a law."""
    control.ComputedTorque(ARM).set_gains(**changes)


def payload(**options):
    """Simulate with a payload."""
    return tl.simulate(ARM, 0.01, plant=tl.PlantOptions(payloads=[tl.Payload(**options)]))


def schedule(method, **arguments):
    """Call a method of a schedule that has a motion."""
    plan = motions.Schedule(TWO)
    plan.replace(MOVE, 1.0)
    return getattr(plan, method)(**arguments)


def law(name, **fixed):
    """Return a function that makes a law."""
    return lambda **options: getattr(control, name)(ARM, **fixed, **options)


SECOND_ORDER = {'kp': 100.0, 'kd': [20.0, 20.0], 'ki': 1.0}
CASES = [
    *dynamics(),
    ('TwoLinkArm', tl.TwoLinkArm, {
        **dict.fromkeys(('m1', 'm2', 'l1', 'l2', 'lc1', 'lc2', 'I1', 'I2', 'b1', 'b2', 'fc1',
                         'fc2'), 1.0), 'gravity': (0.0, -9.81)}),
    ('arm_from_dh', tl.arm_from_dh, {'rows': [(0.0, 1.0, 0.0)] * 2, 'limits': [(-1.0, 1.0)] * 2,
                                     'tool': np.eye(4), 'gravity': [0.0, 0.0, -9.81]}),
    ('with_payload', SERIAL.with_payload, {'mass': 1.0, 'com': (0.1, 0.0, 0.0),
                                           'inertia': np.eye(3)}),
    ('with_gravity', SERIAL.with_gravity, {'gravity': (0.0, 0.0, 1.0)}),
    ('with_parameters', SERIAL.with_parameters, {
        'inertial': SERIAL.inertial_parameters, **dict.fromkeys(
            ('damping', 'friction', 'armature', 'velocity', 'effort', 'upper'), 1.0),
        'lower': [-1.0, -2.0, -3.0]}),
    ('inverse_kinematics', SERIAL.inverse_kinematics, {
        'target': POSE, 'q0': THREE, 'position_tolerance': 1e-6, 'rotation_tolerance': 1e-6,
        'max_iterations': 20, 'restarts': 2, 'seed': 1}),
    ('planar inverse_kinematics', ARM.inverse_kinematics, {'target': [1.0, 0.5], 'q0': TWO}),
    ('all_solutions', SERIAL.all_solutions, {
        'target': POSE, 'starts': 5, 'quiet': 2, 'seed': 1, 'max_iterations': 20}),
    ('task_inverse_dynamics', ARM.task_inverse_dynamics, {
        'pose': [1.0, 0.5], 'velocity': [0.1, 0.1], 'acceleration': [0.1, 0.1], 'q0': TWO,
        'damping': 0.01}),
    ('Trajectory', motions.Trajectory, {
        'times': [0.0, 1.0], 'positions': [TWO, TWO], 'velocities': [TWO, TWO],
        'accelerations': [TWO, TWO]}),
    ('sample', MOVE.sample, {'t': 0.5}), ('sample_many', MOVE.sample_many, {'times': [0.5, 0.7]}),
    ('shifted', MOVE.shifted, {'offset': 0.5}),
    ('with_lead_in', MOVE.with_lead_in, {'t0': 0.5, 'q': TWO, 'qd': TWO, 'qdd': TWO}),
    ('ahead', lambda **given: motions.ahead(MOVE, **given), {'lead': 0.1}),
    ('Schedule', motions.Schedule, {'q': TWO}),
    ('Schedule.sample', lambda **given: schedule('sample', **given), {'t': 1.0}),
    ('Schedule.replace', lambda **given: schedule('replace', trajectory=MOVE, **given),
     {'start': 1.5, 'now': 1.0}),
    ('Schedule.stop', lambda **given: schedule('stop', **given), {'t': 1.5, 'duration': 0.3}),
    ('Schedule.forget_before', lambda **given: schedule('forget_before', **given), {'t': 1.5}),
    ('minimum_jerk', motions.minimum_jerk, {
        'start': TWO, 'goal': [0.5, 0.4], 'duration': 1.0, 'start_time': 0.5}),
    ('swing', lambda **given: motions.swing(ARM, **given), {
        'amplitude': 0.3, 'period': 3.0, 'cycles': 1.0, 'center': TWO, 'phase': [0.0, 1.0]}),
    ('circle', lambda **given: motions.circle(ARM, **given), {
        'center': [1.0, 0.5, 0.0], 'radius': 0.1, 'period': 4.0, 'cycles': 1.0, 'q0': TWO}),
    ('line', lambda **given: motions.line(ARM, **given), {
        'goal': [1.0, 0.5, 0.0], 'start': [1.1, 0.5, 0.0], 'duration': 2.0, 'q0': TWO}),
    ('time_optimal', lambda **given: motions.time_optimal(ARM, **given), {
        'path': [TWO, [0.5, 0.4]], 'use': 0.9, 'acceleration': 3.0, 'places': 20,
        'start_time': 1.0}),
    ('from_tip_path', lambda **given: motions.from_tip_path(ARM, **given), {
        'times': [0.0, 0.5, 1.0], 'path': [[1.0, 0.5], [1.0, 0.6], [1.0, 0.7]], 'q0': TWO,
        'velocities': [[0.0, 0.2]] * 3, 'accelerations': [[0.0, 0.0]] * 3}),
    ('check_motion', lambda **given: motions.check_motion(ARM, MOVE, **given),
     {'velocity_slack': 0.1}),
    ('ComputedTorque', law('ComputedTorque'), SECOND_ORDER),
    ('frequencies', law('ComputedTorque'), {'natural_frequency': 3.0, 'damping_ratio': [1., .7]}),
    ('set_gains', gains, SECOND_ORDER),
    ('JointImpedance', law('JointImpedance'), {'stiffness': 10.0, 'damping': [1.0, 2.0]}),
    ('MomentumObserver', law('MomentumObserver'), {'gain': 50.0}),
    ('ContactMonitor', lambda **given: control.ContactMonitor(['a', 'b'], **given),
     {'threshold': 1.0}),
    ('simulate', lambda **given: tl.simulate(ARM, **given), {
        'duration': 0.02, 'dt': 1e-3, 'q0': TWO, 'qd0': TWO, 'control_period': 2e-3, 'seed': 1}),
    ('simulate_batch', lambda **given: tl.simulate_batch([ARM] * 2, **given), {
        'duration': 0.02, 'dt': 1e-3, 'q0': TWO, 'qd0': TWO, 'sample_period': 2e-3, 'seed': 1}),
    ('scattered', lambda **given: tl.scattered(ARM, **given), {
        'count': 2, 'mass': 0.1, 'damping': 0.1, 'friction': 0.1, 'seed': 1}),
    ('PlantOptions', plant, {
        'damping': 0.1, 'friction': [0.1, 0.2], 'restitution': 0.5, 'armature': 0.1,
        'actuator_lag': 0.01, 'command_delay': 2e-3, 'position_noise': 1e-3,
        'velocity_noise': 1e-3, 'encoder_resolution': 1e-3, 'velocity_filter': 0.01,
        'mass_factor': 1.1, 'damping_factor': 1.1, 'friction_factor': [1.1, 1.2],
        'tip_wrench': [0.1] * 6}),
    ('Payload', payload, {'mass': 1.0, 'com': (0.1, 0.0, 0.0), 'inertia': np.eye(3),
                          'start': 0.002, 'end': 0.005}),
    ('Plant.step', Plant(ARM).step, {'tau': [0.1, 0.1]}),
]
ARGUMENTS = [(f'{label}, {name}', call, good, name) for label, call, good in CASES
             for name in good]
MAY_BE_INFINITE = {'limits', 'lower', 'upper', 'velocity', 'effort', 'acceleration', 't', 'times',
                   'end'}
NAMES = [label for label, _, _, _ in ARGUMENTS]


def bad_values(good):
    """Yield what is no number, in the place of one or of an array of them."""
    scalars = ['1', b'1', 2j, 10 ** 400, np.array(1.0, dtype=object), math.nan, math.inf,
               np.float32('nan'), object(), {'a': 1.0}, [[1.0, 2.0], [3.0]], np.array(['1', '2'])]
    yield from scalars
    if np.ndim(good):
        array = np.array(good, dtype=np.float64)
        yield from (array.astype(object), array.astype(complex), array.astype(str))
        for value in ('1', None, 2j, 10 ** 400, math.nan, -math.inf):
            spoiled = array.astype(object)
            spoiled.flat[-1] = value
            yield spoiled.tolist()


def may_be_taken(name, value):
    """Return whether a value that is mostly wrong is right for an argument."""
    if isinstance(value, np.ndarray) and value.dtype == object:
        return all(type(x) is float for x in value.flat)     # whoever takes its numbers out
    if isinstance(value, int):
        return name == 't'                                   # later than everything
    return (type(value) in (float, list, np.float32) and name in MAY_BE_INFINITE
            and not np.isnan(np.array(value, dtype=np.float64)).any())


@pytest.mark.parametrize('label, call, good, name', ARGUMENTS, ids=NAMES)
def test_what_is_no_number_is_an_error_that_names_the_argument(label, call, good, name):
    call(**good)
    for value in bad_values(good[name]):
        try:
            call(**{**good, name: value})
        except tl.TwoLinkError as error:
            assert name in str(error) or name in str(getattr(error, 'name', ''))
        else:
            assert may_be_taken(name, value), f'{value!r} was taken'


@pytest.mark.parametrize('label, call, good, name', ARGUMENTS, ids=NAMES)
def test_a_number_of_another_type_is_a_number(label, call, good, name):
    value = good[name]
    array = np.array(value)
    for other in ((array.tolist(), array.astype(np.longdouble), np.asfortranarray(array))
                  if array.ndim else
                  (np.float64(value), np.array(value), Fraction(value)) if isinstance(value, float)
                  else (np.int64(value), np.array(value))):
        call(**{**good, name: other})
    whole = np.round(array * 4.0) / 4.0
    for kind in (np.float32, np.float16, np.int64):
        try:
            call(**{**good, name: whole.astype(kind) if array.ndim else whole.astype(kind)[()]})
        except tl.TwoLinkError:
            pass    # the number is another, and may be out of its range
