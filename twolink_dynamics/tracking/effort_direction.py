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

"""A monitor of what efforts do: whether they act as commanded, the wrong way, or not at all."""

from collections import deque
from itertools import combinations
from math import exp, inf, isfinite
from typing import Iterator, NamedTuple, TYPE_CHECKING

import numpy as np

from twolink_dynamics.array_types import FloatArray, Vector
from twolink_dynamics.control.observer import MomentumObserver
from twolink_dynamics.tracking.effort_limits import clamp_effort

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm

__all__ = ['DirectionMonitor', 'Explanation']

# [1/s]: of the estimate. Three steps at 1 kHz settle it; the fastest arms reach half of their
# velocity limit in ten.
GAIN = 800.0
# Another effort explains the motion if so little remains unexplained, as kinetic energy.
REMAINING = 0.1
# So much unexplained speed, as a share of the velocity limit, or [rad/s] where there is none, is
# evidence, if it came about over PATIENCE [s]: what is no fault does not follow the efforts.
SPEED_SHARE, SPEED = 0.15, 0.5
PATIENCE = {'direction': 0.003, 'drives': 0.03}
# [s]: with a large error, what has lasted so long is no coincidence if it has grown by GROWTH (as
# energy) since it had settled: a feedback of the wrong sign grows, a hand that pushes does not.
SETTLED, SUSPICIOUS, GROWTH = 0.015, 0.06, 2.0
# Hands may push with a fifth of the effort limits: a smaller unexplained effort is no evidence of
# a direction. For the drives all joints must agree, and half of it will do.
PUSH = 0.25
# [s]: efforts that act so much later than they were commanded act all the same.
LATE = 0.025
# [N m or N]: beyond reason.
LARGEST = 1e9
# A smaller share of what hands may push is not looked at.
SMALL = 0.2
# [rad/s or m/s]: an arm that stands says nothing of its drives.
STANDING = 0.1


class Explanation(NamedTuple):
    """
    What explains a motion that the commanded efforts do not explain.

    Attributes
    ----------
    kind : str
        ``'direction'`` or ``'drives'``.
    text : str

    """

    kind: str
    text: str


class DirectionMonitor:
    """
    Tell what the arm does with its efforts, by its momentum.

    The estimate of external efforts shows how much the commanded efforts fail to explain. If that
    is just what one sign reversed, two joints exchanged or dead drives would leave, and goes on
    until it has made an unexplained speed that counts, that is the explanation. A push, a payload
    or a contact is none of these.

    Parameters
    ----------
    arm : Arm
    friction : bool
        Whether the description's friction is part of the model.

    Attributes
    ----------
    suspicion : Explanation or None
        What has explained the last 0.06 s, and grows; evident or not.

    """

    _explanation: Explanation | None

    def __init__(self, arm: 'Arm', friction: bool = True) -> None:
        self._observer = MomentumObserver(arm, GAIN, friction)
        velocity, effort = (tuple(map(float, x)) for x in (arm.limits.velocity, arm.limits.effort))
        self._effort_limits = effort
        self._push = tuple(PUSH * x if isfinite(x) else 0.0 for x in effort)
        self._evident = tuple(SPEED_SHARE * x if 0.0 < x < inf else SPEED for x in velocity)
        self.reset()

    def set_arm(self, arm: 'Arm') -> None:
        """
        Go on with another model.

        Parameters
        ----------
        arm : Arm
            Of the same joints.

        """
        self._observer.set_arm(arm)
        self.reset()

    def reset(self) -> None:
        """Forget what was."""
        self._observer.reset()
        self._t: float | None = None
        self._history: deque[tuple[float, list[float]]] = deque()
        self._forget()

    def _forget(self) -> None:
        self._explanation, self._share, self._lasted = None, 0.0, 0.0
        self._settled = self._energy = 0.0

    @property
    def suspicion(self) -> Explanation | None:
        """What has explained the motion for a while."""
        grows = self._lasted >= SUSPICIOUS and self._energy >= GROWTH * self._settled
        return self._explanation if grows else None

    def update(self, t: float, q: Vector, qd: Vector, tau: Vector) -> Explanation | None:
        """
        Return what explains the motion, once it is evident.

        Parameters
        ----------
        t : float
            [s].
        q, qd : sequence of float, length n
        tau : sequence of float, length n
            The efforts that were commanded since the last state.

        Returns
        -------
        explanation : Explanation or None
            None if the efforts explain it, or nothing does.

        """
        dt = 0.0 if self._t is None else max(t - self._t, 0.0)
        self._t = t
        external = self._observer.update(t, q, qd, tau)
        share = 1.0 - exp(-GAIN * dt)
        before = self._history[-1][1] if self._history else [0.0] * len(tau)
        commanded = [f + share * (x - f) for f, x in zip(before, tau)]
        self._history.append((t, commanded))
        while not 0.0 <= t - self._history[0][0] <= LATE:
            self._history.popleft()
        if (all(abs(x) < LARGEST for x in (*commanded, *external))
                and any(abs(x) > SMALL * p for x, p in zip(external, self._push))
                and any(abs(v) > STANDING for v in qd)):
            return self._judge(dt, q, np.array(external), commanded)
        self._forget()
        return None

    def _judge(self, dt: float, q: Vector, external: FloatArray,
               commanded: list[float]) -> Explanation | None:
        M = self._observer.arm.mass_matrix(np.array(q))
        late = external - (np.array([row for _, row in self._history]) - commanded)
        least = REMAINING * float(np.einsum('ij,ji->i', late, np.linalg.solve(M, late.T)).min())
        best = None
        for effort, explanation, counts in self._candidates(external, commanded):
            left = external - (np.array(effort) - commanded)
            energy = float(left @ np.linalg.solve(M, left))
            if energy < least:
                least, best = energy, (explanation, counts)
        if best is None:
            self._forget()
            return None
        explanation, counts = best
        if self._explanation is not None and self._explanation.kind != explanation.kind:
            self._forget()
        self._explanation = explanation
        self._lasted += dt
        acceleration = np.linalg.solve(M, external)
        self._energy = float(external @ acceleration)
        if self._lasted <= SETTLED:
            self._settled = self._energy
        self._share += dt * max(abs(a) / v for a, v in zip(acceleration, self._evident))
        evident = self._share >= 1.0 and self._lasted >= PATIENCE[explanation.kind]
        return explanation if counts and evident else None

    def _candidates(self, external: FloatArray, commanded: list[float],
                    ) -> Iterator[tuple[list[float], Explanation, bool]]:
        """Yield efforts that might act, what that means, and whether it is more than a push."""
        names = self._observer.arm.joint_names
        large = [abs(x) > p for x, p in zip(external, self._push)]
        yield [0.0] * len(names), Explanation(
            'drives', 'the arm moves as if no effort acted on it'), any(
                abs(x) > 0.5 * p for x, p in zip(external, self._push))
        for k, name in enumerate(names):
            effort = list(commanded)
            effort[k] = -effort[k]
            yield effort, Explanation(
                'direction', f'joint "{name}" moves as if its effort had the other sign'), large[k]
        for i, k in combinations(range(len(names)), 2):
            effort = list(commanded)
            effort[i], effort[k] = effort[k], effort[i]
            yield (clamp_effort(effort, self._effort_limits)[0], Explanation(
                'direction', f'joints "{names[i]}" and "{names[k]}" move as if their efforts were '
                'exchanged'), large[i] or large[k])
