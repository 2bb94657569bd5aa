"""Padding at the edges."""

from __future__ import annotations

from typing import Any, ClassVar

from ...tensor import Tensor
from .. import functional as F
from .module import Module
from .utils import _ntuple


class _Pad(Module):
    """``padding``: one number, or (left, right, top, bottom, ...)."""

    _sides: ClassVar[int]
    _mode: ClassVar[str]

    def __init__(self, padding: Any) -> None:
        super().__init__()
        self.padding = _ntuple(self._sides)(padding)

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, self._mode)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _CircularPadNd(_Pad):
    _mode = "circular"

    def forward(self, input: Tensor) -> Tensor:
        dims = self._sides // 2
        if input.dim() not in (dims + 1, dims + 2):
            raise ValueError(f"expected {dims + 1}D or {dims + 2}D input (got {input.dim()}D input)")
        return super().forward(input)


class CircularPad1d(_CircularPadNd):
    """Pads a sequence with its other end."""

    _sides = 2


class CircularPad2d(_CircularPadNd):
    """Pads an image with its other side."""

    _sides = 4


class CircularPad3d(_CircularPadNd):
    """Pads a volume with its other side."""

    _sides = 6


class _ConstantPadNd(_Pad):
    value: float

    def __init__(self, padding: Any, value: float) -> None:
        super().__init__(padding)
        self.value = value

    def forward(self, input: Tensor) -> Tensor:
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self) -> str:
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPadNd):
    """Pads a sequence with a number."""

    _sides = 2


class ConstantPad2d(_ConstantPadNd):
    """Pads an image with a number."""

    _sides = 4


class ConstantPad3d(_ConstantPadNd):
    """Pads a volume with a number."""

    _sides = 6


class ZeroPad1d(ConstantPad1d):
    """Pads a sequence with zeros."""

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ZeroPad2d(ConstantPad2d):
    """Pads an image with zeros."""

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class ZeroPad3d(ConstantPad3d):
    """Pads a volume with zeros."""

    def __init__(self, padding: Any) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self) -> str:
        return f"{self.padding}"


class _ReflectionPadNd(_Pad):
    _mode = "reflect"


class ReflectionPad1d(_ReflectionPadNd):
    """Pads a sequence with its mirror image."""

    _sides = 2


class ReflectionPad2d(_ReflectionPadNd):
    """Pads an image with its mirror image."""

    _sides = 4


class ReflectionPad3d(_ReflectionPadNd):
    """Pads a volume with its mirror image."""

    _sides = 6


class _ReplicationPadNd(_Pad):
    _mode = "replicate"


class ReplicationPad1d(_ReplicationPadNd):
    """Pads a sequence with its last element."""

    _sides = 2


class ReplicationPad2d(_ReplicationPadNd):
    """Pads an image with its edge."""

    _sides = 4


class ReplicationPad3d(_ReplicationPadNd):
    """Pads a volume with its edge."""

    _sides = 6
