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
The `twolink` command: its subcommands, and what they have in common.

A subcommand is a module with ``add_parser(subparsers)``, which sets ``run`` as the parser's
default, and ``run(args)``, which returns the exit status. What goes wrong is one line on stderr:
status 2 for what the user gave, 1 for what happened then; never a traceback.

"""

import argparse
import os
import sys
from typing import NoReturn, Sequence, TextIO
import warnings

from twolink_dynamics import __version__
from twolink_dynamics.cli import animate, check, compare, completion, equations, ik, info, plot, \
    run, simulate, topics, torque, view
from twolink_dynamics.errors import TrajectoryError, TwoLinkError

__all__ = ['COMMANDS', 'main']

COMMANDS = (
    run, simulate, compare, plot, animate, view, info, ik,
    torque, check, equations, topics, completion)


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line; the usage is a ``--help`` away."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f'{self.prog}: error: {_one_line(message)} (see {self.prog} --help)\n')


def _parser() -> _Parser:
    parser = _Parser(
        prog='twolink', description='Dynamics, simulation and computed-torque control of serial '
        'arms, from their URDF.')
    parser.add_argument('--version', action='version', version=f'twolink {__version__}')
    subparsers = parser.add_subparsers(title='commands', metavar='COMMAND', required=True)
    for command in COMMANDS:
        command.add_parser(subparsers)
    return parser


def _one_line(text: object) -> str:
    return ' '.join(str(text).split())


def _show_warning(message: Warning | str, category: type[Warning], filename: str, lineno: int,
                  file: TextIO | None = None, line: str | None = None) -> None:
    sys.stderr.write(f'twolink: warning: {_one_line(message)}\n')


def _say(text: str) -> None:
    try:
        sys.stderr.write(f'twolink: {_one_line(text)}\n')
        sys.stderr.flush()
    except OSError:
        pass


def _os_error(error: OSError) -> str:
    name = getattr(error, 'filename', None)
    return f'{name}: {error.strerror}' if name and error.strerror else str(error)


def _silence_stdout() -> None:
    """Let nothing more be written to a reader that is gone, not even at exit."""
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, sys.stdout.fileno())
    os.close(devnull)


def main(argv: Sequence[str] | None = None) -> int:
    """
    Run the command line.

    Parameters
    ----------
    argv : list of str, optional
        Without the program's name; ``sys.argv[1:]`` if not given.

    Returns
    -------
    status : int
        0 if all went well, 1 if not, 2 if the arguments make no sense, 130 after Ctrl-C.

    """
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        try:
            return _run(argv)
        except KeyboardInterrupt:
            _say('interrupted')
            return 130
        except BrokenPipeError:
            _silence_stdout()
            return 1
        except TwoLinkError as error:
            _say(f'error: {error}')
            # A value that cannot be is the user's; a motion that cannot be came of the arm.
            given = isinstance(error, ValueError) and not isinstance(error, TrajectoryError)
            return 2 if given else 1
        except OSError as error:
            _say(f'error: {_os_error(error)}')
            return 2 if isinstance(error, (FileNotFoundError, IsADirectoryError)) else 1
        except Exception as error:      # noqa: B902 - a fault of ours is one line, too
            if os.environ.get('TWOLINK_DEBUG'):
                raise
            _say(f'internal error: {type(error).__name__}: {error} (TWOLINK_DEBUG=1 shows where)')
            return 1


def _run(argv: Sequence[str] | None) -> int:
    try:
        parser = _parser()
        completion.complete(parser)
        args = parser.parse_args(argv)
        status = args.run(args)
    except SystemExit as stop:      # argparse has said why, or printed the help
        status = stop.code
    sys.stdout.flush()
    return status


if __name__ == '__main__':
    raise SystemExit(main())
