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
A step of the planar 2R arm as one straight line of arithmetic.

In plain Python a third of an integrator's time goes into calling the equations of motion and
handing pairs around. Here integrator and closed form are run once on symbols and written out as
one function without calls, loops or pairs; it does the operations they do, in their order.

"""

import functools
import math

from twolink_dynamics.codegen.source import function_source
from twolink_dynamics.dynamics import two_link
from twolink_dynamics.simulation.integrators import METHODS

__all__ = ['computed_torque', 'fused_advance', 'fused_loop', 'planar_step']


def planar_step(method, constants, damping, q, qd, tau, dt, cos, sin):
    """
    Return the state of a planar 2R arm a step later, on any kind of numbers.

    Parameters
    ----------
    method : str
        One of :data:`.fast_path.WRITTEN_OUT`.
    constants : TwoLinkConstants
    damping, q, qd, tau : pairs of numbers
    dt : number
    cos, sin : callable
        Of that kind of numbers.

    Returns
    -------
    q, qd : pairs of numbers

    """
    def acceleration(q, qd, tau):
        damped = [x - b * v for x, b, v in zip(tau, damping, qd)]
        return two_link.forward_dynamics(constants, q, qd, damped, cos, sin)[0]

    return METHODS[method](acceleration, 2)(q, qd, tau, dt)


def computed_torque(constants, kp, kd, q, qd, q_d, qd_d, qdd_d, cos, sin):
    """
    Return the efforts of computed torque (theory.md C1) of a planar 2R arm, on any numbers.

    Parameters
    ----------
    constants : TwoLinkConstants
        Of the model.
    kp, kd, q, qd, q_d, qd_d, qdd_d : pairs of numbers
    cos, sin : callable

    Returns
    -------
    tau : pair of numbers

    """
    qdd = [a + d * (v - w) + p * (x - y)
           for a, d, v, w, p, x, y in zip(qdd_d, kd, qd_d, qd, kp, q_d, q)]
    return two_link.inverse_dynamics(constants, q, qd, qdd, cos, sin)


def _written_out(function, names, flat=()):
    """Return a function of sequences without calls and loops; `flat` ones come as numbers."""
    source = function_source('written_out', function, names)
    arguments = []
    for name, length in names.items():
        numbers = ''.join(f'{name}{k}, ' for k in range(length))
        if name in flat:
            source = source.replace(f'    {numbers}= {name}\n', '', 1)
        arguments.append(numbers[:-2] if name in flat else name)
    # As defaults, cosine and sine are locals, the fastest names there are.
    source = source.replace(f'({", ".join(names)}):',
                            f'({", ".join(arguments)}, cos=cos, sin=sin):', 1)
    scope = {'cos': math.cos, 'sin': math.sin}
    exec(compile(source, '<a step of a planar 2R arm>', 'exec'), scope)
    return scope['written_out']


# Writing out takes as long as a second of simulation: an arm simulated again has it done already.
@functools.lru_cache(maxsize=32)
def fused_advance(method, constants, damping, dt):
    """
    Return an integrator's step of a planar 2R arm, written out.

    Parameters
    ----------
    method : str
        One of :data:`.fast_path.WRITTEN_OUT`.
    constants : TwoLinkConstants
        Of the arm.
    damping : sequence of float, length 2
        Viscous coefficients [N m s/rad].
    dt : float
        [s].

    Returns
    -------
    advance : callable
        ``(q, qd, tau) -> (q, qd)``, pairs of floats.

    """
    def step(q, qd, tau, cos, sin):
        return planar_step(method, constants, damping, q, qd, tau, dt, cos, sin)

    return _written_out(step, {'q': 2, 'qd': 2, 'tau': 2})


@functools.lru_cache(maxsize=32)
def fused_loop(method, constants, damping, dt, model, kp, kd):
    """
    Return a step of a planar 2R arm with computed torque, written out.

    Where law and arm take the sine of the same angle, it is taken once.

    Parameters
    ----------
    method, constants, damping, dt
        As for :func:`fused_advance`.
    model : TwoLinkConstants
        Of the law.
    kp, kd : sequence of float, length 2

    Returns
    -------
    advance : callable
        ``(state, *desired) -> state`` a step later: the state is q, qd and tau in one tuple of
        six, of which tau is not looked at; `desired` are six numbers, q, qd and qdd.

    """
    def step(s, q_d, qd_d, qdd_d, cos, sin):
        q, qd = s[:2], s[2:4]
        tau = computed_torque(model, kp, kd, q, qd, q_d, qd_d, qdd_d, cos, sin)
        q, qd = planar_step(method, constants, damping, q, qd, tau, dt, cos, sin)
        return [*q, *qd, *tau]

    return _written_out(step, {'s': 6, 'q_d': 2, 'qd_d': 2, 'qdd_d': 2},
                        flat=('q_d', 'qd_d', 'qdd_d'))
