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

"""As fast as the arm can: a path in the least time its velocity and effort limits allow."""

from __future__ import annotations

import math
from typing import Any, Callable, TYPE_CHECKING, Union

import numpy as np

from twolink_dynamics.array_types import ArrayLike, FloatArray, PerJoint
from twolink_dynamics.errors import ShapeError, TrajectoryError
from twolink_dynamics.trajectory.speed_profile import fastest_profile
from twolink_dynamics.trajectory.trajectory import Trajectory
from twolink_dynamics.validation import check_array, number, per_joint

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm

__all__ = ['time_optimal']

Path = Union[Trajectory, ArrayLike, Callable[[float], ArrayLike]]

# A trajectory or function is looked at in so many places to find its path.
PLACES = 600
# Between two pieces of the way at more than this angle (its cosine) the motion stops.
TURNING_BACK = -0.5
# So often each segment is looked at.
LOOKS = 17
# So often the limits are drawn closer where what lies between two places of the path is beyond.
TRIES = 15


def time_optimal(arm: Arm, path: Path, *, use: float = 1.0, acceleration: PerJoint | None = None,
                 places: float = 400, start_time: float = 0.0,
                 friction: bool = True) -> Trajectory:
    """
    Return the fastest motion along a path within the arm's velocity and effort limits.

    At every moment some joint has its velocity or its effort at the limit. The efforts are those
    of the arm's own dynamics, gravity and friction included. The motion starts and ends at rest,
    and rests wherever the path turns back on itself.

    Parameters
    ----------
    arm : Arm
    path : Trajectory, array_like of shape (m, n), or callable
        A trajectory, of whose times nothing is kept; waypoints that a spline leads through; or a
        function of a number from 0 to 1 that returns positions (n,).
    use : float
        What part of the limits may be used; the rest is the feedback's.
    acceleration : float or array_like, shape (n,), optional
        Limits of the joints' accelerations, if there shall be some [rad/s^2 or m/s^2].
    places : int
        In how many places of each stretch the limits are put in force; between them the motion
        is checked, and slowed down if need be.
    start_time : float
        [s].
    friction : bool
        Whether the efforts overcome the joints' friction.

    Returns
    -------
    trajectory : Trajectory
        Of points with velocities: cubic segments, whose accelerations may jump.

    Raises
    ------
    TrajectoryError
        If no speed is slow enough, for gravity alone takes more than the efforts allow, or if no
        limit bounds the speed; it names the joint and the place.
    ShapeError, NonFiniteError, ParameterError
        If the path is none of this arm's.

    Notes
    -----
    Speeds are found by reachability analysis on a grid (Pham and Pham, 2018), with the limits in
    force at both ends of each interval. Viscous friction, which grows with the speed itself and
    not its square, is bounded by tangents and chords; each try draws them closer.

    """
    use, places = number('use', use, above=0.0), number('places', places, above=0.0)
    limits = _Limits(arm, use, acceleration, friction)
    times = [number('start_time', start_time)]
    rows: list[FloatArray] = []
    rates: list[FloatArray] = []
    for piece in _pieces(_way(arm, path)):
        t, q, qd = _fastest(arm, piece, limits, max(int(places), 4))
        first = 1 if rows else 0    # a piece begins where the one before ended
        times.extend((times[-1] + t[1:]).tolist())
        rows.append(q[first:])
        rates.append(qd[first:])
    return Trajectory(times, np.concatenate(rows), np.concatenate(rates))


class _Limits:
    """What a motion may take, and how closely it keeps to that."""

    def __init__(self, arm: Arm, use: float, acceleration: PerJoint | None,
                 friction: bool) -> None:
        self.velocity = use * np.asarray(arm.limits.velocity)
        self.effort = use * np.asarray(arm.limits.effort)
        self.acceleration = np.array(per_joint(
            'acceleration', math.inf if acceleration is None else acceleration, arm.n, above=0.0,
            infinite=True))
        joints = arm.chain.joints
        self.damping, self.coulomb = (
            np.array([getattr(joint, name) if friction else 0.0 for joint in joints])
            for name in ('damping', 'friction'))


# --- the path ------------------------------------------------------------------------------------

def _way(arm: Arm, path: Any) -> FloatArray:
    """Return positions (m, n) along a path, close together if it is a function of something."""
    if callable(path):
        way = check_array('path', [path(u) for u in np.linspace(0.0, 1.0, PLACES + 1).tolist()])
    elif hasattr(path, 'sample_many'):
        times = np.union1d(np.linspace(path.start_time, path.end_time, PLACES + 1), path.times)
        way = path.sample_many(times)[0]
    else:
        way = check_array('path', path)
    if way.ndim != 2 or way.shape[1] != arm.n:
        raise ShapeError('path', f'(m, {arm.n})', way.shape, 'a position of each joint per row')
    return way


def _pieces(way: FloatArray) -> list[FloatArray]:
    """Return the stretches of a way between the places where it turns back."""
    length = np.sqrt((np.diff(way, axis=0) ** 2).sum(axis=1)).sum()
    if not length > 0.0:
        raise TrajectoryError('the path is a single place; there is nothing to be fast about')
    kept = [0]
    for k in range(1, len(way)):
        gap = way[k] - way[kept[-1]]
        if gap @ gap > (1e-4 * length) ** 2 or k == len(way) - 1 and gap @ gap > 0.0:
            kept.append(k)
    way = way[kept]
    chords = np.diff(way, axis=0)
    chords /= np.sqrt((chords ** 2).sum(axis=1))[:, None]
    turns = np.flatnonzero((chords[1:] * chords[:-1]).sum(axis=1) < TURNING_BACK) + 1
    ends = [0, *turns.tolist(), len(way) - 1]
    return [way[a:b + 1] for a, b in zip(ends, ends[1:])]


def _spline(way: FloatArray) -> tuple[Any, float]:
    """Return a spline over the length along a way, and that length."""
    from scipy.interpolate import CubicSpline  # at first need: it takes longer than all the rest
    s = np.concatenate([[0.0], np.cumsum(np.sqrt((np.diff(way, axis=0) ** 2).sum(axis=1)))])
    return CubicSpline(s, way, bc_type='not-a-knot' if len(way) > 3 else 'natural'), s[-1]


# --- the speed along it --------------------------------------------------------------------------

def _fastest(arm: Arm, way: FloatArray, limits: _Limits,
             places: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return times, positions and velocities of the fastest motion along one stretch."""
    spline, length = _spline(way)
    s = np.linspace(0.0, length, places + 1)
    q, dq, ddq = spline(s), spline(s, 1), spline(s, 2)
    zero = np.zeros_like(q)
    gravity = arm.inverse_dynamics(q, zero, zero)
    dynamics = (arm.inverse_dynamics(q, zero, dq) - gravity,
                arm.inverse_dynamics(q, dq, ddq) - gravity,
                gravity + limits.coulomb * np.sign(dq), limits.damping * dq)
    with np.errstate(divide='ignore', invalid='ignore'):
        rate = np.where(dq != 0.0, limits.velocity / np.abs(dq), math.inf)
    fastest = rate.min(axis=1) ** 2
    _check_moving(arm, dq, limits)
    _check_holding(arm, q, dynamics[2], limits)
    part = np.ones(places + 1)
    best: tuple[FloatArray, FloatArray, FloatArray] | None = None
    # Where viscous friction is linearised: at first for half of the speed that is allowed.
    expected = 0.25 * np.minimum(fastest, 1.0) if limits.damping.any() else None
    for tried in range(TRIES):
        x = _speeds(arm, q, dq, ddq, dynamics, limits, fastest, part, expected, s[1])
        if x is None:
            # A tangent far off is a load at no speed at all, too: draw it closer.
            expected = None if expected is None else 0.1 * expected
            continue
        t, qd = _timed(x, dq, s[1])
        use = _use(arm, t, q, qd, limits)
        if use.max() <= 1.0 + 1e-9 and (best is None or t[-1] < best[0][-1]):
            best = t, q, qd
            if expected is None or tried > 1:
                break
        if expected is None or tried > 1:
            closer = np.where(use > 1.0, 0.999 / use, 1.0)
            part *= np.minimum(np.append(closer, 1.0), np.append(1.0, closer))
        # At rest a tangent would be upright: there it is that of a slow motion.
        expected = None if expected is None else np.maximum(x, 1e-3 * x.max())
    if best is None:
        raise TrajectoryError('the path bends too much between its places; give it more places')
    return best


def _check_holding(arm: Arm, q: FloatArray, holding: FloatArray, limits: _Limits) -> None:
    beyond = np.abs(holding) - limits.effort
    k, j = np.unravel_index(int(np.argmax(beyond)), beyond.shape)
    if beyond[k, j] > 0.0:
        raise TrajectoryError(
            f'the effort limit {limits.effort[j]:.6g} is not enough: gravity and friction alone '
            f'take {abs(holding[k, j]):.6g} at {np.round(q[k], 4).tolist()}',
            joint=arm.joint_names[j])


def _check_moving(arm: Arm, dq: FloatArray, limits: _Limits) -> None:
    for what, limit in (('velocity', limits.velocity), ('effort', limits.effort)):
        for j in np.flatnonzero(limit == 0.0):
            if what == 'effort' or dq[:, j].any():
                raise TrajectoryError(f'the {what} limit is 0, so there is no motion; give the '
                                      'joint one, or infinity', joint=arm.joint_names[j])


def _speeds(arm: Arm, q: FloatArray, dq: FloatArray, ddq: FloatArray,
            dynamics: tuple[FloatArray, ...], limits: _Limits, fastest: FloatArray,
            part: FloatArray, expected: FloatArray | None, step: float) -> FloatArray | None:
    """Return the squared speeds at the places of a path."""
    a, b, c, viscous = dynamics
    lower, upper = [], []
    for k, (nu, chord) in enumerate(zip(viscous, fastest)):
        if expected is not None:
            x0 = expected[k]
            # sqrt(x) is below its tangent and above its chord: a helper of the one limit's is
            # the other's load.
            tangent = np.array([0.5 / math.sqrt(x0), 0.5 * math.sqrt(x0)])
            secant = np.array([1.0 / math.sqrt(chord) if math.isfinite(chord) else 0.0, 0.0])
            most = np.where(nu > 0.0, 1.0, 0.0)[:, None]
            upper.append(nu[:, None] * (most * tangent + (1.0 - most) * secant))
            lower.append(nu[:, None] * (most * secant + (1.0 - most) * tangent))
        else:
            upper.append(np.zeros((len(nu), 2)))
            lower.append(np.zeros((len(nu), 2)))
    rows = []
    for k in range(len(q)):
        up, low = upper[k], lower[k]
        # Drawn closer to what holds the arm, so that some speed is always left.
        A, B, C = [a[k], -a[k]], [b[k] + up[:, 0], -b[k] - low[:, 0]], [
            part[k] * (limits.effort - c[k]) - up[:, 1],
            part[k] * (limits.effort + c[k]) + low[:, 1]]
        finite = part[k] * limits.acceleration
        A += [dq[k], -dq[k]]
        B += [ddq[k], -ddq[k]]
        C += [finite, finite]
        some = np.isfinite(np.concatenate(C))
        rows.append(tuple(np.concatenate(blocks)[some] for blocks in (A, B, C)))
    both = []
    for (A, B, C), (A1, B1, C1) in zip(rows, rows[1:]):
        # At the end of the interval u is the same, and the squared speed x + 2 step u.
        both.append((np.concatenate([A, A1 + 2.0 * step * B1]), np.concatenate([B, B1]),
                     np.concatenate([C, C1])))
    largest = np.minimum(part ** 2 * fastest, 1e18)
    x, stuck = fastest_profile(both, largest, step)
    if x is None and expected is not None and expected.max() > 1e-12:
        return None
    if x is None:
        raise TrajectoryError('the effort limits do not suffice for any speed at '
                              f'{np.round(q[stuck], 4).tolist()}, nor for coming to rest after it')
    if x.max() >= 1e17:
        raise TrajectoryError('no limit bounds the speed along this path; give the arm velocity '
                              'or effort limits, or an acceleration')
    return x


def _timed(x: FloatArray, dq: FloatArray, step: float) -> tuple[FloatArray, FloatArray]:
    """Return times and the joints' velocities of squared speeds."""
    speed = np.sqrt(x)
    t = np.concatenate([[0.0], np.cumsum(2.0 * step / (speed[1:] + speed[:-1]))])
    return t, dq * speed[:, None]


def _use(arm: Arm, t: FloatArray, q: FloatArray, qd: FloatArray, limits: _Limits) -> FloatArray:
    """
    Return the largest part of a limit that each of the motion's segments takes.

    Of an effort limit that is what moves the arm, as a part of what holding it leaves.

    """
    motion, step = Trajectory(t, q, qd), np.diff(t)
    at = t[:-1, None] + step[:, None] * np.linspace(0.0, 1.0, LOOKS)
    # The end of a segment is the begin of the next, which may accelerate otherwise.
    at[:, -1] = np.nextafter(t[1:], -math.inf)
    q, qd, qdd = motion.sample_many(at)
    moving = np.abs(qd) > 1e-9 * np.abs(qd).max()
    holding = arm.gravity_vector(q) + limits.coulomb * np.sign(qd) * moving
    driving = arm.inverse_dynamics(q, qd, qdd) + limits.damping * qd + np.where(
        moving, limits.coulomb * np.sign(qd), 0.0) - holding
    room = np.maximum(limits.effort - np.sign(driving) * holding, 1e-9)
    largest = np.zeros(len(step))
    for values, limit in ((qd, limits.velocity), (driving, room), (qdd, limits.acceleration)):
        values = np.abs(values)
        with np.errstate(divide='ignore', invalid='ignore'):
            part = np.where(values > 0.0, values / limit, 0.0)
        largest = np.maximum(largest, part.max(axis=(1, 2)))
    return largest
