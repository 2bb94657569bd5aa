"""The meta device: tensors with a shape, strides, a dtype and a history, and no numbers.

What stands for the array of such a tensor is a :class:`Nothing`. An op on them runs once on zeros that lie as they would, and what
its result is like becomes the result: so every op gives what it gives on the CPU, the errors for shapes included, and needs no rule
of its own. Pointwise ops on large tensors run on two places of each dimension instead. While a meta tensor lives, ops take their
general path; while none does, nobody is asked.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..autograd import grad_mode, modes, views
from ..autograd.interpreters import BELOW, Answer, Args, Function, Interpreter, Named, stack
from ..autograd.write_errors import check_output
from ..backend.nothing import NoData, Nothing, Shape, outlined
from ..backend.numpy import address
from ..base.device import CPU, META, as_device
from ..base.device import device as Device
from ..base.pytree import tree_map
from ..base.strides import span
from ..ops import dispatch, promotion
from ..ops.operands import tensors_among
from ..ops.table import Op
from ..ops.table import tensors as ops
from ..random import get_rng_state, set_rng_state
from ..tensor import Tensor, new_tensor
from .arguments import checked_shape, shape_of

Array = np.ndarray[Any, Any]
Kind = np.dtype[Any]
Inputs = list[Any]


class _Alive(modes.Mark):
    """What the arrays of one memory share: while one lives, ops look for them."""

    __slots__ = ()

    def __init__(self) -> None:
        _watch()
        super().__init__(hidden=True)


def nothing_like(array: Array) -> Answer:
    """What stands for a new array that lies as ``array`` does."""
    return Nothing(outlined(array.shape, array.dtype, array.strides), _Alive(), span(array))


def nothing(shape: Shape, dtype: Kind) -> Answer:
    """What stands for a new array of a shape."""
    lines = outlined(shape, dtype)
    return Nothing(lines, _Alive(), lines.nbytes)


def is_meta(value: object) -> bool:
    """Whether a value is a tensor on the meta device."""
    return isinstance(value, Tensor) and isinstance(value._array, Nothing)


def on_meta(tensor: Tensor) -> Tensor:
    """A leaf on the meta device that is like ``tensor``."""
    made = new_tensor(nothing_like(tensor._array))
    made._needs_grad = tensor.requires_grad
    return made


def _any_meta(values: Sequence[object]) -> bool:
    return any(is_meta(value) for value in tensors_among(values))


def _stand_in(value: object) -> Answer:
    """A tensor of zeros where a meta tensor is."""
    if isinstance(value, Tensor):
        array: Answer = value._array
        return new_tensor(array.zeros()) if is_meta(value) else value
    if isinstance(value, (list, tuple)):
        return [_stand_in(one) for one in value]
    return value


_LARGE = 4096


def _computed(op: Op, inputs: Inputs, params: Args) -> Answer:
    """What the op's results are like, made of zeros: tensors, or a tuple of them."""
    if op.promote is not None and any(is_meta(one) and one._array.size > _LARGE for one in inputs):
        shapes = [one._array.shape for one in inputs if isinstance(one, Tensor)]
        shape = np.broadcast_shapes(*shapes)
        with grad_mode.no_grad():
            small = dispatch.run(op, (*[_corner(one) for one in inputs], *params), 1, ())
        return new_tensor(outlined(shape, small._array.dtype, _stretched(small._array, shape)))
    stand_ins = [_stand_in(value) for value in inputs]
    if op.name in _OF_REGULAR_MATRICES:
        for one in stand_ins:
            if isinstance(one, Tensor) and one._array.ndim > 1 and one._array.dtype.kind in "fc":
                one._array[..., range(min(one._array.shape[-2:])), range(min(one._array.shape[-2:]))] = 1
    with grad_mode.no_grad():
        return dispatch.run(op, (*stand_ins, *params), 1, ())


# What refuses a matrix of zeros gets ones on the diagonal.
_OF_REGULAR_MATRICES = frozenset(
    "inv solve cholesky cholesky_solve cholesky_inverse triangular_solve solve_triangular lu".split()
)


def _corner(value: object) -> Answer:
    """Of a tensor at most two places of each dimension, of zeros that lie in the same order."""
    if not isinstance(value, Tensor):
        return value
    array = value._array
    order = sorted(range(array.ndim), key=lambda axis: -abs(array.strides[axis]))
    small = np.zeros([min(array.shape[axis], 2) for axis in order], array.dtype)
    return new_tensor(small.transpose(np.argsort(order)) if array.ndim else small)


def _stretched(small: Array, shape: Shape) -> Shape:
    """The strides of an array of ``shape`` whose dimensions lie in the order of those of ``small``."""
    strides, step = [0] * len(shape), small.itemsize
    for axis in sorted(range(len(shape)), key=lambda axis: (abs(small.strides[axis]), -axis)):
        strides[axis] = step
        step *= max(shape[axis], 1)
    return tuple(strides)


def _result(op: Op, first: Answer, inputs: Inputs, array: Array) -> Nothing:
    if op.view and is_meta(first):
        source = first._array
        held = inputs[0]._array
        offset = address(array) - address(held) if array.size else 0
        return Nothing(
            outlined(array.shape, array.dtype, array.strides), source.memory, source.nbytes_of_memory, source.offset + offset
        )
    return nothing_like(array)


# Of those that are not pointwise, what takes no tensors on two devices.
_OF_ONE_DEVICE = frozenset("linear addmm addmv addbmm baddbmm concat stack".split())


def _check_devices(op: Op, inputs: Inputs) -> None:
    """PyTorch's error where a pointwise op meets tensors on two devices: one of no dimensions may be on the CPU."""
    if op.promote is None and op.name not in _OF_ONE_DEVICE:
        return
    found = list(tensors_among(inputs))
    first = next((one for one in found if is_meta(one) or one._array.ndim), found[0])
    for one in found:
        if one.device != first.device and (one._array.ndim or op.promote is None):
            raise RuntimeError(f"Tensor on device {one.device} is not on the expected device {first.device}!")


def _check_shapes(op: Op, inputs: Inputs) -> None:
    """The errors for shapes that PyTorch words otherwise on the meta device than on the CPU."""
    tensors = [one for one in inputs if isinstance(one, Tensor)]
    if op.promote is not None and len(tensors) > 1:
        known: list[int] = []
        for place, one in enumerate(tensors):
            for axis in range(-1, -one._array.ndim - 1, -1):
                length = one._array.shape[axis]
                if -axis > len(known):
                    known.append(length)
                elif known[-axis - 1] == 1:
                    known[-axis - 1] = length
                elif length not in (1, known[-axis - 1]):
                    raise RuntimeError(
                        f"Attempting to broadcast a dimension of length {length} at {axis}! Mismatching argument at index {place} "
                        f"had {one.shape}; but expected shape should be broadcastable to {known[::-1]}"
                    )
    if op.name in ("matmul", "mm") and [one._array.ndim for one in tensors] == [2, 2]:
        first, second = (list(one._array.shape) for one in tensors)
        if first[1] != second[0]:
            raise RuntimeError(f"a and b must have same reduction dim, but got {first} X {second}.")


class OnMeta(Interpreter):
    """Ops and calls that meta tensors take part in."""

    place = BELOW

    def op(self, op: Op, args: Args) -> Answer:
        count = len(op.inputs)
        inputs, params = list(args[:count]), args[count:]
        if not _any_meta(inputs):
            return NotImplemented
        _check_devices(op, inputs)
        _check_shapes(op, inputs)
        early = dispatch.packed_first(op, inputs)
        if op.view:
            held: Inputs = [new_tensor(inputs[0]._array.lines), *inputs[1:]]
            with grad_mode.no_grad():
                made = dispatch.run(op, (*held, *params), 1, ())
        else:
            held = inputs
            made = _computed(op, inputs, params)
        several = len(op.outputs) > 1 or op.is_list
        out = [_result(op, inputs[0], held, one._array) for one in (made if several else [made])]
        arrays = [dispatch._array(value) for value in inputs]
        if op.promote is not None and any(isinstance(one, (bool, int, float, complex)) for one in arrays):
            dtype = promotion.common_dtype([value for value in inputs if value is not None]).numpy
            arrays = [
                promotion.number_array(one, dtype) if isinstance(one, (bool, int, float, complex)) else one for one in arrays
            ]
        return dispatch.finish(op, inputs, arrays, params, out if several else out[0], early)

    def write(self, function: Function, name: str, tensor: Tensor, args: Args, kwargs: Named) -> Answer:
        if not is_meta(tensor):
            if _any_meta((args, kwargs)):
                raise NoData
            return NotImplemented
        views.check_writable(tensor, any(getattr(value, "requires_grad", False) for value in args))
        values = [on_cpu_as_meta(one) for one in args]
        before = new_tensor(tensor._array)
        before._edge, before._needs_grad, before._counter = tensor._edge, tensor._needs_grad, list(tensor._counter)
        result = function(before, *values, **kwargs)
        if result._array.shape != tensor._array.shape:
            raise RuntimeError(f"output with shape {tensor.shape} doesn't match the broadcast shape {result._array.shape}")
        views.bump(tensor, name)
        if result._edge is not None and tensor._base is None:
            tensor._edge, tensor._needs_grad = result._edge, True
        return tensor

    def call(self, func: Function, args: Args, kwargs: Named) -> Answer:
        if not _any_meta((args, kwargs)):
            return NotImplemented
        name = getattr(func, "__name__", "")
        if name in _LIKE and kwargs.get("device") is None and is_meta(args[0] if args else kwargs.get("input")):
            kwargs = {**kwargs, "device": META}
        own = _CALLS.get(name)
        if own is not None:
            result = own(*args, **kwargs)
            if result is not NotImplemented:
                return result
        if name in _WITHOUT_SHAPE:
            raise NotImplementedError(
                f"aten::{_WITHOUT_SHAPE[name]}: attempted to run this operator with Meta tensors, but there was no fake impl or "
                "Meta kernel registered. You may have run into this message while using an operator with PT2 compilation APIs "
                "(torch.compile/torch.export); in order to use this operator with those APIs you'll need to add a fake impl. "
                "Please see the following for next steps:  https://pytorch.org/tutorials/advanced/custom_ops_landing_page.html"
            )
        try:
            result = stack.go_on(BELOW, func, args, kwargs)
        except NoData:
            if name.startswith("__"):
                raise
            return _of_zeros(func, args, kwargs)
        return result if kwargs.get("device") is not None else _all_on_meta(result, args)

    def wants_tensors(self, values: Sequence[object]) -> Answer:
        return _any_meta(values) or NotImplemented

    def ones(self, output: Tensor) -> Answer:
        return new_tensor(nothing(output._array.shape, output._array.dtype)) if is_meta(output) else NotImplemented


def _all_on_meta(result: Answer, args: Args) -> Answer:
    """A result, or results, of which those that were made of shapes alone are on the meta device, too."""
    if isinstance(result, Tensor):
        return result if is_meta(result) or any(result is one for one in args) else on_meta(result)
    if result.__class__ in (tuple, list):
        return type(result)(_all_on_meta(one, args) for one in result)
    return result


def on_cpu_as_meta(value: object) -> Answer:
    """A tensor on the CPU as what is written into a meta tensor: nothing of it arrives."""
    return on_meta(value.detach()) if isinstance(value, Tensor) and not is_meta(value) and value._array.ndim else value


@contextmanager
def undrawn() -> Iterator[None]:
    """What random numbers are drawn within it are not missed after it."""
    before = get_rng_state()
    try:
        with CPU:
            yield
    finally:
        set_rng_state(before)


def _of_zeros(func: Function, args: Args, kwargs: Named) -> Answer:
    """What a call gives that reads numbers to find its shapes, made of zeros (of chances: of ones). It is not recorded."""
    stand_ins, named = tree_map(_stand_in, (args, kwargs))
    if func.__name__ == "multinomial":
        for one in tensors_among((stand_ins, named)):
            one._array.fill(1)
    with grad_mode.no_grad(), undrawn():
        result = func(*stand_ins, **named)
    return tree_map(lambda value: on_meta(value) if isinstance(value, Tensor) else value, result)


# What reads numbers, and raises PyTorch's errors for it.


def _item(self: Tensor) -> Answer:
    if self._array.size != 1:
        return NotImplemented
    raise RuntimeError("Tensor.item() cannot be called on meta tensors")


def _numpy(self: Tensor, *args: object, **kwargs: object) -> Answer:
    raise TypeError("can't convert meta device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory first.")


def _nonzero(*args: object, **kwargs: object) -> Answer:
    raise NotImplementedError(
        "The register_meta function for torch.nonzero() raises unimplemented by default, as a correct data-independent "
        "implementation does not exist. This implementation returns a fake value, assuming all elements of the tensor are "
        "non-zero. To enable this registration, please set 'torch.fx.experimental._config.meta_nonzero_assume_all_nonzero' to "
        "True."
    )


def _allclose(*args: object, **kwargs: object) -> Answer:
    raise RuntimeError("Tensor.item() cannot be called on meta tensors")


def _refuse(*args: object, **kwargs: object) -> Answer:
    raise NoData


def _getitem(self: Tensor, index: object) -> Answer:
    masks = [one for one in (index if isinstance(index, tuple) else (index,)) if is_meta(one)]
    return _nonzero() if any(one._array.dtype.kind == "b" or one._array.dtype == np.uint8 for one in masks) else NotImplemented


def _where(*args: object, **kwargs: object) -> Answer:
    return _nonzero() if len(args) + len(kwargs) == 1 else NotImplemented


def _written(self: Tensor, *args: object, **kwargs: object) -> Answer:
    """A write whose values nobody will see."""
    if not is_meta(self):
        return NotImplemented
    views.check_writable(self)
    views.bump(self, "fill_")
    return self


def _copy_(self: Tensor, other: object, non_blocking: bool = False) -> Answer:
    if not is_meta(self):
        raise NoData
    if not isinstance(other, Tensor):
        return _written(self)
    check_output(self._array.shape, other._array.shape)
    views.check_writable(self, other.requires_grad)
    if modes.state.grad_enabled and (other.requires_grad or self.requires_grad):
        return OnMeta().write(ops.copy, "copy_", self, (other,), {})
    views.bump(self, "copy_")
    return self


def _setitem(self: Tensor, index: object, value: object) -> Answer:
    if not is_meta(self):
        raise NoData
    views.check_writable(self)
    views.bump(self, "copy_")
    return None


def _module_load(self: Tensor, other: Tensor, assign: bool = False) -> Answer:
    return other.detach() if assign else NotImplemented


def _data_ptr(self: Tensor) -> int:
    return 0


def _storage_offset(self: Tensor) -> int:
    array: Answer = self._array
    return int(array.offset // array.itemsize)


def _resize_(self: Tensor, *sizes: object, memory_format: object = None) -> Tensor:
    self._array = nothing(checked_shape("resize_", shape_of("resize_", sizes)), self._array.dtype)
    views.bump(self, "resize_")
    return self


def _to(self: Tensor, *args: object, **kwargs: object) -> Answer:
    wanted = kwargs.get("device", kwargs.get("other", kwargs.get("tensor", args[0] if args else None)))
    if isinstance(wanted, Tensor):
        rest = {name: value for name, value in kwargs.items() if name in ("copy", "non_blocking")}
        return self.to(wanted.device, wanted.dtype, **rest)
    if is_meta(self) and isinstance(wanted, (str, Device)) and as_device(wanted).type == "cpu":
        raise NoData
    return NotImplemented


def _type(self: Tensor, dtype: object = None, non_blocking: bool = False) -> Answer:
    return self.dtype.type_name.replace("torch.", "torch.meta.", 1) if dtype is None else NotImplemented


_ITEM = dict.fromkeys("item __float__ __int__ __bool__ __index__ __complex__ is_nonzero".split(), _item)
_RANDOM = dict.fromkeys(
    "normal_ uniform_ bernoulli_ exponential_ cauchy_ geometric_ log_normal_ random_ zero_ fill_".split(), _written
)
_CALLS: dict[str, Function] = {
    **_ITEM,
    **_RANDOM,
    "tolist": _refuse,
    "numpy": _numpy,
    "__array__": _numpy,
    "nonzero": _nonzero,
    "argwhere": _nonzero,
    "where": _where,
    "allclose": _allclose,
    "__getitem__": _getitem,
    "__setitem__": _setitem,
    "copy_": _copy_,
    "data_ptr": _data_ptr,
    "module_load": _module_load,
    "storage_offset": _storage_offset,
    "resize_": _resize_,
    "cpu": _refuse,
    "to": _to,
    "type": _type,
}
_WITHOUT_SHAPE = {
    "equal": "equal",
    "unique": "_unique2",
    "bincount": "bincount",
    "unique_consecutive": "unique_consecutive",
    "masked_select": "masked_select",
}
_LIKE = frozenset(
    "zeros_like ones_like empty_like full_like rand_like randn_like randint_like new_empty new_zeros new_ones new_full new_tensor "
    "new_empty_strided".split()
)


_watching = False
_lock = threading.Lock()


def _watch() -> None:
    """Has ops look for meta tensors, from the first one on."""
    global _watching
    with _lock:
        if not _watching:
            _watching = True
            stack.put(OnMeta())
