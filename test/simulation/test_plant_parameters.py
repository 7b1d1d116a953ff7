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

"""What the simulator's parameters make of its plant."""

from types import SimpleNamespace

import pytest

import twolink_dynamics as tl
from twolink_dynamics.errors import ParameterError, TwoLinkError
from twolink_dynamics.simulation.plant import Plant, PlantOptions
from twolink_dynamics.simulation.plant_parameters import payload, PLANT, plant_options
from twolink_dynamics.simulation.simulator_options import SIMULATOR

DEFAULTS = {entry.name: entry.default for entry in SIMULATOR}


def options_of(arm, **values):
    """Return the options that parameters make."""
    return plant_options(SimpleNamespace(**{**DEFAULTS, **values}), arm)


def test_the_defaults_are_those_of_a_plant_without_more(arm):
    options, default = options_of(arm), PlantOptions()
    a, b = Plant(arm, options=options), Plant(arm, options=default)
    for _ in range(50):
        assert a.step((5.0, 1.0)) == b.step((5.0, 1.0))
    assert a.measured == b.measured


@pytest.mark.parametrize('name, value, option, expected', [
    ('integrator', 'rk8', 'method', 'rk8'), ('stops', False, 'stops', False),
    ('restitution', 0.5, 'restitution', 0.5), ('effort_limits', False, 'effort_limits', False),
    ('damping', (0.3,), 'damping', (0.3, 0.3)), ('friction', (0.3, 0.1), 'friction', (0.3, 0.1)),
    ('armature', (0.3,), 'armature', (0.3, 0.3)),
    ('actuator_lag', (0.01, 0.0), 'actuator_lag', (0.01, 0.0)),
    ('command_delay', 0.002, 'command_delay', 0.002),
    ('position_noise', (1e-3,), 'position_noise', (1e-3, 1e-3)),
    ('velocity_noise', (1e-3,), 'velocity_noise', (1e-3, 1e-3)),
    ('encoder_resolution', (1e-3,), 'encoder_resolution', (1e-3, 1e-3)),
    ('differentiate', True, 'differentiate', True),
    ('velocity_filter', 0.01, 'velocity_filter', 0.01),
    ('mass_factor', (1.2,), 'mass_factor', (1.2, 1.2)),
    ('damping_factor', (0.5, 2.0), 'damping_factor', (0.5, 2.0)),
    ('friction_factor', (0.5,), 'friction_factor', (0.5, 0.5))])
def test_each_parameter_is_the_option_it_says(arm, name, value, option, expected):
    options = options_of(arm, **{name: value})
    assert getattr(options, option) == expected
    Plant(arm, options=options).step((0.0, 0.0))


def test_no_parameter_of_the_plant_is_left_out_here():
    shown = {test_each_parameter_is_the_option_it_says.pytestmark[0].args[1][k][0]
             for k in range(17)}
    assert {entry.name for entry in PLANT} - shown == {
        'seed', 'plant_description', 'payload_mass', 'payload_com', 'payload_inertia'}


@pytest.mark.parametrize('values, words', [
    ({'damping': (1.0, 2.0, 3.0)}, 'damping: expected one number, or 2'),
    ({'encoder_resolution': (0.0, 1e-300)}, 'encoder_resolution: expected 0, or not below'),
    ({'plant_description': '/no/such.urdf'}, '/no/such.urdf')])
def test_what_does_not_fit_is_refused_by_the_parameters_name(arm, values, words):
    with pytest.raises((TwoLinkError, OSError), match=words):
        options_of(arm, **values)


def test_a_delay_that_is_no_whole_number_of_steps_is_refused(arm):
    with pytest.raises(ParameterError, match='command_delay'):
        Plant(arm, 1e-3, options=options_of(arm, command_delay=0.0005))


def test_another_urdf_moves_in_truth_if_it_has_the_same_joints(arm, description):
    other = description.replace('<mass value="2.5"/>', '<mass value="9.0"/>')
    assert other != description
    truth = options_of(arm, plant_description=other).arm
    assert truth.mass_matrix([0.0, 0.0])[0, 0] > 1.5 * arm.mass_matrix([0.0, 0.0])[0, 0]
    with pytest.raises(ParameterError, match='joint1, joint2'):
        options_of(arm, plant_description=description.replace('"joint1"', '"shoulder"'))


def test_a_payload_is_a_mass_at_a_place_of_the_tip(arm):
    values = SimpleNamespace(payload_mass=2.0, payload_com=(0.1, 0.0, 0.2), payload_inertia=None)
    mass, com, inertia = payload(values)
    assert (mass, com, inertia) == (2.0, (0.1, 0.0, 0.2), None)
    values.payload_inertia = (0.4, 0.01, 0.02, 0.5, 0.03, 0.6)
    assert payload(values)[2].tolist() == [[0.4, 0.01, 0.02], [0.01, 0.5, 0.03],
                                           [0.02, 0.03, 0.6]]
    plant = Plant(arm)
    plant.pick_up(*payload(values))
    assert isinstance(plant.arm, tl.Arm)
    for wrong in ((1.0, 0.0, 0.0, 1.0, 0.0, 9.0), (-1.0, 0.0, 0.0, -1.0, 0.0, -1.0)):
        values.payload_inertia = wrong
        with pytest.raises(ParameterError, match='payload_inertia'):
            payload(values)
    values.payload_mass = 0.0
    assert payload(values) is None
