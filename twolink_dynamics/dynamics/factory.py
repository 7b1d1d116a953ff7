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

"""Factory of arms: from a URDF or from Denavit-Hartenberg rows."""

from __future__ import annotations

import os
from typing import Any, Mapping, Sequence
import warnings

from twolink_dynamics.array_types import ArrayLike
from twolink_dynamics.dynamics.arm import Arm
from twolink_dynamics.dynamics.two_link_arm import arm_of_chain
from twolink_dynamics.errors import ModelWarning
from twolink_dynamics.model.checks import check_chain, raise_faults
from twolink_dynamics.model.dh import chain_from_dh

__all__ = ['arm_from_dh', 'load_arm']


def load_arm(source: str | os.PathLike[str], base_link: str | None = None,
             tip_link: str | None = None, gravity: ArrayLike = (0.0, 0.0, -9.81),
             xacro_args: Mapping[str, str] | None = None, side_branches: str = 'lump',
             strict: bool = False) -> Arm:
    """
    Load an arm from its URDF.

    Fixed joints are lumped exactly. A chain that is a planar 2R gets the closed form of the texts
    (a :class:`TwoLinkArm`), every other one recursive Newton-Euler.

    Parameters
    ----------
    source : str or path-like
        A path (``.urdf``, ``.xacro``), or the XML text.
    base_link : str, optional
        The link that stands still; the root if not given.
    tip_link : str, optional
        The end of the chain; if not given, the one leaf that all moving joints lead to.
    gravity : array_like, shape (3,)
        In the frame of `base_link` [m/s^2].
    xacro_args : dict of str to str, optional
        Arguments for a ``.xacro`` file.
    side_branches : {'lump', 'drop'}
        What hangs on the chain at its sides and beyond the tip (fingers, covers, cameras) is felt
        by the arm, its joints locked at zero; ``'drop'`` leaves it out.
    strict : bool
        Whether an implausible model is an error.

    Returns
    -------
    arm : Arm

    Raises
    ------
    UrdfError
        With file, line and element, if the description cannot be read.
    AmbiguousChainError
        If several chains are possible; it lists the candidates.
    UnsupportedModelError
        If no joint moves, or one on the chain is floating, planar, spherical or a mimic.
    FaultyModelError
        If the numbers are impossible, such as a negative mass: all faults at once.
    ParameterError
        If the model has no such `base_link` or `tip_link`, or there are `xacro_args` for what is
        no ``.xacro`` file.
    MissingDependencyError
        If a ``.xacro`` file is given and xacro is not installed.

    Warns
    -----
    ModelWarning
        For each implausible number, which is taken literally all the same.

    """
    from twolink_dynamics.model.urdf import read_urdf  # lxml, only when needed
    tree = read_urdf(source, xacro_args)
    chain = tree.chain(base_link, tip_link, side_branches)
    findings = check_chain(tree, chain)
    raise_faults(findings, strict)
    for finding in findings:
        warnings.warn(str(finding), ModelWarning, stacklevel=2)
    return arm_of_chain(chain, gravity)


def arm_from_dh(rows: ArrayLike, convention: str = 'modified', links: Sequence[Any] | None = None,
                *, gravity: ArrayLike = (0.0, 0.0, -9.81), **options: Any) -> Arm:
    """
    Return the arm of Denavit-Hartenberg rows.

    Parameters
    ----------
    rows : array_like, shape (n, 3) or (n, 4)
        (alpha, a, d) or (alpha, a, d, theta) of each joint [rad, m, m, rad].
    convention : {'modified', 'standard'}
        Craig's or Paul's: the same numbers make different arms in the two.
    links : sequence of n (mass, com, inertia), optional
        Of each moving link, in its Denavit-Hartenberg frame; massless if not given, which leaves
        kinematics.
    gravity : array_like, shape (3,)
        In the base frame [m/s^2].
    **options
        Of :func:`~twolink_dynamics.model.dh.chain_from_dh`: joint_types, limits, tool, name.

    Returns
    -------
    arm : Arm

    Raises
    ------
    ShapeError, NonFiniteError, ParameterError, ModelError
        If a row or a link is malformed.

    """
    return arm_of_chain(chain_from_dh(rows, convention, links, **options), gravity)
