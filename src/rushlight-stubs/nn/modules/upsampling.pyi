# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight import Tensor
from rushlight.nn.modules.module import Module
from typing import Any

class Upsample(Module):
    """Interpolates (N, C, ...) to a size, or by a factor."""
    name: Any
    size: Any
    mode: str
    align_corners: bool | None
    recompute_scale_factor: bool | None
    scale_factor: Any
    def __init__(self, size: Any = None, scale_factor: Any = None, mode: str = 'nearest', align_corners: bool | None = None, recompute_scale_factor: bool | None = None) -> None: ...
    def extra_repr(self) -> str: ...
    def forward(self, input: Tensor) -> Tensor: ...
class UpsamplingBilinear2d(Upsample):
    """Upsample by lines between pixels, corners on corners."""
    def __init__(self, size: Any = None, scale_factor: Any = None) -> None: ...
class UpsamplingNearest2d(Upsample):
    """Upsample by the nearest pixel."""
    def __init__(self, size: Any = None, scale_factor: Any = None) -> None: ...
