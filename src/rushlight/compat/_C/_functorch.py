"""torch._C._functorch: what programs ask about running transforms, in PyTorch's private words.

A tensor of ``vmap`` is a wrapper here as there. A tensor of ``grad`` is known by the graph, so wrapping it is making an input of
the layer, and unwrapping gives the tensor itself.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rushlight.autograd import forward_ad
from rushlight.tensor import Tensor
from rushlight.transforms import batched_tensors, dynamic_layers


class TransformType(enum.Enum):
    """The kinds of layers."""

    Torch = 0
    Vmap = 1
    Grad = 2
    Jvp = 3
    Functionalize = 4


class RandomnessType(enum.Enum):
    """What vmap does with random numbers."""

    Error = 0
    Same = 1
    Different = 2


class CInterpreter:
    """A running layer as rules of higher-order operators see it."""

    def __init__(self, layer: dynamic_layers.Layer) -> None:
        self._layer = layer

    def key(self) -> TransformType:
        return TransformType[self._layer.kind]

    def level(self) -> int:
        return self._layer.level

    def batch_size(self) -> int:
        return self._layer.size  # type: ignore[attr-defined]

    def randomness(self) -> str:
        return self._layer.randomness  # type: ignore[attr-defined]

    @contextmanager
    def lower(self) -> Iterator[None]:
        """Without the layer: what runs inside is seen by the outer ones."""
        with dynamic_layers.without(self._layer):
            yield


def peek_interpreter_stack() -> CInterpreter | None:
    """The innermost layer."""
    stack = dynamic_layers.state.stack
    return CInterpreter(stack[-1]) if stack else None


def get_interpreter_stack() -> list[CInterpreter] | None:
    """All layers, the outermost first; None if there is none."""
    return [CInterpreter(layer) for layer in dynamic_layers.state.stack] or None


def get_dynamic_layer_stack_depth() -> int:
    """How many layers there are."""
    return len(dynamic_layers.state.stack)


def maybe_current_level() -> int | None:
    """The level of the innermost layer."""
    return len(dynamic_layers.state.stack) or None


def current_level() -> int:
    """The level of the innermost layer. RuntimeError if there is none."""
    if not dynamic_layers.state.stack:
        raise RuntimeError("no function transform is running")
    return len(dynamic_layers.state.stack)


# Beginning and ending layers.


def _grad_increment_nesting() -> int:
    return dynamic_layers.push(dynamic_layers.Layer()).level


def _jvp_increment_nesting() -> int:
    layer = dynamic_layers.ForwardLayer()
    layer.tangents = forward_ad.open_level()
    return dynamic_layers.push(layer).level


def _vmap_increment_nesting(batch_size: int, randomness: str) -> int:
    return dynamic_layers.push(batched_tensors.Level(batch_size, randomness)).level


def _func_increment_nesting(reapply_views: bool = False) -> int:
    layer = dynamic_layers.Layer()
    layer.kind = "Functionalize"
    return dynamic_layers.push(layer).level


def pop_dynamic_layer_stack() -> int:
    """Ends the innermost layer; returns its level."""
    layer = dynamic_layers.state.stack[-1]
    if isinstance(layer, dynamic_layers.ForwardLayer):
        forward_ad.close_level(layer.tangents)
    dynamic_layers.pop(layer)
    return layer.level


_grad_decrement_nesting = _jvp_decrement_nesting = _vmap_decrement_nesting = _func_decrement_nesting = pop_dynamic_layer_stack


def pop_dynamic_layer_stack_and_undo_to_depth(depth: int) -> None:
    """Ends layers until ``depth`` are left."""
    while len(dynamic_layers.state.stack) > depth:
        pop_dynamic_layer_stack()


# Tensors.


def _layer(level: int) -> Any:
    stack = dynamic_layers.state.stack
    if not 0 < level <= len(stack):
        raise RuntimeError(f"no function transform runs at level {level}")
    return stack[level - 1]


def _wrap_for_grad(tensor: Tensor, level: int) -> Tensor:
    layer = _layer(level)
    wrapped = tensor.view_as(tensor)
    dynamic_layers.belong(layer, [wrapped])
    return wrapped


def _unwrap_for_grad(tensor: Tensor, level: int) -> Tensor:
    return tensor


def _add_batch_dim(tensor: Tensor, batch_dim: int, level: int) -> Tensor:
    layer = _layer(level)
    example = batched_tensors.rebatched(tensor.movedim(batch_dim, 0) if batch_dim else tensor, layer)
    example.origin = (tensor, batch_dim)
    return example


def _remove_batch_dim(tensor: Tensor, level: int, batch_size: int, out_dim: int) -> Tensor:
    whole = batched_tensors.along(tensor, _layer(level))
    return whole.movedim(0, out_dim)


def _unwrap_batched(tensor: Tensor, level: int) -> tuple[Tensor, int | None]:
    """The batch behind a tensor and its dimension; the tensor and None where there is none at the level."""
    return (
        (get_unwrapped(tensor), maybe_get_bdim(tensor)) if batched_tensors.is_batched(tensor, _layer(level)) else (tensor, None)
    )


def is_batchedtensor(tensor: Tensor) -> bool:
    """Whether the innermost wrapper is that of a ``vmap``."""
    layer = dynamic_layers.innermost_of(tensor)
    return layer is not None and layer.kind == "Vmap"


def is_gradtrackingtensor(tensor: Tensor) -> bool:
    """Whether the innermost wrapper is that of a ``grad`` or ``jvp``."""
    layer = dynamic_layers.innermost_of(tensor)
    return layer is not None and layer.kind in ("Grad", "Jvp")


def is_functorch_wrapped_tensor(tensor: Tensor) -> bool:
    """Whether a transform that runs, or has run, made the tensor its own."""
    return dynamic_layers.innermost_of(tensor) is not None or is_dead_tensor_wrapper(tensor)


def is_functionaltensor(tensor: Tensor) -> bool:
    """Tensors are never wrapped to take in-place ops out of programs."""
    return False


is_legacy_batchedtensor = is_functionaltensor


def maybe_get_level(tensor: Tensor) -> int:
    """The level of the innermost wrapper; -1 if there is none."""
    layer = dynamic_layers.innermost_of(tensor)
    return -1 if layer is None else layer.level


def dlevel(tensor: Tensor) -> int:
    """The level of the innermost wrapper, 0 if there is none, -1 if its layer has ended."""
    layer = dynamic_layers.innermost_of(tensor)
    if layer is not None:
        return layer.level
    return -1 if is_dead_tensor_wrapper(tensor) else 0


def maybe_get_bdim(tensor: Tensor) -> int:
    """Where the batch lies in :func:`get_unwrapped`; -1 if there is none."""
    if not isinstance(tensor, batched_tensors.BatchedTensor) or tensor.shared:
        return -1
    return tensor.origin[1] if tensor.origin is not None else 0


def get_unwrapped(tensor: Tensor) -> Tensor:
    """The tensor behind the innermost wrapper. RuntimeError if there is none."""
    if isinstance(tensor, batched_tensors.BatchedTensor) and not tensor.shared:
        return tensor.origin[0] if tensor.origin is not None else tensor.whole
    if dynamic_layers.innermost_of(tensor) is None and not is_dead_tensor_wrapper(tensor):
        raise RuntimeError("No wrappers present!")
    return dynamic_layers.source_of(tensor)


def is_dead_tensor_wrapper(tensor: Tensor) -> bool:
    """Whether the layer that the tensor was made in has ended."""
    return dynamic_layers.is_left_over(tensor)


def unwrap_if_dead(tensor: Tensor) -> Tensor:
    """The tensor without the history of a layer that has ended."""
    return tensor.detach() if is_dead_tensor_wrapper(tensor) else tensor


def reshape_dim_into(src: int, dst: int, x: Tensor) -> Tensor:
    """The tensor with dimension ``src`` folded into dimension ``dst`` of the others, before it."""
    ndim = x.dim()
    src %= ndim
    dst = dst % (ndim - 1)
    moved: Any = x.movedim(src, dst)
    shape = moved.shape
    return moved.reshape((*shape[:dst], shape[dst] * shape[dst + 1], *shape[dst + 2 :]))


def reshape_dim_outof(src: int, size1: int, x: Tensor) -> Tensor:
    """The tensor with dimension ``src`` as two, the first of size ``size1``."""
    src %= x.dim()
    shape = x.shape
    return x.reshape((*shape[:src], size1, shape[src] // size1, *shape[src + 1 :]))


# Switches.


def _set_vmap_fallback_warning_enabled(enabled: bool) -> None:
    """Whether an op that ``vmap`` has to run example by example warns."""
    batched_tensors.fallback.warns = bool(enabled)


def _set_vmap_fallback_enabled(enabled: bool) -> None:
    """Whether ``vmap`` may run an op example by example; RuntimeError where not."""
    batched_tensors.fallback.enabled = bool(enabled)


def _is_vmap_fallback_enabled() -> bool:
    return batched_tensors.fallback.enabled


def set_inplace_requires_grad_allowed(allowed: bool) -> None:
    """Whether ``requires_grad_()`` may be called inside of transforms."""
    dynamic_layers.state.inplace_requires_grad = bool(allowed)


def get_inplace_requires_grad_allowed() -> bool:
    return dynamic_layers.state.inplace_requires_grad


_single_level = False


def set_single_level_autograd_function_allowed(allowed: bool) -> None:
    """Kept and answered: single-level Functions may always be called."""
    global _single_level
    _single_level = bool(allowed)


def get_single_level_autograd_function_allowed() -> bool:
    return _single_level
