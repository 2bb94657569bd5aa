"""Tensors that keep the indices and the values of some elements; all others are zero.

Only indices and values are stored. What is computed from such a tensor is computed densely, and the gradients that flow
through the graph are dense: a sparse tensor stands in it for a dense one of the same shape.
"""

from __future__ import annotations

import copy
import math
import re
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from ..autograd import modes
from ..autograd.nodes import leaf_edge
from ..autograd.views import mark_view
from ..backend.sparse_gradients import ScatteredArray
from ..backend.sparse_products import SparseMatrix
from ..base import dtypes
from ..base.attributes import held
from ..base.device import layout, sparse_coo
from ..ops.public import ops
from ..overrides.overridable_methods import watch
from ..overrides.torch_function import DisableTorchFunctionSubclass
from ..tensor import Tensor, make_tensor, wrap
from ..tensors.printing import PRINT_OPTS, numbers_text
from .refusals import refuse_sparse_gradient
from .validity import check_places

Array = np.ndarray[Any, Any]


class SparseTensor(Tensor, own=True):
    """A tensor of a sparse layout. Made by :func:`sparse_coo_tensor` and its kin, and by ``Tensor.to_sparse()``.

    ``_index_arrays``  the index arrays of the layout: one of shape (sparse dimensions, number of values) for ``sparse_coo``, else
                 the pointers of the compressed dimension and the indices of the other
    ``_held``    the values, their number first
    """

    _layout: layout
    _index_arrays: tuple[Array, ...]
    _held: Array
    _is_coalesced: bool
    _mark: modes.Mark
    _cotangent: ScatteredArray | None = None  # that it came from, or was made into

    _matrix: tuple[tuple[Array, ...], SparseMatrix] | None = None  # its indices when products were made with it

    _strided = False

    # What it is.

    @property
    def layout(self) -> layout:
        return self._layout

    @property
    def is_sparse(self) -> bool:  # type: ignore[override]
        return self._layout is sparse_coo

    @property
    def is_sparse_csr(self) -> bool:  # type: ignore[override]
        return self._layout.name == "sparse_csr"

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        if dtype is not None:
            return self.to(dtype)
        return f"torch.sparse.{self.dtype.scalar_name}Tensor"

    def _nnz(self) -> int:
        return int(self._index_arrays[-1].shape[-1])

    def sparse_dim(self) -> int:
        return self._index_arrays[0].shape[0] if self.is_sparse else 2

    def dense_dim(self) -> int:
        return self._array.ndim - self.sparse_dim()

    def is_coalesced(self) -> bool:
        if not self.is_sparse:
            raise RuntimeError(f"is_coalesced expected sparse coordinate tensor layout but got {camel(self._layout)}")
        return self._is_coalesced

    def _coalesced_(self, coalesced: bool) -> SparseTensor:
        """Has the tensor count as coalesced or not, whatever its indices are."""
        if not self.is_sparse:
            raise NotImplementedError(f"Could not run 'aten::_coalesced_' on a tensor of the layout {camel(self._layout)}")
        self._is_coalesced = coalesced
        return self

    # Its parts.

    def coordinates(self) -> tuple[Array, ...]:
        """Where the values stand in the dense tensor: what it is indexed with to get them all. RuntimeError beyond it."""
        if self.is_sparse:
            check_places(self._index_arrays[0], self._array.shape)
            return tuple(self._index_arrays[0]) or (np.array(self._nnz() > 0),)
        pointers, plain = self._index_arrays
        compressed = np.repeat(np.arange(len(pointers) - 1), np.diff(pointers))
        rows, columns = (compressed, plain) if self._layout.name.endswith("sr") else (plain, compressed)
        if not self._layout.name.startswith("sparse_bs"):
            return rows, columns
        height, width = self._held.shape[1:]
        down = rows[:, None, None] * height + np.arange(height)[None, :, None]
        across = columns[:, None, None] * width + np.arange(width)[None, None, :]
        return tuple(np.broadcast_arrays(down, across))

    def _indices(self) -> Tensor:
        return wrap(self._index_arrays[0])

    def _values(self) -> Tensor:
        return wrap(self._held)

    def indices(self) -> Tensor:
        self._expect_coalesced("indices")
        return wrap(self._index_arrays[0])

    def values(self) -> Tensor:
        if self.is_sparse:
            self._expect_coalesced("values")
        needs = self.requires_grad and modes.state.grad_enabled
        result = ops.take_at(self.stand_in(), self.coordinates()) if needs else wrap(self._held)
        if result._edge is not None:
            result._edge[0].frees = True
        result._array = self._held
        mark_view(result, self)
        return result

    def _expect_coalesced(self, what: str) -> None:
        if not self.is_sparse:
            raise RuntimeError(f"{what} expected sparse coordinate tensor layout but got {camel(self._layout)}")
        if not self._is_coalesced:
            raise RuntimeError(f"Cannot get {what} on an uncoalesced tensor, please call .coalesce() first")

    def coalesce(self) -> SparseTensor:
        """The same tensor with its indices in order, and the values of equal indices added up."""
        if not self.is_sparse:
            raise RuntimeError(f"coalesce expected sparse coordinate tensor layout but got {camel(self._layout)}")
        if self._is_coalesced:
            return self
        shape = self._array.shape[: self.sparse_dim()]
        flat = np.ravel_multi_index(self.coordinates(), shape) if shape else np.zeros(self._nnz(), np.int64)
        kept, where = np.unique(flat, return_inverse=True)
        values = np.zeros((len(kept), *self._held.shape[1:]), self._held.dtype)
        np.add.at(values, where, self._held)
        indices = np.array(np.unravel_index(kept, shape) if shape else (), np.int64).reshape(len(shape), len(kept))
        return made(sparse_coo, (indices,), values, self._array.shape, True, self._after(ops.coalesced))

    def crow_indices(self) -> Tensor:
        return self._pointers("crow_indices", "sr", 0)

    def col_indices(self) -> Tensor:
        return self._pointers("col_indices", "sr", 1)

    def ccol_indices(self) -> Tensor:
        return self._pointers("ccol_indices", "sc", 0)

    def row_indices(self) -> Tensor:
        return self._pointers("row_indices", "sc", 1)

    def _pointers(self, name: str, ending: str, part: int) -> Tensor:
        if self.is_sparse or not self._layout.name.endswith(ending):
            kind = "row" if ending == "sr" else "column"
            raise RuntimeError(f"{name} expected sparse {kind} compressed tensor layout but got {camel(self._layout)}")
        return wrap(self._index_arrays[part])

    def as_matrix(self) -> SparseMatrix:
        """What products are made with, kept until indices or values change: both may have been handed out."""
        kept, indices = self._matrix, self._index_arrays
        if (
            kept is None
            or kept[1].values is not self._held
            or not all(np.array_equal(one, now) for one, now in zip(kept[0], indices, strict=True))
        ):
            rows, columns = (one.copy() for one in self.coordinates())
            kept = self._matrix = (
                tuple(one.copy() for one in indices),
                SparseMatrix(rows, columns, self._held, self._array.shape),
            )
        return kept[1]

    # As a dense tensor.

    def dense_array(self) -> Array:
        whole = np.zeros(self._array.shape, self._held.dtype)
        if self.sparse_dim():
            np.add.at(whole, self.coordinates(), self._held)
        else:
            whole[...] = np.add.reduce(self._held, 0, self._held.dtype)
        return whole

    def stand_in(self) -> Tensor:
        """A dense tensor of the same values at the same place of the graph."""
        edge = (self._edge or leaf_edge(self)) if self._needs_grad else None
        dense = make_tensor(self.dense_array(), [0], edge)
        held(dense)["stands_for"] = self  # who asks what a node saved is to see this tensor
        return dense

    def _after(self, op: Callable[..., Any]) -> Any:
        """The place in the graph of a result that ``op`` records; None where nothing is recorded."""
        return op(self.stand_in())._edge if self._needs_grad else None

    def to_dense(self, dtype: Any = None, *, masked_grad: bool | None = None) -> Tensor:
        """The dense tensor. Its gradient comes back at this tensor's indices only, unless ``masked_grad`` is False."""
        if isinstance(dtype, dtypes.dtype):
            raise RuntimeError(f"dtype argument is not supported by sparse_{'' if self.is_sparse else 'csr_'}to_dense")
        with DisableTorchFunctionSubclass():
            whole: Tensor = ops.from_sparse(self.stand_in(), None if masked_grad is False else self.coordinates())
            if whole._edge is not None:
                whole._edge[0].frees = True  # PyTorch keeps the tensor
                if self.is_sparse and self._edge is not None:
                    refuse_sparse_gradient(whole._edge[0], self._edge[0])
            return whole if dtype is None else whole.to(dtype)

    def in_own_layout(self, g: Tensor) -> Tensor:
        """A gradient of this tensor: in its layout where it is dense, and zero at all other indices."""
        if not g._strided:
            return g
        pattern = self.detach().coalesce() if self.is_sparse else self
        indices = pattern.coordinates()
        rest = g._array.copy()
        rest[indices] = 0
        return g if rest.any() else pattern.with_values(g._array[indices], g._edge)

    def scattered(self) -> Any:
        """As a cotangent: by indices and values where the layout is ``sparse_coo``, else dense."""
        if not self.is_sparse:
            return self.dense_array()
        if self._cotangent is None or self._cotangent.values is not self._held:
            self._cotangent = ScatteredArray(self._index_arrays[0], self._held, self._array.shape)
        return self._cotangent

    def added_to(self, g: Any) -> Tensor:
        """This gradient and one that arrives: in place where both have the same layout."""
        if not (self.is_sparse and isinstance(g, ScatteredArray)):
            return wrap(self.dense_array() + np.asarray(g))
        both = self.scattered() + g
        if not isinstance(both, ScatteredArray):
            return wrap(both)
        self._index_arrays, self._held, self._is_coalesced = (both.indices,), both.values, False
        self._counter[0] += 1
        return self

    # Tensors like it.

    @property
    def T(self) -> Tensor:
        if not self.is_sparse:
            raise lacking("as_strided", "SparseCsr")
        return self.t()

    @property
    def mT(self) -> Tensor:
        return self.transpose(-2, -1)

    @property
    def H(self) -> Tensor:
        return self.mT.conj()

    def with_values(self, values: Array, edge: Any = None) -> SparseTensor:
        """Other values at the same indices."""
        return made(self._layout, self._index_arrays, values, self._array.shape, self._is_coalesced, edge)

    def detach(self) -> SparseTensor:
        result = self.with_values(self._held)
        result._counter = self._counter
        return result

    @property
    def data(self) -> SparseTensor:
        return self.detach()

    @data.setter
    def data(self, value: Any) -> None:
        if not isinstance(value, SparseTensor):
            raise RuntimeError(
                "Attempted to call `variable.set_data(tensor)`, but `variable` and `tensor` have incompatible tensor type."
            )
        self._index_arrays, self._held, self._is_coalesced = value._index_arrays, value._held, value._is_coalesced
        self._array, self._layout = value._array, value._layout

    def clone(self, *, memory_format: Any = None) -> SparseTensor:
        if memory_format is not None:
            raise RuntimeError(f"unsupported memory format option {camel(memory_format).removesuffix('Format')}")
        with DisableTorchFunctionSubclass():
            edge = ops.clone(self.stand_in())._edge if self._needs_grad else None
        return self.with_values(self._held.copy(), edge)

    def become(self, other: SparseTensor) -> SparseTensor:
        """Takes over another's indices, values and place in the graph."""
        self._layout, self._index_arrays, self._held, self._is_coalesced = (
            other._layout,
            other._index_arrays,
            other._held,
            other._is_coalesced,
        )
        self._edge, self._needs_grad = other._edge, other._needs_grad
        self._counter[0] += 1
        return self

    # Python.

    def numpy(self, *, force: bool = False) -> Array:
        if force:
            return self.dense_array()
        raise TypeError(f"can't convert {self.implementation()} layout tensor to numpy. Use Tensor.to_dense() first.")

    def implementation(self) -> str:
        """PyTorch's class of such tensors: one has all layouts but sparse_coo."""
        return "Sparse" if self.is_sparse else "SparseCsr"

    def data_ptr(self) -> int:
        raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")

    def untyped_storage(self) -> NoReturn:
        raise NotImplementedError(f"Cannot access storage of {self.implementation()}TensorImpl")

    storage = untyped_storage

    def is_contiguous(self, *, memory_format: Any = None) -> bool:
        if not self.is_sparse:
            raise RuntimeError("Sparse CSR tensors do not have is_contiguous")
        return False

    def stride(self, dim: int | None = None) -> tuple[int, ...] | int:
        if not self.is_sparse:
            raise RuntimeError("Sparse CSR tensors do not have strides")
        return (0,) * self._array.ndim if dim is None else 0

    def storage_offset(self) -> int:
        return 0

    def item(self) -> Any:
        if not self.is_sparse and self._array.size == 1:
            raise lacking("_local_scalar_dense", "SparseCsr")
        return self.to_dense().item()

    def tolist(self) -> NoReturn:
        raise RuntimeError("Cannot access data pointer of Tensor that doesn't have storage")

    def __bool__(self) -> bool:
        return bool(self.to_dense() if self.is_sparse or self._array.size != 1 else self.item())

    def __deepcopy__(self, memo: dict[int, Any]) -> SparseTensor:
        if id(self) not in memo:
            if self._edge is not None:
                raise RuntimeError(
                    "Only Tensors created explicitly by the user (graph leaves) support the deepcopy protocol at the moment."
                )
            twin = made(
                self._layout,
                tuple(part.copy() for part in self._index_arrays),
                self._held.copy(),
                self._array.shape,
                self._is_coalesced,
            )
            twin._needs_grad = self._needs_grad
            memo[id(self)] = twin
            twin._grad = copy.deepcopy(self._grad, memo)
        return memo[id(self)]

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _again, (
            self._layout,
            self._index_arrays,
            self._held,
            self._array.shape,
            self._is_coalesced,
            self.requires_grad,
        )

    def __repr__(self, *, tensor_contents: Any = None) -> str:  # type: ignore[override]
        names = {
            "sparse_coo": ("indices",),
            "sparse_csr": ("crow_indices", "col_indices"),
            "sparse_csc": ("ccol_indices", "row_indices"),
            "sparse_bsr": ("crow_indices", "col_indices"),
            "sparse_bsc": ("ccol_indices", "row_indices"),
        }[self._layout.name]
        parts = [*zip(names, self._index_arrays, strict=True), ("values", self._held)]
        text = "tensor(" + (",\n" + " " * 7).join(f"{name}={_part(array, len(name) + 15)}" for name, array in parts)
        notes = [f"size={tuple(self._array.shape)}", f"nnz={self._nnz()}"]
        if self.dtype not in dtypes.implied_in_print():
            notes.append(f"dtype={self.dtype}")
        notes.append(f"layout={self._layout}")
        if self._edge is not None:
            notes.append(f"grad_fn=<{type(self._edge[0]).__name__}>")
        elif self._needs_grad:
            notes.append("requires_grad=True")
        used = PRINT_OPTS.linewidth if self.is_sparse else len(text) - text.rfind("\n") + 1
        for note in notes:
            if used + len(note) + 2 > PRINT_OPTS.linewidth:
                text, used = f"{text},\n       {note}", 7 + len(note)
            else:
                text, used = f"{text}, {note}", used + len(note) + 2
        return text + ")"


def _part(array: Array, indent: int) -> str:
    """One array as the text of a tensor that stands ``indent`` characters from the left."""
    if array.shape == (0,):
        return "tensor([], size=(0,))"
    if not array.size:
        return re.sub(r",\s*dtype=torch\.\w+\)$", ")", repr(wrap(array)))
    return f"tensor({numbers_text(array, indent)})"


def lacking(name: str, backend: str) -> NotImplementedError:
    """PyTorch's error for a function that it has for other layouts alone."""
    return NotImplementedError(
        f"Could not run 'aten::{name}' with arguments from the '{backend}CPU' backend. This could be because the operator doesn't "
        "exist for this backend."
    )


def camel(kind: layout) -> str:
    """A layout's name in errors: SparseCsr."""
    return "Sparse" if kind is sparse_coo else "".join(word.capitalize() for word in kind.name.split("_"))


def made(
    kind: layout, indices: tuple[Array, ...], values: Array, shape: tuple[int, ...], coalesced: bool, edge: Any = None
) -> SparseTensor:
    """A sparse tensor of its parts, at a place of the graph."""
    watch()  # functions ask it from here on
    if math.prod(int(one) or 1 for one in shape) * values.itemsize >= 2**63:  # NumPy counts bytes, even of what has no memory
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(shape)}")
    result: SparseTensor = object.__new__(SparseTensor)
    result._array = np.broadcast_to(np.zeros((), values.dtype), tuple(shape))  # shape and dtype, no memory
    result._counter = [0]
    result._layout, result._index_arrays, result._held, result._is_coalesced = kind, indices, values, coalesced
    result._edge, result._needs_grad = edge, edge is not None
    result._mark = modes.Mark()
    return result


def of_scattered(array: ScatteredArray) -> SparseTensor:
    """The sparse tensor of a cotangent."""
    result = made(sparse_coo, (array.indices,), array.values, array.shape, False)
    result._cotangent = array
    return result


def gradient(array: ScatteredArray) -> SparseTensor:
    """A cotangent as the gradient of a leaf: the first leaf to get it keeps its memory, others a copy."""
    if array.taken:
        array = ScatteredArray(array.indices.copy(), array.values.copy(), array.shape)
    array.taken = True
    return made(sparse_coo, (array.indices,), array.values, array.shape, False)


def _again(
    kind: layout, indices: tuple[Array, ...], values: Array, shape: tuple[int, ...], coalesced: bool, needs: bool
) -> SparseTensor:
    result = made(kind, indices, values, shape, coalesced)
    result._needs_grad = needs
    return result
