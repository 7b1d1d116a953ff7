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

"""Reading a URDF past its faults: what can be read, and a finding for each thing that cannot."""

from __future__ import annotations

from collections import Counter
from typing import Any, Iterable

from twolink_dynamics.array_types import FloatArray, Vector
from twolink_dynamics.errors import UrdfError
from twolink_dynamics.model.chain import Joint, Link
from twolink_dynamics.model.checks import Finding
from twolink_dynamics.model.tree import Part, Tree
from twolink_dynamics.model.urdf import children, JOINT_TYPES, Reader

__all__ = ['Collector', 'Findings', 'Structure']

# What a reader takes the first of, if there are several.
SINGLE = {'link': ('inertial',), 'inertial': ('origin', 'mass', 'inertia'),
          'joint': ('origin', 'parent', 'child', 'axis', 'limit', 'dynamics', 'mimic')}


class Findings:
    """
    Collects findings in one file: call it with severity, rule, element, problem and line.

    Parameters
    ----------
    file : str

    Attributes
    ----------
    items : dict of Finding to None
        Each once, in the order found.

    """

    def __init__(self, file: str) -> None:
        self.file = file
        self.items: dict[Finding, None] = {}

    def __call__(self, severity: str, rule: str, element: str, problem: str,
                 line: int | None) -> None:
        self.items[Finding(severity, rule, element, problem, self.file, line)] = None

    def add_error(self, error: UrdfError, rule: str) -> None:
        """Add what was raised."""
        self('error', rule, error.element, error.problem, error.line)

    def sorted(self) -> tuple[Finding, ...]:  # noqa: A003
        """Return the findings from the file's first line to its last, the general ones first."""
        return tuple(sorted(self.items, key=lambda finding: finding.line or 0))


class Collector(Reader):
    """
    Reads on where a :class:`Reader` raises.

    What cannot be read takes its default, and the element is `spoiled`: nothing more is said of
    its numbers. A joint that cannot be read at all leaves its child an orphan.

    Parameters
    ----------
    file : str
    findings : Findings

    Attributes
    ----------
    spoiled : set of str
        Elements such as ``'link "a"'``.
    orphans : set of str
        Links.

    """

    def __init__(self, file: str, findings: Findings) -> None:
        super().__init__(file)
        self.findings = findings
        self.spoiled: set[str] = set()
        self.orphans: set[str] = set()

    def caught(self, error: UrdfError, rule: str) -> None:
        self.findings.add_error(error, rule)
        self.spoiled.add(error.element)

    def number(self, element: Any, key: str, owner: str, default: float | None = None,
               infinite: bool = False) -> float:
        try:
            return super().number(element, key, owner, default, infinite)
        except UrdfError as error:
            self.caught(error, 'bad-number')
            return 0.0 if default is None else default

    def vector(self, element: Any, key: str, owner: str, default: Vector | None,
               length: int = 3) -> Any:
        try:
            return super().vector(element, key, owner, default, length)
        except UrdfError as error:
            self.caught(error, 'bad-number')
            return default

    def origin(self, element: Any, owner: str) -> FloatArray:
        try:
            return super().origin(element, owner)
        except UrdfError as error:
            self.caught(error, 'bad-rotation')
            return super().origin(element.makeelement('none'), owner)

    def axis(self, element: Any, owner: str) -> tuple[Any, float]:
        try:
            return super().axis(element, owner)
        except UrdfError as error:
            self.caught(error, 'zero-axis')
            return (1.0, 0.0, 0.0), 1.0

    def try_link(self, element: Any) -> Link | None:
        """Return a link as far as it can be read, or None."""
        self.repeated(element, f'link "{element.get("name")}"')
        try:
            return self.link(element)
        except UrdfError as error:
            self.caught(error, 'bad-element')
            return Link(element.get('name')) if element.get('name') else None

    def try_joint(self, element: Any) -> Joint | None:
        """Return a joint as far as it can be read, or None."""
        self.repeated(element, f'joint "{element.get("name")}"')
        try:
            joint = self.joint(element)
        except UrdfError as error:
            unknown = element.get('type') not in JOINT_TYPES
            self.caught(error, 'joint-type' if unknown else 'bad-element')
            self.orphans.update(child.get('link') for child in children(element, 'child'))
            return None
        self.limits(element, joint)
        return joint

    def repeated(self, element: Any, owner: str) -> None:
        """Say where an element stands twice: the first counts."""
        kind = str(element.tag).rsplit('}', 1)[-1]
        for name in SINGLE[kind]:
            same = children(element, name)
            for second in same[1:]:
                self.findings('warning', 'repeated-element', owner,
                              f'a second <{name}>: only the first is read', second.sourceline)
            if name == 'inertial' and same:
                self.repeated(same[0], owner)

    def limits(self, element: Any, joint: Joint) -> None:
        """Say which limits are missing, since readers of URDF differ in what they assume."""
        owner = f'joint "{joint.name}"'

        def found(severity: str, rule: str, problem: str, line: int | None) -> None:
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


class Structure:
    """
    The tree that links and joints should make, and every reason why they do not.

    Parameters
    ----------
    links : list of Link
    joints : list of Joint
    orphans : iterable of str
        Links that lost their parent to another fault, and so are no roots.
    findings : Findings

    """

    def __init__(self, links: list[Link], joints: list[Joint], orphans: Iterable[str],
                 findings: Findings) -> None:
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
        self.parent: dict[str, Joint] = {}
        for joint in self.joints.values():
            self.attach(joint)
        self.find_roots()
        self.name_clashes()

    def wrong(self, rule: str, element: str, problem: str, line: int | None) -> None:
        self.sound = False
        self.found('error', rule, element, problem, line)

    def named(self, kind: str, items: list[Part]) -> dict[str, Part]:
        named: dict[str, Part] = {}
        for item in items:
            if item.name in named:
                self.wrong('repeated-name', f'{kind} "{item.name}"',
                           f'a second {kind} of this name; the first is in line '
                           f'{named[item.name].line}', item.line)
            named.setdefault(item.name, item)
        return named

    def attach(self, joint: Joint) -> None:
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

    def find_roots(self) -> None:
        # Who lost a parent to another fault is not called a root of its own.
        roots = [link for link in self.links
                 if link not in self.parent and link not in self.orphans]
        if len(roots) > 1:
            self.wrong('several-roots', f'link "{roots[1]}"', 'several links have no parent: '
                       + ', '.join(roots) + '; a URDF is one tree, with one root',
                       self.links[roots[1]].line)
        # Links leave one by one when nothing hangs on them any more; only loops never do.
        hanging = Counter(joint.parent for joint in self.parent.values())
        leaving = [link for link in self.links if not hanging[link]]
        for link in leaving:
            if link in self.parent:
                above = self.parent[link].parent
                hanging[above] -= 1
                if not hanging[above]:
                    leaving.append(above)
        left = set(leaving)
        looped = [link for link in self.links if link not in left]
        if looped:
            joint = self.parent[looped[0]]
            self.wrong('loop', f'joint "{joint.name}"',
                       'closes a loop of the links ' + ', '.join(looped), joint.line)

    def name_clashes(self) -> None:
        for name in self.links:
            if name in self.joints:
                self.found('note', 'same-name', f'joint "{name}"', 'a link has this name too, '
                           'which some tools do not allow', self.joints[name].line)

    def tree(self, name: str, file: str) -> Tree | None:
        """Return the tree, or None."""
        return Tree(name, self.links.values(), self.joints.values(), file) if self.sound else None
