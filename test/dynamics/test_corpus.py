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

"""Every real arm of the corpus, in both readings of its side branches, equals its oracle."""

import csv
import re
import warnings

from corpus import CORPUS, corpus_file, corpus_names, needs_corpus, oracle
import numpy as np
import pytest

from twolink_dynamics import load_arm, ModelError, SingularMassMatrixError, TwoLinkArm
from twolink_dynamics.errors import UnsupportedModelError

pytestmark = needs_corpus

# What the oracle's authors agree on to 1e-15 leaves us the rounding of chains of up to 15 joints.
TOLERANCE = 1e-9
# The closed form has no chain to round along.
CLOSED_FORM_TOLERANCE = 1e-12
TWO_LINK = ('rrbot_ros2_control', 'erd_double_pendulum', 'drake_acrobot', 'idyntree_twolinks',
            'dfki_acrobot_C1_1_0', 'underactuated_double_pendulum')


def classes():
    """Return the class letter of every model."""
    if not (CORPUS / 'index.csv').is_file():
        return {}
    with open(CORPUS / 'index.csv', encoding='utf-8') as stream:
        return {row['name']: row['class'][0] for row in csv.DictReader(stream)}


CLASS = classes()
REFUSED = [name for name in corpus_names() if CLASS.get(name) == 'E']
GIVEN = [name for name in corpus_names() if name not in REFUSED]


def load(name, variant):
    """Return the arm as the oracle took it: mimicking joints free, warnings aside."""
    values = oracle(name)
    text = re.sub(rb'<mimic\b[^>]*/>', b'', corpus_file(name).read_bytes())
    with warnings.catch_warnings():
        warnings.simplefilter('ignore')
        return load_arm(text, values['root'], values['tip'], values['gravity'],
                        side_branches='drop' if variant == 'chain' else 'lump')


def relative_error(actual, expected):
    expected = np.array(expected, dtype=float)
    return np.abs(actual - expected).max() / max(np.abs(expected).max(), 1e-300)


def errors_of(arm, state):
    """Return the relative error of each quantity in one state."""
    q, qd, qdd, tau = (np.array(state[key]) for key in ('q', 'qd', 'qdd', 'tau'))
    C = arm.coriolis_matrix(q, qd)
    results = {'M': arm.mass_matrix(q), 'nonlinear_effects': arm.bias(q, qd),
               'gravity': arm.gravity_vector(q), 'T_world_tip': arm.tip_pose(q),
               'tau_inverse_dynamics': arm.inverse_dynamics(q, qd, qdd),
               'J_tip_world_aligned_lin_ang': arm.jacobian(q)}
    singular = 'nan' in np.ravel(state['qdd_forward_dynamics']).tolist()
    if not singular:
        results['qdd_forward_dynamics'] = arm.forward_dynamics(q, qd, tau)
    errors = {key: relative_error(value, state[key]) for key, value in results.items()}
    # Of C only C qd is unique, and it vanishes on some arms: it is compared with G beside it.
    errors['C qd'] = relative_error(C @ qd + results['gravity'], state['nonlinear_effects'])
    return errors, singular


@pytest.mark.parametrize('name', GIVEN)
def test_every_chain_equals_its_oracle(name, corpus_table):
    worst = 0.0
    for variant in ('chain', 'tree_lumped'):
        arm = load(name, variant)
        assert list(arm.joint_names) == oracle(name)['chain_movable']
        for state in oracle(name)[variant]['states']:
            errors, singular = errors_of(arm, state)
            worst = max(worst, *errors.values())
            if singular:
                with pytest.raises(SingularMassMatrixError):
                    arm.forward_dynamics(state['q'], state['qd'], state['tau'])
    corpus_table.append((name, CLASS[name], arm.n, worst, isinstance(arm, TwoLinkArm)))
    assert worst < (CLOSED_FORM_TOLERANCE if name in TWO_LINK else TOLERANCE)


@pytest.mark.parametrize('name', REFUSED)
def test_what_has_nothing_to_compute_is_refused_by_name(name, corpus_table):
    with pytest.raises(ModelError) as caught:
        load_arm(corpus_file(name))
    corpus_table.append((name, 'E', 0, str(caught.value).split(f'{name}.urdf')[-1], False))
    assert str(corpus_file(name)) in str(caught.value) and '\n' not in str(caught.value)


@pytest.mark.parametrize('name', ['gen3_lite', 'scara_roma', 'xarm7_gripper'])
def test_a_mimicking_joint_on_the_chain_is_refused_by_name(name):
    values = oracle(name)
    with pytest.raises(UnsupportedModelError, match='mimics joint') as caught:
        load_arm(corpus_file(name), values['root'], values['tip'])
    assert caught.value.names[0] in values['chain_movable']


@pytest.mark.parametrize('name', ['fer_hand', 'xarm6', 'openarm_v10'])
def test_real_arms_that_violate_the_triangle_inequality_load_with_the_warning(name):
    with pytest.warns(Warning, match='principal moments of inertia'):
        load_arm(corpus_file(name), tip_link=oracle(name)['tip'])
