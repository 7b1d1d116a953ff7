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
Draw the figure of docs/conventions.md: zero pose, signs, gravity, frames.

    python docs/figures/conventions.py [FILE]

writes docs/figures/conventions.svg, or a file of another format.

"""

import math
from pathlib import Path
import sys

import matplotlib
from matplotlib.figure import Figure
from matplotlib.patches import Arc, Circle, FancyArrowPatch
import numpy as np

# Okabe and Ito's palette: told apart with any kind of colour vision.
LINK1, LINK2, GRAVITY, FORCE = '#D55E00', '#0072B2', '#009E73', '#AA3377'
INK, FAINT = '#222222', '#999999'


def arrow(axes, start, end, colour=INK, width=1.4, size=11):
    """Draw a straight arrow."""
    axes.add_patch(FancyArrowPatch(start, end, arrowstyle='-|>', mutation_scale=size, lw=width,
                                   color=colour, shrinkA=0, shrinkB=0, zorder=4))


def angle(axes, centre, radius, start, end, text, colour):
    """Draw an angle from one direction to another, with an arrow at its end [degrees]."""
    axes.add_patch(Arc(centre, 2 * radius, 2 * radius, theta1=start, theta2=end, color=colour,
                       lw=1.5, zorder=3))
    tip = np.array(centre) + radius * direction(end)
    before = np.array(centre) + radius * direction(end - 6)
    arrow(axes, before, tip, colour, 1.2)
    middle = np.array(centre) + (radius + 0.09) * direction(0.5 * (start + end))
    axes.text(*middle, text, color=colour, ha='center', va='center', fontsize=11)


def direction(degrees):
    """Return a unit vector."""
    return np.array([math.cos(math.radians(degrees)), math.sin(math.radians(degrees))])


def link(axes, start, end, colour):
    """Draw a link as a thick line with round ends."""
    axes.plot(*zip(start, end), color=colour, lw=11, solid_capstyle='round', alpha=0.35, zorder=1)


def joint(axes, place):
    """Draw a joint whose axis points at the reader."""
    axes.add_patch(Circle(place, 0.042, fc='white', ec=INK, lw=1.4, zorder=5))
    axes.add_patch(Circle(place, 0.011, fc=INK, ec=INK, zorder=6))


def centre_of_mass(axes, place):
    """Draw the quartered circle of a centre of mass."""
    axes.add_patch(Circle(place, 0.03, fc='white', ec=INK, lw=1.2, zorder=5))
    for start in (0, 180):
        wedge = matplotlib.patches.Wedge(place, 0.03, start, start + 90, fc=INK, zorder=6)
        axes.add_patch(wedge)


def measure(axes, start, end, offset, text, colour, at=0.5):
    """Draw a dimension beside a line, its name at a fraction of it."""
    start, end = np.array(start), np.array(end)
    along = (end - start) / np.linalg.norm(end - start)
    across = np.array([-along[1], along[0]]) * offset
    axes.add_patch(FancyArrowPatch(start + across, end + across, arrowstyle='<|-|>',
                                   mutation_scale=7, lw=0.9, color=colour, shrinkA=0, shrinkB=0))
    middle = (1.0 - at) * start + at * end + across + np.sign(offset) * 0.075 * np.array(
        [-along[1], along[0]])
    axes.text(*middle, text, color=colour, ha='center', va='center', fontsize=10)


def draw_drawing(axes):
    """Draw the arm of the texts in a pose, with its angles, lengths and forces."""
    a, b = 28.0, 68.0
    elbow = 1.0 * direction(a)
    tip = elbow + 0.8 * direction(b)
    arrow(axes, (0, 0), (0.6, 0))
    arrow(axes, (0, 0), (0, 0.6))
    axes.text(0.64, -0.01, '$x$', va='center')
    axes.text(0.0, 0.66, '$y$', ha='center')
    axes.plot(*zip(elbow, elbow + 0.55 * direction(a)), color=FAINT, lw=1, ls='--')
    link(axes, (0, 0), elbow, LINK1)
    link(axes, elbow, tip, LINK2)
    angle(axes, (0, 0), 0.36, 0, a, '$q_1$', LINK1)
    angle(axes, elbow, 0.5, a, b, '$q_2$', LINK2)
    for start, degrees, length in (((0, 0), a, 0.5), (elbow, b, 0.4)):
        centre_of_mass(axes, np.array(start) + length * direction(degrees))
    joint(axes, (0, 0))
    joint(axes, elbow)
    measure(axes, (0, 0), 0.5 * direction(a), 0.13, '$l_{c1}$', LINK1)
    measure(axes, (0, 0), elbow, 0.26, '$l_1$', LINK1, 0.4)
    measure(axes, elbow, elbow + 0.4 * direction(b), 0.12, '$l_{c2}$', LINK2, 0.75)
    measure(axes, elbow, tip, -0.14, '$l_2$', LINK2, 0.87)
    axes.add_patch(Circle(tip, 0.025, fc=INK, ec=INK, zorder=6))
    axes.text(*(tip + (-0.07, 0.06)), 'tip', ha='right', fontsize=9.5)
    arrow(axes, tip + (0.36, 0.1), tip + (0.04, 0.012), FORCE, 1.8, 13)
    axes.text(*(tip + (0.4, 0.1)), 'tip_wrench: what\nthe surroundings\nexert on the tip',
              color=FORCE, fontsize=9, ha='left', va='center')
    arrow(axes, (0.42, 1.13), (0.42, 0.83), GRAVITY, 1.8, 13)
    axes.text(0.38, 0.98, '$g$', color=GRAVITY, ha='right', va='center', fontsize=12)
    axes.text(0.62, -0.16, 'Angles and efforts count counterclockwise.\n'
              '$q_1$ from $x$, $q_2$ from link 1.', fontsize=9, ha='center', va='top')
    axes.set_title('The drawing of theory.md: TwoLinkArm(m1, …)', fontsize=10.5)


def draw_zero_pose(axes):
    """Draw the package's own arm, urdf/twolink.urdf, at q = 0, with all its frames."""
    shoulder, elbow, tip = (0.0, 0.72), (1.0, 0.72), (1.8, 0.72)
    axes.plot([-0.3, 0.6], [0, 0], color=FAINT, lw=1)
    for x in np.linspace(-0.27, 0.57, 13):
        axes.plot([x, x - 0.05], [0, -0.05], color=FAINT, lw=0.8)
    axes.plot([0, 0], [0, 0.72], color=FAINT, lw=7, alpha=0.5, solid_capstyle='butt', zorder=0)
    link(axes, shoulder, elbow, LINK1)
    link(axes, elbow, tip, LINK2)
    for origin, names, colour in (((0, 0), ('$x$', '$z$'), INK),
                                  (shoulder, ('', '$z$'), LINK1), (elbow, ('', '$z$'), LINK2),
                                  (tip, ('$x$', '$z$'), INK)):
        arrow(axes, origin, (origin[0] + 0.3, origin[1]), colour)
        arrow(axes, origin, (origin[0], origin[1] + 0.3), colour)
        axes.text(origin[0] + 0.34, origin[1] + 0.005, names[0], va='center', color=colour)
        axes.text(origin[0] - 0.04, origin[1] + 0.27, names[1], ha='right', color=colour)
    for place in (shoulder, elbow):
        joint(axes, place)
    axes.add_patch(Circle(tip, 0.025, fc=INK, ec=INK, zorder=6))
    axes.text(0.12, -0.13, 'base_link: z up, x forward', fontsize=9, va='center', ha='left')
    for place, text, colour in ((shoulder, 'link1', LINK1), (elbow, 'link2', LINK2),
                                (tip, 'tip', INK)):
        axes.text(place[0] + 0.05, place[1] - 0.1, text, fontsize=9.5, color=colour, ha='left')
    for place, name, colour in ((shoulder, '$q_1 > 0$', LINK1), (elbow, '$q_2 > 0$', LINK2)):
        axes.add_patch(Arc(place, 0.86, 0.86, theta1=4, theta2=36, color=colour, lw=1.5))
        end, before = (np.array(place) + 0.43 * direction(d) for d in (37, 31))
        arrow(axes, before, end, colour, 1.2)
        axes.text(*(np.array(place) + 0.53 * direction(30)), name, color=colour, fontsize=10,
                  ha='left', va='center')
    arrow(axes, (1.45, 0.52), (1.45, 0.22), GRAVITY, 1.8, 13)
    axes.text(1.5, 0.36, '$g = (0, 0, -9.81)$\nin base_link', color=GRAVITY, fontsize=9,
              va='center')
    axes.text(0.95, -0.3, 'Both axes are $-y$, towards the reader: the plane is seen\n'
              'as the drawing, its $x$ along base $x$, its $y$ along base $z$.', fontsize=9,
              ha='center', va='top')
    axes.set_title('A URDF at $q = 0$: urdf/twolink.urdf from its side', fontsize=10.5)


def draw():
    """Return the figure."""
    figure = Figure(figsize=(9.6, 4.0))
    left, right = figure.subplots(1, 2, gridspec_kw={'width_ratios': (1.0, 1.12)})
    draw_drawing(left)
    draw_zero_pose(right)
    left.set(xlim=(-0.2, 2.15), ylim=(-0.4, 1.45))
    right.set(xlim=(-0.4, 2.3), ylim=(-0.6, 1.45))
    for axes in (left, right):
        axes.set_aspect('equal')
        axes.axis('off')
    figure.subplots_adjust(left=0.01, right=0.99, top=0.92, bottom=0.02, wspace=0.03)
    return figure


def main():
    """Write the figure."""
    target = sys.argv[1] if len(sys.argv) > 1 else Path(__file__).with_suffix('.svg')
    # The same bytes each time, and glyphs that no viewer has to have.
    matplotlib.rcParams.update({'svg.hashsalt': 'conventions', 'svg.fonttype': 'path',
                                'font.size': 10.5, 'mathtext.fontset': 'dejavusans'})
    options = {'metadata': {'Date': None}} if str(target).endswith('.svg') else {'dpi': 150}
    draw().savefig(target, facecolor='white', **options)


if __name__ == '__main__':
    main()
