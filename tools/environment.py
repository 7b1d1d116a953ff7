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
Make the virtual environment that `make` runs in, and print its path.

Usage: environment.py sim|test

The environment is .venv with the rclpy wheels of the `ros` extra, or, where this shell has sourced
a ROS 2, .venv-<distribution> on top of that ROS. The package is installed editable: an edit is
seen at once, and nothing is installed again until setup.py changes. Installing is stamped only
when it has succeeded. This file runs before anything is installed and on any Python 3, so that an
old one is told so.

"""

from __future__ import print_function

import fcntl
import hashlib
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
EXTRAS = {'sim': ['plot'], 'test': ['fast', 'plot', 'test']}
RCLPY_MARKER = 'share/ament_index/resource_index/packages/rclpy'


def base_python():
    """Return the Python below any active environment: that is what ROS is installed for."""
    base = getattr(sys, 'base_prefix', sys.prefix)
    path = os.path.join(base, 'bin', 'python{}.{}'.format(*sys.version_info[:2]))
    return path if sys.prefix != base and os.path.exists(path) else sys.executable


PYTHON = base_python()


def main(arguments):
    """Make sure that the environment of a profile is there; print its path."""
    if len(arguments) != 1 or arguments[0] not in EXTRAS:
        sys.exit('usage: environment.py sim|test')
    check_python()
    distribution = sourced_ros()
    venv = os.path.join(ROOT, '.venv-' + distribution if distribution else '.venv')
    with open(os.path.join(ROOT, '.venv.lock'), 'w') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        create(venv, distribution)
        install(venv, arguments[0], distribution)
    print(venv)


def check_python():
    """Stop with one line where this Python cannot do."""
    version = '.'.join(map(str, sys.version_info[:3]))
    if sys.version_info < (3, 10):
        stop('Python 3.10 or newer is needed, and {} is {}'.format(PYTHON, version))
    try:
        import ensurepip  # noqa: F401 (Debian keeps it apart from python3)
        import venv  # noqa: F401
    except ImportError:
        stop('{} has no venv; install it (Debian and Ubuntu: apt install python3-venv), or '
             'choose'.format(PYTHON), '')


def stop(problem, but='; choose'):
    """Exit with one line that ends in the way out."""
    sys.exit('{}{} another Python: make PYTHON=python3.12 ...'.format(problem, but))


def sourced_ros():
    """Return the name of the ROS 2 distribution this shell has sourced, '' if none."""
    own = sys.prefix if sys.prefix != sys.base_prefix else None  # wheels are no ROS installation
    prefixes = [prefix for prefix in os.environ.get('AMENT_PREFIX_PATH', '').split(os.pathsep)
                if prefix and prefix != own and os.path.exists(os.path.join(prefix, RCLPY_MARKER))]
    if not prefixes:
        if sys.version_info >= (3, 14):
            stop('the rclpy wheels are for Python 3.10 to 3.13, and {} is {}.{}; source a ROS 2, '
                 'or choose'.format(PYTHON, *sys.version_info[:2]), '')
        return ''
    distribution = os.environ.get('ROS_DISTRO') or 'ros'
    if not importable('rclpy'):
        stop('this shell has sourced ROS 2 {} ({}), but {} cannot import its rclpy; open a shell '
             'without it, or choose'.format(distribution, prefixes[0], PYTHON), '')
    return distribution


def importable(module):
    """Tell whether the Python below any environment imports a module."""
    with open(os.devnull, 'w') as null:
        return subprocess.call([PYTHON, '-c', 'import ' + module], stdout=null, stderr=null) == 0


def create(venv, distribution):
    """Create the environment, unless it is there, whole, and of this Python."""
    identity = '\n'.join([venv, PYTHON, sys.version, str(bool(distribution))])
    mark = os.path.join(venv, 'twolink-python')
    if read(mark) == identity:
        return
    say('creating {} with Python {}.{}{}'.format(
        os.path.relpath(venv), sys.version_info[0], sys.version_info[1],
        ' on top of the sourced ROS 2 ' + distribution if distribution else ''))
    options = ['--system-site-packages'] if distribution else []
    run([PYTHON, '-m', 'venv', '--clear'] + options + [venv])
    run(pip(venv) + ['pip>=23.1'])  # the first to search well: older ones take ages, or give up
    write(mark, identity)


def install(venv, profile, distribution):
    """Install this package with the extras of a profile, unless that is done already."""
    limits = constraints(distribution)
    profiles = ['test'] if profile == 'test' else ['sim', 'test']  # test has all that sim has
    if any(read(stamp(venv, name)) == digest(extras(name, distribution), limits)
           for name in profiles):
        return
    for name in EXTRAS:
        if os.path.exists(stamp(venv, name)):  # what is under way may break what was installed
            os.remove(stamp(venv, name))
    wanted = ','.join(extras(profile, distribution))
    say('installing twolink_dynamics[{}] into {}; this takes a minute or two, and is done once'
        .format(wanted, os.path.relpath(venv)))
    write(os.path.join(venv, 'constraints.txt'), limits)
    run(pip(venv) + ['--use-pep517', '--constraint', os.path.join(venv, 'constraints.txt'),
                     '--editable', '{}[{}]'.format(ROOT, wanted)])
    write(stamp(venv, profile), digest(extras(profile, distribution), limits))


def pip(venv):
    """Return the start of the command that installs; errors are all that it says."""
    return [os.path.join(venv, 'bin', 'python'), '-m', 'pip', 'install', '-qq',
            '--disable-pip-version-check']


def extras(profile, distribution):
    """Return the extras a profile needs; a sourced ROS brings its own rclpy."""
    return EXTRAS[profile] if distribution else ['ros'] + EXTRAS[profile]


def constraints(distribution):
    """Return what pip must keep of a sourced ROS, as a constraints file."""
    lines = []
    if distribution:
        # Its messages are compiled against its NumPy, and its launch_testing breaks pytest 8.4.
        if importable('numpy'):
            lines.append('numpy==' + subprocess.check_output(
                [PYTHON, '-c', 'import numpy; print(numpy.__version__)'],
                universal_newlines=True).strip())
        if importable('launch_testing'):
            lines.append('pytest<8.4')
    return '\n'.join(lines) + '\n'


def digest(wanted, limits):
    """Return what an installation depends on, in short."""
    whole = [read(os.path.join(ROOT, 'setup.py')), read(os.path.join(ROOT, 'setup.cfg')), limits]
    return hashlib.sha256('\0'.join(whole + wanted).encode('utf-8')).hexdigest()


def stamp(venv, profile):
    """Return the path of a profile's stamp."""
    return os.path.join(venv, 'twolink-installed-' + profile)


def run(command):
    """Run a command with its output on stderr; stop where it fails."""
    code = subprocess.call(command, stdout=sys.stderr, cwd=ROOT)
    if code:
        sys.exit('failed: ' + ' '.join(command))


def say(line):
    """Tell what is going on, apart from the path on stdout."""
    print(line, file=sys.stderr)
    sys.stderr.flush()


def read(path):
    """Return a file's text, '' where there is none."""
    if not os.path.exists(path):
        return ''
    with open(path) as file:
        return file.read()


def write(path, text):
    """Write a file whole or not at all."""
    with open(path + '.new', 'w') as file:
        file.write(text)
    os.replace(path + '.new', path)


if __name__ == '__main__':
    try:
        main(sys.argv[1:])
    except KeyboardInterrupt:
        sys.exit('interrupted; the next make goes on from here')
