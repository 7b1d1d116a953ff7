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

"""Give the parameters of a table to a node, with the values it was started with."""

from types import SimpleNamespace
from typing import Callable, Sequence

from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor, \
    SetParametersResult
from rclpy.node import Node
from rclpy.parameter import Parameter

from twolink_dynamics.errors import TwoLinkError
from twolink_dynamics.options import check, described_range, Option, unknown
from twolink_dynamics.options.documents import in_words
from twolink_dynamics.tracking.node_options import NODE_OPTIONS

__all__ = ['declare', 'descriptor']

# What rclpy itself declares on a node.
BUILT_IN = ('use_sim_time', 'start_type_description_service')
BUILT_IN_PREFIX = 'qos_overrides.'


def _is_of_another_node(name: str) -> bool:
    return any(entry.name == name for table in NODE_OPTIONS.values() for entry in table)


def descriptor(entry: Option) -> ParameterDescriptor:
    """
    Return how ROS describes a parameter.

    Parameters
    ----------
    entry : Option

    Returns
    -------
    descriptor : ParameterDescriptor

    """
    description = ParameterDescriptor(
        name=entry.name,
        description=in_words(entry),
        additional_constraints=described_range(entry), read_only=not entry.live,
        # Types are checked here, more kindly: an integer is a good float.
        dynamic_typing=True)
    if entry.minimum is None or entry.maximum is None:
        return description
    if entry.kind == 'int':
        description.integer_range = [
            IntegerRange(from_value=int(entry.minimum), to_value=int(entry.maximum), step=0)]
    else:
        description.floating_point_range = [
            FloatingPointRange(from_value=float(entry.minimum), to_value=float(entry.maximum))]
    return description


def declare(node: Node, table: Sequence[Option],
            on_change: Callable[[SimpleNamespace], None] | None = None) -> SimpleNamespace:
    """
    Declare a table's parameters on a node, with the values it was started with.

    Parameters
    ----------
    node : rclpy.node.Node
    table : sequence of Option
    on_change : callable, optional
        Called with the namespace of values as it is to be when live parameters are changed; may
        raise a TwoLinkError to refuse them, and then nothing changes.

    Returns
    -------
    values : types.SimpleNamespace
        One attribute per parameter; live ones follow what is set.

    Raises
    ------
    ParameterError
        If the node was started with a parameter it does not have, or an impossible value.

    """
    # rclpy's public way to see what a node was started with is to declare all of it unchecked, and
    # that fails on an empty list. Without this attribute, unknown names are merely not noticed.
    given = {name: parameter.value
             for name, parameter in (getattr(node, '_parameter_overrides', None) or {}).items()}
    names = {entry.name for entry in table}
    for name, value in given.items():
        if name not in names and name not in BUILT_IN and not name.startswith(BUILT_IN_PREFIX):
            if not _is_of_another_node(name):
                raise unknown(name, value, table)
            node.get_logger().debug(f'parameter {name} is for another node')
    values = SimpleNamespace()
    for entry in table:
        value = check(entry, given.get(entry.name))
        setattr(values, entry.name, value)
        node.declare_parameter(entry.name, list(value) if isinstance(value, tuple) else value,
                               descriptor(entry), ignore_override=bool(given))
    node.add_on_set_parameters_callback(_setter(table, values, on_change))
    return values


def _setter(table: Sequence[Option], values: SimpleNamespace,
            on_change: Callable[[SimpleNamespace], None] | None
            ) -> Callable[[list[Parameter]], SetParametersResult]:
    """Return a callback that checks what is set, and takes it over if all of it is possible."""
    entries = {entry.name: entry for entry in table}

    def set_parameters(parameters: list[Parameter]) -> SetParametersResult:
        changed = SimpleNamespace(**vars(values))
        try:
            for parameter in parameters:
                if parameter.name in entries:
                    setattr(changed, parameter.name,
                            check(entries[parameter.name], parameter.value))
            if on_change is not None and vars(changed) != vars(values):
                on_change(changed)
        except TwoLinkError as error:
            return SetParametersResult(successful=False, reason=str(error))
        vars(values).update(vars(changed))
        return SetParametersResult(successful=True)

    return set_parameters
