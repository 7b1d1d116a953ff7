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

"""The base of all control laws: gains, model, integral, and two hooks for what is made of them."""

from abc import ABCMeta, abstractmethod
from contextlib import contextmanager
from typing import Any, Iterator, NamedTuple, TYPE_CHECKING

from twolink_dynamics.array_types import DesiredState, PerJoint, Vector
from twolink_dynamics.control.friction_compensation import friction_coefficients, friction_effort
from twolink_dynamics.control.gains import changed_gains, Gains, gains_of
from twolink_dynamics.errors import ParameterError, ShapeError

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm

__all__ = ['CompilableLaw', 'LONGEST_STEP', 'Law']

# A longer pause between two calls says nothing about the error in between [s].
LONGEST_STEP = 0.1


class CompilableLaw(NamedTuple):
    """
    Computed torque without integral and friction, for loops that do it in place of `effort`.

    Attributes
    ----------
    arm : Arm
        The law's model.
    kp, kd : tuple of float, length n
        [1/s^2, 1/s].

    """

    arm: 'Arm'
    kp: tuple[float, ...]
    kd: tuple[float, ...]


class _Completed(ABCMeta):
    """Calls the hooks of a law when all of its constructors are done, not within the first."""

    def __call__(cls, *args: Any, **options: Any) -> Any:
        law = super().__call__(*args, **options)
        law._arm_changed()
        law._gains_changed()
        law.reset()
        return law


class Law(metaclass=_Completed):
    """
    A control law: from the arm's state and the desired state to joint efforts.

    A law works on Python floats and asks the arm's unchecked scalar interface where it can, for
    it is called in every cycle. What comes in is checked where it comes in; what goes out is
    limited by :mod:`twolink_dynamics.tracking.effort_limits`. What is not finite going in is not
    finite coming out, and leaves no trace in the law.

    Parameters
    ----------
    arm : Arm
        The model.
    kp, kd, ki : float or array_like, shape (n,), optional
        Gains of the error [1/s^2, 1/s, 1/s^3]: 100, 20 and 0 if nothing else is said.
    natural_frequency, damping_ratio : float or array_like, shape (n,), optional
        In place of `kp` and `kd`: see :func:`~twolink_dynamics.control.gains.gains_of`.
    friction : bool
        Whether the joint friction of the arm's description is compensated.

    Attributes
    ----------
    name : str
        What the law is called in parameters; of the class.
    integrates : bool
        Whether the law has an integral, so that `ki` may be other than 0; of the class.
    integral_share : float
        `ki` is this times ``kp kd`` where it is not given; of the class.
    learns : bool
        Whether the law does better the second time; of the class.
    lead : float
        How far ahead of the state the desired acceleration shall be [s].
    n : int
        The number of joints.
    arm : Arm
        The model in force.
    saturated : bool
        To be set by whoever limits the efforts: integrals and adaptation stand still meanwhile.

    Raises
    ------
    ShapeError, NonFiniteError, ParameterError
        If a gain is not one number or one per joint, not finite, negative, given in both forms, or
        unstable.

    Notes
    -----
    A law is a subclass with a `name` and an :meth:`effort`. What it makes of the model or of the
    gains it makes in two hooks, :meth:`_arm_changed` and :meth:`_gains_changed`, which are called
    when the object is complete and at every change. They set attributes anew instead of changing
    them in place: if a hook raises, the law is as it was before the change. For both there are

    ``_model``
        The arm's scalar interface, unchecked and on lists of floats:
        ``_model.inverse_dynamics(q, qd, qdd)``, ``_model.bias(q, qd)``,
        ``_model.gravity_vector(q)``, ``_model.mass_matrix(q)``.
    ``_limits``
        The effort limits, n floats, inf where there is none [N m or N].
    ``_friction``
        Coefficients of the friction to be compensated, or None; :meth:`_with_friction` adds it.
    ``_kp``, ``_kd``, ``_ki``
        The gains, n floats each.
    ``_integrates``
        Whether a gain on the integral is above 0.
    ``_integral``
        The integral's part of what the gains act on, n floats; :meth:`reset` clears it.

    Public properties only tell what a law has; a subclass that overrides one is refused.

    """

    name = ''
    integrates = True
    integral_share = 0.0
    learns = False
    lead: float = 0.0

    def __init_subclass__(cls, **options: Any) -> None:
        """Refuse what could not act: computations read attributes, not properties."""
        super().__init_subclass__(**options)
        for base in cls.__mro__[1:]:
            for name, value in vars(base).items():
                if isinstance(value, property) and name in vars(cls):
                    raise TypeError(f'{cls.__name__}.{name}: {base.__name__}.{name} cannot be '
                                    'overridden, it only tells what the law has; override effort')

    def __init__(self, arm: 'Arm', kp: PerJoint | None = None, kd: PerJoint | None = None,
                 ki: PerJoint | None = None, *, natural_frequency: PerJoint | None = None,
                 damping_ratio: PerJoint | None = None, friction: bool = False) -> None:
        self.n, self._compensates_friction = arm.n, bool(friction)
        self.saturated = False
        self._said: dict[str, tuple[float, ...]] = {}
        self.__take_arm(arm)
        self.__take_gains(kp=kp, kd=kd, ki=ki, natural_frequency=natural_frequency,
                          damping_ratio=damping_ratio)
        Law.reset(self)

    def __take_arm(self, arm: 'Arm') -> None:
        self.arm, self._model = arm, arm.scalar
        self._limits = tuple(float(x) for x in arm.limits.effort)
        coefficients = friction_coefficients(arm)
        compensated = self._compensates_friction and any(map(any, coefficients))
        self._friction = coefficients if compensated else None

    def __take_gains(self, **given: PerJoint | None) -> None:
        said = changed_gains(self.n, self._said, **given)
        gains = gains_of(self.n, **said, integral_share=self.integral_share)
        if any(gains.ki) and not self.integrates:
            raise ParameterError('ki', gains.ki, f'0, for the law {self.name} has no integral')
        self._said, (self._kp, self._kd, self._ki) = said, gains
        self._integrates = any(gains.ki)

    def __repr__(self) -> str:
        gains = ', '.join(f'{name} {_short(row)}' for name, row in self.gains._asdict().items())
        return f'<{type(self).__name__} of {self.n} joints: {gains}>'

    def __getstate__(self) -> dict[str, Any]:
        """Return what travels: the model's functions come from the arm again."""
        return {name: value for name, value in vars(self).items() if name != '_model'}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._model = self.arm.scalar

    def set_gains(self, kp: PerJoint | None = None, kd: PerJoint | None = None,
                  ki: PerJoint | None = None, *, natural_frequency: PerJoint | None = None,
                  damping_ratio: PerJoint | None = None) -> None:
        """
        Change some gains, and keep what was said of the others.

        Parameters
        ----------
        kp, kd, ki, natural_frequency, damping_ratio : float or array_like, shape (n,), optional
            As of the constructor. `kp` takes the place of a natural frequency said before, `kd`
            that of a damping ratio, and the other way round; with a natural frequency alone the
            damping ratio said before stays.

        Raises
        ------
        ShapeError, NonFiniteError, ParameterError
            Then the gains stay as they were.

        """
        with self._all_or_nothing():
            self.__take_gains(kp=kp, kd=kd, ki=ki, natural_frequency=natural_frequency,
                              damping_ratio=damping_ratio)
            self._gains_changed()

    def set_arm(self, arm: 'Arm') -> None:
        """
        Go on with another model of the same joints: a payload, another direction of gravity.

        The effort jumps by what the models differ in;
        :class:`~twolink_dynamics.tracking.bumpless_transfer.BumplessTransfer` spreads that over
        time.

        Parameters
        ----------
        arm : Arm

        Raises
        ------
        ShapeError
            If it has other joints; the law then stays as it was.

        """
        if tuple(arm.joint_names) != tuple(self.arm.joint_names):
            raise ShapeError('arm', f'joints {", ".join(self.arm.joint_names)}', (arm.n,),
                             'its joints are ' + ', '.join(arm.joint_names))
        with self._all_or_nothing():
            self.__take_arm(arm)
            self._arm_changed()
            self._gains_changed()

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """Undo what happens within if it raises."""
        before = dict(vars(self))
        try:
            yield
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    def _arm_changed(self) -> None:
        """Derive from :attr:`arm` what the law needs; a hook, :meth:`_gains_changed` follows."""

    def _gains_changed(self) -> None:
        """Derive from the gains what the law needs; a hook, :meth:`_arm_changed` comes before."""

    @property
    def gains(self) -> Gains:
        """The gains in force: kp, kd, ki, each a tuple of n floats."""
        return Gains(self._kp, self._kd, self._ki)

    @property
    def compilable(self) -> CompilableLaw | None:
        """
        What loops may compute in place of calling :meth:`effort`, or None.

        None for any law that is not exactly :class:`~twolink_dynamics.control.ComputedTorque`, and
        for models that compute dynamics of their own: whatever is overridden is then called.

        """
        if 'effort' in vars(self) or getattr(self.arm, 'overridden', None):
            return None
        return self._compilable()

    def _compilable(self) -> CompilableLaw | None:
        return None

    @property
    def integral(self) -> tuple[float, ...]:
        """The integral's part of what the gains act on, a tuple of n floats."""
        return tuple(self._integral)

    def reset(self) -> None:
        """Forget the integral and the time of the last call."""
        self._integral = [0.0] * self.n
        self._t: float | None = None

    @abstractmethod
    def effort(self, t: float, q: Vector, qd: Vector, desired: DesiredState) -> Vector:
        """
        Return the efforts that drive the arm to the desired state.

        Parameters
        ----------
        t : float
            Time [s]; only what integrates needs it.
        q, qd : sequence of float, length n
            The arm's position and velocity.
        desired : tuple of three sequences of float, length n
            Desired position, velocity and acceleration.

        Returns
        -------
        tau : sequence of float, length n
            Joint efforts [N m or N], not yet limited.

        """

    def _with_friction(self, tau: Vector, qd: Vector, qd_d: Vector) -> Vector:
        """Return efforts with the friction added that is to be compensated."""
        if self._friction is None:
            return tau
        return friction_effort(tau, self._friction, qd, qd_d)

    def _elapsed(self, t: float) -> float:
        """Return the time since the last call, 0 where that says nothing."""
        dt, self._t = (0.0 if self._t is None else t - self._t), t
        return dt if 0.0 < dt <= LONGEST_STEP else 0.0


def _short(row: tuple[float, ...]) -> str:
    """Return one number where all are the same."""
    return f'{row[0]:g}' if len(set(row)) == 1 else f'({", ".join(f"{x:g}" for x in row)})'
