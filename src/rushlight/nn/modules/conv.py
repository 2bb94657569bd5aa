"""Convolutions and their transposes."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import rushlight as torch

from ...tensor import Tensor
from .. import functional as F
from .. import init
from ..parameter import Parameter, UninitializedParameter
from .lazy import LazyModuleMixin
from .module import Module
from .utils import _ntuple, _reverse_repeat_tuple


class _ConvNd(Module):
    weight: Tensor
    bias: Tensor | None

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: tuple[int, ...],
        stride: tuple[int, ...],
        padding: Any,
        dilation: tuple[int, ...],
        transposed: bool,
        output_padding: tuple[int, ...],
        groups: int,
        bias: bool,
        padding_mode: str,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if groups <= 0:
            raise ValueError("groups must be a positive integer")
        if in_channels % groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        if out_channels % groups != 0:
            raise ValueError("out_channels must be divisible by groups")
        if isinstance(padding, str):
            if padding not in ("same", "valid"):
                raise ValueError(f"Invalid padding string {padding!r}, should be one of {{'same', 'valid'}}")
            if padding == "same" and any(step != 1 for step in stride):
                raise ValueError("padding='same' is not supported for strided convolutions")
        modes = ("zeros", "reflect", "replicate", "circular")
        if padding_mode not in modes:
            raise ValueError(f"padding_mode must be one of {set(modes)}, but got padding_mode='{padding_mode}'")
        self.in_channels, self.out_channels, self.kernel_size = in_channels, out_channels, kernel_size
        self.stride, self.padding, self.dilation = stride, padding, dilation
        self.transposed, self.output_padding = transposed, output_padding
        self.groups, self.padding_mode = groups, padding_mode
        if isinstance(padding, str):
            sides = []
            for step, size in zip(reversed(dilation), reversed(kernel_size), strict=True):
                total = step * (size - 1) if padding == "same" else 0
                sides += [total // 2, total - total // 2]
            self._reversed_padding_repeated_twice: Any = sides
        else:
            self._reversed_padding_repeated_twice = _reverse_repeat_tuple(padding, 2)
        channels = (in_channels, out_channels // groups) if transposed else (out_channels, in_channels // groups)
        self.weight = Parameter(torch.empty((*channels, *kernel_size), device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(torch.empty(out_channels, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            if fan_in != 0:
                bound = 1 / math.sqrt(fan_in)
                init.uniform_(self.bias, -bound, bound)

    def extra_repr(self) -> str:
        text = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, stride={self.stride}"
        if self.padding != (0,) * len(self.kernel_size):
            text += f", padding={self.padding}"
        if self.dilation != (1,) * len(self.dilation):
            text += f", dilation={self.dilation}"
        if self.output_padding != (0,) * len(self.output_padding):
            text += f", output_padding={self.output_padding}"
        if self.groups != 1:
            text += f", groups={self.groups}"
        if self.bias is None:
            text += ", bias=False"
        if self.padding_mode != "zeros":
            text += f", padding_mode={self.padding_mode}"
        return text


class _Conv(_ConvNd):
    """A convolution over some number of dimensions, which the subclass says."""

    _dims: ClassVar[int]
    _function: ClassVar[str]

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        each = _ntuple(self._dims)
        padding = padding if isinstance(padding, str) else each(padding)
        super().__init__(
            in_channels,
            out_channels,
            each(kernel_size),
            each(stride),
            padding,
            each(dilation),
            False,
            each(0),
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def _conv_forward(self, input: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        function = getattr(F, self._function)
        padding = self.padding
        if self.padding_mode != "zeros":
            input = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            padding = _ntuple(self._dims)(0)
        return function(input, weight, bias, self.stride, padding, self.dilation, self.groups)

    def forward(self, input: Tensor) -> Tensor:
        return self._conv_forward(input, self.weight, self.bias)


class Conv1d(_Conv):
    """Convolution over sequences: (N, C_in, L) -> (N, C_out, L_out)."""

    _dims, _function = 1, "conv1d"


class Conv2d(_Conv):
    """Convolution over images: (N, C_in, H, W) -> (N, C_out, H_out, W_out).

    >>> import rushlight as torch
    >>> torch.nn.Conv2d(3, 8, kernel_size=3, padding=1)(torch.zeros(1, 3, 10, 10)).shape
    torch.Size([1, 8, 10, 10])
    """

    _dims, _function = 2, "conv2d"


class Conv3d(_Conv):
    """Convolution over volumes: (N, C_in, D, H, W) -> (N, C_out, D_out, H_out, W_out)."""

    _dims, _function = 3, "conv3d"


class _ConvTransposeNd(_ConvNd):
    """The transpose of a convolution: what its gradient does."""

    _dims: ClassVar[int]
    _function: ClassVar[str]

    def __init__(
        self,
        in_channels: int,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Any = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        if padding_mode != "zeros":
            raise ValueError(f'Only "zeros" padding mode is supported for {type(self).__name__}')
        each = _ntuple(self._dims)
        super().__init__(
            in_channels,
            out_channels,
            each(kernel_size),
            each(stride),
            each(padding),
            each(dilation),
            True,
            each(output_padding),
            groups,
            bias,
            padding_mode,
            device,
            dtype,
        )

    def _output_padding(self, input: Tensor, output_size: Any) -> tuple[int, ...]:
        """The output padding that gives the size asked for; ValueError where none does."""
        if output_size is None:
            return self.output_padding
        dims = self._dims
        batched = input.dim() == dims + 2
        wanted = list(output_size)
        if len(wanted) == dims + (2 if batched else 1):
            wanted = wanted[-dims:]
        if len(wanted) != dims:
            raise ValueError(
                f"ConvTranspose{dims}D: for {input.dim()}D input, output_size must have {dims} or "
                f"{dims + (2 if batched else 1)} elements (got {len(wanted)})"
            )
        sizes = input.shape[-dims:]
        smallest = [
            (size - 1) * step - 2 * pad + spread * (kernel - 1) + 1
            for size, step, pad, spread, kernel in zip(
                sizes, self.stride, self.padding, self.dilation, self.kernel_size, strict=True
            )
        ]
        largest = [low + step - 1 for low, step in zip(smallest, self.stride, strict=True)]
        if any(not low <= size <= high for low, size, high in zip(smallest, wanted, largest, strict=True)):
            raise ValueError(
                f"requested an output size of {output_size}, but valid sizes range from {smallest} to {largest} (for an input of "
                f"{sizes})"
            )
        return tuple(size - low for size, low in zip(wanted, smallest, strict=True))

    def forward(self, input: Tensor, output_size: Any = None) -> Tensor:
        return getattr(F, self._function)(
            input,
            self.weight,
            self.bias,
            self.stride,
            self.padding,
            self._output_padding(input, output_size),
            self.groups,
            self.dilation,
        )


class ConvTranspose1d(_ConvTransposeNd):
    """Transposed convolution over sequences."""

    _dims, _function = 1, "conv_transpose1d"


class ConvTranspose2d(_ConvTransposeNd):
    """Transposed convolution over images.

    >>> import rushlight as torch
    >>> torch.nn.ConvTranspose2d(8, 3, kernel_size=2, stride=2)(torch.zeros(1, 8, 5, 5)).shape
    torch.Size([1, 3, 10, 10])
    """

    _dims, _function = 2, "conv_transpose2d"


class ConvTranspose3d(_ConvTransposeNd):
    """Transposed convolution over volumes."""

    _dims, _function = 3, "conv_transpose3d"


class _LazyConvXdMixin(LazyModuleMixin):
    """A convolution that learns its in_channels from its first input."""

    _dims: ClassVar[int]

    def _make_lazy(self, out_channels: int, bias: bool, device: Any, dtype: Any) -> None:
        own: Any = self
        own.weight = UninitializedParameter(device=device, dtype=dtype)
        own.out_channels = out_channels
        if bias:
            own.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        own: Any = self
        if not self.has_uninitialized_params() and own.in_channels != 0:
            super().reset_parameters()  # type: ignore[misc]

    def initialize_parameters(self, input: Tensor, *args: Any, **kwargs: Any) -> None:
        own: Any = self
        if not self.has_uninitialized_params():
            return
        rank, shape = input.dim(), input.shape
        if rank not in (self._dims + 1, self._dims + 2):
            raise RuntimeError(
                f"Expected {self._dims + 1}D (unbatched) or {self._dims + 2}D (batched) input to {type(self).__name__}, but "
                f"got input of size: {shape}"
            )
        own.in_channels = shape[1] if rank == self._dims + 2 else shape[0]
        if own.in_channels % own.groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        pair = (own.out_channels, own.in_channels // own.groups)
        if own.transposed:
            pair = (own.in_channels, own.out_channels // own.groups)
        own.weight.materialize((*pair, *own.kernel_size))
        if own.bias is not None:
            own.bias.materialize((own.out_channels,))
        self.reset_parameters()


class _LazyConv(_LazyConvXdMixin):
    def __init__(
        self,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        dilation: Any = 1,
        groups: int = 1,
        bias: bool = True,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        # No bias at first, so that there is no memory that a shape is later given to.
        super().__init__(0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode, device, dtype)
        self._make_lazy(out_channels, bias, device, dtype)


class _LazyConvTranspose(_LazyConvXdMixin):
    def __init__(
        self,
        out_channels: int,
        kernel_size: Any,
        stride: Any = 1,
        padding: Any = 0,
        output_padding: Any = 0,
        groups: int = 1,
        bias: bool = True,
        dilation: Any = 1,
        padding_mode: str = "zeros",
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__(
            0, 0, kernel_size, stride, padding, output_padding, groups, False, dilation, padding_mode, device, dtype
        )
        self._make_lazy(out_channels, bias, device, dtype)


class LazyConv1d(_LazyConv, Conv1d):
    """A Conv1d that learns its in_channels from its first input."""

    cls_to_become = Conv1d


class LazyConv2d(_LazyConv, Conv2d):
    """A Conv2d that learns its in_channels from its first input."""

    cls_to_become = Conv2d


class LazyConv3d(_LazyConv, Conv3d):
    """A Conv3d that learns its in_channels from its first input."""

    cls_to_become = Conv3d


class LazyConvTranspose1d(_LazyConvTranspose, ConvTranspose1d):
    """A ConvTranspose1d that learns its in_channels from its first input."""

    cls_to_become = ConvTranspose1d


class LazyConvTranspose2d(_LazyConvTranspose, ConvTranspose2d):
    """A ConvTranspose2d that learns its in_channels from its first input."""

    cls_to_become = ConvTranspose2d


class LazyConvTranspose3d(_LazyConvTranspose, ConvTranspose3d):
    """A ConvTranspose3d that learns its in_channels from its first input."""

    cls_to_become = ConvTranspose3d
