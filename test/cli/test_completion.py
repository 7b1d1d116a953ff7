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

"""A shell completes commands, options, what these can be, and files that fit."""

import os
from pathlib import Path
import shutil
import subprocess
import sys

import pytest

from twolink_dynamics import registry
from twolink_dynamics.cli.main import COMMANDS, main

pytest.importorskip('argcomplete', reason='the shell is answered by argcomplete')
ROOT = Path(__file__).resolve().parents[2]
FILES = ('arm.urdf', 'arm.xacro', 'run.csv', 'run.npz', 'bag.mcap', 'notes.txt')


@pytest.fixture
def folder(tmp_path):
    """Return a folder with a `twolink` to run and some files."""
    program = tmp_path / 'bin' / 'twolink'
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m twolink_dynamics.cli "$@"\n')
    program.chmod(0o755)
    for name in FILES:
        (tmp_path / name).touch()
    return tmp_path


def environment(folder):
    return {**os.environ, 'PATH': f'{folder}/bin:{os.environ["PATH"]}',
            'PYTHONPATH': os.pathsep.join([str(ROOT), *sys.path])}


def completions(folder, line):
    """Return how a line may go on."""
    answer = folder / 'answer'
    subprocess.run(
        ['twolink'], cwd=folder, check=False, capture_output=True, env={
            **environment(folder), '_ARGCOMPLETE': '1', 'COMP_LINE': line,
            'COMP_POINT': str(len(line)), '_ARGCOMPLETE_STDOUT_FILENAME': str(answer),
            '_ARGCOMPLETE_IFS': '\n'})
    return [word.strip() for word in answer.read_text().split('\n')]


def test_commands_and_what_options_can_be_are_completed(folder):
    names = {module.__name__.rpartition('.')[2] for module in COMMANDS}
    assert names <= set(completions(folder, 'twolink '))
    assert completions(folder, 'twolink simulate --law ') == ['none', *registry.names('law')]
    assert '--trajectory' in completions(folder, 'twolink run --t')


def test_files_are_those_that_fit(folder):
    assert {word for word in completions(folder, 'twolink info ') if word in FILES} == {
        'arm.urdf', 'arm.xacro'}
    assert {word for word in completions(folder, 'twolink plot ') if word in FILES} == {
        'run.csv', 'run.npz', 'bag.mcap'}


@pytest.mark.skipif(not shutil.which('bash'), reason='bash is not installed')
def test_bash_completes_with_the_lines_printed(folder):
    script = ('eval "$(twolink completion bash)"; COMP_LINE="twolink simul"; '
              'COMP_POINT=${#COMP_LINE}; COMP_TYPE=9; COMP_WORDS=(twolink simul); COMP_CWORD=1; '
              '_python_argcomplete twolink simul twolink; echo "${COMPREPLY[@]}"')
    run = subprocess.run(['bash', '-c', script], capture_output=True, text=True, cwd=folder,
                         env=environment(folder))
    assert run.stdout.split() == ['simulate']


@pytest.mark.parametrize('shell', ['bash', 'zsh', 'fish', 'tcsh'])
def test_every_shell_gets_its_lines(shell, capsys):
    assert main(['completion', shell]) == 0
    assert 'twolink' in capsys.readouterr().out


def test_other_shells_are_refused(capsys):
    assert main(['completion', 'cmd']) == 2
    assert 'cmd' in capsys.readouterr().err


def test_without_argcomplete_the_extra_is_named(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, 'argcomplete', None)
    assert main(['completion', 'bash']) == 1
    assert 'twolink_dynamics[completion]' in capsys.readouterr().err
