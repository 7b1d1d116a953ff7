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
Every fault of a description at once, also of one that cannot be loaded.

:func:`~twolink_dynamics.model.urdf.read_urdf` stops at the first thing it cannot read; this reads
on, past what is wrong, and goes on to what is only implausible (see
:mod:`~twolink_dynamics.model.checks`), to what readers of URDF disagree on, and to the chains that
could be meant. It looks at the whole tree, not at one chain.

"""

from dataclasses import dataclass

from twolink_dynamics.errors import AmbiguousChainError, UnsupportedModelError, UrdfError
from twolink_dynamics.model.chain import Link
from twolink_dynamics.model.checks import check_body, check_joint, check_link, Finding
from twolink_dynamics.model.tree import Tree
from twolink_dynamics.model.urdf import (
    children, JOINT_TYPES, parse, read_source, Reader, unexpanded)

__all__ = ['Audit', 'audit_urdf']

# What a reader takes the first of, if there are several.
SINGLE = {'link': ('inertial',), 'inertial': ('origin', 'mass', 'inertia'),
          'joint': ('origin', 'parent', 'child', 'axis', 'limit', 'dynamics', 'mimic')}


@dataclass(frozen=True)
class Audit:
    """
    What was found in a description.

    Attributes
    ----------
    file : str
    name : str
        The robot's.
    findings : tuple of Finding
        In the order of their lines.
    tree : Tree or None
        None if what could be read is no tree.
    chains : tuple of Chain
        The chains that can be loaded: the one that was asked for or that is the only sensible one,
        or the candidates, longest first.
    ambiguous : bool
        Whether one of `chains` must be chosen.

    """

    file: str
    name: str = ''
    findings: tuple = ()
    tree: Tree = None
    chains: tuple = ()
    ambiguous: bool = False


def audit_urdf(source, xacro_args=None, base_link=None, tip_link=None, side_branches='lump'):
    """
    Read a description and find every fault in it.

    Parameters
    ----------
    source, xacro_args, base_link, tip_link, side_branches
        As for :func:`~twolink_dynamics.load_arm`.

    Returns
    -------
    audit : Audit

    Raises
    ------
    UrdfError
        Only if there is nothing to look at: no such file, or xacro cannot expand it.
    MissingDependencyError
        If a ``.xacro`` file is given and xacro is not installed.
    ParameterError
        If `base_link` or `tip_link` is none of the model's.

    """
    text, file = read_source(source, xacro_args)
    findings = _Findings(file)
    try:
        robot = parse(text, file)
    except UrdfError as error:
        findings.add_error(error, 'not-a-urdf')
        return Audit(file, findings=tuple(findings.items))
    name = robot.get('name', '')
    raw = list(unexpanded(robot, file))
    if raw:  # every number in it would be a fault of its own
        for error in raw:
            findings.add_error(error, 'unexpanded-xacro')
        return Audit(file, name, tuple(findings.items))
    reader = _Collector(file, findings)
    links = [link for link in map(reader.link, children(robot, 'link')) if link]
    joints = [joint for joint in map(reader.joint, children(robot, 'joint')) if joint]
    tree = _Structure(links, joints, reader.orphans, findings).tree(name, file)
    chains, ambiguous = (), False
    if tree is not None:
        chains, ambiguous = _choose(tree, findings, robot.sourceline, base_link, tip_link,
                                    side_branches)
    chosen = () if ambiguous else chains
    _check_parts(tree, links, joints, reader.spoiled, chosen, findings)
    return Audit(file, name, findings.sorted(), tree, chains, ambiguous)


class _Findings:
    """Collects findings in one file."""

    def __init__(self, file):
        self.file, self.items = file, []

    def __call__(self, severity, rule, element, problem, line):
        finding = Finding(severity, rule, element, problem, self.file, line)
        if finding not in self.items:
            self.items.append(finding)

    def add_error(self, error, rule):
        """Add what was raised."""
        self('error', rule, error.element, error.problem, error.line)

    def sorted(self):
        """Return the findings from the file's first line to its last, the general ones first."""
        return tuple(sorted(self.items, key=lambda finding: finding.line or 0))


class _Collector(Reader):
    """
    Reads on where a :class:`Reader` raises.

    What cannot be read takes its default, and the element is `spoiled`: nothing more is said of
    its numbers. A joint that cannot be read at all leaves its child an orphan.
    """

    def __init__(self, file, findings):
        super().__init__(file)
        self.findings, self.spoiled, self.orphans = findings, set(), set()

    def caught(self, error, rule):
        self.findings.add_error(error, rule)
        self.spoiled.add(error.element)

    def number(self, element, key, owner, default=None, infinite=False):
        try:
            return super().number(element, key, owner, default, infinite)
        except UrdfError as error:
            self.caught(error, 'bad-number')
            return 0.0 if default is None else default

    def vector(self, element, key, owner, default, length=3):
        try:
            return super().vector(element, key, owner, default, length)
        except UrdfError as error:
            self.caught(error, 'bad-number')
            return default

    def origin(self, element, owner):
        try:
            return super().origin(element, owner)
        except UrdfError as error:
            self.caught(error, 'bad-rotation')
            return super().origin(element.makeelement('none'), owner)

    def axis(self, element, owner):
        try:
            return super().axis(element, owner)
        except UrdfError as error:
            self.caught(error, 'zero-axis')
            return (1.0, 0.0, 0.0), 1.0

    def link(self, element):
        self.repeated(element, f'link "{element.get("name")}"')
        try:
            return super().link(element)
        except UrdfError as error:
            self.caught(error, 'bad-element')
            return Link(element.get('name')) if element.get('name') else None

    def joint(self, element):
        self.repeated(element, f'joint "{element.get("name")}"')
        try:
            joint = super().joint(element)
        except UrdfError as error:
            unknown = element.get('type') not in JOINT_TYPES
            self.caught(error, 'joint-type' if unknown else 'bad-element')
            self.orphans.update(child.get('link') for child in children(element, 'child'))
            return None
        self.limits(element, joint)
        return joint

    def repeated(self, element, owner):
        """Say where an element stands twice: the first counts."""
        kind = str(element.tag).rsplit('}', 1)[-1]
        for name in SINGLE[kind]:
            same = children(element, name)
            for second in same[1:]:
                self.findings('warning', 'repeated-element', owner,
                              f'a second <{name}>: only the first is read', second.sourceline)
            if name == 'inertial' and same:
                self.repeated(same[0], owner)

    def limits(self, element, joint):
        """Say which limits are missing, since readers of URDF differ in what they assume."""
        owner = f'joint "{joint.name}"'

        def found(severity, rule, problem, line):
            self.findings(severity, rule, owner, problem, line)

        if joint.type == 'fixed':
            for axis in children(element, 'axis'):
                if not any(word.strip('+-0.') for word in (axis.get('xyz') or '1').split()):
                    found('note', 'zero-axis', 'an axis of length 0, which a fixed joint does not '
                          'use', axis.sourceline)
        if joint.type not in ('revolute', 'prismatic'):
            return
        for limit in children(element, 'limit')[:1]:
            for key in ('effort', 'velocity'):
                if limit.get(key) is None:
                    found('warning', 'missing-limit',
                          f'<limit> has no {key}: none is assumed', limit.sourceline)
            given = [key for key in ('lower', 'upper') if limit.get(key) is not None]
            if not given:
                found('warning', 'missing-limit', '<limit> has neither lower nor upper: unbounded '
                      '(other readers take 0 and 0)', limit.sourceline)
            elif len(given) == 1:
                other = 'upper' if given == ['lower'] else 'lower'
                found('note', 'missing-limit', f'<limit> has no {other}: it is 0',
                      limit.sourceline)
            return
        found('warning', 'missing-limit', f'is {joint.type} and has no <limit>: none is assumed',
              joint.line)


class _Structure:
    """The tree that links and joints should make, and every reason why they do not."""

    def __init__(self, links, joints, orphans, findings):
        self.found, self.sound = findings, not orphans
        self.links, self.joints = self.named('link', links), self.named('joint', joints)
        self.orphans = set(orphans)
        if not self.links:
            self.wrong('no-links', '', '<robot> has no links', None)
        undeclared = [joint for joint in self.joints.values() if joint.parent == 'world']
        if undeclared and 'world' not in self.links:
            self.links = {'world': Link('world', has_inertial=False), **self.links}
            self.found('note', 'undeclared-world', f'joint "{undeclared[0].name}"', 'its parent '
                       'link "world" is not declared: taken as the ground', undeclared[0].line)
        self.parent = {}
        for joint in self.joints.values():
            self.attach(joint)
        self.find_roots()
        self.name_clashes()

    def wrong(self, rule, element, problem, line):
        self.sound = False
        self.found('error', rule, element, problem, line)

    def named(self, kind, items):
        named = {}
        for item in items:
            if item.name in named:
                self.wrong('repeated-name', f'{kind} "{item.name}"',
                           f'a second {kind} of this name; the first is in line '
                           f'{named[item.name].line}', item.line)
            named.setdefault(item.name, item)
        return named

    def attach(self, joint):
        missing = [(end, getattr(joint, end)) for end in ('parent', 'child')
                   if getattr(joint, end) not in self.links]
        for end, link in missing:
            self.wrong('unknown-link', f'joint "{joint.name}"',
                       f'its {end} link "{link}" does not exist', joint.line)
        if missing:
            self.orphans.add(joint.child)
        elif joint.child in self.parent:
            other = self.parent[joint.child]
            self.wrong('two-parents', f'joint "{joint.name}"',
                       f'its child link "{joint.child}" already is the child of joint '
                       f'"{other.name}" (line {other.line}): a loop, or two parents', joint.line)
        else:
            self.parent[joint.child] = joint

    def find_roots(self):
        # Who lost a parent to another fault is not called a root of its own.
        roots = [link for link in self.links
                 if link not in self.parent and link not in self.orphans]
        if len(roots) > 1:
            self.wrong('several-roots', f'link "{roots[1]}"', 'several links have no parent: '
                       + ', '.join(roots) + '; a URDF is one tree, with one root',
                       self.links[roots[1]].line)
        looped = []
        for link in self.links:
            above, way = link, []
            while above in self.parent and above not in way:
                way.append(above)
                above = self.parent[above].parent
            if above in way and above == link:
                looped.append(link)
        if looped:
            joint = self.parent[looped[0]]
            self.wrong('loop', f'joint "{joint.name}"',
                       'closes a loop of the links ' + ', '.join(looped), joint.line)

    def name_clashes(self):
        for name in self.links:
            if name in self.joints:
                self.found('note', 'same-name', f'joint "{name}"', 'a link has this name too, '
                           'which some tools do not allow', self.joints[name].line)

    def tree(self, name, file):
        """Return the tree, or None."""
        return Tree(name, self.links.values(), self.joints.values(), file) if self.sound else None


def _choose(tree, findings, line, base_link, tip_link, side_branches):
    """Return the chain meant, or the candidates, and whether one must be chosen."""
    try:
        return (tree.chain(base_link, tip_link, side_branches),), False
    except AmbiguousChainError:
        refusal = None
    except UnsupportedModelError as error:
        refusal = error
    if tip_link is None:
        chains = _candidates(tree, base_link or tree.root, side_branches)
        if chains:
            reason = 'several chains are possible'
            if refusal is not None:
                reason = f'joint "{refusal.names[0]}" {_plain(refusal, tree)}'.split(';')[0]
            findings('note', 'choose-tip', '', f'{reason}: choose a tip link', line)
            return chains, True
    joint = tree.joints.get(refusal.names[0]) if refusal and refusal.names else None
    moving = any(joint.type != 'fixed' for joint in tree.joints.values())
    findings('error', 'untreated-joint' if moving else 'no-movable-joint',
             f'joint "{joint.name}"' if joint else '',
             _plain(refusal, tree) if refusal else 'no chain from here can be treated',
             joint.line if joint else line)
    return (), False


def _plain(error, tree):
    """Return what an error says, without where, and without its joint's name at the front."""
    text = str(error)
    for name in error.names:
        text = text.replace(f'{tree.file}:{tree.joints[name].line}: joint "{name}" ', '', 1)
    return text.replace(f'{tree.file}: ', '', 1)


def _candidates(tree, base_link, side_branches):
    """Return the loadable chains to each leaf, or to the last link before it, longest first."""
    chains, stack, leaves = {}, [base_link], []
    while stack:
        link = stack.pop()
        stack += [joint.child for joint in reversed(tree.child_joints[link])]
        if not tree.child_joints[link]:
            leaves.append(link)
    for leaf in leaves:
        link = leaf
        while link != base_link and link not in chains:
            try:
                chains[link] = tree.chain(base_link, link, side_branches)
                break
            except UnsupportedModelError:
                link = tree.parent_joint[link].parent
    return tuple(sorted(chains.values(), key=lambda chain: -chain.n))


def _check_parts(tree, links, joints, spoiled, chosen, findings):
    """Check the numbers of every link, joint and moving body."""
    still = _still(tree) if tree is not None else set()

    def lenient(severity, rule, element, problem, line):
        # What does not move has no dynamics to spoil.
        findings('warning' if severity == 'error' else severity, rule, element, problem, line)

    for link in links:
        if f'link "{link.name}"' in spoiled:
            continue
        check_link(link, lenient if link.name in still else findings)
        if link.mass > 0.0 and not link.inertia.any():
            findings('note', 'point-mass', f'link "{link.name}"',
                     f'{link.mass:g} kg without inertia: a point mass', link.line)
    names = {joint.name for joint in joints}
    refused = {finding.element for finding in findings.items if finding.rule == 'untreated-joint'}
    for joint in joints:
        if not (joint.moves or joint.type == 'fixed') and f'joint "{joint.name}"' not in refused:
            findings('note', 'untreated-joint', f'joint "{joint.name}"',
                     f'is {joint.type}: no chain can pass it', joint.line)
        if joint.moves and f'joint "{joint.name}"' not in spoiled:
            check_joint(joint, findings)
        if joint.moves and joint.mimic:
            _check_mimic(joint, names, findings)
    if tree is None:
        return
    bodies = {joint.name: link for chain in chosen
              for joint, link in zip(chain.joints, chain.links)}
    for joint in joints:
        below = _rigid(tree, joint.child)
        if joint.moves and not any(f'link "{name}"' in spoiled for name in below):
            check_body(bodies.get(joint.name) or _body(tree, joint.child, below), joint, findings)


def _check_mimic(joint, names, findings):
    element, leader = f'joint "{joint.name}"', joint.mimic.joint
    if leader == joint.name or leader not in names:
        problem = 'itself' if leader == joint.name else f'joint "{leader}", which does not exist'
        findings('warning', 'mimic', element, f'mimics {problem}', joint.line)
    else:
        findings('note', 'mimic', element, f'mimics joint "{leader}": no chain can pass it; beside a '
                 'chain it is locked at its offset', joint.line)


def _rigid(tree, link):
    """Return the names of the links that are one body with a link, from it on."""
    names = [link]
    for name in names:
        names += [joint.child for joint in tree.child_joints[name] if joint.type == 'fixed']
    return names


def _still(tree):
    """Return the names of the links that no joint moves."""
    return set(_rigid(tree, tree.root))


def _body(tree, link, below):
    """Return a link with the mass of all that is fixed to it: enough to see whether it has any."""
    parts = [tree.links[name] for name in below]
    return Link(link, sum(part.mass for part in parts),
                has_inertial=any(part.has_inertial for part in parts), line=parts[0].line)
