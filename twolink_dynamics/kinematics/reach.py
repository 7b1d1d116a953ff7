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
How far a chain can reach: a bound that proves some targets out of reach before any search.

Choose a point on the axis of each turning joint. Two such points next to each other belong to one
rigid link, so their distance never changes, and the way from the first to the last is no longer
than the sum. The points are chosen to make that sum small: where axes meet, as in a wrist, they
fall together.

"""

import math

import numpy as np

__all__ = ['Reach']


class Reach:
    """
    Bounds on the distance of the tip from the axis of the first turning joint.

    Parameters
    ----------
    kin : SerialKinematics

    Attributes
    ----------
    size : float
        About the length of the stretched arm [m]: never zero.

    """

    def __init__(self, kin):
        self.kin = kin
        lower, upper = kin.chain.limits.lower, kin.chain.limits.upper
        with np.errstate(invalid='ignore'):
            middle = np.where(kin.prismatic, 0.5 * (lower + upper), 0.0)
            travel = np.where(kin.prismatic, 0.5 * (upper - lower), 0.0)
        bounded = np.isfinite(middle)
        frames = kin.scalar_frames(np.where(bounded, middle, 0.0).tolist())
        self._slack, points, axes, slack = [], [], [], 0.0
        for frame, prismatic, way in zip(frames, kin.prismatic, travel.tolist()):
            if prismatic:
                slack += way if math.isfinite(way) else math.inf
                continue
            points.append(frame[9:])
            axes.append(frame[2:9:3])
            self._slack.append(slack)
            slack = 0.0
        self._slack.append(slack)
        self._tip = np.array(frames[-1][9:])
        self._points, self._axes = np.array(points), np.array(axes)
        origins = np.array([frame[9:] for frame in frames])
        steps = np.linalg.norm(np.diff(origins, axis=0), axis=1).sum()
        finite = sum(way for way in travel.tolist() if math.isfinite(way))
        self.size = float(steps + finite) or 1.0
        self._last_pose = frames[-1]
        if len(points):
            self._to_tip = self._shorten(self._points, self._axes, self._tip)
            self._to_last = self._shorten(self._points, self._axes, None)

    @staticmethod
    def _shorten(points, axes, tip):
        """
        Return points on the axes, and the tip, with a short way through them.

        A few rounds of reweighted least squares; any choice is a valid bound.
        """
        count = len(points)
        nodes = points if tip is None else np.vstack([points, tip])
        D = np.diff(nodes, axis=0).ravel()
        A = np.zeros((D.size, count))
        for i in range(count):
            if i:
                A[3 * i - 3:3 * i, i] = axes[i]
            if 3 * i < D.size:
                A[3 * i:3 * i + 3, i] -= axes[i]
        offsets, weights = np.zeros(count), np.ones(D.size)
        for _ in range(20 if D.size else 0):
            offsets = np.linalg.lstsq(A * weights[:, None], -D * weights, rcond=None)[0]
            lengths = np.linalg.norm((D + A @ offsets).reshape(-1, 3), axis=1)
            weights = np.repeat(1.0 / np.sqrt(lengths + 1e-6 * lengths.max() + 1e-12), 3)
        chosen = points + offsets[:, None] * axes
        return chosen if tip is None else np.vstack([chosen, tip])

    def shortfall(self, target):
        """
        Return by how much a target is proved out of reach.

        Parameters
        ----------
        target : Target

        Returns
        -------
        shortfall : float
            A lower bound on the distance of the tip from the target [m] (with a rotation asked
            for: while that rotation is kept); zero where nothing is proved.

        """
        if not len(self._points):
            return 0.0
        goal, nodes, slack = np.array(target.position), self._to_tip, self._slack[1:]
        if target.rotation is not None and not any(self._slack[len(self._points):]):
            # The rotation fixes where the last axis is, and so where the point on it must be.
            nodes, slack = self._to_last, self._slack[1:-1]
            tip = np.array(self._last_pose[:9]).reshape(3, 3)
            arm = tip.T @ (nodes[-1] - self._tip)
            goal = goal + np.array(target.rotation).reshape(3, 3) @ arm
        lengths = np.linalg.norm(np.diff(nodes, axis=0), axis=1)
        free = sum(slack) + self._slack[0]
        distance = float(np.linalg.norm(goal - nodes[0]))
        outer = float(lengths.sum()) + free
        longest = float(lengths.max()) if lengths.size else 0.0
        inner = 2.0 * longest - outer
        # Rounding of the bound itself must never prove a reachable target out of reach.
        margin = 1e-9 * self.size
        return max(0.0, distance - outer - margin, inner - distance - margin)
