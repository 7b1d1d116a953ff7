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
Unroll a kernel for one arm: record what it does to symbols, drop what is constant, write it out.

The kernels are loops over joints, and much of what they multiply by on a real arm is 0, 1 or -1
(right angles between axes, centres of mass on a line). Called once with symbols for the state and
the arm's own numbers for the constants, a kernel leaves the list of its operations; those on
constants are done at once, those with 0, 1 and -1 vanish, repeated ones are done once, and the
rest is straight-line Python that runs on floats and on NumPy arrays alike. It gives the numbers
that the loop gives, to the last bit: the folded operations are exact.

"""

__all__ = ['Recorder', 'unroll']

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

    def __init__(self, recorder, form):
        self.recorder, self.form, self.serial, self.uses = recorder, form, len(recorder.known), 0

    def __add__(self, other):
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

    def __sub__(self, other):
        """Return the difference, folding zero and the negative."""
        if isinstance(other, Symbol):
            if other.form[0] == 'neg':
                return self.recorder.make('+', self, other.form[1])
        elif other == 0.0:
            return self
        return self.recorder.make('-', self, other)

    def __rsub__(self, other):
        """Return number minus symbol."""
        return -self if other == 0.0 else self.recorder.make('-', other, self)

    def __mul__(self, other):
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

    def __truediv__(self, other):
        """Return the quotient."""
        return self.recorder.make('/', self, other)

    def __rtruediv__(self, other):
        """Return number over symbol."""
        return 0.0 if other == 0.0 else self.recorder.make('/', other, self)

    def __neg__(self):
        """Return the negative."""
        if self.form[0] == 'neg':
            return self.form[1]
        return self.recorder.make('neg', self)


class Recorder:
    """Makes symbols, each form once."""

    def __init__(self):
        self.known = {}

    def make(self, *form):
        """Return the symbol of a form."""
        if form[0] in '+*' and _rank(form[1]) > _rank(form[2]):
            form = (form[0], form[2], form[1])
        symbol = self.known.get(form)
        if symbol is None:
            symbol = self.known[form] = Symbol(self, form)
        return symbol

    def cos(self, x):
        """Return the cosine of a symbol."""
        return self.make('cos', x)

    def sin(self, x):
        """Return the sine of a symbol."""
        return self.make('sin', x)


def _rank(operand):
    """Put the two operands of a commutative operation in one order."""
    return (1, operand.serial) if isinstance(operand, Symbol) else (0, operand)


def unroll(function, arguments, name='unrolled'):
    """
    Return straight-line source that does what a function of number sequences does.

    Parameters
    ----------
    function : callable
        Called as ``function(*sequences, cos, sin)``; returns a number or nested lists of numbers.
    arguments : dict of str to int
        The names of the sequences and their lengths.
    name : str
        The name of the function in the source.

    Returns
    -------
    source : str
        Defines ``name(*sequences)``, which returns nested tuples; it takes `cos` and `sin` from
        its globals.

    """
    recorder = Recorder()
    inputs = {key: [recorder.make('name', f'{key}{i}') for i in range(length)]
              for key, length in arguments.items()}
    result = function(*inputs.values(), recorder.cos, recorder.sin)
    lines = [f'def {name}({", ".join(arguments)}):']
    lines += [f'    {"".join(s.form[1] + ", " for s in symbols)}= {key}'
              for key, symbols in inputs.items()]
    writer = _Writer(result)
    lines += [f'    {line}' for line in writer.lines]
    lines.append(f'    return {writer.text(result)}')
    return '\n'.join(lines) + '\n'


def _leaves(result):
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

    def __init__(self, result):
        self.lines = []
        self.named = {}      # symbol -> text, of symbols with a name now
        self.nested = set()  # symbols written where they are used
        order = self._count_uses(result)
        keep = {id(symbol) for symbol in _leaves(result)}
        self._assign(order, keep, self._nest(order, keep))

    def _count_uses(self, result):
        """Return what the result needs, operands first."""
        order, seen = [], set()
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

    def _nest(self, order, keep):
        """Decide which symbols get no name; return the named operands of each named one."""
        depths, needs = {}, {}
        for symbol in order:
            if symbol.form[0] == 'name':
                depths[symbol], needs[symbol] = 0, ()
                continue
            depth, names = 1, []
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

    def _assign(self, order, keep, needs):
        last = {}
        lines = [symbol for symbol in order
                 if symbol.form[0] != 'name' and symbol not in self.nested]
        for position, symbol in enumerate(lines):
            for operand in needs[symbol]:
                last[operand] = position
        free, count = [], 0
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

    def _expression(self, symbol):
        kind, *operands = symbol.form
        texts = [self._operand(operand) for operand in operands]
        if kind in ('cos', 'sin'):
            return f'{kind}({texts[0]})'
        return f'-{texts[0]}' if kind == 'neg' else f'{texts[0]} {kind} {texts[1]}'

    def _operand(self, operand):
        if not isinstance(operand, Symbol):
            return repr(float(operand)) if operand >= 0.0 else f'({float(operand)!r})'
        if operand.form[0] == 'name':
            return operand.form[1]
        return f'({self._expression(operand)})' if operand in self.nested else self.named[operand]

    def text(self, result):
        """Return the source of a nested result."""
        if isinstance(result, (list, tuple)):
            return '(' + ''.join(self.text(item) + ', ' for item in result) + ')'
        return self._operand(result)
