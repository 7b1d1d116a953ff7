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
Names of the types that annotations of this package share.

`Vector` is what is called in a loop: n plain numbers, whatever holds them. `FloatArray` is a
float64 array; its shape stands in the docstring. `Numbers` is what formulas are written for that
run on floats, on arrays with one element a state, and on symbols.

"""

from typing import Any, Callable, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

__all__ = ['ArrayLike', 'DesiredState', 'FloatArray', 'Number', 'Numbers', 'PerJoint',
           'Trigonometry', 'Vector']

#: What `numpy.asarray` takes.
ArrayLike = npt.ArrayLike
#: A float64 array.
FloatArray = npt.NDArray[np.float64]
#: A number as Python or NumPy has it.
Number = Union[float, int, np.floating, np.integer]
#: One number per joint.
Vector = Sequence[float]
#: One number for all joints, or one per joint.
PerJoint = Union[float, Sequence[float], FloatArray]
#: Numbers of any kind, and the `cos` or `sin` of that kind.
Numbers = Sequence[Any]
Trigonometry = Callable[[Any], Any]
#: Desired position, velocity and acceleration.
DesiredState = Tuple[Vector, Vector, Vector]
