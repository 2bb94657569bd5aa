"""How calls become events while a profiler is on: public functions, ops of the table, custom Functions.

Nothing of this is there while no profiler is: the first to start puts it in, the last to stop takes it out.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterable
from time import perf_counter_ns
from typing import Any

import numpy as np

from ..autograd import interpreters
from ..autograd.interpreters import Answer, Args, Function, Named
from ..autograd.modes import Mark, state
from ..autograd.profiled_pass import ProfiledPass
from ..autograd.recorder import Recorder, Span, coming_sequence
from ..backend import numpy as backend
from ..ops.interceptors import run_below
from ..overrides.torch_function import property_read
from ..tensor import Tensor
from .names import FACTORIES, name_of_function, name_of_op, name_of_transpose, operator_of_node

__all__ = ["start", "stop"]

_lock = threading.Lock()
_running: list[Mark] = []  # one for each recorder that is on


def start(recorder: Recorder) -> None:
    """Has what this thread does noted by ``recorder``."""
    with _lock:
        if not _running:
            interpreters.stack.put(_profiler)
        _running.append(Mark(hidden=True))
    state.recorder = recorder


def stop(recorder: Recorder, before: Recorder | None = None) -> None:
    """Ends what :func:`start` began; ``before``, if any, goes on."""
    state.recorder = before
    recorder.finish()
    with _lock:
        _running.pop()
        if not _running:
            interpreters.stack.take(_profiler)


class Profiler(interpreters.Interpreter):
    """What sees ops, custom Functions and passes of the threads that have a recorder."""

    place = interpreters.PROFILES

    def call(self, func: Function, args: Args, kwargs: Named) -> Answer:
        """A call of a public function or a method, if that is an event."""
        recorder: Recorder | None = state.recorder
        name = None if recorder is None else _name(func, args, kwargs)
        if recorder is None or name is None:
            return NotImplemented
        top = recorder.top
        if top is not None and top.first and top.name == name:  # the same call, by the function behind the method
            return NotImplemented
        has_tensors = any(isinstance(one, Tensor) for value in args for one in (value if isinstance(value, list) else (value,)))
        span = recorder.open(name, sequence=coming_sequence() if has_tensors else -1)
        try:
            _describe(recorder, span, args, kwargs)
            span.start = perf_counter_ns()
            result = interpreters.stack.go_on(interpreters.PROFILES, func, args, kwargs)
            span.end = perf_counter_ns()
            if name in FACTORIES:  # the memory is that of an event within, as in PyTorch
                with recorder.span("aten::empty") as empty:
                    _count(recorder, args, result)
                empty.start = empty.end = span.start
            elif result is not NotImplemented:
                _count(recorder, args, result)
        except TypeError:  # of arguments that are not its: it has not begun
            if span.first:
                recorder.spans.remove(span)
            raise
        finally:
            recorder.close(span)
        if result is NotImplemented:  # an operator that leaves the matter to the other side
            recorder.spans.remove(span)
        return result

    def op(self, op: Any, args: Args) -> Answer:
        """An op of the table, which runs within the call it belongs to, or by itself."""
        recorder: Recorder | None = state.recorder
        if recorder is None:
            return NotImplemented
        name = name_of_op(op.name)
        top = recorder.top
        if top is not None and top.scope == 0 and not top.name.startswith("autograd::"):
            same = top.first and top.name in (name, name + "_")
            if same or name.startswith("rushlight::"):  # what the call itself is made of
                result = run_below(op, args, self)
                _count(recorder, args, result)
                return result
        span = recorder.open(name, sequence=coming_sequence())
        try:
            _describe(recorder, span, args)
            span.start = perf_counter_ns()
            result = run_below(op, args, self)
            span.end = perf_counter_ns()
            _count(recorder, args, result)
            return result
        finally:
            recorder.close(span)

    def function(self, cls: Any, args: Args, kwargs: Named) -> Answer:
        """A custom Function."""
        recorder: Recorder | None = state.recorder
        if recorder is None:
            return NotImplemented
        if recorder.passing:
            recorder.passing = False
            return NotImplemented
        span = recorder.open(cls.__name__, sequence=coming_sequence())
        try:
            _describe(recorder, span, args)
            recorder.passing = True
            return cls.apply(*args, **kwargs)
        finally:
            recorder.passing = False
            recorder.close(span)

    def backward_pass(self, keep_graph: bool, over_tensors: bool) -> Answer:
        return NotImplemented if state.recorder is None else ProfiledPass(keep_graph, over_tensors, operator_of_node)


_profiler = Profiler()


def _name(func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> str | None:
    """The operator that a call is of, which for some functions is a matter of their arguments."""
    read = property_read(func)
    name = name_of_transpose(read) if read else name_of_function(func)
    if name == "aten::contiguous" and args[0].is_contiguous(**kwargs):
        return None
    if name == "aten::split" and len(args) > 1 and isinstance(args[1], (list, tuple)):
        return "aten::split_with_sizes"
    if name == "aten::nonzero" and kwargs.get("as_tuple"):
        return "aten::nonzero_numpy"
    if name is not None and name.startswith("aten::max_pool") and kwargs.get("return_indices") is True:
        return name + "_with_indices"
    return name


def _count(recorder: Recorder, args: tuple[Any, ...], result: Any) -> None:
    """Counts the memory of results that is not that of an argument."""
    if recorder.with_memory:
        given = {id(root) for root in _roots(args)}
        for root in _roots(result if isinstance(result, (tuple, list)) else (result,)):
            if id(root) not in given:
                recorder.allocated(root)


def _roots(values: Iterable[Any]) -> list[np.ndarray[Any, Any]]:
    """The arrays that own the memory of the tensors among ``values``."""
    arrays = [value._array for value in values if isinstance(value, Tensor)]
    return [backend.root(array) for array in arrays if isinstance(array, np.ndarray)]


def _describe(recorder: Recorder, span: Span, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None) -> None:
    """Keeps the shapes of the inputs, and the arithmetic that they ask for."""
    if not recorder.with_shapes and not recorder.with_flops:
        return
    values = (*args, *kwargs.values()) if kwargs else args
    shapes = [list(value._array.shape) if isinstance(value, Tensor) else [] for value in values]
    if recorder.with_shapes:
        span.shapes = shapes
        span.concrete = [value if _is_number(value) else None for value in values]
    if recorder.with_flops:
        span.flops = _flops(span.name, shapes, args, kwargs or {})


def _is_number(value: Any) -> bool:
    """A number, or a list of numbers."""
    if isinstance(value, (list, tuple)):
        return all(isinstance(one, (bool, int, float)) for one in value)
    return isinstance(value, (bool, int, float))


def _flops(name: str, shapes: list[list[int]], args: tuple[Any, ...], kwargs: dict[str, Any]) -> int:
    """The multiplications and additions of products and convolutions, as PyTorch counts them."""
    sizes = [shape for shape in shapes if shape]
    if name in ("aten::mm", "aten::bmm") and len(sizes) == 2:
        return 2 * math.prod(sizes[0]) * sizes[1][-1]
    if name in ("aten::addmm", "aten::baddbmm") and len(sizes) == 3:
        return 2 * math.prod(sizes[1]) * sizes[2][-1]
    if name in ("aten::mul", "aten::add") and sizes:
        return math.prod(sizes[0])
    if name == "aten::conv2d" and len(sizes) > 1 and len(sizes[0]) == len(sizes[1]) == 4:
        return _convolution(shapes, {**dict(zip(("stride", "padding", "dilation"), args[3:6], strict=False)), **kwargs})
    return 0


def _convolution(shapes: list[list[int]], options: dict[str, Any]) -> int:
    batch, _, *sizes = shapes[0]
    outputs, per_group, *kernel = shapes[1]
    if isinstance(options.get("padding"), str):
        return 0
    stride, padding, dilation = (
        np.broadcast_to(options.get(name, usual), 2).tolist()
        for name, usual in (("stride", 1), ("padding", 0), ("dilation", 1))
    )
    places = [
        (size + 2 * pad - gap * (width - 1) - 1) // step + 1
        for size, pad, gap, width, step in zip(sizes, padding, dilation, kernel, stride, strict=True)
    ]
    return int(2 * batch * math.prod(places) * outputs * per_group * math.prod(kernel))
