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
A chain's constants, packed for the kernels: each joint re-expressed so that its axis is z.

URDF lets a joint axis point anywhere in the child's frame and puts a full rotation between two
frames. Neither is needed by the dynamics. Here each body gets a frame of its own, the *kernel
frame*, at the origin of its joint's frame, with z along the joint axis, and turned about z so
that the constant rotation from one kernel frame to the next is about x alone:

    parent -> child:  Rx(alpha) Rz(q + offset)

Any rotation is a product Rz Rx Rz; the left Rz is taken up by the parent's frame, the right one
by the joint's offset. It saves more than half of the multiplications of every change of frame.
The joint's position stays where the URDF has it, so nothing here is ill-conditioned for axes
that are almost parallel (as it would be for Denavit-Hartenberg's common normals).

"""

from __future__ import annotations

from dataclasses import dataclass
import math

import numpy as np

from twolink_dynamics.array_types import ArrayLike, FloatArray
from twolink_dynamics.model.chain import Chain, Frozen, frozen_array, Link
from twolink_dynamics.spatial import rotation_z_to, shift_inertia

__all__ = ['FIELDS', 'Packed', 'pack']

# A row of the packed table for each joint, in this order. The last six are properties of the whole
# arm and stand in the first row.
FIELDS = (
    'revolute',                                  # 1 revolute or continuous, 0 prismatic
    'offset',                                    # added to q [rad] (revolute)
    'cos0', 'sin0',                              # of the constant angle about z (prismatic)
    'ca', 'sa',                                  # cos and sin of alpha
    'px', 'py', 'pz',                            # joint's position in the parent's kernel frame
    'm', 'mcx', 'mcy', 'mcz',                    # mass; mass times centre of mass
    'ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz',    # about the joint's origin
    'armature',
    'floor',                                     # below this an inertia is rounding noise
    'gx', 'gy', 'gz',                            # gravity in the base's kernel frame
    'tx', 'ty', 'tz',                            # the tip's origin in the last kernel frame
)


@dataclass(frozen=True, eq=False)
class Packed(Frozen):
    """
    What the kernels know of an arm.

    Attributes
    ----------
    table : ndarray, shape (n, len(FIELDS))
        The constants, see :data:`FIELDS`.
    frames : ndarray, shape (n, 3, 3)
        Rotations that take coordinates in the kernel frames to those in the URDF's child frames.
    base : ndarray, shape (3, 3)
        The same for the base: from the base's kernel frame to the base link's.
    start : ndarray, shape (3,)
        The first joint's origin in the base link's frame [m].

    """

    table: FloatArray
    frames: FloatArray
    base: FloatArray
    start: FloatArray

    def __post_init__(self) -> None:
        """Freeze the arrays."""
        for name in ('table', 'frames', 'base', 'start'):
            object.__setattr__(self, name, frozen_array(getattr(self, name)))


def pack(chain: Chain, gravity: ArrayLike, armature: ArrayLike) -> Packed:
    """
    Pack a chain.

    Parameters
    ----------
    chain : Chain
    gravity : array_like, shape (3,)
        In the base link's frame [m/s^2].
    armature : array_like, shape (n,)
        Rotor inertias seen through the gears [kg m^2 or kg].

    Returns
    -------
    packed : Packed

    """
    n = chain.n
    table = np.zeros((n, len(FIELDS)))
    column = dict(zip(FIELDS, table.T))
    column['revolute'][:] = [joint.type != 'prismatic' for joint in chain.joints]
    column['armature'][:] = armature
    base, frames = _turned_frames(chain, column)
    parents = [base, *frames[:-1]]
    for i, (joint, link) in enumerate(zip(chain.joints, chain.links)):
        for name, value in zip(('px', 'py', 'pz'), parents[i].T @ joint.origin[:3, 3]):
            column[name][i] = value
        _pack_body(column, i, link, frames[i])
    column['floor'][:] = _rounding_floor(chain)
    for name, value in zip(('gx', 'gy', 'gz'), base.T @ np.asarray(gravity, dtype=float)):
        column[name][0] = value
    for name, value in zip(('tx', 'ty', 'tz'), frames[-1].T @ chain.tip[:3, 3]):
        column[name][0] = value
    return Packed(table, frames, base, chain.joints[0].origin[:3, 3])


def _turned_frames(chain: Chain, column: dict[str, FloatArray]) -> tuple[FloatArray, FloatArray]:
    """
    Find the kernel frames, and fill in alpha and the offsets.

    Returns
    -------
    base : ndarray, shape (3, 3)
    frames : ndarray, shape (n, 3, 3)

    """
    axes = [rotation_z_to(joint.axis) for joint in chain.joints]
    turns, offsets = [], []
    parent = np.eye(3)
    for i, joint in enumerate(chain.joints):
        left, ca, sa, right = _zxz(parent.T @ joint.origin[:3, :3] @ axes[i])
        column['ca'][i], column['sa'][i] = ca, sa
        turns.append(left)
        offsets.append(right)
        parent = axes[i]
    base = _about_z(*turns[0])
    frames = []
    for i in range(chain.n):
        # The last frame's turn is free: taking the offset away leaves joint n with none.
        c, s = offsets[i]
        gc, gs = turns[i + 1] if i + 1 < chain.n else (c, -s)
        frames.append(axes[i] @ _about_z(gc, gs))
        cos0, sin0 = c * gc - s * gs, s * gc + c * gs
        column['offset'][i] = math.atan2(sin0, cos0)
        column['cos0'][i], column['sin0'][i] = cos0, sin0
    return base, np.array(frames)


def _zxz(A: FloatArray) -> tuple[tuple[float, float], float, float, tuple[float, float]]:
    """Factor a rotation into Rz Rx Rz: (cos, sin) of the left, cos and sin of alpha, the right."""
    sa = math.hypot(A[0, 2], A[1, 2])
    if sa < 8 * np.finfo(float).eps:  # parallel axes: only the sum of the two turns matters
        left, sa, ca = (1.0, 0.0), 0.0, math.copysign(1.0, A[2, 2])
    else:
        left, ca = (-A[1, 2] / sa, A[0, 2] / sa), A[2, 2]
    rest = _about_z(*left).T @ A
    right = (rest[0, 0], -rest[0, 1])
    length = math.hypot(*right)
    return left, ca, sa, (right[0] / length, right[1] / length)


def _about_z(c: float, s: float) -> FloatArray:
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _pack_body(column: dict[str, FloatArray], i: int, link: Link, frame: FloatArray) -> None:
    com = frame.T @ link.com
    inertia = shift_inertia(frame.T @ link.inertia @ frame, link.mass, com)
    column['m'][i] = link.mass
    column['mcx'][i], column['mcy'][i], column['mcz'][i] = link.mass * com
    for name, index in (('ixx', (0, 0)), ('ixy', (0, 1)), ('ixz', (0, 2)),
                        ('iyy', (1, 1)), ('iyz', (1, 2)), ('izz', (2, 2))):
        column[name][i] = inertia[index]


def _rounding_floor(chain: Chain) -> FloatArray:
    """
    Return, for each joint, the inertia below which a pivot of M is nothing but rounding.

    A diagonal element of M is a sum over the bodies beyond the joint of terms as large as
    ``|I| + m r^2``, with r at most the length of the stretched chain, although what is left of it
    about the axis may be nothing at all (a point mass on the axis). Each sum of k terms of size S
    is right to ``k eps S``: some 30 operations a body go into it, and factoring M adds ``n eps``
    (Higham, Accuracy and Stability of Numerical Algorithms, theorem 10.3). Hence ``32 n eps S``.

    """
    n = chain.n
    S = np.zeros(n)
    # From the tip inwards: masses, first and second moments about the joint of a stretched chain.
    mass = first = second = step = 0.0
    for i in reversed(range(n)):
        link, r = chain.links[i], np.linalg.norm(chain.links[i].com)
        second += step * (2.0 * first + step * mass) + np.abs(link.inertia).max() \
            + link.mass * r * r
        first += step * mass + link.mass * r
        mass += link.mass
        S[i] = mass if chain.joints[i].type == 'prismatic' else second
        step = float(np.linalg.norm(chain.joints[i].origin[:3, 3]))
    return 32 * n * np.finfo(float).eps * S
