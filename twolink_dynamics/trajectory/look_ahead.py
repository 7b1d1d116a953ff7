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

"""Desired accelerations of a little later, for efforts that are held over a period."""

from __future__ import annotations

from typing import Any

from twolink_dynamics.array_types import ArrayLike, FloatArray
from twolink_dynamics.trajectory.trajectory import State
from twolink_dynamics.validation import check_array, number

__all__ = ['Ahead', 'ahead']


def ahead(trajectory: Any, lead: float) -> Ahead:
    """
    Return a trajectory whose accelerations are those of a time ahead.

    An effort that is held over a control period gives, on the average, the acceleration that is
    due in the middle of it: with half a period of lead the arm is not half a period late.

    Parameters
    ----------
    trajectory : Trajectory
        Or whatever has its methods.
    lead : float
        [s], half of the control period.

    Returns
    -------
    view : Ahead

    Raises
    ------
    ParameterError
        If the lead is negative or not finite.

    """
    return Ahead(trajectory, lead)


class Ahead:
    """
    A view of a trajectory with accelerations of a time ahead: see :func:`ahead`.

    It has everything the trajectory has; only what is sampled differs.

    """

    def __init__(self, trajectory: Any, lead: float) -> None:
        self.trajectory, self.lead = trajectory, number('lead', lead, 0.0)

    def __getattr__(self, name: str) -> Any:
        """Return what the trajectory has."""
        if name.startswith('__'):
            raise AttributeError(name)
        return getattr(self.__dict__['trajectory'], name)

    def sample(self, t: float) -> State:
        """Return position and velocity of `t`, and the acceleration of later."""
        q, qd, _ = self.trajectory.sample(t)
        return q, qd, self.trajectory.sample(t + self.lead)[2]

    def sample_many(self, times: ArrayLike) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return what :meth:`sample` gives at each of many times."""
        times = check_array('times', times, infinite=True)
        q, qd, _ = self.trajectory.sample_many(times)
        return q, qd, self.trajectory.sample_many(times + self.lead)[2]
