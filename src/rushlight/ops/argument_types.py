"""Which arguments a function takes by their types: its forms are asked once for each combination, later calls pay a look into a set.

Python would take more than PyTorch does: a bool as a dimension, a tensor of one element as a number, anything as a switch.

>>> import rushlight as torch
>>> torch.ones(2, 3).roll(torch.tensor([1.0]))
Traceback (most recent call last):
TypeError: roll(): argument 'shifts' (position 1) must be tuple of ints, not Tensor
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import NoneType
from typing import Any

import numpy as np

from ..base import device as devices
from ..base import dtypes
from ..base.arguments import code_of
from ..base.size import Size
from ..tensor import PLAIN, Tensor

# What says all by its type, but for sizes: PyTorch looks at those when it reads them.
_SURE = {
    int,
    float,
    complex,
    bool,
    str,
    NoneType,
    tuple,
    list,
    Size,
    dtypes.dtype,
    devices.layout,
    devices.memory_format,
    devices.device,
}
# Those that programs call most, and that ask for themselves.
_HOT = frozenset(
    (
        "add addmm all amax amin any argmax argmin baddbmm batch_norm bmm cat chunk clamp concat conv1d conv2d cross_entropy "
        "cumsum div dot embedding expand expand_as eye flatten gather group_norm index_select layer_norm leaky_relu linear "
        "log_softmax masked_fill matmul max max_pool2d mean min mm mul mv narrow ones permute pow prod repeat reshape "
        "scaled_dot_product_attention select slice softmax split squeeze stack std sub sum to transpose unbind unflatten "
        "unsqueeze var view where zeros"
    ).split()
)
Arguments = tuple[Any, ...]
Named = dict[str, Any]
Plain = Callable[[Arguments, Named], tuple[Arguments, Named]]
Refusal = Callable[[tuple[object, ...], dict[str, object]], Exception | None]


def past_64_bits(values: Arguments) -> bool:
    """Whether a whole number is among them that 64 bits do not hold."""
    for value in values:  # noqa: SIM110 (any() of a generator takes twice as long)
        if value.__class__ is int and not -0x8000000000000000 <= value < 0x8000000000000000:
            return True
    return False


def unknown(_: Arguments) -> bool:
    """What looks at arguments of types that are not known yet."""
    return True


class _Several:
    """A tensor of several elements, which stands for no number."""

    _array = np.zeros(2)


class Taken:
    """The types that a function is known to take.

    ``before``  how many of its parameters are never among the arguments

    >>> taken = Taken("roll", int, lambda args, kwargs: None, lambda args, kwargs: (args, kwargs))
    >>> taken.settled(("a", 2.5), {}), taken.known
    ((('a', 2.5), {}), {(<class 'str'>, <class 'float'>): None})
    """

    __slots__ = ("_labels", "_plain", "_refusal", "asks", "known")

    def __init__(self, name: str, function: Callable[..., object], refusal: Refusal, plain: Plain, before: int = 0) -> None:
        code = code_of(inspect.unwrap(function))  # a signature takes ten times as long to make
        has_older = code is not None and "older" in code.co_varnames  # the forms say nothing of those
        self.asks = name.rstrip("_") not in _HOT and not has_older
        self.known: dict[tuple[object, ...], Callable[[Arguments], bool] | None] = {}  # what looks at their ints
        self._labels = code.co_varnames[before:] if code is not None else ()
        self._refusal = refusal
        self._plain = plain

    def settled(self, args: Arguments, kwargs: Named) -> tuple[Arguments, Named]:
        """The arguments as the function is to be given them, where the forms take them or nobody knows; else TypeError."""
        types = (*map(type, args), *kwargs, *map(type, kwargs.values()))
        is_known = types in self.known
        if is_known and not past_64_bits((*args, *kwargs.values())):
            return args, kwargs
        self._check(args, kwargs)
        if is_known:
            return args, kwargs
        if not all(each in _SURE or each in PLAIN for each in types if isinstance(each, type)):
            return self._plain(args, kwargs)
        if not self._takes(tuple(map(_widened, args)), {label: _widened(value) for label, value in kwargs.items()}):
            return self._plain(args, kwargs)
        labels = zip(self._labels, types[: len(args)], strict=False)
        has_ints = any(each is int and not label.startswith("dim") for label, each in labels)  # dimensions are looked at later
        self.known[types] = past_64_bits if has_ints else None
        return args, kwargs

    def _check(self, args: Arguments, kwargs: Named) -> None:
        if not self._takes(args, kwargs):
            raise TypeError  # which is then said in PyTorch's words

    def _takes(self, args: tuple[object, ...], kwargs: dict[str, object]) -> bool:
        if any(map(_is_foreign, map(type, (*args, *kwargs.values())))):  # it may be taken for what is wanted
            return True
        try:
            return self._refusal(args, kwargs) is None
        except Exception:  # of an object's own, which the call itself meets
            return True


def _is_foreign(kind: type) -> bool:
    return kind not in PLAIN and hasattr(kind, "__torch_function__")


def _widened(value: object) -> object:
    """A tensor of several elements in place of one that may stand for a number."""
    return _Several() if isinstance(value, Tensor) and value._array.ndim == 0 else value
