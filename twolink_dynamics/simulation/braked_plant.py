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

"""A plant that can also be held by brakes, while its sensors go on to see."""

from dataclasses import replace
import math

from twolink_dynamics.errors import DivergenceError
from twolink_dynamics.simulation.actuators import Actuators
from twolink_dynamics.simulation.brakes import Brakes
from twolink_dynamics.simulation.plant import Plant, PlantOptions
from twolink_dynamics.simulation.sensors import Sensors

__all__ = ['BrakedPlant']

# What the plant leaves to us: actuators and sensors live on while brakes hold the bodies.
_BODIES = {'effort_limits': False, 'actuator_lag': 0.0, 'command_delay': 0.0,
           'position_noise': 0.0, 'velocity_noise': 0.0, 'encoder_resolution': 0.0,
           'differentiate': False, 'velocity_filter': 0.0}


class BrakedPlant:
    """
    A plant with brakes; without them it moves exactly as :class:`.Plant` does.

    Parameters
    ----------
    arm : Arm
        The model.
    dt : float
        [s].
    q0, qd0 : sequence of float, length n, optional
    options : PlantOptions, optional
    seed : int
        Of the noise.

    Attributes
    ----------
    q, qd : sequence of float, length n
        The present state.
    tau : sequence of float, length n
        The efforts that were applied to come to it.
    measured : tuple of two sequences of float, length n
        The present state as the sensors see it.
    saturated : bool
        Whether the last command was beyond a limit.

    """

    def __init__(self, arm, dt, q0=None, qd0=None, options=None, seed=0):
        options = options or PlantOptions()
        self._plant = Plant(arm, dt, q0, qd0, replace(options, **_BODIES))
        self._sensors = Sensors(arm.n, dt, options, seed)
        self._zero, infinite = (0.0,) * arm.n, (math.inf,) * arm.n
        limits = self._plant.arm.limits
        self._actuators = Actuators(
            dt, tuple(map(float, limits.effort)) if options.effort_limits else infinite,
            options.command_delay, options.actuator_lag)
        stops = ((limits.lower, limits.upper) if options.stops
                 else ([-x for x in infinite], infinite))
        self._brakes = Brakes(dt, *[tuple(map(float, x)) for x in stops])
        self._load = None
        self.reset()

    def reset(self):
        """Go back to the start; what is carried and what pushes stay."""
        self._plant.reset()
        if self._load is not None:
            self._plant.pick_up(*self._load)
        self._actuators.reset()
        self._sensors.reset()
        self._brakes.release()
        self._arrive(self._zero)

    def _arrive(self, tau):
        self.tau, self.q, self.qd = tau, self._plant.q, self._plant.qd
        self.saturated = self._actuators.saturated
        self.measured = ((self.q, self.qd) if self._sensors.perfect
                         else self._sensors.measure(self.q, self.qd))

    def step(self, tau):
        """
        Advance by one step.

        Parameters
        ----------
        tau : sequence of float, length n
            The command.

        Raises
        ------
        DivergenceError
            If the state leaves the finite; the arm then stands at the last finite one.

        """
        self._brakes.release()
        # Limits, delay and lag come before the wrench on the tip, which has none of them.
        applied = self._actuators.applied(tau)
        try:
            self._plant.step(applied)
        except DivergenceError:
            self.qd = self._zero
            self.measured = self.measured[0], self._zero
            raise
        self._arrive(applied)

    def brake(self):
        """Advance by one step with the brakes on and no effort."""
        plant = self._plant
        self._actuators.applied(self._zero)
        plant.q, plant.qd = self._brakes.step(plant.q, plant.qd)
        self._arrive(self._zero)

    def push(self, wrench):
        """
        Let the surroundings push at the tip, until the next push.

        Parameters
        ----------
        wrench : array_like, shape (6,), or None
            Force and moment, base-aligned at the tip [N, N m].

        """
        self._plant.push(wrench)

    def carry(self, load):
        """
        Pick up a load, or let it go.

        Parameters
        ----------
        load : tuple of mass, com, inertia, or None
            As :meth:`.Plant.pick_up` takes it.

        Raises
        ------
        ParameterError, ShapeError, NonFiniteError, ModelError
            If there is no such load; the arm then carries what it did.

        """
        if load is not None:
            self._plant.pick_up(*load)
        elif self._load is not None:
            self._plant.drop()
        self._load = load

    @property
    def energy(self):
        """Kinetic and potential energy of the arm and its load [J]."""
        return self._plant.energy
