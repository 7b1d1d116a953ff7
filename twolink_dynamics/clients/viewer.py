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

"""A viewer of the arm in a browser: its shapes, sliders, the trail of its tip, playback."""

from collections import deque
from contextlib import redirect_stdout
import io
from itertools import product
import logging
import math
import threading
from typing import Any, Callable, Mapping, TYPE_CHECKING

import numpy as np

from twolink_dynamics.array_types import FloatArray
from twolink_dynamics.errors import MissingDependencyError, UnsupportedModelError
from twolink_dynamics.kinematics.forward import SerialKinematics
from twolink_dynamics.kinematics.workspace import workspace
from twolink_dynamics.plotting.plane import bones

if TYPE_CHECKING:
    from twolink_dynamics.dynamics.arm import Arm
    from twolink_dynamics.recordings.motion import Motion

__all__ = ['Viewer', 'open_robot']

DESIRED, TIP, PATH_COLOUR = (0, 0, 0), (213, 94, 0), (140, 180, 205)
# Pieces of the trail of sliders and of a live arm; of that of a log.
TRAIL, PATH = 400, 600
# So many values sent to a slider may still be on their way back.
ECHOES = 60
# Of a joint's slider [rad or m].
STEP = 1e-3
# A joint without limits gets a slider of a turn, or of a metre, to each side.
WITHOUT_LIMITS = {'prismatic': 1.0}
FIELD_OF_VIEW = math.radians(50.0)
SPEEDS = ('0.1', '0.25', '0.5', '1', '2', '4')


def open_robot(xml: bytes) -> Any:
    """
    Read a showable URDF.

    Parameters
    ----------
    xml : bytes
        From :func:`~twolink_dynamics.clients.shapes.displayable`.

    Returns
    -------
    robot : yourdfpy.URDF

    Raises
    ------
    MissingDependencyError
        If yourdfpy or viser is not installed.
    UnsupportedModelError
        If yourdfpy cannot read it.

    """
    try:
        import viser.extras  # noqa: F401 (to miss it before the work)
        import yourdfpy
    except ImportError as error:
        raise MissingDependencyError(error.name or 'viser', 'twolink view', 'view') from None
    # Missing meshes are reported already.
    logging.getLogger('yourdfpy').setLevel(logging.ERROR)
    try:
        return yourdfpy.URDF.load(io.BytesIO(xml), filename_handler=str)
    except Exception as error:      # noqa: B902 - it raises whatever its parts raise
        reason = ' '.join(str(error).split()) or type(error).__name__
        raise UnsupportedModelError(f'yourdfpy cannot show this URDF: {reason}') from None


class _Slider:
    """
    A slider that tells a hand from an echo: browsers send back the values they have to show.

    Parameters
    ----------
    handle : viser.GuiInputHandle
    step : float
        Of the slider.
    moved : callable
        Called without arguments when a hand has moved it.

    """

    def __init__(self, handle: Any, step: float, moved: Callable[[], object]) -> None:
        self.handle, self._step, self._moved = handle, step, moved
        self._sent: deque[float] = deque(maxlen=ECHOES)
        handle.on_update(self._on_update)

    @property
    def value(self) -> float:
        """Where it is."""
        return float(self.handle.value)

    def _on_update(self, _: Any) -> None:
        if all(abs(self.value - sent) > 0.6 * self._step for sent in self._sent):
            self._moved()

    def show(self, value: float) -> None:
        """Let it show a value, as near as its steps and ends allow."""
        low = self.handle.min
        value = low + self._step * round((value - low) / self._step)
        value = round(min(max(value, low), self.handle.max), 6)
        self._sent.append(value)
        self.handle.value = value


class Viewer:
    """
    A browser's view of an arm.

    Parameters
    ----------
    robot : yourdfpy.URDF
    arm : Arm
    host, port : str, int
        Where to serve; another port if that is taken.
    motion : Motion, optional
        To play.
    live : bool
        Whether the joints are moved from outside: then sliders only show.

    Attributes
    ----------
    url : str
        What to open.
    q : dict of str to float
        Where the joints are.

    """

    def __init__(self, robot: Any, arm: 'Arm', host: str = '127.0.0.1', port: int = 8080,
                 motion: 'Motion | None' = None, live: bool = False) -> None:
        import viser
        from viser.extras import ViserUrdf
        self._arm, self._motion, self._robot = arm, motion, robot
        self._lock = threading.RLock()
        with redirect_stdout(io.StringIO()):    # it draws a table of its addresses
            self._server = viser.ViserServer(host, port, label=arm.chain.name, verbose=False)
        self.url = f'http://{host}:{self._server.get_port()}'
        self._server.scene.set_up_direction('+z')
        self._shapes = ViserUrdf(self._server, robot, root_node_name='/robot')
        self.q: dict[str, float] = dict.fromkeys(robot.actuated_joint_names, 0.0)
        self._trail: deque[FloatArray] = deque(maxlen=TRAIL)
        self._set_up_scene()
        self._sliders = self._add_sliders(live)
        self._add_options()
        self._player = None if motion is None else _Player(self._server, motion)
        self.show({name: slider.value for name, slider in self._sliders.items()})
        if motion is not None:
            self._draw_path(motion)
            self.tick(0.0)

    # --- the scene ------------------------------------------------------------------------------

    def _base(self) -> FloatArray:
        """Return the pose of the chain's base link in the scene."""
        return np.asarray(self._robot.get_transform(self._arm.chain.base_link))

    def _set_up_scene(self) -> None:
        bounds = self._bounds()
        floor = min(0.0, float(bounds[0][2]))
        self._centre = 0.5 * (bounds[0] + bounds[1])
        self._radius = max(0.01, 0.5 * float(np.linalg.norm(bounds[1] - bounds[0])))
        size = 4.0 * self._radius
        cell = 10.0 ** math.floor(math.log10(self._radius))
        self._server.scene.add_grid('/floor', size, size, cell_size=cell, section_size=5.0 * cell,
                                    position=(self._centre[0], self._centre[1], floor))
        camera = self._server.initial_camera
        camera.fov = FIELD_OF_VIEW
        direction = self._direction()
        # The panel covers the right of the window: the arm goes to the left of its middle.
        aside = np.cross([0.0, 0.0, 1.0], direction)
        target = self._centre + 0.25 * self._radius / np.linalg.norm(aside) * aside
        camera.look_at = tuple(target)
        camera.position = tuple(
            target + direction * (1.05 * self._radius / math.sin(0.5 * FIELD_OF_VIEW)))
        # What is far for a small arm is near for a large one.
        camera.near, camera.far = 1e-3 * self._radius, 1e3 * self._radius

    def _bounds(self) -> FloatArray:
        """Return the corners of a box around the arm and half of what it reaches."""
        base = self._base()
        q = np.zeros(self._arm.n)
        points = [np.zeros(3), *bones(self._arm, q)]
        poses = SerialKinematics(self._arm.chain).body_poses(q)
        for link, pose in zip(self._arm.chain.links, poses):
            if link.bounds is not None:
                points += [pose[:3, :3] @ corner + pose[:3, 3]
                           for corner in product(*link.bounds.T)]
        space = workspace(self._arm)
        if space is not None and math.isfinite(space.farthest):
            points += [np.array(space.centre) + 0.5 * space.farthest * side
                       for side in np.vstack([np.eye(3), -np.eye(3)])]
        points = np.array(points) @ base[:3, :3].T + base[:3, 3]
        box = np.array([points.min(axis=0), points.max(axis=0)])
        seen = None if self._robot.scene is None else self._robot.scene.bounds
        if seen is not None and np.isfinite(seen).all():
            # A floor of hundreds of metres is no part of the arm.
            whole = np.array([np.minimum(box[0], seen[0]), np.maximum(box[1], seen[1])])
            if np.linalg.norm(whole[1] - whole[0]) < 3.0 * np.linalg.norm(box[1] - box[0]):
                return whole
        return box

    def _direction(self) -> FloatArray:
        """Return where to look from: at the plane of a planar arm, else from above and aside."""
        constants = getattr(self._arm, 'constants', None)
        direction = np.array([0.9, -1.2, 0.7])
        if constants is not None:
            normal = self._base()[:3, :3] @ np.array(constants.axes)[:, 2]
            upright = np.array([0.0, -0.35, 0.0] if abs(normal[2]) > 0.9 else [0.0, 0.0, 0.25])
            direction = normal + upright + 0.25 * np.cross([0.0, 0.0, 1.0], normal)
            if abs(normal[2]) > 0.9 and normal[2] < 0.0:
                direction[2] = -direction[2]  # not from below the floor
        return direction / np.linalg.norm(direction)

    # --- the panel ------------------------------------------------------------------------------

    def _add_sliders(self, live: bool) -> dict[str, _Slider]:
        gui, sliders = self._server.gui, {}
        with gui.add_folder('Joints'):
            for name in self._robot.actuated_joint_names:
                joint = self._robot.joint_map[name]
                unit = 'm' if joint.type == 'prismatic' else 'rad'
                low, high = self._range(joint)
                start = min(max(0.0, low), high)
                handle = gui.add_slider(f'{name} [{unit}]', min=low, max=high, step=STEP,
                                        initial_value=start, disabled=live)
                sliders[name] = _Slider(handle, STEP, self._on_slider)
            if not live:
                button = gui.add_button('To the start')
                button.on_click(lambda _: self._to_start())
        self._starts = {name: slider.value for name, slider in sliders.items()}
        return sliders

    @staticmethod
    def _range(joint: Any) -> tuple[float, float]:
        half = WITHOUT_LIMITS.get(joint.type, math.pi)
        limit = joint.limit
        low, high = (None, None) if limit is None else (limit.lower, limit.upper)
        if joint.type == 'continuous' or low is None or high is None or not low < high:
            return -round(half, 3), round(half, 3)
        # Ends of few digits, within the limits.
        low, high = math.ceil(1e3 * max(low, -1e3)) / 1e3, math.floor(1e3 * min(high, 1e3)) / 1e3
        return (low, high) if low < high else (-round(half, 3), round(half, 3))

    def _add_options(self) -> None:
        gui = self._server.gui
        self._shows_trail = gui.add_checkbox('Trail of the tip', True)
        self._shows_trail.on_update(lambda _: self._draw_trail())
        clear = gui.add_button('Clear the trail')
        clear.on_click(lambda _: self._clear())
        self._where = gui.add_markdown('')

    def _to_start(self) -> None:
        if self._player is not None:
            self._player.pause()
        self.show(self._starts)

    def _clear(self) -> None:
        with self._lock:
            self._trail.clear()
            self._draw_trail()

    def _on_slider(self) -> None:
        if self._player is not None:
            self._player.pause()
        self.show({name: slider.value for name, slider in self._sliders.items()}, sliders=False)

    # --- motion ---------------------------------------------------------------------------------

    def show(self, q: Mapping[str, float], sliders: bool = True) -> None:
        """
        Move joints.

        Parameters
        ----------
        q : dict of str to float
            By joint; others stay where they are.
        sliders : bool
            Whether the sliders follow.

        """
        with self._lock, self._server.atomic():
            self.q.update((name, float(value)) for name, value in q.items() if name in self.q)
            self._shapes.update_cfg(np.array(list(self.q.values())))
            if sliders:
                for name, slider in self._sliders.items():
                    slider.show(self.q[name])
            self._follow_tip()

    def _tip(self, q: FloatArray) -> FloatArray:
        """Return where the tip is in the scene, for q of shape (..., n)."""
        base = self._base()
        return self._arm.tip_pose(q)[..., :3, 3] @ base[:3, :3].T + base[:3, 3]

    def _follow_tip(self) -> None:
        missing = [name for name in self._arm.joint_names if name not in self.q]
        q = [self.q.get(name, 0.0) for name in self._arm.joint_names]
        tip = self._tip(np.array(q))
        if not missing:
            self._where.content = 'tip: ' + ', '.join(f'{x:.3f}' for x in tip) + ' m'
        if not self._trail or np.linalg.norm(tip - self._trail[-1]) > 2e-3 * self._radius:
            self._trail.append(tip)
            self._draw_trail()

    def _draw_trail(self) -> None:
        shown = self._shows_trail.value and len(self._trail) > 1
        points = np.array(self._trail) if shown else np.zeros((2, 3))
        self._line('/trail', points, TIP, 0.014, shown)

    def _draw_path(self, motion: 'Motion') -> None:
        """Draw where a log's tip was, and should have been."""
        kept = np.linspace(0, len(motion.t) - 1, min(PATH, len(motion.t))).astype(int)
        self._line('/path', self._tip(motion.q[kept]), PATH_COLOUR, 0.002)
        if motion.q_desired is not None:
            desired = motion.q_desired[kept]
            self._line('/desired', self._tip(desired[np.isfinite(desired).all(axis=1)]), DESIRED,
                       0.002)

    def _line(self, name: str, points: FloatArray, colour: tuple[int, int, int], width: float,
              visible: bool = True) -> None:
        if len(points) > 1:
            self._server.scene.add_line_segments(
                name, np.stack([points[:-1], points[1:]], axis=1), colour,
                thickness=width * self._radius, visible=visible)

    def tick(self, step: float) -> None:
        """
        Go on with the playback.

        Parameters
        ----------
        step : float
            The time since the last call [s].

        """
        if self._player is not None:
            q, jumped = self._player.at(step)
            if jumped:
                self._clear()
            if q is not None:
                self.show(q)

    def close(self) -> None:
        """Stop serving."""
        with redirect_stdout(io.StringIO()):
            self._server.stop()


class _Player:
    """The buttons of a playback, and where it is."""

    def __init__(self, server: Any, motion: 'Motion') -> None:
        self._motion, self._jumped = motion, False
        self._t = 0.0
        self._shown: float | None = None
        self._whole = float(motion.t[-1] - motion.t[0])
        gui = server.gui
        with gui.add_folder('Playback', order=-1.0):
            self._playing = gui.add_checkbox('Play', True)
            self._speed = gui.add_dropdown('Speed', SPEEDS, initial_value='1')
            self._loop = gui.add_checkbox('Again and again', True)
            step = max(1e-3, round(self._whole / 1000.0, 3))
            self._slider = _Slider(gui.add_slider(
                'Time [s]', min=0.0, max=self._whole, step=step, initial_value=0.0), step,
                self._on_slider)

    def _on_slider(self) -> None:
        self._t, self._jumped = self._slider.value, True

    def pause(self) -> None:
        """Let the joints be where they are."""
        self._playing.value = False
        self._shown = self._t

    def at(self, step: float) -> tuple[dict[str, float] | None, bool]:
        """Go on; return where the joints are, None if nothing has changed, and if they jumped."""
        if self._playing.value:
            self._t += step * float(self._speed.value)
            if self._t > self._whole:
                self._t = 0.0 if self._loop.value else self._whole
                self._jumped = self._loop.value
                self._playing.value = self._loop.value
        jumped, self._jumped = self._jumped, False
        if self._t == self._shown:
            return None, jumped
        self._shown = self._t
        self._slider.show(self._t)
        t = self._motion.t[0] + self._t
        motion = self._motion
        return {name: float(np.interp(t, motion.t, column))
                for name, column in zip(motion.joint_names, motion.q.T)}, jumped
