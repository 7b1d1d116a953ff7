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

"""Arms for the tests of kinematics that need no file: bare numbers, several shapes."""

import math

import numpy as np

from twolink_dynamics.dynamics.factory import arm_from_dh
from twolink_dynamics.dynamics.two_link_arm import TwoLinkArm
from twolink_dynamics.kinematics.arm import KinematicArm
from twolink_dynamics.model.chain import Chain, Joint, Link
from twolink_dynamics.spatial import axis_rotation, homogeneous

RIGHT = 0.5 * math.pi

# (alpha, a, d) of the third text's example (theory.md K2), a Puma; lengths are no metres there.
HANDBOOK_ROWS = [(0, 0, 0), (-RIGHT, 0, 0), (0, 24, 6), (-RIGHT, 2, 24), (RIGHT, 0, 0),
                 (-RIGHT, 0, 0)]
HANDBOOK_POSE = [[-0.707106, 0, 0.707106, 12], [0, -1, 0, 12], [0.707106, 0, 0.707106, -12],
                 [0, 0, 0, 1]]
HANDBOOK_START = np.radians([24, 103, 145, 215, 29.2, 30])
HANDBOOK_SOLUTION = np.radians([24.295189, 102.857326, 143.658461, 216.601796, 29.204859,
                                129.341568])


def handbook_arm(convention='modified'):
    """Return the third text's arm."""
    return arm_from_dh(HANDBOOK_ROWS, convention)


def two_link(limits=None, l1=1.0, l2=0.8):
    """Return the drawing of the texts, with limits."""
    if limits is None:
        return TwoLinkArm(l1=l1, l2=l2)
    return arm_from_dh([(0, 0, 0), (0, l1, 0)], limits=limits, tool=homogeneous(
        np.eye(3), (l2, 0, 0)))


def elbow_arm():
    """Return a 6R arm with offsets everywhere, so no spherical wrist."""
    return arm_from_dh([(0, 0, .1, .2), (RIGHT, .05, .1, 0), (0, .4, 0, .3), (0, .4, .1, 0),
                        (RIGHT, 0, .1, 0), (-RIGHT, .02, .1, 0)])


def seven_joint_arm():
    """Return a redundant arm with limits: shoulder, elbow and wrist as of an iiwa."""
    d = (.36, 0, .42, 0, .4, 0, .126)
    alpha = (0, -RIGHT, RIGHT, RIGHT, -RIGHT, -RIGHT, RIGHT)
    bound = np.radians([170, 120, 170, 120, 170, 120, 175])
    return arm_from_dh([(a, 0, x) for a, x in zip(alpha, d)],
                       limits=np.column_stack([-bound, bound]))


def scara():
    """Return a SCARA with four joints, the third prismatic."""
    return arm_from_dh([(0, 0, .3), (0, .4, 0), (math.pi, .3, 0), (0, 0, 0)], joint_types='RRPR',
                       limits=[(-2.5, 2.5), (-2.4, 2.4), (0, .2), (-math.inf, math.inf)])


def planar_three():
    """Return three parallel joints: redundant for a position, exact for (x, y, phi)."""
    return arm_from_dh([(0, 0, 0), (0, .5, 0), (0, .4, 0)], tool=homogeneous(
        np.eye(3), (.3, 0, 0)))


def tilted_two_link(seed=0):
    """Return a planar 2R in an odd plane: base turned, axes opposite, zero pose bent."""
    rng = np.random.default_rng(seed)
    axis = rng.normal(size=3)
    axis /= np.linalg.norm(axis)
    turn = axis_rotation(axis, 1.1)
    joints = (
        Joint('a', 'continuous', 'base', 'one', homogeneous(turn, (.2, -.1, .4)), axis),
        # Turned about its own axis and then on its head: the second axis is opposite.
        Joint('b', 'continuous', 'one', 'two', homogeneous(
            axis_rotation(axis, .7), axis_rotation(axis, .4) @ _across(axis) * .6 + .05 * axis),
            -axis))
    return KinematicArm(Chain('tilted', 'base', 'tip', joints, (Link('one'), Link('two')),
                              homogeneous(np.eye(3), _across(axis) * .45 + .1 * axis)))


def _across(axis):
    """Return a unit vector across another."""
    side = np.cross(axis, np.eye(3)[int(np.argmin(np.abs(axis)))])
    return side / np.linalg.norm(side)


def random_positions(arm, rng, count):
    """Return joint positions (count, n) within the limits, unlimited joints within a turn."""
    lower = np.where(np.isfinite(arm.limits.lower), arm.limits.lower, -math.pi)
    upper = np.where(np.isfinite(arm.limits.upper), arm.limits.upper, math.pi)
    return rng.uniform(lower, upper, (count, arm.n))
