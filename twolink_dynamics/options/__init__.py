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
Options: how one is declared, and everything that is rendered from the declaration.

An option is declared once, beside what it configures. From its declaration come the field of a
dataclass, the check of a value, the parameter of a node, the argument of a command
(:mod:`.command_line`), and the lines of the documents (:mod:`.documents`).

"""

from twolink_dynamics.options.check import check, check_fields, named_value, named_values, \
    split_pair, unknown
from twolink_dynamics.options.declaration import declared, Option, option, parameters
from twolink_dynamics.options.documents import described_range, documented

__all__ = ['Option', 'check', 'check_fields', 'declared', 'described_range', 'documented',
           'named_value', 'named_values', 'option', 'parameters', 'split_pair', 'unknown']
