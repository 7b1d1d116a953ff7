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

import math

from twolink_dynamics.errors import ParameterError

__all__ = ['Ahead', 'ahead']


def ahead(trajectory, lead):
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

    def __init__(self, trajectory, lead):
        if not 0.0 <= lead < math.inf:
            raise ParameterError('lead', lead, 'a time in seconds, 0 or more')
        self.trajectory, self.lead = trajectory, float(lead)

    def __getattr__(self, name):
        """Return what the trajectory has."""
        if name.startswith('__'):
            raise AttributeError(name)
        return getattr(self.__dict__['trajectory'], name)

    def sample(self, t):
        """Return position and velocity of `t`, and the acceleration of later."""
        q, qd, _ = self.trajectory.sample(t)
        return q, qd, self.trajectory.sample(t + self.lead)[2]

    def sample_many(self, times):
        """Return what :meth:`sample` gives at each of many times."""
        q, qd, _ = self.trajectory.sample_many(times)
        return q, qd, self.trajectory.sample_many([t + self.lead for t in times]
                                                  if isinstance(times, (list, tuple))
                                                  else times + self.lead)[2]
