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

"""``twolink equations`` prints the formulas of the texts and an arm's own; both equal the code."""

import builtins
import subprocess
import sys

from corpus import corpus_file, needs_corpus
import numpy as np
import pytest

from twolink_dynamics import load_arm, share_path, TwoLinkArm
from twolink_dynamics.cli.main import main

pytest.importorskip('sympy', reason='SymPy is not installed')

TWOLINK = str(share_path('urdf', 'twolink.urdf'))
RNG = np.random.default_rng(11)


def printed(capsys, *arguments):
    """Return what the command prints."""
    assert main(['equations', *map(str, arguments)]) == 0
    out, err = capsys.readouterr()
    assert err == ''
    return out


def module(source):
    """Return the functions of Python source."""
    names = {}
    exec(compile(source, 'printed', 'exec'), names)
    return names


def largest_difference(names, arm, count=100, **parameters):
    """Return the largest difference of printed Python from an arm, against the largest entry."""
    worst = 0.0
    q, qd, qdd = RNG.uniform(-3.0, 3.0, (3, count, arm.n))
    for name, state in (('mass_matrix', (q,)), ('coriolis_matrix', (q, qd)),
                        ('gravity_vector', (q,)), ('kinetic_energy', (q, qd)),
                        ('inverse_dynamics', (q, qd, qdd))):
        expected = getattr(arm, name)(*state)
        found = np.array([names[name](*(x[i].tolist() for x in state), **parameters)
                          for i in range(count)])
        worst = max(worst, np.abs(found - expected).max() / np.abs(expected).max())
    U = np.array([names['potential_energy'](x.tolist(), **parameters) for x in q])
    difference = U - arm.potential_energy(q)
    return max(worst, np.ptp(difference) / np.ptp(U))


def test_the_drawing_prints_l4_l6_l7_and_the_energies(capsys):
    lines = printed(capsys).splitlines()
    for line in ('M11 = m1 lc1^2 + I1 + m2 (l1^2 + lc2^2 + 2 l1 lc2 cos(q2)) + I2',
                 'M12 = M21 = m2 (lc2^2 + l1 lc2 cos(q2)) + I2', 'M22 = m2 lc2^2 + I2',
                 'h = m2 l1 lc2 sin(q2)', 'C11 = -h qd2', 'C12 = -h (qd1 + qd2)', 'C21 = h qd1',
                 'C22 = 0', 'G1 = (m1 lc1 + m2 l1) g cos(q1) + m2 lc2 g cos(q1 + q2)',
                 'G2 = m2 lc2 g cos(q1 + q2)',
                 'U = (m1 lc1 + m2 l1) g sin(q1) + m2 lc2 g sin(q1 + q2)',
                 'T = 1/2 M11 qd1^2 + M12 qd1 qd2 + 1/2 M22 qd2^2'):
        assert f'  {line}' in lines


def test_the_drawing_in_latex_is_what_a_paper_prints(capsys):
    out = printed(capsys, '--format', 'latex')
    assert (r'M_{11} &= m_1 l_{c1}^2 + I_1 + m_2 \left(l_1^2 + l_{c2}^2 + 2 l_1 l_{c2} \cos q_2'
            r'\right) + I_2 \\') in out
    assert r'C_{12} &= -h \left(\dot q_1 + \dot q_2\right) \\' in out
    assert out.count(r'\begin{align*}') == out.count(r'\end{align*}') == 5
    assert out.count('{') == out.count('}') and out.count(r'\left') == out.count(r'\right')


def test_markdown_has_the_same_formulas_in_math_blocks(capsys):
    out = printed(capsys, '--format', 'markdown')
    assert out.count('```math\n') == 5 and out.count('```') == 10
    assert r'M_{22} &= m_2 l_{c2}^2 + I_2' in out


def test_what_is_given_is_a_number_and_the_rest_a_symbol(capsys):
    out = printed(capsys, '--m1', 2, '--l1', 0.5, '--lc1', 0.25, '--I1', 0.1, '--g', 10)
    assert '  M11 = 0.225 + m2 (0.25 + lc2^2 + lc2 cos(q2)) + I2\n' in out
    assert '  G1 = (5 + 5 m2) cos(q1) + 10 m2 lc2 cos(q1 + q2)\n' in out


NUMBERS = {'m1': 1.3, 'm2': 0.8, 'l1': 0.7, 'lc1': 0.3, 'lc2': 0.35, 'I1': 0.05, 'I2': 0.02}


def test_printed_python_of_numbers_and_of_symbols_equals_the_arm(capsys):
    arm = TwoLinkArm(**NUMBERS, l2=1.0)
    given = [word for name, value in NUMBERS.items() for word in (f'--{name}', str(value))]
    numeric = module(printed(capsys, *given, '--g', 9.81, '--format', 'python'))
    # A dozen products of numbers of order one, each rounded once.
    assert largest_difference(numeric, arm) < 1e-14
    symbolic = module(printed(capsys, '--format', 'python'))
    assert largest_difference(symbolic, arm, **NUMBERS, g=9.81) < 1e-14


def test_printed_python_is_a_module_that_needs_nothing_else(capsys, tmp_path):
    path = tmp_path / 'equations.py'
    path.write_text(printed(capsys, TWOLINK, '--format', 'python'))
    run = subprocess.run(
        [sys.executable, '-I', '-c', f'exec(open({str(path)!r}).read())\n'
         'print(mass_matrix([0.3, 0.0]))'], capture_output=True, text=True)
    arm = load_arm(TWOLINK)
    assert run.stderr == ''
    np.testing.assert_allclose(eval(run.stdout), arm.mass_matrix([0.3, 0.0]), rtol=1e-15)
    assert max(map(len, path.read_text().splitlines())) <= 99


@needs_corpus
@pytest.mark.filterwarnings('ignore')
def test_the_double_pendulum_of_the_corpus_equals_the_numeric_code_on_100_states(capsys):
    path = corpus_file('erd_double_pendulum')
    names = module(printed(capsys, path, '--format', 'python'))
    assert largest_difference(names, load_arm(path), 100) < 1e-12


@needs_corpus
@pytest.mark.filterwarnings('ignore')
@pytest.mark.parametrize('name, tip', [
    ('rrbot_ros2_control', None), ('dfki_acrobot_C1_1_0', None), ('drake_acrobot_bench', None),
    ('underactuated_cartpole', None), ('bullet_pantilt', None), ('scara_yguel', None),
    ('ur5e_official', 'forearm_link'), ('bullet_prismatic', None), ('borinot_arm', None)])
def test_any_small_arm_equals_the_numeric_code(name, tip, capsys):
    tips = ['--tip-link', tip] if tip else []
    names = module(printed(capsys, corpus_file(name), *tips, '--format', 'python'))
    arm = load_arm(corpus_file(name), tip_link=tip)
    count = 20
    q, qd, qdd = RNG.uniform(-2.0, 2.0, (3, count, arm.n))
    expected = arm.inverse_dynamics(q, qd, qdd)
    found = [names['inverse_dynamics'](*(x[i].tolist() for x in (q, qd, qdd)))
             for i in range(count)]
    # The inputs have seven digits at most that cancel; rounding is eps times a few dozen terms.
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13 * np.abs(expected).max())


REVERSED = """<robot name="reversed"><link name="base"/>
<link name="a"><inertial><origin xyz="0.3 0.1 0"/><mass value="2"/>
<inertia ixx="0.1" iyy="0.1" izz="0.2"/></inertial></link>
<link name="b"><inertial><origin xyz="0.2 -0.1 0.4"/><mass value="1"/>
<inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial></link>
<joint name="one" type="continuous"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/>
<origin rpy="0.4 0.3 0.2"/></joint>
<joint name="two" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 -1"/>
<origin xyz="0.7 0.2 0.1"/></joint></robot>"""


@pytest.mark.parametrize('symbols', [False, True])
def test_an_arm_off_the_drawing_in_every_way_equals_the_numeric_code(symbols, capsys, tmp_path):
    path = tmp_path / 'reversed.urdf'
    path.write_text(REVERSED)
    arm = load_arm(path)
    assert isinstance(arm, TwoLinkArm)
    out = printed(capsys, path, '--format', 'python', *['--symbols'] * symbols)
    assert ('xc2=' in out) == symbols
    assert largest_difference(module(out), arm) < 1e-13


def test_names_of_a_urdf_never_become_code(capsys, tmp_path):
    path = tmp_path / 'evil.urdf'
    evil = '&quot;&quot;&quot;&#10;raise SystemExit(7)&#10;\\'
    path.write_text(REVERSED.replace('"reversed"', f'"{evil}"').replace('"one"', f'"{evil}"'))
    source = printed(capsys, path, '--format', 'python')
    assert source.count('"""') == 14 and module(source)['mass_matrix']([0.0, 0.0])
    assert '\nraise' not in source


def test_equations_that_differ_from_the_numeric_code_are_not_printed(capsys, monkeypatch):
    from twolink_dynamics.dynamics import symbolic
    right = symbolic.drawn_equations

    def wrong(values=None):
        return right({**values, 'm2': 3.1})  # not what the user gave

    monkeypatch.setattr(symbolic, 'drawn_equations', wrong)
    given = [word for name, value in NUMBERS.items() for word in (f'--{name}', str(value))]
    assert main(['equations', *given, '--g', '9.81']) != 0
    out, err = capsys.readouterr()
    assert out == '' and 'differ from the numeric code' in err and err.count('\n') == 1


def test_friction_is_part_of_the_equation_of_motion(capsys):
    assert 'tau = M qdd + C qd + G + B qd\n  B = diag(0.1, 0)\n' in printed(capsys, '--b1', 0.1)


@pytest.mark.parametrize('arguments, problem', [
    (['--m1', '-1'], 'expected a number of 0 or more'), (['--m1', 'x'], 'expected a number'),
    (['--digits', '0'], 'whole number'), ([TWOLINK, '--m1', '2'], 'no number beside a URDF'),
    (['--gravity', '0', '0', '0'], '--gravity: expected a URDF beside it, or --g'),
    (['--tip-link', 'tool0'], '--tip-link: expected a URDF beside it'),
    (['/nowhere.urdf'], 'cannot be read')])
def test_wrong_arguments_end_in_status_2_without_a_traceback(arguments, problem, capsys):
    assert main(['equations', *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == '' and problem in err.splitlines()[-1] and 'Traceback' not in err


@needs_corpus
@pytest.mark.parametrize('options, problem', [
    ([], 'has 6 joints: equations are written out for up to 3'),
    (['--symbols'], 'is no planar 2R arm')])
def test_too_many_joints_are_refused_in_one_line(options, problem, capsys):
    assert main(['equations', str(corpus_file('ur5e_official')), *options]) == 2
    err = capsys.readouterr().err
    assert problem in err and err.count('\n') == 1


def test_without_sympy_one_line_says_what_to_install(capsys, monkeypatch):
    real = builtins.__import__

    def no_sympy(name, *args, **kwargs):
        if name.partition('.')[0] == 'sympy':
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, '__import__', no_sympy)
    assert main(['equations']) != 0
    out, err = capsys.readouterr()
    assert out == '' and "pip install 'twolink_dynamics[symbolic]'" in err
