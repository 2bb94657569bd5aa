"""Checkpoints: a part of the forward pass keeps only its inputs, and is computed again when backward needs the rest.

Two ways, as in PyTorch. Without re-entrance (recommended) the part is recorded as always, but what its nodes would save is
left out (saved-tensor hooks) and made up for on first use. With re-entrance the part is one node, whose backward runs the
part again and a backward pass through it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from ..autograd import grad_mode, modes
from ..autograd.function import Function
from ..autograd.gradients import backward
from ..autograd.saved_hooks import saved_tensors_hooks
from ..backend.notes import with_notes
from ..random import get_rng_state
from ..tensor import Tensor
from .recomputation import CheckpointError, GraphExecGroup, Recomputation, Settings, random_numbers, same_autocast
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
    previous, Settings.early_stop = Settings.early_stop, enable
    try:
        yield
    finally:
        Settings.early_stop = previous


@contextmanager
def set_checkpoint_debug_enabled(enabled: bool | None) -> Iterator[None]:
    """Overrides ``debug=`` of :func:`checkpoint`; None leaves it alone.

    >>> from rushlight.utils.checkpoint import set_checkpoint_debug_enabled
    >>> with set_checkpoint_debug_enabled(True):
    ...     pass  # an error about a second run that differs from the first shows the ops of both
    """
    previous, Settings.debug = Settings.debug, enabled
    try:
        yield
    finally:
        Settings.debug = previous


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
    run = Recomputation(function, args, kwargs, preserve, second, determinism_check == "default", early_stop, debug)
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


class CheckpointFunction(Function):
    """The part as one op: its backward runs it again and differentiates it."""

    @staticmethod
    def forward(ctx: Any, run_function: Callable[..., Any], preserve_rng_state: bool, *args: Any) -> Any:
        check_backward_validity(args)
        ctx.run_function = run_function
        ctx.random = get_rng_state() if preserve_rng_state else None
        ctx.autocast = same_autocast()
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
        with random_numbers(ctx.random), ctx.autocast(), grad_mode.enable_grad():
            outputs = ctx.run_function(*inputs)
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        pairs = [
            (output, g) for output, g in zip(outputs, grads, strict=True) if isinstance(output, Tensor) and output.requires_grad
        ]
        if not pairs:
            raise RuntimeError("none of output has requires_grad=True, this checkpoint() is not necessary")
        backward([output for output, _ in pairs], [g for _, g in pairs])
        return (None, None, *(one.grad if isinstance(one, Tensor) else None for one in inputs))
