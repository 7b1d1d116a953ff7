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

"""The step of a plant that is rigid bodies and nothing else, as thin as can be."""

import numpy as np

__all__ = ['plain_step']

# What arithmetic on something else than n finite floats raises.
UNUSUAL = (ArithmeticError, AttributeError, IndexError, TypeError, ValueError)


def plain_step(plant, whole, fastest, long_way):
    """
    Return a plant's `step`: bare arithmetic, whose result is looked at instead of its arguments.

    Parameters
    ----------
    plant : Plant
    whole : callable
        ``(q, qd, tau) -> (q, qd)`` a step later.
    fastest : sequence of float, length n
        Speeds beyond reason.
    long_way : callable
        ``(tau) -> (q, qd)``: the step for whatever is unusual; it says what is wrong.

    Returns
    -------
    step : callable
        ``(tau) -> (q, qd)``.

    """
    def step_of_two(tau):
        if tau.__class__ is np.ndarray:
            tau = tau.tolist()
        try:
            q, qd = whole(plant.q, plant.qd, tau)
            v1, v2 = qd
        except UNUSUAL:
            return long_way(tau)
        # False for NaN, which any effort that is not finite has led to; and NumPy's floats would
        # make each step to come three times as long.
        if v1.__class__ is float and -s1 < v1 < s1 and -s2 < v2 < s2:
            plant.q, plant.qd, plant.tau = q, qd, tau
            plant.steps += 1
            return q, qd
        return long_way(tau)

    def step(tau):
        if tau.__class__ is np.ndarray:
            tau = tau.tolist()
        try:
            q, qd = whole(plant.q, plant.qd, tau)
            usual = len(tau) == n
        except UNUSUAL:
            return long_way(tau)
        for v, s in zip(qd, fastest):
            usual = usual and v.__class__ is float and -s < v < s
        if not usual:
            return long_way(tau)
        plant.q, plant.qd, plant.tau = q, qd, tau
        plant.steps += 1
        return q, qd

    n = plant.n
    if n == 2:
        s1, s2 = fastest
        return step_of_two
    return step
