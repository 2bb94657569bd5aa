"""torch.utils.flop_counter: how many multiplications and additions the products and convolutions of a program take."""

from __future__ import annotations

import functools
import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

from ..overrides.overloads import OpOverloadPacket, aten
from ..overrides.torch_dispatch import TorchDispatchMode
from ..tensor import Tensor
from ._pytree import tree_map

__all__ = ["FlopCounterMode", "flop_registry", "register_flop_formula"]

Shape = Sequence[int]
flop_registry: dict[Any, Callable[..., int]] = {}


def register_flop_formula(targets: Any, get_raw: bool = False) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """A decorator: the function says how many operations an op of ``torch.ops.aten`` takes.

    It gets the op's arguments with shapes in place of tensors, and ``out_shape=`` (with ``get_raw`` the tensors, and
    ``out_val=``).

    >>> import rushlight as torch
    >>> from rushlight.utils.flop_counter import FlopCounterMode, register_flop_formula
    >>> @register_flop_formula(torch.ops.aten.erf)
    ... def erf_flop(x_shape, *args, out_shape=None, **kwargs):
    ...     return 10 * x_shape[0]
    >>> with FlopCounterMode(display=False) as counter:
    ...     _ = torch.erf(torch.zeros(3))
    >>> counter.get_total_flops()
    30
    """

    def register(formula: Callable[..., int]) -> Callable[..., int]:
        counted = formula if get_raw else _of_shapes(formula)
        for target in targets if isinstance(targets, (list, tuple)) else [targets]:
            flop_registry[target] = counted
        return formula

    return register


def _shape(value: Any) -> Any:
    return tuple(value.shape) if isinstance(value, Tensor) else value


def _of_shapes(formula: Callable[..., int]) -> Callable[..., int]:
    @functools.wraps(formula)
    def counted(*args: Any, out_val: Any = None, **kwargs: Any) -> int:
        return formula(*tree_map(_shape, args), out_shape=tree_map(_shape, out_val), **tree_map(_shape, kwargs))

    return counted


@register_flop_formula(aten.mm)
def mm_flop(a: Shape, b: Shape, *args: Any, out_shape: Any = None, **kwargs: Any) -> int:
    """Two operations for each of the products of two matrices."""
    return 2 * a[0] * a[1] * b[1]


@register_flop_formula(aten.addmm)
def addmm_flop(bias: Shape, a: Shape, b: Shape, *args: Any, out_shape: Any = None, **kwargs: Any) -> int:
    """As :func:`mm_flop`: what is added does not count."""
    return mm_flop(a, b)


@register_flop_formula(aten.bmm)
def bmm_flop(a: Shape, b: Shape, *args: Any, out_shape: Any = None, **kwargs: Any) -> int:
    """As :func:`mm_flop`, for each matrix of a batch."""
    return a[0] * mm_flop(a[1:], b[1:])


@register_flop_formula(aten.baddbmm)
def baddbmm_flop(bias: Shape, a: Shape, b: Shape, *args: Any, out_shape: Any = None, **kwargs: Any) -> int:
    """As :func:`bmm_flop`."""
    return bmm_flop(a, b)


def conv_flop_count(x_shape: Shape, w_shape: Shape, out_shape: Shape, transposed: bool = False) -> int:
    """Two operations for each weight at each place it is laid over.

    >>> from rushlight.utils.flop_counter import conv_flop_count
    >>> conv_flop_count((1, 1, 4), (1, 1, 3), (1, 1, 2))
    12
    """
    places = x_shape if transposed else out_shape
    return 2 * x_shape[0] * math.prod(places[2:]) * math.prod(w_shape)


@register_flop_formula(aten.convolution)
def conv_flop(
    x: Shape, w: Shape, bias: Any, stride: Any, padding: Any, dilation: Any, transposed: bool, *args: Any, out_shape: Any = None,
    **kwargs: Any,
) -> int:  # fmt: skip
    """:func:`conv_flop_count` of an op's arguments."""
    return conv_flop_count(x, w, out_shape, transposed)


def _conv_backward(args: tuple[Any, ...], out: Any, is_weight: bool) -> int:
    cotangent = tuple(args[0].shape)
    return conv_flop_count(cotangent, tuple(out.shape if is_weight else args[1].shape), cotangent)


class _Counting(TorchDispatchMode):
    def __init__(self, counter: FlopCounterMode) -> None:
        self.counter = counter

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        out = func(*args, **kwargs)
        self.counter._count(func._overloadpacket, args, kwargs, out)
        return out


class FlopCounterMode:
    """Within it, counts the operations of matrix products and convolutions, forward and backward.

    ``display``          prints a table at the end
    ``custom_mapping``   formulas by op beside :func:`register_flop_formula`'s
    ``mods``, ``depth``  accepted; all counts are under 'Global'

    >>> import rushlight as torch
    >>> from rushlight.utils.flop_counter import FlopCounterMode
    >>> x, w = torch.randn(4, 8, requires_grad=True), torch.randn(8, 16, requires_grad=True)
    >>> with FlopCounterMode(display=False) as counter:
    ...     (x @ w).sum().backward()
    >>> counter.get_total_flops()
    3072
    """

    def __init__(self, mods: Any = None, depth: int = 2, display: bool = True, custom_mapping: Any = None) -> None:
        self.display, self.depth = display, depth
        self.flop_counts: dict[str, dict[Any, int]] = defaultdict(lambda: defaultdict(int))
        self.flop_registry = {**flop_registry}
        for packet, formula in (custom_mapping or {}).items():
            self.flop_registry[packet] = formula if getattr(formula, "_get_raw", False) else _of_shapes(formula)
        self._mode: _Counting | None = None

    def get_total_flops(self) -> int:
        """All of them."""
        return sum(self.flop_counts["Global"].values())

    def get_flop_counts(self) -> dict[str, dict[OpOverloadPacket, int]]:
        """By op."""
        return {name: dict(counts) for name, counts in self.flop_counts.items()}

    def get_table(self, depth: int | None = None) -> str:
        """The counts by op, as text."""
        total = self.get_total_flops()
        rows = [("Global", total), *((f" - {packet}", count) for packet, count in self.flop_counts["Global"].items())]
        width = max(len(name) for name, _ in rows)
        return "\n".join(
            f"{name:<{width}}  {_short(count):>10}  {100 * count / total if total else 0:7.2f}%" for name, count in rows
        )

    def __enter__(self) -> FlopCounterMode:
        self.flop_counts.clear()
        self.flop_counts["Global"].clear()
        self._mode = _Counting(self)
        self._mode.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        assert self._mode is not None
        self._mode.__exit__(*error)
        self._mode = None
        if self.display:
            print(self.get_table())

    def _count(self, packet: OpOverloadPacket, args: tuple[Any, ...], kwargs: dict[str, Any], out: Any) -> None:
        if packet.__name__ in ("conv_input_grad", "conv_weight_grad"):  # the two parts of PyTorch's op
            count = _conv_backward(args, out, packet.__name__ == "conv_weight_grad")
            packet = aten.convolution_backward
        elif packet in self.flop_registry:
            count = self.flop_registry[packet](*args, **kwargs, out_val=out)
        else:
            return
        self.flop_counts["Global"][packet] += count


def _short(count: int) -> str:
    """A number with K, M, B or T behind it."""
    for power, suffix in ((12, "T"), (9, "B"), (6, "M"), (3, "K")):
        if count >= 10**power:
            return f"{count / 10**power:.3f}{suffix}"
    return str(count)
