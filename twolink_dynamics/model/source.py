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

"""Where a URDF comes from: a path or the text itself, expanded where it is xacro."""

from __future__ import annotations

import os
from typing import Mapping, Union

from twolink_dynamics.errors import MissingDependencyError, ParameterError, UrdfError

__all__ = ['Source', 'read_source', 'xml_text']

#: A path, or the text of a URDF.
Source = Union[str, bytes, 'os.PathLike[str]']


def read_source(source: Source,
                xacro_args: Mapping[str, str] | None = None) -> tuple[str | bytes, str]:
    """
    Return the XML text of a URDF given as a path or as text, expanding xacro.

    Parameters
    ----------
    source : str or path-like
        A path (``.urdf``, ``.xacro``), or the XML itself: what begins with ``<`` is XML.
    xacro_args : dict of str to str, optional
        Arguments of a ``.xacro`` file, as ``name:=value`` on its command line.

    Returns
    -------
    text : bytes or str
    file : str
        The path, or ``'<string>'``.

    Raises
    ------
    UrdfError
        If the file is missing or unreadable, or xacro cannot expand it.
    ParameterError
        If there are arguments of xacro, and nothing that xacro expands.
    MissingDependencyError
        If a ``.xacro`` file is given and xacro is not installed.

    """
    text = isinstance(source, bytes) or (isinstance(source, str) and _is_xml(source))
    if xacro_args and (text or not str(source).endswith('.xacro')):
        raise ParameterError('xacro_args', dict(xacro_args), 'none: what is given is no .xacro '
                             'file, so they would change nothing')
    if isinstance(source, bytes) or (isinstance(source, str) and text):
        return source, '<string>'
    try:
        file = os.fspath(source)
    except TypeError:
        raise UrdfError(f'expected a path or XML text, got {type(source).__name__}') from None
    if not str(file).strip():
        raise UrdfError('expected a path or XML text, got an empty string')
    if str(file).endswith('.xacro'):
        return _expand_xacro(file, xacro_args), file
    try:
        with open(file, 'rb') as stream:
            return stream.read(), file
    except (OSError, ValueError) as error:
        problem = getattr(error, 'strerror', None) or str(error)
        raise UrdfError(f'cannot be read: {problem}', file) from None


def xml_text(text: str, where: str) -> str:
    """
    Return a text that came from elsewhere, if it is XML: such a text is never taken for a path.

    Parameters
    ----------
    text : str
    where : str
        Where it came from, for the error.

    Returns
    -------
    text : str

    Raises
    ------
    UrdfError
        If it is anything else.

    """
    if not _is_xml(text):
        raise UrdfError(f'expected the XML text of a URDF, got {text[:60]!r}', where)
    return text


def _is_xml(text: str) -> bool:
    return text.lstrip('\ufeff \t\r\n').startswith('<')


def _expand_xacro(file: str, arguments: Mapping[str, str] | None) -> str:
    if not os.path.isfile(file):
        raise UrdfError('cannot be read: No such file or directory', file)
    try:
        import xacro
    except ImportError:
        raise MissingDependencyError('xacro', f'{file}: expanding xacro', 'ros') from None
    mappings = {str(name): str(value) for name, value in (arguments or {}).items()}
    try:
        return xacro.process_file(file, mappings=mappings).toxml()
    except Exception as error:  # xacro raises whatever its expressions raise
        reason = ' '.join(str(error).split()) or type(error).__name__
        if 'undefined substitution argument' in reason.lower():
            reason += '; --xacro-arg NAME:=VALUE, or xacro_args, gives it'
        raise UrdfError(f'xacro cannot expand it: {reason}', file) from None
