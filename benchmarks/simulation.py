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
The simulation's rows of the project's targets, in one run, against MuJoCo.

Each figure is the median over pairs of short runs, ours and theirs in turn, of the time this
process had a processor, so that what else the machine does falls on both or on none.
``python benchmarks/simulation.py``; it needs mujoco, and numba for the compiled rows.

"""

import argparse
import math
from time import process_time

import mujoco
import numpy as np
import twolink_dynamics as tl
from twolink_dynamics.codegen.numba_backend import numba_allowed
from twolink_dynamics.simulation import scattered, simulate_batch

try:
    from mujoco import rollout
except ImportError:
    rollout = None

DT = 1e-3
TWO_LINKS = """
<mujoco>
  <option timestep="0.001" integrator="{}" gravity="0 -9.81 0"/>
  <compiler inertiafromgeom="false"/>
  <worldbody>
    <body>
      <joint name="joint1" axis="0 0 1"/>
      <inertial pos="0.5 0 0" mass="1" diaginertia="0.083 0.083 0.083"/>
      <body pos="1 0 0">
        <joint name="joint2" axis="0 0 1"/>
        <inertial pos="0.5 0 0" mass="1" diaginertia="0.083 0.083 0.083"/>
      </body>
    </body>
  </worldbody>
  <actuator><motor joint="joint1"/><motor joint="joint2"/></actuator>
</mujoco>
"""
START, GOAL = (0.3, 0.5), (1.0, -0.6)


def paired(ours, theirs, pairs):
    """Return the median times of both [s], and the median of their ratios."""
    times = np.array([(ours(), theirs()) for _ in range(pairs)])
    return (*np.median(times, axis=0), np.median(times[:, 0] / times[:, 1]))


def timed(function):
    """Return how long a call takes [s]."""
    start = process_time()
    function()
    return process_time() - start


class MuJoCo:
    """The same arm in MuJoCo."""

    def __init__(self, integrator):
        self.model = mujoco.MjModel.from_xml_string(TWO_LINKS.format(integrator))
        self.data = mujoco.MjData(self.model)

    def passive(self, steps):
        """Step without efforts."""
        model, data, step = self.model, self.data, mujoco.mj_step
        data.qpos[:], data.qvel[:] = START, 0.0
        for _ in range(steps):
            step(model, data)

    def driven(self, law, desired_states):
        """Step with a law in Python, as its users write it."""
        model, data, step = self.model, self.data, mujoco.mj_step
        data.qpos[:], data.qvel[:] = START, 0.0
        law.reset()
        for k, state in enumerate(desired_states):
            data.ctrl[:] = law.effort(k * DT, data.qpos.tolist(), data.qvel.tolist(), state)
            step(model, data)

    def many(self, starts, steps):
        """Run many arms from C, on one thread."""
        state = np.zeros((len(starts), 5))
        state[:, 1:3] = starts
        rollout.rollout([self.model] * len(starts), [self.data], state,
                        np.zeros((len(starts), steps, 2)))


def trajectory():
    """Return a motion of three seconds."""
    return tl.Trajectory([0.0, 3.0], [START, GOAL], [[0.0, 0.0], [0.0, 0.0]])


def closed_loops(pairs, steps=3000):
    """Compare closed loops: in plain Python, and with the built-in law compiled."""
    arm, motion = tl.TwoLinkArm(), trajectory()
    law, seconds = tl.ComputedTorque(arm), steps * DT
    states = list(zip(*(rows.tolist() for rows in motion.sample_many(np.arange(steps) * DT))))

    class Opaque:
        """The same law, as one of the user's own: nothing is known of it."""

        effort, reset = law.effort, law.reset

    rk4, euler = MuJoCo('RK4'), MuJoCo('Euler')
    for name, used in (('computed torque', law), ('a law of the user', Opaque())):
        ours, theirs, ratio = paired(
            lambda used=used: timed(lambda: tl.simulate(arm, seconds, law=used,
                                                        trajectory=motion)),
            lambda: timed(lambda: rk4.driven(law, states)), pairs)
        row(f'closed loop, RK4, plain Python, {name}', ours / steps, theirs / steps, ratio, 0.35,
            'mj RK4 with the same law', f'{seconds / ours:.0f} x real time (target 400)')
    if numba_allowed():
        long = 10
        simulate_batch(arm, DT, law=law, trajectory=motion)  # compiles
        ours, theirs, ratio = paired(
            lambda: timed(lambda: simulate_batch(arm, long * seconds, law=law, trajectory=motion,
                                                 sample_period=0.01)) / long,
            lambda: timed(lambda: euler.passive(steps)), pairs)
        row('closed loop, RK4, built-in law, numba', ours / steps, theirs / steps, ratio, 0.1,
            "mj Euler's step alone")


def many_arms(pairs, count=1000, steps=500):
    """Compare a thousand arms at once."""
    if rollout is None or not numba_allowed():
        print('1000 arms: skipped, for want of numba or mujoco.rollout')
        return
    arm = tl.TwoLinkArm()
    arms, law = scattered(arm, count), tl.ComputedTorque(arm)
    starts = np.random.default_rng(0).uniform(-1.0, 1.0, (count, 2))
    per_step = count * steps
    for integrator in ('Euler', 'RK4'):
        theirs_of = MuJoCo(integrator)
        for name, used in (('passive', None), ('with computed torque', law)):
            ours, theirs, ratio = paired(
                lambda used=used: timed(lambda: simulate_batch(
                    arms, steps * DT, law=used, q0=starts, sample_period=0.01)),
                lambda: timed(lambda: theirs_of.many(starts, steps)), pairs)
            row(f'{count} arms, RK4, numba, {name}', ours / per_step, theirs / per_step, ratio,
                0.1, f'mujoco.rollout, {integrator}, passive')


def drift():
    """Print how the energy drifts without friction in 100 s, of the range of the potential."""
    arm = tl.TwoLinkArm()
    potential = arm.potential_energy(np.array([[math.pi / 2, 0.0], [-math.pi / 2, 0.0]]))
    for name, start, targets in (
            ('chaotic, from level', (0.0, 0.0), (2e-8, 1e-12)),
            ('chaotic, from nearly upright', (0.5 * math.pi, 0.1), (2e-8, 1e-12)),
            ('swing', (-0.5 * math.pi + 0.3, 0.2), (2e-12, 1e-14))):
        for method, target in zip(('rk4', 'rk8'), targets):
            run = tl.simulate(arm, 100.0, q0=start, method=method)
            worst = np.abs(run.energy - run.energy[0]).max() / np.ptp(potential)
            print(f'energy drift, 100 s, {name}, {method}: {worst:.2g} of the potential range '
                  f'(target {target:g})')


def row(name, ours, theirs, ratio, target, what, more=''):
    """Print a row."""
    print(f'{name}: {1e6 * ours:.3f} us a step, {ratio:.3f} x {what} '
          f'({1e6 * theirs:.3f} us; target {target:g})' + (f'; {more}' if more else ''))


def main():
    """Run everything."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    parser.add_argument('--pairs', type=int, default=15, help='of runs for each row')
    parser.add_argument('--no-drift', action='store_true', help='leave out the runs of 100 s')
    args = parser.parse_args()
    closed_loops(args.pairs)
    many_arms(max(3, args.pairs // 3))
    if not args.no_drift:
        drift()


if __name__ == '__main__':
    main()
