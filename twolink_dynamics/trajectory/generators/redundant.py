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
Redundant arms along a curve of the tip: one joint motion, with its own derivatives.

Where the tip's position determines fewer numbers than there are joints, inverse kinematics point
by point gives postures that no motion connects. Here the joints follow a smooth field of
directions: of all that keep the tip on the curve the least one, in which a joint counts less the
nearer it is to a stop, and is led away from it. The field is integrated once over the curve's
parameter, whatever the pace; its values and their rates along the motion are the derivatives.

"""

from __future__ import annotations

import math
from typing import Callable, Iterator, TYPE_CHECKING

import numpy as np

from twolink_dynamics.array_types import FloatArray
from twolink_dynamics.errors import TrajectoryError

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm

__all__ = ['JointCurve', 'TipCurve', 'is_redundant', 'joint_curve']

#: From a parameter to a position [m] and its two derivatives.
TipCurve = Callable[[float], tuple[FloatArray, FloatArray, FloatArray]]
#: From parameters (m,) to joint positions and their two derivatives by the parameter, (m, n) each.
JointCurve = Callable[[FloatArray], tuple[FloatArray, FloatArray, FloatArray]]

# A stop is felt so far before it: this part of the joint's range, this much at most [rad or m].
MARGIN, WIDEST_MARGIN = 0.1, 0.2
# How many margins a joint on its stop is led away while the tip goes the arm's size.
RETREAT = 3.0
# A singular value of the Jacobian below this part of the largest one: no way on.
SINGULAR = 1e-3
# The tip is led back to the curve at this rate over the whole of it; what is left is taken away
# at every point that is asked for.
FEEDBACK, INTEGRATION = 10.0, 1e-7
# More directions than that to evaluate in a turn or less: the curve leads along a singularity.
MOST_EVALUATIONS = 4000
# How many further postures to start from are tried, and how often each is led off its stops.
STARTS, RELAXATIONS = 12, 40
# The rates' differences are taken over this part of the curve.
DIFFERENCE = 1e-5
ON_CURVE = 1e-10


class _NoWayError(Exception):
    """The field ends: it meets a singularity, or leaves the curve."""


def is_redundant(arm: Arm) -> bool:
    """Return whether the arm can move without moving its tip's position."""
    return arm.n > arm.position_rank


def joint_curve(arm: Arm, name: str, curve: TipCurve, span: tuple[float, float],
                near: FloatArray) -> JointCurve:
    """
    Return a motion of a redundant arm's joints along a curve of the tip.

    Parameters
    ----------
    arm : Arm
    name : str
        Of the curve, for errors.
    curve : callable
        From a parameter to a position and its two derivatives.
    span : tuple of float
        The parameter's first and last value.
    near : ndarray, shape (n,)
        A posture that the start shall be near to. If no way along the curve begins there, it
        starts elsewhere.

    Returns
    -------
    joints : callable
        From parameters to joint positions and their two derivatives by the parameter.

    Raises
    ------
    TrajectoryError
        If a point of the curve is out of reach, or no way along the curve was found.

    """
    field = _Field(arm, curve, span)
    checked = False
    for start in _starts(arm, name, curve(span[0])[0], near, field):
        try:
            return field.integrate(start)
        except _NoWayError:
            if not checked:
                for u in np.linspace(*span, 61):
                    _reached(arm, name, curve(float(u))[0], start)
                checked = True
    raise TrajectoryError(f'the tip cannot follow the {name}: it reaches every point, but no '
                          f'way along it was found from {STARTS + 1} postures; choose a smaller '
                          'or another one')


def _reached(arm: Arm, name: str, position: FloatArray, near: FloatArray) -> FloatArray:
    """Return joint positions with the tip at a position."""
    solution = arm.inverse_kinematics(position, q0=near)
    if not solution.success:
        raise TrajectoryError(
            f'the tip cannot reach the {name}: at {np.round(position, 4).tolist()} it stays '
            f'{solution.position_error:.3g} m away; choose a smaller or another one')
    return np.asarray(solution.q)


def _starts(arm: Arm, name: str, position: FloatArray, near: FloatArray, field: _Field
            ) -> Iterator[FloatArray]:
    """Yield postures to start from: near the one desired, then from all over the range."""
    yield field.relaxed(_reached(arm, name, position, near))
    rng = np.random.default_rng(0)
    low = np.where(np.isfinite(arm.limits.lower), arm.limits.lower, near - np.pi)
    high = np.where(np.isfinite(arm.limits.upper), arm.limits.upper, near + np.pi)
    for q in rng.uniform(low, high, (STARTS, arm.n)):
        yield field.relaxed(_reached(arm, name, position, q))


class _Field:
    """
    Directions of the joints along a curve of the tip.

    Parameters
    ----------
    arm : Arm
    curve : callable
    span : tuple of float

    """

    def __init__(self, arm: Arm, curve: TipCurve, span: tuple[float, float]) -> None:
        self.arm, self.curve, self.span = arm, curve, span
        self.rank = arm.position_rank
        self.lower = np.asarray(arm.limits.lower, dtype=float)
        self.upper = np.asarray(arm.limits.upper, dtype=float)
        room = self.upper - self.lower
        # A joint without room does not move.
        self.margin = np.clip(MARGIN * room, 1e-9, WIDEST_MARGIN)
        self.size = float(sum(np.linalg.norm(joint.origin[:3, 3]) for joint in
                              arm.chain.joints[1:]) + np.linalg.norm(arm.chain.tip[:3, 3])) or 1.0
        self.feedback = FEEDBACK / (span[1] - span[0])

    def freedom(self, q: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return how much each joint counts, 0 on a stop to 1, and which way its stop sends it."""
        below, above = (q - self.lower) / self.margin, (self.upper - q) / self.margin
        d = np.clip(np.minimum(below, above), 0.0, 1.0)
        free = d ** 3 * (10.0 - 15.0 * d + 6.0 * d * d)
        return free, self.margin * (1.0 - free) * np.where(below < above, 1.0, -1.0)

    def _inverse(self, J: FloatArray, weights: FloatArray) -> FloatArray:
        """Return the weighted pseudo-inverse (n, 3) of the rank the arm has."""
        roots = np.sqrt(weights)
        U, s, Vt = np.linalg.svd(J * roots, full_matrices=False)
        r = self.rank
        if not s[r - 1] > SINGULAR * max(s[0], 1e-12):
            raise _NoWayError
        return roots[:, None] * ((Vt[:r].T / s[:r]) @ U[:, :r].T)

    def direction(self, u: float, q: FloatArray) -> FloatArray:
        """Return the joints' derivative by the parameter, (n,)."""
        position, slope, _ = self.curve(u)
        free, away = self.freedom(q)
        J = self.arm.jacobian(q)[:3]
        inverse = self._inverse(J, free)
        away = away * (RETREAT * np.linalg.norm(slope) / self.size)
        gap = position - self.arm.tip_pose(q)[:3, 3]
        return inverse @ (slope + self.feedback * gap - J @ away) + away

    def relaxed(self, q: FloatArray) -> FloatArray:
        """Return a posture with the tip where it is, and the joints off their stops."""
        position = self.arm.tip_pose(q)[:3, 3]
        for _ in range(RELAXATIONS):
            free, away = self.freedom(q)
            if free.min() > 0.5:
                break
            J = self.arm.jacobian(q)[:3]
            step = away - np.linalg.pinv(J, rcond=SINGULAR) @ (J @ away)
            moved = np.clip(q + 0.5 * step, self.lower, self.upper)
            solution = self.arm.inverse_kinematics(position, q0=moved, restarts=0)
            if not solution.success:
                break
            q = np.asarray(solution.q)
        return q

    def integrate(self, start: FloatArray) -> JointCurve:
        """Return the joints along the whole curve from a posture; :exc:`_NoWayError` if not."""
        from scipy.integrate import solve_ivp  # at first need: it takes longer than all the rest
        evaluations = 0
        most = MOST_EVALUATIONS * max(1.0, (self.span[1] - self.span[0]) / (2.0 * math.pi))

        def rate(u: float, q: FloatArray) -> FloatArray:
            nonlocal evaluations
            evaluations += 1
            if evaluations > most:
                raise _NoWayError
            return self.direction(u, q)

        solved = solve_ivp(rate, self.span, start, method='DOP853', dense_output=True,
                           rtol=INTEGRATION, atol=INTEGRATION)
        if not solved.success:
            raise _NoWayError
        return lambda u: self._states(u, solved.sol(u).T)

    def _states(self, u: FloatArray, q: FloatArray
                ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return positions on the curve, and both derivatives there."""
        h = DIFFERENCE * (self.span[1] - self.span[0])
        rows = []
        for at, near in zip(u.tolist(), q):
            near = self._on_curve(at, near)
            rate = self.direction(at, near)
            change = (self.direction(at + h, near + h * rate)
                      - self.direction(at - h, near - h * rate)) / (2.0 * h)
            rows.append((near, rate, change))
        joints, rates, changes = (np.array(column) for column in zip(*rows))
        return joints, rates, changes

    def _on_curve(self, u: float, q: FloatArray) -> FloatArray:
        """Return joint positions moved so that the tip is on the curve."""
        position = self.curve(u)[0]
        for _ in range(8):
            gap = position - self.arm.tip_pose(q)[:3, 3]
            if np.abs(gap).max() < ON_CURVE * max(1.0, self.size):
                return q
            q = q + self._inverse(self.arm.jacobian(q)[:3], self.freedom(q)[0]) @ gap
        raise _NoWayError
