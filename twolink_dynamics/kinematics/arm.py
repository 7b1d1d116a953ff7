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

"""Kinematic half of the façade: the names, limits, poses and velocities of an arm."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Iterable

from twolink_dynamics.array_types import ArrayLike, FloatArray
from twolink_dynamics.errors import TwoLinkError
from twolink_dynamics.kinematics.forward import SerialKinematics
from twolink_dynamics.kinematics.inverse import InverseKinematics
from twolink_dynamics.kinematics.result import IKResult
from twolink_dynamics.model.chain import Chain
from twolink_dynamics.validation import check_states

__all__ = ['KinematicArm']


class KinematicArm:
    """
    A serial arm without its masses: names, limits, poses and velocities.

    Instances do not change; all methods broadcast over leading axes of their arguments.

    Parameters
    ----------
    chain : Chain

    Attributes
    ----------
    chain : Chain
        What the arm is.
    n : int
        Number of moving joints.
    joint_names, joint_types : tuple of str, length n
    limits : Limits
        ``.lower``, ``.upper`` [rad or m], ``.velocity`` [rad/s or m/s] and ``.effort``
        [N m or N], arrays of shape (n,), infinite where a joint is unlimited.

    """

    def __init__(self, chain: Chain) -> None:
        self.chain = chain
        self.n = chain.n
        self.joint_names = tuple(joint.name for joint in chain.joints)
        self.joint_types = tuple(joint.type for joint in chain.joints)
        self.limits = chain.limits
        self._kinematics = SerialKinematics(chain)

    def __setattr__(self, name: str, value: Any) -> None:
        """Refuse to change: an arm's constants are derived once."""
        if getattr(self, '_frozen', False):
            raise AttributeError(f'{name}: an arm does not change; make another, with_payload(), '
                                 'with_gravity() or with_parameters()')
        object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        """Show what the arm is in one line."""
        chain = self.chain
        return (f'<{type(self).__name__} "{chain.name}", {chain.base_link} to {chain.tip_link}: '
                f'{", ".join(self.joint_names)}>')

    def joint_index(self, name: str) -> int:
        """
        Return the index of a joint.

        Parameters
        ----------
        name : str

        Returns
        -------
        index : int

        Raises
        ------
        KeyError
            If the arm has no such joint; it is a :class:`TwoLinkError` too.

        """
        try:
            return self.joint_names.index(name)
        except ValueError:
            raise UnknownJointError(name, self.joint_names) from None

    def tip_pose(self, q: ArrayLike) -> FloatArray:
        """
        Return the pose of the tip link in the base frame (theory.md L1 for the planar arm).

        Parameters
        ----------
        q : array_like, shape (..., n)
            Joint positions [rad or m].

        Returns
        -------
        T : ndarray, shape (..., 4, 4)

        Raises
        ------
        ShapeError, NonFiniteError
            If `q` is no position of this arm; so in all methods.

        """
        return self._kinematics.tip_pose(*check_states(self.n, q=q))

    def link_poses(self, q: ArrayLike) -> dict[str, FloatArray]:
        """
        Return the poses of all links, for drawing.

        Parameters
        ----------
        q : array_like, shape (..., n)

        Returns
        -------
        poses : dict of str to ndarray, shape (..., 4, 4)
            By link, in the base frame.

        """
        poses = self._kinematics.link_poses(*check_states(self.n, q=q))
        return {name: poses[..., k, :, :] for k, name in enumerate(self._kinematics.frame_names)}

    def jacobian(self, q: ArrayLike) -> FloatArray:
        """
        Return the Jacobian of the tip: ``tip_velocity == J @ qd``.

        Parameters
        ----------
        q : array_like, shape (..., n)

        Returns
        -------
        J : ndarray, shape (..., 6, n)
            Linear rows first, then angular; at the tip's origin, in the base frame's axes.

        """
        return self._kinematics.jacobian(*check_states(self.n, q=q))

    def jacobian_derivative(self, q: ArrayLike, qd: ArrayLike) -> FloatArray:
        """
        Return the time derivative of the Jacobian.

        Parameters
        ----------
        q, qd : array_like, shape (..., n)

        Returns
        -------
        Jd : ndarray, shape (..., 6, n)

        """
        return self._kinematics.jacobian_derivative(*check_states(self.n, q=q, qd=qd))

    def tip_velocity(self, q: ArrayLike, qd: ArrayLike) -> FloatArray:
        """
        Return the velocity of the tip.

        Parameters
        ----------
        q, qd : array_like, shape (..., n)

        Returns
        -------
        velocity : ndarray, shape (..., 6)
            Linear [m/s], then angular [rad/s], in the base frame's axes.

        """
        return self._kinematics.tip_velocity(*check_states(self.n, q=q, qd=qd))

    def tip_acceleration(self, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike) -> FloatArray:
        """
        Return the acceleration of the tip, without gravity: ``J qdd + Jd qd``.

        Parameters
        ----------
        q, qd, qdd : array_like, shape (..., n)

        Returns
        -------
        acceleration : ndarray, shape (..., 6)
            Linear [m/s^2], then angular [rad/s^2], in the base frame's axes.

        """
        return self._kinematics.tip_acceleration(*check_states(self.n, q=q, qd=qd, qdd=qdd))

    @cached_property
    def _inverse(self) -> InverseKinematics:
        """Inverse kinematics, made at its first use: many arms never need it."""
        return InverseKinematics(self._kinematics)

    @property
    def position_rank(self) -> int:
        """How many numbers of the tip's position the joints determine, singularities aside."""
        return self._inverse.position_rank

    def inverse_kinematics(self, target: ArrayLike, q0: ArrayLike | None = None, **options: Any
                           ) -> IKResult:
        """
        Return joint positions that put the tip on the target, or as near as it gets.

        A planar 2R arm is solved in closed form, any other by Newton's method (theory.md K1).

        Parameters
        ----------
        target : array_like
            A pose (4, 4), a position (3,) in the base frame [m], or (x, y) in a planar arm's
            plane: from joint 1, x towards joint 2 at ``q = 0``.
        q0 : array_like, shape (n,), optional
            Where to start, and which of several solutions to prefer.
        **options
            Of :meth:`InverseKinematics.solve
            <twolink_dynamics.kinematics.inverse.InverseKinematics.solve>`: ``kind='planar'``
            for a target (x, y, phi), tolerances, iterations, restarts, seed.

        Returns
        -------
        result : IKResult
            Check ``result.success``; if it is False, ``result.reason`` says why, and `q` is the
            nearest found.

        Raises
        ------
        ShapeError, NonFiniteError, ParameterError, UnsupportedModelError
            If the target or an option is wrong; a target out of reach is no error.

        """
        return self._inverse.solve(target, q0, **options)

    def all_solutions(self, target: ArrayLike, **options: Any) -> FloatArray:
        """
        Return all joint positions within the limits that put the tip on the target.

        Parameters
        ----------
        target : array_like
            As for :meth:`inverse_kinematics`.
        **options
            Of :meth:`InverseKinematics.all_solutions
            <twolink_dynamics.kinematics.inverse.InverseKinematics.all_solutions>`.

        Returns
        -------
        solutions : ndarray, shape (k, n)
            Distinct modulo a turn; empty where there are none.

        Raises
        ------
        UnsupportedModelError
            If the solutions are a continuum; and what :meth:`inverse_kinematics` raises.

        """
        return self._inverse.all_solutions(target, **options)


class UnknownJointError(TwoLinkError, KeyError):
    """An arm has no joint of that name."""

    def __init__(self, name: str, known: Iterable[str]) -> None:
        self.name, self.known = name, tuple(known)
        super().__init__(f'joint "{name}" is not one of {", ".join(known)}')

    def __str__(self) -> str:
        """Show the message; KeyError would show its repr."""
        return self.args[0]
