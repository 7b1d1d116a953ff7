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

"""Processes of the nodes that a command runs: started, watched, and never left behind."""

import json
import os
from pathlib import Path
import signal
import subprocess
import sys
import time
from typing import Any, Iterable, Mapping, Sequence

__all__ = ['NodeProcess', 'stop_all', 'write_parameters']

# [s] for a process to end after it was asked to, before it is ended.
GRACE = 5.0
MOST_COMPLAINTS = 5


def _yaml(value: Any) -> str:
    """Return a value as YAML that keeps a float a float."""
    if isinstance(value, float):
        text = repr(value)
        mantissa, _, exponent = text.partition('e')
        return text if '.' in mantissa or not exponent else f'{mantissa}.0e{exponent}'
    if isinstance(value, (list, tuple)):
        return '[' + ', '.join(map(_yaml, value)) + ']'
    return json.dumps(value)


def write_parameters(path: str | os.PathLike[str], parameters: Mapping[str, Any]) -> None:
    """
    Write a parameter file for any node.

    Parameters
    ----------
    path : path-like
    parameters : dict of str to (bool, int, float, str, or a list of one of these)

    """
    lines = [f'    {name}: {_yaml(value)}\n' for name, value in parameters.items()]
    Path(path).write_text('/**:\n  ros__parameters:\n' + ''.join(lines), encoding='utf-8')


class NodeProcess:
    """
    A node of this package in a process of its own.

    It is in a session of its own, so that a Ctrl-C reaches it only through its parent, and on a
    leash, so that it ends even if its parent is killed.

    Parameters
    ----------
    name : str
        For messages.
    module : str
        What ``python -m`` runs.
    folder : path-like
        Where its parameters and its output are written.
    parameters : dict
    namespace : str
        Empty: the root.
    arguments : sequence of str
        For the module, before those of ROS.

    Attributes
    ----------
    name : str
    pid : int

    """

    def __init__(self, name: str, module: str, folder: str | os.PathLike[str],
                 parameters: Mapping[str, Any], namespace: str = '',
                 arguments: Sequence[str] = ()) -> None:
        self.name = name
        file = Path(folder, f'{name}.yaml')
        write_parameters(file, parameters)
        self._output = Path(folder, f'{name}.log')
        command = [sys.executable, '-m', f'{__package__}.leash', module,
                   *arguments, '--ros-args', '--params-file', str(file)]
        if namespace:
            command += ['-r', f'__ns:={namespace}']
        with open(self._output, 'wb') as output:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=output, stderr=subprocess.STDOUT,
                start_new_session=True, env={**os.environ, 'PYTHONUNBUFFERED': '1'})
        self.pid = self._process.pid

    @property
    def ended(self) -> str:
        """How the process ended, in words; empty while it runs."""
        status = self._process.poll()
        if status is None:
            return ''
        if status >= 0:
            return f'ended with status {status}'
        try:
            return f'was killed by {signal.Signals(-status).name}'
        except ValueError:
            return f'was killed by signal {-status}'

    def output(self) -> list[str]:
        """Return the output of the process so far, line by line."""
        text = self._output.read_text(encoding='utf-8', errors='replace')
        return [line.rstrip() for line in text.splitlines() if line.strip()]

    def complaints(self) -> list[str]:
        """Return the first few warnings and errors of its output, and count the rest."""
        marks = ('[WARN]', '[ERROR]', '[FATAL]', 'error:', 'Error')
        lines = [line for line in self.output() if any(mark in line for mark in marks)]
        more = len(lines) - MOST_COMPLAINTS
        return lines[:MOST_COMPLAINTS] + [f'{self.name}: {more} more warnings'] * (more > 0)

    def last_words(self) -> list[str]:
        """Return the end of its output if it ended by itself; nothing if it was killed."""
        return self.output()[-MOST_COMPLAINTS:] if (self._process.poll() or 0) >= 0 else []

    def ask_to_end(self) -> None:
        """Send SIGTERM, unless it has ended."""
        if self._process.poll() is None:
            self._process.terminate()

    def end(self, deadline: float) -> None:
        """Wait for the end until a time (of the monotonic clock), then force it."""
        try:
            self._process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()


def stop_all(processes: Iterable[NodeProcess]) -> None:
    """
    End processes: all are asked first, and those that do not end within 5 s are killed.

    Parameters
    ----------
    processes : iterable of NodeProcess

    """
    processes = list(processes)
    for process in processes:
        process.ask_to_end()
    deadline = time.monotonic() + GRACE
    for process in processes:
        process.end(deadline)
