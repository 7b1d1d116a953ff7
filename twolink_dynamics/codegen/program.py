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
A program: one function of numbers, on plain floats, on arrays of states, and compiled.

The function is written once, for sequences of any kind of number. Here it becomes straight-line
code by tracing, which is run by Python or, after :meth:`Program.compile`, by numba; a function of
too many numbers for that runs as it is, and brings loops of its own to be compiled.

"""

from __future__ import annotations

from enum import IntEnum
from functools import cached_property
import math
from typing import Any, Callable, Iterable, Mapping, NoReturn

import numpy as np

from twolink_dynamics.array_types import FloatArray, Vector
from twolink_dynamics.codegen.numba_backend import compiled_module, numba_allowed
from twolink_dynamics.codegen.source import (
    array_source, float_source, function_source, numba_entries, numba_source)
from twolink_dynamics.codegen.tracer import Trace, trace
from twolink_dynamics.errors import ShapeError

__all__ = ['Guard', 'Loops', 'Program', 'Status', 'UNUSUAL', 'written_out']

#: What arithmetic on something else than arrays of finite floats of the right lengths raises.
UNUSUAL = (ArithmeticError, AttributeError, IndexError, TypeError, ValueError)
# Numbers of an argument to a block of a batch: the arrays alive at a time should fit the cache,
# and they are the more the longer the arguments are; with fewer states than the second the time
# would be spent in NumPy's calls.
BLOCK, LEAST_BLOCK = 16384, 2048
# Below so many states NumPy's calls cost more than going through the states one by one.
FEW_STATES = 40
# So many numbers at once (states times the length of one) are worth compiling for unasked: NumPy
# needs as long for them as numba for loading its compiled code from the cache.
MANY_NUMBERS = 1_000_000
# Up to so many numbers, Python is quicker than bringing floats to compiled code and back.
PLAIN_NUMBERS = 2


class Status(IntEnum):
    """What compiled code says of a state."""

    WRONG_SHAPE = -1
    NOT_FINITE = 0
    GOOD = 1
    DOUBTFUL = 2


class Guard:
    """
    What makes a program's result doubtful, and what is done then.

    Parameters
    ----------
    limits : iterable of float
        The function returns its result and as many numbers; each must be above its limit.
    instead : callable
        Takes the state as sequences of floats; returns the result, or raises.

    """

    def __init__(self, limits: Iterable[float], instead: Callable[..., Any]) -> None:
        self.limits, self.instead = tuple(map(float, limits)), instead


class Loops:
    """
    Loops for numba, where a program is too long to be written out.

    Parameters
    ----------
    source : str
        Functions for :func:`~.numba_backend.compiled_module`.
    call : str
        An expression in ``k``, the arguments' names and ``out``, which fills `out` and is a
        :class:`Status`.
    constants : ndarray, two axes
        Is ``k``: writable, and room to work in. Numba holds the interpreter's lock throughout, so
        no two calls are ever in there.

    """

    def __init__(self, source: str, call: str, constants: FloatArray) -> None:
        self.source, self.call, self.constants = source, call, constants


class Program:
    """
    One function of numbers, in every form.

    Parameters
    ----------
    name : str
        Of the function, for tracebacks.
    function : callable
        Called as ``function(*sequences, cos, sin)``; returns nested sequences of numbers of the
        shape `tail`; with a guard that, and the guarded numbers.
    arguments : dict of str to int
        The names and lengths of its arguments.
    tail : tuple of int
        The shape of the result.
    guard : Guard, optional
    loops : Loops, optional
        What numba compiles in place of straight-line code.
    written_out : bool
        Whether Python runs straight-line code, or the function as it is.

    """

    def __init__(self, name: str, function: Callable[..., Any], arguments: Mapping[str, int],
                 tail: tuple[int, ...], guard: Guard | None = None, loops: Loops | None = None,
                 written_out: bool = True) -> None:
        self.name, self.arguments, self.tail = name, dict(arguments), tail
        self._function, self._guard, self._loops = function, guard, loops
        self._written_out = written_out
        self._limits = None if guard is None else guard.limits
        self._size = next(iter(self.arguments.values()))
        self._compiled: tuple[Any, FloatArray] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel as the function, not as the code made of it."""
        return type(self), (self.name, self._function, self.arguments, self.tail, self._guard,
                            self._loops, self._written_out)

    # --- one state ------------------------------------------------------------------------------

    @cached_property
    def _code(self) -> Trace | None:
        """The function written out; None where it runs as it is."""
        if not self._written_out:
            return None
        try:
            return trace(self._function, self.arguments)
        except ZeroDivisionError:  # whatever the state: the function as it is will say so
            return None

    @cached_property
    def floats(self) -> Callable[..., Any]:
        """
        The function of one state: sequences of Python floats in, nested sequences of them out.

        A state that is not finite gives NaN; nothing else is checked. See :meth:`compile`.

        """
        if self._compiled is not None and self._size > PLAIN_NUMBERS:
            return self._through_arrays(*self._compiled)
        if self._code is None:
            return self._as_it_is
        return self._python(
            float_source(self.name, self.arguments, self._code, self._limits))

    @cached_property
    def one(self) -> Callable[..., int]:
        """
        The function of one state as arrays.

        It takes the constants, the arrays and `out`, and returns a :class:`Status`. It fills in
        `out` where that is GOOD. Nothing is checked before: what is out of the ordinary has
        another status, or raises one of `UNUSUAL`, and the caller takes the way that says what is
        wrong.

        """
        if self._compiled is not None:
            return self._compiled[0].one
        if self._code is None:
            return lambda *arrays: Status.DOUBTFUL
        return self._python(array_source(self.name, self.arguments, self._code, self.tail,
                                         self._limits))

    @property
    def constants(self) -> FloatArray | None:
        """What :attr:`one` takes first."""
        return None if self._compiled is None else self._compiled[1]

    def _python(self, source: str, **scope: Any) -> Callable[..., Any]:
        scope.update(cos=math.cos, sin=math.sin, empty=np.empty, not_finite=self._not_finite,
                     instead=None if self._guard is None else self._guard.instead)
        return _executed(self.name, source, scope)

    def _not_finite(self, *states: Vector) -> Any:
        """Return NaN, as NumPy does, where an infinite angle made `math.cos` raise."""
        if all(math.isfinite(x) for state in states for x in state):
            raise  # noqa: PLE0704 - called where a ValueError is handled
        return np.full(self.tail, math.nan).tolist()

    def _as_it_is(self, *states: Vector) -> Any:
        try:
            result = self._function(*states, math.cos, math.sin)
        except ValueError:
            return self._not_finite(*states)
        except ZeroDivisionError:
            if self._guard is None:
                raise
            return self._guard.instead(*states)
        if self._guard is None:
            return result
        result, guarded = result
        good = all(x > limit for x, limit in zip(guarded, self._guard.limits))
        return result if good else self._guard.instead(*states)

    # --- compiled -------------------------------------------------------------------------------

    def compile(self) -> bool:  # noqa: A003
        """
        Have the function compiled by numba, or loaded from its cache, and used from now on.

        Compiling takes seconds, so no call does it by itself, but for very large batches. What
        was taken from `floats` or `one` before stays as it was.

        Returns
        -------
        compiled : bool
            False where numba is not to be used.

        """
        if self._compiled is None and numba_allowed():
            made = self._compilable()
            if made is not None:
                self._compiled = compiled_module(made[0]), made[1]
                self.__dict__.pop('floats', None)
                self.__dict__.pop('one', None)
        return self._compiled is not None

    def _compilable(self) -> tuple[str, FloatArray] | None:
        """Return source for numba and its constants."""
        if self._loops is not None:
            entries = numba_entries(self.arguments, self.tail, '[:, ::1]', self._loops.call)
            return f'{self._loops.source}\n\n{entries}', self._loops.constants
        if self._code is None:
            return None
        code = trace(self._function, self.arguments, literals=False)
        limits = None if self._limits is None else len(code.constants)
        source = numba_source(self.arguments, code, self.tail, limits)
        return source, np.array([*code.constants, *(self._limits or ())], dtype=float)

    def _through_arrays(self, module: Any, constants: FloatArray) -> Callable[..., Any]:
        """Return a function of sequences of floats that calls compiled code."""
        states = ', '.join(self.arguments)
        arrays = ', '.join(f'array({key}, float)' for key in self.arguments)
        return self._python(
            f'def {self.name}({states}):\n'
            f'    out = empty({self.tail})\n'
            f'    status = one(k, {arrays}, out)\n'
            f'    if status == {Status.DOUBTFUL:d}:\n'
            f'        return instead({states})\n'
            f'    if status < 0:\n'
            f'        refuse({states})\n'
            f'    return out.tolist()\n',
            one=module.one, k=constants, array=np.array, refuse=self._refuse)

    def _refuse(self, *states: Vector) -> NoReturn:
        raise ShapeError(', '.join(self.arguments),
                         ', '.join(f'{length} numbers' for length in self.arguments.values()),
                         tuple(len(state) for state in states))

    # --- arrays of states -----------------------------------------------------------------------

    def evaluate(self, *arrays: FloatArray) -> FloatArray:
        """
        Run the function on arrays of states.

        Parameters
        ----------
        *arrays : ndarray, shape (..., length)
            Finite float64 numbers, with the same leading axes.

        Returns
        -------
        result : ndarray, shape (..., *tail)

        """
        lead = arrays[0].shape[:-1]
        if not lead:
            return np.array(self.floats(*[array.tolist() for array in arrays]), dtype=float)
        flat = [array.reshape(-1, array.shape[-1]) for array in arrays]
        return self._many(flat).reshape(*lead, *self.tail)

    def _many(self, flat: list[FloatArray]) -> FloatArray:
        states = len(flat[0])
        out = np.empty((states, *self.tail))
        if self._compiled is None and states * self._size >= MANY_NUMBERS:
            self.compile()
        if self._compiled is not None:
            module, constants = self._compiled
            status = np.empty(states, dtype=np.int64)
            module.many(constants, *map(_writable, flat), out, status)
            doubtful = status == Status.DOUBTFUL
        elif states < FEW_STATES:
            for k, state in enumerate(zip(*[array.tolist() for array in flat])):
                out[k] = self.floats(*state)
            return out
        else:
            doubtful = self._in_blocks(flat, out)
        if self._guard is not None:
            for row in np.flatnonzero(doubtful):
                out[row] = self._guard.instead(*[array[row].tolist() for array in flat])
        return out

    def _in_blocks(self, flat: list[FloatArray], out: FloatArray) -> FloatArray:
        """Fill in what the function gives on arrays; return which states are doubtful."""
        doubtful = np.zeros(len(out), dtype=bool)
        function, block = self._on_arrays, max(LEAST_BLOCK, BLOCK // self._size)
        # A guarded number that is zero is looked at below.
        with np.errstate(divide='ignore', invalid='ignore'):
            for k in range(0, len(out), block):
                arrays = [np.ascontiguousarray(array[k:k + block].T) for array in flat]
                try:
                    result = function(*arrays)
                except ZeroDivisionError:  # whatever the state
                    doubtful[:] = True
                    break
                if self._limits is not None:
                    result, guarded = result
                    for x, limit in zip(guarded, self._limits):
                        doubtful[k:k + block] |= np.logical_not(x > limit)
                _fill(np.moveaxis(out[k:k + block], 0, -1), result)
        return doubtful

    @cached_property
    def _on_arrays(self) -> Callable[..., Any]:
        if self._code is None:
            return lambda *arrays: self._function(*arrays, np.cos, np.sin)
        return _executed(self.name, function_source(self.name, self._function, self.arguments),
                         {'cos': np.cos, 'sin': np.sin})


def written_out(name: str, function: Callable[..., Any], arguments: Mapping[str, int | None]
                ) -> Callable[..., Any]:
    """
    Return a function of floats without calls and loops that does what another does.

    Parameters
    ----------
    name : str
        Of the function, for tracebacks.
    function : callable
        As for :func:`~.tracer.trace`.
    arguments : dict of str to (int or None)
        The names and lengths of the sequences it takes; None for one number.

    Returns
    -------
    function : callable
        ``(*arguments) -> nested tuples``.

    """
    return _executed(name, function_source(name, function, arguments),
                     {'cos': math.cos, 'sin': math.sin})


def _executed(name: str, source: str, scope: dict[str, Any]) -> Callable[..., Any]:
    exec(compile(source, f'<{name}>', 'exec'), scope)
    return scope[name]


def _writable(array: FloatArray) -> FloatArray:
    """Return the array in the only form the compiled functions take."""
    array = np.ascontiguousarray(array, dtype=np.float64)
    return array if array.flags.writeable else array.copy()


def _fill(out: FloatArray, result: Any) -> None:
    for k, item in enumerate(result):
        if isinstance(item, (list, tuple)):
            _fill(out[k], item)
        else:
            out[k] = item
