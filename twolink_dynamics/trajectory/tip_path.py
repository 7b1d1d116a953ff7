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

"""From a path of the tip in time to a trajectory of the joints, and efforts (theory.md T1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, TYPE_CHECKING

import numpy as np

from twolink_dynamics.array_types import ArrayLike, FloatArray
from twolink_dynamics.errors import ParameterError, ShapeError, TrajectoryError
from twolink_dynamics.kinematics.task import TaskMotion
from twolink_dynamics.trajectory.trajectory import Trajectory
from twolink_dynamics.validation import check_array

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm

__all__ = ['from_tip_path', 'TipPathMotion']

# Between two points the joints must go where their velocities say, to this [rad or m]: else the
# second is another solution, to which there is no way along the path.
JUMP = 0.5


@dataclass(frozen=True, eq=False)
class TipPathMotion:
    """
    The joints' motion along a path of the tip.

    Attributes
    ----------
    trajectory : Trajectory
        A point for each of the path, with velocities and accelerations.
    tau : ndarray, shape (m, n)
        Efforts at these points [N m or N].
    motions : tuple of TaskMotion, length m
        All that is known of each point.
    success : bool
        Whether the tip follows the whole path.
    position_error, rotation_error : ndarray, shape (m,)
        Of the tip [m], [rad].
    velocity_error, acceleration_error : ndarray, shape (m,)
        The largest component of what the tip lacks.
    reason : str
        What is amiss at the first point where something is; empty on success.

    """

    trajectory: Trajectory
    tau: FloatArray
    motions: tuple[TaskMotion, ...]
    success: bool
    position_error: FloatArray
    rotation_error: FloatArray
    velocity_error: FloatArray
    acceleration_error: FloatArray
    reason: str

    def __bool__(self) -> bool:
        """Whether the tip follows the whole path."""
        return self.success


def from_tip_path(arm: Arm, times: ArrayLike, path: ArrayLike | Callable[[float], Any],
                  velocities: ArrayLike | None = None, accelerations: ArrayLike | None = None,
                  q0: ArrayLike | None = None, *, when_impossible: str = 'raise',
                  **options: Any) -> TipPathMotion:
    """
    Return the joints' motion that moves the tip along a path in time, and its efforts.

    Parameters
    ----------
    arm : Arm
    times : array_like, shape (m,)
        Increasing [s].
    path : array_like, shape (m, 4, 4), (m, 3) or (m, 2); or callable
        Poses, positions in the base frame, or positions in a planar arm's plane. A callable takes
        a time and returns (target, velocity, acceleration).
    velocities, accelerations : array_like, optional
        Of the tip at these times: rows of 6, linear then angular in the base's axes, for poses; of
        3 or 2 for positions. What is not given is taken from a spline through what is: smooth, but
        free at the ends.
    q0 : array_like, shape (n,), optional
        Where the arm is near at the start.
    when_impossible : {'raise', 'report'}
        What to do where the arm cannot follow: out of reach, through a singularity, or only by a
        jump to another solution. ``'report'`` gives a motion that comes near, with damped
        velocities and bounded efforts, and says what it lacks.
    **options
        Of :meth:`Arm.task_inverse_dynamics`: damping, friction, tolerances, kind.

    Returns
    -------
    motion : TipPathMotion

    Raises
    ------
    TrajectoryError
        If the arm cannot follow; it says at which point and why.
    ShapeError, NonFiniteError, ParameterError
        If the path is no path.

    """
    if when_impossible not in ('raise', 'report'):
        raise ParameterError('when_impossible', when_impossible, "'raise' or 'report'")
    times = check_array('times', times)
    if times.ndim != 1 or not len(times):
        raise ShapeError('times', '(m,)', times.shape)
    if not (np.diff(times) > 0.0).all():
        raise ParameterError('times', times.tolist(), 'increasing times')
    samples = _samples(times, path, velocities, accelerations, options.get('kind'))
    motions: list[TaskMotion] = []
    reason, q = '', q0
    for k, (time, sample) in enumerate(zip(times.tolist(), samples)):
        motion = arm.task_inverse_dynamics(*sample, q0=q, **options)
        why = motion.reason
        if motions and not why:
            why = _jump(arm, motions[-1], motion, time - times[k - 1])
        if why and when_impossible == 'raise':
            raise TrajectoryError(f'at t = {time:.6g} s: {why}', point=k)
        reason = reason or (f'point {k}, t = {time:.6g} s: {why}' if why else '')
        motions.append(motion)
        q = motion.q
    return _gathered(times, motions, reason)


def _gathered(times: FloatArray, motions: list[TaskMotion], reason: str) -> TipPathMotion:
    def column(name: str) -> FloatArray:
        return np.array([getattr(motion, name) for motion in motions])

    return TipPathMotion(
        Trajectory(times, column('q'), column('qd'), column('qdd')), column('tau'),
        tuple(motions), not reason, column('position_error'), column('rotation_error'),
        np.abs(column('velocity_residual')).max(axis=1),
        np.abs(column('acceleration_residual')).max(axis=1), reason)


def _jump(arm: Arm, before: TaskMotion, after: TaskMotion, step: float) -> str:
    """Return what is wrong with the way from one point to the next, or nothing."""
    way = after.q - before.q
    gap = np.abs(way - 0.5 * step * (before.qd + after.qd))
    k = int(np.argmax(gap))
    if gap[k] <= JUMP:
        return ''
    return (f'joint "{arm.joint_names[k]}" would have to jump by {way[k]:.3g} to another '
            'solution, or the points are too far apart')


def _samples(times: FloatArray, path: ArrayLike | Callable[[float], Any],
             velocities: ArrayLike | None, accelerations: ArrayLike | None,
             kind: str | None) -> list[tuple[Any, Any, Any]]:
    """Return (target, velocity, acceleration) for each time."""
    if callable(path):
        return [tuple(path(time)) for time in times.tolist()]
    path = check_array('path', path)
    m = len(times)
    if path.shape not in {(m, 4, 4), (m, 3), (m, 2)}:
        raise ShapeError('path', f'({m}, 4, 4), ({m}, 3) or ({m}, 2)', path.shape,
                         'a pose or position for each time')
    given: list[FloatArray | None] = []
    for name, values in (('velocities', velocities), ('accelerations', accelerations)):
        rows = None if values is None else check_array(name, values)
        width = 6 if path.ndim == 3 else path.shape[1]
        if rows is not None and rows.shape != (m, width):
            raise ShapeError(name, f'({m}, {width})', rows.shape)
        given.append(rows)
    return list(zip(path, *_splined(times, path, *given)))


def _splined(times: FloatArray, path: FloatArray, velocities: FloatArray | None,
             accelerations: FloatArray | None) -> tuple[FloatArray, FloatArray]:
    """Return velocities and accelerations, from splines where they are not given."""
    if velocities is not None and accelerations is not None:
        return velocities, accelerations
    if len(times) < 2:
        rest = np.zeros((1, 6 if path.ndim == 3 else path.shape[1]))
        return (rest if velocities is None else velocities,
                rest if accelerations is None else accelerations)
    from scipy.interpolate import CubicSpline  # at first need: it takes longer than all the rest
    if velocities is not None:
        return velocities, CubicSpline(times, velocities)(times, 1)
    spline = CubicSpline(times, path if path.ndim == 2 else path[:, :3, 3])
    rates = [spline(times, 1), spline(times, 2)]
    if path.ndim == 3:
        rates = [np.hstack(pair) for pair in zip(rates, _turning(times, path[:, :3, :3]))]
    return rates[0], rates[1] if accelerations is None else accelerations


def _turning(times: FloatArray, rotations: FloatArray) -> list[FloatArray]:
    """Return angular velocities and accelerations (m, 3) in the base's axes."""
    from scipy.spatial.transform import Rotation, RotationSpline
    turns = Rotation.from_matrix(rotations)
    spline = RotationSpline(times, turns)
    # Its rates are in the turned frame; there and in the base the same vector changes alike.
    return [turns.apply(spline(times, order)) for order in (1, 2)]
