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

"""The table of faults that latch: what each is, what the arm gets, and how it is left."""

from typing import NamedTuple

__all__ = ['FAULTS', 'Fault', 'STATES', 'fault_rows']

#: What a controller does, in one word.
STATES = ('disabled', 'waiting', 'holding', 'moving', 'stopping', 'fault')


class Fault(NamedTuple):
    """
    A fault that latches.

    Attributes
    ----------
    name : str
        One word, for diagnostics.
    detected : str
        What is detected.
    within : str
        Within what time, or after what motion.
    effort : str
        What the arm gets: ``'fault_effort'``, the option of that name, or ``'zero'``.
    told : str
        What a goal's client is told; the log and the diagnostics (ERROR) have the same words.
    left : str
        How it is left.

    """

    name: str
    detected: str
    within: str
    effort: str
    told: str = 'aborted, −4, "fault: …"; later goals are refused, −1'
    left: str = '`~/enable` with true: from rest where the arm is then'


#: By name.
FAULTS = {fault.name: fault for fault in (
    Fault('direction', 'the arm moves as if the effort of a joint had the other sign, or two '
          "joints had each other's",
          'a speed of 15 % of the velocity limit; half of `hold_tolerance`', 'zero'),
    Fault('recurring', 'a third large error, speed or jump before 2 s have gone by without one',
          'the third time', 'fault_effort'),
    Fault('drives', 'the arm moves as if no effort acted', '0.5 s of it', 'fault_effort'),
    Fault('jump', 'positions jump in a way that no velocity explains, where `on_position_jump` is '
          '`fault`', 'the first state', 'fault_effort'),
    Fault('wrap', 'the encoder of a joint that is not continuous jumps by a whole turn',
          'the first state', 'fault_effort'),
)}


def fault_rows() -> list[str]:
    """
    Return the table as lines of Markdown.

    Returns
    -------
    rows : list of str

    """
    return ['| fault | what is detected | within | what the arm gets | what a '
            "goal's client is told | how it is left |", '| --- | --- | --- | --- | --- | --- |',
            *(f'| {f.name} | {f.detected} | {f.within} | '
              f'{"`fault_effort`" if f.effort == "fault_effort" else f.effort} | {f.told} | '
              f'{f.left} |' for f in FAULTS.values())]
