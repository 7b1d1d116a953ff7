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

"""The dynamics of one state on plain floats, as loops ask for it."""

from __future__ import annotations

import math
from typing import Any, Callable, TYPE_CHECKING

import numpy as np

from twolink_dynamics.array_types import FloatArray, Vector
from twolink_dynamics.dynamics.serial_dynamics import LOOP_CALLS, SerialDynamics
from twolink_dynamics.errors import NonFiniteError

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm

__all__ = ['Scalar']


class Scalar:
    """
    The dynamics of one state, unchecked: sequences of n Python floats in and out.

    No wrench on the tip and no friction. A state that is not finite gives NaN. What a subclass of
    :class:`~.arm.Arm` overrides is called.

    Attributes
    ----------
    inverse_dynamics : callable
        ``(q, qd, qdd) -> tau``
    forward_dynamics : callable
        ``(q, qd, tau) -> qdd``; raises SingularMassMatrixError.
    mass_matrix : callable
        ``(q) -> n rows``
    mass_terms : callable
        ``(q) -> M11, M12, M22``, of a planar 2R arm.
    bias, gravity_vector : callable
        ``(q, qd) -> tau``, ``(q) -> tau``
    wrench_effort : callable
        ``(q, wrench) -> tau``: the efforts of a wrench on the tip, in the base's axes.

    """

    def __init__(self, arm: Arm, engine: SerialDynamics) -> None:
        self._arm, self._engine = arm, engine

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel as what the functions are made of."""
        return type(self), (self._arm, self._engine)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Make a function when it is first asked for; laws ask in every cycle."""
        function = self.__dict__[name] = self._make(name)
        return function

    def _make(self, name: str) -> Callable[..., Any]:
        if name == 'wrench_effort':
            return self._engine.kinematics.program(name).floats
        if name not in LOOP_CALLS and (name != 'mass_terms' or self._engine.n != 2):
            raise AttributeError(name)
        if name in self._arm.overridden:
            return _of_floats(getattr(self._arm, name), self._arm.n)
        return self._engine.program(name).floats

    def renew(self) -> None:
        """Have the functions made anew, of what is compiled by now."""
        self.__dict__ = {'_arm': self._arm, '_engine': self._engine}


def _of_floats(method: Callable[..., FloatArray], n: int) -> Callable[..., Any]:
    """Return a function of sequences of floats that asks a method of arrays."""
    def function(*states: Vector) -> Any:
        try:
            return method(*[np.array(state, dtype=float) for state in states]).tolist()
        except NonFiniteError:
            return [math.nan] * n
    return function
