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

"""The simulated arm: rigid bodies, friction, stops, actuators and sensors, in time steps."""

import math

import numpy as np

from twolink_dynamics.errors import DivergenceError, ParameterError, ShapeError
from twolink_dynamics.simulation.actuators import Actuators
from twolink_dynamics.simulation.energy import Ledger
from twolink_dynamics.simulation.events import Event
from twolink_dynamics.simulation.integrators import check_method
from twolink_dynamics.simulation.mechanics import Mechanics
from twolink_dynamics.simulation.plain import plain_step
from twolink_dynamics.simulation.plant_options import finite_efforts, in_force, not_negative, \
    number, Payload, PlantOptions, vector
from twolink_dynamics.simulation.sensors import Sensors
from twolink_dynamics.validation import check_array

__all__ = ['Event', 'Payload', 'Plant', 'PlantOptions']

# [rad/s or m/s]: no arm moves so fast, and its energy is 1e12 times that of 1 rad/s. A simulation
# that comes here has left the finite in all but name.
SPEED_BEYOND_REASON = 1e6


class Plant:
    """
    An arm that moves in time steps, with the effort held over each step.

    Viscous friction acts in the equations of motion. Coulomb friction is constant while a joint
    slides; a joint at rest is held as long as friction suffices, so that it sticks truly. At a
    position limit a joint stops, or rebounds; the impulse acts through the mass matrix on the
    others. These events are found within the step, to the last digits.

    Parameters
    ----------
    arm : Arm
        The model; `options` may put another arm in its place.
    dt : float
        Time step [s].
    q0, qd0 : array_like, shape (n,), optional
        Where :meth:`reset` starts; the default is rest at zero, or at the limit next to it.
    options : PlantOptions, optional
    seed : int
        Of the measurement noise.

    Attributes
    ----------
    arm : Arm
        The arm that moves, with its payload if it carries one.
    t : float
        Time [s].
    q, qd : sequence of float, length n
        The present state.
    tau : sequence of float, length n
        The efforts of the last step, as they were applied.
    measured : tuple of two sequences of float, length n
        The present state as the sensors see it.
    saturated : bool
        Whether the last command was beyond an effort limit.
    ledger : Ledger or None
        The work done since the start, if the options want it.
    on_event : callable or None
        Called with each :class:`Event`.
    whole : callable or None
        ``(q, qd, tau) -> (q, qd)`` a step later, unchecked, where nothing but rigid bodies and
        viscous friction is simulated; see :meth:`accept`.

    Raises
    ------
    ShapeError, NonFiniteError, ParameterError
        If an argument is none of the arm's, such as a start beyond the limits.
    SingularMassMatrixError
        If a joint moves no inertia.

    """

    def __init__(self, arm, dt=1e-3, q0=None, qd0=None, options=None, seed=0):
        self.n = arm.n
        self.options = options = options or PlantOptions()
        if not (isinstance(dt, (int, float)) and 0.0 < dt < math.inf):
            raise ParameterError('dt', dt, 'a time step in seconds, above 0')
        self.dt = float(dt)
        check_method(options.method)
        self.arm = self._unloaded = in_force(arm, options)
        self._restitution = number('restitution', options.restitution, 0.0, 1.0)
        joints = self.arm.chain.joints
        self._damping = not_negative('damping', [j.damping for j in joints], self.n)
        self._friction = not_negative('friction', [j.friction for j in joints], self.n)
        self._set_limits()
        self._sensors = Sensors(self.n, self.dt, options, seed)
        self.ledger = Ledger() if options.ledger else None
        self.on_event, self._wrench = None, None
        self._start = self._checked_start(q0, (0.0,) * self.n if qd0 is None else qd0)
        self._mechanics = None
        # Whoever moves no inertia has no acceleration: better to hear it now than amid a loop.
        self.arm.forward_dynamics(*self._start, [0.0] * self.n)
        self.reset()

    def _set_limits(self):
        limits, options = self.arm.limits, self.options
        infinite = np.full(self.n, math.inf)
        lower, upper = (limits.lower, limits.upper) if options.stops else (-infinite, infinite)
        effort = limits.effort if options.effort_limits else infinite
        self._lower, self._upper = tuple(map(float, lower)), tuple(map(float, upper))
        self._actuators = Actuators(self.dt, tuple(map(float, effort)), options.command_delay,
                                    options.actuator_lag)
        # More than a turn in a step no fixed-step method can follow: it sees a slow motion.
        turn = (math.inf if options.method == 'adaptive' else 2.0 * math.pi / self.dt)
        self._fastest = tuple(
            SPEED_BEYOND_REASON if kind == 'prismatic' else min(turn, SPEED_BEYOND_REASON)
            for kind in self.arm.joint_types)

    def _checked_start(self, q0, qd0):
        if q0 is None:
            q0 = [min(max(0.0, low), high) for low, high in zip(self._lower, self._upper)]
        q0, qd0 = vector('q0', q0, self.n), vector('qd0', qd0, self.n)
        for name, q, low, high in zip(self.arm.joint_names, q0, self._lower, self._upper):
            if not low <= q <= high:
                raise ParameterError(f'q0 of joint "{name}"', q,
                                     f'a position within its limits [{low:g}, {high:g}]')
        return q0, qd0

    # --- how a step is done: chosen when what acts changes, not in every step --------------------

    def _change(self):
        """Have a step made anew when the next is taken: something else acts from now on."""
        self.__dict__.pop('step', None)
        self._mechanics = None

    def _build(self):
        options = self.options
        self._mechanics = made = Mechanics(
            self.arm, self.dt, options.method, self._damping, self._friction, self._lower,
            self._upper, self._restitution, self._wrench, self.ledger)
        self._bare = made.plain and self._actuators.trivial and self._sensors.perfect
        self.step = (plain_step(self, made.whole, self._fastest, self._long_step) if self._bare
                     else self._long_step)
        return made

    # --- what users call ------------------------------------------------------------------------

    def reset(self, q0=None, qd0=None):
        """
        Go back to the start, at time zero, without payload.

        Parameters
        ----------
        q0, qd0 : array_like, shape (n,), optional
            Another start, from now on.

        Raises
        ------
        ShapeError, NonFiniteError, ParameterError
            If the start is none; the plant then stays as it was.

        """
        if q0 is not None or qd0 is not None:
            self._start = self._checked_start(self._start[0] if q0 is None else q0,
                                              (0.0,) * self.n if qd0 is None else qd0)
        self.q, self.qd = self._start
        self.tau = (0.0,) * self.n
        self.steps = 0
        if self.arm is not self._unloaded:
            self.arm = self._unloaded
            self._change()
        self._actuators.reset()
        if self._mechanics is not None:
            self._mechanics.reset()
        if self.ledger is not None:
            self.ledger.reset()
        self._sensors.reset()
        self._measured = None if self._sensors.perfect else self._sensors.measure(self.q, self.qd)

    @property
    def t(self):
        """Time since the start [s]."""
        return self.steps * self.dt

    @property
    def measured(self):
        """The present state as the sensors see it: q and qd."""
        return (self.q, self.qd) if self._measured is None else self._measured

    @property
    def saturated(self):
        """Whether the last command was beyond an effort limit."""
        return self._actuators.saturated

    @property
    def damping(self):
        """Viscous coefficients of the joints [N m s/rad or N s/m], a tuple of n floats."""
        return self._damping

    @property
    def bounds(self):
        """Lower and upper stops, effort limits, speeds beyond reason: four tuples of n floats."""
        return self._lower, self._upper, self._actuators.limits, self._fastest

    @property
    def is_smooth(self):
        """Whether there are but rigid bodies, viscous friction, effort limits and stops."""
        options = self.options
        return (not any(self._friction) and self._actuators.immediate and self.ledger is None
                and self._sensors.perfect and options.tip_wrench is None
                and not options.payloads)

    @property
    def energy(self):
        """Kinetic plus potential energy of the arm and its payload [J]."""
        return float(self.arm.kinetic_energy(self.q, self.qd) + self.arm.potential_energy(self.q))

    def step(self, tau):
        """
        Advance by one time step.

        Parameters
        ----------
        tau : sequence of float, length n
            Efforts [N m or N], held over the step; applied as the actuators do.

        Returns
        -------
        q, qd : sequence of float, length n
            The new state.

        Raises
        ------
        ShapeError, NonFiniteError
            If the efforts are not n finite numbers; the plant then stays as it was.
        DivergenceError
            If the state leaves the finite; it then stays at the last finite one.

        """
        if self._mechanics is None:
            self._build()
        return self.step(tau)

    @property
    def whole(self):
        """A step's bare arithmetic, where nothing but rigid bodies is simulated, or None."""
        made = self._mechanics or self._build()
        return made.whole if self._bare else None

    def _long_step(self, tau):
        tau = finite_efforts(tau, self.n)
        applied = tau if self._actuators.trivial else self._actuators.applied(tau)
        try:
            q, qd = (self._mechanics or self._build()).moved(
                self.q, self.qd, applied, None if self.on_event is None else self._report)
            for v, s in zip(qd, self._fastest):
                if not -s < v < s:
                    raise OverflowError
        except (OverflowError, ValueError, ZeroDivisionError):
            # Trigonometry refuses infinity, products overflow: both are the same event.
            raise DivergenceError(self.t + self.dt, self.q, self.qd) from None
        self.q, self.qd, self.tau = q, qd, applied
        self.steps += 1
        if self._measured is not None:
            self._measured = self._sensors.measure(q, qd)
        return q, qd

    def accept(self, q, qd, tau):
        """
        Take over states that :attr:`whole` led to, one after the other.

        Parameters
        ----------
        q, qd : ndarray, shape (m, n)
        tau : sequence of m efforts, or m + 1
            What led to the states; one more where its step failed.

        Raises
        ------
        DivergenceError, NonFiniteError, ShapeError
            As :meth:`step` would have; the plant is then at the state before.

        """
        good = (np.abs(qd) < self._fastest).all(axis=1)
        try:
            fits = set(map(len, tau)) <= {self.n}
        except TypeError:
            fits = False
        if not fits:
            good &= np.array([np.shape(x) == (self.n,) for x in tau[:len(qd)]], dtype=bool)
        count = len(qd) if good.all() else int(np.argmin(good))
        if count:
            self.q, self.qd = tuple(q[count - 1].tolist()), tuple(qd[count - 1].tolist())
            self.tau = tau[count - 1]
            self.steps += count
        if count < len(tau):
            self._long_step(tau[count])

    def _report(self, left, kind, joint, value):
        self.on_event(Event(self.t + self.dt - left, kind, self.arm.joint_names[joint], value))

    def push(self, wrench):
        """
        Let the surroundings push at the tip, until the next push.

        Parameters
        ----------
        wrench : array_like, shape (6,), or None
            Force and moment on the tip, in the base's axes [N, N m].

        Raises
        ------
        ShapeError, NonFiniteError

        """
        if wrench is not None:
            wrench = check_array('wrench', wrench, (6,))
            if wrench.shape != (6,):
                raise ShapeError('wrench', '(6,)', wrench.shape)
            wrench = wrench.tolist() if wrench.any() else None
        if self._wrench is None or wrench is None:
            changes, self._wrench = self._wrench is not wrench, wrench
            if changes:
                self._change()
        else:
            self._wrench[:] = wrench  # the step looks at this list

    def pick_up(self, mass, com=(0.0, 0.0, 0.0), inertia=None):
        """
        Fix a load to the tip, in place of the one it carries.

        The load moves as the tip does already: the velocities of the joints do not change.

        Parameters
        ----------
        mass, com, inertia
            See :class:`Payload`.

        Raises
        ------
        ParameterError, ShapeError, NonFiniteError

        """
        self._carry(self._unloaded.with_payload(mass, com, inertia), 'pick up', float(mass))

    def drop(self):
        """Let go of the load; it flies on with the tip's velocity."""
        self._carry(self._unloaded, 'drop', 0.0)

    def _carry(self, arm, kind, mass):
        before = self.energy if self.ledger is not None else 0.0
        self.arm = arm
        self._change()
        if self.ledger is not None:
            self.ledger.payload += self.energy - before
        if self.on_event is not None:
            self.on_event(Event(self.t, kind, '', mass))
