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

"""What a derived class overrides, of a controller or of one of its parts, is heard."""

from types import SimpleNamespace

import pytest

from twolink_dynamics.control.law_parameters import model_of
from twolink_dynamics.control.observer import ContactMonitor, MomentumObserver
from twolink_dynamics.errors import TrajectoryError
from twolink_dynamics.tracking import (
    BumplessTransfer, EffortFilter, EffortLimiter, GoalExecution, GoalMonitor, SoftPositionLimits,
    Supervisor, TrackingController, VelocityMonitor, Watchdog)
from twolink_dynamics.tracking.controller_options import CONTROLLER
from twolink_dynamics.tracking.controller_report import ControllerReport
from twolink_dynamics.tracking.controller_setup import change_parameters, make_controller
from twolink_dynamics.tracking.desired_motion import DesiredMotion
from twolink_dynamics.tracking.follower import Follower
from twolink_dynamics.tracking.velocity_estimate import VelocityEstimate
from twolink_dynamics.trajectory.goal import GoalPoint

MS = 1000000
# Each part, and the classes that lead to it from the controller, by their attributes.
PARTS = {
    EffortFilter: (('effort_filter_class', TrackingController),),
    Supervisor: (('supervisor_class', TrackingController),),
    VelocityEstimate: (('velocity_estimate_class', TrackingController),),
    Watchdog: (('watchdog_class', TrackingController),),
    DesiredMotion: (('desired_motion_class', TrackingController),),
    GoalExecution: (('execution_class', TrackingController),),
    GoalMonitor: (('monitor_class', GoalExecution), ('execution_class', TrackingController)),
    BumplessTransfer: (
        ('bumpless_class', EffortFilter), ('effort_filter_class', TrackingController)),
    EffortLimiter: (
        ('limiter_class', EffortFilter), ('effort_filter_class', TrackingController)),
    SoftPositionLimits: (
        ('soft_limits_class', EffortFilter), ('effort_filter_class', TrackingController)),
    MomentumObserver: (('observer_class', Supervisor), ('supervisor_class', TrackingController)),
    ContactMonitor: (
        ('contact_monitor_class', Supervisor), ('supervisor_class', TrackingController)),
    VelocityMonitor: (
        ('velocity_monitor_class', Supervisor), ('supervisor_class', TrackingController)),
}


def public_names(owner):
    """Return the public methods and properties of a class."""
    return sorted(name for name, value in vars(owner).items() if not name.startswith('_') and (
        isinstance(value, property) or callable(value) and not isinstance(value, type)))


def counting(owner, name, calls):
    """Return a derived class that counts the calls of a method, or the reads of a property."""
    original = vars(owner)[name]

    def counted(self, *args, **kwargs):
        calls.append(name)
        return (original.fget if isinstance(original, property) else original)(
            self, *args, **kwargs)

    value = property(counted) if isinstance(original, property) else counted
    return type('Counting', (owner,), {name: value})


def values(**changed):
    """Return the parameters of a controller with everything switched on, but for some."""
    given = {option.name: option.default for option in CONTROLLER}
    given.update(contact_threshold=(20.0,), effort_rate=(1e4,), soft_limit_margin=(0.1,))
    return SimpleNamespace(**{**given, **changed})


def live(arm, controller_class):
    """Let a controller of a class meet all that its node may ask of it."""
    before = values()
    core = make_controller(before, arm, None, controller_class)
    report = ControllerReport(core, before, 0.0)
    names, rest = arm.joint_names, (0.0, 0.0)

    def state(ms, q=(0.1, 0.2), qd=rest):
        core.update(ms * MS, q, qd, 1e-3 * ms)
        report.count_state(1e-3 * ms)

    def go(key=None):
        core.accept(names, [GoalPoint(0.3, (0.2, 0.2), rest)], key=key)

    for ms in range(1, 4):
        state(ms, qd=None)
    go('one')
    for ms in range(4, 10):
        state(ms)
    assert core.feedback().key == 'one'
    assert core.cancel('one') and core.hold() and report.make(0.01).figures['state']
    go('two')
    state(10)
    state(11, qd=(9.0, 0.0))                    # pushed: a contact
    for _ in range(30):
        core.update(11 * MS, (0.1, 0.2), rest, 1.0)     # stuck
    for now in (1.1, 100.0):
        core.silence(now)
    state(2000)                                 # a long pause
    after = values(law='gravity_pd')
    change_parameters(core, before, after)
    heavy = values(law='gravity_pd', payload_mass=1.0, natural_frequency=(10.0,),
                   observer_gain=30.0)
    change_parameters(core, after, heavy)
    core.use_model(model_of(before, arm))
    state(2001)
    core.enable(False)
    with pytest.raises(TrajectoryError, match='disabled'):
        go()
    core.enable(True)
    for ms in range(2002, 2800, 100):
        state(ms)
    assert report.make(2.8).figures['state'] == 'holding'
    core.execution.take_results()


@pytest.mark.parametrize('owner, name', [
    (owner, name) for owner in (Follower, TrackingController) for name in public_names(owner)])
def test_every_public_method_of_a_controller_is_heard_by_its_node(arm, owner, name):
    calls = []
    if owner is Follower and name in vars(TrackingController):
        pytest.skip('the controller has its own')
    live(arm, type('Own', (TrackingController,), {name: vars(counting(owner, name, calls))[name]}))
    assert calls


@pytest.mark.parametrize('owner, name', [
    (owner, name) for owner in PARTS for name in public_names(owner)])
def test_every_public_method_of_a_part_is_heard_by_the_controller(arm, owner, name):
    calls = []
    part = counting(owner, name, calls)
    for attribute, whole in PARTS[owner]:
        part = type('Own', (whole,), {attribute: part})
    live(arm, part)
    assert calls


def test_a_controller_of_ones_own_answers_through_its_node(ros, description):
    from sensor_msgs.msg import JointState

    from twolink_dynamics.nodes.controller_node import ControllerNode

    class Limp(TrackingController):
        def update(self, ns, q, qd=None, now=None):
            super().update(ns, q, qd, now)
            return (0.25, -0.25)

    class LimpNode(ControllerNode):
        controller_class = Limp

    ros.start(LimpNode, robot_description=description)
    efforts = ros.listen(JointState, 'joint_commands')
    states = ros.publisher(JointState, 'joint_states')
    message = JointState(name=['joint1', 'joint2'], position=[0.1, 0.2], velocity=[0.0, 0.0])
    message.header.stamp.sec = 1
    states.publish(message)
    ros.until(lambda: efforts, 'the effort')
    assert list(efforts[0].effort) == [0.25, -0.25]


def test_a_robot_of_ones_own_moves_in_the_simulator_node(ros, description):
    from sensor_msgs.msg import JointState

    from twolink_dynamics.nodes.simulator_node import SimulatorNode
    from twolink_dynamics.simulation.simulated_robot import SimulatedRobot

    class Frozen(SimulatedRobot):
        @property
        def measured(self):
            return (0.5, 0.5), (0.0, 0.0)

    class FrozenNode(SimulatorNode):
        robot_class = Frozen

    ros.start(FrozenNode, robot_description=description, brake=False)
    states = ros.listen(JointState, 'joint_states')
    ros.until(lambda: len(states) > 3, 'states')
    assert all(list(message.position) == [0.5, 0.5] for message in states)
