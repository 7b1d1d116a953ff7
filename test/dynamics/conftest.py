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

"""Show what the corpus gave: a table after the tests, model by model."""

import pytest


@pytest.fixture(scope='session')
def corpus_table(request):
    """Return the list of (model, class, joints, worst error or refusal, closed form)."""
    # Not config.stash: Humble's pytest has none.
    request.config.corpus_rows = rows = []
    return rows


def pytest_terminal_summary(terminalreporter, config):
    """Print the table."""
    rows = getattr(config, 'corpus_rows', [])
    if not rows:
        return
    terminalreporter.section('corpus: worst relative error against the oracle')
    for name, kind, n, worst, closed in sorted(rows):
        result = worst if isinstance(worst, str) else f'{worst:.1e}'
        terminalreporter.line(f'{name:32} {kind} {n:2}  {result}'
                              + ('  closed form' if closed else ''))
