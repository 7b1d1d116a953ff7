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

"""What is a number, and what an argument that is none is answered with."""

from fractions import Fraction
import math

import numpy as np
import pytest

from twolink_dynamics.errors import NonFiniteError, ParameterError, ShapeError
from twolink_dynamics.validation import check_array, check_states, count, finite_efforts, \
    number, per_joint, vector

NUMBERS = [2, 2.0, np.float32(2.0), np.float64(2.0), np.int64(2), np.uint8(2), np.array(2),
           np.array(2.0), np.longdouble(2), Fraction(2)]
NO_NUMBERS = ['2', b'2', 'two', None, 2j, np.complex64(2), True, np.bool_(True), 10 ** 400,
              10 ** 5000, -10 ** 400, np.array(2.0, dtype=object), object(), {}, {2.0}, print,
              np.datetime64('2026-01-01'), math.nan, math.inf, -math.inf, np.float32('nan'),
              np.array(math.inf), float]
# Each takes any one value as a number, or as one of its numbers.
SCALARS = {
    'number': lambda value: number('x', value),
    'count': lambda value: count('x', value),
}
ARRAYS = {
    'vector': lambda values: vector('tau', values, 2),
    'per_joint': lambda values: per_joint('tau', values, 2),
    'check_array': lambda values: tuple(check_array('tau', values, (2,)).tolist()),
    'check_states': lambda values: tuple(check_states(2, tau=values)[0].tolist()),
    'finite_efforts': lambda values: tuple(finite_efforts(values, 2)),
}


def name_of(value):
    """Return a test's name for a value."""
    try:
        return f'{type(value).__name__} {value!r:.20}'
    except ValueError:
        return 'an integer of thousands of digits'


@pytest.mark.parametrize('value', NUMBERS, ids=name_of)
def test_a_number_is_a_number_everywhere(value):
    found = number('x', value)
    assert type(found) is float and found == 2.0
    for check in ARRAYS.values():
        found = check([value, 1.0])
        assert found == (2.0, 1.0) and set(map(type, found)) == {float}
    assert per_joint('x', value, 3) == (2.0, 2.0, 2.0)


@pytest.mark.parametrize('value', NO_NUMBERS, ids=name_of)
@pytest.mark.parametrize('check', SCALARS.values(), ids=SCALARS)
def test_what_is_no_number_is_no_number_anywhere(check, value):
    if check is SCALARS['count'] and isinstance(value, (bool, int)):
        return  # whole, and refused by its range: see below
    with pytest.raises(NonFiniteError, match='^x: expected a finite number, got '):
        check(value)


@pytest.mark.parametrize('value', NO_NUMBERS, ids=name_of)
@pytest.mark.parametrize('check', ARRAYS.values(), ids=ARRAYS)
def test_an_array_of_what_is_no_number_is_refused_by_its_name(check, value):
    if isinstance(value, (bool, np.bool_)):
        values = [value, value]     # beside a float, NumPy makes a float of it
    else:
        values = [value, 1.0]
    if isinstance(value, np.ndarray) and value.dtype == object:
        return      # NumPy takes the number out of it
    for given in (values, tuple(values)):
        with pytest.raises(NonFiniteError, match=r'^tau(\[0\])?: expected a finite number, got '):
            check(given)


@pytest.mark.parametrize('check', ARRAYS.values(), ids=ARRAYS)
@pytest.mark.parametrize('values', [
    'ab', None, [[1.0, 2.0], [3.0]], {'a': 1.0, 'b': 2.0}, iter([1.0, 2.0]), object(),
    np.array([1.0, None]), np.array([1.0, 2.0], dtype=object), np.array(['1', '2']),
    np.array([1.0, 2.0], dtype=complex), [1.0, [2.0]], np.zeros(2, dtype='datetime64[s]'),
], ids=name_of)
def test_what_is_no_array_of_numbers_is_refused_by_its_name(check, values):
    with pytest.raises(NonFiniteError, match='^tau: expected (a )?finite number'):
        check(values)


@pytest.mark.parametrize('check', ARRAYS.values(), ids=ARRAYS)
@pytest.mark.parametrize('values', [[1.0, 2.0, 3.0], [], np.zeros((2, 3))], ids=name_of)
def test_a_wrong_length_is_a_wrong_shape(check, values):
    with pytest.raises(ShapeError, match='^tau: expected shape '):
        check(values)


@pytest.mark.parametrize('values', [
    np.array([1, 2]), np.array([1, 2], dtype=np.uint8), np.array([1, 2], dtype=np.float16),
    np.array([[1.0, 9.0], [2.0, 9.0]])[:, 0], np.array([1.0, 2.0], dtype='>f8'), range(1, 3),
    (np.float32(1), 2), [Fraction(1), 2], np.array([1.0, 2.0, 3.0])[:2],
], ids=name_of)
@pytest.mark.parametrize('check', ARRAYS.values(), ids=ARRAYS)
def test_numbers_may_come_in_any_array(check, values):
    assert check(values) == (1.0, 2.0)


def test_a_limit_may_be_infinite_and_never_nan():
    limits = [-math.inf, math.inf]
    assert check_array('lower', limits, infinite=True).tolist() == limits
    assert per_joint('upper', math.inf, 2, above=0.0, infinite=True) == (math.inf, math.inf)
    for check in (check_array, lambda *given, **how: per_joint(*given, 2, **how)):
        with pytest.raises(NonFiniteError, match=r'^lower\[1\]: expected a finite number'):
            check('lower', [math.inf, math.nan], infinite=True)


def test_an_integer_beyond_64_bits_is_a_number_if_a_float_can_be_so_large():
    assert check_array('x', [2 ** 70, 1.0]).tolist() == [2.0 ** 70, 1.0]
    assert check_array('x', [[2 ** 70], [1]]).shape == (2, 1)


def test_the_index_says_which_number_is_not_finite():
    with pytest.raises(NonFiniteError, match=r'^q\[1, 0\]: expected a finite number, got nan'):
        check_array('q', [[0.0, 1.0], [math.nan, math.inf]])


def test_efforts_keep_the_sign_of_zero():
    assert math.copysign(1.0, finite_efforts([-0.0, 1.0], 2)[0]) == -1.0
    assert math.copysign(1.0, finite_efforts(np.array([-0.0, 1.0]), 2)[0]) == -1.0


@pytest.mark.parametrize('bounds, good, bad, words', [
    ({'low': 0.0}, [0.0, 5e300], [-5e-324], 'of 0 or more'),
    ({'low': 0.0, 'high': 1.0}, [0.0, 1.0], [-1.0, 1.0000001], 'from 0 to 1'),
    ({'above': 0.0}, [5e-324], [0.0, -0.0, -1.0], 'above 0'),
    ({'above': 0.0, 'high': 1.0}, [0.5, 1.0], [0.0, 1.5], 'above 0 to 1'),
])
def test_a_range_is_said_and_kept(bounds, good, bad, words):
    for value in good:
        assert number('x', value, **bounds) == value
        assert per_joint('x', value, 2, **bounds) == (value, value)
    for value in bad:
        with pytest.raises(ParameterError, match=f'^x: expected a number {words}, got ') as caught:
            number('x', value, **bounds)
        assert (caught.value.name, caught.value.value) == ('x', value)
        with pytest.raises(ParameterError, match=f'^x: expected numbers {words}, got '):
            per_joint('x', [good[0], value], 2, **bounds)


@pytest.mark.parametrize('value', [3, np.int64(3), np.uint8(3), np.array(3)], ids=name_of)
def test_a_whole_number_is_an_integer(value):
    found = count('starts', value, 1)
    assert type(found) is int and found == 3


@pytest.mark.parametrize('value', [0, -1, 2.5, 3.0, True, 10 ** 400, 10 ** 5000], ids=name_of)
def test_a_number_that_is_not_whole_is_refused(value):
    with pytest.raises(ParameterError, match='^starts: expected a whole number of 1 or more, got'):
        count('starts', value, 1)
