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

"""Equations of motion as text, Markdown, LaTeX and Python source."""

import textwrap
from typing import Any, Callable, Mapping, Sequence, TYPE_CHECKING

from twolink_dynamics.cli.expressions import arrange, LATEX, PYTHON, Style, TEXT, write

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm
    from twolink_dynamics.dynamics.symbolic import Equations

__all__ = ['Page']

WIDTH = 99


class Page:
    """
    The equations of one arm, to be printed.

    Parameters
    ----------
    equations : Equations
    arm : callable
        Of the values of the free parameters into the arm whose equations these are.
    title : str
    remarks : list of str
        What the symbols mean.
    damping : sequence of float
        Viscous friction of the joints.
    digits : int

    Attributes
    ----------
    difference : float or None
        The largest difference from the numeric code, once it was checked.

    """

    def __init__(self, equations: 'Equations', arm: 'Callable[[dict[str, float]], Arm]',
                 title: str, remarks: Sequence[str], damping: Sequence[float], digits: int
                 ) -> None:
        self.equations, self.arm = equations, arm
        self.title = _harmless(title)
        self.remarks = [_harmless(remark) for remark in remarks]
        self.damping, self.digits = list(damping), digits
        self.difference: float | None = None
        self.planar = equations.h is not None
        # C's rows, and what their terms have in common.
        self._coriolis = (equations.C, 'rate') if equations.Ch is None else (equations.Ch, 'h')

    def lines(self, style: str) -> list[str]:
        """
        Return the lines of a format for people.

        Parameters
        ----------
        style : {'text', 'markdown', 'latex'}

        Returns
        -------
        lines : list of str

        """
        remarks = self.remarks + self._values()
        if style == 'text':
            lines = [self.title, *remarks]
            for heading, rows in self._parts(TEXT):
                lines += ['', heading, *(f'  {left} = {right}' for left, right in rows)]
            return [*lines, '', self._verdict()]
        parts = self._parts(LATEX)
        if style == 'markdown':
            lines = [f'# {self.title}', '', *(f'- {remark}' for remark in remarks)]
            for heading, rows in parts:
                lines += ['', f'## {heading}', '', '```math', *_aligned(rows, 'aligned'), '```']
            return [*lines, '', self._verdict()]
        lines = [f'% {line}' for line in (self.title, *remarks, 'needs amsmath')]
        for heading, rows in parts:
            lines += ['', f'% {heading}', *_aligned(rows, 'align*')]
        return [*lines, '', f'% {self._verdict()}']

    def _values(self) -> list[str]:
        known = [f'{name} = {value:.{self.digits}g}'
                 for name, value in self.equations.free.items() if value is not None]
        return ['where ' + ', '.join(known)] if known else []

    def _verdict(self) -> str:
        return f'Checked against the numeric code: equal to {self.difference:.0e} of its size.'

    def _parts(self, style: Style) -> list[tuple[str, list[tuple[str, str]]]]:
        """Return (heading, [(left, right)]) of each part."""
        e, n = self.equations, len(self.equations.q)
        latex = style is LATEX

        def entry(letter: str, *indices: int) -> str:
            digits = ''.join(map(str, indices))
            if not latex:
                return f'{letter}{digits}'
            return f'{letter}_{digits}' if len(digits) == 1 else f'{letter}_{{{digits}}}'

        def text(expression: Any, by: str = '') -> str:
            return write(arrange(expression, by), style, self.digits)

        ranks = range(n)
        equal = ' = '
        M = [(equal.join(entry('M', *ij) for ij in sorted({(i + 1, j + 1), (j + 1, i + 1)})),
              text(e.M[i][j], 'mass')) for i in ranks for j in range(i, n)]
        rows, by = self._coriolis
        C = [(entry('C', i + 1, j + 1), text(rows[i][j], by)) for i in ranks for j in ranks]
        if self.planar:
            C.insert(0, ('h', text(e.h, 'mass')))
        G = [(entry('G', i + 1), text(e.G[i], 'angle')) for i in ranks]
        energies = [('T', text(e.T)), ('U', text(e.U, 'angle'))]
        tags = (' (L4)', ' (L6)', ' (L7)', ' (L3, L5)', ' (L8)') if self.planar else 5 * ('',)
        return [(f'Mass matrix{tags[0]}', M), (f'Coriolis matrix{tags[1]}', C),
                (f'Gravity{tags[2]}', G), (f'Energies{tags[3]}', energies),
                (f'Equation of motion{tags[4]}', self._motion(latex))]

    def _motion(self, latex: bool) -> list[tuple[str, str]]:
        left, right = ((r'\tau', r'M \ddot q + C \dot q + G') if latex
                       else ('tau', 'M qdd + C qd + G'))
        if not any(self.damping):
            return [(left, right)]
        values = ', '.join(f'{b:.{self.digits}g}' for b in self.damping)
        if latex:
            return [(left, rf'{right} + B \dot q'), ('B', rf'\mathrm{{diag}}({values})')]
        return [(left, f'{right} + B qd'), ('B', f'diag({values})')]

    # --- Python ---------------------------------------------------------------------------------

    def python(self) -> str:
        """
        Return the equations as the source of a Python module that needs nothing else.

        Returns
        -------
        source : str

        """
        e, n = self.equations, len(self.equations.q)
        passed = ''.join(f', {name}={name}' for name in e.free)
        q, qd = (', '.join(map(str, symbols)) for symbols in (e.q, e.qd))
        comma = ',' if n == 1 else ''
        take_q, take_qd = f'    {q}{comma} = q', f'    {qd}{comma} = qd'

        def code(expression: Any, by: str = '') -> str:
            return write(arrange(expression, by), PYTHON)

        def matrix(rows: Sequence[Sequence[Any]], by: str) -> str:
            cells = [[code(cell, by) for cell in row] for row in rows]
            return _block('    return [', ['[' + ', '.join(row) + ']' for row in cells], ']')

        M = [[e.M[min(i, j)][max(i, j)] for j in range(n)] for i in range(n)]
        h = [_assigned('h =', code(e.h, 'mass'))] if self.planar else []
        C = matrix(*self._coriolis)
        remarks = [line for remark in self.remarks for line in textwrap.wrap(f'{remark}.', WIDTH)]

        def function(name: str, states: str, says: str, *body: str) -> list[str]:
            return [_define(name, states, e.free), f'    """{says}"""', *body]

        parts = [
            ['"""', f'Equations of motion: {self.title}.', '', *remarks,
             'Angles in rad, SI units.', '', '"""', '', _import(e)],
            function('mass_matrix', 'q', 'Return M(q) [kg m^2].', take_q, matrix(M, 'mass')),
            function('coriolis_matrix', 'q, qd',
                     'Return C(q, qd), with which dM/dt - 2 C is skew-symmetric.', take_q, take_qd,
                     *h, C),
            function('gravity_vector', 'q', 'Return G(q): what holds the arm.', take_q,
                     _block('    return [', [code(g, 'angle') for g in e.G], ']')),
            function('kinetic_energy', 'q, qd', 'Return T [J].', f'    M = mass_matrix(q{passed})',
                     '    return 0.5 * sum(M[i][j] * qd[i] * qd[j] '
                     f'for i in range({n}) for j in range({n}))'),
            function('potential_energy', 'q', 'Return U [J], but for a constant.', take_q,
                     _assigned('return', code(e.U, 'angle'))),
            function('inverse_dynamics', 'q, qd, qdd',
                     'Return tau = M qdd + C qd + G, without friction.',
                     f'    M, C = mass_matrix(q{passed}), coriolis_matrix(q, qd{passed})',
                     f'    G = gravity_vector(q{passed})', '    return [sum(M[i][j] * qdd[j] + '
                     f'C[i][j] * qd[j] for j in range({n})) + G[i]',
                     f'            for i in range({n})]')]
        return '\n\n\n'.join('\n'.join(part) for part in parts) + '\n'


def _harmless(text: str) -> str:
    """
    Return a text that stays inside a docstring and on its line, whatever names a URDF gives.

    The Python source is run, so a name must not become code.
    """
    printable = ''.join(c if c.isprintable() else ' ' for c in text)
    return ' '.join(printable.replace('\\', '/').replace('"""', "'''").split())


def _import(equations: 'Equations') -> str:
    """Return the import of the functions that occur."""
    from sympy import cos, sin
    expressions = [*equations.G, equations.U, *(x for row in equations.M + equations.C
                                                for x in row)]
    names = [f.__name__ for f in (cos, sin) if any(x.has(f) for x in expressions)]
    return f'from math import {", ".join(names)}' if names else '# Nothing in it depends on q.'


def _define(name: str, states: str, free: Mapping[str, float | None]) -> str:
    """Return a function's first line, folded if it is long; known parameters are defaults."""
    more = [key if value is None else f'{key}={value!r}' for key, value in free.items()]
    line = f'def {name}({", ".join([states, *["*"] * bool(more), *more])}):'
    return '\n'.join(textwrap.wrap(line, WIDTH, subsequent_indent=' ' * 8))


def _assigned(start: str, code: str) -> str:
    line = f'    {start} {code}'
    return line if len(line) <= WIDTH else _block(f'    {start} (', [code], ')')


def _block(opening: str, items: Sequence[str], closing: str) -> str:
    """Return items in brackets, in one line if they fit."""
    line = opening + ', '.join(items) + closing
    if len(line) <= WIDTH:
        return line
    lines = [opening]
    for k, item in enumerate(items):
        end = ',' if k < len(items) - 1 else closing
        # Break between terms, not within one: word joiners stand in for the spaces there.
        text = (item + end).replace(' * ', '\u2060*\u2060')
        lines += textwrap.wrap(text, WIDTH, initial_indent=' ' * 8, subsequent_indent=' ' * 12,
                               break_long_words=False, break_on_hyphens=False)
    return '\n'.join(lines).replace('\u2060', ' ')


def _aligned(rows: list[tuple[str, str]], environment: str) -> list[str]:
    body = [f'{left} &= {right}' for left, right in rows]
    return [rf'\begin{{{environment}}}', *(line + r' \\' for line in body[:-1]), body[-1],
            rf'\end{{{environment}}}']
