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
Tracing: a function of numbers is run once on symbols and written out as straight-line code.

Functions with loops do much that is known beforehand: they multiply by 0, 1 and -1, and repeat
themselves. Called once with symbols for what varies and numbers for what does not, a function
leaves the list of its operations; those on constants are done at once, those with 0, 1 and -1
vanish, repeated ones are done once, and the rest is straight-line Python that runs on floats, on
NumPy arrays and under numba alike. It gives the numbers that the function gives, to the last bit:
the folded operations are exact.

"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Iterator, Mapping, Union

__all__ = ['Recorder', 'Symbol', 'Trace', 'trace']

#: What a traced function works on.
Operand = Union['Symbol', float]

# An expression nests no deeper than this: Python's parser has a limit of its own.
DEPTH = 12


class Symbol:
    """
    A number to be known later.

    Parameters
    ----------
    recorder : Recorder
    form : tuple
        ``('+', a, b)``, also ``-``, ``*``, ``/``; ``('neg', a)``, ``('cos', a)``, ``('sin', a)``;
        ``('name', text)``. Operands are symbols or floats.

    """

    __slots__ = ('recorder', 'form', 'serial', 'uses')

    def __init__(self, recorder: Recorder, form: tuple[Any, ...]) -> None:
        self.recorder, self.form = recorder, form
        self.serial, self.uses = len(recorder.known), 0

    def __add__(self, other: Operand) -> Symbol:
        """Return the sum, folding zero and the negative."""
        if isinstance(other, Symbol):
            if other.form[0] == 'neg':
                return self.recorder.make('-', self, other.form[1])
            if self.form[0] == 'neg':
                return self.recorder.make('-', other, self.form[1])
        elif other == 0.0:
            return self
        return self.recorder.make('+', self, other)

    __radd__ = __add__

    def __sub__(self, other: Operand) -> Symbol:
        """Return the difference, folding zero and the negative."""
        if isinstance(other, Symbol):
            if other.form[0] == 'neg':
                return self.recorder.make('+', self, other.form[1])
        elif other == 0.0:
            return self
        return self.recorder.make('-', self, other)

    def __rsub__(self, other: float) -> Symbol:
        """Return number minus symbol."""
        return -self if other == 0.0 else self.recorder.make('-', other, self)

    def __mul__(self, other: Operand) -> Operand:
        """Return the product, folding 0, 1, -1 and the negative."""
        if isinstance(other, Symbol):
            if self.form[0] == 'neg':
                return -(self.form[1] * other)
            if other.form[0] == 'neg':
                return -(self * other.form[1])
        elif other == 0.0:
            return 0.0
        elif other == 1.0:
            return self
        elif other == -1.0:
            return -self
        elif self.form[0] == 'neg':
            return self.form[1] * -other
        return self.recorder.make('*', self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Operand) -> Symbol:
        """Return the quotient."""
        return self.recorder.make('/', self, other)

    def __rtruediv__(self, other: float) -> Operand:
        """Return number over symbol."""
        return 0.0 if other == 0.0 else self.recorder.make('/', other, self)

    def __neg__(self) -> Symbol:
        """Return the negative."""
        if self.form[0] == 'neg':
            return self.form[1]
        return self.recorder.make('neg', self)


class Recorder:
    """Makes symbols, each form once."""

    def __init__(self) -> None:
        self.known: dict[tuple[Any, ...], Symbol] = {}

    def make(self, *form: Any) -> Symbol:
        """Return the symbol of a form."""
        if form[0] in '+*' and _rank(form[1]) > _rank(form[2]):
            form = (form[0], form[2], form[1])
        symbol = self.known.get(form)
        if symbol is None:
            symbol = self.known[form] = Symbol(self, form)
        return symbol

    def cos(self, x: Symbol) -> Symbol:
        """Return the cosine of a symbol."""
        return self.make('cos', x)

    def sin(self, x: Symbol) -> Symbol:
        """Return the sine of a symbol."""
        return self.make('sin', x)


def _rank(operand: Operand) -> tuple[int, float]:
    """Put the two operands of a commutative operation in one order."""
    return (1, operand.serial) if isinstance(operand, Symbol) else (0, operand)


@dataclass(frozen=True)
class Trace:
    """
    What a function does, as straight-line code.

    Attributes
    ----------
    lines : list of str
        Assignments to ``t0``, ``t1`` …, of the inputs ``name0``, ``name1`` … (of the input
        ``name`` itself where it is one number).
    result : nested tuple of str
        The expressions that are the function's result, in its form.
    constants : tuple of float
        The numbers in the code, where they stand as ``k[0]``, ``k[1]`` …; empty where they are
        literals.
    unused : tuple of str
        The inputs that the result does not depend on.

    """

    lines: list[str]
    result: Any
    constants: tuple[float, ...]
    unused: tuple[str, ...]


def trace(function: Callable[..., Any], arguments: Mapping[str, int | None],
          literals: bool = True) -> Trace:
    """
    Run a function on symbols, and write down what it does.

    Parameters
    ----------
    function : callable
        Called as ``function(*arguments, cos, sin)``; returns a number or nested sequences of
        numbers. It branches on no symbol.
    arguments : dict of str to (int or None)
        The names of the arguments, and the lengths of the sequences; None for one number.
    literals : bool
        Whether numbers are written as such. Otherwise they stand as ``k[0]``, ``k[1]`` …, so that
        functions of the same structure have the same code.

    Returns
    -------
    trace : Trace

    """
    recorder = Recorder()
    inputs = [recorder.make('name', key) if length is None else
              [recorder.make('name', f'{key}{i}') for i in range(length)]
              for key, length in arguments.items()]
    result = function(*inputs, recorder.cos, recorder.sin)
    writer = _Writer(result, literals)
    unused = [symbol.form[1] for symbols in inputs
              for symbol in (symbols if isinstance(symbols, list) else [symbols])
              if symbol not in writer.needed]
    return Trace(writer.lines, writer.texts(result), tuple(writer.constants), tuple(unused))


def _leaves(result: Any) -> Iterator[Symbol]:
    if isinstance(result, (list, tuple)):
        for item in result:
            yield from _leaves(item)
    elif isinstance(result, Symbol):
        yield result


class _Writer:
    """
    Turns symbols into assignments, one for each symbol that is used twice or too deep to nest.

    Names are used again when what they held is done with, so that on arrays the memory at work
    stays small enough for the cache.

    """

    def __init__(self, result: Any, literals: bool) -> None:
        self.lines: list[str] = []
        self.named: dict[Symbol, str] = {}  # of symbols with a name now
        self.nested: set[Symbol] = set()    # symbols written where they are used
        self.constants: dict[float, int] = {}
        self._literals = literals
        order = self._count_uses(result)
        self.needed = set(order)
        keep = {id(symbol) for symbol in _leaves(result)}
        self._assign(order, keep, self._nest(order, keep))

    def _count_uses(self, result: Any) -> list[Symbol]:
        """Return what the result needs, operands first."""
        order: list[Symbol] = []
        seen: set[int] = set()
        stack = [(symbol, False) for symbol in reversed(list(_leaves(result)))]
        while stack:
            symbol, done = stack.pop()
            if done:
                order.append(symbol)
            elif id(symbol) not in seen:
                seen.add(id(symbol))
                stack.append((symbol, True))
                operands = [x for x in symbol.form[1:] if isinstance(x, Symbol)]
                stack.extend((x, False) for x in reversed(operands))
        for symbol in order:
            for operand in symbol.form[1:]:
                if isinstance(operand, Symbol):
                    operand.uses += 1
        return order

    def _nest(self, order: list[Symbol], keep: set[int]) -> dict[Symbol, tuple[Symbol, ...]]:
        """Decide which symbols get no name; return the named operands of each named one."""
        depths: dict[Symbol, int] = {}
        needs: dict[Symbol, tuple[Symbol, ...]] = {}
        for symbol in order:
            if symbol.form[0] == 'name':
                depths[symbol], needs[symbol] = 0, ()
                continue
            depth, names = 1, list[Symbol]()
            for operand in symbol.form[1:]:
                if not isinstance(operand, Symbol):
                    continue
                if operand.form[0] != 'name' and operand.uses == 1 and id(operand) not in keep \
                        and depths[operand] < DEPTH:
                    depth = max(depth, depths[operand] + 1)
                    names.extend(needs[operand])
                    self.nested.add(operand)
                else:
                    names.append(operand)
            depths[symbol], needs[symbol] = depth, tuple(names)
        return needs

    def _assign(self, order: list[Symbol], keep: set[int],
                needs: dict[Symbol, tuple[Symbol, ...]]) -> None:
        last: dict[Symbol, int] = {}
        lines = [symbol for symbol in order
                 if symbol.form[0] != 'name' and symbol not in self.nested]
        for position, symbol in enumerate(lines):
            for operand in needs[symbol]:
                last[operand] = position
        free: list[str] = []
        count = 0
        for position, symbol in enumerate(lines):
            text = self._expression(symbol)
            for operand in dict.fromkeys(needs[symbol]):
                if last[operand] == position and id(operand) not in keep \
                        and operand.form[0] != 'name':
                    free.append(self.named[operand])
            if free:
                name = free.pop()
            else:
                name, count = f't{count}', count + 1
            self.named[symbol] = name
            self.lines.append(f'{name} = {text}')

    def _expression(self, symbol: Symbol) -> str:
        kind, *operands = symbol.form
        texts = [self._operand(operand) for operand in operands]
        if kind in ('cos', 'sin'):
            return f'{kind}({texts[0]})'
        return f'-{texts[0]}' if kind == 'neg' else f'{texts[0]} {kind} {texts[1]}'

    def _operand(self, operand: Operand) -> str:
        if not isinstance(operand, Symbol):
            value = float(operand)
            if not self._literals:
                return f'k[{self.constants.setdefault(value, len(self.constants))}]'
            return repr(value) if value >= 0.0 else f'({value!r})'
        if operand.form[0] == 'name':
            return operand.form[1]
        return f'({self._expression(operand)})' if operand in self.nested else self.named[operand]

    def texts(self, result: Any) -> Any:
        """Return the expressions of a nested result, in its form."""
        if isinstance(result, (list, tuple)):
            return tuple(self.texts(item) for item in result)
        return self._operand(result)
