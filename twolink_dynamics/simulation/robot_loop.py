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

"""The loop around a simulated robot: it steps, waits for answers in lockstep, pauses, resets."""

import time
from typing import Any, Callable, TYPE_CHECKING

from twolink_dynamics.diagnostics import Level
from twolink_dynamics.simulation.simulated_robot import FIRST_ANSWER_SLICE

if TYPE_CHECKING:
    from twolink_dynamics.simulation.simulated_robot import SimulatedRobot

__all__ = ['RobotLoop']

# [s]: how often a paused simulator without a pace publishes that it is still there.
PAUSED_PERIOD = 0.01
# [s]: a state whose answer does not come may have been lost on the way, and is sent again.
RESEND = 0.2


class RobotLoop:
    """
    Run a simulated robot tick by tick, and do what clients request.

    Parameters
    ----------
    robot : SimulatedRobot
    publish : callable
        Publishes the robot's state, with its lock held. Its argument tells whether somebody waits
        for it, or time jumps.
    log : callable
        Takes a Level and a text.
    answer_timeout : float
        An answer that is missing for longer, in lockstep, is logged [s].

    Attributes
    ----------
    paced : bool
        Whether the caller calls :meth:`tick` at a pace of its own; if not, a pause must wait.
    waiting_long : bool
        Whether it was logged that an answer is missing.

    """

    def __init__(self, robot: 'SimulatedRobot', publish: Callable[[bool], Any],
                 log: Callable[[Level, str], Any], answer_timeout: float = 1.0) -> None:
        self.robot, self._publish, self._log = robot, publish, log
        self._answer_timeout = answer_timeout
        self.paced, self.waiting_long = True, False
        self._started, self._waited, self._resend_in = False, 0.0, RESEND

    def tick(self) -> None:
        """Make a step, if it may be made now, and publish where the robot is."""
        robot = self.robot
        if not self._started or robot.paused:
            if self._started and not self.paced:
                time.sleep(PAUSED_PERIOD)
            with robot.lock:
                self._publish(not self._started)
            self._started = True
        elif not robot.lockstep or self._await_answer():
            with robot.lock:
                # A reset or a pause may have come in between.
                if not robot.paused and (not robot.lockstep or robot.answered):
                    if robot.step():
                        self._publish(False)
                    else:
                        self._log(Level.ERROR, f'paused: {robot.diverged}; ~/reset starts anew')

    def _await_answer(self) -> bool:
        """Return whether the effort came; if not, publish the state again, log it in the end."""
        robot, timeout = self.robot, self._answer_timeout
        patience = min(FIRST_ANSWER_SLICE, timeout)
        if robot.answered or robot.await_answer(patience):
            if self.waiting_long:
                self._log(Level.OK, 'efforts arrive again')
            self._waited, self._resend_in, self.waiting_long = 0.0, RESEND, False
            return True
        self._waited += patience
        self._resend_in -= patience
        if self._resend_in <= 0.0 or not robot.ever_answered:
            self._resend_in = RESEND
            with robot.lock:
                self._publish(False)
        if self._waited >= timeout and not self.waiting_long:
            self._log(Level.WARN, 'lockstep: no effort on joint_commands with the stamp '
                      f'{robot.ns * 1e-9:.3f} s within {timeout:g} s; sending the state again '
                      'until it comes')
            self.waiting_long = True
        return False

    def reset(self, clock: bool) -> tuple[bool, str]:
        """
        Go back to the start.

        Parameters
        ----------
        clock : bool
            Whether time starts anew, too.

        Returns
        -------
        success : bool
        message : str

        """
        robot = self.robot
        with robot.lock:
            robot.reset(clock)
            self._publish(True)
            return True, f'at the start, {self._when()}'

    def pause(self, paused: bool) -> tuple[bool, str]:
        """
        Let time stand still, or go on.

        Parameters
        ----------
        paused : bool

        Returns
        -------
        success : bool
        message : str

        """
        robot = self.robot
        with robot.lock:
            if robot.diverged and not paused:
                return False, f'{robot.diverged}; call ~/reset'
            robot.paused = paused
            return True, f'{"paused" if paused else "running"} {self._when()}'

    def step(self) -> tuple[bool, str]:
        """
        Make one step of a paused robot.

        Returns
        -------
        success : bool
        message : str

        """
        robot = self.robot
        with robot.lock:
            if not robot.paused:
                return False, 'not paused: call ~/pause first'
            if robot.lockstep and not robot.diverged and not robot.answered:
                return False, f'no effort came yet for the state of {robot.ns * 1e-9:.6f} s'
            if not robot.step():
                return False, f'{robot.diverged}; call ~/reset'
            self._publish(True)
            return True, self._when()

    def _when(self) -> str:
        return f'at {self.robot.ns * 1e-9:.6f} s'
