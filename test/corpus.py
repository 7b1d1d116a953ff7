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
The optional corpus of real URDFs with oracle values, for tests: `../shared/corpus`.

A user's clone has none; ``TWOLINK_CORPUS`` names another folder.

"""

import json
import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
CORPUS = Path(os.environ.get('TWOLINK_CORPUS', ROOT.parent / 'shared' / 'corpus'))

needs_corpus = pytest.mark.skipif(
    not (CORPUS / 'index.csv').is_file(),
    reason=f'no corpus of real URDFs at {CORPUS} (TWOLINK_CORPUS names another folder)')


def corpus_names():
    """Return the names of all models, sorted; none without the corpus."""
    return sorted(path.stem for path in (CORPUS / 'urdf').glob('*.urdf'))


def corpus_file(name):
    """Return the path of a model's URDF."""
    return CORPUS / 'urdf' / f'{name}.urdf'


def oracle(name):
    """Return the oracle values of a model, as they are in its JSON file."""
    return json.loads((CORPUS / 'oracle' / f'{name}.json').read_text(encoding='utf-8'))
