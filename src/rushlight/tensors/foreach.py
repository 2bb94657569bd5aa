"""``torch._foreach_*``: an operation on each tensor of a list, in one call. Optimizers in the wild are written with them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from ..autograd import modes
from ..autograd.nodes import coming_number
from ..autograd.overlaps import overlaps_itself
from ..autograd.rule_errors import broadcast_error
from ..autograd.views import check_writable, inplace
from ..base.dtypes import check_cast
from ..ops.public import module, ops
from ..tensor import Tensor
from .foreach_nodes import each_node_counts, is_list_of_tensors, joined, rename_written

_UNARY = (
    "abs acos asin atan ceil clone cos cosh erf erfc exp expm1 floor frac lgamma log log10 log1p log2 max neg reciprocal round "
    "rsqrt sigmoid sign sin sinh sqrt tan tanh trunc"
).split()
_BINARY = "add clamp_max clamp_min div maximum minimum mul pow sub".split()
_KERNELS = {"maximum": "maximum_cpu", "clamp_min": "maximum_cpu", "minimum": "minimum_cpu", "clamp_max": "minimum_cpu"}
_WITHOUT_INPLACE = {"clone", "max"}


def _all_or_none(name: str, function: Callable[..., object]) -> Callable[..., object]:
    """``function``, which writes to each of a list and gives it back: whether each may be written to is
    asked before the first is, and none has another place in the graph where one is refused."""

    @functools.wraps(function)
    def call(self: Sequence[Tensor], *args: object, **kwargs: object) -> object:
        for tensor in self:
            check_writable(tensor)
        for tensor in self:
            if tensor._conjugate or tensor._negated:
                kind = "conjugate" if tensor._conjugate else "negation"
                raise RuntimeError(
                    f" fallback doesn't currently support mutable TensorLists with {kind} inputs. Please materialize all the "
                    f"{kind} input tensor(s) in the mutable TensorList inputs before calling aten::{name}"
                )
        places = [(tensor, tensor._edge, tensor._needs_grad) for tensor in self if tensor._base is None]
        try:
            function(self, *args, **kwargs)
        except Exception:
            for tensor, edge, needs in places:  # what has been written to by then has no new history
                tensor._edge, tensor._needs_grad = edge, needs
            raise
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


def _overload(name: str, args: Sequence[object]) -> str:
    """PyTorch's name for the way in which a function over lists is called."""
    plain = name.removeprefix("_foreach_").removesuffix("_")
    if plain in (*_UNARY, "copy", "zero"):
        return name
    if not isinstance(args[0], (list, tuple)):
        return f"{name}.ScalarAndTensor"
    last = args[-1] if len(args) > (3 if plain in ("addcmul", "addcdiv") else 1) else 1
    if is_list_of_tensors(last):
        return f"{name}.List"
    return f"{name}.{'ScalarList' if isinstance(last, (list, tuple)) else 'Tensor' if isinstance(last, Tensor) else 'Scalar'}"


def _refuse_examples(name: str, args: Sequence[object], kwargs: dict[str, object]) -> None:
    """PyTorch's vmap has no rule for functions over lists."""
    given = [*args, *[value for key, value in kwargs.items() if key != "alpha"]]
    for value in given:
        if any(isinstance(one, Tensor) and one._of_batch for one in (value if isinstance(value, (list, tuple)) else (value,))):
            raise RuntimeError(
                f"Batching rule not implemented for aten::{_overload(name, given)}. We could not generate a fallback."
            )


def _with_its_nodes(name: str, function: Callable[..., object]) -> Callable[..., object]:
    """``function``, whose results have one node; where it writes, one each, under PyTorch's name for this way to write."""
    plain = name.removeprefix("_foreach_").removesuffix("_")

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> object:
        if modes.state.transforms:
            _refuse_examples(name, args, kwargs)
        before = coming_number()
        results: Any = function(*args, **kwargs)
        if coming_number() == before or each_node_counts():
            return results
        given = [*args, *[value for key, value in kwargs.items() if key != "alpha"]]
        last = None if plain in ("max", "norm") or len(given) < 2 else given[-1]
        if plain in ("addcmul", "addcdiv") and len(given) == 3:
            last = 1
        if name.endswith("_"):
            for one in args[0]:
                rename_written(plain, last, one, before)
        elif isinstance(args[0], (list, tuple)):
            joined(plain, [one for one in given if is_list_of_tensors(one)], last, results, before)
        return results

    return call


def _published(name: str, function: Callable[..., object]) -> None:
    function = _of_like_lists(_with_its_nodes(name, _all_or_none(name, function) if name.endswith("_") else function))
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"{name.removeprefix('_foreach_')} of each tensor of a list."
    module("torch")[name] = function


def _spread(value: object, count: int) -> Sequence[Any]:
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
    rest = _spread(other, len(self))
    results = [getattr(one, name)(two, **options) for one, two in zip(self, rest, strict=True)]
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
    bound = "clamp_min" if name == "maximum" else "clamp_max"
    results = []
    for place, (one, two) in enumerate(zip(self, rest, strict=True)):
        if isinstance(two, Tensor):
            result = module("torch")[name](one, two)
        elif not one.dtype.is_floating_point:
            result = getattr(one, bound + "_" * in_place)(two)
        elif rest is other:
            result = getattr(ops, f"foreach_{name}_each")(one, place, tuple(rest))
        else:
            result = getattr(ops, f"foreach_{name}")(one, two)
        results.append(one.copy_(result) if in_place and result is not one else result)
    return None if in_place else tuple(results)


def _ternary(name: str, self: Any, tensor1: Any, tensor2: Any, value: Any = 1, scalars: Any = None) -> Any:
    weights = _spread(value if scalars is None else scalars, len(self))
    if isinstance(weights[0], Tensor):
        weights = [weight.item() for weight in weights]
    rows = zip(self, tensor1, tensor2, weights, strict=True)
    results = tuple([getattr(one, name)(two, three, value=weight) for one, two, three, weight in rows])
    return None if name.endswith("_") else results


def _lerp(name: str, self: Any, tensors1: Any, weight: object = None, **other: object) -> Any:
    weights = _spread(other.get("weights", weight), len(self))
    results = tuple([getattr(one, name)(*rest) for one, *rest in zip(self, tensors1, weights, strict=True)])
    return None if name.endswith("_") else results


def _norm(tensors: Sequence[Tensor], ord: object = 2, dtype: object = None) -> tuple[Tensor, ...]:
    vector_norm = module("torch.linalg")["vector_norm"]
    return tuple([vector_norm(tensor, ord, dtype=dtype) for tensor in tensors])


def _copy_(self: Sequence[Tensor], src: Sequence[Tensor], non_blocking: bool = False) -> None:
    for target, source in zip(self, src, strict=True):
        into_integers = target._array.dtype.kind in "bui" and modes.state.grad_enabled and source.requires_grad
        fits = broadcast_error([target._array.shape, source._array.shape]) is None and not overlaps_itself(target._array)
        if into_integers and fits:
            inplace(ops.copy, "_foreach_copy_", target, source)  # which puts them into the graph, as copy_ does not
        else:
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
