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
Short ways through the façade of the two-link arm, for one state as arrays: every control cycle's.

They take floats through the formulas and check what comes out, which NaN and infinity reach
through every sum. Whatever is unusual takes the long way, which says what it is. As functions of
the instance they cost half of what they would as methods.

"""

from functools import wraps
from math import cos, sin

import numpy as np

__all__ = ['short_forward', 'short_inverse']

UNUSUAL = (AttributeError, IndexError, TypeError, ValueError)


def short_forward(forward, long_way):
    """
    Return forward dynamics that goes the short way where it can.

    Parameters
    ----------
    forward : callable
        On pairs of floats.
    long_way : callable
        The method of the façade.

    Returns
    -------
    forward_dynamics : callable

    """
    empty = np.empty

    @wraps(long_way)
    def forward_dynamics(q, qd, tau, tip_wrench=None, friction=False, out=None):
        if tip_wrench is None and not friction:
            try:
                if q.ndim == 1:  # many states are better not made lists
                    x1, x2 = forward(q.tolist(), qd.tolist(), tau.tolist())
                    if (x1 - x2) * 0.0 == 0.0:  # both are finite
                        if out is None:
                            out = empty(2)
                        out[0] = x1
                        out[1] = x2
                        return out
            except UNUSUAL:
                pass
        return long_way(q, qd, tau, tip_wrench, friction, out)

    return forward_dynamics


def short_inverse(k, long_way):
    """
    Return inverse dynamics that goes the short way where it can.

    The formula of :mod:`~twolink_dynamics.dynamics.two_link` stands here a second time, written
    out: calling it would cost an eighth of the whole. A test holds the two equal to the last bit.

    Parameters
    ----------
    k : TwoLinkConstants
        With a second axis along the first.
    long_way : callable
        The method of the façade.

    Returns
    -------
    inverse_dynamics : callable

    """
    empty = np.empty
    alpha, delta, beta, phase = k.alpha, k.delta, k.beta, k.phase
    g1, phase1, g2, phase2 = k.gravity1, k.gravity_phase1, k.gravity2, k.gravity_phase2

    @wraps(long_way)
    def inverse_dynamics(q, qd, qdd, tip_wrench=None, friction=False, out=None):
        if tip_wrench is None and not friction:
            try:
                if q.ndim == 1:
                    q1, q2 = q.tolist()
                    w1, w2 = qd.tolist()
                    a1, a2 = qdd.tolist()
                    w2 = w1 + w2
                    a2 = a1 + a2
                    x = q2 + phase
                    b = beta * cos(x)
                    h = beta * sin(x)
                    f2 = b * a1 + delta * a2 + h * w1 * w1 + g2 * cos(q1 + q2 + phase2)
                    f1 = alpha * a1 + b * a2 - h * w2 * w2 + g1 * cos(q1 + phase1) + f2
                    if (f1 - f2) * 0.0 == 0.0:
                        if out is None:
                            out = empty(2)
                        out[0] = f1
                        out[1] = f2
                        return out
            except UNUSUAL:
                pass
        return long_way(q, qd, qdd, tip_wrench, friction, out)

    return inverse_dynamics
