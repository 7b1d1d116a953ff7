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

"""``twolink compare``: the laws side by side, and the table of the documents."""

import json
import math
from pathlib import Path
import re

from arms import LIMITED
import pytest

from twolink_dynamics import load_arm, share_path
from twolink_dynamics.cli.compare import as_markdown
from twolink_dynamics.cli.main import main
from twolink_dynamics.errors import ParameterError
from twolink_dynamics.registry import names
from twolink_dynamics.studies.law_comparison import CASES, compare, comparison_motion
from twolink_dynamics.trajectory import find_excess

PAGE = Path(__file__).resolve().parents[2] / 'docs' / 'control.md'
SLOW = ('adaptive', 'operational_space')
QUICK = [name for name in names('law') if name not in SLOW]


@pytest.fixture(scope='module')
def arm():
    """Return the package's arm."""
    return load_arm(str(share_path('urdf', 'twolink.urdf')))


@pytest.fixture(scope='module')
def quick(arm):
    """Return the comparison of all laws that are quick, in every case."""
    return compare(arm, QUICK, failure=0.05)


@pytest.fixture(scope='module')
def slow(arm):
    """Return that of the others with what they are for."""
    return compare(arm, SLOW, ['heavy'], failure=0.05)


def tables(text):
    """Return the tables of a text: a dictionary of cells by row and column for each."""
    found, header = [], None
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip('|').split('|')]
        if not line.startswith('|'):
            header = None
        elif header is None:
            header = cells
            found.append({})
        elif '---' not in line:
            found[-1].update({(cells[0], column): cell
                              for column, cell in zip(header[1:], cells[1:])})
    return found


def of_the_page():
    """Return the tables of the page that the command has printed."""
    return tables(re.search(r'<!-- twolink compare --markdown -->(.*)<!-- end -->',
                            PAGE.read_text(), re.DOTALL)[1])


@pytest.mark.parametrize('part', ['quick', 'slow'])
def test_the_documents_show_what_comes_out(part, request):
    shown, now = of_the_page(), tables('\n'.join(as_markdown(request.getfixturevalue(part))))
    assert len(shown) == len(now) == 3
    for old, new in zip(shown, now):
        for key, cell in new.items():
            assert cell.endswith('*') == old[key].endswith('*'), key
            # To the three digits printed, and a last digit that depends on the platform's sums;
            # what a law leaves of held efforts is a difference of nearly equal numbers.
            assert float(cell.strip('*')) == pytest.approx(float(old[key].strip('*')), rel=0.02)


def test_the_documents_show_every_law_in_every_case():
    rows = [f'`{name}`' for name in names('law')] + ['`adaptive`, time 2', '`adaptive`, time 3']
    wanted = {(row, case.title) for row in rows for case in CASES.values()}
    assert [set(table) for table in of_the_page()] == [wanted] * 3


def test_under_mismatch_the_laws_rank_as_the_theory_says(quick, slow):
    rms = {law: {case: figures['rms'] for case, figures in row.items()}
           for law, row in {**quick.rows, **slow.rows}.items()}
    for case in ('heavy', 'light', 'friction', 'payload'):
        assert rms['passivity'][case] < rms['independent_pid'][case]
    times = [rms[f'adaptive{time}']['heavy'] for time in ('', ', time 2', ', time 3')]
    assert times[0] < 0.2 * rms['independent_pid']['heavy']
    assert times[2] < times[1] < 0.5 * times[0]
    assert rms['sampled_computed_torque']['true'] < 0.01 * rms['computed_torque']['true']
    assert all(rms[law]['true'] < 1e-4 for law in QUICK if 'pid' not in law and 'gravity' not in
               law)
    failing = {law for law, row in quick.rows.items() if row['payload']['fails']}
    assert failing == {'gravity_pd', 'independent_pid'}


def test_a_law_that_cannot_hold_a_joint_is_said_to_fail(arm):
    result = compare(arm, ['independent_pid'], ['true'], natural_frequency=2.0)
    assert result.rows['independent_pid']['true']['fails'].startswith('0.1 off at ')
    unstable = compare(arm, ['computed_torque'], ['delay'], natural_frequency=200.0)
    assert unstable.rows['computed_torque']['delay']['fails']


def test_the_motion_is_within_the_limits_of_any_arm():
    limited = load_arm(LIMITED)
    assert find_excess(limited, comparison_motion(limited)) == []


def test_json_has_every_figure_and_no_more_than_numbers(capsys):
    assert main(['compare', '--json', '--laws', 'gravity_pd', '--cases', 'true', 'noise',
                 '--cycles', '1']) == 0
    out, err = capsys.readouterr()
    assert err == ''
    found = json.loads(out)
    assert set(found['laws']) == {'gravity_pd'} and set(found['cases']) == {'true', 'noise'}
    figures = found['laws']['gravity_pd']['noise']
    assert set(figures) == {'rms', 'peak', 'effort', 'use', 'fails'}
    assert 0.0 < figures['rms'] < figures['peak'] and 0.0 < figures['use'] < 1.0
    assert found['natural_frequency'] == 20.0


def test_text_has_a_table_for_each_figure_and_says_what_fails(capsys, tmp_path):
    urdf = tmp_path / 'limited.urdf'
    urdf.write_text(LIMITED)
    assert main(['compare', str(urdf), '--laws', 'computed_torque', 'independent_pid', '--cases',
                 'true', 'heavy', '--cycles', '1', '--failure', '0.002']) == 0
    out, _ = capsys.readouterr()
    lines = out.splitlines()
    assert sum(line.split()[:1] == ['computed_torque'] for line in lines) == 3
    assert any(re.match(r'\* fails: independent_pid, \+20 %: 0\.002 off at [\d.]+ s', line)
               for line in lines)
    header = next(line for line in lines if line.split()[:1] == ['law'])
    row = next(line for line in lines if line.split()[:1] == ['independent_pid'])
    assert len(header) == len(row)      # columns line up


def test_the_same_seed_gives_the_same_noise(arm):
    rows = [compare(arm, ['gravity_pd'], ['noise'], seed=seed).rows['gravity_pd']['noise']['rms']
            for seed in (0, 0, 1)]
    assert rows[0] == rows[1] != rows[2]


@pytest.mark.parametrize('arguments, says', [
    (['--laws', 'magic'], 'magic'), (['--cases', 'flood'], 'flood'),
    (['--natural-frequency', '-1'], 'above 0'), (['--failure', 'nan'], 'expected a number'),
    (['--seed', '-1'], 'seed'), (['--json', '--markdown'], 'not allowed'),
    (['missing.urdf'], 'missing.urdf')])
def test_what_cannot_be_is_one_line_and_status_two(capsys, arguments, says):
    assert main(['compare', *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == '' and says in err and err.count('\n') == 1


def test_an_unknown_law_or_case_is_refused_by_the_function_too(arm):
    for options in ({'laws': ['magic']}, {'cases': ['flood']}):
        with pytest.raises(ParameterError):
            compare(arm, **options)
    assert math.isfinite(compare(arm, ['gravity_pd'], ['true']).rows['gravity_pd']['true']['rms'])
