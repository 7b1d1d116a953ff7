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

"""Give every test the same surroundings, whatever the shell it was started from."""

import atexit
import os
from pathlib import Path
import shutil
import signal
import sys
import tempfile

import pytest

# Test modules are imported by path (many folders, equal file names), which leaves sys.path alone;
# what tests share lies beside this file.
sys.path.insert(0, str(Path(__file__).resolve().parent))

from arms import LIMITED  # noqa: E402,I100
from ros_domain import take_domain  # noqa: E402
from ros_place import Ros  # noqa: E402

import twolink_dynamics as tl  # noqa: E402

# Two processes on this machine must find each other and nobody else. UDP instead of shared memory,
# of which an aborted process leaves pieces that the next one complains about.
os.environ['ROS_AUTOMATIC_DISCOVERY_RANGE'] = 'LOCALHOST'
os.environ['FASTDDS_BUILTIN_TRANSPORTS'] = 'UDPv4'
os.environ.setdefault('MPLBACKEND', 'Agg')

if 'ROS_LOG_DIR' not in os.environ:  # HOME may be unwritable, and keeps no logs of tests
    os.environ['ROS_LOG_DIR'] = tempfile.mkdtemp(prefix='twolink_log_')
    atexit.register(shutil.rmtree, os.environ['ROS_LOG_DIR'], ignore_errors=True)

# A shell starts what runs in its background deaf to Ctrl-C, and that is inherited: the processes
# that tests interrupt would not hear it.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

URDF = Path(__file__).resolve().parents[1] / 'urdf' / 'twolink.urdf'

_DOMAIN, _LOCK = take_domain()
os.environ['ROS_DOMAIN_ID'] = str(_DOMAIN)
atexit.register(_LOCK.close)


@pytest.fixture(scope='session')
def description():
    """Return the URDF text of the arm that the main job runs on."""
    return URDF.read_text(encoding='utf-8')


@pytest.fixture(scope='session')
def arm(description):
    """Return that arm."""
    return tl.load_arm(description)


@pytest.fixture(scope='session')
def limited():
    """Return an arm with limits of every kind, and friction."""
    return tl.load_arm(LIMITED)


@pytest.fixture
def ros():
    """Return a place to run nodes in; skips where there is no rclpy."""
    pytest.importorskip('rclpy', reason='no rclpy: neither a sourced ROS 2 nor the wheels')
    place = Ros()
    yield place
    place.close()
