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
Whatever comes, in whatever order, under whatever law: efforts within limits, or none, and reasons.

``TWOLINK_FUZZ=100000`` makes it so many states; there are a few thousand by default.

"""

from math import inf, isfinite, nan
import os
import random
from types import SimpleNamespace

import pytest

from twolink_dynamics.control.law_parameters import law_of
from twolink_dynamics.diagnostics import MessageError
from twolink_dynamics.errors import TrajectoryError
from twolink_dynamics.registry import names
from twolink_dynamics.tracking.controller import TrackingController
from twolink_dynamics.tracking.controller_options import CONTROLLER
from twolink_dynamics.tracking.message_readers import StateReader
from twolink_dynamics.trajectory.goal import GoalPoint

MS = 1000000
NAMES = ['joint1', 'joint2']
NUMBERS = [0.0, 1.0, -1.0, 0.3, 3.0, -3.0, 6.0, nan, inf, -inf, 1e8, -1e8, 1e300, 1e-300]
STATES = int(os.environ.get('TWOLINK_FUZZ', '4500')) // len(names('law'))


class Fuzz:
    """A controller, and everything that can be thrown at it."""

    def __init__(self, arm, law, seed):
        self.rng = random.Random(seed)
        values = SimpleNamespace(**{entry.name: entry.default for entry in CONTROLLER})
        values.law = law
        self.controller = core = TrackingController(arm, law=law_of(values, arm))
        core.allow_partial = True
        core.supervisor.set_limits(50.0, (30.0, 30.0), 1.2)
        core.effort_filter.set_limits(self.rng.choice((None, 100.0)), 0.05, 0.2)
        core.execution.path_tolerance = core.execution.goal_tolerance = (0.1, 0.1)
        core.execution.goal_time = 1.0
        self.reader = StateReader(arm.joint_names)
        self.ns, self.now, self.q = MS, 0.0, [0.0, 0.0]
        self.answered = self.rejected = self.refused = 0
        self.accepted, self.ended = [], []

    def message(self):
        """Return a joint state: mostly one that may come from an arm."""
        choice, rng = self.rng.choice, self.rng
        if rng.random() < 0.6:
            self.q = [x + rng.uniform(-1e-2, 1e-2) for x in self.q]
            velocity = choice(([], [0.0, 0.0], [rng.uniform(-9.0, 9.0), nan]))
            return SimpleNamespace(name=NAMES, position=list(self.q), velocity=velocity)
        n = choice((0, 1, 2, 2, 2, 2, 3))
        names = choice((NAMES, NAMES[::-1], NAMES + ['x'], ['joint1'] * 2, ['a', 'b'], []))
        return SimpleNamespace(name=names, position=[choice(NUMBERS) for _ in range(n)],
                               velocity=[choice(NUMBERS) for _ in range(choice((0, n, 1)))])

    def effort(self):
        """Return what the controller sends next, None for nothing."""
        choice = self.rng.choice
        self.ns = max(1, self.ns + choice((MS,) * 12 + (0, -5 * MS, 900 * MS, 1, -100000 * MS)))
        self.now += choice((1e-3,) * 20 + (0.3, 20.0))
        try:
            q, qd = self.reader.read(self.message())
        except MessageError as error:
            assert error.kind and str(error)
            self.rejected += 1
            return self.controller.silence(self.now)
        self.answered += 1
        return self.controller.update(self.ns, q, qd, self.now)

    def goal(self, key):
        """Send a trajectory, good or bad."""
        choice, rng = self.rng.choice, self.rng
        if rng.random() < 0.6:
            end = [max(-3.0, min(3.0, x + rng.uniform(-0.1, 0.1))) for x in self.q]
            names, points = NAMES, [GoalPoint(choice((0.05, 0.2, 1.0)), end, (0.0, 0.0))]
        else:
            names = choice((NAMES, NAMES[::-1], ['joint1'], ['x'], []))
            points = [GoalPoint(
                choice((k + 1.0, choice(NUMBERS))),
                [choice(NUMBERS + [0.1] * 9) for _ in range(choice((2, 2, 1)))],
                choice(((), (0.0, 0.0), (choice(NUMBERS), 0.0))))
                for k in range(choice((0, 1, 3)))]
        stamp = choice((0, 0, self.ns, self.ns + 500 * MS, max(1, self.ns - 500 * MS), 1))
        try:
            self.controller.accept(names, points, stamp, key)
            self.accepted.append(key)
        except TrajectoryError as error:
            assert error.code in (-1, -2, -3) and str(error)
            self.refused += 1

    def whatever(self, key):
        """Do one of what clients may do."""
        controller, chance = self.controller, self.rng.random()
        if chance < 0.03:
            self.goal(key)
        elif chance < 0.032:
            controller.hold()
        elif chance < 0.034:
            controller.enable(self.rng.random() < 0.7)
        elif chance < 0.037 and self.accepted:
            controller.cancel(self.accepted[-1])


@pytest.mark.filterwarnings('error::RuntimeWarning')
@pytest.mark.parametrize('law', names('law'))
def test_every_effort_is_within_the_limits_and_every_goal_ends_once_with_a_reason(arm, law):
    fuzz, limits = Fuzz(arm, law, 5), [float(x) for x in arm.limits.effort]
    for key in range(STATES):
        tau = fuzz.effort()
        if tau is not None:
            assert all(isfinite(x) and abs(x) <= h for x, h in zip(tau, limits))
        fuzz.whatever(key)
        for result in fuzz.controller.execution.take_results():
            assert result.state == 'succeeded' or result.text
            fuzz.ended.append(result.key)
    fuzz.controller.hold()
    fuzz.ended += [o.key for o in fuzz.controller.execution.take_results()]
    assert fuzz.ended == fuzz.accepted
    assert min(fuzz.answered, fuzz.rejected) > STATES // 5 and fuzz.accepted and fuzz.refused
