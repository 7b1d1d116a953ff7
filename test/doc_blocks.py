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
What the documents show: fenced blocks of commands, Python, files, and what comes of them.

How a block is marked says what it is, here and to the host that colours it:

- ``sh``: commands, one a line, run in the folder of the clone. A comment with ``exit status 1``
  says so of a command that is to fail. ``console``: the same with ``$`` before each, and output.
- ``python``: run, one namespace a page.
- Any of them and ``xml``, ``yaml`` with a name after it (``python my_law.py``): a file, written.
- ``text``: the output of the block before it. A line of ``...`` stands for any lines.
- Without a mark: a figure, not looked at; it must not look like commands.

"""

from dataclasses import dataclass
from pathlib import Path
import re

__all__ = [
    'Block', 'alike', 'anchors', 'commands_of', 'links', 'read_blocks', 'unlike',
    'unmarked_commands']

FENCE = re.compile(r'^(?P<ticks>`{3,})[ ]*(?P<language>[\w-]*)[ ]*(?P<name>\S*)[^\n]*\n'
                   r'(?P<text>.*?)^(?P=ticks)[ ]*$', re.MULTILINE | re.DOTALL)
# What a line of a shell begins with.
COMMAND = re.compile(
    r'\s*(\$ |(sudo |timeout )?(twolink|make|python3?|pip|ros2|colcon|rosdep|git|apt|cd) )')
NUMBER = re.compile(r'(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?')
# What depends on the machine: its speed, and the last bits of its sums.
VARIES = re.compile(r'real time|\bHz\b|a second|unexplained|equal to|seconds?\b')
TOLERANCE = 0.02        # the versions of NumPy and of what is below it differ by far less
NOTHING = 1e-8          # what is smaller is rounding


@dataclass
class Block:
    """A fenced block."""

    page: Path
    line: int
    language: str
    name: str
    text: str

    @property
    def commands(self):
        """The commands of a block of the shell, with what each is to put out and return."""
        return commands_of(self.text, self.language == 'console')


def read_blocks(path):
    """Return the blocks of a document."""
    text = path.read_text(encoding='utf-8')
    return [Block(path, text.count('\n', 0, match.start()) + 1, match['language'], match['name'],
                  match['text']) for match in FENCE.finditer(text)]


def commands_of(text, prompts=False):
    """Return (command, exit status, output or None) of each command of a block."""
    found, lines = [], text.splitlines()
    while lines:
        line = lines.pop(0)
        if prompts:
            if not line.startswith('$ '):
                raise ValueError(f'output before any command: {line!r}')
            line = line[2:]
        while line.endswith('\\') and lines:
            line = f'{line[:-1].rstrip()} {lines.pop(0).lstrip()}'
        here = re.search(r"<<'?(\w+)'?$", line)
        while here and lines:
            line += '\n' + lines.pop(0)
            if line.endswith('\n' + here[1]):
                break
        output = []
        while prompts and lines and not lines[0].startswith('$ '):
            output.append(lines.pop(0))
        status = re.search(r'#.*exit status (\d+)', line)
        if line.strip() and not line.lstrip().startswith('#'):
            found.append((line, int(status[1]) if status else 0,
                          '\n'.join(output) if output else None))
    return found


def unmarked_commands(blocks):
    """Return where a block without a mark, or of output, looks like commands."""
    return [f'{block.page.name}:{block.line}: {line}' for block in blocks
            if block.language == '' for line in block.text.splitlines() if COMMAND.match(line)]


def alike(shown, line):
    """Tell whether a line of output is the one that is shown, numbers roughly."""
    ours, theirs = ([' '.join(part.split()) for part in NUMBER.split(text)]
                    for text in (shown, line))
    if ours != theirs:
        return False
    return bool(VARIES.search(shown)) or all(
        abs(a - b) <= max(TOLERANCE * max(abs(a), abs(b)), NOTHING) for a, b in
        zip(*(map(float, NUMBER.findall(text)) for text in (shown, line))))


def unlike(shown, output):
    """Return the first line shown that the output has not, in order; None if it has all."""
    lines, anywhere = [line.rstrip() for line in output.splitlines() if line.strip()], True
    for wanted in filter(str.strip, shown.splitlines()):
        if wanted.strip() in ('...', '…'):
            anywhere = True
            continue
        while lines and anywhere and not alike(wanted, lines[0]):
            lines.pop(0)
        if not lines or not alike(wanted, lines.pop(0)):
            return wanted
        anywhere = False
    return None


def prose(path):
    """Return a document without its blocks."""
    return re.sub(FENCE, '', path.read_text(encoding='utf-8'))


def links(path):
    """Return what a document links to, but for other sites."""
    targets = re.findall(r'\]\(([^)\s]+)\)', prose(path))
    return [target for target in targets if not re.match(r'\w+:', target)]


def anchors(path):
    """Return the anchors of a document, as code hosts make them of its headings."""
    titles = re.findall(r'^#+ +(.*?) *$', prose(path), re.MULTILINE)
    plain = [re.sub(r'\[(.*?)\]\(.*?\)', r'\1', title).lower() for title in titles]
    return {re.sub(r'[^\w\- ]', '', title).replace(' ', '-') for title in plain}.union(
        re.findall(r'<a id="([^"]+)"', prose(path)))
