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

"""The units of a joint: of turning, or of sliding."""

from __future__ import annotations

from typing import Sequence

__all__ = ['units']


def units(joint_types: Sequence[str]) -> tuple[list[str], list[str]]:
    """
    Return the units of each joint's position and effort.

    Parameters
    ----------
    joint_types : sequence of str

    Returns
    -------
    position, effort : list of str

    """
    prismatic = [kind == 'prismatic' for kind in joint_types]
    return ['m' if p else 'rad' for p in prismatic], ['N' if p else 'N m' for p in prismatic]
