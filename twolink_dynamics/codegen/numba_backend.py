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

"""Compiling with numba, where it is installed and allowed: the only place that knows numba."""

from importlib.util import find_spec
import os
import sys

__all__ = ['numba_allowed']


def numba_allowed():
    """Tell whether numba may be used: it is installed, and not turned off."""
    if os.environ.get('TWOLINK_NUMBA', '') == '0':
        return False
    if not getattr(sys, '_is_gil_enabled', lambda: True)():
        return False  # two threads could meet in one arm's room
    return find_spec('numba') is not None
