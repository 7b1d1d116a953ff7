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

r"""
The planar 2R arm in closed form (theory.md L1-L8), from the constants of its chain.

One source serves three kinds of numbers: the formulas below use only ``+ - * /`` and the `cos` and
`sin` they are given, so that they run on Python floats, on NumPy arrays, and under numba.

In absolute angles the equations lose their Coriolis terms: with :math:`w_2 = \dot q_1 + \dot q_2`,
:math:`b = \beta\cos(q_2 + \varphi)` and :math:`h = \beta\sin(q_2 + \varphi)`, where
:math:`\beta = m_2 l_1 l_{c2}` and :math:`\varphi = 0` in the drawing of the texts,

.. math::

    \alpha \dot w_1 + b\,\dot w_2 - h w_2^2 + G_1 &= \tau_1 - \tau_2 \\
    b\,\dot w_1 + \delta \dot w_2 + h w_1^2 + G_2 &= \tau_2

which is L8 by the conversion of theory.md's notation section. An elbow that turns about the
opposite direction is the same arm with its second coordinate negated.

"""

import math
from types import SimpleNamespace

import numpy as np

from twolink_dynamics.codegen.numba_backend import numba_allowed
from twolink_dynamics.errors import SingularMassMatrixError

__all__ = ['LagrangeDynamics', 'closed_form']

EPS = np.finfo(float).eps
# States to a block of a batch: what is alive at a time shall fit the cache.
BLOCK = 4096


def closed_form(constants, cos=math.cos, sin=math.sin):
    """
    Return the equations of one arm as functions of pairs of numbers.

    Parameters
    ----------
    constants : TwoLinkConstants
    cos, sin : callable
        Of the kind of number that the functions will be called with.

    Returns
    -------
    functions : SimpleNamespace
        ``inverse_dynamics(q, qd, qdd)``, ``forward_dynamics(q, qd, tau)``, ``mass_matrix(q)``,
        ``mass_terms(q)`` (M11, M12, M22), ``coriolis_matrix(q, qd)``, ``bias(q, qd)``,
        ``gravity_vector(q)``, ``kinetic_energy(q, qd)``, ``potential_energy(q)``: pairs in, pairs
        (of pairs) out.

    """
    functions = _drawn_elbow(constants, cos, sin)
    return functions if constants.sign > 0.0 else _reversed_elbow(functions)


def _drawn_elbow(k, cos, sin):
    """Return the equations for a second axis along the first."""
    alpha, delta, beta, phase = k.alpha, k.delta, k.beta, k.phase
    g1, phase1, g2, phase2 = k.gravity1, k.gravity_phase1, k.gravity2, k.gravity_phase2
    alpha_delta, potential = alpha * delta, k.potential

    # Defaults make the constants locals, the fastest names there are: 3 % of the call.
    def inverse_dynamics(q, qd, qdd, cos=cos, sin=sin, alpha=alpha, delta=delta, beta=beta,
                         phase=phase, g1=g1, phase1=phase1, g2=g2, phase2=phase2):
        q1, q2 = q
        w1, w2 = qd
        a1, a2 = qdd
        w2 = w1 + w2
        a2 = a1 + a2
        x = q2 + phase
        b = beta * cos(x)
        h = beta * sin(x)
        f2 = b * a1 + delta * a2 + h * w1 * w1 + g2 * cos(q1 + q2 + phase2)
        return alpha * a1 + b * a2 - h * w2 * w2 + g1 * cos(q1 + phase1) + f2, f2

    def forward_dynamics(q, qd, tau):
        q1, q2 = q
        w1, w2 = qd
        tau1, tau2 = tau
        w2 = w1 + w2
        x = q2 + phase
        b = beta * cos(x)
        h = beta * sin(x)
        f1 = tau1 - tau2 + h * w2 * w2 - g1 * cos(q1 + phase1)
        f2 = tau2 - h * w1 * w1 - g2 * cos(q1 + q2 + phase2)
        determinant = alpha_delta - b * b
        a1 = (delta * f1 - b * f2) / determinant
        return a1, (alpha * f2 - b * f1) / determinant - a1

    def mass_terms(q, cos=cos, beta=beta, phase=phase, total=alpha + delta, delta=delta):
        b = beta * cos(q[1] + phase)
        return total + b + b, delta + b, delta

    def mass_matrix(q, cos=cos, beta=beta, phase=phase, total=alpha + delta, delta=delta):
        b = beta * cos(q[1] + phase)
        off = delta + b
        return (total + b + b, off), (off, delta)

    def coriolis_matrix(q, qd):
        h = beta * sin(q[1] + phase)
        w1, w2 = qd
        return (-h * w2, -h * (w1 + w2)), (h * w1, 0.0)

    def bias(q, qd):
        q1, q2 = q
        w1, w2 = qd
        w2 = w1 + w2
        h = beta * sin(q2 + phase)
        f2 = h * w1 * w1 + g2 * cos(q1 + q2 + phase2)
        return g1 * cos(q1 + phase1) - h * w2 * w2 + f2, f2

    def gravity_vector(q):
        q1, q2 = q
        f2 = g2 * cos(q1 + q2 + phase2)
        return g1 * cos(q1 + phase1) + f2, f2

    def kinetic_energy(q, qd):
        w1, w2 = qd
        w2 = w1 + w2
        return 0.5 * (alpha * w1 * w1 + delta * w2 * w2) + beta * cos(q[1] + phase) * w1 * w2

    def potential_energy(q):
        q1, q2 = q
        return potential + g1 * sin(q1 + phase1) + g2 * sin(q1 + q2 + phase2)

    return SimpleNamespace(**{name: value for name, value in locals().items() if callable(value)
                              and name not in ('cos', 'sin')})


def _reversed_elbow(drawn):
    """Return the equations for a second axis against the first: negate the second coordinate."""
    def flip(function):
        def flipped(*pairs):
            first, second = function(*[(x1, -x2) for x1, x2 in pairs])
            return first, -second
        return flipped

    def flip_scalar(function):
        return lambda *pairs: function(*[(x1, -x2) for x1, x2 in pairs])

    def flip_matrix(function):
        def flipped(*pairs):
            (x11, x12), (x21, x22) = function(*[(x1, -x2) for x1, x2 in pairs])
            return (x11, -x12), (-x21, x22)
        return flipped

    def mass_terms(q):
        m11, m12, m22 = drawn.mass_terms((q[0], -q[1]))
        return m11, -m12, m22

    vectors = ('inverse_dynamics', 'forward_dynamics', 'bias', 'gravity_vector')
    return SimpleNamespace(
        **{name: flip(getattr(drawn, name)) for name in vectors},
        **{name: flip_scalar(getattr(drawn, name))
           for name in ('kinetic_energy', 'potential_energy')},
        **{name: flip_matrix(getattr(drawn, name)) for name in ('mass_matrix', 'coriolis_matrix')},
        mass_terms=mass_terms)


class LagrangeDynamics:
    """
    The closed form on arrays, for the façade: arguments are checked and broadcast already.

    Parameters
    ----------
    constants : TwoLinkConstants
    joint_names : sequence of str
        For errors.

    Attributes
    ----------
    scalar : SimpleNamespace
        The same on pairs of Python floats, unchecked: see :func:`closed_form`.

    """

    def __init__(self, constants, joint_names):
        self.constants = constants
        self.scalar = closed_form(constants)
        self._arrays = closed_form(constants, np.cos, np.sin)
        self._compiled = {}
        # The determinant alpha delta - b^2 is smallest where b^2 is largest, beta^2. Its parts are
        # rounded to a few eps each: below that it is no longer known to differ from zero.
        product = constants.alpha * constants.delta
        smallest = product - constants.beta ** 2
        self.may_be_singular = not smallest > 8.0 * EPS * product
        self._singular_joint = joint_names[0 if constants.alpha <= 0.0 else 1]

    def warm_up(self):
        """Compile the batch kernels with numba where it is installed, once and for this arm."""
        if self._compiled or not numba_allowed():
            return  # the same numbers, uncompiled
        import numba
        jit = numba.njit(error_model='numpy')
        drawn = _drawn_elbow(self.constants, math.cos, math.sin)
        for name in ('inverse_dynamics', 'forward_dynamics'):
            self._compiled[name] = numba.njit(error_model='numpy')(
                _batch_of(jit(getattr(drawn, name)), self.constants.sign))
            self._compiled[name](*np.zeros((3, 1, 2)), np.empty((1, 2)))

    def _vector(self, name, *arrays):
        if arrays[0].ndim == 1:  # NumPy takes ten times as long for one state as plain floats do
            return np.array(getattr(self.scalar, name)(*[a.tolist() for a in arrays]))
        compiled = self._compiled.get(name)
        if compiled is not None:
            flat = [np.ascontiguousarray(a).reshape(-1, 2) for a in arrays]
            out = np.empty_like(flat[0])
            compiled(*flat, out)
            return out.reshape(arrays[0].shape)
        out = np.empty((*arrays[0].shape[:-1], 2))
        flat, result = [a.reshape(-1, 2) for a in arrays], out.reshape(-1, 2)
        function = getattr(self._arrays, name)
        for k in range(0, len(result), BLOCK):
            result[k:k + BLOCK, 0], result[k:k + BLOCK, 1] = function(
                *[a[k:k + BLOCK].T.copy() for a in flat])
        return out

    def _matrix(self, name, *arrays):
        if arrays[0].ndim == 1:
            return np.array(getattr(self.scalar, name)(*[a.tolist() for a in arrays]))
        rows = getattr(self._arrays, name)(*[(a[..., 0], a[..., 1]) for a in arrays])
        out = np.empty(arrays[0].shape + (2,))
        for i in range(2):
            for j in range(2):
                out[..., i, j] = rows[i][j]
        return out

    def _wrench_torque(self, q, wrench):
        """Return the efforts J^T w of a wrench on the tip: planar moments about the joints."""
        k = self.constants
        force = wrench[..., :3] @ k.axes
        c1, s1 = np.cos(q[..., 0]), np.sin(q[..., 0])
        angle = q[..., 0] + k.sign * q[..., 1]
        c2, s2 = np.cos(angle), np.sin(angle)
        fx, fy = force[..., 0], force[..., 1]
        moment = wrench[..., 3:] @ k.axes[:, 2]
        moment = (
            moment + (c2 * k.tip[0] - s2 * k.tip[1]) * fy - (s2 * k.tip[0] + c2 * k.tip[1]) * fx)
        out = np.empty(q.shape)
        out[..., 1] = k.sign * moment
        out[..., 0] = moment + (c1 * k.elbow[0] - s1 * k.elbow[1]) * fy \
            - (s1 * k.elbow[0] + c1 * k.elbow[1]) * fx
        return out

    def inverse_dynamics(self, q, qd, qdd, wrench=None):
        """Return the efforts of a motion (theory.md L8), shape (..., 2)."""
        tau = self._vector('inverse_dynamics', q, qd, qdd)
        return tau if wrench is None else tau - self._wrench_torque(q, wrench)

    def forward_dynamics(self, q, qd, tau, wrench=None):
        """Return the accelerations of efforts (theory.md L8), shape (..., 2)."""
        if self.may_be_singular:
            self._refuse_singular(q)
        if wrench is not None:
            tau = tau + self._wrench_torque(q, wrench)
        return self._vector('forward_dynamics', q, qd, tau)

    def _refuse_singular(self, q):
        k = self.constants
        b = k.beta * np.cos(k.sign * q[..., 1] + k.phase)
        product = k.alpha * k.delta
        if np.any(product - b * b <= 8.0 * EPS * product):
            raise SingularMassMatrixError(self._singular_joint)

    def mass_matrix(self, q):
        """Return M (theory.md L4), shape (..., 2, 2)."""
        return self._matrix('mass_matrix', q)

    def coriolis_matrix(self, q, qd):
        """Return C with the skew property (theory.md L6), shape (..., 2, 2)."""
        return self._matrix('coriolis_matrix', q, qd)

    def gravity_vector(self, q):
        """Return G (theory.md L7), shape (..., 2)."""
        return self._vector('gravity_vector', q)

    def bias(self, q, qd):
        """Return C qd + G, shape (..., 2)."""
        return self._vector('bias', q, qd)

    def kinetic_energy(self, q, qd):
        """Return T (theory.md L3), shape (...)."""
        return self._arrays.kinetic_energy((q[..., 0], q[..., 1]), (qd[..., 0], qd[..., 1]))

    def potential_energy(self, q):
        """Return U (theory.md L5), shape (...)."""
        return self._arrays.potential_energy((q[..., 0], q[..., 1]))


def _batch_of(function, sign):
    """Return a loop over states, of three arrays of shape (N, 2) into a fourth."""
    def batch(q, qd, third, out):
        for i in range(q.shape[0]):
            x1, x2 = function((q[i, 0], sign * q[i, 1]), (qd[i, 0], sign * qd[i, 1]),
                              (third[i, 0], sign * third[i, 1]))
            out[i, 0] = x1
            out[i, 1] = sign * x2
    return batch
