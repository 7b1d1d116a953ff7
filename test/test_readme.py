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

"""What README.md shows works as it stands, and what it links to exists."""

from pathlib import Path
import re

import numpy as np
import pytest

import twolink_dynamics as tl

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = sorted(ROOT.glob('*.md')) + sorted((ROOT / 'docs').glob('*.md'))

if not DOCUMENTS:
    pytest.skip('not a source tree: the documents are not installed', allow_module_level=True)


def blocks(path, language):
    """Return the fenced code of one language in a document."""
    return re.findall(rf'^```{language}\n(.*?)^```', path.read_text(), re.MULTILINE | re.DOTALL)


def test_the_example_of_the_readme_runs_and_the_arm_gets_there(capsys):
    pytest.importorskip('xacro')
    names = {}
    for block in blocks(ROOT / 'README.md', 'python'):
        exec(compile(block, 'README.md', 'exec'), names)
    assert capsys.readouterr().out.count('[') >= 4
    run, arm = names['run'], names['arm']
    assert np.abs(run.error[0]).max() == pytest.approx(0.1)
    # The law knows nothing of friction, so e'' + 2 w e' + w^2 e = inv(M) f; critically damped, it
    # has a positive impulse response of area 1/w^2. The start decays as (1 + w t) exp(-w t).
    torque = arm.friction_torque(run.qd)[..., None]
    push = np.abs(np.linalg.solve(arm.mass_matrix(run.q), torque)).max()
    assert np.abs(run.error[-1]).max() < push / 10**2 + 0.1 * 21 * np.exp(-20)


@pytest.mark.parametrize('path', DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_link_leads_somewhere(path):
    for target in re.findall(r'\]\(([^)#\s]+)', path.read_text()):
        if not re.match(r'[a-z]+:', target):
            assert (path.parent / target).exists(), target


def test_every_public_name_of_the_readme_is_there():
    for name in set(re.findall(r'\btl\.(\w+)', (ROOT / 'README.md').read_text())):
        assert name in tl.__all__
