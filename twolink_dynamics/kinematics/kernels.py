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
Kernels of forward kinematics: poses, the Jacobian and its rate of change, in scalar arithmetic.

Each joint is re-expressed so that its axis is z: turning about it then costs two products a row
instead of a matrix product. The functions take any kind of number: floats, arrays with one element
a state, symbols. A frame is twelve numbers, a rotation row by row and a position, in the base.

"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from twolink_dynamics.array_types import FloatArray, Numbers, Trigonometry
from twolink_dynamics.model.chain import Chain
from twolink_dynamics.spatial import rotation_z_to

__all__ = ['body_poses', 'frames', 'jacobian', 'jacobian_derivative', 'offsets_of', 'Offsets',
           'tip_pose', 'wrench_effort']

Frame = tuple[Any, ...]


class Offsets(NamedTuple):
    """
    What is constant of a chain's frames.

    Attributes
    ----------
    rows : tuple of tuple of 12 floats, length n + 1
        For each joint the z-aligned frame in the one before at ``q = 0``, then for the tip.
    prismatic : tuple of bool, length n + 1
        The tip stands for a slide that stays.
    aligns : list of ndarray, shape (3, 3)
        Rotations that take coordinates in the z-aligned frames to the child links'.

    """

    rows: tuple[tuple[float, ...], ...]
    prismatic: tuple[bool, ...]
    aligns: list[FloatArray]


def offsets_of(chain: Chain) -> Offsets:
    """Return what is constant of a chain's frames."""
    before, rows, aligns = np.eye(3), [], []
    for joint in chain.joints:
        align = rotation_z_to(joint.axis)
        rows.append((before.T @ joint.origin[:3, :3] @ align, before.T @ joint.origin[:3, 3]))
        aligns.append(align)
        before = align
    rows.append((before.T @ chain.tip[:3, :3], before.T @ chain.tip[:3, 3]))
    return Offsets(tuple((*R.ravel().tolist(), *p.tolist()) for R, p in rows),
                   (*(joint.type == 'prismatic' for joint in chain.joints), True), aligns)


def frames(offsets: Offsets, q: Numbers, cos: Trigonometry, sin: Trigonometry) -> list[Frame]:
    """Return the z-aligned frames of the joints, and that of the tip: n + 1 of them."""
    r0, r1, r2, r3, r4, r5, r6, r7, r8 = 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0
    x = y = z = 0.0
    found: list[Frame] = []
    for (a0, a1, a2, a3, a4, a5, a6, a7, a8, u, v, w), prismatic, angle in zip(
            offsets.rows, offsets.prismatic, (*q, 0.0)):
        x = x + (r0 * u + r1 * v + r2 * w)
        y = y + (r3 * u + r4 * v + r5 * w)
        z = z + (r6 * u + r7 * v + r8 * w)
        if prismatic:
            b0, b3, b6, b1, b4, b7 = a0, a3, a6, a1, a4, a7
        else:
            c, s = cos(angle), sin(angle)
            b0, b3, b6 = c * a0 + s * a1, c * a3 + s * a4, c * a6 + s * a7
            b1, b4, b7 = c * a1 - s * a0, c * a4 - s * a3, c * a7 - s * a6
        r0, r1, r2, r3, r4, r5, r6, r7, r8 = (
            r0 * b0 + r1 * b3 + r2 * b6, r0 * b1 + r1 * b4 + r2 * b7,
            r0 * a2 + r1 * a5 + r2 * a8,
            r3 * b0 + r4 * b3 + r5 * b6, r3 * b1 + r4 * b4 + r5 * b7,
            r3 * a2 + r4 * a5 + r5 * a8,
            r6 * b0 + r7 * b3 + r8 * b6, r6 * b1 + r7 * b4 + r8 * b7,
            r6 * a2 + r7 * a5 + r8 * a8)
        if prismatic:
            x, y, z = x + r2 * angle, y + r5 * angle, z + r8 * angle
        found.append((r0, r1, r2, r3, r4, r5, r6, r7, r8, x, y, z))
    return found


def _homogeneous(frame: Numbers) -> tuple[Numbers, ...]:
    return (*((*frame[3 * i:3 * i + 3], frame[9 + i]) for i in range(3)), (0.0, 0.0, 0.0, 1.0))


def tip_pose(offsets: Offsets, q: Numbers, cos: Trigonometry, sin: Trigonometry
             ) -> tuple[Numbers, ...]:
    """Return the tip's pose, 4 rows of 4."""
    return _homogeneous(frames(offsets, q, cos, sin)[-1])


def body_poses(offsets: Offsets, q: Numbers, cos: Trigonometry, sin: Trigonometry
               ) -> list[tuple[Numbers, ...]]:
    """Return the poses of the joints' child links, n times 4 rows of 4."""
    poses = []
    for frame, align in zip(frames(offsets, q, cos, sin), offsets.aligns):
        rows = align.tolist()
        turned = [sum(x * y for x, y in zip(frame[3 * i:3 * i + 3], row))
                  for i in range(3) for row in rows]
        poses.append(_homogeneous([*turned, *frame[9:]]))
    return poses


def jacobian(offsets: Offsets, q: Numbers, cos: Trigonometry, sin: Trigonometry
             ) -> list[Numbers]:
    """Return the Jacobian of the tip, 6 rows of n: linear, then angular."""
    found = frames(offsets, q, cos, sin)
    return list(zip(*(_column(frame, found[-1], prismatic)
                      for frame, prismatic in zip(found[:-1], offsets.prismatic))))


def _column(frame: Numbers, tip: Numbers, prismatic: bool) -> Numbers:
    ax, ay, az = frame[2], frame[5], frame[8]
    if prismatic:
        return ax, ay, az, 0.0, 0.0, 0.0
    x, y, z = tip[9] - frame[9], tip[10] - frame[10], tip[11] - frame[11]
    return ay * z - az * y, az * x - ax * z, ax * y - ay * x, ax, ay, az


def jacobian_derivative(offsets: Offsets, q: Numbers, qd: Numbers, cos: Trigonometry,
                        sin: Trigonometry) -> list[Numbers]:
    """Return the rate of change of :func:`jacobian` along a motion, 6 rows of n."""
    found = frames(offsets, q, cos, sin)
    rates = _velocities(offsets, found, qd)
    tip, (_, _, _, u, v, w) = found[-1], rates[-1]
    columns: list[Numbers] = []
    for frame, prismatic, (a, b, c, vx, vy, vz) in zip(found, offsets.prismatic[:-1], rates):
        ax, ay, az = frame[2], frame[5], frame[8]
        dx, dy, dz = b * az - c * ay, c * ax - a * az, a * ay - b * ax  # w x axis
        if prismatic:
            columns.append((dx, dy, dz, 0.0, 0.0, 0.0))
            continue
        x, y, z = tip[9] - frame[9], tip[10] - frame[10], tip[11] - frame[11]
        vx, vy, vz = u - vx, v - vy, w - vz
        columns.append((dy * z - dz * y + ay * vz - az * vy,
                        dz * x - dx * z + az * vx - ax * vz,
                        dx * y - dy * x + ax * vy - ay * vx, dx, dy, dz))
    return list(zip(*columns))


def _velocities(offsets: Offsets, found: list[Frame], qd: Numbers) -> list[Frame]:
    """Return angular and linear velocity of each frame's origin, the tip's last."""
    a = b = c = u = v = w = px = py = pz = 0.0
    rates: list[Frame] = []
    for frame, prismatic, rate in zip(found, offsets.prismatic, (*qd, 0.0)):
        x, y, z = frame[9] - px, frame[10] - py, frame[11] - pz
        u, v, w = u + (b * z - c * y), v + (c * x - a * z), w + (a * y - b * x)
        if prismatic:
            u, v, w = u + frame[2] * rate, v + frame[5] * rate, w + frame[8] * rate
        else:
            a, b, c = a + frame[2] * rate, b + frame[5] * rate, c + frame[8] * rate
        rates.append((a, b, c, u, v, w))
        px, py, pz = frame[9:]
    return rates


def wrench_effort(offsets: Offsets, q: Numbers, wrench: Numbers, cos: Trigonometry,
                  sin: Trigonometry) -> list[Any]:
    """Return the efforts J' w of a wrench on the tip, force then moment in the base's axes."""
    return [sum(x * y for x, y in zip(column, wrench))
            for column in zip(*jacobian(offsets, q, cos, sin))]
