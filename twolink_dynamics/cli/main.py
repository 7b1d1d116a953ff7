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
import warnings

from .. import __version__
from ..errors import TrajectoryError, TwoLinkError
from . import check, run

__all__ = ['COMMANDS', 'main']

COMMANDS = (run, check)


def _parser():
    parser = argparse.ArgumentParser(
        prog='twolink', description='Dynamics, simulation and computed-torque control of serial '
        'arms, from their URDF.')
    parser.add_argument('--version', action='version', version=f'twolink {__version__}')
    subparsers = parser.add_subparsers(title='commands', metavar='COMMAND', required=True)
    for command in COMMANDS:
        command.add_parser(subparsers)
    return parser


def _one_line(text):
    return ' '.join(str(text).split())


def _show_warning(message, category, filename, lineno, file=None, line=None):
    sys.stderr.write(f'twolink: warning: {_one_line(message)}\n')


def _say_error(error):
    try:
        sys.stderr.write(f'twolink: error: {_one_line(error)}\n')
        sys.stderr.flush()
    except OSError:
        pass


def _os_error(error):
    name = getattr(error, 'filename', None)
    return f'{name}: {error.strerror}' if name and error.strerror else str(error)


def _silence_stdout():
    """Let nothing more be written to a reader that is gone, not even at exit."""
    devnull = os.open(os.devnull, os.O_WRONLY)
    os.dup2(devnull, sys.stdout.fileno())
    os.close(devnull)


def main(argv=None):
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
    try:
        args = _parser().parse_args(argv)
    except SystemExit as stop:      # argparse has said why, or printed the help
        return stop.code
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        try:
            status = args.run(args)
            sys.stdout.flush()
            return status
        except KeyboardInterrupt:
            return 130
        except BrokenPipeError:
            _silence_stdout()
            return 1
        except TwoLinkError as error:
            _say_error(error)
            # A value that cannot be is the user's; a motion that cannot be came of the arm.
            given = isinstance(error, ValueError) and not isinstance(error, TrajectoryError)
            return 2 if given else 1
        except OSError as error:
            _say_error(_os_error(error))
            return 2 if isinstance(error, (FileNotFoundError, IsADirectoryError)) else 1


if __name__ == '__main__':
    raise SystemExit(main())
