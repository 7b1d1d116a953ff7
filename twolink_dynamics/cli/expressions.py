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
Expressions as the texts write them: masses first, then lengths, gravity, angles and rates.

SymPy's printers order by name, so that L4 would come out as a puzzle. The expressions here are
sums of products of few kinds of things, which makes a printer of our own short.

"""

from dataclasses import dataclass
import re
from typing import Any, Callable, Iterable

__all__ = ['Arranged', 'LATEX', 'PYTHON', 'Style', 'TEXT', 'arrange', 'write']

# SymPy has no types: things, exponents and coefficients are Any.
Factors = tuple[tuple[Any, Any], ...]
Term = tuple[Any, Factors]


@dataclass(frozen=True)
class Style:
    """
    How things are written.

    Attributes
    ----------
    number, symbol, power, angle : callable
        ``number(value, digits)``, ``symbol(name)``, ``power(text, exponent)``,
        ``angle(function, text)``.
    times : str
    brackets : tuple of 2 str

    """

    number: Callable[[Any, int], str]
    symbol: Callable[[str], str]
    power: Callable[[str, Any], str]
    angle: Callable[[str, str], str]
    times: str
    brackets: tuple[str, str] = ('(', ')')


def _number(value: Any, digits: int) -> str:
    return '1/2' if float(value) == 0.5 else f'{float(value):.{digits}g}'


def _latex_number(value: Any, digits: int) -> str:
    if float(value) == 0.5:
        return r'\tfrac{1}{2}'
    mantissa, _, exponent = f'{float(value):.{digits}g}'.partition('e')
    return mantissa if not exponent else rf'{mantissa} \cdot 10^{{{int(exponent)}}}'


def _latex_symbol(name: str) -> str:
    r"""Return ``\dot q_1`` of qd1, ``l_{c1}`` of lc1, ``m_1`` of m1."""
    letters = name.rstrip('0123456789')
    index = name[len(letters):]
    if letters == 'qd':
        return rf'\dot q_{index}'
    sub = letters[1:] + index
    if len(sub) > 1:
        sub = f'{{{sub}}}'
    return f'{letters[0]}_{sub}' if sub else letters


TEXT = Style(_number, str, lambda text, n: f'{text}^{n}', lambda f, x: f'{f}({x})', ' ')
LATEX = Style(_latex_number, _latex_symbol, lambda text, n: f'{text}^{n}',
              lambda f, x: rf'\{f}({x})' if ' ' in x else rf'\{f} {x}', ' ',
              (r'\left(', r'\right)'))
PYTHON = Style(lambda value, digits: repr(int(value)) if value == int(value) else
               repr(float(value)), str, lambda text, n: f'{text}**{n}',
               lambda f, x: f'{f}({x})', ' * ')


@dataclass(frozen=True)
class Arranged:
    """
    A sum: terms of (coefficient, factors); a factor is (thing, exponent).

    A thing is a SymPy symbol, sine or cosine, or a sum again.
    """

    terms: 'tuple[Term, ...]'


def arrange(expression: Any, by: str = '') -> Arranged:
    """
    Return an expression as a sum in reading order.

    Parameters
    ----------
    expression : SymPy expression
    by : {'', 'mass', 'angle', 'rate', 'h'}
        What terms have in common that are drawn together: ``m2 (l1^2 + ...)``,
        ``(m1 lc1 + m2 l1) g cos(q1)``, ``(...) qd1``, ``h (qd1 + qd2)``.

    Returns
    -------
    arranged : Arranged

    """
    from sympy import Add, expand, Mul

    groups: dict[Any, list[tuple[Any, dict[Any, Any]]]] = {}
    for term in Add.make_args(expand(expression)):
        if term == 0:
            continue
        coefficient, rest = term.as_coeff_Mul()
        factors = dict(factor.as_base_exp() for factor in Mul.make_args(rest) if factor != 1)
        key = next((thing for thing in factors if by and _kind(thing) == by), None)
        groups.setdefault(key if key is not None else term, []).append((coefficient, factors))
    terms = [_joined(members, by) for members in groups.values()]
    return Arranged(tuple(sorted(terms, key=_term_order)))


def _joined(members: list[tuple[Any, dict[Any, Any]]], by: str) -> Term:
    """Return one term of several that have a factor in common."""
    if len(members) == 1:
        coefficient, factors = members[0]
        return coefficient, _ordered(factors.items())
    things = set.intersection(*(set(factors) for _, factors in members))
    common = {thing: 1 for thing in things if by != 'mass' or _kind(thing) == 'mass'}
    sign = -1 if all(coefficient < 0 for coefficient, _ in members) else 1
    inner = []
    for coefficient, factors in members:
        left = {thing: power - common.get(thing, 0) for thing, power in factors.items()}
        inner.append((sign * coefficient,
                      _ordered((thing, power) for thing, power in left.items() if power)))
    nested = Arranged(tuple(sorted(inner, key=_term_order)))
    return sign, _ordered([*common.items(), (nested, 1)])


KINDS = (('mass', r'm\d+'), ('inertia', r'I\d+'), ('length', r'(l|lc|xc|yc)\d+'),
         ('gravity', r'g[xy]?'), ('position', r'q\d+'), ('h', r'h'), ('entry', r'M\d+'),
         ('rate', r'qd\d+'))
ORDER = ('masses', 'mass', 'inertia', 'length', 'sum', 'gravity', 'position', 'angle', 'h',
         'entry', 'rate', 'rates')


def _kind(thing: Any) -> str:
    if isinstance(thing, Arranged):
        kinds = [_kind(factor) for _, factors in thing.terms for factor, _ in factors]
        return 'masses' if 'mass' in kinds else 'rates' if set(kinds) == {'rate'} else 'sum'
    if not thing.is_Symbol:
        return 'angle'
    return next(kind for kind, pattern in KINDS if re.fullmatch(pattern, thing.name))


def _angle_order(thing: Any) -> tuple[Any, ...]:
    """Return (joints, …): q1 comes before q2, that before q1 + q2, cosines before sines."""
    if isinstance(thing, Arranged) or thing.is_Symbol:
        return ()
    angle = thing.args[0]
    names = sorted(symbol.name for symbol in angle.free_symbols)
    return len(names), names, str(angle), thing.func.__name__


def _index(factors: Factors) -> int:
    """Return the number of the link a term belongs to: that of its first factor."""
    for thing, _ in factors:
        if not isinstance(thing, Arranged) and thing.is_Symbol:
            return int(re.sub(r'\D', '', thing.name) or 0)
    return 0


def _ordered(factors: Iterable[tuple[Any, Any]]) -> Factors:
    return tuple(sorted(factors, key=lambda factor: (
        ORDER.index(_kind(factor[0])), _angle_order(factor[0]) or (0,),
        _length_order(factor[0]))))


def _length_order(thing: Any) -> Any:
    if isinstance(thing, Arranged) or not thing.is_Symbol:
        return ''
    return len(re.sub(r'\d', '', thing.name)), thing.name


def _term_order(term: Term) -> tuple[Any, ...]:
    _, factors = term
    angles = [_angle_order(thing) for thing, _ in factors if _kind(thing) == 'angle']
    first = _kind(factors[0][0]) if factors else ''
    return (len(angles), angles, _index(factors), ORDER.index(first) if first else -1,
            [str(thing) for thing, _ in factors])


def write(arranged: Arranged, style: Style, digits: int = 6) -> str:
    """
    Return a sum as text.

    Parameters
    ----------
    arranged : Arranged
    style : Style
        TEXT, LATEX or PYTHON.
    digits : int
        Of numbers; Python source has them all.

    Returns
    -------
    text : str

    """
    pieces: list[str] = []
    for coefficient, factors in arranged.terms:
        body = _product(abs(coefficient), factors, style, digits)
        if coefficient < 0:
            pieces += ['-', body] if pieces else [f'-{body}']
        else:
            pieces += ['+', body] if pieces else [body]
    return ' '.join(pieces) if pieces else '0'


def _product(coefficient: Any, factors: Factors, style: Style, digits: int) -> str:
    words = [] if coefficient == 1 and factors else [style.number(coefficient, digits)]
    for thing, exponent in factors:
        if isinstance(thing, Arranged):
            text = write(thing, style, digits).join(style.brackets)
        elif thing.is_Symbol:
            text = style.symbol(thing.name)
        else:
            inside = write(arrange(thing.args[0]), style, digits)
            text = style.angle(thing.func.__name__, inside)
        words.append(text if exponent == 1 else style.power(text, exponent))
    return style.times.join(words)
