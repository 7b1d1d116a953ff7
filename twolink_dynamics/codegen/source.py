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

"""Source text: traced functions as Python functions of floats, of arrays, and for numba."""

from __future__ import annotations

from itertools import product
from typing import Any, Callable, Mapping, Sequence

from twolink_dynamics.codegen.tracer import Trace, trace

__all__ = ['array_source', 'float_source', 'function_source', 'numba_entries', 'numba_source']

Arguments = Mapping[str, 'int | None']


def function_source(name: str, function: Callable[..., Any], arguments: Arguments) -> str:
    """
    Return straight-line source that does what a function of numbers does.

    Parameters
    ----------
    name : str
        Of the function in the source.
    function : callable
        As for :func:`~.tracer.trace`.
    arguments : dict of str to (int or None)
        The names and lengths of the sequences it takes; None for one number.

    Returns
    -------
    source : str
        Defines ``name(*arguments)``, which returns nested tuples; it takes `cos` and `sin` from
        its globals. It runs on floats, on arrays with one element a state, and under numba.

    """
    code = trace(function, arguments)
    return _function(name, list(arguments),
                     [*_unpacked(arguments), *code.lines, f'return {_nested(code.result)}'])


def float_source(name: str, arguments: Arguments, code: Trace,
                 limits: Sequence[float] | None = None) -> str:
    """
    Return the source of a function of one state, sequences of floats in and nested tuples out.

    Parameters
    ----------
    name : str
    arguments : dict of str to int
    code : Trace
        With `limits` of a pair: the result, and what is to be above the limits.
    limits : sequence of float, optional

    Returns
    -------
    source : str
        Takes from its globals ``not_finite(*arguments)``, called where trigonometry refuses
        infinity, and with limits ``instead(*arguments)``.

    """
    states = ', '.join(arguments)
    body = [*_unpacked(arguments), *code.lines]
    result = code.result if limits is None else code.result[0]
    # What is doubtful is dealt with outside of `try`: it may raise errors of these kinds.
    body.append(f'{"return" if limits is None else "result ="} {_nested(result)}')
    after = []
    if limits is not None:
        body.append(f'good = {_above(code.result[1], map(repr, limits))}')
        after = ['except ZeroDivisionError:', '    good = False',
                 f'return result if good else instead({states})']
    return _function(name, [*arguments, 'cos=cos', 'sin=sin'], [
        'try:', *(f'    {line}' for line in body),
        'except ValueError:', f'    return not_finite({states})', *after])


def array_source(name: str, arguments: Mapping[str, int], code: Trace, shape: tuple[int, ...],
                 limits: Sequence[float] | None = None) -> str:
    """
    Return the source of a function of one state as arrays.

    Parameters
    ----------
    name, arguments, code, limits
        As for :func:`float_source`.
    shape : tuple of int
        Of the result.

    Returns
    -------
    source : str
        Defines ``name(k, *arguments, out)``, which looks at no `k`, fills in `out`, and returns a
        value of :class:`~.program.Status`.

    """
    result = code.result if limits is None else code.result[0]
    names, named = _named(result, shape)
    checked = _checked(arguments, code, names, limits is not None)
    doubtful = [] if limits is None else [
        f'if not ({_above(code.result[1], map(repr, limits))}):', '    return 2']
    return _function(name, ['k', *arguments, 'out', 'cos=cos', 'sin=sin'], [
        *_unpacked(arguments, '.tolist()'), *code.lines, *doubtful, *named,
        f'if ({checked}) * 0.0 != 0.0:', '    return 0', *_filled(names, shape), 'return 1'])


def numba_source(arguments: Mapping[str, int], code: Trace, shape: tuple[int, ...],
                 limits: int | None = None) -> str:
    """
    Return the source of compiled functions of one state and of many.

    Parameters
    ----------
    arguments : dict of str to int
    code : Trace
        Without literals.
    shape : tuple of int
        Of the result.
    limits : int, optional
        Where in ``k`` the limits begin.

    Returns
    -------
    source : str
        Defines ``one(k, *arguments, out)`` and ``many(k, *arguments, out, status)``: the
        constants, arrays of states, the result. `one` returns, and `status` has, a value of
        :class:`~.program.Status`.

    """
    result = code.result if limits is None else code.result[0]
    names, named = _named(result, shape)
    wrong = ' or '.join(f'len({key}) != {length}' for key, length in arguments.items())
    body = [f'if {wrong} or len(out) != {shape[0]}:', '    return -1']
    for key, length in arguments.items():
        body += [f'{key}{i} = {key}[{i}]' for i in range(length)]
    body += [*code.lines, *named, *_filled(names, shape)]
    if limits is not None:
        above = (f'k[{limits + i}]' for i in range(len(code.result[1])))
        body += [f'if not ({_above(code.result[1], above)}):', '    return 2']
    checked = _checked(arguments, code, names, limits is not None)
    body.append(f'return 1 if ({checked}) * 0.0 == 0.0 else 0')
    return _function('one', ['k', *arguments, 'out'], body, _signature(
        'int64', '[::1]', arguments, shape)) + numba_entries(arguments, shape, '[::1]')


def numba_entries(arguments: Mapping[str, int], shape: tuple[int, ...], constants: str,
                  call: str | None = None) -> str:
    """
    Return the source of the compiled function of many states, and of the one it calls if given.

    Parameters
    ----------
    arguments : dict of str to int
    shape : tuple of int
        Of the result of one state.
    constants : str
        The layout of ``k`` in a signature.
    call : str, optional
        What `one` returns.

    Returns
    -------
    source : str

    """
    states = ', '.join(arguments)
    rows = ', '.join(f'{key}[i]' for key in arguments)
    one = '' if call is None else _function(
        'one', ['k', *arguments, 'out'], [f'return {call}'],
        _signature('int64', constants, arguments, shape))
    batch = _signature('void', constants, arguments, (0, *shape), 1).replace(
        ')', ', int64[::1])')
    return one + '\n\n' + _function('many', ['k', states, 'out', 'status'], [
        'for i in range(len(out)):', f'    status[i] = one(k, {rows}, out[i])'], batch)


def _signature(result: str, constants: str, arguments: Mapping[str, int], shape: tuple[int, ...],
               axes: int = 0) -> str:
    def array(count: int) -> str:
        return f'float64[{":, " * (count - 1)}::1]'
    kinds = [f'float64{constants}', *[array(1 + axes)] * len(arguments), array(len(shape))]
    return f'{result}({", ".join(kinds)})'


def _function(name: str, parameters: Sequence[str], body: Sequence[str],
              signature: str | None = None) -> str:
    head = '' if signature is None else f"@njit('{signature}')\n"
    lines = [f'{head}def {name}({", ".join(parameters)}):', *(f'    {line}' for line in body)]
    return '\n'.join(lines) + '\n'


def _unpacked(arguments: Arguments, method: str = '') -> list[str]:
    return [f'{"".join(f"{key}{i}, " for i in range(length))}= {key}{method}'
            for key, length in arguments.items() if length is not None]


def _nested(texts: Any) -> str:
    if isinstance(texts, tuple):
        return '(' + ''.join(f'{_nested(item)}, ' for item in texts) + ')'
    return texts


def _above(texts: Sequence[str], limits: Any) -> str:
    return ' and '.join(f'{text} > {limit}' for text, limit in zip(texts, limits)) or 'True'


def _named(result: Any, shape: tuple[int, ...]) -> tuple[list[str], list[str]]:
    """Return a name for each number of a result, and the lines that give those names."""
    names, lines, known = [], [], dict[str, str]()
    for index in product(*map(range, shape)):
        text = result
        for i in index:
            text = text[i]
        if text not in known:
            known[text] = text if text.isidentifier() else f'r{len(known)}'
            if known[text] != text:
                lines.append(f'{known[text]} = {text}')
        names.append(known[text])
    return names, lines


def _filled(names: Sequence[str], shape: tuple[int, ...]) -> list[str]:
    indices = (', '.join(map(str, index)) for index in product(*map(range, shape)))
    return [f'out[{index}] = {name}' for index, name in zip(indices, names)]


def _checked(arguments: Mapping[str, int], code: Trace, names: Sequence[str], divides: bool
             ) -> str:
    """
    Return a sum that is finite only if the state and the result are.

    What is not finite reaches the result through every sum and product, but not where an argument
    is not used, nor where the positions are in what is divided by.

    """
    first, length = next(iter(arguments.items()))
    positions = [f'{first}{i}' for i in range(length)] if divides else []
    return ' + '.join(dict.fromkeys([*names, *positions, *code.unused]))
