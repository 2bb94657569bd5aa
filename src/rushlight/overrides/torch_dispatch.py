"""``__torch_dispatch__``: classes and modes that take over the ops below autograd.

A subclass of Tensor that defines ``__torch_dispatch__(func, types, args, kwargs)`` gets every op on its instances, ``func``
being an overload of ``torch.ops.aten``; autograd has its place above: it records the op whatever the class makes of it, and a
backward pass is read over Tensors, so that its ops go to the class as well. A :class:`TorchDispatchMode` gets all ops within its
block.

A tensor of :func:`make_wrapper` has a shape and a dtype and no memory: where its array would be stands an :class:`Outline`.
"""

from __future__ import annotations

import copyreg
import math
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar
from weakref import WeakSet

import numpy as np

from ..autograd import modes, views
from ..autograd.interpreters import BELOW, Answer, Args, Function, Interpreter, Named, stack
from ..autograd.topological_order import count_dependencies
from ..base import dtypes
from ..base.arguments import NUMBERS, is_own
from ..base.attributes import OWN_ATTRIBUTES, held
from ..base.strides import dense, span
from ..base.thread_state import carried
from ..ops import asking, dispatch, promotion
from ..ops.operands import tensors_among
from ..ops.table import Op
from ..tensor import PLAIN, Tensor, wrap
from .overloads import aten, inplace_overload, overload_of, without_defaults

__all__ = ["TorchDispatchMode", "is_traceable_wrapper_subclass", "make_wrapper", "no_dispatch"]


class _State(threading.local):
    def __init__(self) -> None:
        self.modes: tuple[Any, ...] = ()
        self.mark: modes.Mark | None = None
        self.off = False
        self.outer_grad: bool | None = None  # while a handler runs: whether ops were recorded around it


_state = carried(_State())


class _Flags:
    writeable = True

    def __init__(self, contiguous: bool) -> None:
        self.c_contiguous = self.forc = contiguous
        self.f_contiguous = False


class Outline(np.lib.mixins.NDArrayOperatorsMixin):
    """What stands for the array of a tensor without memory; its numbers, where code wants them, come from the tensor's
    class."""

    __slots__ = (
        "base",
        "dtype",
        "extent",
        "flags",
        "itemsize",
        "nbytes",
        "ndim",
        "offset",
        "owner",
        "shape",
        "size",
        "strides",
    )

    def __init__(
        self, shape: tuple[int, ...], dtype: np.dtype[Any], strides: tuple[int, ...] | None = None, offset: int = 0
    ) -> None:
        self.shape, self.dtype, self.ndim, self.itemsize = shape, dtype, len(shape), dtype.itemsize
        self.size = math.prod(shape)
        self.nbytes = self.size * dtype.itemsize
        natural = dense(shape, dtype.itemsize)
        self.strides = natural if strides is None else tuple(step * dtype.itemsize for step in strides)
        self.flags, self.base, self.offset = _Flags(self.strides == natural), None, offset
        self.owner: Any = None
        self.extent = span(self) + offset * dtype.itemsize if self.size else 0  # bytes of the memory that it says it lies in

    __hash__ = object.__hash__

    def item(self) -> Any:
        return asked(aten._local_scalar_dense.default, (self.owner,))

    def as_tensor(self) -> Any:
        """A further tensor of what this stands for: the class's own attributes are shared."""
        owner = self.owner
        made = object.__new__(type(owner))
        for key, value in held(owner).items():
            if key not in OWN_ATTRIBUTES:
                held(made)[key] = value
        for name in copyreg._slotnames(type(owner)):  # type: ignore[attr-defined]
            if hasattr(owner, name):
                setattr(made, name, getattr(owner, name))
        made._array, made._counter = self, [0]
        return made

    def numbers(self) -> np.ndarray[Any, Any]:
        """The numbers, asked for one by one."""
        found = np.empty(self.shape, self.dtype)
        for place in np.ndindex(self.shape):
            element = self.owner
            for index in place:
                element = asked(aten.select.int, (element, 0, index)) if _kinds((element,)) else element[index]
            found[place] = asked(aten._local_scalar_dense.default, (element,)) if _kinds((element,)) else element.item()
        return found

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.numbers(), name)

    def __getitem__(self, index: Any) -> Any:
        return self.numbers()[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        numbers = self.numbers()
        numbers[index] = value
        asked(aten.copy_.default, (self.owner, wrap(numbers)))

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        return getattr(ufunc, method)(*(_numbers(one) for one in inputs), **kwargs)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self.numbers() if dtype is None else self.numbers().astype(dtype)

    def __array_function__(self, func: Any, types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if func is np.copyto:
            target, source = args[:2]
            if isinstance(target, Outline):  # all writes into tensors come this way
                value = source.owner if isinstance(source, Outline) else wrap(np.asarray(source))
                return asked(aten.copy_.default, (target.owner, value))
        if func in (np.zeros_like, np.ones_like, np.empty_like):
            make = {np.zeros_like: np.zeros, np.ones_like: np.ones, np.empty_like: np.empty}[func]
            return make(self.shape, kwargs.get("dtype", self.dtype))
        return func(*(_numbers(one) for one in args), **kwargs)


def _numbers(value: Any) -> Any:
    return value.numbers() if isinstance(value, Outline) else value


# Tensors without memory.


def make_wrapper(
    cls: type,
    size: Sequence[int],
    strides: Sequence[int] | None = None,
    storage_offset: int | None = None,
    memory_format: Any = None,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    dispatch_sizes_strides_policy: str | None = None,
    dispatch_device: bool = False,
    dispatch_layout: bool = False,
    _extra_dispatch_keys: Any = None,
    storage_size: Any = None,
) -> Any:
    """``Tensor._make_wrapper_subclass``: an instance of ``cls`` with a shape and no memory. RuntimeError where the class has
    no ``__torch_dispatch__`` to say what ops on it are."""
    if handler(cls) is None:
        raise RuntimeError(f"Trying to make a wrapper of class {cls.__name__}, which does not define __torch_dispatch__")
    watch()
    made = _instance(cls)
    outline = Outline(
        tuple(int(one) for one in size),
        (dtypes.get_default_dtype() if dtype is None else dtype).numpy,
        None if strides is None else tuple(int(one) for one in strides),
        int(storage_offset or 0),
    )
    outline.owner = made
    if storage_size is not None:
        outline.extent = int(storage_size)
    made._array, made._counter = outline, [0]
    made._needs_grad = bool(requires_grad)
    return made


def _instance(cls: type) -> Any:
    modes.instance_made()
    return object.__new__(cls)


def is_traceable_wrapper_subclass(t: Any) -> bool:
    """Whether a tensor is of a class that can be taken apart (``__tensor_flatten__``) and put together again."""
    return isinstance(t, Tensor) and hasattr(t, "__tensor_flatten__") and hasattr(t, "__tensor_unflatten__")


# Who is asked.


_Made = TypeVar("_Made")


def return_and_correct_aliasing(func: object, args: Sequence[_Made], kwargs: dict[str, _Made], out: _Made) -> _Made:
    """What a class's ``__torch_dispatch__`` answers: the tensor that was written where ``func`` writes, else ``out``.

    >>> import rushlight as torch
    >>> from rushlight.utils._python_dispatch import return_and_correct_aliasing
    >>> return_and_correct_aliasing(torch.ops.aten.add_.Tensor, ("written", 1), {}, "fresh")
    'written'
    """
    name = str(func).split(".")[1]
    if name[-1] == "_" != name[-2]:
        return args[0]
    return kwargs.get("out", out)


def handler(kind: type) -> Any:
    """The ``__torch_dispatch__`` of a class, or None."""
    if kind in PLAIN:
        return None
    found = getattr(kind, "__torch_dispatch__", None)
    return None if found is _disabled_torch_dispatch_impl else found


def _disabled_torch_dispatch_impl(func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
    """As ``__torch_dispatch__`` of a subclass: its instances are as any other tensors."""
    with no_dispatch():
        return func(*args, **(kwargs or {}))


def _kinds(values: Sequence[Any]) -> tuple[type, ...]:
    kinds = dict.fromkeys(type(one) for one in tensors_among(values))
    return tuple(kind for kind in kinds if handler(kind) is not None)


def takes_part(values: Sequence[Any]) -> bool:
    """Whether ops on these go to a class or a mode: then a backward pass is read over Tensors."""
    return not _state.off and (bool(_state.modes) or bool(_kinds(values)))


def asked(func: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> Any:
    """What the mode around, or else the classes of the arguments, make of an op; below autograd."""
    kinds = _kinds(args)
    before, mark, grad_enabled = _state.modes, _state.mark, modes.state.grad_enabled
    outer, _state.outer_grad = _state.outer_grad, grad_enabled
    modes.state.grad_enabled = False
    try:
        if before:
            _state.modes = before[:-1]
            result = before[-1].__torch_dispatch__(func, kinds, args, kwargs or {})
            if result is not NotImplemented:
                return result
        for kind in sorted(kinds, key=lambda one: -len(one.__mro__)):
            result = handler(kind)(func, kinds, args, kwargs or {})
            if result is not NotImplemented:
                return result
    finally:
        _state.modes, _state.mark, modes.state.grad_enabled, _state.outer_grad = before, mark, grad_enabled, outer
    raise TypeError(
        f"Multiple dispatch failed for '{func}'; all __torch_dispatch__ handlers returned NotImplemented:\n\n"
        + "\n".join(f"  - tensor subclass {kind}" for kind in kinds)
    )


class BelowAutograd(Interpreter):
    """Classes and modes that take over the ops below autograd."""

    place = BELOW

    def __init__(self) -> None:
        # Nodes of custom functions that have had wrappers: what those made, a plain tensor maybe, leads back to these.
        self.custom: WeakSet[type] = WeakSet()

    def function(self, cls: Any, args: Args, kwargs: Named) -> Answer:
        if any(isinstance(one._array, Outline) for one in tensors_among(args)):
            self.custom.add(cls._backward_cls)
        return NotImplemented

    def op(self, op: Op, args: Args) -> Answer:
        return _taken_over(op, args)

    def write(self, function: Function, name: str, tensor: Tensor, args: Args, kwargs: Named) -> Answer:
        return _write_below(name, tensor, args, kwargs)

    def creation(self, function: Function, args: Args, kwargs: Named) -> Answer:
        return _created(function, args, kwargs)

    def detached(self, tensor: Tensor) -> Answer:
        return asked(aten.detach.default, (tensor,)) if takes_part([tensor]) else NotImplemented

    def detaching(self, tensor: Tensor) -> Answer:
        caller: Any = sys._getframe(2)
        while caller.f_code.co_filename == asking.__file__:  # which asks before the method
            caller = caller.f_back
        return NotImplemented if is_own[caller.f_code.co_filename] else self.detached(tensor)

    def ones(self, output: Tensor) -> Answer:
        return asked(aten.ones_like.default, (output,)) if takes_part([output]) else NotImplemented

    def wants_tensors(self, values: Sequence[Any]) -> Answer:
        return takes_part(values) or (bool(self.custom) and self._leads_to_wrappers(values)) or NotImplemented

    def _leads_to_wrappers(self, values: Sequence[Any]) -> bool:
        """Whether a graph has nodes of custom functions that have been given wrappers."""
        roots = [value._edge for value in values if isinstance(value, Tensor) and value._edge is not None]
        return any(type(node) in self.custom for node in count_dependencies(roots, None))

    def outer_grad_mode(self) -> Answer:
        """Within a handler, whether ops were recorded around it."""
        return NotImplemented if _state.outer_grad is None else _state.outer_grad


def _taken_over(op: Op, args: tuple[Any, ...]) -> Any:
    if _state.off or not (_state.modes or _kinds(args)):
        return NotImplemented
    count = len(op.inputs)
    inputs, params = list(args[:count]), args[count:]
    func = overload_of(op, args)
    early = dispatch.packed_first(op, inputs)
    if func is aten._to_copy.default and params[1:] in ((), ("preserve_format",)):
        result = asked(func, tuple(inputs), {"dtype": dtypes.of(params[0])})
    else:
        result = asked(func, without_defaults(op, args))
    if not modes.state.grad_enabled and not op.view:
        return result
    outs = result if isinstance(result, (tuple, list)) else (result,)
    taken = list(tensors_among(args))
    fresh = [one.detach() if one._edge is not None or any(one is other for other in taken) else one for one in outs]
    if op.view:
        for one in fresh:
            if isinstance(inputs[0]._array, Outline) and one._base is None:
                views.mark_view(one, inputs[0], len(fresh) > 1)
            elif modes.state.grad_enabled and one._made == "no_grad":  # the handler's mode, which is not that of the caller
                one._made = "several" if len(fresh) > 1 else inputs[0]._made
    arrays = [dispatch._array(value) for value in inputs]
    if op.promote is not None and any(isinstance(one, NUMBERS) for one in arrays):
        dtype = promotion.common_dtype([value for value in inputs if value is not None]).numpy
        arrays = [promotion.number_array(one, dtype) if isinstance(one, NUMBERS) else one for one in arrays]
    dispatch.record(op, inputs, arrays, params, fresh, early)
    return tuple(fresh) if isinstance(result, (tuple, list)) else fresh[0]


def _write_below(name: str, self: Tensor, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What is made of an in-place op that is not recorded; NotImplemented where nobody asks, or where it is."""
    values = (self, *args, *kwargs.values())
    if not takes_part(values) or (modes.state.grad_enabled and any(one.requires_grad for one in tensors_among(values))):
        return NotImplemented
    views.check_writable(self)
    asked(inplace_overload(name, args), (self, *args), kwargs)
    if isinstance(self._array, Outline):
        views.bump(self, name)
    return self


# The functions that make tensors, and which overload each is.
_CREATION = dict.fromkeys(
    "arange empty_like eye full full_like linspace logspace new_empty new_full new_ones new_zeros ones ones_like rand rand_like "
    "randint randint_like randn randn_like randperm zeros zeros_like".split(),
    "default",
) | {"empty": "memory_format", "tensor": "lift_fresh"}


def _created(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What modes make of a function that makes tensors, below autograd; NotImplemented where nobody asks."""
    overload = _CREATION.get(function.__name__)
    if overload is None or not takes_part(args):
        return NotImplemented
    if overload == "lift_fresh":  # of data: made first, then shown
        with no_dispatch():
            made = function(*args, **kwargs)
        return asked(aten.lift_fresh.default, (made,)).requires_grad_(made.requires_grad)
    options = {key: value for key, value in kwargs.items() if key != "requires_grad"}
    made = asked(aten._packet(function.__name__).overload(overload), args, options)
    return made.requires_grad_() if kwargs.get("requires_grad") else made


_watching = False
_lock = threading.Lock()


def watch() -> None:
    """Has every op look for classes and modes; called when the first of them comes up."""
    global _watching
    with _lock:
        if _watching:
            return
        _watching = True
    stack.put(BelowAutograd())


# Modes.


class TorchDispatchMode:
    """Within a ``with`` block of a subclass, ``__torch_dispatch__(func, types, args, kwargs)`` is asked about every op; ops that
    it calls itself go to the mode around it.

    >>> import rushlight as torch
    >>> from rushlight.utils._python_dispatch import TorchDispatchMode
    >>> class Names(TorchDispatchMode):
    ...     def __torch_dispatch__(self, func, types, args=(), kwargs=None):
    ...         print(func)
    ...         return func(*args, **(kwargs or {}))
    >>> with Names():
    ...     _ = torch.ones(2).sin() * 3
    aten.ones.default
    aten.sin.default
    aten.mul.Tensor
    """

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
        raise NotImplementedError

    def __enter__(self) -> Any:
        watch()
        mark = modes.marked(_state.mark, True, hidden=True)
        _state.modes, _state.mark = (*_state.modes, self), mark
        return self

    def __exit__(self, *error: object) -> None:
        rest = _state.modes[:-1]
        _state.modes, _state.mark = rest, _state.mark if rest else None

    @classmethod
    def push(cls, *args: Any, **kwargs: Any) -> Any:
        return cls(*args, **kwargs)


def current_mode() -> Any:
    """The innermost mode, or None."""
    return _state.modes[-1] if _state.modes else None


@contextmanager
def no_dispatch() -> Iterator[None]:
    """Within it, neither classes nor modes are asked.

    >>> from rushlight.utils._mode_utils import no_dispatch
    >>> with no_dispatch():
    ...     pass
    """
    before, _state.off = _state.off, True
    try:
        yield
    finally:
        _state.off = before
