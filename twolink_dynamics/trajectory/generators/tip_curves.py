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
Generators of motions of the tip along a curve: a circle, a figure of eight, a line.

They start and end at rest, with no jump in velocity or acceleration. Positions come from the arm's
inverse kinematics, velocities and accelerations from its Jacobian (theory.md T1).

"""

import math

import numpy as np

from twolink_dynamics.errors import ParameterError, ShapeError, TrajectoryError, \
    UnsupportedModelError
from twolink_dynamics.trajectory.generators.profiles import equidistant, POINTS_PER_PERIOD, \
    positive_number, smooth_step, vector
from twolink_dynamics.trajectory.limit_scaling import fit_period
from twolink_dynamics.trajectory.trajectory import Trajectory

__all__ = ['circle', 'figure_of_eight', 'line']

# Between two points the joints must go where their velocities say, to this [rad or m]: else the
# second is another solution, to which there is no way along the curve.
JUMP = 0.5


def _plane_of_motion(arm, q, name):
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
    def shape(axes, radius):
        return lambda phi: (radius * (math.cos(phi) * axes[0] + math.sin(phi) * axes[1]),
                            radius * (math.cos(phi) * axes[1] - math.sin(phi) * axes[0]),
                            -radius * (math.cos(phi) * axes[0] + math.sin(phi) * axes[1]))

    return _closed(arm, 'circle', shape, center, radius, period, cycles, q0)


def figure_of_eight(arm, center=None, radius=None, period=4.0, cycles=1.0, q0=None):
    """
    Return the joints' motion for a figure of eight of the tip, in the plane the tip moves in.

    It is Gerono's: twice as long as it is high, crossing itself in the center, where it starts.

    Parameters
    ----------
    arm, center, period, cycles, q0
        As of :func:`circle`.
    radius : float, optional
        Half of its length [m]; by default as of :func:`circle`.

    Returns
    -------
    trajectory : Trajectory

    Raises
    ------
    TrajectoryError, UnsupportedModelError, ShapeError, ParameterError
        As of :func:`circle`.

    """
    def shape(axes, radius):
        return lambda phi: (
            radius * (math.sin(phi) * axes[0] + 0.5 * math.sin(2.0 * phi) * axes[1]),
            radius * (math.cos(phi) * axes[0] + math.cos(2.0 * phi) * axes[1]),
            -radius * (math.sin(phi) * axes[0] + 2.0 * math.sin(2.0 * phi) * axes[1]))

    return _closed(arm, 'figure of eight', shape, center, radius, period, cycles, q0)


def line(arm, goal, start=None, duration=2.0, q0=None):
    """
    Return the joints' motion for a straight line of the tip, at minimum jerk.

    Parameters
    ----------
    arm : Arm
    goal : array_like, shape (3,)
        In the base frame [m].
    start : array_like, shape (3,), optional
        By default where the tip is at `q0`.
    duration : float
        [s]; longer if the velocity or effort limits need it.
    q0 : array_like, shape (n,), optional
        A posture that the start shall be near to; by default each joint but the first at a right
        angle.

    Returns
    -------
    trajectory : Trajectory

    Raises
    ------
    TrajectoryError
        If the arm cannot reach a point of the line, or not without a jump of its joints.
    ShapeError, ParameterError
        If an argument cannot be.

    """
    duration = positive_number('duration', duration)
    near = _bent_posture(arm) if q0 is None else vector('q0', q0, arm.n)
    start = arm.tip_pose(near)[:3, 3] if start is None else _position('start', start)
    way = _position('goal', goal) - start
    if not way.any():
        raise ParameterError('goal', np.round(start, 6).tolist(), 'another place than the start')
    name = f'line from {np.round(start, 4).tolist()} to {np.round(start + way, 4).tolist()}'

    def motion(T):
        t = equidistant(T, POINTS_PER_PERIOD)
        u, ud, udd, _ = smooth_step(t / t[-1])
        return t, u, ud / t[-1], udd / t[-1] ** 2

    return fit_period(arm, duration, lambda T: _tip_motion(
        arm, name, lambda u: (start + u * way, way, 0.0 * way), motion(T), near))


def _position(name, value):
    value = np.array(value, dtype=np.float64)
    if value.shape != (3,):
        raise ShapeError(name, '(3,)', value.shape)
    return vector(name, value, 3)


def _closed(arm, name, shape, center, radius, period, cycles, q0):
    """Return the motion around a curve that closes, in the plane the tip moves in."""
    period, cycles = positive_number('period', period), positive_number('cycles', cycles)
    bent = _bent_posture(arm)
    axes = np.array(_plane_of_motion(arm, bent, name))
    center = arm.tip_pose(bent)[:3, 3] if center is None else _position('center', center)
    near = bent if q0 is None else vector('q0', q0, arm.n)

    def around(radius, motion):
        curve = shape(axes, radius)
        what = f'{name} of radius {radius:.4g} m around {np.round(center, 4).tolist()}'

        def moved(phi):
            p, slope, bend = curve(phi)
            return center + p, slope, bend

        return _tip_motion(arm, what, moved, motion, near)

    radius = (_reachable_radius(arm, around) if radius is None
              else positive_number('radius', radius))
    return fit_period(arm, period, lambda p: around(radius, _turns(p, cycles)))


def _reachable_radius(arm, around):
    """Return a fifth of the arm's reach, or less where one turn of that cannot be reached."""
    radius, motion = 0.2 * _reach(arm), _turns(1.0, 1.0)
    for _ in range(12):
        try:
            around(radius, motion)
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
    t = equidistant(duration, math.ceil(duration / period * POINTS_PER_PERIOD))
    # The way down is the way up, seen from the end.
    since = np.maximum(0.0, np.minimum(t, duration - t))
    up, upd, _, way = smooth_step(since / ramp)
    turned = w * (ramp * way + np.maximum(since - ramp, 0.0))
    early = t <= 0.5 * duration
    return (t, np.where(early, turned, 2.0 * math.pi * cycles - turned), w * up,
            w / ramp * np.where(early, upd, -upd))


def _tip_motion(arm, name, curve, motion, near):
    """
    Return the joints' motion along a curve of the tip.

    The curve takes a parameter to a position and its two derivatives; the motion is times and the
    parameter with its two rates.

    """
    rows, q = [], near
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
