# Written by tools/stubs.py; `make stubs` writes it anew.

from collections import OrderedDict
from collections import defaultdict
from collections.abc import Callable
from collections.abc import Iterable
from rushlight import Tensor
from rushlight.autograd.graph import RemovableHandle as _RemovableHandle
from typing import Any
from typing import TypeVar
from typing import overload
from rushlight.autograd.graph import RemovableHandle as RemovableHandle

_Result = TypeVar('_Result')

class Optimizer:
    """Base class of all optimizers."""
    state: defaultdict[Any, Any]
    param_groups: list[dict[str, Any]]
    defaults: dict[str, Any]
    def __init__(self, params: Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]], defaults: dict[str, Any]) -> None: ...
    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Adds parameters with options of their own."""
        ...
    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes over what :meth:`state_dict` gave: copies, in the dtypes of the parameters."""
        ...
    def register_load_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> _RemovableHandle:
        """``hook(optimizer)`` after a state dict was loaded."""
        ...
    def register_load_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> _RemovableHandle:
        """``hook(optimizer, state_dict)`` before a state dict is loaded; may return another."""
        ...
    def register_state_dict_post_hook(self, hook: Callable[..., Any], prepend: bool = False) -> _RemovableHandle:
        """``hook(optimizer, state_dict)`` after a state dict was made; may return another."""
        ...
    def register_state_dict_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> _RemovableHandle:
        """``hook(optimizer)`` before a state dict is made."""
        ...
    def register_step_post_hook(self, hook: Callable[..., Any]) -> _RemovableHandle:
        """``hook(optimizer, args, kwargs)`` after a step."""
        ...
    def register_step_pre_hook(self, hook: Callable[..., Any]) -> _RemovableHandle:
        """``hook(optimizer, args, kwargs)`` before a step; may return new ``(args, kwargs)``."""
        ...
    def state_dict(self) -> dict[str, Any]:
        """``{"state": by number of the parameter, "param_groups": with parameters as numbers}``."""
        ...
    @overload
    def step(self, closure: None = None) -> None: ...
    @overload
    def step(self, closure: Callable[[], _Result]) -> _Result:
        """Changes the parameters by what their gradients say."""
        ...
    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forgets the gradients of all parameters, or fills them with zeros."""
        ...
def register_optimizer_step_post_hook(hook: Callable[..., Any]) -> _RemovableHandle:
    """``hook(optimizer, args, kwargs)`` after every step of every optimizer."""
    ...
def register_optimizer_step_pre_hook(hook: Callable[..., Any]) -> _RemovableHandle:
    """``hook(optimizer, args, kwargs)`` before every step of every optimizer."""
    ...
def step_hooks(optimizer: Any) -> list[OrderedDict[int, Any]]:
    """All that is called before and after a step of an optimizer, in lists that live."""
    ...
