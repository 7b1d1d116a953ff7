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

"""Find the files this package installs under share: models, parameter tables, launch files."""

from __future__ import annotations

import os
from pathlib import Path
import sys

from twolink_dynamics.errors import ShareFileError

_PACKAGE = 'twolink_dynamics'


def share_path(*parts: str) -> Path:
    """
    Return the path of a file or folder of this package's share folder.

    The files belong to the code that asks: next to it in a source tree (also one that is
    installed editable or by ``colcon build --symlink-install``), else under
    ``share/twolink_dynamics`` of the prefix the code is installed in, be that a virtual
    environment, a colcon workspace or a ROS installation. Another copy of this package in an
    underlay never mixes in.

    Parameters
    ----------
    *parts : str
        The path within the share folder, such as ``'urdf', 'twolink.urdf.xacro'``.

    Returns
    -------
    path : pathlib.Path
        An absolute path that exists.

    Raises
    ------
    ShareFileError
        If there is no such file, or no share folder at all.

    Examples
    --------
    >>> share_path('package.xml').name
    'package.xml'

    """
    root = _share_root(Path(__file__))
    path = root.joinpath(*parts)
    if not path.exists():
        raise ShareFileError('/'.join(parts), root)
    return path


def _share_root(module: Path) -> Path:
    """Return the share folder that belongs to the module at this path."""
    source = module.resolve().parents[1]
    if (source / 'setup.py').is_file() and (source / 'package.xml').is_file():
        return source
    sourced = filter(None, os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep))
    prefixes = [*module.absolute().parents, Path(sys.prefix), *map(Path, sourced)]
    for prefix in prefixes:
        share = prefix / 'share' / _PACKAGE
        if (share / 'package.xml').is_file():
            return share
    raise ShareFileError('package.xml', module.absolute().parent)
