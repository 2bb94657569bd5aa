"""Whether the parts of a sparse tensor fit each other and its size, said as PyTorch says it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base.dtypes import of

Array = Any
_NAMES = {
    "r": ("crow_indices", "col_indices", "rows", "ncols"),
    "c": ("ccol_indices", "row_indices", "columns", "nrows"),
}


def check_places(indices: Array, shape: tuple[int, ...]) -> None:
    """RuntimeError where a column of ``indices`` names no element of ``shape``."""
    for axis, row in enumerate(indices):
        if row.size and row.max() >= shape[axis]:
            raise RuntimeError(
                f"size is inconsistent with indices: for dim {axis}, size is {shape[axis]} but found index {row.max()}"
            )
        if row.size and row.min() < 0:
            raise RuntimeError(f"found negative index {row.min()} for dim {axis}")


def check_factor(indices: Array, shape: tuple[int, ...], turned: bool) -> None:
    """RuntimeError for the first index beyond a matrix that is about to be multiplied; ``turned``: from the other side."""
    bounds = np.array(shape)[:, None]
    beyond = (indices < 0) | (indices >= bounds)
    if beyond.any():
        first = beyond.any(0).argmax()
        order = (0, 1) if turned else (1, 0)
        axis = next(one for one in order if beyond[one, first])
        word = "column" if axis == order[0] else "row"
        raise RuntimeError(f"addmm: index out of {word} bound: {indices[axis, first]} not between 1 and {shape[axis]}")


def check_dimensions(kind: Any, pointers: Array, plain: Array, values: Array) -> None:
    """RuntimeError where the parts of a tensor of layout ``kind`` have dimensions that do not go together."""
    first, second = _NAMES[kind.name[-1]][:2]
    if not pointers.ndim:
        raise RuntimeError(f"{first} must have dimensionality >= 1 but got 0")
    if pointers.ndim != plain.ndim:
        raise RuntimeError(
            f"{first} and {second} dimensionalities must be equal but got {pointers.ndim} and {plain.ndim}, respectively"
        )
    blocks = 2 * kind.name.startswith("sparse_bs")
    if values.ndim < pointers.ndim + blocks:
        raise RuntimeError(
            f"values must have dimensionality > sum of batch and block dimensionalities (={pointers.ndim - 1} + {blocks}) but got "
            f"{values.ndim}"
        )


def check_compressed(
    kind: Any, pointers: Array, plain: Array, values: Array, shape: tuple[int, ...], in_order: bool = False
) -> None:
    """RuntimeError where the parts of a tensor of layout ``kind`` are not sound; ``in_order`` asks for sorted, distinct
    indices too."""
    first, second, lines, _ = _NAMES[kind.name[-1]]
    blocked = kind.name.startswith("sparse_bs")
    dense = values.ndim - 1 - 2 * blocked
    if len(shape) != 2 + dense:
        raise RuntimeError(
            "tensor dimensionality must be sum of batch, base, and dense dimensionalities "
            f"(=0 + 2 + {dense}) but got {len(shape)}"
        )
    block = values.shape[1:3] if blocked else (1, 1)
    for axis in range(2):
        if block[axis] == 0 or shape[axis] % block[axis]:
            raise RuntimeError(
                f"tensor shape[{axis}] (={shape[axis]}) must be divisible with blocksize[{axis}] (={block[axis]}) as defined by "
                "values shape"
            )
    counts = [shape[axis] // block[axis] for axis in range(2)]
    line_count, index_count = counts if kind.name.endswith("r") else counts[::-1]
    if pointers.shape[-1] != line_count + 1:
        lines = lines.removesuffix("s") + " blocks" if blocked else lines
        raise RuntimeError(
            f"{first}.shape[-1] must be equal to the number of {lines} + 1 (={line_count + 1}), but got {pointers.shape[-1]}"
        )
    count = values.shape[0]
    if plain.shape[-1] != count:
        raise RuntimeError(
            f"{second}.shape[-1] must be equal to nnz (={count}) as defined by values.shape[0], but got {plain.shape[-1]}"
        )
    if pointers.dtype != plain.dtype:
        names = (of(part.dtype).scalar_name for part in (pointers, plain))
        raise RuntimeError(f"{first} and {second} must have the same dtype, bot got {' and '.join(names)}, respectively")
    if pointers.dtype not in (np.int32, np.int64):
        raise RuntimeError(f"{first} and {second} dtype must be Int or Long, but got {of(pointers.dtype).scalar_name}")
    check_indices(kind, pointers, plain, index_count, count, in_order)


def check_indices(kind: Any, pointers: Array, plain: Array, index_count: int, count: int, in_order: bool = True) -> None:
    """RuntimeError where the indices of ``count`` values, each below ``index_count``, are not sound."""
    first, second, lines, limit = _NAMES[kind.name[-1]]
    lines = lines.replace("columns", "cols")
    lengths = np.diff(pointers)
    _expect(pointers[0] == 0, f"{first}[..., 0] == 0")
    _expect(pointers[-1] == count, f"{first}[..., -1] == nnz")
    _expect(
        (lengths >= 0).all() and (not in_order or (lengths <= index_count).all()),
        f"0 <= {first}[..., 1:] - {first}[..., :-1] <= {limit}",
    )
    _expect(((plain >= 0) & (plain < index_count)).all(), f"0 <= {second} < {limit}")
    if in_order and count:
        starts = np.isin(np.arange(1, count), pointers)
        _expect(
            (starts | (np.diff(plain) > 0)).all(),
            f"{second}[..., {first}[..., i - 1]:{first}[..., i]] for all i = 1, ..., n{lines} are "
            "sorted and distinct along the last dimension values",
        )


def _expect(holds: Any, what: str) -> None:
    if not holds:
        raise RuntimeError(f"`{what}` is not satisfied.")
