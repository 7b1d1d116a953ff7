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

"""The status of a controller for the diagnostics: each report is on the time since the last."""

from types import SimpleNamespace
from typing import Any

from twolink_dynamics.diagnostics import Level, Status
from twolink_dynamics.errors import TrajectoryError
from twolink_dynamics.tracking.controller import TrackingController

__all__ = ['ControllerReport']


class ControllerReport:
    """
    Count what a controller does, and report on it.

    Parameters
    ----------
    controller : TrackingController
    values : namespace
        The parameter ``state_timeout``, followed when it changes.
    now : float
        By any clock that is not set back [s].

    Attributes
    ----------
    states, without_effort, rejected_goals : int
        How many states were answered, how many had no finite effort, how many goals were refused.

    """

    def __init__(self, controller: TrackingController, values: SimpleNamespace,
                 now: float) -> None:
        self._controller, self._values = controller, values
        self.states = self.without_effort = self.rejected_goals = 0
        self._last_state: float | None = None
        self._last_rejection, self._peak_error, self._saturated = '', 0.0, 0
        self._before = now, 0, 0

    def count_state(self, now: float) -> None:
        """
        Count a state that the controller has just answered.

        Parameters
        ----------
        now : float
            [s].

        """
        controller = self._controller
        self._last_state = now
        self.states += 1
        if controller.tau is None:
            self.without_effort += 1
            return
        self._peak_error = max(self._peak_error, *map(abs, controller.error[0]))
        self._saturated += controller.saturated

    def count_rejection(self, error: TrajectoryError) -> str:
        """
        Count a goal that was refused, and return why in words.

        Parameters
        ----------
        error : TrajectoryError

        Returns
        -------
        text : str

        """
        self.rejected_goals += 1
        self._last_rejection = f'code {error.code}: {error}'
        return f'trajectory rejected ({self._last_rejection})'

    def make(self, now: float) -> Status:
        """
        Return the status since the last call.

        Parameters
        ----------
        now : float
            [s].

        Returns
        -------
        status : Status

        """
        since, states, without_before = self._before
        without = self.without_effort - without_before
        figures = self._figures(now, (self.states - states) / max(now - since, 1e-9))
        status = Status(*self._level(now, without), figures)
        self._before = now, self.states, self.without_effort
        self._peak_error, self._saturated = 0.0, 0
        return status

    def _figures(self, now: float, rate: float) -> dict[str, Any]:
        core = self._controller
        kp, kd, ki = core.law.gains
        goals, last = core.execution, core.execution.last_failure
        return {
            'state': core.mode, 'fault': core.latch.fault.name if core.latch.fault else '',
            'states answered [Hz]': rate,
            'age of the last state [s]':
                'none came' if self._last_state is None else now - self._last_state,
            'peak tracking error [rad or m]': self._peak_error,
            'saturated steps': self._saturated,
            'states without effort': self.without_effort - self._before[2],
            'trajectories rejected': self.rejected_goals + core.dropped,
            'last rejection': self._last_rejection,
            'goals succeeded, aborted, canceled':
                f'{goals.succeeded}, {goals.aborted}, {goals.canceled}',
            'last goal not reached': f'code {last.code}: {last.text}' if last else '',
            'law': core.law.name, 'kp': list(kp), 'kd': list(kd), 'ki': list(ki),
            'pushed back at a position limit': ', '.join(core.effort_filter.soft_limits.active),
            'external effort [N m or N]': [
                float(f'{x:.4g}') for x in core.supervisor.external or ()],
            'answer to silence': core.watchdog.level(now) if core.ns is not None else 'none',
        }

    def _level(self, now: float, without: int) -> tuple[Level, str]:
        core, last = self._controller, self._last_state
        if core.latch.fault is not None:
            return Level.ERROR, core.mode
        if without:
            return Level.ERROR, f'no finite effort for {without} states'
        if last is None:
            return Level.WARN, core.mode
        if now - last > self._values.state_timeout:
            return Level.WARN, 'joint_states are stale'
        if core.watchdog.level(now) in ('gravity', 'zero'):
            return Level.WARN, 'joint_states are frozen: their stamp does not change'
        if self._saturated:
            return Level.WARN, f'effort saturated for {self._saturated} states'
        return Level.OK, core.mode
