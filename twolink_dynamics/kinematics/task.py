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
Joint motion that gives the tip a desired motion (theory.md T1, but for the efforts).

Near a singularity no finite joint velocity moves the tip as desired along some direction. There
the inverse is damped: a singular value s of the scaled Jacobian counts as 1/s while it is above
the damping d, and as s/d^2 below. So joint velocities never exceed the tip's by more than the
factor 1/d, they are exact wherever the arm is not near a singularity, and what the tip lacks is
reported.

"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, TYPE_CHECKING

import numpy as np

from twolink_dynamics.array_types import ArrayLike, FloatArray
from twolink_dynamics.errors import ParameterError, ShapeError
from twolink_dynamics.validation import check_array, number

if TYPE_CHECKING:
    from twolink_dynamics.kinematics.inverse import InverseKinematics

__all__ = ['damped_inverse', 'task_motion', 'TaskMotion']

# A motion counts as the desired one to this, relative to the desired one and in m/s or m/s^2.
EXACT = 1e-9


@dataclass(frozen=True, eq=False)
class TaskMotion:
    """
    The joints' motion, and their efforts, for a motion of the tip.

    Attributes
    ----------
    q, qd, qdd : ndarray, shape (n,)
        Positions, velocities and accelerations [rad or m, and per s and s^2]; always finite.
    tau : ndarray, shape (n,), or None
        Efforts [N m or N].
    success : bool
        Whether the tip has the desired motion.
    position_error, rotation_error : float
        Of the tip [m], [rad].
    velocity_residual, acceleration_residual : ndarray, shape of the desired velocity
        What the tip's motion lacks: desired minus actual.
    damped : bool
        Whether a singularity is so near that the inverse is damped.
    reason : str
        What is amiss, in words; empty on success.

    """

    q: FloatArray
    qd: FloatArray
    qdd: FloatArray
    tau: FloatArray | None
    success: bool
    position_error: float
    rotation_error: float
    velocity_residual: FloatArray
    acceleration_residual: FloatArray
    damped: bool
    reason: str

    def __bool__(self) -> bool:
        """Whether the tip has the desired motion."""
        return self.success


def damped_inverse(J: FloatArray, damping: float, rank: int) -> tuple[FloatArray, bool]:
    """
    Return a pseudo-inverse that stays bounded, and whether it had to be damped for that.

    Parameters
    ----------
    J : ndarray, shape (m, n)
    damping : float
        Singular values below it are damped; the inverse's norm is at most its reciprocal.
    rank : int
        How many singular values are not zero for good: a direction that is shut anyway, such as
        out of an arm's plane, is no singularity.

    Returns
    -------
    inverse : ndarray, shape (n, m)
    damped : bool

    """
    U, s, Vt = np.linalg.svd(J, full_matrices=False)
    gains = np.where(s >= damping, 1.0 / np.maximum(s, damping), s / damping ** 2)
    return (Vt.T * gains) @ U.T, int((s >= damping).sum()) < rank


def task_motion(inverse: InverseKinematics, target: ArrayLike, velocity: ArrayLike | None = None,
                acceleration: ArrayLike | None = None, q0: ArrayLike | None = None, *,
                kind: str | None = None, damping: float = 1e-2,
                effort: Callable[..., FloatArray] | None = None, **options: Any) -> TaskMotion:
    """
    Return the joints' motion that gives the tip a pose, a velocity and an acceleration.

    Parameters
    ----------
    inverse : InverseKinematics
    target : array_like, shape (4, 4), (3,) or (2,)
        Where the tip shall be, as for inverse kinematics.
    velocity, acceleration : array_like, optional
        Of the tip, zero by default: shape (6,), linear then angular in the base's axes, for a
        pose; (3,) for a position; (2,) in a plane; (3,), with phi, where `kind` is ``'planar'``.
    q0 : array_like, shape (n,), optional
        Where inverse kinematics starts: the last sample's `q`, say.
    kind : str, optional
        As for inverse kinematics.
    damping : float
        Relative to the arm's size: 0.01 begins to damp a 2R arm of equal links 2.5 degrees from
        stretched.
    effort : callable, optional
        ``effort(q, qd, qdd)`` gives `tau`.
    **options
        Further ones of inverse kinematics.

    Returns
    -------
    motion : TaskMotion

    Raises
    ------
    ShapeError, NonFiniteError, ParameterError, UnsupportedModelError
        If an argument is wrong; a target out of reach or a singularity is no error.

    """
    target, damping = check_array('pose', target), number('damping', damping, above=0.0)
    if not damping < 1.0:
        raise ParameterError('damping', damping, 'a number between 0 and 1')
    result = inverse.solve(target, q0, kind=kind, **options)
    rows = _task_rows(inverse, np.shape(target), kind)
    xd = _rates('velocity', velocity, len(rows))
    xdd = _rates('acceleration', acceleration, len(rows))
    q = result.q
    J = rows @ inverse.kin.jacobian(q)
    scale = np.ones(len(rows))
    scale[np.abs(rows[:, :3]).any(axis=1)] = 1.0 / inverse.reach.size
    pseudo, damped = damped_inverse(scale[:, None] * J, damping, inverse.rank(rows))
    qd = pseudo @ (scale * xd)
    drift = rows @ (inverse.kin.jacobian_derivative(q, qd) @ qd)
    qdd = pseudo @ (scale * (xdd - drift))
    lacks = xd - J @ qd, xdd - drift - J @ qdd
    reason = '; '.join(filter(None, [result.reason] + [
        _lack(name, lack, desired, damped) for name, lack, desired in
        zip(('velocity', 'acceleration'), lacks, (xd, np.append(xdd, drift)))]))
    return TaskMotion(q, qd, qdd, None if effort is None else effort(q, qd, qdd), not reason,
                      result.position_error, result.rotation_error, *lacks, damped, reason)


def _lack(name: str, residual: FloatArray, desired: FloatArray, damped: bool) -> str:
    """Return what is wrong with a residual, or nothing."""
    size = float(np.abs(residual).max())
    if size <= EXACT * (1.0 + float(np.abs(desired).max())):
        return ''
    why = 'the arm is near a singularity' if damped else 'the arm cannot move its tip that way'
    return f'{why}: the tip lacks {size:.3g} of the {name} asked for'


def _task_rows(inverse: InverseKinematics, shape: tuple[int, ...], kind: str | None) -> FloatArray:
    """Return what makes rates of the target's own terms of linear and angular ones (m, 6)."""
    if shape == (4, 4):
        return np.eye(6)
    plane = inverse.plane
    if plane is None or shape == (3,) and kind != 'planar':
        return np.eye(6)[:3]
    rows = np.zeros((3, 6))
    rows[:2, :3], rows[2, 3:] = plane.axes[:, :2].T, plane.axes[:, 2]
    return rows if kind == 'planar' else rows[:2]


def _rates(name: str, values: ArrayLike | None, size: int) -> FloatArray:
    if values is None:
        return np.zeros(size)
    array = check_array(name, values)
    if array.shape != (size,):
        raise ShapeError(name, f'({size},)', array.shape, 'to go with the shape of the target')
    return array
