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

"""Arms for these tests, and the same arms in MuJoCo."""

from lxml import etree
import numpy as np
import twolink_dynamics as tl

CART = """
<robot name="cart">
  <link name="rail"/>
  <link name="cart"><inertial><origin xyz="0.1 0 0.05"/><mass value="2"/>
    <inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0.001" ixz="0" iyz="0"/></inertial></link>
  <link name="pole"><inertial><origin xyz="0 0.02 -0.4"/><mass value="0.7"/>
    <inertia ixx="0.03" iyy="0.03" izz="0.002" ixy="0" ixz="0.001" iyz="0"/></inertial></link>
  <link name="slider"><inertial><origin xyz="0.05 0 0"/><mass value="0.4"/>
    <inertia ixx="0.001" iyy="0.002" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="along" type="prismatic"><parent link="rail"/><child link="cart"/>
    <axis xyz="1 0 0"/><limit lower="-100" upper="100" velocity="100" effort="100"/></joint>
  <joint name="swing" type="continuous"><origin xyz="0 0 0.1"/><parent link="cart"/>
    <child link="pole"/><axis xyz="0 1 0"/></joint>
  <joint name="out" type="prismatic"><origin xyz="0 0 -0.5" rpy="0 0.3 0"/><parent link="pole"/>
    <child link="slider"/><axis xyz="0.6 0 0.8"/>
    <limit lower="-100" upper="100" velocity="100" effort="100"/></joint>
</robot>
"""


def two_links():
    """Return the URDF of the drawing of the texts, in the vertical plane y = 0."""
    links = ''.join(
        f'<link name="link{k}"><inertial><origin xyz="0.5 0 0"/><mass value="1"/>'
        '<inertia ixx="0.083" iyy="0.083" izz="0.083" ixy="0" ixz="0" iyz="0"/></inertial></link>'
        for k in (1, 2))
    return ('<robot name="two"><link name="base"/>' + links
            + '<joint name="joint1" type="continuous"><parent link="base"/><child link="link1"/>'
            '<axis xyz="0 1 0"/></joint>'
            '<joint name="joint2" type="continuous"><parent link="link1"/><child link="link2"/>'
            '<origin xyz="1 0 0"/><axis xyz="0 1 0"/></joint></robot>')


def without_shapes(urdf):
    """Return a URDF without its meshes, which only a viewer needs."""
    root = etree.fromstring(urdf.encode())
    for shape in root.xpath('//visual | //collision'):
        shape.getparent().remove(shape)
    return etree.tostring(root).decode()


def mujoco_end(mujoco, urdf, arm, q0, qd0, tau, damping, steps, dt):
    """Return where MuJoCo's RK4 comes to with constant efforts, without stops."""
    model = mujoco.MjModel.from_xml_string(urdf)
    model.opt.timestep = dt
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    model.dof_damping[:], model.dof_frictionloss[:], model.dof_armature[:] = damping, 0.0, 0.0
    data = mujoco.MjData(model)
    order = [model.joint(name).dofadr[0] for name in arm.joint_names]
    assert model.nv == arm.n
    data.qpos[order], data.qvel[order] = q0, qd0
    data.qfrc_applied[order] = tau
    for _ in range(steps):
        mujoco.mj_step(model, data)
    return np.array(data.qpos[order]), np.array(data.qvel[order])


def chaotic():
    """Return a planar arm and a start from which it tumbles over itself."""
    return tl.TwoLinkArm(), (1.2, 0.4)
