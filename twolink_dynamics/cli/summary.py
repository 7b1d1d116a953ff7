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

"""The table of the figures that sum up a simulation."""

from typing import Any, Mapping

from twolink_dynamics.cli.text import number, table, wrapped
from twolink_dynamics.plotting.panels import WORDS

__all__ = ['as_text']


def as_text(figures: Mapping[str, Any]) -> list[str]:
    """
    Return the figures as lines of text.

    Parameters
    ----------
    figures : dict
        From :func:`twolink_dynamics.studies.summary.figures_of`.

    Returns
    -------
    lines : list of str

    """
    slides = any(joint['unit'] == 'm' for joint in figures['joints'])
    unit, force = ('rad or m', 'N m or N') if slides else ('rad', 'N m')
    small = 'mrad or mm' if slides else 'mrad'
    tracked = figures['joints'][0]['rms_error'] is not None
    header = ['joint', *((f'rms error [{small}]', 'peak', 'final') if tracked else
                         (f'lowest [{unit}]', 'highest')),
              f'peak velocity [{unit.replace(" or m", "")}/s]', f'peak effort [{force}]', 'limit']
    rows = []
    for joint in figures['joints']:
        errors = [number(1e3 * joint[key]) for key in ('rms_error', 'peak_error', 'final_error')] \
            if tracked else [number(joint['lowest']), number(joint['highest'])]
        rows.append((joint['name'], *errors, number(joint['peak_velocity']),
                     number(joint['peak_effort']), number(joint['effort_limit'])))
    lines = table(header, rows, indent='')
    energy = figures['energy']
    lines.append(f'energy: {number(energy["start"])} J at the start, {number(energy["end"])} J at '
                 'the end')
    if energy['work'] is not None:
        works = ', '.join(f'{WORDS[name]} {number(work)} J'
                          for name, work in energy['work'].items() if work)
        lines.append(wrapped(f'  by {works or "nothing"}; at most '
                             f'{number(energy["unexplained"], 2)} J unexplained'))
    if figures['events']:
        lines.append('events: ' + ', '.join(
            f'{count} {kind}' for kind, count in figures['events'].items()))
    if figures['wall']:
        lines.append(f'{figures["steps"]} steps in {number(figures["wall"], 3)} s, '
                     f'{number(figures["real_time_factor"], 3)} x real time')
    return lines
