"""Complex numbers: parts, conjugates, angles, and the views between complex tensors and pairs of real numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd.mirrors import is_conjugate, mirror
from ..backend import arithmetic
from ..backend import choice as k
from ..backend import numpy as backend
from ..base.dtypes import of as dtype_of
from ..tensor import Tensor, new_tensor
from .choice import refuse_number
from .out import write_out
from .public import function_of, inplace_form, methods, module, ops, public
from .rule_functions import conj as conjugate
from .table import op

op("real", backend.real_part, kind="linear", x=lambda g: g)
op("imag", backend.imaginary_part, kind="linear", x=lambda g: g * 1j)
op("conj", k.conj, kind="linear", x=lambda g: conjugate(g))
op("conj_physical", k.conj, kind="linear", x=lambda g: conjugate(g))
op("conj_physical_", k.conj, kind="linear", node="ConjPhysicalBackward1", x=lambda g: conjugate(g))
op("neg_view", arithmetic.negative, kind="linear", x=lambda g: -g)
op("view_as_real", k.view_as_real, view=True, kind="linear", x=lambda g, xp: xp.view_as_complex(g))
op("view_as_complex", k.view_as_complex, view=True, kind="linear", x=lambda g, xp: xp.view_as_real(g))
op("angle", k.angle, x=lambda g, xp, x: _turn(g, xp, x))
# PyTorch's node keeps the parts, which it does not use.
op("complex", k.make_complex, kind="linear", real=lambda g, xp, real: xp.real(g), imag=lambda g, xp, imag: xp.imag(g))
op("polar", k.polar,
   abs=lambda g, xp, out: xp.real(g * conjugate(xp.sgn(out))),
   angle=lambda g, xp, out: xp.real(g * conjugate(out * 1j)))  # fmt: skip


def _turn(g: Any, xp: Any, x: Any) -> Any:
    """The way a complex number must move for its angle to grow: across it, by one over its size."""
    if getattr(x, "_array", x).dtype.kind not in "cW":
        return xp.zeroed(g)
    size = xp.masked_fill(xp.abs(x), x == 0, 1)
    return xp.masked_fill(g, x == 0, 0) * (x * 1j) / (size * size)


@public("real", method=False, out=False)
def real(input: Any) -> Tensor:
    """The real part, as a view; a real tensor itself."""
    if input._array.dtype.kind not in "cW":
        return input
    pairs = ops.view_as_real(input)
    return ops.select(pairs, pairs._array.ndim - 1, 0)


class _NoPart(RuntimeError, AttributeError):
    """PyTorch's error, which is no answer to who asks whether a tensor has the attribute: a protocol of xarray's does."""

    __module__ = "builtins"


_NoPart.__qualname__ = _NoPart.__name__ = "RuntimeError"


@public("imag", method=False, out=False)
def imag(input: Any) -> Tensor:
    """The imaginary part, as a view. Raises RuntimeError for a real tensor."""
    if input._array.dtype.kind not in "cW":
        raise _NoPart("imag is not implemented for tensors with non-complex dtypes.")
    pairs = ops.view_as_real(input)
    part = ops.select(pairs, pairs._array.ndim - 1, 1)
    if is_conjugate(input):
        part._negated = True
    return part


methods["real"] = property(real, lambda self, value: real(self).copy_(_tensor(value)))
methods["imag"] = property(imag, lambda self, value: imag(self).copy_(_tensor(value)))


def _tensor(value: Any) -> Any:
    return value if isinstance(value, Tensor) else new_tensor(np.asarray(value))


@public(out=False)
def conj(input: Any) -> Tensor:
    """The complex conjugate; a real tensor itself.

    The values are computed at once; ``is_conj()`` answers as if they were not, and what is written here is written there.
    """
    if input._array.dtype.kind not in "cW":
        return input
    result = ops.conj(input)
    result._conjugate = not is_conjugate(input)
    mirror(result, input, np.conjugate, ops.conj)
    return result


@public()
def conj_physical(input: Any) -> Tensor:
    """The complex conjugate; a real tensor itself."""
    return ops.conj_physical(input) if input._array.dtype.kind in "cW" else input


methods["conj_physical_"] = inplace_form(
    lambda self: self if self._array.dtype.kind == "b" else ops.conj_physical_(self), "conj_physical_"
)
module("torch")["conj_physical_"] = function_of(methods["conj_physical_"])


@public(out=False)
def resolve_conj(input: Any) -> Tensor:
    """The tensor without a pending conjugation: itself if there is none."""
    return ops.clone(input) if is_conjugate(input) else input


@public(out=False)
def resolve_neg(input: Any) -> Tensor:
    """The tensor without a pending negation: itself if there is none."""
    return ops.clone(input) if input._negated else input


@public(out=False)
def _neg_view(input: Any) -> Tensor:
    """The negative, as :func:`conj`: computed at once, and what is written here is written there."""
    result = ops.neg_view(input)
    result._negated = not input._negated
    mirror(result, input, np.negative, ops.neg_view)
    return result


@public(method=False, out=False)
def is_conj(input: Any) -> bool:
    """Whether PyTorch would have this conjugation pending."""
    return is_conjugate(input)


@public(method=False, out=False)
def is_neg(input: Any) -> bool:
    """Whether PyTorch would have this negation pending."""
    return bool(input._negated)


@public(method=False, out=False)
def view_as_real(input: Any) -> Tensor:
    """A complex tensor seen as pairs of real numbers: a view with a last dimension of size 2."""
    if input._array.dtype.kind not in "cW":
        raise RuntimeError("view_as_real is only supported for complex tensors")
    if is_conjugate(input):
        raise RuntimeError(
            "view_as_real doesn't work on unresolved conjugated tensors.  To resolve the conjugate tensor so you can "
            "view it as real, use self.resolve_conj(); however, be warned that the resulting tensor will NOT alias the "
            "original."
        )
    return ops.view_as_real(input)


@public(method=False, out=False)
def view_as_complex(input: Any) -> Tensor:
    """Pairs of real numbers, along a last dimension of size 2, seen as complex numbers."""
    array = input._array
    if array.dtype.kind != "f":
        raise RuntimeError(
            "view_as_complex is only supported for half, float and double tensors, but got a tensor of scalar type: "
            f"{dtype_of(array.dtype).scalar_name}"
        )
    if not array.ndim:
        raise RuntimeError("Input tensor must have one or more dimensions")
    if array.shape[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    steps = [stride // array.itemsize for stride in array.strides]
    if steps[-1] != 1:
        raise RuntimeError("Tensor must have a last dimension with stride 1")
    if any(step % 2 for step in steps[:-1]):
        raise RuntimeError("Tensor must have a stride divisible by 2 for all but last dimension")
    return ops.view_as_complex(input)


@public()
def angle(input: Any) -> Tensor:
    """The angle of complex numbers in radians; pi for negative real numbers, 0 for the others."""
    return ops.angle(input)


def _check_parts(name: str, labels: tuple[str, str], first: Any, second: Any) -> None:
    refuse_number(name, labels, (first, second))
    kinds = [dtype_of(value._array.dtype) for value in (first, second)]
    if not all(kind.name in ("float16", "float32", "float64") for kind in kinds):
        raise RuntimeError(
            "Expected both inputs to be Half, Float or Double tensors but got "
            f"{kinds[0].scalar_name} and {kinds[1].scalar_name}"
        )
    if kinds[0] is not kinds[1]:
        raise RuntimeError(
            f"Expected object of scalar type {kinds[0].scalar_name} but got scalar type {kinds[1].scalar_name} for "
            "second argument"
        )


def _check_target(like: Any, out: Any) -> None:
    double = like._array.dtype == np.float64
    if out is not None and out._array.dtype != (np.complex128 if double else np.complex64):
        raise RuntimeError(
            f"Expected object of scalar type Complex{'Double' if double else 'Float'} but got scalar type "
            f"{dtype_of(out._array.dtype).scalar_name} for argument 'out'"
        )


@public("complex", method=False, out=False)
def complex_(real: Any, imag: Any, *, out: Any = None) -> Tensor:
    """The complex tensor with these parts."""
    _check_parts("complex", ("real", "imag"), real, imag)
    _check_target(real, out)
    return ops.complex(real, imag) if out is None else write_out(ops.complex, "complex", out, (real, imag), {})


@public(method=False, out=False)
def polar(abs: Any, angle: Any, *, out: Any = None) -> Tensor:
    """The complex tensor with these absolute values and angles."""
    _check_parts("polar", ("abs", "angle"), abs, angle)
    _check_target(abs, out)
    return ops.polar(abs, angle) if out is None else write_out(ops.polar, "polar", out, (abs, angle), {})
