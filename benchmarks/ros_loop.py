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
The loop of simulator and controller, two processes: rate, jitter, round trip, load.

``python benchmarks/ros_loop.py [--seconds S] [--repeat N] [--urdf FILE]``

Every run is done as ordinary processes and, where the system allows it, with SCHED_FIFO, in turns.
The watcher is this process, and only listens; where allowed it has SCHED_FIFO in all runs, for it
must not be late itself. `joint_states` and `joint_commands` have the stamp of the state they
belong to, so the time from a state's arrival here to that of its answer is the controller's work
and one way between processes. Each figure is the best of the repeats, for whatever else runs on a
machine can only make them worse; all repeats are shown.

"""

import argparse
import gc
import json
import os
from pathlib import Path
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
PRIORITY = 50
# What docs and design promise: name, limit, whether more is better.
TARGETS = (('rate [Hz]', 999.0, True), ('period error p50 [us]', 30.0, False),
           ('round trip p50 [ms]', 0.5, False), ('simulator [% of a core]', 40.0, False))


def _fifo(priority=PRIORITY):
    os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))


def _ordinary():
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))


def fifo_allowed():
    """Return whether this system lets a process of this user have SCHED_FIFO."""
    try:
        return subprocess.run([sys.executable, '-c', ''], preexec_fn=_fifo).returncode == 0
    except (OSError, subprocess.SubprocessError):
        return False


def start(node, parameters, fifo):
    """Return the process of a node."""
    given = [x for name, value in parameters.items() for x in ('-p', f'{name}:={value}')]
    return subprocess.Popen(
        [sys.executable, '-m', f'twolink_dynamics.nodes.{node}', '--ros-args', '--log-level',
         'error', *given],
        env={**os.environ, 'PYTHONPATH': os.pathsep.join(
            filter(None, [str(ROOT), os.environ.get('PYTHONPATH', '')]))},
        preexec_fn=_fifo if fifo else _ordinary)


def cpu_seconds(pid):
    """Return the time a process has had of a core [s]."""
    fields = Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


class Watcher:
    """A node that notes when states and commands arrive, by stamp."""

    def __init__(self):
        import rclpy
        from rclpy.serialization import deserialize_message
        from sensor_msgs.msg import JointState

        from twolink_dynamics.nodes.arm_node import freshest
        from twolink_dynamics.nodes.run_node import make_executor

        self._deserialize = lambda raw: deserialize_message(raw, JointState).header.stamp
        rclpy.init(args=[])
        self.node = rclpy.create_node('ros_loop_watcher')
        self._executor = make_executor()
        self._executor.add_node(self.node)
        self.states, self.commands = [], []
        # Raw, and read afterwards: the watcher must not take the core from those it watches.
        for topic, log in (('joint_states', self.states), ('joint_commands', self.commands)):
            self.node.create_subscription(
                JointState, topic, lambda raw, log=log: log.append((time.perf_counter(), raw)),
                freshest(), raw=True)

    def spin(self, seconds):
        """Listen for a while."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0.0:
            self._executor.spin_once(left)

    def read(self, log):
        """Return stamp [ns] to time of arrival [s]."""
        stamps = [(t, self._deserialize(raw)) for t, raw in log]
        return {stamp.sec * 10**9 + stamp.nanosec: t for t, stamp in stamps}

    def close(self):
        """End the node."""
        import rclpy

        self._executor.shutdown()
        self.node.destroy_node()
        rclpy.utilities.try_shutdown()


def percentile(values, share):
    """Return the value below which a share of all lie."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def measure(watcher, urdf, seconds, fifo):
    """Return the figures of one run."""
    watcher.spin(0.5)       # what the run before left behind
    processes = [start('simulator', {'robot_description': urdf}, fifo),
                 start('controller', {'robot_description': urdf}, fifo)]
    try:
        patience = time.monotonic() + 60.0
        watcher.commands.clear()
        while not watcher.commands:
            watcher.spin(0.2)
            if time.monotonic() > patience or any(p.poll() is not None for p in processes):
                raise SystemExit('ros_loop: the nodes did not come up')
        watcher.spin(1.0)
        watcher.states.clear()
        watcher.commands.clear()
        cpu = [cpu_seconds(p.pid) for p in processes]
        begin = time.monotonic()
        watcher.spin(seconds)
        elapsed = time.monotonic() - begin
        cpu = [(cpu_seconds(p.pid) - before) / elapsed for p, before in zip(processes, cpu)]
    finally:
        for process in processes:
            process.send_signal(signal.SIGINT)
        for process in processes:
            process.wait()
    states, commands = watcher.read(watcher.states), watcher.read(watcher.commands)
    arrivals, stamps = sorted(states.values()), sorted(states)
    period = (stamps[-1] - stamps[0]) / 1e9 / round((stamps[-1] - stamps[0]) / 1e6)
    errors = [1e6 * abs(b - a - period) for a, b in zip(arrivals, arrivals[1:])]
    trips = [1e3 * (commands[ns] - t) for ns, t in states.items() if ns in commands]
    simulated = (stamps[-1] - stamps[0]) / 1e6
    return {
        'rate [Hz]': simulated / (states[stamps[-1]] - states[stamps[0]]),
        'period error p50 [us]': statistics.median(errors),
        'period error p99 [us]': percentile(errors, 0.99),
        'round trip p50 [ms]': statistics.median(trips),
        'round trip p99 [ms]': percentile(trips, 0.99),
        'simulator [% of a core]': 100.0 * cpu[0], 'controller [% of a core]': 100.0 * cpu[1],
        'states heard [%]': 100.0 * len(states) / (simulated + 1),
        'states answered [%]': 100.0 * len(trips) / len(states)}


def report(name, runs):
    """Write the best of several runs, and all of them."""
    write = sys.stdout.write
    write(f'\n{name}: best of {len(runs)} (all)\n')
    targets = {target: (limit, more) for target, limit, more in TARGETS}
    best = {}
    for key in runs[0]:
        values = [run[key] for run in runs]
        more = targets[key][1] if key in targets else key.startswith('states')
        best[key] = max(values) if more else min(values)
        verdict = ''
        if key in targets:
            limit = targets[key][0]
            met = best[key] >= limit if more else best[key] <= limit
            verdict = f'  target {">=" if more else "<="} {limit:g}: {"met" if met else "MISSED"}'
        write(f'  {key:28s} {best[key]:9.3f}  ({", ".join(f"{x:.4g}" for x in values)}){verdict}'
              '\n')
    return best


def main():
    """Run the benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.strip().splitlines()[0])
    parser.add_argument('--urdf', default=str(ROOT / 'urdf' / 'twolink.urdf'))
    parser.add_argument('--seconds', type=float, default=5.0)
    parser.add_argument('--repeat', type=int, default=3)
    parser.add_argument('--domain', default='97', help='ROS_DOMAIN_ID of its own')
    parser.add_argument('--json', help='also write the best figures to this file')
    args = parser.parse_args()
    os.environ.update(ROS_DOMAIN_ID=args.domain, ROS_AUTOMATIC_DISCOVERY_RANGE='LOCALHOST')
    os.environ.setdefault('ROS_LOG_DIR', tempfile.mkdtemp(prefix='ros_loop_'))
    ways = {'ordinary': False}
    if fifo_allowed():
        ways[f'SCHED_FIFO {PRIORITY}'] = True
        _fifo(PRIORITY + 1)     # before the middleware's threads, which take after this one
    else:
        sys.stdout.write('SCHED_FIFO is not allowed here (see ulimit -r, or chrt as root)\n')
    watcher, runs = Watcher(), {way: [] for way in ways}
    gc.disable()
    try:
        for _ in range(args.repeat):
            for way, fifo in ways.items():
                load = os.getloadavg()[0]
                runs[way].append({**measure(watcher, args.urdf, args.seconds, fifo),
                                  'load of the machine': load})
    finally:
        watcher.close()
    best = {way: report(way, of_way) for way, of_way in runs.items()}
    if args.json:
        Path(args.json).write_text(json.dumps(best, indent=2) + '\n')


if __name__ == '__main__':
    main()
