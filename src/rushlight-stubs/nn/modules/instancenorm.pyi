# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight import Tensor
from rushlight import dtype
from rushlight._inner import device
from rushlight.nn.modules.batchnorm import _LazyNormBase
from rushlight.nn.modules.batchnorm import _NormBase
from typing import Any

class InstanceNorm1d(_InstanceNorm):
    """Each channel of each sample brought to mean 0 and variance 1: (N, C, L) or (C, L)."""
class InstanceNorm2d(_InstanceNorm):
    """Each channel of each sample brought to mean 0 and variance 1: (N, C, H, W) or (C, H, W)."""
class InstanceNorm3d(_InstanceNorm):
    """Each channel of each sample brought to mean 0 and variance 1: (N, C, D, H, W) or (C, D, H, W)."""
class LazyInstanceNorm1d(_LazyInstanceNorm, InstanceNorm1d):
    """An InstanceNorm1d that learns its num_features from its first input."""
    cls_to_become: type[InstanceNorm1d]
class LazyInstanceNorm2d(_LazyInstanceNorm, InstanceNorm2d):
    """An InstanceNorm2d that learns its num_features from its first input."""
    cls_to_become: type[InstanceNorm2d]
class LazyInstanceNorm3d(_LazyInstanceNorm, InstanceNorm3d):
    """An InstanceNorm3d that learns its num_features from its first input."""
    cls_to_become: type[InstanceNorm3d]
class _InstanceNorm(_NormBase):
    def __init__(self, num_features: int, eps: float = 1e-05, momentum: float = 0.1, affine: bool = False, track_running_stats: bool = False, device: device | str | int | None = None, dtype: dtype | None = None, *, bias: bool = True) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...
class _LazyInstanceNorm(_LazyNormBase):
    def __init__(self, eps: float = 1e-05, momentum: float = 0.1, affine: bool = True, track_running_stats: bool = True, device: device | str | int | None = None, dtype: dtype | None = None, *, bias: bool = True) -> None: ...
