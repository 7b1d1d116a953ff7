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
The launch file starts the arm, the arm follows, and nothing is left behind.

These need launch, launch_ros and an installed package; where they are missing the structural test
still looks at every name in the launch file.

"""

import importlib.util
import os
from pathlib import Path
import signal
import subprocess
import sys
import time
import uuid

import pytest

from twolink_dynamics.share import share_path

PACKAGE = 'twolink_dynamics'
# How long to wait for what must come; the tests go on as soon as it has.
PATIENCE = 60.0
# [rad]: what `make sim` promises for the mean error, here for the largest: in lockstep no effort
# is late, however busy the machine is, and the model is true.
CLOSE = 5e-3
LOCKSTEP = '/**: {ros__parameters: {lockstep: true}}'
RUN = """
import sys

from launch import LaunchDescription, LaunchService
from launch.actions import IncludeLaunchDescription
from launch.launch_description_sources import PythonLaunchDescriptionSource

service = LaunchService(noninteractive=True)
service.include_launch_description(LaunchDescription([IncludeLaunchDescription(
    PythonLaunchDescriptionSource(sys.argv[1]),
    launch_arguments=[word.split(':=', 1) for word in sys.argv[2:]])]))
sys.exit(service.run())
"""


def missing():
    """Return what these tests lack, in words; empty if nothing."""
    for name in ('launch', 'launch_ros', 'rclpy', 'ament_index_python'):
        # A mere folder of that name, such as this one, is importable, too: it has no file.
        spec = importlib.util.find_spec(name)
        if spec is None or spec.origin is None:
            return f'{name} is not installed'
    if not Path('/proc/self/environ').exists():
        return 'processes cannot be seen without /proc'
    return '' if installed(PACKAGE) else f'{PACKAGE} is not where ament looks for packages'


def installed(package):
    """Return whether ament finds a package."""
    from ament_index_python.packages import get_package_prefix, PackageNotFoundError
    try:
        return bool(get_package_prefix(package))
    except PackageNotFoundError:
        return False


pytestmark = pytest.mark.skipif(bool(missing()), reason=missing())


class Launch:
    """A running launch, and all that it has started."""

    def __init__(self, folder, *arguments):
        self.mark = f'TWOLINK_TEST={uuid.uuid4()}'
        name, value = self.mark.split('=')
        self.domain = 1 + (os.getpid() + 50) % 100
        self._file = folder / 'output'
        lockstep = folder / 'lockstep.yaml'
        lockstep.write_text(LOCKSTEP)
        environment = {**os.environ, name: value, 'ROS_DOMAIN_ID': str(self.domain),
                       'ROS_LOG_DIR': str(folder / 'log')}
        shown = [f'{switch}:=false' for switch, package in (
            ('robot_state_publisher', 'robot_state_publisher'),
            ('ghost', 'robot_state_publisher'), ('ghost', 'tf2_ros')) if not installed(package)]
        with self._file.open('wb') as stream:
            self.process = subprocess.Popen(
                [sys.executable, '-c', RUN, str(share_path('launch', 'sim.launch.py')),
                 'gui:=false', f'simulator_params:={lockstep}', *shown, *arguments],
                stdin=subprocess.DEVNULL, stdout=stream, stderr=subprocess.STDOUT,
                env=environment)

    @property
    def output(self):
        """What it wrote."""
        return self._file.read_text()

    def processes(self):
        """Return pid and command line of what it started and still runs, itself included."""
        found = {}
        for folder in Path('/proc').glob('[0-9]*'):
            try:
                if self.mark.encode() in (folder / 'environ').read_bytes().split(b'\0'):
                    command = (folder / 'cmdline').read_bytes()
                    found[int(folder.name)] = command.replace(b'\0', b' ').decode()
            except OSError:  # it has ended, or is another user's
                continue
        return found

    def end(self):
        """Leave nothing, whatever the test did."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for pid in self.processes():
            os.kill(pid, signal.SIGKILL)


@pytest.fixture
def start(tmp_path):
    """Return a function that starts the launch file with arguments."""
    launches = []

    def start(*arguments):
        launches.append(Launch(tmp_path, *arguments))
        return launches[-1]
    yield start
    for launch in launches:
        launch.end()


class Watch:
    """The positions that were, and those that should have been, by stamp."""

    def __init__(self, node, namespace):
        from sensor_msgs.msg import JointState
        self.desired, self.actual = {}, {}
        for topic, positions in (('computed_torque_controller/reference', self.desired),
                                 ('joint_states', self.actual)):
            node.create_subscription(
                JointState, f'{namespace}/{topic}',
                lambda message, positions=positions: positions.update({
                    (message.header.stamp.sec, message.header.stamp.nanosec):
                        dict(zip(message.name, message.position))}), 100)

    def errors(self):
        """Return the distance of actual and desired positions, wherever both came."""
        return [abs(self.actual[stamp][joint] - position)
                for stamp, desired in self.desired.items() if stamp in self.actual
                for joint, position in desired.items()]

    def way(self):
        """Return how far the joint that was to move least was to move."""
        if not self.desired:
            return 0.0
        joints = next(iter(self.desired.values()))
        return min(max(d[joint] for d in self.desired.values())
                   - min(d[joint] for d in self.desired.values()) for joint in joints)


def watch(launch, namespaces, done):
    """Return what was seen in each namespace when `done` held for all."""
    import rclpy
    from rclpy.executors import SingleThreadedExecutor
    context = rclpy.Context()
    rclpy.init(context=context, domain_id=launch.domain)
    node = rclpy.create_node('watch', context=context)
    executor = SingleThreadedExecutor(context=context)
    executor.add_node(node)
    try:
        watches = [Watch(node, namespace) for namespace in namespaces]
        end = time.monotonic() + PATIENCE
        while not all(done(watch) for watch in watches):
            assert launch.process.poll() is None, launch.output
            assert time.monotonic() < end, launch.output
            executor.spin_once(timeout_sec=1.0)
        return watches
    finally:
        executor.shutdown()
        node.destroy_node()
        rclpy.shutdown(context=context)


def followed(watch):
    """Return whether half a swing was seen."""
    return watch.way() > 0.3 and len(watch.errors()) > 500


@pytest.mark.parametrize('namespace, arguments', [
    ('', []),
    ('/left', ['namespace:=left', 'use_sim_time:=true', 'trajectory:=circle']),
])
def test_the_arm_follows_and_ctrl_c_leaves_nothing(start, namespace, arguments):
    """SIGINT to the launch alone ends all it started, well."""
    launch = start(*arguments)
    seen, = watch(launch, [namespace], followed)
    assert max(seen.errors()) < CLOSE
    assert len(launch.processes()) >= 5
    launch.process.send_signal(signal.SIGINT)
    assert launch.process.wait(PATIENCE) == 0, launch.output
    assert launch.processes() == {}
    assert 'Traceback' not in launch.output
    assert 'process has died' not in launch.output


def test_two_arms_in_two_namespaces_do_not_meet(start, tmp_path):
    """Each follows its own reference, at another pace."""
    (tmp_path / 'left').mkdir()
    slow = tmp_path / 'slow.yaml'
    slow.write_text('/**: {ros__parameters: {period: 8.0}}\n')
    right = start('namespace:=right')
    left = Launch(tmp_path / 'left', 'namespace:=left', f'reference_params:={slow}')
    try:
        seen = watch(right, ['/left', '/right'], followed)
        for each in seen:
            assert max(each.errors()) < CLOSE
        assert left.process.poll() is None
    finally:
        left.end()


@pytest.mark.parametrize('name', ['simulator', 'controller'])
def test_a_killed_part_of_the_loop_ends_the_launch(start, name):
    """The others end too, and the launch says so by its exit code."""
    launch = start()
    watch(launch, [''], lambda seen: len(seen.desired) > 10)
    pid, = [pid for pid, command in launch.processes().items()
            if f'lib/{PACKAGE}/{name} ' in command]
    os.kill(pid, signal.SIGKILL)
    assert launch.process.wait(PATIENCE) == 1
    assert f'the {name} ended with exit code -9' in launch.output
    assert launch.processes() == {}


@pytest.mark.parametrize('urdf, problem', [
    (None, 'No such file'),
    ('<robot name="a"><link name="b"></robot>', 'broken.urdf:1'),
    ('<robot name="a"><link name="b"/><link name="c"/></robot>', 'root'),
    ('<robot name="a"><link name="b"/></robot>', 'no movable joint'),
])
def test_a_broken_description_ends_the_launch_in_one_line(start, tmp_path, urdf, problem):
    """No node is started, and no traceback is shown."""
    path = tmp_path / 'broken.urdf'
    if urdf is not None:
        path.write_text(urdf)
    launch = start(f'urdf:={path}')
    assert launch.process.wait(PATIENCE) == 1
    said, = [line for line in launch.output.splitlines() if '[ERROR]' in line]
    assert problem in said
    assert str(path) in said
    assert 'process started' not in launch.output
    assert 'Traceback' not in launch.output
