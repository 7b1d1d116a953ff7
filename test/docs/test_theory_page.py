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

"""docs/theory.md has a place for every tag the code cites, and its links and tables are true."""

import importlib
from pathlib import Path
import re

import pytest

import twolink_dynamics as tl
from twolink_dynamics import TwoLinkArm

ROOT = Path(__file__).resolve().parents[2]
THEORY = (ROOT / 'docs' / 'theory.md').read_text(encoding='utf-8')
TESTS = (ROOT / 'test' / 'docs' / 'test_theory.py').read_text(encoding='utf-8')
TAGS = [f'{letter}{i}' for letter, last in zip('LNHKTC', (8, 8, 3, 2, 1, 4))
        for i in range(1, last + 1)]

# One tag or a range, and more of them behind commas; a letter alone is a section.
TAG = r'[LNHKTC]\d(?:\s*[-–]\s*[LNHKTC]?\d)?'
CITATION = re.compile(rf'theory\.md[\s`]+((?:{TAG}|[LNHKTC])(?:,\s+{TAG})*)\b')


def cited():
    """Return (file, tag) of every citation in the package."""
    found = []
    for path in sorted((ROOT / 'twolink_dynamics').rglob('*.py')):
        for match in CITATION.finditer(path.read_text(encoding='utf-8')):
            found += [(path.name, tag) for part in match.group(1).split(',') for tag in tags(part)]
    return found


def tags(part):
    """Return the tags of 'L4', 'N1-N6' or 'K'."""
    ends = re.findall(r'([LNHKTC]?)(\d?)', part.strip())
    ends = [end for end in ends if any(end)]
    letter, first = ends[0]
    last = ends[-1][1]
    return [f'{letter}{i}' for i in range(int(first), int(last) + 1)] if first else [letter]


def test_citations_are_understood():
    assert tags('L4') == ['L4'] and tags('N1-N3') == ['N1', 'N2', 'N3'] and tags(' K') == ['K']
    assert CITATION.search('see (theory.md N1-N6, L8).').group(1) == 'N1-N6, L8'
    assert CITATION.search('theory.md K1,\nwith').group(1) == 'K1'
    assert CITATION.search("theory.md\n    H2's D").group(1) == 'H2'
    assert CITATION.search('theory.md has it') is None


def test_every_tag_that_the_code_cites_is_on_the_page():
    found = cited()
    assert len(found) > 50
    for file, tag in found:
        anchor = f'\n## {tag}. ' if len(tag) == 1 else f'<a id="eq-{tag.lower()}"></a>**({tag})**'
        assert anchor in THEORY, f'{file} cites theory.md {tag}'


@pytest.mark.parametrize('tag', TAGS)
def test_every_tag_stands_once_on_the_page_and_has_a_test(tag):
    assert THEORY.count(f'<a id="eq-{tag.lower()}"></a>**({tag})**') == 1
    names = re.findall(r'^def (test_\w+)', TESTS, re.MULTILINE)
    assert any(tag.lower() in name.split('_') for name in names)


def test_links_on_the_page_lead_somewhere():
    ids = set(re.findall(r'<a id="(.+?)">', THEORY))
    for heading in re.findall(r'^#+ (.+)$', THEORY, re.MULTILINE):
        plain = re.sub(r'[^\w\- ]', '', heading.lower())
        ids.add(plain.replace(' ', '-'))
    for target in re.findall(r'\]\((.+?)\)', THEORY):
        file, _, anchor = target.partition('#')
        assert not file or (ROOT / 'docs' / file).is_file(), target
        assert not anchor or file or anchor in ids, target


def test_the_table_names_methods_and_modules_that_exist():
    table = THEORY.split('## Where each equation is')[1]
    arm = TwoLinkArm()
    rows = re.findall(r'^\| (?!tag|---)(.+?) \| (.*?) \| (.+?) \|$', table, re.MULTILINE)
    assert len(rows) >= 18
    covered = ' '.join(row[0] for row in rows)
    assert [tag for tag in TAGS if f'#eq-{tag.lower()})' not in covered
            and tag not in ('N2', 'N3')] == []       # N1 to N4 stand in one row
    for _, public, modules in rows:
        for name in re.findall(r'`([\w.]+)`', modules):
            importlib.import_module(f'twolink_dynamics.{name}')
        for name in re.findall(r'`([\w.]+)[`(]', public):
            assert hasattr(arm, name) or hasattr(tl, name.split('.')[0]), name


def test_math_is_closed_and_inline_math_stays_in_one_line():
    text = re.sub(r'```math\n(.*?)```', lambda match: check_balanced(match.group(1)), THEORY,
                  flags=re.DOTALL)
    text = re.sub(r'```.*?```|`[^`\n]*`', '', text, flags=re.DOTALL)
    for line in text.splitlines():
        parts = line.split('$')
        assert len(parts) % 2 == 1, line
        for formula in parts[1::2]:
            check_balanced(formula)
            assert formula and not formula[0].isspace() and not formula[-1].isspace(), line


def check_balanced(formula):
    """Assert that braces, brackets and environments of a formula are closed."""
    assert formula.count('{') == formula.count('}'), formula
    assert len(re.findall(r'\\left\b', formula)) == len(re.findall(r'\\right\b', formula)), formula
    begun, ended = (re.findall(rf'\\{word}\{{(\w+)\}}', formula) for word in ('begin', 'end'))
    assert sorted(begun) == sorted(ended), formula
    return ''
