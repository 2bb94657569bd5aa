"""``assert_close``: comparing results, with messages that say where they differ."""

from __future__ import annotations

import cmath
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

import numpy as np

import rushlight as torch

from ..base import dtypes
from ..base.errstate import silent
from ..tensor import Tensor
from ..tensors.arguments import warn

__all__ = ["assert_allclose", "assert_close"]

_TOLERANCES = {
    dtypes.float16: (1e-3, 1e-5),
    dtypes.bfloat16: (1.6e-2, 1e-5),
    dtypes.float32: (1.3e-6, 1e-5),
    dtypes.float64: (1e-7, 1e-7),
    dtypes.complex64: (1.3e-6, 1e-5),
    dtypes.complex128: (1e-7, 1e-7),
}

_INDICES = {
    "COO": ("_indices",),
    "CSR": ("crow_indices", "col_indices"),
    "BSR": ("crow_indices", "col_indices"),
    "CSC": ("ccol_indices", "row_indices"),
    "BSC": ("ccol_indices", "row_indices"),
}


class _Comparison:
    """The options of one call."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.rtol, self.atol, self.msg = options.pop("rtol"), options.pop("atol"), options.pop("msg")
        self.options = options
        if (self.rtol is None) != (self.atol is None):
            missing = "no rtol" if self.rtol is None else "no atol"
            raise ValueError(f"Both 'rtol' and 'atol' must be either specified or omitted, but got {missing}.")

    def fail(self, message: str, path: tuple[object, ...]) -> NoReturn:
        if path:
            message += f"\n\nThe failure occurred for item {''.join(f'[{key!r}]' for key in path)}"
        if self.msg is not None:
            message = self.msg(message) if callable(self.msg) else self.msg
        raise AssertionError(message)

    def tolerances(self, *kinds: dtypes.dtype) -> tuple[float, float]:
        if self.rtol is not None:
            return self.rtol, self.atol
        pairs = [_TOLERANCES.get(kind, (0.0, 0.0)) for kind in kinds]
        return max(pair[0] for pair in pairs), max(pair[1] for pair in pairs)

    def compare(self, actual: Any, expected: Any, path: tuple[object, ...]) -> None:
        if isinstance(actual, (str, bytes)) or isinstance(expected, (str, bytes)):
            self._cannot(actual, expected)
        if isinstance(actual, Sequence) and isinstance(expected, Sequence):
            if len(actual) != len(expected):
                self.fail(f"The length of the sequences mismatch: {len(actual)} != {len(expected)}", path)
            for place, (one, other) in enumerate(zip(actual, expected, strict=True)):
                self.compare(one, other, (*path, place))
        elif isinstance(actual, Mapping) and isinstance(expected, Mapping):
            self._compare_mappings(actual, expected, path)
        elif actual is None or expected is None:
            if actual is not expected:
                self.fail(f"None mismatch: {actual} is not {expected}", path)
        elif isinstance(actual, (bool, np.bool_)) and isinstance(expected, (bool, np.bool_)):
            if bool(actual) is not bool(expected):
                self.fail(f"Booleans mismatch: {actual} is not {expected}", path)
        elif _is_number(actual) and _is_number(expected):
            kinds = [_kind_of(actual), _kind_of(expected)]
            if self.options["check_dtype"] and type(actual) is not type(expected):
                self.fail(f"The (d)types do not match: {type(actual)} != {type(expected)}.", path)
            self._compare_scalars(actual, expected, *self.tolerances(*kinds), path)
        elif isinstance(actual, (Tensor, np.ndarray)) and isinstance(expected, (Tensor, np.ndarray)):
            ours, theirs = (one if isinstance(one, Tensor) else torch.as_tensor(one) for one in (actual, expected))
            self._compare_tensors(ours.detach(), theirs.detach(), path)
        else:
            self._cannot(actual, expected)

    def _cannot(self, actual: Any, expected: Any) -> NoReturn:
        kinds = f"{type(actual)} and {type(expected)}"
        raise TypeError(f"No comparison pair was able to handle inputs of type {kinds}.")

    def _compare_mappings(self, actual: Mapping[Any, Any], expected: Mapping[Any, Any], path: tuple[object, ...]) -> None:
        if actual.keys() != expected.keys():
            missing = sorted(expected.keys() - actual.keys(), key=str)
            additional = sorted(actual.keys() - expected.keys(), key=str)
            self.fail(
                f"The keys of the mappings do not match:\nMissing keys in the actual mapping: {missing}\n"
                f"Additional keys in the actual mapping: {additional}",
                path,
            )
        for key in expected:
            self.compare(actual[key], expected[key], (*path, key))

    def _compare_tensors(self, actual: Tensor, expected: Tensor, path: tuple[object, ...]) -> None:
        for attribute in ("shape", *(name for name in ("layout", "device", "dtype") if self.options[f"check_{name}"])):
            ours, theirs = getattr(actual, attribute), getattr(expected, attribute)
            if ours != theirs:
                self.fail(f"The values for attribute '{attribute}' do not match: {ours} != {theirs}.", path)
        strided = actual.layout is torch.strided and expected.layout is torch.strided
        if strided and self.options["check_stride"] and actual.stride() != expected.stride():
            self.fail(f"The values for attribute 'stride()' do not match: {actual.stride()} != {expected.stride()}.", path)
        if actual.is_meta and expected.is_meta:
            return
        rtol, atol = self.tolerances(actual.dtype, expected.dtype)
        if actual.dtype is not expected.dtype:
            common = torch.promote_types(actual.dtype, expected.dtype)
            actual, expected = actual.to(common), expected.to(common)
        if not strided and actual.layout is expected.layout:
            self._compare_parts(actual, expected, rtol, atol, path)
            return
        if not strided:
            actual, expected = (one if one.layout is torch.strided else one.to_dense() for one in (actual, expected))
        self._compare_values(actual, expected, rtol, atol, path)

    def _compare_parts(self, actual: Tensor, expected: Tensor, rtol: float, atol: float, path: tuple[object, ...]) -> None:
        """Of two tensors in one sparse layout: how many values are stored, where, and which."""
        layout = str(actual.layout).rpartition("_")[2].upper()
        if layout == "COO" and actual.sparse_dim() != expected.sparse_dim():
            counts = f"{actual.sparse_dim()} != {expected.sparse_dim()}"
            self.fail(f"The number of sparse dimensions in sparse COO tensors does not match: {counts}", path)
        if actual._nnz() != expected._nnz():
            counts = f"{actual._nnz()} != {expected._nnz()}"
            self.fail(f"The number of specified values in sparse {layout} tensors does not match: {counts}", path)
        for name in _INDICES[layout]:
            ours, theirs = getattr(actual, name)(), getattr(expected, name)()
            common = torch.promote_types(ours.dtype, theirs.dtype)
            ours, theirs = ours.to(common), theirs.to(common)
            self._compare_values(ours, theirs, 0.0, 0.0, path, f"Sparse {layout} {name.lstrip('_')}")
        values = "_values" if layout == "COO" else "values"
        ours, theirs = getattr(actual, values)(), getattr(expected, values)()
        self._compare_values(ours, theirs, rtol, atol, path, f"Sparse {layout} values")

    def _compare_values(
        self, actual: Tensor, expected: Tensor, rtol: float, atol: float, path: tuple[object, ...], what: str = "Tensor-likes"
    ) -> None:
        is_close = torch.isclose(actual, expected, rtol=rtol, atol=atol, equal_nan=self.options["equal_nan"])
        if bool(is_close.all()):
            return
        if actual.numel() == 1 and not actual.ndim:
            self._compare_scalars(actual.item(), expected.item(), rtol, atol, path)
        self.fail(_where_they_differ(what, actual, expected, ~is_close, rtol, atol), path)

    def _compare_scalars(self, actual: Any, expected: Any, rtol: float, atol: float, path: tuple[object, ...]) -> None:
        difference = abs(actual - expected)
        if actual == expected or (self.options["equal_nan"] and cmath.isnan(actual) and cmath.isnan(expected)):
            return
        if cmath.isfinite(actual) and cmath.isfinite(expected) and difference <= atol + rtol * abs(expected):
            return
        relative = difference / abs(expected) if expected else float("inf")
        is_exact = not rtol and not atol
        bounds = ("", "") if is_exact else (f" (up to {atol} allowed)", f" (up to {rtol} allowed)")
        self.fail(
            f"Scalars are not {'equal' if is_exact else 'close'}!\n\nExpected {expected} but got {actual}.\n"
            f"Absolute difference: {difference}{bounds[0]}\nRelative difference: {relative}{bounds[1]}",
            path,
        )


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, complex, np.number)) and not isinstance(value, bool)


def _kind_of(number: Any) -> dtypes.dtype:
    if isinstance(number, np.number):
        return dtypes.of(number.dtype)
    return {int: dtypes.int64, float: dtypes.float64}.get(type(number), dtypes.complex128)


def _where_they_differ(what: str, actual: Tensor, expected: Tensor, differs: Tensor, rtol: float, atol: float) -> str:
    count, total = int(differs.sum()), actual.numel()
    if not actual.is_floating_point() and not actual.is_complex():
        actual, expected = actual.to(dtypes.int64), expected.to(dtypes.int64)
    absolute = (actual - expected).abs()
    absolute[~differs] = 0
    with silent():
        relative = absolute / expected.abs()
    relative[~differs] = 0
    lines = [f"{what} are not {'close' if rtol or atol else 'equal'}!", ""]
    lines.append(f"Mismatched elements: {count} / {total} ({count / total:.1%})")
    for name, values, bound in (("absolute", absolute, atol), ("relative", relative, rtol)):
        flat = int(values.flatten().argmax())
        index = tuple(int(one) for one in np.unravel_index(flat, tuple(values.shape)))
        allowed = f" (up to {bound} allowed)" if rtol or atol else ""
        lines.append(f"Greatest {name} difference: {values.flatten()[flat].item()} at index {index}{allowed}")
    return "\n".join(lines)


def assert_close(
    actual: Any,
    expected: Any,
    *,
    allow_subclasses: bool = True,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = False,
    check_device: bool = True,
    check_dtype: bool = True,
    check_layout: bool = True,
    check_stride: bool = False,
    msg: str | Callable[[str], str] | None = None,
) -> None:
    """AssertionError, saying where, unless tensors, numbers, or sequences and mappings of them are close.

    Tolerances go by the dtype unless both are given; dtypes and shapes must be the same.

    >>> import rushlight as torch
    >>> torch.testing.assert_close(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 2.5]))
    Traceback (most recent call last):
    AssertionError: Tensor-likes are not close!
    <BLANKLINE>
    Mismatched elements: 1 / 2 (50.0%)
    Greatest absolute difference: 0.5 at index (1,) (up to 1e-05 allowed)
    Greatest relative difference: 0.20000000298023224 at index (1,) (up to 1.3e-06 allowed)
    """
    options = {
        "equal_nan": equal_nan,
        "check_device": check_device,
        "check_dtype": check_dtype,
        "check_layout": check_layout,
        "check_stride": check_stride,
    }
    _Comparison({"rtol": rtol, "atol": atol, "msg": msg, **options}).compare(actual, expected, ())


_OLDER_TOLERANCES = {dtypes.float16: (1e-3, 1e-3), dtypes.float32: (1e-4, 1e-5), dtypes.float64: (1e-5, 1e-8)}


def assert_allclose(
    actual: Any,
    expected: Any,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = True,
    msg: str = "",
) -> None:
    """The older :func:`assert_close`, whose tolerances are wider and which does not look at dtypes; it warns that it is old."""
    warn(
        "`torch.testing.assert_allclose()` is deprecated since 1.12 and will be removed in a future release. Please use "
        "`torch.testing.assert_close()` instead. You can find detailed upgrade instructions in "
        "https://github.com/pytorch/pytorch/issues/61844.",
        FutureWarning,
    )
    pair = [one if isinstance(one, Tensor) else torch.tensor(one) for one in (actual, expected)]
    if rtol is None and atol is None:
        rtol, atol = map(max, zip(*(_OLDER_TOLERANCES.get(one.dtype, (0.0, 0.0)) for one in pair), strict=True))
    assert_close(*pair, rtol=rtol, atol=atol, equal_nan=equal_nan, check_device=True, check_dtype=False, msg=msg or None)
