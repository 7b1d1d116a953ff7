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

"""Inputs of a simulated robot: efforts and wrenches that may be used, and why others are not."""

import time
from typing import TYPE_CHECKING

import numpy as np

from twolink_dynamics.array_types import FloatArray, Vector
from twolink_dynamics.diagnostics import MessageError
from twolink_dynamics.simulation.clock import SECOND

if TYPE_CHECKING:
    from twolink_dynamics.simulation.simulated_robot import SimulatedRobot

__all__ = ['RobotInputs']

# A stamp may be ahead of our clock by so much [ns]: clocks of machines differ a little.
FUTURE = SECOND
# Nothing pushes harder on the tip [N and N m]: such a number is a fault of the sender.
LARGEST_WRENCH = 1e6


class RobotInputs:
    """
    Hand efforts and wrenches to a simulated robot, if their stamps and frames allow it.

    Parameters
    ----------
    robot : SimulatedRobot
    own_clock : bool
        Whether stamps are by a clock of the simulator's own, not by the wall clock.

    Attributes
    ----------
    commands, wrenches, unused : int
        How many valid ones came; how many efforts answered no present state.

    """

    def __init__(self, robot: 'SimulatedRobot', own_clock: bool = False) -> None:
        self.robot, self.own_clock = robot, own_clock
        self.commands = self.wrenches = self.unused = 0

    def command_array(self, tau: Vector) -> None:
        """
        Take an effort without stamp or names.

        Parameters
        ----------
        tau : sequence of float, length n
            Finite [N m or N].

        Raises
        ------
        MessageError
            In lockstep.

        """
        if self.robot.lockstep:
            raise MessageError('no stamp in lockstep', 'an array cannot say which state it '
                               'answers; send joint_commands')
        self.commands += 1
        self.robot.command(tau)

    def command(self, tau: Vector, stamp: int) -> None:
        """
        Take an effort by name.

        Parameters
        ----------
        tau : sequence of float, length n
            Finite [N m or N].
        stamp : int
            [ns]; 0: none. In lockstep that of the state it answers.

        Raises
        ------
        MessageError
            If the stamp is ahead of the time.

        """
        self._check_stamp(stamp)
        self.commands += 1
        robot = self.robot
        used = (robot.answer(stamp, tau) if robot.lockstep else robot.command(tau, True, stamp))
        self.unused += not used

    def push(self, wrench: Vector, frame: str, stamp: int) -> None:
        """
        Take the wrench that the surroundings exert on the tip.

        Parameters
        ----------
        wrench : sequence of float, length 6
            Force and moment [N, N m].
        frame : str
            Whose axes: those of the base link (or empty) or of the tip link.
        stamp : int
            [ns]; 0: none.

        Raises
        ------
        MessageError

        """
        values = np.array(wrench)
        if not np.isfinite(values).all():
            raise MessageError('a wrench not finite', str(values.tolist()))
        if not (np.abs(values) <= LARGEST_WRENCH).all():
            raise MessageError('a wrench beyond reason', str(values.tolist()))
        self._check_stamp(stamp)
        self.robot.push(self._in_base_axes(frame.lstrip('/'), values))
        self.wrenches += 1

    def _check_stamp(self, stamp: int) -> None:
        """Refuse a stamp that is ahead of the time."""
        now = self.robot.ns
        if stamp <= now + FUTURE or self.robot.clock.is_obsolete(stamp):
            return
        if not self.own_clock:
            now = max(now, time.time_ns())
        if stamp > now + FUTURE:
            raise MessageError(
                'a stamp from the future', f'{stamp * 1e-9:.3f} s, and here it is '
                f'{now * 1e-9:.3f} s: does the sender go by another clock?')

    def _in_base_axes(self, frame: str, wrench: FloatArray) -> FloatArray:
        chain = self.robot.arm.chain
        if frame in ('', chain.base_link):
            return wrench
        if frame == chain.tip_link:
            R = self.robot.arm.tip_pose(self.robot.q)[:3, :3]
            return np.concatenate([R @ wrench[:3], R @ wrench[3:]])
        raise MessageError('a wrench in an unknown frame',
                           f'"{frame}"; expected {chain.base_link} or {chain.tip_link}')
