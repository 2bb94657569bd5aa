"""torch._functorch.autograd_function: what custom Functions need under transforms."""

from __future__ import annotations

from typing import Any

from rushlight.tensor import Tensor
from rushlight.transforms.custom_functions import VmapInfo, reduced

__all__ = ["CtxWithSavedTensors", "VmapInfo", "WrappedCtx", "reductify", "reductify_leaf"]


class WrappedCtx:
    """A context that passes everything on to another one, but for what a subclass reserves for itself.

    RuntimeError where the other context has an attribute of a reserved name.
    """

    _pt_reserved_attrs: tuple[str, ...] = ("_pt_reserved_attrs", "_pt_inner_ctx")

    def __init__(self, ctx: Any) -> None:
        if not isinstance(ctx, WrappedCtx):
            for name in type(self)._pt_reserved_attrs:
                if name in ("_pt_reserved_attrs",):
                    continue
                if name in getattr(ctx, "__dict__", {}):
                    raise RuntimeError(
                        f"PyTorch reserves the {type(self)._pt_reserved_attrs} field on ctx. Please name your fields on ctx "
                        "something else to avoid name collision."
                    )
        self.__dict__["_pt_inner_ctx"] = ctx

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_pt_inner_ctx"], name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in type(self)._pt_reserved_attrs:
            self.__dict__[name] = value
        else:
            setattr(self.__dict__["_pt_inner_ctx"], name, value)


class CtxWithSavedTensors(WrappedCtx):
    """A context with other ``saved_tensors``."""

    _pt_reserved_attrs = ("_pt_new_saved_tensors", *WrappedCtx._pt_reserved_attrs)

    def __init__(self, ctx: Any, new_saved_tensors: Any) -> None:
        super().__init__(ctx)
        self._pt_new_saved_tensors = new_saved_tensors

    @property
    def saved_tensors(self) -> Any:
        return self._pt_new_saved_tensors


def reductify(
    grad_input: Any,
    grad_input_bdim: Any,
    input_bdim: Any,
    batch_size: int,
    target_shape_without_bdim_to_reduce_to: Any = None,
) -> tuple[Any, ...]:
    """:func:`reductify_leaf` of several gradients."""
    many = [one if isinstance(one, tuple) else (one,) for one in (grad_input, grad_input_bdim, input_bdim)]
    shapes = target_shape_without_bdim_to_reduce_to or (None,) * len(many[0])
    return tuple(reductify_leaf(g, have, want, batch_size, shape) for g, have, want, shape in zip(*many, shapes, strict=True))


def reductify_leaf(
    grad_input: Tensor | None,
    grad_input_bdim: int | None,
    input_bdim: int | None,
    batch_size: int,
    target_shape_without_bdim_to_reduce_to: Any = None,
) -> Any:
    """A gradient with its batch where that of the input is: summed over where the input has none, repeated where only the input
    has one. ``target_shape_without_bdim_to_reduce_to`` is the shape of one example of the input.

    >>> import rushlight as torch
    >>> from rushlight._functorch.autograd_function import reductify_leaf
    >>> reductify_leaf(torch.ones(3, 2), 0, None, 3)
    tensor([3., 3.])
    """
    if grad_input is None:
        return None
    g: Any = grad_input
    if grad_input_bdim is None and input_bdim is None:
        return g
    shape = target_shape_without_bdim_to_reduce_to
    if input_bdim is None:
        return g.sum(grad_input_bdim)
    g = g.expand(batch_size, *g.shape) if grad_input_bdim is None else g.movedim(grad_input_bdim, 0)
    if shape is not None:
        g = reduced(g, tuple(shape), 1)
    return g.movedim(0, input_bdim)
