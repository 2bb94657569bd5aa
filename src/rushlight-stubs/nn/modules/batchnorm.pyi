# Written by tools/stubs.py; `make stubs` writes it anew.

from rushlight import Tensor
from rushlight import dtype
from rushlight._inner import device
from rushlight.nn.modules.lazy import LazyModuleMixin
from rushlight.nn.modules.module import Module
from typing import Any

class BatchNorm1d(_BatchNorm):
    """Each channel brought to mean 0 and variance 1 over batch and length: (N, C) or (N, C, L)."""
class BatchNorm2d(_BatchNorm):
    """Each channel brought to mean 0 and variance 1 over batch and image: (N, C, H, W)."""
class BatchNorm3d(_BatchNorm):
    """Each channel brought to mean 0 and variance 1 over batch and volume: (N, C, D, H, W)."""
class LazyBatchNorm1d(_LazyBatchNorm, BatchNorm1d):
    """A BatchNorm1d that learns its num_features from its first input."""
    cls_to_become: type[BatchNorm1d]
class LazyBatchNorm2d(_LazyBatchNorm, BatchNorm2d):
    """A BatchNorm2d that learns its num_features from its first input."""
    cls_to_become: type[BatchNorm2d]
class LazyBatchNorm3d(_LazyBatchNorm, BatchNorm3d):
    """A BatchNorm3d that learns its num_features from its first input."""
    cls_to_become: type[BatchNorm3d]
class SyncBatchNorm(_BatchNorm):
    """Batch normalization over several processes, of which there is one here."""
    process_group: Any
    def __init__(self, num_features: int, eps: float = 1e-05, momentum: float | None = 0.1, affine: bool = True, track_running_stats: bool = True, process_group: Any = None, device: device | str | int | None = None, dtype: dtype | None = None, *, bias: bool = True) -> None: ...
    @classmethod
    def convert_sync_batchnorm(cls, module: Module, process_group: Any = None) -> Module:
        """The module with every batch normalization at and below it as one of this class, with the same parameters."""
        ...
class _BatchNorm(_NormBase):
    def __init__(self, num_features: int, eps: float = 1e-05, momentum: float | None = 0.1, affine: bool = True, track_running_stats: bool = True, device: device | str | int | None = None, dtype: dtype | None = None, *, bias: bool = True) -> None: ...
    def forward(self, input: Tensor) -> Tensor: ...
class _LazyBatchNorm(_LazyNormBase):
    def __init__(self, eps: float = 1e-05, momentum: float | None = 0.1, affine: bool = True, track_running_stats: bool = True, device: device | str | int | None = None, dtype: dtype | None = None, *, bias: bool = True) -> None: ...
class _LazyNormBase(LazyModuleMixin):
    """A normalization that learns its number of channels from its first input."""
    def initialize_parameters(self, input: Tensor) -> None: ...
    def reset_parameters(self) -> None: ...
class _NormBase(Module):
    """What batch and instance normalization share: scale and shift, and running mean and variance."""
    num_batches_tracked: Tensor | None
    running_mean: Tensor | None
    running_var: Tensor | None
    num_features: int
    eps: float
    momentum: float | None
    affine: bool
    track_running_stats: bool
    weight: Any
    bias: Any
    def __init__(self, num_features: int, eps: float = 1e-05, momentum: float | None = 0.1, affine: bool = True, track_running_stats: bool = True, device: device | str | int | None = None, dtype: dtype | None = None, *, bias: bool = True) -> None: ...
    _version: int
    def extra_repr(self) -> str: ...
    def reset_parameters(self) -> None: ...
    def reset_running_stats(self) -> None: ...
