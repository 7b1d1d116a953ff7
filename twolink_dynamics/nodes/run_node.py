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

"""The run of a node, from its start to its end: by a signal with status 0, by a fault with 1."""

import importlib
import sys
from typing import Any, Callable

from twolink_dynamics.errors import MissingDependencyError, TwoLinkError
from twolink_dynamics.signals import Interrupted, Signals

__all__ = ['NODES', 'make_executor', 'run', 'spin']

#: The nodes by name: their modules in this package, and their classes.
NODES = {
    'controller': ('controller_node', 'ControllerNode'),
    'reference': ('reference_node', 'ReferenceNode'),
    'simulator': ('simulator_node', 'SimulatorNode'),
    'trail': ('trail_node', 'TrailNode'),
}

# The executor looks at least this often [s] whether it is to go on.
SPIN_TIMEOUT = 0.1
# [s]: a thread that computes gives way to one that has a deadline within this time.
SWITCH_INTERVAL = 2e-4
# Rounds of the executor in which the last answers are sent on their way.
LAST_ROUNDS = 10


def _fail(name: str, error: BaseException) -> int:
    text = ' '.join(str(error).split())
    sys.stderr.write(f'{name}: error: {text}\n')
    sys.stderr.flush()
    return 1


def run(name: str, args: list[str] | None = None) -> int:
    """
    Run a node until a signal or a shutdown ends it.

    Parameters
    ----------
    name : str
        One of `NODES`. Its module is imported here, so that a signal, or a missing ROS, is met
        while it is imported, too.
    args : list of str, optional
        Command line; ``sys.argv`` if not given.

    Returns
    -------
    status : int
        0 after SIGINT, SIGTERM or a shutdown; 1 after an error, written to stderr as one line.

    """
    with Signals() as signals:
        try:
            return _run(name, args, signals)
        except Interrupted:
            return 0


def _run(name: str, args: list[str] | None, signals: Signals) -> int:
    try:
        import rclpy
    except ImportError as error:
        return _fail(name, MissingDependencyError(
            f'rclpy ({error})', f'the {name} node (or a sourced ROS 2)', 'ros'))
    from rclpy.exceptions import ParameterException
    from rclpy.executors import ExternalShutdownException

    node = executor = None
    try:
        _start_rclpy(rclpy, args)
        module, node_class = NODES[name]
        node = getattr(importlib.import_module(f'{__package__}.{module}'), node_class)()
        executor = make_executor()
        executor.add_node(node)
        sys.setswitchinterval(SWITCH_INTERVAL)
        signals.starting = False
        spin(executor, lambda: rclpy.ok() and not (node.finished or signals.came))
        _end_well(node, executor, signals)
        if node.error is not None:
            raise node.error
    except (Interrupted, ExternalShutdownException):
        pass
    except (TwoLinkError, ParameterException, _StartError) as error:
        return _fail(name, error)
    finally:
        signals.starting = False
        if node is not None:
            node.close()
        if executor is not None:
            executor.shutdown()
        if node is not None:
            node.destroy_node()
        rclpy.utilities.try_shutdown()
    return 0


def _end_well(node: Any, executor: Any, signals: Signals) -> None:
    """Let the node come to its end; another signal cuts that short, but for the last words."""
    count = signals.count
    node.begin_end()
    spin(executor, lambda: executor.context.ok() and signals.count == count and not node.ended())
    node.close()
    for _ in range(LAST_ROUNDS):
        executor.spin_once(0.0)


class _StartError(Exception):
    """ROS could not be started with these arguments."""


def _start_rclpy(rclpy: Any, args: list[str] | None) -> None:
    import rclpy.logging
    from rclpy.signals import SignalHandlerOptions

    # rcl would log the same in a line of its own, before the exception gives the reason.
    rclpy.logging.set_logger_level('rcl', rclpy.logging.LoggingSeverity.FATAL)
    try:
        rclpy.init(args=args, signal_handler_options=SignalHandlerOptions.NO)
    except Exception as error:      # noqa: B902 - each rclpy has its own; all mean the arguments
        raise _StartError(str(error).split(', at /')[0]) from None
    rclpy.logging.set_logger_level('rcl', rclpy.logging.LoggingSeverity.UNSET)


def make_executor(context: Any = None) -> Any:
    """
    Return the cheapest single-threaded executor this rclpy has.

    Parameters
    ----------
    context : rclpy.context.Context, optional
        The default one if not given.

    Returns
    -------
    executor : rclpy.executors.Executor

    """
    try:
        from rclpy.experimental import EventsExecutor
    except ImportError:
        from rclpy.executors import SingleThreadedExecutor
        return SingleThreadedExecutor(context=context)
    return EventsExecutor(context=context)


def spin(executor: Any, going_on: Callable[[], bool]) -> None:
    """
    Execute what comes while a condition holds.

    Parameters
    ----------
    executor : rclpy.executors.Executor
    going_on : callable
        Asked after every event, and at least every 0.1 s.

    """
    # Not executor.spin(): the events executor's own loop ignores SIGTERM in some releases.
    while going_on():
        executor.spin_once(SPIN_TIMEOUT)


if __name__ == '__main__':
    raise SystemExit(run(sys.argv.pop(1)))
