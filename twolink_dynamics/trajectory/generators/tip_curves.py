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
Curves of the tip as motions of the joints: what the circle, the eight and the line share.

Where the tip's position determines the joints, positions come from the arm's inverse kinematics,
velocities and accelerations from its Jacobian (theory.md T1); a redundant arm follows one motion
of its joints (:mod:`~twolink_dynamics.trajectory.generators.redundant`).

"""

from functools import lru_cache
import math
from typing import Callable, TYPE_CHECKING

import numpy as np

from twolink_dynamics.array_types import FloatArray, PerJoint, Vector
from twolink_dynamics.errors import ParameterError, TrajectoryError, UnsupportedModelError
from twolink_dynamics.trajectory.feasibility import find_excess
from twolink_dynamics.trajectory.generators.profiles import equidistant, POINTS_PER_PERIOD, \
    smooth_step
from twolink_dynamics.trajectory.generators.redundant import is_redundant, joint_curve, \
    JointCurve, TipCurve
from twolink_dynamics.trajectory.limit_scaling import fit_period
from twolink_dynamics.trajectory.trajectory import Trajectory
from twolink_dynamics.validation import number, per_joint, vector

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm

__all__ = [
    'RAMPS', 'TipCurve', 'bent_posture', 'closed_curve', 'plane_of_motion', 'reachable_size',
    'start_posture', 'tip_mover',
]

#: Times [s], the parameter then, and its two rates.
Pace = tuple[FloatArray, FloatArray, FloatArray, FloatArray]
#: How many times the usual points to a pace.
PaceMaker = Callable[[int], Pace]

# What gathering speed and coming to rest add to the turns of a closed curve [periods].
RAMPS = 0.5
# Between two points the joints must go where their velocities say, to this [rad or m]: else the
# second is another solution, to which there is no way along the curve.
JUMP = 0.5
# How far off its stops a redundant arm bends, of each joint's range.
OFF_STOPS = 0.1
# A redundant arm's tip is on the curve between the points, too, to this part of the arm's reach or
# 1 m; with more points, if need be, up to so many times the usual ones.
BETWEEN, MOST_DENSE = 1e-6, 64


def plane_of_motion(arm: 'Arm', q: FloatArray, name: str) -> tuple[FloatArray, FloatArray]:
    """Return two unit vectors (3,) that span the plane the tip moves in at a posture."""
    J = arm.jacobian(q)[:3]
    U, sizes, _ = np.linalg.svd(J)
    rank = int((sizes > 1e-6 * max(sizes[0], 1e-12)).sum())
    if rank < 2:
        raise UnsupportedModelError(
            f'the tip of this arm moves along a line, it cannot draw a {name}; choose a swing',
            arm.joint_names)
    normal = U[:, 2] if rank == 2 else np.array([0.0, 0.0, 1.0])
    normal = normal * math.copysign(1.0, normal[np.argmax(np.abs(normal))])
    x = np.eye(3)[int(np.argmin(np.abs(normal)))]
    x = x - (x @ normal) * normal
    x /= math.sqrt(x @ x)
    return x, np.cross(normal, x)


def bent_posture(arm: 'Arm') -> FloatArray:
    """Return a posture within the limits with each joint but the first at a right angle."""
    lower, upper = np.asarray(arm.limits.lower), np.asarray(arm.limits.upper)
    q = np.full(arm.n, 0.5 * math.pi)
    q[0] = 0.0
    for k, kind in enumerate(arm.joint_types):
        if kind == 'prismatic':
            low, high = lower[k], upper[k]
            q[k] = 0.5 * (low + high) if math.isfinite(high - low) else 0.1
    # On its stops a redundant arm is often at the border of its reach, with no curve around it.
    room = np.where(np.isfinite(upper - lower), OFF_STOPS * (upper - lower), 0.0) \
        if is_redundant(arm) else 0.0
    return np.clip(q, lower + room, upper - room)


def _reach(arm: 'Arm') -> float:
    """Return an upper bound of the distance of the tip from joint 1, prismatic joints at zero."""
    joints = arm.chain.joints
    steps = [joint.origin[:3, 3] for joint in joints[1:]] + [arm.chain.tip[:3, 3]]
    return float(sum(math.sqrt(step @ step) for step in steps))


def start_posture(arm: 'Arm', q0: PerJoint | None) -> FloatArray:
    """Return the posture that the start shall be near to, (n,): the bent one if none is given."""
    return bent_posture(arm) if q0 is None else np.array(per_joint('q0', q0, arm.n))


def closed_curve(arm: 'Arm', name: str, shape: Callable[[FloatArray, float], TipCurve],
                 center: Vector | None, radius: float | None, q0: PerJoint | None,
                 pace: tuple[float, float]) -> Trajectory:
    """
    Return the joints' motion around a curve that closes, in the plane the tip moves in.

    Parameters
    ----------
    arm : Arm
    name : str
        Of the curve, for errors.
    shape : callable
        Two axes (2, 3) and the radius to what takes an angle to a position from the center, and
        its two derivatives.
    center, radius, q0
        As of :func:`~twolink_dynamics.trajectory.circle`.
    pace : tuple of float
        The period [s], and how many turns.

    Returns
    -------
    trajectory : Trajectory

    """
    period, cycles = pace
    bent = bent_posture(arm)
    axes = np.array(plane_of_motion(arm, bent, name))
    middle = arm.tip_pose(bent)[:3, 3] if center is None else np.array(vector('center', center, 3))
    near = start_posture(arm, q0)

    @lru_cache(maxsize=1)
    def around(radius: float) -> Callable[[PaceMaker], Trajectory]:
        curve = shape(axes, radius)
        what = f'{name} of radius {radius:.4g} m around {np.round(middle, 4).tolist()}'

        def moved(phi: float) -> tuple[FloatArray, FloatArray, FloatArray]:
            p, slope, bend = curve(phi)
            return middle + p, slope, bend

        return tip_mover(arm, what, moved, near)

    # The joints of a redundant arm are elsewhere after a turn, and must find a way for the next.
    tried = cycles if is_redundant(arm) else 1.0
    size = (reachable_size(arm, lambda size: around(size)(_turns(1.0, tried))) if radius is None
            else number('radius', radius, above=0.0))
    return fit_period(arm, period, lambda p: around(size)(_turns(p, cycles)))


def reachable_size(arm: 'Arm', make: Callable[[float], object]) -> float:
    """
    Return a fifth of an arm's reach, or less where a curve of that size cannot be reached.

    Parameters
    ----------
    arm : Arm
    make : callable
        Makes the motion along a curve of a size [m].

    Returns
    -------
    size : float
        [m].

    Raises
    ------
    TrajectoryError
        If no size can be reached.

    """
    size = 0.2 * _reach(arm)
    for _ in range(12):
        try:
            make(size)
            return size
        except TrajectoryError as error:
            last, size = error, 0.7 * size
    raise last


def _turns(period: float, cycles: float) -> PaceMaker:
    """Return what makes times and the angle, rate and acceleration of turns from rest to rest."""
    if cycles < 0.5:
        raise ParameterError('cycles', cycles, 'half a turn or more')
    ramp, w = RAMPS * period, 2.0 * math.pi / period
    duration = cycles * period + ramp

    def pace(dense: int) -> Pace:
        t = equidistant(duration, dense * math.ceil(duration / period * POINTS_PER_PERIOD))
        # The way down is the way up, seen from the end.
        since = np.maximum(0.0, np.minimum(t, duration - t))
        up, upd, _, way = smooth_step(since / ramp)
        turned = w * (ramp * way + np.maximum(since - ramp, 0.0))
        early = t <= 0.5 * duration
        return (t, np.where(early, turned, 2.0 * math.pi * cycles - turned), w * up,
                w / ramp * np.where(early, upd, -upd))

    return pace


def tip_mover(arm: 'Arm', name: str, curve: TipCurve, near: FloatArray
              ) -> Callable[[PaceMaker], Trajectory]:
    """
    Return what makes the joints' motion along a curve of the tip of a pace.

    Parameters
    ----------
    arm : Arm
    name : str
        Of the curve, for errors.
    curve : callable
        From a parameter to a position and its two derivatives.
    near : ndarray, shape (n,)
        A posture that the start shall be near to.

    Returns
    -------
    move : callable
        From what makes a pace to a trajectory.

    """
    if not is_redundant(arm):
        return lambda pace: _point_by_point(arm, name, curve, pace(1), near)
    joints: list[JointCurve] = []
    density = 1

    def move(pace: PaceMaker) -> Trajectory:
        nonlocal density
        if not joints:
            u = pace(1)[1]
            joints.append(joint_curve(arm, name, curve, (float(u[0]), float(u[-1])), near))
        while density <= MOST_DENSE:
            motion = _along(joints[0], pace(density))
            if _on_curve(arm, curve, motion, pace(2 * density)[1]):
                return motion
            density *= 2
        raise TrajectoryError(
            f'the tip cannot follow the {name}: it is near a singularity, and leaves the curve '
            f'between as many as {len(motion.times)} points; choose a smaller or another one')

    return move


def _along(joints: JointCurve, pace: Pace) -> Trajectory:
    """Return the motion along joint positions that are known with their derivatives."""
    t, u, ud, udd = (column[:, None] for column in pace)
    q, slope, bend = joints(pace[1])
    return Trajectory(pace[0], q, ud * slope, udd * slope + ud * ud * bend)


def _on_curve(arm: 'Arm', curve: TipCurve, motion: Trajectory, u: FloatArray) -> bool:
    """Return whether a motion keeps to a curve and the joints' positions between its points."""
    times = np.array(motion.times)
    between = motion.sample_many(0.5 * (times[1:] + times[:-1]))[0]
    desired = np.array([curve(value)[0] for value in u[1::2].tolist()])
    away = np.abs(arm.tip_pose(between)[:, :3, 3] - desired).max()
    return bool(away <= BETWEEN * min(1.0, _reach(arm))) and not any(
        excess.what == 'position' for excess in find_excess(arm, motion))


def _point_by_point(arm: 'Arm', name: str, curve: TipCurve, motion: Pace,
                    near: FloatArray) -> Trajectory:
    """Return the joints' motion along a curve that determines them."""
    rows: list[tuple[FloatArray, ...]] = []
    q = near
    step = 0.0
    for t, u, ud, udd in zip(*(column.tolist() for column in motion)):
        position, slope, bend = curve(u)
        solution = arm.inverse_kinematics(position, q0=q)
        if not solution.success:
            raise TrajectoryError(
                f'the tip cannot reach the {name}: at {np.round(position, 4).tolist()} it stays '
                f'{solution.position_error:.3g} m away; choose a smaller or another one')
        if rows and np.abs(solution.q - q - (t - step) * rows[-1][1]).max() > JUMP:
            raise TrajectoryError(
                f'the tip cannot follow the {name}: at {np.round(position, 4).tolist()} the '
                'joints would have to jump to another solution; choose a smaller or another one')
        q, step = np.asarray(solution.q), t
        inverse = np.linalg.pinv(arm.jacobian(q)[:3], rcond=1e-6)
        qd = inverse @ (ud * slope)
        drift = arm.jacobian_derivative(q, qd)[:3] @ qd
        rows.append((q, qd, inverse @ (udd * slope + ud * ud * bend - drift)))
    return Trajectory(motion[0], *(list(column) for column in zip(*rows)))
