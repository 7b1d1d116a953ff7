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
Generators of trajectories: a move, a swing of the joints, a circle of the tip.

All start and end at rest, with no jump in velocity or acceleration.

"""

import math

import numpy as np

from .limits import fit_period, room_to_swing
from .sampling import Trajectory
from ..errors import ParameterError, ShapeError, TrajectoryError, UnsupportedModelError

__all__ = ['circle', 'minimum_jerk', 'swing']

# Quintic segments through a sine at so many points a period are off by
# (2 pi / 60)^6 / 46080 = 3e-11 of its amplitude.
POINTS_PER_PERIOD = 60


def _positive(name, value):
    if not (isinstance(value, (int, float)) and 0.0 < value < math.inf):
        raise ParameterError(name, value, 'a finite number above 0')
    return float(value)


def _vector(name, value, n):
    """Return n finite floats, from one number or one per joint."""
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(name, value, 'numbers') from None
    if array.shape not in ((), (1,), (n,)):
        raise ShapeError(name, f'({n},)', array.shape)
    if not np.isfinite(array).all():
        raise ParameterError(name, value, 'finite numbers')
    return np.broadcast_to(array, (n,)).copy()


def minimum_jerk(start, goal, duration, start_time=0.0):
    """
    Return the move between two postures whose jerk is least: a quintic from rest to rest.

    Parameters
    ----------
    start, goal : array_like, shape (n,)
        Joint positions [rad or m].
    duration : float
        [s].
    start_time : float
        [s].

    Returns
    -------
    trajectory : Trajectory
        Two points; the largest velocity is 1.875 times the mean one, halfway.

    Raises
    ------
    ShapeError, NonFiniteError, ParameterError
        If the postures differ in length or the duration is not above zero.

    """
    duration = _positive('duration', duration)
    start, goal = np.atleast_1d(start), np.atleast_1d(goal)
    if start.shape != goal.shape or start.ndim != 1:
        raise ShapeError('goal', f'that of start, {start.shape}', goal.shape)
    rest = np.zeros((2, len(start)))
    return Trajectory([start_time, start_time + duration], [start, goal], rest, rest)


def _times(duration, intervals):
    """Return equidistant times, to the nanosecond: a message then says just the same ones."""
    return np.round(np.linspace(0.0, duration, intervals + 1), 9)


def _ramp(u):
    """Return a smooth step from 0 at u = 0 to 1 at u = 1, and two derivatives and its integral."""
    u = np.clip(u, 0.0, 1.0)
    return (u ** 3 * (10.0 - 15.0 * u + 6.0 * u * u), 30.0 * u * u * (1.0 - u) ** 2,
            60.0 * u * (1.0 - u) * (1.0 - 2.0 * u), u ** 4 * (2.5 - 3.0 * u + u * u))


def _swing(center, amplitude, period, cycles, phase):
    """Return a sine in a smooth envelope."""
    duration = cycles * period
    t = _times(duration, max(2, math.ceil(cycles * POINTS_PER_PERIOD)))
    duration = t[-1]
    ramp = min(period, 0.5 * duration)
    side = np.where(t <= 0.5 * duration, 1.0, -1.0)
    E, Ed, Edd, _ = _ramp(np.minimum(t, duration - t) / ramp)
    Ed, Edd = side * Ed / ramp, Edd / ramp ** 2
    w = 2.0 * math.pi / period
    angle = w * t[:, None] + phase
    S, Sd, Sdd = np.sin(angle), w * np.cos(angle), -w * w * np.sin(angle)
    E, Ed, Edd = E[:, None], Ed[:, None], Edd[:, None]
    qd = amplitude * (Ed * S + E * Sd)
    qdd = amplitude * (Edd * S + 2.0 * Ed * Sd + E * Sdd)
    qdd[0] = qdd[-1] = 0.0  # they are: but for the rounding of the times
    qd[0] = qd[-1] = 0.0
    return Trajectory(t, center + amplitude * E * S, qd, qdd)


def swing(arm, amplitude=0.6, period=4.0, cycles=1.0, center=None, phase=None):
    """
    Return a swing of all joints to both sides of a posture, within the arm's limits.

    Each joint follows a sine in an envelope that opens and closes over one period (half of the
    duration for less than two periods).

    Parameters
    ----------
    arm : Arm
    amplitude : float or array_like, shape (n,)
        [rad or m]; smaller for a joint whose limits need it.
    period : float
        [s]; longer if the velocity or effort limits need it.
    cycles : float
        How many periods, ramps included.
    center : array_like, shape (n,), optional
        The middle posture, and where the swing starts and ends; by default zero, or what is next
        to it and has room for the amplitude.
    phase : array_like, shape (n,), optional
        [rad]; by default each joint is a quarter of a period ahead of the one before, so that the
        joints do not all turn back at once.

    Returns
    -------
    trajectory : Trajectory

    Raises
    ------
    ShapeError, ParameterError
        If an argument is none of the arm's.
    TrajectoryError
        If the arm's efforts do not even suffice for a slow swing.

    """
    n = arm.n
    period, cycles = _positive('period', period), _positive('cycles', cycles)
    amplitude = np.abs(_vector('amplitude', amplitude, n))
    phase = 0.5 * math.pi * np.arange(n) if phase is None else _vector('phase', phase, n)
    center = None if center is None else _vector('center', center, n)
    center, amplitude = room_to_swing(arm, amplitude, center)
    return fit_period(arm, period, lambda p: _swing(center, amplitude, p, cycles, phase))


def _plane_of_motion(arm, q):
    """Return two unit vectors (3,) that span the plane the tip moves in at a posture."""
    J = arm.jacobian(q)[:3]
    U, sizes, _ = np.linalg.svd(J)
    rank = int((sizes > 1e-6 * max(sizes[0], 1e-12)).sum())
    if rank < 2:
        raise UnsupportedModelError(
            'the tip of this arm moves along a line, it cannot draw a circle; choose a swing',
            arm.joint_names)
    normal = U[:, 2] if rank == 2 else np.array([0.0, 0.0, 1.0])
    normal = normal * math.copysign(1.0, normal[np.argmax(np.abs(normal))])
    x = np.eye(3)[int(np.argmin(np.abs(normal)))]
    x = x - (x @ normal) * normal
    x /= math.sqrt(x @ x)
    return x, np.cross(normal, x)


def _bent_posture(arm):
    """Return a posture within the limits with each joint but the first at a right angle."""
    lower, upper = np.asarray(arm.limits.lower), np.asarray(arm.limits.upper)
    q = np.full(arm.n, 0.5 * math.pi)
    q[0] = 0.0
    for k, kind in enumerate(arm.joint_types):
        if kind == 'prismatic':
            low, high = lower[k], upper[k]
            q[k] = 0.5 * (low + high) if math.isfinite(high - low) else 0.1
    return np.clip(q, lower, upper)


def _reach(arm):
    """Return an upper bound of the distance of the tip from joint 1, prismatic joints at zero."""
    joints = arm.chain.joints
    steps = [joint.origin[:3, 3] for joint in joints[1:]] + [arm.chain.tip[:3, 3]]
    return float(sum(math.sqrt(step @ step) for step in steps))


def circle(arm, center=None, radius=None, period=4.0, cycles=1.0, q0=None):
    """
    Return the joints' motion for a circle of the tip, in the plane the tip moves in.

    The tip gathers speed over half a period, keeps it, and comes to rest likewise: the duration is
    ``(cycles + 1/2) period``. Positions come from the arm's inverse kinematics, velocities and
    accelerations from its Jacobian (theory.md T1).

    Parameters
    ----------
    arm : Arm
        One whose tip moves in a plane at least; one that moves in space draws in the base's xy.
    center : array_like, shape (3,), optional
        In the base frame [m]; by default where the tip is with the elbow at a right angle.
    radius : float, optional
        [m]; by default a fifth of the arm's reach, or less where that cannot be reached.
    period : float
        Of one turn at full speed [s]; longer if the velocity or effort limits need it.
    cycles : float
        How many turns.
    q0 : array_like, shape (n,), optional
        A posture that the start shall be near to (it chooses the side the elbow is on).

    Returns
    -------
    trajectory : Trajectory

    Raises
    ------
    TrajectoryError
        If the arm cannot reach a point of the circle; the message says how near it gets.
    UnsupportedModelError
        If the arm's tip moves along a line only.
    ShapeError, ParameterError
        If an argument cannot be.

    """
    period, cycles = _positive('period', period), _positive('cycles', cycles)
    bent = _bent_posture(arm)
    axes = np.array(_plane_of_motion(arm, bent))
    if center is None:
        center = arm.tip_pose(bent)[:3, 3]
    else:
        center = np.array(center, dtype=np.float64)
        if center.shape != (3,):
            raise ShapeError('center', '(3,)', center.shape)
    near = bent if q0 is None else _vector('q0', q0, arm.n)
    if radius is None:
        radius = _reachable_radius(arm, center, axes, near)
    else:
        radius = _positive('radius', radius)
    return fit_period(arm, period, lambda p: _tip_motion(
        arm, center, radius, axes, _turns(p, cycles), near))


def _reachable_radius(arm, center, axes, near):
    """Return a fifth of the arm's reach, or less where one turn of that cannot be reached."""
    radius, motion = 0.2 * _reach(arm), _turns(1.0, 1.0)
    for _ in range(12):
        try:
            _tip_motion(arm, center, radius, axes, motion, near)
            return radius
        except TrajectoryError as error:
            last, radius = error, 0.7 * radius
    raise last


def _turns(period, cycles):
    """Return times and the angle, rate and acceleration of turns from rest to rest."""
    if cycles < 0.5:
        raise ParameterError('cycles', cycles, 'half a turn or more')
    ramp, w = 0.5 * period, 2.0 * math.pi / period
    duration = cycles * period + ramp
    t = _times(duration, math.ceil(duration / period * POINTS_PER_PERIOD))
    # The way down is the way up, seen from the end.
    since = np.maximum(0.0, np.minimum(t, duration - t))
    up, upd, _, way = _ramp(since / ramp)
    turned = w * (ramp * way + np.maximum(since - ramp, 0.0))
    early = t <= 0.5 * duration
    return (t, np.where(early, turned, 2.0 * math.pi * cycles - turned), w * up,
            w / ramp * np.where(early, upd, -upd))


def _tip_motion(arm, center, radius, axes, motion, near):
    """Return the joints' motion for turns around a center."""
    t, angle, rate, acceleration = motion
    rows = []
    q = near
    for phi, w, a in zip(angle.tolist(), rate.tolist(), acceleration.tolist()):
        out = math.cos(phi) * axes[0] + math.sin(phi) * axes[1]
        along = math.cos(phi) * axes[1] - math.sin(phi) * axes[0]
        solution = arm.inverse_kinematics(center + radius * out, q0=q)
        if not solution.success:
            raise TrajectoryError(
                f'the tip cannot reach the circle of radius {radius:.4g} m around '
                f'{np.round(center, 4).tolist()}: at {math.degrees(phi):.0f} degrees it stays '
                f'{solution.position_error:.3g} m away; choose a smaller or another circle')
        q = np.asarray(solution.q)
        inverse = np.linalg.pinv(arm.jacobian(q)[:3], rcond=1e-6)
        qd = inverse @ (radius * w * along)
        drift = arm.jacobian_derivative(q, qd)[:3] @ qd
        rows.append((q, qd, inverse @ (radius * (a * along - w * w * out) - drift)))
    return Trajectory(t, *(list(column) for column in zip(*rows)))
