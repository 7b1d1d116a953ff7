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

"""The session of one run: two processes and a node that watches them, from start to end."""

import argparse
from contextlib import ExitStack
import os
from pathlib import Path
import signal
import sys
import tempfile
import threading
import time
from types import FrameType
from typing import Any, Sequence, TYPE_CHECKING

from twolink_dynamics.clients.processes import NodeProcess, stop_all
from twolink_dynamics.clients.progress import Progress
from twolink_dynamics.clients.run_record import RunRecord
from twolink_dynamics.errors import MissingDependencyError, TwoLinkError
from twolink_dynamics.model.units import units

if TYPE_CHECKING:
    from twolink_dynamics.clients.run_recorder import RunRecorder
    from twolink_dynamics.dynamics.arm import Arm
    from twolink_dynamics.trajectory.trajectory import Trajectory

__all__ = ['RunError', 'Session']

RATE = 1000.0
# [s], of the wall clock: for two processes to start on a slow, busy machine; for a sign of life.
START_DEADLINE, SILENCE, ACCEPTANCE = 60.0, 10.0, 5.0
# [s]: nodes that are there are known to each other within a quarter of a second on one machine.
DISCOVERY = 0.5
# [s] of the states' clock between the sending of the trajectory and its start.
LEAD = 0.2
# [s] between two looks at the processes and two updates of the progress.
LOOK, SHOW = 0.05, 0.2


class RunError(TwoLinkError, RuntimeError):
    """
    A run could not be brought to its end.

    Attributes
    ----------
    output : list of str
        The output of the nodes, for the user to see why.

    """

    def __init__(self, problem: str, output: Sequence[str] = ()) -> None:
        self.output = list(output)
        super().__init__(problem)


class Session:
    """
    A simulator, a controller, and a node that watches; all ended at the end of a ``with`` block.

    Parameters
    ----------
    arm : Arm
    description : pathlib.Path
        The arm's file: what the nodes read.
    args : argparse.Namespace
        ``base_link``, ``tip_link``, ``namespace``, ``law``, ``law_options``, ``lockstep``.

    Attributes
    ----------
    complaints : list of str
        Warnings and errors of the nodes, after the end.

    """

    complaints: list[str]
    _processes: list[NodeProcess]
    _before: dict[int, Any]
    _signal: int | None
    _folder: str
    _recorder: 'RunRecorder'

    def __init__(self, arm: 'Arm', description: Path, args: argparse.Namespace) -> None:
        self.arm, self._args = arm, args
        self._description = description
        self._processes, self.complaints, self._cleanup = [], [], ExitStack()
        self._before, self._signal = {}, None

    def __enter__(self) -> 'Session':
        """Take over the signals, and look whether the place is free."""
        try:
            from twolink_dynamics.clients.run_recorder import RunRecorder
        except ImportError as error:
            if (error.name or '').startswith(f'{__package__.split(".")[0]}.'):
                raise
            raise MissingDependencyError(
                f'rclpy ({error})', 'twolink run (or a sourced ROS 2)', 'ros') from None
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                self._before[number] = signal.signal(number, self._on_signal)
        try:
            self._folder = self._cleanup.enter_context(
                tempfile.TemporaryDirectory(prefix='twolink_run_'))
            self._find_place_for_logs()
            self._recorder = RunRecorder(self.arm.joint_names, self._args.namespace)
            self._cleanup.callback(self._recorder.close)
            self._spin(DISCOVERY)
            self._refuse_second(own=0)
        except BaseException:
            self._close()
            raise
        return self

    def _find_place_for_logs(self) -> None:
        """ROS does not start where it cannot log: without a home it logs beside the run."""
        home = os.environ.get('HOME', '')
        given = {'ROS_LOG_DIR', 'ROS_HOME'} & set(os.environ)
        if not given and not (home and os.access(home, os.W_OK)):
            os.environ['ROS_LOG_DIR'] = self._folder

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        # Only a mark: an exception in the middle of rclpy's code comes out as something else.
        self._signal = number

    def _spin(self, seconds: float) -> None:
        """Let messages come; a signal that came meanwhile ends the run here."""
        self._recorder.spin(seconds)
        if self._signal == signal.SIGINT:
            raise KeyboardInterrupt
        if self._signal is not None:
            raise SystemExit(128 + self._signal)

    def __exit__(self, kind: Any, error: BaseException | None, traceback: Any) -> None:
        """End everything, whatever happened."""
        self._close()
        if isinstance(error, RunError):
            for line in error.output:
                sys.stderr.write(f'{line}\n')

    def _close(self) -> None:
        # Nothing may interrupt the end of the processes, not even another Ctrl-C.
        main = threading.current_thread() is threading.main_thread()
        if main:
            for number in self._before:
                signal.signal(number, signal.SIG_IGN)
        try:
            stop_all(self._processes)
            self.complaints = [line for process in self._processes
                               for line in process.complaints()]
            self._cleanup.close()
        finally:
            for number, handler in self._before.items() if main else ():
                signal.signal(number, handler)

    def _refuse_second(self, own: int = 1) -> None:
        others = self._recorder.publishers()
        if len(others) > own:
            raise RunError(
                f'another node publishes joint_states here: {", ".join(sorted(others))}; two '
                'simulators on one topic disturb each other: end one, or give --namespace NS')

    def _start(self, q0: Sequence[float]) -> None:
        args = self._args
        common = {'robot_description': str(self._description), 'base_link': args.base_link or '',
                  'tip_link': args.tip_link or ''}
        controller = {**common, 'law': args.law, 'law_options': args.law_options}
        simulator = {**common, 'rate': RATE, 'initial_position': list(q0)}
        if args.lockstep:
            simulator.update(lockstep=True, start_paused=True, real_time_factor=0.0)
        for name, parameters in (('simulator', simulator), ('controller', controller)):
            self._processes.append(NodeProcess(
                name, 'twolink_dynamics.nodes.run_node', self._folder, parameters,
                args.namespace, arguments=[name]))

    def _look(self) -> None:
        """Spin a moment; raise if a process has ended, or the simulator reports an error."""
        self._spin(LOOK)
        for process in self._processes:
            how = process.ended
            if how:
                raise RunError(f'the {process.name} (pid {process.pid}) {how}',
                               process.last_words() or process.complaints())
        if self._recorder.verdict:
            raise RunError(f'the simulator: {self._recorder.verdict}')

    def _output(self) -> list[str]:
        return [line for process in self._processes for line in process.output()[-5:]]

    def _await_connections(self) -> None:
        recorder, paused = self._recorder, self._args.lockstep
        deadline = time.monotonic() + START_DEADLINE
        while missing := recorder.missing(paused):
            if time.monotonic() > deadline:
                raise RunError(f'after {START_DEADLINE:g} s still missing: {", ".join(missing)}',
                               self._output())
            self._look()
        self._refuse_second()

    def _await_acceptance(self) -> None:
        deadline = time.monotonic() + ACCEPTANCE
        while not self._recorder.accepted():
            if time.monotonic() > deadline:
                raise RunError('the controller did not accept the trajectory',
                               self._processes[1].complaints())
            self._look()

    def follow(self, trajectory: 'Trajectory') -> RunRecord:
        """
        Let the arm follow a trajectory.

        Parameters
        ----------
        trajectory : Trajectory
            It starts at rest, where the arm will stand.

        Returns
        -------
        record : RunRecord

        Raises
        ------
        RunError
            If a process ends, or nothing comes for long.

        """
        self._start(trajectory.positions[0])
        self._await_connections()
        recorder = self._recorder
        start = recorder.last_ns + round(LEAD * 1e9)
        recorder.record(start)
        recorder.send(trajectory, start)
        self._await_acceptance()
        if self._args.lockstep:
            recorder.unpause()
        wall = self._watch(start, start + round(trajectory.end_time * 1e9))
        return RunRecord(self.arm, trajectory, recorder.states, recorder.answers, start,
                         1.0 / RATE, wall)

    def _watch(self, start: int, end: int) -> float:
        """Wait for the end, and return how long it took from the first state to the last [s]."""
        recorder = self._recorder
        unit = ' or '.join(sorted({f'm{unit}' for unit in units(self.arm.joint_types)[0]}))
        progress = Progress((end - start) * 1e-9, unit)
        shown, total = time.monotonic(), recorder.total
        try:
            while not recorder.complete(end):
                self._look()
                now = time.monotonic()
                for what, last in (('no joint_states', recorder.arrived),
                                   ('simulated time stands still', recorder.advanced),
                                   ('no answers of the controller', recorder.answered)):
                    if now - last > SILENCE:
                        raise RunError(f'{what} for {SILENCE:g} s', self._output())
                if now - shown >= SHOW:
                    self._refuse_second()
                    progress.update((recorder.last_ns - start) * 1e-9,
                                    (recorder.total - total) / (now - shown), 1e3 * recorder.error)
                    shown, total = now, recorder.total
        finally:
            progress.close()
        return recorder.seconds_recorded
