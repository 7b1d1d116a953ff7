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
Validators: what a user passes becomes numbers and arrays, or an error that says what is wrong.

One policy for every argument:

- A number is an integer or a float of Python or NumPy, a fraction, or an array of one such without
  axes. A truth value, a text, a complex number, an array of objects or an integer too large for a
  float is none.
- What is no number, NaN or infinite is a :class:`~.errors.NonFiniteError`, an array of another
  shape a :class:`~.errors.ShapeError`, a number out of its range a
  :class:`~.errors.ParameterError`; each names the argument.
- What a joint has may be given as one number for all joints, or as one per joint.

"""

from __future__ import annotations

from math import inf, isfinite
from numbers import Real
import operator
import sys
from typing import Any, Iterable

import numpy as np

from twolink_dynamics.array_types import FloatArray, Vector
from twolink_dynamics.errors import NonFiniteError, ParameterError, ShapeError

__all__ = ['broadcast_leading', 'check_array', 'check_states', 'count', 'finite_efforts',
           'float_array', 'number', 'per_joint', 'vector']

FLOAT64 = np.dtype(np.float64)

# BLAS sets its threads to work on longer vectors, which may wait for a busy core.
FEW_NUMBERS = 4096


def number(name: str, value: object, low: float = -inf, high: float = inf, *,
           above: float | None = None) -> float:
    """
    Return a finite number of a range.

    Parameters
    ----------
    name : str
        The argument's name, for errors.
    value : object
    low, high : float
        The ends of the range, allowed themselves.
    above : float, optional
        What the number must exceed, in place of `low`.

    Returns
    -------
    number : float

    Raises
    ------
    NonFiniteError
        If it is no number, NaN or infinite.
    ParameterError
        If it is out of the range.

    """
    result = _as_float(name, value)
    if not isfinite(result):
        raise NonFiniteError(name, (), result)
    if not _in_range(result, low, high, above):
        raise ParameterError(name, result, 'a number ' + _range(low, high, above))
    return result


def _as_float(name: str, value: Any) -> float:
    if value.__class__ is float:
        return value
    if isinstance(value, np.ndarray) and value.ndim == 0 and value.dtype.kind in 'iuf':
        value = value[()]
    if isinstance(value, Real) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            pass
    raise NonFiniteError(name, (), value)


def _in_range(value: float, low: float, high: float, above: float | None) -> bool:
    return low <= value <= high and (above is None or value > above)


def _range(low: float, high: float, above: float | None) -> str:
    lower = f'above {above:g}' if above is not None else f'from {low:g}' if low > -inf else ''
    upper = '' if high == inf else f' to {high:g}'
    return f'of {low:g} or more' if lower.startswith('from') and not upper else lower + upper


def count(name: str, value: Any, low: int = 0) -> int:
    """
    Return a whole number of `low` or more.

    Raises
    ------
    NonFiniteError
        If it is no number, NaN or infinite.
    ParameterError
        If it is not whole, too low, or larger than any length in memory.

    """
    try:
        whole = low - 1 if isinstance(value, bool) else operator.index(value)
    except TypeError:
        value, whole = number(name, value), low - 1
    if not low <= whole <= sys.maxsize:
        raise ParameterError(name, value, f'a whole number of {low} or more')
    return whole


def vector(name: str, values: object, n: int) -> tuple[float, ...]:
    """
    Return exactly n finite numbers as a tuple of floats.

    Raises
    ------
    ShapeError, NonFiniteError

    """
    array = check_array(name, values)
    if array.shape != (n,):
        raise ShapeError(name, f'({n},)', array.shape)
    return tuple(array.tolist())


def per_joint(name: str, values: object, n: int, low: float = -inf, high: float = inf, *,
              above: float | None = None, infinite: bool = False) -> tuple[float, ...]:
    """
    Return one number per joint, from one for all joints or one per joint.

    Parameters
    ----------
    name : str
        The argument's name, for errors.
    values : float or array_like, shape (n,) or (1,)
    n : int
        The number of joints.
    low, high, above : float
        The range of each, as of :func:`number`.
    infinite : bool
        Whether a number may be infinite, as a limit may.

    Returns
    -------
    values : tuple of float, length n

    Raises
    ------
    ShapeError, NonFiniteError, ParameterError

    """
    if values.__class__ is float and isfinite(values) and _in_range(values, low, high, above):
        return (values,) * n
    array = check_array(name, values, infinite=infinite)
    if array.shape not in ((), (1,), (n,)):
        raise ShapeError(name, f'() or ({n},)', array.shape)
    row = tuple(np.broadcast_to(array, (n,)).tolist())
    if not all(_in_range(value, low, high, above) for value in row):
        raise ParameterError(name, values, 'numbers ' + _range(low, high, above))
    return row


def finite_efforts(tau: Any, n: int) -> Vector:
    """
    Return n efforts as floats, quickly where they are what they should be.

    Raises
    ------
    ShapeError, NonFiniteError

    """
    if tau.__class__ is np.ndarray and tau.dtype is FLOAT64:
        tau = tau.tolist()
    if (tau.__class__ is list or tau.__class__ is tuple) and len(tau) == n:
        zero = 0.0
        for x in tau:
            if x.__class__ is not float:
                break
            zero += x - x  # NaN if x is not finite
        else:
            if zero == 0.0:
                return list(tau)
    return vector('tau', tau, n)


def check_array(name: str, value: object,
                shape: tuple[int | None, ...] | None = None, *,
                infinite: bool = False) -> FloatArray:
    """
    Return an argument as a float64 array of finite numbers.

    Parameters
    ----------
    name : str
        The argument's name, for errors.
    value : array_like
    shape : tuple of (int or None), optional
        The trailing axes expected; None stands for any length. Leading axes are free.
    infinite : bool
        Whether an entry may be infinite, as a limit may.

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
    array = float_array(name, value)
    if shape is not None:
        tail = array.shape[array.ndim - len(shape):] if array.ndim >= len(shape) else None
        if tail is None or any(want not in (None, have) for want, have in zip(shape, tail)):
            axes = ', '.join('k' if want is None else str(want) for want in shape)
            raise ShapeError(name, f'(..., {axes})', array.shape)
    fine = ~np.isnan(array) if infinite else np.isfinite(array)
    if not fine.all():
        index = tuple(int(i) for i in np.argwhere(~fine)[0])
        raise NonFiniteError(name, index, float(array[index]))
    return array


def float_array(name: str, value: object) -> FloatArray:
    """
    Return an argument as a float64 array, which may have NaN and infinity in it.

    Raises
    ------
    NonFiniteError
        If an entry is no number.

    """
    try:
        array = np.asarray(value)
        if array.dtype is FLOAT64:
            return array
        if array.dtype.kind in 'iuf':
            return array.astype(np.float64)
        if array.dtype.kind == 'O' and array is not value:  # integers beyond 64 bits, fractions
            return np.array([_as_float(name, item) for item in array.flat]).reshape(array.shape)
    except (TypeError, ValueError, OverflowError):
        pass
    rows = isinstance(value, (list, tuple)) and {list, tuple} & set(map(type, value))
    raise NonFiniteError(
        name, (), value, 'finite numbers, as many in every row' if rows else 'a finite number')


def check_states(n: int, **values: Any) -> list[FloatArray]:
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
            value = float_array(name, value)
        if not _is_plain(value, n):
            value = check_array(name, value, (n,))
        arrays.append(value)
        same = same and value.shape == arrays[0].shape
    return arrays if same else broadcast_leading(values, arrays)


def _is_plain(value: Any, n: int) -> bool:
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


def broadcast_leading(names: Iterable[str], arrays: list[FloatArray]) -> list[FloatArray]:
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
