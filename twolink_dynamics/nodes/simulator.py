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
The simulator: a plant with a clock, a brake, a pause, and a way to wait for its controller.

Everything here is without ROS; :mod:`.simulator_node` gives it messages.

Time: simulated time counts steps, so stamps are equidistant to the nanosecond. With a clock of the
simulator's own (`publish_clock`, `lockstep`) it begins at 1 s, for a stamp of 0 means "none" in
ROS; otherwise it begins at the wall clock's time, once: a pause, or time that the loop let slip,
makes it lag behind the wall clock by as much, and no stamp ever jumps.

"""

import threading
import time

from . import entry
from .messages import SECOND
from ..control.safety import clamp_effort
from ..errors import DivergenceError, ParameterError
from ..simulation.plant import Plant, PlantOptions

__all__ = ['SimulatedArm', 'main']

# A state nobody has answered yet is sent again this often [s]: the controller may start later.
FIRST_ANSWER_SLICE = 0.05


class SimulatedArm:
    """
    A plant with a clock, a brake and a pause.

    Parameters
    ----------
    arm : Arm
    rate : float
        Steps per second.
    initial_position, initial_velocity : sequence of float, length n, optional
    brake : bool
        Whether the arm stands still until the first effort. An arm that starts in motion is not
        braked.
    paused : bool
    lockstep : bool
        Whether a step needs the effort that answers the last state: see :meth:`await_answer`.
    start_ns : int
        The stamp of the first state [ns].

    Attributes
    ----------
    lock : threading.Lock
        Held by whoever steps, resets or reads more than one attribute.
    start_ns, ns : int
        The stamps of the first and of the present state [ns].
    q, qd, tau : sequence of float
        The present state, and the efforts that were applied to come to it.
    paused, braked : bool
    diverged : str
        Why the simulation stopped, or empty.
    saturated_steps : int

    """

    def __init__(self, arm, rate=1000.0, initial_position=None, initial_velocity=None, brake=True,
                 paused=False, lockstep=False, start_ns=SECOND):
        for name, value in (('initial_position', initial_position),
                            ('initial_velocity', initial_velocity)):
            if value is not None and len(value) != arm.n:
                raise ParameterError(name, list(value), f'{arm.n} numbers, one per joint')
        self.arm, self.lockstep, self.paused = arm, lockstep, paused
        self.period_ns = round(SECOND / rate)
        # The effort is limited here, since the wrench on the tip must not be.
        self._plant = Plant(arm, self.period_ns * 1e-9, initial_position, initial_velocity,
                            PlantOptions(effort_limits=False))
        self._limits = tuple(float(x) for x in arm.limits.effort)
        self._brake = brake and not any(self._plant.qd)
        self.start_ns = self.ns = start_ns
        self.lock = threading.Lock()
        self._answered = threading.Semaphore(0)
        self.ever_answered = False
        self._wrench = None
        self.saturated_steps = 0
        self._restart()

    def _restart(self):
        plant = self._plant
        plant.reset()
        self._zero = (0.0,) * self.arm.n
        self.q, self.qd, self.tau = plant.q, plant.qd, self._zero
        self._command = self._zero
        self.braked, self.diverged = self._brake, ''
        self._answer_ns = None

    def command(self, tau):
        """
        Take an effort that holds from the next step on.

        Parameters
        ----------
        tau : sequence of float, length n
            Finite [N m or N].

        """
        self._command = tau
        self.braked = False

    def answer(self, ns, tau):
        """
        Take the effort that answers a state, in lockstep.

        Parameters
        ----------
        ns : int
            The stamp of the state it answers.
        tau : sequence of float, length n

        Returns
        -------
        used : bool
            Whether it answers the present state, for the first time.

        """
        with self.lock:
            if ns != self.ns or self._answer_ns == ns:
                return False
            self.command(tau)
            self._answer_ns = ns
            self.ever_answered = True
        self._answered.release()
        return True

    @property
    def answered(self):
        """Whether the present state was answered."""
        return self._answer_ns == self.ns

    def await_answer(self, timeout):
        """
        Wait until the present state is answered.

        Parameters
        ----------
        timeout : float
            [s].

        Returns
        -------
        answered : bool

        """
        # Answers to states that a reset made obsolete may have left a count: look at the stamp.
        end = time.monotonic() + timeout
        while not self.answered:
            left = end - time.monotonic()
            if left <= 0.0 or not self._answered.acquire(timeout=left):
                return self.answered
        return True

    def push(self, wrench):
        """
        Take the wrench the surroundings exert on the tip; it holds until the next.

        Parameters
        ----------
        wrench : sequence of float, length 6, or None
            Force and moment, base-aligned at the tip [N, N m].

        """
        self._wrench = wrench if wrench is not None and any(wrench) else None

    def step(self):
        """
        Advance by one step; the caller holds the lock.

        Returns
        -------
        advanced : bool
            False if the simulation diverged: the arm then stays at the last finite state, paused.

        """
        if self.diverged:
            return False
        if self.braked:
            self.ns += self.period_ns
            return True
        tau, saturated = clamp_effort(self._command, self._limits)
        try:
            self.q, self.qd = self._plant.step(self._pushed(tau))
        except DivergenceError as error:
            self.diverged, self.paused, self.qd = str(error), True, self._zero
            return False
        self.tau = tau
        self.saturated_steps += saturated
        self.ns += self.period_ns
        return True

    def _pushed(self, tau):
        if self._wrench is None:
            return tau
        return (tau + self.arm.jacobian(self.q).T @ self._wrench).tolist()

    def reset(self, clock=False):
        """
        Go back to the start, with no effort and the brake as it was; the caller holds the lock.

        Parameters
        ----------
        clock : bool
            Whether time starts anew, too; otherwise the start is one step later than the present.

        """
        self.ns = self.start_ns if clock else self.ns + self.period_ns
        self.paused = self.paused and not self.diverged
        self._restart()


def main(args=None):
    """
    Run the simulator node until it is told to stop.

    Parameters
    ----------
    args : list of str, optional
        Command line, with ROS arguments; ``sys.argv`` if not given.

    Returns
    -------
    status : int
        The exit status.

    """
    return entry.run('simulator', 'simulator_node', 'SimulatorNode', args)


if __name__ == '__main__':
    raise SystemExit(main())
