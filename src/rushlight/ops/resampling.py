"""Images resized, sampled at other places, taken apart into windows, and pixels moved between space and channels."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

from ..backend import interpolation, sampling
from ..backend import resampling as k
from ..backend.memory_formats import keeping
from .integer_arguments import whole_numbers
from .public import module, ops, public
from .table import op

if TYPE_CHECKING:
    from ..tensor import Tensor

F = "torch.nn.functional"
Shape = tuple[int, ...]

# Resizing. The mode of the kernel, for one name each per number of dimensions.

_MODES = {
    ("nearest", 1): "UpsampleNearest1D", ("nearest", 2): "UpsampleNearest2D", ("nearest", 3): "UpsampleNearest3D",
    ("nearest-exact", 1): "UpsampleNearestExact1D", ("nearest-exact", 2): "UpsampleNearestExact2D",
    ("nearest-exact", 3): "UpsampleNearestExact3D", ("linear", 1): "UpsampleLinear1D",
    ("linear", 2): "UpsampleBilinear2D", ("linear", 3): "UpsampleTrilinear3D", ("cubic", 2): "UpsampleBicubic2D",
    ("linear antialias", 2): "UpsampleBilinear2DAa", ("cubic antialias", 2): "UpsampleBicubic2DAa",
}  # fmt: skip


def _op_name(mode: str, rank: int, antialias: bool) -> str:
    return f"interpolate_{mode.replace('-', '_')}{'_antialias' if antialias else ''}{rank}"


def _resizing(name: str, node: str) -> None:
    """The op and its adjoint, each of which is the other's rule."""
    adjoint = name + "_adjoint"
    op(name, keeping(interpolation.interpolate), node=node + "Backward0", kind="linear",
       x=lambda g, xp, x_shape, size, mode, align_corners, scales, antialias: getattr(xp, adjoint)(
           g, x_shape, len(size), mode, align_corners, scales, antialias))  # fmt: skip
    op(adjoint, interpolation.interpolate_input_grad, node=node + "BackwardBackward0", kind="linear",
       g=lambda g, xp, g_shape, rank, mode, align_corners, scales, antialias: getattr(xp, name)(
           g, g_shape[-rank:], mode, align_corners, scales, antialias))  # fmt: skip


for (_mode, _rank), _node in _MODES.items():
    _plain, _, _aa = _mode.partition(" ")
    _resizing(_op_name(_plain, _rank, bool(_aa)), _node)

# Sampling at the places of a grid; ``order`` is that of the derivative along each coordinate.


def _grid_backward(
    g: Any, xp: Any, x: Any, grid: Any, mode: str, padding_mode: str, align_corners: bool, order: Shape | None
) -> Any:
    rank = grid.shape[-1]
    order = order or (0,) * rank
    parts = []
    for axis in range(rank):
        higher = tuple(one + (place == axis) for place, one in enumerate(order))
        parts.append(xp.sum(g * xp.grid_sampler2(x, grid, mode, padding_mode, align_corners, higher), (1,), False))
    return xp.stack(parts, len(g.shape) - 1)


for _rank in (2, 3):
    op(f"grid_sampler{_rank}", sampling.grid_sample, node=f"GridSampler{_rank}DBackward0",
       x=lambda g, xp, grid, x_shape, mode, padding_mode, align_corners, order: xp.grid_sampler_adjoint(
           g, grid, x_shape, mode, padding_mode, align_corners, order),
       grid=lambda g, xp, x, grid, mode, padding_mode, align_corners, order: _grid_backward(
           g, xp, x, grid, mode, padding_mode, align_corners, order))  # fmt: skip


def _grid_sampler_adjoint(
    h: Any,
    grid: Any,
    x_shape: Shape,
    mode: str,
    padding_mode: str,
    align_corners: bool,
    order: Shape | None,
) -> Any:
    return sampling.grid_sample_input_grad(h, grid, x_shape, mode, padding_mode, align_corners, order)


op("grid_sampler_adjoint", _grid_sampler_adjoint, node="GridSampler2DBackwardBackward0",
   h=lambda g, xp, grid, mode, padding_mode, align_corners, order: xp.grid_sampler2(
       g, grid, mode, padding_mode, align_corners, order),
   grid=lambda g, xp, h, grid, mode, padding_mode, align_corners, order: _grid_backward(
       h, xp, g, grid, mode, padding_mode, align_corners, order))  # fmt: skip
op("affine_grid_generator", k.affine_grid, kind="linear",
   theta=lambda g, xp, spatial, align_corners: xp.affine_grid_adjoint(g, spatial, align_corners))  # fmt: skip
op("affine_grid_adjoint", k.affine_grid_adjoint, kind="linear",
   g=lambda g, xp, spatial, align_corners: xp.affine_grid_generator(g, spatial, align_corners))  # fmt: skip

# Windows as columns, and pixels between space and channels.

op("im2col", k.im2col, node="Im2ColBackward0", kind="linear",
   x=lambda g, xp, x_shape, window, dilation, padding, stride: xp.col2im(
       g, x_shape[-2:], window, dilation, padding, stride))  # fmt: skip
op("col2im", k.col2im, node="Col2ImBackward0", kind="linear",
   columns=lambda g, xp, window, dilation, padding, stride: xp.im2col(g, window, dilation, padding, stride))  # fmt: skip
op("pixel_shuffle", keeping(k.pixel_shuffle), kind="linear", x=lambda g, xp, factor: xp.pixel_unshuffle(g, factor))
op("pixel_unshuffle", keeping(k.pixel_unshuffle), kind="linear", x=lambda g, xp, factor: xp.pixel_shuffle(g, factor))
op("channel_shuffle", keeping(k.channel_shuffle), kind="linear",
   x=lambda g, xp, x_shape, groups: xp.channel_shuffle(g, x_shape[1] // groups))  # fmt: skip


_KERNEL_MODES = {
    "nearest": ("nearest", (1, 2, 3)),
    "nearest-exact": ("nearest-exact", (1, 2, 3)),
    "linear": ("linear", (1,)),
    "bilinear": ("linear", (2,)),
    "trilinear": ("linear", (3,)),
    "bicubic": ("cubic", (2,)),
}


def _sizes_of(input: Any, size: Any, scale_factor: Any, recompute: bool | None) -> tuple[Shape, Any]:
    """The sizes wanted, and the factors that positions follow from (None: from the sizes)."""
    have = input._array.shape[2:]
    rank = len(have)
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    if size is None and scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    if size is not None:
        wanted = tuple(size) if isinstance(size, (tuple, list)) else (size,) * rank
        if len(wanted) != rank:
            raise ValueError(
                "Input and output must have the same number of spatial dimensions, but got input with spatial dimensions of "
                f"{list(have)} and output size of {size}. Please provide input tensor in (N, C, d1, d2, ...,dK) format and "
                "output size in (o1, o2, ...,oK) format."
            )
        if recompute:
            raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
        return _whole_sizes(size, wanted), None
    factors = tuple(scale_factor) if isinstance(scale_factor, (tuple, list)) else (scale_factor,) * rank
    if len(factors) != rank:
        raise ValueError(
            "Input and scale_factor must have the same number of spatial dimensions, but got input with spatial dimensions of "
            f"{list(have)} and scale_factor of shape {scale_factor}. Please provide input tensor in (N, C, d1, d2, ...,dK) "
            "format and scale_factor in (s1, s2, ...,sK) format."
        )
    wanted = tuple(math.floor(float(one) * factor) for one, factor in zip(have, factors, strict=True))
    return wanted, None if recompute else tuple(float(factor) for factor in factors)


def _whole_sizes(size: Any, wanted: Shape) -> Shape:
    try:
        return whole_numbers("interpolate", "size", 2, wanted)
    except TypeError:
        kinds = [type(one) for one in wanted]
        raise TypeError(
            "expected size to be one of int or Tuple[int] or Tuple[int, int] or Tuple[int, int, int], but got size with types "
            f"{kinds}"
        ) from None


@public(space=F, out=False)
def interpolate(
    input: Any,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: bool | None = None,
    recompute_scale_factor: bool | None = None,
    antialias: bool = False,
) -> Tensor:
    """Resizes (N, C, ...) to ``size``, or by ``scale_factor``.

    Modes: 'nearest', 'nearest-exact', 'linear' (one dimension), 'bilinear' and 'bicubic' (two), 'trilinear' (three), 'area'.

    >>> import rushlight.nn.functional as F, rushlight as torch
    >>> F.interpolate(torch.tensor([[[1.0, 2.0]]]), scale_factor=2)
    tensor([[[1., 1., 2., 2.]]])
    """
    shape = input._array.shape
    if mode in ("nearest", "area", "nearest-exact"):
        if align_corners is not None:
            raise ValueError(
                "align_corners option can only be set with the interpolating modes: linear | bilinear | bicubic | trilinear"
            )
    elif align_corners is None:
        align_corners = False
    rank = len(shape) - 2
    wanted, scales = _sizes_of(input, size, scale_factor, recompute_scale_factor)
    if antialias and not (mode in ("bilinear", "bicubic") and len(shape) == 4):
        raise ValueError(
            "Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D tensor as input"
        )
    if mode == "area" and 1 <= rank <= 3:
        return module(F)[f"adaptive_avg_pool{rank}d"](input, wanted)
    kernel_mode, ranks = _KERNEL_MODES.get(mode, (mode, ()))
    if rank not in ranks:
        if 1 <= rank <= 3 and ranks:
            raise NotImplementedError(f"Got {len(shape)}D input, but {mode} mode needs {ranks[0] + 2}D input")
        raise NotImplementedError(
            f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {len(shape)}D) for the modes: nearest | linear | "
            f"bilinear | bicubic | trilinear | lanczos | area | nearest-exact (got {mode})"
        )
    _check_resize(input, wanted, kernel_mode, rank)
    resize = getattr(ops, _op_name(kernel_mode, rank, antialias))
    return resize(input, wanted, kernel_mode, bool(align_corners), scales, bool(antialias))


def _check_resize(input: Any, wanted: Shape, mode: str, rank: int) -> None:
    shape = input._array.shape
    if min(wanted) <= 0 or 0 in shape[2:]:
        axes = "DHW"[3 - rank :]
        have = ", ".join(f"{axis}: {size}" for axis, size in zip(axes, shape[2:], strict=True))
        want = ", ".join(f"{axis}: {size}" for axis, size in zip(axes, wanted, strict=True))
        joined = "and " if rank == 1 else ""
        raise RuntimeError(f"Input and output sizes should be greater than 0, but got input ({have}) {joined}output ({want})")
    if 0 in shape[1:2]:
        raise RuntimeError(f"Non-empty {rank + 2}D data tensor expected but got a tensor with sizes {list(shape)}")
    kind = input._array.dtype
    if kind.kind not in "fV" and not ((kind.kind == "u" and rank > 1) or (kind.kind == "u" and mode.startswith("nearest"))):
        name = "compute_indices_weights_" + ("nearest" if mode.startswith("nearest") else mode)
        if rank == 2 and mode != "cubic":
            name = f"upsample_{'bilinear' if mode == 'linear' else 'nearest'}2d_channels_last"
        raise NotImplementedError(f"\"{name}\" not implemented for '{input.dtype.scalar_name}'")


@public(space=F, out=False)
def upsample(
    input: Any, size: Any = None, scale_factor: Any = None, mode: str = "nearest", align_corners: bool | None = None
) -> Tensor:
    """:func:`interpolate` under its older name."""
    _deprecated("upsample")
    return interpolate(input, size, scale_factor, mode, align_corners)


@public(space=F, out=False)
def upsample_nearest(input: Any, size: Any = None, scale_factor: Any = None) -> Tensor:
    """:func:`interpolate` to the nearest pixel."""
    _deprecated("upsample_nearest")
    return interpolate(input, size, scale_factor, "nearest")


@public(space=F, out=False)
def upsample_bilinear(input: Any, size: Any = None, scale_factor: Any = None) -> Tensor:
    """:func:`interpolate` with the corners kept in place."""
    _deprecated("upsample_bilinear")
    return interpolate(input, size, scale_factor, "bilinear", True)


def _deprecated(name: str) -> None:
    warnings.warn(f"`nn.functional.{name}` is deprecated. Use `nn.functional.interpolate` instead.", stacklevel=4)


_CORNERS = (
    "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please specify "
    "align_corners=True if the old behavior is desired. See the documentation of grid_sample for details."
)
_SAMPLE_MODES = ("bilinear", "nearest", "bicubic")
_PADDING_MODES = ("zeros", "border", "reflection")


@public(space=F, out=False)
def grid_sample(
    input: Any, grid: Any, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: bool | None = None
) -> Tensor:
    """Images (N, C, *spatial) at the places (N, *out, rank), given from -1 to 1, x first."""
    if mode not in _SAMPLE_MODES:
        raise ValueError(
            f"nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but got: '{mode}'"
        )
    if padding_mode not in _PADDING_MODES:
        raise ValueError(
            "nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', but got: "
            f"'{padding_mode}'"
        )
    if align_corners is None:
        warnings.warn(_CORNERS, stacklevel=3)
        align_corners = False
    return _sampled(input, grid, mode, padding_mode, bool(align_corners))


def _sampled(input: Any, grid: Any, mode: str, padding_mode: str, align_corners: bool) -> Any:
    x, grid_shape = input._array.shape, grid._array.shape
    rank = len(x) - 2
    both = f"but got input with sizes {list(x)} and grid with sizes {list(grid_shape)}"
    if x[:1] != grid_shape[:1]:
        raise RuntimeError(f"grid_sampler(): expected grid and input to have same batch size, {both}")
    if grid_shape[-1] != rank:
        raise RuntimeError(
            f"grid_sampler(): expected grid to have size {rank} in last dimension, but got grid with sizes {list(grid_shape)}"
        )
    if rank not in (2, 3) or len(grid_shape) != len(x):
        raise RuntimeError(f"grid_sampler(): expected 4D or 5D input and grid with same number of dimensions, {both}")
    for axis in range(2, len(x)):
        if not x[axis]:
            raise RuntimeError(
                f"grid_sampler(): expected input to have non-empty spatial dimensions, but input has sizes {list(x)} with "
                f"dimension {axis} being empty"
            )
    if rank == 3 and mode == "bicubic":
        raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")
    if input._array.dtype != grid._array.dtype:
        raise RuntimeError(f"expected scalar type {input.dtype.scalar_name} but found {grid.dtype.scalar_name}")
    if input._array.dtype.kind not in "fV":
        raise NotImplementedError(f"\"grid_sampler_{rank}d_cpu\" not implemented for '{input.dtype.scalar_name}'")
    return getattr(ops, f"grid_sampler{rank}")(input, grid, mode, padding_mode, align_corners, None)


@public(method=False, out=False)
def grid_sampler(input: Any, grid: Any, interpolation_mode: int, padding_mode: int, align_corners: bool) -> Tensor:
    """:func:`torch.nn.functional.grid_sample` with its modes by number."""
    return _sampled(input, grid, _SAMPLE_MODES[interpolation_mode], _PADDING_MODES[padding_mode], bool(align_corners))


module("torch")["grid_sampler_2d"] = module("torch")["grid_sampler"]
module("torch")["grid_sampler_3d"] = module("torch")["grid_sampler"]


@public(space=F, out=False)
def affine_grid(theta: Any, size: Any, align_corners: bool | None = None) -> Tensor:
    """Where matrices (N, rank, rank + 1) put the places of images of ``size`` (N, C, *spatial), for :func:`grid_sample`."""
    if align_corners is None:
        warnings.warn(_CORNERS, stacklevel=3)
        align_corners = False
    if theta._array.dtype.kind not in "fV":
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    rank = len(size) - 2
    if rank not in (2, 3):
        raise NotImplementedError(
            f"affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, respectively. Got size {size}."
        )
    if theta._array.ndim != 3 or theta._array.shape[1:] != (rank, rank + 1):
        raise ValueError(
            f"Expected a batch of {rank}D affine matrices of shape Nx{rank}x{rank + 1} for size {size}. Got {theta.size()}."
        )
    if min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {size}")
    batch, _, *wide = whole_numbers("affine_grid_generator", "size", 2, size, single=False)
    _check_batch(theta, batch)
    return ops.affine_grid_generator(theta, tuple(wide), bool(align_corners))


def _check_batch(theta: Tensor, count: int) -> None:
    have, _, wide = theta._array.shape
    if have != count:
        text = "Expected size for first two dimensions of batch2 tensor to be: [{}, {}] but got: [{}, {}]."
        raise RuntimeError(text.format(count, wide, have, wide))


@public("affine_grid_generator", method=False, out=False)
def _affine_grid_generator(theta: Any, size: Any, align_corners: bool) -> Tensor:
    """:func:`torch.nn.functional.affine_grid`."""
    _check_batch(theta, next(iter(size)))
    return ops.affine_grid_generator(theta, tuple(size)[2:], bool(align_corners))


# Windows as columns.


def _pairs(op: str, **values: Any) -> list[Shape]:
    """Arguments of two whole numbers each, in the order in which the op ``op`` takes them behind its input."""
    pairs = []
    for position, (name, value) in enumerate(values.items(), start=2):
        pair = whole_numbers(op, name, position, value if isinstance(value, (tuple, list)) else [value])
        if len(pair) not in (1, 2):
            raise RuntimeError(f"It is expected {name} equals to 2, but got size {len(pair)}")
        pairs.append(pair * (3 - len(pair)))
    return pairs


def _check_pairs(**pairs: tuple[Shape, str]) -> None:
    for label, (values, short) in pairs.items():
        words = label.replace("_", " ")
        if label == "padding":
            if min(values) < 0:
                raise RuntimeError(f"padding should be non-negative, but got pad_height: {values[0]} pad_width: {values[1]}")
        elif min(values) <= 0:
            raise RuntimeError(
                f"{words} should be greater than zero, but got {short}_height: {values[0]} {short}_width: {values[1]}"
            )


def _shown(values: Shape) -> str:
    return f"({values[0]}, {values[1]})"


@public(space=F, out=False)
def unfold(input: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """The windows of images (N, C, H, W) as columns: (N, C * window, windows)."""
    kernel, spread, pad, step = _pairs("im2col", kernel_size=kernel_size, dilation=dilation, padding=padding, stride=stride)
    shape = input._array.shape
    if len(shape) < 3:
        axis = len(shape)
        raise IndexError(f"Dimension out of range (expected to be in range of [{-axis}, {axis - 1}], but got {axis})")
    _check_pairs(kernel_size=(kernel, "kernel"), dilation=(spread, "dilation"), padding=(pad, "pad"), stride=(step, "stride"))
    if len(shape) not in (3, 4) or 0 in shape[-3:]:
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for "
            "input, but got: "
            f"{list(shape)}"
        )
    blocks = sampling.window_counts(shape[-2:], kernel, spread, pad, step)
    if min(blocks) < 1:
        raise RuntimeError(
            f"Given input with spatial size {_shown(shape[-2:])}, kernel_size={_shown(kernel)}, dilation={_shown(spread)}, "
            f"padding={_shown(pad)}, calculated shape of the array of sliding blocks as {_shown(blocks)}, but its components "
            "must be at least one."
        )
    return ops.im2col(input, kernel, spread, pad, step)


@public(space=F, out=False)
def fold(input: Any, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """Columns (N, C * window, windows) added up where their windows lie in images (N, C, *output_size)."""
    size, kernel, spread, pad, step = _pairs(
        "col2im", output_size=output_size, kernel_size=kernel_size, dilation=dilation, padding=padding, stride=stride
    )
    _check_pairs(kernel_size=(kernel, "kernel"), dilation=(spread, "dilation"), padding=(pad, "pad"), stride=(step, "stride"))
    shape = input._array.shape
    if len(shape) not in (2, 3) or 0 in shape[-2:]:
        raise RuntimeError(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for input, but "
            f"got: {list(shape)}"
        )
    rows = shape[-2]
    if rows % math.prod(kernel):
        raise RuntimeError(
            "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
            f"input.size(1)={rows} and kernel_size={_shown(kernel)}."
        )
    blocks = sampling.window_counts(size, kernel, spread, pad, step)
    described = (
        f"Given output_size={_shown(size)}, kernel_size={_shown(kernel)}, dilation={_shown(spread)}, padding={_shown(pad)}, "
        f"stride={_shown(step)}"
    )
    if shape[-1] != math.prod(blocks):
        raise RuntimeError(
            f"{described}, expected size of input's dimension 2 to match the calculated number of sliding blocks {blocks[0]} * "
            f"{blocks[1]} = {math.prod(blocks)}, but got input.size(2)={shape[-1]}."
        )
    if min(blocks) < 1:
        raise RuntimeError(
            f"{described}, calculated shape of the array of sliding blocks as {_shown(blocks)}, which is too small "
            "(non-positive)"
        )
    return ops.col2im(input, size, kernel, spread, pad, step)


# Pixels between space and channels.


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
