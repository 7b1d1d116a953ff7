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

"""Descriptions of arms that several tests use."""

# Two links with limits of every kind, and friction.
LIMITED = """
<robot name="limited">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0.25 0 0"/><mass value="2"/>
    <inertia ixx="0.01" iyy="0.05" izz="0.05" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="fore"><inertial><origin xyz="0.25 0 0"/><mass value="1"/>
    <inertia ixx="0.01" iyy="0.03" izz="0.03" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="tip"/>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
    <axis xyz="0 1 0"/><limit lower="-0.5" upper="1.0" velocity="2.0" effort="30"/>
    <dynamics damping="0.5" friction="0.2"/></joint>
  <joint name="elbow" type="revolute"><origin xyz="0.5 0 0"/>
    <parent link="upper"/><child link="fore"/>
    <axis xyz="0 1 0"/><limit lower="0.1" upper="2.5" velocity="3.0" effort="10"/>
    <dynamics damping="0.3" friction="0.1"/></joint>
  <joint name="flange" type="fixed"><origin xyz="0.5 0 0"/>
    <parent link="fore"/><child link="tip"/></joint>
</robot>
"""


def three_joints():
    """Return the URDF of an arm of three joints that do not stay in a plane."""
    links = ''.join(
        f'<link name="l{k}"><inertial><origin xyz="0.2 0 0"/><mass value="1"/>'
        '<inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        for k in range(4))
    joints = ''.join(
        f'<joint name="j{k}" type="continuous"><parent link="l{k}"/><child link="l{k + 1}"/>'
        f'<origin xyz="0.4 0 0"/><axis xyz="0 {k % 2} {1 - k % 2}"/></joint>' for k in range(3))
    return f'<robot name="three">{links}{joints}</robot>'
