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
Where every body of a chain is, and how fast it moves (theory.md N1, N2 without the forces).

Many states at once go through NumPy, with the states along the last axis of every array; one state
goes through plain floats.

"""

import math

import numpy as np

from twolink_dynamics.kinematics.scalar import ScalarKinematics

__all__ = ['SerialKinematics']


class SerialKinematics(ScalarKinematics):
    """
    The forward kinematics of a serial chain.

    All methods take float64 arrays whose last axis is the joint and which are finite: checking is
    the caller's. They broadcast over leading axes.

    Parameters
    ----------
    chain : twolink_dynamics.model.chain.Chain

    """

    def _walk(self, q):
        """
        Return the z-aligned frames and the tip's frame of many states.

        Parameters
        ----------
        q : ndarray, shape (n, N)

        Returns
        -------
        frames : list of (R, p), length n + 1
            R (3, 3, N), p (3, N), in the base frame; the last is the tip.

        """
        R = np.broadcast_to(np.eye(3)[:, :, None], (3, 3, q.shape[1]))
        p = np.zeros((3, q.shape[1]))
        frames = []
        for i, prismatic in enumerate(self.prismatic):
            p = p + np.matmul(self._positions[i], R)
            X = np.matmul(self._rotations[i].T, R)
            if prismatic:
                p = p + X[:, 2] * q[i]
            else:
                c, s = np.cos(q[i]), np.sin(q[i])
                turned = np.empty_like(X)
                turned[:, 0] = c * X[:, 0] + s * X[:, 1]
                turned[:, 1] = c * X[:, 1] - s * X[:, 0]
                turned[:, 2] = X[:, 2]
                X = turned
            R = X
            frames.append((R, p))
        frames.append((np.matmul(self._rotations[-1].T, R), p + np.matmul(self._positions[-1], R)))
        return frames

    def tip_pose(self, q):
        """
        Return the pose of the tip in the base frame.

        Parameters
        ----------
        q : ndarray, shape (..., n)

        Returns
        -------
        T : ndarray, shape (..., 4, 4)

        """
        if q.ndim == 1:
            a = self.scalar_pose(q.tolist())
            return np.array((a[0:3] + a[9:10], a[3:6] + a[10:11], a[6:9] + a[11:12],
                             (0.0, 0.0, 0.0, 1.0)))
        columns, shape = _columns(q)
        return _poses(self._walk(columns)[-1:], shape)[..., 0, :, :]

    def body_poses(self, q):
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
        columns, shape = _columns(q)
        frames = [(np.matmul(align, R), p)  # R align.T, with the states last
                  for (R, p), align in zip(self._walk(columns), self._aligns)]
        return _poses(frames, shape)

    def link_poses(self, q):
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

    def jacobian(self, q):
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
        if q.ndim == 1:
            return np.array(self.scalar_jacobian(q.tolist())).T.reshape(6, self.n)
        columns, shape = _columns(q)
        frames = self._walk(columns)
        return _matrices(self._columns_of_jacobian(frames), shape)

    def _columns_of_jacobian(self, frames):
        tip = frames[-1][1]
        J = np.zeros((6, self.n, tip.shape[1]))
        for i, prismatic in enumerate(self.prismatic):
            z = frames[i][0][:, 2]
            if prismatic:
                J[:3, i] = z
            else:
                J[:3, i] = _cross(z, tip - frames[i][1])
                J[3:, i] = z
        return J

    def jacobian_derivative(self, q, qd):
        """
        Return the rate of change of :meth:`jacobian` along a motion.

        Parameters
        ----------
        q, qd : ndarray, shape (..., n)

        Returns
        -------
        Jd : ndarray, shape (..., 6, n)

        """
        if q.ndim == qd.ndim == 1:
            columns = self.scalar_jacobian_derivative(q.tolist(), qd.tolist())
            return np.array(columns).T.reshape(6, self.n)
        (columns, rates), shape = _common_columns(q, qd)
        return _matrices(self._columns_of_derivative(self._walk(columns), rates), shape)

    def _columns_of_derivative(self, frames, qd):
        velocities = self._velocities(frames, qd)
        tip, tip_velocity = frames[-1][1], velocities[-1][1]
        Jd = np.zeros((6, self.n, tip.shape[1]))
        for i, prismatic in enumerate(self.prismatic):
            (R, p), (w, v) = frames[i], velocities[i]
            z = R[:, 2]
            zd = _cross(w, z)
            if prismatic:
                Jd[:3, i] = zd
            else:
                Jd[:3, i] = _cross(zd, tip - p) + _cross(z, tip_velocity - v)
                Jd[3:, i] = zd
        return Jd

    def _velocities(self, frames, qd):
        """Return angular and linear velocity (3, N) of each frame's origin, the tip's last."""
        w = v = np.zeros_like(frames[0][1])
        before, velocities = v, []
        for i, prismatic in enumerate(self.prismatic):
            R, p = frames[i]
            v = v + _cross(w, p - before)
            if prismatic:
                v = v + R[:, 2] * qd[i]
            else:
                w = w + R[:, 2] * qd[i]
            velocities.append((w, v))
            before = p
        velocities.append((w, v + _cross(w, frames[-1][1] - before)))
        return velocities

    def tip_velocity(self, q, qd):
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

    def tip_acceleration(self, q, qd, qdd):
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
        if q.ndim == qd.ndim == qdd.ndim == 1:
            return self.jacobian(q) @ qdd + self.jacobian_derivative(q, qd) @ qd
        (columns, rates), shape = _common_columns(q, qd)
        frames = self._walk(columns)
        J = _matrices(self._columns_of_jacobian(frames), shape)
        Jd = _matrices(self._columns_of_derivative(frames, rates), shape)
        return (np.matmul(J, qdd[..., None]) + np.matmul(Jd, qd[..., None]))[..., 0]


def _cross(a, b):
    """Return the cross product over the first axis (NumPy's own is slow and wants it last)."""
    return np.stack((a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                     a[0] * b[1] - a[1] * b[0]))


def _columns(q):
    """Turn (..., n) into (n, N) and the leading shape."""
    return q.reshape(math.prod(q.shape[:-1]), q.shape[-1]).T, q.shape[:-1]


def _common_columns(*arrays):
    """Broadcast arrays (..., n) against each other, then as :func:`_columns`."""
    arrays = np.broadcast_arrays(*arrays)
    return [_columns(array)[0] for array in arrays], arrays[0].shape[:-1]


def _matrices(columns, shape):
    """Turn (6, n, N) into (..., 6, n)."""
    return np.moveaxis(columns, -1, 0).reshape(shape + columns.shape[:2])


def _poses(frames, shape):
    """Turn a list of (R, p) with the states last into (..., len(frames), 4, 4)."""
    T = np.zeros((frames[0][1].shape[-1], len(frames), 4, 4))
    for k, (R, p) in enumerate(frames):
        T[:, k, :3, :3] = np.moveaxis(R, -1, 0)
        T[:, k, :3, 3] = p.T
    T[..., 3, 3] = 1.0
    return T.reshape(shape + T.shape[1:])
