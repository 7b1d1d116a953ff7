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
The launch files fit the package, checked with or without launch installed.

They run against stand-ins that record what it makes of `launch` and `launch_ros`; what they
recorded is held against the nodes' parameter tables and the files of this package.

"""

from contextlib import contextmanager
import importlib.machinery
import os
from pathlib import Path
import sys
from types import ModuleType
from xml.etree import ElementTree

import pytest

from twolink_dynamics.errors import TwoLinkError
from twolink_dynamics.share import share_path
from twolink_dynamics.tracking.node_options import NODE_OPTIONS

ROOT = Path(__file__).resolve().parents[2]
LAUNCH_FILE = ROOT / 'launch' / 'sim.launch.py'
HARDWARE = ROOT / 'launch' / 'hardware.launch.py'
# What both have in common, which a test may change, too.
PARTS = 'twolink_dynamics.nodes.launch_parts'
SHARED = ROOT / 'twolink_dynamics' / 'nodes' / 'launch_parts.py'
PACKAGE = 'twolink_dynamics'
MODULES = (
    'launch', 'launch.actions', 'launch.conditions', 'launch.event_handlers',
    'launch.launch_context',
    'launch.substitutions', 'launch_ros', 'launch_ros.actions',
    'launch_ros.parameter_descriptions', 'launch_ros.substitutions')
# Of other packages: the executables, and their parameters.
OTHERS = {
    ('robot_state_publisher', 'robot_state_publisher'):
        {'frame_prefix', 'ignore_timestamp', 'publish_frequency', 'robot_description'},
    ('tf2_ros', 'static_transform_publisher'): set(),
    ('rviz2', 'rviz2'): set(),
}
EVERY_NODE = {'use_sim_time'}


class Context:
    """Stands in for a LaunchContext: the arguments at their defaults."""

    def __init__(self, arguments):
        self.launch_configurations = {
            argument.args[0]: perform(argument.kwargs.get('default_value', ''), None)
            for argument in arguments}
        self.is_shutdown = False


class Recorded:
    """Stands in for any class of launch: remembers what it was made of."""

    made = None

    def __init__(self, *args, **kwargs):
        self.args, self.kwargs = args, kwargs
        self.made.append(self)

    def perform(self, context):
        """Return the text a substitution becomes."""
        return perform(self, context)


def perform(value, context):
    """Return the text of a substitution, or of a list of them."""
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)):
        return ''.join(perform(item, context) for item in value)
    kind = type(value).__name__
    if kind == 'FindPackageShare':
        return str(share_path()) if value.args == (PACKAGE,) else f'/share/{value.args[0]}'
    if kind == 'PathJoinSubstitution':
        return os.path.join(*(perform(part, context) for part in value.args[0]))
    assert kind == 'LaunchConfiguration', f'{kind} is not understood by this test'
    return context.launch_configurations[value.args[0]]


def stand_ins(made):
    """Return modules, by name, whose every attribute is a class that records into `made`."""
    base = type('Base', (Recorded,), {'made': made})
    modules = {name: ModuleType(name) for name in MODULES}
    for name, module in modules.items():
        module.__spec__ = importlib.machinery.ModuleSpec(name, None)
        module.__path__ = []
        module.__getattr__ = lambda attribute: (
            type(attribute, (base,), {}) if attribute[0].isupper()
            else pytest.fail(f'launch has no {attribute}'))
    return modules


@contextmanager
def installed(modules):
    """Let modules be imported, and leave alone whatever else is imported meanwhile."""
    before = {name: sys.modules.get(name) for name in modules}
    sys.modules.update(modules)
    try:
        yield
    finally:
        for name, module in before.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module


def run(source, shared=None):
    """Return all that a launch file makes, what it returns, and what it sets while it runs."""
    made, namespace, parts = [], {'__name__': 'sim_launch'}, ModuleType(PARTS)
    with installed({**stand_ins(made), PARTS: parts}):
        exec(compile(shared or SHARED.read_text(), str(SHARED), 'exec'), vars(parts))
        exec(compile(source, str(LAUNCH_FILE), 'exec'), namespace)
        description = namespace['generate_launch_description']()
        arguments = of_kind('DeclareLaunchArgument', made)
        context = Context(arguments)
        for entity in description.args[0]:
            if type(entity).__name__ == 'OpaqueFunction':
                for action in entity.kwargs['function'](context) or []:
                    assert type(action).__name__ == 'SetLaunchConfiguration'
                    name, value = action.args
                    context.launch_configurations[name] = perform(value, context)
    return made, description, context


def of_kind(kind, made):
    """Return what was made of a class, by its name."""
    return [item for item in made if type(item).__name__ == kind]


def argument_problems(made, context):
    """Return what is wrong with the arguments."""
    declared = {item.args[0]: item.kwargs for item in of_kind('DeclareLaunchArgument', made)}
    used = {item.args[0] for item in of_kind('LaunchConfiguration', made)}
    known = set(context.launch_configurations)
    for name, options in declared.items():
        if not options.get('description', '').strip().endswith('.'):
            yield f'argument {name}: not described'
        if 'default_value' not in options:
            yield f'argument {name}: must be given'
        if options.get('choices') and options['default_value'] not in options['choices']:
            yield f'argument {name}: its default is none of its choices'
    for name in used - known:
        yield f'configuration {name}: used, not declared'
    for name in known - used:
        yield f'configuration {name}: declared, not used'


def share_problems(made, context):
    """Return what is missing of this package's share files."""
    for item in of_kind('PathJoinSubstitution', made):
        path = Path(perform(item, context))
        if not path.is_file():
            yield f'{path}: no such file'


def executable_problems(node, depends):
    """Return what is wrong with a node's executable."""
    package, executable = node.kwargs['package'], node.kwargs['executable']
    if package == PACKAGE:
        for path in (ROOT / 'scripts' / executable,
                     ROOT / PACKAGE / 'nodes' / f'{executable}_node.py'):
            if not path.is_file():
                yield f'{package}/{executable}: {path} is missing'
    elif (package, executable) not in OTHERS:
        yield f'{package}/{executable}: unknown'
    elif package not in depends:
        yield f'{package}/{executable}: package.xml does not depend on it'


def parameter_problems(node):
    """Return what is wrong with a node's parameters."""
    package, executable = node.kwargs['package'], node.kwargs['executable']
    if package == PACKAGE:
        name = node.kwargs['name']
        if name not in NODE_OPTIONS:
            yield f'{name}: no node of this package'
            return
        known = {entry.name for entry in NODE_OPTIONS[name]}
    else:
        known = OTHERS.get((package, executable), set())
    for parameters in node.kwargs['parameters']:
        if isinstance(parameters, dict):
            for name in set(parameters) - known - EVERY_NODE:
                yield f'{package}/{executable}: has no parameter {name}'


def switch_problems(node, made):
    """Return what is wrong with what turns a node off."""
    executable = node.kwargs['executable']
    condition = node.kwargs.get('condition')
    if condition is None:
        yield f'{executable}: cannot be turned off'
        return
    name = condition.args[0].args[0]
    for item in of_kind('DeclareLaunchArgument', made):
        if item.args[0] == name and 'false' in item.kwargs.get('choices', ()):
            return
    yield f'{executable}: {name} is no switch'


def namespace_problems(node):
    """Return what would make two arms in two namespaces meet."""
    executable = node.kwargs['executable']
    if type(node.kwargs.get('namespace')).__name__ != 'LaunchConfiguration':
        yield f'{executable}: not in the namespace'
    remapped = dict(node.kwargs['remappings'])
    for name in ('/tf', '/tf_static', '/clock'):
        if remapped.get(name) != name[1:]:
            yield f'{executable}: {name} is shared with other namespaces'
    for name in remapped.values():
        if isinstance(name, str) and name.startswith('/'):
            yield f'{executable}: {name} is absolute'


def problems(source, shared=None):
    """Return all that is wrong with a launch file, in lines."""
    made, description, context = run(source, shared)
    package = ElementTree.parse(ROOT / 'package.xml').getroot()
    depends = {item.text for tag in ('depend', 'exec_depend') for item in package.iter(tag)}
    found = [*argument_problems(made, context), *share_problems(made, context)]
    nodes = of_kind('Node', made)
    for node in nodes:
        if node not in description.args[0]:
            found.append(f'{node.kwargs["executable"]}: made, but not launched')
        found += [*executable_problems(node, depends), *parameter_problems(node),
                  *switch_problems(node, made), *namespace_problems(node)]
    return found


@pytest.mark.parametrize('file', [LAUNCH_FILE, HARDWARE], ids=lambda file: file.name)
def test_a_launch_file_fits_the_package(file):
    """Every argument, executable, parameter and share file is described, used, and there."""
    assert problems(file.read_text()) == []


def test_all_that_the_launch_file_starts_is_seen():
    """The check looks at the nodes of the loop and at what shows them."""
    made, _, _ = run(LAUNCH_FILE.read_text())
    started = [node.kwargs['executable'] for node in of_kind('Node', made)]
    assert sorted(started) == sorted([
        'simulator', 'controller', 'reference', 'trail', 'robot_state_publisher',
        'robot_state_publisher', 'static_transform_publisher', 'rviz2'])


def test_on_hardware_only_what_controls_or_shows_is_started():
    """Neither a simulator nor a reference: nothing moves by itself."""
    made, _, context = run(HARDWARE.read_text())
    started = {node.kwargs['executable']: node for node in of_kind('Node', made)}
    assert set(started) == {'controller', 'trail', 'robot_state_publisher',
                            'static_transform_publisher', 'rviz2'}
    on = {name for name, node in started.items()
          if context.launch_configurations[node.kwargs['condition'].args[0].args[0]] == 'true'}
    assert on == {'controller'}
    topics = {perform(a, context): perform(b, context)
              for a, b in started['controller'].kwargs['remappings']}
    assert topics['joint_states'] == 'joint_states'
    assert topics['forward_effort_controller/commands'] == 'forward_effort_controller/commands'


@pytest.mark.parametrize('name, value, words', [
    ('gui', 'true', 'for gui'), ('urdf', 'nothing.urdf', 'nothing.urdf')])
def test_what_the_hardware_launch_cannot_do_is_said_before_it_starts(name, value, words):
    """No model of another arm is ever taken instead."""
    old = '    value: str = LaunchConfiguration(name).perform(context)\n'
    assert old in SHARED.read_text()
    shared = SHARED.read_text().replace(
        old, f'    if name == {name!r}:\n        return {value!r}\n{old}')
    with pytest.raises((TwoLinkError, OSError), match=words):
        run(HARDWARE.read_text(), shared)


def test_the_description_and_its_root_are_read_once_for_all():
    """The default arm is expanded when the launch begins."""
    _, _, context = run(LAUNCH_FILE.read_text())
    assert '<robot name="twolink"' in context.launch_configurations['robot_description']
    assert context.launch_configurations['root_link'] == 'world'


@pytest.mark.parametrize('old, new, problem', [
    ("'Open RViz.'", "''", 'argument gui: not described'),
    ("'Open RViz.', default)", "'Open RViz.', 'yes')",
     'argument gui: its default is none of its choices'),
    ("LaunchConfiguration('rviz_config')", "LaunchConfiguration('rviz')",
     'configuration rviz: used, not declared'),
    ("LaunchConfiguration('rviz_config')", "LaunchConfiguration('urdf')",
     'configuration rviz_config: declared, not used'),
    ("share('config', 'twolink.rviz')", "share('config', 'twolnk.rviz')", 'no such file'),
    ("PACKAGE, 'simulator', 'simulator'", "PACKAGE, 'simulate', 'simulator'",
     'twolink_dynamics/simulate: '),
    ("node('rviz2', 'rviz2'", "node('rviz2', 'rviz'", 'rviz2/rviz: unknown'),
    ("name='reference'", "name='referee'", 'referee: no node of this package'),
    ("{'publish_clock': pub", "{'publish_clck': pub", 'has no parameter publish_clck'),
    ("'publish_frequency': 60.0", "'publish_rate': 60.0", 'has no parameter publish_rate'),
    ('condition=IfCondition(LaunchConfiguration(switch)), ', '', 'cannot be turned off'),
    ("'rviz2', 'rviz2', 'gui'", "'rviz2', 'rviz2', 'rviz_config'", 'rviz_config is no switch'),
    (", namespace=LaunchConfiguration('namespace')", '', 'not in the namespace'),
    ("('/clock', 'clock')", "('/clock', '/clock')", '/clock is shared with other namespaces'),
    ('trail(), *show()]', 'trail(), *show()[:-1]]', 'rviz2: made, but not launched'),
])
def test_a_launch_file_that_does_not_fit_is_noticed(old, new, problem):
    """The check fails for each thing it looks at."""
    sources = LAUNCH_FILE.read_text(), SHARED.read_text()
    assert any(old in source for source in sources)
    found = problems(*(source.replace(old, new, 1) for source in sources))
    assert any(problem in line for line in found)
