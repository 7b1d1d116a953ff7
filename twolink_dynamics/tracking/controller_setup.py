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

"""A controller made and changed as the parameters of its node say."""

from math import inf
from types import SimpleNamespace
from typing import Any, Callable, TYPE_CHECKING

from twolink_dynamics.control.gains import reflected_inertia
from twolink_dynamics.control.law_parameters import gains, law_of, model_of
from twolink_dynamics.errors import ParameterError
from twolink_dynamics.tracking.controller import TrackingController
from twolink_dynamics.validation import per_joint

if TYPE_CHECKING:
    from twolink_dynamics.array_types import Vector
    from twolink_dynamics.control.law import Law
    from twolink_dynamics.dynamics.arm import Arm

__all__ = ['apply_settings', 'change_parameters', 'make_controller']

GAINS = ('natural_frequency', 'damping_ratio', 'kp', 'kd', 'ki')
LAW = ('law', 'stiffness', 'damping', 'adaptation', 'period', 'law_options',
       'friction_compensation')
MODEL = ('payload_mass', 'payload_com', 'gravity')

# A stop from this share of the velocity limit, or of SPEED where there is none, is not to wait for
# the rate limit by more than ROOM says: with half of what the largest inertia needs an arm that
# fell for 0.3 s is still caught, with a third of it not.
STOP_SHARE, SPEED, ROOM = 0.25, 3.0, 0.5
# The largest slope of the acceleration of a stop, times its duration squared over its speed.
STOP_JERK = 5.77
# [rad or m]: an error the loop makes up for without meeting the rate limit. Larger ones are what
# the answer to a large error is for.
SMALL_ERROR = 0.003


def check_effort_rate(values: SimpleNamespace, law: 'Law') -> None:
    """
    Refuse a rate limit that would take the stability of the loop.

    Parameters
    ----------
    values : namespace
    law : Law
        With its gains.

    Raises
    ------
    ParameterError
        With the number that would do.

    """
    if not any(values.effort_rate):
        return
    arm = law.arm
    rates = per_joint('effort_rate', values.effort_rate, arm.n, low=0.0)
    kp, kd, _ = law.gains
    for k, inertia in enumerate(reflected_inertia(arm)):
        limit = float(arm.limits.velocity[k])
        speed = STOP_SHARE * (limit if limit < inf else SPEED)
        stop = ROOM * STOP_JERK * speed / values.stop_duration ** 2
        # Of an error that swings with the loop's own frequency.
        swing = SMALL_ERROR * (kp[k] * (kp[k] + kd[k] ** 2)) ** 0.5 * kp[k] ** 0.5
        needed = float(f'{1.05 * inertia * max(stop, swing):.2g}')
        if rates[k] < inertia * max(stop, swing):
            raise ParameterError(
                'effort_rate', rates[k], f'at least {needed:g} for joint "{arm.joint_names[k]}", '
                'or softer gains and a longer stop_duration: a slower effort cannot catch the arm')


def make_controller(values: SimpleNamespace, arm: 'Arm',
                    on_event: Callable[[str], Any] | None = None,
                    controller_class: type[TrackingController] = TrackingController,
                    ) -> TrackingController:
    """
    Return the controller that the parameters mean.

    Parameters
    ----------
    values : namespace
        One attribute per option of
        :data:`~twolink_dynamics.tracking.controller_options.CONTROLLER`.
    arm : Arm
        As its description says.
    on_event : callable, optional
        Takes a text.
    controller_class : type
        TrackingController, or a class derived from it.

    Returns
    -------
    controller : TrackingController

    Raises
    ------
    TwoLinkError
        If a value does not fit the arm.

    """
    law = law_of(values, model_of(values, arm))
    check_effort_rate(values, law)
    controller = controller_class(arm, on_event=on_event, law=law)
    apply_settings(controller, values)
    return controller


def apply_settings(controller: TrackingController, values: SimpleNamespace) -> None:
    """
    Set what is neither the law nor the model.

    Parameters
    ----------
    controller : TrackingController
    values : namespace

    Raises
    ------
    TwoLinkError
        If a value does not fit the arm.

    """
    path, goal, hold = (per_joint(name, getattr(values, name), controller.arm.n, low=0.0)
                        for name in ('path_tolerance', 'goal_tolerance', 'hold_tolerance'))
    rate = values.effort_rate if any(values.effort_rate) else None
    controller.set_timeouts(values.state_timeout, values.zero_timeout)
    controller.effort_filter.set_limits(rate, values.soft_limit_margin, values.blend_duration)
    controller.supervisor.set_limits(values.observer_gain, values.contact_threshold,
                                     values.velocity_factor)
    # An arm with this law is to be pushed away, and to spring back.
    controller.supervisor.hold_tolerance = (
        (0.0,) * controller.arm.n if values.law == 'joint_impedance' else hold)
    controller.on_position_jump = values.on_position_jump
    controller.latch.effort = values.fault_effort
    controller.recorder.directory = values.fault_directory
    goals = controller.execution
    goals.path_tolerance, goals.goal_tolerance = path, goal
    goals.stopped_velocity_tolerance = values.stopped_velocity_tolerance
    goals.goal_time = values.goal_time
    controller.velocity_estimate.time_constant = values.velocity_filter
    controller.limit_policy = {'velocity': values.beyond_velocity, 'effort': values.beyond_effort}
    controller.stop_duration = values.stop_duration
    controller.start_tolerance = values.start_tolerance
    controller.allow_motion_at_end = values.allow_nonzero_velocity_at_trajectory_end
    controller.allow_partial = values.allow_partial_joints_goal


def change_parameters(controller: TrackingController, before: SimpleNamespace,
                      values: SimpleNamespace, gravity: 'Vector | None' = None) -> None:
    """
    Take over changed parameters while the controller runs, without a jump of the effort.

    Parameters
    ----------
    controller : TrackingController
    before, values : namespace
        The parameters in force, and those to come.
    gravity : sequence of float, length 3, optional
        From a sensor; it stays in force unless the parameter ``gravity`` changes.

    Raises
    ------
    TwoLinkError
        If a value does not fit the arm.

    """
    def changed(names: tuple[str, ...]) -> bool:
        return any(getattr(values, name) != getattr(before, name) for name in names)

    model = controller.model
    if changed(MODEL):
        model = model_of(values, controller.arm,
                         gravity if values.gravity == before.gravity else None)
    law = law_of(values, model)             # whatever does not fit is refused here
    check_effort_rate(values, law)
    apply_settings(controller, values)
    # A gain that is not passed on is kept: only a new law forgets one of the integral.
    if changed(LAW) or before.ki is not None and values.ki is None:
        controller.use_law(law)
    elif changed(GAINS):
        controller.use_gains(**gains(values))
    if changed(MODEL):
        controller.use_model(model)
