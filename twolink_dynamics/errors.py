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
Errors, in one tree: each says where, what was expected, what came and what to do.

Every error inherits the builtin a caller would expect beside :class:`TwoLinkError`, and carries
its data as attributes, so that a program can act on them and a person can read them. Every error
can be pickled and copied, so it arrives whole from another process.

"""

from __future__ import annotations

from typing import Any, Callable, Iterable

__all__ = [
    'AmbiguousChainError', 'DivergenceError', 'FaultyModelError', 'MissingDependencyError',
    'ModelError', 'ModelWarning', 'NonFiniteError', 'ParameterError', 'ShapeError',
    'ShareFileError', 'SingularMassMatrixError', 'TrajectoryError', 'TwoLinkError',
    'UnsupportedModelError', 'UrdfError',
]

# Longer values are cut in messages; the attributes keep them whole.
LONGEST_SHOWN = 200


def _shown(value: object) -> str:
    """Return a value's `repr` on one line, cut where it is long."""
    try:
        text = ' '.join(repr(value).split())
    except Exception:  # an integer of thousands of digits has no text, nor has a broken object
        text = f'<{type(value).__name__}>'
    return text if len(text) <= LONGEST_SHOWN else text[:LONGEST_SHOWN - 3] + '...'


def _restored(cls: type[TwoLinkError], args: tuple[Any, ...]) -> TwoLinkError:
    """Return an error with its message; it is given its attributes afterwards."""
    error = cls.__new__(cls)
    super(TwoLinkError, error).__init__(*args)  # the builtin's, which may keep the message too
    return error


class TwoLinkError(Exception):
    """Any error this package raises on purpose."""

    def __reduce__(self) -> tuple[Callable[..., TwoLinkError], tuple[Any, ...], dict[str, Any]]:
        """Travel as message and attributes: a constructor that writes the message is not rerun."""
        return _restored, (type(self), self.args), self.__dict__


class ShapeError(TwoLinkError, ValueError):
    """
    An array has the wrong shape.

    Attributes
    ----------
    name : str
        The argument.
    expected : str
        The shape expected, such as ``'(..., 2)'``.
    actual : tuple of int
        The shape that came.

    """

    def __init__(self, name: str, expected: str, actual: Iterable[int],
                 hint: str = '') -> None:
        self.name, self.expected, self.actual = name, expected, tuple(actual)
        super().__init__(
            f'{name}: expected shape {expected}, got {self.actual}'
            + (f'; {hint}' if hint else ''))


class ParameterError(TwoLinkError, ValueError):
    """
    A parameter or an option has a value that it cannot have.

    Attributes
    ----------
    name : str
        The parameter.
    value : object
        The value that came.
    expected : str
        What was expected, in words.

    """

    def __init__(self, name: str, value: object, expected: str) -> None:
        self.name, self.value, self.expected = name, value, expected
        super().__init__(f'{name}: expected {expected}, got {_shown(value)}')


class NonFiniteError(ParameterError):
    """
    A number is NaN, infinite or no number at all: what no parameter can be.

    Attributes
    ----------
    name : str
        The argument.
    index : tuple of int
        Where the first such number stands in it.
    value : object
        What stands there.
    expected : str
        What was expected, in words.

    """

    def __init__(self, name: str, index: Iterable[int] = (), value: object = None,
                 expected: str = 'a finite number') -> None:
        self.index = tuple(index)
        where = f'{name}[{", ".join(map(str, self.index))}]' if self.index else name
        super().__init__(where, value, expected)
        self.name = name


class ModelError(TwoLinkError, ValueError):
    """An arm's description is wrong, or is not one this package can treat."""


class UrdfError(ModelError):
    """
    A URDF cannot be read.

    Attributes
    ----------
    file : str
        The file's path, or ``'<string>'`` for text.
    line : int or None
        The line of the offending element.
    element : str
        The offending element, such as ``'joint "elbow"'``; may be empty.
    problem : str
        What is wrong, and what to do.

    """

    def __init__(self, problem: str, file: str = '<string>', line: int | None = None,
                 element: str = '') -> None:
        self.problem, self.file, self.line, self.element = problem, file, line, element
        where = f'{file}:{line}' if line else file
        super().__init__(f'{where}: {element}: {problem}' if element else f'{where}: {problem}')


class FaultyModelError(ModelError):
    """
    A model's numbers are impossible.

    Attributes
    ----------
    findings : tuple of twolink_dynamics.model.checks.Finding
        Every fault.

    """

    def __init__(self, findings: Iterable[object]) -> None:
        self.findings = tuple(findings)
        super().__init__('; '.join(map(str, self.findings)))


class ModelWarning(UserWarning):
    """A model's numbers are implausible; they are taken literally."""


class UnsupportedModelError(ModelError):
    """
    An arm that is described well, but is outside what was asked of this package.

    Attributes
    ----------
    names : tuple of str
        The joints or links in the way.

    """

    def __init__(self, problem: str, names: Iterable[str] = ()) -> None:
        self.names = tuple(names)
        super().__init__(problem)


class AmbiguousChainError(ModelError):
    """
    More than one serial chain could be meant.

    Attributes
    ----------
    which : str
        The argument that would settle it: ``'base_link'`` or ``'tip_link'``.
    candidates : tuple of str
        The links it could be.

    """

    def __init__(self, which: str, candidates: Iterable[str], file: str = '<string>') -> None:
        self.which, self.candidates, self.file = which, tuple(candidates), file
        super().__init__(
            f'{file}: several chains are possible; give {which}, one of: '
            + ', '.join(self.candidates))


class SingularMassMatrixError(TwoLinkError, ArithmeticError):
    """
    The mass matrix is not positive definite: a joint moves no inertia, or a negative one.

    Attributes
    ----------
    joint : str
        The joint whose effective inertia vanishes or is negative.
    indefinite : bool
        Whether it is negative.

    """

    def __init__(self, joint: str, indefinite: bool = False) -> None:
        self.joint, self.indefinite = joint, indefinite
        super().__init__(
            f'joint "{joint}": the mass matrix is indefinite, this joint moves negative '
            'inertia, which no body has; correct the masses and inertias of the links beyond it '
            "(`twolink check` names them; with_parameters(..., unphysical='project') repairs "
            'identified ones)' if indefinite else
            f'joint "{joint}": the mass matrix is singular, this joint moves no inertia, so its '
            'acceleration is undefined; give the links beyond it an <inertial>, or choose a tip '
            'before it (inverse dynamics still works)')


class DivergenceError(TwoLinkError, ArithmeticError):
    """
    A simulation left the finite, or gained energy beyond reason.

    Attributes
    ----------
    t : float
        Time [s].
    q, qd : tuple of float
        The last state that was still finite.

    """

    def __init__(self, t: float, q: Iterable[float], qd: Iterable[float],
                 hint: str = 'reduce dt or the gains') -> None:
        self.t, self.q, self.qd = t, tuple(q), tuple(qd)
        super().__init__(
            f'the simulation diverged at t = {t:.6g} s, after q = {self.q}, qd = {self.qd}; '
            f'{hint}')


class TrajectoryError(TwoLinkError, ValueError):
    """
    A desired trajectory that must not be followed.

    Attributes
    ----------
    code : int
        The error code of control_msgs/FollowJointTrajectory: -1 INVALID_GOAL, -2 INVALID_JOINTS,
        -3 OLD_HEADER_TIMESTAMP.
    joint : str or None
        The joint at fault.
    point : int or None
        The index of the point at fault.

    """

    def __init__(self, problem: str, code: int = -1, joint: str | None = None,
                 point: int | None = None) -> None:
        self.problem, self.code, self.joint, self.point = problem, code, joint, point
        where = [f'point {point}'] * (point is not None) + [f'joint "{joint}"'] * bool(joint)
        super().__init__(', '.join(where) + (': ' if where else '') + problem)


class MissingDependencyError(TwoLinkError, ImportError):
    """
    An optional package is needed and missing.

    Attributes
    ----------
    package : str
        What could not be imported.
    extra : str
        The extra of this package that brings it.

    """

    def __init__(self, package: str, purpose: str, extra: str) -> None:
        self.package, self.extra = package, extra
        super().__init__(
            f'{purpose} needs {package}, which is not installed: '
            f"pip install 'twolink_dynamics[{extra}]'")


class ShareFileError(TwoLinkError, FileNotFoundError):
    """
    A file this package should have been installed with is not there.

    Attributes
    ----------
    file : str
        The file, relative to the share folder.
    folder : str
        Where it was looked for.

    """

    def __init__(self, file: str, folder: object) -> None:
        self.file, self.folder = file, str(folder)
        super().__init__(
            f'{file}: expected in {folder}, but there is no such file; install this package '
            "again (`pip install .` or `colcon build`), or give the file's path")
