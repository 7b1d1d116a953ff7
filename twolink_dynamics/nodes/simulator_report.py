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

"""What the simulator says of itself in the diagnostics."""

import time

from diagnostic_msgs.msg import DiagnosticStatus

__all__ = ['SimulatorReport']

OK, WARN, ERROR = DiagnosticStatus.OK, DiagnosticStatus.WARN, DiagnosticStatus.ERROR

STALE = {'hold': 'holding it', 'zero': 'no effort', 'brake': 'braked'}


class SimulatorReport:
    """
    Reports on a simulator, each on the time since the last.

    Parameters
    ----------
    node : SimulatorNode
    sim : SimulatedRobot
    loop : PeriodicLoop
    wall_start : int
        When simulated time began, by the monotonic clock [ns].

    """

    def __init__(self, node, sim, loop, wall_start):
        self._node, self._sim, self._loop = node, sim, loop
        self._wall_start = wall_start
        self._before = self._counts()

    def make(self):
        """
        Return the report on the time since the last one.

        Returns
        -------
        level : bytes
        text : str
        values : dict

        """
        node, sim, before = self._node, self._sim, self._before
        values = node.values
        timing = self._loop.timing.take()
        with sim.lock:
            after = self._before = self._counts()
            energy, ns = sim.energy, sim.ns
        elapsed, commands, steps, saturated, stale = (b - a for a, b in zip(before, after))
        silence = 'none came' if sim.watch.heard_ns is None else 1e-9 * (ns - sim.watch.heard_ns)
        report = {
            'state': self._state(), 'time [s]': f'{ns * 1e-9:.6f}',
            'rate [Hz]': timing['rate'], 'lateness mean [us]': 1e6 * timing['late_mean'],
            'lateness max [us]': 1e6 * timing['late_max'], 'time let slip [s]': timing['slipped'],
            'real-time factor': steps * sim.clock.period_ns / elapsed,
            'energy [J]': energy, 'payload [kg]': values.payload_mass,
            'commands': node.commands, 'commands per second': 1e9 * commands / elapsed,
            'age of the last command [s]': silence,
            'commands not used': node.unused, 'saturated steps': saturated,
            'steps with a stale command': stale, 'times commands became stale': sim.watch.times,
            'wrenches': node.wrenches,
        }
        if not node.simulated_clock and values.real_time_factor == 1.0:
            report['behind the wall clock [s]'] = 1e-9 * (
                after[0] - self._wall_start - (ns - sim.clock.start_ns))
        return (*self._verdict(timing['rate'], saturated), report)

    def _counts(self):
        """Return what the diagnostics give the growth of."""
        sim = self._sim
        return (time.monotonic_ns(), self._node.commands, sim.steps, sim.saturated_steps,
                sim.watch.steps)

    def _verdict(self, rate, saturated):
        sim, values = self._sim, self._node.values
        desired = values.rate * values.real_time_factor
        if sim.diverged:
            return ERROR, sim.diverged
        if sim.watch.stale:
            return WARN, self._state()
        if desired and not sim.lockstep and rate < 0.99 * desired:
            return WARN, f'{rate:.1f} Hz instead of {desired:g}'
        if saturated:
            return WARN, f'effort saturated in {saturated} steps'
        return OK, self._state()

    def _state(self):
        sim = self._sim
        if sim.diverged:
            return 'diverged'
        if sim.paused:
            return 'paused'
        if self._node.said:
            return 'waiting for an effort'
        if sim.watch.stale:
            return f'stale command: {STALE[sim.watch.action]}'
        return 'braked until the first effort' if sim.braked else 'running'
