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
Describe the package to pip and to colcon alike.

Share files and the executables of ``ros2 run`` and ``ros2 launch`` are data files, so that both
put them where ROS looks for them; `twolink` is a console script, so that both put it on PATH.

"""

from glob import glob
import os

from setuptools import find_packages, setup

package_name = 'twolink_dynamics'
share = f'share/{package_name}'


def files(folder):
    """Return the files of a folder; editors' and Python's leavings are none of them."""
    return sorted(
        path for path in glob(f'{folder}/*') if os.path.isfile(path) and not path.endswith('~'))


extras = {
    # The real rclpy with Fast DDS, for Linux without a ROS installation (CPython 3.10 to 3.13).
    'ros': [
        'ros-diagnostic-msgs',
        'ros-geometry-msgs',
        'ros-lifecycle-msgs',
        'ros-rclpy',
        'ros-rmw-fastrtps-cpp',
        'ros-rosgraph-msgs',
        'ros-sensor-msgs',
        'ros-std-msgs',
        'ros-std-srvs',
        'ros-trajectory-msgs',
        'ros-visualization-msgs',
        'xacro',
    ],
    'xacro': ['xacro'],
    'fast': ['numba'],
    'plot': ['matplotlib>=3.5'],
    # .mp4 files of twolink animate, where no ffmpeg is installed.
    'video': ['imageio-ffmpeg', 'matplotlib>=3.5'],
    # Bags without a ROS installation.
    'bag': ['rosbags'],
    # twolink view; some 430 MB.
    'view': ['viser>=1.1', 'yourdfpy'],
    'completion': ['argcomplete'],
    # twolink equations derives them.
    'symbolic': ['sympy'],
    'test': [
        'argcomplete',
        'colcon-common-extensions',
        'flake8',
        'flake8-builtins',
        'flake8-comprehensions',
        'flake8-docstrings',
        'flake8-import-order',
        'flake8-quotes',
        'hypothesis',
        'mujoco',
        'mypy',
        'pin',
        'pytest>=7.0',
        'pyyaml',
        'rosbags',
        'setuptools>=70.1,<80',  # wheels without the wheel package; what colcon needs
        'sympy',
        'xacro',
    ],
}

setup(
    name=package_name,
    version='0.1.0',
    description='Dynamics, simulation and computed-torque control of serial arms for ROS 2',
    author='The twolink_dynamics authors',
    maintainer='The twolink_dynamics maintainers',
    maintainer_email='maintainers@twolink-dynamics.example',
    license='Apache-2.0',
    keywords=['ROS', 'robotics', 'dynamics', 'computed torque', 'URDF'],
    packages=find_packages(include=[package_name, f'{package_name}.*']),
    package_data={'twolink_dynamics': ['py.typed']},
    python_requires='>=3.10',
    # The lower bounds are what Ubuntu 22.04 has, where ROS 2 Humble lives.
    install_requires=[
        'lxml>=4.8',
        'numpy>=1.21',
        'scipy>=1.8',
        'tqdm>=4.57',
    ],
    extras_require=extras,
    entry_points={'console_scripts': ['twolink = twolink_dynamics.cli.main:main']},
    data_files=[
        ('share/ament_index/resource_index/packages', [f'resource/{package_name}']),
        (share, ['package.xml']),
        *[(f'{share}/{folder}', files(folder)) for folder in ('launch', 'config', 'urdf')],
        (f'lib/{package_name}', files('scripts')),
    ],
    zip_safe=False,
)
