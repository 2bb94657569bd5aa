"""Tensor: an array, its gradient, and where it came from.

Here stand the fields, how a tensor is made, and what its array answers alone. All other methods belong to the rooms that know how they
are done, which give them to the class (:class:`Methods`): its place in the graph is autograd/tensor_methods.py's, its meeting with
Python and NumPy tensors/python_protocols.py's, and the ops come from the table (ops/public.py).
"""

from __future__ import annotations

import os
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from .backend.nothing import Nothing
from .backend.sparse_gradients import ScatteredArray
from .base.attributes import HidesInnerState, WithAttributes
from .base.device import CPU, META
from .base.device import device as device_class

if TYPE_CHECKING:
    from .autograd.handles import Hooks
    from .autograd.modes import Inference
    from .autograd.nodes import Edge
    from .base import dtypes
    from .base.size import Size

CHECKED = os.environ.get("RUSHLIGHT_CHECK", "0") != "0"  # tests set it

OWN_DTYPE: Any = True
"""``_grad_dtype`` of a tensor whose gradient has the tensor's own dtype; None means any."""


class _TensorMeta(HidesInnerState):
    """The class of Tensor."""

    if TYPE_CHECKING:

        def __getattribute__(cls, name: str) -> Any: ...


class Tensor(WithAttributes, metaclass=_TensorMeta):
    """An n-dimensional array that remembers how it was computed.

    Made by :func:`tensor`, :func:`zeros` and the like, and by every operation.

    >>> import rushlight as torch
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> (x * x).sum().backward()
    >>> x.grad
    tensor([2., 4.])
    """

    _array: np.ndarray[Any, Any]
    _counter: list[Any]
    _needs_grad: bool = False
    _edge: Edge | None = None
    _grad: Tensor | None = None
    _grad_dtype: Any = OWN_DTYPE
    _strided = True  # `_array` holds the values, as it does not in the room `sparse`
    _stands_in = False  # it is a leaf of forward mode's own: see forward_rules.py
    _of_batch = False  # it is an example of a batch, which `whole` then is
    _base: Tensor | None = None
    _seen: int = 0
    _made: str | None = None
    _sink: Any = None
    _hooks: Hooks | None = None
    _post_accumulate_hooks: Hooks | None = None
    _inference: Inference | None = None
    _retains: bool = False
    _conjugate: bool = False
    _negated: bool = False
    _tangents: dict[int, Tensor] | None = None

    __array_priority__ = 1000

    if CHECKED:

        def __setattr__(self, name: str, value: Any) -> None:
            """The one invariant of a tensor's memory, held to wherever one is made: an array, never a NumPy scalar."""
            if name == "_array" and isinstance(value, np.generic):
                raise AssertionError(f"a tensor's array must be an ndarray, not the scalar {value!r} of {type(value).__name__}")
            object.__setattr__(self, name, value)

    def __hash__(self) -> int:
        return id(self)

    def numel(self) -> int:
        """How many elements there are."""
        return int(self._array.size)

    nelement = numel

    @property
    def device(self) -> device_class:
        """Where the tensor is: on the CPU, or on the meta device, where there are no numbers."""
        return META if isinstance(self._array, Nothing) else CPU

    is_cuda = is_mps = is_xpu = is_sparse = is_quantized = is_mkldnn = is_nested = is_sparse_csr = False
    is_xla = is_vulkan = is_ipu = is_maia = is_mtia = False

    if TYPE_CHECKING:  # operators and most methods come from the table, others from the rooms that own them

        @property
        def dtype(self) -> dtypes.dtype: ...
        @property
        def shape(self) -> Size: ...
        @property
        def ndim(self) -> int: ...
        def dim(self) -> int: ...
        def size(self, dim: int | None = None) -> Any: ...
        def __new__(cls, *args: Any, **kwargs: Any) -> Any: ...
        def __init_subclass__(cls, own: bool = False, **kwargs: Any) -> None: ...
        def __getattr__(self, name: str) -> Any: ...
        def __getitem__(self, index: Any) -> Tensor: ...
        def __setitem__(self, index: Any, value: Any) -> None: ...
        def __neg__(self) -> Tensor: ...
        def __add__(self, other: Any) -> Tensor: ...

        __abs__ = __invert__ = __neg__
        __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __add__
        __mod__ = __rmod__ = __pow__ = __rpow__ = __matmul__ = __rmatmul__ = __and__ = __add__
        __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = __lshift__ = __rshift__ = __lt__ = __add__
        __le__ = __gt__ = __ge__ = __iadd__ = __isub__ = __imul__ = __itruediv__ = __add__


PLAIN: set[type] = {Tensor}


def lay_out_attributes(cls: type[Tensor]) -> None:
    """Shows the interpreter, before other instances are made, all attributes that they commonly have.

    CPython gives new instances as many places for attributes as those before them had. One that no place was left for goes
    into a dict, as all of them do once ``__dict__`` was asked for: an op on such tensors takes up to a fifth longer.
    """
    first: Any = object.__new__(cls)
    for name in ("_array", "_counter", "_needs_grad", "_edge", "_base", "_seen", "_made", "_sink", "_grad"):
        setattr(first, name, None)


lay_out_attributes(Tensor)


_OF_A_CLASS = (FunctionType, property, staticmethod, classmethod)

if TYPE_CHECKING:
    Methods = Tensor
else:

    class Methods:
        """A room's methods of Tensor, or ``of`` a class of it: what the body of a subclass defines becomes that class's.

        >>> from rushlight.tensor import Methods
        >>> class Light: ...
        >>> class OfColours(Methods, of=Light):
        ...     def colour(self):
        ...         return "warm"
        >>> Light().colour()
        'warm'
        """

        def __init_subclass__(cls, of: type = Tensor) -> None:
            for name, value in list(vars(cls).items()):
                if isinstance(value, _OF_A_CLASS):
                    setattr(of, name, value)
                    if isinstance(value, FunctionType):
                        value.__qualname__ = f"{of.__name__}.{name}"  # which errors of calls name


_ndarray = np.ndarray


def new_tensor(array: np.ndarray[Any, Any]) -> Tensor:
    """A Tensor around an array, with memory of its own as far as version counting goes."""
    if array.__class__ is not _ndarray and hasattr(array, "as_tensor"):  # what stands for an array
        return array.as_tensor()
    result = object.__new__(Tensor)
    result._array = array
    result._counter = [0]
    return result


def wrap(array: Any) -> Tensor:
    """A leaf Tensor around an array (not copied), or anything that one can be made of."""
    if array.__class__ is ScatteredArray:
        return Tensor._of_scattered(array)
    return new_tensor(array if isinstance(array, (np.ndarray, Nothing)) or hasattr(array, "as_tensor") else np.asarray(array))


def make_tensor(array: np.ndarray[Any, Any], version: list[Any], edge: Edge | None) -> Tensor:
    """A Tensor with given memory, version counter and place in the graph."""
    result = object.__new__(Tensor) if isinstance(array, np.ndarray) else new_tensor(array)
    result._array, result._counter, result._edge = array, version, edge
    result._needs_grad = edge is not None
    return result
