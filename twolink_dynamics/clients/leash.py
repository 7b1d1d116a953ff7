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
A leash for a module: it ends when its parent does, however the parent ended.

``python -m twolink_dynamics.clients.leash MODULE ARGUMENT...`` runs a module as ``python -m``
does, with a pipe from its parent as standard input. The parent never writes to it; the pipe closes
when the parent closes it or dies, be it by ``kill -9``. The module is then asked to end (SIGTERM),
and ended if it does not.

"""

import os
import runpy
import signal
import sys
import threading
import time

__all__ = ['main']

# [s] for a node to end by itself, before it is ended.
GRACE = 5.0


def _hold(descriptor: int) -> None:
    while os.read(descriptor, 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE)
    os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    """Run the module named by the first argument."""
    # The module must not read the pipe: it gets an empty standard input.
    leash = os.dup(0)
    empty = os.open(os.devnull, os.O_RDONLY)
    os.dup2(empty, 0)
    os.close(empty)
    threading.Thread(target=_hold, args=(leash,), daemon=True).start()
    module = sys.argv[1]
    sys.argv[:] = sys.argv[1:]
    runpy.run_module(module, run_name='__main__', alter_sys=True)


if __name__ == '__main__':
    main()
