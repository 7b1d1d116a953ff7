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

"""What happens at a moment of a simulation."""

from collections import namedtuple

__all__ = ['Event']

Event = namedtuple('Event', 't kind joint value')
Event.__doc__ = """
Something that happened at a moment.

Attributes
----------
t : float
    [s].
kind : str
    ``'impact'``, ``'stick'`` (a joint came to rest, held by friction or a stop), ``'slip'`` (it
    broke away), ``'pick up'``, ``'drop'``.
joint : str
    The joint, or empty.
value : float
    The speed of an impact [rad/s or m/s], the mass of a payload [kg], or 0.

"""
