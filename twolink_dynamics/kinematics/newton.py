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
Newton's method on one start vector: towards a target, and down to the nearest point if it is not.

Positions are divided by the arm's size, so that metres and radians weigh alike whatever the unit
of the model; the sum of squares of what is left is what both methods make small (theory.md K1,
with an analytic Jacobian in place of a perturbed one).

"""

from __future__ import annotations

from dataclasses import dataclass
import math
from typing import Sequence, TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from twolink_dynamics.array_types import FloatArray, Vector
from twolink_dynamics.spatial import rotation_vector, skew

if TYPE_CHECKING:
    from twolink_dynamics.kinematics.forward import SerialKinematics
    from twolink_dynamics.kinematics.target import Target

__all__ = ['Candidate', 'NewtonSolver']

# A start that has not lost a third of its error in five iterations is given up for another one.
PATIENCE, PROGRESS = 5, 0.67
# Damping relative to the squared error: it vanishes at a solution, so convergence is quadratic.
DAMPING = 0.03
FLOOR = 1e-14


@dataclass
class Candidate:
    """
    Joint positions, and how far they leave the tip from a target.

    Attributes
    ----------
    q : list of n floats
    value : float
        Sum of squares of the scaled error.
    position_error : float
        [m].
    rotation_error : float
        [rad].
    iterations : int
        That led to them.

    """

    q: list[float]
    value: float
    position_error: float
    rotation_error: float
    iterations: int = 0

    def within(self, position_tolerance: float, rotation_tolerance: float) -> bool:
        """Whether the target is reached."""
        return (self.position_error <= position_tolerance
                and self.rotation_error <= rotation_tolerance)


# The frames, the scaled error vector, and the candidate of joint positions.
Evaluation = tuple[Sequence[Vector], tuple[float, ...], Candidate]


class NewtonSolver:
    """
    Damped Newton iterations for the tip of one chain.

    Parameters
    ----------
    kin : SerialKinematics
    size : float
        Length that weighs as much as a radian [m].
    lower, upper : sequence of n floats
        Where a joint stops; infinite for a joint that can turn all the way round.

    """

    def __init__(self, kin: SerialKinematics, size: float, lower: Vector, upper: Vector) -> None:
        self.kin, self.size = kin, size
        self.lower, self.upper = np.array(lower), np.array(upper)
        self._bounds = list(zip(lower, upper))
        self._upper, self._above = np.tri(kin.n).T, np.tri(kin.n, k=-1).T
        self._bounded = bool(np.isfinite(self.lower).any() or np.isfinite(self.upper).any())

    def clamp(self, q: Vector) -> list[float]:
        """Return joint positions moved within the stops."""
        return [min(max(value, low), high) for value, (low, high) in zip(q, self._bounds)]

    def candidate(self, q: list[float], target: Target) -> Candidate:
        """Return joint positions with their errors."""
        return self._evaluate(q, target)[2]

    def _evaluate(self, q: list[float], target: Target) -> Evaluation:
        """Return the frames, the scaled error vector, and the candidate of joint positions."""
        frames = self.kin.scalar_frames(q)
        tip = frames[-1]
        x, y, z = (goal - actual for goal, actual in zip(target.position, tip[9:]))
        distance = math.sqrt(x * x + y * y + z * z)
        s = 1.0 / self.size
        error: tuple[float, ...] = (x * s, y * s, z * s)
        value, angle = distance * distance * s * s, 0.0
        if target.rotation is not None:
            turn = rotation_vector(target.rotation, tip)
            square = turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]
            error, value, angle = error + turn, value + square, math.sqrt(square)
        return frames, error, Candidate(q, value, distance, angle)

    def _columns(self, frames: Sequence[Vector], with_rotation: bool) -> FloatArray:
        """Return the scaled columns of the Jacobian (n, 3) or (n, 6)."""
        tx, ty, tz = frames[-1][9:]
        s = 1.0 / self.size
        columns = []
        for frame, prismatic in zip(frames, self.kin.prismatic):
            ax, ay, az = frame[2], frame[5], frame[8]
            if prismatic:
                column = (ax * s, ay * s, az * s, 0.0, 0.0, 0.0)
            else:
                x, y, z = (tx - frame[9]) * s, (ty - frame[10]) * s, (tz - frame[11]) * s
                column = (ay * z - az * y, az * x - ax * z, ax * y - ay * x, ax, ay, az)
            columns.append(column if with_rotation else column[:3])
        return np.array(columns)

    def _held(self, q: Vector, gradient: FloatArray) -> npt.NDArray[np.bool_]:
        """Return which joints stand on a stop and are pushed against it."""
        at = np.array(q)
        return ((at <= self.lower) & (gradient < 0.0)) | ((at >= self.upper) & (gradient > 0.0))

    def solve(self, q: Vector, target: Target, position_tolerance: float,
              rotation_tolerance: float, max_iterations: int) -> Candidate:
        """
        Iterate from a start towards a target, by Levenberg-Marquardt.

        Parameters
        ----------
        q : sequence of n floats
            The start, within the stops.
        target : Target
        position_tolerance, rotation_tolerance : float
            Where to stop [m], [rad]; one more step is then taken, as it gains many digits.
        max_iterations : int

        Returns
        -------
        found : Candidate

        """
        frames, error, found = self._evaluate(list(q), target)
        factor, history = DAMPING, [found.value]
        for iteration in range(1, max_iterations + 1):
            done = found.within(position_tolerance, rotation_tolerance)
            columns = self._columns(frames, target.rotation is not None)
            trial, factor = self._step(found, columns, np.array(error), factor, target)
            if trial is None:
                break
            frames, error, found = trial
            found.iterations = iteration
            if done:
                break
            history.append(found.value)
            if len(history) > PATIENCE and found.value > PROGRESS * history[-1 - PATIENCE]:
                break
        return found

    def _step(self, last: Candidate, columns: FloatArray, error: FloatArray, factor: float,
              target: Target) -> tuple[Evaluation | None, float]:
        """Return the evaluation of a state with less error, or None; and the damping factor."""
        gradient = columns @ error
        if self._bounded:
            held = self._held(last.q, gradient)
            if held.any():
                columns[held] = 0.0
        n, m = columns.shape
        wide = n > m  # solve the smaller system
        normal = columns.T @ columns if wide else columns @ columns.T
        right = error if wide else columns @ error
        diagonal = np.einsum('ii->i', normal)
        damping = 0.0
        for _ in range(12):
            more = factor * last.value + FLOOR
            diagonal += more - damping
            damping = more
            try:
                step = np.linalg.solve(normal, right)
            except np.linalg.LinAlgError:
                step = None
            if step is not None:
                if wide:
                    step = columns @ step
                q = self.clamp([a + b for a, b in zip(last.q, step.tolist())])
                trial = self._evaluate(q, target)
                if trial[2].value < last.value:
                    return trial, max(0.2 * factor, 1e-4)
            factor *= 6.0
        return None, factor

    def minimize(self, start: Candidate, target: Target, best: Candidate | None = None,
                 max_iterations: int = 60) -> tuple[Candidate, bool]:
        """
        Go down to the local minimum of the error where the target is not reached.

        Newton's method with all second derivatives, which converges where the error that remains
        is large, as Gauss-Newton does not; turned downhill along directions of negative curvature.

        Parameters
        ----------
        start : Candidate
        target : Target
        best : Candidate, optional
            A minimum known: what comes near it, or will not get below it, is given up early.
        max_iterations : int

        Returns
        -------
        found : Candidate
        same : bool
            Whether it led to `best`.

        """
        frames, error, found = self._evaluate(start.q, target)
        for iteration in range(1, max_iterations + 1):
            gradient, curvature = self._derivatives(frames, np.array(error))
            free = ~self._held(found.q, -gradient) if self._bounded else ...
            step = np.zeros(self.kin.n)
            size = np.abs(gradient[free]).max(initial=0.0)
            if size < 1e-13:
                break
            step[free], convex = _downhill(
                curvature if free is ... else curvature[free][:, free], gradient[free])
            gain = -2.0 * float(gradient @ step)  # twice what Newton's model promises
            if gain <= 1e-15 * found.value:
                break
            if best is not None and convex and iteration > 3:
                if found.value - 8.0 * gain > best.value:
                    return found, False
                if (gain < 1e-3 * best.value and self._close(found, best)
                        and abs(found.value - 0.5 * gain - best.value) < 1e-6 * best.value):
                    return best, True
            step *= min(1.0, 1.0 / np.abs(step).max())
            for _ in range(30):
                q = self.clamp([a + b for a, b in zip(found.q, step.tolist())])
                trial = self._evaluate(q, target)
                if trial[2].value < found.value:
                    break
                step *= 0.3
            else:
                break
            frames, error, found = trial
            found.iterations = iteration
            if np.abs(step).max() < 1e-13:
                break
        return found, best is not None and abs(found.value - best.value) <= 1e-9 * best.value

    def _close(self, a: Candidate, b: Candidate) -> bool:
        """Whether two candidates put the tip at about the same place."""
        near = math.dist(self.kin.scalar_pose(a.q)[9:], self.kin.scalar_pose(b.q)[9:])
        return near < 1e-2 * self.size and abs(a.rotation_error - b.rotation_error) < 1e-2

    def _derivatives(self, frames: Sequence[Vector], error: FloatArray
                     ) -> tuple[FloatArray, FloatArray]:
        """
        Return gradient (n,) and Hessian (n, n) of half the squared error.

        With joint i before joint j, ``d J_j / d q_i = w_i x J_j`` for both halves of column j; the
        rotation vector adds the derivative of the logarithm.
        """
        columns = self._columns(frames, True)
        linear, w = columns[:, :3], columns[:, 3:]
        e = error[:3]
        gradient = -linear @ e
        upper = linear @ linear.T - w @ (linear @ skew(e)).T
        if error.size == 6:
            turn = error[3:]
            angle = math.sqrt(turn @ turn)
            half = 0.5 * angle
            k = half / math.tan(half) if angle > 1e-4 else 1.0 - angle * angle / 12.0
            along = w @ (turn / angle) if angle > 0.0 else np.zeros(len(w))
            gradient = gradient - w @ turn
            upper = (upper + k * w @ w.T + (1.0 - k) * np.outer(along, along)
                     - 0.5 * w @ (w @ skew(turn)).T)
        upper = upper * self._upper
        return gradient, upper + (upper * self._above).T


def _downhill(curvature: FloatArray, gradient: FloatArray) -> tuple[FloatArray, bool]:
    """Return Newton's step, negative curvature turned downhill, and whether there was none."""
    values, vectors = np.linalg.eigh(curvature)
    step = -vectors @ ((vectors.T @ gradient) / np.maximum(np.abs(values), 1e-9))
    return step, bool(values[0] > -1e-6)
