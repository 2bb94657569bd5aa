# Written by tools/stubs.py; `make stubs` writes it anew.

from collections.abc import Callable
from rushlight import Tensor
from rushlight import dtype
from rushlight._inner import device
from typing import Any
from typing import NoReturn
from typing import Self

class Buffer(Tensor):
    """A tensor that a module carries along without learning it; saved in its state dict if ``persistent``."""
    @staticmethod
    def __torch_function__(func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> Any:
        """As ``__torch_function__`` of a subclass: results are plain tensors."""
        ...
    def __init__(self, data: Any = None, *, persistent: bool = True) -> None: ...
class Parameter(Tensor):
    """A tensor that a module is to learn: assigned to an attribute of a Module, it joins ``parameters()``."""
    def __deepcopy__(self, memo: dict[int, Any]) -> Self: ...
    @staticmethod
    def __torch_function__(func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> Any:
        """As ``__torch_function__`` of a subclass: results are plain tensors."""
        ...
    def __init__(self, data: Any = None, requires_grad: bool = True) -> None: ...
class UninitializedBuffer(UninitializedTensorMixin, Tensor):
    """A buffer of a lazy module before its first input."""
    @staticmethod
    def __torch_function__(func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> Any:
        """As ``__torch_function__`` of a subclass: results are plain tensors."""
        ...
    cls_to_become: type[Tensor]
    def __init__(self, requires_grad: bool = False, device: device | str | int | None = None, dtype: dtype | None = None, persistent: bool = True) -> None: ...
class UninitializedParameter(UninitializedTensorMixin, Parameter):
    """A parameter of a lazy module before its first input."""
    def __deepcopy__(self, memo: dict[int, Any]) -> Self: ...
    @staticmethod
    def __torch_function__(func: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> Any:
        """As ``__torch_function__`` of a subclass: results are plain tensors."""
        ...
    cls_to_become: type[Parameter]
    def __init__(self, requires_grad: bool = True, device: device | str | int | None = None, dtype: dtype | None = None) -> None: ...
class UninitializedTensorMixin:
    """A tensor whose shape is not known yet: little can be asked of it before :meth:`materialize`."""
    cls_to_become: type
    data: Any
    def __hash__(self) -> int: ...
    def materialize(self, shape: Any, device: device | str | int | None = None, dtype: dtype | None = None) -> None:
        """Takes a shape, and becomes an ordinary parameter or buffer with memory that is not set yet."""
        ...
    @property
    def shape(self) -> NoReturn: ...
    def share_memory_(self) -> NoReturn: ...
def is_lazy(param: Any) -> bool:
    """Whether a tensor is a parameter or buffer without a shape."""
    ...
