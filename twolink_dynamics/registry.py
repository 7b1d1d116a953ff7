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
The registry of laws and motions: what there is, by name, from this package and from others.

A name is one of this package's own, one that an installed distribution declares as an entry point
of the group ``twolink_dynamics.laws`` or ``twolink_dynamics.motions``, or ``module:name`` for
anything that can be imported. Nothing is imported before it is asked for by name, so a
distribution that is broken stops nobody who does not ask for it.

"""

import difflib
from functools import lru_cache
from inspect import Parameter, signature
from typing import Any, Callable, TYPE_CHECKING
import warnings

from twolink_dynamics.errors import ParameterError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ['GROUPS', 'available', 'find', 'make', 'names', 'options']

#: The groups of entry points, by kind.
GROUPS = {'law': 'twolink_dynamics.laws', 'motion': 'twolink_dynamics.motions'}

_LAWS, _MOTIONS = 'twolink_dynamics.control.laws', 'twolink_dynamics.trajectory.generators'
# In the order in which they are listed. Written out, so that they are there in a source tree, too,
# where no distribution is installed.
_OWN = {
    'law': {
        'computed_torque': f'{_LAWS}.computed_torque:ComputedTorque',
        'sampled_computed_torque': f'{_LAWS}.sampled_computed_torque:SampledComputedTorque',
        'feedforward_pd': f'{_LAWS}.feedforward_pd:FeedforwardPD',
        'gravity_pd': f'{_LAWS}.gravity_pd:GravityPD',
        'independent_pid': f'{_LAWS}.independent_pid:IndependentPID',
        'passivity': f'{_LAWS}.passivity:Passivity',
        'adaptive': f'{_LAWS}.adaptive:Adaptive',
        'operational_space': f'{_LAWS}.operational_space:OperationalSpace',
        'joint_impedance': f'{_LAWS}.joint_impedance:JointImpedance',
    },
    'motion': {
        'swing': f'{_MOTIONS}.swing:swing',
        'circle': f'{_MOTIONS}.circle:circle',
        'figure_of_eight': f'{_MOTIONS}.figure_of_eight:figure_of_eight',
        'line': f'{_MOTIONS}.line:line',
        'minimum_jerk': f'{_MOTIONS}.minimum_jerk:minimum_jerk_move',
    },
}


@lru_cache(maxsize=None)
def _entries(kind: str) -> dict[str, list['EntryPoint']]:
    """Return the entry points of a kind by name: one each, more where distributions clash."""
    from importlib.metadata import entry_points, EntryPoint

    found = {name: [EntryPoint(name, value, GROUPS[kind])] for name, value in _OWN[kind].items()}
    for entry in sorted(entry_points(group=GROUPS[kind]), key=lambda entry: entry.name):
        if entry.name in _OWN[kind]:
            warnings.warn(f'{_origin(entry)} is left out: twolink_dynamics has a {kind} of that '
                          'name; it needs another one', stacklevel=3)
        else:
            found.setdefault(entry.name, []).append(entry)
    return found


def _origin(entry: 'EntryPoint') -> str:
    """Return what an entry point is and which distribution it comes from."""
    distribution = entry.dist.name if entry.dist is not None else 'twolink_dynamics'
    return f'{entry.name} = {entry.value} of {distribution}'


def names(kind: str) -> tuple[str, ...]:
    """
    Return the registered names of a kind: this package's own first, then those of others.

    Parameters
    ----------
    kind : {'law', 'motion'}

    Returns
    -------
    names : tuple of str
        Without those that two distributions claim.

    """
    return tuple(name for name, entries in _entries(kind).items() if len(entries) == 1)


def find(kind: str, name: str) -> Callable[..., Any]:
    """
    Return what is registered by a name: a law's class, or a motion's generator.

    Parameters
    ----------
    kind : {'law', 'motion'}
    name : str
        One of :func:`names`, or ``module:name``.

    Returns
    -------
    factory : callable
        It takes an arm and options.

    Raises
    ------
    ParameterError
        If there is none, if it cannot be imported or if two distributions claim the name; the
        message names the distribution.

    """
    from importlib.metadata import EntryPoint

    entries = _entries(kind).get(name, [])
    if not entries and isinstance(name, str) and name.count(':') == 1 and all(name.split(':')):
        entries = [EntryPoint(name, name, GROUPS[kind])]
    if len(entries) > 1:
        raise ParameterError(kind, name, 'a name that only one distribution claims, not '
                             + ' and '.join(map(_origin, entries)))
    if not entries:
        near = difflib.get_close_matches(str(name), names(kind), n=1)
        raise ParameterError(kind, name, f'one of {", ".join(names(kind))}, or module:name'
                             + ''.join(f' (did you mean {one}?)' for one in near))
    try:
        factory = entries[0].load()
    except Exception as error:
        where = '' if ':' in name else f' ({_origin(entries[0])})'
        raise ParameterError(
            kind, name, f'something that can be imported{where}, but {type(error).__name__}: '
            f'{error}') from error
    if not callable(factory):
        raise ParameterError(kind, name, f'a class or function, not {factory!r}')
    return factory


def available(kind: str) -> tuple[str, ...]:
    """
    Return the registered names whose laws or motions can be imported, and warn of the others.

    Parameters
    ----------
    kind : {'law', 'motion'}

    Returns
    -------
    names : tuple of str

    """
    found = []
    for name in names(kind):
        try:
            find(kind, name)
            found.append(name)
        except ParameterError as error:
            warnings.warn(f'left out: {error}', stacklevel=2)
    return tuple(found)


def options(factory: Callable[..., Any]) -> dict[str, Parameter]:
    """
    Return what a class or function takes beside the arm, by name.

    Parameters
    ----------
    factory : callable
        Where a class hands the rest to its base (``**options``), those of the base count, too.

    Returns
    -------
    options : dict of inspect.Parameter

    """
    taken: dict[str, Parameter] = {}
    for owner in getattr(factory, '__mro__', (factory,)):
        call = vars(owner).get('__init__') if isinstance(owner, type) else owner
        if call is None:
            continue
        given = signature(call).parameters
        taken = {**given, **taken}
        if not any(one.kind is one.VAR_KEYWORD for one in given.values()):
            break
    return {name: one for name, one in taken.items() if name not in ('self', 'arm')
            and one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)}


def make(kind: str, name: str, arm: object, **given: Any) -> Any:
    """
    Return a law or a motion for an arm, by name.

    Parameters
    ----------
    kind : {'law', 'motion'}
    name : str
        As for :func:`find`.
    arm : Arm
    **given
        Its options.

    Returns
    -------
    made : Law or Trajectory

    Raises
    ------
    ParameterError
        If there is none, it has no such option, or an option that it needs is missing.
    TwoLinkError
        As it says of the values of its options.

    """
    factory = find(kind, name)
    known = options(factory)
    for option, value in given.items():
        if option not in known:
            raise ParameterError(option, value,
                                 f'to be left out: {name} takes {", ".join(sorted(known))}')
    for option, parameter in known.items():
        if parameter.default is parameter.empty and option not in given:
            raise ParameterError(option, None, f'to be given: {name} needs it')
    return factory(arm, **given)
