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

"""What a wrench on the tip does to the joints, on plain floats."""

import math

from twolink_dynamics.codegen.source import function_source

__all__ = ['wrench_effort']

# Beyond so many joints the source to compile grows long, and the loop runs as it is.
UNROLL_JOINTS = 8


def wrench_effort(chain):
    """
    Return the function ``J(q)' w`` of a chain.

    Parameters
    ----------
    chain : Chain

    Returns
    -------
    effort : callable
        ``(q, wrench) -> efforts``: sequences of n and 6 floats to n floats. The wrench is force
        and moment the surroundings exert on the tip, in the base's axes.

    """
    joints = [(joint.origin[:3, :3].tolist(), joint.origin[:3, 3].tolist(), joint.axis.tolist(),
               joint.type == 'prismatic') for joint in chain.joints]
    tip = chain.tip[:3, 3].tolist()

    def effort(q, w, cos=math.cos, sin=math.sin):
        return _effort(joints, tip, q, w, cos, sin)

    if chain.n > UNROLL_JOINTS:
        return effort
    source = function_source('effort', effort, {'q': chain.n, 'w': 6})
    scope = {'cos': math.cos, 'sin': math.sin}
    exec(compile(source, '<wrench on the tip>', 'exec'), scope)
    return scope['effort']


def _effort(joints, tip, q, w, cos, sin):
    rotation = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    place, axes = [0.0, 0.0, 0.0], []
    for (turn, shift, axis, prismatic), x in zip(joints, q):
        place = [a + b for a, b in zip(place, _times(rotation, shift))]
        rotation = _product(rotation, turn)
        z = _times(rotation, axis)
        axes.append((z, place, prismatic))
        if prismatic:
            place = [a + x * b for a, b in zip(place, z)]
        else:
            rotation = _product(rotation, _about(axis, cos(x), sin(x)))
    place = [a + b for a, b in zip(place, _times(rotation, tip))]
    force, moment = w[:3], w[3:]
    return [_dot(z, force) if prismatic else
            _dot(z, moment) + _dot(_cross(z, [a - b for a, b in zip(place, origin)]), force)
            for z, origin, prismatic in axes]


def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def _times(R, v):
    return [_dot(row, v) for row in R]


def _product(A, B):
    columns = list(zip(*B))
    return [[_dot(row, column) for column in columns] for row in A]


def _about(axis, c, s):
    """Return the rotation about a unit vector (Rodrigues)."""
    x, y, z = axis
    d = 1.0 - c
    return [[c + d * (x * x), d * (x * y) - s * z, d * (x * z) + s * y],
            [d * (x * y) + s * z, c + d * (y * y), d * (y * z) - s * x],
            [d * (x * z) - s * y, d * (y * z) + s * x, c + d * (z * z)]]
