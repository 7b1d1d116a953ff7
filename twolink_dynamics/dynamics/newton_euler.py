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
Newton-Euler kernels: the loops of rigid-body dynamics (theory.md N1-N7), in scalar arithmetic.

The same source serves four ways: on lists of floats, on lists of NumPy arrays with one element a
state, on symbols (:mod:`~twolink_dynamics.codegen.tracer` writes it out for one arm), and compiled
by numba on arrays (:mod:`.loops`). So nothing here but + - * /, loops over the joints, and
branches on the arm's constants; no branch ever looks at the state.

Throughout, ``P[i]`` is what is constant of joint i and its body, in the order of
packed_model.FIELDS; ``W[i]`` is room for what is found on the way, its first two places filled in
beforehand with the cosine and sine of the joint's angle, offset included (for a slide, of its
constant angle). Vectors are three scalars in the kernel frame of the body they belong to; a body's
mass moments and inertia are taken about its joint's origin, and so are moments.

"""

from __future__ import annotations

from typing import Any, MutableSequence

from twolink_dynamics.array_types import Numbers

__all__ = [
    'factor', 'inverse_dynamics', 'mass_matrix', 'solve', 'symmetric_to_parent', 'to_child',
    'to_parent', 'wrench_to_last', 'wrench_to_parent',
]


def to_child(ca: Any, sa: Any, c: Any, s: Any, x: Any, y: Any, z: Any) -> tuple[Any, Any, Any]:
    """Turn a vector from the parent's kernel frame to the child's: Rz' Rx'."""
    t = ca * y + sa * z
    return c * x + s * t, c * t - s * x, ca * z - sa * y


def to_parent(ca: Any, sa: Any, c: Any, s: Any, x: Any, y: Any, z: Any) -> tuple[Any, Any, Any]:
    """Turn a vector from the child's kernel frame to the parent's: Rx Rz."""
    t = s * x + c * y
    return c * x - s * y, ca * t - sa * z, sa * t + ca * z


def wrench_to_parent(ca: Any, sa: Any, c: Any, s: Any, px: Any, py: Any, pz: Any, fx: Any, fy: Any,
                     fz: Any, nx: Any, ny: Any, nz: Any) -> tuple[Any, ...]:
    """Turn a force and its moment from the child's kernel frame and origin to the parent's."""
    fx, fy, fz = to_parent(ca, sa, c, s, fx, fy, fz)
    nx, ny, nz = to_parent(ca, sa, c, s, nx, ny, nz)
    return (fx, fy, fz, nx + (py * fz - pz * fy), ny + (pz * fx - px * fz),
            nz + (px * fy - py * fx))


def symmetric_to_parent(ca: Any, sa: Any, c: Any, s: Any, xx: Any, xy: Any, xz: Any, yy: Any,
                        yz: Any, zz: Any) -> tuple[Any, ...]:
    """Turn a symmetric tensor from the child's kernel frame to the parent's."""
    cc, cs, ss = c * c, c * s, s * s
    t = 2.0 * cs * xy
    txx = cc * xx - t + ss * yy
    tyy = ss * xx + t + cc * yy
    txy = cs * (xx - yy) + (cc - ss) * xy
    txz = c * xz - s * yz
    tyz = s * xz + c * yz
    cc, cs, ss = ca * ca, ca * sa, sa * sa
    t = 2.0 * cs * tyz
    return (txx, ca * txy - sa * txz, sa * txy + ca * txz,
            cc * tyy - t + ss * zz, cs * (tyy - zz) + (cc - ss) * tyz, ss * tyy + t + cc * zz)


def inverse_dynamics(P: Numbers, W: Numbers, q: Numbers, qd: Numbers, qdd: Numbers, e: Numbers,
                     tau: MutableSequence[Any]) -> None:
    """
    Recursive Newton-Euler (theory.md N1-N6), gravity as an acceleration of the base.

    Parameters
    ----------
    P, W, q, qd, qdd
        See the module. On return W[i][2:5] holds body i's angular velocity, [5:8] its angular
        acceleration, [8:11] the acceleration of its joint's origin less gravity, [11:14] the force
        and [14:17] the moment on it from the body before (theory.md N5).
    e : sequence of 6
        Force and moment the tip exerts on its surroundings, in the last kernel frame, the moment
        about its origin.
    tau : n
        On return the joint efforts.

    """
    n = len(tau)
    wx = wy = wz = dx = dy = dz = 0.0
    ax, ay, az = -P[0][21], -P[0][22], -P[0][23]
    # The matrix [wd x] + [w x][w x]: what turns a lever into an acceleration.
    xx = xy = xz = yx = yy = yz = zx = zy = zz = 0.0
    for i in range(n):
        p, w = P[i], W[i]
        ca, sa, c, s, px, py, pz = p[4], p[5], w[0], w[1], p[6], p[7], p[8]
        if p[0] == 0.0:
            py, pz = py - sa * q[i], pz + ca * q[i]
        ax, ay, az = to_child(ca, sa, c, s, ax + (xx * px + xy * py + xz * pz),
                              ay + (yx * px + yy * py + yz * pz),
                              az + (zx * px + zy * py + zz * pz))
        wx, wy, wz = to_child(ca, sa, c, s, wx, wy, wz)
        dx, dy, dz = to_child(ca, sa, c, s, dx, dy, dz)
        if p[0] == 0.0:
            ax, ay, az = ax + 2.0 * (wy * qd[i]), ay - 2.0 * (wx * qd[i]), az + qdd[i]
        else:
            dx, dy, dz = dx + wy * qd[i], dy - wx * qd[i], dz + qdd[i]
            wz = wz + qd[i]
        wxx, wyy, wzz, wxy, wxz, wyz = wx * wx, wy * wy, wz * wz, wx * wy, wx * wz, wy * wz
        xx, xy, xz = -(wyy + wzz), wxy - dz, wxz + dy
        yx, yy, yz = wxy + dz, -(wxx + wzz), wyz - dx
        zx, zy, zz = wxz - dy, wyz + dx, -(wxx + wyy)
        w[2], w[3], w[4], w[5], w[6], w[7] = wx, wy, wz, dx, dy, dz
        w[8], w[9], w[10] = ax, ay, az
        m, mx, my, mz = p[9], p[10], p[11], p[12]
        ixx, ixy, ixz, iyy, iyz, izz = p[13], p[14], p[15], p[16], p[17], p[18]
        w[11] = m * ax + (xx * mx + xy * my + xz * mz)
        w[12] = m * ay + (yx * mx + yy * my + yz * mz)
        w[13] = m * az + (zx * mx + zy * my + zz * mz)
        # I wd + w x I w + m c x a, with the terms of I gathered.
        w[14] = (ixx * dx + (izz - iyy) * wyz - ixy * zx + ixz * yx + iyz * (wyy - wzz)
                 + (my * az - mz * ay))
        w[15] = (iyy * dy + (ixx - izz) * wxz + ixy * zy - iyz * xy + ixz * (wzz - wxx)
                 + (mz * ax - mx * az))
        w[16] = (izz * dz + (iyy - ixx) * wxy - ixz * yz + iyz * xz + ixy * (wxx - wyy)
                 + (mx * ay - my * ax))
    fx, fy, fz, nx, ny, nz = e[0], e[1], e[2], e[3], e[4], e[5]
    for i in range(n - 1, -1, -1):
        p, w = P[i], W[i]
        fx, fy, fz = fx + w[11], fy + w[12], fz + w[13]
        nx, ny, nz = nx + w[14], ny + w[15], nz + w[16]
        w[11], w[12], w[13], w[14], w[15], w[16] = fx, fy, fz, nx, ny, nz
        tau[i] = (fz if p[0] == 0.0 else nz) + p[19] * qdd[i]
        if i > 0:
            ca, sa, c, s, px, py, pz = p[4], p[5], w[0], w[1], p[6], p[7], p[8]
            if p[0] == 0.0:
                py, pz = py - sa * q[i], pz + ca * q[i]
            fx, fy, fz, nx, ny, nz = wrench_to_parent(
                ca, sa, c, s, px, py, pz, fx, fy, fz, nx, ny, nz)


def wrench_to_last(P: Numbers, W: Numbers, wrench: Numbers, e: MutableSequence[Any]) -> None:
    """
    Turn a wrench on the tip into what the tip exerts, as :func:`inverse_dynamics` wants it.

    Parameters
    ----------
    P, W
        See the module.
    wrench : sequence of 6
        Force and moment the surroundings exert ON the tip, in the base's kernel frame, at the
        tip's origin. theory.md N5 and H1 have the opposite sign: what the arm exerts.
    e : 6
        On return the force and moment exerted BY the tip, in the last kernel frame, at its origin.

    """
    fx, fy, fz = -wrench[0], -wrench[1], -wrench[2]
    nx, ny, nz = -wrench[3], -wrench[4], -wrench[5]
    for i in range(len(W)):
        fx, fy, fz = to_child(P[i][4], P[i][5], W[i][0], W[i][1], fx, fy, fz)
        nx, ny, nz = to_child(P[i][4], P[i][5], W[i][0], W[i][1], nx, ny, nz)
    tx, ty, tz = P[0][24], P[0][25], P[0][26]
    e[0], e[1], e[2] = fx, fy, fz
    e[3] = nx + (ty * fz - tz * fy)
    e[4] = ny + (tz * fx - tx * fz)
    e[5] = nz + (tx * fy - ty * fx)


def mass_matrix(P: Numbers, W: Numbers, q: Numbers, H: Numbers) -> None:
    """
    Composite rigid bodies (theory.md N7): the mass matrix.

    Parameters
    ----------
    P, W, q
        See the module.
    H : n rows of n
        On return the mass matrix, both halves.

    """
    m = mx = my = mz = ixx = ixy = ixz = iyy = iyz = izz = 0.0
    for i in range(len(q) - 1, -1, -1):
        p = P[i]
        # The composite body: body i and all beyond it, frozen.
        m, mx, my, mz = m + p[9], mx + p[10], my + p[11], mz + p[12]
        ixx, ixy, ixz = ixx + p[13], ixy + p[14], ixz + p[15]
        iyy, iyz, izz = iyy + p[16], iyz + p[17], izz + p[18]
        # The wrench at joint i that a unit acceleration of joint i takes, handed down the chain.
        if p[0] == 0.0:
            fx, fy, fz, nx, ny, nz = 0.0, 0.0, m, my, -mx, 0.0
            H[i][i] = fz + p[19]
        else:
            fx, fy, fz, nx, ny, nz = -my, mx, 0.0, ixz, iyz, izz
            H[i][i] = nz + p[19]
        for j in range(i, 0, -1):
            p, w = P[j], W[j]
            ca, sa, c, s, px, py, pz = p[4], p[5], w[0], w[1], p[6], p[7], p[8]
            if p[0] == 0.0:
                py, pz = py - sa * q[j], pz + ca * q[j]
            fx, fy, fz, nx, ny, nz = wrench_to_parent(
                ca, sa, c, s, px, py, pz, fx, fy, fz, nx, ny, nz)
            H[i][j - 1] = H[j - 1][i] = fz if P[j - 1][0] == 0.0 else nz
        if i > 0:
            p, w = P[i], W[i]
            ca, sa, c, s, px, py, pz = p[4], p[5], w[0], w[1], p[6], p[7], p[8]
            if p[0] == 0.0:
                py, pz = py - sa * q[i], pz + ca * q[i]
            mx, my, mz = to_parent(ca, sa, c, s, mx, my, mz)
            ixx, ixy, ixz, iyy, iyz, izz = symmetric_to_parent(
                ca, sa, c, s, ixx, ixy, ixz, iyy, iyz, izz)
            # Steiner for an arbitrary point: 2 p.h + m p.p on the diagonal, less the dyads.
            gx, gy, gz = mx + m * px, my + m * py, mz + m * pz
            ux, uy, uz = px * (mx + gx), py * (my + gy), pz * (mz + gz)
            ixx, iyy, izz = ixx + (uy + uz), iyy + (ux + uz), izz + (ux + uy)
            ixy = ixy - (px * my + py * gx)
            ixz = ixz - (px * mz + pz * gx)
            iyz = iyz - (py * mz + pz * gy)
            mx, my, mz = gx, gy, gz


def factor(H: Numbers, D: MutableSequence[Any]) -> None:
    """
    Factor the mass matrix in place into L' D L, from the last joint to the first.

    In this order the pivots are the articulated inertias: ``D[i]`` is what joint i feels of the
    free chain beyond it. A pivot that vanishes therefore names the joint that moves nothing.

    Parameters
    ----------
    H : n rows of n
        The mass matrix; on return L below the diagonal.
    D : n
        On return the pivots.

    """
    n = len(D)
    for i in range(n - 1, -1, -1):
        D[i] = H[i][i]
        for j in range(i - 1, -1, -1):  # downwards: row i is still needed left of what is divided
            a = H[i][j] / D[i]
            for k_left in range(j + 1):
                H[j][k_left] = H[j][k_left] - a * H[i][k_left]
            H[i][j] = a


def solve(H: Numbers, D: Numbers, b: MutableSequence[Any]) -> None:
    """
    Solve M x = b with the factors of :func:`factor`, in place of b.

    Parameters
    ----------
    H, D
        From :func:`factor`.
    b : n
        The right-hand side; on return the solution.

    """
    n = len(D)
    for i in range(n - 1, -1, -1):
        for j in range(i):
            b[j] = b[j] - H[i][j] * b[i]
    for i in range(n):
        b[i] = b[i] / D[i]
    for i in range(n):
        for j in range(i):
            b[i] = b[i] - H[i][j] * b[j]
