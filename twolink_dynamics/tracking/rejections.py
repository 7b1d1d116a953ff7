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

"""What is wrong with a message: counted always, said once per kind."""

from twolink_dynamics.errors import TwoLinkError

__all__ = ['MessageError', 'Rejections']


class MessageError(TwoLinkError, ValueError):
    """
    A message that must not be used.

    Attributes
    ----------
    kind : str
        What is wrong, in two or three words that are the same for every such message.

    """

    def __init__(self, kind, problem):
        self.kind = kind
        super().__init__(f'{kind}: {problem}')


class Rejections:
    """
    Count what was rejected, and say each kind of fault the first time.

    Parameters
    ----------
    warn : callable
        Takes a text.

    Attributes
    ----------
    counts : dict of str to int
        By topic and kind.

    """

    def __init__(self, warn):
        self._warn = warn
        self.counts = {}

    def add(self, topic, error):
        """
        Count a message.

        Parameters
        ----------
        topic : str
        error : MessageError

        """
        key = f'{topic}, {error.kind}'
        count = self.counts[key] = self.counts.get(key, 0) + 1
        if count == 1:
            self._warn(f'rejected a message on {topic}: {error}; more of this kind are only '
                       'counted (see /diagnostics)')

    @property
    def total(self):
        """How many messages were rejected."""
        return sum(self.counts.values())
