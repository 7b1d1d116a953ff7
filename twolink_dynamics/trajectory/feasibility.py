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

"""What a motion asks of an arm between its points: beyond position, velocity or effort limits."""

from __future__ import annotations

import math
from typing import NamedTuple, Sequence, TYPE_CHECKING

import numpy as np

from twolink_dynamics.array_types import FloatArray
from twolink_dynamics.errors import ParameterError, TrajectoryError
from twolink_dynamics.trajectory.trajectory import Trajectory
from twolink_dynamics.validation import number

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm

__all__ = ['Excess', 'check_motion', 'check_reasonable', 'find_excess']

# A limit and a target are often the same number, written with a few digits less.
POSITION_TOLERANCE, RELATIVE_TOLERANCE = 1e-6, 1e-6
# Efforts are looked at so many times a segment, and so many times at most.
SAMPLES, MOST_SAMPLES = 8, 4000
# Binomial transforms: what takes the coefficients of a polynomial on [0, 1] to numbers between
# whose smallest and largest it stays.
HULLS = {degree: np.array([[math.comb(i, j) / math.comb(degree, j) for j in range(degree + 1)]
                           for i in range(degree + 1)]) for degree in (4, 5)}
# No arm is, moves or accelerates so: products of such numbers would leave the finite.
BEYOND_REASON = {'position': 1e9, 'velocity': 1e9, 'acceleration': 1e12}


class Excess(NamedTuple):
    """
    A limit that a motion goes beyond.

    Attributes
    ----------
    what : str
        ``'position'``, ``'velocity'`` or ``'effort'``.
    joint : str
    time : float
        Where it is worst, on the trajectory's clock [s].
    value, limit : float
        What it would be there, and what it may be.

    """

    what: str
    joint: str
    time: float
    value: float
    limit: float

    def __str__(self) -> str:
        """Say it in words."""
        return (f'{self.what} {self.value:.6g} of joint "{self.joint}" at {self.time:.6g} s is '
                f'beyond the limit {self.limit:.6g}')


def find_excess(arm: Arm, trajectory: Trajectory,
                joints: Sequence[int] | None = None) -> list[Excess]:
    """
    Return every limit a motion goes beyond, where it is worst.

    Positions and velocities are checked everywhere: by a hull of each segment's polynomial, and by
    its extrema where the hull is beyond. Efforts are checked at eight times a segment.

    Parameters
    ----------
    arm : Arm
    trajectory : Trajectory
    joints : sequence of int, optional
        Which joints it moves; efforts are for whole arms only.

    Returns
    -------
    found : list of Excess
        By position, velocity, effort, and the joints in their order.

    """
    columns = range(arm.n) if joints is None else list(joints)
    limits = arm.limits
    found = []
    table = np.array([joints_ for _, _, joints_ in trajectory.segments])
    for what, first, degree in (('position', 0, 5), ('velocity', 6, 4)):
        for column, j in enumerate(columns):
            low, high = ((float(limits.lower[j]), float(limits.upper[j])) if what == 'position'
                         else (-float(limits.velocity[j]), float(limits.velocity[j])))
            slack = POSITION_TOLERANCE if what == 'position' else RELATIVE_TOLERANCE * high
            if math.isinf(low) and math.isinf(high):
                continue
            worst = _worst(trajectory, table, column, first, degree, low - slack, high + slack)
            if worst is not None:
                time, value = worst
                found.append(Excess(what, arm.joint_names[j], time, value,
                                    high if value > high else low))
    if joints is None or len(columns) == arm.n:
        found += _beyond_effort(arm, trajectory)
    return found


def _worst(trajectory: Trajectory, table: FloatArray, column: int, first: int, degree: int,
           low: float, high: float) -> tuple[float, float] | None:
    """Return time and value of what is beyond the most, or None."""
    worst, most = None, 0.0
    if not len(table):
        only = trajectory.sample(trajectory.start_time)[0 if first == 0 else 1]
        candidates = [(trajectory.start_time, only[column])]
    else:
        c = table[:, column, first:first + degree + 1]
        hull = c @ HULLS[degree].T
        candidates = []
        for k in np.flatnonzero((hull.min(axis=1) < low) | (hull.max(axis=1) > high)):
            t0, t1 = trajectory.times[k], trajectory.times[k + 1]
            candidates += [(t0 + u * (t1 - t0), value) for u, value in _extrema(c[k])]
    for time, value in candidates:
        beyond = max(low - value, value - high)
        if not beyond <= most:
            worst, most = (time, float(value)), beyond
    return worst


def _extrema(c: FloatArray) -> list[tuple[float, float]]:
    """Return where and what a polynomial is at the ends of [0, 1] and at its extrema between."""
    slope = (c * np.arange(len(c)))[1:]
    size = np.abs(slope).max()
    at = [0.0, 1.0]
    if 0.0 < size < math.inf:
        # Leading zeros would be roots at infinity.
        roots = np.roots(np.where(np.abs(slope) > 1e-15 * size, slope, 0.0)[::-1])
        at += [float(r.real) for r in roots if abs(r.imag) < 1e-6 and 0.0 < r.real < 1.0]
    return [(u, float(np.polyval(c[::-1], u))) for u in at]


def _beyond_effort(arm: Arm, trajectory: Trajectory) -> list[Excess]:
    """Return the joints whose effort is beyond its limit, or is no number."""
    times = np.array(trajectory.times)
    if len(times) == 1:
        at = times
    else:
        per = max(1, min(SAMPLES, MOST_SAMPLES // (len(times) - 1)))
        step = np.diff(times)[:, None]
        at = (times[:-1, None] + step * np.arange(per) / per).ravel()
        # The end of a segment is the begin of the next, which may accelerate otherwise.
        at = np.concatenate([at, np.nextafter(times[1:], -math.inf)])
    tau = arm.inverse_dynamics(*trajectory.sample_many(at), friction=True)
    found = []
    for j, limit in enumerate(np.asarray(arm.limits.effort).tolist()):
        k = int(np.argmax(np.abs(tau[:, j])))
        value = float(tau[k, j])
        if not abs(value) <= limit * (1.0 + RELATIVE_TOLERANCE):
            found.append(Excess('effort', arm.joint_names[j], float(at[k]), value, limit))
    return found


def check_reasonable(trajectory: Trajectory) -> None:
    """
    Refuse a motion whose numbers no arm can have, limits or none.

    Parameters
    ----------
    trajectory : Trajectory

    Raises
    ------
    TrajectoryError
        With code -1 and the point after the segment that is beyond reason: points too close in
        time, or too far away.

    """
    for k, (_, _, joints) in enumerate(trajectory.segments):
        for c in joints:
            for what, coefficients in (('position', c[:6]), ('velocity', c[6:11]),
                                       ('acceleration', c[11:])):
                size = sum(map(abs, coefficients))
                if not size <= BEYOND_REASON[what]:
                    raise TrajectoryError(
                        f'the way there takes a {what} of up to {size:.3g}, beyond all reason; '
                        'give it more time', point=k + 1)
    # What is given for the last point counts at its time, even if no segment uses it.
    for row, (what, most) in zip(trajectory.sample(trajectory.end_time), BEYOND_REASON.items()):
        size = max(map(abs, row))
        if not size <= most:
            raise TrajectoryError(f'{what} of {size:.3g}, beyond all reason',
                                  point=len(trajectory.times) - 1)


def check_motion(arm: Arm, trajectory: Trajectory, joints: Sequence[int] | None = None, *,
                 velocity: str = 'reject', effort: str = 'warn',
                 velocity_slack: float = 0.1) -> list[Excess]:
    """
    Refuse a motion that an arm cannot do, or say what it will not do well.

    Parameters
    ----------
    arm : Arm
    trajectory : Trajectory
        With the way to its first point, if that is part of the motion.
    joints : sequence of int, optional
        Which joints it moves, all if not given.
    velocity, effort : {'reject', 'warn', 'ignore'}
        What to do beyond these limits. Positions beyond theirs, and numbers beyond reason, are
        always refused.
    velocity_slack : float
        Between its points a motion may be faster by this part of the limit with no more than a
        warning: planners keep to the limits at the points, and segments swing a little beyond.

    Returns
    -------
    warnings : list of Excess

    Raises
    ------
    TrajectoryError
        With code -1, the joint, the numbers and the time.

    """
    for name, value in (('velocity', velocity), ('effort', effort)):
        if value not in ('reject', 'warn', 'ignore'):
            raise ParameterError(name, value, "'reject', 'warn' or 'ignore'")
    velocity_slack = number('velocity_slack', velocity_slack, 0.0)
    check_reasonable(trajectory)
    policy = {'position': 'reject', 'velocity': velocity, 'effort': effort}
    warnings = []
    for excess in find_excess(arm, trajectory, joints):
        what = policy[excess.what]
        slight = excess.what == 'velocity' and (
            abs(excess.value) <= (1.0 + velocity_slack) * abs(excess.limit))
        if what == 'reject' and not slight:
            raise TrajectoryError(
                f'{excess.what} {excess.value:.6g} at {excess.time:.6g} s is beyond the limit '
                f'{excess.limit:.6g}', joint=excess.joint)
        if what != 'ignore':
            warnings.append(excess)
    return warnings
