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

"""Share files belong to the code that asks for them."""

import os
from pathlib import Path
import shutil
import subprocess
import sys

import pytest

from twolink_dynamics.errors import ShareFileError, TwoLinkError
from twolink_dynamics.share import share_path

ROOT = Path(__file__).resolve().parents[1]
CODE = 'from twolink_dynamics.share import share_path; print(share_path("urdf", "arm.urdf"))'


def lay(prefix, packages='lib/python3/site-packages'):
    """Lay an installed copy under a prefix: the code, and share files that tell it apart."""
    code, share = prefix / packages / 'twolink_dynamics', prefix / 'share' / 'twolink_dynamics'
    code.mkdir(parents=True)
    (share / 'urdf').mkdir(parents=True)
    (code / '__init__.py').touch()
    for name in ('share.py', 'errors.py'):
        shutil.copy(ROOT / 'twolink_dynamics' / name, code)
    (share / 'package.xml').touch()
    (share / 'urdf' / 'arm.urdf').touch()
    return code.parent


def found(packages, cwd, **env):
    """Return the path that the copy under these packages finds."""
    run = subprocess.run(
        [sys.executable, '-c', CODE], cwd=cwd, capture_output=True, text=True, check=True,
        env={**os.environ, 'PYTHONPATH': str(packages), **env})
    return Path(run.stdout.strip())


def test_the_source_tree_has_its_own():
    assert share_path('package.xml').read_text() == (ROOT / 'package.xml').read_text()
    assert share_path('urdf').is_dir()
    assert share_path().is_absolute()


@pytest.mark.parametrize('packages', [
    'lib/python3/site-packages', 'local/lib/python3.10/dist-packages', '.'])
def test_an_installed_copy_finds_the_share_folder_of_its_prefix(tmp_path, packages):
    where = lay(tmp_path / 'prefix', packages)
    assert found(where, tmp_path) == tmp_path / 'prefix/share/twolink_dynamics/urdf/arm.urdf'


def test_a_copy_in_an_underlay_does_not_mix_in(tmp_path):
    overlay, _ = lay(tmp_path / 'overlay'), lay(tmp_path / 'underlay')
    path = found(overlay, tmp_path, AMENT_PREFIX_PATH=str(tmp_path / 'underlay'))
    assert path == tmp_path / 'overlay/share/twolink_dynamics/urdf/arm.urdf'


def test_code_apart_from_its_prefix_asks_the_sourced_prefixes(tmp_path):
    where = lay(tmp_path / 'prefix')
    shutil.move(str(where), str(tmp_path / 'apart'))
    prefixes = os.pathsep.join(['', str(tmp_path / 'other'), str(tmp_path / 'prefix')])
    path = found(tmp_path / 'apart', tmp_path, AMENT_PREFIX_PATH=prefixes)
    assert path == tmp_path / 'prefix/share/twolink_dynamics/urdf/arm.urdf'


def test_code_linked_from_a_source_tree_finds_the_source_tree(tmp_path):
    """As colcon build --symlink-install links it into its build folder."""
    where = lay(tmp_path / 'source', '.')
    for name in ('setup.py', 'package.xml'):
        (tmp_path / 'source' / name).touch()
    (tmp_path / 'source' / 'urdf').mkdir()
    (tmp_path / 'source' / 'urdf' / 'arm.urdf').touch()
    (tmp_path / 'build').mkdir()
    (tmp_path / 'build' / 'twolink_dynamics').symlink_to(where / 'twolink_dynamics')
    assert found(tmp_path / 'build', tmp_path) == tmp_path / 'source/urdf/arm.urdf'


def test_a_missing_file_is_an_error_that_says_where_it_was_looked_for():
    with pytest.raises(ShareFileError, match='urdf/no.urdf: expected in') as caught:
        share_path('urdf', 'no.urdf')
    assert isinstance(caught.value, (TwoLinkError, FileNotFoundError))
    assert caught.value.file == 'urdf/no.urdf'
    assert Path(caught.value.folder) == ROOT
    assert '\n' not in str(caught.value)
