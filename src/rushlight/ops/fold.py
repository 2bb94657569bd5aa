"""Windows of images as columns, and back: unfold and fold."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ..backend import fold as k
from ..backend.convolution import conv_shape
from .integer_arguments import whole_numbers
from .operands import require_kind
from .public import ops, public
from .table import op

if TYPE_CHECKING:
    from ..tensor import Tensor

F = "torch.nn.functional"
Shape = tuple[int, ...]

op("im2col", k.im2col, node="Im2ColBackward0", kind="linear",
   x=lambda g, xp, x_shape, window, dilation, padding, stride: xp.col2im(
       g, x_shape[-2:], window, dilation, padding, stride))  # fmt: skip
op("col2im", k.col2im, node="Col2ImBackward0", kind="linear",
   columns=lambda g, xp, window, dilation, padding, stride: xp.im2col(g, window, dilation, padding, stride))  # fmt: skip


def _pairs(op: str, **values: Any) -> list[Shape]:
    """Arguments of two whole numbers each, in the order in which the op ``op`` takes them behind its input."""
    pairs = []
    for position, (name, value) in enumerate(values.items(), start=2):
        pair = whole_numbers(op, name, position, value if isinstance(value, (tuple, list)) else [value])
        alone = op == "im2col" and isinstance(value, (tuple, list))  # for which one number does not stand there
        if len(pair) not in ((2,) if alone else (1, 2)):
            raise RuntimeError(f"It is expected {name} equals to 2, but got size {len(pair)}")
        pairs.append(pair * (3 - len(pair)))
    return pairs


def _check_pairs(**pairs: tuple[Shape, str]) -> None:
    for label, (values, short) in pairs.items():
        words = label.replace("_", " ")
        if label == "padding":
            if min(values) < 0:
                raise RuntimeError(f"padding should be non-negative, but got pad_height: {values[0]} pad_width: {values[1]}")
        elif min(values) <= 0:
            raise RuntimeError(
                f"{words} should be greater than zero, but got {short}_height: {values[0]} {short}_width: {values[1]}"
            )


def _shown(values: Shape) -> str:
    return f"({values[0]}, {values[1]})"


@public(space=F, out=False)
def unfold(input: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """The windows of images (N, C, H, W) as columns: (N, C * window, windows)."""
    kernel, spread, pad, step = _pairs("im2col", kernel_size=kernel_size, dilation=dilation, padding=padding, stride=stride)
    shape = input._array.shape
    if len(shape) < 3:
        axis = len(shape)
        raise IndexError(f"Dimension out of range (expected to be in range of [{-axis}, {axis - 1}], but got {axis})")
    _check_pairs(kernel_size=(kernel, "kernel"), dilation=(spread, "dilation"), padding=(pad, "pad"), stride=(step, "stride"))
    if len(shape) not in (3, 4) or 0 in shape[-3:]:
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero dimensions for "
            "input, but got: "
            f"{list(shape)}"
        )
    require_kind(input, "im2col_out_cpu", "fcb")
    blocks = conv_shape(shape[-2:], kernel, step, pad, spread)
    if min(blocks) < 1:
        raise RuntimeError(
            f"Given input with spatial size {_shown(shape[-2:])}, kernel_size={_shown(kernel)}, dilation={_shown(spread)}, "
            f"padding={_shown(pad)}, calculated shape of the array of sliding blocks as {_shown(blocks)}, but its components "
            "must be at least one."
        )
    return ops.im2col(input, kernel, spread, pad, step)


@public(space=F, out=False)
def fold(input: Any, output_size: Any, kernel_size: Any, dilation: Any = 1, padding: Any = 0, stride: Any = 1) -> Tensor:
    """Columns (N, C * window, windows) added up where their windows lie in images (N, C, *output_size)."""
    size, kernel, spread, pad, step = _pairs(
        "col2im", output_size=output_size, kernel_size=kernel_size, dilation=dilation, padding=padding, stride=stride
    )
    _check_pairs(kernel_size=(kernel, "kernel"), dilation=(spread, "dilation"), padding=(pad, "pad"), stride=(step, "stride"))
    shape = input._array.shape
    if len(shape) not in (2, 3) or 0 in shape[-2:]:
        raise RuntimeError(
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero dimensions for input, but "
            f"got: {list(shape)}"
        )
    rows = shape[-2]
    if rows % math.prod(kernel):
        raise RuntimeError(
            "Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
            f"input.size(1)={rows} and kernel_size={_shown(kernel)}."
        )
    blocks = conv_shape(size, kernel, step, pad, spread)
    described = (
        f"Given output_size={_shown(size)}, kernel_size={_shown(kernel)}, dilation={_shown(spread)}, padding={_shown(pad)}, "
        f"stride={_shown(step)}"
    )
    if shape[-1] != math.prod(blocks):
        raise RuntimeError(
            f"{described}, expected size of input's dimension 2 to match the calculated number of sliding blocks {blocks[0]} * "
            f"{blocks[1]} = {math.prod(blocks)}, but got input.size(2)={shape[-1]}."
        )
    if min(blocks) < 1:
        raise RuntimeError(
            f"{described}, calculated shape of the array of sliding blocks as {_shown(blocks)}, which is too small "
            "(non-positive)"
        )
    require_kind(input, "col2im_out_cpu", "fcb")
    return ops.col2im(input, size, kernel, spread, pad, step)
