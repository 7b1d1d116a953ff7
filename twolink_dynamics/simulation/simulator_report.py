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

"""The status of a simulator for the diagnostics: each report is on the time since the last."""

import time
from types import SimpleNamespace
from typing import Any, Protocol

from twolink_dynamics.diagnostics import Level, Status
from twolink_dynamics.simulation.robot_inputs import RobotInputs
from twolink_dynamics.simulation.robot_loop import RobotLoop

__all__ = ['SimulatorReport']

STALE = {'hold': 'holding it', 'zero': 'no effort', 'brake': 'braked'}


class Timing(Protocol):
    """How a loop kept its time: see :class:`twolink_dynamics.periodic.Timing`."""

    def take(self) -> dict[str, float]:
        """Return what was measured, and start anew."""


class SimulatorReport:
    """
    Report on a simulator.

    Parameters
    ----------
    loop : RobotLoop
    inputs : RobotInputs
    timing : Timing
        Of the thread that calls the loop.
    values : namespace
        The parameters ``rate``, ``real_time_factor`` and ``payload_mass``, followed when they
        change.
    wall_start : int
        When simulated time began, by the monotonic clock [ns].

    """

    def __init__(self, loop: RobotLoop, inputs: RobotInputs, timing: Timing,
                 values: SimpleNamespace, wall_start: int) -> None:
        self._robot, self._loop, self._inputs = loop.robot, loop, inputs
        self._timing, self._values, self._wall_start = timing, values, wall_start
        self._before = self._counts()

    def make(self) -> Status:
        """
        Return the status since the last call.

        Returns
        -------
        status : Status

        """
        robot, inputs, values, before = self._robot, self._inputs, self._values, self._before
        timing = self._timing.take()
        with robot.lock:
            after = self._before = self._counts()
            energy, ns = robot.energy, robot.ns
        elapsed, commands, steps, saturated, stale = (b - a for a, b in zip(before, after))
        silence: Any = ('none came' if robot.watch.heard_ns is None
                        else 1e-9 * (ns - robot.watch.heard_ns))
        figures = {
            'state': self._state(), 'time [s]': f'{ns * 1e-9:.6f}',
            'rate [Hz]': timing['rate'], 'lateness mean [us]': 1e6 * timing['late_mean'],
            'lateness max [us]': 1e6 * timing['late_max'], 'time let slip [s]': timing['slipped'],
            'real-time factor': steps * robot.clock.period_ns / elapsed,
            'energy [J]': energy, 'payload [kg]': values.payload_mass,
            'commands': inputs.commands, 'commands per second': 1e9 * commands / elapsed,
            'age of the last command [s]': silence,
            'commands not used': inputs.unused, 'saturated steps': saturated,
            'steps with a stale command': stale, 'times commands became stale': robot.watch.times,
            'wrenches': inputs.wrenches,
        }
        if not inputs.own_clock and values.real_time_factor == 1.0:
            figures['behind the wall clock [s]'] = 1e-9 * (
                after[0] - self._wall_start - (ns - robot.clock.start_ns))
        return Status(*self._verdict(timing['rate'], saturated), figures)

    def _counts(self) -> tuple[int, ...]:
        """Return the counts whose growth the report gives."""
        robot = self._robot
        return (time.monotonic_ns(), self._inputs.commands, robot.steps, robot.saturated_steps,
                robot.watch.steps)

    def _verdict(self, rate: float, saturated: int) -> tuple[Level, str]:
        robot, values = self._robot, self._values
        desired = values.rate * values.real_time_factor
        if robot.diverged:
            return Level.ERROR, robot.diverged
        if robot.watch.stale:
            return Level.WARN, self._state()
        if desired and not robot.lockstep and rate < 0.99 * desired:
            return Level.WARN, f'{rate:.1f} Hz instead of {desired:g}'
        if saturated:
            return Level.WARN, f'effort saturated in {saturated} steps'
        return Level.OK, self._state()

    def _state(self) -> str:
        robot = self._robot
        if robot.diverged:
            return 'diverged'
        if robot.paused:
            return 'paused'
        if self._loop.waiting_long:
            return 'waiting for an effort'
        if robot.watch.stale:
            return f'stale command: {STALE[robot.watch.action]}'
        return 'braked until the first effort' if robot.braked else 'running'
