"""What ops make of masked tensors, below autograd: the plain op on the data, and the mask that its result has."""

from __future__ import annotations

import rushlight
from rushlight.autograd.interpreters import Answer, Args, Function, Named
from rushlight.tensor import Tensor
from rushlight.utils._pytree import tree_map

MISMATCH = "Input masks must match. If you need support for this, please open an issue on Github."

# Element by element: the mask stays.
UNARY = frozenset(
    "abs absolute acos acosh alias angle arccos arccosh arcsin arcsinh arctan arctanh asin asinh atan atanh bitwise_not "
    "ceil clamp clip conj_physical cos cosh deg2rad digamma erf erfc erfinv exp exp2 expm1 fix float_power floor frac i0 i1 "
    "isfinite isnan isreal lgamma log log10 log1p log2 logit nan_to_num neg negative positive pow rad2deg reciprocal round "
    "round_decimals rsqrt sgn sigmoid sign signbit sin sinc sinh special_i0 special_sinc sqrt square tan tanh trunc zeroed".split()
)
BINARY = frozenset(
    "add arctan2 atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor copy div div_rounded "
    "divide eq floor_divide fmax fmin fmod ge greater gt le less logaddexp logaddexp2 lt maximum minimum mul multiply ne "
    "nextafter not_equal remainder rsub sub subtract sigmoid_backward tanh_backward true_divide".split()
)
# The same is done to data and mask.
ARRANGING = frozenset(
    "_reshape_alias _unsafe_view as_strided cat chunk clone contiguous detach diagonal embed_select embed_slice expand "
    "expand_as index select select_backward slice slice_backward split split_with_sizes stack swapaxes t transpose unfold "
    "unfold_backward unsqueeze view".split()
)


def _is_masked(value: Answer) -> bool:
    return hasattr(value, "_masked_mask")


def _data(value: Answer) -> Answer:
    return value._masked_data if _is_masked(value) else value


def _mask(value: Answer) -> Answer:
    """The mask of a masked tensor; of a plain one, that all of it counts."""
    if _is_masked(value):
        return value._masked_mask
    return (
        rushlight.ones_like(value, dtype=rushlight.bool) if isinstance(value, Tensor) and value.is_floating_point() else value
    )


def _same_masks(values: Args) -> Tensor:
    """The one mask of all the masked tensors among ``values``. ValueError where there are several."""
    masks = [value._masked_mask for value in values if _is_masked(value)]
    if any(mask.shape != masks[0].shape or not bool((mask == masks[0]).all()) for mask in masks[1:]):
        raise ValueError(MISMATCH)
    return masks[0]


def answer(make: Function, func: Answer, args: Args, kwargs: Named) -> Answer:
    """What an overload of ``torch.ops.aten`` makes of masked tensors, which ``make`` makes of data and mask; NotImplemented for
    those that PyTorch's class lacks too."""
    name = func.overloadpacket.__name__
    writes = name.endswith("_") and not name.endswith("__")
    plain = name.rstrip("_") if writes else name
    plain_args = tree_map(_data, args)
    if plain in UNARY:
        if any(isinstance(value, Tensor) for value in args[1:]):
            raise TypeError("MaskedTensor unary ops do not support additional Tensor arguments")
        if kwargs:
            raise ValueError(
                "MaskedTensor unary ops require that len(kwargs) == 0. If you need support for this, please open an issue on Github."
            )
        return _of_elements(make, func, args, plain_args, writes)
    if plain in BINARY:
        if kwargs:
            raise ValueError("len(kwargs) must equal 0")
        return _of_elements(make, func, args, plain_args, writes)
    if name in ARRANGING:
        found, masks = func(*plain_args, **kwargs), func(*tree_map(_mask, args), **kwargs)
        if isinstance(found, (tuple, list)):
            return type(found)(map(make, found, masks))
        return make(found, masks)
    kernel = _OTHERS.get(name)
    return NotImplemented if kernel is None else kernel(make, func, args, kwargs)


def _of_elements(make: Function, func: Answer, args: Args, plain_args: Args, writes: bool) -> Answer:
    mask = _same_masks(args)
    if not writes:
        data = func(*plain_args)
        return make(data, mask.expand(data.shape) if data.shape != mask.shape else mask)
    if not _is_masked(args[0]):
        raise TypeError("a masked tensor cannot be written into a plain one: to_tensor(value) gives one that can")
    func(*plain_args)
    return args[0]


def _likened(make: Function, func: Answer, args: Args, kwargs: Named) -> Answer:
    return make(func(args[0]._masked_data, *args[1:], **kwargs), args[0]._masked_mask)


def _item(make: Function, func: Answer, args: Args, kwargs: Named) -> Answer:
    return args[0]._masked_data.item()


def _softmax(make: Function, func: Answer, args: Args, kwargs: Named) -> Answer:
    input, dim = args[:2]
    return make(rushlight.masked.softmax(input._masked_data, dim, mask=input._masked_mask), input._masked_mask)


def _softmax_backward(make: Function, func: Answer, args: Args, kwargs: Named) -> Answer:
    grad, output, *rest = args
    mask = output._masked_mask
    if _is_masked(grad) and not bool((grad._masked_mask == mask).all()):
        raise ValueError("__torch_dispatch__, aten._softmax_backward_data: expected the masks of grad and output to match")
    return make(func(_data(grad).masked_fill(~mask, 0), output._masked_data, *rest, **kwargs), mask)


def _sum(make: Function, func: Answer, args: Args, kwargs: Named) -> Answer:
    """Of a gradient, where its tensor was broadcast."""
    input, *rest = args
    data = input._masked_data.masked_fill(~input._masked_mask, 0)
    return make(func(data, *rest, **kwargs), func(input._masked_mask, *rest, **kwargs) != 0)


def _fold(make: Function, func: Answer, args: Args, kwargs: Named) -> Answer:
    """Of a gradient, where its tensor was cut into windows."""
    grad, *rest = args
    seen = grad._masked_mask.to(grad.dtype)
    return make(func(grad._masked_data * seen, *rest, **kwargs), func(seen, *rest, **kwargs) != 0)


_OTHERS = {
    "_local_scalar_dense": _item,
    "_softmax": _softmax,
    "_softmax_backward_data": _softmax_backward,
    "_to_copy": _likened,
    "fold_windows": _fold,
    "ones_like": _likened,
    "softmax_grad": _softmax_backward,
    "sum": _sum,
}
