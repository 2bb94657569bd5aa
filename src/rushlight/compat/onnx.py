"""torch.onnx of a library that exports nothing: the answer to whether an export is going on."""

from __future__ import annotations

from rushlight.base.missing import lazy_names

__all__ = ["is_in_onnx_export"]


def is_in_onnx_export() -> bool:
    """False: nothing is exported.

    >>> import rushlight as torch
    >>> torch.onnx.is_in_onnx_export()
    False
    """
    return False


__getattr__, __dir__ = lazy_names(__name__)
