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
The loops of rigid-body dynamics, once, in plain scalar arithmetic.

The same source serves four ways: on lists of floats (plain Python), on lists of NumPy arrays with
one element a state (batches), on recorded symbols (:mod:`.tracing` unrolls it for one arm), and
compiled by numba on arrays (:mod:`.compiled`). So nothing here but + - * /, loops over the joints,
and branches on the arm's constants; no branch ever looks at the state.

Throughout, ``P`` is the packed table of :mod:`.packing`, of which row k is ``P[k]``; ``c`` and
``s`` are the cosines and sines of the joint angles with their offsets; vectors are three scalars
in the kernel frame of the body they belong to; a body's mass moments and inertia are taken about
its joint's origin, and so are moments. Indices into P are spelled out in packing.ROWS.

"""

__all__ = [
    'articulated', 'factor', 'inverse_dynamics', 'mass_matrix', 'solve', 'wrench_to_last',
]

# Every function here that a compiler must know.
COMPILED = __all__ + ['to_child', 'to_parent', 'symmetric_to_parent', '_bias_forces',
                      '_articulated_inertias', '_accelerations']


def to_child(ca, sa, c, s, x, y, z):
    """Turn a vector from the parent's kernel frame to the child's: Rz' Rx'."""
    t = ca * y + sa * z
    return c * x + s * t, c * t - s * x, ca * z - sa * y


def to_parent(ca, sa, c, s, x, y, z):
    """Turn a vector from the child's kernel frame to the parent's: Rx Rz."""
    t = s * x + c * y
    return c * x - s * y, ca * t - sa * z, sa * t + ca * z


def symmetric_to_parent(ca, sa, c, s, xx, xy, xz, yy, yz, zz):
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


def inverse_dynamics(P, c, s, q, qd, qdd, e, W, tau):
    """
    Recursive Newton-Euler (theory.md N1-N6), gravity as an acceleration of the base.

    Parameters
    ----------
    P, c, s, q, qd, qdd
        See the module.
    e : sequence of 6
        Force and moment the tip exerts on its surroundings, in the last kernel frame, the moment
        about its origin.
    W : 15 rows of n
        Room. On return rows 0-2 hold the bodies' angular velocities, 3-5 angular accelerations,
        6-8 accelerations of the joint origins less gravity, 9-11 the forces and 12-14 the
        moments on each body from the one before (theory.md N5).
    tau : n
        On return the joint efforts.

    """
    n = len(tau)
    revolute, CA, SA, PX, PY, PZ = P[0], P[4], P[5], P[6], P[7], P[8]
    M, MCX, MCY, MCZ = P[9], P[10], P[11], P[12]
    IXX, IXY, IXZ, IYY, IYZ, IZZ = P[13], P[14], P[15], P[16], P[17], P[18]
    WX, WY, WZ, DX, DY, DZ, AX, AY, AZ = W[0], W[1], W[2], W[3], W[4], W[5], W[6], W[7], W[8]
    FX, FY, FZ, NX, NY, NZ = W[9], W[10], W[11], W[12], W[13], W[14]
    wx = wy = wz = dx = dy = dz = 0.0
    ax, ay, az = -P[21][0], -P[22][0], -P[23][0]
    # The matrix [wd x] + [w x][w x]: what turns a lever into an acceleration.
    xx = xy = xz = yx = yy = yz = zx = zy = zz = 0.0
    for i in range(n):
        ca, sa, ci, si, px, py, pz = CA[i], SA[i], c[i], s[i], PX[i], PY[i], PZ[i]
        if revolute[i] == 0.0:
            py, pz = py - sa * q[i], pz + ca * q[i]
        ax, ay, az = to_child(ca, sa, ci, si, ax + (xx * px + xy * py + xz * pz),
                              ay + (yx * px + yy * py + yz * pz),
                              az + (zx * px + zy * py + zz * pz))
        wx, wy, wz = to_child(ca, sa, ci, si, wx, wy, wz)
        dx, dy, dz = to_child(ca, sa, ci, si, dx, dy, dz)
        if revolute[i] == 0.0:
            ax, ay, az = ax + 2.0 * (wy * qd[i]), ay - 2.0 * (wx * qd[i]), az + qdd[i]
        else:
            dx, dy, dz = dx + wy * qd[i], dy - wx * qd[i], dz + qdd[i]
            wz = wz + qd[i]
        wxx, wyy, wzz, wxy, wxz, wyz = wx * wx, wy * wy, wz * wz, wx * wy, wx * wz, wy * wz
        xx, xy, xz = -(wyy + wzz), wxy - dz, wxz + dy
        yx, yy, yz = wxy + dz, -(wxx + wzz), wyz - dx
        zx, zy, zz = wxz - dy, wyz + dx, -(wxx + wyy)
        mx, my, mz, m = MCX[i], MCY[i], MCZ[i], M[i]
        ixx, ixy, ixz, iyy, iyz, izz = IXX[i], IXY[i], IXZ[i], IYY[i], IYZ[i], IZZ[i]
        WX[i], WY[i], WZ[i], DX[i], DY[i], DZ[i] = wx, wy, wz, dx, dy, dz
        AX[i], AY[i], AZ[i] = ax, ay, az
        FX[i] = m * ax + (xx * mx + xy * my + xz * mz)
        FY[i] = m * ay + (yx * mx + yy * my + yz * mz)
        FZ[i] = m * az + (zx * mx + zy * my + zz * mz)
        # I wd + w x I w + m c x a, with the terms of I gathered.
        NX[i] = (ixx * dx + (izz - iyy) * wyz - ixy * zx + ixz * yx + iyz * (wyy - wzz)
                 + (my * az - mz * ay))
        NY[i] = (iyy * dy + (ixx - izz) * wxz + ixy * zy - iyz * xy + ixz * (wzz - wxx)
                 + (mz * ax - mx * az))
        NZ[i] = (izz * dz + (iyy - ixx) * wxy - ixz * yz + iyz * xz + ixy * (wxx - wyy)
                 + (mx * ay - my * ax))
    fx, fy, fz, nx, ny, nz = e[0], e[1], e[2], e[3], e[4], e[5]
    for k in range(n):
        i = n - 1 - k
        fx, fy, fz = fx + FX[i], fy + FY[i], fz + FZ[i]
        nx, ny, nz = nx + NX[i], ny + NY[i], nz + NZ[i]
        FX[i], FY[i], FZ[i], NX[i], NY[i], NZ[i] = fx, fy, fz, nx, ny, nz
        tau[i] = (fz if revolute[i] == 0.0 else nz) + P[19][i] * qdd[i]
        if i > 0:
            ca, sa, ci, si, px, py, pz = CA[i], SA[i], c[i], s[i], PX[i], PY[i], PZ[i]
            if revolute[i] == 0.0:
                py, pz = py - sa * q[i], pz + ca * q[i]
            fx, fy, fz = to_parent(ca, sa, ci, si, fx, fy, fz)
            nx, ny, nz = to_parent(ca, sa, ci, si, nx, ny, nz)
            nx, ny, nz = (nx + (py * fz - pz * fy), ny + (pz * fx - px * fz),
                          nz + (px * fy - py * fx))


def wrench_to_last(P, c, s, wrench, e):
    """
    Turn a wrench on the tip into what the tip exerts, as :func:`inverse_dynamics` wants it.

    Parameters
    ----------
    P, c, s
        See the module.
    wrench : sequence of 6
        Force and moment the surroundings exert ON the tip, in the base's kernel frame, at the
        tip's origin. theory.md N5 and H1 have the opposite sign: what the arm exerts.
    e : 6
        On return the force and moment exerted BY the tip, in the last kernel frame, at its origin.

    """
    fx, fy, fz = -wrench[0], -wrench[1], -wrench[2]
    nx, ny, nz = -wrench[3], -wrench[4], -wrench[5]
    for i in range(len(c)):
        fx, fy, fz = to_child(P[4][i], P[5][i], c[i], s[i], fx, fy, fz)
        nx, ny, nz = to_child(P[4][i], P[5][i], c[i], s[i], nx, ny, nz)
    tx, ty, tz = P[24][0], P[25][0], P[26][0]
    e[0], e[1], e[2] = fx, fy, fz
    e[3] = nx + (ty * fz - tz * fy)
    e[4] = ny + (tz * fx - tx * fz)
    e[5] = nz + (tx * fy - ty * fx)


def mass_matrix(P, c, s, q, H):
    """
    Composite rigid bodies (theory.md N7): the mass matrix.

    Parameters
    ----------
    P, c, s, q
        See the module.
    H : n rows of n
        On return the mass matrix, both halves.

    """
    n = len(c)
    revolute, CA, SA, PX, PY, PZ = P[0], P[4], P[5], P[6], P[7], P[8]
    m = mx = my = mz = ixx = ixy = ixz = iyy = iyz = izz = 0.0
    for k in range(n):
        i = n - 1 - k
        # The composite body: body i and all beyond it, frozen.
        m, mx, my, mz = m + P[9][i], mx + P[10][i], my + P[11][i], mz + P[12][i]
        ixx, ixy, ixz = ixx + P[13][i], ixy + P[14][i], ixz + P[15][i]
        iyy, iyz, izz = iyy + P[16][i], iyz + P[17][i], izz + P[18][i]
        # The wrench at joint i that a unit acceleration of joint i takes, handed down the chain.
        if revolute[i] == 0.0:
            fx, fy, fz, nx, ny, nz = 0.0, 0.0, m, my, -mx, 0.0
            H[i][i] = fz + P[19][i]
        else:
            fx, fy, fz, nx, ny, nz = -my, mx, 0.0, ixz, iyz, izz
            H[i][i] = nz + P[19][i]
        for k_down in range(i):
            j = i - k_down
            ca, sa, cj, sj, px, py, pz = CA[j], SA[j], c[j], s[j], PX[j], PY[j], PZ[j]
            if revolute[j] == 0.0:
                py, pz = py - sa * q[j], pz + ca * q[j]
            fx, fy, fz = to_parent(ca, sa, cj, sj, fx, fy, fz)
            nx, ny, nz = to_parent(ca, sa, cj, sj, nx, ny, nz)
            nx, ny, nz = (nx + (py * fz - pz * fy), ny + (pz * fx - px * fz),
                          nz + (px * fy - py * fx))
            H[i][j - 1] = H[j - 1][i] = fz if revolute[j - 1] == 0.0 else nz
        if i > 0:
            ca, sa, ci, si, px, py, pz = CA[i], SA[i], c[i], s[i], PX[i], PY[i], PZ[i]
            if revolute[i] == 0.0:
                py, pz = py - sa * q[i], pz + ca * q[i]
            mx, my, mz = to_parent(ca, sa, ci, si, mx, my, mz)
            ixx, ixy, ixz, iyy, iyz, izz = symmetric_to_parent(
                ca, sa, ci, si, ixx, ixy, ixz, iyy, iyz, izz)
            # Steiner for an arbitrary point: 2 p.h + m p.p on the diagonal, less the dyads.
            gx, gy, gz = mx + m * px, my + m * py, mz + m * pz
            ux, uy, uz = px * (mx + gx), py * (my + gy), pz * (mz + gz)
            ixx, iyy, izz = ixx + (uy + uz), iyy + (ux + uz), izz + (ux + uy)
            ixy = ixy - (px * my + py * gx)
            ixz = ixz - (px * mz + pz * gx)
            iyz = iyz - (py * mz + pz * gy)
            mx, my, mz = gx, gy, gz


def factor(H, D):
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
    for k in range(n):
        i = n - 1 - k
        D[i] = H[i][i]
        for back in range(i):  # downwards: row i is still needed left of what is divided
            j = i - 1 - back
            a = H[i][j] / D[i]
            for k_left in range(j + 1):
                H[j][k_left] = H[j][k_left] - a * H[i][k_left]
            H[i][j] = a


def solve(H, D, b):
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
    for k in range(n):
        i = n - 1 - k
        for j in range(i):
            b[j] = b[j] - H[i][j] * b[i]
    for i in range(n):
        b[i] = b[i] / D[i]
    for i in range(n):
        for j in range(i):
            b[i] = b[i] - H[i][j] * b[j]


def articulated(P, c, s, q, qd, tau, e, W, D, qdd):
    """
    Articulated bodies (Featherstone; theory.md N7): forward dynamics in O(n).

    Parameters
    ----------
    P, c, s, q, qd, tau, e
        See the module and :func:`inverse_dynamics`.
    W : 19 rows of n
        Room.
    D : n
        On return the articulated inertias: where one is no larger than P's ``floor`` the
        accelerations mean nothing.
    qdd : n
        On return the joint accelerations.

    """
    _bias_forces(P, c, s, q, qd, W)
    _articulated_inertias(P, c, s, q, tau, e, W, D)
    _accelerations(P, c, s, q, W, D, qdd)


def _bias_forces(P, c, s, q, qd, W):
    """Fill rows 0-5 with the velocity-product accelerations, 6-11 with the bodies' bias forces."""
    wx = wy = wz = 0.0
    for i in range(len(c)):
        ca, sa, ci, si, px, py, pz = P[4][i], P[5][i], c[i], s[i], P[6][i], P[7][i], P[8][i]
        if P[0][i] == 0.0:
            py, pz = py - sa * q[i], pz + ca * q[i]
        wp = wx * px + wy * py + wz * pz
        ww = wx * wx + wy * wy + wz * wz
        gx, gy, gz = to_child(ca, sa, ci, si,
                              wx * wp - ww * px, wy * wp - ww * py, wz * wp - ww * pz)
        wx, wy, wz = to_child(ca, sa, ci, si, wx, wy, wz)
        ux, uy = wy * qd[i], -(wx * qd[i])
        if P[0][i] == 0.0:
            W[0][i], W[1][i], W[2][i] = gx + 2.0 * ux, gy + 2.0 * uy, gz
            W[3][i], W[4][i], W[5][i] = 0.0, 0.0, 0.0
        else:
            W[0][i], W[1][i], W[2][i] = gx, gy, gz
            W[3][i], W[4][i], W[5][i] = ux, uy, 0.0
            wz = wz + qd[i]
        mx, my, mz = P[10][i], P[11][i], P[12][i]
        ixx, ixy, ixz = P[13][i], P[14][i], P[15][i]
        iyy, iyz, izz = P[16][i], P[17][i], P[18][i]
        wxx, wyy, wzz, wxy, wxz, wyz = wx * wx, wy * wy, wz * wz, wx * wy, wx * wz, wy * wz
        W[6][i] = (wxy * my + wxz * mz) - (wyy + wzz) * mx
        W[7][i] = (wxy * mx + wyz * mz) - (wxx + wzz) * my
        W[8][i] = (wxz * mx + wyz * my) - (wxx + wyy) * mz
        W[9][i] = (izz - iyy) * wyz - ixy * wxz + ixz * wxy + iyz * (wyy - wzz)
        W[10][i] = (ixx - izz) * wxz + ixy * wyz - iyz * wxy + ixz * (wzz - wxx)
        W[11][i] = (iyy - ixx) * wxy - ixz * wyz + iyz * wxz + ixy * (wxx - wyy)


def _articulated_inertias(P, c, s, q, tau, e, W, D):
    """
    Fill rows 12-17 with what a unit acceleration of each joint takes, 18 with the free efforts.

    The articulated inertia takes (acceleration of the origin, angular acceleration) to (force,
    moment): ``[[A, B], [B', J]]`` with A and J symmetric.

    """
    n = len(D)
    axx = axy = axz = ayy = ayz = azz = 0.0
    bxx = bxy = bxz = byx = byy = byz = bzx = bzy = bzz = 0.0
    jxx = jxy = jxz = jyy = jyz = jzz = 0.0
    fx, fy, fz, nx, ny, nz = e[0], e[1], e[2], e[3], e[4], e[5]
    for k in range(n):
        i = n - 1 - k
        m, mx, my, mz = P[9][i], P[10][i], P[11][i], P[12][i]
        axx, ayy, azz = axx + m, ayy + m, azz + m
        bxy, bxz, byx = bxy + mz, bxz - my, byx - mz
        byz, bzx, bzy = byz + mx, bzx + my, bzy - mx
        jxx, jxy, jxz = jxx + P[13][i], jxy + P[14][i], jxz + P[15][i]
        jyy, jyz, jzz = jyy + P[16][i], jyz + P[17][i], jzz + P[18][i]
        fx, fy, fz = fx + W[6][i], fy + W[7][i], fz + W[8][i]
        nx, ny, nz = nx + W[9][i], ny + W[10][i], nz + W[11][i]
        if P[0][i] == 0.0:
            ux, uy, uz, vx, vy, vz = axz, ayz, azz, bzx, bzy, bzz
            D[i] = uz + P[19][i]
            W[18][i] = tau[i] - fz
        else:
            ux, uy, uz, vx, vy, vz = bxz, byz, bzz, jxz, jyz, jzz
            D[i] = vz + P[19][i]
            W[18][i] = tau[i] - nz
        W[12][i], W[13][i], W[14][i] = ux, uy, uz
        W[15][i], W[16][i], W[17][i] = vx, vy, vz
        if i == 0:
            break
        # What the joint leaves free is taken out: a rank-one step.
        r = 1.0 / D[i]
        rx, ry, rz, ox, oy, oz = r * ux, r * uy, r * uz, r * vx, r * vy, r * vz
        axx, axy, axz = axx - rx * ux, axy - rx * uy, axz - rx * uz
        ayy, ayz, azz = ayy - ry * uy, ayz - ry * uz, azz - rz * uz
        bxx, bxy, bxz = bxx - ux * ox, bxy - ux * oy, bxz - ux * oz
        byx, byy, byz = byx - uy * ox, byy - uy * oy, byz - uy * oz
        bzx, bzy, bzz = bzx - uz * ox, bzy - uz * oy, bzz - uz * oz
        jxx, jxy, jxz = jxx - ox * vx, jxy - ox * vy, jxz - ox * vz
        jyy, jyz, jzz = jyy - oy * vy, jyz - oy * vz, jzz - oz * vz
        gx, gy, gz, hx, hy, hz = W[0][i], W[1][i], W[2][i], W[3][i], W[4][i], W[5][i]
        t = W[18][i]
        fx = fx + rx * t + (axx * gx + axy * gy + axz * gz + bxx * hx + bxy * hy + bxz * hz)
        fy = fy + ry * t + (axy * gx + ayy * gy + ayz * gz + byx * hx + byy * hy + byz * hz)
        fz = fz + rz * t + (axz * gx + ayz * gy + azz * gz + bzx * hx + bzy * hy + bzz * hz)
        nx = nx + ox * t + (bxx * gx + byx * gy + bzx * gz + jxx * hx + jxy * hy + jxz * hz)
        ny = ny + oy * t + (bxy * gx + byy * gy + bzy * gz + jxy * hx + jyy * hy + jyz * hz)
        nz = nz + oz * t + (bxz * gx + byz * gy + bzz * gz + jxz * hx + jyz * hy + jzz * hz)
        # To the parent: turn, then shift.
        ca, sa, ci, si, px, py, pz = P[4][i], P[5][i], c[i], s[i], P[6][i], P[7][i], P[8][i]
        if P[0][i] == 0.0:
            py, pz = py - sa * q[i], pz + ca * q[i]
        fx, fy, fz = to_parent(ca, sa, ci, si, fx, fy, fz)
        nx, ny, nz = to_parent(ca, sa, ci, si, nx, ny, nz)
        nx, ny, nz = (nx + (py * fz - pz * fy), ny + (pz * fx - px * fz),
                      nz + (px * fy - py * fx))
        axx, axy, axz, ayy, ayz, azz = symmetric_to_parent(
            ca, sa, ci, si, axx, axy, axz, ayy, ayz, azz)
        jxx, jxy, jxz, jyy, jyz, jzz = symmetric_to_parent(
            ca, sa, ci, si, jxx, jxy, jxz, jyy, jyz, jzz)
        bxx, bxy, bxz = to_parent(ca, sa, ci, si, bxx, bxy, bxz)
        byx, byy, byz = to_parent(ca, sa, ci, si, byx, byy, byz)
        bzx, bzy, bzz = to_parent(ca, sa, ci, si, bzx, bzy, bzz)
        bxx, byx, bzx = to_parent(ca, sa, ci, si, bxx, byx, bzx)
        bxy, byy, bzy = to_parent(ca, sa, ci, si, bxy, byy, bzy)
        bxz, byz, bzz = to_parent(ca, sa, ci, si, bxz, byz, bzz)
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


def _accelerations(P, c, s, q, W, D, qdd):
    """Run outward once more, from the base's acceleration -g, giving each joint its own."""
    ax, ay, az = -P[21][0], -P[22][0], -P[23][0]
    dx = dy = dz = 0.0
    for i in range(len(D)):
        ca, sa, ci, si, px, py, pz = P[4][i], P[5][i], c[i], s[i], P[6][i], P[7][i], P[8][i]
        if P[0][i] == 0.0:
            py, pz = py - sa * q[i], pz + ca * q[i]
        ax, ay, az = to_child(ca, sa, ci, si, ax + (dy * pz - dz * py), ay + (dz * px - dx * pz),
                              az + (dx * py - dy * px))
        dx, dy, dz = to_child(ca, sa, ci, si, dx, dy, dz)
        ax, ay, az = ax + W[0][i], ay + W[1][i], az + W[2][i]
        dx, dy, dz = dx + W[3][i], dy + W[4][i], dz + W[5][i]
        qdd[i] = (W[18][i] - (W[12][i] * ax + W[13][i] * ay + W[14][i] * az)
                  - (W[15][i] * dx + W[16][i] * dy + W[17][i] * dz)) / D[i]
        if P[0][i] == 0.0:
            az = az + qdd[i]
        else:
            dz = dz + qdd[i]
