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
Articulated bodies: forward dynamics in O(n), for long chains.

One more kernel, written under the rules of :mod:`.newton_euler` and with its notation.

"""

from __future__ import annotations

from typing import Any, MutableSequence

from twolink_dynamics.array_types import Numbers
from twolink_dynamics.dynamics.newton_euler import symmetric_to_parent, to_child, to_parent, \
    wrench_to_parent

__all__ = ['accelerations', 'articulated', 'articulated_inertias', 'bias_forces']


def articulated(P: Numbers, W: Numbers, q: Numbers, qd: Numbers, tau: Numbers, e: Numbers,
                qdd: MutableSequence[Any]) -> None:
    """
    Articulated bodies (Featherstone; theory.md N7): forward dynamics in O(n).

    Parameters
    ----------
    P, W, q, qd, tau, e
        See the module and :func:`inverse_dynamics`. On return W[i][21] holds the articulated
        inertia at joint i: where it is under the ``floor`` the accelerations mean nothing.
    qdd : n
        On return the joint accelerations.

    """
    bias_forces(P, W, q, qd)
    articulated_inertias(P, W, q, tau, e)
    accelerations(P, W, q, qdd)


def bias_forces(P: Numbers, W: Numbers, q: Numbers, qd: Numbers) -> None:
    """Fill W[i][2:8] with the velocity-product acceleration, [8:14] with the bias force."""
    wx = wy = wz = 0.0
    for i in range(len(q)):
        p, w = P[i], W[i]
        ca, sa, c, s, px, py, pz = p[4], p[5], w[0], w[1], p[6], p[7], p[8]
        if p[0] == 0.0:
            py, pz = py - sa * q[i], pz + ca * q[i]
        wp = wx * px + wy * py + wz * pz
        ww = wx * wx + wy * wy + wz * wz
        gx, gy, gz = to_child(ca, sa, c, s,
                              wx * wp - ww * px, wy * wp - ww * py, wz * wp - ww * pz)
        wx, wy, wz = to_child(ca, sa, c, s, wx, wy, wz)
        ux, uy = wy * qd[i], -(wx * qd[i])
        if p[0] == 0.0:
            w[2], w[3], w[4] = gx + 2.0 * ux, gy + 2.0 * uy, gz
            w[5], w[6], w[7] = 0.0, 0.0, 0.0
        else:
            w[2], w[3], w[4] = gx, gy, gz
            w[5], w[6], w[7] = ux, uy, 0.0
            wz = wz + qd[i]
        mx, my, mz = p[10], p[11], p[12]
        ixx, ixy, ixz = p[13], p[14], p[15]
        iyy, iyz, izz = p[16], p[17], p[18]
        wxx, wyy, wzz, wxy, wxz, wyz = wx * wx, wy * wy, wz * wz, wx * wy, wx * wz, wy * wz
        w[8] = (wxy * my + wxz * mz) - (wyy + wzz) * mx
        w[9] = (wxy * mx + wyz * mz) - (wxx + wzz) * my
        w[10] = (wxz * mx + wyz * my) - (wxx + wyy) * mz
        w[11] = (izz - iyy) * wyz - ixy * wxz + ixz * wxy + iyz * (wyy - wzz)
        w[12] = (ixx - izz) * wxz + ixy * wyz - iyz * wxy + ixz * (wzz - wxx)
        w[13] = (iyy - ixx) * wxy - ixz * wyz + iyz * wxz + ixy * (wxx - wyy)


def articulated_inertias(P: Numbers, W: Numbers, q: Numbers, tau: Numbers, e: Numbers) -> None:
    """
    Fill W[i][14:20] with what a unit acceleration of the joint takes, [20] with its free effort.

    The articulated inertia takes (acceleration of the origin, angular acceleration) to (force,
    moment): ``[[A, B], [B', J]]`` with A and J symmetric.

    """
    axx = axy = axz = ayy = ayz = azz = 0.0
    bxx = bxy = bxz = byx = byy = byz = bzx = bzy = bzz = 0.0
    jxx = jxy = jxz = jyy = jyz = jzz = 0.0
    fx, fy, fz, nx, ny, nz = e[0], e[1], e[2], e[3], e[4], e[5]
    for i in range(len(q) - 1, -1, -1):
        p, w = P[i], W[i]
        m, mx, my, mz = p[9], p[10], p[11], p[12]
        axx, ayy, azz = axx + m, ayy + m, azz + m
        bxy, bxz, byx = bxy + mz, bxz - my, byx - mz
        byz, bzx, bzy = byz + mx, bzx + my, bzy - mx
        jxx, jxy, jxz = jxx + p[13], jxy + p[14], jxz + p[15]
        jyy, jyz, jzz = jyy + p[16], jyz + p[17], jzz + p[18]
        fx, fy, fz = fx + w[8], fy + w[9], fz + w[10]
        nx, ny, nz = nx + w[11], ny + w[12], nz + w[13]
        if p[0] == 0.0:
            ux, uy, uz, vx, vy, vz = axz, ayz, azz, bzx, bzy, bzz
            w[21] = uz + p[19]
            w[20] = tau[i] - fz
        else:
            ux, uy, uz, vx, vy, vz = bxz, byz, bzz, jxz, jyz, jzz
            w[21] = vz + p[19]
            w[20] = tau[i] - nz
        w[14], w[15], w[16] = ux, uy, uz
        w[17], w[18], w[19] = vx, vy, vz
        if i == 0:
            break
        # What the joint leaves free is taken out: a rank-one step.
        r = 1.0 / w[21]
        rx, ry, rz, ox, oy, oz = r * ux, r * uy, r * uz, r * vx, r * vy, r * vz
        axx, axy, axz = axx - rx * ux, axy - rx * uy, axz - rx * uz
        ayy, ayz, azz = ayy - ry * uy, ayz - ry * uz, azz - rz * uz
        bxx, bxy, bxz = bxx - ux * ox, bxy - ux * oy, bxz - ux * oz
        byx, byy, byz = byx - uy * ox, byy - uy * oy, byz - uy * oz
        bzx, bzy, bzz = bzx - uz * ox, bzy - uz * oy, bzz - uz * oz
        jxx, jxy, jxz = jxx - ox * vx, jxy - ox * vy, jxz - ox * vz
        jyy, jyz, jzz = jyy - oy * vy, jyz - oy * vz, jzz - oz * vz
        gx, gy, gz, hx, hy, hz = w[2], w[3], w[4], w[5], w[6], w[7]
        t = w[20]
        fx = fx + rx * t + (axx * gx + axy * gy + axz * gz + bxx * hx + bxy * hy + bxz * hz)
        fy = fy + ry * t + (axy * gx + ayy * gy + ayz * gz + byx * hx + byy * hy + byz * hz)
        fz = fz + rz * t + (axz * gx + ayz * gy + azz * gz + bzx * hx + bzy * hy + bzz * hz)
        nx = nx + ox * t + (bxx * gx + byx * gy + bzx * gz + jxx * hx + jxy * hy + jxz * hz)
        ny = ny + oy * t + (bxy * gx + byy * gy + bzy * gz + jxy * hx + jyy * hy + jyz * hz)
        nz = nz + oz * t + (bxz * gx + byz * gy + bzz * gz + jxz * hx + jyz * hy + jzz * hz)
        # To the parent: turn, then shift.
        ca, sa, c, s, px, py, pz = p[4], p[5], w[0], w[1], p[6], p[7], p[8]
        if p[0] == 0.0:
            py, pz = py - sa * q[i], pz + ca * q[i]
        fx, fy, fz, nx, ny, nz = wrench_to_parent(
            ca, sa, c, s, px, py, pz, fx, fy, fz, nx, ny, nz)
        axx, axy, axz, ayy, ayz, azz = symmetric_to_parent(
            ca, sa, c, s, axx, axy, axz, ayy, ayz, azz)
        jxx, jxy, jxz, jyy, jyz, jzz = symmetric_to_parent(
            ca, sa, c, s, jxx, jxy, jxz, jyy, jyz, jzz)
        bxx, bxy, bxz = to_parent(ca, sa, c, s, bxx, bxy, bxz)
        byx, byy, byz = to_parent(ca, sa, c, s, byx, byy, byz)
        bzx, bzy, bzz = to_parent(ca, sa, c, s, bzx, bzy, bzz)
        bxx, byx, bzx = to_parent(ca, sa, c, s, bxx, byx, bzx)
        bxy, byy, bzy = to_parent(ca, sa, c, s, bxy, byy, bzy)
        bxz, byz, bzz = to_parent(ca, sa, c, s, bxz, byz, bzz)
        # J - B' p~ + p~ (B - A p~), and B - A p~.
        jxx, jxy, jxz = jxx - (byx * pz - bzx * py), jxy - (bzx * px - bxx * pz), jxz - (
            bxx * py - byx * px)
        jyy, jyz, jzz = jyy - (bzy * px - bxy * pz), jyz - (bxy * py - byy * px), jzz - (
            bxz * py - byz * px)
        bxx, bxy, bxz = bxx - (axy * pz - axz * py), bxy - (axz * px - axx * pz), bxz - (
            axx * py - axy * px)
        byx, byy, byz = byx - (ayy * pz - ayz * py), byy - (ayz * px - axy * pz), byz - (
            axy * py - ayy * px)
        bzx, bzy, bzz = bzx - (ayz * pz - azz * py), bzy - (azz * px - axz * pz), bzz - (
            axz * py - ayz * px)
        jxx, jxy, jxz = jxx + (py * bzx - pz * byx), jxy + (py * bzy - pz * byy), jxz + (
            py * bzz - pz * byz)
        jyy, jyz, jzz = jyy + (pz * bxy - px * bzy), jyz + (pz * bxz - px * bzz), jzz + (
            px * byz - py * bxz)


def accelerations(P: Numbers, W: Numbers, q: Numbers, qdd: MutableSequence[Any]) -> None:
    """Run outward once more, from the base's acceleration -g, giving each joint its own."""
    ax, ay, az = -P[0][21], -P[0][22], -P[0][23]
    dx = dy = dz = 0.0
    for i in range(len(q)):
        p, w = P[i], W[i]
        ca, sa, c, s, px, py, pz = p[4], p[5], w[0], w[1], p[6], p[7], p[8]
        if p[0] == 0.0:
            py, pz = py - sa * q[i], pz + ca * q[i]
        ax, ay, az = to_child(ca, sa, c, s, ax + (dy * pz - dz * py), ay + (dz * px - dx * pz),
                              az + (dx * py - dy * px))
        dx, dy, dz = to_child(ca, sa, c, s, dx, dy, dz)
        ax, ay, az = ax + w[2], ay + w[3], az + w[4]
        dx, dy, dz = dx + w[5], dy + w[6], dz + w[7]
        qdd[i] = (w[20] - (w[14] * ax + w[15] * ay + w[16] * az)
                  - (w[17] * dx + w[18] * dy + w[19] * dz)) / w[21]
        if p[0] == 0.0:
            az = az + qdd[i]
        else:
            dz = dz + qdd[i]
