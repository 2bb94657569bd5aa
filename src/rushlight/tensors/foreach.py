"""``torch._foreach_*``: an operation on each tensor of a list, in one call. Optimizers in the wild are written with them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ..autograd.rule_errors import broadcast_error
from ..autograd.views import check_writable
from ..base.dtypes import check_cast
from ..ops.public import module, ops
from ..tensor import Tensor

_UNARY = (
    "abs acos asin atan ceil clone cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 max neg reciprocal round "
    "rsqrt sigmoid sign sin sinh sqrt tan tanh trunc"
).split()
_BINARY = "add clamp_max clamp_min div maximum minimum mul pow sub".split()
# These take numbers too, which clamp does.
_BOUNDS = {"clamp_min": "min", "clamp_max": "max"}
_KERNELS = {"maximum": "maximum_cpu", "clamp_min": "maximum_cpu", "minimum": "minimum_cpu", "clamp_max": "minimum_cpu"}
_WITHOUT_INPLACE = {"clone", "max"}


def _all_or_none(function: Callable[..., object]) -> Callable[..., object]:
    """``function``, which writes to each of a list and gives it back: before the first is written to, whether each may be."""

    @functools.wraps(function)
    def call(self: object, *args: object, **kwargs: object) -> object:
        for tensor in self if isinstance(self, (list, tuple)) else ():
            check_writable(tensor)
        function(self, *args, **kwargs)
        return self

    return call


def _of_like_lists(function: Callable[..., object]) -> Callable[..., object]:
    """The same, with PyTorch's errors for lists of no tensors and of different lengths."""

    @functools.wraps(function)
    def call(self: object, *args: object, **kwargs: object) -> object:
        if isinstance(self, (list, tuple)):
            if not self:
                raise RuntimeError("Tensor list must have at least one tensor.")
            for other in (*args, *kwargs.values()):
                if isinstance(other, (list, tuple)) and len(other) != len(self):
                    if other and isinstance(other[0], Tensor):
                        lengths = f"{len(self)} and {len(other)}"
                        raise RuntimeError(f"Tensor lists must have the same number of tensors, got {lengths}")
                    raise RuntimeError("Tensor list must have same number of elements as scalar list.")
        return function(self, *args, **kwargs)

    return call


def _published(name: str, function: Callable[..., object]) -> None:
    function = _of_like_lists(_all_or_none(function) if name.endswith("_") else function)
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name.removeprefix('_foreach_')} of each tensor of a list."
    module("torch")[name] = function


def _spread(value: Any, count: int) -> Sequence[Any]:
    """One value for each tensor: the value itself, or those of a list or a one-dimensional tensor of scalars."""
    if isinstance(value, (list, tuple)):
        return value
    return [value] * count


def _unary(name: str, self: Sequence[Tensor]) -> Any:
    results = tuple([getattr(tensor, name)() for tensor in self])
    return None if name.endswith("_") else results


def _binary(name: str, self: Sequence[Any], other: Any, **options: Any) -> Any:
    if not isinstance(self, (list, tuple)):  # _foreach_pow(scalar, tensors)
        return tuple([power.new_tensor(self).pow(power) for power in other])
    plain = name.removesuffix("_")
    if plain in _KERNELS:
        _expect_real(plain, self, _spread(other, len(self)), name != plain)
    if plain in ("maximum", "minimum"):
        return _extreme(plain, self, other, name != plain)
    bound = _BOUNDS.get(plain)
    method = name if bound is None else "clamp_" if name.endswith("_") else "clamp"
    results = []
    for one, two in zip(self, _spread(other, len(self)), strict=True):
        results.append(getattr(one, method)(two, **options) if bound is None else getattr(one, method)(**{bound: two}))
    return None if name.endswith("_") else tuple(results)


def _expect_real(name: str, self: Sequence[Tensor], rest: Sequence[object], in_place: bool) -> None:
    """PyTorch's errors for complex numbers, of which none is the largest: after those for shapes and casts."""
    for one, two in zip(self, rest, strict=True):
        common = module("torch")["result_type"](one, two)
        if not common.is_complex:
            continue
        if not isinstance(two, Tensor):
            raise NotImplementedError("clamp is not supported for complex types")
        wrong = broadcast_error([tuple(one.shape), tuple(two.shape)])
        if wrong is not None:
            raise wrong
        if in_place:
            check_cast(common.numpy, one.dtype.numpy)
        raise NotImplementedError(f"\"{_KERNELS[name]}\" not implemented for '{common.scalar_name}'")


def _extreme(name: str, self: Sequence[Any], other: Any, in_place: bool) -> Any:
    rest = _spread(other, len(self))
    if any(isinstance(value, Tensor) for value in rest):
        results = [module("torch")[name](one, two) for one, two in zip(self, rest, strict=True)]
    elif rest is other:
        results = [getattr(ops, f"foreach_{name}_each")(one, place, tuple(rest)) for place, one in enumerate(self)]
    else:
        results = [getattr(ops, f"foreach_{name}")(one, other) for one in self]
    if not in_place:
        return tuple(results)
    for one, result in zip(self, results, strict=True):
        one.copy_(result)
    return None


def _ternary(name: str, self: Any, tensor1: Any, tensor2: Any, value: Any = 1, scalars: Any = None) -> Any:
    weights = _spread(value if scalars is None else scalars, len(self))
    if isinstance(weights[0], Tensor):
        weights = [weight.item() for weight in weights]
    rows = zip(self, tensor1, tensor2, weights, strict=True)
    results = tuple([getattr(one, name)(two, three, value=weight) for one, two, three, weight in rows])
    return None if name.endswith("_") else results


def _lerp(name: str, self: Any, tensors1: Any, weight: Any = None, **other: Any) -> Any:
    weights = _spread(other.get("weights", weight), len(self))
    results = tuple([getattr(one, name)(*rest) for one, *rest in zip(self, tensors1, weights, strict=True)])
    return None if name.endswith("_") else results


def _norm(tensors: Sequence[Tensor], ord: Any = 2, dtype: Any = None) -> tuple[Tensor, ...]:
    vector_norm = module("torch.linalg")["vector_norm"]
    return tuple([vector_norm(tensor, ord, dtype=dtype) for tensor in tensors])


def _copy_(self: Sequence[Tensor], src: Sequence[Tensor], non_blocking: bool = False) -> None:
    for target, source in zip(self, src, strict=True):
        target.copy_(source)


def _zero_(self: Sequence[Tensor]) -> None:
    for tensor in self:
        tensor.zero_()


for _name in _UNARY:
    for _ending in ("",) if _name in _WITHOUT_INPLACE else ("", "_"):
        _published(f"_foreach_{_name}{_ending}", functools.partial(_unary, _name + _ending))
for _names, _form in ((_BINARY, _binary), (("addcdiv", "addcmul"), _ternary), (("lerp",), _lerp)):
    for _name in _names:
        for _ending in ("", "_"):
            _published(f"_foreach_{_name}{_ending}", functools.partial(_form, _name + _ending))
_published("_foreach_norm", _norm)
_published("_foreach_copy_", _copy_)
_published("_foreach_zero_", _zero_)
