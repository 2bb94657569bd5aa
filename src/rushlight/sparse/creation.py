"""Making sparse tensors: of their parts, and of dense tensors."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..base import dtypes
from ..base.device import layout as Layout
from ..base.device import sparse_bsc, sparse_bsr, sparse_coo, sparse_csc, sparse_csr, strided
from ..ops.argument_forms import held_to_forms
from ..ops.public import ops
from ..overrides.torch_function import DisableTorchFunctionSubclass
from ..tensor import Tensor
from ..tensors.creation import from_data
from .invariants import check_sparse_tensor_invariants
from .tensors import Array, SparseTensor, camel, made
from .validity import check_compressed, check_dimensions, check_indices, check_places


def _as_tensor(value: Any, dtype: Any = None) -> Any:
    result = value if isinstance(value, Tensor) else from_data.tensor(value)
    return result if dtype is None or result.dtype is dtype else result.to(dtype)


def _finished(result: SparseTensor, requires_grad: bool) -> SparseTensor:
    result._needs_grad = result._needs_grad or requires_grad
    return result


@held_to_forms("sparse_coo_tensor")
def sparse_coo_tensor(
    indices: Any = None,
    values: Any = None,
    size: Any = None,
    *,
    dtype: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
    is_coalesced: bool | None = None,
) -> SparseTensor:
    """A tensor of ``values`` at the indices that the columns of ``indices`` name; values of one index count together.

    ``size``  the shape, as small as the indices allow unless given; alone, it makes a tensor without values
    ``check_invariants``  whether indices beyond ``size`` are an error at once; else they are where they are used

    RuntimeError for indices that do not fit the values.

    >>> import rushlight as torch
    >>> s = torch.sparse_coo_tensor([[0, 1, 1], [2, 0, 2]], [3.0, 4.0, 5.0], (2, 3))
    >>> s.to_dense()
    tensor([[0., 0., 3.],
            [4., 0., 5.]])
    """
    if values is None:
        given = indices if size is None else size
        shape = tuple(given) if isinstance(given, (tuple, list)) else (given,)
        if any(one < 0 for one in shape) or math.prod(shape) >= 2**63:
            raise RuntimeError("numel: integer multiplication overflow")
        kind = dtypes.get_default_dtype() if dtype is None else dtype
        index: Array = np.zeros((len(shape), 0), np.int64)
        return _finished(made(sparse_coo, (index,), np.zeros(0, kind.numpy), shape, False), requires_grad)
    held = _as_tensor(values, dtype)
    index = _as_tensor(indices)._array.astype(np.int64)
    if index.ndim != 2:
        raise RuntimeError(f"indices must be sparse_dim x nnz, but got: {list(index.shape)}")
    for name, part in (("indices", indices), ("values", values)):
        if isinstance(part, SparseTensor):
            layout = camel(part.layout).removesuffix("Coo")
            raise RuntimeError(f"expected {name} to be a dense tensor, but got {name} of layout {layout}")
    if held._array.shape[:1] != index.shape[1:]:
        raise RuntimeError(
            f"indices and values must have same nnz, but got nnz from indices: {index.shape[1]}, nnz from values: "
            f"{held._array.shape[0] if held._array.ndim else 0}"
        )
    if size is None:
        most = index.max(1, initial=-1) + 1
        shape = (*(int(one) for one in most), *held._array.shape[1:])
    else:
        shape = tuple(int(one) for one in size)
        _check_dimensions(index, held._array, shape)
    asked = check_sparse_tensor_invariants.is_enabled() if check_invariants is None else check_invariants
    if size is None or asked or held.requires_grad:
        check_places(index, shape)
    edge = None
    if held.requires_grad:
        edge = ops.put_at(held, tuple(index), shape)._edge
    return _finished(made(sparse_coo, (index,), held._array, shape, bool(is_coalesced), edge), requires_grad)


def _check_dimensions(indices: Array, values: Array, shape: tuple[int, ...]) -> None:
    dense = values.ndim - 1
    if len(shape) != len(indices) + dense:
        raise RuntimeError(
            f"'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = {len(shape)}, sparse_dim = {len(indices)}, "
            f"dense_dim = {dense}"
        )


def _compressed(
    kind: Any,
    pointers: Any,
    plain: Any,
    values: Any,
    size: Any,
    dtype: Any,
    requires_grad: bool,
    in_order: bool | None = None,
) -> SparseTensor:
    if kind is None or kind is strided:
        raise RuntimeError(f"sparse_compressed_tensor expected sparse compressed tensor layout but got {str(kind).lower()}")
    held = _as_tensor(values, dtype)
    first, second = (_as_tensor(part)._array for part in (pointers, plain))
    check_dimensions(kind, first, second, held._array)
    block = held._array.shape[1:3] if kind.name.startswith("sparse_bs") else (1, 1)
    if first.ndim == second.ndim != 1:
        raise RuntimeError("batches of compressed sparse tensors are not supported")
    if size is None:
        lengths = ((len(first) - 1), int(second.max(initial=-1)) + 1)
        rows, columns = lengths if kind.name.endswith("sr") else lengths[::-1]
        shape: tuple[int, ...] = (rows * block[0], columns * block[1])
    else:
        shape = tuple(int(one) for one in size)
    in_order = check_sparse_tensor_invariants.is_enabled() if in_order is None else in_order
    check_compressed(kind, first, second, held._array, shape, in_order)
    result = made(kind, (first, second), held._array, shape, True)
    if held.requires_grad:
        result._edge = ops.put_compressed(held, result.coordinates(), shape)._edge
        result._needs_grad = True
    return _finished(result, requires_grad)


def _of_parts(
    kind: Any,
    pointers: Any,
    plain: Any,
    values: Any,
    size: Any,
    *,
    dtype: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
) -> SparseTensor:
    return _compressed(kind, pointers, plain, values, size, dtype, requires_grad, check_invariants)


def _maker(kind: Any, first: str, second: str) -> Any:
    def by_rows(crow_indices: Any, col_indices: Any, values: Any, size: Any = None, **options: Any) -> SparseTensor:
        return _of_parts(kind, crow_indices, col_indices, values, size, **options)

    def by_columns(ccol_indices: Any, row_indices: Any, values: Any, size: Any = None, **options: Any) -> SparseTensor:
        return _of_parts(kind, ccol_indices, row_indices, values, size, **options)

    make = by_rows if first == "crow_indices" else by_columns
    make.__name__ = make.__qualname__ = f"{kind.name}_tensor"
    make.__doc__ = f"A tensor of layout ``{kind}`` of its ``{first}``, ``{second}`` and ``values``."
    return held_to_forms(make.__name__)(make)


sparse_csr_tensor = _maker(sparse_csr, "crow_indices", "col_indices")
sparse_csc_tensor = _maker(sparse_csc, "ccol_indices", "row_indices")
sparse_bsr_tensor = _maker(sparse_bsr, "crow_indices", "col_indices")
sparse_bsc_tensor = _maker(sparse_bsc, "ccol_indices", "row_indices")


@held_to_forms("sparse_compressed_tensor")
def sparse_compressed_tensor(
    compressed_indices: Any,
    plain_indices: Any,
    values: Any,
    size: Any = None,
    *,
    dtype: Any = None,
    layout: Any = None,
    device: Any = None,
    pin_memory: bool = False,
    requires_grad: bool = False,
    check_invariants: bool | None = None,
) -> SparseTensor:
    """A tensor of one of the compressed layouts (``layout``) of its parts.

    >>> import rushlight as torch
    >>> torch.sparse_compressed_tensor([0, 1, 2], [1, 0], [5.0, 6.0], layout=torch.sparse_csr).to_dense()
    tensor([[0., 5.],
            [6., 0.]])
    """
    return _compressed(layout, compressed_indices, plain_indices, values, size, dtype, requires_grad, check_invariants)


# Whether parts make a tensor, without one.


def _validate_sparse_coo_tensor_args(
    indices: Any, values: Any, size: Any, is_coalesced: bool | None = None, check_pinning: bool | None = None
) -> None:
    """RuntimeError for parts that do not make a tensor of coordinates.

    >>> import rushlight as torch
    >>> torch._validate_sparse_coo_tensor_args(torch.tensor([[0, 3]]), torch.ones(2), (3,))
    Traceback (most recent call last):
    RuntimeError: size is inconsistent with indices: for dim 0, size is 3 but found index 3
    """
    index, held = _as_tensor(indices)._array, _as_tensor(values)._array
    if index.ndim != 2:
        raise RuntimeError(f"indices must be sparse_dim x nnz, but got: {list(index.shape)}")
    _check_dimensions(index, held, tuple(size))
    if index.dtype.kind != "i":
        raise RuntimeError(f"expected scalar type Long but found {dtypes.of(index.dtype).scalar_name}")
    check_places(index, tuple(size))


def _validator(layout: Any) -> Any:
    def validate(pointers: Any, plain: Any, values: Any, size: Any, check_pinning: bool | None = None) -> None:
        _validate_sparse_compressed_tensor_args(pointers, plain, values, size, layout)

    validate.__name__ = validate.__qualname__ = f"_validate_{layout.name}_tensor_args"
    validate.__doc__ = f"RuntimeError for parts that do not make a tensor of layout ``{layout}``."
    return validate


def _validate_sparse_compressed_tensor_args(
    compressed_indices: Any, plain_indices: Any, values: Any, size: Any, layout: Any, check_pinning: bool | None = None
) -> None:
    """RuntimeError for parts that do not make a tensor of a compressed layout."""
    _compressed(layout, compressed_indices, plain_indices, values, size, None, False, True)


def _validate_compressed_sparse_indices(
    is_crow: bool, compressed_idx: Any, plain_idx: Any, cdim: int, dim: int, nnz: int
) -> None:
    """RuntimeError for indices, of rows if ``is_crow``, that do not make a compressed matrix.

    >>> import rushlight as torch
    >>> torch._validate_compressed_sparse_indices(True, torch.tensor([0, 1]), torch.tensor([5]), 1, 3, 1)
    Traceback (most recent call last):
    RuntimeError: `0 <= col_indices < ncols` is not satisfied.
    """
    kind, names = (sparse_csr, ("crow", "col", "nrows")) if is_crow else (sparse_csc, ("ccol", "row", "ncols"))
    pointers, plain = _as_tensor(compressed_idx)._array, _as_tensor(plain_idx)._array
    for name, found, wanted, said in (
        (names[0], pointers.shape[-1], cdim + 1, f"{names[2]} + 1"),
        (names[1], plain.shape[-1], nnz, "nnz"),
    ):
        if found != wanted:
            raise RuntimeError(
                f"{name}_indices have wrong shape: {name}_indices.shape[-1] = {found} is not equal to {said} = {wanted}"
            )
    if pointers.dtype != plain.dtype:
        kinds = (dtypes.of(part.dtype).scalar_name for part in (pointers, plain))
        raise RuntimeError("Found dtype {} but expected {}".format(*kinds))
    check_indices(kind, pointers, plain, dim, nnz)


_validate_sparse_csr_tensor_args = _validator(sparse_csr)
_validate_sparse_csc_tensor_args = _validator(sparse_csc)
_validate_sparse_bsr_tensor_args = _validator(sparse_bsr)
_validate_sparse_bsc_tensor_args = _validator(sparse_bsc)


# Of dense tensors.


def converted(tensor: Tensor, kind: Any, sparse_dim: int | None = None, blocksize: Any = None) -> Tensor:
    """A tensor in another layout; the graph records it."""
    if isinstance(tensor, SparseTensor):
        if tensor._layout is kind and (sparse_dim is None or sparse_dim == tensor.sparse_dim()):
            return tensor
        source = tensor.stand_in()
    else:
        source = tensor
    if kind is strided:
        return tensor.to_dense()
    with DisableTorchFunctionSubclass():
        edge = getattr(ops, f"to_{kind.name}")(source)._edge if source._needs_grad else None
    if isinstance(tensor, SparseTensor) and _is_matrix(tensor) and kind in _BY_PLACES and sparse_dim in (None, 2):
        return _moved(tensor.coalesce() if tensor.is_sparse else tensor, kind, edge)
    return laid_out(source._array, kind, sparse_dim, blocksize, edge)


def refuse_dimensions(self: SparseTensor, kind: Layout, name: str, sparse_dim: int | None, dense_dim: int | None) -> None:
    """RuntimeError where a sparse tensor in another layout is to have a number of dimensions that are dense, or others sparse."""
    own = self.sparse_dim()
    if dense_dim is None and sparse_dim in (None, own):
        return
    if self._layout is not kind:
        start = "sparse_compressed_" if not self.is_sparse else "coo_" if name != "to_sparse" else "sparse_coo_"
        name = start + name
    what = (
        "dense_dim argument given"
        if dense_dim is not None
        else f"sparse_dim argument !={'self.sparse_dim()' if self.is_sparse else own}"
    )
    raise RuntimeError(f"{name}: conversion from {camel(self._layout)} to {camel(kind)} with {what} is not supported")


_BY_PLACES = (sparse_coo, sparse_csr, sparse_csc)


def _is_matrix(tensor: SparseTensor) -> bool:
    """Whether it is a matrix of places with a number each."""
    return tensor._layout in _BY_PLACES and tensor._array.ndim == tensor.sparse_dim() == 2 and tensor._held.ndim == 1


def _moved(tensor: SparseTensor, kind: Layout, edge: object) -> SparseTensor:
    """The same values at the same places, zeros among them, in another layout."""
    places = tensor.coordinates()
    shape = tensor._array.shape
    if kind is sparse_coo:
        return made(kind, (np.stack(places).astype(np.int64),), tensor._held, shape, True, edge)
    by_rows = kind is sparse_csr
    order = np.lexsort(places[::-1] if by_rows else places)
    lines, others = (places[axis][order] for axis in ((0, 1) if by_rows else (1, 0)))
    pointers = np.concatenate([[0], np.cumsum(np.bincount(lines, minlength=shape[0 if by_rows else 1]))])
    return made(kind, (pointers.astype(np.int64), others.astype(np.int64)), tensor._held[order], shape, True, edge)


def laid_out(array: Array, kind: Any, sparse_dim: int | None = None, blocksize: Any = None, edge: Any = None) -> SparseTensor:
    """The elements of an array that are not zero, in a sparse layout."""
    if kind is sparse_coo:
        count = array.ndim if sparse_dim is None else sparse_dim
        if not 0 <= count <= array.ndim:
            raise RuntimeError(f"dense_to_sparse: sparse_dim argument must be in [0,{array.ndim}] range, but {count} is given")
        if array.ndim and not count:
            raise RuntimeError("dense_to_sparse: sparse_dim argument must be in >0 when self.dim()>0")
        wanted = array if count == array.ndim else (array != 0).any(tuple(range(count, array.ndim)))
        indices = np.argwhere(wanted).T.astype(np.int64)
        values = array[tuple(indices)] if count else array[wanted != 0]
        return made(kind, (indices,), values, array.shape, True, edge)
    if array.ndim != 2:
        raise RuntimeError(f"to_{kind.name}: only tensors of two dimensions are supported, but got {array.ndim} of them")
    by_rows = kind.name.endswith("sr")
    if kind.name.startswith("sparse_bs"):
        if blocksize is None:
            raise RuntimeError(f"to_sparse for {camel(strided)} to {camel(kind)} conversion requires blocksize specified")
        if len(blocksize) != 2:
            name = str(kind).rpartition("_")[2]
            raise RuntimeError(f"dense_to_sparse_{name}: blocksize needs to be a tuple of size 2, but got {len(blocksize)}")
        height, width = blocksize
        if array.shape[0] % height or array.shape[1] % width:
            raise RuntimeError(
                f"tensor sparse size ({array.shape[0]},{array.shape[1]}) must be divisible by given blocksize ({height},{width})"
            )
        blocks = array.reshape(array.shape[0] // height, height, array.shape[1] // width, width).swapaxes(1, 2)
        filled = (blocks != 0).any((2, 3))
    else:
        blocks, filled = array, array != 0
    lines, others = np.nonzero(filled if by_rows else filled.T)
    values = blocks[lines, others] if by_rows else blocks[others, lines]
    pointers = np.concatenate([[0], np.cumsum(np.bincount(lines, minlength=filled.shape[0 if by_rows else 1]))])
    return made(kind, (pointers.astype(np.int64), others.astype(np.int64)), values, array.shape, True, edge)


def sparse_mask(tensor: Tensor, mask: SparseTensor) -> SparseTensor:
    """The elements of a dense tensor at the indices of ``mask``."""
    if not isinstance(mask, SparseTensor):
        raise NotImplementedError("Could not run 'aten::sparse_mask' with arguments from the 'CPU' backend.")
    source = tensor.stand_in() if isinstance(tensor, SparseTensor) else tensor
    mask = mask.detach().coalesce() if mask.is_sparse else mask
    indices = mask.coordinates()
    with DisableTorchFunctionSubclass():
        edge = ops.keep_at(source, indices)._edge if source._needs_grad else None
    return mask.with_values(source._array[indices], edge)


def _rebuild_sparse_tensor(layout: Any, data: tuple[Any, ...]) -> SparseTensor:
    """A tensor of a sparse layout of its indices, values and size. RuntimeError where they do not fit each other.

    >>> import rushlight as torch
    >>> from rushlight._utils import _rebuild_sparse_tensor
    >>> _rebuild_sparse_tensor(torch.sparse_coo, (torch.tensor([[0, 1]]), torch.tensor([4.0, 5.0]), (2,), True)).to_dense()
    tensor([4., 5.])
    """
    count = 2 if layout is sparse_coo else 3
    if not isinstance(layout, Layout) or not all(isinstance(part, Tensor) for part in data[:count]):
        raise RuntimeError("a saved sparse tensor has no layout, or parts that are no tensors")
    if layout is sparse_coo:
        indices, values, size, *coalesced = data
        return sparse_coo_tensor(indices, values, size, is_coalesced=bool(coalesced and coalesced[0]), check_invariants=True)
    if layout.name not in ("sparse_csr", "sparse_csc", "sparse_bsr", "sparse_bsc"):
        raise NotImplementedError(f"rebuilding sparse tensor for layout {layout}")
    pointers, plain, values, size = data
    return sparse_compressed_tensor(pointers, plain, values, size, layout=layout)


_rebuild_sparse_tensor.__module__ = "rushlight._utils"  # where PyTorch has it: pickles name the place
