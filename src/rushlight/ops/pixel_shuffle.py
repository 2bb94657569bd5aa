"""Pixels moved between space and channels, and channels of groups in turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..backend import pixel_shuffle as k
from ..backend.memory_formats import keeping
from .public import module, ops, public
from .table import op

if TYPE_CHECKING:
    from ..tensor import Tensor

F = "torch.nn.functional"
Shape = tuple[int, ...]

op("pixel_shuffle", keeping(k.pixel_shuffle), kind="linear", x=lambda g, xp, factor: xp.pixel_unshuffle(g, factor))
op("pixel_unshuffle", keeping(k.pixel_unshuffle), kind="linear", x=lambda g, xp, factor: xp.pixel_shuffle(g, factor))
op("channel_shuffle", keeping(k.channel_shuffle), kind="linear",
   x=lambda g, xp, x_shape, groups: xp.channel_shuffle(g, x_shape[1] // groups))  # fmt: skip


def _check_image(input: Any, name: str, label: str, factor: int) -> Shape:
    shape = input._array.shape
    if len(shape) < 3:
        raise RuntimeError(f"{name} expects input to have at least 3 dimensions, but got input with {len(shape)} dimension(s)")
    if factor <= 0:
        raise RuntimeError(f"{name} expects a positive {label}, but got {factor}")
    return shape


@public(space=F, out=False)
def pixel_shuffle(input: Any, upscale_factor: int) -> Tensor:
    """(..., C * factor ** 2, H, W) as (..., C, H * factor, W * factor)."""
    shape = _check_image(input, "pixel_shuffle", "upscale_factor", upscale_factor)
    if shape[-3] % upscale_factor**2:
        raise RuntimeError(
            "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor, but "
            f"input.size(-3)={shape[-3]} is not divisible by {upscale_factor**2}"
        )
    return ops.pixel_shuffle(input, upscale_factor)


@public(space=F, out=False)
def pixel_unshuffle(input: Any, downscale_factor: int) -> Tensor:
    """(..., C, H * factor, W * factor) as (..., C * factor ** 2, H, W)."""
    shape = _check_image(input, "pixel_unshuffle", "downscale_factor", downscale_factor)
    for label, axis in (("height", -2), ("width", -1)):
        if shape[axis] % downscale_factor:
            raise RuntimeError(
                f"pixel_unshuffle expects {label} to be divisible by downscale_factor, but input.size({axis})={shape[axis]} is "
                f"not divisible by {downscale_factor}"
            )
    return ops.pixel_unshuffle(input, downscale_factor)


@public(space=F, out=False)
def channel_shuffle(input: Any, groups: int) -> Tensor:
    """Channels dealt out anew: the first of each group, then the second of each, and so on."""
    shape = input._array.shape
    if len(shape) < 3:
        raise RuntimeError(f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(shape)}")
    if groups <= 0:
        raise RuntimeError(f"Number of groups to divide channels in must be positive. Value of groups:{groups}")
    if shape[1] % groups:
        raise RuntimeError(f"Number of channels must be divisible by groups. Got {shape[1]} channels and {groups} groups.")
    return ops.channel_shuffle(input, groups)


for _name in ("pixel_shuffle", "pixel_unshuffle", "channel_shuffle"):
    module("torch")[_name] = module(F)[_name]
module("torch")["native_channel_shuffle"] = module(F)["native_channel_shuffle"] = module(F)["channel_shuffle"]
