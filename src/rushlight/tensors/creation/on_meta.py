"""Functions that make tensors, where they are asked for on the meta device (tensors/meta.py)."""

from __future__ import annotations

from ...autograd.interpreters import Answer, Args, Function, Interpreter, Named, stack
from ...base import dtypes
from ...base.device import CPU
from ...ops.table import tensors as ops
from ...tensor import Tensor, new_tensor
from ..arguments import checked_shape, options, shape_of
from ..meta import is_meta, nothing, nothing_like, on_meta, undrawn


class Creation(Interpreter):
    """Functions that make tensors, where they are asked for on the meta device."""

    def elsewhere(self, function: Function, args: Args, kwargs: Named) -> Answer:
        name = function.__name__
        if name == "to":
            return _moved(*args, **kwargs)
        if name in _OF_SIZES and kwargs.get("out") is None and kwargs.get("memory_format") is None:
            return _of_sizes(name, *args, **kwargs)
        with undrawn():
            made = function(*args, **{**kwargs, "device": CPU})
        return on_meta(made)


_OF_SIZES = frozenset("empty zeros ones rand randn".split())


def _of_sizes(
    name: str, *sizes: object, size: object = None, dtype: object = None, requires_grad: bool = False, **rest: object
) -> Tensor:
    kind = options(name, dtype, rest.get("layout"), CPU, requires_grad)
    wanted = shape_of(name, sizes, size)
    made = new_tensor(nothing(checked_shape(name, wanted, one=wanted is sizes), kind))
    made._needs_grad = bool(requires_grad)
    return made


def _moved(self: Tensor, *args: object, **kwargs: object) -> Tensor:
    """``tensor.to("meta", ...)``."""
    kwargs.pop("device", None)
    rest = args[1:] if args and not isinstance(args[0], dtypes.dtype) else args
    converted = self.to(*rest, **kwargs) if rest or kwargs else self
    if is_meta(converted):
        return converted
    result = ops.copy(new_tensor(nothing_like(converted._array)), converted) if converted.requires_grad else on_meta(converted)
    return result


stack.put(Creation())
