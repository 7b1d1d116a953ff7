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

"""The motions that `run` and `simulate` ask for by name."""

__all__ = ['standard_motion']


def standard_motion(arm, kind, duration):
    """
    Return a trajectory of about a duration, with periods of about 4 s.

    Parameters
    ----------
    arm : Arm
    kind : {'swing', 'circle'}
    duration : float
        [s]; longer if the limits of the arm need it.

    Returns
    -------
    trajectory : Trajectory

    Raises
    ------
    TwoLinkError
        If the arm cannot do it.

    """
    from twolink_dynamics.trajectory import circle, swing

    if kind == 'circle':
        cycles = max(1, round(duration / 4.0 - 0.5))
        return circle(arm, period=duration / (cycles + 0.5), cycles=cycles)
    cycles = max(1, round(duration / 4.0))
    return swing(arm, period=duration / cycles, cycles=cycles)
