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

"""What docs/simulation.md shows works as it stands."""

from pathlib import Path
import re

import pytest

PAGE = Path(__file__).resolve().parents[2] / 'docs' / 'simulation.md'


def test_the_page_runs_from_top_to_bottom(tmp_path, monkeypatch):
    pytest.importorskip('matplotlib')
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r'```python\n(.*?)```', PAGE.read_text(encoding='utf-8'), re.DOTALL)
    names = {}
    for block in blocks:
        exec(block, names)
    assert len(blocks) == 5
    assert {path.name for path in tmp_path.iterdir()} == {'run.csv', 'run.png', 'spread.png'}
    assert names['batch'].q.shape == (200, 201, 2)
    # The integrator's error under rk4, far above rounding and far below a millijoule.
    assert abs(names['run'].energy_residual).max() < 1e-9


def test_every_option_of_the_plant_is_on_the_page():
    from dataclasses import fields

    from twolink_dynamics.simulation import PlantOptions

    text = PAGE.read_text(encoding='utf-8')
    for field in fields(PlantOptions):
        assert f'`{field.name}`' in text, field.name
