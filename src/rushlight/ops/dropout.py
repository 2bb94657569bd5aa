"""Dropout and its relatives: noise that PyTorch draws from the default generator."""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from ..autograd import modes, views
from ..autograd.interpreters import stack as interpreters
from ..backend import numpy as backend
from ..backend.nothing import Nothing
from ..base.arguments import NUMBERS, type_name
from ..random import default_generator, memory_axes, stream_of
from ..tensor import Tensor, new_tensor
from .integer_arguments import switch
from .parameters import is_number
from .public import ops, public
from .table import op

op("masked_scale", lambda x, mask, scale: x * mask * scale, node="NativeDropoutBackward0", inputs="mask", kind="linear",
   x=lambda g, mask, scale: g * mask * scale)  # fmt: skip


def default_stream() -> Any:
    """The stream of random numbers that functions without a generator draw from."""
    if modes.state.transforms:
        interpreters.refuse("draw")
    return stream_of(default_generator)


def _check(p: float, kind: type[Exception]) -> None:
    """``kind``  ValueError for what functions in Python refuse, which is no nan; RuntimeError for all that is no probability"""
    if kind is ValueError:
        if p < 0.0 or p > 1.0:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    elif not isinstance(p, (Tensor, *NUMBERS)):
        raise TypeError(f"dropout(): argument 'p' (position 2) must be float, not {type_name(p)}")
    elif not 0 <= p <= 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {p:g}")


def _noise(input: Any, shape: tuple[int, ...], p: float) -> Any:
    """Ones with probability ``1 - p``, else zeros."""

    def draw(shape: tuple[int, ...]) -> Any:
        array = input._array
        if shape != array.shape or array.flags.c_contiguous:
            return _drawn(shape, array.dtype, 1 - p)
        axes = memory_axes(backend.empty_like(array, array.dtype))  # PyTorch draws as the noise lies in memory
        drawn = _drawn(tuple(shape[axis] for axis in axes), array.dtype, 1 - p)
        return new_tensor(drawn._array.transpose(np.argsort(axes)))

    if isinstance(input._array, Nothing):  # on the meta device: its noise lies there, too
        return input.new_empty(shape)
    drawn = interpreters.ask("noise", draw, shape) if modes.state.transforms else NotImplemented
    return draw(shape) if drawn is NotImplemented else drawn


def _drawn(shape: tuple[int, ...], dtype: np.dtype[np.generic], p: float) -> Tensor:
    return new_tensor(default_stream().bernoulli(shape, dtype, p))


Shape = Callable[[Any], tuple[int, ...]]


def _factor(input: Tensor, p: float, noise_shape: Shape) -> Tensor | None:
    """What dropout multiplies by; None where nothing is dropped."""
    if p == 0 or not input._array.size:
        return None
    if p == 1:
        return new_tensor(np.zeros(input._array.shape, input._array.dtype))
    if modes.state.transforms:
        return _noise(input, noise_shape(input), p) / (1 - p)
    return _scaled_noise(input, noise_shape(input), p)


def _dropped(input: Tensor, p: float, noise_shape: Shape) -> Tensor:
    factor = _factor(input, p, noise_shape)
    return input if factor is None else input * factor


def _dropped_in_place(input: Tensor, p: float, noise_shape: Shape) -> Tensor:
    """As :func:`_dropped`, by the write that PyTorch does: none where nothing is dropped."""
    factor = _factor(input, p, noise_shape)
    return input if factor is None else input.mul_(factor)


def _scaled_noise(input: Any, shape: tuple[int, ...], p: float) -> Any:
    """Noise whose mean is one."""
    noise = _noise(input, shape, p)
    if noise._array.dtype.kind in "iub":
        noise.div_(1 - p)  # says why not
    if not isinstance(noise._array, Nothing):
        noise._array /= 1 - p
    return noise


def _own_shape(input: Any) -> tuple[int, ...]:
    return input._array.shape


def _feature_shape(input: Any) -> tuple[int, ...]:
    shape = input._array.shape
    if len(shape) < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    return (*shape[:2], *(1,) * (len(shape) - 2))


def _publish(
    name: str, compute: Any, written: Callable[..., Tensor], what: str, default_training: bool, in_torch: bool
) -> None:
    """Publishes one kind of dropout for nn.functional, and in torch where it is there too."""

    def dropout(input: Any, p: float = 0.5, training: bool = default_training, inplace: bool = False) -> Any:
        _check(p, ValueError)
        _check(p, RuntimeError)
        if not isinstance(input, Tensor):
            raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type_name(input)}")
        if not switch(name, "train", 3, training):
            return input
        return written(input, p) if inplace else compute(input, p)

    def plain(input: Any, p: float, train: bool) -> Any:
        _check(p, RuntimeError)
        return compute(input, p) if switch(name, "train", 3, train) else input

    def plain_(input: Any, p: float, train: bool) -> Any:
        _check(p, RuntimeError)
        return written(input, p) if switch(name + "_", "train", 3, train) else input

    for function, public_name in ((dropout, name), (plain, name), (plain_, name + "_")):
        function.__name__ = function.__qualname__ = public_name
        function.__doc__ = f"Zeroes {what} with probability ``p`` while training."
    if name != "feature_dropout":
        public(space="torch.nn.functional", out=False)(dropout)
    if in_torch:
        public(method=False, out=False)(plain)
        public(method=False, out=False)(plain_)


def _alpha(input: Tensor, p: float, noise_shape: Shape) -> Tensor:
    """Dropout to the negative limit of selu, then brought back to mean 0 and variance 1 (Klambauer et al., 2017)."""
    if not 0 < p < 1 or not input._array.size:
        return _dropped(input, p, noise_shape)
    factor, term = _towards_limit(input, p, noise_shape)
    return input * factor + term


def _alpha_in_place(input: Tensor, p: float, noise_shape: Shape) -> Tensor:
    """As :func:`_alpha`, by the writes that PyTorch does."""
    if not 0 < p < 1 or not input._array.size:
        return _dropped_in_place(input, p, noise_shape)
    factor, term = _towards_limit(input, p, noise_shape)
    return input.mul_(factor).add_(term)


def _towards_limit(input: Tensor, p: float, noise_shape: Shape) -> tuple[Tensor, Tensor]:
    limit = 1.7580993408473766
    if input._array.dtype.kind in "biu":  # the noise is of their dtype, and is multiplied by a float
        raise RuntimeError(f"result type Float can't be cast to the desired output type {input.dtype.scalar_name}")
    noise = _noise(input, noise_shape(input), p)
    a = 1.0 / math.sqrt((limit * limit * p + 1) * (1 - p))
    return noise * a, (noise - 1) * (limit * a) + limit * a * p


for _name, _compute, _written, _shape, _what in (
    ("dropout", _dropped, _dropped_in_place, _own_shape, "elements"),
    ("feature_dropout", _dropped, _dropped_in_place, _feature_shape, "whole channels"),
    ("alpha_dropout", _alpha, _alpha_in_place, _own_shape, "elements (as selu sees it)"),
    ("feature_alpha_dropout", _alpha, _alpha_in_place, _feature_shape, "channels (as selu sees it)"),
):
    _publish(
        _name,
        functools.partial(_compute, noise_shape=_shape),
        functools.partial(_written, noise_shape=_shape),
        _what,
        "alpha" not in _name,
        True,
    )


def _spatial(rank: int) -> Any:
    name = f"dropout{rank}d"
    spatial = ("dimension", "dimensions")[rank > 1]

    def dropout(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
        _check(p, ValueError)
        ndim = input._array.ndim
        if ndim not in (rank + 1, rank + 2):
            purpose = (
                f"Note that {name} exists to provide channel-wise dropout on inputs with {rank} spatial {spatial}, a channel "
            )
            if rank == 1:
                raise RuntimeError(
                    f"{name}: Expected 2D or 3D input, but received a {ndim}D input. {purpose}dimension, and an optional batch "
                    "dimension (i.e. 2D or 3D inputs)."
                )
            if rank == 3 or ndim != 3:
                warnings.warn(
                    f"{name}: Received a {ndim}-D input to {name}, which is deprecated and will result in an error in a future "
                    "release. To retain the behavior and silence this warning, please use dropout instead. "
                    f"{purpose}dimension, "
                    f"and an optional batch dimension (i.e. {rank + 1}D or {rank + 2}D inputs).",
                    stacklevel=3,
                )
        if rank == 2 and ndim == 3:
            warnings.warn(
                "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout behavior is desired - "
                "input is interpreted as shape (N, C, L), where C is the channel dim. This behavior will change in a future "
                "release to interpret the input as one without a batch dimension, i.e. shape (C, H, W). To maintain the 1D "
                "channel-wise dropout behavior, please switch to using dropout1d instead.",
                stacklevel=3,
            )
        if not is_number(p):
            raise TypeError(
                f"feature_dropout{'_' * bool(inplace)}(): argument 'p' (position 2) must be float, not {type_name(p)}"
            )
        switch("feature_dropout", "train", 3, training)
        _check(p, RuntimeError)
        alone = rank != 2 and ndim != rank + 2

        def compute(x: Any, p: float) -> Any:
            if alone:
                x = x.unsqueeze(0)
            out = _dropped(x, p, _feature_shape)
            return out.squeeze(0) if alone else out

        if not training:
            return input
        return views.inplace(compute, name + "_", input, p) if inplace else compute(input, p)

    dropout.__name__ = dropout.__qualname__ = name
    dropout.__doc__ = f"Zeroes whole channels of {rank} spatial {spatial} with probability ``p`` while training."
    return public(space="torch.nn.functional", out=False)(dropout)


for _rank in (1, 2, 3):
    _spatial(_rank)


@public(method=False, out=False)
def native_dropout(input: Any, p: float, train: bool | None) -> tuple[Tensor, Tensor]:
    """Dropout together with the mask of what was kept."""
    if train is False:
        return input, new_tensor(input._array == input._array)
    kind = input._array.dtype
    if kind.kind in "biu":
        raise RuntimeError(f"result type Float can't be cast to the desired output type {input.dtype.scalar_name}")
    drawn = input.real if kind.kind == "c" else input  # noise that is as large, of numbers that are drawn
    mask = _noise(drawn, input._array.shape, p).bool()
    return ops.masked_scale(input, mask, 1 / (1 - p) if p < 1 else 0.0), mask
