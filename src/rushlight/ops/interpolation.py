"""Images resized: interpolate, and its older names."""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

from ..backend import interpolation as k
from ..backend.memory_formats import keeping
from .integer_arguments import whole_numbers
from .public import module, ops, public
from .table import op

if TYPE_CHECKING:
    from ..tensor import Tensor

F = "torch.nn.functional"
Shape = tuple[int, ...]

# The mode of the kernel, for one name each per number of dimensions.

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
    op(name, keeping(k.interpolate), node=node + "Backward0", kind="linear",
       x=lambda g, xp, x_shape, size, mode, align_corners, scales, antialias: getattr(xp, adjoint)(
           g, x_shape, len(size), mode, align_corners, scales, antialias))  # fmt: skip
    op(adjoint, k.interpolate_input_grad, node=node + "BackwardBackward0", kind="linear",
       g=lambda g, xp, g_shape, rank, mode, align_corners, scales, antialias: getattr(xp, name)(
           g, g_shape[-rank:], mode, align_corners, scales, antialias))  # fmt: skip


for (_mode, _rank), _node in _MODES.items():
    _plain, _, _aa = _mode.partition(" ")
    _resizing(_op_name(_plain, _rank, bool(_aa)), _node)

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
