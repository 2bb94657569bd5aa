"""torch.cpu: the one device there is."""

from __future__ import annotations

import os
import platform
from importlib import import_module
from typing import Any

from rushlight.base.missing_names import lazy_names


def is_available() -> bool:
    return True


def device_count() -> int:
    return 1


def current_device() -> str:
    return "cpu"


def synchronize(device: Any = None) -> None:
    """Every operation is done when it returns."""


def _features() -> dict[str, bool]:
    """What the processor can do, as NumPy found it."""
    try:
        return dict(import_module("numpy._core._multiarray_umath").__cpu_features__)
    except (ImportError, AttributeError):
        return {}


def get_capabilities() -> dict[str, Any]:
    """The processor's architecture, its number of threads and its instruction sets.

    >>> import rushlight as torch
    >>> torch.cpu.get_capabilities()["num_logical_cores"] > 0
    True
    """
    sets = {"sse": "SSE", "sse2": "SSE2", "sse3": "SSE3", "sse4_1": "SSE41", "sse4_2": "SSE42", "avx": "AVX", "avx2": "AVX2",
            "fma3": "FMA3", "f16c": "F16C", "avx512_f": "AVX512F", "avx512_bw": "AVX512BW", "avx512_dq": "AVX512DQ",
            "avx512_vl": "AVX512VL", "avx512_vnni": "AVX512VNNI", "avx512_bf16": "AVX512BF16"}  # fmt: skip
    found = _features()
    return {
        "architecture": platform.machine(),
        "num_logical_cores": os.cpu_count() or 1,
        **{name: found.get(feature, False) for name, feature in sets.items()},
    }


def _is_avx2_supported() -> bool:
    return _features().get("AVX2", False)


def _is_avx512_supported() -> bool:
    return _features().get("AVX512F", False)


__getattr__, __dir__ = lazy_names(__name__, frozenset({"amp"}))
