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

"""Every function says what it takes and returns, type checkers are told so, and mypy agrees."""

import ast
import importlib.metadata
from pathlib import Path
import subprocess
import sys

import pytest

import twolink_dynamics

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / 'twolink_dynamics'


def mypy_version():
    """Return the first number of mypy's version, 0 without it."""
    try:
        return int(importlib.metadata.version('mypy').partition('.')[0])
    except importlib.metadata.PackageNotFoundError:
        return 0


def untyped(tree, method=False):
    """Yield what functions leave open, those within functions and classes too: 'name: what'."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            spec = node.args
            given = [*spec.posonlyargs, *spec.args]
            static = any(getattr(mark, 'id', '') == 'staticmethod' for mark in node.decorator_list)
            if method and not static:
                given = given[1:]  # self, whose type is plain
            given += [*spec.kwonlyargs, *filter(None, [spec.vararg, spec.kwarg])]
            for argument in given:
                if argument.annotation is None:
                    yield f'{node.name}: {argument.arg}'
            if node.returns is None:
                yield f'{node.name}: what it returns'
        inside = isinstance(node, ast.stmt) and not isinstance(
            node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        yield from untyped(node, method if inside else isinstance(node, ast.ClassDef))


@pytest.mark.parametrize('path', sorted(PACKAGE.rglob('*.py')),
                         ids=lambda path: str(path.relative_to(PACKAGE)))
def test_every_function_has_types(path):
    assert list(untyped(ast.parse(path.read_text(encoding='utf-8')))) == []


@pytest.mark.parametrize('source, left_open', [
    ('def f(a, *b, c=1, **d): pass',
     ['f: a', 'f: c', 'f: b', 'f: d', 'f: what it returns']),
    ('class A:\n def m(self, x: int): pass', ['m: what it returns']),
    ('class A:\n @staticmethod\n def m(x) -> None: pass', ['m: x']),
    ('def f() -> None:\n if True:\n  def g(self) -> int: pass', ['g: self']),
    ('class A:\n if True:\n  async def m(self, *, x: int) -> None: pass', []),
])
def test_what_is_left_open_is_found(source, left_open):
    assert list(untyped(ast.parse(source))) == left_open


def test_type_checkers_are_told_of_the_types():
    assert (Path(twolink_dynamics.__file__).parent / 'py.typed').exists()
    call = next(node for node in ast.walk(ast.parse((ROOT / 'setup.py').read_text()))
                if isinstance(node, ast.Call) and getattr(node.func, 'id', '') == 'setup')
    data = next(ast.literal_eval(word.value) for word in call.keywords
                if word.arg == 'package_data')
    assert 'py.typed' in data['twolink_dynamics']


@pytest.mark.linter
@pytest.mark.skipif(mypy_version() < 1, reason='needs mypy 1.0 or newer')
def test_mypy_has_nothing_to_say():
    run = subprocess.run([sys.executable, '-m', 'mypy'], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


def test_mypy_passes_over_nothing():
    """Every check that is on by default stays on, for the whole package."""
    settings = (ROOT / 'setup.cfg').read_text().partition('[mypy]')[2]
    lines = [line.split('#')[0].strip() for line in settings.splitlines()]
    assert not [line for line in lines if line.startswith(
        ('[', 'disable_error_code', 'exclude', 'ignore_errors', 'follow_imports'))]
    assert {'packages = twolink_dynamics', 'strict_optional = true', 'check_untyped_defs = true',
            'warn_unused_ignores = true'} <= set(lines)
