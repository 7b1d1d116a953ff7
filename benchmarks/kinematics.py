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
Measure the kinematics: inverse kinematics of many targets, unreachable ones, and forward.

``python benchmarks/kinematics.py`` prints tables; ``--targets 500`` is a quick look. Arms of the
corpus of real URDFs are measured where it is found (TWOLINK_CORPUS names its folder).

Inverse: random joint positions within the limits give targets, poses where the arm has six joints
or is a SCARA and positions else; each is solved from a random start and from the zero position,
which is singular for all these arms. Solved means: the tip is there to 1e-9 m and 1e-9 rad and all
joints are within their limits, both computed anew. Times are the processor's: that the machine
is busy with something else does not count.

Unreachable: positions from the boundary of the reach to three times as far, in random directions.
The nearest point is compared with the closed form for the 2R (the excess over it is a few
roundings), else with the best of 60 local searches.

"""

import argparse
import math
import os
from pathlib import Path
import sys
import time
import warnings

import numpy as np
from tqdm import tqdm
import twolink_dynamics as tl

CORPUS = Path(os.environ.get(
    'TWOLINK_CORPUS', Path(__file__).resolve().parents[2] / 'shared' / 'corpus'))
REAL = (('ur5e_official', 'world', 'tool0'), ('iiwa14_drake', 'base', 'iiwa_link_ee_kuka'),
        ('scara_yguel', 'world', 'tool0'))
TOLERANCE = 1e-9


def arms():
    """Return the arms to measure, by name."""
    found = {'planar 2R': tl.TwoLinkArm(l1=1.0, l2=0.8)}
    for name, base, tip in REAL:
        path = CORPUS / 'urdf' / f'{name}.urdf'
        if path.is_file():
            with warnings.catch_warnings():
                warnings.simplefilter('ignore')
                found[name] = tl.load_arm(path, base, tip)
    if len(found) == 1:
        sys.stderr.write(f'no corpus at {CORPUS}: the planar 2R alone\n')
    return found


def drawn(arm, rng, count):
    """Return joint positions (count, n) within the limits."""
    lower = np.where(np.isfinite(arm.limits.lower), arm.limits.lower, -math.pi)
    upper = np.where(np.isfinite(arm.limits.upper), arm.limits.upper, math.pi)
    return rng.uniform(lower, upper, (count, arm.n))


def solved(arm, result, pose, with_rotation):
    """Return whether an answer is one, computed anew."""
    tip = arm.tip_pose(result.q)
    turn = tip[:3, :3].T @ pose[:3, :3]
    spin = 0.5 * np.array([turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0],
                           turn[1, 0] - turn[0, 1]])
    there = np.linalg.norm(tip[:3, 3] - pose[:3, 3]) <= TOLERANCE
    turned = np.linalg.norm(spin) <= TOLERANCE and np.trace(turn) > 0.0
    within = np.all(result.q >= arm.limits.lower) and np.all(result.q <= arm.limits.upper)
    return result.success and there and within and (turned or not with_rotation)


def measure_inverse(name, arm, count):
    """Yield a row of the table for random and for singular starts."""
    rng = np.random.default_rng(1)
    with_rotation = arm.n >= 6 or 'scara' in name
    for kind in ('random', 'singular'):
        poses = arm.tip_pose(drawn(arm, rng, count))
        starts = drawn(arm, rng, count) if kind == 'random' else np.zeros((count, arm.n))
        seconds, right, tries = [], 0, []
        for pose, start in zip(tqdm(poses, f'{name}, {kind} starts', leave=False), starts):
            target = pose if with_rotation else pose[:3, 3]
            begin = time.process_time()
            result = arm.inverse_kinematics(target, q0=start)
            seconds.append(time.process_time() - begin)
            right += solved(arm, result, pose, with_rotation)
            tries.append(result.starts)
        ms = 1e3 * np.array(seconds)
        yield (name, kind, f'{100.0 * right / count:.2f}', *(
            f'{value:.2f}' for value in (np.median(ms), np.percentile(ms, 99), ms.max())),
            f'{np.mean(tries):.2f}', max(tries))


def nearest_distance(arm, target, count=60):
    """Return the least distance that many local searches find [m]."""
    from scipy.optimize import minimize

    def square(q):
        gap = arm.tip_pose(q)[:3, 3] - target
        return float(gap @ gap), 2.0 * arm.jacobian(q)[:3].T @ gap

    starts = drawn(arm, np.random.default_rng(0), count)
    bounds = list(zip(arm.limits.lower, arm.limits.upper))
    return math.sqrt(min(minimize(
        square, q, jac=True, bounds=bounds, method='L-BFGS-B',
        options={'ftol': 1e-16, 'gtol': 1e-13}).fun for q in starts))


def measure_unreachable(name, arm, count, checks):
    """Return a row of the table of unreachable targets."""
    rng = np.random.default_rng(2)
    centre, reach = arm._inverse.reach.outer
    seconds, missed, excess = [], 0, []
    for k in tqdm(range(count), f'{name}, unreachable', leave=False):
        direction = rng.normal(size=3)
        if arm.n == 2:
            direction[2] = 0.0
        target = centre + rng.uniform(1.0, 3.0) * reach * direction / np.linalg.norm(direction)
        begin = time.process_time()
        result = arm.inverse_kinematics(target)
        seconds.append(time.process_time() - begin)
        missed += result.success or not result.reason
        if arm.n == 2:
            excess.append(result.position_error - (np.linalg.norm(target) - reach))
        elif k < checks:
            excess.append(result.position_error - nearest_distance(arm, target))
    ms = 1e3 * np.array(seconds)
    return (name, missed, f'{np.median(ms):.2f}', f'{np.percentile(ms, 99):.2f}',
            f'{ms.max():.2f}', len(excess), f'{max(excess):.1e}',
            sum(gap > 1e-6 for gap in excess))


def measure_forward(name, arm):
    """Return a row of the table of times of one state, through the façade [us]."""
    rng = np.random.default_rng(3)
    q, qd = rng.normal(size=(2, arm.n))
    many = rng.normal(size=(10000, arm.n))

    def microseconds(function, count):
        times = []
        for _ in range(7):
            begin = time.process_time()
            for _ in range(count):
                function()
            times.append((time.process_time() - begin) / count)
        return 1e6 * float(np.median(times))

    return (name, *(f'{value:.1f}' for value in (
        microseconds(lambda: arm.tip_pose(q), 500), microseconds(lambda: arm.jacobian(q), 500),
        microseconds(lambda: arm.jacobian_derivative(q, qd), 300))),
        *(f'{value:.2f}' for value in (
            microseconds(lambda: arm.tip_pose(many), 1) / len(many),
            microseconds(lambda: arm.jacobian(many), 1) / len(many))))


def show(title, header, rows):
    """Print a table."""
    rows = [tuple(map(str, row)) for row in rows]
    widths = [max(map(len, column)) for column in zip(header, *rows)]
    print(f'\n{title}')
    for row in (header, *rows):
        print('  ' + '  '.join(cell.rjust(width) if k else cell.ljust(width)
                               for k, (cell, width) in enumerate(zip(row, widths))))


def main():
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    parser.add_argument('--targets', type=int, default=10000, help='for each arm and start')
    parser.add_argument('--unreachable', type=int, help='for each arm; a tenth of --targets')
    parser.add_argument('--checks', type=int,
                        help='how many of these are compared with a search, seconds each; a '
                        'twentieth of them')
    args = parser.parse_args()
    if args.unreachable is None:
        args.unreachable = max(20, args.targets // 10)
    if args.checks is None:
        args.checks = max(1, args.unreachable // 20)
    found = arms()
    show('inverse kinematics [ms]',
         ('arm', 'starts', 'solved %', 'median', '99 %', 'worst', 'mean tries', 'most'),
         [row for name, arm in found.items() for row in measure_inverse(name, arm, args.targets)])
    show('unreachable targets [ms, m]',
         ('arm', 'not noticed', 'median', '99 %', 'worst', 'checked', 'worst excess',
          'beyond 1e-6'),
         [measure_unreachable(name, arm, args.unreachable, args.checks)
          for name, arm in found.items()])
    show('forward kinematics, a state at a time and of 10 000 [us for a state]',
         ('arm', 'pose', 'Jacobian', 'its derivative', 'pose, many', 'Jacobian, many'),
         [measure_forward(name, arm) for name, arm in found.items()])


if __name__ == '__main__':
    main()
