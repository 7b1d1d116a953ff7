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

from dataclasses import dataclass
import math

import numpy as np

from twolink_dynamics.spatial import rotation_vector, skew

__all__ = ['NewtonSolver', 'Run']

# A start that has not lost a third of its error in five iterations is given up for another one.
PATIENCE, PROGRESS = 5, 0.67
# Damping relative to the squared error: it vanishes at a solution, so convergence is quadratic.
DAMPING = 0.03
FLOOR = 1e-14


@dataclass
class Run:
    """
    Where one start vector led.

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

    """

    q: list
    value: float
    position_error: float
    rotation_error: float
    iterations: int = 0

    def within(self, position_tolerance, rotation_tolerance):
        """Whether the target is reached."""
        return (self.position_error <= position_tolerance
                and self.rotation_error <= rotation_tolerance)


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

    def __init__(self, kin, size, lower, upper):
        self.kin, self.size = kin, size
        self.lower, self.upper = np.array(lower), np.array(upper)
        self._bounds = list(zip(lower, upper))
        self._upper, self._above = np.tri(kin.n).T, np.tri(kin.n, k=-1).T
        self._bounded = bool(np.isfinite(self.lower).any() or np.isfinite(self.upper).any())

    def clamp(self, q):
        """Return joint positions moved within the stops."""
        return [min(max(value, low), high) for value, (low, high) in zip(q, self._bounds)]

    def look(self, q, target):
        """Return the :class:`Run` of a state as it is."""
        return self._evaluate(q, target)[2]

    def _evaluate(self, q, target):
        """Return the frames, the scaled error vector, and a :class:`Run` of a state."""
        frames = self.kin.scalar_frames(q)
        tip = frames[-1]
        x, y, z = (wanted - is_ for wanted, is_ in zip(target.position, tip[9:]))
        distance = math.sqrt(x * x + y * y + z * z)
        s = 1.0 / self.size
        error, value, angle = (x * s, y * s, z * s), distance * distance * s * s, 0.0
        if target.rotation is not None:
            turn = rotation_vector(target.rotation, tip)
            square = turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2]
            error, value, angle = error + turn, value + square, math.sqrt(square)
        return frames, error, Run(q, value, distance, angle)

    def _columns(self, frames, with_rotation):
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

    def _held(self, q, gradient):
        """Return which joints stand on a stop and are pushed against it."""
        q = np.array(q)
        return ((q <= self.lower) & (gradient < 0.0)) | ((q >= self.upper) & (gradient > 0.0))

    def descend(self, q, target, position_tolerance, rotation_tolerance, max_iterations):
        """
        Iterate from a start towards a target (Levenberg-Marquardt).

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
        run : Run

        """
        frames, error, run = self._evaluate(list(q), target)
        factor, history = DAMPING, [run.value]
        for iteration in range(1, max_iterations + 1):
            done = run.within(position_tolerance, rotation_tolerance)
            columns = self._columns(frames, target.rotation is not None)
            trial, factor = self._step(run, columns, np.array(error), factor, target)
            if trial is None:
                break
            frames, error, new = trial
            new.iterations = iteration
            run = new
            if done:
                break
            history.append(run.value)
            if (len(history) > PATIENCE and run.value > PROGRESS * history[-1 - PATIENCE]):
                break
        return run

    def _step(self, run, columns, error, factor, target):
        """Return the evaluation of a state with less error, or None; and the damping factor."""
        gradient = columns @ error
        if self._bounded:
            held = self._held(run.q, gradient)
            if held.any():
                columns[held] = 0.0
        n, m = columns.shape
        wide = n > m  # solve the smaller system
        normal = columns.T @ columns if wide else columns @ columns.T
        right = error if wide else columns @ error
        diagonal = np.einsum('ii->i', normal)
        damping = 0.0
        for _ in range(12):
            more = factor * run.value + FLOOR
            diagonal += more - damping
            damping = more
            try:
                step = np.linalg.solve(normal, right)
            except np.linalg.LinAlgError:
                step = None
            if step is not None:
                if wide:
                    step = columns @ step
                q = self.clamp([a + b for a, b in zip(run.q, step.tolist())])
                trial = self._evaluate(q, target)
                if trial[2].value < run.value:
                    return trial, max(0.2 * factor, 1e-4)
            factor *= 6.0
        return None, factor

    def settle(self, run, target, best=None, max_iterations=60):
        """
        Go down to the local minimum of the error where the target is not reached.

        Newton's method with all second derivatives, which converges where the error that remains
        is large, as Gauss-Newton does not; turned downhill along directions of negative curvature.

        Parameters
        ----------
        run : Run
            Where to start.
        target : Target
        best : Run, optional
            A minimum known: what comes near it, or will not get below it, is given up early.
        max_iterations : int

        Returns
        -------
        run : Run
        same : bool
            Whether it led to `best`.

        """
        frames, error, run = self._evaluate(run.q, target)
        for iteration in range(1, max_iterations + 1):
            gradient, curvature = self._derivatives(frames, np.array(error))
            free = ~self._held(run.q, -gradient) if self._bounded else ...
            step = np.zeros(self.kin.n)
            size = np.abs(gradient[free]).max(initial=0.0)
            if size < 1e-13:
                break
            step[free], convex = _downhill(
                curvature if free is ... else curvature[free][:, free], gradient[free])
            gain = -2.0 * float(gradient @ step)  # twice what Newton's model promises
            if gain <= 1e-15 * run.value:
                break
            if best is not None and convex and iteration > 3:
                if run.value - 8.0 * gain > best.value:
                    return run, False
                if (gain < 1e-3 * best.value and self._close(run, best)
                        and abs(run.value - 0.5 * gain - best.value) < 1e-6 * best.value):
                    return best, True
            step *= min(1.0, 1.0 / np.abs(step).max())
            for _ in range(30):
                q = self.clamp([a + b for a, b in zip(run.q, step.tolist())])
                trial = self._evaluate(q, target)
                if trial[2].value < run.value:
                    break
                step *= 0.3
            else:
                break
            frames, error, run = trial
            run.iterations = iteration
            if np.abs(step).max() < 1e-13:
                break
        return run, best is not None and abs(run.value - best.value) <= 1e-9 * best.value

    def _close(self, a, b):
        """Whether two runs put the tip at about the same place."""
        near = math.dist(self.kin.scalar_pose(a.q)[9:], self.kin.scalar_pose(b.q)[9:])
        return near < 1e-2 * self.size and abs(a.rotation_error - b.rotation_error) < 1e-2

    def _derivatives(self, frames, error):
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


def _downhill(curvature, gradient):
    """Return Newton's step, negative curvature turned downhill, and whether there was none."""
    values, vectors = np.linalg.eigh(curvature)
    step = -vectors @ ((vectors.T @ gradient) / np.maximum(np.abs(values), 1e-9))
    return step, bool(values[0] > -1e-6)
