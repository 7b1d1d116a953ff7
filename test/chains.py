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
Random chains, and one set of numbers turned into everything that can compute with it.

A chain is described by a list of segments, each a joint (perhaps a fixed one) and the link beyond
it. From the same list come a :class:`Chain`, a Pinocchio model and the text of a URDF.

"""

from dataclasses import dataclass, replace

import numpy as np

from twolink_dynamics.dynamics.factory import load_arm
from twolink_dynamics.model.chain import Chain, Joint, Link
from twolink_dynamics.spatial import homogeneous, inverse_pose, lump, rpy_rotation

MOVING = ('revolute', 'continuous', 'prismatic')


@dataclass(frozen=True)
class Segment:
    """A joint and the link it carries, in URDF's terms."""

    type: str  # noqa: A003
    xyz: tuple
    rpy: tuple
    axis: tuple
    mass: float
    com: tuple
    com_rpy: tuple
    inertia: tuple  # 3 x 3, about the centre of mass, in axes turned by com_rpy

    @property
    def origin(self):
        return homogeneous(rpy_rotation(*self.rpy), self.xyz)

    def body(self, pose):
        """Return mass, centre of mass and inertia in a frame in which the link has this pose."""
        turn = pose[:3, :3] @ rpy_rotation(*self.com_rpy)
        return (self.mass, pose[:3, :3] @ np.array(self.com) + pose[:3, 3],
                turn @ np.array(self.inertia) @ turn.T)


def random_segment(rng, kind, mass=None):
    """Return a segment: a skew axis or one along a coordinate, a tilted physical inertia."""
    axis = rng.normal(size=3)
    if rng.random() < 0.4:
        axis = np.eye(3)[rng.integers(3)] * rng.choice([-1.0, 1.0])
    # The inertia of a cloud of points: it obeys every triangle inequality.
    cloud = rng.normal(size=(3, 3))
    spread = cloud @ cloud.T
    mass = float(rng.uniform(0.2, 5.0)) if mass is None else mass
    inertia = 0.01 * mass * (np.trace(spread) * np.eye(3) - spread)
    right_angles = rng.random() < 0.4
    rpy = rng.integers(-1, 3, size=3) * np.pi / 2 if right_angles else rng.uniform(-3, 3, size=3)
    return Segment(str(kind), tuple(rng.uniform(-0.6, 0.6, size=3)), tuple(rpy),
                   tuple(axis / np.linalg.norm(axis)), mass,
                   tuple(rng.uniform(-0.3, 0.3, size=3)), tuple(rng.uniform(-3, 3, size=3)),
                   tuple(map(tuple, (inertia + inertia.T) / 2)))


def random_segments(rng, n, fixed=0.3, kinds=MOVING):
    """Return the segments of n moving joints of mixed types, with fixed ones between."""
    segments = []
    for _ in range(n):
        while rng.random() < fixed:
            segments.append(random_segment(rng, 'fixed'))
        segments.append(random_segment(rng, rng.choice(kinds)))
    while rng.random() < fixed:
        segments.append(random_segment(rng, 'fixed'))
    return segments


def chain_of(segments, armature=0.0):
    """Return the Chain of segments, what is fixed lumped into the body before it."""
    joints, bodies, pose = [], [], np.eye(4)
    for segment in segments:
        pose = pose @ segment.origin
        if segment.type != 'fixed':
            joints.append(Joint(f'joint{len(joints) + 1}', segment.type, '', '', pose,
                                segment.axis, armature=armature))
            bodies.append([])
            pose = np.eye(4)
        if bodies:  # what stands before the first moving joint does not move
            bodies[-1].append(segment.body(pose))
    links = [Link(f'link{i + 1}', *lump(body)) for i, body in enumerate(bodies)]
    return Chain('random', 'base', 'tip', joints, links, pose)


def pinocchio_of(segments, gravity=(0.0, 0.0, -9.81), armature=0.0):
    """Return the Pinocchio model of segments, with a frame ``tip``."""
    import pinocchio as pin
    model = pin.Model()
    parent, pose = 0, np.eye(4)
    for segment in segments:
        pose = pose @ segment.origin
        if segment.type != 'fixed':
            kind = pin.JointModelPrismaticUnaligned if segment.type == 'prismatic' \
                else pin.JointModelRevoluteUnaligned
            parent = model.addJoint(parent, kind(np.array(segment.axis)), pin.SE3(pose),
                                    f'joint{model.nv + 1}')
            pose = np.eye(4)
        if parent:
            mass, com, inertia = segment.body(np.eye(4))
            model.appendBodyToJoint(parent, pin.Inertia(mass, com, inertia), pin.SE3(pose))
    model.addFrame(pin.Frame('tip', parent, 0, pin.SE3(pose), pin.FrameType.OP_FRAME))
    model.armature = np.full(model.nv, float(armature))
    model.gravity = pin.Motion(np.array(gravity, dtype=float), np.zeros(3))
    return model


def urdf_of(segments):
    """Return the text of a URDF of segments: link0 is the base, the last link the tip."""
    lines = ['<robot name="random">', '<link name="link0"/>']
    moving = 0
    for k, segment in enumerate(segments, 1):
        name = f'fixed{k}'
        if segment.type != 'fixed':
            moving += 1
            name = f'joint{moving}'
        I = segment.inertia  # noqa: E741
        lines += [
            f'<joint name="{name}" type="{segment.type}">',
            f'<parent link="link{k - 1}"/><child link="link{k}"/>',
            f'<origin xyz="{numbers(segment.xyz)}" rpy="{numbers(segment.rpy)}"/>',
            f'<axis xyz="{numbers(segment.axis)}"/>',
            '<limit lower="-9" upper="9" effort="1000" velocity="100"/></joint>',
            f'<link name="link{k}"><inertial>',
            f'<origin xyz="{numbers(segment.com)}" rpy="{numbers(segment.com_rpy)}"/>',
            f'<mass value="{segment.mass!r}"/>',
            f'<inertia ixx="{float(I[0][0])!r}" ixy="{float(I[0][1])!r}" ixz="{float(I[0][2])!r}"'
            f' iyy="{float(I[1][1])!r}" iyz="{float(I[1][2])!r}" izz="{float(I[2][2])!r}"/>',
            '</inertial></link>']
    return '\n'.join([*lines, '</robot>'])


def limited_arm(rng, n):
    """Return a random arm with limits of its positions, and what draws positions within."""
    kinds = (*MOVING, 'revolute')
    while True:
        segments = random_segments(rng, n, kinds=kinds)
        if sum(segment.type == 'prismatic' for segment in segments) < 3:
            break
    arm = load_arm(urdf_of(segments))
    prismatic, free = (np.array([kind == name for kind in arm.joint_types])
                       for name in ('prismatic', 'continuous'))
    middle = np.where(prismatic, rng.uniform(-0.2, 0.2, n), rng.uniform(-1.5, 1.5, n))
    half = np.where(prismatic, rng.uniform(0.1, 0.4, n), rng.uniform(0.5, 3.0, n))
    low, high = middle - half, middle + half
    ends = np.where(free, -np.pi, low), np.where(free, np.pi, high)
    arm = arm.with_parameters(lower=np.where(free, -np.inf, low),
                              upper=np.where(free, np.inf, high))
    return arm, lambda count: rng.uniform(*ends, (count, n))


def numbers(values):
    """Return numbers as URDF writes them, to the last bit."""
    return ' '.join(repr(float(x)) for x in values)


def split(segments, index, share, pose):
    """Return the same arm with one link made of two, joined by a fixed joint with this pose."""
    whole = segments[index]
    xyz, rpy = pose
    back = inverse_pose(homogeneous(rpy_rotation(*rpy), xyz))
    mass, com, inertia = whole.body(back)
    zero = (0.0, 0.0, 0.0)
    near = replace(whole, mass=share * whole.mass,
                   inertia=tuple(map(tuple, share * np.array(whole.inertia))))
    far = Segment('fixed', tuple(xyz), tuple(rpy), (1.0, 0.0, 0.0), (1.0 - share) * mass,
                  tuple(com), zero, tuple(map(tuple, (1.0 - share) * inertia)))
    rest = list(segments[index + 1:])
    if rest:  # what followed the link now follows its far half
        origin = back @ rest[0].origin
        rest[0] = replace(rest[0], xyz=tuple(origin[:3, 3]), rpy=rpy_of(origin[:3, :3]))
    else:
        rest = [Segment('fixed', tuple(back[:3, 3]), rpy_of(back[:3, :3]), (1.0, 0.0, 0.0), 0.0,
                        zero, zero, ((0.0,) * 3,) * 3)]
    return [*segments[:index], near, far, *rest]


def rpy_of(R):
    """Return roll, pitch and yaw of a rotation."""
    return (np.arctan2(R[2, 1], R[2, 2]), np.arctan2(-R[2, 0], np.hypot(R[0, 0], R[1, 0])),
            np.arctan2(R[1, 0], R[0, 0]))
