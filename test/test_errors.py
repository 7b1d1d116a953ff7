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

"""Errors travel: to another process and back, and through a copy, with all they carry."""

import copy
import importlib
import multiprocessing
from pathlib import Path
import pickle

import pytest

import twolink_dynamics as tl
from twolink_dynamics import errors

# What a constructor is called with, by the names of its arguments.
GIVEN = {
    'name': 'kp', 'value': -1.0, 'expected': 'a number', 'actual': (3,), 'hint': 'transpose it',
    'index': (1, 2), 'problem': 'no such link', 'file': 'arm.urdf', 'line': 7,
    'element': 'joint "elbow"', 'names': ('a', 'b'), 'which': 'tip_link', 'candidates': ('l', 'r'),
    'joint': 'elbow', 't': 1.5, 'q': (0.0, 1.0), 'qd': (2.0, 3.0), 'code': -2, 'point': 4,
    'package': 'numba', 'purpose': 'compiled code', 'extra': 'fast', 'folder': '/opt',
    'findings': ('link "a": no mass',),
    'known': ('joint1', 'joint2'), 'kind': 'effort', 'indefinite': True, 'output': ['no answer'],
}


def every_error():
    """Return every class of error of this package, those of rooms that import ROS apart."""
    root = Path(tl.__file__).parent
    for path in sorted(root.rglob('*.py')):
        if path.name != '__init__.py' and 'Error)' in path.read_text():
            name = '.'.join(path.relative_to(root.parent).with_suffix('').parts)
            try:
                importlib.import_module(name)
            except ModuleNotFoundError as error:
                assert not (error.name or '').startswith('twolink'), error
    found, new = [], [errors.TwoLinkError]
    while new:
        kind = new.pop()
        found.append(kind)
        new += kind.__subclasses__()
    return sorted(set(found), key=lambda kind: f'{kind.__module__}.{kind.__qualname__}')


def an_error(kind):
    """Return an error of a class, with every argument of its constructor given."""
    if '__init__' not in {name for base in kind.__mro__ for name in vars(base)
                          if issubclass(base, errors.TwoLinkError)}:
        return kind('joint "elbow" is upside down')
    code = kind.__init__.__code__
    return kind(*(GIVEN[name] for name in code.co_varnames[1:code.co_argcount]))


def assert_equal(found, error):
    """Check that an error is another's equal: class, message, attributes."""
    assert type(found) is type(error)
    assert str(found) == str(error) and found.args == error.args
    assert vars(found) == vars(error)
    builtins = [base for base in type(error).__mro__ if base.__module__ == 'builtins']
    assert all(isinstance(found, base) for base in builtins)
    if isinstance(error, ImportError):
        assert found.msg == error.msg


@pytest.mark.parametrize('kind', every_error(), ids=lambda kind: kind.__name__)
@pytest.mark.parametrize('travel', [
    copy.copy, copy.deepcopy,
    *(lambda error, protocol=protocol: pickle.loads(pickle.dumps(error, protocol))
      for protocol in range(pickle.HIGHEST_PROTOCOL + 1))],
    ids=['copy', 'deepcopy', *(f'pickle{k}' for k in range(pickle.HIGHEST_PROTOCOL + 1))])
def test_every_error_arrives_whole(kind, travel):
    error = an_error(kind)
    error.note = 'added by the caller'
    assert_equal(travel(error), error)


def test_an_error_in_a_worker_arrives_whole(tmp_path, monkeypatch):
    (tmp_path / 'worker_that_raises.py').write_text('def throw(error):\n    raise error\n')
    monkeypatch.syspath_prepend(tmp_path)
    throw = importlib.import_module('worker_that_raises').throw
    given = [an_error(kind) for kind in every_error()]
    with multiprocessing.get_context('spawn').Pool(1) as pool:
        arriving = [pool.apply_async(throw, (error,)) for error in given]
        for result, error in zip(arriving, given):
            with pytest.raises(type(error)) as caught:
                # One that cannot be unpickled here would never arrive: fail instead of hanging.
                result.get(timeout=100)
            assert_equal(caught.value, error)


def test_a_copy_of_an_error_moves_only_itself():
    error = errors.ParameterError('kp', [1.0, -2.0], 'no negative number')
    copied = copy.deepcopy(error)
    copied.value[0] = 7.0
    copied.name = 'kd'
    assert error.value == [1.0, -2.0] and error.name == 'kp'


@pytest.mark.parametrize('value', [10 ** 5000, 'x' * 10000, list(range(10000))],
                         ids=['integer', 'text', 'list'])
def test_a_message_is_one_short_line_whatever_came(value):
    text = str(errors.ParameterError('kp', value, 'a number'))
    assert text.startswith('kp: expected a number, got ') and '\n' not in text and len(text) < 250
