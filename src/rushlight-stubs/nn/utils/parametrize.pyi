# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Iterator
from collections.abc import Sequence
from rushlight import Tensor as _Tensor
from rushlight.nn.modules.container import ModuleList as _ModuleList
from rushlight.nn.modules.module import Module as _Module
from typing import Any
from rushlight import Tensor as Tensor
from rushlight.nn.modules.container import ModuleDict as ModuleDict
from rushlight.nn.modules.container import ModuleList as ModuleList
from rushlight.nn.modules.module import Module as Module
from rushlight.nn.parameter import Parameter as Parameter

class ParametrizationList(_ModuleList):
    """The parametrizations of one tensor, first one first, and what is learned in its place."""
    original: _Tensor
    unsafe: bool
    is_tensor: Any
    ntensors: Any
    def __init__(self, modules: Sequence[_Module], original: _Tensor, unsafe: bool = False) -> None: ...
    def forward(self) -> _Tensor:
        """The parametrized tensor."""
        ...
    def right_inverse(self, value: _Tensor) -> None:
        """Sets what is learned so that ``value`` comes out; what assigning to the parametrized tensor does."""
        ...
def cached() -> Iterator[None]:
    """Within it, a parametrized tensor is computed once and then kept until the outermost ``cached()`` ends."""
    ...
def is_parametrized(module: _Module, tensor_name: str | None = None) -> bool:
    """Whether a module has parametrized tensors, or the one of that name."""
    ...
def register_parametrization(module: _Module, tensor_name: str, parametrization: _Module, *, unsafe: bool = False) -> _Module:
    """Makes a parameter or buffer of a module a function of what is learned; further ones are applied to its result."""
    ...
def remove_parametrizations(module: _Module, tensor_name: str, leave_parametrized: bool = True) -> _Module:
    """Makes a tensor an ordinary parameter or buffer again."""
    ...
def transfer_parametrizations_and_params(from_module: _Module, to_module: _Module, tensor_name: str | None = None) -> _Module:
    """Parametrizes another module alike, with the same parametrizations and the same originals."""
    ...
def type_before_parametrizations(module: _Module) -> type:
    """The class of a module, or the one it had before it was parametrized."""
    ...
