"""torch.cuda.amp: autocast and GradScaler as they were called before they stood in torch.amp."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rushlight.amp import autocast_mode, grad_scaler
from rushlight.base.dtypes import dtype
from rushlight.tensors.arguments import warn

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd"]


class autocast(autocast_mode.autocast):
    """``torch.amp.autocast('cuda', ...)``, which does nothing without a GPU."""

    def __init__(self, enabled: bool = True, dtype: Any = None, cache_enabled: bool = True) -> None:
        warn(
            "`torch.cuda.amp.autocast(args...)` is deprecated. Please use `torch.amp.autocast('cuda', args...)` instead.",
            FutureWarning,
        )
        super().__init__("cuda", dtype=dtype, enabled=enabled, cache_enabled=cache_enabled)


class GradScaler(grad_scaler.GradScaler):
    """``torch.amp.GradScaler('cuda', ...)``, which does nothing without a GPU."""

    def __init__(
        self,
        init_scale: float = 2.0**16,
        growth_factor: float = 2.0,
        backoff_factor: float = 0.5,
        growth_interval: int = 2000,
        enabled: bool = True,
    ) -> None:
        warn(
            "`torch.cuda.amp.GradScaler(args...)` is deprecated. Please use `torch.amp.GradScaler('cuda', args...)` instead.",
            FutureWarning,
        )
        super().__init__("cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled)


def _renamed(name: str) -> None:
    """Says that a function stands in torch.amp now."""
    warn(
        f"`torch.cuda.amp.{name}(args...)` is deprecated. Please use `torch.amp.{name}(args..., device_type='cuda')` instead.",
        FutureWarning,
    )


def custom_fwd(fwd: Callable[..., Any] | None = None, *, cast_inputs: dtype | None = None) -> Any:
    """``torch.amp.custom_fwd`` for 'cuda'."""
    _renamed("custom_fwd")
    return autocast_mode.custom_fwd(fwd, device_type="cuda", cast_inputs=cast_inputs)


def custom_bwd(bwd: Callable[..., Any]) -> Any:
    """``torch.amp.custom_bwd`` for 'cuda'."""
    _renamed("custom_bwd")
    return autocast_mode.custom_bwd(bwd, device_type="cuda")
