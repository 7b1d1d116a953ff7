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
A long run in real time: the rate holds, memory stays flat, the arm follows.

``python benchmarks/soak.py [DURATION]`` in seconds, 600 if not given.

Simulator, controller and reference run as three processes; this one reads their diagnostics and
how much memory they have, once a second, after a minute and a half to settle. Exit status 1 if the
rate is off by more than 0.1 %, or the memory of a process changes by more than 1 %.

"""

import argparse
import os
from pathlib import Path
import signal
import sys
import tempfile
import time

from ros_loop import fifo_allowed, ROOT, start

# [s]: four trajectories of the reference; until then the allocator has its memory to find.
WARM_UP = 90.0
NODES = ('simulator', 'controller', 'reference')
RATE, MEMORY = 1e-3, 1e-2


def resident(pid):
    """Return the memory a process has of its own [bytes], or what it has in all."""
    for line in Path(f'/proc/{pid}/smaps_rollup').read_text().splitlines():
        if line.startswith('Pss_Anon:'):
            return 1024 * int(line.split()[1])
    return os.sysconf('SC_PAGE_SIZE') * int(Path(f'/proc/{pid}/statm').read_text().split()[1])


class Reports:
    """What the nodes say of themselves."""

    def __init__(self):
        from diagnostic_msgs.msg import DiagnosticArray
        import rclpy

        from twolink_dynamics.nodes.arm_node import reliable
        from twolink_dynamics.nodes.run_node import make_executor

        rclpy.init(args=[])
        self.node = rclpy.create_node('soak')
        self._executor = make_executor()
        self._executor.add_node(self.node)
        self.all = {}
        self.node.create_subscription(DiagnosticArray, '/diagnostics', self._on, reliable(100))

    def _on(self, message):
        for status in message.status:
            values = {value.key: value.value for value in status.values}
            self.all.setdefault(status.name, []).append((time.monotonic(), values))

    def spin(self, seconds):
        """Listen for a while."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0.0:
            self._executor.spin_once(left)

    def series(self, node, key, since):
        """Return times and values of one figure."""
        return [(t, float(values[key])) for t, values in self.all.get(node, ())
                if t >= since and key in values]


def watch(reports, processes, duration):
    """Return memory by node, once a second, after the warm-up; and when that ended."""
    reports.spin(WARM_UP)
    begin, memory = time.monotonic(), {name: [] for name in NODES}
    while time.monotonic() - begin < duration:
        reports.spin(1.0)
        for name, process in processes.items():
            if process.poll() is not None:
                raise SystemExit(f'soak: the {name} ended with status {process.returncode}')
            memory[name].append(resident(process.pid))
    return memory, begin


def judge(reports, memory, begin):
    """Write what came of it; return whether all is well."""
    write, well = sys.stdout.write, True
    simulated = reports.series('simulator', 'time [s]', begin)
    (t0, s0), (t1, s1) = simulated[0], simulated[-1]
    rate = 1000.0 * (s1 - s0) / (t1 - t0)
    well &= abs(rate / 1000.0 - 1.0) <= RATE
    write(f'{t1 - t0:.0f} s: {rate:.3f} steps a second (within {100 * RATE:g} %: '
          f'{abs(rate / 1000.0 - 1.0) <= RATE})\n')
    for key in ('lateness max [us]', 'time let slip [s]', 'rejected messages',
                'commands per second'):
        values = [x for _, x in reports.series('simulator', key, begin)]
        write(f'  {key}: least {min(values):.6g}, most {max(values):.6g}\n')
    errors = [x for _, x in reports.series('computed_torque_controller',
                                           'peak tracking error [rad or m]', begin)]
    if errors:
        write(f'  peak tracking error of each second: most {1e3 * max(errors):.3f} mrad\n')
    for name, sizes in memory.items():
        # The median of a tenth at either end: an allocator's single step is no trend.
        tenth = max(1, len(sizes) // 10)
        first, last = (sorted(part)[len(part) // 2] for part in (sizes[:tenth], sizes[-tenth:]))
        growth = last / first - 1.0
        well &= abs(growth) <= MEMORY
        write(f'  {name}: {first / 2**20:.2f} MB, then {last / 2**20:.2f} MB, '
              f'{100 * growth:+.2f} % (within {100 * MEMORY:g} %: {abs(growth) <= MEMORY})\n')
    return well


def main():
    """Run the soak test."""
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument('duration', nargs='?', type=float, default=600.0, help='[s]')
    parser.add_argument('--urdf', default=str(ROOT / 'urdf' / 'twolink.urdf'))
    parser.add_argument('--domain', default='98', help='ROS_DOMAIN_ID of its own')
    parser.add_argument('--fifo', action='store_true', help='the nodes have SCHED_FIFO')
    args = parser.parse_args()
    if args.fifo and not fifo_allowed():
        raise SystemExit('soak: SCHED_FIFO is not allowed here (see ulimit -r)')
    os.environ.update(ROS_DOMAIN_ID=args.domain, ROS_AUTOMATIC_DISCOVERY_RANGE='LOCALHOST')
    os.environ.setdefault('ROS_LOG_DIR', tempfile.mkdtemp(prefix='soak_'))
    reports = Reports()
    processes = {name: start(name, {'robot_description': args.urdf}, args.fifo)
                 for name in NODES}
    try:
        memory, begin = watch(reports, processes, args.duration)
    finally:
        for process in processes.values():
            process.send_signal(signal.SIGINT)
        for process in processes.values():
            process.wait()
    return 0 if judge(reports, memory, begin) else 1


if __name__ == '__main__':
    raise SystemExit(main())
