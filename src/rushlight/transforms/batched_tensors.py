"""Tensors that carry a batch: what ``vmap`` runs a function on.

A :class:`BatchedTensor` looks like one example. Behind it stands ``whole``, a Tensor with all of them along dimension 0; each op on
it is done once, on ``whole``, which records the graph. How, says the op's rule (rules/); where there is none the op
runs example by example. An op in place writes into ``whole``.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any, NoReturn

import numpy as np

from ..autograd import gradients, modes
from ..autograd.nodes import leaf_edge
from ..base.attributes import held
from ..base.strides import reach
from ..ops.joining import stack
from ..ops.public import ops
from ..ops.table import Op
from ..overrides import subclasses  # noqa: F401  (what a class of Tensor needs)
from ..tensor import Tensor
from . import dynamic_layers
from .outlines import WITHIN_ANOTHER, Escaped, Outline, Refused, Unbatchable


class Level(dynamic_layers.Layer):
    """One running ``vmap``: its number of examples, and the ops that had no rule."""

    kind = "Vmap"

    def __init__(self, size: int, randomness: str = "error", internal: bool = False) -> None:
        super().__init__()
        self.internal = internal
        self.size = size
        self.randomness = randomness
        self.by_example: list[str] = []
        self.has_written = False
        self.writes = False  # an op in place is computed
        self.passing = False  # a backward pass through the graph of examples runs that nobody asks to record there
        self.random_state: Any = None  # the generator's before the first random number

    def around(self) -> AbstractContextManager[None]:
        """What is done to the batch itself is recorded as it was around the ``grad`` that records its examples."""
        return nullcontext() if self.outside is None else recorded_as(*self.outside[:2])


class recorded_as:
    """A ``with`` block whose ops are recorded or not, and run in inference mode or not."""

    __slots__ = ("before", "wanted")

    def __init__(self, grad_enabled: bool, inference: Any) -> None:
        self.wanted = grad_enabled, inference

    def __enter__(self) -> None:
        state = modes.state
        self.before = state.grad_enabled, state.inference
        state.grad_enabled, state.inference = self.wanted

    def __exit__(self, *error: object) -> None:
        modes.state.grad_enabled, modes.state.inference = self.before


_ITEM = (
    "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap over calling .item() on a Tensor, please try "
    "to rewrite what you're doing with other operations. If error is occurring somewhere inside PyTorch internals, please file "
    "a bug report."
)
_CONTROL = (
    "vmap: It looks like you're attempting to use a Tensor in some data-dependent control flow. We don't support that yet, "
    "please file an issue at https://github.com/pytorch/pytorch/issues ."
)


_NO_STORAGE = "Cannot access data pointer of Tensor that doesn't have storage"


def _refuse(text: str) -> NoReturn:
    """A number was asked for: an error for the user; a function of the package runs example by example instead."""
    caller = sys._getframe(2).f_globals.get("__name__", "")
    if caller.partition(".")[0] in ("torch", "rushlight"):
        raise Unbatchable("number")
    within = text in (_ITEM, _CONTROL) and dynamic_layers.within_another()
    raise Refused(WITHIN_ANOTHER if within else text)


class BatchedTensor(Tensor, own=True):
    """One example's view of a batch."""

    _of_batch = True
    whole: Tensor
    level: Level
    origin: tuple[Tensor, int] | None = None  # the argument of vmap that this is, and its dimension
    shared = False  # it is the same for all examples, and `whole` has no dimension for them
    tracked: bool | None = False  # it is in the graph of its examples, which a `grad` inside of the vmap records
    own_edge: Any = None  # its place there
    seen_from: tuple[BatchedTensor, Op, tuple[Any, ...], int] | None = None  # what it is a view of, and how
    version: Any = 0  # of a view: the version at which it took its place
    own_tangents: dict[int, Tensor] | None = None  # in levels of forward mode inside of that `grad`

    def __init__(self, whole: Tensor, level: Level) -> None:
        pass

    def __repr__(self, *, tensor_contents: Any = None) -> str:  # type: ignore[override]
        if not self.level.ended:
            return Tensor.__repr__(self, tensor_contents=tensor_contents)  # type: ignore[call-arg]
        levels, one = [], self
        while isinstance(one, BatchedTensor):
            levels.append(one.level)
            one = one.whole  # type: ignore[assignment]
        return dynamic_layers.shown(self, levels[::-1]) or ""

    def detach(self) -> Tensor:
        return self._rewrapped(self.whole.detach())

    def _rewrapped(self, whole: Tensor) -> Tensor:
        """Another batch at the same level."""
        return batched(whole, self.level)

    def _again(self) -> BatchedTensor:
        """The same example outside of the graph of examples."""
        return batched(self.whole, self.level)

    def item(self) -> NoReturn:
        _refuse(_ITEM)

    __float__ = __int__ = __complex__ = __index__ = item

    def __bool__(self) -> NoReturn:
        _refuse(_CONTROL)

    def tolist(self) -> NoReturn:
        _refuse(_NO_STORAGE)

    def numpy(self, *, force: bool = False) -> NoReturn:
        _refuse(_NO_STORAGE)

    def is_contiguous(self, *, memory_format: Any = None) -> bool:
        if str(memory_format).endswith(("channels_last", "channels_last_3d")):
            raise Refused("NYI: querying is_contiguous inside of vmap for memory_format other than torch.contiguous_format")
        return self._array.flags.c_contiguous

    def contiguous(self, *, memory_format: Any = None) -> Tensor:
        return self if self.is_contiguous(memory_format=memory_format) else ops.contiguous(self)

    def storage_offset(self) -> int:
        return self.whole.storage_offset()

    def as_strided(self, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
        """A view of the memory of each example, within its bounds."""
        if len(size) != len(stride):
            raise Refused(
                "Tensor.as_strided(size, stride, ...): size and stride must have the same length! Got size "
                f"{list(size)} and stride {list(stride)}"
            )
        start = self.storage_offset()
        first = start if storage_offset is None else storage_offset
        own, wanted = reach(self.shape, self.stride()), reach(size, stride)
        if 0 not in size and (not self._array.size or first < start or first + wanted > start + own):
            raise Refused(
                f"result = tensor.as_strided({list(size)}, {list(stride)}, {first}) can access memory outside of `tensor`. `result` "
                f"can access some memory in range [{first}, {first + wanted + 1}], but `tensor` can only access some memory in range "
                f"[{start}, {start + own + 1}]. This is not supported inside of vmap, please try to rewrite the `as_strided` call "
                "as a sequence of PyTorch view operations"
            )
        return ops.as_strided(self, tuple(size), tuple(stride), first, self.stride(), start)

    def clone(self, *, memory_format: Any = None) -> Tensor:
        name = str(memory_format).rpartition(".")[2]
        if name in ("channels_last", "channels_last_3d"):
            raise Refused(
                "NYI: Tensor.clone(memory_format) inside vmap is only supported with memory_format torch.preserve_format or "
                f"torch.contiguous_format (got {'ChannelsLast' if name == 'channels_last' else 'ChannelsLast3d'})"
            )
        return Tensor.clone(self, memory_format=memory_format)  # type: ignore[attr-defined]

    @property
    def _needs_grad(self) -> bool:  # type: ignore[override]
        return True if self.tracked else self.level.outside is None and self.whole._needs_grad

    @_needs_grad.setter
    def _needs_grad(self, needs: bool) -> None:
        self.tracked = needs

    @property
    def _edge(self) -> Any:  # type: ignore[override]
        return self.own_edge if self.tracked else self.whole._edge if self.level.outside is None else None

    @_edge.setter
    def _edge(self, edge: Any) -> None:
        self.own_edge = edge

    def is_own(self, key: int) -> bool:
        """Whether a level of forward mode began inside of the ``grad`` that records the examples."""
        outside = self.level.outside
        return key in (self.own_tangents or ()) or (outside is not None and key not in outside[2])

    def _with_whole(self, whole: Tensor, tangents: dict[int, Tensor] | None) -> Tensor:
        """The same example, in its graph too, of another batch of the same numbers and with other tangents of its own."""
        made: BatchedTensor = object.__new__(type(self))
        held(made).update(held(self), whole=whole, own_tangents=tangents)
        if self.tracked and self.own_edge is None:
            made.own_edge = leaf_edge(self)
        return made

    def _as_leaf(self, as_leaf: Callable[[Tensor], Tensor]) -> Tensor:
        """The same example as a leaf: of the graph of examples, if that is being recorded, else ``as_leaf`` makes one of the batch."""
        if self.level.outside is None:
            return self._rewrapped(as_leaf(self.whole))
        made = self._again()
        made.tracked, made.own_tangents = True, self.own_tangents
        return made

    @property
    def _tangents(self) -> Any:
        found = self.whole._tangents
        rest = found and {key: one if self.shared else rebatched(one, self.level) for key, one in found.items()}
        return {**(rest or {}), **self.own_tangents} if self.own_tangents else rest

    @_tangents.setter
    def _tangents(self, tangents: Any) -> None:
        if self.level.outside is not None and tangents:
            inside = {key: one for key, one in tangents.items() if self.is_own(key)}
            self.own_tangents = inside or None
            tangents = {key: one for key, one in tangents.items() if key not in inside}
        elif not tangents:
            self.own_tangents = None
        if tangents or self.whole._tangents:
            self.origin = None
            whole = {key: one if self.shared else along(one, self.level) for key, one in (tangents or {}).items()}
            self.whole = with_tangents(self.whole, whole)


def batched(whole: Tensor, level: Level) -> BatchedTensor:
    """The example's view of ``whole``."""
    if level.ended:
        raise Escaped()
    made: BatchedTensor = object.__new__(BatchedTensor)
    made.whole, made.level = whole, level
    array = whole._array
    made._array = Outline(array.shape[1:], array.strides[1:], array.dtype, level)  # type: ignore[assignment]
    made._counter = whole._counter
    return made


def is_of(value: Any, level: Level) -> bool:
    """Whether a value is in the graph of the examples of a level, or may come into it."""
    return isinstance(value, BatchedTensor) and value.level is level


def is_batched(value: Any, level: Level) -> bool:
    """Whether a value is an example of the level."""
    return isinstance(value, BatchedTensor) and value.level is level and not value.shared


def rebatched(whole: Tensor, level: Level) -> BatchedTensor:
    """:func:`batched` for a ``whole`` that may be a batch of inner levels: the innermost stays outermost."""
    if isinstance(whole, BatchedTensor) and whole.level.level > level.level:
        return batched(rebatched(ops.transpose(whole.whole, 0, 1), level), whole.level)
    return batched(whole, level)


def along(value: Tensor, level: Level) -> Tensor:
    """The batch behind a tensor at a level; what is the same for all examples is stretched."""
    if isinstance(value, BatchedTensor) and value.shared and value.level is level:
        value = value.whole
    elif isinstance(value, BatchedTensor):
        if value.level is level:
            return value.whole
        if has_level(value.whole, level):
            return batched(ops.transpose(along(value.whole, level), 0, 1), value.level)
    return ops.expand(value, (level.size, *value._array.shape))


def left(value: Any, place: int | None, level: Level) -> Any:
    """A result as it leaves the level: the batch at ``place``."""
    if isinstance(value, BatchedTensor) and value.shared and value.level is level:
        value = value.whole
    if not isinstance(value, BatchedTensor) and not isinstance(value._array, np.ndarray):
        raise Unbatchable("result")
    if place is None:
        if is_batched(value, level):
            raise Refused("vmap: cannot return a Tensor that is vmapped over with out_dim None")
        return value
    if isinstance(value, BatchedTensor) and value.level is level and value.origin is not None:
        given, dim = value.origin
        if dim == place % given._array.ndim:
            return given
    whole = along(value, level)
    return whole.movedim(0, place) if place else whole


def _vmaps() -> list[Level]:
    return [layer for layer in dynamic_layers.state.stack if isinstance(layer, Level)]


def innermost() -> Level | None:
    """The innermost running ``vmap``."""
    found = _vmaps()
    return found[-1] if found else None


def _lifted(value: Tensor, level: Level) -> BatchedTensor:
    """A tensor that is the same for all examples as a batch; its tangents may differ from example to example."""
    differing = {key: one for key, one in (value._tangents or {}).items() if has_level(one, level)}
    if not differing:
        return rebatched(along(value, level), level)
    same = {key: one for key, one in (value._tangents or {}).items() if key not in differing}
    whole = along(with_tangents(value, same), level)
    own = {key: along(one, level) for key, one in differing.items()}
    return rebatched(with_tangents(whole, {**(whole._tangents or {}), **own}), level)


def with_tangents(value: Tensor, tangents: dict[int, Tensor]) -> Tensor:
    """The same tensor with other tangents."""
    result: Tensor = object.__new__(type(value))
    held(result).update(held(value))
    if value._needs_grad and value._edge is None:
        result._edge = leaf_edge(value)
    result._tangents = tangents or None
    return result


def behind(value: Tensor) -> Tensor:
    """The ordinary tensor behind all levels."""
    while isinstance(value, BatchedTensor):
        value = value.whole
    return value


def without_graph(value: Tensor) -> Tensor:
    """The same numbers without their history."""
    return gradients._without_graph(value)


def has_level(value: Any, level: Level) -> bool:
    while isinstance(value, BatchedTensor):
        if value.level is level and not value.shared:
            return True
        value = value.whole
    return False


def _inside(level: Level, other: Level) -> bool:
    return dynamic_layers.place(level) > dynamic_layers.place(other)


def _innermost(values: Sequence[Any]) -> Level | None:
    """The innermost running level among the values."""
    found: Level | None = None
    for one in values:
        level: Level | None
        if isinstance(one, BatchedTensor):
            level = one.level
        elif isinstance(one, (list, tuple)):
            level = _innermost(one)
        else:
            continue
        if found is None or (level is not None and level is not found and _inside(level, found)):
            found = level
    return found if found is not None and found.alive else None


# The op, once for all examples.


def once_for_all(op: Op, args: tuple[Any, ...], level: Level, find_rule: Callable[[Op], Rule]) -> Any:
    """The op, once for all examples of the level, which is the innermost among its inputs."""
    count = len(op.inputs)
    inputs, params = [_ready(one, level) for one in args[:count]], dict(op.params)
    params.update(zip(params, args[count:], strict=False))
    try:
        result = find_rule(op)(op, inputs, params, level)
    except Refused:
        raise
    except Exception:  # no rule, or an error: then it comes again in terms of one example
        level.by_example.append(op.name)
        if fallback.warns:
            warnings.warn(
                "There is a performance drop because we have not yet implemented the batching rule for "
                f"aten::{op.name}. Please file us an issue on GitHub so that we can prioritize its implementation.",
                stacklevel=2,
            )
        if not fallback.enabled:
            raise Refused(
                f"vmap: We could not generate a batching rule for aten::{op.name} and the fallback is disabled"
            ) from None
        result = _by_example(op, inputs, params, level)
    if isinstance(result, (tuple, list)):
        return tuple(rebatched(one, level) for one in result)
    for one in inputs:
        if isinstance(one, BatchedTensor) and one.whole is result:  # what an op leaves alone is the same tensor
            return one
    return rebatched(result, level)


class _Fallback:
    """What happens to an op that has no rule: it runs example by example, with a warning if that is wanted."""

    enabled, warns = True, False


fallback = _Fallback()


def _ready(value: Any, level: Level) -> Any:
    """An input as rules take it: with its tangents, where these differ from example to example."""
    if isinstance(value, (list, tuple)):
        return [_ready(one, level) for one in value]
    if isinstance(value, Tensor) and not isinstance(value, BatchedTensor) and value._tangents:
        return _lifted(value, level) if any(has_level(one, level) for one in value._tangents.values()) else value
    return value


@contextmanager
def running(level: Level) -> Iterator[None]:
    """Ops on tensors of the level find their rules."""
    with dynamic_layers.entered(level):
        yield


Rule = Callable[[Op, list[Any], dict[str, Any], Level], Any]


def call_op(op: Op, inputs: Sequence[Any], params: dict[str, Any]) -> Any:
    """An op of the table on tensors of outer levels."""
    return getattr(ops, op.name)(*inputs, *params.values())


# PyTorch counts dimensions with that of the batch in front.
_DIMENSION = re.compile(r"(The size of tensor a .* at non-singleton dimension )(\d+)$")


def _by_example(op: Op, inputs: list[Any], params: dict[str, Any], level: Level) -> Any:
    def entry(value: Any, index: int) -> Any:
        if isinstance(value, (list, tuple)):
            return [entry(one, index) for one in value]
        if not is_batched(value, level):
            return value
        return ops.select(value.whole, 0, index) if level.size else value.whole.new_zeros(value._array.shape)

    try:
        rows = [call_op(op, [entry(value, index) for value in inputs], params) for index in range(level.size or 1)]
    except RuntimeError as error:
        error.args = tuple(_DIMENSION.sub(lambda found: f"{found[1]}{int(found[2]) + 1}", said) for said in error.args)
        raise
    if isinstance(rows[0], (tuple, list)):
        return tuple(_stacked(list(column), level) for column in zip(*rows, strict=True))
    return _stacked(rows, level)


def _stacked(rows: list[Any], level: Level) -> Any:
    """Results side by side; where there is no example, one of zeros has told what they are like."""
    return stack(rows) if level.size else ops.clone(ops.slice(stack(rows), 0, 0, 0, 1))
