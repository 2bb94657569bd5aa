"""Dropout and its relatives: noise that PyTorch draws from the default generator."""

from __future__ import annotations

import math
from typing import Any

from ..random import default_generator, stream_of
from . import dispatch
from .public import module, ops, public
from .table import op

op("masked_scale", lambda x, mask, scale: x * mask * scale, node="NativeDropoutBackward0", inputs="mask", kind="linear",
   x=lambda g, mask, scale: g * mask * scale)  # fmt: skip


def default_stream() -> Any:
    """The stream of random numbers that functions without a generator draw from."""
    return stream_of(default_generator)


def _check(p: float) -> None:
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def _noise(input: Any, shape: tuple[int, ...], p: float) -> Any:
    """Ones with probability ``1 - p``, else zeros."""
    return dispatch.new_tensor(default_stream().bernoulli(shape, input._array.dtype, 1 - p))


def _dropped(input: Any, p: float, shape: tuple[int, ...]) -> Any:
    if p == 0 or not input._array.size:
        return input
    if p == 1:
        return input * dispatch.new_tensor(input._array * 0).zero_()
    noise = _noise(input, shape, p)
    noise._array /= 1 - p
    return input * noise


def _variant(name: str, features: bool, alpha: bool, default_p: float = 0.5) -> None:
    from ..autograd import views

    def compute(input: Any, p: float) -> Any:
        array = input._array
        shape = (*array.shape[:2], *(1,) * (array.ndim - 2)) if features else array.shape
        return _alpha(input, p, shape) if alpha else _dropped(input, p, shape)

    def dropout(input: Any, p: float = default_p, training: bool = not alpha, inplace: bool = False) -> Any:
        _check(p)
        if not training:
            return input
        return views.inplace(compute, name + "_", input, p) if inplace else compute(input, p)

    dropout.__name__ = dropout.__qualname__ = name
    dropout.__doc__ = (
        "Zeroes "
        + ("whole channels" if features else "elements")
        + " with probability ``p`` while training"
        + (", keeping mean and variance." if alpha else ", the others scaled by ``1 / (1 - p)``.")
    )
    public(space="torch.nn.functional", out=False)(dropout)
    if name in ("dropout", "alpha_dropout", "feature_alpha_dropout"):

        def plain(input: Any, p: float, train: bool) -> Any:
            return dropout(input, p, train)

        def plain_(input: Any, p: float, train: bool) -> Any:
            return dropout(input, p, train, True)

        plain.__doc__, plain_.__doc__ = dropout.__doc__, dropout.__doc__
        public(name, method=False, out=False)(plain)
        public(name + "_", method=False, out=False)(plain_)


def _alpha(input: Any, p: float, shape: tuple[int, ...]) -> Any:
    """Dropout to the negative limit of selu, then brought back to mean 0 and variance 1 (Klambauer et al., 2017)."""
    if p == 0 or not input._array.size:
        return input
    if p == 1:
        return input * dispatch.new_tensor(input._array * 0).zero_()
    limit = 1.7580993408473766
    noise = _noise(input, shape, p)
    a = 1.0 / math.sqrt((limit * limit * p + 1) * (1 - p))
    b = (noise - 1) * (limit * a) + limit * a * p
    return input * (noise * a) + b


for _name, _features, _alpha_kind in (
    ("dropout", False, False),
    ("alpha_dropout", False, True),
    ("feature_alpha_dropout", True, True),
    ("dropout1d", True, False),
    ("dropout2d", True, False),
    ("dropout3d", True, False),
):
    _variant(_name, _features, _alpha_kind)


@public(method=False, out=False)
def native_dropout(input: Any, p: float, train: bool | None) -> Any:
    """Dropout together with the mask of what was kept."""
    if train is False:
        return input, dispatch.new_tensor(input._array == input._array)
    mask = dispatch.new_tensor(default_stream().bernoulli(input._array.shape, input._array.dtype, 1 - p).astype(bool))
    return ops.masked_scale(input, mask, 1 / (1 - p) if p < 1 else 0.0), mask


module("torch")["feature_dropout"] = lambda input, p, train: module("torch.nn.functional")["dropout2d"](input, p, train)
