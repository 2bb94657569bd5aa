"""torch._dynamo.utils: what libraries ask of PyTorch's compiler."""

from __future__ import annotations

from typing import Any

from rushlight.base.device import device

__all__ = ["is_compile_supported"]


def is_compile_supported(device_type: Any) -> bool:
    """Whether ``torch.compile`` works for tensors of a device."""
    return device(device_type).type == "cpu"
