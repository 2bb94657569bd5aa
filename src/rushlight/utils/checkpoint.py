"""Checkpoints: a part of the forward pass keeps only its inputs, and is computed again when backward needs the rest.

Two ways, as in PyTorch. Without re-entrance (recommended) the part is recorded as always, but what its nodes would save is
left out (saved-tensor hooks) and made up for on first use. With re-entrance the part is one node, whose backward runs the
part again and a backward pass through it.
"""

from __future__ import annotations

import threading
import warnings
import weakref
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from ..amp.autocast_mode import autocast, get_autocast_dtype, is_autocast_enabled
from ..autograd import grad_mode, modes
from ..autograd.function import Function
from ..autograd.gradients import backward
from ..autograd.interpreters import Interpreter
from ..autograd.interpreters import stack as interpreters
from ..autograd.saved_hooks import saved_tensors_hooks
from ..backend.notes import with_notes
from ..base.thread_state import carried
from ..random import get_rng_state, set_rng_state
from ..tensor import Tensor
from ..tensors.creation.from_sizes import empty
from .selective_checkpoint import (
    SAC_IGNORED_OPS,
    CheckpointPolicy,
    SelectiveCheckpointContext,
    _CachedTorchDispatchMode,
    _CachingTorchDispatchMode,
    create_selective_checkpoint_contexts,
)

__all__ = [
    "SAC_IGNORED_OPS",
    "CheckpointError",
    "CheckpointFunction",
    "CheckpointPolicy",
    "DefaultDeviceType",
    "GraphExecGroup",
    "SelectiveCheckpointContext",
    "_CachedTorchDispatchMode",
    "_CachingTorchDispatchMode",
    "check_backward_validity",
    "checkpoint",
    "checkpoint_sequential",
    "create_selective_checkpoint_contexts",
    "detach_variable",
    "get_device_states",
    "noop_context_fn",
    "set_checkpoint_debug_enabled",
    "set_checkpoint_early_stop",
]

Contexts = tuple[AbstractContextManager[Any], AbstractContextManager[Any]]


class CheckpointError(RuntimeError):
    """The second run of a checkpointed function did not do what the first did."""

    __module__ = "torch.utils.checkpoint"


class _Settings:
    early_stop: bool | None = None
    debug: bool | None = None


@contextmanager
def set_checkpoint_early_stop(enable: bool) -> Iterator[None]:
    """Whether the second run of a function stops as soon as all that backward needs is there (it does by default), whatever
    :func:`checkpoint` says.

    >>> import rushlight as torch
    >>> from rushlight.utils.checkpoint import checkpoint, set_checkpoint_early_stop
    >>> x = torch.ones(1, requires_grad=True)
    >>> with set_checkpoint_early_stop(False):
    ...     y = checkpoint(torch.exp, x, use_reentrant=False)
    >>> y.backward()
    """
    previous, _Settings.early_stop = _Settings.early_stop, enable
    try:
        yield
    finally:
        _Settings.early_stop = previous


@contextmanager
def set_checkpoint_debug_enabled(enabled: bool | None) -> Iterator[None]:
    """Overrides ``debug=`` of :func:`checkpoint`; None leaves it alone.

    >>> from rushlight.utils.checkpoint import set_checkpoint_debug_enabled
    >>> with set_checkpoint_debug_enabled(True):
    ...     pass  # an error about a second run that differs from the first shows the ops of both
    """
    previous, _Settings.debug = _Settings.debug, enabled
    try:
        yield
    finally:
        _Settings.debug = previous


def noop_context_fn() -> Contexts:
    """Contexts that do nothing, for the two runs.

    >>> from rushlight.utils.checkpoint import noop_context_fn
    >>> len(noop_context_fn())
    2
    """
    return nullcontext(), nullcontext()


def detach_variable(inputs: tuple[Any, ...]) -> tuple[Any, ...]:
    """The tensors without their history, with ``requires_grad`` as it was."""
    if not isinstance(inputs, tuple):
        raise RuntimeError(
            "Only tuple of tensors is supported. Got Unsupported input type: ",
            type(inputs).__name__,
        )
    return tuple(
        one.detach().requires_grad_(one.requires_grad)
        if isinstance(one, Tensor) and one.requires_grad
        else one.detach()
        if isinstance(one, Tensor)
        else one
        for one in inputs
    )


class DefaultDeviceType:
    """The kind of device that is assumed for arguments without tensors on another one than the CPU. Only remembered."""

    _default_device_type = "cpu"

    @staticmethod
    def set_device_type(device: str = "cuda") -> None:
        """Remembers another kind."""
        DefaultDeviceType._default_device_type = device

    @staticmethod
    def get_device_type() -> str:
        """The kind remembered last."""
        return DefaultDeviceType._default_device_type


def _infer_device_type(*args: Any) -> str:
    """The kind of device of the arguments' tensors: all are on the CPU, so it is the assumed one."""
    return DefaultDeviceType.get_device_type()


def get_device_states(*args: Any) -> tuple[list[int], list[Any]]:
    """The devices of tensors other than the CPU, and the states of their generators: there are none."""
    return [], []


def set_device_states(devices: Any, states: Any, *, device_type: str | None = None) -> None:
    """There are no other devices whose generators could be set."""


def check_backward_validity(inputs: Iterable[Any]) -> None:
    """Warns where no input needs a gradient."""
    if not any(isinstance(one, Tensor) and one.requires_grad for one in inputs):
        warnings.warn("None of the inputs have requires_grad=True. Gradients will be None", stacklevel=2)


UNSAID = (
    "the use_reentrant parameter should be passed explicitly. {} use_reentrant=False is recommended, but if you need to "
    "preserve the current default behavior, you can pass use_reentrant=True. Refer to docs for more details on the differences "
    "between the two variants."
)


def checkpoint(
    function: Callable[..., Any],
    *args: Any,
    use_reentrant: bool | None = None,
    context_fn: Callable[[], Contexts] = noop_context_fn,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    **kwargs: Any,
) -> Any:
    """``function(*args)``, computed again in the backward pass instead of keeping what lies between.

    ``use_reentrant``       say False; True (so far the default, with a warning) is PyTorch's older way with its limits: no
                            keywords, no ``grad()``, inputs that need a gradient
    ``context_fn``          gives two contexts, for the first run and for the second
    ``determinism_check``   'default' compares shapes and dtypes of the two runs, 'none' does not
    ``early_stop``          whether the second run stops as soon as all that backward needs is there
    ``debug``               says which ops the two runs made where they differ
    ``preserve_rng_state``  (a keyword, True by default) draws the same random numbers in both runs

    CheckpointError where the two runs differ.

    >>> import rushlight as torch
    >>> from rushlight.utils.checkpoint import checkpoint
    >>> x = torch.tensor([1.0, 2.0], requires_grad=True)
    >>> y = checkpoint(lambda x: (x * x).exp().sum(), x, use_reentrant=False)
    >>> y.backward()
    >>> x.grad
    tensor([  5.4366, 218.3926])
    """
    if use_reentrant is None:
        warnings.warn(
            "torch.utils.checkpoint: "
            + UNSAID.format("Starting in PyTorch 2.9, calling checkpoint without use_reentrant will raise an exception."),
            stacklevel=2,
        )
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs and use_reentrant:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    if use_reentrant:
        if context_fn is not noop_context_fn or debug is not False:
            raise ValueError("Passing `context_fn` or `debug` is only supported when use_reentrant=False.")
        return CheckpointFunction.apply(function, preserve, *args)
    if determinism_check not in ("default", "none"):
        raise ValueError(f"determinism_check should be one of ['default', 'none'], but got {determinism_check}")
    first, second = context_fn()
    if not modes.state.grad_enabled:
        with first:
            return function(*args, **kwargs)
    run = _Run(function, args, kwargs, preserve, second, determinism_check == "default", early_stop, debug)
    with saved_tensors_hooks(run.leave_out, run.make_up), run.listening(run.first_ops), first:
        result = function(*args, **kwargs)
    run.completed = True
    return result


def checkpoint_sequential(functions: Any, segments: int, input: Any, use_reentrant: bool | None = None, **kwargs: Any) -> Any:
    """Functions (or the children of an nn.Sequential) one after another, in ``segments`` parts; all but the last are
    checkpointed.

    >>> import rushlight as torch
    >>> from rushlight.utils.checkpoint import checkpoint_sequential
    >>> x = torch.tensor([1.0], requires_grad=True)
    >>> checkpoint_sequential([torch.exp, torch.log, torch.exp], 2, x, use_reentrant=False)
    tensor([2.7183], grad_fn=<ExpBackward0>)
    """
    if use_reentrant is None:
        warnings.warn(
            "torch.utils.checkpoint.checkpoint_sequential: "
            + UNSAID.format("In version 2.9 we will raise an exception if use_reentrant is not passed."),
            stacklevel=2,
        )
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if kwargs:
        raise ValueError("Unexpected keyword arguments: " + ",".join(kwargs))
    parts = list(functions.children()) if hasattr(functions, "children") else list(functions)

    def joined(start: int, end: int) -> Callable[[Any], Any]:
        def run(value: Any) -> Any:
            for part in parts[start:end]:
                value = part(value)
            return value

        return run

    size = len(parts) // segments
    if not size and segments > 1:
        raise with_notes(ValueError("range() arg 3 must not be zero"), "There are fewer functions than segments.")
    end = 0
    for _ in range(segments - 1):
        start, end = end, end + size
        input = checkpoint(joined(start, end), input, use_reentrant=use_reentrant, preserve_rng_state=preserve)
    return joined(end, len(parts))(input)


@contextmanager
def _random_numbers(state: Any) -> Iterator[None]:
    """Draws random numbers from ``state`` on, and then goes on where it was."""
    if state is None:
        yield
        return
    now = get_rng_state()
    set_rng_state(state)
    try:
        yield
    finally:
        set_rng_state(now)


def _same_autocast() -> Callable[[], AbstractContextManager[Any]]:
    """Makes contexts in which autocast is what it is now."""
    enabled, dtype = is_autocast_enabled("cpu"), get_autocast_dtype("cpu")
    return lambda: autocast("cpu", dtype=dtype, enabled=enabled)


# Without re-entrance.


class GraphExecGroup:
    """Within it, backward passes share what is computed again: passes through parts of one checkpointed function that do not
    overlap run the function once.

    >>> import rushlight as torch
    >>> from rushlight.utils.checkpoint import GraphExecGroup, checkpoint
    >>> def function(x):
    ...     print("runs")
    ...     y = x.exp()
    ...     return y, y.exp()
    >>> x = torch.zeros(1, requires_grad=True)
    >>> y, z = checkpoint(function, x, use_reentrant=False)
    runs
    >>> with GraphExecGroup():
    ...     (dy,) = torch.autograd.grad(z, y)
    ...     (dx,) = torch.autograd.grad(y, x, dy)
    runs
    """

    def __enter__(self) -> GraphExecGroup:
        if _group.current is not None:
            raise RuntimeError(f"GraphExecGroup contexts cannot be nested. Already inside group {_group.current}")
        _group.current = self
        return self

    def __exit__(self, *error: object) -> None:
        _group.current = None


class _Group(threading.local):
    current: GraphExecGroup | None = None


_group = carried(_Group())


class _Place:
    """What a node keeps instead of a tensor."""


class _Stop(Exception):
    """All that backward needs has been computed."""


class _KeepInputs(Function):
    """Keeps the arguments of a checkpointed function as a node keeps tensors: hooks apply, writes are noticed."""

    @staticmethod
    def forward(*args: Any) -> Any:
        return empty(0)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
        ctx.positions = [index for index, one in enumerate(inputs) if isinstance(one, Tensor)]
        ctx.others = [None if isinstance(one, Tensor) else one for one in inputs]
        ctx.save_for_backward(*[inputs[index] for index in ctx.positions])

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        raise AssertionError("nothing depends on this node")


class _Run:
    """One call of a checkpointed function."""

    def __init__(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        preserve: bool,
        context: AbstractContextManager[Any],
        compare: bool,
        early_stop: bool,
        debug: bool,
    ) -> None:
        self.function, self.kwargs, self.context, self.compare = function, kwargs, context, compare
        self.early_stop = early_stop if _Settings.early_stop is None else _Settings.early_stop
        self.completed = False  # the first run: a backward pass within the function may ask for values before its end
        self.debug = debug if _Settings.debug is None else _Settings.debug
        self.random = get_rng_state() if preserve else None
        self.autocast = _same_autocast()
        self.inputs = _KeepInputs.apply(empty(0, requires_grad=True), *args).grad_fn
        self.places: list[weakref.ref[_Place]] = []
        self.metas: list[dict[str, Any]] = []
        self.first_ops: list[str] = []
        # By backward pass, then by place: both go when nobody needs them any more.
        self.made: weakref.WeakKeyDictionary[Any, weakref.WeakKeyDictionary[_Place, Tensor]]
        self.made = weakref.WeakKeyDictionary()

    def leave_out(self, tensor: Tensor) -> _Place:
        """The pack hook of the first run."""
        place = _Place()
        self.places.append(weakref.ref(place))
        self.metas.append(_meta(tensor))
        return place

    def make_up(self, place: _Place) -> Tensor:
        """The unpack hook of the first run: in each backward pass the first use runs the function again. What it made is given
        out once, so that it is freed as backward goes."""
        task: Any = modes.state.task
        if task is not None and _group.current is not None:
            task = _group.current
        made = None if task is None else self.made.get(task)
        if made is None:
            made = self.run_again()
            if task is not None:
                self.made[task] = made
        if place not in made:
            overlap = (
                "Performing two backward calls that overlap (i.e. require the same saved activation in order to compute "
                "gradients) is not allowed while under the torch.utils.checkpoint.GraphExecGroup context. "
            )
            raise CheckpointError(
                "torch.utils.checkpoint: Unpack is being triggered for a tensor that was already unpacked once. "
                f"{overlap if _group.current is not None else ''}If you are calling ctx.saved_tensors in backward, make sure to "
                "do so only once. Otherwise please open an issue with details on your use case."
            )
        return made.pop(place)

    def run_again(self) -> weakref.WeakKeyDictionary[_Place, Tensor]:
        """Runs the function and returns what its nodes save, by place."""
        made: weakref.WeakKeyDictionary[_Place, Tensor] = weakref.WeakKeyDictionary()
        metas: list[dict[str, Any]] = []
        ops: list[str] = []

        def keep(tensor: Tensor) -> Any:
            if len(metas) < len(self.places):
                place = self.places[len(metas)]()
                if place is not None:
                    made[place] = _detached(tensor) if tensor.requires_grad else tensor
            elif not self.completed:
                return _detached(tensor)
            elif not self.early_stop:
                raise CheckpointError(
                    "torch.utils.checkpoint: trying to save more tensors during recomputation than during the original forward "
                    f"pass.{self.advice(ops)}"
                )
            metas.append(_meta(tensor))
            if self.early_stop and len(metas) == len(self.places):
                raise _Stop
            return tensor.detach()

        arguments = list(self.inputs.others)
        for index, tensor in zip(self.inputs.positions, self.inputs.saved_tensors, strict=True):
            arguments[index] = tensor
        try:
            with (
                _random_numbers(self.random),
                self.autocast(),
                grad_mode.enable_grad(),
                saved_tensors_hooks(keep, lambda kept: kept),
                self.listening(ops),
                self.context,
            ):
                self.function(*arguments[1:], **self.kwargs)
        except _Stop:
            pass
        self.check(metas, ops)
        return made

    def check(self, metas: list[dict[str, Any]], ops: list[str]) -> None:
        if len(metas) != len(self.metas):
            raise CheckpointError(
                "torch.utils.checkpoint: A different number of tensors was saved during the original forward and "
                f"recomputation.\nNumber of tensors saved during forward: {len(self.metas)}\n"
                f"Number of tensors saved during recomputation: {len(metas)}.{self.advice(ops)}"
            )
        if not self.compare:
            return
        differences = "".join(
            f"tensor at position {position}:\nsaved metadata: {before}\nrecomputed metadata: {now}\n"
            for position, (before, now) in enumerate(zip(self.metas, metas, strict=True))
            if before != now
        )
        if differences:
            raise CheckpointError(
                "torch.utils.checkpoint: Recomputed values for the following tensors have different metadata than during the "
                f"forward pass.\n{differences}.{self.advice(ops)}"
            )

    def advice(self, ops: list[str]) -> str:
        if not self.debug:
            return (
                "\n\nTip: To see a more detailed error message, pass `debug=True` to `torch.utils.checkpoint.checkpoint(...)`, or "
                "use `with torch.utils.checkpoint.set_checkpoint_debug_enabled(True):`."
            )
        return (
            "\n\n An error happened while unpacking tensors; dumping logs of latest computation\n"
            f"ops of the original forward: {', '.join(self.first_ops)}\nops of the recomputation: {', '.join(ops)}\n"
            "You are seeing this error because you passed `debug=True` to checkpoint(). The first op that differs between the "
            "two lists is where the function does something else when it runs again."
        )

    @contextmanager
    def listening(self, names: list[str]) -> Iterator[None]:
        """With ``debug``, notes the ops that run."""
        if not self.debug:
            yield
            return

        listener = _Listener(names)
        interpreters.put(listener)
        try:
            yield
        finally:
            interpreters.take(listener)


class _Listener(Interpreter):
    """Notes the names of the ops that run."""

    def __init__(self, names: list[str]) -> None:
        self.names = names

    def op(self, op: Any, args: tuple[Any, ...]) -> Any:
        self.names.append(op.name)
        return NotImplemented


def _detached(tensor: Tensor) -> Any:
    seen = interpreters.ask("detached", tensor)  # which modes may want to see
    return tensor.detach() if seen is NotImplemented else seen


def _meta(tensor: Tensor) -> dict[str, Any]:
    return {"shape": tensor.shape, "dtype": tensor.dtype, "device": tensor.device}


# With re-entrance.


class CheckpointFunction(Function):
    """The part as one op: its backward runs it again and differentiates it."""

    @staticmethod
    def forward(ctx: Any, run_function: Callable[..., Any], preserve_rng_state: bool, *args: Any) -> Any:
        check_backward_validity(args)
        ctx.run_function = run_function
        ctx.random = get_rng_state() if preserve_rng_state else None
        ctx.autocast = _same_autocast()
        ctx.positions = [index for index, one in enumerate(args) if isinstance(one, Tensor)]
        ctx.others = [None if isinstance(one, Tensor) else one for one in args]
        ctx.save_for_backward(*[args[index] for index in ctx.positions])
        with grad_mode.no_grad():
            return run_function(*args)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        task = modes.state.task
        if task is not None and task.needed is not None:
            raise RuntimeError(
                "When use_reentrant=True, torch.utils.checkpoint is incompatible with .grad() or passing an `inputs` parameter "
                "to .backward(). To resolve this error, you can either set use_reentrant=False, or call .backward() without "
                "passing the `inputs` argument."
            )
        arguments = list(ctx.others)
        for index, tensor in zip(ctx.positions, ctx.saved_tensors, strict=True):
            arguments[index] = tensor
        inputs = detach_variable(tuple(arguments))
        with _random_numbers(ctx.random), ctx.autocast(), grad_mode.enable_grad():
            outputs = ctx.run_function(*inputs)
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        pairs = [
            (output, g) for output, g in zip(outputs, grads, strict=True) if isinstance(output, Tensor) and output.requires_grad
        ]
        if not pairs:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        backward([output for output, _ in pairs], [g for _, g in pairs])
        return (None, None, *(one.grad if isinstance(one, Tensor) else None for one in inputs))
