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
The plain files that Denavit-Hartenberg rows, poses and start angles come in (theory.md K).

Numbers in rows, as the third text's program reads them. Angles in these files are in degrees.

"""

from __future__ import annotations

import math
import os
from typing import Sequence, Union

import numpy as np

from twolink_dynamics.array_types import FloatArray
from twolink_dynamics.errors import ModelError

__all__ = ['read_dh', 'read_links', 'read_numbers', 'read_pose', 'read_start']

TextFile = Union[str, 'os.PathLike[str]']


def read_numbers(path: TextFile) -> list[list[float]]:
    """
    Read rows of numbers from a plain file.

    Numbers are separated by blanks or commas; ``#`` starts a comment; empty lines do not count.

    Parameters
    ----------
    path : str or path-like

    Returns
    -------
    rows : list of list of float

    Raises
    ------
    ModelError
        If the file cannot be read, or a word is no finite number; it says in which line.

    """
    rows = []
    try:
        with open(path, encoding='utf-8') as file:
            lines = file.read().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, 'strerror', None) or 'not a text file'
        raise ModelError(f'{path}: cannot be read: {reason}') from None
    for number, line in enumerate(lines, 1):
        row = []
        for word in line.split('#')[0].replace(',', ' ').split():
            try:
                row.append(float(word))
            except ValueError:
                row.append(math.nan)
            if not math.isfinite(row[-1]):
                raise ModelError(f'{path}:{number}: expected a finite number, got "{word}"')
        if row:
            rows.append(row)
    return rows


def read_dh(path: TextFile) -> FloatArray:
    """
    Read Denavit-Hartenberg rows (alpha, a, d) or (alpha, a, d, theta), angles in degrees.

    Parameters
    ----------
    path : str or path-like
        Such as the third text's ``dh.dat``.

    Returns
    -------
    rows : ndarray, shape (n, 3) or (n, 4)
        Angles in radians.

    Raises
    ------
    ModelError
        If it is no such file.

    """
    rows = read_numbers(path)
    widths = {len(row) for row in rows}
    if len(widths) != 1 or not widths <= {3, 4}:
        raise ModelError(f'{path}: expected rows of three numbers, alpha a d (degrees, lengths), '
                         f'or four with theta; got rows of {sorted(widths) or "nothing"}')
    table = np.array(rows)
    angles = [0, 3][:table.shape[1] - 2]
    table[:, angles] = np.radians(table[:, angles])
    return table


def read_links(path: TextFile) -> list[tuple[float, list[float], list[list[float]]]]:
    """
    Read masses, centres of mass and inertias.

    Parameters
    ----------
    path : str or path-like
        A row for each link: mass and centre of mass (4 numbers), with the moments of inertia Ixx
        Iyy Izz about the centre of mass (7), with the products Ixy Ixz Iyz too (10) [kg, m,
        kg m^2], in the link's Denavit-Hartenberg frame.

    Returns
    -------
    links : list of (mass, com, inertia)
        As :func:`~twolink_dynamics.model.dh.chain_from_dh` takes them.

    Raises
    ------
    ModelError
        If it is no such file.

    """
    links = []
    for number, row in enumerate(read_numbers(path), 1):
        if len(row) not in (4, 7, 10):
            raise ModelError(f'{path}: link {number}: expected 4, 7 or 10 numbers, mass, centre '
                             f'of mass, moments, products of inertia; got {len(row)}')
        xx, yy, zz, xy, xz, yz = (row[4:] + [0.0] * 6)[:6]
        links.append((row[0], row[1:4], [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    return links


def read_pose(path: TextFile) -> FloatArray:
    """
    Read a pose.

    Parameters
    ----------
    path : str or path-like
        Four rows of four numbers, such as the third text's ``Tdes.dat``.

    Returns
    -------
    T : ndarray, shape (4, 4)

    Raises
    ------
    ModelError
        If it is no such file.

    """
    rows = read_numbers(path)
    if [len(row) for row in rows] != [4] * 4:
        raise ModelError(f'{path}: expected a pose, four rows of four numbers; got rows of '
                         f'{[len(row) for row in rows] or "nothing"}')
    return np.array(rows)


def read_start(path: TextFile, joint_types: Sequence[str] | None = None) -> FloatArray:
    """
    Read start positions, angles in degrees.

    Parameters
    ----------
    path : str or path-like
        Numbers on one line or many, such as the third text's ``theta.dat``.
    joint_types : sequence of str, optional
        Where a joint is prismatic its number is a length; all are angles by default.

    Returns
    -------
    q0 : ndarray, shape (n,)
        Angles in radians.

    Raises
    ------
    ModelError
        If it holds no numbers, or not one for each joint.

    """
    values = [value for row in read_numbers(path) for value in row]
    if not values or joint_types is not None and len(values) != len(joint_types):
        wanted = 'start positions' if joint_types is None else f'{len(joint_types)} numbers'
        raise ModelError(f'{path}: expected {wanted}, got {len(values)} numbers')
    types = joint_types or ['continuous'] * len(values)
    return np.array([value if kind == 'prismatic' else math.radians(value)
                     for value, kind in zip(values, types)])
