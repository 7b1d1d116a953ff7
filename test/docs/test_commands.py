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
What the documents tell a reader to do is done here, page by page, in a copy of the source tree.

Commands run in a shell with this package on its path (plain ones of `twolink` in this process: an
import takes longer than most of them), Python runs, files are written, and what comes out is
compared with what is shown. What is not run is in LEFT_OUT, with the reason; runs of two processes
are short, and left to the one with the most options.

"""

from importlib.util import find_spec
import os
from pathlib import Path
import re
import shlex
import shutil
import signal
import subprocess
import sys

from doc_blocks import (
    alike, anchors, commands_of, links, read_blocks, unlike, unmarked_commands)
import pytest
from ros_domain import take_domain

from twolink_dynamics.cli.main import main

ROOT = Path(__file__).resolve().parents[2]
FIRST = ('README.md', 'docs/README.md', 'docs/quick_start.md', 'docs/installation.md')

# --- what is not run, and what is run in another way -------------------------------------------

LEFT_OUT = (
    (r'ros2|colcon|rosdep|.*\binstall/setup\.bash', 'needs a ROS 2 installation'),
    (r'rviz2|plotjuggler', 'needs a ROS 2 installation and a screen'),
    (r'twolink plot first_run', 'needs a bag that ROS 2 has recorded'),
    (r'(sudo )?(apt|pip|git|mkdir -p ws\b.*git|python3? -m (venv|pip)) ', 'needs the network'),
    (r'(source|\.) ', 'the shell of this test has its environment already'),
    (r'make (test|lint|clean|PYTHON=)|\.ci/run', 'runs these tests, or undoes what they need'),
    (r'(sudo )?(chrt|setcap|usermod|sysctl|taskset|ulimit)\b', 'needs rights, or a real arm'),
    (r'python3? benchmarks/', 'takes minutes; that it starts is tested below'),
)
if find_spec('viser') is None:
    LEFT_OUT += (r'twolink view', 'needs viser'),
# Beginning of a command that stays until Ctrl-C; it is given that as soon as it has said this.
STAYS = (
    (r'twolink view', r'http'),
    (r'python3? (-m twolink_dynamics\.nodes\.|my_controller\.py)', r': .* joints \w+, \w+'),
)
NEEDS = (
    (r'twolink run|make sim|twolink_dynamics\.nodes', 'rclpy'),
    (r'--plot|twolink (plot|animate)|\.png|matplotlib', 'matplotlib'),
    (r'twolink equations', 'sympy'),
    (r'\.xacro', 'xacro'),
)
# The files of the reader's own that a page speaks of.
OWN_FILES = {
    'docs/conventions.md': {'arm.urdf': (
        '<robot name="own"><link name="shoulder"/><link name="arm"><inertial><mass value="1"/>'
        '<inertia ixx="1" iyy="1" izz="1"/></inertial></link><joint name="joint1" '
        'type="continuous"><parent link="shoulder"/><child link="arm"/></joint></robot>')},
    'docs/kinematics.md': {  # theory.md K2
        'dh.dat': '0 0 0\n-90 0 0\n0 24 6\n-90 2 24\n90 0 0\n-90 0 0\n',
        'Tdes.dat': '-.707106 0 .707106 12\n0 -1 0 12\n.707106 0 .707106 -12\n0 0 0 1\n',
        'theta.dat': '24 103 145 215 29.2 30\n'},
}


def as_run(command):
    """Return a command as it is run here: what make would start, and in little time."""
    sim = re.match(r"make sim(?: ARGS=(?:'([^']*)'|(\S+)))?\s*(#.*)?$", command)
    if sim:  # test_make.py shows that make gets as far as this
        command = f'twolink run {sim[1] or sim[2] or ""}'
    if re.match(r'twolink run\b(?!.*(--help|--lockstep))', command):
        command = f'{command.split(" #")[0]} --lockstep --duration 1'
    return command


def options_of(command):
    """Return what of a command is run: the command, its options and whether it has a URDF."""
    return {re.sub(r'.*\.(urdf|xacro)$', 'URDF', word) for word in shlex.split(command)
            if not re.search(r'\.(png|csv|npz)$|^[\d.]+$', word)}


def in_this_process(command):
    """Tell whether a command of `twolink` needs neither a shell nor processes."""
    return re.match(r'twolink (?!run\b|view\b)[^|&;<>$`]*$', command.split(' #')[0])


def left_out(command):
    """Return why a command is not run, or None."""
    return next((why for pattern, why in LEFT_OUT if re.match(pattern, command)), None)


# --- the pages ----------------------------------------------------------------------------------

def pages():
    """Return the documents, those that are read first in front."""
    found = [*sorted(ROOT.glob('*.md')), *sorted((ROOT / 'docs').rglob('*.md'))]
    order = {ROOT / name: k for k, name in enumerate(FIRST)}
    return sorted(found, key=lambda path: order.get(path, len(order)))


PAGES = {path.relative_to(ROOT).as_posix(): read_blocks(path) for path in pages()}
if not any(name.startswith('docs/') for name in PAGES):
    pytest.skip('not a source tree: the documents are not installed', allow_module_level=True)
COMMANDS = [(page, command) for page, blocks in PAGES.items() for block in blocks
            if block.language in ('sh', 'console') and not block.name
            for command, _, _ in block.commands]
RUNS = [options_of(as_run(command)) for _, command in COMMANDS
        if as_run(command) != command and 'twolink run' in as_run(command)]
NOT_RUN = [(page, command, left_out(command)) for page, command in COMMANDS if left_out(command)]


@pytest.fixture(scope='module')
def shell(tmp_path_factory):
    """Return the environment of a shell that has this package and no other."""
    bin_ = tmp_path_factory.mktemp('bin')
    for name, arguments in (('twolink', ' -m twolink_dynamics.cli'), ('python', ''),
                            ('python3', '')):
        (bin_ / name).write_text(
            f'#!/bin/sh\nexec {shlex.quote(sys.executable)}{arguments} "$@"\n')
        (bin_ / name).chmod(0o755)
    domain, lock = take_domain()
    yield {**os.environ, 'PATH': f'{bin_}{os.pathsep}{os.environ["PATH"]}', 'MPLBACKEND': 'Agg',
           'ROS_DOMAIN_ID': str(domain), 'COLUMNS': '100'}
    lock.close()


class Reader:
    """Someone who does what a page says, in a clone of the source tree."""

    runs_seen = []      # the options of each twolink run

    def __init__(self, page, folder, shell):
        self.page, self.folder, self.names, self.output = page, folder, {}, ''
        shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(
            '.*', 'build', 'install', 'log', '*.egg-info'))
        shutil.copy(ROOT / 'docs' / 'tutorials' / 'my_arm.urdf', folder)
        self.shell = {**shell, 'PYTHONPATH': os.pathsep.join(
            filter(None, (str(folder), shell.get('PYTHONPATH'))))}

    def does(self, block, capsys):
        """Do what a block says."""
        where = f'{self.page}:{block.line}'
        if block.name:
            (self.folder / block.name).write_text(block.text, encoding='utf-8')
        elif block.language == 'python':
            exec(compile(block.text, where, 'exec'), self.names)
            self.output = capsys.readouterr().out
        elif block.language in ('sh', 'console'):
            self.output, staying = '', []
            try:
                for command, status, shown in block.commands:
                    if not left_out(command):
                        self.runs(f'{where}: {command}', command, status, shown, staying, capsys)
            finally:
                self.leaves(staying)
        elif block.language == 'text':
            missing = unlike(block.text, self.output)
            assert missing is None, f'{where}: {missing!r} is not in\n{self.output}'

    def runs(self, where, command, status, shown, staying, capsys):
        """Run a command of the shell."""
        says = next((words for pattern, words in STAYS if re.match(pattern, command)), None)
        if says:
            staying.append((where, self.starts(command, 'exec ')))
            for line in staying[-1][1].stdout:
                self.output += line
                if re.search(says, line):
                    return
            raise AssertionError(f'{where}\nended before it was ready\n{self.output}')
        if in_this_process(command):
            returned = main(shlex.split(command, comments=True)[1:])
            output = ''.join(capsys.readouterr())
        elif self.repeats(command):
            return
        else:
            process = self.starts(as_run(command))
            output, _ = process.communicate(timeout=120)
            returned = process.returncode
        self.output += output
        assert returned == status, f'{where}\n{output}'
        assert 'Traceback' not in output, f'{where}\n{output}'
        missing = unlike(shown or '', output)
        assert missing is None, f'{where}: {missing!r} is not in\n{output}'

    def starts(self, command, how=''):
        """Return the process of a command."""
        return subprocess.Popen(
            ['bash', '-euc', how + command], cwd=self.folder, env=self.shell,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def repeats(self, command):
        """Tell whether a short run has been made, or another one has all its options and more."""
        if as_run(command) == command or not as_run(command).startswith('twolink run'):
            return False
        options = options_of(as_run(command))
        known = options in self.runs_seen or any(options < other for other in RUNS)
        self.runs_seen.append(options)
        return known

    def leaves(self, staying):
        """End what stays until Ctrl-C, the last first; it ends well."""
        for _, process in reversed(staying):
            process.send_signal(signal.SIGINT)
        for where, process in reversed(staying):
            output, _ = process.communicate(timeout=60)
            self.output += output
            assert process.returncode in (0, 130), f'{where}\n{output}'


@pytest.mark.parametrize('page', [page for page, blocks in PAGES.items() if any(
    block.language in ('sh', 'console', 'python') for block in blocks)])
def test_what_a_page_says_can_be_done(page, shell, tmp_path, monkeypatch, capsys):
    for pattern, module in NEEDS:
        if any(re.search(pattern, block.text) for block in PAGES[page]
               if block.language in ('sh', 'console', 'python')):
            pytest.importorskip(module)
    reader = Reader(page, tmp_path / 'clone', shell)
    monkeypatch.chdir(reader.folder)
    monkeypatch.syspath_prepend(str(reader.folder))
    monkeypatch.setenv('COLUMNS', '100')
    for name, text in OWN_FILES.get(page, {}).items():
        (reader.folder / name).write_text(text, encoding='utf-8')
    before = set(sys.modules)
    try:
        for block in PAGES[page]:
            reader.does(block, capsys)
    finally:
        for name in set(sys.modules) - before:
            if str(getattr(sys.modules[name], '__file__', '')).startswith(str(reader.folder)):
                del sys.modules[name]       # the reader's own files are the next reader's, too


@pytest.mark.parametrize('page, command, why', NOT_RUN)
def test_what_is_not_run_has_its_reason(page, command, why):
    pytest.skip(f'{page}: {command}: {why}')


@pytest.mark.parametrize('command', sorted({
    command.split(' #')[0].rstrip() for _, command in COMMANDS if ' benchmarks/' in command}))
def test_a_benchmark_starts_and_has_the_options_shown(command, shell):
    text = (ROOT / command.split()[1]).read_text(encoding='utf-8')
    for module in re.findall(r'^import (mujoco|pinocchio)', text, re.MULTILINE):
        pytest.importorskip(module)
    run = subprocess.run([sys.executable, *command.split()[1:2], '--help'], cwd=ROOT, env={
        **shell, 'PYTHONPATH': str(ROOT)}, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert all(option in run.stdout for option in re.findall(r'--\w+', command))


@pytest.mark.parametrize('page', PAGES)
def test_links_lead_to_files_and_headings(page):
    for target in links(ROOT / page):
        path, _, anchor = target.partition('#')
        file = (ROOT / page).parent / path if path else ROOT / page
        assert file.exists(), target
        assert not anchor or file.suffix != '.md' or anchor in anchors(file), target


@pytest.mark.parametrize('page', PAGES)
def test_commands_are_marked_as_such(page):
    assert unmarked_commands(PAGES[page]) == []


def test_commands_are_read_with_their_output_and_their_exit_status():
    assert commands_of('$ twolink a \\\n   b\none\ntwo\n$ c # exit status 1\n', True) == [
        ('twolink a b', 0, 'one\ntwo'), ('c # exit status 1', 1, None)]
    assert commands_of("# words\ncat > f <<'E'\nx\nE\nls\n") == [
        ("cat > f <<'E'\nx\nE", 0, None), ('ls', 0, None)]


def test_output_is_compared_line_by_line_and_number_by_number():
    assert alike('joint1  0.50 mrad', 'joint1 0.501 mrad')
    assert not alike('joint1  0.50 mrad', 'joint1 0.55 mrad')
    assert not alike('joint1  0.50 mrad', 'joint2 0.50 mrad')
    assert alike('residual 1e-16', 'residual -3e-12')
    assert alike('29 x real time', '3 x real time')
    assert unlike('a\n...\nc\n', 'a\nb\nb\nc\n') is None
    assert unlike('a\nc\n', 'a\nb\nc\n') == 'c'
    assert unlike('a\nb\n', 'a\n') == 'b'


def test_what_make_starts_is_run_in_little_time():
    assert options_of('twolink run a.urdf --plot b.png --duration 1') == {
        'twolink', 'run', 'URDF', '--plot', '--duration'}
    assert as_run("make sim ARGS='--plot a.png'  # a picture") == (
        'twolink run --plot a.png --lockstep --duration 1')
    assert as_run('twolink run --lockstep --duration 5') == 'twolink run --lockstep --duration 5'
