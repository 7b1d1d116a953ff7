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

"""A bag of joint states is read as a motion: names, stamps and gaps are kept straight."""

from pathlib import Path

import numpy as np
import pytest

import twolink_dynamics as tl
from twolink_dynamics.cli.logs import read_log
from twolink_dynamics.cli.main import main
from twolink_dynamics.errors import MissingDependencyError

rosbag2 = pytest.importorskip('rosbags.rosbag2', reason='bags are read by rosbags')
STATE, ARRAY = 'sensor_msgs/msg/JointState', 'std_msgs/msg/Float64MultiArray'
MS = 1000000
NAN = float('nan')


class Bag:
    """A bag that is being written."""

    def __init__(self, path, storage='sqlite3'):
        from rosbags.typesys import get_typestore, Stores
        self.path, self._store = path, get_typestore(Stores.ROS2_HUMBLE)
        self._writer = rosbag2.Writer(path, version=9, storage_plugin=getattr(
            rosbag2.StoragePlugin, storage.upper()))
        self._topics = {}

    def __enter__(self):
        self._writer.open()
        return self

    def __exit__(self, *exception):
        self._writer.close()

    def _write(self, topic, kind, recorded, message):
        if topic not in self._topics:
            self._topics[topic] = self._writer.add_connection(topic, kind, typestore=self._store)
        self._writer.write(self._topics[topic], recorded,
                           self._store.serialize_cdr(message, kind))

    def state(self, stamp, names, position, velocity=(), effort=(), topic='/joint_states',
              recorded=None):
        types = self._store.types
        header = types['std_msgs/msg/Header'](
            stamp=types['builtin_interfaces/msg/Time'](sec=stamp // 10**9,
                                                       nanosec=stamp % 10**9), frame_id='')
        self._write(topic, STATE, stamp if recorded is None else recorded, types[STATE](
            header=header, name=list(names), **{
                key: np.array(values, dtype=np.float64) for key, values in (
                    ('position', position), ('velocity', velocity), ('effort', effort))}))

    def array(self, recorded, data, topic='/forward_effort_controller/commands'):
        types = self._store.types
        layout = types['std_msgs/msg/MultiArrayLayout'](dim=[], data_offset=0)
        self._write(topic, ARRAY, recorded, types[ARRAY](
            layout=layout, data=np.array(data, dtype=np.float64)))


@pytest.mark.parametrize('storage', ['sqlite3', 'mcap'])
def test_states_and_references_are_put_together_by_stamp(storage, tmp_path):
    with Bag(tmp_path / 'bag', storage) as bag:
        for k in range(10):
            # The order of names changes, as it may.
            names = ('a', 'b') if k % 2 else ('b', 'a')
            values = (k, -k) if k % 2 else (-k, k)
            bag.state(10**12 + k * MS, names, values, values, values)
            if k >= 4:
                bag.state(10**12 + k * MS, ('a', 'b'), (k + 0.5, -k), (0.0, 1.0),
                          topic='/computed_torque_controller/reference',
                          recorded=10**12 + k * MS + 7)
    motion = read_log(tmp_path / 'bag')
    assert motion.joint_names == ('b', 'a') and not motion.efforts_lead
    assert np.allclose(motion.t, 1e-3 * np.arange(10), rtol=0, atol=1e-12)
    for rows in (motion.q, motion.qd, motion.tau):
        assert (rows == np.column_stack([-np.arange(10), np.arange(10)])).all()
    assert np.isnan(motion.q_desired[:4]).all()
    assert (motion.error[4:] == [0.0, 0.5]).all()
    inside = next((tmp_path / 'bag').glob('*.mcap' if storage == 'mcap' else '*.db3'))
    assert (read_log(inside).q == motion.q).all()


def test_a_state_sent_again_counts_once_and_late_ones_take_their_place(tmp_path):
    with Bag(tmp_path / 'bag') as bag:
        for k, stamp in enumerate([10, 11, 11, 13, 12, 14]):
            bag.state(stamp * MS, ('a',), (stamp,), recorded=k * MS)
    motion = read_log(tmp_path / 'bag')
    assert motion.q[:, 0].tolist() == [10, 11, 12, 13, 14]


def test_states_without_stamps_have_the_time_of_recording(tmp_path):
    with Bag(tmp_path / 'bag') as bag:
        for k in range(3):
            bag.state(0, ('a',), (k,), recorded=10**15 + 20 * k * MS)
    assert read_log(tmp_path / 'bag').t == pytest.approx([0.0, 0.02, 0.04], abs=1e-12)


def test_placeholders_and_short_fields_are_gaps(tmp_path):
    with Bag(tmp_path / 'bag') as bag:
        for k in range(4):
            bag.state((1 + k) * MS, ('a', 'b'), (k, k), (NAN, NAN), (1.0,) if k % 2 else ())
    motion = read_log(tmp_path / 'bag')
    assert motion.qd is None and motion.tau is None


def test_commands_stand_in_for_efforts_that_states_lack(tmp_path):
    with Bag(tmp_path / 'bag') as bag:
        for k in range(6):
            bag.state((1 + k) * MS, ('a', 'b'), (k, k))
        bag.array(3 * MS, (1.0, 2.0))
        bag.array(5 * MS, (3.0, 4.0))
        bag.array(6 * MS, (3.0, 4.0, 5.0))
    motion = read_log(tmp_path / 'bag')
    assert np.isnan(motion.tau[:2]).all()
    assert motion.tau[2:, 0].tolist() == [1.0, 1.0, 3.0, 3.0]
    with Bag(tmp_path / 'named') as bag:
        for k in range(4):
            bag.state((1 + k) * MS, ('a', 'b'), (k, k))
            bag.state((1 + k) * MS, ('b', 'a'), (), (), (k, 10.0), topic='/joint_commands')
    motion = read_log(tmp_path / 'named')
    assert motion.tau.tolist() == [[10.0, k] for k in range(4)]


def test_of_several_arms_one_must_be_chosen(tmp_path, capsys):
    with Bag(tmp_path / 'bag') as bag:
        for k in range(3):
            for side, value in (('left', k), ('right', -k)):
                bag.state((1 + k) * MS, ('a',), (value,), topic=f'/{side}/joint_states')
                bag.state((1 + k) * MS, ('a',), (2 * value,),
                          topic=f'/{side}/computed_torque_controller/reference')
    with pytest.raises(tl.ParameterError, match='/left/joint_states, /right/joint_states'):
        read_log(tmp_path / 'bag')
    motion = read_log(tmp_path / 'bag', 'right/joint_states')
    assert motion.q[:, 0].tolist() == [0, -1, -2] and motion.error[:, 0].tolist() == [0, -1, -2]
    assert main(['plot', str(tmp_path / 'bag'), '--topic', '/none']) == 2
    assert '/left/joint_states' in capsys.readouterr().err


def test_a_bag_without_states_is_refused(tmp_path):
    with Bag(tmp_path / 'bag') as bag:
        bag.array(MS, (1.0,))
    with pytest.raises(tl.ParameterError, match='JointState'):
        read_log(tmp_path / 'bag')


@pytest.mark.parametrize('storage', ['sqlite3', 'mcap'])
def test_a_bag_cut_short_is_refused_in_one_line(storage, tmp_path, capsys):
    with Bag(tmp_path / 'bag', storage) as bag:
        for k in range(200):
            bag.state((1 + k) * MS, ('a',), (k,))
    data = next(path for path in (tmp_path / 'bag').iterdir() if path.suffix != '.yaml')
    data.write_bytes(data.read_bytes()[:data.stat().st_size // 3])
    assert main(['plot', str(tmp_path / 'bag')]) == 2
    err = capsys.readouterr().err
    assert len(err.splitlines()) == 1 and 'readable bag' in err


def test_a_folder_that_is_no_bag_is_refused(tmp_path, capsys):
    assert main(['plot', str(tmp_path)]) == 2
    assert 'readable bag' in capsys.readouterr().err


def test_without_rosbags_the_extra_is_named(tmp_path, monkeypatch):
    import sys
    monkeypatch.setitem(sys.modules, 'rosbags.highlevel', None)
    with pytest.raises(MissingDependencyError, match=r'twolink_dynamics\[bag\]'):
        read_log(Path(tmp_path))
