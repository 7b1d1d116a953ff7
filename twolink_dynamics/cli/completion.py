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

"""``twolink completion``: what a shell needs to complete the command line."""

import argparse
import os
from typing import Any, Callable, Sequence

from twolink_dynamics.cli.arguments import add_command, Subparsers
from twolink_dynamics.cli.text import say
from twolink_dynamics.errors import MissingDependencyError

__all__ = ['add_parser', 'complete', 'run']

SHELLS = ('bash', 'zsh', 'fish', 'tcsh')
DESCRIPTION = (
    'Print the lines with which a shell completes twolink: its commands, their options, and what '
    'these can be.')
EXAMPLE = """examples:
  eval "$(twolink completion bash)"                                 # in ~/.bashrc
  autoload -Uz compinit && compinit; eval "$(twolink completion zsh)"      # in ~/.zshrc
  twolink completion fish > ~/.config/fish/completions/twolink.fish
  eval `twolink completion tcsh`                                    # in ~/.tcshrc
"""
ARMS, LOGS = ('urdf', 'xacro'), ('csv', 'npz', 'mcap', 'db3')
# Arguments whose files have certain suffixes, by their names in the parser.
SUFFIXES = {'urdf': ARMS, 'plant': ARMS, 'log': LOGS, 'source': ARMS + LOGS}


def add_parser(subparsers: Subparsers) -> None:
    """
    Add the arguments of this command.

    Parameters
    ----------
    subparsers : argparse action

    """
    parser = add_command(
        subparsers, 'completion', 'print what a shell needs to complete twolink',
        DESCRIPTION, EXAMPLE, run)
    parser.add_argument('shell', choices=SHELLS, help='which shell')


def run(args: argparse.Namespace) -> int:
    """
    Run the command.

    Parameters
    ----------
    args : argparse.Namespace

    Returns
    -------
    status : int

    """
    try:
        import argcomplete
    except ImportError:
        raise MissingDependencyError('argcomplete', 'completion', 'completion') from None
    say(argcomplete.shellcode(['twolink'], shell=args.shell).rstrip())
    return 0


def complete(parser: argparse.ArgumentParser) -> None:
    """
    Answer a shell that asks how a line goes on, and exit; return at once if none asks.

    Parameters
    ----------
    parser : argparse.ArgumentParser

    """
    if '_ARGCOMPLETE' not in os.environ:
        return
    try:
        import argcomplete
    except ImportError:
        raise SystemExit(1) from None
    _name_suffixes(parser, argcomplete.completers.FilesCompleter)
    argcomplete.autocomplete(parser)


def _name_suffixes(parser: argparse.ArgumentParser, files: Callable[[Sequence[str]], Any]) -> None:
    """Say of each argument for a file which suffixes it wants."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                _name_suffixes(command, files)
        elif action.dest in SUFFIXES and not action.choices:
            writes = action.dest == 'log' and action.option_strings
            setattr(action, 'completer',
                    files(('csv', 'npz') if writes else SUFFIXES[action.dest]))
