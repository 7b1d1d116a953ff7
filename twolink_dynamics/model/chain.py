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
What an arm is: frozen links and joints, and the serial chain of moving bodies they make.

Nothing here changes after it is made; the arrays are read-only, those of a copy and of what was
unpickled too.

"""

from __future__ import annotations

from dataclasses import dataclass, fields
import math
from typing import Any, cast, Sequence

import numpy as np

from twolink_dynamics.array_types import ArrayLike, FloatArray

__all__ = ['Chain', 'Frame', 'Frozen', 'Joint', 'Limits', 'Link', 'Mimic', 'frozen_array']

MOVING_TYPES = ('revolute', 'continuous', 'prismatic')


def frozen_array(values: ArrayLike) -> FloatArray:
    """
    Return a read-only float64 copy.

    Parameters
    ----------
    values : array_like

    Returns
    -------
    array : ndarray

    """
    array = np.array(values, dtype=np.float64)
    array.setflags(write=False)
    return array


def _freeze(instance: object, **arrays: ArrayLike) -> None:
    for name, values in arrays.items():
        object.__setattr__(instance, name, frozen_array(values))


class Frozen:
    """Base of frozen dataclasses with arrays: a copy is made anew, for NumPy's are writable."""

    def __reduce__(self) -> tuple[type, tuple[Any, ...]]:
        """Travel as the values of the fields."""
        return type(self), tuple(getattr(self, field.name) for field in fields(cast(Any, self)))


@dataclass(frozen=True, eq=False)
class Link(Frozen):
    """
    A rigid body.

    Attributes
    ----------
    name : str
    mass : float
        [kg].
    com : ndarray, shape (3,)
        Centre of mass, in the link's frame [m].
    inertia : ndarray, shape (3, 3)
        About the centre of mass, in the axes of the link's frame [kg m^2].
    bounds : ndarray, shape (2, 3), or None
        Corners of a box around the link's shapes, in its frame [m]; None if it has none whose
        size is known.
    has_inertial : bool
        Whether the description gives the link an inertia at all.
    line : int or None
        Where the link is described.

    """

    name: str
    mass: float = 0.0
    com: Any = (0.0, 0.0, 0.0)
    inertia: Any = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    bounds: Any = None
    has_inertial: bool = True
    line: int | None = None

    def __post_init__(self) -> None:
        """Freeze the arrays."""
        object.__setattr__(self, 'mass', float(self.mass))
        _freeze(self, com=self.com, inertia=self.inertia)
        if self.bounds is not None:
            _freeze(self, bounds=self.bounds)


@dataclass(frozen=True)
class Mimic:
    """
    A joint that follows another: ``q = multiplier * q_joint + offset``.

    Attributes
    ----------
    joint : str
        The joint that is followed.
    multiplier, offset : float

    """

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, eq=False)
class Joint(Frozen):
    """
    A joint between two links.

    Attributes
    ----------
    name, type, parent, child : str
        `type` is URDF's word: revolute, continuous, prismatic, fixed, …
    origin : ndarray, shape (4, 4)
        Pose of the child's frame in the parent's at ``q = 0``.
    axis : ndarray, shape (3,)
        Unit vector, in the child's frame.
    lower, upper : float
        Position limits [rad or m]; infinite if there are none.
    velocity, effort : float
        Limits [rad/s or m/s], [N m or N]; infinite if there are none.
    damping, friction : float
        Viscous coefficient [N m s/rad or N s/m] and Coulomb friction [N m or N].
    armature : float
        Rotor inertia seen through the gear [kg m^2 or kg].
    mimic : Mimic or None
    axis_norm : float or None
        The length the axis had before it was normalised.
    line : int or None
        Where the joint is described.

    """

    name: str
    type: str  # noqa: A003 (the name it has in URDF)
    parent: str
    child: str
    origin: Any = ((1., 0., 0., 0.), (0., 1., 0., 0.), (0., 0., 1., 0.), (0., 0., 0., 1.))
    axis: Any = (1.0, 0.0, 0.0)
    lower: float = -math.inf
    upper: float = math.inf
    velocity: float = math.inf
    effort: float = math.inf
    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0
    mimic: Mimic | None = None
    axis_norm: float | None = None
    line: int | None = None

    def __post_init__(self) -> None:
        """Freeze the arrays."""
        _freeze(self, origin=self.origin, axis=self.axis)

    @property
    def moves(self) -> bool:
        """Whether the joint has a degree of freedom this package treats."""
        return self.type in MOVING_TYPES


@dataclass(frozen=True, eq=False)
class Frame(Frozen):
    """
    A link's frame, fixed to a body of the chain.

    Attributes
    ----------
    name : str
        The link.
    body : int
        Index of the moving body it is fixed to; -1 is the base.
    pose : ndarray, shape (4, 4)
        In that body's frame (the base link's for -1).

    """

    name: str
    body: int
    pose: Any

    def __post_init__(self) -> None:
        """Freeze the pose."""
        _freeze(self, pose=self.pose)


@dataclass(frozen=True, eq=False)
class Limits(Frozen):
    """
    The limits of an arm's joints; infinite where there is none.

    Attributes
    ----------
    lower, upper : ndarray, shape (n,)
        Positions [rad or m].
    velocity : ndarray, shape (n,)
        [rad/s or m/s].
    effort : ndarray, shape (n,)
        [N m or N].

    """

    lower: FloatArray
    upper: FloatArray
    velocity: FloatArray
    effort: FloatArray

    def __post_init__(self) -> None:
        """Freeze the arrays."""
        _freeze(self, lower=self.lower, upper=self.upper, velocity=self.velocity,
                effort=self.effort)


@dataclass(frozen=True, eq=False)
class Chain(Frozen):
    """
    A serial chain of moving bodies: what is rigidly joined is one body.

    Body ``i`` is moved by joint ``i``, and its frame is the frame of the joint's child link:
    ``joints[i].origin`` is the pose of that frame in body ``i - 1`` (the base link for ``i = 0``)
    at ``q = 0``.

    Attributes
    ----------
    name : str
        The robot's name.
    base_link, tip_link : str
    joints : tuple of Joint, length n
        The moving joints, proximal first.
    links : tuple of Link, length n
        The bodies they move, with all that is fixed to them lumped in, in the child's frame.
    tip : ndarray, shape (4, 4)
        Pose of the tip link in the last body's frame.
    frames : tuple of Frame
        Every link on the chain, for drawing.

    """

    name: str
    base_link: str
    tip_link: str
    joints: Sequence[Joint]
    links: Sequence[Link]
    tip: Any = ((1., 0., 0., 0.), (0., 1., 0., 0.), (0., 0., 1., 0.), (0., 0., 0., 1.))
    frames: Sequence[Frame] = ()

    def __post_init__(self) -> None:
        """Freeze the sequences."""
        object.__setattr__(self, 'joints', tuple(self.joints))
        object.__setattr__(self, 'links', tuple(self.links))
        object.__setattr__(self, 'frames', tuple(self.frames))
        _freeze(self, tip=self.tip)

    @property
    def n(self) -> int:
        """The number of moving joints."""
        return len(self.joints)

    @property
    def limits(self) -> Limits:
        """The limits of the joints, as :class:`Limits`."""
        return Limits(*(np.array([getattr(joint, name) for joint in self.joints])
                        for name in ('lower', 'upper', 'velocity', 'effort')))
