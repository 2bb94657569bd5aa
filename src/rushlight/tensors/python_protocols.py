"""What a tensor is to Python and to NumPy: how it is written, what numbers it is, and the arrays it gives."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Number
from typing import Any

import numpy as np

from ..autograd import modes
from ..autograd.forward_ad import shown_tangent
from ..autograd.interpreters import stack as interpreters
from ..autograd.mirrors import is_conjugate
from ..autograd.tensor_methods import GRAD_OF_INFERENCE
from ..backend import dlpack, memory
from ..base import missing_names
from ..base.attributes import held
from ..base.device import strided
from ..ops import table
from ..ops.public import leaving_graph, methods
from ..tensor import PLAIN, Methods, Tensor, wrap
from . import printing

_SHARED = tuple("_array _counter _needs_grad _edge _base _seen _made _inference _conjugate _negated _tangents".split())


class InPython(Methods):
    def __repr__(self, *, tensor_contents: Any = None) -> str:
        if modes.state.transforms:
            layered = interpreters.ask("text", self)
            if layered is not NotImplemented:
                return str(layered)
        try:
            grad_fn = self.grad_fn
            name = None if grad_fn is None else type(grad_fn).__name__
            if name == "CppFunction":
                name = grad_fn.name().rpartition("::")[2]  # type: ignore[union-attr]
        except RuntimeError:  # a view that may not be used any more
            name = "Invalid"
        if tensor_contents is not None:
            tail = f", grad_fn=<{name}>" if name is not None else ", requires_grad=True" if self.requires_grad else ""
            return self._named(f"{type(self).__name__}({tensor_contents}{tail})")
        plain = type(self) in PLAIN
        text = printing.tensor_text(
            self.resolve_conj()._array if self._conjugate else self._array,
            self.dtype,
            requires_grad=self.requires_grad,
            grad_fn_name=name,
            tangent=None if self._tangents is None else self._tangent_text(),
            name="tensor" if plain else type(self).__name__,
        )
        return text if plain else self._named(text)

    def _text(self) -> str:
        """How the values alone are written."""
        return printing.tensor_text(self._array, self.dtype)

    def _named(self, text: str) -> str:
        """The text of a tensor of a class of its own: one that is marked as a parameter says so."""
        return f"Parameter({text})" if held(self).get("_is_param", False) else text

    def _tangent_text(self) -> str | None:
        tangent = shown_tangent(self)
        return None if tangent is None else f"{tangent}"

    def __format__(self, spec: str) -> str:
        if self._array.ndim == 0 and type(self) is Tensor and self.device.type != "meta":
            return self.item().__format__(spec)
        return object.__format__(self, spec)

    def item(self) -> Any:
        """The one element as a Python number."""
        array = self._array
        if array.size != 1:
            raise RuntimeError(f"a Tensor with {array.size} elements cannot be converted to Scalar")
        return _python_number(array)

    def tolist(self) -> Any:
        """The elements as (nested lists of) Python numbers."""
        array = self._array
        return (array.astype(np.float32) if array.dtype.kind == "V" else array).tolist()

    def __len__(self) -> int:
        if self._array.ndim == 0:
            raise TypeError("len() of a 0-d tensor")
        return len(self._array)

    def __iter__(self) -> Iterator[Tensor]:
        if self._array.ndim == 0:
            raise TypeError("iteration over a 0-d tensor")
        return iter(self.unbind(0))

    def __bool__(self) -> bool:
        array = self._array
        if array.size != 1:
            if array.size == 0:
                raise RuntimeError("Boolean value of Tensor with no values is ambiguous")
            raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
        return bool(array.reshape(())[()])

    def __float__(self) -> float:
        return float(leaving_graph(self)._real_scalar("double"))

    def __int__(self) -> int:
        return int(self._real_scalar("int64_t"))

    def __complex__(self) -> complex:
        return complex(leaving_graph(self)._scalar())

    def __index__(self) -> int:
        if self._array.size != 1 or self._array.dtype.kind not in "iub":
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self._scalar())

    def _scalar(self) -> Any:
        if self._array.size != 1:
            raise ValueError("only one element tensors can be converted to Python scalars")
        return _python_number(self._array)

    def _real_scalar(self, c_name: str) -> Any:
        value = self._scalar()
        if value.__class__ is not complex:
            return value
        if value.imag:
            raise RuntimeError(f"value cannot be converted to type {c_name} without overflow")
        return value.real

    def __contains__(self, element: Any) -> bool:
        if isinstance(element, (Tensor, Number)):
            return bool(table.tensors.eq(self, element)._array.any())
        raise RuntimeError(f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}.")

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *methods} - {*missing_names.OF_TENSOR})

    # NumPy and other libraries.

    def numpy(self, *, force: bool = False) -> np.ndarray[Any, Any]:
        """The elements as a NumPy array that shares memory. RuntimeError if a gradient is wanted and would be lost."""
        if force:
            return memory.show(self.detach().resolve_conj().resolve_neg()._array)
        if self.requires_grad and modes.state.grad_enabled:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        if is_conjugate(self):
            raise RuntimeError(
                "Can't call numpy() on Tensor that has conjugate bit set. Use tensor.resolve_conj().numpy() instead."
            )
        if self._negated:
            raise RuntimeError(
                "Can't call numpy() on Tensor that has negative bit set. Use tensor.resolve_neg().numpy() instead."
            )
        if self._array.dtype.isbuiltin == 2:
            raise TypeError(f"Got unsupported ScalarType {self.dtype.scalar_name}")
        return memory.show(self._array)

    def __array__(self, dtype: Any = None, *, copy: bool | None = None) -> np.ndarray[Any, Any]:
        array = self.numpy()
        if dtype is not None and np.dtype(dtype) != array.dtype:
            return array.astype(dtype)
        return array.copy("K") if copy else array

    def __array_wrap__(self, array: np.ndarray[Any, Any], context: Any = None, return_scalar: bool = False) -> Tensor:
        if array.dtype == bool:
            array = array.astype(np.uint8)
        return wrap(np.asarray(array))

    def __dlpack__(self, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: Any = None) -> Any:
        if self.requires_grad:
            raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
        if self.layout is not strided:
            raise BufferError("Can't export tensors with layout other than torch.strided")
        if stream is not None and type(stream) is not int:
            raise TypeError("stream must be ``int`` or ``none``")
        if stream is not None:
            raise AssertionError("stream should be None on cpu.")
        if is_conjugate(self):
            raise BufferError("Can't export tensors with the conjugate bit set")
        return dlpack.capsule_of(self._array, max_version)

    def __dlpack_device__(self) -> tuple[int, int]:
        return dlpack.DLDeviceType.kDLCPU, 0

    # Subclasses.

    def as_subclass(self, cls: type) -> Any:
        """This tensor as an instance of a subclass, sharing memory and history."""
        recorded = (self._needs_grad or self._base is not None) and self.requires_grad and modes.state.grad_enabled
        whole = self._alias() if recorded else self
        if not isinstance(cls, type):
            raise TypeError(f"cls must be a type (got {type(cls).__name__})")
        if not issubclass(cls, Tensor):
            raise TypeError(
                "Creating a Tensor subclass from a class that does not inherit from Tensor is not possible. Make sure your class "
                "inherits from Tensor."
            )
        result: Any = object.__new__(cls)
        has = held(whole)
        for name in _SHARED:
            if name in has:
                object.__setattr__(result, name, has[name])  # its own __dict__ stays unasked: see lay_out_attributes
        if cls not in PLAIN:
            modes.instance_made()
        return result

    @staticmethod
    def _make_subclass(cls: type, data: Tensor, require_grad: bool = False, *unused: Any) -> Tensor:
        """A leaf of a subclass over the memory of ``data``."""
        result = data.detach().as_subclass(cls)
        if require_grad and result._inference and not modes.state.inference:
            raise RuntimeError(GRAD_OF_INFERENCE)
        result._needs_grad = bool(require_grad)
        return result


def _python_number(array: np.ndarray[Any, Any]) -> Any:
    return array.astype(np.float32).item() if array.dtype.kind == "V" else array.item()
