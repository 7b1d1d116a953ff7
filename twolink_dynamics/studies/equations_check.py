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

"""Equations in symbols against the numeric code: what is printed is run and compared."""

import math
from typing import Any, Callable, Mapping, TYPE_CHECKING

import numpy as np

from twolink_dynamics.array_types import FloatArray
from twolink_dynamics.errors import TwoLinkError

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm

__all__ = ['check_equations']

STATES = 20
# Sums of a dozen products of numbers rounded to 1e-16 each, against the largest entry.
TOLERANCE = 1e-12
# Where parameters are symbols, any numbers do; none of these is special.
TRIED = {'m1': 1.3, 'm2': 0.7, 'l1': 0.9, 'lc1': 0.4, 'lc2': 0.35, 'I1': 0.11, 'I2': 0.06,
         'g': 9.7}


def check_equations(source: str, free: Mapping[str, float | None],
                    arm_of: 'Callable[[dict[str, float]], Arm]') -> float:
    """
    Run equations against the numeric dynamics.

    Parameters
    ----------
    source : str
        Of a Python module with the functions ``mass_matrix(q)``, ``coriolis_matrix(q, qd)``,
        ``gravity_vector(q)``, ``kinetic_energy(q, qd)`` and ``potential_energy(q)``.
    free : dict of str to (float or None)
        Their other parameters, with values where they have some.
    arm_of : callable
        Of the values of these parameters into the arm whose equations they are.

    Returns
    -------
    difference : float
        The largest, of the size of what differs.

    Raises
    ------
    TwoLinkError
        If they differ: the derivation, or the numeric code, is wrong.

    """
    functions: dict[str, Any] = {}
    exec(compile(source, '<equations>', 'exec'), functions)
    numbers = {name: TRIED[name] if value is None else value for name, value in free.items()}
    arm = arm_of(numbers)
    zero = float(arm.potential_energy([0.0] * arm.n))

    def run(name: str, *state: list[float]) -> FloatArray:
        return np.array(functions[name](*state, **numbers), dtype=float)

    at_zero = run('potential_energy', [0.0] * arm.n)
    worst = 0.0
    for q, qd in _states(arm.n, STATES):
        # The zero of U is a matter of taste: L5's is at joint 1's height.
        pairs = {'mass_matrix': (run('mass_matrix', q), arm.mass_matrix(q)),
                 'coriolis_matrix': (run('coriolis_matrix', q, qd), arm.coriolis_matrix(q, qd)),
                 'gravity_vector': (run('gravity_vector', q), arm.gravity_vector(q)),
                 'kinetic_energy': (run('kinetic_energy', q, qd), arm.kinetic_energy(q, qd)),
                 'potential_energy': (run('potential_energy', q) - at_zero,
                                      arm.potential_energy(q) - zero)}
        scales = _scales(pairs, arm, zero, at_zero)
        for name, (derived, numeric) in pairs.items():
            difference = float(np.abs(derived - numeric).max()) / scales[name]
            if not difference <= TOLERANCE:
                raise TwoLinkError(
                    f'{name}: the derived equations differ from the numeric code by '
                    f'{difference:.1e} of its size at q = {q}: not printed; please report this')
            worst = max(worst, difference)
    return worst


def _scales(pairs: dict[str, tuple[FloatArray, FloatArray]], arm: 'Arm', zero: float,
            at_zero: FloatArray) -> dict[str, float]:
    """Return what differences are measured by: the largest entry, and what it is a sum of."""
    scales = {name: max(float(np.abs(numeric).max()), 1e-300)
              for name, (_, numeric) in pairs.items()}
    weight = sum(link.mass for link in arm.chain.links) * float(np.linalg.norm(arm.gravity))
    size = sum(float(np.linalg.norm(joint.origin[:3, 3])) for joint in arm.chain.joints)
    size += sum(float(np.linalg.norm(link.com)) for link in arm.chain.links)
    # G and U are differences of terms of this size, and may vanish.
    for name in ('gravity_vector', 'potential_energy'):
        scales[name] = max(scales[name], weight * (size + math.pi), abs(zero), abs(float(at_zero)))
    # C, too, vanishes in places where M does not, and is M's derivative times rates of up to pi.
    scales['coriolis_matrix'] = max(scales['coriolis_matrix'], scales['mass_matrix'])
    return scales


def _states(n: int, count: int) -> list[tuple[list[float], list[float]]]:
    """Return positions and velocities, evenly spread and the same each time."""
    golden = 0.5 * (math.sqrt(5.0) - 1.0)
    numbers = [2.0 * math.pi * ((golden * k) % 1.0 - 0.5) for k in range(1, 2 * n * count + 1)]
    return [(numbers[2 * n * k:2 * n * k + n], numbers[2 * n * k + n:2 * n * (k + 1)])
            for k in range(count)]
