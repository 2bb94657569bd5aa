"""Matrix products, and what is made of them: matmul, tensordot.

As in PyTorch, ``matmul`` itself has no derivative: it folds its arguments into one of ``dot``, ``mv``, ``mm`` and
``bmm``.
"""

from __future__ import annotations

import math
from typing import Any

from ..backend import matmul as k
from ..backend.notes import with_notes
from ..base import dtypes
from ..tensor import Tensor
from . import older_forms
from .operands import check_batches, of_several, other_side, product_shape, refuse_history
from .out import write_out
from .plain_cases import Case, plain_cases
from .public import CompiledOnUse, alias, axes_of, axis_of, methods, module, ops, public
from .rule_functions import by_number, conj, in_columns, word
from .shape import common_shape, expand
from .table import arrays, op, tensors

op("adjoint", k.adjoint, kind="linear", x=lambda g, xp: xp.adjoint(g))


def _turned(matrix: Any) -> Any:
    """A Tensor's adjoint as graphs of gradients have it: by ``t()``, as a view."""
    return conj(tensors.t(matrix))


def _turned_batch(matrices: Any) -> Any:
    ndim = matrices._array.ndim
    return conj(tensors.transpose(matrices, ndim - 2, ndim - 1))


def _outer(g: Any, vector: Any, xp: Any) -> Any:
    return xp.outer(g, conj(vector)) if xp is arrays else xp.mul(g.reshape((*g.shape, 1)), conj(vector))


word("turned", k.adjoint, _turned)
word("adjoint", arrays.adjoint, _turned_batch)
op("mm", k.product, kind="bilinear",
   a=lambda g, b, xp, a_strides:
       xp.t(xp.mm(conj(b), xp.t(g))) if in_columns(a_strides, g, g.shape[0]) else xp.mm(g, xp.turned(b)),
   b=lambda g, a, xp, b_strides:
       xp.t(xp.mm(xp.t(g), conj(a))) if in_columns(b_strides, g, a.shape[1]) else xp.mm(xp.turned(a), g))  # fmt: skip
op("bmm", k.batch_product, kind="bilinear",
   a=lambda g, b, xp: xp.bmm(g, xp.adjoint(b)), b=lambda g, a, xp: xp.bmm(xp.adjoint(a), g))  # fmt: skip
op("mv", k.vector_product, kind="bilinear",
   a=lambda g, b, xp: _outer(g, b, xp), b=lambda g, a, xp: xp.mv(xp.turned(a), g))  # fmt: skip
op("dot", k.vector_product, kind="bilinear", a=lambda g, b: g * conj(b), b=lambda g, a: g * conj(a))
op("vdot", k.vdot, a=lambda g, b: conj(g) * b, b=lambda g, a: g * a)
op("outer", k.outer, kind="bilinear",
   a=lambda g, b, xp: xp.mv(g, conj(b)), b=lambda g, a, xp: xp.mv(xp.transpose(g, 0, 1), conj(a)))  # fmt: skip
op("addmm", k.addmm,
   bias=lambda g, beta: g if beta == 1 else by_number(g, conj(beta)),
   a=lambda g, b, xp, alpha, a_strides: scaled_by(
       xp.t(xp.mm(conj(b), xp.t(g))) if in_columns(a_strides, g, g.shape[0]) else xp.mm(g, xp.turned(b)), alpha),
   b=lambda g, a, xp, alpha, b_strides: scaled_by(
       xp.t(xp.mm(xp.t(g), conj(a))) if in_columns(b_strides, g, a.shape[1]) else xp.mm(xp.turned(a), g), alpha))  # fmt: skip
op("addmv", k.addmv,
   bias=lambda g, beta: g if beta == 1 else by_number(g, conj(beta)),
   a=lambda g, b, xp, alpha: scaled_by(_outer(g, b, xp), alpha),
   b=lambda g, a, xp, alpha: scaled_by(xp.mv(xp.turned(a), g), alpha))  # fmt: skip
op("baddbmm", k.addmm,
   bias=lambda g, beta: g if beta == 1 else by_number(g, conj(beta)),
   a=lambda g, b, xp, alpha: scaled_by(xp.bmm(g, xp.adjoint(b)), alpha),
   b=lambda g, a, xp, alpha: scaled_by(xp.bmm(xp.adjoint(a), g), alpha))  # fmt: skip
op("addbmm", k.addbmm,
   bias=lambda g, beta: g if beta == 1 else by_number(g, conj(beta)),
   a=lambda g, b, xp, alpha, a_shape: scaled_by(xp.bmm(xp.expand(g, (a_shape[0], *g.shape)), xp.adjoint(b)), alpha),
   b=lambda g, a, xp, alpha, b_shape: scaled_by(
       xp.bmm(xp.adjoint(a), xp.expand(g, (b_shape[0], *g.shape))), alpha))  # fmt: skip


def scaled_by(value: Any, factor: Any) -> Any:
    if factor == 1:
        return value
    return tensors.times(value, conj(factor)) if hasattr(value, "_array") else by_number(value, conj(factor))


def _same_dtype(a: Any, b: Any) -> None:
    if a._array.dtype != b._array.dtype:
        raise RuntimeError(
            f"expected m1 and m2 to have the same dtype, but got: {dtypes.of(a._array.dtype).c_name} "
            f"!= {dtypes.of(b._array.dtype).c_name}"
        )


def _same_dtypes(bias: Any, mat1: Any, mat2: Any) -> None:
    wanted = mat2._array.dtype
    for name, other in (("self", bias), ("mat1", mat1)):
        if other._array.dtype != wanted:
            have = dtypes.of(other._array.dtype).scalar_name
            raise RuntimeError(f"{name} and mat2 must have the same dtype, but got {have} and {dtypes.of(wanted).scalar_name}")


def _check_sizes(a: Any, b: Any) -> None:
    x, y = a._array, b._array
    if x.shape[1] != y.shape[0]:
        raise with_notes(
            RuntimeError(
                f"mat1 and mat2 shapes cannot be multiplied ({x.shape[0]}x{x.shape[1]} and {y.shape[0]}x{y.shape[1]})"
            ),
            "The number of columns of the first must be the number of rows of the second.",
        )


def _check_mm(a: Any, b: Any) -> None:
    _check_sizes(a, b)
    if a._array.dtype is not b._array.dtype:
        _same_dtype(a, b)


def _refuse_examples(name: str, a: Any, b: Any, *ndims: int) -> None:
    """RuntimeError for factors of wrong dimensions where they are examples of a batch: ``vmap`` has words of its own."""
    if any(map(of_several, (a, b))):
        raise RuntimeError(
            f"Shape mismatch: Got incorrect dims for {name}(a, b). a has dim {a._array.ndim}and b has dim {b._array.ndim}but "
            f"expected them to have dim {ndims[0]} and dim {ndims[1]}"
        )


@public()
def mm(input: Any, mat2: Any) -> Tensor:
    """The product of two matrices.

    >>> import rushlight as torch
    >>> torch.mm(torch.tensor([[1.0, 2.0]]), torch.tensor([[3.0], [4.0]]))
    tensor([[11.]])
    """
    if input._array.ndim != 2 or mat2._array.ndim != 2:
        _refuse_examples("mm", input, mat2, 2, 2)
        raise RuntimeError(f"{'mat2' if input._array.ndim == 2 else 'self'} must be a matrix")
    _check_mm(input, mat2)
    return ops.mm(input, mat2)


module("torch")["spmm"] = module("torch")["dsmm"] = module("torch")["mm"]  # as they were called for sparse matrices


@public()
def bmm(input: Any, mat2: Any) -> Tensor:
    """The products of two batches of matrices."""
    _check_bmm(input, mat2)
    return ops.bmm(input, mat2)


def _check_bmm(input: Any, mat2: Any) -> None:
    x, y = input._array, mat2._array
    if x.ndim != 3 or y.ndim != 3:
        _refuse_examples("bmm", input, mat2, 3, 3)
        raise RuntimeError(f"batch{2 if x.ndim == 3 else 1} must be a 3D tensor")
    if x.shape[0] != y.shape[0] or x.shape[2] != y.shape[1]:
        raise RuntimeError(
            f"Expected size for first two dimensions of batch2 tensor to be: [{x.shape[0]}, {x.shape[2]}] but got: "
            f"[{y.shape[0]}, {y.shape[1]}]."
        )
    if x.dtype != y.dtype:
        if not (x.size and y.size):
            return refuse_history(mat2.dtype, input, mat2)
        if x.dtype.kind == "b":
            raise NotImplementedError("\"bmm\" not implemented for 'Bool'")
        raise RuntimeError(f"expected scalar type {_type_word(x)} but found {_type_word(y)}")


@public()
def mv(input: Any, vec: Any) -> Tensor:
    """A matrix times a vector."""
    x, y = input._array, vec._array
    if not x.ndim:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    if x.ndim != 2 or y.ndim != 1:
        _refuse_examples("mv", input, vec, 2, 1)
        raise RuntimeError(f"vector + matrix @ vector expected, got {1}, {x.ndim}, {y.ndim}")
    if x.shape[1] != y.shape[0]:
        raise RuntimeError(f"size mismatch, got input ({x.shape[0]}), mat ({x.shape[0]}x{x.shape[1]}), vec ({y.shape[0]})")
    if x.dtype != y.dtype:
        word = _type_word(y)
        raise RuntimeError(f"addmv input tensors must have the same dtype, but got {word}, {_type_word(x)}, and {word}")
    return ops.mv(input, vec)


def _type_word(array: Any) -> str:
    return dtypes.of(array.dtype).scalar_name


def _check_vectors(name: str, a: Any, b: Any) -> None:
    x, y = a._array, b._array
    if x.ndim != 1 or y.ndim != 1:
        if any(map(of_several, (a, b))):
            raise RuntimeError(f"Got wrong shapes for {name}")
        raise RuntimeError(f"1D tensors expected, but got {x.ndim}D and {y.ndim}D tensors")
    if x.dtype != y.dtype:
        raise RuntimeError(f"dot : expected both vectors to have same dtype, but found {_type_word(x)} and {_type_word(y)}")
    if x.size != y.size:
        raise RuntimeError(
            f"inconsistent tensor size, expected tensor [{x.size}] and src [{y.size}] to have the same number of "
            f"elements, but got {x.size} and {y.size} elements respectively"
        )


@public()
def dot(input: Any, tensor: Any) -> Tensor:
    """The sum of the products of two vectors' elements."""
    _check_vectors("dot", input, tensor)
    return ops.dot(input, tensor)


@public()
def vdot(input: Any, other: Any) -> Tensor:
    """As :func:`dot`, the first vector conjugated."""
    _check_vectors("vdot", input, other)
    return ops.vdot(input, other)


@public()
def outer(input: Any, vec2: Any) -> Tensor:
    """All products of an element of one vector with one of another, as a matrix."""
    for label, one in (("self", input), ("vec2", vec2)):
        if one._array.ndim != 1:
            raise RuntimeError(f"outer: Expected 1-D argument {label}, but got {one._array.ndim}-D")
    return input.view((-1, 1) if input._array.size else (0, 1)) * vec2


alias("ger", "outer")


@public()
def addmm(input: Any, mat1: Any, mat2: Any, *older: object, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """``beta * input + alpha * mat1 @ mat2``."""
    if older:
        (input, mat1, mat2), factors = older_forms.scaled("addmm", "mat1 mat2", (input, mat1, mat2, *older))
        return addmm(input, mat1, mat2, **factors)
    older_forms.check_numbers(beta, alpha)
    check_addmm(input, mat1, mat2)
    return ops.addmm(input, mat1, mat2, beta, alpha)


def check_addmm(bias: Any, mat1: Any, mat2: Any) -> None:
    _same_dtypes(bias, mat1, mat2)
    for label, one in (("mat1", mat1), ("mat2", mat2)):
        if one._array.ndim != 2:
            _refuse_examples("mm", mat1, mat2, 2, 2)
            raise RuntimeError(f"{label} must be a matrix, got {one._array.ndim}-D tensor")
    _check_sizes(mat1, mat2)
    check_bias(bias, (mat1._array.shape[0], mat2._array.shape[1]))


def check_bias(bias: Any, shape: tuple[int, ...]) -> None:
    have = bias._array.shape
    if have == shape or have == shape[1:]:
        return
    expand(bias.detach(), shape)


@public()
def addmv(input: Any, mat: Any, vec: Any, *older: object, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """``beta * input + alpha * mat @ vec``."""
    if older:
        (input, mat, vec), factors = older_forms.scaled("addmv", "mat vec", (input, mat, vec, *older))
        return addmv(input, mat, vec, **factors)
    older_forms.check_numbers(beta, alpha)
    x, y = mat._array, vec._array
    if x.ndim != 2 or y.ndim != 1 or input._array.ndim > 1:
        raise RuntimeError(f"vector + matrix @ vector expected, got {input._array.ndim}, {x.ndim}, {y.ndim}")
    if x.shape[1] != y.shape[0] or input._array.size not in (1, x.shape[0]):
        axis_of(0, input._array.ndim, wrap_scalar=False)  # whose size is said
        raise RuntimeError(
            f"size mismatch, got input ({input._array.size}), mat ({x.shape[0]}x{x.shape[1]}), vec ({y.shape[0]})"
        )
    names = [dtypes.of(one._array.dtype).scalar_name for one in (input, mat, vec)]
    if len(set(names)) > 1:
        raise RuntimeError("addmv input tensors must have the same dtype, but got {}, {}, and {}".format(*names))
    return ops.addmv(input, mat, vec, beta, alpha)


@public()
def baddbmm(input: Any, batch1: Any, batch2: Any, *older: object, beta: complex = 1, alpha: complex = 1) -> Tensor:
    """``beta * input + alpha * batch1 @ batch2`` for batches of matrices."""
    if older:
        (input, batch1, batch2), factors = older_forms.scaled("baddbmm", "batch1 batch2", (input, batch1, batch2, *older))
        return baddbmm(input, batch1, batch2, **factors)
    older_forms.check_numbers(beta, alpha)
    check_bias(input, product_shape(batch1, batch2))
    if input._array.dtype != batch1._array.dtype:
        have = "input {}, batch1: {}, batch2: {}".format(*[one.dtype.c_name for one in (input, batch1, batch2)])
        raise RuntimeError(f"Input dtypes must be the same, got: {have}")
    _check_bmm(batch1, batch2)
    return ops.baddbmm(input, batch1, batch2, beta, alpha)


@public()
def addbmm(input: Any, batch1: Any, batch2: Any, *older: object, beta: complex = 1, alpha: complex = 1) -> Tensor:
    """``beta * input + alpha *`` the sum of the products of two batches of matrices."""
    if older:
        (input, batch1, batch2), factors = older_forms.scaled("addbmm", "batch1 batch2", (input, batch1, batch2, *older))
        return addbmm(input, batch1, batch2, **factors)
    older_forms.check_numbers(beta, alpha)
    check_bias(input, product_shape(batch1, batch2, 1))
    check_batches(batch1, batch2)
    _same_dtypes(input, batch1, batch2)
    return ops.addbmm(input, batch1, batch2, beta, alpha)


def matmul_of(a: Any, b: Any) -> Any:
    """The matrix product as ``@`` means it: vectors become rows or columns, further dimensions are batches."""
    x, y = a._array, b._array
    m, n = x.ndim, y.ndim
    if m == 2 and n == 2:
        if x.shape[1] != y.shape[0] or x.dtype is not y.dtype:
            _check_mm(a, b)
        return ops.mm(a, b)
    if m == 0 or n == 0:
        raise RuntimeError(f"both arguments to matmul need to be at least 1D, but they are {m}D and {n}D")
    if m == 1 and n == 1:
        return dot(a, b)
    if m == 2 and n == 1:
        return mv(a, b)
    if m == 1 and n == 2:
        row = ops.squeeze_row(mm(a.unsqueeze(0), b), (0,))
        row._counter[0] = 1  # PyTorch squeezes it in place
        return row
    if m == n == 3 and x.shape[0] == 1 != y.shape[0] and a.requires_grad:
        a, m = a.squeeze(0), 2
    elif m == n == 3 and y.shape[0] == 1 != x.shape[0] and b.requires_grad:
        b, n = b.squeeze(0), 2
    # Folding spares the gradient of the smaller one a sum over the batch; a product alone it must not cost a copy.
    if n <= 2 and (b.requires_grad or _rows_in_step(a._array)):
        return _folded(a, b)
    # The product of the transposes, transposed: the batch is on the right.
    if m == 1 and (a.requires_grad or _rows_in_step(y.swapaxes(-1, -2))):
        return _folded(b.transpose(-1, -2), a)
    if m == 2 and a.requires_grad:
        return _folded(b.transpose(-1, -2), a.t()).transpose(-1, -2).contiguous()
    return _batched(a, b)


def _rows_in_step(array: Any) -> bool:
    """Whether the rows of all matrices of a batch are the rows of one matrix, without a copy."""
    if not array.size:
        return True
    shape, strides = array.shape, array.strides
    return all(strides[axis] == strides[axis + 1] * shape[axis + 1] for axis in range(len(shape) - 2))


def _folded(a: Any, b: Any) -> Any:
    """A batch of matrices times one matrix (or vector): one product of two matrices, the batch folded into the rows."""
    shape = a._array.shape
    rows = a.reshape(math.prod(shape[:-1]), shape[-1])
    if b._array.ndim == 1:
        return ops.unsafe_view(mv(rows, b), shape[:-1])
    return ops.unsafe_view(mm(rows, b), (*shape[:-1], b._array.shape[1]))


def _batched(a: Any, b: Any) -> Any:
    """Batches of matrices (or a vector), broadcast: one product for each entry of the batch."""
    x, y = a._array.shape, b._array.shape
    rows, columns = x[-2:-1], y[-1:] if len(y) > 1 else ()
    if len(x) == 1:
        a, x = a.unsqueeze(0), (1, *x)
    if len(y) == 1:
        b, y = b.unsqueeze(1), (*y, 1)
    batch = x[:-2]
    if batch == y[:-2]:
        left, right = _stack(a, x), _stack(b, y)
    else:
        batch = common_shape([batch, y[:-2]])
        left, right = _stack(a, (*batch, *x[-2:])), _stack(b, (*batch, *y[-2:]))
    if x[-1] != y[-2] or a._array.dtype is not b._array.dtype:
        _check_bmm(left, right)
    product = ops.bmm(left, right)
    if not columns:
        product = product.squeeze(-1)
    return ops.unsafe_view(product, batch + rows + columns)


def _stack(value: Any, shape: tuple[int, ...]) -> Any:
    """Matrices broadcast to ``shape`` as one batch, with a single dimension in front: ``expand`` and then ``reshape``."""
    whole = ops.expand(value, shape)
    *batch, rows, columns = shape
    wanted = (math.prod(batch), rows, columns)
    if whole._array.flags.c_contiguous:
        return ops.view(whole, wanted)
    if min(shape) < 2:
        return whole.reshape(wanted)
    steps = whole._array.strides
    for axis in range(len(batch) - 1):
        if steps[axis] != steps[axis + 1] * batch[axis + 1]:
            return ops.unsafe_view(ops.contiguous(whole), wanted)
    return ops.reshape_alias(whole, wanted)


@public()
def matmul(input: Any, other: Any) -> Tensor:
    """The matrix product of two tensors: of vectors the dot product, of batches of matrices the batch of products."""
    return matmul_of(input, other)


def _matmul_operator(self: Any, other: Any) -> Any:
    return matmul_of(self, other) if isinstance(other, Tensor) else other_side("matmul", self, other)


def _rmatmul(self: Any, other: Any) -> Any:
    return matmul_of(other, self) if isinstance(other, Tensor) else other_side("__rmatmul__", self, other)


FITTING = "x_a.shape[1] == len(x_b) and x_a.dtype is x_b.dtype"
_MATRICES = f"x_a.ndim == 2 and x_b.ndim == 2 and {FITTING}"
NO_FACTORS = {"beta": "1", "alpha": "1"}
methods["__matmul__"] = CompiledOnUse("__matmul__", "mm", "operator", _MATRICES, _matmul_operator)
plain_cases("matmul", Case("mm", "input other", _MATRICES))
plain_cases("mm", Case("mm", "input mat2", _MATRICES))
plain_cases("addmm", Case("addmm", "input mat1 mat2", f"{_MATRICES} and x_bias.dtype is x_a.dtype", settings=NO_FACTORS))
methods["__rmatmul__"] = _rmatmul
_rmatmul.__name__ = "__rmatmul__"


@public(method=False, out=False)
def tensordot(a: Any, b: Any, dims: Any = 2, out: Tensor | None = None) -> Tensor:
    """The sum over the products of elements along given dimensions of both tensors."""
    if out is not None:
        return write_out(tensordot, "tensordot", out, (a, b, dims), {})  # type: ignore[no-any-return]
    if isinstance(dims, Tensor):
        dims = dims.tolist()
    if isinstance(dims, (list, tuple)):
        first, second = (list(one) if isinstance(one, (list, tuple)) else [one] for one in dims)
    else:
        if dims < 0:
            raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
        if dims > min(a._array.ndim, b._array.ndim):
            raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
        first = list(range(-dims, 0))
        second = list(range(dims))
    if len(first) != len(second):
        raise RuntimeError("both dimension lists should have same length")
    if a._array.dtype != b._array.dtype:
        raise RuntimeError("both inputs should have same dtype")
    x, y = a._array.shape, b._array.shape
    gone_a = axes_of(first, len(x)) if first else ()
    gone_b = axes_of(second, len(y)) if second else ()
    for axis_a, axis_b, named_a, named_b in zip(gone_a, gone_b, first, second, strict=True):
        if x[axis_a] != y[axis_b] and 1 not in (x[axis_a], y[axis_b]):
            raise RuntimeError(
                f"contracted dimensions need to match, but first has size {x[axis_a]} in dim {named_a} and second has "
                f"size {y[axis_b]} in dim {named_b}"
            )
        if y[axis_b] == 1:
            a = _summed(a, axis_a, keepdim=True)
        elif x[axis_a] == 1:
            b = _summed(b, axis_b, keepdim=True)
    x, y = a._array.shape, b._array.shape
    stay_a = [axis for axis in range(len(x)) if axis not in gone_a]
    stay_b = [axis for axis in range(len(y)) if axis not in gone_b]
    left = a.permute([*stay_a, *gone_a])
    rows, columns = [x[axis] for axis in stay_a], [y[axis] for axis in stay_b]
    size = math.prod(x[axis] for axis in gone_a)
    is_number = math.prod(rows) == math.prod(columns) == 1
    if not is_number:
        left = left.reshape(math.prod(rows), size)
    right = b.permute([*gone_b, *stay_b])
    if not is_number:
        total = mm(left, right.reshape(size, math.prod(columns)))
    elif left.is_contiguous() and right.is_contiguous():
        total = ops.dot(left.flatten(), right.flatten())
    else:
        total = _summed(left.squeeze() * right.squeeze())
    return total.reshape([*rows, *columns])


def _summed(terms: Any, *dim: int, **how: Any) -> Any:
    """The sum of terms in their own dtype, which that of integers has only where it is asked for."""
    if terms.is_floating_point() or terms.is_complex():
        return terms.sum(*dim, **how)
    return terms.sum(*dim, **how, dtype=terms.dtype)
