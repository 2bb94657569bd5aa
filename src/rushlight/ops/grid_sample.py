"""Images sampled at the places of a grid, and grids made of matrices.

``order`` is that of the derivative along each coordinate.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from ..backend import grid_sample as k
from .integer_arguments import whole_numbers
from .public import module, ops, public
from .table import op

if TYPE_CHECKING:
    from ..tensor import Tensor

F = "torch.nn.functional"
Shape = tuple[int, ...]


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
    op(f"grid_sampler{_rank}", k.grid_sample, node=f"GridSampler{_rank}DBackward0",
       x=lambda g, xp, x, grid, mode, padding_mode, align_corners, order: xp.beside(xp.grid_sampler_adjoint(
           g, grid, tuple(x.shape), mode, padding_mode, align_corners, order), x),
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
    return k.grid_sample_input_grad(h, grid, x_shape, mode, padding_mode, align_corners, order)


op("grid_sampler_adjoint", _grid_sampler_adjoint, node="GridSampler2DBackwardBackward0",
   h=lambda g, xp, grid, mode, padding_mode, align_corners, order: xp.grid_sampler2(
       g, grid, mode, padding_mode, align_corners, order),
   grid=lambda g, xp, h, grid, mode, padding_mode, align_corners, order: _grid_backward(
       h, xp, g, grid, mode, padding_mode, align_corners, order))  # fmt: skip
op("affine_grid_generator", k.affine_grid, kind="linear",
   theta=lambda g, xp, spatial, align_corners: xp.affine_grid_adjoint(g, spatial, align_corners))  # fmt: skip
op("affine_grid_adjoint", k.affine_grid_adjoint, kind="linear",
   g=lambda g, xp, spatial, align_corners: xp.affine_grid_generator(g, spatial, align_corners))  # fmt: skip

_CORNERS = (
    "Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please specify "
    "align_corners=True if the old behavior is desired. See the documentation of grid_sample for details."
)
_UNIT_SIZE = (
    "Since version 1.3.0, affine_grid behavior has changed for unit-size grids when align_corners=True. This is not an "
    "intended use case of affine_grid. See the documentation of affine_grid for details."
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
    if align_corners and min(size[2:]) == 1:
        warnings.warn(_UNIT_SIZE, stacklevel=3)
    elif min(size) <= 0:
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
