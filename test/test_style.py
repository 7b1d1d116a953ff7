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

"""The style is what ament's linters ask for."""

import importlib.metadata
from pathlib import Path
import subprocess
import sys

import pytest

ROOT = Path(__file__).resolve().parents[1]
PLUGINS = [
    'flake8', 'flake8-builtins', 'flake8-comprehensions', 'flake8-docstrings',
    'flake8-import-order', 'flake8-quotes']


def missing(names):
    """Return those of some distributions that are not installed."""
    found = {(dist.metadata['Name'] or '').lower().replace('_', '-')
             for dist in importlib.metadata.distributions()}
    return [name for name in names if name not in found]


@pytest.mark.linter
@pytest.mark.skipif(bool(missing(PLUGINS)), reason=f'not installed: {missing(PLUGINS)}')
def test_flake8_has_nothing_to_say():
    run = subprocess.run([sys.executable, '-m', 'flake8', '--config', str(ROOT / 'setup.cfg')],
                         cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
