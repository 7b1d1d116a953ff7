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

import math

from .integrators import METHODS
from ..dynamics.lagrange import closed_form
from ..dynamics.tracing import unroll

__all__ = ['fused_advance']

FUSED = ('rk4', 'rk8', 'semi_implicit')


def fused_advance(method, constants, damping, dt):
    """
    Return an integrator's step of a planar 2R arm, written out.

    Parameters
    ----------
    method : str
        One of `FUSED`.
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
        forward_dynamics = closed_form(constants, cos, sin).forward_dynamics

        def acceleration(q, qd, tau):
            return forward_dynamics(q, qd, [x - b * v for x, b, v in zip(tau, damping, qd)])

        return METHODS[method](acceleration, 2)(q, qd, tau, dt)

    source = unroll(step, {'q': 2, 'qd': 2, 'tau': 2}, 'advance')
    scope = {'cos': math.cos, 'sin': math.sin}
    # As defaults, cosine and sine are locals, the fastest names there are.
    source = source.replace('(q, qd, tau):', '(q, qd, tau, cos=cos, sin=sin):', 1)
    exec(compile(source, f'<{method} of a planar 2R arm>', 'exec'), scope)
    return scope['advance']
