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
Inverse kinematics: the joint positions that put the tip where the target is (theory.md K).

A planar 2R arm is solved in closed form. Any other chain is solved by damped Newton iterations
from the start given and then, if those end in a local minimum, from others drawn by a seeded
generator: the same call gives the same answer.

"""

from __future__ import annotations

import itertools
import math
from typing import Iterator, TYPE_CHECKING

import numpy as np

from twolink_dynamics.array_types import ArrayLike, FloatArray, Vector
from twolink_dynamics.errors import UnsupportedModelError
from twolink_dynamics.kinematics.initial_guesses import InitialGuesses
from twolink_dynamics.kinematics.newton import Candidate, NewtonSolver
from twolink_dynamics.kinematics.planar import ClosedForm, in_order, turn_into
from twolink_dynamics.kinematics.reach import Reach
from twolink_dynamics.kinematics.result import IKResult
from twolink_dynamics.kinematics.target import COINCIDENT, plane_of, read_target, Target
from twolink_dynamics.validation import count, number, vector

if TYPE_CHECKING:
    from twolink_dynamics.kinematics.forward import SerialKinematics

__all__ = ['InverseKinematics']

TOLERANCE = 1e-9
# Starts by the number of joints: the fewer, the denser the table of starts covers them.
RESTARTS = (0, 4, 8, 16, 40, 80, 160)
# How many minima of the distance are looked at for the nearest point, and how many starts must
# agree on the lowest for the others to be left.
NEAREST_STARTS, AGREEMENT = 16, 4
# Where joints stand on their stops, minima lie close to a solution, and few starts lead to it. So
# near to the target (squared, as Newton's method has it), starts are drawn around the best found,
# two at every hop, and then many more.
NEAR_MISS, HOPS, MOST_STARTS = 0.1, 20, 1200
# An arm of so few joints is quick enough to look at all of them.
FEW_JOINTS = 4
# Two solutions nearer than this in every joint are one [rad, or sizes of the arm].
DISTINCT = 1e-5
# More solutions than this at one pose (a 6R arm has at most 16) are a continuum.
CONTINUUM = 64


class InverseKinematics:
    """
    The inverse kinematics of a serial chain.

    Parameters
    ----------
    kin : SerialKinematics

    Attributes
    ----------
    plane : Plane or None
        The plane of a planar arm.
    closed_form : ClosedForm or None

    """

    def __init__(self, kin: SerialKinematics) -> None:
        self.kin = kin
        limits = kin.chain.limits
        self.lower, self.upper = limits.lower.tolist(), limits.upper.tolist()
        self.reach = Reach(kin)
        self.plane = plane_of(kin)
        self.closed_form = None
        if self.plane is not None and kin.n == 2 and not any(kin.prismatic):
            closed_form = ClosedForm(kin, self.plane)
            # With both joints on one axis the elbow does nothing: a case for Newton's method.
            self.closed_form = closed_form if closed_form.arm.l1 > COINCIDENT else None
        # A joint that can turn all the way round has no stop to get stuck at on the way.
        self._turns = [not prismatic and high - low >= 2.0 * math.pi for prismatic, low, high
                       in zip(kin.prismatic, self.lower, self.upper)]
        stops = ([-math.inf if turns else low for low, turns in zip(self.lower, self._turns)],
                 [math.inf if turns else high for high, turns in zip(self.upper, self._turns)])
        self._solver = NewtonSolver(kin, self.reach.size, *stops)
        self._guesses = InitialGuesses(self._solver)
        self._ranks: dict[bytes, int] = {}

    # --- one solution --------------------------------------------------------------------------

    def solve(self, target: ArrayLike, q0: ArrayLike | None = None, *, kind: str | None = None,
              position_tolerance: float = TOLERANCE, rotation_tolerance: float = TOLERANCE,
              max_iterations: int = 100, restarts: int | None = None, seed: int = 0) -> IKResult:
        """
        Return joint positions for a target, or the nearest that the arm can reach.

        Parameters
        ----------
        target : array_like
            A pose (4, 4), a position (3,) in the base frame, or (x, y) in a planar arm's plane.
            A pose whose rotation is rounded is taken for the nearest that is a rotation; by how
            much they differ is in ``result.rounding``, and the rotation of an arm of fewer than
            six joints, which may not be able to follow, need not be nearer than that.
        q0 : array_like, shape (n,), optional
            Where to start, and which of several solutions to prefer: by default zero, or the
            middle of the range of a joint that cannot be there. Joint positions outside their
            limits are moved in, angles beyond 1e5 rad to within half a turn.
        kind : str, optional
            ``'planar'``: the target is (x, y, phi), with phi the angle by which the tip has
            turned in its plane since ``q = 0``. By default the shape tells.
        position_tolerance, rotation_tolerance : float
            [m], [rad].
        max_iterations : int
            For each start.
        restarts : int, optional
            How many further starts may be tried: by default more for an arm of more joints, from
            16 for three to 160 for six and more, up to 1240 where the best found is near.
        seed : int
            Of the generator of further starts.

        Returns
        -------
        result : IKResult
            Among several solutions the one that Newton's method reaches from `q0`, or in closed
            form the nearer one. Where none is within the limits: ``success`` is False and the
            answer is the least of ``|position error / size|^2 + |rotation error|^2``, with
            `size` the length of the stretched arm.

        Raises
        ------
        ShapeError, NonFiniteError
            If `target` or `q0` has the wrong shape, or holds a NaN.
        ParameterError
            If a pose is malformed, or an option has an impossible value.
        UnsupportedModelError
            If a target in a plane is given to an arm that is not planar.

        """
        persistent = restarts is None
        restarts = RESTARTS[min(self.kin.n, 6)] if restarts is None else restarts
        seed = _check_options(position_tolerance, rotation_tolerance, max_iterations, seed,
                              restarts=restarts)
        aim = read_target(target, kind, self.kin, self.plane)
        start = self._start(q0)
        if self.closed_form is not None and aim.rotation is None:
            angles, error, reason = self.closed_form.solve(aim, start, position_tolerance)
            return IKResult(np.array(angles), not reason, 0, error, 0.0, reason,
                            self._reached(angles, aim))
        tolerances = self._tolerances(aim, position_tolerance, rotation_tolerance)
        shortfall = self.reach.shortfall(aim)
        if _proved(shortfall, tolerances):
            guesses = self._guesses.nearest_first(aim, min(restarts, NEAREST_STARTS), seed)
            found = [self._solver.candidate(q, aim)
                     for q in [self._solver.clamp(start), *guesses]]
        else:
            found = []
            starts = self._start_vectors(start, aim, restarts, seed)
            if persistent:
                starts = itertools.chain(starts, self._more_starts(found, aim, seed))
            for q in starts:
                found.append(self._solver.solve(q, aim, *tolerances, max_iterations))
                if found[-1].within(*tolerances):
                    return self._result(found[-1], aim, start, tolerances, len(found))
        best = self._nearest(found, aim)
        return self._result(best, aim, start, tolerances, len(found), shortfall)

    def _tolerances(self, target: Target, position: float, rotation: float) -> tuple[float, float]:
        """Return the tolerances: an arm of few joints need not follow a rounded rotation."""
        return position, max(rotation, target.rounding) if self.kin.n < 6 else rotation

    def _nearest(self, candidates: list[Candidate], target: Target) -> Candidate:
        """Return the lowest minimum that is found from the best candidates."""
        first, *others = sorted(candidates, key=lambda found: found.value)[:NEAREST_STARTS]
        best, agreed = self._solver.minimize(first, target)[0], 1
        for other in others:
            found, same = self._solver.minimize(other, target, best)
            if found.value < best.value * (1.0 - 1e-9):
                best, agreed = found, 1
            elif same:
                agreed += 1
            if agreed >= AGREEMENT and self.kin.n > FEW_JOINTS:
                break
        return best

    def _start(self, q0: ArrayLike | None) -> list[float]:
        """Return the start vector as a list within the limits."""
        if q0 is None:
            return [min(max(0.0, low), high) if low <= 0.0 <= high or not math.isfinite(high - low)
                    else 0.5 * (low + high) for low, high in zip(self.lower, self.upper)]
        # An angle of 1e5 rad has lost the digits that 1e-9 m needs: so many turns are dropped.
        start = [min(max(value, low), high) if not turns else value if abs(value) < 1e5
                 else math.remainder(value, 2.0 * math.pi) for value, low, high, turns in
                 zip(vector('q0', q0, self.kin.n), self.lower, self.upper, self._turns)]
        return self._turned(start, start)

    def _start_vectors(self, start: list[float], target: Target, restarts: int, seed: int
                       ) -> Iterator[list[float]]:
        """Yield the start, the closed form's answers, starts near it, and then others."""
        yield self._solver.clamp(start)
        if self.closed_form is not None:
            yield from map(list, self.closed_form.branches(target, start))
        if restarts:
            yield from self._guesses.near(start, seed)[:restarts]
            yield from self._guesses.nearest_first(target, max(restarts - 2, 0), seed)

    def _more_starts(self, found: list[Candidate], target: Target, seed: int
                     ) -> Iterator[list[float]]:
        """Yield starts around the best found, then the rest of the table, if that is near."""
        best = sorted(found, key=lambda candidate: candidate.value)
        if best[0].value > NEAR_MISS:
            return
        known = len(found)
        for hop in range(HOPS):
            yield from self._guesses.near(best[hop % min(len(best), 4)].q, seed + 1 + hop)
        yield from self._guesses.nearest_first(target, MOST_STARTS, seed)[known:]

    # --- all solutions -------------------------------------------------------------------------

    def all_solutions(self, target: ArrayLike, *, kind: str | None = None,
                      position_tolerance: float = TOLERANCE, rotation_tolerance: float = TOLERANCE,
                      max_iterations: int = 100, starts: int = 1000, quiet: int = 100,
                      seed: int = 0) -> FloatArray:
        """
        Return all joint positions within the limits that put the tip where the target is.

        A planar 2R arm is solved in closed form. Other arms are searched from seeded random
        starts until `quiet` solutions in a row, or `starts` starts, have brought nothing new: a
        solution that few starts lead to may be missed.

        Parameters
        ----------
        target, kind, position_tolerance, rotation_tolerance, max_iterations, seed
            As for :meth:`solve`.
        starts : int
            The most start vectors to try.
        quiet : int
            When to stop.

        Returns
        -------
        solutions : ndarray, shape (k, n)
            Distinct modulo a turn, in ascending order; turning joints in (-pi, pi] where their
            limits allow. Empty where the target is out of reach.

        Raises
        ------
        ShapeError, NonFiniteError, ParameterError
            As :meth:`solve` raises them.
        UnsupportedModelError
            If the solutions are a continuum: the arm has more joints than the target has numbers,
            or stands in a singularity there. Fix a joint, or ask for one solution.

        """
        seed = _check_options(position_tolerance, rotation_tolerance, max_iterations, seed,
                              starts=starts, quiet=quiet)
        aim = read_target(target, kind, self.kin, self.plane)
        if self.closed_form is not None and aim.rotation is None:
            return self.closed_form.all_solutions(aim, position_tolerance)
        tolerances = self._tolerances(aim, position_tolerance, rotation_tolerance)
        if _proved(self.reach.shortfall(aim), tolerances):
            return np.empty((0, self.kin.n))
        self._refuse_continuum(aim)
        solutions: list[list[float]] = []
        since, zero = 0, [0.0] * self.kin.n
        for start in self._guesses.random(np.random.default_rng(seed), starts).tolist():
            found = self._solver.solve(start, aim, *tolerances, max_iterations)
            if not found.within(*tolerances):
                continue
            q = self._turned(found.q, zero)
            since += 1
            if not any(self._same(q, other) for other in solutions):
                solutions.append(q)
                since = 0
            if len(solutions) > CONTINUUM:
                raise UnsupportedModelError(
                    f'{self.kin.chain.name}: more than {CONTINUUM} solutions: the arm is singular '
                    'at this target and can move without moving its tip; ask for one solution')
            if since >= quiet:
                break
        return in_order(solutions, self.kin.n)

    @property
    def position_rank(self) -> int:
        """How many independent rates of the tip's position the joints determine."""
        return self.rank(np.eye(6)[:3])

    def rank(self, rows: FloatArray) -> int:
        """
        Return how many independent rates of the tip the joints determine, singularities aside.

        Parameters
        ----------
        rows : ndarray, shape (m, 6)
            What makes the rates of linear and angular velocity.

        Returns
        -------
        rank : int

        """
        key = rows.tobytes()
        if key not in self._ranks:
            # No arm is singular at such odd angles but by a rare chance; two make it rarer.
            J = np.array([rows @ self.kin.jacobian(np.linspace(*ends, self.kin.n))
                          for ends in ((0.3, 1.1), (1.7, 0.4))])
            self._ranks[key] = int(np.linalg.matrix_rank(J / max(np.abs(J).max(), 1e-300),
                                                         tol=1e-9).max())
        return self._ranks[key]

    def _refuse_continuum(self, target: Target) -> None:
        """Raise where the arm has more joints than the target determines."""
        rank = self.rank(np.eye(6)[:6 if target.rotation is not None else 3])
        if rank < self.kin.n:
            raise UnsupportedModelError(
                f'{self.kin.chain.name}: {self.kin.n} joints and a target that determines {rank}: '
                'the solutions are a continuum; ask for one solution, or lock joints',
                [joint.name for joint in self.kin.chain.joints])

    def _same(self, a: Vector, b: Vector) -> bool:
        """Whether two solutions are one, modulo turns."""
        for x, y, prismatic in zip(a, b, self.kin.prismatic):
            gap = (x - y) / self.reach.size if prismatic else math.remainder(x - y, 2 * math.pi)
            if abs(gap) > DISTINCT:
                return False
        return True

    # --- answers -------------------------------------------------------------------------------

    def _turned(self, q: Vector, near: Vector) -> list[float]:
        """Return the multiples of turns nearest to `near`, within the limits."""
        # A joint that can turn all the way round always has such a multiple.
        turned = [turn_into(value, start, low, high) if turns else value
                  for value, start, low, high, turns in
                  zip(q, near, self.lower, self.upper, self._turns)]
        return [value for value in turned if value is not None]

    def _result(self, found: Candidate, target: Target, start: list[float],
                tolerances: tuple[float, float], starts: int,
                shortfall: tuple[float, float] = (0.0, 0.0)) -> IKResult:
        q = self._turned(found.q, start)
        success = found.within(*tolerances)
        reason = '' if success else self._reason(found, target, starts, shortfall, tolerances)
        return IKResult(np.array(q), success, found.iterations, found.position_error,
                        found.rotation_error, reason, self._reached(q, target), starts,
                        target.rounding)

    def _reason(self, found: Candidate, target: Target, starts: int,
                shortfall: tuple[float, float], tolerances: tuple[float, float]) -> str:
        miss = f'nearest found: {found.position_error:.3g} m'
        if target.rotation is not None:
            miss += f', {found.rotation_error:.3g} rad away'
        if shortfall[1] > tolerances[1]:
            return (f'out of reach: the axes are parallel and the rotation asked for is inclined '
                    f'to them by {shortfall[1]:.3g} rad; {miss}')
        if shortfall[0] > tolerances[0]:
            return f'out of reach by at least {shortfall[0]:.3g} m; {miss}'
        limited = ' within the joint limits' if np.isfinite(self.lower + self.upper).any() else ''
        return f'no solution{limited} from {starts} starts: probably out of reach; {miss}'

    def _reached(self, q: Vector, target: Target) -> FloatArray:
        """Return what the tip reaches, in the terms of the target."""
        pose = self.kin.tip_pose(np.array(q))
        if target.kind == 'pose':
            return pose
        if target.plane is None:
            return pose[:3, 3].copy()
        xy = target.plane.coordinates(pose[:3, 3])[0]
        return xy if target.kind == 'plane' else np.append(xy, target.plane.angle(pose[:3, :3]))


def _proved(shortfall: tuple[float, float], tolerances: tuple[float, float]) -> bool:
    """Whether a target is proved out of reach."""
    return shortfall[0] > tolerances[0] or shortfall[1] > tolerances[1]


def _check_options(position_tolerance: float, rotation_tolerance: float, iterations: int,
                   seed: int, **counts: int) -> int:
    """Return the seed, if all options have a possible value."""
    number('position_tolerance', position_tolerance, above=0.0)
    number('rotation_tolerance', rotation_tolerance, above=0.0)
    count('max_iterations', iterations, 1)
    for name, value in counts.items():
        count(name, value)
    return count('seed', seed)
