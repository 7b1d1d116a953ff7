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

"""Facts about an arm: its chain, bodies, constants, reach, gravity load, faults of its masses."""

import math
from typing import Any, TYPE_CHECKING

import numpy as np

from twolink_dynamics.dynamics.gravity_load import gravity_load
from twolink_dynamics.dynamics.two_link_arm import arm_of_chain, TwoLinkArm
from twolink_dynamics.errors import SingularMassMatrixError
from twolink_dynamics.kinematics.workspace import workspace
from twolink_dynamics.model.chain import Chain
from twolink_dynamics.model.checks import Finding

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm
    from twolink_dynamics.model.audit import Audit

__all__ = ['describe', 'weightless_joints']


def describe(arm: 'Arm') -> dict[str, Any]:
    """
    Return all that is shown of an arm.

    Parameters
    ----------
    arm : Arm

    Returns
    -------
    facts : dict
        Of plain Python values; infinite where there is no limit.

    """
    chain = arm.chain
    joints = [{key: getattr(joint, key) for key in (
        'name', 'type', 'lower', 'upper', 'velocity', 'effort', 'damping', 'friction')}
        for joint in chain.joints]
    effort, worst = gravity_load(arm)
    for joint, load_, q in zip(joints, effort.tolist(), worst.tolist()):
        joint['unit'] = 'm' if joint['type'] == 'prismatic' else 'rad'
        joint['gravity_load'], joint['gravity_load_at'] = load_, q
        joint['gravity_load_of_limit'] = load_ / joint['effort'] if joint['effort'] else (
            math.inf if load_ else 0.0)
    return {
        'robot': chain.name, 'base_link': chain.base_link, 'tip_link': chain.tip_link, 'n': arm.n,
        'engine': 'closed form' if isinstance(arm, TwoLinkArm) else 'recursive Newton-Euler',
        'gravity': arm.gravity.tolist(), 'joints': joints, 'bodies': _bodies(chain),
        'mass': sum(link.mass for link in chain.links),
        'two_link': _two_link(arm) if isinstance(arm, TwoLinkArm) else None,
        'reach': _reach(arm)}


def _bodies(chain: Chain) -> list[dict[str, Any]]:
    """Return the moving bodies, with the links that are lumped in each."""
    rows = []
    for i, link in enumerate(chain.links):
        rows.append({
            'link': link.name, 'mass': link.mass, 'com': link.com.tolist(),
            'inertia': link.inertia.tolist(),
            'principal_moments': np.linalg.eigvalsh(link.inertia).tolist(),
            'with': [frame.name for frame in chain.frames
                     if frame.body == i and frame.name != link.name]})
    return rows


def _two_link(arm: TwoLinkArm) -> dict[str, Any]:
    """Return the constants of theory.md L1-L8, and how the arm differs from the drawing."""
    k = arm.constants
    first, second = arm.chain.joints
    flat = k.axes.T @ arm.gravity
    return {
        'm1': k.m1, 'm2': k.m2, 'l1': k.l1, 'l2': k.l2, 'lc1': k.lc1, 'lc2': k.lc2, 'I1': k.I1,
        'I2': k.I2, 'b1': first.damping, 'b2': second.damping, 'fc1': first.friction,
        'fc2': second.friction,
        'com1_angle': math.atan2(k.com1[1], k.com1[0]) if k.lc1 else 0.0,
        'com2_angle': math.atan2(k.com2[1], k.com2[0]) if k.lc2 else 0.0,
        'tip_angle': math.atan2(k.tip[1], k.tip[0]) if k.l2 else 0.0,
        'elbow': 'as drawn' if k.sign > 0 else 'reversed',
        'plane_normal': k.axes[:, 2].tolist(), 'plane_x': k.axes[:, 0].tolist(),
        'plane_gravity': flat[:2].tolist(),
        'alpha': k.alpha, 'beta': k.beta, 'delta': k.delta, 'phase': k.phase,
        'gravity1': k.gravity1, 'gravity_phase1': k.gravity_phase1, 'gravity2': k.gravity2,
        'gravity_phase2': k.gravity_phase2}


def _reach(arm: 'Arm') -> dict[str, Any] | None:
    space = workspace(arm)
    if space is None:
        return None
    return {'centre': list(space.centre), 'nearest': space.nearest, 'farthest': space.farthest,
            'bound': space.bound, 'exact': space.exact}


def weightless_joints(audit: 'Audit') -> list[Finding]:
    """
    Return a warning for each joint that moves no inertia: simulation is undefined there.

    Parameters
    ----------
    audit : Audit
        Without errors.

    Returns
    -------
    findings : list of Finding

    """
    found: dict[str, Finding] = {}
    for chain in audit.chains:
        arm = arm_of_chain(chain)
        # Away from zero, where bodies may line up; nowhere special, as any one state tells.
        q = [0.3 + 0.2 * i for i in range(arm.n)]
        try:
            arm.forward_dynamics(q, [0.0] * arm.n, [0.0] * arm.n)
        except SingularMassMatrixError as error:
            found.setdefault(error.joint, Finding(
                'warning', 'singular-mass-matrix', f'joint "{error.joint}"',
                f'moves no inertia on the way to "{chain.tip_link}": inverse dynamics works, '
                'but what it does under an effort, and so simulation, is undefined', audit.file,
                None if audit.tree is None else audit.tree.joints[error.joint].line))
    return list(found.values())
