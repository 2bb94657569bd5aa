"""Switches of the process, as tensors/runtime.py sets them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class _Switches:
    interop_threads: int | None = None
    deterministic: bool = False
    warn_only: bool = False
    fill_uninitialized: bool = True
    matmul_precision: str = "highest"
    warn_always: bool = False


switches = _Switches()
