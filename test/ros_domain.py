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

"""A ROS domain that no other test process of this machine uses."""

import fcntl
import os
from pathlib import Path
import tempfile

__all__ = ['take_domain']

# Beyond it the domains' ports reach into those that Linux gives away by itself.
DOMAINS = 101


def take_domain():
    """
    Lock a domain.

    Returns
    -------
    domain : int
    lock : file
        The domain is taken as long as this is open.

    """
    for k in range(DOMAINS):
        domain = 1 + (os.getpid() + k) % DOMAINS
        lock = open(Path(tempfile.gettempdir()) / f'twolink_ros_domain_{domain}.lock', 'a')
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lock.close()
            continue
        return domain, lock
    raise RuntimeError(f'all {DOMAINS} ROS domains are taken by other test processes')
