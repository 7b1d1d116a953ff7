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

"""The planar two-link arm: the façade on the closed form of the texts."""

from __future__ import annotations

from typing import Any

import numpy as np

from twolink_dynamics.array_types import ArrayLike
from twolink_dynamics.dynamics.arm import Arm, STANDARD_GRAVITY
from twolink_dynamics.dynamics.serial_dynamics import TwoLinkDynamics
from twolink_dynamics.errors import ParameterError, UnsupportedModelError
from twolink_dynamics.model.chain import Chain, Frame, Joint, Link
from twolink_dynamics.model.two_link import planar_sign, two_link_constants
from twolink_dynamics.spatial import homogeneous
from twolink_dynamics.validation import check_array

__all__ = ['TwoLinkArm', 'arm_of_chain']


class TwoLinkArm(Arm):
    """
    A planar 2R arm in closed form (theory.md L1-L8).

    From bare numbers it is the drawing of the texts: the plane is the base frame's x and y, q1 is
    measured from x, q2 from link 1, both counterclockwise. An arm of a URDF whose chain is a
    planar 2R is one too (:func:`~twolink_dynamics.load_arm`), whatever its plane.

    Parameters
    ----------
    m1, m2 : float
        Masses [kg].
    l1, l2 : float
        Lengths: joint to joint, joint to tip [m].
    lc1, lc2 : float
        From each joint to its link's centre of mass [m]; ``lc = l`` with ``I = 0`` is a point mass
        at the link's end.
    I1, I2 : float
        Moments of inertia about the centres of mass, about the joint axis [kg m^2].
    b1, b2 : float
        Viscous friction [N m s/rad].
    gravity : array_like, shape (2,) or (3,)
        In the arm's plane [m/s^2].
    fc1, fc2 : float
        Coulomb friction [N m].

    Raises
    ------
    ParameterError
        If a mass, length, inertia or friction is negative, or a number is not finite.

    Examples
    --------
    >>> arm = TwoLinkArm(m1=1, m2=1, l1=1, l2=1, lc1=1, lc2=1, I1=0, I2=0)
    >>> arm.mass_matrix([0.0, 0.0]).tolist()
    [[5.0, 2.0], [2.0, 1.0]]

    """

    def __init__(self, m1: float = 1.0, m2: float = 1.0, l1: float = 1.0, l2: float = 1.0,
                 lc1: float = 0.5, lc2: float = 0.5, I1: float = 0.083, I2: float = 0.083,
                 b1: float = 0.0, b2: float = 0.0, gravity: ArrayLike = (0.0, -9.81),
                 fc1: float = 0.0, fc2: float = 0.0) -> None:
        numbers = {'m1': m1, 'm2': m2, 'l1': l1, 'l2': l2, 'I1': I1, 'I2': I2, 'b1': b1, 'b2': b2,
                   'fc1': fc1, 'fc2': fc2}
        for name, value in {**numbers, 'lc1': lc1, 'lc2': lc2}.items():
            if check_array(name, value).shape != () or name in numbers and value < 0.0:
                raise ParameterError(name, value, 'a number of 0 or more')
        gravity = check_array('gravity', gravity)
        if gravity.shape == (2,):
            gravity = np.append(gravity, 0.0)
        self._derive(_drawn_chain(m1, m2, l1, l2, lc1, lc2, I1, I2, b1, b2, fc1, fc2), gravity)

    @classmethod
    def from_chain(cls, chain: Chain, gravity: ArrayLike = STANDARD_GRAVITY) -> TwoLinkArm:
        """
        Return the closed form of a chain.

        Parameters
        ----------
        chain : Chain
        gravity : array_like, shape (3,)
            In the base frame [m/s^2].

        Returns
        -------
        arm : TwoLinkArm

        Raises
        ------
        UnsupportedModelError
            If the chain is not a planar 2R without rotor inertia.

        """
        arm = cls.__new__(cls)
        arm._derive(chain, gravity)
        return arm

    def _make_engine(self) -> TwoLinkDynamics:
        constants = two_link_constants(self.chain, self.gravity)
        if constants is None:
            raise UnsupportedModelError(
                f'"{self.chain.name}" is not a planar 2R arm: its moving joints are '
                + ', '.join(f'{joint.name} ({joint.type})' for joint in self.chain.joints)
                + '; the closed form needs two revolute joints with parallel axes and no armature',
                self.joint_names)
        self.constants = constants
        return TwoLinkDynamics(self.chain, self.gravity, constants)

    def _changed(self, **changes: Any) -> Arm:
        """Return the arm of another chain, which may have a closed form no longer."""
        if type(self) is TwoLinkArm:
            return arm_of_chain(changes.get('chain', self.chain),
                                changes.get('gravity', self.gravity))
        return super()._changed(**changes)


def _drawn_chain(m1: float, m2: float, l1: float, l2: float, lc1: float, lc2: float, I1: float,
                 I2: float, b1: float, b2: float, fc1: float, fc2: float) -> Chain:
    """Return the chain of the texts' drawing: joints about z, links along x."""
    def link(name: str, m: float, lc: float, inertia: float) -> Link:
        return Link(name, m, (lc, 0.0, 0.0), np.diag([0.0, inertia, inertia]))

    z, eye = (0.0, 0.0, 1.0), np.eye(3)
    elbow, tip = homogeneous(eye, (l1, 0.0, 0.0)), homogeneous(eye, (l2, 0.0, 0.0))
    joints = (Joint('joint1', 'continuous', 'base_link', 'link1', axis=z, damping=float(b1),
                    friction=float(fc1)),
              Joint('joint2', 'continuous', 'link1', 'link2', elbow, z, damping=float(b2),
                    friction=float(fc2)))
    frames = [Frame('base_link', -1, np.eye(4)), Frame('link1', 0, np.eye(4)),
              Frame('link2', 1, np.eye(4)), Frame('tip', 1, tip)]
    return Chain('two_link_arm', 'base_link', 'tip', joints,
                 (link('link1', m1, lc1, I1), link('link2', m2, lc2, I2)), tip, frames)


def arm_of_chain(chain: Chain, gravity: ArrayLike = STANDARD_GRAVITY) -> Arm:
    """
    Return the arm of a chain: in closed form where it is a planar 2R, else by Newton-Euler.

    Parameters
    ----------
    chain : Chain
    gravity : array_like, shape (3,)
        In the base frame [m/s^2].

    Returns
    -------
    arm : TwoLinkArm or Arm

    """
    if planar_sign(chain) is None:
        return Arm(chain, gravity)
    return TwoLinkArm.from_chain(chain, gravity)
