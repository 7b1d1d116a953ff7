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

"""Forward kinematics of a chain: where its bodies are, and how fast the tip moves."""

from __future__ import annotations

from functools import partial
from typing import Any, Sequence

import numpy as np

from twolink_dynamics.array_types import ArrayLike, FloatArray, Vector
from twolink_dynamics.codegen.program import Program
from twolink_dynamics.kinematics import kernels
from twolink_dynamics.model.chain import Chain

__all__ = ['SerialKinematics']

# Source written out grows with n: worth compiling for arms, not for long chains.
WRITTEN_OUT_JOINTS = 8


class SerialKinematics:
    """
    The forward kinematics of a serial chain.

    All methods take float64 arrays whose last axis is the joint and which are finite: checking is
    the caller's. They broadcast over leading axes. Those called `scalar` take sequences of floats.

    Parameters
    ----------
    chain : twolink_dynamics.model.chain.Chain

    Attributes
    ----------
    n : int
        Number of joints.
    prismatic : tuple of bool, length n
    frame_names : tuple of str
        The links that :meth:`link_poses` gives, in its order.
    offsets : kernels.Offsets
        What is constant of the frames.

    """

    def __init__(self, chain: Chain) -> None:
        self.chain, self.n = chain, chain.n
        self.frame_names = tuple(frame.name for frame in chain.frames)
        self.offsets = kernels.offsets_of(chain)
        self.prismatic = self.offsets.prismatic[:-1]
        self._programs: dict[str, Program] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the chain, not the code made for it."""
        return type(self), (self.chain,)

    def program(self, name: str) -> Program:
        """
        Return the program of a kernel, made at its first need.

        Parameters
        ----------
        name : str
            ``'frames'``, ``'tip_pose'``, ``'body_poses'``, ``'jacobian'``,
            ``'jacobian_derivative'`` or ``'wrench_effort'``.

        Returns
        -------
        program : Program

        """
        program = self._programs.get(name)
        if program is None:
            n = self.n
            second = {'jacobian_derivative': {'qd': n}, 'wrench_effort': {'wrench': 6}}
            shape = {'frames': (n + 1, 12), 'tip_pose': (4, 4), 'body_poses': (n, 4, 4),
                     'wrench_effort': (n,)}.get(name, (6, n))
            program = self._programs[name] = Program(
                name, partial(getattr(kernels, name), self.offsets),
                {'q': n, **second.get(name, {})}, shape,
                written_out=n <= WRITTEN_OUT_JOINTS)
        return program

    def scalar_frames(self, q: Vector) -> Sequence[Sequence[float]]:
        """
        Return the z-aligned frames and the tip's frame of one state.

        Parameters
        ----------
        q : sequence of n floats

        Returns
        -------
        frames : sequence of n + 1 sequences of 12 floats
            Rotation row by row, then position, in the base frame; the last is the tip.

        """
        return self.program('frames').floats(q)

    def scalar_pose(self, q: Vector) -> Sequence[float]:
        """
        Return the tip's pose of one state: rotation row by row, then position.

        Parameters
        ----------
        q : sequence of n floats

        Returns
        -------
        pose : sequence of 12 floats

        """
        return self.scalar_frames(q)[-1]

    def tip_pose(self, q: FloatArray) -> FloatArray:
        """
        Return the pose of the tip in the base frame.

        Parameters
        ----------
        q : ndarray, shape (..., n)

        Returns
        -------
        T : ndarray, shape (..., 4, 4)

        """
        return self.program('tip_pose').evaluate(q)

    def body_poses(self, q: FloatArray) -> FloatArray:
        """
        Return the poses of all moving bodies, that is of the joints' child links.

        Parameters
        ----------
        q : ndarray, shape (..., n)

        Returns
        -------
        T : ndarray, shape (..., n, 4, 4)
            In the base frame.

        """
        return self.program('body_poses').evaluate(q)

    def link_poses(self, q: FloatArray) -> FloatArray:
        """
        Return the poses of all links of the chain, for drawing; their names are `frame_names`.

        Parameters
        ----------
        q : ndarray, shape (..., n)

        Returns
        -------
        T : ndarray, shape (..., len(frame_names), 4, 4)
            In the base frame.

        """
        bodies = self.body_poses(q)
        poses = np.empty(bodies.shape[:-3] + (len(self.frame_names), 4, 4))
        for k, frame in enumerate(self.chain.frames):
            poses[..., k, :, :] = (frame.pose if frame.body < 0
                                   else bodies[..., frame.body, :, :] @ frame.pose)
        return poses

    def jacobian(self, q: FloatArray) -> FloatArray:
        """
        Return the geometric Jacobian of the tip.

        Parameters
        ----------
        q : ndarray, shape (..., n)

        Returns
        -------
        J : ndarray, shape (..., 6, n)
            Linear rows, then angular, in axes parallel to the base's, of the tip's origin: what
            ROS and Pinocchio call LOCAL_WORLD_ALIGNED.

        """
        return self.program('jacobian').evaluate(q)

    def jacobian_derivative(self, q: FloatArray, qd: FloatArray) -> FloatArray:
        """
        Return the rate of change of :meth:`jacobian` along a motion.

        Parameters
        ----------
        q, qd : ndarray, shape (..., n)

        Returns
        -------
        Jd : ndarray, shape (..., 6, n)

        """
        return self.program('jacobian_derivative').evaluate(*np.broadcast_arrays(q, qd))

    def tip_velocity(self, q: FloatArray, qd: FloatArray) -> FloatArray:
        """
        Return the velocity of the tip, linear then angular, in the base's axes.

        Parameters
        ----------
        q, qd : ndarray, shape (..., n)

        Returns
        -------
        xd : ndarray, shape (..., 6)
            [m/s], [rad/s].

        """
        return np.matmul(self.jacobian(q), qd[..., None])[..., 0]

    def tip_acceleration(self, q: FloatArray, qd: FloatArray, qdd: FloatArray) -> FloatArray:
        """
        Return the acceleration of the tip, linear then angular, in the base's axes.

        It is that of motion alone: a tip at rest has none, whatever gravity is.

        Parameters
        ----------
        q, qd, qdd : ndarray, shape (..., n)

        Returns
        -------
        xdd : ndarray, shape (..., 6)
            [m/s^2], [rad/s^2].

        """
        J, Jd = self.jacobian(q), self.jacobian_derivative(q, qd)
        return (np.matmul(J, qdd[..., None]) + np.matmul(Jd, qd[..., None]))[..., 0]

    def point_velocities(self, points: ArrayLike, q: FloatArray, qd: FloatArray) -> FloatArray:
        """
        Return the velocities of one point on each body, such as its centre of mass (theory.md L2).

        Each joint above a point turns it about its axis, or carries it along.

        Parameters
        ----------
        points : array_like, shape (n, 3)
            In the frames of the joints' child links [m].
        q, qd : ndarray, shape (..., n)

        Returns
        -------
        velocities : ndarray, shape (..., n, 3)
            In the base frame [m/s].

        """
        poses = self.body_poses(q)
        axes = np.array([joint.axis for joint in self.chain.joints])
        z = np.einsum('...iab,ib->...ia', poses[..., :3, :3], axes) * qd[..., None]
        origins = poses[..., :3, 3]
        at = np.einsum('...iab,ib->...ia', poses[..., :3, :3], np.asarray(points)) + origins
        velocities = np.zeros(at.shape)
        for j, prismatic in enumerate(self.prismatic):
            below = at[..., j:, :]
            velocities[..., j:, :] += z[..., j:j + 1, :] if prismatic else np.cross(
                z[..., j:j + 1, :], below - origins[..., j:j + 1, :])
        return velocities
