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
Draw the pictures of the tutorials anew, by the commands that the tutorials show.

``python docs/figures/draw.py [FOLDER]``; into this folder if none is given. Colours are reduced to
a palette, which a reader does not see and a clone's size does.

"""

from pathlib import Path
import sys
import tempfile

from PIL import Image

from twolink_dynamics import load_arm, Payload, PlantOptions, share_path, simulate, trajectories
from twolink_dynamics.cli.main import main
from twolink_dynamics.control import make_law

HERE = Path(__file__).resolve().parent
ARM = str(share_path('urdf', 'twolink.urdf'))
MY_ARM = str(HERE.parent / 'tutorials' / 'my_arm.urdf')


def run(*arguments):
    """Run the command; stop where it fails."""
    if main([str(x) for x in arguments]):
        sys.exit(f'failed: twolink {" ".join(map(str, arguments))}')


def adaptive(log):
    """Simulate what the third tutorial has the adaptive law do."""
    arm = load_arm(MY_ARM)
    circle = trajectories.circle(arm)
    simulate(arm, circle.duration, trajectory=circle,
             law=make_law('adaptive', arm, natural_frequency=20.0, friction=True),
             plant=PlantOptions(payloads=(Payload(0.3),), command_delay=0.004,
                                velocity_noise=0.02)).save(log)


def smaller(path, colors=48):
    """Reduce a picture to a palette."""
    with Image.open(path) as image:
        image.convert('RGB').quantize(colors, dither=Image.Dither.NONE).save(path, optimize=True)


def draw(folder):
    """Draw all of them into a folder."""
    with tempfile.TemporaryDirectory() as scratch:
        log = Path(scratch) / 'log.npz'
        run('simulate', '--trajectory', 'swing', '--log', log)
        run('plot', log, ARM, '--width', '13', '-o', folder / 'swing.png')
        run('simulate', '--law', 'none', '--q0', '0.5', '0', '--duration', '6', '--damping', '0',
            '--no-stops', '--log', log)
        run('animate', log, ARM, '--size', '320', '--fps', '12', '-o', folder / 'free.gif')
        run('simulate', MY_ARM, '--trajectory', 'circle', '--log', log)
        run('plot', log, MY_ARM, '--kind', 'tip', '-o', folder / 'my_tip.png')
        adaptive(log)
        run('plot', log, MY_ARM, '--kind', 'error', '-o', folder / 'adaptive.png')
    for name in ('swing.png', 'my_tip.png', 'adaptive.png'):
        smaller(folder / name)


if __name__ == '__main__':
    draw(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE)
