"""What a checkpointed function leaves out in its first run, and how its second run makes up for it."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from ..amp.autocast_mode import autocast, get_autocast_dtype, is_autocast_enabled
from ..autograd import grad_mode, modes
from ..autograd.forward_ad import _set_fwd_grad_enabled
from ..autograd.function import Function
from ..autograd.interpreters import Interpreter
from ..autograd.interpreters import stack as interpreters
from ..autograd.saved import detached_since
from ..autograd.saved_hooks import saved_tensors_hooks
from ..base.thread_state import carried
from ..random import get_rng_state, set_rng_state
from ..tensor import Tensor
from ..tensors.creation.from_sizes import empty


class CheckpointError(RuntimeError):
    """The second run of a checkpointed function did not do what the first did."""

    __module__ = "torch.utils.checkpoint"


class Settings:
    early_stop: bool | None = None
    debug: bool | None = None


@contextmanager
def random_numbers(state: Any) -> Iterator[None]:
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


def same_autocast() -> Callable[[], AbstractContextManager[Any]]:
    """Makes contexts in which autocast is what it is now."""
    enabled, dtype = is_autocast_enabled("cpu"), get_autocast_dtype("cpu")
    return lambda: autocast("cpu", dtype=dtype, enabled=enabled)


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

    __module__ = "rushlight.utils.checkpoint"  # where programs know it from

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


class _Stop(BaseException):
    """All that backward needs has been computed: no error, which somebody on the way may catch to try otherwise."""


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


class Recomputation:
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
        self.early_stop = early_stop if Settings.early_stop is None else Settings.early_stop
        self.completed = False  # the first run: a backward pass within the function may ask for values before its end
        self.debug = debug if Settings.debug is None else Settings.debug
        self.random = get_rng_state() if preserve else None
        self.autocast = same_autocast()
        with _set_fwd_grad_enabled(False):  # nothing is computed that would have a tangent
            self.inputs = _KeepInputs.apply(empty(0, requires_grad=True), *args).grad_fn
        self.in_graph = [one.grad_fn is not None for one in args if isinstance(one, Tensor)]
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
        saved_now = self.inputs.saved_tensors
        for index, tensor, in_graph in zip(self.inputs.positions, saved_now, [False, *self.in_graph], strict=True):
            if in_graph and tensor.grad_fn is None:
                raise detached_since()
            arguments[index] = tensor
        try:
            with (
                random_numbers(self.random),
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
