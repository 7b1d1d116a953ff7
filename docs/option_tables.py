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
Write what comes of the options: the tables of docs/interfaces.md, and the files in config/.

Run it after an option has been declared, changed or removed; a test fails until then.

"""

from pathlib import Path
import re

from twolink_dynamics.options.documents import table_row, yaml_lines
from twolink_dynamics.tracking.node_options import NODE_OPTIONS

ROOT = Path(__file__).resolve().parents[1]
FILES = {'simulator': 'simulator.yaml', 'computed_torque_controller': 'controller.yaml',
         'reference': 'reference.yaml', 'trail': 'trail.yaml'}
# Given by the launch file, which reads the arm.
ELSEWHERE = ('robot_description', 'base_link', 'tip_link')
HEADER = ('| name | kind | default | range | unit | live | what it is |',
          '| --- | --- | --- | --- | --- | --- | --- |')


def page(text):
    """Return the page with the table of every node."""
    for node, table in NODE_OPTIONS.items():
        rows = '\n'.join([*HEADER, *map(table_row, table)])
        heading = f'### Parameters of `{node}`\n\n'
        text = re.sub(re.escape(heading) + r'(\|.*\n)+', lambda _: f'{heading}{rows}\n', text)
    return text


def configuration(text, table):
    """Return a configuration file with every option of a node, below its own first lines."""
    head = text[:text.index('  ros__parameters:\n')] + '  ros__parameters:\n'
    blocks = ['\n'.join(yaml_lines(entry)) for entry in table if entry.name not in ELSEWHERE]
    return '\n'.join([head, '\n\n'.join(blocks), ''])


def main():
    """Write all of it."""
    path = ROOT / 'docs' / 'interfaces.md'
    path.write_text(page(path.read_text(encoding='utf-8')), encoding='utf-8')
    for node, name in FILES.items():
        path = ROOT / 'config' / name
        path.write_text(configuration(path.read_text(), NODE_OPTIONS[node]))


if __name__ == '__main__':
    main()
