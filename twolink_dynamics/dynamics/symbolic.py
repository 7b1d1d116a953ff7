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
Equations of motion of a small arm, written out: derived by SymPy from its energies.

The kinetic energy ``T = 1/2 qd^T M qd`` gives M, its Christoffel symbols give C, the potential
energy U gives G (theory.md L3-L7, H2). What comes out is canonical: products of sines and cosines
are resolved into those of sums of angles, so that what cancels is gone and a planar arm's formulas
are those of the texts.

SymPy is imported when a function is called.

"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, Mapping, Sequence, TYPE_CHECKING

import numpy as np

from twolink_dynamics.array_types import ArrayLike, FloatArray
from twolink_dynamics.errors import MissingDependencyError, UnsupportedModelError

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm
    from twolink_dynamics.model.two_link import TwoLinkConstants

__all__ = ['Equations', 'MOST_JOINTS', 'arm_equations', 'drawn_equations']

# Terms of M: 4 for a planar 2R, a few hundred for three skew joints, tens of thousands for six.
MOST_JOINTS = 3
# What rounding of a rotation's entries leaves of a term that is not there, against the largest.
NOISE = 1e-14
# Entries of rotations nearer than this to -1, 0 and 1 mean those: rpy angles are rounded.
SNAP = 4e-16

# SymPy has no types: an expression is Any.
Row = tuple[Any, ...]
Rows = tuple[Row, ...]


@dataclass(frozen=True)
class Equations:
    """
    M, C, G and the energies as SymPy expressions.

    Attributes
    ----------
    q, qd : tuple of Symbol
        ``q1 …``, ``qd1 …``.
    M, C : tuple of tuples
        [kg m^2], [kg m^2/s].
    G : tuple
        [N m or N].
    T, U : expression
        Energies [J]; T in terms of the symbols ``M11 …``. U's constant is left out.
    h : expression or None
        L6's h: C is made of it alone, times velocities.
    Ch : tuple of tuples or None
        C in terms of the symbol ``h``.
    free : dict of str to (float or None)
        The parameters that stand as symbols, and their values where they are known.

    """

    q: Row
    qd: Row
    M: Rows
    C: Rows
    G: Row
    T: Any
    U: Any
    h: Any = None
    Ch: Rows | None = None
    free: dict[str, float | None] = field(default_factory=dict)


def _sympy() -> ModuleType:
    try:
        import sympy
    except ImportError:
        raise MissingDependencyError('sympy', 'deriving equations', 'symbolic') from None
    return sympy


def drawn_equations(values: Mapping[str, float] | None = None) -> Equations:
    """
    Return the equations of the texts' drawing (theory.md L1-L8).

    Parameters
    ----------
    values : dict of str to float, optional
        Numbers for ``m1``, ``m2``, ``l1``, ``lc1``, ``lc2``, ``I1``, ``I2``, ``g``; what is not
        given stays a symbol.

    Returns
    -------
    equations : Equations

    Raises
    ------
    MissingDependencyError
        Without SymPy.

    """
    sympy, values = _sympy(), values or {}
    names = ('m1', 'm2', 'l1', 'lc1', 'lc2', 'I1', 'I2', 'g')
    p = {name: _exact(values[name]) if values.get(name) is not None
         else sympy.Symbol(name, positive=True) for name in names}
    free: dict[str, float | None] = {
        name: None for name in names if values.get(name) is None}
    return _planar(1, p['m1'], p['m2'], p['I1'], p['I2'], p['l1'], (p['lc1'], 0), (p['lc2'], 0),
                   (0, -p['g']), free)


def arm_equations(arm: Arm, symbols: bool = False) -> Equations:
    """
    Return the equations of an arm, with its numbers.

    Parameters
    ----------
    arm : Arm
        Of at most three joints.
    symbols : bool
        Whether to keep the parameters of a planar 2R as symbols, with their values in `free`:
        those of the drawing, and ``xc``, ``yc``, a centre of mass along and across link 1's line
        at ``q2 = 0``, where it is off the line.

    Returns
    -------
    equations : Equations

    Raises
    ------
    UnsupportedModelError
        If the arm has more joints, or symbols are requested and it is not a planar 2R.
    MissingDependencyError
        Without SymPy.

    """
    _sympy()
    constants = getattr(arm, 'constants', None)
    if constants is not None:
        return _two_link(arm, constants, symbols)
    if symbols:
        raise UnsupportedModelError(
            f'"{arm.chain.name}" is no planar 2R arm: its equations are written with its numbers '
            'only, not with symbols', arm.joint_names)
    if arm.n > MOST_JOINTS:
        raise UnsupportedModelError(
            f'"{arm.chain.name}" has {arm.n} joints: equations are written out for up to '
            f'{MOST_JOINTS}, beyond which they run to thousands of terms that nobody reads; '
            'mass_matrix(), coriolis_matrix() and gravity_vector() give their values, and a '
            'nearer tip_link a smaller arm', arm.joint_names)
    return _serial(arm)


# --- planar 2R ---------------------------------------------------------------------------------


def _two_link(arm: Arm, k: TwoLinkConstants, symbols: bool) -> Equations:
    """Return the equations of a planar 2R chain: the drawing's, with what a URDF adds."""
    sympy = _sympy()
    gravity = k.axes.T @ arm.gravity
    scale = np.linalg.norm(arm.gravity)
    gx, gy = (0.0 if abs(x) <= SNAP * scale else float(x) for x in gravity[:2])
    free: dict[str, float | None] = {}

    def parameter(name: str, value: float) -> Any:
        if not symbols or value == 0.0:
            return _exact(value)
        free[name] = float(abs(value))
        symbol = sympy.Symbol(name, positive=True)
        return symbol if value > 0.0 else -symbol

    def place(i: int, com: FloatArray) -> tuple[Any, Any]:
        x, y = float(com[0]), float(com[1])
        if abs(y) <= NOISE * abs(x):
            return parameter(f'lc{i}', x), 0
        return parameter(f'xc{i}', x), parameter(f'yc{i}', y)

    m1, m2 = parameter('m1', k.m1), parameter('m2', k.m2)
    l1 = parameter('l1', k.l1)
    com1, com2 = place(1, k.com1), place(2, k.com2)
    I1, I2 = parameter('I1', k.I1), parameter('I2', k.I2)
    names = ('gx', 'gy') if gx and gy else ('g', 'g')
    g = tuple(parameter(name, value) for name, value in zip(names, (gx, gy)))
    return _planar(int(k.sign), m1, m2, I1, I2, l1, com1, com2, g, free)


def _planar(sign: int, m1: Any, m2: Any, I1: Any, I2: Any, l1: Any, com1: Row, com2: Row, g: Row,
            free: dict[str, float | None]) -> Equations:
    """Derive the equations in the arm's plane, from positions (L1) over energies (L3, L5)."""
    sympy = _sympy()
    q, qd = _coordinates(2)
    angles = (q[0], q[0] + sign * q[1])

    def turned(angle: Any, v: Row) -> Any:
        c, s = sympy.cos(angle), sympy.sin(angle)
        return sympy.Matrix([c * v[0] - s * v[1], s * v[0] + c * v[1]])

    places = turned(angles[0], com1), turned(angles[0], (l1, 0)) + turned(angles[1], com2)
    rates = (qd[0], qd[0] + sign * qd[1])
    T, U = 0, 0
    for m, inertia, place, rate in zip((m1, m2), (I1, I2), places, rates):
        v = place.jacobian(q) * sympy.Matrix(qd)
        T += m * (v.T * v)[0] / 2 + inertia * rate ** 2 / 2
        U -= m * (g[0] * place[0] + g[1] * place[1])
    T = _resolved(T)
    M = [[sympy.expand(sympy.diff(T, a, b)) for b in qd] for a in qd]
    return _from_energies(q, qd, M, _resolved(U), free, planar=True)


# --- any small chain ---------------------------------------------------------------------------


def _serial(arm: Arm) -> Equations:
    """Derive the equations of a chain, link by link in the links' own frames."""
    sympy = _sympy()
    chain, n = arm.chain, arm.n
    q, qd = _coordinates(n)
    Jv, Jw = sympy.zeros(3, n), sympy.zeros(3, n)  # of the last frame's origin, in its axes
    g, U, M = _matrix(arm.gravity), 0, sympy.zeros(n, n)
    height = 0                                     # - g . (the last frame's origin)
    for i, (joint, link) in enumerate(zip(chain.joints, chain.links)):
        axis, R0 = _matrix(_snapped(joint.axis)), _matrix(_snapped(joint.origin[:3, :3]))
        offset, slides = _matrix(joint.origin[:3, 3]), joint.type == 'prismatic'
        R = R0 if slides else R0 * _turn(axis, q[i])
        offset = offset + R0 * axis * q[i] if slides else offset
        height -= (g.T * offset)[0]
        Jv, Jw, g = R.T * (Jv - _cross(offset) * Jw), R.T * Jw, R.T * g
        (Jv if slides else Jw)[:, i] = axis
        Jv, Jw = Jv.applyfunc(_resolved), Jw.applyfunc(_resolved)
        com, m = _matrix(link.com), _exact(link.mass)
        Jc = Jv - _cross(com) * Jw
        M += m * Jc.T * Jc + Jw.T * _matrix(link.inertia) * Jw
        M[i, i] += _exact(joint.armature)
        U += m * (height - (g.T * com)[0])
    rows = [[_resolved(M[max(i, j), min(i, j)]) for j in range(n)] for i in range(n)]
    largest = max(map(_largest, (entry for row in rows for entry in row)))
    rows = [[_without_noise(entry, largest) for entry in row] for row in rows]
    U = _resolved(U)
    return _from_energies(q, qd, rows, _without_noise(U, _largest(U)))


def _cross(v: Any) -> Any:
    sympy = _sympy()
    return sympy.Matrix([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def _turn(axis: Any, angle: Any) -> Any:
    """Return the rotation about an axis by an angle."""
    sympy = _sympy()
    c, s = sympy.cos(angle), sympy.sin(angle)
    return c * sympy.eye(3) + s * _cross(axis) + (1 - c) * axis * axis.T


def _snapped(values: FloatArray) -> FloatArray:
    whole = np.round(values)
    return np.where(np.abs(values - whole) <= SNAP, whole, values)


# --- both --------------------------------------------------------------------------------------


def _coordinates(n: int) -> tuple[Row, Row]:
    sympy = _sympy()
    return (tuple(sympy.symbols(f'q1:{n + 1}', real=True)),
            tuple(sympy.symbols(f'qd1:{n + 1}', real=True)))


def _from_energies(q: Row, qd: Row, M: Sequence[Sequence[Any]], U: Any,
                   free: dict[str, float | None] | None = None, planar: bool = False) -> Equations:
    """Return the equations of a mass matrix and a potential energy."""
    sympy = _sympy()
    n = len(q)
    rank = range(n)
    D = [[[sympy.expand((sympy.diff(M[i][j], q[k]) + sympy.diff(M[i][k], q[j])
                         - sympy.diff(M[j][k], q[i])) / 2) for k in rank] for j in rank]
         for i in rank]
    C = tuple(tuple(sympy.Add(*(D[i][j][k] * qd[k] for k in rank)) for j in rank) for i in rank)
    U = sympy.Add(*(term for term in sympy.Add.make_args(U) if term.has(*q)))
    G = tuple(sympy.expand(sympy.diff(U, x)) for x in q)
    entries = {(i, j): sympy.Symbol(f'M{i + 1}{j + 1}') for i in rank for j in range(i, n)}
    T = sympy.Add(*((1 if i != j else sympy.Rational(1, 2)) * entry * qd[i] * qd[j]
                    for (i, j), entry in entries.items()))
    h, Ch = _common_h(D, qd) if planar else (None, None)
    return Equations(q, qd, tuple(map(tuple, M)), C, G, T, U, h, Ch, free or {})


def _common_h(D: Sequence[Any], qd: Row) -> tuple[Any, Rows | None]:
    """Return h and C in terms of it where all Christoffel symbols are h, -h or 0, as in L6."""
    sympy = _sympy()
    n = len(qd)
    if D[1][0][0] == 0:
        return None, None
    h, symbol = D[1][0][0], sympy.Symbol('h')
    signs = {sympy.expand(h): 1, sympy.expand(-h): -1, sympy.Integer(0): 0}
    if any(entry not in signs for row in D for column in row for entry in column):
        return None, None
    return h, tuple(tuple(symbol * sympy.Add(*(signs[D[i][j][k]] * qd[k] for k in range(n)))
                          for j in range(n)) for i in range(n))


def _resolved(expression: Any) -> Any:
    """Return a sum of terms with one sine or cosine each: equal expressions become the same."""
    sympy = _sympy()
    from sympy.simplify.fu import TR8
    return sympy.expand(TR8(sympy.expand(expression)))


def _exact(value: float) -> Any:
    """Return a number as the rational its shortest decimals are: sums of such cancel exactly."""
    return _sympy().Rational(repr(float(value)))


def _matrix(values: ArrayLike) -> Any:
    values = np.asarray(values, dtype=float)
    return _sympy().Matrix([[_exact(x) for x in row] for row in np.atleast_2d(values.T).T])


def _largest(expression: Any) -> float:
    terms = expression.as_coefficients_dict()
    return max((abs(float(value)) for value in terms.values()), default=0.0)


def _without_noise(expression: Any, largest: float) -> Any:
    sympy = _sympy()
    return sympy.Add(*(value * term for term, value in expression.as_coefficients_dict().items()
                       if abs(float(value)) > NOISE * largest))
