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
Compiled code by numba, where it is installed and allowed: the only place that knows numba.

The environment variable ``TWOLINK_NUMBA=0`` turns it off. What is compiled is source text, whose
functions have fixed signatures and never compile on a call. It is kept in a file named after its
digest, in the user's cache directory (``TWOLINK_CACHE_DIR``, or ``twolink_dynamics`` in
``XDG_CACHE_HOME``), with numba's machine code beside it: every process that has the same source
loads it in a fraction of a second, and a change of the source is another file.

"""

from __future__ import annotations

import functools
import hashlib
import importlib.machinery
import importlib.util
import os
from pathlib import Path
import sys
import tempfile
from types import ModuleType

__all__ = ['compiled_module', 'numba_allowed']

HEADER = """from __future__ import annotations

from math import cos, sin

from numba import njit as numba_njit
from numpy import zeros

# Without a file of its own there is nothing to keep machine code beside.
CACHE = '__file__' in globals()


def njit(*signature):
    return numba_njit(*signature, cache=CACHE and bool(signature), error_model='numpy')
"""


def numba_allowed() -> bool:
    """Tell whether numba may be used: it is installed, and not turned off."""
    if os.environ.get('TWOLINK_NUMBA', '') == '0':
        return False
    if not getattr(sys, '_is_gil_enabled', lambda: True)():
        return False  # two threads could meet in one arm's room
    return importlib.util.find_spec('numba') is not None


@functools.lru_cache(maxsize=None)
def compiled_module(source: str) -> ModuleType:
    """
    Return a module of compiled functions.

    Parameters
    ----------
    source : str
        Python source whose functions are decorated with ``@njit('signature')``, or with
        ``@njit()`` where only others of the source call them; `njit`, `cos`, `sin` and
        NumPy's `zeros` are there.

    Returns
    -------
    module : module
        Its functions are compiled, or loaded from the cache.

    """
    text = f'{HEADER}\n\n{source}'
    name = f'twolink_{hashlib.sha256(text.encode()).hexdigest()[:24]}'
    try:
        path = _kept(name, text)
    except (OSError, RuntimeError):  # nowhere to write, or no home: anew in each process
        module = ModuleType(name)
        exec(compile(text, f'<{name}>', 'exec'), vars(module))
        return module
    loader = importlib.machinery.SourceFileLoader(name, str(path))
    spec = importlib.util.spec_from_loader(name, loader)
    assert spec is not None  # a loader was given
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def _kept(name: str, text: str) -> Path:
    """Return the file of a source; it is written whole or not at all, whoever else does too."""
    home = os.environ.get('TWOLINK_CACHE_DIR')
    folder = Path(home) if home else Path(
        os.environ.get('XDG_CACHE_HOME') or Path('~/.cache').expanduser(), 'twolink_dynamics')
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f'{name}.py'
    if not path.exists():
        handle, draft = tempfile.mkstemp(dir=folder, suffix='.draft')
        with os.fdopen(handle, 'w', encoding='utf-8') as file:
            file.write(text)
        os.replace(draft, path)
    if not os.access(folder, os.W_OK):
        raise OSError(f'{folder} cannot be written')
    return path
