"""Calling a module that has hooks, and hooks of all modules."""

from __future__ import annotations

import threading
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import rushlight as torch

from ...autograd.function import Function
from ...autograd.handles import RemovableHandle
from ...tensor import Tensor
from ...tensors.arguments import warn
from ...transforms import dynamic_layers
from ...transforms.custom_functions import without_setup_context

if TYPE_CHECKING:
    from .module import Module

any_global = False  # whether calls need more than forward: hooks of all modules, or a trace
hooked = False  # whether there have been hooks of all modules
forward_pre: OrderedDict[int, Any] = OrderedDict()
forward: OrderedDict[int, Any] = OrderedDict()
forward_with_kwargs: OrderedDict[int, bool] = OrderedDict()
forward_always: OrderedDict[int, bool] = OrderedDict()
backward: OrderedDict[int, Any] = OrderedDict()
backward_pre: OrderedDict[int, Any] = OrderedDict()
module_registration: OrderedDict[int, Any] = OrderedDict()
parameter_registration: OrderedDict[int, Any] = OrderedDict()
buffer_registration: OrderedDict[int, Any] = OrderedDict()
backward_is_full: bool | None = None
tracing = 0  # traces that run now, in all threads


class Trace(NamedTuple):
    """Who takes over the calls of modules in a thread, and what is read of their parameters, buffers and submodules."""

    call: Callable[[Module, tuple[Any, ...], dict[str, Any]], Any]
    read: Callable[[str, Any], Any]


class _State(threading.local):
    trace: Trace | None = None


_state = _State()
_lock = threading.Lock()


@contextmanager
def traced(call: Callable[[Module, tuple[Any, ...], dict[str, Any]], Any], read: Callable[[str, Any], Any]) -> Iterator[None]:
    """Within the block, in this thread, ``call(module, args, kwargs)`` stands for calls of modules, and ``read(name, value)`` for
    what is read of them. :func:`untraced` makes the call itself."""
    global tracing, any_global
    before, _state.trace = _state.trace, Trace(call, read)
    with _lock:
        tracing += 1
        any_global = True
    try:
        yield
    finally:
        _state.trace = before
        with _lock:
            tracing -= 1
            any_global = hooked or tracing > 0


def untraced(module: Module, *args: Any, **kwargs: Any) -> Any:
    """A call of a module within :func:`traced` that nobody takes over; the calls that it makes in turn are taken over."""
    return _with_hooks(module, args, kwargs)


def read(name: str, value: Any) -> Any:
    """What a module's parameter, buffer or submodule is read as while there are traces."""
    return value if _state.trace is None else _state.trace.read(name, value)


_ONE_KIND = "Cannot use both regular backward hooks and full backward hooks {}. Please use only one of them."


H = TypeVar("H")


def hooks_for(module: Module, kind: type[H], name: str, label: str = "name") -> list[tuple[int, H]]:
    """The hooks of a class before forward that are for the parameter of that name, which they have as ``label``; and their keys."""
    hooks = module._forward_pre_hooks.items()
    return [(key, hook) for key, hook in hooks if isinstance(hook, kind) and getattr(hook, label) == name]


def add(
    hooks: OrderedDict[int, Any],
    hook: Callable[..., Any],
    prepend: bool = False,
    marks: tuple[tuple[OrderedDict[int, bool], bool], ...] = (),
) -> RemovableHandle:
    """Registers a hook behind the others, or before them; ``marks`` are what else is to be noted of it, and whether."""
    handle = RemovableHandle(hooks, extra_dict=[noted for noted, _ in marks])
    hooks[handle.id] = hook
    for noted, is_so in marks:
        if is_so:
            noted[handle.id] = True
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


def check_kind(is_full: bool | None, wanted: bool, where: str) -> None:
    """RuntimeError where hooks of the other kind are registered."""
    if is_full is (not wanted):
        raise RuntimeError(_ONE_KIND.format(where))


def _add_global(
    hooks: OrderedDict[int, Any], hook: Callable[..., Any], marks: tuple[tuple[OrderedDict[int, bool], bool], ...] = ()
) -> RemovableHandle:
    global any_global, hooked
    any_global = hooked = True
    return add(hooks, hook, marks=marks)


def replace(name: str, hooks: object) -> None:
    """Puts other hooks of all modules in the place of those called ``name`` here: programs assign them, and assign them back."""
    global any_global, hooked
    any_global = hooked = True
    globals()[name] = hooks


def register_module_forward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """``hook(module, args)`` before the forward of every module."""
    return _add_global(forward_pre, hook)


def register_module_forward_hook(
    hook: Callable[..., Any], *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """``hook(module, args, output)`` after the forward of every module."""
    return _add_global(forward, hook, ((forward_with_kwargs, with_kwargs), (forward_always, always_call)))


def register_module_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """The old form: ``hook`` sees the gradients of the last operation of every module's forward only."""
    global backward_is_full
    check_kind(backward_is_full, False, "as a global Module hook")
    backward_is_full = False
    return _add_global(backward, hook)


def register_module_full_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """``hook(module, grad_input, grad_output)`` after the backward of every module."""
    global backward_is_full
    check_kind(backward_is_full, True, "as a global Module hook")
    backward_is_full = True
    return _add_global(backward, hook)


def register_module_full_backward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """``hook(module, grad_output)`` before the backward of every module."""
    return _add_global(backward_pre, hook)


def register_module_module_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """``hook(module, name, submodule)`` whenever a submodule is registered."""
    return add(module_registration, hook, False)


def register_module_parameter_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """``hook(module, name, param)`` whenever a parameter is registered."""
    return add(parameter_registration, hook, False)


def register_module_buffer_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """``hook(module, name, buffer)`` whenever a buffer is registered."""
    return add(buffer_registration, hook, False)


class _Call:
    """How far a call has come: what a hook to be called in any case is told."""

    __slots__ = ("args", "called", "kwargs", "result")

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.args, self.kwargs = args, kwargs
        self.result: Any = None
        self.called: set[int] = set()


def with_hooks(module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``module.forward`` between its hooks, or what a trace makes of the call."""
    return _with_hooks(module, args, kwargs) if _state.trace is None else _state.trace.call(module, args, kwargs)


def _with_hooks(module: Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    call = _Call(args, kwargs)
    try:
        return _between_hooks(module, call)
    except Exception:
        for hooks, always, kwarg_ids in (
            (forward, forward_always, forward_with_kwargs),
            (module._forward_hooks, module._forward_hooks_always_called, module._forward_hooks_with_kwargs),
        ):
            for number, hook in list(hooks.items()):
                if number in always and number not in call.called:
                    given = (call.args, call.kwargs) if number in kwarg_ids else (call.args,)
                    try:
                        new = hook(module, *given, call.result)
                        if new is not None:
                            call.result = new
                    except Exception as error:
                        warnings.warn(
                            "module forward hook with ``always_call=True`` raised an exception that was silenced as another "
                            f"error was raised in forward: {error}",
                            stacklevel=3,
                        )
        raise


def _between_hooks(module: Module, call: _Call) -> Any:
    for number, hook in (*forward_pre.items(), *module._forward_pre_hooks.items()):
        if number in module._forward_pre_hooks_with_kwargs:
            result = hook(module, call.args, call.kwargs)
            if result is not None:
                if not (isinstance(result, tuple) and len(result) == 2):
                    raise RuntimeError(
                        f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {result}."
                    )
                call.args, call.kwargs = result
        else:
            result = hook(module, call.args)
            if result is not None:
                call.args = result if isinstance(result, tuple) else (result,)
    full: list[Any] = []
    old: list[Any] = []
    (old if backward_is_full is False else full).extend(backward.values())
    (old if module._is_full_backward_hook is False else full).extend(module._backward_hooks.values())
    pre = [*backward_pre.values(), *module._backward_pre_hooks.values()]
    watch = BackwardWatch(module, full, pre) if full or pre else None
    if watch is not None:
        call.args = watch.inputs(call.args)
    call.result = module.forward(*call.args, **call.kwargs)
    for number, hook in (*forward.items(), *module._forward_hooks.items()):
        if number in forward_always or number in module._forward_hooks_always_called:
            call.called.add(number)
        if number in forward_with_kwargs or number in module._forward_hooks_with_kwargs:
            new = hook(module, call.args, call.kwargs, call.result)
        else:
            new = hook(module, call.args, call.result)
        if new is not None:
            call.result = new
    result = call.result
    if watch is not None:
        if not isinstance(result, (Tensor, tuple)):
            warnings.warn(
                "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors but received "
                f"{type(result)}",
                stacklevel=4,
            )
        result = watch.outputs(result)
    if old:
        tensor = result
        while not isinstance(tensor, Tensor):
            tensor = next(iter(tensor.values() if isinstance(tensor, dict) else tensor))
        if tensor.grad_fn is not None:
            for hook in old:
                tensor.grad_fn.register_hook(lambda grads, outs, hook=hook: hook(module, grads, outs))
            reason = _what_old_hooks_miss(call.args, result, tensor.grad_fn)
            if reason is not None:
                warnings.warn(
                    f"Using {reason}. Please use register_full_backward_hook to get the documented behavior.",
                    FutureWarning,
                    stacklevel=4,
                )
    return result


_GOES = "is deprecated and will be removed in future versions. This hook will be missing"


def _what_old_hooks_miss(args: tuple[Any, ...], result: Any, node: Any) -> str | None:
    """Why the gradients of one operation are not those of the module; None where they are."""
    outputs = (result,) if isinstance(result, Tensor) else result
    if not isinstance(outputs, tuple) or not all(isinstance(each, Tensor) for each in outputs):
        return (
            "non-full backward hooks on a Module that does not return a single Tensor or a tuple of Tensors "
            f"{_GOES} some of the grad_output"
        )
    if not all(isinstance(each, Tensor) for each in args):
        return (
            "non-full backward hooks on a Module that does not take as input a single Tensor or a tuple of Tensors "
            f"{_GOES} some of the grad_input"
        )
    if len({each.grad_fn for each in outputs if each.grad_fn is not None}) > 1:
        return f"a non-full backward hook when outputs are generated by different autograd Nodes {_GOES} some grad_output"
    if {each.grad_fn for each in args if each.grad_fn is not None} != {following for following, _ in node.next_functions}:
        return f"a non-full backward hook when the forward contains multiple autograd Nodes {_GOES} some grad_input"
    return None


class BackwardHookFunction(Function):
    """Hands its tensors through: a place in the graph to watch."""

    @staticmethod
    def forward(ctx: Any, *tensors: Tensor) -> tuple[Tensor, ...]:
        outputs = tuple(tensor.view_as(tensor) for tensor in tensors)
        unneeded = [output for output, tensor in zip(outputs, tensors, strict=True) if not tensor.requires_grad]
        ctx.mark_non_differentiable(*unneeded)
        return outputs

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return grads


class BackwardWatch:
    """Runs a module's backward hooks: around it stand two nodes that hand gradients through."""

    def __init__(self, module: Module, hooks: list[Any], pre_hooks: list[Any]) -> None:
        self.module, self.hooks, self.pre_hooks = module, hooks, pre_hooks
        self.grad_outputs: Any = None
        self.input_count = self.output_count = 0
        self.input_places: list[int] | None = None
        self.output_places: list[int] = []

    def inputs(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments, with a node behind them that knows when all their gradients are there."""
        self.input_count = len(args)

        def hook(grads: Any, outs: Any) -> Any:
            if self.grad_outputs is None:
                return None  # the outputs took no part in this pass
            full = self._full(grads, self.input_places or [], self.input_count)
            for user_hook in self.hooks:
                new = user_hook(self.module, full, self.grad_outputs)
                if new is not None:
                    full = self._checked(new, self.input_count, "Backward hook", "grad_input")
            self.grad_outputs = None
            return tuple(full[place] for place in self.input_places or [])

        values, self.input_places = self._watched(args, lambda node: node.register_hook(hook))
        return values

    def outputs(self, result: Any) -> Any:
        """The result, with a node on top that sees the gradients come in."""
        single = not isinstance(result, tuple)
        args = (result,) if single else result
        self.output_count = len(args)

        def hook(grads: Any) -> Any:
            full = self._full(grads, self.output_places, self.output_count)
            for user_hook in self.pre_hooks:
                new = user_hook(self.module, full)
                if new is not None:
                    full = self._checked(new, self.output_count, "Backward pre hook", "grad_output")
            self.grad_outputs = full
            if self.input_places is None:  # no input needs a gradient: there is nothing to wait for
                warn(
                    "Full backward hook is firing when gradients are computed with respect to module outputs since no "
                    "inputs require gradients. See https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html"
                    "#torch.nn.Module.register_full_backward_hook for more details."
                )
                for user_hook in self.hooks:
                    nothing = (None,) * self.input_count
                    new = user_hook(self.module, nothing, full)
                    if new is not None and not (isinstance(new, tuple) and all(each is None for each in new)):
                        raise RuntimeError(
                            "Backward hook for Modules where no input requires gradient should always return None or None "
                            "for all gradients."
                        )
                self.grad_outputs = None
            return tuple(full[place] for place in self.output_places)

        values, places = self._watched(args, lambda node: node.register_prehook(hook))
        self.output_places = places or []
        return values[0] if single else type(result)(values) if type(result) is tuple else type(result)(*values)

    @staticmethod
    def _watched(args: tuple[Any, ...], register: Callable[[Any], Any]) -> tuple[tuple[Any, ...], list[int] | None]:
        places = [place for place, value in enumerate(args) if isinstance(value, Tensor)]
        if not torch.is_grad_enabled() or not any(args[place].requires_grad for place in places):
            return args, None
        if dynamic_layers.in_user_transform():  # only what a `grad` records would meet the hooks, and is refused, as in PyTorch
            if dynamic_layers.state.stack[-1].kind == "Grad":
                raise without_setup_context()
            return args, None
        passed = BackwardHookFunction.apply(*[args[place] for place in places])
        passed = passed if isinstance(passed, tuple) else (passed,)
        register(next(tensor.grad_fn for tensor in passed if tensor.grad_fn is not None))
        values = list(args)
        for place, tensor in zip(places, passed, strict=True):
            values[place] = tensor
        return tuple(values), places

    @staticmethod
    def _full(values: Any, places: list[int], count: int) -> tuple[Any, ...]:
        full: list[Any] = [None] * count
        for place, value in zip(places, values, strict=True):
            full[place] = value
        return tuple(full)

    @staticmethod
    def _checked(values: Any, count: int, who: str, what: str) -> Any:
        if len(values) != count:
            raise RuntimeError(f"{who} returned an invalid number of {what}, got {len(values)}, but expected {count}")
        return values
