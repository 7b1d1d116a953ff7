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

"""Turning what a user passes into arrays, or into an error that says what is wrong with it."""

from math import isfinite

import numpy as np

from twolink_dynamics.errors import NonFiniteError, ShapeError

__all__ = ['broadcast_leading', 'check_array', 'check_states']

FLOAT64 = np.dtype(np.float64)

# BLAS sets its threads to work on longer vectors, which may wait for a busy core.
FEW_NUMBERS = 4096


def check_array(name, value, shape=None):
    """
    Return an argument as a finite float64 array.

    Parameters
    ----------
    name : str
        The argument's name, for errors.
    value : array_like
    shape : tuple of (int or None), optional
        The trailing axes expected; None stands for any length. Leading axes are free.

    Returns
    -------
    array : ndarray

    Raises
    ------
    ShapeError
        If the trailing axes differ.
    NonFiniteError
        If an entry is NaN, infinite, or no number.

    """
    array = _converted(name, value)
    if shape is not None:
        tail = array.shape[array.ndim - len(shape):] if array.ndim >= len(shape) else None
        if tail is None or any(want not in (None, have) for want, have in zip(shape, tail)):
            axes = ', '.join('k' if want is None else str(want) for want in shape)
            raise ShapeError(name, f'(..., {axes})', array.shape)
    if not np.isfinite(array).all():
        index = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise NonFiniteError(name, index, float(array[index]))
    return array


def _converted(name, value):
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise NonFiniteError(name, (), value) from None


def check_states(n, **values):
    """
    Return arguments whose last axis is the joint, broadcast against each other.

    Parameters
    ----------
    n : int
        The number of joints.
    **values : array_like, shape (..., n)
        By the names they have for the caller.

    Returns
    -------
    arrays : list of ndarray, shape (..., n)

    Raises
    ------
    ShapeError
        If a last axis is not `n`, or the leading axes do not broadcast.
    NonFiniteError
        If an entry is NaN, infinite, or no number.

    """
    arrays = []
    same = True
    for name, value in values.items():
        if type(value) is list or type(value) is tuple:
            value = _converted(name, value)
        if not _is_plain(value, n):
            value = check_array(name, value, (n,))
        arrays.append(value)
        same = same and value.shape == arrays[0].shape
    return arrays if same else broadcast_leading(values, arrays)


def _is_plain(value, n):
    """
    Return whether a value needs no further look: a finite float64 array of `n` columns.

    The square of a vector is finite only if the vector is: one product instead of a mask. Finite
    numbers whose square overflows are sent the long way, which finds nothing wrong with them.

    """
    if type(value) is not np.ndarray or value.dtype is not FLOAT64:
        return False
    shape = value.shape
    if not shape or shape[-1] != n:
        return False
    flat = value.ravel()
    if flat.size > FEW_NUMBERS:
        return isfinite(flat.max()) and isfinite(flat.min())  # NaN gets through both
    return isfinite(flat.dot(flat))


def broadcast_leading(names, arrays):
    """
    Broadcast the leading axes of arrays whose last axis may differ in length.

    Parameters
    ----------
    names : iterable of str
        The arguments' names, for errors.
    arrays : list of ndarray, shape (..., k)

    Returns
    -------
    arrays : list of ndarray

    Raises
    ------
    ShapeError
        If the leading axes do not broadcast.

    """
    try:
        lead = np.broadcast_shapes(*(array.shape[:-1] for array in arrays))
    except ValueError:
        shapes = ', '.join(f'{name} {array.shape}' for name, array in zip(names, arrays))
        raise ShapeError(', '.join(names), 'leading axes that broadcast',
                         arrays[0].shape, f'the shapes are {shapes}') from None
    return [np.broadcast_to(array, lead + array.shape[-1:]) for array in arrays]
