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
Measure the dynamics against Pinocchio called from Python, as ratios: lower is better.

``python benchmarks/dynamics.py`` prints the table; ``--rounds 5`` is a quick look, and
``--joints 2 6`` a part of it. It needs ``pin``; the rows with numba need numba.

Each number is the median over rounds of the ratio of two runs made one right after the other, so
that what else the machine does falls on both. The columns of microseconds are medians too. The 2R
is the closed form; the others go by Newton-Euler: arms with right angles between their axes, as
real ones have, and one (marked skew) with nothing that is zero.

"""

import argparse
import statistics
import timeit

import numpy as np
import pinocchio as pin
import twolink_dynamics as tl
from twolink_dynamics.codegen.numba_backend import numba_allowed
from twolink_dynamics.model.chain import Chain, Joint, Link
from twolink_dynamics.spatial import homogeneous, rpy_rotation

GRAVITY = (0.0, 0.0, -9.81)
STATES = 100_000


def serial_arm(n, skew=False):
    """Return an arm of n revolute joints."""
    rng = np.random.default_rng(n)
    twists = ((0.0, 0.0, 0.0), (np.pi / 2, 0.0, 0.0), (-np.pi / 2, 0.0, 0.0))
    joints, links = [], []
    for i in range(n):
        R = rpy_rotation(*(rng.uniform(-3, 3, 3) if skew else twists[i % 3]))
        p = rng.uniform(-0.3, 0.3, 3) if skew else np.array([0.05 * (i % 2), 0.0, 0.3])
        joints.append(Joint(f'joint{i + 1}', 'revolute', '', '', homogeneous(R, p), (0, 0, 1)))
        A = rng.normal(size=(3, 3)) * 0.05
        inertia = A @ A.T if skew else np.diag([0.03, 0.02, 0.01])
        links.append(Link(f'link{i + 1}', 2.0, rng.uniform(-0.1, 0.1, 3), inertia
                          if not skew else np.trace(inertia) * np.eye(3) - inertia))
    return tl.Arm(Chain('arm', 'base', 'tip', joints, links), GRAVITY)


def pinocchio_model(arm):
    """Return the same arm for Pinocchio."""
    model, parent = pin.Model(), 0
    for joint, link in zip(arm.chain.joints, arm.chain.links):
        parent = model.addJoint(parent, pin.JointModelRevoluteUnaligned(np.array(joint.axis)),
                                pin.SE3(np.array(joint.origin)), joint.name)
        model.appendBodyToJoint(parent, pin.Inertia(link.mass, np.array(link.com),
                                                    np.array(link.inertia)), pin.SE3.Identity())
    model.gravity = pin.Motion(np.array(arm.gravity), np.zeros(3))
    return model


def compare(ours, theirs, rounds, seconds=0.001):
    """
    Return the medians of the ratio and of both times.

    Each of the two is a function and its arguments. They are called from source made for it, so
    that nothing but the call itself is timed.

    """
    timers = [timeit.Timer(f'f({", ".join(f"x{k}" for k in range(len(arguments)))})', globals={
        'f': function, **{f'x{k}': x for k, x in enumerate(arguments)}})
        for function, *arguments in (ours, theirs)]
    counts = []
    for timer in timers:
        timer.timeit(1)
        calls, _ = timer.autorange() if timer.timeit(1) < seconds else (1, 0.0)
        counts.append(max(1, int(calls * seconds / timer.timeit(calls))))
    pairs = []
    for k in range(rounds):
        order = (0, 1) if k % 2 else (1, 0)
        times = {i: timers[i].timeit(counts[i]) / counts[i] for i in order}
        pairs.append((times[0], times[1]))
    return (statistics.median(a / b for a, b in pairs), statistics.median(a for a, _ in pairs),
            statistics.median(b for _, b in pairs))


class Table:
    """Prints rows as they are measured."""

    def __init__(self, rounds):
        self.rounds = rounds
        print(f'{"what (* target missed)":50}{"ratio":>8}{"target":>8}{"us":>10}{"pin us":>9}')

    def row(self, what, ours, theirs, target=None, states=(1, 1), rounds=None):
        """Measure and print; `states` is how many states one call of each handles."""
        ratio, a, b = compare(ours, theirs, rounds or self.rounds)
        ratio, a, b = ratio * states[1] / states[0], a / states[0], b / states[1]
        goal = f'{target:.2f}' if target else ''
        missed = ' *' if target and ratio > target else ''
        print(f'{what:50}{ratio:8.3f}{goal:>8}{a * 1e6:10.3f}{b * 1e6:9.3f}{missed}', flush=True)


def one_state(table, arm, label, targets, fast):
    """Measure one state at a time, as floats and as arrays that are checked."""
    model = pinocchio_model(arm)
    data = model.createData()
    arrays = q, v, x = [row.copy() for row in np.random.default_rng(1).normal(size=(3, arm.n))]
    lists = [array.tolist() for array in arrays]
    for name, count, theirs in (('inverse_dynamics', 3, (pin.rnea, model, data, q, v, x)),
                                ('forward_dynamics', 3, (pin.aba, model, data, q, v, x)),
                                ('mass_matrix', 1, (pin.crba, model, data, q))):
        words = name.replace('_', ' ')
        if not fast:
            ours = getattr(arm.scalar, name)
            if name == 'mass_matrix' and hasattr(arm.scalar, 'mass_terms'):
                ours, words = arm.scalar.mass_terms, 'mass matrix (M11, M12, M22)'
            table.row(f'{label} {words}, floats', (ours, *lists[:count]), theirs,
                      targets.get(f'{name} floats'))
        words = name.replace('_', ' ')
        table.row(f'{label} {words}, arrays', (getattr(arm, name), *arrays[:count]), theirs,
                  targets.get(f'{name} arrays'))
        if arm.n == 2 and count == 3:
            table.row(f'{label} {words}, arrays, out=',
                      (getattr(arm, name), *arrays, None, False, np.empty(2)), theirs,
                      targets.get(f'{name} out'))


def batch(table, arm, label, target):
    """Measure many states at once against a loop over Pinocchio."""
    model = pinocchio_model(arm)
    data = model.createData()
    states = np.random.default_rng(2).normal(size=(3, STATES, arm.n))
    sample = 2000

    def loop():
        for k in range(sample):
            pin.rnea(model, data, states[0, k], states[1, k], states[2, k])

    table.row(f'{label} inverse dynamics, batch of {STATES:,}',
              (arm.inverse_dynamics, *states), (loop,), target, (STATES, sample),
              max(3, table.rounds // 10))


TARGETS = {
    (2, False): {'inverse_dynamics floats': 0.75, 'forward_dynamics floats': 0.65,
                 'mass_matrix floats': 0.35,
                 'inverse_dynamics arrays': 1.6, 'forward_dynamics arrays': 1.6,
                 'inverse_dynamics out': 1.3, 'forward_dynamics out': 1.3},
    (6, False): {'inverse_dynamics floats': 20.0},
    **{(n, True): {'inverse_dynamics arrays': 0.75, 'forward_dynamics arrays': 0.65}
       for n in (6, 7)},
}


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument('--rounds', type=int, default=51)
    parser.add_argument('--joints', type=int, nargs='*', default=(2, 6, 7, 20, 50))
    options = parser.parse_args()
    table = Table(options.rounds)
    for fast in (False, True):
        if fast and not numba_allowed():
            print('numba is not installed, or turned off: no rows with it')
            break
        for n in options.joints:
            kinds = [('', tl.TwoLinkArm() if n == 2 else serial_arm(n))]
            if n == 6:
                kinds.append((' skew', serial_arm(n, skew=True)))
            for kind, arm in kinds:
                if fast:
                    arm.warm_up()
                label = f'n = {n}{kind}, {"numba" if fast else "Python"}:'
                if not (fast and n == 2):  # the closed form compiles batches only
                    one_state(table, arm, label, TARGETS.get((n, fast), {}), fast)
                if n <= 7:
                    batch(table, arm, label, (0.05 if fast else 0.14) if n == 2 else None)


if __name__ == '__main__':
    main()
